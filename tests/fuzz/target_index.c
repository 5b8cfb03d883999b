// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the file of an index of series, its checksum made right, up to where the device would get it. The reader
// is included for its parts: ww_index_load() needs a device.
#include "index/index_read.c"

#include "fuzz/sealed_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wwi_sealed bytes = {0};
    saved s = {.options = WW_INDEX_OPTIONS_INIT, .info = WW_INDEX_INFO_INIT};
    const char *wrong = NULL;
    if (take_sealed(&wwi_index_seal, data, size, &bytes) == WW_OK) {
        wwi_byte_reader r = wwi_seal_reader(&bytes);
        const ww_status status = take_all(&r, &s, &wrong);
        wwt_fuzz_status(status);
        // All that is used later is there: links and entries lead to series.
        for (uint64_t i = 0; status == WW_OK && !wrong && i < s.count * s.options.degree; i++)
            WWT_REQUIRE(s.links[i] == WWI_NO_LINK || s.links[i] < s.count);
        for (uint64_t i = 0; status == WW_OK && !wrong && i < s.entry_count; i++)
            WWT_REQUIRE(s.entries[i] < s.count);
        WWT_REQUIRE(status != WW_OK || wrong || ww_series_set_count(s.set) == s.count);
    }
    saved_free(&s);
    wwi_sealed_free(&bytes);
    return 0;
}
