// SPDX-License-Identifier: Apache-2.0
// Minimisation of a smooth function of many variables by the limited-memory BFGS method, in double on the host. The
// function is the caller's; nothing here knows series or devices.
#ifndef WAVEWARP_LBFGS_H
#define WAVEWARP_LBFGS_H

#include <stdbool.h>
#include <stddef.h>
#include <wavewarp/status.h>

// The value at `at` and the gradient there, `count` variables each.
typedef ww_status (*wwi_function)(void *user, const double *at, size_t count, double *value, double *gradient);
// At the start (step 0) and after each step that was taken: its number and the value. True: the search is over.
typedef bool (*wwi_step)(void *user, size_t step, double value);

typedef struct wwi_lbfgs_result {
    double start, value; // before the first step, and at the end
    size_t steps;
    bool ended; // by `step`, or because the gradient is 0
    bool stuck; // no step along the direction lowers the value, however short
} wwi_lbfgs_result;

// Goes down from `at`, which ends at the least value found: no step raises it. At most `most` steps. With an error of
// the function `at` is the last point that was accepted. J. Nocedal, Mathematics of Computation 35(151), 1980; steps by
// backtracking until they gain a share of what the slope promises (Armijo).
ww_status wwi_lbfgs(wwi_function function, wwi_step step, void *user, double *at, size_t count, size_t most,
                    wwi_lbfgs_result *result);

#endif
