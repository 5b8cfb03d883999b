// SPDX-License-Identifier: Apache-2.0
// The engines: a table, their names, and the choice of one for a batch.
#include "engine/engine.h"

#include <string.h>

#include "engine/packed_items.h"
#include "engine/packed_product.h"
#include "engine/runner.h"
#include "engine/tiling.h"

static const wwi_engine *const engines[ENGINES] = {
    [WW_ENGINE_LANES] = &wwi_lanes,
    [WW_ENGINE_PACKED] = &wwi_packed,
    [WW_ENGINE_STRIPS] = &wwi_strips,
    [WW_ENGINE_BITS] = &wwi_bits,
};

const wwi_engine *wwi_engine_row(ww_engine engine) {
    return engines[engine];
}

bool wwi_engine_known(ww_engine engine) {
    return (unsigned)engine < ENGINES;
}

ww_engine wwi_engine_choose(const wwi_runner *r, bool list, size_t rows, size_t columns, uint32_t longest_row,
                            uint32_t longest_column) {
    if (r->bits)
        return WW_ENGINE_BITS;
    const uint32_t shorter = longest_row < longest_column ? longest_row : longest_column;
    if (r->gpu) {
        const uint32_t longer = longest_row < longest_column ? longest_column : longest_row;
        // Too few pairs to fill the device, and long enough that dividing them into strips is faster.
        const uint64_t pairs = list ? rows : (uint64_t)rows * columns;
        if (pairs < wwi_compute_units(r->of.context) && shorter >= 256 && longer >= 4096)
            return WW_ENGINE_STRIPS;
        if (wwi_packed_items_pay(r, list, rows, columns, longest_row, longest_column) ||
            wwi_packed_product_pays(r, list, rows, columns))
            return WW_ENGINE_PACKED;
        const uint32_t fitting = r->symmetric ? shorter : longest_column;
        return fitting <= wwi_lanes_limit(r) ? WW_ENGINE_LANES : WW_ENGINE_STRIPS;
    }
    if (!wwi_can_vector(r) || wwi_context_loses_arrays(r->of.context))
        return WW_ENGINE_LANES;
    const size_t lanes_used = list ? rows : r->symmetric && rows > columns ? rows : columns;
    // Only one lane of a vector would be used: the lanes of one pair are better, where it is long enough to fill them.
    if (lanes_used * 4 <= (size_t)r->vector && shorter >= 512)
        return WW_ENGINE_STRIPS;
    // The rows kept for all lanes should stay in the cache.
    if ((uint64_t)shorter * (uint64_t)r->vector * wwi_runner_value_bytes(r) > (8u << 20))
        return WW_ENGINE_STRIPS;
    return WW_ENGINE_PACKED;
}
