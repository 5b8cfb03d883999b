// SPDX-License-Identifier: Apache-2.0
// How large a caller's text becomes when macros are expanded and functions are inlined, as compilers for devices do. An
// upper bound, from the sizes of what each is made of; the text was checked before, so that has lower ranks.
#include "host.h"
#include "measure/user_tokens.h"

enum {
    MOST = 1 << 15,           // tokens of a function with all that it calls
    MOST_STATEMENT = 1 << 11, // tokens of a statement: compilers read it by functions that call themselves
    DEEPEST = 64,
    MOST_PARAMETERS = 16
};

typedef struct measured {
    const wwi_tokens *tokens;
    const wwi_own *own;
    size_t factors[DEEPEST + 1]; // how often what stands in the open brackets is repeated
    size_t depth, total, statement;
    size_t copies[MOST_PARAMETERS]; // how often each of a macro's arguments is repeated
} measured;

static ww_status add_token(measured *m, const wwi_token *t, const wwi_token *before) {
    const size_t factor = m->factors[m->depth];
    const wwi_own *own = t->own == WWI_NO_NAME ? NULL : &m->own[t->own];
    const bool opens = t->kind == WWI_SIGN && (*t->begin == '(' || *t->begin == '{');
    const bool ends = t->kind == WWI_SIGN && (*t->begin == ';' || *t->begin == '{' || *t->begin == '}');
    const size_t size = factor * (own && own->kind != WWI_VALUE ? own->weight : 1);
    m->total += size;
    m->statement = ends ? 0 : m->statement + (own && own->kind == WWI_FUNCTION ? factor : size);
    if (t->parameter != WWI_NO_NAME)
        m->copies[t->parameter] += factor;
    if (opens) {
        const bool call = before && before->own != WWI_NO_NAME && m->own[before->own].kind == WWI_MACRO;
        m->factors[m->depth + 1] = factor * (call && m->own[before->own].copies ? m->own[before->own].copies : 1);
        m->depth++;
    } else if (t->kind == WWI_SIGN && (*t->begin == ')' || *t->begin == '}')) {
        m->depth--;
    }
    if (m->total > MOST || m->factors[m->depth] > MOST)
        return wwi_user_refuse(m->tokens, t, "too large with all that it calls and with its macros expanded");
    return m->statement > MOST_STATEMENT ? wwi_user_refuse(m->tokens, t, "a statement that is too long") : WW_OK;
}

static ww_status measure(const wwi_tokens *t, wwi_own *own, const wwi_body *body) {
    measured m = {.tokens = t, .own = own, .factors = {1}};
    for (size_t i = body->begin; i < body->end; i++)
        WWI_TRY(add_token(&m, &t->items[i], i > body->begin ? &t->items[i - 1] : NULL));
    if (body->owner == WWI_NO_NAME)
        return WW_OK;
    wwi_own *o = &own[body->owner];
    o->weight = m.total > o->weight ? m.total : o->weight;
    for (size_t p = 0; p < MOST_PARAMETERS; p++)
        o->copies = m.copies[p] > o->copies ? m.copies[p] : o->copies;
    return WW_OK;
}

static ww_status measure_all_of(int owner, const wwi_tokens *t, wwi_own *own, const wwi_body *bodies,
                                size_t body_count) {
    for (size_t i = 0; i < body_count; i++)
        if (bodies[i].owner == owner)
            WWI_TRY(measure(t, own, &bodies[i]));
    return WW_OK;
}

ww_status wwi_user_size_check(const wwi_tokens *t, wwi_own *own, size_t own_count, const wwi_body *bodies,
                              size_t body_count) {
    for (size_t rank = 0; rank < own_count; rank++)
        WWI_TRY(measure_all_of((int)rank, t, own, bodies, body_count));
    // Conditions have no owner and may use any.
    return measure_all_of(WWI_NO_NAME, t, own, bodies, body_count);
}
