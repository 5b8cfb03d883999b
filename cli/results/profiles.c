// SPDX-License-Identifier: Apache-2.0
// The options of profiles, what is found, and its files; see profiles.h.
#include "results/profiles.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- options

int cli_profile_count(const char *command, const char *name, const char *text, size_t *value) {
    double number;
    if (!text)
        return CLI_GO_ON;
    if (!cli_number(text, &number) || !(number >= 0 && number < 1e15) || number != floor(number))
        return cli_usage(command, "--%s takes a whole number, not '%s'", name, text);
    *value = (size_t)number;
    return CLI_GO_ON;
}

static int read_forced(const char *command, const char *text, uint32_t *bits) {
    for (const char *at = text; at && *at;) {
        char *end;
        const unsigned long channel = strtoul(at, &end, 10);
        if (*at < '0' || *at > '9' || (*end != ',' && *end != 0) || channel > 31 || (*end == ',' && end[1] == 0))
            return cli_usage(command, "--forced-channels takes channels from 0 to 31 with commas, not '%s'", text);
        *bits |= UINT32_C(1) << channel;
        at = *end ? end + 1 : end;
    }
    return CLI_GO_ON;
}

int cli_profile_check(const char *command, cli_profile_wanted *w, bool two_files) {
    CLI_TRY(cli_profile_count(command, "window", w->window_text, &w->window));
    CLI_TRY(cli_profile_count(command, "exclusion", w->exclusion_text, &w->exclusion));
    CLI_TRY(cli_profile_count(command, "series", w->series_text, &w->series));
    CLI_TRY(cli_profile_count(command, "other-series", w->other_text, &w->other_series));
    if (w->window == SIZE_MAX)
        return cli_usage(command, "--window is missing");
    CLI_TRY(read_forced(command, w->forced_text, &w->forced));
    if (w->p_text && !w->raw)
        return cli_usage(command, "--p is the norm of --raw");
    w->p = w->raw ? 2 : 0;
    if (w->p_text && strcmp(w->p_text, "inf") == 0)
        w->p = (double)INFINITY;
    else if (w->p_text && !(cli_number(w->p_text, &w->p) && w->p >= 1))
        return cli_usage(command, "--p takes a number from 1, or 'inf', not '%s'", w->p_text);
    if (w->flat_text && (w->raw || !(cli_number(w->flat_text, &w->flat_below) && w->flat_below >= 0)))
        return cli_usage(command, "--flat-below takes a deviation from 0, without --raw");
    if (w->share_text && !(cli_number(w->share_text, &w->share) && w->share > 0 && w->share <= 1))
        return cli_usage(command, "--share takes a number above 0 and up to 1, not '%s'", w->share_text);
    if (two_files && (w->left_right || w->exclusion_text))
        return cli_usage(command, "--left-right, --motifs and --exclusion are for one file");
    if (!two_files && w->other_text)
        return cli_usage(command, "--other-series needs a second file");
    return CLI_GO_ON;
}

int cli_profile_select(cli_profile_wanted *w, const char *const paths[2], const ww_series_set *const sets[2]) {
    const size_t count = ww_series_set_count(sets[0]), others = ww_series_set_count(sets[1]);
    if (w->series != SIZE_MAX && w->series >= count)
        return cli_error("%s has %zu series; there is no number %zu (they count from 0)", paths[0], count, w->series);
    if (paths[1] && w->other_series == SIZE_MAX && others > 1)
        return cli_error("%s has %zu series: choose one by --other-series", paths[1], others);
    if (w->other_series == SIZE_MAX)
        w->other_series = 0;
    if (paths[1] && w->other_series >= others)
        return cli_error("%s has %zu series; there is no number %zu (they count from 0)", paths[1], others,
                         w->other_series);
    return CLI_GO_ON;
}

void cli_profile_options(const cli_profile_wanted *w, ww_precision precision, const ww_run_options *run,
                         ww_profile_options *options) {
    *options = (ww_profile_options)WW_PROFILE_OPTIONS_INIT;
    options->k = (size_t)w->k;
    options->exclusion = w->exclusion;
    options->best_channels = (size_t)w->best_channels;
    options->left_right = w->left_right;
    options->p = w->p;
    options->forced_channels = w->forced;
    options->flat_below = w->flat_below;
    options->share = w->share;
    options->precision = precision;
    options->run = run;
}

// ---- what is found

int cli_profiles_begin(cli_profiles *p) {
    p->found = calloc(p->count, sizeof *p->found);
    for (size_t i = 0; p->found && i < p->count; i++)
        p->found[i].series = p->first + i;
    return p->found ? CLI_GO_ON : cli_error("not enough memory");
}

int cli_profiles_allocate(const cli_profiles *p, cli_profile_found *f) {
    const size_t count = f->windows * p->k;
    bool full = count / p->k == f->windows && count <= SIZE_MAX / sizeof(double);
    for (int list = 0; full && list < p->lists; list++) {
        f->distances[list] = malloc(count * sizeof(double));
        f->indices[list] = malloc(count * sizeof(int64_t));
        full = f->distances[list] && f->indices[list];
    }
    return full ? CLI_GO_ON : cli_error("a profile of %zu windows does not fit memory", f->windows);
}

ww_profile_output cli_profile_output(const cli_profile_found *f) {
    ww_profile_output output = WW_PROFILE_OUTPUT_INIT;
    output.distances = f->distances[0];
    output.indices = f->indices[0];
    output.left_distances = f->distances[1];
    output.left_indices = f->indices[1];
    output.right_distances = f->distances[2];
    output.right_indices = f->indices[2];
    return output;
}

static void free_lists(cli_profile_found *f) {
    for (int list = 0; list < 3; list++) {
        cli_free_taken(&f->distances[list]);
        cli_free_taken(&f->indices[list]);
    }
}

void cli_profiles_free(cli_profiles *p) {
    for (size_t i = 0; p->found && i < p->count; i++) {
        cli_profile_found *f = &p->found[i];
        free_lists(f);
        ww_profile_motifs_free(f->motifs, f->motif_count);
        free(f->motifs);
        free(f->discords);
        free(f->regimes);
        free(f->arcs);
        free(f->motif_channels);
    }
    cli_free_taken(&p->found);
}

// ---- files

// A row: series, window, and distance and index of each neighbour; with left and right, theirs follow.
static void put_window(const cli_profiles *p, const cli_profile_found *f, size_t w, double *row) {
    *row++ = (double)f->series;
    *row++ = (double)w;
    for (int list = 0; list < p->lists; list++)
        for (size_t r = 0; r < p->k; r++) {
            *row++ = f->distances[list][w * p->k + r];
            *row++ = (double)f->indices[list][w * p->k + r];
        }
}

static int write_npy(const cli_profiles *p, const char *path) {
    enum { AT_ONCE = 4096 }; // rows: each call of the file is one of the system
    const size_t columns = 2 + 2 * p->k * (size_t)p->lists;
    CLI_FREES double *block = calloc(columns, AT_ONCE * sizeof *block);
    CLI_ENDS(cli_array_drop) ww_array_file *file = NULL;
    size_t rows = 0, at = 0;
    if (!block)
        return cli_error("not enough memory");
    for (size_t i = 0; i < p->count; i++)
        rows += p->found[i].windows;
    CLI_TRY(cli_status(ww_array_file_create(path, WW_DOUBLE, rows, columns, &file)));
    for (size_t i = 0; i < p->count; i++) {
        const cli_profile_found *f = &p->found[i];
        for (size_t w = 0, some; w < f->windows; w += some, at += some) {
            some = f->windows - w < AT_ONCE ? f->windows - w : AT_ONCE;
            for (size_t r = 0; r < some; r++)
                put_window(p, f, w + r, block + r * columns);
            CLI_TRY(cli_status(ww_array_file_put(file, at, some, 0, columns, block)));
        }
    }
    return cli_status(ww_array_file_close(&file, WW_ARRAY_FILE_FINISH));
}

static void write_lines(const cli_profiles *p, FILE *file, char between) {
    static const char *const names[] = {"", "left_", "right_"};
    const size_t k = p->k;
    fprintf(file, "series%cwindow", between);
    for (int list = 0; list < p->lists; list++)
        for (size_t r = 1; r <= k; r++)
            fprintf(file, "%c%sdistance_%zu%c%sindex_%zu", between, names[list], r, between, names[list], r);
    fputc('\n', file);
    for (size_t i = 0; i < p->count; i++) {
        const cli_profile_found *f = &p->found[i];
        for (size_t w = 0; w < f->windows; w++) {
            fprintf(file, "%zu%c%zu", f->series, between, w);
            for (int list = 0; list < p->lists; list++)
                for (size_t r = 0; r < k; r++)
                    fprintf(file, "%c%.17g%c%" PRId64, between, f->distances[list][w * k + r], between,
                            f->indices[list][w * k + r]);
            fputc('\n', file);
        }
    }
}

int cli_profiles_write(const cli_profiles *p, const char *path) {
    cli_output output;
    if (!path) {
        write_lines(p, stdout, '\t');
        return CLI_GO_ON;
    }
    if (cli_name_ends_with(path, ".npy"))
        return write_npy(p, path);
    const char between = cli_name_ends_with(path, ".csv") ? ',' : '\t';
    CLI_TRY(cli_output_open(path, &output));
    write_lines(p, output.file, between);
    return cli_output_close(&output);
}
