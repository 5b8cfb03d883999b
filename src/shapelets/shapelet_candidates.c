// SPDX-License-Identifier: Apache-2.0
// The candidates of a node: columns, the places where they start, and the lengths from each; samples and shuffles of
// them, sections, chunks, and the cells that each takes.
//
// Overlap counts within one series only. So where more than one is wanted, a *section* of the columns has whole series:
// its candidates are listed against the k-th best of the sections before, which can only rise.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "shapelets/shapelet_node.h"

static uint32_t lengths_within(const ww_shapelet_args *job, uint32_t reach) {
    const uint32_t all = reach < job->least ? 0 : (reach - job->least) / job->step + 1;
    return all < job->count ? all : job->count;
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
    WWI_FREES size_t *at = NULL;
    WWI_FREES wwi_shapelet_column *sorted = NULL;
    WWI_TRY(wwi_new(at, (size_t)longest + 2));
    WWI_TRY(wwi_new(sorted, count));
    sort_down(columns, count, sizeof *columns, offsetof(wwi_shapelet_column, reach), longest, at, sorted);
    memcpy(columns, sorted, count * sizeof *sorted);
    return WW_OK;
}

static bool in_part(const wwi_shapelet_node *node, size_t own) {
    return !node->part_count || (own >= node->part_first && own - node->part_first < node->part_count);
}

// Starts of series `own` of the node, and the lengths from each.
static uint32_t starts_of(const wwi_node_search *s, size_t own) {
    const size_t length = wwi_shapelet_length(s->data, s->node->ids[own]);
    return (uint32_t)((length - s->job.least) / s->options->start_step + 1);
}

// left: points of the series from `start` on.
static wwi_shapelet_column column_at(const wwi_node_search *s, uint32_t own, uint32_t start, uint32_t left) {
    return (wwi_shapelet_column){s->node->ids[own], start, left < s->job.longest ? left : s->job.longest, own};
}

// whole: of other parts too.
static ww_status count_columns(const wwi_node_search *s, bool whole, size_t *count) {
    *count = 0;
    for (size_t own = 0; own < s->node->count; own++)
        *count += whole || in_part(s->node, own) ? starts_of(s, own) : 0;
    return *count > INT32_MAX ? wwi_fail(WW_ERROR_OVERFLOW, "%zu starts of candidates", *count) : WW_OK;
}

static ww_status make_columns(wwi_node_search *s, bool whole) {
    size_t count;
    WWI_TRY(count_columns(s, whole, &count));
    WWI_TRY(wwi_new(s->candidates.columns, count));
    for (size_t own = 0; own < s->node->count; own++) {
        const uint32_t length = (uint32_t)wwi_shapelet_length(s->data, s->node->ids[own]);
        const uint32_t starts = whole || in_part(s->node, own) ? starts_of(s, own) : 0;
        const uint32_t step = (uint32_t)s->options->start_step;
        for (uint32_t i = 0; i < starts; i++)
            s->candidates.columns[s->candidates.count++] = column_at(s, (uint32_t)own, i * step, length - i * step);
    }
    return WW_OK;
}

// A sample is drawn of all candidates, whose part is then taken: so parts of it are disjoint.
static void keep_part(wwi_node_search *s) {
    wwi_node_candidates *c = &s->candidates;
    size_t kept = 0;
    for (size_t i = 0; i < c->count; i++)
        if (in_part(s->node, c->columns[i].own))
            c->columns[kept++] = c->columns[i];
    c->count = kept;
}

ww_status wwi_node_sample(wwi_node_search *s, size_t wanted) {
    uint64_t total = 0, drawn = 0, state = s->options->seed, at = 0, begin = 0;
    WWI_FREES wwi_shapelet_column *sample = NULL;
    WWI_FREES uint64_t *numbers = NULL;
    WWI_TRY(make_columns(s, true));
    for (size_t c = 0; c < s->candidates.count; c++)
        total += lengths_within(&s->job, s->candidates.columns[c].reach);
    if (wanted >= total) {
        keep_part(s);
        return WW_OK;
    }
    WWI_TRY(wwi_new(numbers, wanted));
    WWI_TRY(wwi_new(sample, wanted));
    while (drawn < wanted) {
        while (drawn < wanted)
            numbers[drawn++] = wwi_random(&state) % total;
        qsort(numbers, wanted, sizeof *numbers, by_number);
        size_t kept = 0;
        for (size_t i = 0; i < wanted; i++)
            if (i == 0 || numbers[i] != numbers[i - 1])
                numbers[kept++] = numbers[i];
        drawn = kept;
    }
    for (size_t i = 0; i < wanted; i++) {
        while (numbers[i] >= begin + lengths_within(&s->job, s->candidates.columns[at].reach))
            begin += lengths_within(&s->job, s->candidates.columns[at++].reach);
        sample[i] = s->candidates.columns[at];
        sample[i].reach = s->job.least + (uint32_t)(numbers[i] - begin) * s->job.step;
    }
    free(s->candidates.columns);
    s->candidates.columns = wwi_taken(&sample);
    s->candidates.count = wanted;
    s->job.single = 1;
    s->job.count = 1;
    keep_part(s);
    return WW_OK;
}

static void shuffle(wwi_node_search *s) {
    uint64_t state = s->options->seed ^ UINT64_C(0x5eed);
    for (size_t i = s->candidates.count; i > 1; i--) {
        const size_t j = (size_t)(wwi_random(&state) % i);
        const wwi_shapelet_column swapped = s->candidates.columns[i - 1];
        s->candidates.columns[i - 1] = s->candidates.columns[j];
        s->candidates.columns[j] = swapped;
    }
}

// Starts of one series that follow each other: a work-item's rows.
typedef struct rows {
    uint32_t own, first, left; // left: points from the first on
} rows;

// The columns of each section in the order of shapelet_diagonal.cl: (group, row, work-item), the longest first, with
// columns of no reach where there are none. Where there are no columns yet, those of all series of the node.
static ww_status arrange_rows(wwi_node_search *s) {
    const uint32_t H = s->device->rows, lanes = s->correlator.lanes;
    const size_t most = s->candidates.count / H + s->node->count + 1;
    size_t capacity = 0, used = 0;
    WWI_FREES wwi_shapelet_column *ordered = NULL;
    WWI_FREES rows *blocks = NULL, *sorted = NULL;
    WWI_FREES size_t *starts = NULL;
    WWI_TRY(wwi_new(blocks, most));
    WWI_TRY(wwi_new(sorted, most));
    WWI_TRY(wwi_new(starts, s->data->longest + 2));
    for (size_t i = 0; i < s->candidates.section_count; i++) {
        const wwi_node_section part = s->candidates.sections[i];
        size_t count = 0;
        for (size_t own = 0; !s->candidates.columns && own < s->node->count; own++) {
            const uint32_t length = (uint32_t)wwi_shapelet_length(s->data, s->node->ids[own]);
            for (uint32_t start = 0; in_part(s->node, own) && start + s->job.least <= length; start += H)
                blocks[count++] = (rows){(uint32_t)own, start, length - start};
        }
        for (size_t c = part.first; s->candidates.columns && c < part.first + part.count; c++)
            if (!(s->candidates.columns[c].start & (H - 1))) { // H is a power of two
                const wwi_shapelet_column *column = &s->candidates.columns[c];
                const size_t length = wwi_shapelet_length(s->data, column->series);
                blocks[count++] = (rows){column->own, column->start, (uint32_t)length - column->start};
            }
        sort_down(blocks, count, sizeof *blocks, offsetof(rows, left), s->data->longest, starts, sorted);
        const size_t groups = wwi_ceil_div(count, lanes), columns = groups * H * lanes;
        WWI_TRY(wwi_grow(&ordered, &capacity, used + columns, sizeof *ordered));
        wwi_shapelet_column *to = ordered + used;
        for (size_t first = 0; first < groups * lanes; first += lanes)
            for (uint32_t row = 0; row < H; row++)
                for (size_t block = first; block < first + lanes; block++)
                    *to++ = block < count && sorted[block].left >= s->job.least + row
                                ? column_at(s, sorted[block].own, sorted[block].first + row, sorted[block].left - row)
                                : (wwi_shapelet_column){s->node->ids[0], 0, 0, UINT32_MAX};
        s->candidates.sections[i] = (wwi_node_section){used, columns};
        used += columns;
    }
    free(s->candidates.columns);
    s->candidates.columns = wwi_taken(&ordered);
    s->candidates.count = used;
    return WW_OK;
}

static int by_own(const void *a, const void *b) {
    const wwi_shapelet_column *x = a, *y = b;
    if (x->own != y->own)
        return x->own < y->own ? -1 : 1;
    return x->start != y->start ? (x->start < y->start ? -1 : 1) : x->reach < y->reach ? -1 : x->reach > y->reach;
}

// The series in an order drawn by the seed: with a time limit, and whole series in a section.
static ww_status shuffle_series(wwi_node_search *s) {
    uint64_t state = s->options->seed ^ UINT64_C(0x5e41e5);
    const size_t n = s->node->count;
    WWI_FREES uint32_t *rank = NULL, *back = NULL;
    WWI_TRY(wwi_new(rank, n));
    WWI_TRY(wwi_new(back, n));
    for (size_t i = 0; i < n; i++)
        rank[i] = (uint32_t)i;
    for (size_t i = n; i > 1; i--) {
        const size_t j = (size_t)(wwi_random(&state) % i);
        const uint32_t swapped = rank[i - 1];
        rank[i - 1] = rank[j];
        rank[j] = swapped;
    }
    for (size_t c = 0; c < s->candidates.count; c++)
        s->candidates.columns[c].own = rank[s->candidates.columns[c].own];
    qsort(s->candidates.columns, s->candidates.count, sizeof *s->candidates.columns, by_own);
    for (size_t i = 0; i < n; i++)
        back[rank[i]] = (uint32_t)i;
    for (size_t c = 0; c < s->candidates.count; c++)
        s->candidates.columns[c].own = back[s->candidates.columns[c].own];
    return WW_OK;
}

ww_status wwi_node_columns(wwi_node_search *s) {
    // By diagonals, and one wanted: columns are made in their order.
    if (!s->candidates.columns && s->correlator.way->diagonals && s->k == 1)
        WWI_TRY(count_columns(s, false, &s->candidates.count));
    else if (!s->candidates.columns)
        WWI_TRY(make_columns(s, false));
    if (s->progress->deadline > 0 && s->k > 1)
        return shuffle_series(s);
    if (s->progress->deadline > 0)
        shuffle(s);
    else if (s->k > 1 && s->job.single)
        qsort(s->candidates.columns, s->candidates.count, sizeof *s->candidates.columns, by_own);
    return WW_OK;
}

// ---- cells

// Windows of l points: points - (l - 1) series, since no series is shorter.
static uint64_t points_of(const wwi_shapelet_data *data, const uint32_t *ids, size_t count) {
    uint64_t points = 0;
    for (size_t j = 0; j < count; j++)
        points += wwi_shapelet_length(data, ids[j]);
    return points;
}

static ww_status count_cells(wwi_node_search *s) {
    const uint32_t count = s->job.single ? s->job.longest : s->job.count;
    WWI_TRY(wwi_new_zeroed(s->candidates.cells, count + 1));
    WWI_TRY(wwi_new(s->candidates.lengths, (size_t)s->job.longest + 1));
    for (uint32_t reach = 0; reach <= s->job.longest; reach++)
        s->candidates.lengths[reach] = s->job.single ? 1 : lengths_within(&s->job, reach);
    const uint64_t points = points_of(s->data, s->node->ids, s->node->count);
    for (uint32_t li = 0; li < count; li++) {
        const uint32_t l = s->job.single ? li + 1 : s->job.least + li * s->job.step;
        const uint64_t windows = points - (uint64_t)(l - 1) * s->node->count;
        s->candidates.cells[li + 1] = (s->job.single ? 0 : s->candidates.cells[li]) + windows;
    }
    return WW_OK;
}

// Sections: all columns, or whole series as many as a chunk holds. Within each, the longest reach first.
ww_status wwi_node_sections(wwi_node_search *s) {
    size_t capacity = 0;
    const size_t part = s->progress->deadline > 0 ? s->candidates.count / 64 + s->candidates.block : SIZE_MAX;
    const size_t most = wwi_least(s->candidates.most, part);
    for (size_t first = 0, end; first < s->candidates.count; first = end) {
        if (s->k == 1) {
            end = s->progress->deadline > 0 && s->candidates.count - first > most ? first + most : s->candidates.count;
        } else {
            end = first;
            while (end < s->candidates.count) {
                size_t next = end;
                while (next < s->candidates.count && s->candidates.columns[next].own == s->candidates.columns[end].own)
                    next++;
                if (end > first && next - first > most)
                    break;
                end = next;
            }
        }
        WWI_TRY(wwi_grow(&s->candidates.sections, &capacity, s->candidates.section_count + 1,
                         sizeof *s->candidates.sections));
        if (!s->correlator.way->diagonals)
            WWI_TRY(sort_by_reach(s->candidates.columns + first, end - first, s->job.longest));
        s->candidates.sections[s->candidates.section_count++] = (wwi_node_section){first, end - first};
    }
    if (s->correlator.way->diagonals)
        WWI_TRY(arrange_rows(s));
    return count_cells(s);
}

wwi_node_chunk wwi_node_chunk_of(const wwi_node_search *s, size_t first, size_t count) {
    wwi_node_chunk of = {first, count, 0, 0};
    for (size_t c = first; c < first + count; c++) {
        const uint32_t lengths = s->candidates.lengths[s->candidates.columns[c].reach];
        of.candidates += lengths;
        of.cells += s->candidates.cells[s->job.single ? s->candidates.columns[c].reach : lengths];
    }
    return of;
}

ww_shapelet_args wwi_node_job(const wwi_shapelet_data *data, const ww_shapelets_options *o) {
    ww_shapelet_args job = {.least = (uint32_t)o->min_length, .step = (uint32_t)o->length_step};
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

// A series of p points has p a - b cells, with all lengths.
static void cells_of_points(const wwi_shapelet_data *data, const ww_shapelets_options *o, const wwi_shapelet_node *node,
                            double *a, double *b) {
    const ww_shapelet_args job = wwi_node_job(data, o);
    const double points = (double)points_of(data, node->ids, node->count);
    *a = *b = 0;
    for (uint32_t li = 0; li < job.count; li++) {
        const double before = job.least + li * job.step - 1, windows = points - before * (double)node->count;
        *a += windows / (double)o->start_step;
        *b += windows * before / (double)o->start_step;
    }
}

uint64_t wwi_shapelet_cells(const wwi_shapelet_data *data, const ww_shapelets_options *o,
                            const wwi_shapelet_node *node) {
    const size_t first = node->part_count ? node->part_first : 0;
    const size_t count = node->part_count ? node->part_count : node->count;
    double a, b;
    cells_of_points(data, o, node, &a, &b);
    const double cells = (double)points_of(data, node->ids + first, count) * a - (double)count * b;
    return cells < 1e18 ? (uint64_t)cells : UINT64_C(1000000000000000000);
}

void wwi_shapelet_cells_before(const wwi_shapelet_data *data, const ww_shapelets_options *o,
                               const wwi_shapelet_node *node, double *before) {
    const size_t first = node->part_count ? node->part_first : 0;
    const size_t count = node->part_count ? node->part_count : node->count;
    double a, b;
    cells_of_points(data, o, node, &a, &b);
    before[0] = 0;
    for (size_t i = 0; i < count; i++)
        before[i + 1] = before[i] + (double)wwi_shapelet_length(data, node->ids[first + i]) * a - b;
}
