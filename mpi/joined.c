// SPDX-License-Identifier: Apache-2.0
// Searches, profiles, paths and classes: ranks take runs of units, whose rows rank 0 joins at the end.
#include <stdlib.h>
#include <string.h>

#include "job.h"

// ---- matches

static int check_search(rank_job *j) {
    const cli_search_wanted *w = &j->search.wanted;
    j->wanted.output = w->output;
    j->wanted.json = w->json;
    for (size_t i = 0; i < w->streams.count; i++)
        if (strcmp(w->streams.items[i], "-") == 0)
            return cli_usage(j->kind->name, "the ranks search files, not standard input");
    return cli_search_options(w, j->s.read.znormalise, &j->s.device, &j->search.options);
}

static int read_search(rank_job *j) {
    rank_search *s = &j->search;
    const cli_list *streams = &s->wanted.streams;
    const bool raw = cli_raw_named(streams->items[0]);
    int result = CLI_GO_ON;
    CLI_TRY(ranks_agree(cli_measure_make(j->kind->name, &j->s.measure_options, &j->s.measure)));
    if (rank == 0)
        result = cli_search_read(j->paths, j->path_count, &j->s.read, true, &j->s.sets[0]);
    if (rank == 0 && !raw && result == CLI_GO_ON)
        result = cli_search_read(streams->items, streams->count, &j->s.read, false, &j->s.sets[1]);
    CLI_TRY(rank_share_sets(j, result, !raw));
    if (raw)
        CLI_TRY(ranks_agree(cli_raw_open(streams->items[0], ww_series_set_channels(j->s.sets[0]), &s->raw)));
    cli_fit_band(&j->s.measure_options, &j->s.measure, j->s.sets[0], j->s.sets[0]);
    return CLI_GO_ON;
}

static int prepare_search(rank_job *j) {
    rank_search *s = &j->search;
    s->options.run = j->s.plan.run;
    s->options.precision = cli_precision(&j->s.device);
    s->units = (cli_search_units){.s = &j->s, .options = &s->options, .raw = j->s.sets[1] ? NULL : &s->raw};
    j->rows = cli_rows_of(&j->s);
    CLI_TRY(cli_search_divide(&s->units, &j->rows));
    return rank_rows_prepare(j);
}

static int finish_search(rank_job *j) {
    CLI_ENDS(cli_matches_free) cli_matches found = j->search.units.shape;
    CLI_TRY(cli_matches_join(&found, &j->rows, j->work.file));
    return cli_matches_write(&found, j->wanted.output);
}

// ---- profiles

static int check_profile(rank_job *j) {
    j->wanted.output = j->profile.wanted.output;
    j->wanted.json = j->profile.wanted.json;
    return cli_profile_check(j->kind->name, &j->profile.wanted, j->paths[1] != NULL);
}

static int read_profile(rank_job *j) {
    CLI_TRY(rank_read_sets(j, false));
    const ww_series_set *const sets[] = {j->s.sets[0], j->s.sets[1]};
    return ranks_agree(cli_profile_select(&j->profile.wanted, j->paths, sets));
}

static int prepare_profile(rank_job *j) {
    rank_profile *p = &j->profile;
    p->units = (cli_profile_units){.s = &j->s, .wanted = &p->wanted};
    j->rows = cli_rows_of(&j->s);
    CLI_TRY(cli_profile_divide(&p->units, &j->rows));
    return rank_rows_prepare(j);
}

static int finish_profile(rank_job *j) {
    CLI_ENDS(cli_profiles_free) cli_profiles found = j->profile.units.shape;
    CLI_TRY(cli_profiles_join(&found, &j->rows, j->work.file));
    return cli_profiles_write(&found, j->wanted.output);
}

// ---- paths

static int prepare_path(rank_job *j) {
    const ww_series_set *const sets[] = {j->s.sets[0], j->s.sets[1]};
    CLI_TRY(cli_paths_check(j->paths, sets));
    CLI_TRY(cli_series_put(&j->s));
    j->rows = cli_rows_of(&j->s);
    j->path_rows.series = (cli_series_rows){.s = &j->s, .plan = &j->plan};
    CLI_TRY(cli_paths_divide(&j->path_rows, &j->rows));
    return rank_rows_prepare(j);
}

static int finish_path(rank_job *j) {
    CLI_ENDS(cli_paths_free) cli_paths joined = {.found = WW_PATHS_INIT};
    CLI_TRY(cli_paths_join(&joined, &j->rows, j->work.file));
    return cli_paths_write(&joined.found, j->wanted.output);
}

// ---- classes

static int check_classify(rank_job *j) {
    j->wanted.output = j->classes.predictions;
    return CLI_GO_ON;
}

static int prepare_classify(rank_job *j) {
    rank_classes *c = &j->classes;
    ww_classify_options options = WW_CLASSIFY_OPTIONS_INIT;
    CLI_TRY(cli_dataset_make(j->s.context, &j->s.device, j->paths[0], j->s.sets[0], &j->s.data[0]));
    options.k = (size_t)j->wanted.k;
    options.plan = &j->s.plan;
    c->rows.s = &j->s;
    j->rows = cli_rows_of(&j->s);
    CLI_TRY(cli_classify_divide(&c->rows, &options, &j->rows));
    return rank_rows_prepare(j);
}

static int finish_classify(rank_job *j) {
    CLI_ENDS(cli_classified_free) cli_classified found = {.found = WW_CLASSIFICATION_INIT};
    CLI_TRY(cli_classified_join(&found, j->classes.rows.more, (size_t)j->wanted.k, j->rows.rows, j->work.file));
    CLI_TRY(cli_classified_save(&found, j->wanted.output));
    if (!j->wanted.json) {
        cli_classified_print(&found);
        cli_classified_print_confusion(&found);
    }
    return CLI_GO_ON;
}

const rank_kind rank_path = {"path",         2,           2,   rank_read_series, prepare_path, rank_rows_run,
                             rank_rows_part, finish_path, NULL};
const rank_kind rank_classify = {
    "classify",    2, 2, rank_read_series, prepare_classify, rank_rows_run, rank_rows_part, finish_classify,
    check_classify};
const rank_kind rank_search_kind = {
    "search",      1,           CLI_MOST_QUERIES, read_search, prepare_search, rank_rows_run, rank_rows_part,
    finish_search, check_search};
const rank_kind rank_profile_kind = {
    "profile", 1, 2, read_profile, prepare_profile, rank_rows_run, rank_rows_part, finish_profile, check_profile};
