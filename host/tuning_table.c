// SPDX-License-Identifier: Apache-2.0
// Every tuning parameter: its range, default and meaning. What is read from tuning files is checked by this table; the
// one in docs/tuning.md and the candidates of `wavewarp tune` are this one too. The default that counts is where the
// value is looked up.
#include "tuning_table.h"

#include <string.h>

#include "internal.h"

#define ANY WWI_TUNING_ANY
#define POWER WWI_TUNING_POWER
#define FOURS WWI_TUNING_FOURS
#define GPU true, false
#define CPU false, true
#define BOTH true, true
#define UNTRIED false, false
#define MOST_COUNT (1L << 30)

static const wwi_tuning_entry entries[] = {
    {"lanes.values",
     ANY,
     8,
     256,
     "128; in double 64; CPU 32",
     "registers of a lane for columns",
     GPU,
     {48, 64, 96, 112, 128}},
    {"lanes.banded", ANY, 4, 64, "16", "most columns of a lane with a band", UNTRIED, {0}},
    {"lanes.rows", POWER, 2, 8, "4; measures that keep values beside them 8", "rows a step", GPU, {2, 4, 8}},
    {"lanes.group",
     POWER,
     1,
     1024,
     "64; CPU 16",
     "work-items of a group, at least those of a pair",
     GPU,
     {32, 64, 128}},
    {"lanes.width", POWER, 2, 64, "64; CPU 16", "work-items that exchange through local memory", UNTRIED, {0}},
    {"lanes.resident", ANY, 1, MOST_COUNT, "4096", "lanes a compute unit that share out the pairs", UNTRIED, {0}},
    {"lanes.ribbon", ANY, 0, 104, "104; in double 32; CPU 0", "widest band held by one lane as a whole", UNTRIED, {0}},
    {"lanes.ring", ANY, 0, 1, "1 for few wide lanes on NVIDIA", "1: rows are staged in local memory", UNTRIED, {0}},
    {"lanes.ribbon_rows", POWER, 2, 8, "8; wide bands and double 4", "rows a step of such bands", UNTRIED, {0}},
    {"lanes.fit",
     ANY,
     0,
     2,
     "by the cells of the job",
     "programs: 0 one for any length, 1 few, 2 one a length",
     UNTRIED,
     {0}},
    {"packed.vector", POWER, 4, 16, "16; in double 8", "lanes of a vector, on CPUs", CPU, {4, 8, 16}},
    {"packed.rows", POWER, 2, 16, "8", "rows at a time, on CPUs", CPU, {4, 8, 16}},
    {"packed.items", ANY, 0, 1, "1; CPU 0", "1: a work-item a pair", UNTRIED, {0}},
    {"packed.fill",
     ANY,
     0,
     MOST_COUNT,
     "256; plain measures 102; with a band 64",
     "pairs a compute unit from which a work-item takes one",
     UNTRIED,
     {0}},
    {"packed.reuse", ANY, 0, MOST_COUNT, "60", "cells from which a value is worth interleaving", UNTRIED, {0}},
    {"packed.tiles",
     ANY,
     0,
     3,
     "gamma from 4 on 3; from 0.5 on, where double is fast, 2; else 1",
     "soft minima of DTW by tiles: 1 in the log domain, 2 also as products in double, 3 also with gauges",
     UNTRIED,
     {0}},
    {"packed.tile_columns", ANY, 4, 96, "16, by pairs alone 12", "columns of a strip of these, in fours", UNTRIED, {0}},
    {"packed.values",
     ANY,
     8,
     512,
     "128; in double 48",
     "registers of a work-item for columns",
     GPU,
     {64, 96, 128, 144, 192}},
    {"packed.columns.*",
     FOURS,
     4,
     96,
     "by `packed.values`",
     "columns of a work-item, for the measure named last",
     UNTRIED,
     {0}},
    {"packed.banded.*",
     FOURS,
     8,
     64,
     "24; costs at the edges 16; in double 8",
     "most columns of a work-item with a band, for the measure named last",
     UNTRIED,
     {0}},
    {"packed.open", FOURS, 4, 96, "24", "most columns of a work-item with open ends", UNTRIED, {0}},
    {"packed.channel_columns", FOURS, 4, 48, "16", "most columns of a work-item with 2 to 8 channels", UNTRIED, {0}},
    {"packed.local",
     ANY,
     1,
     MOST_COUNT,
     "5",
     "channels from which a strip's columns are in local memory",
     UNTRIED,
     {0}},
    {"packed.lanes", POWER, 32, 64, "64 where so many exchange, else 32", "pairs side by side", UNTRIED, {0}},
    {"packed.item_rows", POWER, 2, 16, "8; above 8 channels 4", "rows at a time of a work-item", UNTRIED, {0}},
    {"packed.resident", ANY, 1, 1024, "16", "groups a compute unit", GPU, {8, 12, 16, 20}},
    {"strips.columns", POWER, 4, 32, "8", "columns of a lane of a strip", BOTH, {4, 8, 16, 32}},
    {"strips.rows", POWER, 2, 8, "4", "rows a step where strips are few", GPU, {2, 4, 8}},
    {"strips.resident", ANY, 1, 1024, "4", "strips a compute unit that fill the device", UNTRIED, {0}},
    {"strips.vector", ANY, 0, 1, "1", "1: the lanes of a strip are a vector, on CPUs", UNTRIED, {0}},
    {"strips.whole",
     ANY,
     0,
     MOST_COUNT,
     "262144",
     "cells of a pair from which its strips are computed at once, on CPUs",
     UNTRIED,
     {0}},
    {"stencil.group", POWER, 1, 1024, "128; CPU 16", "work-items of a pair", UNTRIED, {0}},
    {"bits.values", ANY, 8, 256, "96 on NVIDIA, else 48", "registers of a lane", UNTRIED, {0}},
    {"bits.vector", ANY, 1, 16, "16", "1: no vectors, on CPUs", UNTRIED, {0}},
    {"bits.rows", POWER, 4, 16, "16", "rows a step of symbols", UNTRIED, {0}},
    {"bits.point_rows", POWER, 2, 16, "8", "rows a step of points", UNTRIED, {0}},
    {"bits.strip_rows", POWER, 4, 16, "16", "rows a step of strips", UNTRIED, {0}},
    {"bits.words", ANY, 1, 8, "4", "words of 32 cells of a lane, on CPUs", UNTRIED, {0}},
    {"bits.resident", ANY, 1, 1024, "2", "strips a compute unit that fill the device", UNTRIED, {0}},
    {"bounds.group", POWER, 1, 256, "64; CPU 1", "work-items that share a lower bound", UNTRIED, {0}},
    {"select.each", ANY, 1, 32, "16", "values of a work-item before lists are merged", UNTRIED, {0}},
    {"select.group",
     POWER,
     1,
     256,
     "64; from k = 65 256; CPU 1",
     "work-items that share a row; 1: a heap each",
     UNTRIED,
     {0}},
    {"select.ahead", ANY, 0, 1, "1", "1: values are requested a step ahead", UNTRIED, {0}},
    {"path.values",
     ANY,
     8,
     128,
     "64; AMD in double 48; with a band or ends 32",
     "registers of a lane for columns",
     UNTRIED,
     {0}},
    {"path.resident", ANY, 1, MOST_COUNT, "16", "groups a compute unit that share out the paths", UNTRIED, {0}},
    {"path.tile", ANY, 0, 1L << 20, "0", "rows and columns of a tile; 0: by the memory", UNTRIED, {0}},
    {"gradient.tiles",
     ANY,
     0,
     2,
     "2; 1 where double is slow; CPU 0",
     "of soft-DTW by tiles: 1 in the log domain, 2 also as products in double",
     UNTRIED,
     {0}},
    {"gradient.rows", POWER, 2, 8, "8; on GPUs in double or with channels 4", "rows of a block", UNTRIED, {0}},
    {"gradient.columns", POWER, 2, 8, "8; on GPUs in double or with channels 4", "columns of a block", UNTRIED, {0}},
    {"gradient.fill",
     ANY,
     0,
     MOST_COUNT,
     "128; by tiles 32, with flow 88; CPU twice the vector",
     "pairs a compute unit from which a work-item takes one",
     UNTRIED,
     {0}},
    {"gradient.flow",
     ANY,
     0,
     1,
     "1 on NVIDIA from sm_80",
     "by tiles: 1 strips of few pairs wait for each other in one launch",
     UNTRIED,
     {0}},
    {"gradient.chunk", ANY, 1, MOST_COUNT, "4", "by tiles: row-steps of a work-item on a diagonal", UNTRIED, {0}},
    {"knn.filter", ANY, 1, 5, "5", "1 narrow, 2 wide, 3 vector, 4 tensor, 5 chosen", UNTRIED, {0}},
    {"knn.narrow", ANY, 1, 64, "32; in double 10", "most coordinates of the narrow filter", UNTRIED, {0}},
    {"knn.tensor", ANY, 1, MOST_COUNT, "5", "fewest coordinates for matrix units", UNTRIED, {0}},
    {"knn.parts", ANY, 1, 2, "1", "halves of 16 bits that a coordinate is split in", UNTRIED, {0}},
    {"knn.down", ANY, 1, 8, "4; few coordinates 8", "tiles of queries of a sub-group", UNTRIED, {0}},
    {"knn.across", ANY, 1, 4, "1; many coordinates 4", "tiles of points of a sub-group: 1, 2 or 4", UNTRIED, {0}},
    {"knn.row_group", POWER, 1, 256, "64; CPU 1", "work-items that share a row", UNTRIED, {0}},
    {"knn.vector", POWER, 4, 16, "16; in double 8", "lanes of a vector, on CPUs", UNTRIED, {0}},
    {"knn.queries12", ANY, 1, 8, "8; in double 2", "queries of a work-item up to 12 coordinates", UNTRIED, {0}},
    {"knn.queries20", ANY, 1, 8, "6; in double 2", "queries of a work-item up to 20 coordinates", UNTRIED, {0}},
    {"knn.queries32", ANY, 1, 8, "4; in double 2", "queries of a work-item above", UNTRIED, {0}},
    {"knn.group", POWER, 32, 256, "128", "work-items of a group of the narrow filter", UNTRIED, {0}},
    {"knn.waves", ANY, 1, 4096, "24", "groups a compute unit of a launch", UNTRIED, {0}},
    {"knn.growth", ANY, 1, 64, "12; CPU 4", "growth of the chunks of the base", UNTRIED, {0}},
    {"search.block",
     ANY,
     4096,
     MOST_COUNT,
     "a twelfth of the stream, 16777216 to 67108864; CPU 131072",
     "places of a block of a stream",
     UNTRIED,
     {0}},
    {"search.loaders",
     ANY,
     0,
     16,
     "6 to 12, by the host's cores; CPU 0",
     "threads that send windows' blocks ahead; 0: blocks are sent in turn",
     UNTRIED,
     {0}},
    {"search.tile", ANY, 0, 1, "1; CPU 0", "1: windows' moments by way of local memory", UNTRIED, {0}},
    {"search.ribbon", ANY, 0, 1, "1", "0: narrow bands of windows as wide ones, on GPUs", UNTRIED, {0}},
    {"search.ribbon_rows", POWER, 1, 8, "4", "rows of a step of these", UNTRIED, {0}},
    {"search.rows", POWER, 1, 8, "8; many channels 4", "rows of a window held in registers", UNTRIED, {0}},
    {"search.vector", POWER, 4, 16, "16; in double 8; llvmpipe 4", "lanes of a vector, on CPUs", UNTRIED, {0}},
    {"search.open_rows", ANY, 1, 64, "8", "open ends: rows of a lane, on CPUs", UNTRIED, {0}},
    {"search.open_values",
     ANY,
     8,
     192,
     "96; NVIDIA 128; in double 64",
     "open ends: registers of a lane for rows",
     UNTRIED,
     {0}},
    {"search.open_step", ANY, 1, 16, "5; CPU 4", "open ends: columns of a step", UNTRIED, {0}},
    {"search.open_chain", POWER, 1, 8, "4", "open ends: groups of lanes of a long query, or of few", UNTRIED, {0}},
    {"search.open_group", POWER, 32, 256, "32", "open ends: work-items of a group", UNTRIED, {0}},
    {"lsh.join", ANY, 0, 4, "0", "1 narrow, 2 wide, 4 matrix units, 0 chosen", UNTRIED, {0}},
    {"lsh.most_tensor", ANY, 1, MOST_COUNT, "62", "most coordinates for matrix units", UNTRIED, {0}},
    {"lsh.tensor", ANY, 1, MOST_COUNT, "5", "fewest coordinates for matrix units", UNTRIED, {0}},
    {"lsh.narrow", ANY, 1, 256, "32; in double 12; CPU 256", "most coordinates held by a work-item", UNTRIED, {0}},
    {"lsh.queries", ANY, 1, 8, "1", "queries of a work-item", UNTRIED, {0}},
    {"lsh.group", POWER, 32, 256, "64; few coordinates 32", "work-items of a group", UNTRIED, {0}},
    {"lsh.lists", ANY, 1, 64, "8; CPU 1", "tables searched at a time", UNTRIED, {0}},
    {"lsh.row_group", POWER, 1, 256, "64; CPU 1", "work-items that share a row", UNTRIED, {0}},
    {"lsh.registers", ANY, 1, 64, "8; few coordinates in float 16", "longest list kept in registers", UNTRIED, {0}},
    {"shapelets.group", POWER, 1, 256, "32; CPU 1", "work-items of a part, dense lengths", UNTRIED, {0}},
    {"shapelets.columns", POWER, 1, 8, "2", "columns of a work-item, dense lengths", UNTRIED, {0}},
    {"shapelets.windows", POWER, 1, 64, "16; CPU 8", "windows of a tile, dense lengths", UNTRIED, {0}},
    {"shapelets.parts", POWER, 1, 8, "8; CPU 1", "parts of a group with the same columns", UNTRIED, {0}},
    {"shapelets.row_group", POWER, 1, 32, "32; CPU 1", "work-items of a part, sparse lengths", UNTRIED, {0}},
    {"shapelets.row_parts", POWER, 1, 8, "4; CPU 1", "parts of a group with the same rows", UNTRIED, {0}},
    {"shapelets.row_series",
     ANY,
     1,
     MOST_COUNT,
     "80 a compute unit",
     "groups from which a part has a series",
     UNTRIED,
     {0}},
    {"shapelets.rows", POWER, 1, 64, "32", "windows until a diagonal's sum begins anew", UNTRIED, {0}},
    {"shapelets.diagonals", POWER, 1, 32, "16; CPU 8", "diagonals of a work-item", UNTRIED, {0}},
    {"shapelets.tensor",
     ANY,
     1,
     2,
     "1 with matrix units, else 2",
     "every length: 1 matrix units or their twin, 2 neither",
     UNTRIED,
     {0}},
    {"shapelets.sparse", ANY, 1, MOST_COUNT, "3", "step from which lengths are sparse", UNTRIED, {0}},
    {"shapelets.split_group", POWER, 1, 256, "128; few series 32, many 256", "work-items that sort", UNTRIED, {0}},
    {"shapelets.split_across", POWER, 1, 32, "32; sifted 4", "candidates sorted at a time", UNTRIED, {0}},
    {"shapelets.sift", ANY, 1, MOST_COUNT, "16", "series from which candidates are sifted", UNTRIED, {0}},
    {"shapelets.sift_group", POWER, 32, 256, "128", "work-items that sift", UNTRIED, {0}},
    {"shapelets.short", ANY, 1, 4, "4", "points up to which correlations are not used, GPUs", UNTRIED, {0}},
    {"shapelets.weigh", ANY, 1, MOST_COUNT, "32", "listed candidates from which the device weighs them", UNTRIED, {0}},
    {"shapelets.vector", ANY, 1, 16, "16", "CPUs, 1: the form for GPUs", UNTRIED, {0}},
    {"shapelets.double", ANY, 1, 2, "1", "2: tables and double distances on the host", UNTRIED, {0}},
    {"lsh.bits", ANY, 6, 30, "6", "least logarithm of a table's buckets", UNTRIED, {0}},
    {"lsh.direct", ANY, 1, MOST_COUNT, "12", "most coordinates compared without norms", UNTRIED, {0}},
    {"lsh.most_k", ANY, 1, 1024, "128", "most k of a search by buckets", UNTRIED, {0}},
    {"lsh.many", ANY, 1, MOST_COUNT, "1024", "fewest queries of a search by buckets", UNTRIED, {0}},
    {"profile.rows", POWER, 64, 4096, "2048 to 128; double 512", "rows between exact covariances", UNTRIED, {0}},
    {"profile.diagonals", POWER, 2, 8, "8", "diagonals of a work-item", UNTRIED, {0}},
    {"profile.group", POWER, 64, 128, "128", "work-items of a group", UNTRIED, {0}},
    {"profile.vectors", POWER, 1, 8, "4", "vectors of diagonals, on CPUs", UNTRIED, {0}},
    {"profile.double", ANY, 1, 2, "1", "2: the form for devices without double", UNTRIED, {0}},
    {"profile.vector", ANY, 0, 1, "0; CPU 1", "1: diagonals in vectors", UNTRIED, {0}},
    {"fetch.threads", ANY, 1, 8, "6; CPU 1", "threads that bring results to the host", UNTRIED, {0}},
};

size_t wwi_tuning_count(void) {
    return sizeof entries / sizeof *entries;
}

const wwi_tuning_entry *wwi_tuning_at(size_t i) {
    return i < wwi_tuning_count() ? &entries[i] : NULL;
}

// The length of a name without ".f32" or ".f64".
static size_t plain_length(const char *name) {
    const size_t length = strlen(name);
    const bool precise =
        length > 4 && (strcmp(name + length - 4, ".f32") == 0 || strcmp(name + length - 4, ".f64") == 0);
    return length - (precise ? 4 : 0);
}

const wwi_tuning_entry *wwi_tuning_find(const char *name) {
    const size_t length = plain_length(name);
    for (size_t i = 0; i < wwi_tuning_count(); i++) {
        const size_t size = strlen(entries[i].name);
        const bool family = entries[i].name[size - 1] == '*';
        if (family ? length > size - 1 && strncmp(entries[i].name, name, size - 1) == 0
                   : length == size && strncmp(entries[i].name, name, size) == 0)
            return &entries[i];
    }
    return NULL;
}

const char *wwi_tuning_values(wwi_tuning_kind kind) {
    return kind == POWER ? ", a power of two" : kind == FOURS ? ", a multiple of 4" : "";
}

bool wwi_tuning_allows(const wwi_tuning_entry *entry, long value) {
    return value >= entry->least && value <= entry->most && (entry->kind != POWER || (value & (value - 1)) == 0) &&
           (entry->kind != FOURS || value % 4 == 0);
}

// How many characters two names have in common at their beginnings and ends.
static size_t likeness(const char *a, size_t length, const char *b) {
    const size_t size = strlen(b), least = length < size ? length : size;
    size_t front = 0, back = 0;
    while (front < least && a[front] == b[front])
        front++;
    while (back < least - front && a[length - 1 - back] == b[size - 1 - back])
        back++;
    return front + back;
}

const char *wwi_tuning_closest(const char *name) {
    const size_t length = plain_length(name);
    const char *closest = NULL;
    size_t best = length * 2 / 3;
    for (size_t i = 0; i < wwi_tuning_count(); i++) {
        const size_t like = likeness(name, length, entries[i].name);
        if (like > best) {
            best = like;
            closest = entries[i].name;
        }
    }
    return closest;
}
