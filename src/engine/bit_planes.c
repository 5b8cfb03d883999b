// SPDX-License-Identifier: Apache-2.0
// Numbers the symbols of two sets and writes them as bit planes for engine bits. Launches are in bits.c.
#include "engine/bit_planes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/kit.h"

#define NO_INDEX UINT32_MAX

// ---- numbers for keys, in the order in which the keys first occur

typedef struct dictionary {
    uint64_t *keys;
    uint32_t *numbers; // NO_INDEX: an empty place
    uint32_t shift;    // 64 - log2(places)
    uint32_t count;
} dictionary;

// Of a zeroed one.
static ww_status dictionary_make(dictionary *d, uint32_t log_places) {
    const size_t places = (size_t)1 << log_places;
    d->shift = 64 - log_places;
    WWI_TRY(wwi_new(d->keys, places));
    WWI_TRY(wwi_new(d->numbers, places));
    memset(d->numbers, 0xff, places * sizeof *d->numbers);
    return WW_OK;
}

static void dictionary_free(dictionary *d) {
    free(d->keys);
    free(d->numbers);
}

// The place of a key, or the empty one it would have: multiplicative hashing with linear probing.
static size_t place_of(const dictionary *d, uint64_t key) {
    const size_t mask = ((size_t)1 << (64 - d->shift)) - 1;
    size_t at = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> d->shift);
    while (d->numbers[at] != NO_INDEX && d->keys[at] != key)
        at = (at + 1) & mask;
    return at;
}

static ww_status dictionary_grow(dictionary *d) {
    WWI_ENDS(dictionary_free) dictionary larger = {0};
    const size_t places = (size_t)1 << (64 - d->shift);
    WWI_TRY(dictionary_make(&larger, 64 - d->shift + 1));
    for (size_t i = 0; i < places; i++)
        if (d->numbers[i] != NO_INDEX) {
            const size_t at = place_of(&larger, d->keys[i]);
            larger.keys[at] = d->keys[i];
            larger.numbers[at] = d->numbers[i];
        }
    larger.count = d->count;
    const dictionary smaller = *d;
    *d = larger;
    larger = smaller;
    return WW_OK;
}

static ww_status number_of(dictionary *d, uint64_t key, uint32_t *number) {
    size_t at = place_of(d, key);
    if (d->numbers[at] == NO_INDEX) {
        if ((uint64_t)d->count * 2 >= (uint64_t)1 << (64 - d->shift)) {
            WWI_TRY(dictionary_grow(d));
            at = place_of(d, key);
        }
        d->keys[at] = key;
        d->numbers[at] = d->count++;
    }
    *number = d->numbers[at];
    return WW_OK;
}

// ---- one side

typedef struct side {
    ww_dataset *source;
    unsigned char *copy; // of the values, when they are on the device
    uint32_t *numbers;   // of every point
    uint32_t channels;   // computed apart: 1 or all
} side;

// Points of a series, those of all channels apart counted.
static uint64_t points(const side *s, size_t i) {
    return (uint64_t)s->source->lengths[i] * s->channels;
}

static ww_status side_make(side *s, ww_dataset *source, bool each) {
    const uint64_t bytes = source->offsets[source->count] * wwi_precision_bytes(source->precision);
    uint64_t count = 0;
    s->source = source;
    s->channels = each ? (uint32_t)source->channels : 1;
    for (size_t i = 0; i < source->count; i++)
        count += points(s, i);
    WWI_TRY(wwi_new_zeroed(s->numbers, count));
    if (source->host)
        return WW_OK;
    WWI_TRY(wwi_new(s->copy, bytes));
    return wwi_buffer_read(source->values, 0, bytes, s->copy);
}

static void sides_free(side (*sides)[2]) {
    for (size_t k = 0; k < 2; k++) {
        free((*sides)[k].copy);
        free((*sides)[k].numbers);
    }
}

// The value's bits in 32-bit words; the two zeros are one symbol. False: not a number, which is unequal to itself.
static bool value_words(const side *s, uint64_t at, uint32_t words[2]) {
    const unsigned char *values = s->copy ? s->copy : s->source->host;
    if (s->source->precision == WW_DOUBLE) {
        double value;
        memcpy(&value, values + at * sizeof value, sizeof value);
        if (isnan(value))
            return false;
        value += 0.0;
        memcpy(words, &value, sizeof value);
    } else {
        float value;
        memcpy(&value, values + at * sizeof value, sizeof value);
        if (isnan(value))
            return false;
        value += 0.0f;
        memcpy(words, &value, sizeof value);
    }
    return true;
}

// Folds word `part` of channel c into the points' numbers. A point whose words are all folded in is numbered by symbol.
static ww_status fold(side *s, dictionary *d, size_t c, size_t part, bool *numbers_only) {
    uint64_t point = 0;
    for (size_t i = 0; i < s->source->count; i++) {
        const uint64_t from = s->source->offsets[i] + (uint64_t)c * s->source->lengths[i];
        for (uint64_t t = 0; t < points(s, i); t++, point++) {
            uint32_t words[2];
            if (!value_words(s, from + t, words)) {
                *numbers_only = false;
                return WW_OK;
            }
            WWI_TRY(number_of(d, (uint64_t)s->numbers[point] << 32 | words[part], &s->numbers[point]));
        }
    }
    return WW_OK;
}

static ww_status number_points(side *sides, size_t side_count, bool each, uint32_t *different, bool *numbers_only) {
    const size_t channels = each ? 1 : sides[0].source->channels;
    const size_t parts = sides[0].source->precision == WW_DOUBLE ? 2 : 1;
    *numbers_only = true;
    for (size_t pass = 0; pass < channels * parts; pass++) {
        WWI_ENDS(dictionary_free) dictionary d = {0};
        WWI_TRY(dictionary_make(&d, 8));
        for (size_t k = 0; k < side_count; k++) {
            WWI_TRY(fold(&sides[k], &d, pass / parts, pass % parts, numbers_only));
            if (!*numbers_only)
                return WW_OK;
        }
        *different = d.count;
    }
    return WW_OK;
}

static uint32_t planes_for(uint32_t different) {
    static const uint32_t made[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32};
    size_t i = 0;
    while (made[i] < 32 && (UINT64_C(1) << made[i]) < different)
        i++;
    return made[i];
}

static uint64_t words_of(uint32_t length) {
    return ((uint64_t)length + 31) / 32;
}

// Writes a side's planes and entries to the device. *fits false: there is no room.
static ww_status upload(const side *s, uint32_t bits, wwi_buffer **planes, wwi_buffer **series, bool *fits) {
    const ww_dataset *d = s->source;
    uint64_t total = 0, at = 0, point = 0;
    WWI_FREES uint32_t *target = NULL;
    WWI_FREES uint64_t *entries = NULL;
    for (size_t i = 0; i < d->count; i++)
        total += words_of(d->lengths[i]) * s->channels * bits;
    const uint64_t budget = wwi_context_bytes_free(d->context) / 2;
    *fits = total * sizeof *target <= wwi_least(budget, wwi_context_max_buffer(d->context));
    if (!*fits)
        return WW_OK;
    WWI_TRY(wwi_new_zeroed(target, total));
    WWI_TRY(wwi_new(entries, d->count * 2));
    for (size_t i = 0; i < d->count; i++) {
        const uint32_t n = d->lengths[i], unused = (0u - n) % 32;
        entries[2 * i] = at;
        entries[2 * i + 1] = (uint64_t)n | (uint64_t)d->ranks[i] << 32;
        for (uint32_t c = 0; c < s->channels; c++, at += words_of(n) * bits)
            for (uint32_t t = 0; t < n; t++, point++) {
                uint32_t *word = target + at + (uint64_t)((t + unused) / 32) * bits;
                for (uint32_t b = 0; b < bits; b++)
                    word[b] |= (s->numbers[point] >> b & 1) << (t + unused) % 32;
            }
    }
    WWI_TRY(wwi_upload(d->context, planes, target, total * sizeof *target));
    return wwi_upload(d->context, series, entries, d->count * 16);
}

void wwi_bit_planes_destroy(wwi_bit_planes **planes) {
    wwi_bit_planes *s = wwi_taken(planes);
    if (!s)
        return;
    if (!s->shared)
        WWI_BUFFERS_DESTROY(&s->column_planes, &s->column_series);
    WWI_BUFFERS_DESTROY(&s->row_planes, &s->row_series);
    free(s);
}

ww_status wwi_bit_planes_create(ww_dataset *rows, ww_dataset *columns, bool each, wwi_bit_planes **planes,
                                const char **why) {
    WWI_ENDS(wwi_bit_planes_destroy) wwi_bit_planes *s = NULL;
    WWI_ENDS(sides_free) side sides[2] = {{0}, {0}};
    const size_t side_count = rows == columns ? 1 : 2;
    uint32_t different = 1;
    bool numbers_only = true, fits = true;
    *planes = NULL;
    *why = "";
    WWI_TRY(wwi_new_zeroed(s, 1));
    s->shared = side_count == 1;
    WWI_TRY(side_make(&sides[0], rows, each));
    if (!s->shared)
        WWI_TRY(side_make(&sides[1], columns, each));
    WWI_TRY(number_points(sides, side_count, each, &different, &numbers_only));
    if (!numbers_only) {
        *why = "a value is not a number";
        return WW_OK;
    }
    s->bits = planes_for(different);
    WWI_TRY(upload(&sides[0], s->bits, &s->row_planes, &s->row_series, &fits));
    if (s->shared) {
        s->column_planes = s->row_planes;
        s->column_series = s->row_series;
    } else if (fits) {
        WWI_TRY(upload(&sides[1], s->bits, &s->column_planes, &s->column_series, &fits));
    }
    if (fits)
        *planes = wwi_taken(&s);
    else
        *why = "the symbols do not fit the device";
    return WW_OK;
}
