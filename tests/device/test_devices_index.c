// SPDX-License-Identifier: Apache-2.0
// An index of series on several devices: the graph and the neighbours of one device, on the host's way and on the
// devices' own; a device that fails in the middle; a store beside it.
#include "devices.h"
#include "host.h"

enum { BASE = 700, POINTS = 16, QUERIES = 300, K = 5 };

static wwt_set walks(size_t count) {
    size_t lengths[BASE];
    for (size_t i = 0; i < count; i++)
        lengths[i] = POINTS;
    return wwt_set_make(1, lengths, count);
}

// The way of walks on each device: 0 on the host, 1 on the devices.
static void force(ww_context *group, long form) {
    for (size_t i = 0; i < ww_context_device_count(group); i++)
        wwt_ok(wwi_tuning_try(wwi_context_on(group, i), "form.index", NULL, form));
}

static ww_index *build(ww_dataset *base) {
    ww_measure measure = wwt_measure(WW_DTW);
    ww_index_options options = WW_INDEX_OPTIONS_INIT;
    ww_index *index = NULL;
    options.beam = 24;
    wwt_ok(ww_measure_set_text(&measure, "band=sakoe-chiba:4", POINTS));
    wwt_ok(ww_index_create(&measure, base, &options, &index));
    return index;
}

typedef struct file {
    unsigned char *at;
    size_t count;
} file;

static int take(void *user, const void *bytes, size_t count) {
    file *f = user;
    f->at = realloc(f->at, f->count + count);
    ck_assert_ptr_nonnull(f->at);
    memcpy(f->at + f->count, bytes, count);
    f->count += count;
    return 0;
}

static file file_of(const ww_index *index) {
    file f = {NULL, 0};
    wwt_ok(ww_index_save_to(index, take, &f));
    return f;
}

static void check_file(const ww_index *index, const file *one) {
    file f = file_of(index);
    ck_assert(f.count == one->count && memcmp(f.at, one->at, f.count) == 0);
    free(f.at);
}

// What a context gives is what one device gave.
static void compare_with(ww_context *group, const wwt_set *base, const wwt_set *queries, const file *one,
                         const int64_t *ids, const float *distances) {
    static int64_t found[BASE * K];
    static float values[BASE * K];
    int lost;
    ww_dataset *b = wwt_group_upload(group, base, WW_FLOAT), *q = wwt_group_upload(group, queries, WW_FLOAT);
    ww_index *index = build(b);
    check_file(index, one);
    for (long form = 0; form < 2; form++) {
        force(group, form);
        memset(found, 0x55, sizeof found);
        wwt_ok(ww_index_search(index, q, K, found, values));
        if (form == 1)
            ck_assert(wwt_group_tiles(group, &lost) >= wwt_group_least(group) && lost == 0);
        ck_assert_mem_eq(found, ids, QUERIES * K * sizeof *ids);
        ck_assert_mem_eq(values, distances, QUERIES * K * sizeof *values);
        memset(found, 0x55, sizeof found);
        wwt_ok(ww_index_search(index, NULL, K, found, values));
        ck_assert_mem_eq(found, ids + QUERIES * K, sizeof found);
        ck_assert_mem_eq(values, distances + QUERIES * K, sizeof values);
    }
    ww_index_destroy(&index);
    ww_dataset_destroy(&q);
    ww_dataset_destroy(&b);
}

START_TEST(graph_and_neighbours_are_those_of_one_device) {
    static int64_t ids[(QUERIES + BASE) * K];
    static float distances[(QUERIES + BASE) * K];
    char folder[] = "/tmp/wwt-index-XXXXXX", path[64];
    ww_store *store = NULL;
    wwt_seed(31);
    wwt_set base = walks(BASE), queries = walks(QUERIES);
    ww_dataset *b = wwt_dataset(&base, WW_FLOAT), *q = wwt_dataset(&queries, WW_FLOAT);
    ww_index *index = build(b);
    file one = file_of(index);
    wwt_ok(ww_index_search(index, q, K, ids, distances));
    wwt_ok(ww_index_search(index, NULL, K, ids + QUERIES * K, distances + QUERIES * K));
    ww_index_destroy(&index);
    ww_context *group = wwt_group_open(0.001);
    compare_with(group, &base, &queries, &one, ids, distances);
    ww_context_destroy(&group);
    // A store keeps the exact searches of a build, and nothing else of it.
    ck_assert_ptr_nonnull(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/index", folder);
    wwt_ok(ww_store_open(path, NULL, &store));
    group = wwt_group_open_kept(0.001, 2, store);
    compare_with(group, &base, &queries, &one, ids, distances);
    compare_with(group, &base, &queries, &one, ids, distances);
    ww_context_destroy(&group);
    wwt_ok(ww_store_close(&store, 0));
    (void)remove(path);
    (void)remove(folder);
    free(one.at);
    ww_dataset_destroy(&q);
    ww_dataset_destroy(&b);
    wwt_set_free(&queries);
    wwt_set_free(&base);
}
END_TEST

static ww_status search(wwt_trial *t) {
    return ww_index_search(t->more, NULL, K, t->found, NULL);
}

START_TEST(a_device_fails_in_the_middle) {
    static int64_t ids[BASE * K];
    wwt_seed(33);
    wwt_set base = walks(BASE);
    wwt_trial t = {.group = wwt_group_open(0.001), .run = search, .found = ids, .bytes = sizeof ids, .many = true};
    ww_dataset *b = wwt_group_upload(t.group, &base, WW_FLOAT);
    ww_index *index = build(b);
    t.more = index;
    force(t.group, _i);
    wwt_group_failures(&t);
    ww_index_destroy(&index);
    ww_dataset_destroy(&b);
    ww_context_destroy(&t.group);
    wwt_set_free(&base);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("devices_index");
    wwt_add(suite, graph_and_neighbours_are_those_of_one_device, 1);
    wwt_add(suite, a_device_fails_in_the_middle, 2);
    return wwt_run(suite);
}
