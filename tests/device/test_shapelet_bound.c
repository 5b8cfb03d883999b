// SPDX-License-Identifier: Apache-2.0
// Shapelets by diagonals: what the device finds in float against double, by the bound of docs/shapelets.md; and the
// best of series whose sums pass bursts, against the exhaustive search.
#include "shapelet_sets.h"
#include "shapelets/shapelet_growth.h"

enum { SERIES = 6, POINTS = 150, LENGTHS = 12 };

// ---- series that are hard on a sum along a diagonal

// A value that is never near its neighbour's.
static double rough(size_t t) {
    return (t % 2 ? 0.5 : -0.5) + 0.3 * wwt_random();
}

typedef enum kind { WALK, PLATEAUS, BURSTS, JUMPS, SCALES, RAMP, KINDS } kind;

static double next_value(kind which, double before, size_t t, size_t place) {
    switch (which) {
    case WALK:
        return before + wwt_random();
    case PLATEAUS:
        return (double)(t / 17 % 3) + 1e-3 * rough(t);
    case BURSTS:
        return (t - place < 6 ? 300 : 1) * rough(t);
    case JUMPS:
        return (t / 29 % 2 ? 1e3 : -1e3) + rough(t);
    case SCALES:
        return (t / 40 % 2 ? 1e-3 : 1) * rough(t) + 1e5;
    default:
        return pow(1.08, (double)(t < POINTS / 2 ? t : POINTS - t)) * rough(t);
    }
}

static labelled *make_hard(kind which, size_t count, size_t points) {
    labelled *l = calloc(1, sizeof *l);
    double *values = malloc(points * sizeof *values);
    wwt_ok(ww_series_set_create(1, &l->set));
    for (size_t i = 0; i < count; i++) {
        // Bursts are at the same place but for a few points: sums along diagonals pass both at once.
        const size_t place = points / 3 + wwt_random_size(0, 3);
        for (size_t t = 0; t < points; t++)
            values[t] = next_value(which, t ? values[t - 1] : 0, t, place);
        l->labels[i] = i % 2;
        l->lengths[i] = points;
        wwt_ok(ww_series_set_add(l->set, points, values, i % 2 ? "b" : "a"));
    }
    for (size_t i = 0; i < count; i++)
        l->values[i] = ww_series_set_values(l->set, i);
    l->reference = (wwr_shapelet_set){count, 1, 2, l->lengths, l->values, l->labels};
    free(values);
    return l;
}

// ---- the bound

// What a search left on the device.
typedef struct left {
    size_t columns, lengths;
    wwi_shapelet_column *places;
    float *norms, *nearest; // norms: then condition numbers
    uint32_t *flats;        // of the series, then condition numbers
} left;

static void *read_buffer(wwi_buffer *buffer, uint64_t bytes) {
    void *values = malloc(bytes);
    wwt_ok(wwi_buffer_read(buffer, 0, bytes, values));
    return values;
}

static left read_left(const wwi_shapelet_scratch *of, size_t lengths) {
    left r = {.lengths = lengths};
    r.columns = wwi_buffer_bytes(of->columns.places) / sizeof *r.places;
    const uint64_t each = r.columns * lengths * sizeof(float);
    r.places = read_buffer(of->columns.places, r.columns * sizeof *r.places);
    r.norms = read_buffer(of->columns.norms, 2 * each);
    r.nearest = read_buffer(of->bounds.nearest, SERIES * each);
    r.flats = read_buffer(of->windows.constant, (SERIES + 1) * lengths * sizeof *r.flats);
    return r;
}

static void free_left(left *r) {
    free(r->places);
    free(r->norms);
    free(r->nearest);
    free(r->flats);
}

// Searches the best of all; what stays on the device is of all candidates.
static left search_all(wwi_shapelet_worker *w, const labelled *l, const ww_shapelets_options *o) {
    uint32_t ids[SERIES], classes[SERIES];
    wwi_shapelet_gains gains;
    wwi_shapelet_found found;
    wwi_shapelet_progress progress = {0};
    size_t count = 0;
    for (uint32_t i = 0; i < SERIES; i++) {
        ids[i] = i;
        classes[i] = (uint32_t)l->labels[i];
    }
    const wwi_shapelet_node node = {.ids = ids, .classes = classes, .count = SERIES, .class_count = 2};
    progress.pace = wwi_pace_make(w->device.stream, 1, NULL, NULL);
    progress.rate = 1e9;
    wwi_pace_start(&progress.pace, wwi_shapelet_cells(&w->data, o, &node));
    wwt_ok(wwi_shapelet_gains_open(SERIES, &gains));
    wwt_ok(wwi_shapelet_search(&w->device, &w->data, &gains, o, &node, 1, &progress, &found, &count));
    wwi_shapelet_gains_close(&gains);
    return read_left(&w->device.scratch, LENGTHS);
}

// The largest correlation of a candidate with the windows of a series.
static double correlation(const double *x, const double *y, size_t l) {
    const double d = wwr_shapelet_distance(x, l, l, 1, y, POINTS, false, false, NULL);
    return 1 - d * d / 2;
}

START_TEST(within_the_bound) {
    const kind which = (kind)(_i / 2);
    const double u = 1.0 / 16777216;
    double worst = 0, largest = 0;
    const ww_run_options run = WW_RUN_OPTIONS_INIT;
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    o.min_length = 3;
    o.length_step = 7;
    o.max_length = 3 + 7 * (LENGTHS - 1);
    o.start_step = 1;
    if (_i % 2)
        wwt_ok(wwi_tuning_try(wwt_context, "form.shapelets", NULL, 1));
    wwt_seed(50 + (unsigned)which);
    labelled *l = make_hard(which, SERIES, POINTS);
    wwi_shapelet_worker w = {0};
    wwt_ok(wwi_shapelet_worker_open(wwt_context, &run, (wwi_shapelet_kind){1, false, false}, l->set, &w));
    left r = search_all(&w, l, &o);
    ck_assert_ptr_nonnull(w.device.scratch.windows.passed); // by diagonals
    size_t seen = 0;
    for (size_t e = 0; e < LENGTHS * r.columns; e++) {
        const size_t li = e / r.columns, length = o.min_length + li * o.length_step;
        const wwi_shapelet_column *c = &r.places[e % r.columns];
        float most;
        memcpy(&most, &r.flats[SERIES * LENGTHS + li], sizeof most);
        if (c->reach < length || length <= (w.device.gpu ? 4 : 0))
            continue;
        // Two products, two norms and the least of them: 2 u.
        const double own = r.norms[LENGTHS * r.columns + e], float_ = length <= 3 ? 4 * u : 0.505 * u * own * most;
        for (size_t j = 0; j < SERIES; j++, seen++) {
            const double value = r.nearest[(j * LENGTHS + li) * r.columns + e % r.columns] * r.norms[e];
            const double error = fabs(value - correlation(l->values[c->series] + c->start, l->values[j], length)) / 2;
            ck_assert_msg(error <= 3 * u + float_, "length %zu: %.3g of %.3g", length, error, float_);
            worst = length <= 3 ? worst : fmax(worst, error / (3 * u + float_));
            largest = length <= 3 ? largest : fmax(largest, error);
        }
    }
    ck_assert_uint_gt(seen, 1000);
    printf("# the largest error is %.2g, of the bound %.2g\n", largest, worst);
    // A bound that is far too wide would list all candidates.
    ck_assert_double_gt(worst, 1e-3);
    free_left(&r);
    wwi_shapelet_worker_close(&w);
    free_set(l);
}
END_TEST

// ---- decisions

// Two classes that differ behind a burst: sums of both series pass their bursts, and what they keep of these is as
// large as what tells the classes apart.
static labelled *make_bursts(size_t count) {
    enum { LENGTH = 70 };
    labelled *l = calloc(1, sizeof *l);
    wwt_ok(ww_series_set_create(1, &l->set));
    for (size_t i = 0; i < count; i++) {
        double values[LENGTH];
        const size_t place = 34 + wwt_random_size(0, 2);
        l->labels[i] = i % 2;
        for (size_t t = 0; t < LENGTH; t++) {
            values[t] = rough(t) * (t - place < 6 ? 2000 : 1);
            if (t >= place + 12 && t < place + 24)
                values[t] += 1.5 * sin((l->labels[i] ? 1.3 : 0.7) * (double)(t - place));
        }
        l->lengths[i] = LENGTH;
        wwt_ok(ww_series_set_add(l->set, LENGTH, values, i % 2 ? "b" : "a"));
    }
    for (size_t i = 0; i < count; i++)
        l->values[i] = ww_series_set_values(l->set, i);
    l->reference = (wwr_shapelet_set){count, 1, 2, l->lengths, l->values, l->labels};
    return l;
}

START_TEST(best_behind_bursts) {
    if (_i % 2)
        wwt_ok(wwi_tuning_try(wwt_context, "form.shapelets", NULL, 1));
    wwt_seed(70 + (unsigned)_i / 2);
    labelled *l = make_bursts(12);
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    o.min_length = 8;
    o.max_length = 20;
    o.length_step = 4;
    check_best(l, &o, 1);
    check_best(l, &o, 3);
    free_set(l);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("shapelet bound");
    if (wwt_device_has_double())
        wwt_add(suite, within_the_bound, 2 * KINDS);
    wwt_add(suite, best_behind_bursts, 8);
    return wwt_run(suite);
}
