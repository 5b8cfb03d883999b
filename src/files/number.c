// SPDX-License-Identifier: Apache-2.0
// Decimal text to double. Where mantissa and power of ten are exact doubles, one rounded operation is right (Clinger,
// "How to read floating point numbers accurately", 1990); a longer mantissa has its rest in a second double. Eight
// digits at a time as in Lemire, "Number parsing at a gigabyte per second", 2021, section 4. The callers use strtod()
// for what these can't decide.
#include "files/number.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define MOST_DIGITS 19 // that 64 bits hold whatever they are

static bool is_digit(char c) {
    return (unsigned char)(c - '0') < 10;
}

// Eight bytes as a number whose first byte is the least significant one.
static uint64_t load(const char *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return wwi_is_little_endian() ? word : __builtin_bswap64(word);
}

// The high bit of each byte that is no digit.
static uint64_t find_others(uint64_t word) {
    const uint64_t distance = word ^ 0x3030303030303030; // 0 to 9 for digits
    return (((distance & 0x7F7F7F7F7F7F7F7F) + 0x7676767676767676) | distance) & 0x8080808080808080;
}

// The number that eight digits make: pairs, then fours, then all.
static uint64_t eight_digits(uint64_t word) {
    word -= 0x3030303030303030;
    word = word * 10 + (word >> 8);
    return ((word & 0x000000FF000000FF) * 0x000F424000000064 +
            (word >> 16 & 0x000000FF000000FF) * 0x0000271000000001) >>
           32;
}

// Digits from `at` on, appended to *mantissa, which wraps around after the 19th; the place after them. Without a branch
// for each digit: how many there are is what no processor predicts.
static const char *take_digits(const char *at, uint64_t *mantissa) {
    static const uint64_t powers[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    uint64_t m = *mantissa, word = load(at), others;
    while ((others = find_others(word)) == 0) {
        m = m * 100000000 + eight_digits(word);
        at += 8;
        word = load(at);
    }
    const unsigned count = (unsigned)__builtin_ctzll(others) / 8;
    if (count > 0) {
        // Zeros before them make them eight.
        word = word << (64 - 8 * count) | UINT64_C(0x3030303030303030) >> 8 * count;
        m = m * powers[count] + eight_digits(word);
    }
    *mantissa = m;
    return at + count;
}

// mantissa * 10^exponent to the nearest double, ties to even. False where this can't decide it.
static bool round_number(uint64_t mantissa, int64_t exponent, double *value) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (FLT_EVAL_METHOD != 0 || exponent < -22 || exponent > 22)
        return false;
    const double whole = (double)mantissa, power = powers[exponent < 0 ? -exponent : exponent];
    const double first = exponent < 0 ? whole / power : whole * power;
    *value = first;
    if (mantissa <= UINT64_C(1) << 53)
        return true;
    // What the double of the mantissa leaves out, and what the first operation rounds off, exactly.
    const double left = (double)(int64_t)(mantissa - (uint64_t)whole);
    const double rest =
        exponent < 0 ? (fma(-first, power, whole) + left) / power : fma(whole, power, -first) + left * power;
    // The error of `rest` is below 2^-102 of the value: where both ends round to one value, that is it.
    const double most = first * 0x1p-98;
    *value = first + (rest + most);
    return *value == first + (rest - most);
}

const char *wwi_number_scan(const char *at, double *value) {
    const bool negative = *at == '-';
    at += negative || *at == '+';
    const char *first = at;
    uint64_t mantissa = 0;
    int64_t exponent = 0;
    at = take_digits(at, &mantissa);
    ptrdiff_t digits = at - first;
    if (*at == '.') {
        const char *fraction = ++at;
        at = take_digits(at, &mantissa);
        exponent = fraction - at;
        digits -= exponent;
    }
    if (digits == 0)
        return NULL;
    if (*at == 'e' || *at == 'E') {
        at++;
        const bool minus = *at == '-';
        at += minus || *at == '+';
        if (!is_digit(*at))
            return NULL;
        int64_t written = 0;
        for (; is_digit(*at); at++)
            if (written < 1000000000000000)
                written = 10 * written + (*at - '0');
        exponent += minus ? -written : written;
    }
    for (; digits > MOST_DIGITS && (*first == '0' || *first == '.'); first++)
        digits -= *first == '0';
    if (digits > MOST_DIGITS || !round_number(mantissa, exponent, value))
        return NULL;
    if (negative)
        *value = -*value;
    return at;
}
