// SPDX-License-Identifier: Apache-2.0
// ww_struct_init(): the values of the WW_..._INIT macros, for languages without macros and for structs of other
// versions' sizes. ww_measure_init(), which needs the table of measures, is in src/measure/.
#include <string.h>
#include <wavewarp/wavewarp.h>

#include "error.h"
#include "options.h"

#define STRUCT(name, NAME)                                                                                             \
    { "ww_" #name, &(const ww_##name)WW_##NAME##_INIT }

static const struct {
    const char *name;
    const void *known;
} structs[] = {
    STRUCT(average_options, AVERAGE_OPTIONS),
    STRUCT(average_result, AVERAGE_RESULT),
    STRUCT(classification, CLASSIFICATION),
    STRUCT(classify_options, CLASSIFY_OPTIONS),
    STRUCT(context_options, CONTEXT_OPTIONS),
    STRUCT(dataset_options, DATASET_OPTIONS),
    STRUCT(device_info, DEVICE_INFO),
    STRUCT(device_share, DEVICE_SHARE),
    STRUCT(generate_options, GENERATE_OPTIONS),
    STRUCT(gradient_info, GRADIENT_INFO),
    STRUCT(gradient_options, GRADIENT_OPTIONS),
    STRUCT(gradient_outputs, GRADIENT_OUTPUTS),
    STRUCT(index_info, INDEX_INFO),
    STRUCT(index_options, INDEX_OPTIONS),
    STRUCT(index_target, INDEX_TARGET),
    STRUCT(kmeans_info, KMEANS_INFO),
    STRUCT(kmeans_options, KMEANS_OPTIONS),
    STRUCT(knn_info, KNN_INFO),
    STRUCT(knn_options, KNN_OPTIONS),
    STRUCT(lsh_choice, LSH_CHOICE),
    STRUCT(lsh_info, LSH_INFO),
    STRUCT(lsh_options, LSH_OPTIONS),
    STRUCT(lsh_target, LSH_TARGET),
    STRUCT(medoids_info, MEDOIDS_INFO),
    STRUCT(medoids_options, MEDOIDS_OPTIONS),
    STRUCT(nearest_shard, NEAREST_SHARD),
    STRUCT(output, OUTPUT),
    STRUCT(paths, PATHS),
    STRUCT(plan_info, PLAN_INFO),
    STRUCT(plan_options, PLAN_OPTIONS),
    STRUCT(point_view, POINT_VIEW),
    STRUCT(points_options, POINTS_OPTIONS),
    STRUCT(profile_info, PROFILE_INFO),
    STRUCT(profile_options, PROFILE_OPTIONS),
    STRUCT(profile_output, PROFILE_OUTPUT),
    STRUCT(read_info, READ_INFO),
    STRUCT(read_options, READ_OPTIONS),
    STRUCT(run_options, RUN_OPTIONS),
    STRUCT(sbd_options, SBD_OPTIONS),
    STRUCT(search_info, SEARCH_INFO),
    STRUCT(search_options, SEARCH_OPTIONS),
    STRUCT(search_part, SEARCH_PART),
    STRUCT(search_source, SEARCH_SOURCE),
    STRUCT(series_view, SERIES_VIEW),
    STRUCT(shapelet, SHAPELET),
    STRUCT(shapelet_node, SHAPELET_NODE),
    STRUCT(shapelets_info, SHAPELETS_INFO),
    STRUCT(shapelets_options, SHAPELETS_OPTIONS),
    STRUCT(store_info, STORE_INFO),
    STRUCT(store_options, STORE_OPTIONS),
    STRUCT(store_share, STORE_SHARE),
    STRUCT(topk_info, TOPK_INFO),
    STRUCT(topk_options, TOPK_OPTIONS),
    STRUCT(tune_options, TUNE_OPTIONS),
    STRUCT(tune_parameter, TUNE_PARAMETER),
};

ww_status ww_struct_init(const char *type, void *given, size_t struct_size) {
    WWI_NEEDS("type, given", type, given);
    if (struct_size < sizeof struct_size)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s of %zu bytes", type, struct_size);
    for (size_t i = 0; i < sizeof structs / sizeof *structs; i++)
        if (strcmp(type, structs[i].name) == 0) {
            wwi_struct_init(given, struct_size, structs[i].known);
            return WW_OK;
        }
    return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is no struct '%s' with defaults", type);
}
