// SPDX-License-Identifier: Apache-2.0
// Generated series.
//
// The same seed gives the same bytes on every machine: the random bits are integer arithmetic (xoshiro256++, Blackman
// and Vigna 2019, seeded by splitmix64), and everything made from them uses +, -, *, / and sqrt alone, whose rounding
// IEEE 754 defines exactly. log() and sin() of different C libraries differ in the last bit, so they are not used here.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/random.h"
#include "host.h"
#include "options.h"
#include <wavewarp/series.h>

#ifdef __clang__
// A multiply-add rounded once instead of twice would give another number.
#pragma STDC FP_CONTRACT OFF
#endif

typedef struct random_state {
    uint64_t s[4];
    double spare; // second value of the last pair of normal numbers
    int has_spare;
    ww_status status; // of the series
} random_state;

// Each series and channel has its own stream, so that a larger set starts with the smaller one.
static random_state random_stream(uint64_t seed, uint64_t series, uint64_t stream) {
    random_state random = {{0, 0, 0, 0}, 0.0, 0, WW_OK};
    uint64_t state = seed;
    state = wwi_random(&state) ^ series;
    state = wwi_random(&state) ^ stream;
    for (int i = 0; i < 4; i++)
        random.s[i] = wwi_random(&state);
    return random;
}

static uint64_t rotate(uint64_t x, int bits) {
    return (x << bits) | (x >> (64 - bits));
}

static uint64_t random_bits(random_state *random) {
    uint64_t *s = random->s;
    const uint64_t result = rotate(s[0] + s[3], 23) + s[0];
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

// Uniform in [low, high).
static double uniform(random_state *random, double low, double high) {
    return low + (high - low) * ((double)(random_bits(random) >> 11) * 0x1p-53);
}

// Uniform in low..high, without the bias of a remainder alone.
static size_t uniform_size(random_state *random, size_t low, size_t high) {
    const uint64_t range = (uint64_t)(high - low) + 1;
    if (range == 0)
        return (size_t)random_bits(random);
    const uint64_t limit = UINT64_MAX - UINT64_MAX % range;
    uint64_t bits = random_bits(random);
    while (bits >= limit)
        bits = random_bits(random);
    return low + (size_t)(bits % range);
}

// Natural logarithm of 0 < x < 1, from log(2^e m) = e log 2 + 2 artanh((m-1)/(m+1)).
static double portable_log(double x) {
    int exponent;
    double m = frexp(x, &exponent);
    if (m < 0.70710678118654752) {
        m *= 2.0;
        exponent--;
    }
    const double s = (m - 1.0) / (m + 1.0), square = s * s;
    double sum = 0.0;
    for (int k = 25; k >= 1; k -= 2)
        sum = sum * square + 1.0 / (double)k;
    return (double)exponent * 0.69314718055994531 + 2.0 * s * sum;
}

// Sine of a phase in turns: sin(2 pi turns).
static double portable_sine(double turns) {
    double t = turns - floor(turns); // in [0, 1)
    if (t > 0.75)
        t -= 1.0;
    else if (t > 0.25)
        t = 0.5 - t; // now |t| <= 1/4
    const double x = 6.28318530717958648 * t, square = x * x;
    double sum = 1.0;
    for (int k = 22; k >= 2; k -= 2)
        sum = 1.0 - square / (double)(k * (k + 1)) * sum;
    return x * sum;
}

// Normal with mean 0 and deviation 1: Marsaglia's polar method.
static double normal(random_state *random) {
    if (random->has_spare) {
        random->has_spare = 0;
        return random->spare;
    }
    double x, y, square;
    do {
        x = uniform(random, -1.0, 1.0);
        y = uniform(random, -1.0, 1.0);
        square = x * x + y * y;
    } while (square >= 1.0 || square == 0.0);
    const double scale = sqrt(-2.0 * portable_log(square) / square);
    random->spare = y * scale;
    random->has_spare = 1;
    return x * scale;
}

// Before point t: an interrupt may come, every few milliseconds.
static bool goes_on(random_state *random, size_t t) {
    if (t % WWI_INTERRUPTED == 0)
        random->status = wwi_interrupted();
    return random->status == WW_OK;
}

// Writes one channel of `n` points of class `class_number`.
typedef void (*generator_fn)(random_state *random, size_t class_number, double *x, size_t n);

// Saito 1994: c(t) = (6+eta) on [a,b] + eps(t), times (t-a)/(b-a) for a bell and (b-t)/(b-a) for a funnel; a uniform in
// 16..32 and b-a in 32..96 for length 128, in proportion for other lengths.
static void generate_cbf(random_state *random, size_t class_number, double *x, size_t n) {
    const double a = (double)uniform_size(random, n / 8, n / 4);
    const double width = (double)uniform_size(random, n / 4, n / 4 * 3);
    const double height = 6.0 + normal(random);
    for (size_t t = 0; t < n && goes_on(random, t); t++) {
        const double at = (double)(t + 1) - a;
        double shape = 0.0;
        if (at >= 0.0 && at <= width)
            shape = class_number == 0 || width == 0.0 ? 1.0 : class_number == 1 ? at / width : (width - at) / width;
        x[t] = height * shape + normal(random);
    }
}

// Geurts 2001: two steps on N(0,1) noise, each up (-5, then 5) or down (5, then -5), one after the other without
// overlap. Each step is n/8 to n/4 long here.
static void generate_two_patterns(random_state *random, size_t class_number, double *x, size_t n) {
    const size_t first = uniform_size(random, n / 8, n / 4), second = uniform_size(random, n / 8, n / 4);
    const size_t start = uniform_size(random, 0, n - first - second);
    const size_t next = uniform_size(random, start + first, n - second);
    const double step[2] = {class_number & 2 ? 5.0 : -5.0, class_number & 1 ? 5.0 : -5.0};
    for (size_t t = 0; t < n && goes_on(random, t); t++) {
        if (t >= start && t < start + first)
            x[t] = t - start < first / 2 ? step[0] : -step[0];
        else if (t >= next && t < next + second)
            x[t] = t - next < second / 2 ? step[1] : -step[1];
        else
            x[t] = normal(random);
    }
}

enum { CONTROL_NORMAL, CONTROL_CYCLIC, CONTROL_INCREASING, CONTROL_DECREASING, CONTROL_UPWARD, CONTROL_DOWNWARD };

// Alcock and Manolopoulos 1999: y(t) = m + r s with m = 30, s = 2, r uniform in [-3, 3], plus a sin(2 pi t / T) with a
// and T in [10, 15], or +-g t with g in [0.2, 0.5], or +-x from t3 on with x in [7.5, 20] and t3 in [n/3, 2n/3].
static void generate_synthetic_control(random_state *random, size_t class_number, double *x, size_t n) {
    const double amplitude = uniform(random, 10.0, 15.0), period = uniform(random, 10.0, 15.0);
    const double gradient = uniform(random, 0.2, 0.5), shift = uniform(random, 7.5, 20.0);
    const size_t place = uniform_size(random, n / 3, n / 3 * 2);
    for (size_t t = 0; t < n && goes_on(random, t); t++) {
        const double y = 30.0 + 2.0 * uniform(random, -3.0, 3.0);
        double pattern = 0.0;
        switch (class_number) {
        case CONTROL_CYCLIC:
            pattern = amplitude * portable_sine((double)t / period);
            break;
        case CONTROL_INCREASING:
        case CONTROL_DECREASING:
            pattern = gradient * (double)t;
            break;
        case CONTROL_UPWARD:
        case CONTROL_DOWNWARD:
            pattern = t >= place ? shift : 0.0;
            break;
        default:
            break;
        }
        x[t] = class_number == CONTROL_DECREASING || class_number == CONTROL_DOWNWARD ? y - pattern : y + pattern;
    }
}

static void generate_random_walk(random_state *random, size_t class_number, double *x, size_t n) {
    (void)class_number;
    double at = 0.0;
    for (size_t t = 0; t < n && goes_on(random, t); t++)
        x[t] = at += normal(random);
}

// One to eight periods, any phase, noise of deviation 0.1.
static void generate_sine(random_state *random, size_t class_number, double *x, size_t n) {
    (void)class_number;
    const double frequency = uniform(random, 1.0, 8.0), phase = uniform(random, 0.0, 1.0);
    for (size_t t = 0; t < n && goes_on(random, t); t++)
        x[t] = portable_sine(frequency * (double)t / (double)n + phase) + 0.1 * normal(random);
}

static const struct {
    size_t usual_length;
    generator_fn generate;
    size_t class_count;
    const char *classes[6];
} generators[] = {
    [WW_GENERATE_CBF] = {128, generate_cbf, 3, {"cylinder", "bell", "funnel"}},
    [WW_GENERATE_TWO_PATTERNS] = {128, generate_two_patterns, 4, {"up-up", "up-down", "down-up", "down-down"}},
    [WW_GENERATE_SYNTHETIC_CONTROL] = {60,
                                       generate_synthetic_control,
                                       6,
                                       {"normal", "cyclic", "increasing", "decreasing", "upward", "downward"}},
    [WW_GENERATE_RANDOM_WALK] = {128, generate_random_walk, 0, {NULL}},
    [WW_GENERATE_SINE] = {128, generate_sine, 0, {NULL}},
};
#define GENERATOR_COUNT (sizeof generators / sizeof *generators)

static ww_status check(ww_generator kind, ww_generate_options *o) {
    if ((size_t)kind >= GENERATOR_COUNT)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is no generator %d", (int)kind);
    if (o->count < 1 || o->channels < 1)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s must be 1 or more", o->count < 1 ? "count" : "channels");
    if (o->length == 0)
        o->length = generators[kind].usual_length;
    if (o->max_length == 0)
        o->max_length = o->length;
    if (o->max_length < o->length)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "max_length %zu is less than length %zu", o->max_length, o->length);
    uint64_t bytes;
    if (!wwi_mul_u64(o->max_length, o->channels, &bytes) || !wwi_mul_u64(bytes, sizeof(double), &bytes) ||
        !wwi_mul_u64(bytes, o->count, &bytes) || bytes > SIZE_MAX)
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu series of %zu x %zu values", o->count, o->channels, o->max_length);
    // All are held at once: what cannot fit is refused before the work begins.
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const uint64_t least = (uint64_t)o->count * o->channels * o->length * sizeof(double);
    if (pages > 0 && page > 0 && least / (uint64_t)page >= (uint64_t)pages) {
        wwi_fail(WW_ERROR_OUT_OF_MEMORY, "%zu series of %zu x %zu values do not fit this machine's memory", o->count,
                 o->channels, o->length);
        return wwi_fail_hint("generate fewer at a time, with different seeds");
    }
    return WW_OK;
}

ww_status ww_series_set_generate(ww_generator kind, const ww_generate_options *options, ww_series_set **set) {
    WWI_NEEDS("set", set);
    *set = NULL;
    ww_generate_options o = WW_GENERATE_OPTIONS_INIT;
    WWI_FREES double *values = NULL;
    WWI_ENDS(ww_series_set_destroy) ww_series_set *made = NULL;
    WWI_TRY(wwi_options_take(&o, options, "ww_generate_options"));
    WWI_TRY(check(kind, &o));
    WWI_TRY(ww_series_set_create(o.channels, &made));
    WWI_TRY(wwi_new(values, o.channels * o.max_length));
    const size_t classes = generators[kind].class_count;
    for (size_t i = 0; i < o.count; i++) {
        random_state lengths = random_stream(o.seed, i, 0);
        const size_t length = uniform_size(&lengths, o.length, o.max_length);
        const size_t class_number = classes ? i % classes : 0;
        for (size_t c = 0; c < o.channels; c++) {
            random_state random = random_stream(o.seed, i, c + 1);
            generators[kind].generate(&random, class_number, values + c * length, length);
            WWI_TRY(random.status);
        }
        WWI_TRY(ww_series_set_add(made, length, values, classes ? generators[kind].classes[class_number] : NULL));
    }
    *set = wwi_taken(&made);
    return WW_OK;
}
