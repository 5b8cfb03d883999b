// SPDX-License-Identifier: Apache-2.0
// A caller's text in OpenCL C as the compiler's tokens, and which names it may use. What may stand where is in
// user_text.c, how large it becomes in user_size.c.
#ifndef WAVEWARP_USER_TOKENS_H
#define WAVEWARP_USER_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <wavewarp/status.h>

// END: the text's. LINE: the end of a directive's line; other line ends are no tokens.
typedef enum wwi_token_kind { WWI_END, WWI_NAME, WWI_NUMBER, WWI_SIGN, WWI_DIRECTIVE, WWI_LINE } wwi_token_kind;

enum { WWI_NO_NAME = -1 };

typedef struct wwi_token {
    wwi_token_kind kind;
    const char *begin;
    size_t size;
    int own;       // of a name: which of the text's own functions and macros it is, or WWI_NO_NAME
    int parameter; // of a name in a macro's body: which of the macro's parameters it is, or WWI_NO_NAME
} wwi_token;

typedef struct wwi_tokens {
    const char *name, *text; // the name is for messages
    bool expression;         // no directives
    wwi_token *items;
    size_t count, capacity;
} wwi_tokens;

// Reads the whole text; the last token is WWI_END. The caller frees `items`, also after an error.
ww_status wwi_user_tokens_read(wwi_tokens *t);

// The error that refuses a token, with its line.
ww_status wwi_user_refuse(const wwi_tokens *t, const wwi_token *at, const char *what);

bool wwi_token_is(const wwi_token *t, const char *text);
#define WWI_NAMES(names) (names), sizeof(names) / sizeof *(names)
bool wwi_token_is_among(const wwi_token *t, const char *const *texts, size_t count);

// ---- names (user_names.c)

bool wwi_name_is_type(const wwi_token *t);      // a number, a vector of numbers, a point
bool wwi_name_is_statement(const wwi_token *t); // if, return, ...
bool wwi_name_is_specifier(const wwi_token *t); // static, inline: of a function
bool wwi_name_is_control(const wwi_token *t);   // if, for, while, switch: with a bracket behind it
bool wwi_name_is_function(const wwi_token *t);  // OpenCL's functions and constants of numbers
bool wwi_name_is_library(const wwi_token *t);   // what a recurrence may use of the library
bool wwi_name_is_member(const wwi_token *t);    // behind a dot
bool wwi_name_is_cell(const wwi_token *t);      // a function that the library calls: the text defines it
bool wwi_name_is_switch(const wwi_token *t);    // a macro that the library reads: the text defines it
bool wwi_name_is_flag(const wwi_token *t);      // such a macro without a value
// What no text may declare: words of the language, what reaches memory, work-items or the compiler, the library's
// names.
bool wwi_name_is_reserved(const wwi_token *t);

// ---- size (user_size.c)

// One of the text's own functions and macros. Its number is its rank: what it is made of has lower ranks.
typedef enum wwi_own_kind { WWI_VALUE, WWI_FUNCTION, WWI_MACRO } wwi_own_kind;
typedef struct wwi_own {
    wwi_token name;
    wwi_own_kind kind;
    bool takes_arguments, has_value; // of a macro
    size_t parameters;
    size_t weight; // tokens that a use becomes, without the arguments
    size_t copies; // how often an argument is repeated in that
} wwi_own;

// The tokens of a function or of a macro's value.
typedef struct wwi_body {
    size_t begin, end;
    int owner;
} wwi_body;

// Refuses what becomes too large when macros are expanded and functions are inlined.
ww_status wwi_user_size_check(const wwi_tokens *t, wwi_own *own, size_t own_count, const wwi_body *bodies,
                              size_t body_count);

#endif
