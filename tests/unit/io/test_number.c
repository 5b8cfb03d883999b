// SPDX-License-Identifier: Apache-2.0
// Numbers in text against strtod() in the C locale: random ones of every length, those half way between two doubles,
// those at the ends of the range, and what is no number. WAVEWARP_NUMBER_RUNS: how many of each kind.
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "files/number.h"
#include "files/read.h"

enum { ROOM = 2048 };

static uint64_t state = 88172645463325252;
static locale_t c_locale;
static long decided, asked; // by the scan, in all

static uint64_t next_random(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static unsigned below(unsigned n) {
    return (unsigned)(next_random() % n);
}

static long runs(long otherwise) {
    const char *text = getenv("WAVEWARP_NUMBER_RUNS");
    return text ? atol(text) : otherwise;
}

static void setup(void) {
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    decided = asked = 0;
}

static void teardown(void) {
    freelocale(c_locale);
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// The text, with what follows a field in a file, to the last bit as strtod() has it.
static void check(const char *text) {
    char field[ROOM + 32];
    const size_t size = strlen(text);
    ck_assert_uint_lt(size, ROOM);
    memset(field, 0, sizeof field);
    memcpy(field, text, size);
    field[size] = ",;\t\n:) x"[next_random() % 8];
    double got = 0, scanned = 0;
    const double wanted = strtod_l(text, NULL, c_locale);
    ck_assert_msg(wwi_number_parse((wwi_span){field, field + size}, c_locale, &got), "%s", text);
    ck_assert_msg(bits_of(got) == bits_of(wanted), "%s: %a instead of %a", text, got, wanted);
    ck_assert(bits_of((double)(float)got) == bits_of((double)(float)wanted));
    asked++;
    if (wwi_number_scan(field, &scanned)) {
        ck_assert(bits_of(scanned) == bits_of(wanted));
        decided++;
    }
}

static double random_double(void) {
    double value;
    do {
        const uint64_t bits = next_random();
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return value;
}

START_TEST(random_bits_in_every_precision) {
    char text[ROOM];
    for (long i = 0; i < runs(40000); i++) {
        snprintf(text, sizeof text, "%.*g", 1 + (int)below(25), random_double());
        check(text);
        snprintf(text, sizeof text, "%.*e", (int)below(30), random_double());
        check(text);
        snprintf(text, sizeof text, "%.*f", (int)below(20), ldexp((double)(int64_t)next_random(), -(int)below(80)));
        check(text);
        snprintf(text, sizeof text, "%.9g", (double)(float)ldexp((double)(int64_t)next_random(), -(int)below(120)));
        check(text);
    }
}
END_TEST

// What programs write into files is decided without strtod(), but for a number in a thousand.
START_TEST(usual_numbers) {
    char text[ROOM];
    for (long i = 0; i < runs(40000); i++) {
        const double value = ldexp((double)(int64_t)next_random(), -40 - (int)below(25));
        snprintf(text, sizeof text, "%.*g", 1 + (int)below(17), value);
        check(text);
        snprintf(text, sizeof text, "%.18e", value);
        check(text);
    }
    ck_assert_int_gt(decided, asked - asked / 1000);
}
END_TEST

START_TEST(random_digits) {
    char text[ROOM];
    for (long i = 0; i < runs(40000); i++) {
        size_t at = 0;
        const unsigned before = below(22), after = below(24);
        if (below(3) == 0)
            text[at++] = "+-"[below(2)];
        for (unsigned d = 0; d < before; d++)
            text[at++] = (char)(below(4) ? '0' + (int)below(10) : '0');
        if (after || below(4) == 0 || before == 0)
            text[at++] = '.';
        for (unsigned d = 0; d < after + (before == 0); d++)
            text[at++] = (char)(below(4) ? '0' + (int)below(10) : '9');
        text[at] = '\0';
        if (below(2))
            snprintf(text + at, sizeof text - at, "%c%+d", "eE"[below(2)], (int)below(720) - 370);
        check(text);
    }
}
END_TEST

// Half way between two doubles exactly, and a little above and below: the last of up to 800 digits decides.
START_TEST(half_way) {
    char text[ROOM];
    for (long i = 0; i < runs(6000); i++) {
        double value = below(4) ? random_double() : ldexp((double)(next_random() >> 11), (int)below(130) - 100);
        if (below(8) == 0)
            value = ldexp(value, -1080); // subnormal
        const double next = nextafter(value, INFINITY);
        if (!isfinite(value) || !isfinite(next))
            continue;
        // Two doubles next to each other have their mean in 54 bits.
        const long double mean = ((long double)value + (long double)next) / 2;
        if (LDBL_MANT_DIG < 64)
            break;
        snprintf(text, sizeof text, "%.1100Lg", mean);
        check(text);
        char *exponent = strchr(text, 'e');
        const size_t digits = exponent ? (size_t)(exponent - text) : strlen(text);
        char rest[16];
        snprintf(rest, sizeof rest, "%s", exponent ? exponent : "");
        snprintf(text + digits, sizeof text - digits, "%s0000001%s", strchr(text, '.') ? "" : ".", rest);
        check(text);
        snprintf(text, sizeof text, "%.*Lg", 17 + (int)below(5), mean);
        check(text);
    }
}
END_TEST

START_TEST(ends_of_the_range) {
    static const char *const texts[] = {"0",
                                        "-0",
                                        "+0.0",
                                        "0e999999999999999999999",
                                        "1e-999999999999999999999",
                                        "-1e999999999999999999999",
                                        "4.9406564584124654e-324",
                                        "2.4703282292062327e-324",
                                        "2.4703282292062328e-324",
                                        "2.47032822920623272088284396434110686182e-324",
                                        "2.2250738585072011e-308",
                                        "2.2250738585072012e-308",
                                        "2.2250738585072014e-308",
                                        "1.7976931348623157e308",
                                        "1.7976931348623158e308",
                                        "1.7976931348623159e308",
                                        "179769313486231580793e289",
                                        "9007199254740991",
                                        "9007199254740992",
                                        "9007199254740993",
                                        "9007199254740993.0000000000000000000000000001",
                                        "9007199254740995e22",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "9999999999999999999",
                                        "99999999999999999999",
                                        "1e22",
                                        "1e23",
                                        "8.5e22",
                                        "123456789012345678901234567890e-20",
                                        ".1",
                                        "5.",
                                        "00000000000000000000000000000000000000000001.5",
                                        "0.00000000000000000000000000000000000000000000000000123456789",
                                        "1e+0000000000000000000000000000000005",
                                        "inf",
                                        "-Infinity",
                                        "INF"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check(texts[i]);
    char text[ROOM];
    for (int e = -400; e <= 400; e++)
        for (int i = 0; i < 40; i++) {
            snprintf(text, sizeof text, "%llue%d", (unsigned long long)(next_random() >> below(64)), e);
            check(text);
            snprintf(text, sizeof text, "%.*f", 200 + (int)below(600), ldexp((double)(next_random() >> 11), -e));
            check(text);
        }
}
END_TEST

START_TEST(no_numbers) {
    static const char *const texts[] = {"",
                                        ".",
                                        "-",
                                        "+",
                                        "e5",
                                        "1e",
                                        "1e+",
                                        "1e-",
                                        "1.2.3",
                                        "1,5",
                                        "0x1",
                                        "1x",
                                        "--1",
                                        "+-1",
                                        "1 2",
                                        "1e5.5",
                                        "..",
                                        "-.",
                                        "1e5e5",
                                        "12a",
                                        "i",
                                        "in",
                                        "infx",
                                        "na",
                                        "1_000",
                                        "1'0",
                                        ("\xC2\xA0"
                                         "1")};
    double value;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char field[64] = "";
        snprintf(field, sizeof field, "%s,", texts[i]);
        ck_assert_msg(!wwi_number_parse((wwi_span){field, field + strlen(texts[i])}, c_locale, &value), "%s", texts[i]);
    }
    char nan[64] = "NaN,";
    ck_assert(wwi_number_parse((wwi_span){nan, nan + 3}, c_locale, &value) && isnan(value));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("number");
    TCase *tcase = wwt_case(suite, "number", 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, random_bits_in_every_precision);
    tcase_add_test(tcase, usual_numbers);
    tcase_add_test(tcase, random_digits);
    tcase_add_test(tcase, half_way);
    tcase_add_test(tcase, ends_of_the_range);
    tcase_add_test(tcase, no_numbers);
    return wwt_run(suite);
}
