// SPDX-License-Identifier: Apache-2.0
// The limited-memory BFGS method: directions from the last few steps, lengths by backtracking.
#include "learn/lbfgs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define MEMORY 10  // steps that a direction is made of
#define GAIN 1e-4  // share of the promised gain that a step must have
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

// A search: the point, its gradient, the direction from there, and the next point with its gradient.
typedef struct search {
    wwi_function function;
    void *user;
    size_t count;
    memory memory;
    double *at, *gradient, *direction, *next, *next_gradient;
} search;

// The direction's slope at the point, whose gradient's square is `steepest`.
static double take_direction(search *s, double steepest) {
    direct(&s->memory, s->gradient, s->count, s->direction);
    const double slope = dot(s->gradient, s->direction, s->count);
    if (slope < 0)
        return slope;
    // The remembered steps mislead: straight down.
    s->memory.used = 0;
    direct(&s->memory, s->gradient, s->count, s->direction);
    return -steepest;
}

// Shortens a step of `length` until it reaches its share of the gain. *value: that of the point, then of the next one.
static ww_status take_step(search *s, double length, double slope, double *value, bool *lower) {
    const double before = *value;
    *lower = false;
    for (int k = 0; k < TRIES; k++) {
        for (size_t i = 0; i < s->count; i++)
            s->next[i] = s->at[i] + length * s->direction[i];
        WWI_TRY(s->function(s->user, s->next, s->count, value, s->next_gradient));
        *lower = *value < before && *value <= before + GAIN * length * slope;
        if (*lower)
            break;
        // The least point of the parabola through what is known, not too near to either end.
        const double bent = 2 * (*value - before - length * slope);
        const double guess = bent > 0 && isfinite(bent) ? -slope * length * length / bent : length / 2;
        length = guess < length / 10 ? length / 10 : guess > length / 2 ? length / 2 : guess;
    }
    return WW_OK;
}

ww_status wwi_lbfgs(wwi_function function, wwi_step step, void *user, double *at, size_t count, size_t most,
                    wwi_lbfgs_result *result) {
    WWI_FREES double *values = NULL;
    *result = (wwi_lbfgs_result){0, 0, 0, false, false};
    WWI_TRY(wwi_new_zeroed(values, count * (2 * MEMORY + 4)));
    double *rest = values + 2 * MEMORY * count;
    search s = {.function = function,
                .user = user,
                .count = count,
                .memory = {.steps = values, .changes = values + MEMORY * count},
                .at = at,
                .gradient = rest,
                .direction = rest + count,
                .next = rest + 2 * count,
                .next_gradient = rest + 3 * count};
    WWI_TRY(function(user, at, count, &result->start, s.gradient));
    result->value = result->start;
    result->ended = step(user, 0, result->start);
    while (!result->ended && result->steps < most) {
        const double steepest = dot(s.gradient, s.gradient, count);
        if (steepest == 0) {
            result->ended = true;
            break;
        }
        const double slope = take_direction(&s, steepest);
        double value = result->value;
        bool lower;
        WWI_TRY(take_step(&s, s.memory.used ? 1 : 1 / fmax(1, sqrt(steepest)), slope, &value, &lower));
        if (!lower && s.memory.used) {
            s.memory.used = 0; // once more straight down
            continue;
        }
        if (!lower) {
            result->stuck = true;
            break;
        }
        remember(&s.memory, at, s.next, s.gradient, s.next_gradient, count);
        memcpy(at, s.next, count * sizeof *at);
        memcpy(s.gradient, s.next_gradient, count * sizeof *s.gradient);
        result->value = value;
        result->steps++;
        result->ended = step(user, result->steps, value);
    }
    return WW_OK;
}
