// SPDX-License-Identifier: Apache-2.0
// Files of points. .fvecs, .bvecs and .ivecs are little endian: for each point its dimension in 4 bytes, then as many
// floats, bytes or 4-byte integers.
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wavewarp/points.h>

#include "files/file_name.h"
#include "files/number.h"
#include "files/point_files.h"
#include "files/read.h"
#include "options.h"

void ww_point_set_destroy(ww_point_set **set) {
    ww_point_set *s = wwi_taken(set);
    if (!s)
        return;
    free(s->values);
    free(s->offsets);
    free(s);
}

ww_status ww_point_set_view(const ww_point_set *set, ww_point_view *view) {
    WWI_NEEDS("set, view", set, view);
    const ww_point_view made = {sizeof made,    set->kind, set->values,  set->precision, set->count,
                                set->dimension, 0,         set->offsets, set->element};
    return wwi_struct_give(view, &made, "ww_point_view");
}

static bool has_bit(const unsigned char *row, size_t t) {
    return (row[t / 8] >> (t % 8) & 1) != 0;
}

ww_status ww_point_set_of_bits(const ww_point_view *given, ww_point_set **set) {
    ww_point_view taken = WW_POINT_VIEW_INIT;
    const ww_point_view *bits = &taken;
    if (set)
        *set = NULL;
    WWI_NEEDS("bits, set", given, set);
    WWI_TRY(wwi_take_point_view(given, &taken));
    if (bits->kind != WW_POINTS_BITS)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the view is not of bits");
    const size_t bytes = (bits->dimension + 7) / 8;
    const unsigned char *values = bits->values;
    WWI_ENDS(ww_point_set_destroy) ww_point_set *made = NULL;
    WWI_TRY(wwi_new_zeroed(made, 1));
    made->kind = WW_POINTS_SETS;
    made->count = bits->count;
    if (bits->count >= SIZE_MAX / sizeof *made->offsets)
        return wwi_fail_memory(SIZE_MAX);
    WWI_TRY(wwi_new(made->offsets, bits->count + 1));
    made->offsets[0] = 0;
    for (size_t i = 0; i < bits->count; i++) {
        made->offsets[i + 1] = made->offsets[i];
        for (size_t t = 0; t < bits->dimension; t++)
            made->offsets[i + 1] += has_bit(values + i * bytes, t);
    }
    uint32_t *members;
    WWI_TRY(wwi_new(members, (size_t)made->offsets[bits->count] + 1));
    made->values = members;
    for (size_t i = 0; i < bits->count; i++)
        for (size_t t = 0; t < bits->dimension; t++)
            if (has_bit(values + i * bytes, t))
                *members++ = (uint32_t)t;
    *set = wwi_taken(&made);
    return WW_OK;
}

// ---- sets: any file of integers

static int by_value(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// The members and offsets of the sets being read, in arrays that grow.
typedef struct builder {
    const char *name; // of the file
    uint32_t *items;
    size_t count, capacity;
    uint64_t *offsets;
    size_t sets, offset_capacity;
} builder;

static ww_status add_item(builder *b, double value) {
    if (!(value >= 0 && value <= UINT32_MAX && value == floor(value))) {
        wwi_fail(WW_ERROR_FORMAT, "%s: set %zu has the member %g", b->name, b->sets, value);
        return wwi_fail_hint("members are whole numbers from 0 to 2^32-1");
    }
    WWI_TRY(wwi_grow(&b->items, &b->capacity, b->count + 1, sizeof *b->items));
    b->items[b->count++] = (uint32_t)value;
    return WW_OK;
}

// Ends a set: its members ascending, each once.
static ww_status end_set(builder *b) {
    WWI_TRY(wwi_grow(&b->offsets, &b->offset_capacity, b->sets + 2, sizeof *b->offsets));
    if (b->sets == 0)
        b->offsets[0] = 0;
    const size_t begin = (size_t)b->offsets[b->sets];
    size_t end = begin;
    if (b->count > begin)
        qsort(b->items + begin, b->count - begin, sizeof *b->items, by_value);
    for (size_t i = begin; i < b->count; i++)
        if (i == begin || b->items[i] != b->items[end - 1])
            b->items[end++] = b->items[i];
    b->count = end;
    b->offsets[++b->sets] = end;
    return WW_OK;
}

// ---- .fvecs, .bvecs, .ivecs

// Goes over the points: *size is that of one element. Checks every length against the file before anything is
// allocated.
static ww_status count_points(const wwi_text *text, size_t size, bool varying, size_t *count, uint32_t *dimension,
                              uint64_t *total) {
    *count = 0;
    *total = 0;
    for (size_t at = 0; at < text->size;) {
        const uint32_t d = text->size - at >= 4 ? (uint32_t)wwi_little(text->bytes + at, 4) : UINT32_MAX;
        if (d > INT32_MAX || (text->size - at - 4) / size < d)
            return wwi_fail(WW_ERROR_FORMAT, "%s: point %zu is damaged or ends early", text->name, *count);
        if (*count == 0)
            *dimension = d;
        else if (d != *dimension && !varying)
            return wwi_fail(WW_ERROR_FORMAT, "%s: point %zu has %" PRIu32 " coordinates, those before have %" PRIu32,
                            text->name, *count, d, *dimension);
        at += 4 + (size_t)d * size;
        *total += d;
        ++*count;
    }
    if (*count == 0 || (*dimension == 0 && !varying))
        return wwi_fail(WW_ERROR_EMPTY, "%s: has no points, or points of no coordinates", text->name);
    return WW_OK;
}

static ww_status read_sets_vecs(const wwi_text *text, builder *b) {
    size_t count;
    uint32_t dimension;
    uint64_t total;
    WWI_TRY(count_points(text, 4, true, &count, &dimension, &total));
    for (size_t at = 0; at < text->size;) {
        const uint32_t d = (uint32_t)wwi_little(text->bytes + at, 4);
        at += 4;
        for (uint32_t j = 0; j < d; j++, at += 4)
            WWI_TRY(add_item(b, (double)wwi_little(text->bytes + at, 4)));
        WWI_TRY(end_set(b));
    }
    return WW_OK;
}

// The coordinates of a point, from `to` on among the set's values.
static void take_point(ww_point_set *set, char letter, const char *from, size_t d, size_t to) {
    if (set->kind == WW_POINTS_BITS) {
        memcpy((unsigned char *)set->values + to, from, d);
        return;
    }
    if (set->element == WW_ELEMENT_UINT8)
        memcpy((unsigned char *)set->values + to, from, d);
    for (size_t j = 0; set->element == WW_ELEMENT_PRECISION && j < d; j++) {
        const uint32_t word = (uint32_t)(letter == 'b' ? wwi_little(from + j, 1) : wwi_little(from + 4 * j, 4));
        if (letter == 'b')
            ((float *)set->values)[to + j] = (float)word;
        else if (letter == 'f')
            memcpy((float *)set->values + to + j, &word, sizeof word);
        else
            ((double *)set->values)[to + j] = word <= INT32_MAX ? (double)word : (double)word - 4294967296.0;
    }
}

static ww_status read_vecs(const wwi_text *text, char letter, bool narrow, ww_point_set *set) {
    const size_t size = letter == 'b' ? 1 : 4;
    uint32_t d;
    uint64_t total;
    const bool bits = set->kind == WW_POINTS_BITS;
    if (bits && letter != 'b')
        return wwi_fail(WW_ERROR_UNSUPPORTED, "%s: bits are read from .bvecs, .npy or text", text->name);
    WWI_TRY(count_points(text, size, false, &set->count, &d, &total));
    set->dimension = bits ? (size_t)d * 8 : d;
    set->precision = letter == 'i' ? WW_DOUBLE : WW_FLOAT;
    set->element = narrow && letter == 'b' && !bits ? WW_ELEMENT_UINT8 : WW_ELEMENT_PRECISION;
    const size_t value_bytes = bits || set->element == WW_ELEMENT_UINT8 ? 1
                               : letter == 'i'                          ? sizeof(double)
                                                                        : sizeof(float);
    if (!(set->values = malloc((size_t)total * value_bytes)))
        return wwi_fail_memory(total * value_bytes);
    for (size_t i = 0; i < set->count; i++)
        take_point(set, letter, text->bytes + i * (4 + d * size) + 4, d, i * d);
    return WW_OK;
}

// ---- .npy and text

static ww_status read_npy_points(const wwi_text *text, bool narrow, ww_point_set *set) {
    if (narrow && set->kind == WW_POINTS_NUMBERS)
        return wwi_npy_narrow(text, &set->count, &set->dimension, &set->precision, &set->element, &set->values);
    WWI_TRY(wwi_npy_matrix(text, &set->count, &set->dimension, &set->precision, &set->values));
    if (set->kind != WW_POINTS_BITS)
        return WW_OK;
    // The reader has converted bytes to floats.
    const size_t total = set->count * set->dimension;
    WWI_FREES unsigned char *bytes = NULL;
    WWI_TRY(wwi_new(bytes, total));
    for (size_t i = 0; i < total; i++) {
        const double x = wwi_value_at(set->values, set->precision, i);
        if (!(x >= 0 && x <= 255 && x == floor(x)))
            return wwi_fail(WW_ERROR_FORMAT, "%s: the value %g is no byte of bits", text->name, x);
        bytes[i] = (unsigned char)x;
    }
    free(set->values);
    set->values = wwi_taken(&bytes);
    set->dimension *= 8;
    return WW_OK;
}

// The bits of the current line, which are 0 and 1 with or without separators.
static ww_status count_bits(const wwi_text *text, size_t expected, size_t *bits) {
    const char *at = text->line.begin;
    *bits = 0;
    for (; at < text->line.end && memchr("01 \t,;\r", *at, 7); at++)
        *bits += *at == '0' || *at == '1';
    if (at < text->line.end)
        return wwi_text_fail(text, WW_ERROR_FORMAT, at, "'%c' is no bit", isprint((unsigned char)*at) ? *at : '?');
    if (*bits && expected && *bits != expected)
        return wwi_text_fail(text, WW_ERROR_FORMAT, text->line.begin, "%zu bits, the lines before have %zu", *bits,
                             expected);
    return WW_OK;
}

static void take_bits(wwi_span line, unsigned char *row) {
    size_t bit = 0;
    for (const char *at = line.begin; at < line.end; at++)
        if (*at == '0' || *at == '1') {
            row[bit / 8] = (unsigned char)(row[bit / 8] | (unsigned)(*at - '0') << bit % 8);
            bit++;
        }
}

static ww_status read_bit_lines(wwi_text *text, ww_point_set *set) {
    size_t capacity = 0, bits;
    while (wwi_text_next_line(text)) {
        WWI_TRY(count_bits(text, set->dimension, &bits));
        if (bits == 0)
            continue;
        set->dimension = bits;
        const size_t row_bytes = (bits + 7) / 8;
        WWI_TRY(wwi_grow(&set->values, &capacity, (set->count + 1) * row_bytes, 1));
        unsigned char *row = (unsigned char *)set->values + set->count++ * row_bytes;
        memset(row, 0, row_bytes);
        take_bits(text->line, row);
    }
    return set->count ? WW_OK : wwi_fail(WW_ERROR_EMPTY, "%s: has no points", text->name);
}

static ww_status read_set_lines(wwi_text *text, builder *b) {
    while (wwi_text_next_line(text)) {
        const wwi_span content = wwi_span_trim(text->line);
        const char separator =
            content.begin < content.end && memchr(content.begin, ',', wwi_span_size(content)) ? ',' : ' ';
        wwi_span rest = content, field;
        while (!wwi_span_is_empty(content) && wwi_next_field(&rest, separator, false, &field)) {
            double value;
            if (wwi_span_is_empty(field))
                continue;
            if (!wwi_number_parse(field, text->c_locale, &value))
                return wwi_text_fail(text, WW_ERROR_FORMAT, field.begin, "not a number");
            WWI_TRY(add_item(b, value));
        }
        WWI_TRY(end_set(b));
    }
    return b->sets ? WW_OK : wwi_fail(WW_ERROR_EMPTY, "%s: has no sets", text->name);
}

// Lines of numbers, all of one length; no labels.
static ww_status read_lines(wwi_text *text, ww_point_set *set) {
    WWI_ENDS(ww_series_set_destroy) ww_series_set *series = NULL;
    const ww_status status = wwi_read_number_lines(text, &series);
    if (status == WW_ERROR_FORMAT)
        return wwi_fail_hint(
            "a line of points has numbers alone, with a point as the decimal sign; files of series are "
            "for nearest and index");
    WWI_TRY(status);
    set->count = ww_series_set_count(series);
    set->dimension = ww_series_set_max_length(series);
    set->precision = WW_DOUBLE;
    if (ww_series_set_min_length(series) != set->dimension)
        return wwi_fail(WW_ERROR_FORMAT, "%s: its points do not all have the same number of coordinates", text->name);
    const size_t bytes = set->count * set->dimension * sizeof(double);
    if (!(set->values = malloc(bytes)))
        return wwi_fail_memory(bytes);
    memcpy(set->values, ww_series_set_values(series, 0), bytes); // those of all series follow one another
    return WW_OK;
}

static char vecs_letter(const char *path) {
    return wwi_unpacked_name_ends_with(path, ".fvecs")   ? 'f'
           : wwi_unpacked_name_ends_with(path, ".bvecs") ? 'b'
           : wwi_unpacked_name_ends_with(path, ".ivecs") ? 'i'
                                                         : '\0';
}

static ww_status read_sets(wwi_text *text, char letter, ww_point_set *set) {
    builder b = {.name = text->name};
    if (letter && letter != 'i')
        return wwi_fail(WW_ERROR_UNSUPPORTED, "%s: sets are read from .ivecs or text", text->name);
    const ww_status status = letter ? read_sets_vecs(text, &b) : read_set_lines(text, &b);
    set->count = b.sets;
    set->values = b.items ? b.items : calloc(1, sizeof *b.items);
    set->offsets = b.offsets;
    return status == WW_OK && !set->values ? wwi_fail_memory(sizeof *b.items) : status;
}

static ww_status read_points(wwi_text *text, bool narrow, ww_point_set *set) {
    const char letter = vecs_letter(text->name);
    if (set->kind == WW_POINTS_SETS)
        return read_sets(text, letter, set);
    if (letter)
        return read_vecs(text, letter, narrow, set);
    if (wwi_is_npy(text) || wwi_unpacked_name_ends_with(text->name, ".npy"))
        return read_npy_points(text, narrow, set);
    return set->kind == WW_POINTS_NUMBERS ? read_lines(text, set) : read_bit_lines(text, set);
}

static ww_status read_set(const char *path, ww_point_kind kind, bool narrow, ww_point_set **set) {
    if (set)
        *set = NULL;
    WWI_NEEDS("path, set", path, set);
    if ((unsigned)kind > WW_POINTS_SETS)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "kind is %d", (int)kind);
    WWI_ENDS(ww_point_set_destroy) ww_point_set *s = NULL;
    WWI_ENDS(wwi_text_close) wwi_text text = {.name = path};
    WWI_TRY(wwi_new_zeroed(s, 1));
    s->kind = kind;
    WWI_TRY(wwi_text_open(path, &text));
    WWI_TRY(wwi_text_ended(&text, read_points(&text, narrow, s)));
    *set = wwi_taken(&s);
    return WW_OK;
}

ww_status ww_point_set_read(const char *path, ww_point_kind kind, ww_point_set **set) {
    return read_set(path, kind, false, set);
}

ww_status ww_point_set_read_narrow(const char *path, ww_point_kind kind, ww_point_set **set) {
    return read_set(path, kind, true, set);
}

// ---- writing

static void put_little(wwi_output *out, uint32_t word) {
    const unsigned char bytes[4] = {(unsigned char)word, (unsigned char)(word >> 8), (unsigned char)(word >> 16),
                                    (unsigned char)(word >> 24)};
    wwi_output_bytes(out, bytes, sizeof bytes);
}

static ww_status put_coordinate(wwi_output *out, char letter, double x, size_t point) {
    if (letter == 'f') {
        const float narrow = (float)x;
        uint32_t word;
        memcpy(&word, &narrow, sizeof word);
        put_little(out, word);
        return WW_OK;
    }
    const double least = letter == 'b' ? 0 : INT32_MIN, most = letter == 'b' ? 255 : INT32_MAX;
    if (!(x >= least && x <= most && x == floor(x))) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s: point %zu has the coordinate %g, which .%cvecs can't hold",
                 out->file.path, point, x, letter);
        return wwi_fail_where((int64_t)point, -1);
    }
    if (letter == 'b')
        wwi_output_bytes(out, &(unsigned char){(unsigned char)x}, 1);
    else
        put_little(out, (uint32_t)(int32_t)x);
    return WW_OK;
}

static ww_status write_numbers(wwi_output *out, const char *path, const ww_point_view *v) {
    const char letter = vecs_letter(path);
    const bool npy = wwi_name_ends_with(path, ".npy");
    // Narrow numbers are written as floats, which hold them.
    const ww_precision precision = v->element == WW_ELEMENT_PRECISION ? v->precision : WW_FLOAT;
    if (npy)
        wwi_output_npy_header(out, precision, (const size_t[]){v->count, v->dimension}, 2, false);
    for (size_t i = 0; i < v->count && wwi_output_goes_on(out); i++) {
        if (letter)
            put_little(out, (uint32_t)v->dimension);
        for (size_t j = 0; j < v->dimension; j++) {
            const double x = wwi_point_value(v, i, j);
            if (letter) {
                WWI_TRY(put_coordinate(out, letter, x, i));
            } else if (npy && precision == WW_FLOAT) {
                wwi_output_bytes(out, &(float){(float)x}, sizeof(float));
            } else if (npy) {
                wwi_output_bytes(out, &x, sizeof x);
            } else {
                wwi_output_text(out, j ? "," : "");
                wwi_output_number(out, x, precision);
            }
        }
        if (!letter && !npy)
            wwi_output_text(out, "\n");
    }
    return WW_OK;
}

static ww_status write_bits(wwi_output *out, const char *path, const ww_point_view *v) {
    const size_t bytes = (v->dimension + 7) / 8;
    const char letter = vecs_letter(path);
    if ((letter && letter != 'b') || wwi_name_ends_with(path, ".npy"))
        return wwi_fail(WW_ERROR_UNSUPPORTED, "%s: bits are written as .bvecs or text", path);
    for (size_t i = 0; i < v->count && wwi_output_goes_on(out); i++) {
        const unsigned char *row = (const unsigned char *)v->values + i * bytes;
        if (letter) {
            put_little(out, (uint32_t)bytes);
            wwi_output_bytes(out, row, bytes);
            continue;
        }
        for (size_t b = 0; b < v->dimension; b++)
            wwi_output_text(out, has_bit(row, b) ? "1" : "0");
        wwi_output_text(out, "\n");
    }
    return WW_OK;
}

static ww_status write_sets(wwi_output *out, const char *path, const ww_point_view *v) {
    const uint32_t *items = v->values;
    const char letter = vecs_letter(path);
    if ((letter && letter != 'i') || wwi_name_ends_with(path, ".npy"))
        return wwi_fail(WW_ERROR_UNSUPPORTED, "%s: sets are written as .ivecs or text", path);
    for (size_t i = 0; i < v->count && wwi_output_goes_on(out); i++) {
        if (letter)
            put_little(out, (uint32_t)(v->offsets[i + 1] - v->offsets[i]));
        for (uint64_t m = v->offsets[i]; m < v->offsets[i + 1]; m++) {
            if (letter) {
                put_little(out, items[m]);
            } else {
                wwi_output_text(out, m > v->offsets[i] ? " " : "");
                wwi_output_number(out, (double)items[m], WW_DOUBLE);
            }
        }
        if (!letter)
            wwi_output_text(out, "\n");
    }
    return WW_OK;
}

ww_status wwi_take_point_view(const ww_point_view *given, ww_point_view *taken) {
    WWI_TRY(wwi_options_take(taken, given, "ww_point_view"));
    const bool shaped = taken->kind == WW_POINTS_SETS ? taken->offsets != NULL : taken->dimension > 0;
    if (!taken->values || taken->count == 0 || !shaped || taken->dimension > INT32_MAX)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the view is empty");
    if ((unsigned)taken->precision > WW_DOUBLE)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the view's precision is %d", (int)taken->precision);
    if ((unsigned)taken->element > WW_ELEMENT_FLOAT16)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the view's element is %d", (int)taken->element);
    return WW_OK;
}

ww_status wwi_write_points(wwi_output *out, const char *path, const ww_point_view *view) {
    return view->kind == WW_POINTS_BITS   ? write_bits(out, path, view)
           : view->kind == WW_POINTS_SETS ? write_sets(out, path, view)
                                          : write_numbers(out, path, view);
}

ww_status ww_point_view_write(const char *path, const ww_point_view *given) {
    wwi_output out;
    ww_point_view view = WW_POINT_VIEW_INIT;
    WWI_NEEDS("path", path);
    WWI_TRY(wwi_take_point_view(given, &view));
    WWI_TRY(wwi_output_open(path, &out));
    return wwi_output_end(&out, wwi_write_points(&out, path, &view));
}
