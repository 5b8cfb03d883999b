// SPDX-License-Identifier: Apache-2.0
// One rank reads, all get the series; every rank takes units of the work from one counter and writes them into one
// file, or computes whole parts.
#include "job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int rank_share_sets(rank_job *j, int result, bool two) {
    CLI_TRY(ranks_agree(result));
    for (int i = 0; i < (two ? 2 : 1); i++)
        CLI_TRY(ranks_share(&j->s.sets[i]));
    return CLI_GO_ON;
}

int rank_read_sets(rank_job *j, bool complete) {
    int result = CLI_GO_ON;
    for (int i = 0; rank == 0 && i < 2 && j->paths[i] && result == CLI_GO_ON; i++)
        result = cli_read(j->paths[i], &j->s.read, i, complete, &j->s.sets[i]);
    return rank_share_sets(j, result, j->paths[1] != NULL);
}

int rank_read_series(rank_job *j) {
    CLI_TRY(ranks_agree(cli_measure_make(j->kind->name, &j->s.measure_options, &j->s.measure)));
    CLI_TRY(rank_read_sets(j, true));
    return ranks_agree(cli_series_fit(&j->s));
}

// What is computed; the values of jobs with outputs of their own are beside the journal, or beside the first output.
static int prepare(rank_job *j) {
    rank_work *w = &j->work;
    const cli_neighbour_options *o = &j->wanted;
    const char *first = o->output ? o->output : o->ids ? o->ids : o->distances;
    const char *path = j->kind->finish && j->checkpoint ? j->checkpoint : first;
    cli_plan_options(&j->s.device, &j->s.progress, &j->s.plan);
    j->s.progress.run.progress = NULL; // a line of every rank helps nobody
    j->s.plan.no_bounds = j->no_bounds;
    CLI_TRY(j->kind->prepare(j));
    if (j->parts)
        return CLI_GO_ON;
    w->path = cli_text("%s%s", path, j->kind->finish ? ".npy" : "");
    return w->path ? CLI_GO_ON : cli_error("not enough memory");
}

// ---- one file

// Rank 0 makes the file, unless a run before did; the others join.
static int open_file(rank_job *j) {
    rank_work *w = &j->work;
    for (int turn = 0; turn < 2; turn++) {
        const ww_array_shared how = turn || j->restart.found ? WW_ARRAY_JOIN : WW_ARRAY_CREATE;
        int result = CLI_GO_ON;
        if ((turn == 0) == (rank == 0))
            result = cli_status(
                ww_array_file_open_shared(w->path, w->precision, (size_t)w->rows, (size_t)w->columns, how, &w->file));
        CLI_TRY(ranks_agree(result));
    }
    return CLI_GO_ON;
}

static int ended_by_signal(const rank_job *j) {
    const int number = cli_interrupted();
    if (number)
        cli_note("ended by a signal%s", j->checkpoint || j->parts ? "; --resume goes on" : "");
    return number ? 128 + number : CLI_GO_ON;
}

// Those of a unit that no run before did, without a gap: what a run found may be with its first mark alone.
static int run_unit(rank_job *j, uint64_t first, uint64_t count) {
    for (uint64_t i = first, run; i < first + count; i += run) {
        run = 1;
        if (restart_has(&j->restart, i, 1))
            continue;
        while (i + run < first + count && !restart_has(&j->restart, i + run, 1))
            run++;
        const double start = cli_seconds();
        CLI_TRY(j->kind->run(j, i, run));
        j->done += run;
        j->seconds += cli_seconds() - start;
        CLI_TRY(restart_done(&j->restart, j->work.file, i, run));
    }
    return ended_by_signal(j);
}

// A line now and then, of rank 0: what was taken from the counter by all ranks.
static void tell(rank_job *j, int64_t taken, int64_t all) {
    cli_progress *p = &j->s.progress;
    const double now = cli_seconds(), interval = p->terminal ? 60.0 : p->interval;
    if (p->start < 0.0)
        p->start = p->shown = now;
    if (rank > 0 || now - p->shown < interval)
        return;
    p->shown = now;
    fprintf(stderr, "wavewarp-mpi: %d %%\n", (int)(100 * taken / all));
}

static int run_units(rank_job *j) {
    const rank_work *w = &j->work;
    const int64_t units = (int64_t)((w->marks - 1) / w->each + 1);
    rank_counter counter;
    int result = CLI_GO_ON;
    ranks_count_begin(&counter);
    cli_interrupt_finishes(true);
    for (int64_t unit; result == CLI_GO_ON && (unit = ranks_count(&counter)) < units;) {
        const uint64_t first = (uint64_t)unit * w->each, left = w->marks - first,
                       count = left < w->each ? left : w->each;
        if (restart_has(&j->restart, first, count))
            continue;
        tell(j, unit, units);
        result = run_unit(j, first, count);
    }
    if (result != CLI_GO_ON)
        ranks_count_stop(&counter);
    const int marked = restart_write(&j->restart, w->file);
    cli_interrupt_finishes(false);
    result = ranks_agree(result == CLI_GO_ON ? marked : result);
    ranks_count_end(&counter);
    return result;
}

// The others leave the file before rank 0 gives it its name, or writes the outputs from it and removes it; or removes
// it where nobody can go on with it.
static int close_file(rank_job *j, int result, bool keep_part) {
    ww_array_file **file = &j->work.file;
    for (int turn = 0; turn < 2; turn++) {
        if (turn == 1 && rank == 0 && result == CLI_GO_ON && j->kind->finish)
            result = j->kind->finish(j);
        const int unfinished = keep_part ? WW_ARRAY_FILE_LEAVE : WW_ARRAY_FILE_REMOVE;
        const int finished = j->kind->finish ? WW_ARRAY_FILE_REMOVE : WW_ARRAY_FILE_FINISH;
        const int keep = rank > 0 ? WW_ARRAY_FILE_LEAVE : result == CLI_GO_ON ? finished : unfinished;
        if ((turn == 1) == (rank == 0) && *file && ww_array_file_close(file, keep) != WW_OK && result == CLI_GO_ON)
            result = cli_fail();
        result = ranks_agree(result);
    }
    return result;
}

// Marks of what is done, where they are asked for.
static int open_restart(rank_job *j) {
    const rank_work *w = &j->work;
    const restart_job of = {.work = {.job = j->kind->name,
                                     .inputs = w->inputs,
                                     .options = w->options,
                                     .context = j->s.context,
                                     .count = w->marks},
                            .checkpoint = j->checkpoint,
                            .path = w->path,
                            .resume = j->resume,
                            .any_device = j->any_device};
    return j->checkpoint ? restart_open(&j->restart, &of) : CLI_GO_ON;
}

static int fill_file(rank_job *j) {
    int result = open_restart(j);
    if (result == CLI_GO_ON && (result = open_file(j)) == CLI_GO_ON)
        result = run_units(j);
    const bool begun = restart_begun(&j->restart);
    result = close_file(j, result, begun || j->restart.found);
    restart_close(&j->restart, result == CLI_GO_ON, begun);
    return result;
}

// ---- parts

static int run_part(rank_job *j, uint64_t number) {
    CLI_ENDS(cli_division_close)
    cli_division part = {.parts = j->parts,
                         .part_text = "",
                         .resume = j->resume,
                         .any_device = j->any_device,
                         .part = number + 1,
                         .part_count = j->part_count};
    const double start = cli_seconds();
    CLI_TRY(j->kind->part(j, &part));
    j->done += part.units - part.resumed;
    j->restart.found_done += part.resumed;
    j->work.marks += part.units;
    j->seconds += cli_seconds() - start;
    return ended_by_signal(j);
}

// Parts from the counter; a rank has a part alone, and no rank writes into another one's file.
static int fill_parts(rank_job *j) {
    rank_counter counter;
    int result = CLI_GO_ON;
    ranks_count_begin(&counter);
    for (int64_t part; result == CLI_GO_ON && (part = ranks_count(&counter)) < (int64_t)j->part_count;) {
        tell(j, part, (int64_t)j->part_count);
        result = run_part(j, (uint64_t)part);
    }
    if (result != CLI_GO_ON)
        ranks_count_stop(&counter);
    result = ranks_agree(result);
    ranks_count_end(&counter);
    return result;
}

// ---- the report

static void print_json(const rank_job *j, const cli_command *command, const double *seconds, const uint64_t *done) {
    cli_head head = cli_series_head(&j->s, j->wanted.output);
    cli_json json;
    if (j->kind == &rank_search_kind) {
        head.files[1] = j->search.wanted.streams.items[0];
        head.counts[1] = j->s.sets[1] ? head.counts[1] : 1;
    }
    if (j->kind == &rank_profile_kind || !j->s.sets[0])
        head.measure = NULL;
    if (j->kind == &rank_profile_kind)
        head.metric = "z-normalised euclidean";
    if (!j->s.sets[0]) {
        for (int i = 0; i < 2; i++)
            head.counts[i] = j->points.all[i].view.count;
        head.metric = ww_metric_name((ww_metric)j->points.metric);
        head.read = NULL;
        head.precision = ww_precision_name(j->rows.result);
    }
    cli_json_head(&json, stdout, command, &head);
    cli_json_count(&json, "tiles", j->work.marks);
    cli_json_count(&json, "tiles_resumed", j->restart.found_done);
    cli_json_array(&json, "ranks");
    for (int i = 0; i < ranks; i++) {
        cli_json_object(&json, NULL);
        cli_json_count(&json, "tiles", done[i]);
        cli_json_number(&json, "seconds", seconds[i], 6);
        cli_json_end(&json);
    }
    cli_json_end(&json);
    cli_json_end(&json);
}

static int report(rank_job *j, const cli_command *command) {
    CLI_FREES double *seconds = calloc((size_t)ranks, sizeof *seconds);
    CLI_FREES uint64_t *done = calloc((size_t)ranks, sizeof *done);
    uint64_t own[2] = {j->work.marks, j->restart.found_done}, all[2];
    CLI_TRY(ranks_agree(seconds && done ? CLI_GO_ON : cli_error("out of memory")));
    MPI_Gather(&j->seconds, 1, MPI_DOUBLE, seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Gather(&j->done, 1, MPI_UINT64_T, done, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    MPI_Reduce(own, all, 2, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (j->parts && rank == 0)
        j->work.marks = all[0], j->restart.found_done = all[1];
    if (rank == 0)
        print_json(j, command, seconds, done);
    return CLI_GO_ON;
}

// ---- what all ranks have alike

static void print_list(FILE *to, const cli_list *list) {
    for (size_t i = 0; i < list->count; i++)
        fprintf(to, " %s", list->items[i]);
}

// A line each, but for the options that a rank may have for itself.
static void print_option(FILE *to, const cli_option *o) {
    static const char *const own[] = {"device", "max-bytes", "verbose"};
    for (size_t i = 0; i < CLI_COUNT_OF(own); i++)
        if (!o->name || strcmp(o->name, own[i]) == 0)
            return;
    const int choice = o->kind == CLI_CHOICE ? *(const int *)o->target : -1;
    fprintf(to, "--%s", o->name);
    if (o->kind == CLI_LIST || o->kind == CLI_INPUTS)
        print_list(to, o->target);
    else if (o->kind == CLI_COUNT || o->kind == CLI_BYTES)
        fprintf(to, " %" PRIu64, *(const uint64_t *)o->target);
    else if (o->kind == CLI_FLAG)
        fputs(*(const bool *)o->target ? " yes" : " no", to);
    else if (choice >= 0)
        fprintf(to, " %s", o->choices[choice]);
    else if (o->kind != CLI_CHOICE && *(const char *const *)o->target)
        fprintf(to, " %s", *(const char *const *)o->target);
    fputc('\n', to);
}

static int same_arguments(const rank_job *j, const cli_option *options, size_t count) {
    CLI_FREES char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    for (size_t i = 0; file && i < j->path_count; i++)
        fprintf(file, "%s\n", j->paths[i]);
    for (size_t i = 0; file && i < count; i++)
        print_option(file, &options[i]);
    CLI_TRY(ranks_agree(file && fclose(file) == 0 ? CLI_GO_ON : cli_error("not enough memory")));
    return ranks_same("the arguments", text, true);
}

// Files of one name may differ from machine to machine; what a journal says has their sums.
static int same_content(const rank_job *j) {
    const char *const options = j->work.options, *const stream = j->rows.stream;
    CLI_TRY(ranks_same("the stream's content", stream ? stream : "", false));
    return ranks_same("the content of a file that an option names", options ? options : "", false);
}

// ---- the command

// All ranks have the same data; rank 0 says what is taken.
static void take_precision(rank_job *j) {
    const ww_point_view views[2] = {j->points.all[0].view, j->points.all[1].view};
    cli_precision_of_sets(&j->s.device, j->s.context, j->s.sets, j->paths, rank > 0);
    cli_precision_of_points(&j->s.device, j->s.context, views, j->paths, rank > 0);
}

static int compute(rank_job *j, const cli_command *command) {
    CLI_TRY(j->kind->read(j));
    CLI_TRY(rank_devices_open(j));
    take_precision(j);
    if (j->resume && !j->tile)
        j->tile = restart_side(j->checkpoint);
    CLI_TRY(ranks_agree(prepare(j)));
    CLI_TRY(same_content(j));
    CLI_TRY(j->parts ? fill_parts(j) : fill_file(j));
    return j->wanted.json ? report(j, command) : CLI_GO_ON;
}

static int check(rank_job *j, const char *command) {
    const cli_neighbour_options *o = &j->wanted;
    if (j->kind->check)
        CLI_TRY(j->kind->check(j));
    const bool output = o->output || o->ids || o->distances;
    if (!output && !j->parts)
        return cli_usage(NULL, "%s needs %s FILE", command, j->kind == &rank_classify ? "--predictions" : "--output");
    const char *const paths[] = {o->output, o->ids, o->distances};
    for (size_t i = 0; i < CLI_COUNT_OF(paths); i++)
        if (paths[i] && strcmp(paths[i], "-") == 0)
            return cli_usage(command, "the ranks write files, not standard output");
    if (j->parts && (output || j->checkpoint))
        return cli_usage(command, "--parts names its files and journals itself: no --output, no --checkpoint");
    if (!j->parts != !j->part_count)
        return cli_usage(command, "--parts DIR and --count N are given together");
    if (j->resume && !j->checkpoint && !j->parts)
        return cli_usage(NULL, "--resume goes on from a --checkpoint FILE, or with --parts DIR");
    return CLI_GO_ON;
}

static void job_end(rank_job *j) {
    cli_progress_end();
    cli_search_units_end(&j->search.units);
    if (j->kind == &rank_search_kind)
        cli_raw_close(&j->search.raw);
    cli_profile_units_end(&j->profile.units);
    cli_classify_end(&j->classes.rows);
    ww_plan_destroy(&j->plan);
    ww_lsh_destroy(&j->lsh.tables);
    ww_points_destroy(&j->lsh.queries);
    ww_knn_destroy(&j->points.knn);
    ww_points_destroy(&j->points.base);
    for (int i = 1; i >= 0; i--)
        rank_view_free(&j->points.all[i]);
    cli_series_end(&j->s);
    free(j->work.values);
    free(j->work.options);
    free(j->work.path);
}

int rank_job_run(rank_job *j, const cli_command *command, const cli_option *options, size_t count, int argc,
                 char **argv) {
    // The same arguments on every rank: rank 0 says what is wrong with them, or prints the help.
    if (rank > 0)
        stdout = fopen("/dev/null", "w");
    int result = cli_parse(command, options, count, argc, argv, j->paths, (size_t)j->kind->sets, (size_t)j->kind->most,
                           &j->path_count);
    if (result == CLI_GO_ON)
        result = check(j, command->name);
    int first = result;
    MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
    CLI_TRY(first);
    CLI_TRY(ranks_agree(result));
    for (int i = 0; i < 2; i++)
        j->s.paths[i] = j->paths[i];
    result = same_arguments(j, options, count);
    if (result == CLI_GO_ON)
        result = compute(j, command);
    job_end(j);
    return result == CLI_GO_ON ? CLI_OK : result;
}
