// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy, format versions 1 to 3: 1-D is one series, 2-D (series, time) or (time, channel), 3-D (series, channel,
// time) or (series, time, channel).
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/element.h"
#include "files/number.h"
#include "files/read.h"
#include "host.h"

typedef struct npy_header {
    char kind;    // 'f' floating point, 'i' signed, 'u' unsigned
    size_t bytes; // of one element
    bool swapped; // the other byte order than this machine's
    bool fortran; // first index fastest
    bool marked;  // axes that a reader could mistake are as this library writes them
    size_t dimensions;
    uint64_t shape[3];
    uint64_t elements;
} npy_header;

static ww_status fail(const wwi_text *text, const char *what) {
    return wwi_fail(WW_ERROR_FORMAT, "%s: damaged .npy file: %s", text->name, what);
}

// The value of a key in the header's dictionary, from its first character to the header's end.
static bool find_key(wwi_span dictionary, const char *key, wwi_span *value) {
    const size_t size = strlen(key);
    for (const char *at = dictionary.begin; (size_t)(dictionary.end - at) > size + 2; at++) {
        if ((*at != '\'' && *at != '"') || strncmp(at + 1, key, size) != 0 || at[size + 1] != *at)
            continue;
        const wwi_span after = wwi_span_trim((wwi_span){at + size + 2, dictionary.end});
        if (wwi_span_is_empty(after) || *after.begin != ':')
            return false;
        *value = wwi_span_trim((wwi_span){after.begin + 1, dictionary.end});
        return true;
    }
    return false;
}

static bool starts(wwi_span span, const char *word) {
    return wwi_span_size(span) >= strlen(word) && strncmp(span.begin, word, strlen(word)) == 0;
}

static ww_status parse_type(const wwi_text *text, wwi_span value, npy_header *head) {
    const char quote = wwi_span_is_empty(value) ? '\0' : *value.begin;
    const char *close = quote == '\'' || quote == '"' ? memchr(value.begin + 1, quote, wwi_span_size(value) - 1) : NULL;
    const wwi_span type = {value.begin + 1, close ? close : value.begin + 1};
    const size_t size = wwi_span_size(type);
    const bool known = (size == 3 && strchr("<>=|", type.begin[0])) &&
                       ((type.begin[1] == 'f' && strchr("248", type.begin[2])) ||
                        (strchr("iu", type.begin[1]) && strchr("1248", type.begin[2])));
    if (!known) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "%s: elements of type %.*s are not supported", text->name,
                 (int)(size < 32 ? size : 32), size ? type.begin : "");
        return wwi_fail_hint("save the array as float32 or float64: numpy.save(name, array.astype('f8'))");
    }
    head->kind = type.begin[1];
    head->bytes = (size_t)(type.begin[2] - '0');
    head->swapped = type.begin[0] == (wwi_is_little_endian() ? '>' : '<');
    return WW_OK;
}

// The digits at *at.
static bool parse_extent(const char **at, const char *end, uint64_t *extent) {
    *extent = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at)
        if (!wwi_mul_u64(*extent, 10, extent) || !wwi_add_u64(*extent, (uint64_t)(**at - '0'), extent))
            return false;
    return true;
}

static ww_status parse_shape(const wwi_text *text, wwi_span value, npy_header *head) {
    if (wwi_span_is_empty(value) || *value.begin != '(')
        return fail(text, "its shape is not a tuple");
    const char *at = value.begin + 1;
    head->elements = 1;
    for (;;) {
        while (at < value.end && (*at == ' ' || *at == ','))
            at++;
        if (at == value.end)
            return fail(text, "its shape does not end");
        if (*at == ')')
            return WW_OK;
        if (*at < '0' || *at > '9')
            return fail(text, "its shape holds what is not a number");
        uint64_t extent;
        if (!parse_extent(&at, value.end, &extent))
            return fail(text, "its shape is beyond 64 bits");
        if (head->dimensions == 3) {
            wwi_fail(WW_ERROR_UNSUPPORTED, "%s: the array has more than 3 dimensions", text->name);
            return wwi_fail_hint("readable are (series, time) and (series, channel, time)");
        }
        head->shape[head->dimensions++] = extent;
        if (!wwi_mul_u64(head->elements, extent, &head->elements))
            return fail(text, "its shape is beyond 64 bits");
    }
}

// Parses the header; *data becomes the place of the first element.
static ww_status parse_header(const wwi_text *text, npy_header *head, const char **data) {
    if (text->size < 12)
        return fail(text, "it ends in its header");
    const unsigned version = (unsigned char)text->bytes[6];
    if (version < 1 || version > 3) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "%s: .npy format version %u is not supported", text->name, version);
        return wwi_fail_hint("readable are versions 1 to 3");
    }
    const size_t start = version == 1 ? 10 : 12;
    head->marked = version == 2; // see wwi_output_npy_header()
    const size_t size = (size_t)wwi_little(text->bytes + 8, start - 8);
    if (size > text->size - start)
        return fail(text, "it ends in its header");
    const wwi_span dictionary = {text->bytes + start, text->bytes + start + size};
    *data = dictionary.end;

    wwi_span value;
    if (!find_key(dictionary, "descr", &value))
        return fail(text, "its header does not say the type ('descr')");
    WWI_TRY(parse_type(text, value, head));
    if (!find_key(dictionary, "fortran_order", &value) || !(starts(value, "True") || starts(value, "False")))
        return fail(text, "its header does not say the order ('fortran_order')");
    head->fortran = starts(value, "True");
    if (!find_key(dictionary, "shape", &value))
        return fail(text, "its header does not say the shape ('shape')");
    return parse_shape(text, value, head);
}

static double element(const npy_header *head, const char *at) {
    union {
        char raw[8];
        float f32;
        double f64;
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
    } value;
    for (size_t b = 0; b < head->bytes; b++)
        value.raw[b] = at[head->swapped ? head->bytes - 1 - b : b];
    const bool is_signed = head->kind == 'i';
    if (head->kind == 'f' && head->bytes == 2)
        return wwi_half_value(value.u16);
    if (head->kind == 'f')
        return head->bytes == 4 ? (double)value.f32 : value.f64;
    switch (head->bytes) {
    case 1:
        return is_signed ? (double)value.i8 : (double)value.u8;
    case 2:
        return is_signed ? (double)value.i16 : (double)value.u16;
    case 4:
        return is_signed ? (double)value.i32 : (double)value.u32;
    default:
        return is_signed ? (double)value.i64 : (double)value.u64;
    }
}

// What the axes are; what is not certain becomes a notice.
static ww_axes choose_axes(const npy_header *head, wwi_notes *notes, ww_axes given) {
    const uint64_t *n = head->shape;
    const ww_axes axes = given != WW_AXES_AUTO ? given : head->marked ? WW_AXES_NCT : wwi_axes_of(n[1], n[2]);
    if (given == WW_AXES_AUTO && !head->marked && n[1] > 1 && n[1] / 2 >= n[2])
        wwi_notes_add(notes, WW_NOTICE_AXES, "an array (%llu, %llu, %llu) is taken as (series, %s)",
                      (unsigned long long)n[0], (unsigned long long)n[1], (unsigned long long)n[2],
                      axes == WW_AXES_NTC ? "time, channel" : "channel, time");
    if (notes)
        notes->info.axes = axes;
    return axes;
}

static ww_rows choose_rows(const npy_header *head, wwi_notes *notes, ww_rows given) {
    const bool column =
        given == WW_ROWS_AUTO && !head->marked && notes && wwi_is_one_column(head->shape[0], head->shape[1]);
    const ww_rows rows = given != WW_ROWS_AUTO ? given : column ? WW_ROWS_POINTS : WW_ROWS_SERIES;
    if (column)
        wwi_notes_add(notes, WW_NOTICE_ROWS, "an array (%llu, 1) is taken as one series",
                      (unsigned long long)head->shape[0]);
    if (notes)
        notes->info.rows = rows;
    return rows;
}

// Elements from one to the next along each of (series, channel, time).
static void strides_of(const npy_header *head, ww_axes axes, ww_rows rows, uint64_t extents[3], uint64_t strides[3]) {
    // The array's axis that is each of the three; 3: none.
    static const unsigned char one[3] = {3, 3, 0}, series[3] = {0, 3, 1}, points[3] = {3, 1, 0}, nct[3] = {0, 1, 2},
                               ntc[3] = {0, 2, 1};
    const unsigned char *axis = head->dimensions == 1   ? one
                                : head->dimensions == 2 ? rows == WW_ROWS_POINTS ? points : series
                                : axes == WW_AXES_NTC   ? ntc
                                                        : nct;
    uint64_t steps[3] = {1, 1, 1};
    const size_t n = head->dimensions;
    for (size_t d = 1; d < n; d++) {
        const size_t at = head->fortran ? d : n - 1 - d, before = head->fortran ? d - 1 : n - d;
        steps[at] = steps[before] * head->shape[before];
    }
    for (size_t k = 0; k < 3; k++) {
        extents[k] = axis[k] < 3 ? head->shape[axis[k]] : 1;
        strides[k] = axis[k] < 3 ? steps[axis[k]] : 0;
    }
}

// Parses the header and checks it against the file's size.
static ww_status open_array(const wwi_text *text, npy_header *head, const char **data) {
    memset(head, 0, sizeof *head);
    if (!wwi_is_npy(text))
        return wwi_fail(WW_ERROR_FORMAT, "%s: not a .npy file", text->name);
    WWI_TRY(parse_header(text, head, data));
    if (head->dimensions == 0) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "%s: a single number, not a series", text->name);
        return wwi_fail_hint("readable are (series, time) and (series, channel, time)");
    }
    if (head->elements == 0)
        return wwi_fail(WW_ERROR_EMPTY, "%s: the array has no elements", text->name);
    // Checked against the file's size before anything is allocated: a damaged header may have any size.
    const uint64_t there = (uint64_t)(text->bytes + text->size - *data);
    uint64_t wanted;
    if (!wwi_mul_u64(head->elements, head->bytes, &wanted) || wanted > there)
        return wwi_fail(WW_ERROR_FORMAT,
                        "%s: truncated .npy file: its header promises %llu elements of %zu bytes, %llu bytes are there",
                        text->name, (unsigned long long)head->elements, head->bytes, (unsigned long long)there);
    if (wanted < there)
        return wwi_fail(WW_ERROR_FORMAT, "%s: damaged .npy file: %llu bytes too many", text->name,
                        (unsigned long long)(there - wanted));
    return WW_OK;
}

ww_status wwi_npy_matrix(const wwi_text *text, size_t *rows, size_t *columns, ww_precision *precision, void **values) {
    npy_header head;
    const char *data = NULL;
    *values = NULL;
    WWI_TRY(open_array(text, &head, &data));
    if (head.dimensions != 1 && head.dimensions != 2) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "%s: the array has %zu dimensions", text->name, head.dimensions);
        return wwi_fail_hint("points are (point, coordinate)");
    }
    const bool single = head.kind == 'f' ? head.bytes <= 4 : head.bytes <= 2;
    *rows = (size_t)head.shape[0];
    *columns = head.dimensions == 1 ? 1 : (size_t)head.shape[1]; // ids, classes, values: a number a point
    *precision = single ? WW_FLOAT : WW_DOUBLE;
    uint64_t bytes;
    if (!wwi_mul_u64(head.elements, single ? sizeof(float) : sizeof(double), &bytes) || bytes > SIZE_MAX)
        return wwi_fail(WW_ERROR_OVERFLOW, "%s: too many values", text->name);
    if (!(*values = malloc((size_t)bytes)))
        return wwi_fail_memory(bytes);
    if (!head.fortran && !head.swapped && head.kind == 'f' && head.bytes > 2) {
        memcpy(*values, data, (size_t)bytes);
        return WW_OK;
    }
    for (size_t i = 0; i < *rows; i++) {
        WWI_TRY(wwi_interrupted());
        for (size_t j = 0; j < *columns; j++) {
            const double x = element(&head, data + (head.fortran ? j * *rows + i : i * *columns + j) * head.bytes);
            wwi_set_value(*values, *precision, i * *columns + j, x);
        }
    }
    return WW_OK;
}

ww_status wwi_npy_narrow(const wwi_text *text, size_t *rows, size_t *columns, ww_precision *precision,
                         ww_element *element, void **values) {
    npy_header head;
    const char *data = NULL;
    WWI_FREES unsigned char *narrow = NULL;
    *values = NULL;
    WWI_TRY(open_array(text, &head, &data));
    *element = head.kind == 'f' && head.bytes == 2   ? WW_ELEMENT_FLOAT16
               : head.kind == 'u' && head.bytes == 1 ? WW_ELEMENT_UINT8
               : head.kind == 'i' && head.bytes == 1 ? WW_ELEMENT_INT8
                                                     : WW_ELEMENT_PRECISION;
    if (*element == WW_ELEMENT_PRECISION || head.dimensions != 2)
        return wwi_npy_matrix(text, rows, columns, precision, values);
    *rows = (size_t)head.shape[0];
    *columns = (size_t)head.shape[1];
    *precision = WW_FLOAT;
    WWI_TRY(wwi_new(narrow, *rows * *columns * head.bytes));
    for (size_t i = 0; i < *rows; i++) {
        WWI_TRY(wwi_interrupted());
        for (size_t j = 0; j < *columns; j++) {
            const char *from = data + (head.fortran ? j * *rows + i : i * *columns + j) * head.bytes;
            unsigned char *to = narrow + (i * *columns + j) * head.bytes;
            to[0] = (unsigned char)from[head.swapped ? head.bytes - 1 : 0];
            if (head.bytes == 2)
                to[1] = (unsigned char)from[head.swapped ? 0 : 1];
        }
    }
    *values = wwi_taken(&narrow);
    return WW_OK;
}

// `n` elements that are `stride` apart.
static ww_status read_channel(const npy_header *head, const char *data, uint64_t stride, uint64_t n, double *to) {
    for (uint64_t t = 0; t < n; t++) {
        if (t % WWI_INTERRUPTED == 0)
            WWI_TRY(wwi_interrupted());
        to[t] = element(head, data + t * stride * head->bytes);
    }
    return WW_OK;
}

ww_status wwi_read_npy(const wwi_text *text, ww_axes axes, ww_rows rows, ww_series_set **set) {
    npy_header head;
    const char *data = NULL;
    WWI_FREES double *series = NULL;
    WWI_TRY(open_array(text, &head, &data));
    uint64_t extents[3], strides[3];
    if (head.dimensions == 3)
        axes = choose_axes(&head, text->notes, axes);
    else if (head.dimensions == 2)
        rows = choose_rows(&head, text->notes, rows);
    strides_of(&head, axes, rows, extents, strides);
    WWI_TRY(ww_series_set_create((size_t)extents[1], set));
    WWI_TRY(wwi_new(series, (size_t)(extents[1] * extents[2])));
    for (uint64_t i = 0; i < extents[0]; i++) {
        for (uint64_t c = 0; c < extents[1]; c++)
            WWI_TRY(read_channel(&head, data + (i * strides[0] + c * strides[1]) * head.bytes, strides[2], extents[2],
                                 series + c * extents[2]));
        WWI_TRY(ww_series_set_add(*set, (size_t)extents[2], series, NULL));
    }
    return WW_OK;
}
