// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a decimal number is what strtod() makes of it, to the last bit.
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/number.h"
#include "files/read.h"
#include "fuzz/fuzz.h"

enum { MOST = 1200 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static locale_t c_locale;
    if (!c_locale)
        c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (size > MOST)
        return 0;
    char *text = calloc(1, size + 1 + WWI_NUMBER_SLACK);
    WWT_REQUIRE(text);
    if (size)
        memcpy(text, data, size);
    char *end;
    double value = 0;
    const char *stop = wwi_number_scan(text, &value);
    if (stop) {
        WWT_REQUIRE(stop > text && stop <= text + size);
        // Only of what was taken: strtod() reads on where a hexadecimal number follows.
        char *taken = strndup(text, (size_t)(stop - text));
        WWT_REQUIRE(taken);
        const double right = strtod_l(taken, &end, c_locale);
        WWT_REQUIRE(*end == '\0');
        WWT_REQUIRE(memcmp(&right, &value, sizeof value) == 0);
        free(taken);
    }
    const wwi_span field = wwi_span_trim((wwi_span){text, text + strlen(text)});
    double seconds = 0;
    (void)wwi_number_parse(field, c_locale, &value);
    if (wwi_date_parse(field, c_locale, &seconds))
        WWT_REQUIRE(isfinite(seconds));
    free(text);
    return 0;
}
