// SPDX-License-Identifier: Apache-2.0
// Where results go: rows apart from each other, sizes that are checked before any work.
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { N = 7, M = 5, STRIDE = 11, OFFSET = 8, ROOM = N * STRIDE + OFFSET };

static void fill(float *values) {
    for (size_t i = 0; i < ROOM; i++)
        values[i] = -1.0f;
}

// Rows of `columns` are where they belong, and nothing else was written.
static void check_rows(const float *found, size_t first, const float *wanted, size_t columns) {
    for (size_t at = 0; at < ROOM; at++) {
        const size_t i = at < first ? N : (at - first) / STRIDE, j = at < first ? 0 : (at - first) % STRIDE;
        const float value = i < N && j < columns ? wanted[i * columns + j] : -1.0f;
        ck_assert_msg(memcmp(&found[at], &value, sizeof value) == 0, "element %zu: %g, not %g", at, (double)found[at],
                      (double)value);
    }
}

// Loops: two sets, a set with itself under a measure that is symmetric, and under one that is not; in one batch and
// block by block.
START_TEST(strides) {
    const bool self = _i % 3 != 0, blocks = _i / 3 != 0;
    const ww_measure measure = wwt_measure(_i % 3 == 2 ? WW_LEVENSHTEIN : WW_DTW);
    wwt_seed((unsigned)_i);
    wwt_set rows = wwt_set_random(1, 4, 9, N), columns = wwt_set_random(1, 4, 9, M);
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    run.max_bytes = blocks ? 12 * sizeof(float) : 0;
    options.run = &run;
    ww_dataset *a = wwt_dataset(&rows, WW_FLOAT), *b = self ? NULL : wwt_dataset(&columns, WW_FLOAT);
    ww_plan *plan = NULL;
    ww_buffer *buffer = NULL;
    float wanted[N * N], found[ROOM];
    const size_t width = self ? N : M;
    wwt_ok(ww_plan_create_matrix(&measure, a, b, &options, &plan));
    wwt_ok(wwt_plan_run(plan, wanted));
    ww_output to = WW_OUTPUT_HOST_BYTES(found, ((N - 1) * STRIDE + width) * sizeof(float));
    to.row_stride = STRIDE;
    fill(found);
    wwt_ok(ww_plan_run(plan, &to));
    check_rows(found, 0, wanted, width);
    to.bytes--;
    wwt_fails(ww_plan_run(plan, &to), WW_ERROR_INVALID_ARGUMENT);
    // Rows that follow one another, said explicitly.
    to = (ww_output)WW_OUTPUT_HOST_BYTES(found, N * width * sizeof(float));
    to.row_stride = width;
    wwt_ok(ww_plan_run(plan, &to));
    ck_assert(memcmp(found, wanted, N * width * sizeof(float)) == 0);

    fill(found);
    wwt_ok(ww_buffer_create(wwt_context, sizeof found, &buffer));
    wwt_ok(ww_buffer_write(buffer, 0, sizeof found, found));
    to = (ww_output)WW_OUTPUT_INIT;
    to.device = buffer;
    to.row_stride = STRIDE;
    for (int offset = 0; offset <= OFFSET; offset += OFFSET) {
        to.offset = (uint64_t)offset * sizeof(float);
        wwt_ok(ww_buffer_write(buffer, 0, sizeof found, found));
        wwt_ok(ww_plan_run(plan, &to));
        wwt_ok(ww_plan_finish(plan));
        float read[ROOM];
        wwt_ok(ww_buffer_read(buffer, 0, sizeof read, read));
        check_rows(read, (size_t)offset, wanted, width);
    }
    to.offset += (OFFSET + STRIDE) * sizeof(float); // the last row ends behind the buffer
    wwt_fails(ww_plan_run(plan, &to), WW_ERROR_INVALID_ARGUMENT);
    ww_buffer_destroy(&buffer);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&b);
    ww_dataset_destroy(&a);
    wwt_set_free(&columns);
    wwt_set_free(&rows);
}
END_TEST

START_TEST(sizes) {
    const ww_measure dtw = wwt_measure(WW_DTW);
    wwt_seed(1);
    wwt_set set = wwt_set_random(1, 5, 5, N);
    ww_dataset *a = wwt_dataset(&set, WW_FLOAT);
    ww_plan *plan = NULL, *pairs = NULL;
    ww_gradient *gradient = NULL;
    ww_buffer *buffer = NULL;
    float values[ROOM];
    const uint64_t full = N * N * sizeof(float), half = N * (N - 1) / 2 * sizeof(float);
    wwt_ok(ww_buffer_create(wwt_context, full, &buffer));
    wwt_ok(ww_plan_create_matrix(&dtw, a, NULL, NULL, &plan));
    wwt_ok(ww_plan_create_pairs(&dtw, a, a, NULL, NULL, N, NULL, &pairs));
    const struct {
        ww_output to;
        ww_status status, of_pairs;
    } cases[] = {
        {{sizeof(ww_output), values, NULL, 0, WW_LAYOUT_FULL, full, 0}, WW_OK, WW_OK},
        {{sizeof(ww_output), values, NULL, 0, WW_LAYOUT_FULL, full - 1, 0}, WW_ERROR_INVALID_ARGUMENT, WW_OK},
        {{sizeof(ww_output), values, NULL, 0, WW_LAYOUT_FULL, 1, 0},
         WW_ERROR_INVALID_ARGUMENT,
         WW_ERROR_INVALID_ARGUMENT},
        {{sizeof(ww_output), values, NULL, 0, WW_LAYOUT_CONDENSED, half, 0}, WW_OK, WW_ERROR_INVALID_ARGUMENT},
        {{sizeof(ww_output), values, NULL, 0, WW_LAYOUT_CONDENSED, half - 1, 0},
         WW_ERROR_INVALID_ARGUMENT,
         WW_ERROR_INVALID_ARGUMENT},
        {{sizeof(ww_output), values, NULL, 0, WW_LAYOUT_CONDENSED, 0, STRIDE},
         WW_ERROR_INVALID_ARGUMENT,
         WW_ERROR_INVALID_ARGUMENT},
        {{sizeof(ww_output), values, NULL, 0, WW_LAYOUT_FULL, 0, N - 1},
         WW_ERROR_INVALID_ARGUMENT,
         WW_ERROR_INVALID_ARGUMENT},
        {{sizeof(ww_output), values, NULL, 0, WW_LAYOUT_FULL, 0, UINT64_MAX},
         WW_ERROR_OVERFLOW,
         WW_ERROR_INVALID_ARGUMENT},
        {{sizeof(ww_output), values, NULL, 0, WW_LAYOUT_FULL, 0, UINT64_MAX / 4},
         WW_ERROR_OVERFLOW,
         WW_ERROR_INVALID_ARGUMENT},
        {{sizeof(ww_output), values, NULL, 0, WW_LAYOUT_FULL, UINT64_MAX, UINT64_MAX / 24 - 8},
         WW_ERROR_OVERFLOW,
         WW_ERROR_INVALID_ARGUMENT},
        {{sizeof(ww_output), NULL, buffer, 0, WW_LAYOUT_FULL, full - 1, 0}, WW_ERROR_INVALID_ARGUMENT, WW_OK},
        {{sizeof(ww_output), NULL, buffer, 0, WW_LAYOUT_FULL, full + 1, 0}, WW_OK, WW_OK},
        {{sizeof(ww_output), NULL, buffer, 0, WW_LAYOUT_FULL, 0, STRIDE},
         WW_ERROR_INVALID_ARGUMENT,
         WW_ERROR_INVALID_ARGUMENT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const ww_status of_matrix = ww_plan_run(plan, &cases[i].to), of_pairs = ww_plan_run(pairs, &cases[i].to);
        ck_assert_msg(of_matrix == cases[i].status, "%zu: %s", i, ww_status_name(of_matrix));
        ck_assert_msg(of_pairs == cases[i].of_pairs, "%zu: %s", i, ww_status_name(of_pairs));
    }
    wwt_ok(ww_plan_finish(plan));
    wwt_ok(ww_plan_finish(pairs));
    // A gradient's outputs are lists.
    ww_gradient_outputs outputs = WW_GRADIENT_OUTPUTS_INIT;
    ww_output to = WW_OUTPUT_HOST_BYTES(values, N * sizeof(float));
    outputs.values = &to;
    wwt_ok(ww_gradient_create_pairs(&dtw, a, a, NULL, NULL, N, NULL, &gradient));
    wwt_ok(ww_gradient_run(gradient, &outputs));
    to.bytes--;
    wwt_fails(ww_gradient_run(gradient, &outputs), WW_ERROR_INVALID_ARGUMENT);
    to.bytes = 0;
    to.row_stride = 2 * N;
    wwt_fails(ww_gradient_run(gradient, &outputs), WW_ERROR_INVALID_ARGUMENT);
    ww_gradient_destroy(&gradient);
    ww_plan_destroy(&pairs);
    ww_plan_destroy(&plan);
    ww_buffer_destroy(&buffer);
    ww_dataset_destroy(&a);
    wwt_set_free(&set);
}
END_TEST

// Content that the caller sends.
START_TEST(buffers) {
    const float sent[] = {1, 2, 3, 4};
    float read[4] = {0, 0, 0, 0};
    ww_buffer *buffer = NULL;
    wwt_ok(ww_buffer_create(wwt_context, sizeof sent, &buffer));
    wwt_ok(ww_buffer_write(buffer, 0, sizeof sent, sent));
    wwt_ok(ww_buffer_write(buffer, 8, 4, sent));
    wwt_ok(ww_buffer_write(buffer, 16, 0, NULL));
    wwt_ok(ww_buffer_read(buffer, 0, sizeof read, read));
    ck_assert(read[0] <= 1 && read[1] >= 2 && read[2] <= 1 && read[3] >= 4);
    wwt_fails(ww_buffer_write(buffer, 8, 9, sent), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_buffer_write(buffer, UINT64_MAX, 4, sent), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_buffer_write(buffer, 4, UINT64_MAX, sent), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_buffer_write(buffer, 0, 4, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_buffer_write(NULL, 0, 4, sent), WW_ERROR_INVALID_ARGUMENT);
    ww_buffer_destroy(&buffer);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("outputs");
    wwt_add(suite, strides, 6);
    wwt_add(suite, sizes, 1);
    wwt_add(suite, buffers, 1);
    return wwt_run(suite);
}
