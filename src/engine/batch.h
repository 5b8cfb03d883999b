// SPDX-License-Identifier: Apache-2.0
// A batch as its kernels see it: ids and lengths, cells, arguments, packs; and its launches, one unit after the other.
#ifndef WAVEWARP_BATCH_H
#define WAVEWARP_BATCH_H

#include "engine/runner.h"

// *w has nothing but uploads to be used again, if any.
ww_status wwi_work_make(const wwi_runner *r, const wwi_batch *batch, wwi_work *w);
void wwi_uploads_close(wwi_uploads *uploads);
// The same pairs with the roles of rows and columns exchanged; only for symmetric measures.
void wwi_work_exchange(wwi_work *w);
// A list by ascending lengths.
void wwi_work_sort(wwi_work *w);
// Cells of a batch of these sides, the share of the matrix inside the band estimated from its longest pair.
double wwi_batch_cells(const wwi_runner *r, const wwi_sides *s, const wwi_batch *b);

// The key of a form; vector, columns, rows and group are 1.
wwi_variant_key wwi_work_key(const wwi_runner *r, const wwi_work *w, const wwi_form *form);
// The arguments every engine's kernel begins with; how many they are. `args` point into `w`.
#define COMMON_ARGS 9
size_t wwi_work_args(const wwi_work *w, wwi_arg *args);

// Fills what kernels need of the band, where there is one: w->args, and words for the device in r->words. Sets
// w->too_large. `tiling` and `fits` NULL, or the tiling of engine lanes: *fits is false where it fits not all pairs.
ww_status wwi_work_bands(wwi_runner *r, wwi_work *w, const wwi_tiling *tiling, bool *fits);
// The open ends of the series, which the measure has for rows and columns that have not changed places.
void wwi_work_ends(const ww_measure *measure, wwi_work *w);
// Ids, lists and bands to the device.
ww_status wwi_work_upload(wwi_runner *r, wwi_work *w);

// Brings the series of a side together in packs (kernels_cl/engine/interleave.cl, bits_packed.cl): `values` for every
// `points` of a series, `width` series side by side. One work-group of `group` work-items a pack. With `step` above 0
// the row series end together, and padding rows fill a pack to a multiple of `step`. One entry more than there are
// packs says where the last one ends. Packs stay with the work, and are made once where the series do not change.
typedef struct wwi_packing {
    uint32_t width, points, values, group, step;
    uint64_t value_bytes;
    uint32_t margin; // points before and behind each series
} wwi_packing;
ww_status wwi_interleave(wwi_runner *r, const wwi_variant *v, wwi_work *w, int side, wwi_packing packing);
// Units of an engine that takes packs of column series, or of a list's pairs, by workers; and the row series of each:
// few enough that all workers are busy to the end.
uint64_t wwi_share_out(const wwi_runner *r, wwi_work *w, uint64_t packs, uint64_t workers);

// Goes through `units` units of work, as many a launch as its time allows:
//     while (wwi_units_next(&u)) { ... u.at, u.take ...; WWI_TRY(wwi_units_launch(&u, v, ...)); }
typedef struct wwi_units {
    wwi_runner *runner;
    const wwi_work *work;
    double *rate;
    uint64_t units, at, take;
    uint64_t fill; // so many fill the device; 0: not known
    double cells_each;
    bool more; // after these units there are others
} wwi_units;
wwi_units wwi_units_of(wwi_runner *r, const wwi_work *w, uint64_t units, double cells);
bool wwi_units_next(wwi_units *u);
// Launches units [at, at + take) in `groups` groups and goes on to those after them: the work's arguments, and `more`,
// MORE_ARGS at most. While a runner prepares, one group that finds nothing to do is launched: some drivers compile a
// kernel then (PoCL).
#define MORE_ARGS 13
ww_status wwi_units_launch(wwi_units *u, const wwi_variant *v, uint64_t groups, const wwi_arg *more, size_t count);

// Launches units of packs, which `workers` work-groups take from a counter, each with `scratch_bytes` of its own.
#define PACKS_MORE 5
typedef struct wwi_packs {
    bool rows; // of a rectangle: the packs are of row series, else of column series
    uint32_t packs;
    uint64_t units, workers, scratch_bytes;
    const wwi_arg *more; // arguments that this kernel alone takes, PACKS_MORE at most
    size_t more_count;
} wwi_packs;
ww_status wwi_packs_launch(wwi_runner *r, wwi_work *w, const wwi_variant *v, wwi_packs packs);

#endif
