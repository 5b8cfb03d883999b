// SPDX-License-Identifier: Apache-2.0
// wavewarp average: averages of series, of a set or of each of its classes, and a picture of them.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/series_job.h"
#include "commands/commands.h"
#include "pictures/picture.h"

static const char *const starts[] = {"mean", "medoid", NULL};

// An average: of all series, or of a class.
typedef struct group {
    size_t *members;
    double *weights;
    size_t count;
    const char *name; // NULL: all
    ww_average_result result;
} group;

typedef struct job {
    cli_series_job s;
    const char *method, *output, *weights_path, *start_path, *svg, *tolerance;
    uint64_t length, iterations;
    int start;
    bool by_class, json;
    ww_average_options options;
    ww_series_set *given;
    double *weights;
    group *groups;
    size_t group_count;
    double seconds;
} job;

// ---- input

// A number a series, one a line or in one line.
static int read_weights(job *j) {
    const cli_read_options plain = {.format = WW_FORMAT_CSV, .rows = WW_ROWS_SERIES, .labels = "none", .quiet = true};
    const size_t count = ww_series_set_count(j->s.sets[0]);
    CLI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
    size_t at = 0;
    CLI_TRY(cli_read(j->weights_path, &plain, 0, true, &set));
    j->weights = malloc(count * sizeof *j->weights);
    if (!j->weights)
        return cli_error("%zu weights do not fit memory", count);
    for (size_t i = 0; i < ww_series_set_count(set); i++)
        for (size_t t = 0; t < ww_series_set_length(set, i); t++, at++)
            if (at < count)
                j->weights[at] = ww_series_set_values(set, i)[t];
    return at == count ? CLI_GO_ON : cli_error("%s has %zu weights for %zu series", j->weights_path, at, count);
}

static int make_groups(job *j) {
    const size_t count = ww_series_set_count(j->s.sets[0]);
    j->group_count = j->by_class ? ww_series_set_class_count(j->s.sets[0]) : 1;
    if (j->by_class && j->group_count == 0)
        return cli_error("%s: --by-class needs class labels, and no series has one", j->s.paths[0]);
    j->groups = calloc(j->group_count, sizeof *j->groups);
    if (!j->groups)
        return cli_error("out of memory");
    for (size_t g = 0; g < j->group_count; g++) {
        group *of = &j->groups[g];
        of->result = (ww_average_result)WW_AVERAGE_RESULT_INIT;
        of->members = malloc(count * sizeof *of->members);
        of->weights = malloc(count * sizeof *of->weights);
        of->name = j->by_class ? ww_series_set_class_name(j->s.sets[0], g) : NULL;
        if (!of->members || !of->weights)
            return cli_error("out of memory");
        for (size_t i = 0; i < count; i++)
            if (!j->by_class || ww_series_set_class(j->s.sets[0], i) == (int64_t)g) {
                of->weights[of->count] = j->weights ? j->weights[i] : 1;
                of->members[of->count++] = i;
            }
    }
    return CLI_GO_ON;
}

static int load(job *j, const char *command) {
    CLI_TRY(cli_series_read(&j->s, command));
    CLI_TRY(cli_series_fit(&j->s));
    if (j->weights_path)
        CLI_TRY(read_weights(j));
    if (j->start_path) {
        CLI_TRY(cli_read(j->start_path, &j->s.read, 1, true, &j->given));
        if (ww_series_set_channels(j->given) != ww_series_set_channels(j->s.sets[0]))
            return cli_error("%s has series of %zu channels, %s of %zu", j->start_path,
                             ww_series_set_channels(j->given), j->s.paths[0], ww_series_set_channels(j->s.sets[0]));
    }
    CLI_TRY(make_groups(j));
    if (j->given && ww_series_set_count(j->given) != j->group_count)
        return cli_error("%s has %zu series, one for each of %zu averages is needed", j->start_path,
                         ww_series_set_count(j->given), j->group_count);
    return CLI_GO_ON;
}

static int compute(job *j) {
    CLI_TRY(cli_context_open(&j->s.device, &j->s.context));
    cli_series_precision(&j->s);
    CLI_TRY(cli_series_put(&j->s));
    const double begin = cli_seconds();
    for (size_t g = 0; g < j->group_count; g++) {
        ww_average_options options = j->options;
        cli_plan_options(&j->s.device, &j->s.progress, &j->s.plan);
        options.plan = &j->s.plan;
        options.members = j->groups[g].members;
        options.member_count = j->groups[g].count;
        options.weights = j->groups[g].weights;
        if (j->given) {
            options.start = WW_AVERAGE_START_GIVEN;
            options.given = ww_series_set_values(j->given, g);
            options.given_length = ww_series_set_length(j->given, g);
        }
        const ww_status status = ww_average(&j->s.measure, j->s.data[0], &options, &j->groups[g].result);
        cli_progress_end();
        CLI_TRY(cli_status(status));
    }
    j->seconds = cli_seconds() - begin;
    return CLI_GO_ON;
}

// ---- output

static int write_series(const job *j) {
    CLI_ENDS(ww_series_set_destroy) ww_series_set *averages = NULL;
    CLI_TRY(cli_status(ww_series_set_create(ww_series_set_channels(j->s.sets[0]), &averages)));
    for (const group *of = j->groups; of < j->groups + j->group_count; of++)
        CLI_TRY(cli_status(ww_series_set_add(averages, of->result.length, of->result.centre, of->name)));
    cli_note_dropped(averages, j->output, WW_FORMAT_AUTO);
    return cli_status(ww_series_set_write(averages, j->output, WW_FORMAT_AUTO, cli_precision(&j->s.device)));
}

static void get_group(const void *user, size_t g, cli_group *drawn) {
    const job *j = user;
    const group *of = &j->groups[g];
    drawn->members = of->members;
    drawn->count = of->count;
    drawn->centre = of->result.centre;
    drawn->length = of->result.length;
    snprintf(drawn->title, sizeof drawn->title, "%s%s", of->name ? "class " : "all", of->name ? of->name : "");
    snprintf(drawn->note, sizeof drawn->note, "%zu series, %zu iterations", of->count, of->result.iterations);
}

static int draw(const job *j) {
    const cli_groups groups = {j->s.sets[0], j->group_count, "classes", get_group, j};
    cli_picture picture;
    char text[96];
    snprintf(text, sizeof text, "Averages of %zu series, each over some of its members",
             ww_series_set_count(j->s.sets[0]));
    CLI_TRY(
        cli_picture_open(j->svg, cli_groups_width(&groups), cli_groups_height(&groups), "Averages", text, &picture));
    cli_groups_draw(&groups, &picture, 0);
    return cli_picture_close(&picture, CLI_GO_ON);
}

static void print_json(const job *j, const cli_command *command) {
    cli_json json;
    cli_head head = cli_series_head(&j->s, j->output);
    head.seconds_compute = j->seconds;
    head.seconds_device = 0;
    for (size_t g = 0; g < j->group_count; g++)
        head.seconds_device += j->groups[g].result.seconds_device;
    cli_json_head(&json, stdout, command, &head);
    cli_json_text(&json, "method", ww_word(WW_WORD_AVERAGE_METHOD, j->options.method));
    cli_json_array(&json, "averages");
    for (size_t g = 0; g < j->group_count; g++) {
        const group *of = &j->groups[g];
        cli_json_line(&json);
        cli_json_object(&json, NULL);
        cli_json_text(&json, "class", of->name);
        cli_json_count(&json, "members", of->count);
        cli_json_count(&json, "length", of->result.length);
        cli_json_count(&json, "iterations", of->result.iterations);
        cli_json_flag(&json, "converged", of->result.converged != 0);
        cli_json_values(&json, "objective", of->result.objective, WW_DOUBLE, of->result.iterations + 1);
        if (j->output)
            cli_json_null(&json, "centre");
        else
            cli_json_values(&json, "centre", of->result.centre, WW_DOUBLE, of->result.length * of->result.channels);
        cli_json_end(&json);
    }
    cli_json_end(&json);
    cli_json_end(&json);
}

static void print_text(const job *j) {
    printf("%-20s %8s %8s %10s %14s %14s\n", "average of", "series", "length", "iterations", "objective",
           "at the start");
    for (size_t g = 0; g < j->group_count; g++) {
        const ww_average_result *r = &j->groups[g].result;
        const char *name = j->groups[g].name ? j->groups[g].name : "all";
        const size_t width = cli_escaped_width(name);
        cli_print_escaped(stdout, name, "");
        printf("%*s %8zu %8zu %10zu %14.8g %14.8g\n", width < 20 ? (int)(20 - width) : 0, "", j->groups[g].count,
               r->length, r->iterations, r->objective[r->iterations], r->objective[0]);
    }
}

// ---- the command

static int check(job *j, const cli_command *command) {
    unsigned method = WW_AVERAGE_DBA;
    if (j->method && ww_word_parse(WW_WORD_AVERAGE_METHOD, j->method, &method) != WW_OK)
        return cli_usage(command->name, "%s (%s)", ww_last_error()->message, ww_last_error()->hint);
    if (j->method)
        j->options.method = (ww_average_method)method;
    if (j->tolerance &&
        (!cli_number(j->tolerance, &j->options.tolerance) || j->options.tolerance < 0 || j->options.tolerance > 1))
        return cli_usage(command->name, "--tolerance is '%s', but must be a number from 0 to 1", j->tolerance);
    if (!j->json && !j->output && !j->svg)
        return cli_usage(command->name, "--output FILE, --svg FILE or --json is needed");
    j->options.start = (ww_average_start)j->start;
    j->options.length = (size_t)j->length;
    if (j->iterations)
        j->options.iterations = (size_t)j->iterations;
    return CLI_GO_ON;
}

static void job_end(job *j) {
    for (size_t g = 0; g < j->group_count && j->groups; g++) {
        free(j->groups[g].members);
        free(j->groups[g].weights);
        ww_average_result_free(&j->groups[g].result);
    }
    free(j->groups);
    free(j->weights);
    ww_series_set_destroy(&j->given);
    cli_series_end(&j->s);
}

int cmd_average(const cli_command *command, int argc, char **argv) {
    CLI_ENDS(job_end) job j = {0};
    j.options = (ww_average_options)WW_AVERAGE_OPTIONS_INIT;
    const cli_option options[] = {
        CLI_OPTION("method", 'M', CLI_TEXT, "M",
                   "dba (default): averaging along warping paths; soft: soft barycentre, with --soft GAMMA", &j.method),
        CLI_OPTION("output", 'o', CLI_OUTPUT, "FILE", "write the averages as series, in any format", &j.output),
        CLI_SWITCH("by-class", 0, "an average of each class, labelled by it", &j.by_class),
        CLI_NUMBER("length", 0, "N",
                   "points of the average; default: those of the start, of a mean those of the longest series",
                   &j.length, 1),
        CLI_OPTION("weights", 0, CLI_INPUT, "FILE", "a weight for each series", &j.weights_path),
        CLI_ONE_OF("start", 0, "S", "the first centre: mean of the series, or their medoid", &j.start, starts),
        CLI_OPTION("start-file", 0, CLI_INPUT, "FILE", "begin with these series, one for each average", &j.start_path),
        CLI_NUMBER("iterations", 0, "N", "iterations at most, default 100", &j.iterations, 1),
        CLI_OPTION("tolerance", 0, CLI_TEXT, "T", "end when the objective falls by less than this share, default 1e-6",
                   &j.tolerance),
        CLI_OPTION("svg", 0, CLI_OUTPUT, "FILE", "draw the members and their average", &j.svg),
        CLI_SWITCH("json", 'j', "print one JSON object; the averages are in it, or in --output", &j.json),
        CLI_MEASURE_OPTIONS(j.s.measure_options),
        CLI_ENGINE_OPTION(j.s.device),
        CLI_READ_OPTIONS(j.s.read),
        CLI_DEVICE_OPTIONS(j.s.device),
    };
    CLI_TRY(cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.s.paths, 1, 1, NULL));
    CLI_TRY(check(&j, command));
    CLI_TRY(load(&j, command->name));
    CLI_TRY(compute(&j));
    if (j.svg)
        CLI_TRY(draw(&j));
    if (j.output)
        CLI_TRY(write_series(&j));
    if (j.json)
        print_json(&j, command);
    else if (!cli_writes_to_stdout(options, CLI_COUNT_OF(options)))
        print_text(&j);
    return CLI_GO_ON;
}
