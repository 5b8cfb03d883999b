// SPDX-License-Identifier: Apache-2.0
// Open ends and the soft minimum of every measure that has them, in double: cells as edges and a node, the whole
// matrix; and the same by an enumeration of all paths. Points and cells count from 1; point 0 is all zero at time 0.
// Shares nothing with the cells of recurrences.c: closed and hard, the two must agree.
#include "choices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum move { LEFT, UP, DIAGONAL } move;

typedef struct problem {
    const ww_measure *measure;
    ww_cost cost;
    wwr_value_cost user;
    const wwr_series *x, *y;
    const double *x_times, *y_times; // NULL: the index
    const size_t *lo, *hi;           // of the band
} problem;

static double at(const wwr_series *s, size_t i, size_t channel) {
    return i ? s->values[channel * s->length + i - 1] : 0.0;
}

// (sum over the channels of |a - b|^p)^(1/p), without the root when `power`.
static double apart(const wwr_series *a, size_t i, const wwr_series *b, size_t j, double degree, int power) {
    double sum = 0.0;
    for (size_t c = 0; c < a->channels; c++)
        sum += pow(fabs(at(a, i, c) - at(b, j, c)), degree);
    return power ? sum : pow(sum, 1.0 / degree);
}

static double local_cost(const problem *p, size_t i, size_t j) {
    double sum = 0.0;
    if (p->cost == WW_COST_SQUARED)
        return apart(p->x, i, p->y, j, 2.0, 1);
    if (p->cost == WW_COST_EUCLIDEAN)
        return apart(p->x, i, p->y, j, 2.0, 0);
    if (p->cost == WW_COST_ABSOLUTE)
        return apart(p->x, i, p->y, j, 1.0, 1);
    for (size_t c = 0; c < p->x->channels; c++)
        sum += p->user(at(p->x, i, c), at(p->y, j, c));
    return sum;
}

// ---- what the cells are

static double gap(const problem *p, const wwr_series *s, size_t i) {
    double sum = 0.0;
    for (size_t c = 0; c < s->channels; c++)
        sum += (at(s, i, c) - p->measure->parameters[0]) * (at(s, i, c) - p->measure->parameters[0]);
    return sqrt(sum);
}

static double split_or_merge(const problem *p, const wwr_series *s, size_t a, const wwr_series *t, size_t b) {
    // Point a of s between its own predecessor and point b of t, of one channel.
    const double value = at(s, a, 0), one = at(s, a - 1, 0), other = at(t, b, 0), c = p->measure->parameters[0];
    if ((one <= value && value <= other) || (one >= value && value >= other))
        return c;
    return c + fmin(fabs(value - one), fabs(value - other));
}

static double time_at(const double *times, size_t i) {
    return i == 0 ? 0.0 : times ? times[i - 1] : (double)i;
}

static double twed_gap(const problem *p, const wwr_series *s, const double *times, size_t i) {
    const double *q = p->measure->parameters;
    return apart(s, i, s, i - 1, q[2], q[3] != 0.0) + q[0] * (time_at(times, i) - time_at(times, i - 1)) + q[1];
}

static double twed_match(const problem *p, size_t i, size_t j) {
    const double *q = p->measure->parameters;
    return apart(p->x, i, p->y, j, q[2], q[3] != 0.0) + q[0] * fabs(time_at(p->x_times, i) - time_at(p->y_times, j));
}

static int matches(const problem *p, size_t i, size_t j, double within) {
    int all = 1;
    for (size_t c = 0; c < p->x->channels; c++)
        all = all && fabs(at(p->x, i, c) - at(p->y, j, c)) <= within;
    return all;
}

// The cost of going into cell (i,j).
static double edge(const problem *p, size_t i, size_t j, move how) {
    const double *q = p->measure->parameters;
    switch (p->measure->id) {
    case WW_ADTW:
        return how == DIAGONAL ? 0.0 : q[0];
    case WW_ERP:
        return how == UP ? gap(p, p->x, i) : how == LEFT ? gap(p, p->y, j) : apart(p->x, i, p->y, j, 2.0, 0);
    case WW_EDR:
        return how == DIAGONAL && matches(p, i, j, q[0]) ? 0.0 : 1.0;
    case WW_LCS: // the negated length
        return how != DIAGONAL ? 0.0 : matches(p, i, j, 0.0) ? -1.0 : INFINITY;
    case WW_LCSS:
        return how != DIAGONAL ? 0.0 : local_cost(p, i, j) <= q[0] ? -1.0 : INFINITY;
    case WW_LEVENSHTEIN:
        return how == UP ? q[1] : how == LEFT ? q[0] : matches(p, i, j, 0.0) ? 0.0 : q[2];
    case WW_MSM: // its first row and column have no match before them to split or merge
        if ((how == UP && i == 1) || (how == LEFT && j == 1))
            return INFINITY;
        return how == UP     ? split_or_merge(p, p->x, i, p->y, j)
               : how == LEFT ? split_or_merge(p, p->y, j, p->x, i)
                             : apart(p->x, i, p->y, j, 1.0, 1);
    case WW_TWED:
        return how == UP     ? twed_gap(p, p->x, p->x_times, i)
               : how == LEFT ? twed_gap(p, p->y, p->y_times, j)
                             : twed_match(p, i, j) + twed_match(p, i - 1, j - 1);
    default:
        return 0.0;
    }
}

// What cell (i,j) itself adds.
static double node(const problem *p, size_t i, size_t j) {
    const double *q = p->measure->parameters;
    const double longer = (double)(p->x->length > p->y->length ? p->x->length : p->y->length);
    switch (p->measure->id) {
    case WW_WDTW:
    case WW_WDDTW:
        return local_cost(p, i, j) * q[1] / (1.0 + exp(-q[0] * (fabs((double)i - (double)j) - longer / 2.0)));
    case WW_DTW:
    case WW_DDTW:
    case WW_ADTW:
    case WW_FRECHET:
        return local_cost(p, i, j);
    default:
        return 0.0;
    }
}

static double joined(const problem *p, double before, double cost) {
    return p->measure->id == WW_FRECHET ? fmax(before, cost) : before + cost;
}

// The cost of going along the border to (i,0) or (0,j).
static double border_edge(const problem *p, size_t i, size_t j) {
    const ww_measure_id id = p->measure->id;
    const int bordered = id == WW_ERP || id == WW_EDR || id == WW_LEVENSHTEIN || id == WW_LCS || id == WW_LCSS;
    return bordered ? edge(p, i, j, i ? UP : LEFT) : INFINITY;
}

static int in_band(const problem *p, size_t i, size_t j) {
    return i == 0 || j == 0 || (j > p->lo[i - 1] && j <= p->hi[i - 1]);
}

// LCS and LCSS: outside the band the count is 0, as on the border, and paths may go there.
static int counts(const problem *p) {
    return p->measure->id == WW_LCS || p->measure->id == WW_LCSS;
}

static int is_begin(const problem *p, size_t i, size_t j) {
    return (j == 0 && i <= p->measure->relax_begin_x) || (i == 0 && j <= p->measure->relax_begin_y);
}

static int is_end(const problem *p, size_t i, size_t j) {
    const size_t left_x = p->x->length - i, left_y = p->y->length - j;
    return (left_x == 0 && left_y <= p->measure->relax_end_y) || (left_y == 0 && left_x <= p->measure->relax_end_x);
}

// ---- the matrix

static double soft(double gamma, const double *values, size_t count) {
    double least = INFINITY, sum = 0.0;
    for (size_t k = 0; k < count; k++)
        least = fmin(least, values[k]);
    if (gamma == 0.0 || isinf(least))
        return least;
    for (size_t k = 0; k < count; k++)
        sum += exp((least - values[k]) / gamma);
    return least - gamma * log(sum);
}

static double final_value(const problem *p, double value) {
    const double shorter = (double)(p->x->length < p->y->length ? p->x->length : p->y->length);
    if (p->measure->id == WW_LCS)
        value = -value;
    if (p->measure->id == WW_LCSS)
        value = p->measure->parameters[1] != 0.0 ? -value / shorter : 1.0 + value / shorter;
    if (p->measure->id == WW_EDR && p->measure->parameters[1] != 0.0)
        value /= (double)(p->x->length > p->y->length ? p->x->length : p->y->length);
    return p->measure->root ? sqrt(value) : value;
}

// All cells; the best of the ends, and the first that is.
static double fill(const problem *p, double *D, size_t *end_i, size_t *end_j) {
    const size_t n = p->x->length, m = p->y->length, width = m + 1;
    double best = INFINITY;
    *end_i = n;
    *end_j = m;
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            double *here = &D[i * width + j];
            if (is_begin(p, i, j))
                *here = 0.0;
            else if (j == 0)
                *here = here[-(ptrdiff_t)width] + border_edge(p, i, 0);
            else if (i == 0)
                *here = here[-1] + border_edge(p, 0, j);
            else if (!in_band(p, i, j))
                *here = counts(p) ? 0.0 : INFINITY;
            else if (counts(p)) // a match takes the diagonal, and nothing else does
                *here = isfinite(edge(p, i, j, DIAGONAL)) ? here[-(ptrdiff_t)width - 1] - 1.0
                                                          : fmin(here[-1], here[-(ptrdiff_t)width]);
            else {
                const double entries[3] = {here[-1] + edge(p, i, j, LEFT), here[-(ptrdiff_t)width] + edge(p, i, j, UP),
                                           here[-(ptrdiff_t)width - 1] + edge(p, i, j, DIAGONAL)};
                *here = joined(p, soft(p->measure->gamma, entries, 3), node(p, i, j));
            }
            if (is_end(p, i, j) && *here < best) {
                best = *here;
                *end_i = i;
                *end_j = j;
            }
        }
    return best;
}

static double matrix(const problem *p) {
    double *D = calloc((p->x->length + 1) * (p->y->length + 1), sizeof *D);
    size_t i, j;
    if (!D)
        abort();
    const double best = fill(p, D, &i, &j);
    free(D);
    return final_value(p, best);
}

// ---- every path

typedef struct paths {
    double least, sum; // sum of exp(-cost/gamma)
} paths;

static void walk_on(const problem *p, size_t i, size_t j, double cost, paths *found) {
    if (is_end(p, i, j)) {
        found->least = fmin(found->least, cost);
        found->sum += p->measure->gamma > 0.0 ? exp(-cost / p->measure->gamma) : 0.0;
    }
    static const size_t down[] = {0, 1, 1}, right[] = {1, 0, 1};
    for (move how = LEFT; how <= DIAGONAL; how++) {
        const size_t to_i = i + down[how], to_j = j + right[how];
        if (to_i > p->x->length || to_j > p->y->length || !in_band(p, to_i, to_j))
            continue;
        if (to_i && to_j)
            walk_on(p, to_i, to_j, joined(p, cost + edge(p, to_i, to_j, how), node(p, to_i, to_j)), found);
        else if (!is_begin(p, to_i, to_j) && !isinf(border_edge(p, to_i, to_j))) // else a path begins there
            walk_on(p, to_i, to_j, cost + border_edge(p, to_i, to_j), found);
    }
}

static double every_path(const problem *p) {
    paths found = {INFINITY, 0.0};
    for (size_t i = 0; i <= p->x->length; i++)
        for (size_t j = 0; j <= p->y->length; j++)
            if (is_begin(p, i, j))
                walk_on(p, i, j, 0.0, &found);
    return final_value(p, p->measure->gamma > 0.0 ? -p->measure->gamma * log(found.sum) : found.least);
}

// ---- both

static double over_channels(const problem *whole, double (*value)(const problem *)) {
    double sum = 0.0;
    if (!whole->measure->independent)
        return value(whole);
    for (size_t c = 0; c < whole->x->channels; c++) {
        const wwr_series x = {whole->x->values + c * whole->x->length, whole->x->length, 1};
        const wwr_series y = {whole->y->values + c * whole->y->length, whole->y->length, 1};
        problem p = *whole;
        p.x = &x;
        p.y = &y;
        sum += value(&p);
    }
    return sum;
}

// The band's rows. With open ends a path may end before the last row or column, so that a Sakoe-Chiba band is taken as
// it is; false: there is no path from corner to corner, where one is needed.
static int find_rows(const ww_measure *measure, const wwr_series *x, const wwr_series *y, size_t *lo, size_t *hi) {
    const size_t n = x->length, m = y->length;
    if (measure->band.kind != WW_BAND_SAKOE_CHIBA || !(measure->relax_end_x || measure->relax_end_y))
        return ww_band_rows(&measure->band, n, m, lo, hi) == WW_OK;
    for (size_t i = 0; i < n; i++) {
        const double first = (double)i - measure->band.width, end = (double)i + measure->band.width + 1;
        lo[i] = first > 0 ? (size_t)first : 0;
        hi[i] = end < (double)m ? (size_t)end : m;
    }
    return 1;
}

static double choice(const ww_measure *measure, wwr_value_cost user, const wwr_series *x, const double *x_times,
                     const wwr_series *y, const double *y_times, double (*value)(const problem *)) {
    size_t *lo = calloc(x->length, sizeof *lo), *hi = calloc(x->length, sizeof *hi);
    if (!lo || !hi)
        abort();
    problem p = {measure, measure->cost, user, x, y, x_times, y_times, lo, hi};
    if (p.cost == WW_COST_DEFAULT)
        p.cost = ww_measure_info_by_id(measure->id)->cost;
    const double result = find_rows(measure, x, y, lo, hi) ? over_channels(&p, value) : (double)INFINITY;
    free(lo);
    free(hi);
    return result;
}

double wwr_choice(const ww_measure *measure, wwr_value_cost user, const wwr_series *x, const double *x_times,
                  const wwr_series *y, const double *y_times) {
    return choice(measure, user, x, x_times, y, y_times, matrix);
}

// Where the values of all cells are wanted: added there.
static double *all_costs;

static double kept_matrix(const problem *p) {
    const size_t n = p->x->length, m = p->y->length;
    double *D = calloc((n + 1) * (m + 1), sizeof *D);
    size_t i, j;
    if (!D)
        abort();
    const double best = fill(p, D, &i, &j);
    for (i = 0; i < n; i++)
        for (j = 0; j < m; j++) {
            const double value = D[(i + 1) * (m + 1) + j + 1];
            all_costs[i * m + j] += in_band(p, i + 1, j + 1) ? counts(p) ? -value : value : (double)INFINITY;
        }
    free(D);
    return final_value(p, best);
}

double wwr_costs(const ww_measure *measure, const wwr_series *x, const wwr_series *y, double *costs) {
    all_costs = costs;
    memset(costs, 0, x->length * y->length * sizeof *costs);
    return choice(measure, NULL, x, NULL, y, NULL, kept_matrix);
}

double wwr_choice_all_paths(const ww_measure *measure, const wwr_series *x, const wwr_series *y) {
    return choice(measure, NULL, x, NULL, y, NULL, every_path);
}

// ---- paths

typedef struct path {
    int32_t (*cells)[2];
    size_t count;
} path;

static void add_cell(path *found, size_t i, size_t j) {
    found->cells[found->count][0] = (int32_t)i - 1;
    found->cells[found->count][1] = (int32_t)j - 1;
    found->count++;
}

static void reverse(path *found) {
    for (size_t a = 0; a + 1 < found->count - a; a++)
        for (int side = 0; side < 2; side++) {
            const int32_t kept = found->cells[a][side];
            found->cells[a][side] = found->cells[found->count - 1 - a][side];
            found->cells[found->count - 1 - a][side] = kept;
        }
}

// Outside the band to the border that is on that side of it. Inside, of two ways that count nothing more, the one that
// stays inside.
static move way_of_count(const problem *p, size_t i, size_t j, move better) {
    if (!in_band(p, i, j))
        return j <= p->lo[i - 1] ? LEFT : UP;
    if (isfinite(edge(p, i, j, DIAGONAL)))
        return DIAGONAL;
    return better == UP && !in_band(p, i - 1, j) && in_band(p, i, j - 1) ? LEFT : better;
}

static void walk_back(const problem *p, path *found) {
    const size_t width = p->y->length + 1;
    double *D = calloc((p->x->length + 1) * width, sizeof *D);
    size_t i, j;
    if (!D)
        abort();
    (void)fill(p, D, &i, &j);
    while (!is_begin(p, i, j)) {
        const double *here = &D[i * width + j];
        move how = i == 0 ? LEFT : UP;
        if (i && j) {
            const double left = here[-1] + edge(p, i, j, LEFT), up = here[-(ptrdiff_t)width] + edge(p, i, j, UP);
            const double diagonal = here[-(ptrdiff_t)width - 1] + edge(p, i, j, DIAGONAL);
            how = diagonal <= up && diagonal <= left ? DIAGONAL : up <= left ? UP : LEFT;
            if (counts(p))
                how = way_of_count(p, i, j, up <= left ? UP : LEFT);
        }
        add_cell(found, i, j);
        i -= how != LEFT;
        j -= how != UP;
    }
    free(D);
    reverse(found);
}

static double along(const problem *p, const path *found) {
    double value = 0.0;
    size_t i = 0, j = 0;
    if (found->count) {
        const size_t first_i = (size_t)(found->cells[0][0] + 1), first_j = (size_t)(found->cells[0][1] + 1);
        // It comes from a cell of the border that is a beginning: the diagonal, up or left.
        if (first_i && first_j && is_begin(p, first_i - 1, first_j - 1)) {
            i = first_i - 1;
            j = first_j - 1;
        } else if (first_i && is_begin(p, first_i - 1, first_j)) {
            i = first_i - 1;
            j = first_j;
        } else if (first_j && is_begin(p, first_i, first_j - 1)) {
            i = first_i;
            j = first_j - 1;
        } else {
            return NAN;
        }
    }
    for (size_t k = 0; k < found->count; k++) {
        const size_t to_i = (size_t)(found->cells[k][0] + 1), to_j = (size_t)(found->cells[k][1] + 1);
        const move how = to_i == i ? LEFT : to_j == j ? UP : DIAGONAL;
        if (to_i < i || to_j < j || to_i > i + 1 || to_j > j + 1 || (to_i == i && to_j == j))
            return NAN;
        if (!in_band(p, to_i, to_j) && (!counts(p) || how == DIAGONAL))
            return NAN;
        value = to_i && to_j ? joined(p, value + edge(p, to_i, to_j, how), node(p, to_i, to_j))
                             : value + border_edge(p, to_i, to_j);
        i = to_i;
        j = to_j;
    }
    return found->count == 0 || is_end(p, i, j) ? final_value(p, value) : NAN;
}

// The path so far, from its end, and the best one.
typedef struct choice_of_all {
    path now, best;
    double least;
    int found;
} choice_of_all;

// Every path backwards; the first of the best is kept, and the order of the moves is that of the ties.
static void every_way_back(const problem *p, size_t i, size_t j, choice_of_all *all) {
    if (is_begin(p, i, j)) {
        path forwards = {malloc((all->now.count + 1) * sizeof *forwards.cells), all->now.count};
        if (!forwards.cells)
            abort();
        for (size_t k = 0; k < forwards.count; k++)
            for (int side = 0; side < 2; side++)
                forwards.cells[k][side] = all->now.cells[forwards.count - 1 - k][side];
        const double raw = along(p, &forwards),
                     value = p->measure->id == WW_LCS || p->measure->id == WW_LCSS
                                 ? (p->measure->parameters[1] != 0.0 || p->measure->id == WW_LCS ? -raw : raw)
                                 : raw;
        if (value < all->least) {
            all->least = value;
            all->best.count = forwards.count;
            for (size_t k = 0; k < forwards.count; k++)
                for (int side = 0; side < 2; side++)
                    all->best.cells[k][side] = forwards.cells[k][side];
        }
        free(forwards.cells);
        return;
    }
    for (int how = 0; how < 3; how++) { // diagonal, up, left
        const size_t down = how != 2, right = how != 1;
        if (i < down || j < right || (i == 0 && how != 2) || (j == 0 && how != 1) || !in_band(p, i - down, j - right))
            continue;
        add_cell(&all->now, i, j);
        every_way_back(p, i - down, j - right, all);
        all->now.count--;
    }
}

static void choose_of_all(const problem *p, path *found) {
    choice_of_all all = {{calloc(p->x->length + p->y->length + 1, sizeof *found->cells), 0}, *found, INFINITY, 0};
    if (!all.now.cells)
        abort();
    for (size_t i = 0; i <= p->x->length; i++)
        for (size_t j = 0; j <= p->y->length; j++)
            if (is_end(p, i, j) && in_band(p, i, j))
                every_way_back(p, i, j, &all);
    free(all.now.cells);
    *found = all.best;
}

static double with_band(const ww_measure *measure, const wwr_series *x, const wwr_series *y, path *found,
                        void (*make)(const problem *, path *)) {
    size_t *lo = calloc(x->length, sizeof *lo), *hi = calloc(x->length, sizeof *hi);
    double value = NAN;
    if (!lo || !hi)
        abort();
    problem p = {measure, measure->cost, NULL, x, y, NULL, NULL, lo, hi};
    if (p.cost == WW_COST_DEFAULT)
        p.cost = ww_measure_info_by_id(measure->id)->cost;
    if (find_rows(measure, x, y, lo, hi)) {
        if (make)
            make(&p, found);
        value = along(&p, found);
    }
    free(lo);
    free(hi);
    return value;
}

size_t wwr_path(const ww_measure *measure, const wwr_series *x, const wwr_series *y, int32_t (*cells)[2]) {
    path found = {cells, 0};
    (void)with_band(measure, x, y, &found, walk_back);
    return found.count;
}

size_t wwr_path_of_all(const ww_measure *measure, const wwr_series *x, const wwr_series *y, int32_t (*cells)[2]) {
    path found = {cells, 0};
    (void)with_band(measure, x, y, &found, choose_of_all);
    return found.count;
}

double wwr_path_value(const ww_measure *measure, const wwr_series *x, const wwr_series *y, int32_t (*cells)[2],
                      size_t count) {
    path found = {cells, count};
    return with_band(measure, x, y, &found, NULL);
}
