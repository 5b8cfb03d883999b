// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a checkpoint of shapelets, and a journal of units. Its sum is made right, so that what it guards is
// reached.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "host.h"
#include "shapelets/shapelet_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t digest[32];
    char *bytes = malloc(size + 66);
    WWT_REQUIRE(bytes);
    if (size)
        memcpy(bytes, data, size);
    wwi_checksum(bytes, size, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(bytes + size + 2 * i, 3, "%02x", digest[i]);
    bytes[size + 64] = '\n';
    wwi_shapelet_past past;
    wwt_fuzz_file(bytes, size + 65);
    const ww_status status = wwi_shapelet_past_read(WWT_FUZZ_FILE, NULL, &past);
    wwt_fuzz_status(status);
    if (status == WW_OK) {
        size_t places = past.unfinished_count;
        for (size_t i = 0; i < past.searches; i++)
            places += past.counts[i];
        volatile uint64_t sum = 0;
        for (size_t i = 0; i < places; i++)
            sum = sum + past.found[i].place.start;
    }
    wwi_shapelet_past_free(&past);
    ww_journal *journal = NULL;
    wwt_fuzz_file(bytes, size + 65);
    wwt_fuzz_status(ww_journal_read(WWT_FUZZ_FILE, &journal));
    ww_journal_info info = WW_JOURNAL_INFO_INIT;
    if (journal && ww_journal_get_info(journal, &info) == WW_OK) {
        WWT_REQUIRE(info.done <= info.unit_count && info.done == info.found_done);
        WWT_REQUIRE(!ww_journal_has(journal, info.first_unit + info.unit_count));
    }
    wwt_fuzz_status(ww_journal_close(&journal, 0));
    free(bytes);
    return 0;
}
