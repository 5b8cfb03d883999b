// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a tuning file's text; and the text that replaces one record of it by another.
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "internal.h"
#include "tuning_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    WWT_REQUIRE(text);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    wwi_tuning_layer layer;
    const ww_status status = wwi_tuning_parse("tuning.txt", text, &layer);
    wwt_fuzz_status(status);
    WWT_REQUIRE(status == WW_OK || (layer.count == 0 && !layer.records));
    for (size_t i = 0; i < layer.count; i++) {
        const wwi_tuning_record *record = &layer.records[i];
        const wwi_tuning_entry *entry = wwi_tuning_find(record->name);
        WWT_REQUIRE(!entry || wwi_tuning_allows(entry, record->value));
        WWT_REQUIRE((record->match == WWI_MATCH_DEFAULT) == (record->text[0] == '\0'));
        (void)wwi_tuning_closest(record->name);
    }
    wwi_tuning_layer_free(&layer);
    free(text);
    return 0;
}
