// SPDX-License-Identifier: Apache-2.0
// The names that a caller's text in OpenCL C may use, and those that it must not give to its own functions, macros and
// variables. What is granted is a list; a name on neither list is the text's own once it declares it.
#include <ctype.h>
#include <string.h>

#include "measure/user_tokens.h"

static const char *const types[] = {"real",  "ww_scalar", "ww_point", "ww_pair", "ww_entries", "int",   "uint",
                                    "long",  "ulong",     "short",    "ushort",  "char",       "uchar", "bool",
                                    "float", "double",    "void",     "const",   "unsigned",   "signed"};
static const char *const statements[] = {"if",    "else",     "for",    "while", "do",     "return",
                                         "break", "continue", "switch", "case",  "default"};
static const char *const controls[] = {"if", "for", "while", "switch"};
static const char *const specifiers[] = {"inline", "static", "WW_INLINE"};
static const char *const functions[] = {
    "acos",       "acosh",          "acospi",       "asin",          "asinh",    "asinpi",  "atan",
    "atan2",      "atanh",          "atanpi",       "atan2pi",       "cbrt",     "ceil",    "copysign",
    "cos",        "cosh",           "cospi",        "erf",           "erfc",     "exp",     "exp2",
    "exp10",      "expm1",          "fabs",         "fdim",          "floor",    "fma",     "fmax",
    "fmin",       "fmod",           "hypot",        "ldexp",         "log",      "log2",    "log10",
    "log1p",      "logb",           "mad",          "maxmag",        "minmag",   "pow",     "pown",
    "powr",       "remainder",      "rint",         "rootn",         "round",    "rsqrt",   "sin",
    "sinh",       "sinpi",          "sqrt",         "tan",           "tanh",     "tanpi",   "tgamma",
    "lgamma",     "trunc",          "clamp",        "max",           "min",      "mix",     "step",
    "smoothstep", "sign",           "abs",          "abs_diff",      "radians",  "degrees", "isequal",
    "isnotequal", "isgreater",      "isless",       "isfinite",      "isinf",    "isnan",   "isnormal",
    "signbit",    "isgreaterequal", "islessequal",  "any",           "all",      "select",  "native_exp",
    "native_log", "native_sqrt",    "native_recip", "native_divide", "INFINITY", "M_PI",    "M_E",
    "M_PI_F",     "M_E_F",          "true",         "false"};
static const char *const library[] = {
    "ww_cost",    "WW_AT",       "WW_INF",     "WW_CHANNELS", "ww_entries_of",   "ww_min",   "ww_min2",
    "ww_min3",    "ww_max2",     "ww_max3",    "ww_exp2",     "lengths",         "rows",     "columns",
    "ww_max",     "ww_least",    "ww_lesser",  "ww_greater",  "ww_unit_product", "ww_recip", "ww_exp",
    "ww_at_most", "ww_add_cost", "ww_real_of", "WWK_DOUBLE",  "WW_VECTOR"};
static const char *const library_prefixes[] = {"WW_P_", "WW_L_", "WW_I_"};
static const char *const members[] = {"x", "y", "z", "w", "lo", "hi", "even", "odd", "left", "up", "diagonal"};
static const char *const cells[] = {"ww_user_cell", "ww_user_enter", "ww_user_node",
                                    "ww_user_left", "ww_user_top",   "ww_user_final"};
static const char *const flags[] = {"WW_USER_BEFORE", "WW_USER_ENTER", "WW_USER_BORDERS", "WW_USER_FINAL"};
static const char *const values[] = {"WW_USER_OPEN_BORDER", "WW_USER_OUTSIDE"};

// Words of C, of OpenCL C in every version, and of compilers' own extensions that do not begin with '_'.
static const char *const words[] = {
    "asm",     "auto",      "complex",    "constant",  "defined",       "enum",          "extern",  "generic",
    "global",  "goto",      "half",       "imaginary", "kernel",        "local",         "pipe",    "private",
    "quad",    "read_only", "read_write", "register",  "restrict",      "sizeof",        "struct",  "typedef",
    "typeof",  "uniform",   "union",      "volatile",  "write_only",    "event",         "sampler", "thread_local",
    "nullptr", "alignas",   "alignof",    "constexpr", "static_assert", "typeof_unqual", "NULL"};
// Types by their last letters; what reaches memory, work-items, files or the compiler by the first.
static const char *const reserved_prefixes[] = {
    "_",          "ww_",         "wwi_",      "wwk_",       "wwt_",   "WW_",      "WWI_",     "WWK_",       "WWT_",
    "get_",       "vload",       "vstore",    "atomic",     "atom_",  "async_",   "memory_",  "work_group", "sub_group",
    "intel_",     "amd_",        "nv_",       "arm_",       "qcom_",  "khr_",     "cl_",      "CL_",        "clk_",
    "CLK_",       "enqueue_",    "include",   "barrier",    "printf", "pragma",   "image1d",  "image2d",    "image3d",
    "read_image", "write_image", "read_pipe", "write_pipe", "as_",    "convert_", "prefetch", "ndrange",    "FLT_",
    "DBL_",       "HALF_",       "INT_",      "UINT_",      "LONG_",  "ULONG_",   "CHAR_",    "UCHAR_",     "SCHAR_",
    "SHRT_",      "USHRT_",      "M_"};
static const char *const reserved_names[] = {"INFINITY",          "NAN",
                                             "MAXFLOAT",          "HUGE_VALF",
                                             "HUGE_VAL",          "mem_fence",
                                             "read_mem_fence",    "write_mem_fence",
                                             "wait_group_events", "to_global",
                                             "to_local",          "to_private",
                                             "vec_step",          "set_user_event_status",
                                             "create_user_event", "retain_event",
                                             "release_event",     "capture_event_profiling_info",
                                             "is_valid_event",    "is_valid_reserve_id"};

#define IS_AMONG(t, list) wwi_token_is_among((t), WWI_NAMES(list))

static bool has_prefix(const wwi_token *t, const char *const *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (t->size >= strlen(list[i]) && memcmp(t->begin, list[i], strlen(list[i])) == 0)
            return true;
    return false;
}
#define HAS_PREFIX(t, list) has_prefix((t), WWI_NAMES(list))

// The name without the number of elements behind it.
static wwi_token without_digits(const wwi_token *t) {
    wwi_token plain = *t;
    while (plain.size > 1 && isdigit((unsigned char)plain.begin[plain.size - 1]))
        plain.size--;
    return plain;
}

bool wwi_name_is_type(const wwi_token *t) {
    const wwi_token plain = without_digits(t);
    return IS_AMONG(&plain, types);
}

bool wwi_name_is_statement(const wwi_token *t) {
    return IS_AMONG(t, statements);
}

bool wwi_name_is_specifier(const wwi_token *t) {
    return IS_AMONG(t, specifiers);
}

bool wwi_name_is_control(const wwi_token *t) {
    return IS_AMONG(t, controls);
}

bool wwi_name_is_function(const wwi_token *t) {
    static const char *const conversions[] = {"convert_"};
    return IS_AMONG(t, functions) || HAS_PREFIX(t, conversions);
}

bool wwi_name_is_library(const wwi_token *t) {
    return IS_AMONG(t, library) || HAS_PREFIX(t, library_prefixes);
}

bool wwi_name_is_member(const wwi_token *t) {
    return IS_AMONG(t, members) || (t->size == 2 && *t->begin == 's');
}

bool wwi_name_is_cell(const wwi_token *t) {
    return IS_AMONG(t, cells);
}

bool wwi_name_is_switch(const wwi_token *t) {
    return IS_AMONG(t, flags) || IS_AMONG(t, values);
}

bool wwi_name_is_flag(const wwi_token *t) {
    return IS_AMONG(t, flags);
}

bool wwi_name_is_reserved(const wwi_token *t) {
    const wwi_token plain = without_digits(t);
    return HAS_PREFIX(t, reserved_prefixes) || IS_AMONG(&plain, words) || IS_AMONG(t, reserved_names) ||
           IS_AMONG(t, statements) || IS_AMONG(t, specifiers) ||
           (t->size > 2 && memcmp(t->begin + t->size - 2, "_t", 2) == 0);
}
