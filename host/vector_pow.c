// SPDX-License-Identifier: Apache-2.0
// Whether the device's pow() of vectors is right: found by compiling and running kernels_cl/probe/probe_pow.cl, whose
// results the host computes too. PoCL 3.1's pow(double8) is wrong in about one lane of 25 where the lanes differ much.
#include <math.h>
#include <stdio.h>

#include "internal.h"

enum { VALUES = 512 };

// Zero, small, about 1 and large ones in neighbouring lanes; exponents as norms have them. The same numbers in every
// run.
static void make_input(double *bases, double *exponents) {
    static const double powers[] = {3, 1.0 / 3, 2.5, 0.4, 3, 3, 1.5, 7};
    uint32_t state = 12345u;
    for (size_t i = 0; i < VALUES; i++) {
        state = state * 1664525u + 1013904223u;
        const double part = (double)(state >> 8) / 16777216.0;
        const uint32_t kind = state >> 5 & 7u;
        bases[i] = kind == 0 ? 0 : part * (kind < 3 ? 1000 : 3);
        // The first half has one exponent for all lanes, the second mixes them.
        exponents[i] = powers[i < VALUES / 2 ? i / 32 % 8 : i % 8];
    }
}

// Rounds to the precision of the program, in place: `values` holds VALUES numbers of it afterwards.
static void narrow(const double *wide, bool is_double, void *values) {
    for (size_t i = 0; i < VALUES; i++)
        if (is_double)
            ((double *)values)[i] = wide[i];
        else
            ((float *)values)[i] = (float)wide[i];
}

static double value_at(const void *values, bool is_double, size_t i) {
    return is_double ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

// Within the stated error of a result: OpenCL allows 16 units of the last place.
static bool are_right(const void *bases, const void *exponents, const void *answers, bool is_double) {
    for (size_t i = 0; i < VALUES; i++) {
        const double expected = pow(value_at(bases, is_double, i), value_at(exponents, is_double, i));
        if (!(fabs(value_at(answers, is_double, i) - expected) <= (is_double ? 1e-13 : 1e-5) * expected))
            return false;
    }
    return true;
}

static ww_status try_pow(ww_context *context, bool is_double, int vector, bool by_lanes, bool *right) {
    char options[96];
    double wide_bases[VALUES], wide_exponents[VALUES], bases[VALUES], exponents[VALUES], answers[VALUES];
    const uint64_t bytes = VALUES * (is_double ? sizeof(double) : sizeof(float));
    const wwi_source sources[] = {{"base/number.cl", NULL}, {"probe/probe_pow.cl", NULL}};
    WWI_ENDS(wwi_stream_destroy) wwi_stream *stream = NULL;
    WWI_ENDS(wwi_program_release) wwi_program *program = NULL;
    WWI_ENDS(wwi_kernel_destroy) wwi_kernel *kernel = NULL;
    WWI_ENDS(wwi_buffer_destroy) wwi_buffer *in = NULL, *powers = NULL, *out = NULL;
    make_input(wide_bases, wide_exponents);
    narrow(wide_bases, is_double, bases);
    narrow(wide_exponents, is_double, exponents);
    (void)snprintf(options, sizeof options, "-DWWK_DOUBLE=%d -DWW_VECTOR=%d%s", is_double, vector,
                   by_lanes ? " -DWW_POW_BY_LANES=1" : "");
    WWI_TRY(wwi_stream_create(context, &stream));
    WWI_TRY(wwi_program_get(context, sources, 2, options, &program));
    WWI_TRY(wwi_kernel_create(stream, program, "ww_probe_pow", &kernel));
    WWI_TRY(wwi_buffer_create(context, bytes, &in));
    WWI_TRY(wwi_buffer_create(context, bytes, &powers));
    WWI_TRY(wwi_buffer_create(context, bytes, &out));
    WWI_TRY(wwi_buffer_write(in, 0, bytes, bases));
    WWI_TRY(wwi_buffer_write(powers, 0, bytes, exponents));
    const wwi_arg args[] = {WWI_BUFFER(in), WWI_BUFFER(powers), WWI_BUFFER(out)};
    WWI_TRY(wwi_launch(kernel, (uint64_t)VALUES / (uint64_t)vector, 1, args, 3));
    WWI_TRY(wwi_finish(stream));
    WWI_TRY(wwi_buffer_read(out, 0, bytes, answers));
    *right = are_right(bases, exponents, answers, is_double);
    return WW_OK;
}

ww_status wwi_context_pow_by_lanes(ww_context *context, bool is_double, int vector, bool *by_lanes) {
    // Two bits for each precision and size: tested, and wrong.
    unsigned size = 0;
    while (1 << size < vector)
        size++;
    const unsigned tried = 1u << (4 * size + 2 * is_double), wrong = tried << 1;
    const unsigned known = atomic_load(&context->vector_pow);
    bool right = true;
    if (known & tried) {
        *by_lanes = (known & wrong) != 0;
        return WW_OK;
    }
    WWI_TRY(try_pow(context, is_double, vector, false, &right));
    *by_lanes = !right;
    if (!right) {
        wwi_log(context, 3, "pow() of %d %s at once is wrong here: it is computed one by one", vector,
                is_double ? "doubles" : "floats");
        WWI_TRY(try_pow(context, is_double, vector, true, &right));
    }
    if (!right) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "pow() of this device is wrong, also of single numbers");
        return wwi_fail_hint("use another device or driver");
    }
    atomic_fetch_or(&context->vector_pow, *by_lanes ? tried | wrong : tried);
    return WW_OK;
}
