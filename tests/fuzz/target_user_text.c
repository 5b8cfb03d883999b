// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a caller's text in OpenCL C. What passes has one reading of its lines, its brackets in pairs, joins no
// tokens, names nothing that is not granted and has no directives but those allowed; an expression assigns nothing, and
// no macro is a word of the language or without capital letters.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "measure/user_text.h"

#define NAME_PARTS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"

// The text without its comments.
static void remove_comments(char *text) {
    char *to = text;
    for (const char *from = text; *from;) {
        if (from[0] == '/' && from[1] == '/') {
            from += strcspn(from, "\n");
        } else if (from[0] == '/' && from[1] == '*') {
            from = strstr(from + 2, "*/") + 2; // there is an end, or it would not have passed
            *to++ = ' ';
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
}

// No name of the compiler's or of OpenCL's work-items; what begins as a number may have any letters behind it.
static void check_names(const char *text) {
    static const char *const begins[] = {"__",     "get_global", "get_local", "get_group", "atomic_", "vload",
                                         "vstore", "barrier",    "printf",    "include",   "pragma"};
    for (const char *at = text; *at;) {
        if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]))) {
            while (strchr(NAME_PARTS ".", *at) ? *at != '\0' : (*at == '+' || *at == '-') && strchr("eEpP", at[-1]))
                at++;
            continue;
        }
        const size_t size = strspn(at, NAME_PARTS);
        for (size_t i = 0; i < sizeof begins / sizeof *begins && size; i++)
            WWT_REQUIRE(size < strlen(begins[i]) || memcmp(at, begins[i], strlen(begins[i])) != 0);
        at += size ? size : 1;
    }
}

// Before comments are taken away: no line goes on in the next, none ends at a carriage return alone.
static void check_lines(const char *text) {
    for (const char *at = text; *at; at++) {
        WWT_REQUIRE(*at != '\r' || at[1] == '\n');
        WWT_REQUIRE(*at != '\f' && *at != '\v');
        WWT_REQUIRE(*at != '\\' || (at[1] != '\n' && at[1] != '\0'));
        WWT_REQUIRE(strncmp(at, "?\?/", 3) != 0);
    }
}

// After comments are taken away.
static void check_directives(const char *text) {
    static const char *const allowed[] = {"define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif"};
    for (const char *at = text; (at = strchr(at, '#')) != NULL;) {
        at += 1 + strspn(at + 1, " \t");
        const size_t size = strspn(at, NAME_PARTS);
        bool found = false;
        for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
            found = found || (strlen(allowed[i]) == size && memcmp(allowed[i], at, size) == 0);
        WWT_REQUIRE(found);
        if (size != strlen("define") || memcmp(at, "define", size) != 0)
            continue;
        at += size + strspn(at + size, " \t");
        for (size_t i = strspn(at, NAME_PARTS); i > 0; i--)
            WWT_REQUIRE(!islower((unsigned char)at[i - 1]));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1)
        return 0;
    const bool expression = data[0] & 1;
    char *text = malloc(size);
    WWT_REQUIRE(text);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    const ww_status status = wwi_user_text_check("text", text, expression);
    wwt_fuzz_status(status);
    if (status == WW_OK) {
        check_lines(text);
        remove_comments(text);
        check_directives(text);
        long round = 0, curly = 0;
        for (const char *at = text; *at; at++) {
            round += (*at == '(') - (*at == ')');
            curly += (*at == '{') - (*at == '}');
            WWT_REQUIRE(round >= 0 && curly >= 0);
            WWT_REQUIRE(!strchr("[]\"'`@$\\", *at));
            WWT_REQUIRE(!expression || !strchr(";{}#", *at));
        }
        WWT_REQUIRE(round == 0 && curly == 0);
        WWT_REQUIRE(!strstr(text, "##") && !strstr(text, "??"));
        check_names(text);
    }
    free(text);
    return 0;
}
