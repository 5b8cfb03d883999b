// SPDX-License-Identifier: Apache-2.0
// Loading an index. Every number of a file is checked against the others before it is used: a made-up file is refused,
// or is an index.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "index/index_file.h"
#include "measure/measure_table.h"

typedef struct saved {
    ww_measure measure;
    char *texts[3];  // cost, recurrence, its name
    size_t *rows[2]; // of a band
    ww_precision precision;
    bool timed, unspecified, labelled, any_removed;
    uint64_t channels, count, entry_count, must_count, start_count, beam_k;
    ww_index_options options;
    ww_index_info info;
    uint64_t *lengths;
    uint32_t *links, *entries, *removed;
    ww_series_set *set;
} saved;

static void saved_free(saved *s) {
    for (size_t i = 0; i < 3; i++)
        free(s->texts[i]);
    free(s->rows[0]);
    free(s->rows[1]);
    free(s->lengths);
    free(s->links);
    free(s->entries);
    free(s->removed);
    ww_series_set_destroy(&s->set);
}

// ---- the measure

// A text, terminated; free with free. *text NULL: there is none.
static const char *take_text(wwi_byte_reader *r, char **text) {
    const uint64_t length = wwi_read_number(r, 4);
    if (r->failed)
        return WWI_CUT_SHORT;
    if (length == WWI_INDEX_NO_TEXT)
        return NULL;
    const unsigned char *at = wwi_read_bytes(r, length);
    if (!at)
        return WWI_CUT_SHORT;
    if (memchr(at, 0, length))
        return "a text has a zero byte";
    if (!(*text = malloc(length + 1))) {
        r->lacking = length + 1;
        return WWI_CUT_SHORT;
    }
    memcpy(*text, at, length);
    (*text)[length] = 0;
    return NULL;
}

static const char *take_rows(wwi_byte_reader *r, uint64_t count, size_t **rows) {
    uint64_t *numbers = wwi_read_array(r, count, 8);
    if (!numbers)
        return WWI_CUT_SHORT;
    _Static_assert(sizeof(size_t) == sizeof(uint64_t), "a row of a band is 8 bytes");
    *rows = (size_t *)numbers;
    return NULL;
}

static const char *take_measure(wwi_byte_reader *r, saved *s) {
    const uint64_t id = wwi_read_number(r, 4), cost = wwi_read_number(r, 4);
    const char *wrong;
    ww_measure *m = &s->measure;
    if (r->failed || ww_measure_init(m, sizeof *m, (ww_measure_id)id) != WW_OK)
        return r->failed ? WWI_CUT_SHORT : "its measure is unknown";
    m->cost = (ww_cost)cost;
    m->root = (int)wwi_read_number(r, 4);
    m->independent = (int)wwi_read_number(r, 4);
    m->band.kind = (ww_band_kind)wwi_read_number(r, 4);
    m->band.width = wwi_read_double(r);
    for (size_t i = 0; i < WW_MEASURE_PARAMETERS; i++)
        m->parameters[i] = wwi_read_double(r);
    m->relax_begin_x = (size_t)wwi_read_number(r, 8);
    m->relax_end_x = (size_t)wwi_read_number(r, 8);
    m->relax_begin_y = (size_t)wwi_read_number(r, 8);
    m->relax_end_y = (size_t)wwi_read_number(r, 8);
    m->gamma = wwi_read_double(r);
    for (size_t i = 0; i < 3; i++)
        if ((wrong = take_text(r, &s->texts[i])))
            return wrong;
    m->cost_expression = s->texts[0];
    m->recurrence = s->texts[1];
    m->recurrence_name = s->texts[2];
    m->band.rows = (size_t)wwi_read_number(r, 8);
    if ((wrong = take_rows(r, m->band.rows, &s->rows[0])) || (wrong = take_rows(r, m->band.rows, &s->rows[1])))
        return wrong;
    if (m->band.kind == WW_BAND_ROWS) {
        m->band.lo = s->rows[0];
        m->band.hi = s->rows[1];
    }
    return NULL;
}

// ---- numbers

static bool is_share(double x) {
    return x >= 0 && x <= 1;
}

static const char *take_promise(wwi_byte_reader *r, saved *s) {
    ww_index_info *i = &s->info;
    s->options.beam = (uint32_t)wwi_read_number(r, 4);
    s->beam_k = wwi_read_number(r, 8);
    i->sample = (size_t)wwi_read_number(r, 8);
    i->parts = (size_t)wwi_read_number(r, 8);
    i->target_recall = wwi_read_double(r);
    i->recall = wwi_read_double(r);
    i->recall_low = wwi_read_double(r);
    i->recall_high = wwi_read_double(r);
    i->sample_examined = wwi_read_double(r);
    if (r->failed)
        return WWI_CUT_SHORT;
    if (s->beam_k > WW_INDEX_MOST_BEAM || !is_share(i->target_recall) || !is_share(i->recall) ||
        !is_share(i->recall_low) || !is_share(i->recall_high) || !(i->sample_examined >= 0))
        return "its promise is out of range";
    i->target_k = (size_t)s->beam_k;
    return NULL;
}

static const char *take_numbers(wwi_byte_reader *r, saved *s) {
    const uint64_t precision = wwi_read_number(r, 4), timed = wwi_read_number(r, 4), wild = wwi_read_number(r, 4);
    s->channels = wwi_read_number(r, 8);
    s->count = wwi_read_number(r, 8);
    s->options.degree = (uint32_t)wwi_read_number(r, 4);
    s->options.neighbours = (uint32_t)wwi_read_number(r, 4);
    s->options.seed = wwi_read_number(r, 8);
    s->entry_count = wwi_read_number(r, 8);
    s->must_count = wwi_read_number(r, 8);
    s->start_count = wwi_read_number(r, 8);
    const uint64_t removed = wwi_read_number(r, 4);
    if (r->failed)
        return WWI_CUT_SHORT;
    if (precision > WW_DOUBLE || timed > 1 || wild > 1 || removed > 1)
        return "its precision is unknown, or a switch is neither on nor off";
    if (s->count < 1 || s->count > INT32_MAX || s->channels < 1 || s->channels > INT32_MAX)
        return "its number of series or of channels is out of range";
    if (s->entry_count < 1 || s->entry_count > s->count || s->start_count < 1 || s->start_count > s->entry_count ||
        s->must_count > s->start_count)
        return "its number of entries is out of range";
    s->precision = (ww_precision)precision;
    s->timed = timed != 0;
    s->unspecified = wild != 0;
    s->any_removed = removed != 0;
    return take_promise(r, s);
}

// ---- series

static const char *take_lengths(wwi_byte_reader *r, saved *s, uint64_t *points) {
    const uint64_t labelled = wwi_read_number(r, 4);
    if (labelled > 1)
        return "a switch is neither on nor off";
    s->labelled = labelled != 0;
    if (!(s->lengths = wwi_read_array(r, s->count, 8)))
        return WWI_CUT_SHORT;
    *points = 0;
    for (uint64_t i = 0; i < s->count; i++) {
        if (s->lengths[i] < 1 || s->lengths[i] > r->left)
            return "the length of a series is out of range";
        *points += s->lengths[i];
        if (*points > r->left)
            return WWI_CUT_SHORT;
    }
    return *points > UINT64_MAX / 8 / s->channels ? WWI_CUT_SHORT : NULL;
}

// The series one after the other. What is no success is the library's own failure.
static ww_status make_set(const saved *s, const void *values, const double *times, wwi_byte_reader *labels,
                          const char **wrong, ww_series_set *set) {
    WWI_FREES double *row = NULL;
    uint64_t at = 0, time = 0, longest = 0;
    for (uint64_t i = 0; i < s->count; i++)
        longest = s->lengths[i] > longest ? s->lengths[i] : longest;
    WWI_TRY(wwi_new(row, longest * s->channels));
    for (uint64_t i = 0; i < s->count; i++) {
        WWI_FREES char *label = NULL;
        if (s->labelled && (*wrong = take_text(labels, &label)))
            return WW_OK;
        for (uint64_t j = 0; j < s->lengths[i] * s->channels; j++)
            row[j] = wwi_value_at(values, s->precision, at++);
        WWI_TRY(ww_series_set_add(set, (size_t)s->lengths[i], row, label));
        if (s->timed)
            WWI_TRY(ww_series_set_set_times(set, (size_t)i, times + time));
        time += s->lengths[i];
    }
    return WW_OK;
}

static ww_status take_series(wwi_byte_reader *r, saved *s, const char **wrong) {
    WWI_FREES void *values = NULL;
    WWI_FREES double *times = NULL;
    uint64_t points;
    if ((*wrong = take_lengths(r, s, &points)))
        return WW_OK;
    values = wwi_read_array(r, points * s->channels, s->precision == WW_DOUBLE ? 8 : 4);
    if (values && s->timed)
        times = wwi_read_array(r, points, 8);
    if (!values || (s->timed && !times)) {
        *wrong = WWI_CUT_SHORT;
        return WW_OK;
    }
    WWI_TRY(ww_series_set_create((size_t)s->channels, &s->set));
    return make_set(s, values, times, r, wrong, s->set);
}

// ---- the graph

static const char *check_links(const saved *s) {
    const uint64_t degree = s->options.degree;
    for (uint64_t i = 0; i < s->count; i++)
        for (uint64_t j = 0; j < degree; j++) {
            const uint32_t to = s->links[i * degree + j];
            if (to == WWI_NO_LINK ? j + 1 < degree && s->links[i * degree + j + 1] != WWI_NO_LINK
                                  : to >= s->count || to == i)
                return "a link leads to no other series";
        }
    for (uint64_t i = 0; i < s->entry_count; i++)
        if (s->entries[i] >= s->count)
            return "an entry is no series";
    return NULL;
}

static const char *take_graph(wwi_byte_reader *r, saved *s) {
    if (s->options.degree < 4 || s->options.degree > WW_INDEX_MOST_DEGREE)
        return "its degree is out of range";
    if (!(s->links = wwi_read_array(r, s->count * s->options.degree, 4)) ||
        !(s->entries = wwi_read_array(r, s->entry_count, 4)))
        return WWI_CUT_SHORT;
    if (s->any_removed && !(s->removed = wwi_read_array(r, s->count / 32 + 1, 4)))
        return WWI_CUT_SHORT;
    if (s->removed && s->removed[s->count / 32] >> s->count % 32)
        return "a series is removed that there is not";
    for (uint64_t i = 0; s->removed && i < s->count; i++)
        s->info.removed += s->removed[i / 32] >> i % 32 & 1;
    if (r->left)
        return "there is more than its numbers say";
    return check_links(s);
}

// ---- all

static ww_status restore(ww_context *context, saved *s, const ww_run_options *run, ww_index **index) {
    WWI_ENDS(ww_dataset_destroy) ww_dataset *base = NULL;
    WWI_ENDS(ww_index_destroy) ww_index *x = NULL;
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    options.precision = s->precision;
    options.allow_not_finite = s->unspecified;
    WWI_TRY(ww_dataset_create_from_set(context, s->set, &options, &base));
    WWI_TRY(wwi_index_open(&s->measure, base, &s->options, run, &x));
    x->links = wwi_taken(&s->links);
    x->entries = wwi_taken(&s->entries);
    x->removed = wwi_taken(&s->removed);
    x->entry_count = (size_t)s->entry_count;
    x->must_count = (size_t)s->must_count;
    x->start_count = (size_t)s->start_count;
    x->beam_k = (size_t)s->beam_k;
    x->info = s->info;
    wwi_index_count(x);
    *index = wwi_taken(&x);
    return WW_OK;
}

// WW_OK with *wrong: what the file is refused for.
static ww_status take_all(wwi_byte_reader *r, saved *s, const char **wrong) {
    if ((*wrong = take_measure(r, s)) || (*wrong = take_numbers(r, s)))
        return WW_OK;
    WWI_TRY(take_series(r, s, wrong));
    if (!*wrong)
        *wrong = take_graph(r, s);
    return WW_OK;
}

static ww_status load(ww_context *context, wwi_byte_source *source, const ww_run_options *run, ww_index **index) {
    WWI_ENDS(wwi_sealed_free) wwi_sealed b = {0};
    WWI_ENDS(saved_free) saved s = {.options = WW_INDEX_OPTIONS_INIT, .info = WW_INDEX_INFO_INIT};
    const double start = wwi_seconds();
    const char *wrong = NULL;
    WWI_TRY(wwi_seal_read(&wwi_index_seal, source, &b));
    wwi_byte_reader r = wwi_seal_reader(&b);
    ww_status status = take_all(&r, &s, &wrong);
    if (status == WW_OK && r.lacking)
        return wwi_fail_memory(r.lacking);
    if (status == WW_OK && wrong)
        return wwi_seal_damaged(&wwi_index_seal, source->name, wrong);
    if (status == WW_OK)
        status = restore(context, &s, run, index);
    if (status == WW_OK)
        (*index)->info.seconds_build = wwi_seconds() - start;
    return status == WW_ERROR_INVALID_ARGUMENT || status == WW_ERROR_NOT_FINITE || status == WW_ERROR_EMPTY
               ? wwi_seal_damaged(&wwi_index_seal, source->name, ww_last_error()->message)
               : status;
}

ww_status ww_index_load(ww_context *context, const char *path, const ww_run_options *run, ww_index **index) {
    ww_run_options taken;
    if (index)
        *index = NULL;
    WWI_NEEDS("context, path, index", context, path, index);
    WWI_TRY(wwi_run_take(run, &taken));
    wwi_byte_source source = {.name = path, .file = fopen(path, "rb")};
    if (!source.file)
        return wwi_fail(WW_ERROR_IO, "can't open %s: %s", path, strerror(errno));
    const ww_status status = load(context, &source, &taken, index);
    fclose(source.file);
    return status;
}

ww_status ww_index_load_from(ww_context *context, ww_read_fn read, void *user, const ww_run_options *run,
                             ww_index **index) {
    ww_run_options taken;
    if (index)
        *index = NULL;
    WWI_NEEDS("context, read, index", context, read, index);
    WWI_TRY(wwi_run_take(run, &taken));
    wwi_byte_source source = {.name = "the index", .read = read, .user = user};
    return load(context, &source, &taken, index);
}
