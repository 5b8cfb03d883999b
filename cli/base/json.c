// SPDX-License-Identifier: Apache-2.0
// The writer of JSON and the head of json.h.
#include "base/json.h"

#include <inttypes.h>
#include <string.h>

#include "base/escape.h"

static void begin_value(cli_json *json, const char *name) {
    if (json->depth > 0) {
        bool *empty = &json->empty[json->depth - 1];
        fputs(*empty ? "" : ",", json->file);
        fputs(json->line ? "\n" : *empty ? "" : " ", json->file);
        json->line = *empty = false;
    }
    if (name) {
        cli_json json_name = {.file = json->file};
        cli_json_text(&json_name, NULL, name);
        fputs(": ", json->file);
    }
}

static void open_value(cli_json *json, const char *name, char opening, char closing) {
    begin_value(json, name);
    fputc(opening, json->file);
    json->closing[json->depth] = closing;
    json->empty[json->depth++] = true;
}

void cli_json_object(cli_json *json, const char *name) {
    open_value(json, name, '{', '}');
}

void cli_json_array(cli_json *json, const char *name) {
    open_value(json, name, '[', ']');
}

void cli_json_end(cli_json *json) {
    fputc(json->closing[--json->depth], json->file);
    json->line = false;
    if (json->depth == 0)
        fputc('\n', json->file);
}

void cli_json_line(cli_json *json) {
    json->line = true;
}

void cli_json_text(cli_json *json, const char *name, const char *text) {
    if (!text) {
        cli_json_null(json, name);
        return;
    }
    begin_value(json, name);
    fputc('"', json->file);
    while (*text) {
        uint32_t character;
        const size_t length = cli_utf8(text, &character);
        if (length == 0)
            character = (unsigned char)*text;
        if (character == '"' || character == '\\')
            fprintf(json->file, "\\%c", (int)character);
        else if (length == 0 || character < 0x20 || (character >= 0x7F && character < 0xA0))
            fprintf(json->file, "\\u%04" PRIx32, character);
        else
            fwrite(text, 1, length, json->file);
        text += length ? length : 1;
    }
    fputc('"', json->file);
}

void cli_json_count(cli_json *json, const char *name, uint64_t value) {
    begin_value(json, name);
    fprintf(json->file, "%" PRIu64, value);
}

void cli_json_integer(cli_json *json, const char *name, int64_t value) {
    begin_value(json, name);
    fprintf(json->file, "%" PRId64, value);
}

void cli_json_number(cli_json *json, const char *name, double value, int digits) {
    begin_value(json, name);
    if (isfinite(value))
        fprintf(json->file, "%.*g", digits, value);
    else
        fputs("null", json->file);
}

void cli_json_flag(cli_json *json, const char *name, bool value) {
    begin_value(json, name);
    fputs(value ? "true" : "false", json->file);
}

void cli_json_null(cli_json *json, const char *name) {
    begin_value(json, name);
    fputs("null", json->file);
}

void cli_json_values(cli_json *json, const char *name, const void *values, ww_precision precision, size_t count) {
    cli_json_array(json, name);
    for (size_t i = 0; i < count; i++)
        cli_json_number(json, NULL, cli_value_at(values, precision, i), precision == WW_DOUBLE ? 17 : 9);
    cli_json_end(json);
}

// ---- the head

static void write_band(cli_json *json, const cli_measure_options *options, const ww_band *band) {
    char text[64];
    if (band->kind == WW_BAND_NONE || band->kind == WW_BAND_ROWS) {
        cli_json_text(json, "band",
                      band->kind == WW_BAND_NONE ? ww_word(WW_WORD_BAND_KIND, band->kind) : options->band);
        return;
    }
    // The width that was used: for a percentage the resulting number of points.
    snprintf(text, sizeof text, "%s:%.17g", ww_word(WW_WORD_BAND_KIND, band->kind), band->width);
    cli_json_text(json, "band", text);
}

static void write_relaxation(cli_json *json, const ww_measure *measure) {
    const size_t ends[4] = {measure->relax_begin_x, measure->relax_end_x, measure->relax_begin_y, measure->relax_end_y};
    char text[4 * 24] = "";
    for (size_t i = 0; i < 4; i++) {
        const size_t used = strlen(text);
        if (ends[i] == SIZE_MAX)
            snprintf(text + used, sizeof text - used, "%sall", i ? "," : "");
        else
            snprintf(text + used, sizeof text - used, "%s%zu", i ? "," : "", ends[i]);
    }
    cli_json_text(json, "relax", text);
}

void cli_json_measure(cli_json *json, const ww_measure *measure, const cli_measure_options *options) {
    const ww_measure_info *info = ww_measure_info_by_id(measure->id);
    cli_json_text(json, "measure", info->name);
    cli_json_text(json, "recurrence", options->recurrence);
    write_band(json, options, &measure->band);
    const ww_cost meant = measure->cost ? measure->cost : info->cost;
    const char *cost = info->any_cost ? ww_word(WW_WORD_COST, meant) : NULL;
    cli_json_text(json, "cost", measure->cost == WW_COST_USER ? measure->cost_expression : cost);
    cli_json_flag(json, "root", measure->root);
    cli_json_flag(json, "independent", measure->independent);
    if (info->has_open_ends)
        write_relaxation(json, measure);
    else
        cli_json_null(json, "relax");
    cli_json_number(json, "gamma", info->has_soft_minimum ? measure->gamma : NAN, 17);
    cli_json_object(json, "parameters");
    for (size_t p = 0; p < info->parameter_count; p++)
        cli_json_number(json, info->parameters[p].name, measure->parameters[p], 17);
    cli_json_end(json);
}

static void write_metric(cli_json *json, const char *metric, const cli_parameter *parameters) {
    cli_json_text(json, "measure", metric);
    cli_json_null(json, "recurrence");
    cli_json_null(json, "band");
    cli_json_null(json, "cost");
    cli_json_null(json, "root");
    cli_json_null(json, "independent");
    cli_json_null(json, "relax");
    cli_json_null(json, "gamma");
    cli_json_object(json, "parameters");
    for (; parameters && parameters->name; parameters++)
        cli_json_number(json, parameters->name, parameters->value, 17);
    cli_json_end(json);
}

void cli_json_head(cli_json *json, FILE *file, const cli_command *command, const cli_head *head) {
    ww_device_info device = WW_DEVICE_INFO_INIT;
    const bool computes = head->context && ww_context_get_device_info(head->context, &device) == WW_OK;
    *json = (cli_json){.file = file};
    cli_json_object(json, NULL);
    cli_json_text(json, "version", ww_version());
    cli_json_text(json, "command", command->name);
    cli_json_array(json, "files");
    for (int i = 0; i < 2; i++)
        if (head->files[i])
            cli_json_text(json, NULL, head->files[i]);
    cli_json_end(json);
    cli_json_array(json, "counts");
    for (int i = 0; i < 2; i++)
        if (head->files[i])
            cli_json_count(json, NULL, head->counts[i]);
    cli_json_end(json);
    cli_json_text(json, "output", head->output);
    if (head->measure)
        cli_json_measure(json, head->measure, head->measure_options);
    else
        write_metric(json, head->metric, head->parameters);
    if (head->read) {
        cli_json_flag(json, "znorm", head->read->znormalise);
        cli_json_count(json, "embed", head->read->embed);
    } else {
        cli_json_null(json, "znorm");
        cli_json_null(json, "embed");
    }
    cli_json_text(json, "device", computes ? device.name : NULL);
    cli_json_text(json, "platform", computes ? device.platform : NULL);
    cli_json_text(json, "precision", head->precision);
    cli_json_text(json, "engine", head->engine);
    cli_json_number(json, "seconds", cli_seconds(), 6);
    cli_json_number(json, "seconds_compute", head->seconds_compute, 6);
    cli_json_number(json, "seconds_device", head->seconds_device, 6);
}

void cli_json_plan(cli_json *json, const ww_plan_info *info) {
    cli_json_count(json, "pairs", info->pairs);
    cli_json_count(json, "pairs_pruned", info->pairs_pruned);
    cli_json_count(json, "pairs_abandoned", info->pairs_abandoned);
    cli_json_count(json, "cells", info->cells);
    cli_json_count(json, "cells_done", info->cells_done);
    cli_json_number(json, "share_pruned", info->cells ? 1.0 - (double)info->cells_done / (double)info->cells : 0.0, 6);
    cli_json_number(json, "gcups", cli_rate(info->cells_done, info->seconds_wall) / 1e9, 6);
}
