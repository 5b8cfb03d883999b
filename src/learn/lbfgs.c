// SPDX-License-Identifier: Apache-2.0
// The limited-memory BFGS method: directions from the last few steps, lengths by backtracking.
#include "learn/lbfgs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

#define MEMORY 10  // steps that a direction is made of
#define GAIN 1e-4  // share of the promised gain that a step has to reach
#define TRIES 40   // of a length, each half of the one before or shorter
#define FLAT 1e-14 // curvature below this share of the step's size is not used

typedef struct memory {
    double *steps, *changes; // MEMORY x count: differences of the points, and of the gradients
    double curvature[MEMORY];
    size_t used, next;
} memory;

static double dot(const double *a, const double *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

// direction = -H gradient, H the inverse Hessian that the remembered steps stand for.
static void direct(const memory *m, const double *gradient, size_t count, double *direction) {
    double share[MEMORY];
    for (size_t i = 0; i < count; i++)
        direction[i] = -gradient[i];
    for (size_t k = 0; k < m->used; k++) {
        const size_t at = (m->next + MEMORY - 1 - k) % MEMORY;
        share[at] = dot(m->steps + at * count, direction, count) / m->curvature[at];
        for (size_t i = 0; i < count; i++)
            direction[i] -= share[at] * m->changes[at * count + i];
    }
    if (m->used) {
        const size_t last = (m->next + MEMORY - 1) % MEMORY;
        const double *change = m->changes + last * count;
        const double scale = m->curvature[last] / dot(change, change, count);
        for (size_t i = 0; i < count; i++)
            direction[i] *= scale;
    }
    for (size_t k = m->used; k-- > 0;) {
        const size_t at = (m->next + MEMORY - 1 - k) % MEMORY;
        const double back = dot(m->changes + at * count, direction, count) / m->curvature[at];
        for (size_t i = 0; i < count; i++)
            direction[i] += (share[at] - back) * m->steps[at * count + i];
    }
}

static void remember(memory *m, const double *from, const double *to, const double *before, const double *after,
                     size_t count) {
    double *step = m->steps + m->next * count, *change = m->changes + m->next * count;
    for (size_t i = 0; i < count; i++) {
        step[i] = to[i] - from[i];
        change[i] = after[i] - before[i];
    }
    const double curvature = dot(step, change, count);
    if (!(curvature > FLAT * dot(step, step, count)))
        return;
    m->curvature[m->next] = curvature;
    m->next = (m->next + 1) % MEMORY;
    m->used += m->used < MEMORY;
}

ww_status wwi_lbfgs(wwi_function function, wwi_step step, void *user, double *at, size_t count, size_t most,
                    wwi_lbfgs_result *result) {
    ww_status status;
    memory m = {.used = 0};
    double *room = calloc(count, (2 * MEMORY + 4) * sizeof *room);
    *result = (wwi_lbfgs_result){0, 0, 0, false, false};
    if (!room)
        return wwi_fail(WW_ERROR_OUT_OF_MEMORY, "no memory for a search in %zu variables", count);
    m.steps = room;
    m.changes = room + MEMORY * count;
    double *gradient = m.changes + MEMORY * count, *direction = gradient + count, *next = direction + count,
           *next_gradient = next + count;
    if ((status = function(user, at, count, &result->start, gradient)) != WW_OK)
        goto done;
    result->value = result->start;
    result->ended = step(user, 0, result->start);
    while (!result->ended && result->steps < most) {
        const double steepest = dot(gradient, gradient, count);
        if (steepest == 0) {
            result->ended = true;
            break;
        }
        direct(&m, gradient, count, direction);
        double slope = dot(gradient, direction, count);
        if (!(slope < 0)) {
            // The remembered steps mislead: straight down.
            m.used = 0;
            direct(&m, gradient, count, direction);
            slope = -steepest;
        }
        double length = m.used ? 1 : 1 / fmax(1, sqrt(steepest)), value = result->value;
        bool lower = false;
        for (int k = 0; k < TRIES && !lower; k++) {
            for (size_t i = 0; i < count; i++)
                next[i] = at[i] + length * direction[i];
            if ((status = function(user, next, count, &value, next_gradient)) != WW_OK)
                goto done;
            lower = value < result->value && value <= result->value + GAIN * length * slope;
            if (lower)
                break;
            // The least point of the parabola through what is known, not too near to either end.
            const double bent = 2 * (value - result->value - length * slope);
            const double guess = bent > 0 && isfinite(bent) ? -slope * length * length / bent : length / 2;
            length = guess < length / 10 ? length / 10 : guess > length / 2 ? length / 2 : guess;
        }
        if (!lower && m.used) {
            m.used = 0; // once more straight down
            continue;
        }
        if (!lower) {
            result->stuck = true;
            break;
        }
        remember(&m, at, next, gradient, next_gradient, count);
        memcpy(at, next, count * sizeof *at);
        memcpy(gradient, next_gradient, count * sizeof *gradient);
        result->value = value;
        result->steps++;
        if (step(user, result->steps, value)) {
            result->ended = true;
            break;
        }
    }
done:
    free(room);
    return status;
}
