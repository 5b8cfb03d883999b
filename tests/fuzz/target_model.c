// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a model of shapelets. What is read is written, read again and written again, which gives the same bytes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavewarp/shapelets.h>

#include "fuzz/fuzz.h"

static char *write_model(const ww_shapelets *model, size_t *size) {
    char *bytes = NULL;
    FILE *const before = stdout, *memory = open_memstream(&bytes, size);
    WWT_REQUIRE(memory);
    stdout = memory;
    const ww_status status = ww_shapelets_write(model, "-");
    stdout = before;
    WWT_REQUIRE(status == WW_OK && fclose(memory) == 0);
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ww_shapelets *model = NULL, *again = NULL;
    if (size == 0)
        return 0;
    wwt_fuzz_file(data, size);
    const ww_status status = ww_shapelets_read(WWT_FUZZ_FILE, &model);
    wwt_fuzz_status(status);
    WWT_REQUIRE((status == WW_OK) == (model != NULL));
    if (status != WW_OK)
        return 0;
    size_t first_size, second_size;
    char *first = write_model(model, &first_size);
    wwt_fuzz_file(first, first_size);
    WWT_REQUIRE(ww_shapelets_read(WWT_FUZZ_FILE, &again) == WW_OK);
    char *second = write_model(again, &second_size);
    WWT_REQUIRE(first_size == second_size && memcmp(first, second, first_size) == 0);
    free(first);
    free(second);
    ww_shapelets_destroy(&model);
    ww_shapelets_destroy(&again);
    return 0;
}
