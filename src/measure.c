// SPDX-License-Identifier: Apache-2.0
// The table of measures and the check of a caller's measure.
#include <math.h>
#include <string.h>

#include "band.h"
#include "error.h"
#include "measure_table.h"

static const wwi_measure_row measures[] = {
    {
        .info = {.id = WW_DTW,
                 .name = "dtw",
                 .title = "Dynamic time warping",
                 .reference = "H. Sakoe, S. Chiba: Dynamic programming algorithm optimization for spoken word "
                              "recognition. IEEE Trans. ASSP 26(1), 1978",
                 .is_metric = 0,
                 .is_symmetric = 1},
        .cost = WW_COST_SQUARED,
        .recurrence = "recurrence/dtw.cl",
        .flags = WWI_MEASURE_NONNEGATIVE | WWI_MEASURE_MONOTONE | WWI_MEASURE_BOUND_SUM | WWI_MEASURE_ZERO_ON_SELF,
    },
    {
        // A metric up to repeated points: a series and the same with a point repeated have distance 0. It stays one
        // with the absolute cost and with the root, but not with the squared cost or inside a band.
        .info = {.id = WW_FRECHET,
                 .name = "frechet",
                 .title = "Discrete Fréchet distance (dog-keeper)",
                 .reference =
                     "T. Eiter, H. Mannila: Computing discrete Fréchet distance. TR CD-TR 94/64, TU Wien, 1994",
                 .is_metric = 1,
                 .is_symmetric = 1},
        .cost = WW_COST_EUCLIDEAN,
        .recurrence = "recurrence/frechet.cl",
        .flags = WWI_MEASURE_NONNEGATIVE | WWI_MEASURE_MONOTONE | WWI_MEASURE_BOUND_MAX | WWI_MEASURE_ZERO_ON_SELF,
    },
};

#define MEASURE_COUNT (sizeof(measures) / sizeof(measures[0]))

const wwi_measure_row *wwi_measure_row_by_id(ww_measure_id id) {
    for (size_t i = 0; i < MEASURE_COUNT; i++)
        if (measures[i].info.id == id)
            return &measures[i];
    return NULL;
}

size_t ww_measure_count(void) {
    return MEASURE_COUNT;
}

const ww_measure_info *ww_measure_info_at(size_t position) {
    return position < MEASURE_COUNT ? &measures[position].info : NULL;
}

const ww_measure_info *ww_measure_info_by_id(ww_measure_id id) {
    const wwi_measure_row *row = wwi_measure_row_by_id(id);
    return row ? &row->info : NULL;
}

const ww_measure_info *ww_measure_info_by_name(const char *name) {
    for (size_t i = 0; name && i < MEASURE_COUNT; i++)
        if (strcmp(measures[i].info.name, name) == 0)
            return &measures[i].info;
    return NULL;
}

ww_status ww_measure_init(ww_measure *measure, ww_measure_id id) {
    const ww_measure_info *info = ww_measure_info_by_id(id);
    if (!measure)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "measure is NULL");
    if (!info)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is no measure number %d", (int)id);
    memset(measure, 0, sizeof(*measure));
    measure->struct_size = sizeof(*measure);
    measure->id = id;
    for (size_t p = 0; p < info->parameter_count; p++)
        measure->parameters[p] = info->parameters[p].initial;
    return WW_OK;
}

// A caller built against a later header may pass a longer structure, as long as it asks for nothing we don't know.
static ww_status check_struct(const ww_measure *measure) {
    if (measure->struct_size < sizeof(*measure)) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "struct_size of the measure is %zu, less than %zu", measure->struct_size,
                 sizeof(*measure));
        return wwi_fail_hint("fill the measure with ww_measure_init()");
    }
    // A size beyond any structure is an uninitialised field, and its tail must not be read.
    if (measure->struct_size > 16 * sizeof(*measure)) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "struct_size of the measure is %zu", measure->struct_size);
        return wwi_fail_hint("fill the measure with ww_measure_init()");
    }
    const unsigned char *bytes = (const unsigned char *)measure;
    for (size_t i = sizeof(*measure); i < measure->struct_size; i++)
        if (bytes[i] != 0)
            return wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                            "the measure sets fields that this version of the library does not know");
    return WW_OK;
}

static ww_status check_parameter(const ww_measure_info *info, size_t p, double value) {
    const ww_parameter_info *parameter = &info->parameters[p];
    // Written so that NaN fails.
    if (value >= parameter->minimum && value <= parameter->maximum)
        return WW_OK;
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "parameter %s of %s is %g", parameter->name, info->name, value);
    return wwi_fail_hint("give a value from %g to %g", parameter->minimum, parameter->maximum);
}

ww_status ww_measure_set(ww_measure *measure, const char *parameter, double value) {
    if (!measure || !parameter)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "measure or parameter is NULL");
    const ww_measure_info *info = ww_measure_info_by_id(measure->id);
    if (!info)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is no measure number %d", (int)measure->id);
    for (size_t p = 0; p < info->parameter_count; p++) {
        if (strcmp(info->parameters[p].name, parameter) != 0)
            continue;
        ww_status status = check_parameter(info, p, value);
        if (status == WW_OK)
            measure->parameters[p] = value;
        return status;
    }
    return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s has no parameter \"%s\"", info->name, parameter);
}

static ww_status check_cost(const ww_measure *measure) {
    if ((int)measure->cost < WW_COST_DEFAULT || (int)measure->cost > WW_COST_USER)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is no cost number %d", (int)measure->cost);
    const char *text = measure->cost_expression;
    bool blank = !text || text[strspn(text, " \t\r\n")] == '\0';
    if (measure->cost == WW_COST_USER && blank) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "WW_COST_USER without an expression");
        return wwi_fail_hint("set cost_expression, for example \"fabs(x - y) * 2\"");
    }
    if (measure->cost != WW_COST_USER && text) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a cost expression, but the cost is not WW_COST_USER");
        return wwi_fail_hint("set cost to WW_COST_USER, or cost_expression to NULL");
    }
    return WW_OK;
}

ww_status wwi_measure_check(const ww_measure *measure) {
    if (!measure)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "measure is NULL");
    ww_status status = check_struct(measure);
    if (status != WW_OK)
        return status;
    const ww_measure_info *info = ww_measure_info_by_id(measure->id);
    if (!info)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is no measure number %d", (int)measure->id);
    status = check_cost(measure);
    for (size_t p = 0; status == WW_OK && p < info->parameter_count; p++)
        status = check_parameter(info, p, measure->parameters[p]);
    return status == WW_OK ? wwi_band_check(&measure->band) : status;
}

ww_cost wwi_measure_cost(const ww_measure *measure) {
    return measure->cost == WW_COST_DEFAULT ? wwi_measure_row_by_id(measure->id)->cost : measure->cost;
}

bool wwi_measure_is_symmetric(const ww_measure *measure) {
    return wwi_measure_row_by_id(measure->id)->info.is_symmetric && measure->cost != WW_COST_USER &&
           wwi_band_is_symmetric(&measure->band);
}

bool wwi_measure_is_zero_on_self(const ww_measure *measure) {
    return (wwi_measure_row_by_id(measure->id)->flags & WWI_MEASURE_ZERO_ON_SELF) && measure->cost != WW_COST_USER &&
           wwi_band_has_diagonal(&measure->band);
}

uint64_t ww_measure_cells(const ww_measure *measure, size_t n, size_t m) {
    if (wwi_measure_check(measure) != WW_OK)
        return 0;
    return wwi_band_cells(&measure->band, n, m);
}
