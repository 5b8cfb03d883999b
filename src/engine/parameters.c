// SPDX-License-Identifier: Apache-2.0
// The measure's parameters as values of a launch and as names of a program.
#include "engine/parameters.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "data/dataset.h"
#include "measure/measure_table.h"

typedef struct writer {
    wwi_parameters *to;
    bool is_double;
    size_t at, names, values;
    char name[1024];
} writer;

static void __attribute__((format(printf, 2, 3))) write_text(writer *w, const char *format, ...) {
    va_list list;
    va_start(list, format);
    w->at += (size_t)vsnprintf(w->to->text + w->at, sizeof w->to->text - w->at, format, list);
    va_end(list);
}

static void add_value(writer *w, const char *name, const char *suffix, double value) {
    w->names +=
        (size_t)snprintf(w->name + w->names, sizeof w->name - w->names, "%s%s%s", w->values ? ", " : "", name, suffix);
    if (w->is_double)
        w->to->values.f64[w->values++] = value;
    else
        w->to->values.f32[w->values++] = (float)value;
}

// What float loses of a value.
static float lost(double value) {
    return (float)(value - (double)(float)value);
}

// The value as text, by its bits.
static void write_fixed(writer *w, const char *name, double value) {
    const bool whole = value == floor(value) && fabs(value) < 1e6;
    const float narrow = (float)value, rest = lost(value);
    uint64_t bits;
    uint32_t narrow_bits, rest_bits;
    memcpy(&bits, &value, sizeof bits);
    memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
    memcpy(&rest_bits, &rest, sizeof rest_bits);
    if (w->is_double)
        write_text(w, "#define WW_P_%s as_double(0x%016" PRIx64 "ul)\n#define WW_L_%s 0\n", name, bits, name);
    else
        write_text(w, "#define WW_P_%s as_float(0x%08" PRIx32 "u)\n#define WW_L_%s as_float(0x%08" PRIx32 "u)\n", name,
                   narrow_bits, name, rest_bits);
    write_text(w, "#define WW_I_%s %d\n", name, whole ? (int)value : 0);
}

// ---- a user's text

static bool is_of_name(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Behind the comment or literal that begins here; the same place where none does.
static const char *skip_unread(const char *at) {
    if (at[0] == '/' && at[1] == '/') {
        at += strcspn(at, "\n");
    } else if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        at = end ? end + 2 : at + strlen(at);
    } else if (at[0] == '"' || at[0] == '\'') {
        const char quote = *at++;
        while (*at && *at != quote)
            at += at[0] == '\\' && at[1] ? 2 : 1;
        at += *at != '\0';
    }
    return at;
}

// Number of a function that the library calls, FUNCTIONS for other names.
enum { FUNCTIONS = 6 };
static size_t function_of(const char *name, size_t length) {
    static const char *const functions[FUNCTIONS] = {"ww_user_cell", "ww_user_enter", "ww_user_node",
                                                     "ww_user_left", "ww_user_top",   "ww_user_final"};
    size_t i = 0;
    while (i < FUNCTIONS && (strlen(functions[i]) != length || strncmp(functions[i], name, length) != 0))
        i++;
    return i;
}

// Whether a user's text can take its parameters with the launch (kernels_cl/recurrence/user_parameters.cl): only the
// functions that the library calls use them, and each of these is named once. *before: these take the points before.
static bool text_fits(const char *text, bool *before) {
    unsigned named[FUNCTIONS + 1] = {0}, depth = 0;
    bool inside = false; // of such a function, or between its name and its body
    bool conditions = false;
    *before = false;
    for (const char *at = text; *at;) {
        const char *behind = skip_unread(at);
        if (behind != at) {
            at = behind;
            continue;
        }
        size_t length = 0;
        while (is_of_name(at[length]))
            length++;
        if (length == 0) {
            depth += *at == '{';
            if (*at == '}' && depth > 0 && --depth == 0)
                inside = false;
            at++;
            continue;
        }
        *before = *before || (length == strlen("WW_USER_BEFORE") && strncmp(at, "WW_USER_BEFORE", length) == 0);
        conditions = conditions || (length >= 2 && strncmp(at, "if", 2) == 0 && depth == 0);
        const size_t function = function_of(at, length);
        if (function < FUNCTIONS) {
            if (depth > 0 || named[function]++)
                return false;
            inside = true;
        } else if (strncmp(at, "WW_I_", 5) == 0 ||
                   ((strncmp(at, "WW_P_", 5) == 0 || strncmp(at, "WW_L_", 5) == 0) && !(inside && depth > 0))) {
            return false;
        }
        at += length;
    }
    // A condition may decide what the functions take.
    return !(*before && conditions);
}

void wwi_parameters_make(const ww_measure *measure, ww_precision precision, wwi_parameters *parameters) {
    const ww_measure_info *info = &wwi_measure_row_by_id(measure->id)->info;
    bool before = false;
    const bool fixed = wwi_measure_has(measure, WWI_MEASURE_OF_TEXT) && !text_fits(measure->recurrence, &before);
    writer w = {.to = parameters, .is_double = precision == WW_DOUBLE};
    memset(parameters, 0, sizeof *parameters);
    parameters->fixed = fixed;
    for (size_t i = 0; i < info->parameter_count; i++) {
        const char *name = info->parameters[i].name;
        const double value = measure->parameters[i];
        int form;
        if (wwi_measure_form(measure, i, &form))
            write_text(&w, "#define WW_I_%s %d\n", name, form);
        if (fixed)
            write_fixed(&w, name, value);
        if (fixed || info->parameters[i].is_switch)
            continue;
        add_value(&w, name, "", value);
        if (!w.is_double)
            add_value(&w, name, "_lost", (double)lost(value));
    }
    if (wwi_measure_is_soft(measure)) {
        // log2(e)/gamma and 1 over it.
        const double unit = measure->gamma * 0.69314718055994530942;
        add_value(&w, "soft_scale", "", 1 / unit);
        add_value(&w, "soft_unit", "", unit);
    }
    if (w.values)
        write_text(&w, "#define WW_PARAMETERS %s\n", w.name);
    if (before)
        write_text(&w, "#define WW_USER_POINTS_BEFORE 1\n");
    parameters->bytes = w.values * wwi_precision_bytes(precision);
}
