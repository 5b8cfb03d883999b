// SPDX-License-Identifier: Apache-2.0
// See division.h.
#include "base/division.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/common.h"

bool cli_divided(const cli_division *d) {
    return d->checkpoint || d->part_text;
}

int cli_division_check(const char *command, cli_division *d) {
    int end = 0;
    if (d->checkpoint && d->part_text)
        return cli_usage(command, "--checkpoint is for a whole job; a part has a journal of its own");
    if (!d->part_text != !d->parts)
        return cli_usage(command, "--part I/N and --parts DIR are given together");
    if ((d->resume || d->any_device) && !cli_divided(d))
        return cli_usage(command, "--resume and --any-device need --checkpoint or --part");
    if (!d->part_text)
        return CLI_GO_ON;
    if (strspn(d->part_text, "0123456789/") != strlen(d->part_text) || strlen(d->part_text) > 20 ||
        sscanf(d->part_text, "%" SCNu64 "/%" SCNu64 "%n", &d->part, &d->part_count, &end) != 2 || d->part_text[end] ||
        d->part < 1 || d->part > d->part_count)
        return cli_usage(command, "--part is '%s', but must be I/N: part I, from 1, of N", d->part_text);
    return CLI_GO_ON;
}

int cli_division_check_job(const char *command, cli_division *d, bool outputs) {
    CLI_TRY(cli_division_check(command, d));
    if (d->part && outputs)
        return cli_usage(command, "--part names its file itself, and 'wavewarp merge' writes the outputs: none here");
    return CLI_GO_ON;
}

char *cli_part_path(const char *folder, uint64_t part, uint64_t count, const char *ending) {
    return cli_text("%s/%" PRIu64 "-of-%" PRIu64 "%s", folder, part, count, ending);
}

char *cli_unfinished_path(const char *path) {
    struct stat about;
    CLI_FREES char *real = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? realpath(path, NULL) : strdup(path);
    return real ? cli_text("%s.part", real) : NULL;
}

// ---- what a journal belongs to

static int add_sum(const void *bytes, size_t size, char *text) {
    const size_t before = strlen(text);
    if (before)
        text[before] = ' ';
    return cli_status(ww_checksum(bytes, size, text + before + (before ? 1 : 0)));
}

int cli_division_sum(const ww_series_set *set, char *text) {
    enum { LINE = 160 };
    if (!set)
        return CLI_GO_ON;
    const size_t channels = ww_series_set_channels(set), count = ww_series_set_count(set);
    CLI_FREES char *all = malloc(count * LINE + 1);
    size_t at = 0;
    if (!all)
        return cli_error("not enough memory");
    for (size_t i = 0; i < count; i++) {
        const size_t length = ww_series_set_length(set, i);
        const double *times = ww_series_set_times(set, i);
        char of_values[65], of_times[65] = "";
        if (times)
            CLI_TRY(cli_status(ww_checksum(times, length * sizeof *times, of_times)));
        CLI_TRY(cli_status(ww_checksum(ww_series_set_values(set, i), channels * length * sizeof(double), of_values)));
        at += (size_t)snprintf(all + at, LINE, "%zu %zu %s %s\n", channels, length, of_values, of_times);
    }
    return add_sum(all, at, text);
}

int cli_division_sum_labels(const ww_series_set *set, char *text) {
    CLI_FREES char *labels = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&labels, &size);
    if (!file)
        return cli_error("not enough memory");
    for (size_t i = 0; i < ww_series_set_count(set); i++) {
        const char *label = ww_series_set_label(set, i);
        fprintf(file, "%s%c", label ? label : "", label ? '\0' : '\1');
    }
    return fclose(file) == 0 ? add_sum(labels, size, text) : cli_error("not enough memory");
}

int cli_division_sum_file(const char *path, char *text) {
    enum { BLOCK = 1 << 20, SUM = 65 };
    CLI_ENDS(cli_file_close) FILE *file = fopen(path, "rb");
    if (!file)
        return cli_error("%s: %s", path, strerror(errno));
    CLI_FREES void *block = malloc(BLOCK);
    if (!block)
        return cli_error("not enough memory");
    char sums[2 * SUM] = "";
    // Each block's sum with that of those before.
    for (size_t size; (size = fread(block, 1, BLOCK, file)) > 0;) {
        CLI_TRY(cli_status(ww_checksum(block, size, sums + SUM)));
        CLI_TRY(cli_status(ww_checksum(sums, sizeof sums, sums)));
    }
    return ferror(file) ? cli_error("%s: %s", path, strerror(errno)) : add_sum(sums, SUM, text);
}

int cli_division_sum_points(const ww_point_view *v, char *text) {
    if (!v)
        return CLI_GO_ON;
    const bool sets = v->kind == WW_POINTS_SETS;
    const size_t bytes = sets ? (size_t)v->offsets[v->count] * sizeof(uint32_t) : v->count * cli_point_bytes(v);
    char all[256], values[65], offsets[65] = "";
    if (ww_checksum(v->values, bytes, values) != WW_OK ||
        (sets && ww_checksum(v->offsets, (v->count + 1) * sizeof *v->offsets, offsets) != WW_OK))
        return cli_fail();
    const int size = snprintf(all, sizeof all, "points %d %d %zu %zu %s %s", v->kind, v->precision, v->count,
                              v->dimension, values, offsets);
    return add_sum(all, (size_t)size, text);
}

static void put_sum(cli_json *json, const char *name, const void *bytes, size_t size) {
    char sum[65];
    cli_json_text(json, name, bytes && ww_checksum(bytes, size, sum) == WW_OK ? sum : NULL);
}

// Files that the result depends on count by their content.
static void put_file_sum(cli_json *json, const char *name, const char *path) {
    enum { MOST = 1 << 20 };
    CLI_ENDS(cli_file_close) FILE *file = path ? fopen(path, "rb") : NULL;
    CLI_FREES char *bytes = file ? malloc(MOST) : NULL;
    put_sum(json, name, bytes, bytes ? fread(bytes, 1, MOST, file) : 0);
}

char *cli_division_options(const char *shape, const ww_measure *measure, const cli_measure_options *measure_options,
                           const cli_device_options *device) {
    CLI_FREES char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    cli_json json = {.file = file};
    if (!file)
        return NULL;
    fprintf(file, "%s ", shape);
    cli_json_object(&json, NULL);
    if (measure) {
        cli_json_measure(&json, measure, measure_options);
        put_sum(&json, "recurrence_sum", measure->recurrence, measure->recurrence ? strlen(measure->recurrence) : 0);
        put_sum(&json, "band_first", measure->band.lo, measure->band.rows * sizeof *measure->band.lo);
        put_sum(&json, "band_end", measure->band.hi, measure->band.rows * sizeof *measure->band.hi);
    }
    cli_json_text(&json, "precision", ww_precision_name(cli_precision(device)));
    cli_json_text(&json, "engine", ww_engine_name((ww_engine)device->engine));
    cli_json_text(&json, "kernel_dir", device->kernel_dir);
    put_file_sum(&json, "tuning", device->tuning);
    cli_json_end(&json);
    if (fclose(file) != 0)
        return NULL;
    for (char *c = text; *c; c++)
        *c = (unsigned char)*c < ' ' ? ' ' : *c;
    return cli_taken(&text);
}

// ---- journal and file

int cli_journal_open(const char *path, const cli_work *w, bool resume, bool any_device, ww_journal **journal) {
    ww_journal_options o = WW_JOURNAL_OPTIONS_INIT;
    o.job = w->job;
    o.inputs = w->inputs;
    o.options = w->options;
    o.context = w->context;
    o.first_unit = w->first;
    o.unit_count = w->count;
    o.resume = resume;
    o.any_device = any_device;
    return cli_status(ww_journal_open(path, &o, journal));
}

// Of a journal without marks there may be no file yet. One that is complete may have its name already. A file without a
// journal is another run's, which is refused.
static int open_file(cli_division *d, const cli_work *w) {
    ww_journal_info info = WW_JOURNAL_INFO_INIT;
    CLI_FREES char *part = cli_unfinished_path(d->data_path);
    if (!part || ww_journal_get_info(d->journal, &info) != WW_OK)
        return cli_error("not enough memory");
    d->units = info.unit_count;
    d->resumed = info.found_done;
    const bool there = access(part, F_OK) == 0;
    const ww_array_shared how = there && d->begun                        ? WW_ARRAY_JOIN
                                : !there && info.done == info.unit_count ? WW_ARRAY_READ
                                                                         : WW_ARRAY_CREATE;
    if (!there && info.done > 0 && info.done < info.unit_count)
        return cli_error("%s says that a part of %s is done, which is not there (remove the journal to begin anew)",
                         d->journal_path, part);
    return cli_status(ww_array_file_open_shared(d->data_path, w->precision, w->rows, w->columns, how, &d->file));
}

int cli_division_open(cli_division *d, const cli_work *w) {
    if (d->part_text) {
        d->journal_path = cli_part_path(d->parts, d->part, d->part_count, ".journal");
        d->data_path = cli_part_path(d->parts, d->part, d->part_count, ".npy");
    } else {
        d->journal_path = strdup(d->checkpoint);
        d->data_path = w->output ? strdup(w->output) : cli_text("%s.npy", d->checkpoint);
    }
    if (!d->journal_path || !d->data_path)
        return cli_error("not enough memory");
    d->begun = access(d->journal_path, F_OK) == 0;
    CLI_TRY(cli_journal_open(d->journal_path, w, d->resume, d->any_device, &d->journal));
    CLI_TRY(open_file(d, w));
    cli_interrupt_finishes(true);
    return CLI_GO_ON;
}

bool cli_marks_due(const cli_marks *marks) {
    return cli_seconds() - marks->written >= 50 * marks->cost;
}

int cli_marks_write(cli_marks *marks, ww_array_file *file, ww_journal *journal) {
    const double begin = cli_seconds();
    CLI_TRY(cli_status_plainly(ww_array_file_sync(file)));
    CLI_TRY(cli_status_plainly(ww_journal_write(journal)));
    marks->written = cli_seconds();
    marks->cost = marks->written - begin;
    return CLI_GO_ON;
}

int cli_division_done(cli_division *d, uint64_t first, uint64_t count) {
    const bool interrupted = cli_interrupted() != 0;
    CLI_TRY(cli_status(ww_journal_mark(d->journal, first, count)));
    if (interrupted || cli_marks_due(&d->marks))
        CLI_TRY(cli_marks_write(&d->marks, d->file, d->journal));
    if (!interrupted)
        return CLI_GO_ON;
    cli_note("interrupted; %s keeps what is done, and --resume goes on from it", d->journal_path);
    return 128 + cli_interrupted();
}

int cli_part_sign(cli_division *d) {
    char sum[66] = "";
    CLI_TRY(cli_division_sum_file(d->data_path, sum));
    CLI_TRY(cli_status_plainly(ww_journal_set_result(d->journal, sum)));
    return cli_status_plainly(ww_journal_write(d->journal));
}

int cli_part_check(const char *path, const ww_journal_info *info) {
    char sum[66] = "";
    CLI_TRY(cli_division_sum_file(path, sum));
    return strcmp(sum, info->result) == 0
               ? CLI_GO_ON
               : cli_error("%s is not what its journal was written for: it is damaged, or another part's", path);
}

int cli_division_finish(cli_division *d, bool consumed) {
    // What is printed may be the only output.
    if (consumed && (fflush(stdout) != 0 || ferror(stdout)))
        return cli_error("standard output can't be written");
    // Marks of the last units first: a journal of all units is the sign that only the renaming is left.
    CLI_TRY(cli_marks_write(&d->marks, d->file, d->journal));
    // It had its name when it was opened, unless there is a part.
    CLI_FREES char *part = cli_unfinished_path(d->data_path);
    const bool unnamed = part && access(part, F_OK) == 0;
    if (consumed || unnamed)
        CLI_TRY(
            cli_status_plainly(ww_array_file_close(&d->file, consumed ? WW_ARRAY_FILE_REMOVE : WW_ARRAY_FILE_FINISH)));
    return d->part_text ? cli_part_sign(d) : cli_status_plainly(ww_journal_close(&d->journal, 0));
}

void cli_division_close(cli_division *d) {
    ww_journal_info info = WW_JOURNAL_INFO_INIT;
    cli_interrupt_finishes(false);
    // A journal of nothing would only be in the way.
    const bool keep = d->begun || !d->journal || ww_journal_get_info(d->journal, &info) != WW_OK || info.done > 0;
    if (ww_array_file_close(&d->file, keep ? WW_ARRAY_FILE_LEAVE : WW_ARRAY_FILE_REMOVE) != WW_OK ||
        ww_journal_close(&d->journal, keep) != WW_OK)
        cli_note("%s: %s", d->data_path, ww_last_error()->message);
    free(d->journal_path);
    free(d->data_path);
    d->journal_path = d->data_path = NULL;
}

void cli_division_json(cli_json *json, const cli_division *d) {
    if (!cli_divided(d))
        return;
    cli_json_count(json, "tiles", d->units);
    cli_json_count(json, "tiles_resumed", d->resumed);
}
