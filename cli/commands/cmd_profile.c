// SPDX-License-Identifier: Apache-2.0
// wavewarp profile: matrix profiles of series, their motifs and discords. What they are made of is in profiles.c,
// the picture in profile_picture.c.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/series_job.h"
#include "results/profile.h"

typedef cli_profile_found found;

typedef struct profile_job {
    cli_series_job s; // without a measure
    cli_profile_wanted wanted;
    const char *svg_path, *separation_text, *radius_text, *within_text;
    uint64_t motifs, discords, regimes;
    bool consensus;
    size_t separation; // SIZE_MAX: not given
    double radius, within;
    ww_device_share *did; // of each of several devices, for all series
    cli_profiles results;
} profile_job;

static void job_end(profile_job *j) {
    cli_profiles_free(&j->results);
    free(j->did);
    cli_series_end(&j->s);
}

// ---- computing

static int make_plan(const profile_job *j, size_t series, const ww_profile_options *options, ww_profile **profile) {
    const size_t of = j->wanted.other_series, window = j->wanted.window;
    ww_series_view views[2] = {WW_SERIES_VIEW_INIT, WW_SERIES_VIEW_INIT};
    const ww_series_view *other = j->s.paths[1] ? &views[1] : NULL;
    for (int i = 0; i < 2 && j->s.paths[i]; i++)
        CLI_TRY(cli_status(ww_series_set_view(j->s.sets[i], &views[i])));
    return cli_status(ww_profile_create(j->s.context, &views[0], series, other, of, window, options, profile));
}

static int run_plan(const profile_job *j, ww_profile *profile, ww_profile_output *output, ww_profile_info *info) {
    *info = (ww_profile_info)WW_PROFILE_INFO_INIT;
    CLI_TRY(cli_status(ww_profile_run(profile, output)));
    cli_shares_add(j->s.context, j->did);
    return cli_status(ww_profile_get_info(profile, info));
}

static int find_regimes(const profile_job *j, found *f) {
    const size_t window = j->wanted.window, count = (size_t)j->regimes;
    if (!(f->arcs = malloc(f->windows * sizeof *f->arcs)) || !(f->regimes = calloc(count, sizeof *f->regimes)))
        return cli_error("not enough memory");
    CLI_TRY(cli_status(ww_profile_get_arcs(f->windows, j->results.k, f->indices[0], 0, window, 0, f->arcs)));
    return cli_status(ww_profile_find_regimes(f->windows, f->arcs,
                                              j->separation == SIZE_MAX ? 5 * window : j->separation, count, f->regimes,
                                              &f->regime_count));
}

// The channels in which a pair is nearest.
static int find_channels(const profile_job *j, const ww_profile *profile, found *f) {
    const size_t channels = ww_series_set_channels(j->s.sets[0]), best = (size_t)j->wanted.best_channels;
    double distances[32];
    if (best == 0 || best >= channels)
        return CLI_GO_ON;
    if (!(f->motif_channels = calloc(f->motif_count * best + 1, sizeof *f->motif_channels)))
        return cli_error("not enough memory");
    for (size_t m = 0; m < f->motif_count; m++) {
        const ww_profile_motif *motif = &f->motifs[m];
        CLI_TRY(cli_status(ww_profile_get_channels(profile, (size_t)motif->first, (size_t)motif->second, distances)));
        size_t r = 0;
        for (size_t c = 0; c < channels; c++)
            if (j->wanted.forced >> c & 1) {
                f->motif_channels[m * best + r++] = c;
                distances[c] = NAN; // taken
            }
        for (; r < best; r++) {
            size_t least = 0;
            for (size_t c = 1; c < channels; c++)
                if (isnan(distances[least]) || distances[c] < distances[least])
                    least = c;
            f->motif_channels[m * best + r] = least;
            distances[least] = NAN;
        }
    }
    return CLI_GO_ON;
}

static int find(const profile_job *j, const ww_profile *profile, found *f) {
    if (j->motifs && !(f->motifs = calloc((size_t)j->motifs, sizeof *f->motifs)))
        return cli_error("not enough memory");
    if (j->discords && !(f->discords = calloc((size_t)j->discords, sizeof *f->discords)))
        return cli_error("not enough memory");
    if (j->motifs)
        CLI_TRY(
            cli_status(ww_profile_find_motifs_within(profile, f->distances[0], f->indices[0], j->separation, j->radius,
                                                     j->within, (size_t)j->motifs, f->motifs, &f->motif_count)));
    CLI_TRY(find_channels(j, profile, f));
    if (j->discords)
        CLI_TRY(cli_status(ww_profile_find_discords(profile, f->distances[0], j->separation, (size_t)j->discords,
                                                    f->discords, &f->discord_count)));
    return j->regimes ? find_regimes(j, f) : CLI_GO_ON;
}

static int compute_one(profile_job *j, found *f, const ww_run_options *run) {
    CLI_ENDS(ww_profile_destroy) ww_profile *profile = NULL;
    ww_profile_options options;
    cli_profile_options(&j->wanted, cli_precision(&j->s.device), run, &options);
    CLI_TRY(make_plan(j, f->series, &options, &profile));
    f->windows = ww_series_set_length(j->s.sets[0], f->series) - j->wanted.window + 1;
    CLI_TRY(cli_profiles_allocate(&j->results, f));
    ww_profile_output output = cli_profile_output(f);
    CLI_TRY(run_plan(j, profile, &output, &f->info));
    return find(j, profile, f);
}

static int compute_all(profile_job *j) {
    const size_t chosen = j->wanted.series;
    int part = CLI_GO_ON;
    j->results = (cli_profiles){.first = chosen == SIZE_MAX ? 0 : chosen,
                                .count = chosen == SIZE_MAX ? ww_series_set_count(j->s.sets[0]) : 1,
                                .k = (size_t)j->wanted.k,
                                .lists = j->wanted.left_right ? 3 : 1};
    CLI_TRY(cli_profiles_begin(&j->results));
    for (size_t i = 0; i < j->results.count; i++) {
        cli_plan_options(&j->s.device, &j->s.progress, &j->s.plan);
        cli_progress_unit(&j->s.progress, &j->s.device, j->s.context, "Gpairs", 1e9);
        const int result = compute_one(j, &j->results.found[i], j->s.plan.run);
        cli_progress_end();
        cli_shares_report(j->s.context);
        if (result == CLI_PART) // of each series the same
            part = result;
        else
            CLI_TRY(result);
    }
    return part;
}

// ---- the consensus of all series of a file

// What is found of it: a window of series `of`, and in each series the one nearest to it.
typedef struct consensus {
    size_t of, count;
    double radius, *distances;
    int64_t *windows;
} consensus;

static void consensus_end(consensus *c) {
    free(c->distances);
    free(c->windows);
}

static int find_consensus(profile_job *j, consensus *c) {
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_profile_options options;
    cli_plan_options(&j->s.device, &j->s.progress, &j->s.plan);
    cli_profile_options(&j->wanted, cli_precision(&j->s.device), j->s.plan.run, &options);
    CLI_TRY(cli_status(ww_series_set_view(j->s.sets[0], &view)));
    c->count = view.count;
    c->windows = calloc(view.count, sizeof *c->windows);
    c->distances = calloc(view.count, sizeof *c->distances);
    if (!c->windows || !c->distances)
        return cli_error("not enough memory");
    const int result = cli_status(ww_profile_find_consensus(j->s.context, &view, j->wanted.window, &options, &c->of,
                                                            &c->radius, c->windows, c->distances));
    cli_progress_end();
    return result;
}

static void consensus_json(const profile_job *j, const cli_command *command, const consensus *c) {
    cli_json json;
    cli_head head = cli_series_head(&j->s, NULL);
    head.measure = NULL;
    head.metric = !j->wanted.raw ? "z-normalised euclidean" : isfinite(j->wanted.p) ? "minkowski" : "chebyshev";
    cli_json_head(&json, stdout, command, &head);
    cli_json_count(&json, "window", j->wanted.window);
    cli_json_count(&json, "series", c->of);
    cli_json_integer(&json, "first", c->windows[c->of]);
    cli_json_number(&json, "radius", c->radius, 17);
    cli_json_array(&json, "windows");
    for (size_t i = 0; i < c->count; i++)
        cli_json_integer(&json, NULL, c->windows[i]);
    cli_json_end(&json);
    cli_json_values(&json, "distances", c->distances, WW_DOUBLE, c->count);
    cli_json_end(&json);
}

static int report_consensus(profile_job *j, const cli_command *command) {
    CLI_ENDS(consensus_end) consensus c = {0, 0, 0, NULL, NULL};
    CLI_TRY(find_consensus(j, &c));
    if (j->wanted.json) {
        consensus_json(j, command, &c);
        return CLI_OK;
    }
    printf("consensus\tseries %zu\t%" PRId64 "\t%.9g\n", c.of, c.windows[c.of], c.radius);
    for (size_t i = 0; i < c.count; i++)
        printf("series %zu\t%" PRId64 "\t%.9g\n", i, c.windows[i], c.distances[i]);
    return CLI_OK;
}

// ---- reports

static void print_found(const profile_job *j) {
    for (size_t i = 0; i < j->results.count; i++) {
        const found *f = &j->results.found[i];
        for (size_t m = 0; m < f->motif_count; m++) {
            const ww_profile_motif *motif = &f->motifs[m];
            printf("series %zu\tmotif %zu\t%" PRId64 "\t%" PRId64 "\t%.9g", f->series, m + 1, motif->first,
                   motif->second, motif->distance);
            for (size_t n = 0; n < motif->count; n++)
                printf("\t%" PRId64, motif->neighbours[n]);
            putchar('\n');
        }
        for (size_t d = 0; d < f->discord_count; d++)
            printf("series %zu\tdiscord %zu\t%" PRId64 "\t%.9g\n", f->series, d + 1, f->discords[d],
                   f->distances[0][(size_t)f->discords[d] * j->results.k]);
        for (size_t r = 0; r < f->regime_count; r++)
            printf("series %zu\tregime %zu\t%" PRId64 "\t%.9g\n", f->series, r + 1, f->regimes[r],
                   f->arcs[f->regimes[r]]);
    }
}

static void json_lists(const profile_job *j, const found *f, cli_json *json) {
    static const char *const names[][2] = {
        {"distances", "indices"}, {"left_distances", "left_indices"}, {"right_distances", "right_indices"}};
    const size_t count = f->windows * j->results.k;
    for (int list = 0; list < j->results.lists; list++) {
        cli_json_line(json);
        cli_json_values(json, names[list][0], f->distances[list], WW_DOUBLE, count);
        cli_json_array(json, names[list][1]);
        for (size_t w = 0; w < count; w++)
            cli_json_integer(json, NULL, f->indices[list][w]);
        cli_json_end(json);
    }
}

static void json_found(const profile_job *j, const found *f, cli_json *json) {
    cli_json_array(json, "motifs");
    for (size_t m = 0; m < f->motif_count; m++) {
        const ww_profile_motif *motif = &f->motifs[m];
        cli_json_line(json);
        cli_json_object(json, NULL);
        cli_json_integer(json, "first", motif->first);
        cli_json_integer(json, "second", motif->second);
        cli_json_number(json, "distance", motif->distance, 17);
        cli_json_array(json, "neighbours");
        for (size_t n = 0; n < motif->count; n++)
            cli_json_integer(json, NULL, motif->neighbours[n]);
        cli_json_end(json);
        if (f->motif_channels) {
            cli_json_array(json, "channels");
            for (size_t r = 0; r < j->wanted.best_channels; r++)
                cli_json_count(json, NULL, f->motif_channels[m * j->wanted.best_channels + r]);
            cli_json_end(json);
        }
        cli_json_end(json);
    }
    cli_json_end(json);
    cli_json_array(json, "discords");
    for (size_t d = 0; d < f->discord_count; d++) {
        cli_json_line(json);
        cli_json_object(json, NULL);
        cli_json_integer(json, "window", f->discords[d]);
        cli_json_number(json, "distance", f->distances[0][(size_t)f->discords[d] * j->results.k], 17);
        cli_json_end(json);
    }
    cli_json_end(json);
    if (!j->regimes)
        return;
    cli_json_array(json, "regimes");
    for (size_t r = 0; r < f->regime_count; r++) {
        cli_json_line(json);
        cli_json_object(json, NULL);
        cli_json_integer(json, "window", f->regimes[r]);
        cli_json_number(json, "arcs", f->arcs[f->regimes[r]], 17);
        cli_json_end(json);
    }
    cli_json_end(json);
}

static void print_json(const profile_job *j, const cli_command *command) {
    cli_json json;
    cli_head head = cli_series_head(&j->s, j->wanted.output);
    uint64_t pairs = 0;
    head.measure = NULL;
    head.metric = !j->wanted.raw ? "z-normalised euclidean" : isfinite(j->wanted.p) ? "minkowski" : "chebyshev";
    head.engine = j->results.count ? j->results.found[0].info.form : NULL;
    head.seconds_compute = head.seconds_device = 0;
    for (size_t i = 0; i < j->results.count; i++) {
        pairs += j->results.found[i].info.pairs;
        head.seconds_compute += j->results.found[i].info.seconds_wall;
        head.seconds_device += j->results.found[i].info.seconds_device;
    }
    cli_json_head(&json, stdout, command, &head);
    cli_division_json(&json, &j->s.division);
    cli_shares_json(j->s.context, j->did, &json);
    cli_json_count(&json, "pairs", pairs);
    cli_json_count(&json, "window", j->wanted.window);
    cli_json_count(&json, "k", j->wanted.k);
    if (j->wanted.raw && isfinite(j->wanted.p))
        cli_json_number(&json, "p", j->wanted.p, 17);
    cli_json_array(&json, "profiles");
    for (size_t i = 0; i < j->results.count; i++) {
        const found *f = &j->results.found[i];
        cli_json_line(&json);
        cli_json_object(&json, NULL);
        cli_json_count(&json, "series", f->series);
        cli_json_count(&json, "windows", f->windows);
        cli_json_count(&json, "exclusion", f->info.exclusion);
        cli_json_count(&json, "candidates", f->info.candidates);
        if (j->motifs || j->discords || j->regimes)
            json_found(j, f, &json);
        if (!j->wanted.output)
            json_lists(j, f, &json);
        cli_json_end(&json);
    }
    cli_json_end(&json);
    cli_json_end(&json);
}

// ---- the command

static int check(const cli_command *command, profile_job *j) {
    CLI_TRY(cli_profile_count(command->name, "separation", j->separation_text, &j->separation));
    CLI_TRY(cli_profile_check(command->name, &j->wanted, j->s.paths[1] != NULL));
    if (j->within_text && !(cli_number(j->within_text, &j->within) && j->within >= 0))
        return cli_usage(command->name, "--within takes a number from 0, not '%s'", j->within_text);
    if (j->radius_text && !(cli_number(j->radius_text, &j->radius) && j->radius >= 0))
        return cli_usage(command->name, "--radius takes a number from 0, not '%s'", j->radius_text);
    if (j->s.paths[1] && (j->motifs || j->regimes))
        return cli_usage(command->name, "--left-right, --motifs, --regimes and --exclusion are for one file");
    if (j->consensus && (j->s.paths[1] || j->motifs || j->discords || j->regimes || j->wanted.output || j->svg_path ||
                         j->wanted.k != 1 || j->wanted.left_right || j->wanted.exclusion_text || j->wanted.share_text ||
                         j->wanted.series_text || cli_divided(&j->s.division)))
        return cli_usage(command->name,
                         "--consensus takes one file, and of the other options only --window, --best-channels, "
                         "--forced-channels, --raw, --p, --flat-below, --json, and those of files and devices");
    return cli_division_check(command->name, &j->s.division,
                              j->wanted.output || j->svg_path || j->motifs || j->discords || j->regimes);
}

static int compute(profile_job *j) {
    for (int i = 0; i < 2 && j->s.paths[i]; i++)
        CLI_TRY(cli_read(j->s.paths[i], &j->s.read, i, false, &j->s.sets[i]));
    const ww_series_set *const sets[] = {j->s.sets[0], j->s.sets[1]};
    CLI_TRY(cli_profile_select(&j->wanted, j->s.paths, sets));
    CLI_TRY(cli_series_open(&j->s));
    if (!(j->did = calloc(ww_context_device_count(j->s.context), sizeof *j->did)))
        return cli_error("not enough memory");
    return j->consensus ? CLI_GO_ON : compute_all(j);
}

static int report(profile_job *j, const cli_command *command, bool printed) {
    const cli_profile_picture picture = {j->svg_path,      j->s.sets[0],     j->results.found,
                                         j->results.count, j->wanted.window, j->results.k};
    if (j->svg_path)
        CLI_TRY(cli_profile_draw(&picture));
    if (j->wanted.output)
        CLI_TRY(cli_profiles_write(&j->results, j->wanted.output));
    if (j->wanted.json)
        print_json(j, command);
    else if ((j->motifs || j->discords || j->regimes) && !printed)
        print_found(j);
    else if (!j->wanted.output && !j->svg_path)
        CLI_TRY(cli_profiles_write(&j->results, NULL));
    return cli_division_finish(&j->s.division);
}

int cmd_profile(const cli_command *command, int argc, char **argv) {
    CLI_ENDS(job_end)
    profile_job j = {
        .wanted = CLI_PROFILE_WANTED_INIT, .separation = SIZE_MAX, .radius = 3, .within = WW_PROFILE_WITHIN_AUTO};
    const cli_option options[] = {
        CLI_PROFILE_OPTIONS(j.wanted),
        CLI_OPTION("svg", 0, CLI_OUTPUT, "FILE", "a picture: the series, its profile, motifs and discords",
                   &j.svg_path),
        CLI_DIVISION_OPTIONS(j.s.division),
        CLI_HEADING("Motifs, discords and regimes"),
        CLI_NUMBER("motifs", 0, "K", "the K nearest pairs, and the windows near them", &j.motifs, 1),
        CLI_OPTION("radius", 0, CLI_TEXT, "R", "a motif has all windows within R times its pair's distance; default 3",
                   &j.radius_text),
        CLI_OPTION("within", 0, CLI_TEXT, "D",
                   "a motif also has windows within this distance; default: that of correlation 0.999", &j.within_text),
        CLI_NUMBER("discords", 0, "K", "the K windows farthest from their nearest neighbour", &j.discords, 1),
        CLI_NUMBER("regimes", 0, "K", "the K places where a series changes its regime most clearly", &j.regimes, 1),
        CLI_SWITCH("consensus", 0,
                   "the window that all series share: its nearest window in each other series is at most R away, and R "
                   "is the least",
                   &j.consensus),
        CLI_OPTION("separation", 0, CLI_TEXT, "N",
                   "no two motifs, discords or regimes are nearer; default: the exclusion, of regimes 5 windows",
                   &j.separation_text),
        CLI_READ_OPTIONS(j.s.read),
        CLI_DEVICE_OPTIONS(j.s.device),
    };
    CLI_TRY(cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.s.paths, 1, 2, NULL));
    CLI_TRY(check(command, &j));
    j.s.output = j.wanted.output;
    CLI_TRY(cli_series_end_part(&j.s, command, j.wanted.json, compute(&j)));
    if (j.consensus)
        return report_consensus(&j, command);
    return report(&j, command, cli_writes_to_stdout(options, CLI_COUNT_OF(options)));
}
