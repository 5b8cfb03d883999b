// SPDX-License-Identifier: Apache-2.0
// wavewarp generate, convert and measures: what needs no device.
#include <string.h>

#include "base/json.h"
#include "commands/commands.h"

// What was written, as JSON. `input` NULL: nothing was read.
static void report(const cli_command *command, const char *input, const char *output, const ww_series_set *set,
                   const cli_read_options *read, int precision) {
    cli_json json;
    cli_head head = CLI_HEAD_INIT;
    head.files[0] = input;
    head.counts[0] = ww_series_set_count(set);
    head.output = output;
    head.read = read;
    head.precision = ww_word(WW_WORD_PRECISION, (ww_precision)precision);
    cli_json_head(&json, stdout, command, &head);
    cli_json_count(&json, "series", ww_series_set_count(set));
    cli_json_count(&json, "channels", ww_series_set_channels(set));
    cli_json_count(&json, "max_length", ww_series_set_max_length(set));
    cli_json_end(&json);
}

// ---- generate

int cmd_generate(const cli_command *command, int argc, char **argv) {
    ww_generate_options made = WW_GENERATE_OPTIONS_INIT;
    uint64_t count = made.count, length = 0, max_length = 0, channels = 1, seed = made.seed;
    int format = 0, precision = 0;
    bool json = false;
    cli_read_options read = {0};
    const char *output = "-", *name = NULL;
    const cli_option options[] = {
        CLI_NUMBER("count", 'n', "N", "number of series, default 100", &count, 1),
        CLI_NUMBER("length", 'l', "N", "length; default: the kind's usual one", &length, 1),
        CLI_NUMBER("max-length", 0, "N", "longest length; lengths are drawn between --length and this", &max_length, 1),
        CLI_NUMBER("channels", 0, "N", "channels, default 1", &channels, 1),
        CLI_NUMBER("seed", 's', "N", "the same seed gives the same series everywhere, default 1", &seed, 0),
        CLI_OPTION("output", 'o', CLI_OUTPUT, "FILE", "where to; the ending says the format; default '-', .ts",
                   &output),
        CLI_ONE_OF("to", 0, "F", "format", &format, cli_formats()),
        CLI_ONE_OF("precision", 0, "P", "digits written, or .npy's type", &precision, cli_precisions()),
        CLI_SWITCH("znorm", 'z', "z-normalise every channel of every series", &read.znormalise),
        CLI_SWITCH("json", 'j', "print what was written as one JSON object", &json),
    };
    CLI_TRY(cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, &name, 1, 1, NULL));
    unsigned kind;
    if (ww_word_parse(WW_WORD_GENERATOR, name, &kind) != WW_OK)
        return cli_usage(command->name, "there is no generator '%s'; there are %s", name, ww_last_error()->hint);
    made.count = (size_t)count;
    made.length = (size_t)length;
    made.max_length = (size_t)max_length;
    made.channels = (size_t)channels;
    made.seed = seed;
    CLI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
    CLI_TRY(cli_status(ww_series_set_generate((ww_generator)kind, &made, &set)));
    if (read.znormalise)
        CLI_TRY(cli_status(ww_series_set_znormalise(set)));
    cli_note_dropped(set, output, format);
    CLI_TRY(cli_status(ww_series_set_write(set, output, (ww_format)format, precision ? WW_DOUBLE : WW_FLOAT)));
    if (json)
        report(command, NULL, output, set, &read, precision);
    return CLI_GO_ON;
}

// ---- convert

int cmd_convert(const cli_command *command, int argc, char **argv) {
    cli_read_options read = {0};
    int format = 0, precision = 1;
    bool json = false, verbose = false;
    const char *paths[2] = {NULL, NULL}, *output = NULL;
    const cli_option options[] = {
        CLI_OPTION("output", 'o', CLI_OUTPUT, "FILE", "the same as OUT", &output),
        CLI_ONE_OF("to", 0, "F", "format of what is written; auto goes by the name's ending", &format, cli_formats()),
        CLI_ONE_OF("precision", 0, "P", "digits written, or .npy's type; default double", &precision, cli_precisions()),
        CLI_SWITCH("json", 'j', "print what was written as one JSON object", &json),
        CLI_SWITCH("verbose", 'v', "say on standard error what is read and written", &verbose),
        CLI_SWITCH("quiet", 'q', "no notes on how the file is read, and on what is dropped", &read.quiet),
        CLI_READ_OPTIONS(read),
    };
    CLI_TRY(cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, paths, 1, 2, NULL));
    if (!output == !paths[1])
        return cli_usage(command->name, output ? "the output is both OUT and --output" : "OUT is missing");
    output = output ? output : paths[1];
    CLI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
    CLI_TRY(cli_read(paths[0], &read, 0, false, &set));
    if (!read.quiet)
        cli_note_dropped(set, output, format);
    if (verbose)
        cli_note("%s: series %zu, channels %zu, points %zu to %zu; %s is written", paths[0], ww_series_set_count(set),
                 ww_series_set_channels(set), ww_series_set_min_length(set), ww_series_set_max_length(set), output);
    CLI_TRY(cli_status(ww_series_set_write(set, output, (ww_format)format, precision ? WW_DOUBLE : WW_FLOAT)));
    if (json)
        report(command, paths[0], output, set, &read, precision);
    return CLI_GO_ON;
}

// ---- measures

static const char *yes_or_no(int yes) {
    return yes ? "yes" : "no";
}

static const char *kind_of(const ww_measure_info *info) {
    return info->is_similarity ? "similarity" : "distance";
}

static void print_line(const ww_measure_info *info) {
    printf("%-12s %-11s %-7s %-10s %-10s %s\n", info->name, kind_of(info), yes_or_no(info->is_metric),
           yes_or_no(info->is_symmetric), info->any_cost ? ww_word(WW_WORD_COST, info->cost) : "its own", info->title);
}

static void print_measure(const ww_measure_info *info) {
    printf("%s: %s\n", info->name, info->title);
    printf("  formula     %s\n", info->formula);
    printf("  source      %s\n", info->reference);
    printf("  kind        %s%s%s, with the default parameters\n", kind_of(info),
           info->is_metric ? ", a metric" : ", not a metric", info->is_symmetric ? ", symmetric" : ", not symmetric");
    if (info->any_cost)
        printf("  cost        %s; --cost takes any\n", ww_word(WW_WORD_COST, info->cost));
    else
        puts("  cost        its own");
    printf("  channels    %s\n", info->is_independent ? "each alone, summed; --dependent takes them together"
                                                      : "together; --independent takes each alone and sums");
    printf("  open ends   %s\n", info->has_open_ends ? "yes, by --relax" : "no");
    printf("  soft        %s\n", info->has_soft_minimum ? "yes, by --soft" : "no");
    if (info->uses_times)
        puts("  time        the points' time stamps where a file has them, else 1, 2, 3, ...");
    if (info->is_of_symbols)
        puts("  values      symbols, equal or not: whole numbers, or the characters of --format text");
    for (size_t p = 0; p < info->parameter_count; p++) {
        const ww_parameter_info *parameter = &info->parameters[p];
        printf("%s--param %s=%g  %s; %g to %g\n", p ? "              " : "  parameters  ", parameter->name,
               parameter->initial, parameter->meaning, parameter->minimum, parameter->maximum);
    }
    printf("  more        docs/measures.md#%s\n", info->name);
}

static void write_measure(cli_json *json, const ww_measure_info *info) {
    cli_json_line(json);
    cli_json_object(json, NULL);
    cli_json_text(json, "name", info->name);
    cli_json_text(json, "title", info->title);
    cli_json_text(json, "formula", info->formula);
    cli_json_text(json, "reference", info->reference);
    cli_json_text(json, "kind", kind_of(info));
    cli_json_flag(json, "metric", info->is_metric);
    cli_json_flag(json, "symmetric", info->is_symmetric);
    cli_json_text(json, "cost", ww_word(WW_WORD_COST, info->cost));
    cli_json_flag(json, "any_cost", info->any_cost);
    cli_json_flag(json, "independent", info->is_independent);
    cli_json_flag(json, "times", info->uses_times);
    cli_json_flag(json, "symbols", info->is_of_symbols);
    cli_json_flag(json, "open_ends", info->has_open_ends);
    cli_json_flag(json, "soft_minimum", info->has_soft_minimum);
    cli_json_array(json, "parameters");
    for (size_t p = 0; p < info->parameter_count; p++) {
        cli_json_object(json, NULL);
        cli_json_text(json, "name", info->parameters[p].name);
        cli_json_text(json, "meaning", info->parameters[p].meaning);
        cli_json_number(json, "initial", info->parameters[p].initial, 17);
        cli_json_number(json, "minimum", info->parameters[p].minimum, 17);
        cli_json_number(json, "maximum", info->parameters[p].maximum, 17);
        cli_json_end(json);
    }
    cli_json_end(json);
    cli_json_end(json);
}

int cmd_measures(const cli_command *command, int argc, char **argv) {
    bool json = false;
    const char *name = NULL;
    const ww_measure_info *one = NULL;
    const cli_option options[] = {CLI_SWITCH("json", 'j', "print one JSON object", &json)};
    CLI_TRY(cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, &name, 0, 1, NULL));
    if (name && !(one = ww_measure_info_by_name(name)))
        return cli_unknown_measure(command->name, name);
    cli_json out;
    if (json) {
        const cli_head head = CLI_HEAD_INIT;
        cli_json_head(&out, stdout, command, &head);
        cli_json_array(&out, "measures");
    } else if (!one) {
        printf("%-12s %-11s %-7s %-10s %-10s %s\n", "name", "kind", "metric", "symmetric", "cost", "");
    }
    for (size_t i = 0; i < ww_measure_count(); i++) {
        const ww_measure_info *info = ww_measure_info_at(i);
        if (one && info != one)
            continue;
        if (json)
            write_measure(&out, info);
        else
            (one ? print_measure : print_line)(info);
    }
    if (json) {
        cli_json_end(&out);
        cli_json_end(&out);
    } else if (!one) {
        puts("Metric and symmetric: with the default parameters. 'wavewarp measures NAME' says more of one.");
    }
    return CLI_OK;
}
