// SPDX-License-Identifier: Apache-2.0
// wavewarp index: build, search, add, remove, info.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/precision.h"
#include "base/series_job.h"
#include "base/shares.h"
#include "commands/commands.h"
#include "results/neighbours.h"

enum { BUILD, SEARCH, ADD, REMOVE, INFO };
static const char *const verbs[] = {"build", "search", "add", "remove", "info", NULL};

typedef struct index_job {
    cli_series_job s; // one set: the base, the queries, what is added
    int verb;
    const char *index_path, *recall_text, *ids_text;
    cli_neighbour_options wanted; // its k 0: not given
    struct {
        uint64_t degree, neighbours, beam, sample, seed;
    } asked;       // 0: not given
    double recall; // 0: not given
    ww_index *index;
    ww_index_info info;
    cli_neighbours found;
} index_job;

static void job_end(index_job *j) {
    ww_index_destroy(&j->index);
    cli_series_end(&j->s);
    cli_neighbours_free(&j->found);
}

// ---- reporting

static int get_info(index_job *j) {
    j->info = (ww_index_info)WW_INDEX_INFO_INIT;
    return cli_status(ww_index_get_info(j->index, &j->info));
}

static void say_promise(const index_job *j) {
    const ww_index_info *i = &j->info;
    if (i->target_k == 0)
        return;
    if (i->exact)
        fprintf(stderr,
                "wavewarp: no beam reaches a recall of %g of %zu at a lower cost than the exact search, so searches "
                "are exact; the last beam that was tried looked at %.0f of %zu series\n",
                i->target_recall, i->target_k, i->sample_examined, i->series);
    else
        fprintf(stderr,
                "wavewarp: beam %u, %zu entries: recall %.4f of %zu (%.4f to %.4f, 95 %%) measured on %zu queries; "
                "%.0f distances a query\n",
                i->beam, i->entries, i->recall, i->target_k, i->recall_low, i->recall_high, i->sample,
                i->sample_examined);
}

static void print_info(const index_job *j) {
    const ww_index_info *i = &j->info;
    const ww_measure_info *measure = ww_measure_info_by_id(ww_index_measure(j->index)->id);
    printf("measure             %s\n", measure ? measure->name : "unknown");
    printf("series              %zu\n", i->series);
    printf("removed             %zu\n", i->removed);
    printf("links               %" PRIu64 " (at most %u a series)\n", i->links, i->degree);
    printf("parts linked        %zu, which no search reached before\n", i->parts);
    printf("memory of the graph %.1f MB\n", (double)i->host_bytes / 1e6);
    if (i->exact)
        printf("search              exact\n");
    else
        printf("search              beam %u from %zu entries\n", i->beam, i->entries);
    if (i->target_k)
        printf("recall of %-9zu %.4f (%.4f to %.4f, 95 %%) on %zu queries, %.0f distances each; %g was asked for\n",
               i->target_k, i->recall, i->recall_low, i->recall_high, i->sample, i->sample_examined, i->target_recall);
}

static void print_json(const index_job *j, const cli_command *command) {
    const ww_index_info *i = &j->info;
    cli_json json;
    cli_head head = cli_series_head(&j->s, j->wanted.output);
    if (j->verb != BUILD) {
        head.files[1] = head.files[0];
        head.counts[1] = head.counts[0];
        head.files[0] = j->index_path;
        head.counts[0] = i->series;
        head.measure = ww_index_measure(j->index);
    }
    head.seconds_compute = j->verb == SEARCH ? i->seconds_search : i->seconds_build;
    cli_json_head(&json, stdout, command, &head);
    cli_json_text(&json, "verb", verbs[j->verb]);
    cli_json_count(&json, "series", i->series);
    cli_json_count(&json, "removed", i->removed);
    cli_json_count(&json, "links", i->links);
    cli_json_count(&json, "degree", i->degree);
    cli_json_count(&json, "parts", i->parts);
    cli_json_count(&json, "entries", i->entries);
    cli_json_count(&json, "host_bytes", i->host_bytes);
    cli_json_count(&json, "beam", i->beam);
    cli_json_flag(&json, "exact", i->exact);
    cli_json_number(&json, "recall_target", i->target_k ? i->target_recall : NAN, 6);
    cli_json_number(&json, "recall_measured", i->target_k ? i->recall : NAN, 6);
    cli_json_number(&json, "recall_low", i->target_k ? i->recall_low : NAN, 6);
    cli_json_number(&json, "recall_high", i->target_k ? i->recall_high : NAN, 6);
    cli_json_number(&json, "sample_examined", i->target_k ? i->sample_examined : NAN, 6);
    cli_json_count(&json, "build_distances", i->build_distances);
    cli_json_count(&json, "examined", i->examined);
    if (j->verb == SEARCH) {
        cli_json_count(&json, "k", j->found.k);
        cli_neighbours_json(&json, &j->found, &j->wanted);
    }
    cli_json_end(&json);
}

// ---- the verbs

static int save(const index_job *j) {
    return cli_status(ww_index_save(j->index, j->wanted.output ? j->wanted.output : j->index_path));
}

// Reads the series and puts them on the devices; those that go with an index, in its precision.
static int put_series(index_job *j) {
    CLI_TRY(cli_read(j->s.paths[0], &j->s.read, 0, true, &j->s.sets[0]));
    if (j->index) {
        const ww_measure *measure = ww_index_measure(j->index);
        CLI_TRY(cli_fit_times(measure, j->s.sets[0], NULL));
        cli_series_precision(&j->s);
        return cli_series_put(&j->s);
    }
    CLI_TRY(cli_series_fit(&j->s));
    return cli_series_upload(&j->s);
}

static ww_index_target target_of(const index_job *j) {
    ww_index_target target = WW_INDEX_TARGET_INIT;
    if (j->wanted.k)
        target.k = (size_t)j->wanted.k;
    if (j->recall > 0)
        target.recall = j->recall;
    target.sample = (size_t)j->asked.sample;
    target.seed = j->asked.seed;
    return target;
}

static int build(index_job *j, const char *name) {
    ww_index_options o = WW_INDEX_OPTIONS_INIT;
    const ww_index_target target = target_of(j);
    CLI_TRY(cli_measure_make(name, &j->s.measure_options, &j->s.measure));
    CLI_TRY(put_series(j));
    if (j->asked.degree)
        o.degree = (uint32_t)j->asked.degree;
    if (j->asked.neighbours)
        o.neighbours = (uint32_t)j->asked.neighbours;
    else if (o.neighbours < o.degree / 2)
        o.neighbours = o.degree / 2;
    o.beam = (uint32_t)j->asked.beam;
    o.seed = j->asked.seed;
    o.target = &target;
    o.run = j->s.plan.run;
    CLI_TRY(cli_status(ww_index_create(&j->s.measure, j->s.data[0], &o, &j->index)));
    return save(j);
}

static int open_index(index_job *j) {
    CLI_TRY(cli_context_open(&j->s.device, &j->s.context));
    CLI_TRY(cli_status(ww_index_load(j->s.context, j->index_path, j->s.plan.run, &j->index)));
    j->s.device.asked = ww_index_precision(j->index) == WW_DOUBLE ? 2 : 1;
    return get_info(j);
}

static int search(index_job *j) {
    cli_neighbours *n = &j->found;
    if (j->s.paths[0])
        CLI_TRY(put_series(j));
    if (j->recall > 0) {
        ww_index_target target = target_of(j);
        target.asking = j->s.data[0];
        CLI_TRY(cli_status(ww_index_choose(j->index, &target)));
    } else if (j->asked.beam) {
        CLI_TRY(cli_status(ww_index_set_beam(j->index, (uint32_t)j->asked.beam)));
    }
    n->queries = j->s.paths[0] ? ww_series_set_count(j->s.sets[0]) : j->info.series + j->info.removed;
    n->k = j->wanted.k ? (size_t)j->wanted.k : j->info.target_k ? j->info.target_k : 1;
    n->precision = ww_index_precision(j->index);
    CLI_TRY(cli_neighbours_allocate(n));
    CLI_TRY(cli_status(ww_index_search(j->index, j->s.data[0], n->k, n->ids, n->distances)));
    return CLI_GO_ON;
}

static int add(index_job *j) {
    CLI_TRY(put_series(j));
    CLI_TRY(cli_status(ww_index_add(j->index, j->s.data[0])));
    if (j->recall > 0) {
        const ww_index_target target = target_of(j);
        CLI_TRY(cli_status(ww_index_choose(j->index, &target)));
    }
    return save(j);
}

// One of "3,7,10-12" as [*from, *to]. False: it is none.
static bool take_range(const char **text, uint64_t *from, uint64_t *to) {
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    *from = *to = strtoull(*text, &end, 10);
    if (*end == '-') {
        const char *second = end + 1;
        if (*second < '0' || *second > '9')
            return false;
        *to = strtoull(second, &end, 10);
    }
    *text = end;
    return *from <= *to && *to <= INT32_MAX;
}

static int remove_series(index_job *j, const char *name) {
    const uint64_t all = j->info.series + j->info.removed;
    for (const char *at = j->ids_text; *at;) {
        uint64_t from, to;
        if (!take_range(&at, &from, &to) || (*at && *at++ != ','))
            return cli_usage(name, "--series: '%s' is no list of numbers, such as 3,7,10-12", j->ids_text);
        if (to >= all)
            return cli_error("%s has series 0 to %" PRIu64 ", not %" PRIu64, j->index_path, all - 1, to);
        for (uint64_t i = from; i <= to; i++) {
            const int64_t id = (int64_t)i;
            CLI_TRY(cli_status(ww_index_remove(j->index, &id, 1)));
        }
    }
    return save(j);
}

static int do_verb(index_job *j, const char *name) {
    if (j->verb == BUILD)
        return build(j, name);
    CLI_TRY(open_index(j));
    switch (j->verb) {
    case SEARCH:
        return search(j);
    case ADD:
        return add(j);
    case REMOVE:
        return remove_series(j, name);
    default:
        return CLI_GO_ON;
    }
}

// ---- arguments

static int take_operands(index_job *j, const char *name, const char *const *operands, size_t count) {
    for (j->verb = 0; verbs[j->verb] && strcmp(operands[0], verbs[j->verb]) != 0;)
        j->verb++;
    if (!verbs[j->verb])
        return cli_usage(name, "'%s' is not build, search, add, remove or info", operands[0]);
    const size_t least = j->verb == ADD ? 3 : 2, most = j->verb == ADD || j->verb == SEARCH ? 3 : 2;
    if (count < least || count > most)
        return cli_usage(name, "%s takes %s", verbs[j->verb],
                         j->verb == BUILD    ? "SERIES"
                         : j->verb == SEARCH ? "INDEX and, if they are not its own series, QUERIES"
                         : j->verb == ADD    ? "INDEX and SERIES"
                                             : "INDEX");
    if (j->verb == BUILD) {
        j->s.paths[0] = operands[1];
    } else {
        j->index_path = operands[1];
        j->s.paths[0] = count == 3 ? operands[2] : NULL;
    }
    return CLI_GO_ON;
}

static int check_numbers(index_job *j, const char *name) {
    if (j->recall_text && !cli_number(j->recall_text, &j->recall))
        return cli_usage(name, "--recall: '%s' is not a number", j->recall_text);
    if (j->recall_text && !(j->recall > 0 && j->recall < 1))
        return cli_usage(name, "--recall must be above 0 and below 1");
    if (j->recall_text && j->asked.beam)
        return cli_usage(name, "--beam is of no use with --recall, which chooses it");
    if (j->asked.degree > UINT32_MAX || j->asked.neighbours > UINT32_MAX || j->asked.beam > UINT32_MAX)
        return cli_usage(name, "--degree, --neighbours and --beam must be below 2^32");
    return CLI_GO_ON;
}

static int check_files(const index_job *j, const char *name) {
    if (j->verb == BUILD && !j->wanted.output)
        return cli_usage(name, "--output FILE is needed");
    if (j->verb == INFO && j->wanted.output)
        return cli_usage(name, "--output does not go with 'info'");
    if (j->verb != SEARCH && (j->wanted.ids || j->wanted.distances))
        return cli_usage(name, "--ids and --distances go with 'search'");
    if ((j->verb == REMOVE) != (j->ids_text != NULL))
        return cli_usage(name, j->ids_text ? "--series goes with 'remove'" : "--series LIST is needed");
    return CLI_GO_ON;
}

static int check(index_job *j, const char *name) {
    const cli_measure_options *m = &j->s.measure_options;
    const char *const texts[] = {m->measure, m->band, m->cost_expression, m->recurrence, m->relax, m->soft};
    bool any = m->cost || m->root || m->independent || m->dependent || m->parameters.count || j->asked.degree ||
               j->asked.neighbours;
    for (size_t i = 0; i < CLI_COUNT_OF(texts); i++)
        any = any || texts[i];
    if (any && j->verb != BUILD)
        return cli_usage(name, "measure, degree and neighbours go with 'build': the index has them");
    CLI_TRY(check_numbers(j, name));
    return check_files(j, name);
}

static int report(index_job *j, const cli_command *command) {
    CLI_TRY(get_info(j));
    cli_shares_report(j->s.context);
    if (j->verb == BUILD || j->recall > 0)
        say_promise(j);
    if (j->verb == SEARCH)
        CLI_TRY(cli_neighbours_write(&j->found, &j->wanted));
    if (j->wanted.json)
        print_json(j, command);
    else if (j->verb == INFO)
        print_info(j);
    return CLI_GO_ON;
}

int cmd_index(const cli_command *command, int argc, char **argv) {
    CLI_ENDS(job_end) index_job j = {.asked = {.seed = 1}};
    const cli_option options[] = {
        CLI_NUMBER("k", 'k', "K", "neighbours of every query; default 10, and in a search those of the build",
                   &j.wanted.k, 1),
        CLI_OPTION(
            "output", 'o', CLI_OUTPUT, "FILE",
            "the index (build); another file than INDEX (add, remove); the lines (search), .csv: query,index,distance",
            &j.wanted.output),
        CLI_OPTION("ids", 0, CLI_OUTPUT, "FILE", "search: write the indices there: .ivecs, .npy, else text",
                   &j.wanted.ids),
        CLI_OPTION("distances", 0, CLI_OUTPUT, "FILE", "search: write the distances there: .fvecs, .npy, else text",
                   &j.wanted.distances),
        CLI_SWITCH("json", 'j', "print one JSON object", &j.wanted.json),
        CLI_OPTION("recall", 'r', CLI_TEXT, "R",
                   "share of the k nearest to find; build: default 0.95; search: measured on the queries",
                   &j.recall_text),
        CLI_NUMBER("beam", 0, "N", "series that a search keeps; default: as many as the recall needs", &j.asked.beam,
                   1),
        CLI_NUMBER("sample", 0, "N", "queries that the recall is measured with, default 512", &j.asked.sample, 1),
        CLI_NUMBER("seed", 0, "N", "seed of the graph and the samples, default 1", &j.asked.seed, 0),
        CLI_OPTION("series", 0, CLI_TEXT, "LIST", "remove: numbers of the series: 3,7,10-12", &j.ids_text),
        CLI_HEADING("Build"),
        CLI_NUMBER("degree", 0, "N", "links of a series at most, 4 to 128; default 32", &j.asked.degree, 4),
        CLI_NUMBER("neighbours", 0, "N", "neighbours that the build looks for, default 48", &j.asked.neighbours, 2),
        CLI_MEASURE_OPTIONS(j.s.measure_options),
        CLI_READ_OPTIONS(j.s.read),
        CLI_DEVICE_OPTIONS(j.s.device),
    };
    const char *operands[3] = {NULL, NULL, NULL};
    size_t count = 0;
    CLI_TRY(cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, operands, 1, 3, &count));
    CLI_TRY(take_operands(&j, command->name, operands, count));
    CLI_TRY(check(&j, command->name));
    cli_plan_options(&j.s.device, &j.s.progress, &j.s.plan);
    j.s.progress.unit = "series";
    j.s.progress.each = 1;
    const int result = do_verb(&j, command->name);
    cli_progress_end();
    CLI_TRY(result);
    return report(&j, command);
}
