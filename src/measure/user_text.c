// SPDX-License-Identifier: Apache-2.0
// A caller's text in OpenCL C is compiled with the kernels: this reads it first, token by token, and lets pass only
// what computes a value from values. What is granted is a list; anything else is refused.
//
// So that the tokens mean the same before and after the preprocessor: a macro is a value, as its arguments are, and a
// condition (#if) encloses whole statements or functions. So that no function is its own: a function or macro uses only
// those whose names stand above its own.
#include "measure/user_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "host.h"
#include "measure/user_tokens.h"

enum { DEEPEST = 64, MOST_NAMES = 512, MOST_PARAMETERS = 16 };

// An open bracket, and what was found in it so far.
typedef struct bracket {
    char sign;
    bool control;              // of if, for, while, switch
    bool only_types, has_type; // a cast
    int call;                  // the macro whose arguments it has, or WWI_NO_NAME
} bracket;

typedef struct reader {
    wwi_tokens tokens;
    size_t at; // the token that is read
    wwi_own *own;
    size_t own_count, own_capacity;
    wwi_body *bodies;
    size_t body_count, body_capacity;
    bracket open[DEEPEST];
    size_t depth;
    size_t conditions[DEEPEST], condition_depth; // brackets that were open at each #if
    int function;                                // whose declaration or body is read, or WWI_NO_NAME
    size_t function_begin;
    const wwi_token *parameters[MOST_PARAMETERS]; // of the macro that is read
    size_t parameter_count;
    bool in_macro;
    bool declares; // names behind commas at this depth are declared as the first one was
    size_t declares_depth;
    bool after_cast, after_control; // the bracket that was closed just before
} reader;

static void free_reader(reader *r) {
    free(r->tokens.items);
    free(r->own);
    free(r->bodies);
}

static const wwi_token nothing = {.kind = WWI_SIGN, .begin = ";", .size = 1};

static wwi_token *current(const reader *r) {
    return &r->tokens.items[r->at];
}

// The token before the current one; at the text's begin and behind a directive's line a statement's end.
static const wwi_token *before(const reader *r) {
    const wwi_token *t = r->at > 0 ? current(r) - 1 : &nothing;
    return t->kind == WWI_LINE ? &nothing : t;
}

static const wwi_token *next(const reader *r) {
    const wwi_token *t = current(r);
    return t->kind == WWI_END ? t : t + 1;
}

static bool is_sign(const wwi_token *t, const char *sign) {
    return t->kind == WWI_SIGN && wwi_token_is(t, sign);
}

static ww_status refuse(const reader *r, const char *what) {
    return wwi_user_refuse(&r->tokens, current(r), what);
}

static char innermost(const reader *r) {
    return r->depth ? r->open[r->depth - 1].sign : '\0';
}

static bool in_body(const reader *r) {
    return r->depth > 0 && r->open[0].sign == '{';
}

// ---- names

static int find_own(const reader *r, const wwi_token *t) {
    for (size_t i = 0; i < r->own_count; i++)
        if (r->own[i].name.size == t->size && memcmp(r->own[i].name.begin, t->begin, t->size) == 0)
            return (int)i;
    return WWI_NO_NAME;
}

// The current token becomes a name of the text's own; *number says which. A name means one thing.
static ww_status declare(reader *r, wwi_own_kind kind, int *number) {
    wwi_token *t = current(r);
    *number = find_own(r, t);
    if (*number != WWI_NO_NAME) {
        t->own = *number;
        return r->own[*number].kind == kind ? WW_OK : refuse(r, "the text uses this name for something else");
    }
    if (r->own_count == MOST_NAMES)
        return refuse(r, "too many names");
    WWI_TRY(wwi_grow(&r->own, &r->own_capacity, r->own_count + 1, sizeof *r->own));
    *number = t->own = (int)r->own_count;
    r->own[r->own_count++] = (wwi_own){.name = *t, .kind = kind};
    return WW_OK;
}

static bool is_granted(const wwi_token *t) {
    return wwi_name_is_type(t) || wwi_name_is_function(t) || wwi_name_is_library(t);
}

// Names of functions and macros: none that means something already.
static bool is_taken(const wwi_token *t) {
    return is_granted(t) || wwi_name_is_reserved(t);
}

static ww_status declare_variable(reader *r) {
    int number;
    if (wwi_name_is_reserved(current(r)))
        return refuse(r, "no name for the text's own use");
    // A variable may have the name of a function of numbers: it hides it where it is valid.
    if (is_granted(current(r)))
        return WW_OK;
    return declare(r, WWI_VALUE, &number);
}

static ww_status add_body(reader *r, size_t begin, size_t end, int owner) {
    WWI_TRY(wwi_grow(&r->bodies, &r->body_capacity, r->body_count + 1, sizeof *r->bodies));
    r->bodies[r->body_count++] = (wwi_body){begin, end, owner};
    return WW_OK;
}

// The use of a name of the text's own.
static ww_status use_own(reader *r, int number) {
    const wwi_own *own = &r->own[number];
    current(r)->own = number;
    if (own->kind == WWI_VALUE)
        return WW_OK;
    if (number == r->function)
        return refuse(r, "a function or macro that uses itself");
    if (number > r->function && r->function != WWI_NO_NAME)
        return refuse(r, "it stands below the name of what uses it: write it above");
    if (own->kind == WWI_FUNCTION)
        return WW_OK;
    if (!own->has_value)
        return refuse(r, "a macro without a value");
    if (own->takes_arguments && !is_sign(next(r), "("))
        return refuse(r, "a macro without its arguments");
    return WW_OK;
}

static int find_parameter(const reader *r, const wwi_token *t) {
    for (size_t i = 0; r->in_macro && i < r->parameter_count; i++)
        if (r->parameters[i]->size == t->size && memcmp(r->parameters[i]->begin, t->begin, t->size) == 0)
            return (int)i;
    return WWI_NO_NAME;
}

static ww_status use_name(reader *r) {
    wwi_token *t = current(r);
    if (is_sign(before(r), "."))
        return wwi_name_is_member(t) ? WW_OK : refuse(r, "no member that can be used");
    if (wwi_name_is_function(t))
        return WW_OK;
    if (r->tokens.expression)
        return wwi_token_is(t, "x") || wwi_token_is(t, "y") ? WW_OK : refuse(r, "no name that it may use");
    t->parameter = find_parameter(r, t);
    if (t->parameter != WWI_NO_NAME || wwi_name_is_library(t))
        return WW_OK;
    const int number = find_own(r, t);
    return number == WWI_NO_NAME ? refuse(r, "no name that it may use") : use_own(r, number);
}

static ww_status take_name(reader *r) {
    const wwi_token *t = current(r), *b = before(r);
    if (wwi_name_is_type(t)) {
        if (r->in_macro && r->depth == 0)
            return refuse(r, "a macro is a value: a type stands only in a cast");
        if (r->depth && r->open[r->depth - 1].call != WWI_NO_NAME)
            return refuse(r, "an argument of a macro is a value");
        r->declares = true;
        r->declares_depth = r->depth;
        return WW_OK;
    }
    if (wwi_name_is_statement(t) && !r->tokens.expression)
        return r->in_macro || innermost(r) != '{' ? refuse(r, "a statement must not stand here") : WW_OK;
    const bool declared = b->kind == WWI_NAME && wwi_name_is_type(b);
    const bool also = r->declares && r->declares_depth == r->depth && is_sign(b, ",");
    if ((declared || also) && !r->tokens.expression && !r->in_macro && in_body(r)) {
        if (is_sign(next(r), "("))
            return refuse(r, "a function must not be declared here");
        return declare_variable(r);
    }
    return use_name(r);
}

// ---- signs

// Whether a value ends here: what stands behind it is an operator of two values, in other places '*' and '&' are of
// pointers.
static bool is_value_end(const reader *r, const wwi_token *t) {
    return t->kind == WWI_NUMBER ||
           (t->kind == WWI_NAME && !wwi_name_is_type(t) && !wwi_name_is_statement(t) && !wwi_name_is_specifier(t)) ||
           (is_sign(t, ")") && !r->after_cast && !r->after_control);
}

static bool is_value_begin(const wwi_token *t) {
    return t->kind == WWI_NUMBER || (t->kind == WWI_NAME && !wwi_name_is_type(t)) || is_sign(t, "(") ||
           is_sign(t, "-") || is_sign(t, "+") || is_sign(t, "!") || is_sign(t, "~");
}

// What is assigned to: a variable or its member. Of a macro it is not known what it is.
static bool is_target(const reader *r, const wwi_token *t) {
    const int own = find_own(r, t);
    return t->kind == WWI_NAME && !wwi_name_is_type(t) && !wwi_name_is_library(t) &&
           (own == WWI_NO_NAME || r->own[own].kind == WWI_VALUE);
}

static ww_status check_sign(const reader *r) {
    const wwi_token *s = current(r);
    const bool two = s->size == 2 && s->begin[1] == '=' && !strchr("<>=!", s->begin[0]);
    const bool assigns = is_sign(s, "=") || is_sign(s, "++") || is_sign(s, "--") || two;
    const bool ends = is_sign(s, ";") || is_sign(s, "{") || is_sign(s, "}");
    if ((is_sign(s, "*") || is_sign(s, "&")) && !is_value_end(r, before(r)))
        return refuse(r, "a pointer");
    if ((is_sign(s, "&&") || is_sign(s, "^")) && !is_value_end(r, before(r)))
        return refuse(r, "not allowed");
    if (r->tokens.expression && (assigns || ends))
        return refuse(r, "not part of an expression");
    if (r->in_macro && (assigns || ends))
        return refuse(r, "a macro is a value");
    const bool steps = is_sign(s, "++") || is_sign(s, "--");
    if (assigns && !is_target(r, steps && !is_value_end(r, before(r)) ? next(r) : before(r)))
        return refuse(r, "assigns to what is no variable");
    return WW_OK;
}

// An argument of a macro ends here.
static ww_status end_argument(const reader *r, const bracket *b) {
    const wwi_token *t = before(r);
    if (r->own[b->call].parameters == 0 && is_sign(t, "(") && is_sign(current(r), ")"))
        return WW_OK;
    return is_value_end(r, t) ? WW_OK : refuse(r, "an argument of a macro is a value");
}

static ww_status begin_argument(const reader *r) {
    const wwi_token *t = next(r);
    return is_value_begin(t) || is_sign(t, ")") ? WW_OK : refuse(r, "an argument of a macro is a value");
}

static ww_status open_bracket(reader *r) {
    const wwi_token *t = current(r), *b = before(r);
    const bool curly = *t->begin == '{';
    if (r->depth == DEEPEST)
        return refuse(r, "brackets too deep");
    if (curly && r->depth && innermost(r) == '(' && !(is_sign(b, ")") && r->after_cast))
        return refuse(r, "a block must not stand here");
    const bool call = !curly && b->kind == WWI_NAME && b->own != WWI_NO_NAME && r->own[b->own].kind == WWI_MACRO &&
                      r->own[b->own].takes_arguments;
    if (!curly && b->kind == WWI_NAME && b->own != WWI_NO_NAME && r->own[b->own].kind == WWI_VALUE)
        return refuse(r, "what stands before it is no function");
    r->open[r->depth++] = (bracket){.sign = *t->begin,
                                    .control = b->kind == WWI_NAME && wwi_name_is_control(b),
                                    .only_types = true,
                                    .call = call ? b->own : WWI_NO_NAME};
    return call ? begin_argument(r) : WW_OK;
}

static ww_status close_bracket(reader *r) {
    if (r->depth == 0 || innermost(r) != (*current(r)->begin == ')' ? '(' : '{'))
        return refuse(r, "closes no bracket");
    const bracket *b = &r->open[r->depth - 1];
    const ww_status status = b->call != WWI_NO_NAME ? end_argument(r, b) : WW_OK;
    r->depth--;
    if (r->declares_depth > r->depth)
        r->declares = false;
    return status;
}

static ww_status take_sign(reader *r) {
    const wwi_token *s = current(r);
    WWI_TRY(check_sign(r));
    if (is_sign(s, "(") || is_sign(s, "{"))
        return open_bracket(r);
    if (is_sign(s, ")") || is_sign(s, "}"))
        return close_bracket(r);
    if (is_sign(s, ";"))
        r->declares = false;
    const bracket *b = r->depth ? &r->open[r->depth - 1] : NULL;
    if (!is_sign(s, ",") || !b || b->call == WWI_NO_NAME)
        return WW_OK;
    WWI_TRY(end_argument(r, b));
    return begin_argument(r);
}

// A name, number or sign where values and statements stand; then what it leaves for the next one.
static ww_status take_code(reader *r) {
    const wwi_token *t = current(r);
    const bool closes = is_sign(t, ")") || is_sign(t, "}");
    const bracket closed = closes && r->depth ? r->open[r->depth - 1] : (bracket){.sign = '\0'};
    const ww_status status = t->kind == WWI_NAME ? take_name(r) : t->kind == WWI_SIGN ? take_sign(r) : WW_OK;
    r->after_cast = closed.sign == '(' && closed.only_types && closed.has_type;
    r->after_control = closed.sign == '(' && closed.control;
    const bool opens = is_sign(t, "(") || is_sign(t, "{");
    bracket *b = r->depth ? &r->open[r->depth - 1] : NULL;
    if (b && t->kind == WWI_NAME && wwi_name_is_type(t))
        b->has_type = true;
    else if (b && !opens)
        b->only_types = false;
    return status;
}

// ---- outside of functions: there are functions only

static ww_status take_parameter(reader *r) {
    const wwi_token *t = current(r), *b = before(r);
    if (is_sign(t, ")") || is_sign(t, ","))
        return take_code(r);
    if (t->kind == WWI_NAME && wwi_name_is_type(t))
        return WW_OK;
    if (t->kind == WWI_NAME && b->kind == WWI_NAME && wwi_name_is_type(b))
        return declare_variable(r);
    return refuse(r, is_sign(t, "*") || is_sign(t, "&") ? "a pointer" : "not part of a function's declaration");
}

static ww_status declare_function(reader *r) {
    const wwi_token *t = current(r);
    if (!wwi_name_is_cell(t) && is_taken(t))
        return refuse(r, "no name for the text's own use");
    if (!is_sign(next(r), "("))
        return refuse(r, "outside of functions only functions can be defined");
    r->function_begin = r->at;
    return declare(r, WWI_FUNCTION, &r->function);
}

static ww_status take_outside(reader *r) {
    const wwi_token *t = current(r), *b = before(r);
    const bool named = b->kind == WWI_NAME && b->own != WWI_NO_NAME && r->function == b->own;
    if (t->kind == WWI_NAME && (wwi_name_is_type(t) || wwi_name_is_specifier(t)))
        return WW_OK;
    if (t->kind == WWI_NAME && b->kind == WWI_NAME && wwi_name_is_type(b))
        return declare_function(r);
    if ((is_sign(t, "(") && named) || (is_sign(t, "{") && is_sign(b, ")") && r->function != WWI_NO_NAME))
        return take_code(r);
    if (is_sign(t, ";") && is_sign(b, ")"))
        return refuse(r, "a function without its body");
    if (is_sign(t, ";") && is_sign(b, "}"))
        return WW_OK;
    if (is_sign(t, "*") || is_sign(t, "&"))
        return refuse(r, "a pointer");
    if (is_sign(t, ")") || is_sign(t, "}"))
        return refuse(r, "closes no bracket");
    return refuse(r, t->kind == WWI_NAME ? "no name that it may use here" : "must not stand outside of functions");
}

// ---- directives

// The parameters of a macro: names that are valid in it alone.
static ww_status take_parameters(reader *r) {
    do {
        r->at++;
        const wwi_token *t = current(r);
        if (r->parameter_count == 0 && is_sign(t, ")"))
            break;
        if (t->kind != WWI_NAME || is_taken(t))
            return refuse(r, "no name for a macro's argument");
        if (r->parameter_count == MOST_PARAMETERS)
            return refuse(r, "too many arguments");
        r->parameters[r->parameter_count++] = t;
        r->at++;
    } while (is_sign(current(r), ","));
    if (!is_sign(current(r), ")"))
        return refuse(r, "a macro's arguments are names and commas");
    r->at++;
    return WW_OK;
}

static bool has_small_letter(const wwi_token *t) {
    for (size_t i = 0; i < t->size; i++)
        if (t->begin[i] >= 'a' && t->begin[i] <= 'z')
            return true;
    return false;
}

// The macro's name and form. Defined again, it has the same form.
static ww_status declare_macro(reader *r, bool arguments, bool has_value) {
    int number;
    const wwi_token *t = current(r);
    if (!wwi_name_is_switch(t) && is_taken(t))
        return refuse(r, "no name for the text's own use");
    if (has_small_letter(t))
        return refuse(r, "a macro's name has capital letters only");
    const bool again = find_own(r, t) != WWI_NO_NAME;
    WWI_TRY(declare(r, WWI_MACRO, &number));
    wwi_own *own = &r->own[number];
    if (again && (own->takes_arguments != arguments || own->has_value != has_value))
        return refuse(r, "a macro defined again in another form");
    own->takes_arguments = arguments;
    own->has_value = has_value;
    return WW_OK;
}

// A macro's value up to the line's end.
static ww_status take_value(reader *r, int number) {
    const size_t begin = r->at;
    const wwi_token *first = current(r);
    r->after_cast = r->after_control = r->declares = false;
    if (first->kind != WWI_LINE && !is_value_begin(first))
        return refuse(r, "a macro is a value");
    r->in_macro = true;
    r->function = number;
    for (; current(r)->kind != WWI_LINE; r->at++)
        WWI_TRY(take_code(r));
    if (r->depth > 0)
        return refuse(r, "a bracket of a macro is not closed in it");
    if (r->at > begin && !is_value_end(r, current(r) - 1))
        return refuse(r, "a macro is a value: something is missing at its end");
    r->in_macro = false;
    r->function = WWI_NO_NAME;
    return add_body(r, begin, r->at, number);
}

static ww_status take_define(reader *r) {
    wwi_token *name = &r->tokens.items[++r->at];
    if (name->kind != WWI_NAME)
        return refuse(r, "not a name to define");
    if (r->depth > 0 || r->function != WWI_NO_NAME)
        return refuse(r, "a macro is defined outside of functions");
    const size_t at = r->at;
    const bool arguments = is_sign(name + 1, "(") && name[1].begin == name->begin + name->size;
    r->parameter_count = 0;
    r->at++;
    if (arguments)
        WWI_TRY(take_parameters(r));
    const size_t value = r->at;
    const bool has_value = current(r)->kind != WWI_LINE;
    r->at = at;
    if (arguments && !has_value)
        return refuse(r, "a macro with arguments and without a value");
    WWI_TRY(declare_macro(r, arguments, has_value));
    if (wwi_name_is_flag(name) && arguments)
        return refuse(r, "it takes no arguments");
    r->own[name->own].parameters = r->parameter_count;
    r->at = value;
    return take_value(r, name->own);
}

// A condition encloses whole statements or functions, so that those that are left fit together.
static ww_status take_condition(reader *r, const wwi_token *directive) {
    const bool opens =
        wwi_token_is(directive, "if") || wwi_token_is(directive, "ifdef") || wwi_token_is(directive, "ifndef");
    const wwi_token *b = before(r);
    if (!is_sign(b, ";") && !is_sign(b, "{") && !is_sign(b, "}"))
        return refuse(r, "a condition must enclose whole statements or functions");
    if (r->depth > 0 && innermost(r) != '{')
        return refuse(r, "a condition must not stand in brackets");
    if (opens) {
        if (r->condition_depth == DEEPEST)
            return refuse(r, "conditions too deep");
        r->conditions[r->condition_depth++] = r->depth;
        return WW_OK;
    }
    if (r->condition_depth == 0)
        return refuse(r, "there is no #if before it");
    if (r->conditions[r->condition_depth - 1] != r->depth)
        return refuse(r, "brackets that a condition opens must be closed in it");
    r->condition_depth -= wwi_token_is(directive, "endif");
    return WW_OK;
}

// The names in a condition's line: what is granted, the text's own, and what the library asks for.
static ww_status take_condition_line(reader *r) {
    size_t depth = 0;
    const size_t begin = ++r->at;
    for (; current(r)->kind != WWI_LINE; r->at++) {
        wwi_token *t = current(r);
        t->own = t->kind == WWI_NAME ? find_own(r, t) : WWI_NO_NAME;
        const bool known = wwi_token_is(t, "defined") || wwi_name_is_switch(t) || wwi_name_is_library(t) ||
                           (t->size > 8 && memcmp(t->begin, "WW_USER_", 8) == 0) || t->own != WWI_NO_NAME;
        if (t->kind == WWI_NAME && !known)
            return refuse(r, "no name that it may use");
        if (is_sign(t, "{") || is_sign(t, "}") || is_sign(t, ";"))
            return refuse(r, "no sign of a condition");
        if (is_sign(t, ")") && depth == 0)
            return refuse(r, "closes no bracket");
        if (is_sign(t, "(") && depth == DEEPEST)
            return refuse(r, "brackets too deep");
        depth += is_sign(t, "(");
        depth -= is_sign(t, ")");
    }
    return depth ? refuse(r, "a bracket is not closed") : add_body(r, begin, r->at, WWI_NO_NAME);
}

static ww_status take_undef(reader *r) {
    r->at++;
    const int number = find_own(r, current(r));
    if (current(r)->kind != WWI_NAME || number == WWI_NO_NAME || r->own[number].kind != WWI_MACRO)
        return refuse(r, "no macro of the text's own");
    r->at++;
    return current(r)->kind == WWI_LINE ? WW_OK : refuse(r, "too much for #undef");
}

static ww_status take_directive(reader *r) {
    const wwi_token *directive = current(r);
    if (wwi_token_is(directive, "define"))
        return take_define(r);
    if (wwi_token_is(directive, "undef"))
        return take_undef(r);
    WWI_TRY(take_condition(r, directive));
    if (!wwi_token_is(directive, "else") && !wwi_token_is(directive, "endif"))
        return take_condition_line(r);
    r->at++;
    return current(r)->kind == WWI_LINE ? WW_OK : refuse(r, "too much for #else or #endif");
}

// ---- the text

static ww_status take(reader *r) {
    const wwi_token *t = current(r);
    if (t->kind == WWI_DIRECTIVE)
        return take_directive(r);
    if (r->tokens.expression || in_body(r)) {
        WWI_TRY(take_code(r));
        if (r->depth > 0 || !is_sign(t, "}"))
            return WW_OK;
        const int owner = r->function;
        r->function = WWI_NO_NAME;
        return add_body(r, r->function_begin + 1, r->at, owner);
    }
    return r->depth > 0 ? take_parameter(r) : take_outside(r);
}

static ww_status check_all(reader *r) {
    WWI_TRY(wwi_user_tokens_read(&r->tokens));
    for (; current(r)->kind != WWI_END; r->at++)
        WWI_TRY(take(r));
    if (r->depth > 0)
        return refuse(r, "a bracket is not closed");
    if (r->condition_depth > 0)
        return refuse(r, "a condition is not closed: #endif is missing");
    if (r->function != WWI_NO_NAME)
        return refuse(r, "a function without its body");
    if (r->tokens.expression)
        WWI_TRY(add_body(r, 0, r->at, WWI_NO_NAME));
    return wwi_user_size_check(&r->tokens, r->own, r->own_count, r->bodies, r->body_count);
}

ww_status wwi_user_text_check(const char *name, const char *text, bool expression) {
    WWI_ENDS(free_reader)
    reader r = {.tokens = {.name = name, .text = text, .expression = expression}, .function = WWI_NO_NAME};
    return check_all(&r);
}
