// SPDX-License-Identifier: Apache-2.0
// A plan's results on their way to host memory, looked at for overflow as they arrive.
#include <math.h>
#include <stdatomic.h>

#include "data/values.h"
#include "jobs/plan.h"

// Whether one of these, whose largest absolute value is given, is above the limit; so written that NaN is.
static bool any_above(const ww_plan *p, const void *results, uint64_t count, double largest) {
    if (largest <= p->pair.limit)
        return false;
    for (uint64_t i = 0; i < count; i++)
        if (!(wwi_value_at(results, p->pair.rows->precision, i) <= p->pair.limit))
            return true;
    return false;
}

ww_status wwi_plan_check_results(const ww_plan *p, const void *results, uint64_t count) {
    if (isinf(p->pair.limit) || !any_above(p, results, count, wwi_largest(results, p->pair.rows->precision, count)))
        return WW_OK;
    wwi_fail(WW_ERROR_OVERFLOW, "a distance is too large for %s", wwi_pairing_precision(&p->pair));
    return wwi_fail_hint("scale the series, or use double precision");
}

// Where the pieces of a fetch go, from several threads.
typedef struct arrival {
    const ww_plan *plan;
    unsigned char *to;
    atomic_bool above;
} arrival;

// Copied and looked at in one pass.
static void take_piece(void *user, uint64_t at, uint64_t bytes, const void *data) {
    arrival *t = user;
    const ww_precision precision = t->plan->pair.rows->precision;
    const uint64_t count = bytes / t->plan->pair.value_bytes;
    const double largest = wwi_line_take(wwi_line_of(data, precision), 0, count, precision, t->to + at);
    if (!isinf(t->plan->pair.limit) && any_above(t->plan, data, count, largest))
        atomic_store(&t->above, true);
}

ww_status wwi_plan_fetch(const ww_plan *p, wwi_buffer *buffer, uint64_t count, void *results) {
    const uint64_t bytes = count * p->pair.value_bytes;
    // A GPU's results come in pieces through memory that it writes itself, where there are enough for that.
    if (!wwi_is_gpu(p->pair.context) || bytes <= 2 * WWI_FETCH_PIECE) {
        WWI_TRY(wwi_stream_read(p->pair.stream, buffer, 0, bytes, results));
        return wwi_plan_check_results(p, results, count);
    }
    WWI_TRY(wwi_make_pages(results, bytes));
    arrival t = {.plan = p, .to = results};
    const wwi_fetch_part part = {.buffer = buffer, .bytes = bytes, .take = take_piece, .user = &t};
    WWI_TRY(wwi_fetch(&part, 1));
    return atomic_load(&t.above) ? wwi_plan_check_results(p, results, count) : WW_OK;
}
