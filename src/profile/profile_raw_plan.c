// SPDX-License-Identifier: Apache-2.0
// The plan of a profile of windows that are not normalised (kernels_cl/profile/profile_raw.cl): blocks and rows, the
// margin of a cell, kernels.
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "profile/profile_job.h"

// Windows of more points would take too much of a work-item's memory.
enum { MOST_BLOCK = 1024, MOST_WINDOW = MOST_BLOCK * MOST_BLOCK };
// What part of D comes to a float's margin, so that what values lose counts little where D is large.
#define PART 1e-3
// Values in float do, where windows have ranges of this part of all values, or more, at the median.
#define COARSE 0x1p-10

int64_t wwi_profile_norm(const ww_profile *p) {
    const double power = p->series.p;
    return power == 1                    ? WWK_NORM_1
           : power == 2                  ? WWK_NORM_2
           : power <= WWI_RAW_MOST_POWER ? WWK_NORM_POWER
                                         : WWK_NORM_INFINITE;
}

// A power that is made of products: 3 to 16; 0: none.
static int64_t whole_power(const ww_profile *p) {
    return wwi_profile_norm(p) == WWK_NORM_POWER && rint(p->series.p) >= p->series.p && p->series.p >= rint(p->series.p)
               ? (int64_t)p->series.p
               : 0;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// The median range of some windows that are not constant, of the channel with the largest.
static ww_status middle_range(const wwi_profile_series *s, double *range) {
    enum { TRIED = 1024 };
    WWI_FREES double *ranges = NULL;
    const size_t tried = (size_t)wwi_least(TRIED, s->windows);
    size_t found = 0;
    WWI_TRY(wwi_new(ranges, tried));
    for (size_t i = 0; i < tried; i++) {
        const size_t at = (size_t)((double)i / (double)tried * (double)s->windows);
        double widest = 0;
        for (size_t c = 0; c < s->channels; c++) {
            const double *x = s->values + c * s->points + at;
            double least = x[0], most = x[0];
            for (size_t t = 1; t < s->window; t++) {
                least = fmin(least, x[t]);
                most = fmax(most, x[t]);
            }
            widest = fmax(widest, most - least);
        }
        if (widest > 0)
            ranges[found++] = widest;
    }
    qsort(ranges, found, sizeof *ranges, ascending);
    *range = found ? ranges[found / 2] : 1;
    return WW_OK;
}

// Whether values in float would leave too many cells within their margin.
static ww_status choose_precision(ww_profile *p) {
    double own = 1, other = 1;
    p->raw.in_double = p->options.precision == WW_DOUBLE;
    if (p->raw.in_double || !wwi_context_info(p->context)->has_double)
        return WW_OK;
    WWI_TRY(middle_range(&p->series, &own));
    if (!p->self)
        WWI_TRY(middle_range(&p->other, &other));
    p->raw.in_double = fmin(own, other) < COARSE;
    return WW_OK;
}

// The margin of D (docs/profile.md): in proportion to D what roundings of sums make, and of a large p its root; besides
// what values lose as floats, and what is below the least float. |x| <= 0.5, so that a difference loses 2^-25 at most.
static void make_margin(ww_profile *p, uint32_t terms) {
    const double unit = p->raw.in_double ? DBL_EPSILON / 2 : FLT_EPSILON / 2,
                 lost = p->raw.in_double ? 0 : FLT_EPSILON / 2;
    const double count = (double)p->window * (double)p->series.channels, power = p->series.p;
    const int64_t norm = wwi_profile_norm(p);
    double relative = 1e-6 + 2 * unit * ((double)terms + 8), rounding = lost;
    // p itself is a float there, if not whole, and so are its powers: log2(d) p is above -126.
    if (norm == WWK_NORM_POWER)
        relative += whole_power(p) > 0 ? 2 * unit * power : 2e-4;
    if (norm == WWK_NORM_2 || norm == WWK_NORM_POWER) {
        relative += lost > 0 ? PART : 0;
        rounding = lost > 0 ? count * pow(lost, power) * pow(power / PART, power - 1) : 0;
    } else if (norm == WWK_NORM_1) {
        rounding = count * lost;
    } else if (isfinite(power)) {
        relative += pow(count, 1 / power) - 1;
    }
    p->raw.relative = (float)relative * 1.01f;
    p->raw.rounding = (float)(rounding + count * (double)WW_RAW_LEAST);
    p->raw.power = (float)power;
}

typedef struct shape {
    uint32_t group, vector, vectors, block;
} shape;

// Blocks of about the root of the window's points: a window has as many of them as a block has points, or fewer.
static shape make_shape(const ww_profile *p) {
    const uint32_t window = (uint32_t)p->window;
    shape s = {.group = 1, .vector = 1, .vectors = 1, .block = 32};
    while ((uint64_t)s.block * s.block < window && s.block < MOST_BLOCK)
        s.block *= 2;
    while (s.block > window)
        s.block /= 2;
    if (p->vector) {
        s.vector = p->raw.in_double ? 8 : 16;
        s.vectors = p->series.best < p->series.channels || s.block > 64 ? 1 : 2;
    } else {
        s.group = wwi_context_info(p->context)->max_work_group < 64 ? 1 : 64;
    }
    return s;
}

static ww_status compile(ww_profile *p, shape s) {
    const bool flats = p->series.has_flats || wwi_profile_other(p)->has_flats;
    const int last = p->self ? WWI_PROFILE_BOTH : WWI_PROFILE_COLUMNS_ALONE;
    for (int role = p->self ? WWI_PROFILE_BOTH : WWI_PROFILE_ROWS_ALONE; role <= last; role++) {
        const wwi_program_parts parts = {
            .texts = {"base/number.cl", "profile/profile_args.h", "profile/profile.cl", "profile/profile_raw.cl"},
            .defines = WWI_LIST({"WWK_DOUBLE", p->raw.in_double}, {"WW_CHANNELS", (int64_t)p->series.channels},
                                {"WW_BEST", (int64_t)p->series.best}, {"WW_FORCED", (int64_t)p->series.forced_count},
                                {"WW_NORM", wwi_profile_norm(p)}, {"WW_WHOLE", whole_power(p)}, {"WW_FLATS", flats},
                                {"WW_PROFILE_ROWS", role != WWI_PROFILE_COLUMNS_ALONE},
                                {"WW_PROFILE_COLUMNS", role != WWI_PROFILE_ROWS_ALONE}, {"WW_TREND", 0},
                                {"WW_RAISES", p->k == 1}, {"WW_PROFILE_BLOCK_ROWS", p->block_rows}, {"WW_WG", s.group},
                                {"WW_VECTOR", s.vector}, {"WW_VECTORS", s.vectors}, {"WW_RAW_ROWS", s.block}),
            .kernels = {{&p->tiles[0][role], "ww_profile_raw"}},
        };
        WWI_TRY(wwi_program_make(p->context, p->stream, &parts, &p->programs[0][role]));
    }
    return WW_OK;
}

ww_status wwi_profile_raw_plan(ww_profile *p) {
    if (p->window > MOST_WINDOW) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "windows of %zu points, not normalised, are too long", p->window);
        return wwi_fail_hint("such a window has %d points at most", MOST_WINDOW);
    }
    WWI_TRY(choose_precision(p));
    const shape s = make_shape(p);
    make_margin(p, 2 * s.block);
    // A tile begins with a window's points: the longer it is, the more rows.
    const long tuned = wwi_tuning_for(p->context, p->options.precision, "profile.rows", 0);
    for (p->block_rows = tuned > 0 ? (uint32_t)tuned : 512; !tuned && p->block_rows < wwi_least(4096, 4 * p->window);)
        p->block_rows *= 2;
    if (p->block_rows < s.block)
        p->block_rows = s.block;
    p->groups[0] = s.group;
    p->width = s.group * s.vector * s.vectors;
    while (p->block_rows > s.block &&
           (uint64_t)p->width * p->block_rows * 2 * WWI_PROFILE_ENTRY_BYTES > wwi_context_max_buffer(p->context))
        p->block_rows /= 2;
    p->padding += 2 * s.block; // the last rows' blocks
    return compile(p, s);
}
