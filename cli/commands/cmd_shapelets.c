// SPDX-License-Identifier: Apache-2.0
// wavewarp shapelets: fit, predict, transform, show.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/series_job.h"
#include "commands/commands.h"
#include "results/shapelets.h"

enum { FIT, PREDICT, TRANSFORM, SHOW };
enum { MOST_CONFUSED = WW_CLASSIFY_MOST_CONFUSED };
enum { MOST_INDENTED = 64 }; // depth from which nodes are not indented further
static const char *const verbs[] = {"fit", "predict", "transform", "show", NULL};

typedef struct shapelets {
    cli_series_job s; // one set, without a measure; its division: a part of the candidates
    int verb;
    const char *model_path, *output, *svg, *seconds_text;
    struct {
        uint64_t min_length, max_length, length_step, start_step, sample, seed, best, max_depth, min_size, terms;
        int quality;
        bool raw, unscaled, no_tree;
    } search;
    bool json, tree;
    double seconds;
    ww_shapelets *model;
    ww_shapelets_info info;
    int64_t *predicted, *actual; // class numbers of the model
    size_t *confusion;
    size_t labelled, correct;
    void *distances; // doubles
    uint64_t *starts;
    double seconds_compute;
} shapelets;

// ---- reading and computing

// A class of the model, by its name.
typedef struct named {
    const char *name;
    size_t number;
} named;

static int by_name(const void *a, const void *b) {
    return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

static int find_classes(shapelets *c) {
    const size_t n = ww_series_set_count(c->s.sets[0]), K = c->info.classes;
    CLI_FREES named *classes = malloc(K * sizeof *classes);
    c->actual = malloc((n ? n : 1) * sizeof *c->actual);
    if (!classes || !c->actual)
        return cli_error("%zu series of %zu classes do not fit memory", n, K);
    for (size_t k = 0; k < K; k++)
        classes[k] = (named){ww_shapelets_class_name(c->model, k), k};
    qsort(classes, K, sizeof *classes, by_name);
    for (size_t i = 0; i < n; i++) {
        const named wanted = {ww_series_set_label(c->s.sets[0], i), 0};
        const named *found = wanted.name ? bsearch(&wanted, classes, K, sizeof *classes, by_name) : NULL;
        c->actual[i] = found ? (int64_t)found->number : -1;
    }
    return CLI_GO_ON;
}

// Puts the series on the devices, in double where one has that: what float can't hold is no reason to stop. Those
// without double take no part where others have it.
static int upload(shapelets *c) {
    c->s.device.precision = c->s.device.asked = 0;
    for (size_t i = 0; i < ww_context_device_count(c->s.context); i++) {
        ww_device_info on = WW_DEVICE_INFO_INIT;
        CLI_TRY(cli_status(ww_context_get_device_info(ww_context_device(c->s.context, i), &on)));
        c->s.device.precision |= on.has_double != 0;
    }
    return cli_series_put(&c->s);
}

static int find(shapelets *c, ww_shapelets_options *o) {
    cli_plan_options(&c->s.device, &c->s.progress, &c->s.plan);
    o->run = c->s.plan.run;
    const int result = cli_status(ww_shapelets_create(c->s.data[0], o, &c->model));
    cli_progress_end();
    cli_shares_report(c->s.context);
    return result;
}

static int fit(shapelets *c) {
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    CLI_TRY(cli_read(c->s.paths[0], &c->s.read, 0, true, &c->s.sets[0]));
    c->s.output = c->output;
    c->s.division.several = !c->search.no_tree;
    CLI_TRY(cli_series_open(&c->s));
    CLI_TRY(upload(c));
    o.min_length = (size_t)c->search.min_length;
    o.max_length = (size_t)c->search.max_length;
    o.length_step = (size_t)c->search.length_step;
    o.start_step = (size_t)c->search.start_step;
    o.sample = (size_t)c->search.sample;
    o.seed = c->search.seed;
    o.seconds = c->seconds;
    o.quality = (ww_shapelet_quality)c->search.quality;
    o.raw = c->search.raw;
    o.unscaled = c->search.unscaled;
    o.no_tree = c->search.no_tree;
    o.best = (size_t)c->search.best;
    o.max_depth = (size_t)c->search.max_depth;
    o.min_size = (size_t)c->search.min_size;
    o.terms = (size_t)c->search.terms;
    CLI_TRY(find(c, &o));
    CLI_TRY(cli_status(ww_shapelets_get_info(c->model, &c->info)));
    c->seconds_compute = c->info.seconds_wall;
    CLI_TRY(cli_division_others_end(&c->s.division));
    if (c->output)
        CLI_TRY(cli_status(ww_shapelets_write(c->model, c->output)));
    return find_classes(c);
}

static int open_model(shapelets *c) {
    CLI_TRY(cli_status(ww_shapelets_read(c->model_path, &c->model)));
    CLI_TRY(cli_status(ww_shapelets_get_info(c->model, &c->info)));
    if (!c->s.paths[0])
        return CLI_GO_ON;
    CLI_TRY(cli_read(c->s.paths[0], &c->s.read, 0, true, &c->s.sets[0]));
    CLI_TRY(find_classes(c));
    CLI_TRY(cli_context_open(&c->s.device, &c->s.context));
    return upload(c);
}

static int predict(shapelets *c) {
    const size_t n = ww_series_set_count(c->s.sets[0]), K = c->info.classes;
    c->predicted = malloc((n ? n : 1) * sizeof *c->predicted);
    c->confusion = K <= MOST_CONFUSED ? calloc(K * K, sizeof *c->confusion) : NULL;
    if (!c->predicted || (!c->confusion && K <= MOST_CONFUSED))
        return cli_error("predictions of %zu series do not fit memory", n);
    const double begin = cli_seconds();
    cli_plan_options(&c->s.device, &c->s.progress, &c->s.plan);
    const ww_status status = ww_shapelets_predict(c->model, c->s.data[0], c->s.plan.run, c->predicted, NULL);
    cli_progress_end();
    CLI_TRY(cli_status(status));
    c->seconds_compute = cli_seconds() - begin;
    for (size_t i = 0; i < n; i++) {
        c->labelled += ww_series_set_label(c->s.sets[0], i) != NULL;
        if (c->actual[i] < 0)
            continue;
        c->correct += c->actual[i] == c->predicted[i];
        if (c->confusion)
            c->confusion[(size_t)c->actual[i] * K + (size_t)c->predicted[i]]++;
    }
    return CLI_GO_ON;
}

// Distances of the series to `count` shapelets.
static int transform(shapelets *c, size_t count) {
    const size_t n = ww_series_set_count(c->s.sets[0]);
    CLI_TRY(cli_values_allocate(n, count, WW_DOUBLE, &c->distances));
    if (!(c->starts = malloc(n * count * sizeof *c->starts)))
        return cli_error("distances of %zu series do not fit memory", n);
    const double begin = cli_seconds();
    cli_plan_options(&c->s.device, &c->s.progress, &c->s.plan);
    const ww_status status =
        ww_shapelets_transform(c->model, c->s.data[0], c->s.plan.run, 0, count, c->distances, c->starts);
    cli_progress_end();
    c->seconds_compute += cli_seconds() - begin;
    return cli_status(status);
}

static int draw(shapelets *c) {
    if (c->s.sets[0] && c->info.shapelets)
        CLI_TRY(transform(c, c->info.shapelets));
    const cli_shapelets picture = {c->model,     c->info,   c->info.shapelets ? c->s.sets[0] : NULL,
                                   c->distances, c->starts, c->actual};
    return cli_shapelets_draw(&picture, c->svg);
}

// ---- files

static const char *own_label(const void *user, size_t i) {
    return ww_series_set_label(((const shapelets *)user)->s.sets[0], i);
}

static const char *predicted_label(const void *user, size_t i) {
    const shapelets *c = user;
    return ww_shapelets_class_name(c->model, (size_t)c->predicted[i]);
}

// ---- reports

static void json_nodes(cli_json *json, const shapelets *c) {
    cli_json_array(json, "shapelets");
    for (size_t i = 0; i < c->info.shapelets; i++) {
        ww_shapelet s = WW_SHAPELET_INIT;
        if (ww_shapelets_get_shapelet(c->model, i, &s) != WW_OK)
            break;
        cli_json_object(json, NULL);
        cli_json_count(json, "series", s.series);
        cli_json_count(json, "start", s.start);
        cli_json_count(json, "length", s.length);
        cli_json_text(json, "class", ww_shapelets_class_name(c->model, s.label));
        cli_json_text(json, "op", ww_shapelets_get_op(c->model, i) == WW_SHAPELET_AND ? "and" : "or");
        cli_json_number(json, "quality", s.quality, 17);
        cli_json_number(json, "gain", s.gain, 17);
        cli_json_number(json, "gap", s.gap, 17);
        cli_json_number(json, "threshold", s.threshold, 17);
        cli_json_end(json);
    }
    cli_json_end(json);
    cli_json_array(json, "nodes");
    for (size_t i = 0; i < c->info.nodes; i++) {
        ww_shapelet_node n = WW_SHAPELET_NODE_INIT;
        if (ww_shapelets_get_node(c->model, i, &n) != WW_OK)
            break;
        cli_json_object(json, NULL);
        cli_json_count(json, "depth", n.depth);
        cli_json_count(json, "series", n.series);
        cli_json_text(json, "class", ww_shapelets_class_name(c->model, n.label));
        if (n.left >= 0) {
            cli_json_integer(json, "left", n.left);
            cli_json_integer(json, "right", n.right);
            cli_json_count(json, "first", n.first);
            cli_json_count(json, "terms", n.terms);
        }
        cli_json_end(json);
    }
    cli_json_end(json);
}

static void print_json_confusion(cli_json *json, const shapelets *c) {
    if (!c->confusion) {
        cli_json_null(json, "confusion");
        return;
    }
    cli_json_array(json, "confusion");
    for (size_t i = 0; i < c->info.classes; i++) {
        cli_json_array(json, NULL);
        for (size_t k = 0; k < c->info.classes; k++)
            cli_json_count(json, NULL, c->confusion[i * c->info.classes + k]);
        cli_json_end(json);
    }
    cli_json_end(json);
}

static void print_json(const shapelets *c, const cli_command *command) {
    cli_json json;
    cli_head head = CLI_HEAD_INIT;
    size_t files = 0;
    if (c->model_path)
        head.files[files++] = c->model_path;
    if (c->s.paths[0]) {
        head.counts[files] = ww_series_set_count(c->s.sets[0]);
        head.files[files] = c->s.paths[0];
    }
    head.output = c->output;
    head.read = &c->s.read;
    head.context = c->s.context;
    head.precision = ww_word(WW_WORD_PRECISION, WW_DOUBLE);
    head.seconds_compute = c->seconds_compute;
    head.seconds_device = c->verb == FIT ? c->info.seconds_device : NAN;
    cli_json_head(&json, stdout, command, &head);
    cli_json_text(&json, "verb", verbs[c->verb]);
    cli_json_text(&json, "quality", ww_word(WW_WORD_SHAPELET_QUALITY, c->info.quality));
    cli_json_array(&json, "classes");
    for (size_t k = 0; k < c->info.classes; k++)
        cli_json_text(&json, NULL, ww_shapelets_class_name(c->model, k));
    cli_json_end(&json);
    cli_json_count(&json, "best", c->info.best);
    if (c->verb == FIT) {
        cli_json_count(&json, "candidates", c->info.candidates);
        cli_json_count(&json, "cells", c->info.cells);
        cli_json_count(&json, "examined", c->info.examined);
        cli_json_count(&json, "launches", c->info.launches);
        cli_json_flag(&json, "stopped", c->info.stopped != 0);
        cli_division_json(&json, &c->s.division);
        cli_shares_json(c->s.context, NULL, &json);
    }
    if (c->verb == FIT || c->verb == SHOW)
        json_nodes(&json, c);
    if (c->verb == PREDICT) {
        cli_json_count(&json, "total", ww_series_set_count(c->s.sets[0]));
        cli_json_count(&json, "labelled", c->labelled);
        cli_json_count(&json, "correct", c->correct);
        cli_json_number(&json, "accuracy", c->labelled ? (double)c->correct / (double)c->labelled : NAN, 10);
        print_json_confusion(&json, c);
        cli_json_array(&json, "predicted");
        for (size_t i = 0; i < ww_series_set_count(c->s.sets[0]); i++)
            cli_json_text(&json, NULL, ww_shapelets_class_name(c->model, (size_t)c->predicted[i]));
        cli_json_end(&json);
    }
    cli_json_end(&json);
}

static void print_label(size_t k, const shapelets *c) {
    cli_print_escaped(stdout, ww_shapelets_class_name(c->model, k), "");
}

static void print_shapelet(const shapelets *c, size_t i, const char *before) {
    ww_shapelet s = WW_SHAPELET_INIT;
    if (ww_shapelets_get_shapelet(c->model, i, &s) != WW_OK)
        return;
    printf("%sshapelet %zu: series %zu (class ", before, i, s.series);
    print_label(s.label, c);
    printf("), points %zu to %zu, gain %.6f, gap %.6f", s.start, s.start + s.length - 1, s.gain, s.gap);
    if (c->info.quality != WW_SHAPELET_GAIN)
        printf(", %s %.6g", ww_word(WW_WORD_SHAPELET_QUALITY, c->info.quality), s.quality);
    putchar('\n');
}

static void print_model(const shapelets *c) {
    for (size_t i = 0; i < c->info.best; i++)
        print_shapelet(c, i, "");
    for (size_t i = 0; i < c->info.nodes; i++) {
        ww_shapelet_node n = WW_SHAPELET_NODE_INIT;
        if (ww_shapelets_get_node(c->model, i, &n) != WW_OK)
            return;
        const int indent = 2 * (int)(n.depth < MOST_INDENTED ? n.depth : MOST_INDENTED);
        printf("%*snode %zu: %zu series", indent, "", i, n.series);
        if (n.left < 0) {
            fputs(", class ", stdout);
            print_label(n.label, c);
            putchar('\n');
            continue;
        }
        printf(", d <= %.6f: node %" PRId64 ", else node %" PRId64 "\n", n.threshold, n.left, n.right);
        for (size_t t = n.first; t < n.first + n.terms; t++) {
            printf("%*s", indent + 2, "");
            print_shapelet(c, t,
                           t == n.first                                          ? ""
                           : ww_shapelets_get_op(c->model, t) == WW_SHAPELET_AND ? "and "
                                                                                 : "or ");
        }
    }
}

static void print_predictions(const shapelets *c) {
    enum { WIDTH = 10 };
    const size_t K = c->info.classes;
    if (!c->labelled) {
        puts("accuracy  unknown: the series have no labels");
        return;
    }
    printf("accuracy  %.4f (%zu of %zu)\nseconds   %.4g computing, %.4g in all\n",
           (double)c->correct / (double)c->labelled, c->correct, c->labelled, c->seconds_compute, cli_seconds());
    if (!c->confusion)
        return;
    printf("\nconfusion (rows actual, columns predicted)\n%*s", WIDTH, "");
    for (size_t k = 0; k < K; k++) {
        putchar(' ');
        cli_print_column(stdout, ww_shapelets_class_name(c->model, k), WIDTH);
    }
    putchar('\n');
    for (size_t i = 0; i < K; i++) {
        cli_print_column(stdout, ww_shapelets_class_name(c->model, i), WIDTH);
        for (size_t k = 0; k < K; k++)
            printf(" %*zu", WIDTH, c->confusion[i * K + k]);
        putchar('\n');
    }
}

static void print_text(const shapelets *c) {
    if (c->verb == FIT) {
        printf("candidates %" PRIu64 ", %" PRIu64 " of them examined in double\n", c->info.candidates,
               c->info.examined);
        printf("seconds    %.4g computing, %.4g in all\n", c->seconds_compute, cli_seconds());
        printf("cells      %" PRIu64 ", %.4g Gcells/s\n", c->info.cells,
               cli_rate(c->info.cells, c->seconds_compute) / 1e9);
        if (c->info.stopped)
            puts("stopped    the time given was over: not all candidates were examined");
    }
    if (c->verb == FIT || c->verb == SHOW)
        print_model(c);
    if (c->verb == PREDICT)
        print_predictions(c);
    if (c->verb == TRANSFORM)
        printf("%zu series, %zu features\n", ww_series_set_count(c->s.sets[0]),
               c->info.best && !c->tree ? c->info.best : c->info.shapelets);
}

// ---- the command

// The verb, and the files that it takes.
static int take_operands(shapelets *c, const char *name, const char *const *operands, size_t count) {
    static const struct {
        size_t least, most; // operands, with the verb
        const char *takes;
    } of[] = {
        {2, 2, "TRAIN"}, {3, 3, "MODEL and SERIES"}, {3, 3, "MODEL and SERIES"}, {2, 3, "MODEL, and optionally TRAIN"}};
    for (c->verb = FIT; verbs[c->verb] && strcmp(verbs[c->verb], operands[0]) != 0;)
        c->verb++;
    if (!verbs[c->verb])
        return cli_usage(name, "'%s' is none of fit, predict, transform, show", operands[0]);
    if (count < of[c->verb].least || count > of[c->verb].most)
        return cli_usage(name, "'%s' takes %s", verbs[c->verb], of[c->verb].takes);
    if (c->verb == FIT)
        c->s.paths[0] = operands[1];
    else
        c->model_path = operands[1];
    if (count == 3)
        c->s.paths[0] = operands[2];
    return CLI_GO_ON;
}

// Whether an option of the search is given.
static bool searches(const shapelets *c) {
    const uint64_t numbers = c->search.min_length | c->search.max_length | c->search.length_step |
                             c->search.start_step | c->search.sample | c->search.best | c->search.max_depth |
                             c->search.min_size | c->search.terms;
    const bool flags[] = {c->search.raw,          c->search.unscaled,      c->search.no_tree,
                          c->search.quality != 0, c->seconds_text != NULL, c->s.division.checkpoint != NULL};
    bool any = numbers != 0;
    for (size_t i = 0; i < CLI_COUNT_OF(flags); i++)
        any = any || flags[i];
    return any;
}

static int check_part(shapelets *c, const char *name) {
    cli_division *d = &c->s.division;
    CLI_TRY(cli_division_check(name, d, c->output || c->svg));
    if (d->part_text && (c->verb != FIT || !c->search.no_tree || !c->search.best))
        return cli_usage(name, "--part is for 'fit --no-tree --best K': a tree is not divided");
    return CLI_GO_ON;
}

static int check_files(const shapelets *c, const char *name) {
    const bool needed = c->verb == FIT ? !c->s.division.part : c->verb == TRANSFORM;
    if (c->svg && c->verb != FIT && c->verb != SHOW)
        return cli_usage(name, "--svg goes with 'fit' and 'show'");
    if (needed && !c->output)
        return cli_usage(name, "--output FILE is needed");
    if (c->verb == SHOW && c->output)
        return cli_usage(name, "--output goes with 'fit', 'predict' and 'transform'");
    return CLI_GO_ON;
}

static int check(shapelets *c, const char *name) {
    if (c->seconds_text && (!cli_number(c->seconds_text, &c->seconds) || c->seconds <= 0))
        return cli_usage(name, "--seconds must be a number above 0");
    if (c->verb != FIT && searches(c))
        return cli_usage(name, "options of the search go with 'fit'");
    if (c->tree && c->verb != TRANSFORM)
        return cli_usage(name, "--all goes with 'transform'");
    CLI_TRY(check_part(c, name));
    return check_files(c, name);
}

static int run(shapelets *c) {
    CLI_TRY(c->verb == FIT ? fit(c) : open_model(c));
    if (c->verb == PREDICT) {
        CLI_TRY(predict(c));
        if (c->output)
            CLI_TRY(cli_save_predictions(c->output, ww_series_set_count(c->s.sets[0]), own_label, predicted_label, c));
    } else if (c->verb == TRANSFORM) {
        const size_t count = c->info.best && !c->tree ? c->info.best : c->info.shapelets;
        if (!count)
            return cli_error("the model has no shapelets: its tree is one leaf");
        CLI_TRY(transform(c, count));
        CLI_TRY(
            cli_status(ww_array_write(c->output, c->distances, WW_DOUBLE, ww_series_set_count(c->s.sets[0]), count)));
    }
    return c->svg ? draw(c) : CLI_GO_ON;
}

static void end(shapelets *c) {
    free(c->predicted);
    free(c->actual);
    free(c->confusion);
    free(c->distances);
    free(c->starts);
    ww_shapelets_destroy(&c->model);
    cli_series_end(&c->s);
}

int cmd_shapelets(const cli_command *command, int argc, char **argv) {
    CLI_ENDS(end) shapelets c = {.search = {.seed = 1}, .info = WW_SHAPELETS_INFO_INIT};
    const char *operands[3] = {NULL, NULL, NULL};
    size_t count = 0;
    const cli_option options[] = {
        CLI_OPTION("output", 'o', CLI_OUTPUT, "FILE",
                   "the model (fit), predicted labels (predict), features .npy or .csv (transform)", &c.output),
        CLI_OPTION("svg", 0, CLI_OUTPUT, "FILE", "draw the shapelets on their series, order lines and the tree",
                   &c.svg),
        CLI_SWITCH("json", 'j', "report as one JSON object", &c.json),
        CLI_SWITCH("all", 0, "transform: distances to the tree's shapelets too, not only to the best", &c.tree),
        CLI_HEADING("Search (fit)"),
        CLI_NUMBER("min-length", 0, "N", "shortest candidates, default 3", &c.search.min_length, 2),
        CLI_NUMBER("max-length", 0, "N", "longest candidates, default: the shortest series", &c.search.max_length, 2),
        CLI_NUMBER("length-step", 0, "N", "every N-th length, default 1", &c.search.length_step, 1),
        CLI_NUMBER("start-step", 0, "N", "candidates start at every N-th point, default 1", &c.search.start_step, 1),
        CLI_NUMBER("sample", 0, "N", "draw N candidates at random for each node", &c.search.sample, 1),
        CLI_NUMBER("seed", 0, "N", "seed of the random order, default 1", &c.search.seed, 0),
        CLI_OPTION("seconds", 0, CLI_TEXT, "S", "stop the search after S seconds with the best so far",
                   &c.seconds_text),
        CLI_ONE_OF("quality", 'q', "Q", "what makes a candidate good", &c.search.quality, cli_qualities()),
        CLI_SWITCH("raw", 0, "windows as they are, not z-normalised", &c.search.raw),
        CLI_SWITCH("unscaled", 0, "distances that grow with the length", &c.search.unscaled),
        CLI_NUMBER("best", 'k', "K", "also find the K best shapelets without overlap, for 'transform'", &c.search.best,
                   1),
        CLI_SWITCH("no-tree", 0, "find the best only, no decision tree", &c.search.no_tree),
        CLI_NUMBER("max-depth", 0, "N", "splits from the root to a leaf at most", &c.search.max_depth, 1),
        CLI_NUMBER("min-size", 0, "N", "a node of fewer series is not split, default 2", &c.search.min_size, 2),
        CLI_NUMBER("terms", 0, "N", "shapelets of a node at most, joined by AND and OR; default 1", &c.search.terms, 1),
        CLI_DIVISION_OPTIONS(c.s.division),
        CLI_READ_OPTIONS(c.s.read),
        CLI_DEVICE_OPTIONS(c.s.device),
    };
    CLI_TRY(cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, operands, 1, 3, &count));
    CLI_TRY(take_operands(&c, command->name, operands, count));
    CLI_TRY(check(&c, command->name));
    CLI_TRY(cli_series_end_part(&c.s, command, c.json, run(&c)));
    CLI_TRY(cli_division_finish(&c.s.division));
    if (c.json)
        print_json(&c, command);
    else if (!cli_writes_to_stdout(options, CLI_COUNT_OF(options)))
        print_text(&c);
    return CLI_GO_ON;
}
