// SPDX-License-Identifier: Apache-2.0
// Engine stencil: a work-group a pair, three anti-diagonals in local memory (kernels_cl/engine/stencil.cl).
#include "engine/batch.h"
#include "engine/tiling.h"

static const wwi_form form = {.engine = "stencil", .kernel = "ww_stencil", .texts = {"engine/stencil.cl"}};

static uint32_t group_size(const wwi_runner *r) {
    return r->gpu ? 128 : 16;
}

static uint32_t limit(const wwi_runner *r) {
    const uint64_t values = wwi_context_info(r->of.context)->local_bytes / wwi_runner_value_bytes(r);
    // With open ends a value for each work-item.
    const uint64_t others = r->of.open ? group_size(r) : 0, rows = values > others ? (values - others) / 3 : 0;
    return rows <= 2 ? 1 : rows > UINT32_MAX ? UINT32_MAX : (uint32_t)(rows - 1);
}

static bool wants_exchange(const wwi_runner *r, const wwi_work *w) {
    return w->n > limit(r) && w->m <= limit(r);
}

static ww_status takes(wwi_runner *r, wwi_work *w, wwi_refusal *refusal) {
    if (w->n > limit(r))
        return wwi_refuse(refusal, "the series are too long for its local memory", limit(r));
    return wwi_work_bands(r, w, NULL, NULL);
}

static ww_status run(wwi_runner *r, wwi_work *w) {
    wwi_variant *v;
    wwi_variant_key key = wwi_work_key(r, w, &form);
    key.group = group_size(r);
    WWI_TRY(wwi_runner_variant(r, key, &v));
    w->args.scratch = w->n + 1;
    wwi_units u = wwi_units_of(r, w, w->pairs, w->cells);
    while (wwi_units_next(&u)) {
        w->args.unit_begin = (uint32_t)u.at;
        WWI_TRY(wwi_units_launch(&u, v, u.take,
                                 WWI_ARGS(WWI_LOCAL(3 * (uint64_t)w->args.scratch * wwi_runner_value_bytes(r)))));
    }
    return WW_OK;
}

const wwi_engine wwi_stencil = {"stencil", 0.2, 0.01, wants_exchange, takes, run};
