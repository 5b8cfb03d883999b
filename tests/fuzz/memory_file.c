// SPDX-License-Identifier: Apache-2.0
// Files in memory for the fuzz targets: linked with --wrap for wwi_text_open and wwi_text_close.
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/number.h"
#include "files/read.h"
#include "files/unpack.h"
#include "fuzz/fuzz.h"
#include "host.h"

// Many small inputs: freed memory need not be kept for long, and what no machine has the room for fails at once.
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "quarantine_size_mb=8:malloc_context_size=8:allocator_may_return_null=1";
}

static struct {
    const void *bytes;
    size_t size;
} content;

void wwt_fuzz_fail(const char *file, int line, const char *condition) {
    fprintf(stderr, "%s:%d: does not hold: %s\nlast error: %s\n", file, line, condition, ww_last_error()->message);
    abort();
}

void wwt_fuzz_file(const void *bytes, size_t size) {
    content.bytes = bytes;
    content.size = size;
}

ww_status __wrap_wwi_text_open(const char *path, wwi_text *text);
void __wrap_wwi_text_close(wwi_text *text);

ww_status __wrap_wwi_text_open(const char *path, wwi_text *text) {
    static locale_t c_locale;
    if (!c_locale)
        c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    wwi_text_init(text, path);
    text->c_locale = c_locale;
    text->size = content.size;
    text->bytes = malloc(content.size + 1 + WWI_NUMBER_SLACK);
    WWT_REQUIRE(text->bytes);
    if (content.size)
        memcpy(text->bytes, content.bytes, content.size);
    memset(text->bytes + content.size, 0, 1 + WWI_NUMBER_SLACK);
    const char *member = wwi_member_of(path);
    ww_status status = wwi_text_unpack(text, member ? member + 1 : NULL);
    if (status == WW_OK && text->size == 0)
        status = wwi_fail(WW_ERROR_EMPTY, "%s: the file is empty", text->name);
    if (status == WW_OK)
        wwi_text_rewind(text);
    return status;
}

void __wrap_wwi_text_close(wwi_text *text) {
    free(text->bytes);
    memset(text, 0, sizeof *text);
}

void wwt_fuzz_status(ww_status status) {
    if (status == WW_OK)
        return;
    const ww_error *error = ww_last_error();
    WWT_REQUIRE(error->status == status);
    WWT_REQUIRE(error->message[0] != '\0');
    // No input here is large, so nothing that is made of it is.
    WWT_REQUIRE(status != WW_ERROR_INTERNAL && status != WW_ERROR_OUT_OF_MEMORY);
}

void wwt_fuzz_set(const ww_series_set *set) {
    const size_t channels = ww_series_set_channels(set);
    WWT_REQUIRE(ww_series_set_count(set) >= 1 && channels >= 1);
    volatile double sum = 0;
    for (size_t i = 0; i < ww_series_set_count(set); i++) {
        const size_t length = ww_series_set_length(set, i);
        WWT_REQUIRE(length >= 1 && length <= ww_series_set_max_length(set));
        for (size_t t = 0; t < length * channels; t++)
            sum = sum + ww_series_set_values(set, i)[t];
        WWT_REQUIRE(ww_series_set_class(set, i) < (long)ww_series_set_class_count(set));
        const double *times = ww_series_set_times(set, i);
        for (size_t t = 0; times && t < length; t++)
            WWT_REQUIRE(isfinite(times[t]) && (t == 0 || times[t] >= times[t - 1]));
    }
}
