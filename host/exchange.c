// SPDX-License-Identifier: Apache-2.0
// Finds which method of passing values to the next work-item works on this device, and whether matrix products work: by
// compiling and running kernels_cl/probe/probe.cl and probe/probe_mma.cl, whose results are known, not by the device's
// name.
#include <stdio.h>
#include <string.h>

#include "internal.h"

enum { PROBE_ITEMS = 64, PROBE_GROUPS = 2, PROBE_KINDS = 6 }; // up and rotate, of uint, float and double

static const char *const exchange_names[] = {"local", "nv", "subgroup", "amd"};

static uint32_t input(size_t item) { // as probe/probe.cl makes it
    return (uint32_t)(item * 2654435761u + 12345u) >> 9;
}

// What item must have received. Doubles are sent back as their difference from what was expected on the device.
static bool is_right(const uint32_t *answers, size_t item, unsigned group, bool has_double) {
    size_t lane = item % group;
    uint32_t left = input(lane == 0 ? item + group - 1 : item - 1);
    const uint32_t *got = answers + item * PROBE_KINDS;
    bool up = lane == 0 || (got[0] == left && got[2] == left && (!has_double || got[4] == left));
    bool rotate = lane != 0 || (got[1] == left && got[3] == left && (!has_double || got[5] == left));
    return up && rotate;
}

static ww_status run_probe(wwi_stream *stream, wwi_kernel *kernel, wwi_buffer *buffer, unsigned group,
                           uint32_t *answers, size_t words) {
    const cl_uint g = group;
    const wwi_arg args[] = {WWI_BUFFER(buffer), WWI_VALUE(g)};
    WWI_TRY(wwi_buffer_fill_u32(buffer, 0, words * sizeof *answers, 0xFFFFFFFFu));
    WWI_TRY(wwi_launch(kernel, PROBE_GROUPS, PROBE_ITEMS, args, 2));
    WWI_TRY(wwi_finish(stream));
    return wwi_buffer_read(buffer, 0, words * sizeof *answers, answers);
}

static bool is_power_of_two(uint32_t x) {
    return x != 0 && (x & (x - 1)) == 0;
}

// Runs the probe for every group width up to the device's; *width is the width it reports. False: not usable.
static bool passes(ww_context *context, wwi_stream *stream, wwi_kernel *kernel, unsigned *width) {
    enum { WORDS = PROBE_GROUPS * PROBE_ITEMS * PROBE_KINDS + 1 }; // the last: the width
    uint32_t answers[WORDS];
    WWI_ENDS(wwi_buffer_destroy) wwi_buffer *buffer = NULL;
    unsigned most = 32;
    if (wwi_buffer_create(context, sizeof answers, &buffer) != WW_OK)
        return false;
    for (unsigned group = 2; group <= most; group *= 2) {
        if (run_probe(stream, kernel, buffer, group, answers, WORDS) != WW_OK)
            return false;
        const uint32_t told = answers[WORDS - 1];
        if (!is_power_of_two(told) || told < 8 || told > PROBE_ITEMS)
            return false;
        *width = told;
        most = told < 32 ? told : 32;
        for (size_t item = 0; item < (size_t)PROBE_GROUPS * PROBE_ITEMS; item++)
            if (!is_right(answers, item, group, context->info.has_double != 0))
                return false;
    }
    return true;
}

static bool try_exchange(ww_context *context, wwi_exchange exchange) {
    char options[96];
    const wwi_source sources[] = {{"base/vendor.cl", NULL}, {"probe/probe.cl", NULL}};
    WWI_ENDS(wwi_program_release) wwi_program *program = NULL;
    WWI_ENDS(wwi_stream_destroy) wwi_stream *stream = NULL;
    WWI_ENDS(wwi_kernel_destroy) wwi_kernel *kernel = NULL;
    unsigned width = 1;
    const ww_error before = *ww_last_error(); // a method that does not work is no failure
    (void)snprintf(options, sizeof options, "-DWW_EXCHANGE=%d -DWW_PROBE_DOUBLE=%d", (int)exchange,
                   context->info.has_double != 0);
    bool good = wwi_program_get(context, sources, 2, options, &program) == WW_OK &&
                wwi_stream_create(context, &stream) == WW_OK &&
                wwi_kernel_create(stream, program, "ww_probe_exchange", &kernel) == WW_OK &&
                passes(context, stream, kernel, &width);
    if (good) {
        context->exchange = exchange;
        context->exchange_width = width;
    } else {
        wwi_log(context, 3, "exchange by %s does not work here: %s", exchange_names[exchange],
                ww_last_error()->message);
        (void)wwi_fail_restore(&before, NULL);
    }
    return good;
}

static bool try_subgroups(ww_context *context) {
    static const char *const standards[] = {"CL3.0", "CL2.0", "CL1.2"};
    for (size_t i = 0; i < sizeof standards / sizeof standards[0]; i++) {
        context->subgroup_standard = standards[i];
        if (try_exchange(context, WWI_EXCHANGE_SUBGROUP))
            return true;
    }
    return false;
}

static bool has_subgroup_extension(const ww_context *context) {
    char extensions[8192] = "";
    return clGetDeviceInfo(context->device, CL_DEVICE_EXTENSIONS, sizeof extensions - 1, extensions, NULL) ==
               CL_SUCCESS &&
           (strstr(extensions, "cl_khr_subgroup_shuffle") || strstr(extensions, "cl_intel_subgroups"));
}

// On a CPU sub-groups are not faster: they are loops there. They are tried on a CPU only on request.
static bool is_worth_trying(const ww_context *context, wwi_exchange exchange, bool wished) {
    const ww_device_info *info = &context->info;
    switch (exchange) {
    case WWI_EXCHANGE_NV_SHFL:
        return wwi_text_contains(info->vendor, "NVIDIA") && !wwi_text_contains(info->platform, "rusticl");
    case WWI_EXCHANGE_AMD_BPERMUTE:
        return (wwi_text_contains(info->vendor, "AMD") || wwi_text_contains(info->vendor, "Advanced Micro Devices")) &&
               info->type == WW_DEVICE_GPU;
    case WWI_EXCHANGE_SUBGROUP:
        return (wished || info->type == WW_DEVICE_GPU) && has_subgroup_extension(context);
    default:
        return false;
    }
}

static bool attempt(ww_context *context, wwi_exchange exchange, bool wished) {
    if (!is_worth_trying(context, exchange, wished))
        return false;
    return exchange == WWI_EXCHANGE_SUBGROUP ? try_subgroups(context) : try_exchange(context, exchange);
}

ww_status wwi_exchange_probe(ww_context *context) {
    static const wwi_exchange order[] = {WWI_EXCHANGE_NV_SHFL, WWI_EXCHANGE_AMD_BPERMUTE, WWI_EXCHANGE_SUBGROUP};
    const char *target = wwi_environment("WAVEWARP_EXCHANGE");
    if (context->info.max_work_group < PROBE_ITEMS)
        return WW_OK;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        bool wished = target && strcmp(target, exchange_names[order[i]]) == 0;
        if ((!target || wished) && attempt(context, order[i], wished))
            return WW_OK;
    }
    if (target && strcmp(target, "local") != 0)
        wwi_log(context, 1, "WAVEWARP_EXCHANGE=%s does not work on this device; local memory is used", target);
    return WW_OK;
}

// ---- matrix products

static int mma_input(int row, int place, int by_row, int by_place, int modulus) { // as probe/probe_mma.cl makes it
    return (row * by_row + place * by_place) % modulus - modulus / 2;
}

static bool mma_is_right(const int32_t *answers) {
    for (int row = 0; row < 16; row++)
        for (int column = 0; column < 8; column++) {
            int sum = 1;
            for (int place = 0; place < 16; place++)
                sum += mma_input(row, place, 3, 5, 7) * mma_input(column, place, 2, 3, 5);
            if (answers[row * 8 + column] != sum)
                return false;
        }
    return true;
}

bool wwi_context_mma(ww_context *context) {
    int32_t answers[16 * 8];
    const wwi_source sources[] = {{"base/vendor.cl", NULL}, {"probe/probe_mma.cl", NULL}};
    WWI_ENDS(wwi_program_release) wwi_program *program = NULL;
    WWI_ENDS(wwi_stream_destroy) wwi_stream *stream = NULL;
    WWI_ENDS(wwi_kernel_destroy) wwi_kernel *kernel = NULL;
    WWI_ENDS(wwi_buffer_destroy) wwi_buffer *buffer = NULL;
    const int known = atomic_load(&context->mma);
    if (known)
        return known == 2;
    bool good = false;
    const ww_error before = *ww_last_error();
    if (context->info.type == WW_DEVICE_GPU && is_worth_trying(context, WWI_EXCHANGE_NV_SHFL, false)) {
        const ww_status status = wwi_buffer_create(context, sizeof answers, &buffer);
        const wwi_arg args[] = {WWI_BUFFER(buffer)};
        good = status == WW_OK && wwi_program_get(context, sources, 2, "-DWW_MMA=1", &program) == WW_OK &&
               wwi_stream_create(context, &stream) == WW_OK &&
               wwi_kernel_create(stream, program, "ww_probe_mma", &kernel) == WW_OK &&
               wwi_launch(kernel, 1, 32, args, 1) == WW_OK && wwi_finish(stream) == WW_OK &&
               wwi_buffer_read(buffer, 0, sizeof answers, answers) == WW_OK && mma_is_right(answers);
        if (!good)
            wwi_log(context, 3, "matrix products by mma.sync do not work here: %s", ww_last_error()->message);
        (void)wwi_fail_restore(&before, NULL);
    }
    atomic_store(&context->mma, good ? 2 : 1);
    return good;
}
