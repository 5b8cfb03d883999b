// SPDX-License-Identifier: Apache-2.0
// The best shapelets by parts of the candidates: 'shapelets fit --part', and their merge. A part has a model in place
// of an array of values; its units are the training series.
#ifndef WAVEWARP_CLI_SHAPELET_PARTS_H
#define WAVEWARP_CLI_SHAPELET_PARTS_H

#include "base/division.h"

// Opens the part's journal, and sets the part and the checkpoint of `options`, which are those of the search. Its text
// is *checkpoint; free() it. *model: where all is done, what was found; else NULL.
int cli_shapelet_part_open(cli_division *d, const cli_device_options *device, ww_context *context,
                           const ww_series_set *train, ww_shapelets_options *options, char **checkpoint,
                           ww_shapelets **model);
// The part's model is found.
int cli_shapelet_part_done(cli_division *d, const ww_shapelets *model);

// Joins the `count` parts of `folder`, whose journals are alike and say `options`, of `units` series together.
int cli_shapelet_parts_merge(const char *folder, uint64_t count, const char *options, uint64_t units,
                             const char *output);

#endif
