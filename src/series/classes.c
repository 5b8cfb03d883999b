// SPDX-License-Identifier: Apache-2.0
// Names of classes: a list and a hash table over it; the plain form of labels that are numbers.
#include "series/classes.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "host.h"

void wwi_class_names_free(wwi_class_names *n) {
    for (size_t k = 0; k < n->count; k++)
        free(n->names[k]);
    free(n->names);
    free(n->slots);
    *n = (wwi_class_names){0};
}

// FNV-1a.
static size_t hash_text(const char *text) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return (size_t)(hash ^ (hash >> 32));
}

// The slot that holds `name`, or the empty one where it belongs.
static size_t find_slot(const wwi_class_names *n, const char *name) {
    size_t slot = hash_text(name) & (n->slot_count - 1);
    while (n->slots[slot] && strcmp(n->names[n->slots[slot] - 1], name) != 0)
        slot = (slot + 1) & (n->slot_count - 1);
    return slot;
}

static ww_status grow_slots(wwi_class_names *n) {
    const size_t count = n->slot_count ? 2 * n->slot_count : 16;
    size_t *slots;
    WWI_TRY(wwi_new_zeroed(slots, count));
    free(n->slots);
    n->slots = slots;
    n->slot_count = count;
    for (size_t k = 0; k < n->count; k++)
        n->slots[find_slot(n, n->names[k])] = k + 1;
    return WW_OK;
}

bool wwi_class_is_known(const wwi_class_names *n, const char *name) {
    return n->count > 0 && n->slots[find_slot(n, name)] > 0;
}

ww_status wwi_class_of_name(wwi_class_names *n, const char *name, long *number) {
    if (2 * (n->count + 1) > n->slot_count)
        WWI_TRY(grow_slots(n));
    const size_t slot = find_slot(n, name);
    if (!n->slots[slot]) {
        WWI_TRY(wwi_grow(&n->names, &n->capacity, n->count + 1, sizeof *n->names));
        char *copy = strdup(name);
        if (!copy)
            return wwi_fail_memory(strlen(name) + 1);
        n->names[n->count++] = copy;
        n->slots[slot] = n->count;
    }
    *number = (long)n->slots[slot] - 1;
    return WW_OK;
}

// ---- labels that are numbers

static const char *skip_digits(const char *at) {
    while (*at >= '0' && *at <= '9')
        at++;
    return at;
}

// Whether the label is a decimal number; *whole: digits alone behind the sign, and *first: the first of them.
static bool is_decimal(const char *label, bool *whole, const char **first) {
    const char *begin = label + (*label == '-' || *label == '+'), *at = skip_digits(begin);
    size_t digits = (size_t)(at - begin);
    *first = begin;
    *whole = *at == '\0';
    if (*at == '.') {
        const char *fraction = at + 1;
        at = skip_digits(fraction);
        digits += (size_t)(at - fraction);
    }
    if (digits > 0 && (*at == 'e' || *at == 'E')) {
        const char *exponent = at + 1 + (at[1] == '-' || at[1] == '+');
        at = skip_digits(exponent);
        if (at == exponent)
            return false;
    }
    return digits > 0 && *at == '\0';
}

// The number with the fewest digits that read as the same double.
static void print_short(double value, char plain[WWI_PLAIN_LABEL]) {
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(plain, WWI_PLAIN_LABEL, "%.*g", digits, value);
        if (strtod(plain, NULL) == value)
            return;
    }
}

bool wwi_label_make_plain(const char *label, char plain[WWI_PLAIN_LABEL]) {
    enum { EXACT = 15 }; // digits that every double holds
    bool whole;
    const char *first;
    if (!is_decimal(label, &whole, &first))
        return false;
    const size_t digits = strlen(first);
    if (whole && *label != '+' && digits <= EXACT && (*first != '0' || (digits == 1 && first == label)))
        return false;
    // A program may run under a locale whose decimal point is a comma.
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return false;
    const locale_t before = uselocale(c_locale);
    const double value = strtod(label, NULL);
    const bool small = fabs(value) < 1e15;
    if (small && value == floor(value))
        snprintf(plain, WWI_PLAIN_LABEL, "%lld", (long long)value);
    else if (isfinite(value) && !whole)
        print_short(value, plain);
    (void)uselocale(before);
    freelocale(c_locale);
    return small || (isfinite(value) && !whole);
}

ww_status wwi_class_of_label(wwi_class_names *n, const char *label, long *number) {
    char plain[WWI_PLAIN_LABEL];
    return wwi_class_of_name(n, wwi_label_make_plain(label, plain) ? plain : label, number);
}
