// SPDX-License-Identifier: Apache-2.0
// Options and outputs of other versions' sizes: shorter ones of older programs, longer ones of newer.
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavewarp/wavewarp.h>

#include "check_main.h"
#include "options.h"

enum { GUARD = 0x5a, ROOM = 64 };

// Every struct that a program fills.
#define STRUCTS(X)                                                                                                     \
    X(classification)                                                                                                  \
    X(classify_options)                                                                                                \
    X(context_options)                                                                                                 \
    X(dataset_options)                                                                                                 \
    X(device_info)                                                                                                     \
    X(generate_options)                                                                                                \
    X(knn_info)                                                                                                        \
    X(knn_options)                                                                                                     \
    X(lsh_choice)                                                                                                      \
    X(lsh_info)                                                                                                        \
    X(lsh_options)                                                                                                     \
    X(lsh_target)                                                                                                      \
    X(medoids_info)                                                                                                    \
    X(medoids_options)                                                                                                 \
    X(output)                                                                                                          \
    X(plan_info)                                                                                                       \
    X(nearest_shard)                                                                                                   \
    X(plan_options)                                                                                                    \
    X(point_view)                                                                                                      \
    X(points_options)                                                                                                  \
    X(profile_info)                                                                                                    \
    X(profile_options)                                                                                                 \
    X(profile_output)                                                                                                  \
    X(read_info)                                                                                                       \
    X(read_options)                                                                                                    \
    X(run_options)                                                                                                     \
    X(search_info)                                                                                                     \
    X(search_options)                                                                                                  \
    X(search_source)                                                                                                   \
    X(series_view)                                                                                                     \
    X(topk_info)                                                                                                       \
    X(topk_options)                                                                                                    \
    X(tune_options)                                                                                                    \
    X(tune_parameter)

static const struct {
    const char *name;
    size_t size;
} structs[] = {
#define ROW(name) {"ww_" #name, sizeof(ww_##name)},
    STRUCTS(ROW)
#undef ROW
};
enum { COUNT = sizeof structs / sizeof *structs };

static size_t size_of(const void *sized) {
    size_t size;
    memcpy(&size, sized, sizeof size);
    return size;
}

static bool all_are(const unsigned char *bytes, size_t count, unsigned char value) {
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

// For any size: the size is noted, what is known is there, what is not is zero, and nothing is written behind.
START_TEST(init_for_any_size) {
    const size_t known = structs[_i].size, sizes[] = {sizeof(size_t), known / 2, known, known + ROOM / 2};
    unsigned char *whole = malloc(known), *given = malloc(known + ROOM);
    ck_assert(whole && given);
    ck_assert_int_eq(ww_struct_init(structs[_i].name, whole, known), WW_OK);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t size = sizes[s], shared = size < known ? size : known;
        memset(given, GUARD, known + ROOM);
        ck_assert_int_eq(ww_struct_init(structs[_i].name, given, size), WW_OK);
        ck_assert_msg(size_of(given) == size, "%s", structs[_i].name);
        // The compiler may leave the bytes between members as they were.
        size_t differing = 0;
        for (size_t i = sizeof(size_t); i < shared; i++)
            differing += given[i] != whole[i];
        ck_assert_msg(differing <= 8, "%s: %zu bytes differ", structs[_i].name, differing);
        ck_assert(all_are(given + shared, size - shared, 0));
        ck_assert(all_are(given + size, known + ROOM - size, GUARD));
    }
    memset(given, GUARD, known + ROOM);
    // Not even the size fits; no such struct; no memory.
    ck_assert_int_eq(ww_struct_init(structs[_i].name, given, sizeof(size_t) - 1), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_struct_init(structs[_i].name + 3, given, known), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_struct_init(structs[_i].name, NULL, known), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_struct_init(NULL, given, known), WW_ERROR_INVALID_ARGUMENT);
    ck_assert(all_are(given, known + ROOM, GUARD));
    free(whole);
    free(given);
}
END_TEST

START_TEST(macros_and_functions_agree) {
    ww_plan_options plan;
    ck_assert_int_eq(ww_struct_init("ww_plan_options", &plan, sizeof plan), WW_OK);
    ck_assert_uint_eq(plan.struct_size, sizeof plan);
    ck_assert_int_eq(plan.engine, WW_ENGINE_AUTO);
    ck_assert_ptr_null(plan.run);
    ww_lsh_options lsh;
    const ww_lsh_options lsh_macro = WW_LSH_OPTIONS_INIT;
    ck_assert_int_eq(ww_struct_init("ww_lsh_options", &lsh, sizeof lsh), WW_OK);
    ck_assert_uint_eq(lsh.tables, lsh_macro.tables);
    ck_assert_double_eq(lsh.width, lsh_macro.width);
    ck_assert_uint_eq(lsh.candidates, lsh_macro.candidates);
    ww_lsh_target target;
    ck_assert_int_eq(ww_struct_init("ww_lsh_target", &target, sizeof target), WW_OK);
    ck_assert_double_eq(target.recall, 0.9);
    ww_generate_options generate;
    ck_assert_int_eq(ww_struct_init("ww_generate_options", &generate, sizeof generate), WW_OK);
    ck_assert_uint_eq(generate.count, 100);
    ww_classify_options classify;
    ck_assert_int_eq(ww_struct_init("ww_classify_options", &classify, sizeof classify), WW_OK);
    ck_assert_uint_eq(classify.k, 1);
}
END_TEST

typedef struct known_output {
    size_t struct_size;
    uint64_t a, b;
} known_output;

START_TEST(outputs_of_other_versions) {
    const known_output known = {sizeof known, 1, 2};
    struct {
        size_t struct_size;
        uint64_t a, guard;
    } older = {offsetof(known_output, b), 7, 9};
    ck_assert_int_eq(wwi_struct_give(&older, &known, "output"), WW_OK);
    ck_assert_uint_eq(older.struct_size, offsetof(known_output, b));
    ck_assert_uint_eq(older.a, 1);
    ck_assert_uint_eq(older.guard, 9);
    struct {
        known_output known;
        uint64_t later, guard;
    } newer = {{offsetof(known_output, b) + 2 * sizeof(uint64_t), 0, 0}, 5, 9};
    ck_assert_int_eq(wwi_struct_give(&newer, &known, "output"), WW_OK);
    ck_assert_uint_eq(newer.known.b, 2);
    ck_assert_uint_eq(newer.later, 0);
    ck_assert_uint_eq(newer.guard, 9);
    // A size that was never set.
    newer.known.struct_size = 0;
    ck_assert_int_eq(wwi_struct_give(&newer, &known, "output"), WW_ERROR_INVALID_ARGUMENT);
    newer.known.struct_size = SIZE_MAX / 2;
    ck_assert_int_eq(wwi_struct_give(&newer, &known, "output"), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_str_ne(ww_last_error()->hint, "");
    ck_assert_int_eq(wwi_struct_give(NULL, &known, "output"), WW_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(options_with_an_unset_size) {
    ww_run_options known = WW_RUN_OPTIONS_INIT, given;
    memset(&given, GUARD, sizeof given);
    // Reading that far would leave the struct.
    ck_assert_int_eq(wwi_options_take(&known, &given, "ww_run_options"), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(known.max_bytes, 0);
}
END_TEST

// An older program's view ends before its last field; a newer one's has a zero or a non-zero tail.
START_TEST(views_of_other_versions) {
    const float values[] = {1, 2, 3, 4};
    struct {
        ww_point_view known;
        uint64_t later;
    } view = {WW_POINT_VIEW_INIT, 0};
    view.known.struct_size = sizeof view;
    view.known.values = values;
    view.known.count = view.known.dimension = 2;
    const char *path = "test_structs.csv";
    ck_assert_int_eq(ww_point_view_write(path, &view.known), WW_OK);
    view.known.struct_size = offsetof(ww_point_view, offsets);
    ck_assert_int_eq(ww_point_view_write(path, &view.known), WW_OK);
    ck_assert_int_eq(remove(path), 0);
    view.known.struct_size = sizeof view;
    view.later = 1;
    ck_assert_int_eq(ww_point_view_write(path, &view.known), WW_ERROR_UNSUPPORTED);
}
END_TEST

START_TEST(records_of_the_library) {
    const size_t count = ww_measure_count();
    ck_assert_uint_eq(ww_last_error()->struct_size, sizeof(ww_error));
    for (size_t i = 0; i < count; i++)
        ck_assert_uint_eq(ww_measure_info_at(i)->struct_size, sizeof(ww_measure_info));
    ck_assert_ptr_null(ww_measure_info_at(count)); // an error is not made
    ck_assert_int_eq(ww_word_parse(WW_WORD_GENERATOR, "?", NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(ww_last_error()->struct_size, sizeof(ww_error));
    ck_assert_int_eq(ww_api_version(), WW_API_VERSION);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("structs");
    TCase *tcase = wwt_case(suite, "structs", 10);
    tcase_add_loop_test(tcase, init_for_any_size, 0, COUNT);
    tcase_add_test(tcase, macros_and_functions_agree);
    tcase_add_test(tcase, outputs_of_other_versions);
    tcase_add_test(tcase, options_with_an_unset_size);
    tcase_add_test(tcase, views_of_other_versions);
    tcase_add_test(tcase, records_of_the_library);
    return wwt_run(suite);
}
