// SPDX-License-Identifier: Apache-2.0
// See devices.h.
#include "devices.h"

#include <stdlib.h>
#include <string.h>

typedef struct identity {
    char host[MPI_MAX_PROCESSOR_NAME];
    char name[256], driver[128], version[64], kernels[512];
    char physical[64]; // UUID or PCI address, where the driver says it
} identity;

int rank_device_choose(bool share, const char **device) {
    static char index[24];
    CLI_ENDS(ww_device_list_destroy) ww_device_list *list = NULL;
    ww_device_info info = WW_DEVICE_INFO_INIT;
    MPI_Comm machine;
    int local, locals;
    size_t gpus = 0, wanted = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &local);
    MPI_Comm_size(machine, &locals);
    MPI_Comm_free(&machine);
    *device = NULL;
    if (getenv("WAVEWARP_DEVICE"))
        return CLI_GO_ON;
    CLI_TRY(cli_status(ww_device_list_create(&list)));
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0, gpu = 0; i < ww_device_list_count(list); i++) {
            if (ww_device_list_get_info(list, i, &info) != WW_OK || !info.usable || info.type != WW_DEVICE_GPU)
                continue;
            gpus += pass == 0;
            if (pass == 1 && gpu++ == (size_t)local % gpus)
                wanted = i;
        }
    if (gpus == 0)
        return CLI_GO_ON;
    if ((size_t)locals > gpus && !share)
        return cli_error("%d ranks of a machine have %zu GPUs; --share-devices lets them share", locals, gpus);
    snprintf(index, sizeof index, "%zu", wanted);
    *device = index;
    return CLI_GO_ON;
}

static void describe(ww_context *context, identity *own) {
    ww_device_info info = WW_DEVICE_INFO_INIT;
    int length;
    memset(own, 0, sizeof *own);
    MPI_Get_processor_name(own->host, &length);
    snprintf(own->version, sizeof own->version, "%s", ww_version());
    if (ww_context_get_device_info(context, &info) != WW_OK)
        return;
    snprintf(own->name, sizeof own->name, "%s", info.name);
    snprintf(own->driver, sizeof own->driver, "%s", info.driver);
    snprintf(own->kernels, sizeof own->kernels, "%s", ww_context_kernel_source(context));
    snprintf(own->physical, sizeof own->physical, "%s", info.uuid[0] ? info.uuid : info.pci);
}

static int compare_all(const identity *all, bool share, bool any_device) {
    for (int i = 1; i < ranks; i++) {
        if (strcmp(all[i].version, all[0].version) != 0)
            return cli_error("rank 0 is version %s, rank %d %s", all[0].version, i, all[i].version);
        if (!any_device && (strcmp(all[i].name, all[0].name) != 0 || strcmp(all[i].driver, all[0].driver) != 0))
            return cli_error("rank 0 has %.100s (%s), rank %d %.100s (%s): the last bits would differ; --any-device "
                             "allows it",
                             all[0].name, all[0].driver, i, all[i].name, all[i].driver);
        if (!any_device && strcmp(all[i].kernels, all[0].kernels) != 0)
            return cli_error("rank 0 has its kernels from %.200s, rank %d from %.200s; --any-device allows it",
                             all[0].kernels, i, all[i].kernels);
        for (int other = 0; !share && all[i].physical[0] && other < i; other++)
            if (strcmp(all[i].physical, all[other].physical) == 0 && strcmp(all[i].host, all[other].host) == 0)
                return cli_error("ranks %d and %d have one device (%s); --share-devices lets them share", other, i,
                                 all[i].physical);
    }
    return CLI_GO_ON;
}

int rank_device_compare(ww_context *context, bool share, bool any_device) {
    identity own;
    CLI_FREES identity *all = rank == 0 ? calloc((size_t)ranks, sizeof *all) : NULL;
    CLI_TRY(ranks_agree(rank > 0 || all ? CLI_GO_ON : cli_error("out of memory"), false, NULL));
    describe(context, &own);
    MPI_Gather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, 0, MPI_COMM_WORLD);
    return ranks_agree(rank == 0 ? compare_all(all, share, any_device) : CLI_GO_ON, false, NULL);
}
