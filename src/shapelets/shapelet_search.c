// SPDX-License-Identifier: Apache-2.0
// The search of one node: the best candidates among all windows of its series. Columns (places where candidates start)
// are processed in chunks that fit the memory; for each chunk the device finds the correlations of all its candidates
// with all series and the bounds of their gains (kernels_cl/shapelets/), and lists those that may be among the best.
// The list is then examined in double, best first, until no other can be better.
//
// Overlap counts within one series only. So where more than one is wanted, a *section* of the columns has whole series:
// its candidates are listed against the k-th best of the sections before, which can only rise. Long because: chunks,
// lists and selection share one struct.
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "shapelets/shapelet_search.h"

enum { BINS = 16 };         // WW_BINS in kernels_cl/shapelets/shapelet_sift.cl
enum { SHORT_COLUMNS = 4 }; // WW_SHORT_COLUMNS in kernels_cl/shapelets/shapelet_exact.cl
#define LEAST_EXTENT 2e-5   // of three neighbours, in the largest of a series: below it ww_error() was seen not to hold
enum { TENSOR_COLUMNS = 32, TENSOR_WINDOWS = 64, TENSOR_GROUP = 128 }; // kernels_cl/shapelets/shapelet_tensor.cl

// A candidate that the device listed.
typedef struct listed {
    int64_t gain;
    float gap;
    wwi_shapelet_place place;
    uint32_t own; // the series' place in the node
    bool weighed; // by distances in double
} listed;

typedef struct section {
    size_t first, count; // columns
} section;

// Columns that are processed at a time.
typedef struct chunk {
    size_t first, count;
    uint64_t cells, candidates;
} chunk;

typedef struct search {
    wwi_shapelet_device *device;
    const wwi_shapelet_data *data;
    const wwi_shapelet_gains *gains;
    const ww_shapelets_options *options;
    const wwi_shapelet_node *node;
    wwi_shapelet_progress *progress;
    size_t k;
    wwi_shapelet_job job;
    wwi_shapelet_column *columns;
    size_t column_count;
    bool tensor;    // by matrix units
    double unit;    // of the tables: by matrix units what values are multiplied by, else their centre
    bool sparse;    // by diagonals
    uint32_t parts; // of a group of the extension; its group_items work-items
    uint32_t group_items;
    uint32_t lanes, wide; // of a group of diagonals; windows of a series in their table
    uint32_t takes;       // series of a group at a time
    uint32_t fallen;      // numbers of a copy of a series there
    section *sections;
    size_t section_count;
    wwi_shapelet_tile *tiles;
    uint32_t *first_tile; // count + 1
    size_t tile_count;
    uint64_t *cells;   // of a column by its number of lengths
    uint32_t *lengths; // of a column by its reach
    // the device's
    wwi_program *extend_program, *split_program, *sift_program;
    wwi_kernel *extend, *clear, *split, *bound_kernel, *rank, *keep, *sift, *survive;
    bool sifts;                                 // before the sort, those that can't be the best are taken out
    uint32_t sift_group, sift_groups;           // work-items of a group, groups
    uint32_t field, words;                      // bits of a count in the histogram, words of a bin
    uint32_t shift;                             // bits of gains that its bound leaves out
    wwi_shapelet_room *room;                    // its buffers
    uint32_t rows_groups, rows_room;            // of shapelet_rows.cl: groups at a time, and numbers that each keeps
    uint32_t across, split_group, split_groups; // candidates of a group, its work-items, groups
    uint32_t shares;                            // work-items that go through a candidate's keys
    bool keys_global;
    uint32_t block;            // columns are a multiple of it
    size_t chunk;              // most columns at a time
    uint32_t *lefts;           // sparse lengths: points left from the first row of each block of columns on
    uint32_t *totals, *points; // of each class; of each series
    float *before;
    uint64_t first_bound[2];           // gain and gap that a listed candidate has at least
    bool ahead;                        // chunks are queued one after the other, and their lists are read at the end
    uint32_t list_columns, list_first; // of the places in the device's list: all columns, the chunk's first
    size_t table_first, table_count;   // the series whose windows are in the table
    uint64_t table_bytes;
    // the list
    listed *list;
    size_t list_count, list_room;
    wwi_shapelet_found *best_found;
    size_t best_count;
} search;

static uint64_t least_length(const ww_shapelets_options *o) {
    return o->min_length;
}

static uint32_t lengths_within(const wwi_shapelet_job *job, uint32_t reach) {
    const uint32_t all = reach < job->least ? 0 : (reach - job->least) / job->step + 1;
    return all < job->count ? all : job->count;
}

int wwi_shapelet_compare(const wwi_shapelet_found *a, const wwi_shapelet_found *b) {
    const wwi_shapelet_place *p = &a->place, *q = &b->place;
    if (a->score.key != b->score.key)
        return a->score.key > b->score.key ? -1 : 1;
    if (a->score.gap_key != b->score.gap_key)
        return a->score.gap_key > b->score.gap_key ? -1 : 1;
    if (p->length != q->length)
        return p->length < q->length ? -1 : 1;
    if (p->series != q->series)
        return p->series < q->series ? -1 : 1;
    return p->start < q->start ? -1 : p->start > q->start;
}

// ---- columns

// A generator of numbers that is the same everywhere: splitmix64.
static uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static int by_number(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// Copies items to `sorted`, those with the largest key first, otherwise in their order: by counting, since there are
// many. key: where in an item its uint32_t is, which is at most `longest`; at: for 2 more than that.
static inline void sort_down(const void *items, size_t count, size_t bytes, size_t key, size_t longest, size_t *at,
                             void *sorted) {
    const char *from = items;
    char *to = sorted;
    uint32_t of;
    memset(at, 0, (longest + 2) * sizeof *at);
    for (size_t i = 0; i < count; i++) {
        memcpy(&of, from + i * bytes + key, sizeof of);
        at[longest - of + 1]++;
    }
    for (size_t r = 0; r <= longest; r++)
        at[r + 1] += at[r];
    for (size_t i = 0; i < count; i++) {
        memcpy(&of, from + i * bytes + key, sizeof of);
        memcpy(to + at[longest - of]++ * bytes, from + i * bytes, bytes);
    }
}

// The columns with the longest reach first.
static ww_status sort_by_reach(wwi_shapelet_column *columns, size_t count, uint32_t longest) {
    size_t *at = malloc(((size_t)longest + 2) * sizeof *at);
    wwi_shapelet_column *sorted = malloc(count * sizeof *sorted);
    const bool room = at && sorted;
    if (room) {
        sort_down(columns, count, sizeof *columns, offsetof(wwi_shapelet_column, reach), longest, at, sorted);
        memcpy(columns, sorted, count * sizeof *sorted);
    }
    free(at);
    free(sorted);
    return room ? WW_OK : wwi_fail_memory(count * sizeof *sorted);
}

// Starts of series `own` of the node, and the lengths from each.
static uint32_t starts_of(const search *s, size_t own) {
    const size_t length = wwi_shapelet_length(s->data, s->node->ids[own]);
    return (uint32_t)((length - s->job.least) / s->options->start_step + 1);
}

// left: points of the series from `start` on.
static wwi_shapelet_column column_at(const search *s, uint32_t own, uint32_t start, uint32_t left) {
    return (wwi_shapelet_column){s->node->ids[own], start, left < s->job.longest ? left : s->job.longest, own};
}

static ww_status count_columns(const search *s, uint64_t *count) {
    *count = 0;
    for (size_t own = 0; own < s->node->count; own++)
        *count += starts_of(s, own);
    return *count > INT32_MAX ? wwi_fail(WW_ERROR_OVERFLOW, "%" PRIu64 " starts of candidates", *count) : WW_OK;
}

static ww_status make_columns(search *s) {
    uint64_t count;
    const ww_status status = count_columns(s, &count);
    if (status != WW_OK)
        return status;
    s->columns = malloc(count * sizeof *s->columns);
    if (!s->columns)
        return wwi_fail_memory(count * sizeof *s->columns);
    for (size_t own = 0; own < s->node->count; own++) {
        const uint32_t length = (uint32_t)wwi_shapelet_length(s->data, s->node->ids[own]);
        const uint32_t starts = starts_of(s, own), step = (uint32_t)s->options->start_step;
        for (uint32_t i = 0; i < starts; i++)
            s->columns[s->column_count++] = column_at(s, (uint32_t)own, i * step, length - i * step);
    }
    return WW_OK;
}

// Draws `wanted` different candidates. Each becomes a column of one length.
static ww_status make_sample(search *s, size_t wanted) {
    uint64_t total = 0, drawn = 0, state = s->options->seed, at = 0, begin = 0;
    ww_status status = make_columns(s);
    wwi_shapelet_column *sample = NULL;
    uint64_t *numbers = NULL;
    if (status != WW_OK)
        return status;
    for (size_t c = 0; c < s->column_count; c++)
        total += lengths_within(&s->job, s->columns[c].reach);
    if (wanted >= total)
        return WW_OK;
    numbers = malloc(wanted * sizeof *numbers);
    sample = malloc(wanted * sizeof *sample);
    if (!numbers || !sample) {
        free(numbers);
        free(sample);
        return wwi_fail_memory(wanted * sizeof *sample);
    }
    while (drawn < wanted) {
        while (drawn < wanted)
            numbers[drawn++] = next_random(&state) % total;
        qsort(numbers, wanted, sizeof *numbers, by_number);
        size_t kept = 0;
        for (size_t i = 0; i < wanted; i++)
            if (i == 0 || numbers[i] != numbers[i - 1])
                numbers[kept++] = numbers[i];
        drawn = kept;
    }
    for (size_t i = 0; i < wanted; i++) {
        while (numbers[i] >= begin + lengths_within(&s->job, s->columns[at].reach))
            begin += lengths_within(&s->job, s->columns[at++].reach);
        sample[i] = s->columns[at];
        sample[i].reach = s->job.least + (uint32_t)(numbers[i] - begin) * s->job.step;
    }
    free(numbers);
    free(s->columns);
    s->columns = sample;
    s->column_count = wanted;
    s->job.single = 1;
    s->job.count = 1;
    return WW_OK;
}

static void shuffle(search *s) {
    uint64_t state = s->options->seed ^ UINT64_C(0x5eed);
    for (size_t i = s->column_count; i > 1; i--) {
        const size_t j = (size_t)(next_random(&state) % i);
        const wwi_shapelet_column swapped = s->columns[i - 1];
        s->columns[i - 1] = s->columns[j];
        s->columns[j] = swapped;
    }
}

// Starts of one series that follow each other: a work-item's rows.
typedef struct rows {
    uint32_t own, first, left; // left: points from the first on
} rows;

// The columns of each section in the order of shapelet_diagonal.cl: (group, row, work-item), the longest first, with
// columns of no reach where there are none. Where there are no columns yet, those of all series of the node.
static ww_status arrange_rows(search *s) {
    ww_status status = WW_OK;
    const uint32_t H = s->device->rows, lanes = s->lanes;
    wwi_shapelet_column *ordered = NULL;
    const size_t most = s->column_count / H + s->node->count + 1;
    rows *blocks = malloc(most * sizeof *blocks), *sorted = malloc(most * sizeof *sorted);
    size_t *starts = malloc((s->data->longest + 2) * sizeof *starts), room = 0, used = 0;
    if (!blocks || !sorted || !starts)
        status = wwi_fail_memory(most * sizeof *blocks);
    for (size_t i = 0; status == WW_OK && i < s->section_count; i++) {
        const section part = s->sections[i];
        size_t count = 0;
        for (size_t own = 0; !s->columns && own < s->node->count; own++) {
            const uint32_t length = (uint32_t)wwi_shapelet_length(s->data, s->node->ids[own]);
            for (uint32_t start = 0; start + s->job.least <= length; start += H)
                blocks[count++] = (rows){(uint32_t)own, start, length - start};
        }
        for (size_t c = part.first; s->columns && c < part.first + part.count; c++)
            if (!(s->columns[c].start & (H - 1))) { // H is a power of two
                const wwi_shapelet_column *column = &s->columns[c];
                const size_t length = wwi_shapelet_length(s->data, column->series);
                blocks[count++] = (rows){column->own, column->start, (uint32_t)length - column->start};
            }
        sort_down(blocks, count, sizeof *blocks, offsetof(rows, left), s->data->longest, starts, sorted);
        const size_t groups = (count + lanes - 1) / lanes, columns = groups * H * lanes;
        if ((status = wwi_grow(&ordered, &room, used + columns, sizeof *ordered)) != WW_OK)
            break;
        wwi_shapelet_column *to = ordered + used;
        for (size_t first = 0; first < groups * lanes; first += lanes)
            for (uint32_t row = 0; row < H; row++)
                for (size_t block = first; block < first + lanes; block++)
                    *to++ = block < count && sorted[block].left >= s->job.least + row
                                ? column_at(s, sorted[block].own, sorted[block].first + row, sorted[block].left - row)
                                : (wwi_shapelet_column){s->node->ids[0], 0, 0, UINT32_MAX};
        s->sections[i] = (section){used, columns};
        used += columns;
    }
    free(blocks);
    free(sorted);
    free(starts);
    if (status != WW_OK) {
        free(ordered);
        return status;
    }
    free(s->columns);
    s->columns = ordered;
    s->column_count = used;
    return WW_OK;
}

// Sections: all columns, or whole series as many as a chunk holds. Within each, the longest reach first.
static ww_status make_sections(search *s) {
    size_t room = 0;
    const size_t part = s->progress->deadline > 0 ? s->column_count / 64 + s->block : SIZE_MAX;
    const size_t most = s->chunk < part ? s->chunk : part;
    for (size_t first = 0, end; first < s->column_count; first = end) {
        if (s->k == 1) {
            end = s->progress->deadline > 0 && s->column_count - first > most ? first + most : s->column_count;
        } else {
            end = first;
            while (end < s->column_count) {
                size_t next = end;
                while (next < s->column_count && s->columns[next].own == s->columns[end].own)
                    next++;
                if (end > first && next - first > most)
                    break;
                end = next;
            }
        }
        ww_status status = wwi_grow(&s->sections, &room, s->section_count + 1, sizeof *s->sections);
        if (status == WW_OK && !s->sparse)
            status = sort_by_reach(s->columns + first, end - first, s->job.longest);
        if (status != WW_OK)
            return status;
        s->sections[s->section_count++] = (section){first, end - first};
    }
    return s->sparse ? arrange_rows(s) : WW_OK;
}

static int by_own(const void *a, const void *b) {
    const wwi_shapelet_column *x = a, *y = b;
    if (x->own != y->own)
        return x->own < y->own ? -1 : 1;
    return x->start != y->start ? (x->start < y->start ? -1 : 1) : x->reach < y->reach ? -1 : x->reach > y->reach;
}

// The series in an order drawn by the seed: with a time limit, and whole series in a section.
static void shuffle_series(search *s) {
    uint64_t state = s->options->seed ^ UINT64_C(0x5e41e5);
    const size_t n = s->node->count;
    uint32_t *rank = malloc(n * sizeof *rank);
    if (!rank)
        return; // in their order, then
    for (size_t i = 0; i < n; i++)
        rank[i] = (uint32_t)i;
    for (size_t i = n; i > 1; i--) {
        const size_t j = (size_t)(next_random(&state) % i);
        const uint32_t swapped = rank[i - 1];
        rank[i - 1] = rank[j];
        rank[j] = swapped;
    }
    for (size_t c = 0; c < s->column_count; c++)
        s->columns[c].own = rank[s->columns[c].own];
    qsort(s->columns, s->column_count, sizeof *s->columns, by_own);
    uint32_t *back = malloc(n * sizeof *back);
    if (back) {
        for (size_t i = 0; i < n; i++)
            back[rank[i]] = (uint32_t)i;
        for (size_t c = 0; c < s->column_count; c++)
            s->columns[c].own = back[s->columns[c].own];
    }
    free(back);
    free(rank);
}

// ---- cells

// Windows of l points: points - (l - 1) series, since no series is shorter.
static uint64_t points_of(const wwi_shapelet_data *data, const uint32_t *ids, size_t count) {
    uint64_t points = 0;
    for (size_t j = 0; j < count; j++)
        points += wwi_shapelet_length(data, ids[j]);
    return points;
}

static ww_status count_cells(search *s) {
    const uint32_t count = s->job.single ? s->job.longest : s->job.count;
    s->cells = calloc(count + 1, sizeof *s->cells);
    s->lengths = malloc(((size_t)s->job.longest + 1) * sizeof *s->lengths);
    if (!s->cells || !s->lengths)
        return wwi_fail_memory((count + 1) * sizeof *s->cells);
    for (uint32_t reach = 0; reach <= s->job.longest; reach++)
        s->lengths[reach] = s->job.single ? 1 : lengths_within(&s->job, reach);
    const uint64_t points = points_of(s->data, s->node->ids, s->node->count);
    for (uint32_t li = 0; li < count; li++) {
        const uint32_t l = s->job.single ? li + 1 : s->job.least + li * s->job.step;
        const uint64_t windows = points - (uint64_t)(l - 1) * s->node->count;
        s->cells[li + 1] = (s->job.single ? 0 : s->cells[li]) + windows;
    }
    return WW_OK;
}

static chunk make_chunk(const search *s, size_t first, size_t count) {
    chunk of = {first, count, 0, 0};
    for (size_t c = first; c < first + count; c++) {
        const uint32_t lengths = s->lengths[s->columns[c].reach];
        of.candidates += lengths;
        of.cells += s->cells[s->job.single ? s->columns[c].reach : lengths];
    }
    return of;
}

static wwi_shapelet_job make_job(const wwi_shapelet_data *data, const ww_shapelets_options *o) {
    wwi_shapelet_job job = {.least = (uint32_t)least_length(o), .step = (uint32_t)o->length_step};
    job.count = (uint32_t)((o->max_length - o->min_length) / o->length_step + 1);
    job.longest = job.least + (job.count - 1) * job.step;
    // What float sums of l products of numbers rounded once lose, of correlations: measured below a third of it.
    job.error = 2.0f / 16777216;
    job.error_root = 1.5f / 16777216;
    job.scale = o->raw ? (float)(1 / (data->range * data->range * (double)data->channels)) : 1;
    if (o->raw && !(data->range > 0))
        job.scale = 1;
    job.unscaled = o->unscaled != 0;
    job.quality = o->quality;
    return job;
}

uint64_t wwi_shapelet_cells(const wwi_shapelet_data *data, const ww_shapelets_options *o, const uint32_t *ids,
                            size_t count) {
    const wwi_shapelet_job job = make_job(data, o);
    const double points = (double)points_of(data, ids, count);
    double cells = 0;
    for (uint32_t li = 0; li < job.count; li++) {
        const uint32_t l = job.least + li * job.step;
        const double windows = points - (double)(l - 1) * (double)count;
        cells += windows * windows / (double)o->start_step;
    }
    return cells < 1e18 ? (uint64_t)cells : UINT64_C(1000000000000000000);
}

// ---- the device's side

// Local memory of a group that sifts: counts, of two classes those of keys near edges too, and tables of sizes and
// classes.
static uint64_t sift_local(const search *s) {
    const uint64_t n = s->node->count;
    return ((uint64_t)(BINS + (s->node->class_count == 2)) * s->words * s->sift_group + 3 * n + 1 +
            s->node->class_count) *
           4;
}

static ww_status compile(search *s) {
    ww_status status;
    char options[320];
    const wwi_shapelet_device *d = s->device;
    const ww_device_info *info = wwi_context_info(d->context);
    const uint64_t counts = 2 * s->node->class_count * 4, each = s->node->count * 4 * d->vector + counts * d->vector;
    uint64_t local = info->local_bytes > 1024 ? info->local_bytes - 1024 : 1;
    local = local > 49152 - 4096 && d->gpu ? 49152 - 4096 : local;
    for (s->field = 1; s->node->count >> s->field;)
        s->field++;
    const uint32_t fields = 32 / s->field;
    s->words = ((uint32_t)s->node->class_count + fields - 1) / fields;
    s->sift_group = wwi_shapelet_power_below(wwi_shapelet_tuned(d, "shapelets.sift_group", 128), 256);
    while (s->sift_group > 32 && (s->sift_group > info->max_work_group || sift_local(s) > local))
        s->sift_group /= 2;
    s->sifts = d->gpu && s->options->quality == WW_SHAPELET_GAIN && sift_local(s) <= local &&
               s->sift_group <= info->max_work_group &&
               s->node->count >= (size_t)wwi_shapelet_tuned(d, "shapelets.sift", 16);
    // Of many series few candidates fit a group, and more work-items go through each. Where candidates are sifted
    // first, there are few, and what takes time is the longest group.
    const long split_group = s->node->count <= 64                                  ? 32
                             : s->node->count <= 512 || info->max_work_group < 256 ? 128
                                                                                   : 256;
    s->split_group = d->gpu ? (uint32_t)wwi_shapelet_tuned(d, "shapelets.split_group", split_group) : 1;
    const bool share =
        d->gpu && counts * s->split_group <= 8192; // each share of a candidate's keys has counts of its own
    uint32_t across =
        d->gpu ? (uint32_t)wwi_shapelet_tuned(d, "shapelets.split_across", s->sifts && share ? 4 : 32) : 1;
    while (across > 1 && (each * across > local * 3 / 4 || (d->gpu && across > s->split_group)))
        across /= 2;
    s->keys_global = each * across > local;
    s->across = across * d->vector;
    s->shares = share && !s->keys_global ? s->split_group / across : 1;
    // Gains have 32 bits below the point, and above it those of count * log2(count): sums of these have a bit more.
    s->shift = 0;
    while (((uint64_t)s->gains->entropy[s->node->count] >> s->shift) >> 29)
        s->shift++;
    const int steps = s->job.single ? 2 : s->job.step == 1 ? 1 : 0;
    s->parts = steps == 1 ? d->parts : 1;
    s->group_items = d->group * s->parts;
    // Lengths whose best are in local memory at a time: 16 KiB of them.
    uint32_t lengths = 8;
    while (lengths > 1 && (uint64_t)lengths * s->group_items * d->columns * 4 > 16384)
        lengths /= 2;
    snprintf(options, sizeof options,
             "-DWW_C=%zu -DWW_RAW=%d -DWW_V=%" PRIu32 " -DWW_WG=%" PRIu32 " -DWW_S=%" PRIu32 " -DWW_U=%" PRIu32
             " -DWW_STEP=%d -DWW_PARTS=%" PRIu32 " -DWW_BLOCK=%" PRIu32,
             d->kind.channels, d->kind.raw, d->vector, s->group_items, d->columns, d->windows, steps, s->parts,
             lengths);
    // Where there is work for all: parts with a series each wait less for each other than those that share one.
    const uint32_t block = d->rows * d->row_group;
    const uint64_t items = (s->column_count + block - 1) / block * s->node->count;
    const long many = 80 * (long)(info->compute_units ? info->compute_units : 1);
    s->takes = d->gpu && d->row_parts == 4 && block <= 1024 && info->local_bytes >= 49152 &&
                       items >= (uint64_t)wwi_shapelet_tuned(d, "shapelets.row_series", many)
                   ? 4
                   : 1;
    if (s->sparse)
        snprintf(options, sizeof options,
                 "-DWW_C=1 -DWW_RAW=0 -DWW_V=%" PRIu32 " -DWW_WG=%" PRIu32 " -DWW_ROWS=%" PRIu32
                 " -DWW_DIAGONALS=%" PRIu32 " -DWW_PARTS=%" PRIu32 " -DWW_SERIES=%" PRIu32,
                 d->vector, d->row_group, d->rows, d->diagonals, d->row_parts, s->takes);
    if (s->tensor)
        snprintf(options, sizeof options, "-DWW_C=1 -DWW_RAW=0 -DWW_V=1 -DWW_WG=%d -DWW_MMA=%d -DWW_EXCHANGE=%d",
                 TENSOR_GROUP, wwi_context_mma(d->context), wwi_context_mma(d->context));
    const bool by_rows = s->sparse && d->gpu;
    const wwi_source extend[] = {{"base/number.cl", NULL},
                                 {"shapelets/shapelet.cl", NULL},
                                 {s->tensor   ? "base/vendor.cl"
                                  : by_rows   ? "shapelets/shapelet_rows.cl"
                                  : s->sparse ? "shapelets/shapelet_diagonal.cl"
                                              : "shapelets/shapelet_extend.cl",
                                  NULL},
                                 {"shapelets/shapelet_tensor.cl", NULL}};
    if ((status = wwi_program_get(d->context, extend, s->tensor ? 4 : 3, options, &s->extend_program)) != WW_OK ||
        (status = wwi_kernel_create(d->stream, s->extend_program,
                                    s->tensor   ? "ww_shapelet_tensor"
                                    : by_rows   ? "ww_shapelet_rows"
                                    : s->sparse ? "ww_shapelet_diagonal"
                                                : "ww_shapelet_extend",
                                    &s->extend)) != WW_OK ||
        (s->tensor &&
         (status = wwi_kernel_create(d->stream, s->extend_program, "ww_shapelet_clear", &s->clear)) != WW_OK))
        return status;
    snprintf(options, sizeof options,
             "-DWW_C=%zu -DWW_RAW=%d -DWW_V=%" PRIu32 " -DWW_WG=%" PRIu32 " -DWW_T=%" PRIu32
             " -DWW_KEYS_GLOBAL=%d -DWW_LISTED=%d -DWW_SHARES=%" PRIu32,
             d->kind.channels, d->kind.raw, d->vector, s->split_group, across, s->keys_global, s->sifts, s->shares);
    const wwi_source split[] = {
        {"base/number.cl", NULL}, {"shapelets/shapelet.cl", NULL}, {"shapelets/shapelet_split.cl", NULL}};
    if ((status = wwi_program_get(d->context, split, 3, options, &s->split_program)) != WW_OK ||
        (status = wwi_kernel_create(d->stream, s->split_program, "ww_shapelet_split", &s->split)) != WW_OK ||
        (status = wwi_kernel_create(d->stream, s->split_program, "ww_shapelet_bound", &s->bound_kernel)) != WW_OK ||
        (status = wwi_kernel_create(d->stream, s->split_program, "ww_shapelet_rank", &s->rank)) != WW_OK)
        return status;
    if ((status = wwi_kernel_create(d->stream, s->split_program, "ww_shapelet_keep", &s->keep)) != WW_OK || !s->sifts)
        return status;
    const wwi_source sift[] = {
        {"base/number.cl", NULL}, {"shapelets/shapelet.cl", NULL}, {"shapelets/shapelet_sift.cl", NULL}};
    snprintf(options, sizeof options, "-DWW_C=%zu -DWW_RAW=%d -DWW_V=1 -DWW_WG=%" PRIu32 " -DWW_TWO=%d",
             d->kind.channels, d->kind.raw, s->sift_group, s->node->class_count == 2);
    if ((status = wwi_program_get(d->context, sift, 3, options, &s->sift_program)) != WW_OK ||
        (status = wwi_kernel_create(d->stream, s->sift_program, "ww_shapelet_sift", &s->sift)) != WW_OK)
        return status;
    return wwi_kernel_create(d->stream, s->sift_program, "ww_shapelet_survive", &s->survive);
}

static ww_status upload(wwi_shapelet_device *d, wwi_buffer **buffer, const void *values, uint64_t bytes) {
    const ww_status status = wwi_grow_buffer(d->context, buffer, bytes);
    return status == WW_OK && bytes ? wwi_buffer_write(*buffer, 0, bytes, values) : status;
}

// The same without waiting: the values stay until the search ends.
static ww_status post(wwi_shapelet_device *d, wwi_buffer **buffer, const void *values, uint64_t bytes) {
    const ww_status status = wwi_grow_buffer(d->context, buffer, bytes);
    return status == WW_OK ? wwi_buffer_send(*buffer, bytes, values) : status;
}

// What does not change from chunk to chunk.
static ww_status send_node(search *s) {
    ww_status status;
    wwi_shapelet_device *d = s->device;
    wwi_shapelet_room *room = s->room;
    const wwi_shapelet_node *node = s->node;
    const size_t n = node->count, most = s->gains->most, blocks = s->sparse ? s->column_count / s->block : 0;
    const double scale = d->kind.raw ? (double)s->job.scale * (double)s->data->channels : 0.25;
    s->totals = calloc(node->class_count, sizeof *s->totals);
    s->points = malloc(n * sizeof *s->points);
    s->before = calloc(n, sizeof *s->before);
    s->lefts = malloc((blocks + 1) * sizeof *s->lefts);
    if (!s->totals || !s->before || !s->points || !s->lefts)
        return wwi_fail_memory((n + blocks) * sizeof *s->points);
    for (size_t j = 0; j < n; j++) {
        s->totals[node->classes[j]]++;
        s->points[j] = (uint32_t)wwi_shapelet_length(s->data, node->ids[j]);
        if (node->before)
            s->before[j] = (float)fmin(node->before[j] * node->before[j] * scale, 1.0);
    }
    for (size_t i = 0; i < blocks; i++) {
        const wwi_shapelet_column *column = &s->columns[i * s->block];
        s->lefts[i] = (uint32_t)wwi_shapelet_length(s->data, column->series) - column->start;
    }
    if ((status = post(d, &room->node_ids, node->ids, n * 4)) != WW_OK ||
        (status = post(d, &room->class_of, node->classes, n * 4)) != WW_OK ||
        (status = post(d, &room->totals, s->totals, node->class_count * 4)) != WW_OK ||
        (status = wwi_grow_buffer(d->context, &room->before, n * 4)) != WW_OK ||
        (node->before && ((status = wwi_buffer_send(room->before, n * 4, s->before)) != WW_OK ||
                          (status = post(d, &room->so_far, node->before, n * 8)) != WW_OK)) ||
        // Of the whole tree.
        (!room->steps && (status = upload(d, &room->steps, s->gains->steps, most * 8)) != WW_OK) ||
        (!room->entropy && (status = upload(d, &room->entropy, s->gains->entropy, (most + 1) * 8)) != WW_OK) ||
        (status = post(d, &room->points, s->points, n * 4)) != WW_OK ||
        (blocks && (status = post(d, &room->all_lefts, s->lefts, blocks * 4)) != WW_OK) ||
        (d->has_double &&
         (status = post(d, &room->all_columns, s->columns, s->column_count * sizeof *s->columns)) != WW_OK) ||
        (status = wwi_grow_buffer(d->context, &room->sifted, n * 4)) != WW_OK ||
        (status = wwi_grow_buffer(d->context, &room->listed_count, 4)) != WW_OK ||
        (status = wwi_buffer_fill_u32(room->sifted, 0, n * 4, 0)) != WW_OK)
        return status;
    return wwi_grow_buffer(d->context, &room->bound, 16);
}

// Unsigned numbers in the order of floats, as in the kernels.
static uint64_t ordered(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
}

// Candidates that are not worse than this are listed.
static ww_status send_bound(search *s) {
    uint64_t *bound = s->first_bound;
    bound[0] = 1;
    bound[1] = 0;
    if (s->best_count == s->k) {
        const wwi_shapelet_score *last = &s->best_found[s->k - 1].score;
        const double margin = s->options->quality == WW_SHAPELET_GAIN ? 0 : 2;
        bound[0] = last->key > 1 ? (uint64_t)last->key - (uint64_t)margin : 1;
        bound[1] = s->options->quality == WW_SHAPELET_GAIN && last->gap_key != INT64_MAX
                       ? ordered((float)(last->gap - 1e-5 * (fabs(last->gap) + 1e-3)))
                       : 0;
    }
    // Once in a search that goes ahead: there what is sent stays.
    return s->ahead ? wwi_buffer_send(s->room->bound, sizeof s->first_bound, bound)
                    : wwi_buffer_write(s->room->bound, 0, sizeof s->first_bound, bound);
}

// Tiles of the windows of series [first, ...) as far as the tables may grow; at least one series.
static ww_status make_tiles(search *s, size_t first, uint64_t most_bytes) {
    size_t room = 0;
    const uint32_t U = s->tensor ? TENSOR_WINDOWS : s->sparse ? s->device->diagonals : s->device->windows;
    const uint64_t row_bytes = wwi_shapelet_row(s->device->kind, U) * 4; // not by diagonals
    const uint64_t steps = (uint64_t)s->job.count * s->wide * 16, falls = (uint64_t)s->fallen * 16;
    const uint64_t each = s->sparse ? steps + falls : 0;
    uint64_t table_rows = 0;
    free(s->tiles);
    s->tiles = NULL;
    s->tile_count = 0;
    s->first_tile[0] = 0;
    s->table_first = first;
    s->table_count = 0;
    for (size_t j = first; j < s->node->count; j++) {
        const uint32_t length = (uint32_t)wwi_shapelet_length(s->data, s->node->ids[j]);
        uint64_t own = 0;
        const size_t begin = s->tile_count;
        const int32_t before = s->sparse ? (int32_t)s->device->rows - 1 : 0;
        const int32_t end = (int32_t)(length - s->job.least) + 1 + (s->sparse ? before + (int32_t)U : 0);
        for (int32_t u = -before; u < end; u += (int32_t)U) {
            const uint32_t left = u < 0 ? length : (uint32_t)u < length ? length - (uint32_t)u : 0;
            const uint32_t lengths = left < s->job.least ? 0 : left < s->job.longest ? left : s->job.longest;
            const ww_status status = wwi_grow(&s->tiles, &room, s->tile_count + 1, sizeof *s->tiles);
            if (status != WW_OK)
                return status;
            s->tiles[s->tile_count++] =
                (wwi_shapelet_tile){(uint32_t)j, (uint32_t)u, lengths, (uint32_t)(table_rows + own)};
            own += s->sparse ? 0 : lengths;
        }
        if (j > first && (table_rows + own) * row_bytes + (j + 1 - first) * each > most_bytes) {
            s->tile_count = begin;
            break;
        }
        table_rows += own;
        s->table_count++;
        s->first_tile[s->table_count] = (uint32_t)s->tile_count;
    }
    if (table_rows >> 32)
        return wwi_fail(WW_ERROR_OVERFLOW, "a series has too many windows of too many lengths");
    s->table_bytes = table_rows * row_bytes;
    if (!s->sparse)
        return wwi_grow_buffer(s->device->context, &s->room->b, s->table_bytes);
    const ww_status status = wwi_grow_buffer(s->device->context, &s->room->window_steps, s->table_count * steps);
    return status == WW_OK ? wwi_grow_buffer(s->device->context, &s->room->falls, s->table_count * falls) : status;
}

// The table of the windows of series from `first` on.
static ww_status make_windows(search *s, size_t first, uint64_t most_bytes) {
    ww_status status;
    wwi_shapelet_device *d = s->device;
    if ((status = make_tiles(s, first, most_bytes)) != WW_OK)
        return status;
    const uint32_t tiles = (uint32_t)s->tile_count;
    s->job.table = (uint32_t)first;
    // Of a table of all series what is sent stays.
    ww_status (*const send)(wwi_shapelet_device *, wwi_buffer **, const void *, uint64_t) =
        s->table_count == s->node->count ? post : upload;
    if ((status = send(d, &s->room->tile_buffer, s->tiles, s->tile_count * sizeof *s->tiles)) != WW_OK ||
        (!s->sparse && (status = send(d, &s->room->tile_first, s->first_tile, (s->table_count + 1) * 4)) != WW_OK))
        return status;
    if (s->sparse) {
        const wwi_arg args[] = {WWI_BUFFER(s->data->device_values),
                                WWI_BUFFER(s->data->device_offsets),
                                WWI_BUFFER(s->room->node_ids),
                                WWI_BUFFER(s->room->tile_buffer),
                                WWI_BUFFER(s->room->falls),
                                WWI_VALUE(s->fallen),
                                WWI_BUFFER(s->room->table_flats),
                                WWI_BUFFER(s->room->window_steps),
                                WWI_VALUE(s->wide),
                                WWI_VALUE(tiles),
                                WWI_VALUE(s->job)};
        const uint64_t items = (uint64_t)tiles * d->diagonals;
        return wwi_launch(d->window_steps, (items + d->table_group - 1) / d->table_group, d->table_group, args,
                          sizeof args / sizeof *args);
    }
    if (d->has_double) {
        const wwi_arg args[] = {WWI_BUFFER(s->data->device_values),
                                WWI_BUFFER(s->data->device_offsets),
                                WWI_BUFFER(s->room->node_ids),
                                WWI_BUFFER(s->room->tile_buffer),
                                WWI_BUFFER(s->room->b),
                                WWI_BUFFER(s->room->table_flats),
                                WWI_VALUE(s->unit),
                                WWI_VALUE(tiles),
                                WWI_VALUE(s->job)};
        const uint64_t items = (uint64_t)tiles * (s->tensor ? TENSOR_WINDOWS : d->windows);
        return wwi_launch(s->tensor ? d->tensor_windows : d->make_windows,
                          (items + d->table_group - 1) / d->table_group, d->table_group, args,
                          sizeof args / sizeof *args);
    }
    const uint64_t bytes = s->table_bytes;
    const uint64_t flat_bytes = s->node->count * (s->job.single ? s->job.longest : s->job.count) * 4;
    float *b = malloc(bytes);
    uint32_t *flats = calloc(flat_bytes, 1);
    if (b && flats) {
        status = wwi_stream_read(s->device->stream, s->room->table_flats, 0, flat_bytes, flats);
        if (status == WW_OK) {
            wwi_shapelet_windows(s->data, d->kind, s->node->ids, s->tiles, s->tile_count, d->windows, &s->job, b,
                                 flats);
            status = wwi_buffer_write(s->room->b, 0, bytes, b);
        }
        if (status == WW_OK)
            status = wwi_buffer_write(s->room->table_flats, 0, flat_bytes, flats);
    } else {
        status = wwi_fail_memory(bytes);
    }
    free(b);
    free(flats);
    return status;
}

static uint64_t room_bytes(const search *s) {
    const ww_run_options *run = s->options->run;
    // The buffers of an earlier search are used again.
    if (!s->device->bytes)
        s->device->bytes = wwi_context_bytes_free(s->device->context) / 2;
    uint64_t room = s->device->bytes;
    // Of a GPU no more than the context keeps of released buffers: new memory takes longer than more chunks.
    const uint64_t least = UINT64_C(256) << 20;
    const uint64_t kept = wwi_context_info(s->device->context)->global_bytes / 64 * 3 / 4;
    const uint64_t most = s->device->gpu && kept > least ? kept : least;
    room = room < most ? room : most;
    return run && run->max_bytes && run->max_bytes < room ? run->max_bytes : room;
}

// Numbers of a first row of diagonals: the sums of each length, and what rises with it.
static uint64_t sums_of_rows(const search *s) {
    return 2 * ((s->job.least + 3) / 4 * 4 + (uint64_t)(s->job.count - 1) * ((s->job.step + 3) / 4 * 4) + s->job.count);
}

// Bytes of a column in all buffers of a chunk.
static uint64_t column_bytes(const search *s) {
    const uint64_t C = s->data->channels, count = s->job.count;
    const uint64_t tables = s->sparse ? 4 * sums_of_rows(s) / s->device->rows + 8 * count : 4 * C * s->job.longest;
    return 24 + tables + 4 * (C + 1) * count + 4 * count * s->node->count + (12 + 16 + 4) * count;
}

static void cut_chunks(search *s) {
    const uint64_t buffer = wwi_context_max_buffer(s->device->context);
    uint64_t most = room_bytes(s) * 3 / 4 / column_bytes(s);
    const uint64_t of_nearest = buffer / (4 * (uint64_t)s->job.count * s->node->count);
    const uint64_t of_table = buffer / (4 * (uint64_t)s->data->channels * s->job.longest);
    s->block = s->tensor   ? TENSOR_GROUP / 32 * TENSOR_COLUMNS
               : s->sparse ? s->device->rows * s->lanes
                           : s->device->columns * s->device->group * s->device->vector;
    if (s->block < s->across)
        s->block = s->across;
    most = most < of_nearest ? most : of_nearest;
    most = most < of_table ? most : of_table;
    most = most < INT32_MAX / s->job.count ? most : INT32_MAX / s->job.count;
    most = most / s->block * s->block;
    s->chunk = most > s->block ? (size_t)most : s->block;
}

// What waits between two lengths in shapelet_rows.cl, for as many groups as may run at a time.
static ww_status make_scratch(search *s, uint64_t columns, uint64_t units) {
    const uint64_t each = (uint64_t)s->wide * s->device->row_group * s->takes * 4;
    const uint64_t items = columns / s->block * ((s->node->count + s->takes - 1) / s->takes);
    const uint64_t room = room_bytes(s) / 8 / each, most = units * 32 < items ? units * 32 : items;
    s->rows_groups = (uint32_t)(room < 1 ? 1 : room < most ? room : most);
    s->rows_room = s->wide * s->device->row_group;
    return wwi_grow_buffer(s->device->context, &s->room->rows_scratch, s->rows_groups * each);
}

static ww_status allocate(search *s) {
    ww_status status;
    ww_context *context = s->device->context;
    uint64_t W = (s->column_count + s->block - 1) / s->block * s->block;
    W = W < s->chunk ? W : s->chunk;
    const uint64_t C = s->data->channels, count = s->job.count, n = s->node->count;
    const uint64_t flat_bytes = n * (s->job.single ? s->job.longest : count) * 4;
    const uint64_t tasks = (W / s->across) * count;
    // A driver that does not say how many compute units there are.
    const uint64_t units = wwi_context_info(context)->compute_units ? wwi_context_info(context)->compute_units : 1;
    const uint64_t most_groups = units * (s->device->gpu && !s->keys_global ? 32 : 8);
    s->split_groups = (uint32_t)(tasks < most_groups ? tasks : most_groups);
    s->sift_groups = (uint32_t)(units * 32);
    if ((status = wwi_grow_buffer(context, &s->room->column_buffer, W * 16)) != WW_OK ||
        (status = wwi_grow_buffer(context, &s->room->reaches, W * 4)) != WW_OK ||
        (status = wwi_grow_buffer(context, &s->room->own, W * 4)) != WW_OK ||
        (!s->sparse && (status = wwi_grow_buffer(context, &s->room->a, W * C * s->job.longest * 4)) != WW_OK) ||
        (s->sparse && s->device->gpu && (status = make_scratch(s, W, units)) != WW_OK) ||
        (s->sparse &&
         ((status = wwi_grow_buffer(context, &s->room->sums, W / s->device->rows * sums_of_rows(s) * 4)) != WW_OK ||
          (status = wwi_grow_buffer(context, &s->room->rises, W / s->device->rows * count * 8)) != WW_OK ||
          (status = wwi_grow_buffer(context, &s->room->row_steps, W * count * 8)) != WW_OK ||
          (status = wwi_grow_buffer(context, &s->room->lefts, W / s->block * 4)) != WW_OK)) ||
        (status = wwi_grow_buffer(context, &s->room->norms, W * (C + 1) * count * 4)) != WW_OK ||
        (status = wwi_grow_buffer(context, &s->room->nearest, W * count * n * 4)) != WW_OK ||
        (status = wwi_grow_buffer(context, &s->room->most_gain, W * count * 8)) != WW_OK ||
        (status = wwi_grow_buffer(context, &s->room->most_gap, W * count * 4)) != WW_OK ||
        (status = wwi_grow_buffer(context, &s->room->kept, W * count * 16)) != WW_OK ||
        (status = wwi_grow_buffer(context, &s->room->kept_count, 4)) != WW_OK ||
        (status = wwi_grow_buffer(context, &s->room->listed, s->sifts ? W * count * 4 : 4)) != WW_OK ||
        (status = wwi_grow_buffer(context, &s->room->table_flats, flat_bytes)) != WW_OK ||
        (status = wwi_buffer_fill_u32(s->room->table_flats, 0, flat_bytes, 0)) != WW_OK ||
        (status = wwi_grow_buffer(context, &s->room->best, (uint64_t)s->split_groups * 16)) != WW_OK)
        return status;
    const uint64_t scratch =
        s->keys_global ? (uint64_t)s->split_groups * (n + 2 * s->node->class_count) * s->across * 4 : 4;
    return wwi_grow_buffer(context, &s->room->scratch, scratch);
}

static void release(search *s, ww_status status) {
    if (status != WW_OK && s->room->node_ids)
        wwi_buffer_settle(s->room->node_ids); // what is posted
    free(s->totals);
    free(s->points);
    free(s->before);
    free(s->lefts);
    wwi_kernel_destroy(&s->extend);
    wwi_kernel_destroy(&s->clear);
    wwi_kernel_destroy(&s->split);
    wwi_kernel_destroy(&s->bound_kernel);
    wwi_kernel_destroy(&s->rank);
    wwi_kernel_destroy(&s->keep);
    wwi_kernel_destroy(&s->sift);
    wwi_kernel_destroy(&s->survive);
    wwi_program_release(&s->extend_program);
    wwi_program_release(&s->split_program);
    wwi_program_release(&s->sift_program);
    free(s->columns);
    free(s->sections);
    free(s->tiles);
    free(s->first_tile);
    free(s->cells);
    free(s->lengths);
    free(s->list);
}

// ---- a chunk

// The tables of columns by the host.
static ww_status send_host_columns(search *s, const wwi_shapelet_column *columns) {
    ww_status status;
    const uint32_t W = s->job.columns;
    const uint64_t a_bytes = (uint64_t)W * s->data->channels * s->job.longest * 4;
    const uint64_t norm_bytes = (uint64_t)W * (s->data->channels + 1) * s->job.count * 4;
    uint32_t *reaches = malloc(W * sizeof *reaches), *own = malloc(W * sizeof *own);
    float *a = malloc(a_bytes), *norms = calloc(norm_bytes, 1);
    if (!reaches || !own || !a || !norms) {
        status = wwi_fail_memory(a_bytes + norm_bytes);
        goto done;
    }
    for (uint32_t c = 0; c < W; c++) {
        reaches[c] = columns[c].reach;
        own[c] = columns[c].own;
    }
    wwi_shapelet_columns(s->data, s->device->kind, columns, &s->job, a, norms);
    if ((status = wwi_buffer_write(s->room->reaches, 0, W * 4, reaches)) == WW_OK &&
        (status = wwi_buffer_write(s->room->own, 0, W * 4, own)) == WW_OK &&
        (status = wwi_buffer_write(s->room->a, 0, a_bytes, a)) == WW_OK)
        status = wwi_buffer_write(s->room->norms, 0, norm_bytes, norms);
done:
    free(reaches);
    free(own);
    free(a);
    free(norms);
    return status;
}

static ww_status send_columns(search *s, size_t first, size_t count) {
    ww_status status = WW_OK;
    wwi_shapelet_device *d = s->device;
    const uint32_t W = s->job.columns, groups = W / s->block;
    wwi_shapelet_column *padded = NULL;
    if (count < W || !d->has_double) {
        if (!(padded = malloc(W * sizeof *padded)))
            return wwi_fail_memory(W * sizeof *padded);
        memcpy(padded, s->columns + first, count * sizeof *padded);
        for (size_t c = count; c < W; c++)
            padded[c] = (wwi_shapelet_column){s->node->ids[0], 0, 0, UINT32_MAX};
    }
    if (!d->has_double) {
        status = send_host_columns(s, padded);
        goto done;
    }
    if ((status = padded ? wwi_buffer_write(s->room->column_buffer, 0, W * sizeof *padded, padded)
                         : wwi_buffer_copy(s->room->all_columns, first * sizeof *padded, s->room->column_buffer, 0,
                                           W * sizeof *padded)) != WW_OK)
        goto done;
    if (s->sparse) {
        const wwi_arg args[] = {WWI_BUFFER(s->data->device_values),
                                WWI_BUFFER(s->data->device_offsets),
                                WWI_BUFFER(s->room->column_buffer),
                                WWI_BUFFER(s->room->sums),
                                WWI_BUFFER(s->room->rises),
                                WWI_BUFFER(s->room->row_steps),
                                WWI_BUFFER(s->room->norms),
                                WWI_BUFFER(s->room->reaches),
                                WWI_BUFFER(s->room->own),
                                WWI_VALUE(s->lanes),
                                WWI_VALUE(s->job)};
        if ((status = wwi_buffer_copy(s->room->all_lefts, first / s->block * 4, s->room->lefts, 0, groups * 4)) ==
            WW_OK)
            status = wwi_launch(d->row_steps, (W + d->table_group - 1) / d->table_group, d->table_group, args,
                                sizeof args / sizeof *args);
        goto done;
    }
    const wwi_arg args[] = {WWI_BUFFER(s->data->device_values),
                            WWI_BUFFER(s->data->device_offsets),
                            WWI_BUFFER(s->room->column_buffer),
                            WWI_BUFFER(s->room->a),
                            WWI_BUFFER(s->room->norms),
                            WWI_BUFFER(s->room->reaches),
                            WWI_BUFFER(s->room->own),
                            WWI_VALUE(s->unit),
                            WWI_VALUE(s->job)};
    status = wwi_launch(s->tensor ? d->tensor_columns : d->make_columns, (W + d->table_group - 1) / d->table_group,
                        d->table_group, args, sizeof args / sizeof *args);
done:
    free(padded);
    return status;
}

// By diagonals: `items` groups of columns and series.
static ww_status launch_sparse(search *s, uint32_t items) {
    const wwi_shapelet_room *room = s->room;
    const uint32_t groups = items > s->rows_groups ? s->rows_groups : items;
    const wwi_arg by_rows[] = {WWI_BUFFER(room->sums),  WWI_BUFFER(room->rises),   WWI_BUFFER(room->row_steps),
                               WWI_BUFFER(room->norms), WWI_BUFFER(room->falls),   WWI_VALUE(s->fallen),
                               WWI_BUFFER(room->lefts), WWI_BUFFER(room->points),  WWI_BUFFER(room->window_steps),
                               WWI_VALUE(s->wide),      WWI_BUFFER(room->nearest), WWI_BUFFER(room->rows_scratch),
                               WWI_VALUE(s->rows_room), WWI_VALUE(items),          WWI_VALUE(s->job)};
    const wwi_arg by_diagonals[] = {WWI_BUFFER(room->sums),
                                    WWI_BUFFER(room->rises),
                                    WWI_BUFFER(room->row_steps),
                                    WWI_BUFFER(room->falls),
                                    WWI_VALUE(s->fallen),
                                    WWI_BUFFER(room->lefts),
                                    WWI_BUFFER(room->points),
                                    WWI_BUFFER(room->window_steps),
                                    WWI_VALUE(s->wide),
                                    WWI_BUFFER(room->nearest),
                                    WWI_VALUE(s->job)};
    return s->device->gpu ? wwi_launch(s->extend, groups, s->device->row_group * s->device->row_parts, by_rows,
                                       sizeof by_rows / sizeof *by_rows)
                          : wwi_launch(s->extend, items, s->device->row_group, by_diagonals,
                                       sizeof by_diagonals / sizeof *by_diagonals);
}

// By matrix units, with series at, at + 1, ... of the table.
static ww_status launch_tensor(search *s, size_t at, uint64_t many) {
    const wwi_shapelet_room *room = s->room;
    const uint32_t first = s->first_tile[at], tiles = s->first_tile[at + many] - first;
    const wwi_arg args[] = {WWI_BUFFER(room->a),           WWI_BUFFER(room->norms),   WWI_BUFFER(room->b),
                            WWI_BUFFER(room->tile_buffer), WWI_VALUE(first),          WWI_BUFFER(room->reaches),
                            WWI_BUFFER(room->points),      WWI_BUFFER(room->nearest), WWI_VALUE(s->job)};
    return wwi_launch(s->extend, (uint64_t)tiles * (s->job.columns / s->block), TENSOR_GROUP, args,
                      sizeof args / sizeof *args);
}

// The correlations with the series of the table.
static ww_status extend(search *s, double cells_each, double *told, bool last) {
    ww_status status = WW_OK;
    wwi_shapelet_device *d = s->device;
    const uint32_t blocks = s->job.columns / (s->sparse ? s->block : d->columns * d->group * d->vector);
    for (size_t at = 0; status == WW_OK && at < s->table_count;) {
        wwi_pace *pace = &s->progress->pace;
        const uint64_t many = wwi_pace_units(pace, s->progress->rate, s->table_count - at, cells_each);
        s->job.first = (uint32_t)(s->table_first + at);
        s->job.many = (uint32_t)many;
        const uint32_t takes = s->sparse && d->gpu ? s->takes : 1;
        const uint32_t items = (uint32_t)(blocks * ((many + takes - 1) / takes));
        const wwi_arg args[] = {WWI_BUFFER(s->room->a),          WWI_BUFFER(s->room->norms),
                                WWI_BUFFER(s->room->b),          WWI_BUFFER(s->room->tile_buffer),
                                WWI_BUFFER(s->room->tile_first), WWI_BUFFER(s->room->reaches),
                                WWI_BUFFER(s->room->nearest),    WWI_VALUE(s->job)};
        status = s->tensor   ? launch_tensor(s, at, many)
                 : s->sparse ? launch_sparse(s, items)
                             : wwi_launch(s->extend, items, s->group_items, args, sizeof args / sizeof *args);
        if (status != WW_OK)
            break;
        at += many;
        const double work = cells_each * (double)many;
        *told += work;
        status = wwi_pace_launched(pace, &s->progress->rate, work, !(last && at == s->table_count));
    }
    return status;
}

static ww_status split(search *s) {
    ww_status status;
    const uint64_t across = (uint64_t)s->across;
    const uint64_t counts = 2 * (uint64_t)s->node->class_count * s->shares;
    const uint64_t local = s->keys_global ? 4 : (s->node->count + counts) * across * 4;
    const uint64_t tasks = (s->job.columns / s->across) * (uint64_t)s->job.count;
    const uint32_t groups = tasks < s->split_groups ? (uint32_t)tasks : s->split_groups;
    const uint32_t places = s->job.columns * s->job.count, each = s->k > 1;
    const uint32_t room = (uint32_t)(wwi_buffer_bytes(s->room->kept) / 16);
    const wwi_arg args[] = {WWI_BUFFER(s->room->nearest),
                            WWI_BUFFER(s->room->norms),
                            WWI_BUFFER(s->room->table_flats),
                            WWI_BUFFER(s->room->reaches),
                            WWI_BUFFER(s->room->own),
                            WWI_BUFFER(s->room->class_of),
                            WWI_BUFFER(s->room->totals),
                            WWI_BUFFER(s->room->before),
                            WWI_BUFFER(s->room->steps),
                            WWI_BUFFER(s->room->bound),
                            WWI_BUFFER(s->room->most_gain),
                            WWI_BUFFER(s->room->most_gap),
                            WWI_BUFFER(s->room->best),
                            WWI_BUFFER(s->room->scratch),
                            WWI_BUFFER(s->room->listed),
                            WWI_BUFFER(s->room->listed_count),
                            WWI_BUFFER(s->room->sifted),
                            WWI_VALUE(s->shift),
                            WWI_VALUE(each),
                            WWI_BUFFER(s->room->entropy),
                            WWI_LOCAL(local),
                            WWI_VALUE(s->job)};
    const wwi_arg sift_args[] = {WWI_BUFFER(s->room->nearest),
                                 WWI_BUFFER(s->room->norms),
                                 WWI_BUFFER(s->room->table_flats),
                                 WWI_BUFFER(s->room->reaches),
                                 WWI_BUFFER(s->room->own),
                                 WWI_BUFFER(s->room->class_of),
                                 WWI_BUFFER(s->room->totals),
                                 WWI_BUFFER(s->room->before),
                                 WWI_BUFFER(s->room->entropy),
                                 WWI_BUFFER(s->room->most_gain),
                                 WWI_BUFFER(s->room->sifted),
                                 WWI_VALUE(s->shift),
                                 WWI_VALUE(each),
                                 WWI_VALUE(s->field),
                                 WWI_VALUE(s->words),
                                 WWI_LOCAL((size_t)sift_local(s)),
                                 WWI_VALUE(s->job)};
    const wwi_arg survive_args[] = {WWI_BUFFER(s->room->most_gain),
                                    WWI_BUFFER(s->room->bound),
                                    WWI_BUFFER(s->room->sifted),
                                    WWI_VALUE(s->shift),
                                    WWI_VALUE(each),
                                    WWI_BUFFER(s->room->listed),
                                    WWI_BUFFER(s->room->listed_count),
                                    WWI_VALUE(s->job)};
    const uint64_t sift_tasks = ((uint64_t)places + s->sift_group - 1) / s->sift_group;
    const uint32_t small = s->device->table_group, series = (uint32_t)s->node->count, k = (uint32_t)s->k;
    const wwi_arg rank_args[] = {WWI_BUFFER(s->room->sifted), WWI_VALUE(series), WWI_VALUE(k), WWI_VALUE(s->shift),
                                 WWI_BUFFER(s->room->bound)};
    // Ranks are counted by comparing all with all.
    const bool ranks = each && s->options->quality == WW_SHAPELET_GAIN && k <= series && series <= 8192;
    const wwi_arg bound_args[] = {WWI_BUFFER(s->room->best), WWI_VALUE(groups), WWI_LOCAL((size_t)s->split_group * 16),
                                  WWI_BUFFER(s->room->bound)};
    const wwi_arg keep_args[] = {WWI_BUFFER(s->room->most_gain),
                                 WWI_BUFFER(s->room->most_gap),
                                 WWI_BUFFER(s->room->bound),
                                 WWI_BUFFER(s->room->reaches),
                                 WWI_BUFFER(s->room->kept_count),
                                 WWI_BUFFER(s->room->kept),
                                 WWI_VALUE(room),
                                 WWI_VALUE(s->list_first),
                                 WWI_VALUE(s->list_columns),
                                 WWI_BUFFER(s->room->listed),
                                 WWI_BUFFER(s->room->listed_count),
                                 WWI_VALUE(s->job)};
    // These go through their places in turn, those of a list by the few that it has.
    const uint64_t all_groups = ((uint64_t)places + small - 1) / small, most_groups = s->sift_groups;
    const uint64_t survive_groups = all_groups < most_groups ? all_groups : most_groups;
    const uint64_t keep_groups = s->sifts && survive_groups > most_groups / 8 ? most_groups / 8 : survive_groups;
    if (s->sifts && ((status = wwi_buffer_fill_u32(s->room->listed_count, 0, 4, 0)) != WW_OK ||
                     (status = wwi_launch(s->sift, sift_tasks < s->sift_groups ? sift_tasks : s->sift_groups,
                                          s->sift_group, sift_args, sizeof sift_args / sizeof *sift_args)) != WW_OK ||
                     (ranks && (status = wwi_launch(s->rank, 1, s->split_group, rank_args,
                                                    sizeof rank_args / sizeof *rank_args)) != WW_OK) ||
                     (status = wwi_launch(s->survive, survive_groups, small, survive_args,
                                          sizeof survive_args / sizeof *survive_args)) != WW_OK))
        return status;
    if ((status = wwi_launch(s->split, groups, s->split_group, args, sizeof args / sizeof *args)) != WW_OK ||
        (!each && (status = wwi_launch(s->bound_kernel, 1, s->split_group, bound_args,
                                       sizeof bound_args / sizeof *bound_args)) != WW_OK) ||
        (ranks &&
         (status = wwi_launch(s->rank, 1, s->split_group, rank_args, sizeof rank_args / sizeof *rank_args)) != WW_OK) ||
        (!s->ahead && (status = wwi_buffer_fill_u32(s->room->kept_count, 0, 4, 0)) != WW_OK))
        return status;
    return wwi_launch(s->keep, keep_groups, small, keep_args, sizeof keep_args / sizeof *keep_args);
}

// Adds what the device kept to the list. whole: false where there was no room for it.
static ww_status take_list(search *s, size_t first, bool *whole) {
    ww_status status;
    uint32_t count = 0;
    uint32_t(*kept)[4] = NULL;
    *whole = true;
    if ((status = wwi_stream_read(s->device->stream, s->room->kept_count, 0, 4, &count)) != WW_OK || !count)
        return status;
    if (!(*whole = count <= wwi_buffer_bytes(s->room->kept) / 16))
        return WW_OK;
    if (!(kept = malloc(count * sizeof *kept)))
        return wwi_fail_memory(count * sizeof *kept);
    if ((status = wwi_stream_read(s->device->stream, s->room->kept, 0, count * sizeof *kept, kept)) != WW_OK ||
        (status = wwi_grow(&s->list, &s->list_room, s->list_count + count, sizeof *s->list)) != WW_OK)
        goto done;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t li = kept[i][0] / s->list_columns, c = kept[i][0] % s->list_columns;
        const wwi_shapelet_column *column = &s->columns[first + c];
        listed *one = &s->list[s->list_count++];
        one->gain = (int64_t)((uint64_t)kept[i][3] << 32 | kept[i][2]);
        memcpy(&one->gap, &kept[i][1], sizeof one->gap);
        one->place = (wwi_shapelet_place){column->series, column->start,
                                          s->job.single ? column->reach : s->job.least + li * s->job.step};
        one->own = column->own;
        one->weighed = false;
    }
done:
    free(kept);
    return status;
}

// Local memory for a series' angles.
static uint32_t angle_places(const search *s) {
    uint32_t places = 2;
    while (places < s->data->longest)
        places *= 2;
    return places;
}

// Of the node's windows of two and three points the angles, of four points the values.
static ww_status make_short_windows(search *s) {
    ww_status status = WW_OK;
    const wwi_shapelet_device *d = s->device;
    const uint32_t series = (uint32_t)s->node->count, wide = (uint32_t)s->data->longest, places = angle_places(s);
    const uint64_t windows = (uint64_t)series * wide;
    for (uint32_t li = 0; status == WW_OK && li < s->job.count; li++) {
        const uint32_t l = s->job.least + li * s->job.step;
        if (l > s->job.shorts)
            break;
        if (l == 4) {
            if ((status = wwi_grow_buffer(d->context, &s->room->fours, windows * 16)) != WW_OK)
                break;
            const wwi_arg args[] = {WWI_BUFFER(s->data->device_values),
                                    WWI_BUFFER(s->data->device_offsets),
                                    WWI_BUFFER(s->room->node_ids),
                                    WWI_VALUE(series),
                                    WWI_VALUE(wide),
                                    WWI_BUFFER(s->room->fours)};
            status = wwi_launch(d->make_fours, (windows + d->table_group - 1) / d->table_group, d->table_group, args,
                                sizeof args / sizeof *args);
            break;
        }
        wwi_buffer **angles = &s->room->angles[l - 2], **sorted = &s->room->sorted_angles[l - 2],
                   **counts = &s->room->angle_counts[l - 2];
        if ((status = wwi_grow_buffer(d->context, angles, windows * 4)) != WW_OK ||
            (status = wwi_grow_buffer(d->context, sorted, windows * 4)) != WW_OK ||
            (status = wwi_grow_buffer(d->context, counts, (uint64_t)series * 4)) != WW_OK)
            break;
        const wwi_arg args[] = {WWI_BUFFER(s->data->device_values),
                                WWI_BUFFER(s->data->device_offsets),
                                WWI_BUFFER(s->room->node_ids),
                                WWI_VALUE(wide),
                                WWI_VALUE(l),
                                WWI_VALUE(places),
                                WWI_LOCAL((size_t)places * 4),
                                WWI_BUFFER(*angles),
                                WWI_BUFFER(*sorted),
                                WWI_BUFFER(*counts)};
        status = wwi_launch(d->make_angles, series, d->exact_group, args, sizeof args / sizeof *args);
    }
    return status;
}

// The distances of short candidates, which correlations leave too imprecise.
static ww_status find_short(search *s) {
    ww_status status = WW_OK;
    const wwi_shapelet_device *d = s->device;
    const uint32_t wide = (uint32_t)s->data->longest, across = SHORT_COLUMNS * d->exact_group, places = angle_places(s);
    const uint32_t blocks = (s->job.columns + across - 1) / across, series = (uint32_t)s->node->count;
    // Series of a group: some, where there are groups enough.
    const uint32_t many = (uint64_t)blocks * series / 16 > 8192 ? 16 : (uint64_t)blocks * series / 4 > 8192 ? 4 : 1;
    for (uint32_t li = 0; status == WW_OK && li < s->job.count; li++) {
        const uint32_t l = s->job.least + li * s->job.step;
        if (l > s->job.shorts)
            break;
        const wwi_buffer *angles = l < 4 ? s->room->angles[l - 2] : NULL;
        const wwi_buffer *sorted = l < 4 ? s->room->sorted_angles[l - 2] : NULL;
        const wwi_buffer *counts = l < 4 ? s->room->angle_counts[l - 2] : NULL;
        const wwi_arg circle[] = {WWI_BUFFER(s->room->column_buffer),
                                  WWI_BUFFER(angles),
                                  WWI_BUFFER(sorted),
                                  WWI_BUFFER(counts),
                                  WWI_VALUE(wide),
                                  WWI_VALUE(l),
                                  WWI_VALUE(li),
                                  WWI_VALUE(places),
                                  WWI_VALUE(many),
                                  WWI_LOCAL((size_t)places * 4),
                                  WWI_BUFFER(s->room->nearest),
                                  WWI_VALUE(s->job)};
        const wwi_arg fours[] = {WWI_BUFFER(s->data->device_offsets),
                                 WWI_BUFFER(s->room->node_ids),
                                 WWI_BUFFER(s->room->column_buffer),
                                 WWI_BUFFER(s->room->fours),
                                 WWI_VALUE(wide),
                                 WWI_VALUE(li),
                                 WWI_BUFFER(s->room->nearest),
                                 WWI_VALUE(s->job)};
        status = l < 4 ? wwi_launch(d->circle, (uint64_t)blocks * ((series + many - 1) / many), d->exact_group, circle,
                                    sizeof circle / sizeof *circle)
                       : wwi_launch(d->near_fours, (uint64_t)blocks * series, d->exact_group, fours,
                                    sizeof fours / sizeof *fours);
    }
    return status;
}

// Queues all work for a chunk.
static ww_status queue_chunk(search *s, const chunk *now) {
    ww_status status;
    const size_t first = now->first, count = now->count;
    const uint64_t table_bytes = room_bytes(s) / 4;
    const double each = (double)now->cells / (double)s->node->count;
    double told = 0;
    s->job.columns = (uint32_t)((count + s->block - 1) / s->block * s->block);
    s->list_first = s->ahead ? (uint32_t)first : 0;
    s->list_columns = s->ahead ? (uint32_t)s->column_count + s->block : s->job.columns;
    status = send_columns(s, first, count);
    if (status == WW_OK && s->tensor) {
        // A kernel of our own: NVIDIA's fill takes twice as long.
        const uint64_t fours = (uint64_t)s->job.columns * s->job.count * s->node->count / 4;
        const wwi_arg args[] = {WWI_BUFFER(s->room->nearest), WWI_VALUE(fours)};
        status = wwi_launch(s->clear, s->sift_groups, TENSOR_GROUP, args, sizeof args / sizeof *args);
    }
    for (size_t j = 0; status == WW_OK && j < s->node->count; j += s->table_count) {
        // One table for all series serves all chunks.
        if (!(s->table_first == 0 && s->table_count == s->node->count))
            status = make_windows(s, j, table_bytes);
        if (status == WW_OK)
            status = extend(s, each, &told, j + s->table_count == s->node->count);
    }
    if (status != WW_OK || (s->job.shorts && (status = find_short(s)) != WW_OK))
        return status;
    return split(s);
}

// next: made while the device works.
static ww_status go_through_chunk(search *s, const chunk *now, size_t next_count, chunk *next) {
    bool whole; // there is room for a chunk's candidates
    const ww_status status = queue_chunk(s, now);
    if (status != WW_OK)
        return status;
    *next = make_chunk(s, now->first + now->count, next_count);
    s->progress->cells += now->cells;
    s->progress->candidates += now->candidates;
    return take_list(s, now->first, &whole);
}

// ---- selection

static int by_most(const void *a, const void *b) {
    const listed *x = a, *y = b;
    if (x->gain != y->gain)
        return x->gain > y->gain ? -1 : 1;
    if (x->gap != y->gap)
        return x->gap > y->gap ? -1 : 1;
    if (x->place.length != y->place.length)
        return x->place.length < y->place.length ? -1 : 1;
    if (x->place.series != y->place.series)
        return x->place.series < y->place.series ? -1 : 1;
    return x->place.start < y->place.start ? -1 : x->place.start > y->place.start;
}

static bool overlap(const wwi_shapelet_place *a, const wwi_shapelet_place *b) {
    return a->series == b->series && a->start < b->start + b->length && b->start < a->start + a->length;
}

// Whether a listed candidate may still be as good as `found`.
static bool may_reach(const search *s, const listed *one, const wwi_shapelet_found *found) {
    const wwi_shapelet_score *score = &found->score;
    if (s->options->quality != WW_SHAPELET_GAIN)
        return one->gain + 2 >= score->key;
    if (one->gain != score->key)
        return one->gain > score->key;
    return score->gap_key == INT64_MAX || (double)one->gap * (1 + 1e-6) + 1e-6 >= score->gap;
}

static wwi_shapelet_sides sides_of(const search *s) {
    return (wwi_shapelet_sides){s->job.series,     s->job.classes,  s->job.combine,  s->room->node_ids,
                                s->room->class_of, s->room->totals, s->room->so_far, s->room->steps};
}

typedef struct chosen {
    wwi_shapelet_found found;
    bool used;
} chosen;

// Examines candidates in double.
static ww_status examine(search *s, const size_t *which, size_t count, chosen *to) {
    ww_status status = WW_OK;
    const size_t n = s->node->count;
    wwi_shapelet_pattern *patterns = malloc(count * sizeof *patterns);
    double *distances = malloc(count * n * sizeof *distances);
    uint32_t *order = malloc(n * sizeof *order);
    size_t *counts = malloc(2 * s->node->class_count * sizeof *counts);
    if (!patterns || !distances || !order || !counts) {
        status = wwi_fail_memory(count * n * sizeof *distances);
        goto done;
    }
    for (size_t i = 0; i < count; i++) {
        const wwi_shapelet_place *place = &s->list[which[i]].place;
        patterns[i] = (wwi_shapelet_pattern){s->data->values + s->data->offsets[place->series] + place->start,
                                             wwi_shapelet_length(s->data, place->series), place->length};
    }
    if ((status = wwi_shapelet_exact(s->device, s->data, s->node->ids, n, patterns, count, distances, NULL)) != WW_OK)
        goto done;
    for (size_t i = 0; i < count; i++) {
        double *own = distances + i * n;
        own[s->list[which[i]].own] = 0;
        for (size_t j = 0; s->node->before && j < n; j++)
            own[j] =
                s->node->op == WW_SHAPELET_AND ? fmax(own[j], s->node->before[j]) : fmin(own[j], s->node->before[j]);
        to[i].found.place = s->list[which[i]].place;
        to[i].used = false;
        wwi_shapelet_split(s->gains, own, s->node->classes, n, s->node->class_count, s->options->quality, order, counts,
                           &to[i].found.score);
        wwi_shapelet_after *after = s->node->after;
        if (after && (after->found.place.length == 0 || wwi_shapelet_compare(&to[i].found, &after->found) < 0)) {
            after->found = to[i].found;
            memcpy(after->distances, own, n * sizeof *own);
        }
    }
    s->progress->examined += count;
done:
    free(patterns);
    free(distances);
    free(order);
    free(counts);
    return status;
}

// Puts one into the k best, in order.
static void insert(search *s, const wwi_shapelet_found *found) {
    size_t at = s->best_count;
    // A section that an earlier run had begun is searched again.
    for (size_t i = 0; i < s->best_count; i++)
        if (memcmp(&s->best_found[i].place, &found->place, sizeof found->place) == 0)
            return;
    if (at == s->k) {
        if (wwi_shapelet_compare(found, &s->best_found[at - 1]) >= 0)
            return;
        at--;
    } else {
        s->best_count++;
    }
    for (; at > 0 && wwi_shapelet_compare(found, &s->best_found[at - 1]) < 0; at--)
        s->best_found[at] = s->best_found[at - 1];
    s->best_found[at] = *found;
}

// Puts the candidates of `list` from `first` on that come next into order, and returns where they end. In a long list,
// where one is wanted, these are those of the largest gain.
static size_t order_list(search *s, size_t first) {
    enum { FEW = 4096 };
    listed *from = s->list + first;
    size_t count = s->list_count - first, taken = 0;
    if (s->k == 1 && count > FEW) {
        int64_t most = from[0].gain;
        for (size_t i = 1; i < count; i++)
            most = from[i].gain > most ? from[i].gain : most;
        for (size_t i = 0; i < count; i++)
            if (from[i].gain == most) {
                const listed swapped = from[taken];
                from[taken++] = from[i];
                from[i] = swapped;
            }
        count = taken;
    }
    qsort(from, count, sizeof *from, by_most);
    return first + count;
}

// The gains of listed candidates by distances in double, in place of what float left possible.
static ww_status weigh(search *s, size_t first, size_t count) {
    ww_status status = WW_OK;
    const wwi_shapelet_sides sides = sides_of(s);
    const size_t most = wwi_shapelet_weighs(s->device, &sides), room = count < most ? count : most;
    uint32_t(*candidates)[4] = malloc(room * sizeof *candidates);
    int64_t *gains = malloc(room * sizeof *gains);
    double *gaps = malloc(room * sizeof *gaps);
    if (!candidates || !gains || !gaps)
        status = wwi_fail_memory(room * sizeof *candidates);
    for (size_t at = 0, many; status == WW_OK && at < count; at += many) {
        listed *from = s->list + first + at;
        many = count - at < room ? count - at : room;
        size_t light = 0;
        for (size_t i = 0; i < many; i++) {
            const wwi_shapelet_place *place = &from[i].place;
            if (!from[i].weighed)
                memcpy(candidates[light++], (uint32_t[4]){place->series, place->start, place->length, from[i].own}, 16);
        }
        status = wwi_shapelet_weigh(s->device, s->data, &sides, (const uint32_t(*)[4])candidates, light, gains, gaps);
        for (size_t i = 0, w = 0; status == WW_OK && i < many; i++) {
            if (from[i].weighed)
                continue;
            from[i].gain = gains[w];
            from[i].gap = (float)gaps[w++];
            from[i].weighed = true;
        }
        if (status == WW_OK)
            status = wwi_pace_report(&s->progress->pace, 0);
        s->progress->examined += light;
    }
    free(candidates);
    free(gains);
    free(gaps);
    return status;
}

// Takes the best of the list, one after the other: each is examined before it is taken, and those that overlap with one
// taken are out. Where there are many to examine, the device weighs them first. The list is empty afterwards.
static ww_status select_best(search *s) {
    ww_status status = WW_OK;
    enum { MOST_AT_ONCE = 256, WEIGHED = 4096 };
    const wwi_shapelet_sides sides = sides_of(s);
    const size_t many = (size_t)wwi_shapelet_tuned(s->device, "shapelets.weigh", 32);
    const bool weighs = s->options->quality == WW_SHAPELET_GAIN && wwi_shapelet_weighs(s->device, &sides) > 0;
    size_t at_once = 16, next = 0, ordered_to = 0, examined = 0, room = 0, taken = 0, which[MOST_AT_ONCE];
    chosen *all = NULL;
    wwi_shapelet_place *out = malloc(s->k * sizeof *out);
    if (!out)
        return wwi_fail_memory(s->k * sizeof *out);
    if (weighs && s->k == 1 && s->list_count > many)
        status = weigh(s, 0, s->list_count);
    while (status == WW_OK && taken < s->k) {
        chosen *top = NULL;
        for (size_t i = 0; i < examined; i++)
            if (!all[i].used && (!top || wwi_shapelet_compare(&all[i].found, &top->found) < 0))
                top = &all[i];
        const wwi_shapelet_found *full = s->best_count == s->k ? &s->best_found[s->k - 1] : NULL;
        const wwi_shapelet_found *need = top ? &top->found : full;
        if (top && full && wwi_shapelet_compare(&top->found, full) > 0)
            need = full;
        if (next == ordered_to && next < s->list_count)
            ordered_to = order_list(s, next);
        size_t count = 0, reach = next, light = 0; // light: not weighed
        while (reach < ordered_to && count < at_once && (!need || may_reach(s, &s->list[reach], need))) {
            bool free_ = true;
            for (size_t i = 0; i < taken && free_; i++)
                free_ = !overlap(&out[i], &s->list[reach].place);
            if (free_) {
                light += !s->list[reach].weighed;
                which[count++] = reach;
            }
            reach++;
        }
        if (weighs && light && s->list_count - next > many) {
            size_t end = next;
            while (end < s->list_count && end - next < WEIGHED && (!need || may_reach(s, &s->list[end], need)))
                end++;
            if (end - next > many) {
                status = weigh(s, next, end - next);
                ordered_to = next;
                continue;
            }
        }
        next = reach;
        if (count) {
            if ((status = wwi_grow(&all, &room, examined + count, sizeof *all)) == WW_OK)
                status = examine(s, which, count, all + examined);
            if (status == WW_OK)
                status = wwi_pace_report(&s->progress->pace, 0);
            examined += count;
            at_once = s->device->gpu && at_once < MOST_AT_ONCE ? at_once * 2 : at_once;
            continue;
        }
        if (reach == ordered_to && reach < s->list_count)
            continue;
        if (!top || top->found.score.key < 1 || (full && wwi_shapelet_compare(&top->found, full) >= 0))
            break;
        out[taken++] = top->found.place;
        insert(s, &top->found);
        for (size_t i = 0; i < examined; i++)
            if (overlap(&top->found.place, &all[i].found.place))
                all[i].used = true;
    }
    s->list_count = 0;
    free(all);
    free(out);
    return status;
}

// ---- the search

// Columns of the chunk that begins at `at` of a section.
static size_t chunk_at(const search *s, const section *part, size_t at) {
    return part->count - at < s->chunk ? part->count - at : s->chunk;
}

// All chunks of the node, one queued behind the other. done: false where the list has no room for what they kept.
static ww_status go_ahead(search *s, bool *done) {
    ww_status status;
    const section *part = &s->sections[0];
    wwi_shapelet_progress *p = s->progress;
    uint64_t cells = 0, candidates = 0;
    s->ahead = true;
    if ((status = send_bound(s)) != WW_OK || (status = wwi_buffer_fill_u32(s->room->kept_count, 0, 4, 0)) != WW_OK)
        return status;
    for (size_t at = 0; status == WW_OK && at < part->count;) {
        const chunk now = make_chunk(s, part->first + at, chunk_at(s, part, at));
        status = queue_chunk(s, &now);
        at += now.count;
        cells += now.cells;
        candidates += now.candidates;
    }
    if (status == WW_OK) {
        wwi_stream_follow(s->device->stream);
        status = take_list(s, 0, done);
    }
    s->ahead = false;
    if (status == WW_OK && *done) {
        p->cells += cells;
        p->candidates += candidates;
        status = select_best(s);
    }
    return status;
}

static ww_status go_through(search *s) {
    ww_status status = WW_OK;
    wwi_shapelet_progress *p = s->progress;
    bool send = true, done = false;
    if (s->section_count == 1 && s->k == 1 && !p->save && !p->resume && !(p->deadline > 0) &&
        (s->column_count + s->block) * (uint64_t)s->job.count <= UINT32_MAX &&
        ((status = go_ahead(s, &done)) != WW_OK || done))
        return status;
    for (size_t i = 0; status == WW_OK && i < s->section_count; i++) {
        const section *part = &s->sections[i];
        if (part->first + part->count <= p->resume) {
            p->cells += make_chunk(s, part->first, part->count).cells;
            continue;
        }
        const size_t begin = s->section_count == 1 && s->k == 1 ? (size_t)p->resume : 0;
        chunk next = make_chunk(s, part->first + begin, chunk_at(s, part, begin));
        for (size_t at = begin, count; status == WW_OK && at < part->count; at += count) {
            const chunk now = next;
            if (p->deadline > 0 && (i > 0 || at > 0) && wwi_seconds() > p->deadline) {
                p->stopped = true;
                return select_best(s);
            }
            count = now.count;
            if (send)
                status = send_bound(s);
            // The device itself raises the bound of a single best one.
            send = s->k > 1;
            if (status == WW_OK)
                status = go_through_chunk(s, &now, chunk_at(s, part, at + count), &next);
            if (status == WW_OK && s->k == 1 && (p->save || s->list_count > 4096 || at + count == part->count)) {
                status = select_best(s);
                send = true;
                if (status == WW_OK && p->save)
                    status = p->save(p->save_user, part->first + at + count, s->best_found, s->best_count);
            }
        }
        if (status == WW_OK && s->k > 1) {
            status = select_best(s);
            if (status == WW_OK && p->save)
                status = p->save(p->save_user, part->first + part->count, s->best_found, s->best_count);
        }
    }
    return status;
}

// Whether matrix units find the covariances: of every length, where no window varies so little beside the whole that
// halves lose it. Errors of q: of the sums up to 2^-24 for each point, since they are rounded towards zero; of numbers
// as two halves up to 2^-22, and where the low one is below the least normal half, of each number 2^-25.
static void choose_tensor(search *s) {
    const wwi_shapelet_device *d = s->device;
    const long way = wwi_shapelet_tuned(d, "shapelets.tensor", wwi_context_mma(d->context) ? 1 : 2);
    if (way != 1 || !d->gpu || !d->tensor_columns || s->job.single || s->job.step != 1 || s->job.count == 1 ||
        s->job.least < 3 || !(s->data->widest > 0))
        return;
    int exponent;
    frexp(65000 / s->data->widest, &exponent); // the largest half is 65504
    const double scale = ldexp(1, exponent - 1), least_norm = s->data->finest * sqrt(0.5) * scale;
    if (!(least_norm >= 1.0 / 256) || !(scale < 1e30 && scale > 1e-30))
        return;
    s->tensor = true;
    s->unit = scale;
    s->job.gaps = 1;
    s->job.error += 4.0f / 16777216;
    s->job.error_root += (float)(ldexp(1, -25) / least_norm);
    s->job.error_each = 1.0f / 16777216;
}

ww_status wwi_shapelet_search(wwi_shapelet_device *device, const wwi_shapelet_data *data,
                              const wwi_shapelet_gains *gains, const ww_shapelets_options *options,
                              const wwi_shapelet_node *node, size_t k, wwi_shapelet_progress *progress,
                              wwi_shapelet_found *found, size_t *count) {
    ww_status status;
    search s;
    memset(&s, 0, sizeof s);
    s.device = device;
    s.room = &device->room;
    s.data = data;
    s.gains = gains;
    s.options = options;
    s.node = node;
    s.progress = progress;
    s.k = k;
    s.best_found = found;
    s.best_count = progress->resume ? *count : 0;
    s.job = make_job(data, options);
    s.job.series = (uint32_t)node->count;
    s.job.classes = (uint32_t)node->class_count;
    while (s.job.class_bits < 1 || (UINT64_C(1) << s.job.class_bits) < node->class_count)
        s.job.class_bits++;
    // Keys hold q in the bits that the classes leave.
    s.job.error += 1.0f / (float)(UINT64_C(1) << (32 - s.job.class_bits));
    s.job.combine = node->before ? (node->op == WW_SHAPELET_AND ? 1 : 2) : 0;
    s.first_tile = malloc((node->count + 1) * sizeof *s.first_tile);
    if (!s.first_tile)
        return wwi_fail_memory((node->count + 1) * sizeof *s.first_tile);
    if (options->sample && (status = make_sample(&s, options->sample)) != WW_OK)
        goto done;
    s.unit = data->centre;
    choose_tensor(&s);
    // Lengths far apart: a diagonal's cells follow from each other at less cost than lengths between that nobody needs.
    // Not where a sum along a diagonal would keep the rounding of windows that vary much for those that hardly do.
    s.sparse = !s.tensor && device->row_steps && !s.job.single && options->start_step == 1 && progress->deadline <= 0 &&
               data->finest >= LEAST_EXTENT * data->widest &&
               (s.job.count == 1 || s.job.step >= (uint32_t)wwi_shapelet_tuned(device, "shapelets.sparse", 3));
    // By diagonals, and one wanted: columns are made in their order.
    uint64_t starts;
    if ((status = count_columns(&s, &starts)) != WW_OK)
        goto done;
    if (!s.columns && s.sparse && k == 1)
        s.column_count = starts;
    else if (!s.columns && (status = make_columns(&s)) != WW_OK)
        goto done;
    if (progress->deadline > 0 && k == 1)
        shuffle(&s);
    else if (k > 1 && (s.job.single || progress->deadline > 0))
        progress->deadline > 0 ? shuffle_series(&s) : qsort(s.columns, s.column_count, sizeof *s.columns, by_own);
    s.lanes = device->row_group * device->vector;
    for (size_t j = 0; s.sparse && j < node->count; j++) {
        const uint32_t D = device->diagonals;
        const uint32_t windows =
            (uint32_t)wwi_shapelet_length(data, node->ids[j]) - s.job.least + 1 + 2 * (device->rows - 1) + D;
        s.wide = s.wide < (windows + D - 1) / D * D ? (windows + D - 1) / D * D : s.wide;
    }
    // Up to the longest window of the last place, four of them and a length's rest.
    s.fallen = (s.wide + s.job.longest + 8) / 4 * 4;
    // Of short windows angles and differences, where a series' angles fit a group.
    const long shorts = wwi_shapelet_tuned(device, "shapelets.short", 4);
    const uint64_t local = wwi_context_info(device->context)->local_bytes;
    if (device->gpu && device->circle && !s.job.single && options->quality == WW_SHAPELET_GAIN && shorts > 1 &&
        (uint64_t)angle_places(&s) * 4 + 1024 <= (local < 49152 ? local : 49152))
        s.job.shorts = (uint32_t)(shorts < 4 ? shorts : 4);
    if (s.sparse) {
        s.job.error_root *= 2;
        s.job.rows = device->rows;
    }
    if ((status = compile(&s)) != WW_OK)
        goto done;
    cut_chunks(&s);
    if ((status = make_sections(&s)) != WW_OK || (status = count_cells(&s)) != WW_OK ||
        (status = send_node(&s)) != WW_OK || (status = allocate(&s)) != WW_OK ||
        (s.job.shorts && (status = make_short_windows(&s)) != WW_OK))
        goto done;
    status = go_through(&s);
    *count = s.best_count;
done:
    release(&s, status);
    return status;
}
