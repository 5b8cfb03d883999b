// SPDX-License-Identifier: Apache-2.0
// Every job that an object can do, with one thing failing in it: an OpenCL call, a launch on the device, an allocation,
// a file operation; or the device is lost. After each failure the same object is asked, then the call is made again:
// the object is as it was before the call that failed, and after the second call as if there had never been a first.
//
// What fails is a sample; with WAVEWARP_TEST_EXHAUSTIVE=1 it is everything, one after the other.
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wavewarp/wavewarp.h>

#include "../device/host_memory.h"
#include "../memory_bytes.h"
#include "fault_layer.h"
#include "fault_libc.h"
#include "fault_main.h"
#include "host.h"
#include "objects.h"

enum { SAMPLE = 3, LOST_SAMPLE = 1 };
enum { MOST_JOBS = 128 };
enum { CALLS, LAUNCHES, ALLOCATIONS, FILES, KINDS };
static const char *const kinds[KINDS] = {"call", "launch", "allocation", "file operation"};
static const int codes[] = {-5, -6, -30}; // out of resources, out of host memory, invalid value

static wwt_fault_table *layer;
static const wwt_job *jobs[MOST_JOBS];
static size_t job_count;
static bool exhaustive;
static long seed;
static long own_before, objects_before; // alive before a test
static wwt_answer before, after, now;

// ---- what the jobs use

void wwt_add(wwt_answer *answer, const void *bytes, size_t count) {
    if (answer->bytes < sizeof answer->at) {
        const size_t room = sizeof answer->at - answer->bytes;
        memcpy(answer->at + answer->bytes, bytes, count < room ? count : room);
    }
    answer->bytes += count;
}

ww_status wwt_add_file(wwt_answer *answer, const char *path) {
    unsigned char content[1 << 15];
    FILE *file = fopen(path, "rb");
    const size_t bytes = file ? fread(content, 1, sizeof content, file) : 0;
    wwt_add(answer, content, bytes);
    return file && fclose(file) == 0 ? WW_OK : WW_ERROR_IO;
}

static unsigned char in_memory[1 << 16];
static size_t in_memory_bytes;

ww_status wwt_give(ww_status (*write)(wwt_bytes *to), wwt_answer *answer) {
    wwt_bytes bytes = wwt_bytes_at(in_memory, sizeof in_memory, 0);
    const ww_status status = write(&bytes);
    in_memory_bytes = bytes.count;
    if (status == WW_OK)
        wwt_add(answer, in_memory, bytes.count);
    return bytes.wrong ? WW_ERROR_INTERNAL : status;
}

ww_status wwt_take(ww_status (*read)(wwt_bytes *from)) {
    wwt_bytes bytes = wwt_bytes_at(in_memory, sizeof in_memory, in_memory_bytes);
    const ww_status status = read(&bytes);
    return bytes.wrong ? WW_ERROR_INTERNAL : status;
}

ww_status wwt_make_set(size_t count, size_t length, size_t channels, ww_series_set **set) {
    double values[4200];
    unsigned noise = 12345;
    ww_status status = ww_series_set_create(channels, set);
    for (size_t i = 0; status == WW_OK && i < count; i++) {
        for (size_t t = 0; t < length * channels; t++) {
            noise = noise * 1103515245u + 12345u;
            values[t] = (double)(noise >> 16 & 1023) / 512 + (i % 2 && t % length > 3 && t % length < 8 ? 9.0 : 0.0);
        }
        status = ww_series_set_add(*set, length, values, i % 2 ? "b" : "a");
    }
    return status;
}

const char *wwt_path(const char *ending) {
    static char path[128];
    snprintf(path, sizeof path, "fault-%ld.%s", (long)getpid(), ending);
    return path;
}

// ---- disturbing

static void disarm(void) {
    atomic_store(&layer->fail_at, 0);
    atomic_store(&layer->break_at, 0);
    atomic_store(&layer->lost_at, 0);
    atomic_store(&wwt_allocation_to_fail, 0);
    atomic_store(&wwt_file_operation_to_fail, 0);
}

static void arm(int kind, long number) {
    layer->failed_call = wwt_failed_operation = NULL;
    atomic_store(&layer->code, codes[number % 3]);
    atomic_store(&layer->calls, 0);
    atomic_store(&layer->launches, 0);
    atomic_store(&wwt_allocations, 0);
    atomic_store(&wwt_file_operations, 0);
    atomic_store(kind == CALLS         ? &layer->fail_at
                 : kind == LAUNCHES    ? &layer->break_at
                 : kind == ALLOCATIONS ? &wwt_allocation_to_fail
                                       : &wwt_file_operation_to_fail,
                 number);
}

static long counted(int kind) {
    return atomic_load(kind == CALLS         ? &layer->calls
                       : kind == LAUNCHES    ? &layer->launches
                       : kind == ALLOCATIONS ? &wwt_allocations
                                             : &wwt_file_operations);
}

static const char *what_failed(int kind) {
    const char *name = kind == CALLS ? layer->failed_call : wwt_failed_operation;
    return name ? name : kinds[kind];
}

// ---- a job

static ww_status call(const wwt_job *job) {
    now.bytes = 0;
    return job->call ? job->call() : job->answer(&now);
}

static ww_status ask(const wwt_job *job, wwt_answer *answer) {
    answer->bytes = 0;
    return job->answer(answer);
}

static void open_job(const wwt_job *job, ww_context *context) {
    const ww_status status = job->open(context);
    ck_assert_msg(status == WW_OK, "%s can't be opened: %s", job->name, ww_last_error()->message);
}

// The answer in `now`.
static void compare_answer(const wwt_job *job, const wwt_answer *expected, int kind, long number, const char *when) {
    const size_t kept = expected->bytes < sizeof expected->at ? expected->bytes : sizeof expected->at;
    ck_assert_msg(now.bytes == expected->bytes && memcmp(now.at, expected->at, kept) == 0,
                  "%s, %s %ld (%s), %s: other answers", job->name, kinds[kind], number, what_failed(kind), when);
}

static void check_answer(const wwt_job *job, const wwt_answer *expected, int kind, long number, const char *when) {
    const ww_status status = ask(job, &now);
    ck_assert_msg(status == WW_OK, "%s, %s %ld (%s), %s: %s", job->name, kinds[kind], number, what_failed(kind), when,
                  ww_last_error()->message);
    compare_answer(job, expected, kind, number, when);
}

static void check_record(const wwt_job *job, ww_status status, int kind, long number) {
    const ww_error *error = ww_last_error();
    ck_assert_msg(status != WW_ERROR_INTERNAL, "%s, %s %ld (%s): %s", job->name, kinds[kind], number, what_failed(kind),
                  error->message);
    ck_assert_msg(error->status == status && error->message[0] && error->line > 0, "%s, %s %ld (%s): %s without record",
                  job->name, kinds[kind], number, what_failed(kind), ww_status_name(status));
    ck_assert_msg(kind != LAUNCHES || error->cl_code == -5, "%s, launch %ld: \"%s\" is not of the launch", job->name,
                  number, error->message);
}

// The answers before and after an undisturbed call, and how many things can fail in it.
static void learn(const wwt_job *job, ww_context *context, long *counts) {
    open_job(job, context);
    ck_assert_msg(ask(job, &before) == WW_OK, "%s: %s", job->name, ww_last_error()->message);
    if (job->once) {
        job->close();
        open_job(job, context);
    }
    arm(CALLS, 0);
    ck_assert_msg(call(job) == WW_OK, "%s: %s", job->name, ww_last_error()->message);
    for (int kind = 0; kind < KINDS; kind++)
        counts[kind] = counted(kind);
    ck_assert_msg(ask(job, &after) == WW_OK, "%s: %s", job->name, ww_last_error()->message);
    ck_assert_msg(job->call || (after.bytes == before.bytes && after.bytes > 0), "%s has no answers", job->name);
    job->close();
}

static void disturb(const wwt_job *job, ww_context *context, int kind, long number) {
    const uint64_t bytes = ww_context_bytes(context);
    const long objects = wwi_live_objects();
    open_job(job, context);
    arm(kind, number);
    const ww_status status = call(job);
    disarm();
    if (status == WW_OK) {
        if (!job->call)
            compare_answer(job, &after, kind, number, "in spite of a failure");
        check_answer(job, &after, kind, number, "after a failure that did not matter");
    } else {
        check_record(job, status, kind, number);
        if (!job->once || number % 2) {
            check_answer(job, &before, kind, number, "after the failure");
            if (job->once)
                goto done;
        }
        const ww_status again = call(job);
        ck_assert_msg(again == WW_OK, "%s, %s %ld (%s), again: %s", job->name, kinds[kind], number, what_failed(kind),
                      ww_last_error()->message);
        check_answer(job, &after, kind, number, "after the second call");
    }
done:
    job->close();
    ck_assert_msg(ww_context_bytes(context) <= bytes, "%s, %s %ld (%s): %llu device bytes left, %llu before", job->name,
                  kinds[kind], number, what_failed(kind), (unsigned long long)ww_context_bytes(context),
                  (unsigned long long)bytes);
    ck_assert_msg(wwi_live_objects() <= objects, "%s, %s %ld (%s): %ld objects left, %ld before", job->name,
                  kinds[kind], number, what_failed(kind), wwi_live_objects(), objects);
}

// The i-th of `sample` numbers from 1 to count, spread over them: in the middle of its share, or elsewhere by the seed.
static long sampled(long i, long sample, long count) {
    const long from = i * count / sample, to = (i + 1) * count / sample;
    return from + 1 + (to - from > 1 ? ((to - from) / 2 + seed + i) % (to - from) : 0);
}

// Of a test that failed before, nothing is left but its objects.
static ww_context *begin(void) {
    ww_context *context = NULL;
    disarm();
    wwt_host_mark();
    own_before = wwi_live_objects();
    objects_before = atomic_load(&layer->objects);
    ck_assert_int_eq(ww_context_create(NULL, &context), WW_OK);
    return context;
}

START_TEST(a_failure_leaves_the_object_as_it_was) {
    const wwt_job *job = jobs[_i / KINDS];
    const int kind = _i % KINDS;
    long counts[KINDS];
    ww_context *context = begin();
    learn(job, context, counts);
    const long sample = exhaustive || counts[kind] < SAMPLE ? counts[kind] : SAMPLE;
    for (long i = 0; i < sample; i++)
        disturb(job, context, kind, sampled(i, sample, counts[kind]));
    ww_context_destroy(&context);
    ck_assert_int_eq(wwi_live_objects(), own_before);
    ck_assert_int_eq(atomic_load(&layer->objects), objects_before);
    wwt_host_check();
}
END_TEST

// ---- a lost device

static void lose(const wwt_job *job, long number) {
    ww_context *context = NULL;
    const ww_error *error = ww_last_error();
    ck_assert_int_eq(ww_context_create(NULL, &context), WW_OK);
    open_job(job, context);
    arm(CALLS, 0);
    atomic_store(&layer->lost_at, number);
    for (int attempt = 0; attempt < 2; attempt++) {
        const ww_status status = call(job);
        // The last calls ask only for times.
        ck_assert_msg(status != WW_OK || attempt == 0, "%s, lost at %ld: it works without a device", job->name, number);
        if (status == WW_OK)
            continue;
        check_record(job, status, CALLS, number);
        ck_assert_msg(error->cl_code == -2 && strstr(error->hint, "new context"),
                      "%s, lost at %ld: \"%s\", \"%s\" does not say that the device is lost", job->name, number,
                      error->message, error->hint);
    }
    job->close();
    ww_context_destroy(&context);
    ck_assert_int_eq(wwi_live_objects(), own_before);
    ck_assert_int_eq(atomic_load(&layer->objects), objects_before);
    disarm();
}

START_TEST(a_lost_device_is_told_and_a_new_context_works) {
    const wwt_job *job = jobs[_i];
    long counts[KINDS];
    ww_context *context = begin();
    learn(job, context, counts);
    ww_context_destroy(&context);
    const long sample = exhaustive || counts[CALLS] < LOST_SAMPLE ? counts[CALLS] : LOST_SAMPLE;
    for (long i = 0; i < sample; i++)
        lose(job, sampled(i, sample, counts[CALLS]));
    ck_assert_int_eq(ww_context_create(NULL, &context), WW_OK);
    open_job(job, context);
    ck_assert_int_eq(call(job), WW_OK);
    check_answer(job, &after, CALLS, 0, "on a new context");
    job->close();
    ww_context_destroy(&context);
    wwt_host_check();
}
END_TEST

// ---- the program

// $WAVEWARP_TEST_JOB: only jobs whose name contains it.
static void take_jobs(const wwt_job *from, size_t count) {
    const char *only = getenv("WAVEWARP_TEST_JOB");
    for (size_t i = 0; i < count; i++)
        if (!only || strstr(from[i].name, only))
            jobs[job_count++] = &from[i];
}

int main(void) {
    int exit_code;
    exhaustive = wwt_fails_all();
    seed = wwt_fault_seed();
    layer = wwt_fault_begin(&exit_code);
    if (!layer)
        return exit_code;
    take_jobs(wwt_plan_jobs, wwt_plan_job_count);
    take_jobs(wwt_point_jobs, wwt_point_job_count);
    take_jobs(wwt_index_jobs, wwt_index_job_count);
    take_jobs(wwt_learn_jobs, wwt_learn_job_count);
    take_jobs(wwt_search_jobs, wwt_search_job_count);
    take_jobs(wwt_file_jobs, wwt_file_job_count);
    Suite *suite = suite_create("objects");
    TCase *failures = tcase_create("failures"), *lost = tcase_create("lost");
    tcase_add_loop_test(failures, a_failure_leaves_the_object_as_it_was, 0, (int)job_count * KINDS);
    tcase_add_loop_test(lost, a_lost_device_is_told_and_a_new_context_works, 0, (int)job_count);
    suite_add_tcase(suite, failures);
    suite_add_tcase(suite, lost);
    return wwt_fault_end(suite);
}
