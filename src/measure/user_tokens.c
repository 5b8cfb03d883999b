// SPDX-License-Identifier: Apache-2.0
// A caller's text as tokens. What compilers read differently, or what changes where lines and comments end, is refused
// first; what is left has one reading.
#include "measure/user_tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "host.h"

enum { SHOWN = 40, MOST_TOKENS = 1 << 15 };

typedef struct reader {
    wwi_tokens *tokens;
    const char *at;
    bool line_begins;  // only blanks and comments before it in its line
    bool in_directive; // until the line's end
} reader;

bool wwi_token_is(const wwi_token *t, const char *text) {
    return strlen(text) == t->size && memcmp(t->begin, text, t->size) == 0;
}

bool wwi_token_is_among(const wwi_token *t, const char *const *texts, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (wwi_token_is(t, texts[i]))
            return true;
    return false;
}

ww_status wwi_user_refuse(const wwi_tokens *t, const wwi_token *at, const char *what) {
    size_t line = 1;
    for (const char *c = t->text; c < at->begin; c++)
        line += *c == '\n';
    const int shown = at->size < SHOWN ? (int)at->size : SHOWN;
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%.200s:%zu: '%.*s': %s", t->name, line, shown, at->begin, what);
    return wwi_fail_hint("it computes a value from values and nothing else; docs/kernels.md names what it may use");
}

static ww_status refuse(const reader *r, const char *at, size_t size, const char *what) {
    const wwi_token t = {.begin = at, .size = size};
    return wwi_user_refuse(r->tokens, &t, what);
}

// The phases of translation before tokens: three characters that stand for one, continued lines, and characters that
// end a line for some compilers. Also in comments, where they would move the comment's end.
static ww_status check_characters(const reader *r) {
    for (const char *at = r->tokens->text; *at; at++) {
        if (at[0] == '?' && at[1] == '?' && at[2] && strchr("=/'()!<>-", at[2]))
            return refuse(r, at, 3, "a trigraph");
        if (*at == '\\') {
            const size_t blanks = strspn(at + 1, " \t\r\v\f");
            if (at[1 + blanks] == '\n' || at[1 + blanks] == '\0')
                return refuse(r, at, 1, "a continued line");
        }
        if (*at == '\r' && at[1] != '\n')
            return refuse(r, at, 0, "a carriage return that is not followed by a line feed");
        if (((unsigned char)*at < ' ' && !strchr("\t\n\r", *at)) || *at == 0x7F)
            return refuse(r, at, 0, "a control character");
    }
    return WW_OK;
}

static bool is_name_start(char c) {
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_name_part(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static ww_status add(reader *r, wwi_token_kind kind, const char *begin, size_t size) {
    wwi_tokens *t = r->tokens;
    if (t->count == MOST_TOKENS)
        return refuse(r, begin, size, "the text is too long");
    WWI_TRY(wwi_grow(&t->items, &t->capacity, t->count + 1, sizeof *t->items));
    t->items[t->count++] = (wwi_token){kind, begin, size, WWI_NO_NAME, WWI_NO_NAME};
    return WW_OK;
}

// Blanks and comments. A comment counts as a blank, so lines within it end nothing.
static ww_status skip(reader *r) {
    for (;;) {
        if (*r->at == '\n') {
            if (r->in_directive) {
                r->in_directive = false;
                WWI_TRY(add(r, WWI_LINE, r->at, 0));
            }
            r->line_begins = true;
        }
        if (*r->at && strchr(" \t\r\n", *r->at)) {
            r->at++;
        } else if (r->at[0] == '/' && r->at[1] == '/') {
            r->at += strcspn(r->at, "\n");
        } else if (r->at[0] == '/' && r->at[1] == '*') {
            const char *close = strstr(r->at + 2, "*/");
            if (!close)
                return refuse(r, r->at, 2, "a comment that does not end");
            r->at = close + 2;
        } else {
            return WW_OK;
        }
    }
}

// Signs of two characters that count as one, or that stand for others.
static ww_status take_sign(reader *r) {
    static const char *const pairs[] = {"++", "--", "<=", ">=", "==", "!=", "&&", "||", "<<",
                                        ">>", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
    static const char *const refused[] = {"->", "##", "%:", "<:", ":>", "<%", "%>", "??"};
    const char *begin = r->at;
    const wwi_token both = {.begin = begin, .size = begin[1] ? 2 : 1};
    if (wwi_token_is_among(&both, WWI_NAMES(refused)))
        return wwi_user_refuse(r->tokens, &both, "not allowed");
    if (!strchr("+-*/%<>=!&|^~?:;,.(){}", *begin))
        return refuse(r, begin, 1, "not allowed");
    r->at += wwi_token_is_among(&both, WWI_NAMES(pairs)) ? 2 : 1;
    return add(r, WWI_SIGN, begin, (size_t)(r->at - begin));
}

static ww_status take_directive(reader *r) {
    static const char *const allowed[] = {"define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif"};
    r->at++;
    while (*r->at == ' ' || *r->at == '\t')
        r->at++;
    const char *begin = r->at;
    while (is_name_part(*r->at))
        r->at++;
    const wwi_token name = {.begin = begin, .size = (size_t)(r->at - begin)};
    if (!wwi_token_is_among(&name, WWI_NAMES(allowed)))
        return wwi_user_refuse(r->tokens, &name, "a directive that is not allowed");
    r->in_directive = true;
    return add(r, WWI_DIRECTIVE, begin, name.size);
}

static ww_status take(reader *r) {
    const bool first = r->line_begins;
    const char *begin = r->at;
    r->line_begins = false;
    if (*begin == '#' && first && !r->tokens->expression)
        return take_directive(r);
    if (is_name_start(*begin)) {
        while (is_name_part(*r->at))
            r->at++;
        return add(r, WWI_NAME, begin, (size_t)(r->at - begin));
    }
    if (isdigit((unsigned char)*begin) || (*begin == '.' && isdigit((unsigned char)begin[1]))) {
        while (is_name_part(*r->at) || *r->at == '.' || ((*r->at == '+' || *r->at == '-') && strchr("eEpP", r->at[-1])))
            r->at++;
        return add(r, WWI_NUMBER, begin, (size_t)(r->at - begin));
    }
    return take_sign(r);
}

ww_status wwi_user_tokens_read(wwi_tokens *t) {
    reader r = {.tokens = t, .at = t->text, .line_begins = true};
    WWI_TRY(check_characters(&r));
    WWI_TRY(skip(&r));
    while (*r.at) {
        WWI_TRY(take(&r));
        WWI_TRY(skip(&r));
    }
    if (r.in_directive)
        WWI_TRY(add(&r, WWI_LINE, r.at, 0));
    return add(&r, WWI_END, r.at, 0);
}
