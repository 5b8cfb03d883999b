// SPDX-License-Identifier: Apache-2.0
// Decimal text to double. Where mantissa and power of ten are exact doubles, one rounded operation is right (Clinger,
// "How to read floating point numbers accurately", 1990); elsewhere a product of 64 x 128 bits decides the rounding
// (Lemire, "Number parsing at a gigabyte per second", 2021; Mushtak and Lemire, "Fast number parsing without fallback",
// 2023). Eight digits at a time as in Lemire 2021, section 4. The callers use strtod() for what these can't decide.
#include "files/number.h"

#include <float.h>
#include <stddef.h>
#include <string.h>

#include "files/powers_of_five.h"

#define MOST_DIGITS 19 // that 64 bits hold whatever they are
#define FRACTION_BITS 52
#define INFINITE_EXPONENT 0x7FF

static void multiply(uint64_t a, uint64_t b, uint64_t *high, uint64_t *low) {
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 uint128;
    const uint128 product = (uint128)a * b;
    *high = (uint64_t)(product >> 64);
    *low = (uint64_t)product;
#else
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (uint32_t)middle;
    *high = a1 * b1 + (middle >> 32) + (other >> 32);
    *low = other << 32 | (uint32_t)(a0 * b0);
#endif
}

static double assemble(uint64_t fraction, int64_t exponent) {
    const uint64_t bits = (uint64_t)exponent << FRACTION_BITS | fraction;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// mantissa * 10^exponent to the nearest double, ties to even. False for the few cases that this method can't decide.
static bool round_number(uint64_t mantissa, int64_t exponent, double *value) {
    *value = 0.0;
    if (mantissa == 0 || exponent < WWI_LEAST_POWER)
        return true;
    if (exponent > WWI_MOST_POWER) {
        *value = assemble(0, INFINITE_EXPONENT);
        return true;
    }
    const int shift = __builtin_clzll(mantissa);
    const uint64_t *power = wwi_powers_of_five[exponent - WWI_LEAST_POWER];
    uint64_t high, low, more, unused;
    mantissa <<= shift;
    multiply(mantissa, power[0], &high, &low);
    // The power's other 64 bits matter only where the bits below those that are kept are all ones.
    if ((high & 0x1FF) == 0x1FF) {
        multiply(mantissa, power[1], &more, &unused);
        low += more;
        high += low < more;
    }
    if (low == UINT64_MAX && (exponent < -27 || exponent > 55))
        return false;
    const int top = (int)(high >> 63);
    // 53 bits and one to round by. The binary exponent is floor(log2(10^exponent)) + 63 and what shifting changed.
    uint64_t kept = high >> (top + 9);
    int64_t binary = ((217706 * exponent) >> 16) + 63 + top - shift + 1023;
    if (binary <= 0) {
        if (binary <= -63)
            return true; // below half of the least subnormal
        kept >>= 1 - binary;
        kept += kept & 1;
        kept >>= 1;
        *value = assemble(kept & ((UINT64_C(1) << FRACTION_BITS) - 1), (int64_t)(kept >> FRACTION_BITS));
        return true;
    }
    // Exactly half way, which is possible only for these exponents: to the even neighbour.
    if (low <= 1 && exponent >= -4 && exponent <= 23 && (kept & 3) == 1 && kept << (top + 9) == high)
        kept &= ~UINT64_C(1);
    kept += kept & 1;
    kept >>= 1;
    if (kept >> (FRACTION_BITS + 1)) {
        kept >>= 1;
        binary++;
    }
    *value = binary >= INFINITE_EXPONENT ? assemble(0, INFINITE_EXPONENT)
                                         : assemble(kept & ((UINT64_C(1) << FRACTION_BITS) - 1), binary);
    return true;
}

static bool is_digit(char c) {
    return (unsigned char)(c - '0') < 10;
}

// Eight bytes as a number whose first byte is the least significant one.
static uint64_t load(const char *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
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

// More than 19 digits between `at` and `end`: the first 19 that count, and how many more there are before the point.
static bool round_long(const char *at, const char *end, int64_t exponent, double *value) {
    uint64_t mantissa = 0;
    int digits = 0;
    bool rest = false;
    for (; at < end; at++) {
        if (*at == '.')
            continue;
        if (digits < MOST_DIGITS) {
            mantissa = 10 * mantissa + (uint64_t)(*at - '0');
            digits += digits || *at != '0';
        } else {
            exponent++;
            rest = rest || *at != '0';
        }
    }
    // What was left out is less than one unit of the mantissa: where both ends round to one value, that is it.
    double above;
    return round_number(mantissa, exponent, value) &&
           (!rest || (round_number(mantissa + 1, exponent, &above) && above == *value));
}

static bool make(const char *first, const char *end, ptrdiff_t digits, uint64_t mantissa, int64_t exponent,
                 double *value) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (digits > MOST_DIGITS)
        return round_long(first, end, exponent, value);
    if (FLT_EVAL_METHOD == 0 && mantissa <= UINT64_C(1) << 53 && exponent >= -22 && exponent <= 22) {
        const double whole = (double)mantissa;
        *value = exponent < 0 ? whole / powers[-exponent] : whole * powers[exponent];
        return true;
    }
    return round_number(mantissa, exponent, value);
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
    const char *end = at;
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
    if (!make(first, end, digits, mantissa, exponent, value))
        return NULL;
    if (negative)
        *value = -*value;
    return at;
}
