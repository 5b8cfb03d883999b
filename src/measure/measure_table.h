// SPDX-License-Identifier: Apache-2.0
// The table of measures: a new measure is one row of it, one recurrence file and one reference function.
#ifndef WAVEWARP_MEASURE_TABLE_H
#define WAVEWARP_MEASURE_TABLE_H

#include <stdbool.h>
#include <stdio.h>
#include <wavewarp/measure.h>

// What the jobs may assume about a recurrence, whatever its cost (which is never negative), when its ends are closed
// and its minimum is hard.
enum {
    // Every cell is >= 0 and never NaN: minima may be taken on the bits as integers.
    WWI_MEASURE_NONNEGATIVE = 1u << 0,
    // No cell is below the least of its three neighbours: a row's minimum is a bound of the result (early abandoning).
    WWI_MEASURE_MONOTONE = 1u << 1,
    // The result is at least the sum, over the rows, of each row's least cost inside the band (LB_Keogh as a sum).
    WWI_MEASURE_BOUND_SUM = 1u << 2,
    // The result is at least the maximum, over the rows, of each row's least cost inside the band.
    WWI_MEASURE_BOUND_MAX = 1u << 3,
    // d(x,x) = 0 when the cost of equal points is 0 and the band holds the diagonal.
    WWI_MEASURE_ZERO_ON_SELF = 1u << 4,
    // A row and a column element are a point each, borders are infinite: narrow bands may take the ribbon.
    WWI_MEASURE_PLAIN = 1u << 5,
    // Borders and cells outside the band are infinite, and what comes of infinite neighbours is: paths begin at the
    // corner alone.
    WWI_MEASURE_ENCLOSED = 1u << 6,
    // A search may open both ends of its streams, though a pair's ends are closed.
    WWI_MEASURE_OPEN_STREAMS = 1u << 7,
    // A cell is its cost, which grows with the distance of its points, and the minimum of its neighbours, without costs
    // at edges: soft minima may be computed by tiles.
    WWI_MEASURE_SOFT_TILES = 1u << 8,
    // The recurrence is a caller's text.
    WWI_MEASURE_OF_TEXT = 1u << 9,
    // A cell is the number of matched points, of which the most is taken.
    WWI_MEASURE_MATCHES = 1u << 10,
    // Cells of the border are sums along a series, which are rounded differently for rows than for columns.
    WWI_MEASURE_BORDER_SUMS = 1u << 11,
    // A cell depends on how far it is from where the pair begins.
    WWI_MEASURE_FROM_BEGIN = 1u << 12,
    // A cell asks whether its neighbours are inside the band.
    WWI_MEASURE_BAND_IN_CELL = 1u << 13,
    // Of its points a cell takes their cost alone, as of those measures that take any cost.
    WWI_MEASURE_COST_ALONE = 1u << 14
};

// What the series become before they are compared.
typedef enum wwi_transform {
    WWI_TRANSFORM_NONE,
    WWI_TRANSFORM_DERIVATIVE, // two points shorter
    WWI_TRANSFORM_ERP,        // beside each channel (or all, when dependent) the border values
    WWI_TRANSFORM_TIMES       // time stamps beside the channels, when either side has them
} wwi_transform;

// A value of a parameter for which the recurrence has other code.
typedef struct wwi_special {
    size_t parameter;
    int value;
} wwi_special;

typedef struct wwi_measure_row {
    ww_measure_info info;
    const char *recurrence; // file under kernels_cl/
    unsigned flags;         // WWI_MEASURE_...
    wwi_transform transform;
    int column_values;    // values a column element adds to its point, in registers
    int row_values;       // values a row element adds, where they leave fewer registers for columns
    int column_registers; // values a column keeps from one row-step to the next beside its cell, likewise
    // Most times that a step's cost holds the error of a difference of two values; 0: not known, or the result counts
    // matches, and rounding changes it by whole matches or not at all.
    int rounding;
    int exponent; // 1 + the parameter that is an exponent, unless it has a special value; 0: none is
    wwi_special special[2];
    size_t special_count;
    // What the recurrence's slopes are (kernels_cl/base/slopes.cl); gradients need them.
    struct {
        bool any, before, border; // by the points before those of a cell; of the border of the matrix
        bool weights;             // of the weights of lags
        int parameters;           // the first so many have slopes
    } slopes;
} wwi_measure_row;

// The rows, in measures.c.
extern const wwi_measure_row wwi_measures[];
extern const size_t wwi_measure_count;
// The row of a measure; NULL when there is none. Static.
const wwi_measure_row *wwi_measure_row_by_id(ww_measure_id id);

// The place of a measure's parameter; their number where it has none of that name.
size_t wwi_measure_find_parameter(const ww_measure_info *info, const char *name);
// A parameter's value; 0 of a measure that has none of that name.
double wwi_measure_parameter(const ww_measure *measure, const char *name);

static inline bool wwi_measure_has(const ww_measure *measure, unsigned flag) {
    return (wwi_measure_row_by_id(measure->id)->flags & flag) != 0;
}

// Called first by each function that takes a measure: copies a caller's, of any version's size, to `own`, and checks
// it. What it points to is still the caller's. WW_ERROR_INVALID_ARGUMENT, WW_ERROR_UNSUPPORTED.
ww_status wwi_measure_take(const ww_measure *given, ww_measure *own);
// Whether every field of a measure of this version is in range. WW_ERROR_INVALID_ARGUMENT. Lengths are not looked at:
// see ww_band_rows().
ww_status wwi_measure_check(const ww_measure *measure);

// Prints, without a line feed, all that the values of a checked measure depend on.
void wwi_measure_print(const ww_measure *measure, FILE *to);

// For a checked measure: its cost with WW_COST_DEFAULT resolved.
ww_cost wwi_measure_cost(const ww_measure *measure);
// A copy of a checked measure, with copies of what it points to, which wwi_measure_disown() frees; also after a
// failure.
ww_status wwi_measure_own(const ww_measure *measure, ww_measure *own);
void wwi_measure_disown(ww_measure *own);
// For a checked measure: d(x,y) = d(y,x) for all x, y. False where it is not known (a user's cost, some bands).
bool wwi_measure_is_symmetric(const ww_measure *measure);
// For a checked measure: cells of an n x m matrix that take part, as wwi_band_cells(). With open ends a Sakoe-Chiba
// band that ends before the longer series does has paths where the rest of that series may be skipped. 0 also where
// such a path would not be found by wwi_band_stretched(): of one point beside a border where paths begin, and of a
// user's recurrence, whose cells may be less than the one before.
uint64_t wwi_measure_band_cells(const ww_measure *measure, size_t n, size_t m);
// For a checked measure: d(x,y) = d(y,x) when the relaxation of open ends is exchanged with the series.
bool wwi_measure_roles_exchange(const ww_measure *measure);
// For a checked measure: an end of a series may be skipped; the minimum is soft.
bool wwi_measure_is_open(const ww_measure *measure);
bool wwi_measure_is_soft(const ww_measure *measure);
// Whether the last bits depend on the engine: soft minima, the sums on a border of ERP, a user's text.
bool wwi_measure_rounds_by_engine(const ww_measure *measure);
// For a checked measure: d(x,x) = 0 for all x. False where it is not known.
bool wwi_measure_is_zero_on_self(const ww_measure *measure);
// For a checked measure: its cells are whole numbers that differ by at most 1 from their neighbours, and depend on
// nothing but which symbols are the same, or which points are no farther apart than epsilon.
bool wwi_measure_is_bits_of_symbols(const ww_measure *measure);
bool wwi_measure_is_bits_of_points(const ww_measure *measure);
// For a checked measure: whether a parameter's value is a choice between codes of the recurrence, which knows it as
// WW_I_name. A switch's 0 or 1; a special value of the measure's row, or -1 for all others.
bool wwi_measure_form(const ww_measure *measure, size_t parameter, int *form);
// For a checked measure: the recurrence takes a power.
bool wwi_measure_has_power(const ww_measure *measure);
// For a checked measure: its borders are totals; its values are divided by the longer length.
bool wwi_measure_has_total_borders(const ww_measure *measure);
bool wwi_measure_is_normalised(const ww_measure *measure);
// For a checked measure: larger means more similar.
bool wwi_measure_is_similarity(const ww_measure *measure);

#endif
