// SPDX-License-Identifier: Apache-2.0
// A caller's text in OpenCL C is compiled with the kernels: this reads it first, token by token, and lets pass only
// what computes a value from values. What is granted is a list; anything else is refused.
#include "measure/user_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "host.h"

enum { DEEPEST = 64, SHOWN = 40 };

static const char *const types[] = {"real",  "ww_scalar", "ww_point", "ww_pair", "ww_entries", "int",   "uint",
                                    "long",  "ulong",     "short",    "ushort",  "char",       "uchar", "bool",
                                    "float", "double",    "void",     "const",   "unsigned",   "signed"};
static const char *const statements[] = {"if",     "else",      "for",     "while", "do",      "return",
                                         "break",  "continue",  "switch",  "case",  "default", "inline",
                                         "static", "WW_INLINE", "defined", "true",  "false"};
// Functions and constants of numbers.
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
    "M_PI_F",     "M_E_F"};
static const char *const recurrence_names[] = {
    "ww_cost",    "WW_AT",       "WW_INF",     "WW_CHANNELS", "ww_entries_of",   "ww_min",   "ww_min2",
    "ww_min3",    "ww_max2",     "ww_max3",    "ww_exp2",     "lengths",         "rows",     "columns",
    "ww_max",     "ww_least",    "ww_lesser",  "ww_greater",  "ww_unit_product", "ww_recip", "ww_exp",
    "ww_at_most", "ww_add_cost", "ww_real_of", "WWK_DOUBLE",  "WW_VECTOR"};
static const char *const members[] = {"x", "y", "z", "w", "lo", "hi", "even", "odd", "left", "up", "diagonal"};

typedef struct word {
    const char *begin;
    size_t size;
} word;

typedef enum token_kind { END, NAME, NUMBER, SIGN, DIRECTIVE } token_kind;

typedef struct token {
    token_kind kind;
    word text;
} token;

typedef struct reader {
    const char *name, *text, *at;
    bool expression;
    bool line_begins; // only blanks before it in its line
    word *own;        // names that the text itself declares
    size_t own_count, own_capacity;
} reader;

static bool is(word a, const char *b) {
    return strlen(b) == a.size && memcmp(a.begin, b, a.size) == 0;
}

static bool is_among(word a, const char *const *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (is(a, list[i]))
            return true;
    return false;
}
#define IS_AMONG(a, list) is_among((a), (list), sizeof(list) / sizeof *(list))

// A type's name, with a number of elements behind it where it is of a vector.
static bool is_type(word a) {
    word plain = a;
    while (plain.size > 1 && isdigit((unsigned char)plain.begin[plain.size - 1]))
        plain.size--;
    return IS_AMONG(plain, types);
}

static ww_status fail(const reader *r, word at, const char *what) {
    size_t line = 1;
    for (const char *c = r->text; c < at.begin; c++)
        line += *c == '\n';
    const int shown = at.size < SHOWN ? (int)at.size : SHOWN;
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%.200s:%zu: '%.*s': %s", r->name, line, shown, at.begin, what);
    return wwi_fail_hint("it computes a value from values and nothing else; docs/kernels.md names what it may use");
}

static bool is_name_start(char c) {
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_name_part(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

// Blanks and comments.
static ww_status skip(reader *r) {
    for (;;) {
        if (*r->at == '\n')
            r->line_begins = true;
        if (isspace((unsigned char)*r->at)) {
            r->at++;
        } else if (r->at[0] == '/' && r->at[1] == '/') {
            r->at += strcspn(r->at, "\n");
        } else if (r->at[0] == '/' && r->at[1] == '*') {
            const char *close = strstr(r->at + 2, "*/");
            if (!close)
                return fail(r, (word){r->at, 2}, "a comment that does not end");
            r->at = close + 2;
        } else {
            return WW_OK;
        }
    }
}

// Signs of two characters that count as one, or that stand for others.
static ww_status take_sign(reader *r, token *t) {
    static const char *const pairs[] = {"++", "--", "<=", ">=", "==", "!=", "&&", "||", "<<",
                                        ">>", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
    static const char *const refused[] = {"->", "##", "%:", "<:", ":>", "<%", "%>", "??"};
    const word two = {r->at, r->at[1] ? 2 : 1};
    if (IS_AMONG(two, refused))
        return fail(r, two, "not allowed");
    *t = (token){SIGN, {r->at, IS_AMONG(two, pairs) ? 2 : 1}};
    if (!strchr("+-*/%<>=!&|^~?:;,.(){}", *r->at))
        return fail(r, (word){r->at, 1}, "not allowed");
    r->at += t->text.size;
    return WW_OK;
}

static ww_status next(reader *r, token *t) {
    const ww_status status = skip(r);
    if (status != WW_OK)
        return status;
    const bool first = r->line_begins;
    const char *begin = r->at;
    r->line_begins = false;
    if (!*begin) {
        *t = (token){END, {begin, 0}};
    } else if (*begin == '#' && first && !r->expression) {
        r->at++;
        while (*r->at == ' ' || *r->at == '\t')
            r->at++;
        const char *directive = r->at;
        while (is_name_part(*r->at))
            r->at++;
        *t = (token){DIRECTIVE, {directive, (size_t)(r->at - directive)}};
    } else if (is_name_start(*begin)) {
        while (is_name_part(*r->at))
            r->at++;
        *t = (token){NAME, {begin, (size_t)(r->at - begin)}};
    } else if (isdigit((unsigned char)*begin) || (*begin == '.' && isdigit((unsigned char)begin[1]))) {
        while (is_name_part(*r->at) || *r->at == '.' || ((*r->at == '+' || *r->at == '-') && strchr("eEpP", r->at[-1])))
            r->at++;
        *t = (token){NUMBER, {begin, (size_t)(r->at - begin)}};
    } else {
        return take_sign(r, t);
    }
    return WW_OK;
}

static bool has_prefix(word a, const char *prefix) {
    return a.size >= strlen(prefix) && memcmp(a.begin, prefix, strlen(prefix)) == 0;
}

// A name that the text must not declare: elsewhere in the text it would be the function of OpenCL's again.
static bool is_reserved(word a) {
    static const char *const prefixes[] = {"__",       "get_",    "vload",      "vstore",    "atomic",
                                           "atom_",    "async_",  "work_group", "sub_group", "intel_",
                                           "enqueue_", "include", "barrier",    "printf",    "pragma"};
    static const char *const names[] = {"prefetch", "mem_fence", "read_mem_fence", "write_mem_fence",
                                        "wait_group_events"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (has_prefix(a, prefixes[i]))
            return true;
    return IS_AMONG(a, names);
}

static ww_status declare(reader *r, word name) {
    if (is_reserved(name))
        return fail(r, name, "no name for the text's own use");
    const ww_status status = wwi_grow(&r->own, &r->own_capacity, r->own_count + 1, sizeof *r->own);
    if (status == WW_OK)
        r->own[r->own_count++] = name;
    return status;
}

// A name of the text's own must not be one of OpenCL's or the library's.
static bool is_granted(const reader *r, word a) {
    if (is_type(a) || IS_AMONG(a, functions) || has_prefix(a, "convert_"))
        return true;
    if (r->expression)
        return is(a, "x") || is(a, "y");
    if (has_prefix(a, "WW_P_") || IS_AMONG(a, statements) || IS_AMONG(a, recurrence_names) ||
        has_prefix(a, "WW_USER_") || has_prefix(a, "ww_user_") || has_prefix(a, "WW_L_") || has_prefix(a, "WW_I_"))
        return true;
    for (size_t i = 0; i < r->own_count; i++)
        if (r->own[i].size == a.size && memcmp(r->own[i].begin, a.begin, a.size) == 0)
            return true;
    return false;
}

// What stands behind a value is a binary operator; in other places '*' and '&' are of pointers.
static bool is_value_end(const token *before, bool after_cast) {
    return before->kind == NUMBER ||
           (before->kind == NAME && !is_type(before->text) && !IS_AMONG(before->text, statements)) ||
           (before->kind == SIGN && is(before->text, ")") && !after_cast);
}

// The state of reading: the brackets that are open, and since where there are only types in them.
typedef struct brackets {
    char open[DEEPEST];
    bool only_types[DEEPEST], has_type[DEEPEST];
    size_t depth;
} brackets;

static ww_status take_bracket(const reader *r, const token *t, brackets *b, bool *closed_cast) {
    const char c = *t->text.begin;
    *closed_cast = false;
    if (c == '(' || c == '{') {
        if (b->depth == DEEPEST)
            return fail(r, t->text, "brackets too deep");
        b->open[b->depth] = c;
        b->has_type[b->depth] = false;
        b->only_types[b->depth++] = true;
    } else if (c == ')' || c == '}') {
        if (b->depth == 0 || b->open[b->depth - 1] != (c == ')' ? '(' : '{'))
            return fail(r, t->text, "closes no bracket");
        b->depth--;
        *closed_cast = b->only_types[b->depth] && b->has_type[b->depth];
    }
    return WW_OK;
}

// The names that a #define gives: its own and its arguments. The rest of its line is read as other text is.
static ww_status take_directive(reader *r, const token *t) {
    static const char *const allowed[] = {"define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif"};
    token part;
    if (!IS_AMONG(t->text, allowed))
        return fail(r, t->text, "a directive that is not allowed");
    if (!is(t->text, "define"))
        return WW_OK;
    ww_status status = next(r, &part);
    if (status != WW_OK || part.kind != NAME)
        return status != WW_OK ? status : fail(r, part.text, "not a name to define");
    status = declare(r, part.text);
    if (*r->at == '(') // arguments: no blank before the bracket
        for (const char *at = r->at + 1; status == WW_OK && *at && *at != ')' && *at != '\n';) {
            const char *begin = at;
            while (is_name_part(*at))
                at++;
            if (at > begin)
                status = declare(r, (word){begin, (size_t)(at - begin)});
            at += at == begin;
        }
    return status;
}

static ww_status check_sign(const reader *r, const token *t, const token *before, bool after_cast) {
    const word s = t->text;
    if ((is(s, "*") || is(s, "&")) && !is_value_end(before, after_cast))
        return fail(r, s, "a pointer");
    if (is(s, "&&") && !is_value_end(before, after_cast))
        return fail(r, s, "not allowed");
    const bool assigns =
        is(s, "=") || is(s, "++") || is(s, "--") || (s.size == 2 && s.begin[1] == '=' && !strchr("<>=!", s.begin[0]));
    if (r->expression && (assigns || is(s, ";") || is(s, "{") || is(s, "}")))
        return fail(r, s, "not part of an expression");
    return WW_OK;
}

// Declared are the names behind a type, and those behind commas in the same brackets up to the statement's end.
typedef struct declaration {
    bool is_open;
    size_t depth;
} declaration;

static ww_status take_name(reader *r, const token *t, const token *before, declaration *d, const brackets *b) {
    if (before->kind == SIGN && is(before->text, "."))
        return IS_AMONG(t->text, members) || (t->text.size == 2 && *t->text.begin == 's')
                   ? WW_OK
                   : fail(r, t->text, "no member that can be used");
    if (is_type(t->text)) {
        *d = (declaration){true, b->depth};
        return WW_OK;
    }
    const bool comma = before->kind == SIGN && is(before->text, ",");
    const bool declared = before->kind == NAME && is_type(before->text);
    const bool new_name = declared || (d->is_open && comma && d->depth == b->depth);
    // Behind the comma of a parameter list a name is used, unless a type precedes it.
    if (!r->expression && new_name && !is_granted(r, t->text))
        return declare(r, t->text);
    return is_granted(r, t->text) ? WW_OK : fail(r, t->text, "no name that it may use");
}

static ww_status check_all(reader *r) {
    ww_status status = WW_OK;
    token t = {SIGN, {r->text, 0}}, before = t;
    brackets b = {.depth = 0};
    declaration d = {false, 0};
    bool after_cast = false;
    while ((status = next(r, &t)) == WW_OK && t.kind != END) {
        bool closed_cast = false;
        if (t.kind == DIRECTIVE) {
            status = take_directive(r, &t);
            t = (token){SIGN, {";", 1}};
        } else if (t.kind == NAME) {
            status = take_name(r, &t, &before, &d, &b);
        } else if (t.kind == SIGN) {
            status = check_sign(r, &t, &before, after_cast);
            if (status == WW_OK)
                status = take_bracket(r, &t, &b, &closed_cast);
            if (strchr(";{}", *t.text.begin) || (*t.text.begin == ')' && b.depth < d.depth))
                d.is_open = false;
        }
        if (status != WW_OK)
            return status;
        const bool opens = t.kind == SIGN && (*t.text.begin == '(' || *t.text.begin == '{');
        const bool type = t.kind == NAME && is_type(t.text);
        if (b.depth > 0 && type)
            b.has_type[b.depth - 1] = true;
        else if (b.depth > 0 && !opens)
            b.only_types[b.depth - 1] = false;
        after_cast = closed_cast;
        before = t;
    }
    if (status == WW_OK && b.depth > 0)
        status = fail(r, (word){r->at, 0}, "a bracket is not closed");
    return status;
}

ww_status wwi_user_text_check(const char *name, const char *text, bool expression) {
    reader r = {.name = name, .text = text, .at = text, .expression = expression, .line_begins = true};
    const ww_status status = check_all(&r);
    free(r.own);
    return status;
}
