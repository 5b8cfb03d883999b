// SPDX-License-Identifier: Apache-2.0
// wavewarp lsh: approximate nearest neighbours, and their recall.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/precision.h"
#include "base/series_job.h"
#include "base/shares.h"
#include "commands/commands.h"
#include "pictures/picture.h"
#include "results/lsh_options.h"

typedef struct lsh_job {
    cli_series_job s; // without series: base and queries
    cli_neighbour_options wanted;
    const char *svg_path, *recall, *save_path, *load_path;
    cli_lsh_wanted asked;
    ww_lsh_choice choice; // its recalls, NAN: not chosen by recall
    bool exact;           // no hashing: the exact search is faster
    bool evaluate, bits;  // bits: sets are given as bits
    ww_point_set *sets[2];
    ww_point_view views[2];
    ww_points *points[2]; // base and queries
    ww_lsh *loaded;
    ww_lsh_options options;
    cli_neighbours found;
} lsh_job;

static void job_end(lsh_job *j) {
    ww_lsh_destroy(&j->loaded);
    for (int i = 1; i >= 0; i--) {
        ww_points_destroy(&j->points[i]);
        ww_point_set_destroy(&j->sets[i]);
    }
    cli_series_end(&j->s);
    cli_neighbours_free(&j->found);
}

// Tables with these options: the loaded ones, or new ones, which are the caller's.
static int open_tables(const lsh_job *j, const ww_lsh_options *options, ww_lsh **made, ww_lsh **lsh) {
    CLI_TRY(
        cli_status(j->loaded ? ww_lsh_set_options(j->loaded, options) : ww_lsh_create(j->points[0], options, made)));
    *lsh = j->loaded ? j->loaded : *made;
    return j->save_path ? cli_status(ww_lsh_save(*lsh, j->save_path)) : CLI_GO_ON;
}

static int search(const lsh_job *j, const ww_lsh_options *options, const cli_neighbours *n, ww_lsh_info *info) {
    CLI_ENDS(ww_lsh_destroy) ww_lsh *made = NULL;
    ww_lsh *lsh;
    CLI_TRY(open_tables(j, options, &made, &lsh));
    CLI_TRY(cli_status(ww_lsh_run(lsh, j->points[1], n->k, n->ids, n->distances, NULL)));
    *info = (ww_lsh_info)WW_LSH_INFO_INIT;
    return cli_status(ww_lsh_get_info(lsh, info));
}

// Prints the parameters for the given recall, and what is expected of them, on standard error.
static int choose(lsh_job *j, double recall) {
    ww_lsh_target target = WW_LSH_TARGET_INIT;
    ww_lsh_choice *choice = &j->choice;
    ww_lsh_options chosen = WW_LSH_OPTIONS_INIT;
    target.metric = j->options.metric;
    target.k = (size_t)j->wanted.k;
    target.recall = recall;
    target.asking = j->points[1];
    target.run = j->options.run;
    target.seed = j->options.seed;
    const bool wanted = j->save_path || j->evaluate; // tables, whatever they cost
    const ww_status status = ww_lsh_choose(j->points[0], &target, &chosen, choice);
    if (status != WW_OK && (wanted || !choice->exact_is_faster))
        return cli_fail();
    if (!wanted && (status != WW_OK || choice->exact_is_faster)) {
        fputs("wavewarp: no tables reach this recall in less time than the exact search, which is done instead\n",
              stderr);
        j->exact = true;
        choice->recall = choice->measured_recall = choice->recall_low = choice->recall_high = 1;
        return CLI_GO_ON;
    }
    fprintf(stderr,
            "wavewarp: %u tables of %u functions, width %.4g: recall %.3f expected, %.3f (%.3f to %.3f, 95 %%) "
            "measured on a sample of the queries; %.0f distances a query\n",
            chosen.tables, chosen.functions, chosen.width, choice->recall, choice->measured_recall, choice->recall_low,
            choice->recall_high, choice->measured_examined);
    if (choice->recall_low < recall)
        fprintf(stderr, "wavewarp: the recall may be below %g: the interval's lower end is\n", recall);
    chosen.complete = j->options.complete;
    chosen.run = j->options.run;
    j->options = chosen;
    return CLI_GO_ON;
}

// ---- JSON

// `info` NULL: of an evaluation, which has many.
static void begin_json(const lsh_job *j, const cli_command *command, const ww_lsh_info *info, cli_json *json) {
    const ww_lsh_options *o = &j->options;
    const cli_parameter parameters[] = {
        {"tables", o->tables},         {"functions", o->functions}, {"width", o->width},       {"probes", o->probes},
        {"candidates", o->candidates}, {"seed", (double)o->seed},   {"complete", o->complete}, {NULL, 0}};
    // In the order of the arguments: queries, then base or index.
    const char *base = j->load_path ? j->load_path : j->s.paths[0];
    const size_t base_count = j->loaded ? ww_lsh_count(j->loaded) : j->views[0].count;
    cli_head head = CLI_HEAD_INIT;
    if (j->s.paths[1]) {
        head.files[0] = j->s.paths[1];
        head.counts[0] = j->views[1].count;
    }
    head.files[j->s.paths[1] ? 1 : 0] = base;
    head.counts[j->s.paths[1] ? 1 : 0] = base_count;
    head.output = j->wanted.output;
    head.metric = ww_word(WW_WORD_METRIC, j->options.metric);
    head.parameters = parameters;
    head.context = j->s.context;
    head.precision = ww_word(WW_WORD_PRECISION, j->found.precision);
    head.engine = j->exact ? "exact" : info ? cli_lsh_paths[info->path] : NULL;
    head.seconds_compute = info ? info->seconds_build + info->seconds_search : NAN;
    cli_json_head(json, stdout, command, &head);
    cli_json_count(json, "k", j->found.k);
    cli_json_number(json, "recall_expected", j->choice.recall, 6);
    cli_json_number(json, "recall_measured", j->choice.measured_recall, 6);
    cli_json_number(json, "recall_low", j->choice.recall_low, 6);
    cli_json_number(json, "recall_high", j->choice.recall_high, 6);
    cli_json_flag(json, "exact", j->exact);
}

static void write_info(cli_json *json, const ww_lsh_info *info) {
    cli_json_count(json, "examined", info->examined);
    cli_json_count(json, "capped", info->capped);
    cli_json_count(json, "incomplete", info->incomplete);
    cli_json_count(json, "bytes", info->bytes);
    cli_json_number(json, "seconds_build", info->seconds_build, 6);
    cli_json_number(json, "seconds_search", info->seconds_search, 6);
}

// ---- evaluation: increasing probes, or with one probe increasing tables, against the exact result

typedef struct trial {
    uint32_t tables, probes;
    double recall, ratio, seconds;
    ww_lsh_info info;
} trial;

// Mean ratio of the distances found to the exact ones, where both exist and are not 0.
static double distance_ratio(const cli_neighbours *exact, const cli_neighbours *found) {
    double sum = 0, count = 0;
    for (size_t i = 0; i < exact->queries * exact->k; i++) {
        const double e = cli_value_at(exact->distances, exact->precision, i);
        const double f = cli_value_at(found->distances, found->precision, i);
        if (e > 0 && isfinite(e) && isfinite(f)) {
            sum += f / e;
            count++;
        }
    }
    return count > 0 ? sum / count : 1;
}

// Vertical axis: recall; horizontal axis: seconds, logarithmic. The exact search's time is a line.
static int draw(const char *path, const trial *trials, size_t count, double exact_seconds) {
    cli_picture picture;
    double least = exact_seconds, most = exact_seconds;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, trials[i].seconds);
        most = fmax(most, trials[i].seconds);
    }
    const double from = floor(log10(least)), to = fmax(ceil(log10(most)), from + 1);
    const cli_panel panel = {.picture = &picture,
                             .left = CLI_LEFT + 16,
                             .top = 62,
                             .width = 520,
                             .height = 320,
                             .x_from = pow(10, from),
                             .x_to = pow(10, to),
                             .y_to = 1,
                             .logarithmic_x = true};
    char text[128];
    CLI_TRY(cli_picture_open(path, 640, 432, "Recall over time",
                             "Recall of more and more tables or probes over the seconds of build and search; a line "
                             "where the exact search is",
                             &picture));
    const bool by_probes = count > 1 && trials[count - 1].probes > trials[0].probes;
    snprintf(text, sizeof text, "Recall over time, by the number of %s; the exact search takes %.3g s",
             by_probes ? "probes" : "tables", exact_seconds);
    cli_picture_text_within(&picture, 16, 20, 608, "start", CLI_INK, text);
    cli_panel_axes(&panel, "seconds, build and search", "recall");
    cli_panel_segment(&panel, exact_seconds, 0, exact_seconds, 1, CLI_ACCENT, true);
    cli_panel_text(&panel, exact_seconds, 1.02, "middle", CLI_ACCENT, "exact");
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            cli_panel_segment(&panel, trials[i - 1].seconds, trials[i - 1].recall, trials[i].seconds, trials[i].recall,
                              0, false);
        snprintf(text, sizeof text, "%u tables, %u probes: recall %.4f in %.4g s", trials[i].tables, trials[i].probes,
                 trials[i].recall, trials[i].seconds);
        cli_panel_dot(&panel, trials[i].seconds, trials[i].recall, 3, 0, text);
        snprintf(text, sizeof text, "%u", by_probes ? trials[i].probes : trials[i].tables);
        cli_panel_text(&panel, trials[i].seconds, trials[i].recall + 0.025, "middle", CLI_INK, text);
    }
    return cli_picture_close(&picture, CLI_GO_ON);
}

static int exact_search(const lsh_job *j, cli_neighbours *exact, double *seconds) {
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    ww_knn_info info = WW_KNN_INFO_INIT;
    CLI_ENDS(ww_knn_destroy) ww_knn *knn = NULL;
    options.metric = j->options.metric;
    options.run = j->options.run;
    CLI_TRY(cli_status(ww_knn_create(j->points[0], j->points[1], exact->k, &options, &knn)));
    CLI_TRY(cli_status(ww_knn_run(knn, exact->ids, exact->distances, NULL)));
    CLI_TRY(cli_status(ww_knn_get_info(knn, &info)));
    *seconds = info.seconds_wall;
    return CLI_GO_ON;
}

static void print_trials_json(const lsh_job *j, const cli_command *command, const trial *trials, size_t count,
                              double exact_seconds) {
    cli_json json;
    begin_json(j, command, NULL, &json);
    cli_json_number(&json, "seconds_exact", exact_seconds, 6);
    cli_json_array(&json, "trials");
    for (size_t i = 0; i < count; i++) {
        cli_json_line(&json);
        cli_json_object(&json, NULL);
        cli_json_count(&json, "tables", trials[i].tables);
        cli_json_count(&json, "probes", trials[i].probes);
        cli_json_number(&json, "recall", trials[i].recall, 6);
        cli_json_number(&json, "ratio", trials[i].ratio, 6);
        write_info(&json, &trials[i].info);
        cli_json_end(&json);
    }
    cli_json_end(&json);
    cli_json_end(&json);
}

static void print_trial(const trial *t, const cli_neighbours *exact, double exact_seconds) {
    printf("%8u %8u %9.4f %9.4f %12.1f %9" PRIu64 " %9.4f %9.4f %9.2f %10.1f\n", t->tables, t->probes, t->recall,
           t->ratio, (double)t->info.examined / (double)exact->queries, t->info.capped, t->info.seconds_build,
           t->info.seconds_search, exact_seconds / t->seconds, (double)t->info.bytes / 1e6);
}

static int evaluate(lsh_job *j, const cli_command *command) {
    enum { MOST = 12 };
    trial trials[MOST];
    size_t count = 0;
    double seconds = 0;
    CLI_ENDS(cli_neighbours_free)
    cli_neighbours exact = {.queries = j->found.queries, .k = j->found.k, .precision = j->found.precision};
    CLI_TRY(cli_neighbours_allocate(&exact));
    // Once for the driver's delayed work, once for the time.
    for (int run = 0; run < 2; run++)
        CLI_TRY(exact_search(j, &exact, &seconds));
    CLI_TRY(search(j, &j->options, &j->found, &trials[0].info));
    if (!j->wanted.json)
        printf("%8s %8s %9s %9s %12s %9s %9s %9s %9s %10s\n", "tables", "probes", "recall", "ratio", "points/query",
               "capped", "build s", "search s", "x exact", "MB");
    const bool by_probes = j->options.probes > 1;
    const uint64_t last = by_probes ? j->options.probes : j->options.tables;
    for (uint64_t now = 1; count < MOST && now <= last; now = now < last && 2 * now > last ? last : 2 * now) {
        ww_lsh_options options = j->options;
        trial *t = &trials[count++];
        options.probes = t->probes = by_probes ? (uint32_t)now : 1;
        options.tables = t->tables = by_probes ? j->options.tables : (uint32_t)now;
        CLI_TRY(search(j, &options, &j->found, &t->info));
        t->recall = ww_knn_recall(exact.distances, j->found.distances, exact.queries, exact.k, exact.precision);
        t->ratio = distance_ratio(&exact, &j->found);
        t->seconds = fmax(t->info.seconds_build + t->info.seconds_search, 1e-9);
        if (!j->wanted.json)
            print_trial(t, &exact, seconds);
    }
    if (j->wanted.json)
        print_trials_json(j, command, trials, count, seconds);
    else
        printf("   exact %9.4f %9.4f %12zu %9d %9.4f %9.4f %9.2f\n", 1.0, 1.0, j->views[0].count, 0, 0.0, seconds, 1.0);
    return j->svg_path ? draw(j->svg_path, trials, count, fmax(seconds, 1e-9)) : CLI_GO_ON;
}

static int find(lsh_job *j, cli_neighbours *n, ww_lsh_info *info) {
    int result;
    cli_plan_options(&j->s.device, &j->s.progress, &j->s.plan);
    cli_progress_unit(&j->s.progress, &j->s.device, j->s.context, NULL, 1);
    j->options.run = j->s.plan.run;
    if (j->exact) {
        result = exact_search(j, n, &info->seconds_search);
        info->examined = (uint64_t)n->queries * j->views[0].count;
    } else {
        result = search(j, &j->options, n, info);
    }
    cli_progress_end();
    return result;
}

static int work(lsh_job *j, const cli_command *command) {
    ww_lsh_info info = WW_LSH_INFO_INIT;
    cli_neighbours *n = &j->found;
    const int asked = j->sets[1] ? 1 : 0;
    const bool given = j->sets[asked] != NULL;
    n->queries = given ? j->views[asked].count : ww_lsh_count(j->loaded);
    n->k = (size_t)j->wanted.k;
    n->precision = given ? cli_points_precision(&j->s.device, &j->views[asked]) : ww_lsh_precision(j->loaded);
    CLI_TRY(cli_neighbours_allocate(n));
    if (j->evaluate)
        return evaluate(j, command);
    CLI_TRY(cli_series_end_part(&j->s, command, j->wanted.json, find(j, n, &info)));
    cli_shares_report(j->s.context);
    cli_lsh_say(&info, &j->options, n->k);
    CLI_TRY(cli_neighbours_write(n, &j->wanted));
    if (j->wanted.json) {
        cli_json json;
        begin_json(j, command, &info, &json);
        cli_division_json(&json, &j->s.division);
        write_info(&json, &info);
        cli_shares_json(j->s.context, NULL, &json);
        cli_neighbours_json(&json, n, &j->wanted);
        cli_json_end(&json);
    }
    return cli_division_finish(&j->s.division);
}

// Reads the files: base and queries, or with --load the queries alone.
static int read_points(lsh_job *j) {
    for (int i = 0; i < 2; i++)
        if (j->s.paths[i])
            CLI_TRY(cli_lsh_read(j->s.paths[i], j->options.metric, j->bits, &j->sets[i], &j->views[i]));
    return CLI_GO_ON;
}

// The saved index, and the metric and kind of its points.
static int load(lsh_job *j, const char *name) {
    const cli_lsh_wanted *w = &j->asked;
    const ww_metric asked = j->options.metric;
    CLI_TRY(cli_status(ww_lsh_load(j->s.context, j->load_path, j->options.run, &j->loaded)));
    CLI_TRY(cli_status(ww_lsh_get_options(j->loaded, &j->options)));
    if (j->bits && j->options.metric != WW_METRIC_JACCARD)
        return cli_error("the tables of %s are for %s, not for sets", j->load_path,
                         ww_word(WW_WORD_METRIC, j->options.metric));
    if (w->metric != CLI_LSH_NO_METRIC && asked != j->options.metric)
        return cli_error("the tables of %s are for %s, not for %s", j->load_path,
                         ww_word(WW_WORD_METRIC, j->options.metric), ww_word(WW_WORD_METRIC, asked));
    if (w->probes != CLI_LSH_NOT_GIVEN && w->probes > j->options.probes)
        return cli_usage(name, "--probes is %" PRIu64 ", but %s was made with %u, which is the most", w->probes,
                         j->load_path, j->options.probes);
    if (w->candidates != CLI_LSH_NOT_GIVEN && w->candidates > j->options.candidates)
        return cli_usage(name, "--candidates is %" PRIu64 ", but %s was made with %u, which is the most", w->candidates,
                         j->load_path, j->options.candidates);
    j->s.device.asked = ww_lsh_precision(j->loaded) == WW_DOUBLE ? 2 : 1;
    if (w->probes != CLI_LSH_NOT_GIVEN)
        j->options.probes = (uint32_t)w->probes;
    if (w->candidates != CLI_LSH_NOT_GIVEN)
        j->options.candidates = (uint32_t)w->candidates;
    j->options.path = (ww_lsh_path)w->path;
    j->options.run = &j->s.progress.run;
    j->options.complete = w->complete;
    return CLI_GO_ON;
}

static int check_division(lsh_job *j, const char *name) {
    const cli_neighbour_options *w = &j->wanted;
    CLI_TRY(cli_division_check(name, &j->s.division, cli_neighbours_output(w) || j->save_path));
    if (!cli_divided(&j->s.division))
        return CLI_GO_ON;
    if (j->evaluate)
        return cli_usage(name, "--evaluate goes without --part and --checkpoint");
    if (j->recall)
        return cli_usage(name, "--recall chooses by time, anew in each run: keep its tables with --save, and --load "
                               "them with --part or --checkpoint");
    return CLI_GO_ON;
}

// Options that have no effect with others are refused.
static int check(lsh_job *j, const char *name, double *recall) {
    const cli_lsh_wanted *w = &j->asked;
    const struct {
        const char *name;
        bool given, chosen, loaded; // chosen by --recall, or loaded by --load
    } all[] = {{"tables", w->tables != CLI_LSH_NOT_GIVEN, true, true},
               {"functions", w->functions != CLI_LSH_NOT_GIVEN, true, true},
               {"width", w->width != NULL, true, true},
               {"probes", w->probes != CLI_LSH_NOT_GIVEN, true, false},
               {"candidates", w->candidates != CLI_LSH_NOT_GIVEN, true, false},
               {"path", w->path != WW_LSH_AUTO, true, false},
               {"seed", w->seed != CLI_LSH_NOT_GIVEN, false, true},
               {"recall", j->recall != NULL, false, true}};
    for (size_t i = 0; i < CLI_COUNT_OF(all); i++) {
        if (all[i].given && all[i].chosen && j->recall)
            return cli_usage(name, "--%s is of no use with --recall, which chooses it", all[i].name);
        if (all[i].given && all[i].loaded && j->load_path)
            return cli_usage(name, "--%s is of no use with --load: the file has it", all[i].name);
    }
    if (j->recall && !cli_number(j->recall, recall))
        return cli_usage(name, "--recall: '%s' is not a number", j->recall);
    if (j->svg_path && !j->evaluate)
        return cli_usage(name, "--svg goes with --evaluate");
    if (j->evaluate && (j->save_path || j->load_path))
        return cli_usage(name, "--evaluate goes without --save and --load");
    if (j->evaluate && !cli_neighbours_in_json(&j->wanted))
        return cli_usage(name, "--evaluate goes without --output, --ids and --distances");
    return check_division(j, name);
}

static int upload(lsh_job *j) {
    cli_precision_of_points(&j->s.device, j->s.context, j->views, j->s.paths, false);
    for (int i = 0; i < 2; i++)
        if (j->sets[i])
            CLI_TRY(cli_points_upload(j->s.context, &j->s.device, j->s.paths[i], &j->views[i], &j->points[i]));
    return CLI_GO_ON;
}

// QUERIES BASE, or BASE alone; with --load QUERIES or nothing.
static int place_operands(lsh_job *j, const char *name, const char *const *operands, size_t count) {
    if (j->load_path && count == 2)
        return cli_usage(name, "with --load there is no BASE");
    if (!j->load_path && count == 0)
        return cli_usage(name, "BASE is missing");
    if (j->load_path || count == 2)
        j->s.paths[1] = count ? operands[0] : NULL;
    if (!j->load_path)
        j->s.paths[0] = operands[count - 1];
    return CLI_GO_ON;
}

static int run(lsh_job *j, const cli_command *command, double recall) {
    // A saved index determines the kind of its queries.
    if (!j->load_path)
        CLI_TRY(read_points(j));
    j->s.output = cli_neighbours_output(&j->wanted);
    CLI_TRY(cli_series_open(&j->s));
    if (j->load_path) {
        CLI_TRY(load(j, command->name));
        CLI_TRY(read_points(j));
    }
    CLI_TRY(upload(j));
    if (j->recall)
        CLI_TRY(choose(j, recall));
    return work(j, command);
}

int cmd_lsh(const cli_command *command, int argc, char **argv) {
    CLI_ENDS(job_end)
    lsh_job j = {.wanted = {.k = 1},
                 .asked = CLI_LSH_WANTED_INIT,
                 .choice = {.struct_size = sizeof j.choice,
                            .recall = NAN,
                            .measured_recall = NAN,
                            .recall_low = NAN,
                            .recall_high = NAN}};
    const cli_option options[] = {
        CLI_NEIGHBOUR_OPTIONS(j.wanted),
        CLI_OPTION("recall", 'r', CLI_TEXT, "R",
                   "choose tables, functions and width that find this share of the neighbours", &j.recall),
        CLI_LSH_OPTIONS(j.asked),
        CLI_OPTION("save", 0, CLI_MADE, "FILE", "write the points and the tables' functions to FILE", &j.save_path),
        CLI_OPTION("load", 0, CLI_FILE, "FILE", "read points and functions from FILE, in place of BASE", &j.load_path),
        CLI_SWITCH("evaluate", 0,
                   "print recall, distances and time against the exact search, with 1, 2, 4... tables or probes",
                   &j.evaluate),
        CLI_OPTION("svg", 0, CLI_MADE, "FILE", "with --evaluate: draw recall over time", &j.svg_path),
        CLI_DIVISION_OPTIONS(j.s.division),
        CLI_DEVICE_OPTIONS(j.s.device),
    };
    double recall = 0;
    const char *operands[2];
    size_t operand_count = 0;
    CLI_TRY(cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, operands, 0, 2, &operand_count));
    CLI_TRY(check(&j, command->name, &recall));
    CLI_TRY(place_operands(&j, command->name, operands, operand_count));
    CLI_TRY(cli_lsh_take(command->name, &j.asked, j.wanted.k, &j.options));
    j.bits = j.asked.metric == WW_METRIC_JACCARD_BITS;
    j.s.progress.run = (ww_run_options)WW_RUN_OPTIONS_INIT;
    j.s.progress.run.max_bytes = j.s.device.max_bytes;
    j.options.run = &j.s.progress.run;
    return run(&j, command, recall);
}
