// SPDX-License-Identifier: Apache-2.0
// The textbook form of each measure, in float, for one core, as the baseline for a CPU's speed. And some measures for
// pairs that would take the reference minutes: in double along the anti-diagonals, an order that a compiler can
// vectorise, or 64 cells a word.
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline float least(float a, float b, float c) {
    const float d = a < b ? a : b;
    return c < d ? c : d;
}
static inline float larger(float a, float b) {
    return a > b ? a : b;
}
// The cost of a split or merge: `a` between `b` and `c` or not.
static inline float move(float a, float b, float c) {
    if ((b <= a && a <= c) || (b >= a && a >= c))
        return 1;
    const float f = fabsf(a - b), g = fabsf(a - c);
    return 1 + (f < g ? f : g);
}

// LEFT is D(i,0), TOP D(0,j), CELL D(i,j) from left, up, diagonal. a, b are x_i, y_j; before_a, before_b those before
// them.
#define TEXTBOOK(name, LEFT, TOP, CELL)                                                                                \
    static float name(const float *x, size_t n, const float *y, size_t m, float *row) {                                \
        row[0] = 0;                                                                                                    \
        for (size_t j = 1; j <= m; j++)                                                                                \
            row[j] = (TOP);                                                                                            \
        for (size_t i = 1; i <= n; i++) {                                                                              \
            const float a = x[i - 1], before_a = i > 1 ? x[i - 2] : 0;                                                 \
            float diagonal = row[0], before_b = 0;                                                                     \
            (void)a, (void)before_a;                                                                                   \
            row[0] = (LEFT);                                                                                           \
            for (size_t j = 1; j <= m; j++) {                                                                          \
                const float b = y[j - 1], left = row[j - 1], up = row[j];                                              \
                row[j] = (CELL);                                                                                       \
                diagonal = up;                                                                                         \
                before_b = b;                                                                                          \
            }                                                                                                          \
            (void)before_b;                                                                                            \
        }                                                                                                              \
        return row[m];                                                                                                 \
    }

#define APART fabsf((float)i - (float)j)
TEXTBOOK(dtw, INFINITY, INFINITY, (a - b) * (a - b) + least(left, up, diagonal))
TEXTBOOK(frechet, INFINITY, INFINITY, larger(fabsf(a - b), least(left, up, diagonal)))
TEXTBOOK(adtw, INFINITY, INFINITY, (a - b) * (a - b) + least(left + 1, up + 1, diagonal))
TEXTBOOK(wdtw, INFINITY, INFINITY,
         (a - b) * (a - b) / (1 + expf(-0.05f * (APART - 0.5f * (float)(n > m ? n : m)))) + least(left, up, diagonal))
TEXTBOOK(erp, row[0] + fabsf(a), row[j - 1] + fabsf(y[j - 1]),
         least(left + fabsf(b), up + fabsf(a), diagonal + fabsf(a - b)))
TEXTBOOK(edr, (float)i, (float)j, least(left + 1, up + 1, diagonal + (fabsf(a - b) > 0.25f ? 1.0f : 0.0f)))
TEXTBOOK(lcss, 0, 0, fabsf(a - b) <= 1 ? diagonal + 1 : larger(left, up))
TEXTBOOK(msm, INFINITY, INFINITY,
         least(left + move(b, a, before_b), up + move(a, before_a, b), diagonal + fabsf(a - b)))
TEXTBOOK(twed, INFINITY, INFINITY,
         least(left + fabsf(b - before_b) + 1.001f, up + fabsf(a - before_a) + 1.001f,
               diagonal + fabsf(a - b) + fabsf(before_a - before_b) + 0.002f * APART))
TEXTBOOK(levenshtein, (float)i, (float)j, least(left + 1, up + 1, diagonal + (a == b ? 0.0f : 1.0f)))
TEXTBOOK(lcs, 0, 0, a == b ? diagonal + 1 : larger(left, up))

typedef float textbook(const float *x, size_t n, const float *y, size_t m, float *row);

static textbook *textbook_of(ww_measure_id id) {
    switch (id) {
    case WW_DTW:
    case WW_DDTW:
        return dtw;
    case WW_FRECHET:
        return frechet;
    case WW_ADTW:
        return adtw;
    case WW_WDTW:
    case WW_WDDTW:
        return wdtw;
    case WW_ERP:
        return erp;
    case WW_EDR:
        return edr;
    case WW_LCSS:
        return lcss;
    case WW_MSM:
        return msm;
    case WW_TWED:
        return twed;
    case WW_LEVENSHTEIN:
        return levenshtein;
    case WW_LCS:
        return lcs;
    default:
        return NULL;
    }
}

double bench_textbook(ww_measure_id id, const bench_data *data, size_t n, size_t m, double seconds) {
    textbook *function = textbook_of(id);
    float *x = malloc((n + 2 * m + 1) * sizeof *x), *y = x + n;
    double samples[64], begin = bench_seconds();
    size_t count = 0;
    volatile float sink = 0;
    if (!x || !function) {
        free(x);
        return 0;
    }
    // The real values of the series: branch prediction depends on them.
    for (size_t t = 0; t < n + m; t++)
        x[t] = (float)bench_data_value(data, t);
    const size_t repeats = 1 + (size_t)(4e6 / ((double)n * (double)m));
    do {
        const double start = bench_seconds();
        for (size_t k = 0; k < repeats; k++)
            sink = sink + function(x, n, y, m, y + m);
        samples[count++] = bench_seconds() - start;
    } while (count < 64 && (count < 3 || bench_seconds() - begin < seconds));
    free(x);
    return (double)repeats * (double)n * (double)m / bench_summary(samples, count).median;
}

// Diagonal d holds the cells (i, d - i), at index i. Diagonals 0 and 1 are borders: D(0,0) = 0, all else infinite.
// y_j with j = d - i is at reversed[m - j]; a zero precedes x_1 and y_1.
#define BY_DIAGONALS(name, CELL)                                                                                       \
    static double name(const double *x, size_t n, const double *y, size_t m) {                                         \
        double *memory = malloc((4 * (n + 1) + m + 1) * sizeof *memory);                                               \
        if (!memory)                                                                                                   \
            return -1;                                                                                                 \
        double *before = memory, *last = memory + n + 1, *now = memory + 2 * (n + 1), *xs = memory + 3 * (n + 1);      \
        double *reversed = memory + 4 * (n + 1);                                                                       \
        xs[0] = reversed[m] = 0;                                                                                       \
        for (size_t i = 0; i < n; i++)                                                                                 \
            xs[i + 1] = x[i];                                                                                          \
        for (size_t j = 0; j < m; j++)                                                                                 \
            reversed[m - 1 - j] = y[j];                                                                                \
        for (size_t i = 0; i <= n; i++)                                                                                \
            before[i] = last[i] = now[i] = INFINITY;                                                                   \
        before[0] = 0;                                                                                                 \
        for (size_t d = 2; d <= n + m; d++) {                                                                          \
            const size_t first = d > m ? d - m : 1, end = d - 1 < n ? d - 1 : n;                                       \
            for (size_t i = first; i <= end; i++) {                                                                    \
                const double a = xs[i], b = reversed[m + i - d], before_a = xs[i - 1];                                 \
                const double before_b = reversed[m + i - d + 1];                                                       \
                const double up = last[i - 1], left = last[i], diagonal = before[i - 1];                               \
                const double apart = fabs(2 * (double)i - (double)d);                                                  \
                (void)before_a, (void)before_b, (void)apart;                                                           \
                now[i] = (CELL);                                                                                       \
            }                                                                                                          \
            now[0] = INFINITY;                                                                                         \
            if (first > 1)                                                                                             \
                now[first - 1] = INFINITY;                                                                             \
            if (end < n)                                                                                               \
                now[end + 1] = INFINITY;                                                                               \
            double *free_row = before;                                                                                 \
            before = last;                                                                                             \
            last = now;                                                                                                \
            now = free_row;                                                                                            \
        }                                                                                                              \
        const double result = last[n];                                                                                 \
        free(memory);                                                                                                  \
        return result;                                                                                                 \
    }
static inline double least_of(double a, double b, double c) {
    const double d = a < b ? a : b;
    return c < d ? c : d;
}
BY_DIAGONALS(dtw_by_diagonals, (a - b) * (a - b) + least_of(left, up, diagonal))
BY_DIAGONALS(twed_by_diagonals, least_of(left + fabs(b - before_b) + 1.001, up + fabs(a - before_a) + 1.001,
                                         diagonal + fabs(a - b) + fabs(before_a - before_b) + 0.002 * apart))

// Edit distance by differences between cells, 64 columns a word (Myers 1999), and the longest common subsequence
// likewise (Crochemore, Iliopoulos, Pinzon, Reid 2001), with a table of the columns that have each symbol, 0 to SYMBOLS
// - 1.
#define SYMBOLS 64
static double by_words(ww_measure_id id, const double *x, size_t n, const double *y, size_t m) {
    const size_t words = (m + 63) / 64;
    uint64_t *table = calloc((SYMBOLS + 2) * words, sizeof *table), *plus = table, *minus = table;
    if (!table)
        return -1;
    plus += SYMBOLS * words;
    minus += (SYMBOLS + 1) * words;
    for (size_t j = 0; j < m; j++)
        table[(size_t)y[j] % SYMBOLS * words + j / 64] |= UINT64_C(1) << j % 64;
    memset(plus, 0xff, words * sizeof *plus);
    double result = id == WW_LCS ? 0 : (double)m;
    for (size_t i = 0; i < n; i++) {
        const uint64_t *row = table + (size_t)x[i] % SYMBOLS * words;
        uint64_t up = 1, down = 0, carry = 0;
        for (size_t w = 0; w < words; w++) {
            const uint64_t p = plus[w], q = minus[w];
            if (id == WW_LCS) {
                const uint64_t common = p & row[w], sum = p + common, total = sum + carry;
                carry = (sum < common) | (total < sum);
                plus[w] = total | (p & ~row[w]);
                continue;
            }
            const uint64_t same = row[w] | down, zero = (((same & p) + p) ^ p) | same | q;
            const uint64_t rise = q | ~(zero | p), fall = p & zero, last = w + 1 < words ? 63 : (m - 1) % 64;
            const uint64_t risen = rise << 1 | up, fallen = fall << 1 | down;
            plus[w] = fallen | ~(zero | risen);
            minus[w] = zero & risen;
            up = rise >> last & 1;
            down = fall >> last & 1;
        }
        result += id == WW_LCS ? 0 : (double)up - (double)down;
    }
    for (size_t j = 0; id == WW_LCS && j < m; j++)
        result += (double)(~plus[j / 64] >> j % 64 & 1);
    free(table);
    return result;
}

bool bench_long_pair(ww_measure_id id, const double *x, size_t n, const double *y, size_t m, double *result) {
    if (id == WW_LEVENSHTEIN || id == WW_LCS) {
        *result = by_words(id, x, n, y, m);
        return true;
    }
    if (id != WW_DTW && id != WW_TWED)
        return false;
    *result = id == WW_DTW ? dtw_by_diagonals(x, n, y, m) : twed_by_diagonals(x, n, y, m);
    return true;
}

double bench_textbook_paths(const bench_data *data, size_t n, double seconds) {
    float *x = malloc(2 * n * sizeof *x), *D = malloc((n + 1) * (n + 1) * sizeof *D);
    uint64_t cells = 0;
    size_t steps = 0;
    double taken = 0;
    for (size_t t = 0; x && t < n; t++)
        x[t] = x[2 * n - 1 - t] = (float)bench_data_value(data, t);
    const float *y = x ? x + n : NULL;
    for (const double begin = bench_seconds(); x && D && taken < seconds; taken = bench_seconds() - begin) {
        for (size_t j = 0; j <= n; j++)
            D[j] = INFINITY;
        D[0] = 0;
        for (size_t i = 1; i <= n; i++) {
            float *row = D + i * (n + 1), *above = row - (n + 1);
            row[0] = INFINITY;
            for (size_t j = 1; j <= n; j++)
                row[j] = (x[i - 1] - y[j - 1]) * (x[i - 1] - y[j - 1]) + least(row[j - 1], above[j], above[j - 1]);
        }
        for (size_t i = n, j = n; i || j; steps++) {
            const float *here = D + i * (n + 1) + j;
            const float up = i ? here[-(ptrdiff_t)(n + 1)] : INFINITY, left = j ? here[-1] : INFINITY;
            const float diagonal = i && j ? here[-(ptrdiff_t)(n + 1) - 1] : INFINITY;
            const int aside = diagonal > up || diagonal > left;
            i -= !aside || up <= left;
            j -= !aside || up > left;
        }
        cells += (uint64_t)n * n;
    }
    free(x);
    free(D);
    return taken > 0 && steps ? (double)cells / taken : 0;
}
