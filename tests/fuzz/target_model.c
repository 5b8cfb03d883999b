// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a model of shapelets, read from memory. What is read is written, read again and written again, which
// gives the same bytes.
#include <stdlib.h>
#include <string.h>
#include <wavewarp/shapelets.h>

#include "fuzz/fuzz.h"
#include "memory_bytes.h"

static ww_status read_model(const void *bytes, size_t size, ww_shapelets **model) {
    wwt_bytes from = wwt_bytes_at((void *)bytes, size, size);
    const ww_status status = ww_shapelets_read_from(wwt_bytes_read, &from, model);
    WWT_REQUIRE(!from.wrong && (status == WW_OK) == (*model != NULL));
    return status;
}

// Free `at`.
static wwt_bytes write_model(const ww_shapelets *model, size_t room) {
    wwt_bytes to = wwt_bytes_at(malloc(room), room, 0);
    WWT_REQUIRE(to.at && ww_shapelets_write_to(model, wwt_bytes_write, &to) == WW_OK && !to.wrong);
    return to;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ww_shapelets *model = NULL, *again = NULL;
    const ww_status status = read_model(data, size, &model);
    wwt_fuzz_status(status);
    if (status != WW_OK)
        return 0;
    // No number, character or field takes 64 times the bytes that it was read from.
    const size_t room = 1024 + 64 * size;
    wwt_bytes first = write_model(model, room);
    WWT_REQUIRE(read_model(first.at, first.count, &again) == WW_OK);
    wwt_bytes second = write_model(again, room);
    WWT_REQUIRE(first.count == second.count && memcmp(first.at, second.at, first.count) == 0);
    free(first.at);
    free(second.at);
    ww_shapelets_destroy(&model);
    ww_shapelets_destroy(&again);
    return 0;
}
