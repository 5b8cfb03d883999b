// SPDX-License-Identifier: Apache-2.0
// Matches that others have published: the subsequence rows of the vectors, and the examples in the documents of tslearn
// and dtaidistance. Each by the textbook reference, by the search, and by the path.
#include <math.h>
#include <string.h>

#include "device/support.h"
#include "reference/search_reference.h"
#include "vectors/elastic_vectors.h"
#include "vectors/vector_measure.h"

enum { MOST = 4, CELLS = 4 };

typedef struct example {
    const char *source;
    double query[4], stream[12];
    size_t n, m;
    double penalty; // of a step along one series, in the square; 0: DTW
    size_t exclusion, k;
    ww_match matches[MOST];   // stream 0, from begin to before end, roots of sums of squares
    int32_t cells[2 * CELLS]; // of the best match
    size_t cell_count;
} example;

static const example examples[] = {
    // dtw_subsequence_path() of tslearn 0.10.
    {"tslearn", {2, 3}, {1, 2, 2, 3, 4}, 2, 5, 0, 0, 1, {{0, 2, 4, 0}}, {0, 2, 1, 3}, 2},
    // subsequence_alignment() and kbest_matches(k=3) of dtaidistance 2.5, whose penalty is 0.1 unless it is given.
    {"dtaidistance",
     {1, 2, 0},
     {1, 0, 1, 2, 1, 0, 2, 0, 3, 0, 0},
     3,
     11,
     0.1 * 0.1,
     2,
     3,
     {{0, 2, 5, 1}, {0, 5, 8, 1}, {0, 0, 2, 1.004987562112089}},
     {0, 2, 1, 3, 2, 4},
     3},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

static ww_measure measure_of(double penalty) {
    ww_measure measure;
    wwt_ok(ww_measure_init(&measure, sizeof measure, penalty > 0 ? WW_ADTW : WW_DTW));
    if (penalty > 0)
        wwt_ok(ww_measure_set(&measure, "penalty", penalty));
    measure.root = 1;
    return measure;
}

static size_t search(const ww_measure *measure, const double *query, size_t n, const double *stream, size_t m,
                     ww_precision precision, size_t k, size_t exclusion, ww_match *matches) {
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    ww_series_view x = WW_SERIES_VIEW_INIT, y;
    ww_search *made = NULL;
    size_t found = 0;
    options.kind = WW_SEARCH_OPEN;
    options.k = k;
    options.exclusion = exclusion;
    options.precision = precision;
    x.values = query;
    x.precision = WW_DOUBLE;
    x.count = 1;
    x.length = n;
    y = x;
    y.values = stream;
    y.length = m;
    wwt_ok(ww_search_create(wwt_context, measure, &x, &options, &made));
    wwt_ok(ww_search_run(made, &y, matches, &found));
    ww_search_destroy(&made);
    return found;
}

START_TEST(documents) {
    const example *e = &examples[_i];
    const ww_measure measure = measure_of(e->penalty);
    const wwr_series x = {e->query, e->n, 1}, y = {e->stream, e->m, 1};
    double values[12];
    size_t places[MOST];
    wwr_search_ends(&measure, &x, &y, values);
    ck_assert_uint_eq(wwr_search_choose(values, e->m, e->exclusion, e->k, 0, places), e->k);
    for (size_t i = 0; i < e->k; i++) {
        ck_assert_msg(places[i] + 1 == (size_t)e->matches[i].end, "%s: match %zu ends at %zu", e->source, i, places[i]);
        ck_assert_double_eq_tol(values[places[i]], e->matches[i].distance, 1e-12);
    }
    for (int p = 0; p < wwt_precision_count(); p++) {
        ww_match matches[MOST];
        ck_assert_uint_eq(
            search(&measure, e->query, e->n, e->stream, e->m, p ? WW_DOUBLE : WW_FLOAT, e->k, e->exclusion, matches),
            e->k);
        for (size_t i = 0; i < e->k; i++) {
            ck_assert_int_eq(matches[i].begin, e->matches[i].begin);
            ck_assert_int_eq(matches[i].end, e->matches[i].end);
            ck_assert_double_eq_tol(matches[i].distance, e->matches[i].distance, p ? 1e-12 : 1e-6);
        }
    }
    ww_measure open = measure;
    ww_paths path = WW_PATHS_INIT;
    open.relax_begin_y = open.relax_end_y = SIZE_MAX;
    wwt_ok(ww_path(wwt_context, &open, e->query, e->n, e->stream, e->m, 1, &path));
    ck_assert_double_eq_tol(path.distances[0], e->matches[0].distance, 1e-6);
    ck_assert_uint_eq(path.offsets[1], e->cell_count);
    ck_assert(memcmp(path.cells, e->cells, 2 * e->cell_count * sizeof *e->cells) == 0);
    ww_paths_free(&path);
}
END_TEST

START_TEST(vectors) {
    size_t rows = 0;
    for (size_t v = 0; v < ELASTIC_VECTOR_COUNT; v++) {
        const elastic_vector *vector = &elastic_vectors[v];
        ww_measure measure;
        if (strcmp(vector->distance, "subsequence_dtw") != 0)
            continue;
        ck_assert(vector_measure(vector, &measure));
        measure.relax_begin_y = measure.relax_end_y = 0; // a search's streams are open by themselves
        for (int p = 0; p < wwt_precision_count(); p++) {
            ww_match match;
            ck_assert_uint_eq(
                search(&measure, vector->x, vector->n, vector->y, vector->m, p ? WW_DOUBLE : WW_FLOAT, 1, 0, &match),
                1);
            ck_assert_double_eq_tol(match.distance, vector->precise, p ? 1e-12 : 1e-6);
        }
        rows++;
    }
    ck_assert_uint_gt(rows, 0);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("search_published");
    TCase *tcase = wwt_case(suite, "search_published", 60);
    tcase_add_checked_fixture(tcase, wwt_context_setup, wwt_context_teardown);
    wwt_add_to(tcase, documents, 0, EXAMPLES);
    wwt_add_to(tcase, vectors, 0, 1);
    return wwt_run(suite);
}
