// SPDX-License-Identifier: Apache-2.0
// The picture of wavewarp search: each query with its matches over it, and the streams with the places of the matches.
// With whole streams in queries the sides are exchanged: the query is the long series.
#include "pictures/search_picture.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pictures/picture.h"

enum { WIDTH = 1160, CELL = 380, RIGHT = 20, TITLE = 30, ALONE = 120, TOGETHER = 60 };
enum { MOST_QUERIES = 6, MOST_STREAMS = 4, NAMED = 7, MOST_PARTS = 40, MOST_PLACES = 400, BLOCK = 1 << 16 };

// The drawing of a query: its matches, and the streams (or the query) that they are in.
typedef struct part {
    const cli_search_picture *p;
    cli_picture *picture;
    size_t query, count, channels;
    const ww_match *matches;
    size_t hosts[MOST_STREAMS], host_count, all_hosts;
} part;

// The series that hosts are of; NULL: the host is a stream that is read.
static const ww_series_set *host_set(const part *d) {
    return d->p->super ? d->p->queries : d->p->streams;
}

static size_t host_of(const part *d, size_t m) {
    return d->p->super ? d->query : (size_t)d->matches[m].stream;
}

static part make_part(const cli_search_picture *p, cli_picture *picture, size_t query) {
    part d = {.p = p,
              .picture = picture,
              .query = query,
              .count = p->found[query],
              .channels = ww_series_set_channels(p->queries),
              .matches = p->matches + query * p->k};
    for (size_t m = 0; m < d.count; m++) {
        bool seen = false;
        for (size_t k = 0; k < m && !seen; k++)
            seen = host_of(&d, k) == host_of(&d, m);
        if (!seen && d.all_hosts++ < MOST_STREAMS)
            d.hosts[d.host_count++] = host_of(&d, m);
    }
    return d;
}

// ---- points

// Points of a series, channel by channel: malloc'd, NULL after an error was reported.
static double *copy_points(const ww_series_set *set, size_t i, uint64_t first, size_t count) {
    const size_t channels = ww_series_set_channels(set);
    double *values = malloc((count * channels + 1) * sizeof *values);
    if (!values)
        cli_error("the picture does not fit memory");
    for (size_t c = 0; values && c < channels; c++)
        memcpy(values + c * count, ww_series_set_values(set, i) + c * ww_series_set_length(set, i) + first,
               count * sizeof *values);
    return values;
}

// The same of a host.
static double *take_points(const part *d, size_t host, uint64_t first, size_t count) {
    if (host_set(d))
        return copy_points(host_set(d), host, first, count);
    CLI_FREES double *values = malloc((count * d->channels + 1) * sizeof *values);
    CLI_FREES double *mixed = malloc((count * d->channels + 1) * sizeof *mixed);
    if (!values || !mixed) {
        cli_error("the picture does not fit memory");
        return NULL;
    }
    if (d->p->read(d->p->user, first, count, mixed) != 0) {
        cli_error("the stream can't be read for the picture");
        return NULL;
    }
    for (size_t c = 0; c < d->channels; c++)
        for (size_t t = 0; t < count; t++)
            values[c * count + t] = mixed[t * d->channels + c];
    return cli_taken(&values);
}

static void normalise(double *values, size_t length, size_t channels) {
    for (size_t c = 0; c < channels; c++) {
        double *own = values + c * length, sum = 0, squares = 0;
        for (size_t t = 0; t < length; t++)
            sum += own[t];
        for (size_t t = 0; t < length; t++)
            squares += (own[t] - sum / (double)length) * (own[t] - sum / (double)length);
        const double deviation = sqrt(squares / (double)length);
        for (size_t t = 0; t < length; t++)
            own[t] = deviation > 0 ? (own[t] - sum / (double)length) / deviation : 0;
    }
}

static int match_look(size_t m) {
    return m < NAMED ? (int)m : CLI_FAINT;
}

// ---- the query under its matches

static void free_parts(double *(*parts)[MOST_PARTS + 1]) {
    for (size_t m = 0; m <= MOST_PARTS; m++)
        free((*parts)[m]);
}

static int draw_matches(const part *d, double top, double height) {
    const size_t drawn = d->count < MOST_PARTS ? d->count : MOST_PARTS;
    // The short series: the query, or the stream that is nearest to a part of it.
    const ww_series_set *set = d->p->super ? d->p->streams : d->p->queries;
    const size_t number = !d->p->super ? d->query : d->count ? (size_t)d->matches[0].stream : 0;
    CLI_ENDS(free_parts) double *parts[MOST_PARTS + 1] = {NULL}; // the last: the short series
    size_t lengths[MOST_PARTS + 1];
    cli_stack stack;
    cli_stack_make(&stack, d->picture, d->channels, CLI_LEFT + 16, top, CELL - CLI_LEFT - 40, height);
    for (size_t m = 0; m <= drawn; m++) {
        const ww_match *match = &d->matches[m];
        lengths[m] = m < drawn ? (size_t)(match->end - match->begin) : ww_series_set_length(set, number);
        parts[m] = m < drawn ? take_points(d, host_of(d, m), (uint64_t)match->begin, lengths[m])
                             : copy_points(set, number, 0, lengths[m]);
        if (!parts[m])
            return CLI_FAILURE;
        if (d->p->znormalised)
            normalise(parts[m], lengths[m], d->channels);
        cli_stack_range(&stack, parts[m], lengths[m]);
    }
    cli_stack_finish(&stack);
    cli_stack_axes(&stack, d->p->znormalised ? "points, z-normalised" : "points");
    for (size_t m = drawn; m-- > 0;)
        cli_stack_line(&stack, parts[m], lengths[m], 0, lengths[m], 0, match_look(m), 1.2);
    cli_stack_line(&stack, parts[drawn], lengths[drawn], 0, lengths[drawn], 0, CLI_INK, 2);
    return CLI_GO_ON;
}

// ---- a stream

static const char *host_axis(const part *d) {
    return d->p->super ? "points of the query" : "points of the stream";
}

// A stream that is read block by block: the least and the largest value of each piece.
static int draw_read(const part *d, cli_stack *stack) {
    const size_t pieces = (size_t)stack->panels[0].width, channels = d->channels;
    CLI_FREES double *values = malloc(BLOCK * channels * sizeof *values);
    CLI_FREES double *ends = malloc(2 * pieces * channels * sizeof *ends);
    if (!values || !ends)
        return cli_error("the picture does not fit memory");
    for (size_t i = 0; i < 2 * pieces * channels; i++)
        ends[i] = NAN;
    for (uint64_t at = 0; at < d->p->length; at += BLOCK) {
        const size_t count = d->p->length - at < BLOCK ? (size_t)(d->p->length - at) : BLOCK;
        if (d->p->read(d->p->user, at, count, values) != 0)
            return cli_error("the stream can't be read for the picture");
        for (size_t t = 0; t < count; t++)
            for (size_t c = 0; c < channels; c++) {
                const size_t piece = (size_t)((double)(at + t) / (double)d->p->length * (double)pieces);
                double *own = ends + 2 * (c * pieces + (piece < pieces ? piece : pieces - 1));
                own[0] = fmin(own[0], values[t * channels + c]); // of NAN and a number the number
                own[1] = fmax(own[1], values[t * channels + c]);
            }
    }
    // Fewer points than pieces leave pieces without one.
    for (size_t i = 2; i < 2 * pieces * channels; i++)
        if (isnan(ends[i]) && d->p->length < pieces)
            ends[i] = ends[i - 2];
    cli_stack_range(stack, ends, 2 * pieces);
    for (size_t c = 0; c < stack->count; c++)
        stack->panels[c].x_to = fmax(1, (double)d->p->length - 1);
    cli_stack_finish(stack);
    cli_stack_axes(stack, host_axis(d));
    for (size_t c = 0; c < stack->count; c++)
        cli_panel_line(&stack->panels[c], ends + 2 * c * pieces, 2 * pieces, 1, 0,
                       (double)d->p->length / (2 * (double)pieces), CLI_INK, 0.8);
    return CLI_GO_ON;
}

static int draw_host(const part *d, size_t host, double top, double height) {
    const ww_series_set *set = host_set(d);
    const char *label = set ? ww_series_set_label(set, host) : NULL;
    char text[512];
    cli_stack stack;
    cli_stack_make(&stack, d->picture, d->channels, CELL + CLI_LEFT, top, WIDTH - CELL - CLI_LEFT - RIGHT, height);
    if (set) {
        const size_t length = ww_series_set_length(set, host);
        cli_stack_range(&stack, ww_series_set_values(set, host), length);
        cli_stack_finish(&stack);
        cli_stack_axes(&stack, host_axis(d));
        cli_stack_line(&stack, ww_series_set_values(set, host), length, 0, length, 0, CLI_INK, 0.8);
    } else {
        CLI_TRY(draw_read(d, &stack));
    }
    size_t places = 0;
    for (size_t m = d->count; m-- > 0;)
        for (size_t c = 0; host_of(d, m) == host && places < MOST_PLACES && c < stack.count; c++, places++)
            cli_panel_area(&stack.panels[c], (double)d->matches[m].begin, stack.panels[c].y_from,
                           (double)d->matches[m].end - 1, stack.panels[c].y_to, match_look(m), 0.35);
    snprintf(text, sizeof text, "%s %zu%s%s", d->p->super ? "query" : "stream", host, label ? ": " : "",
             label ? label : "");
    cli_picture_text_within(d->picture, CELL + CLI_LEFT, top - 8, WIDTH - CELL - CLI_LEFT - RIGHT, "start", CLI_INK,
                            text);
    return CLI_GO_ON;
}

// ---- a query

static const char *match_name(const void *user, size_t m) {
    static char text[96];
    const part *d = user;
    const ww_match *match = &d->matches[m];
    if (d->p->streams && ww_series_set_count(d->p->streams) > 1)
        snprintf(text, sizeof text, "%.4g: %" PRId64 " to %" PRId64 ", stream %" PRId64, match->distance, match->begin,
                 match->end - 1, match->stream);
    else
        snprintf(text, sizeof text, "%.4g: %" PRId64 " to %" PRId64, match->distance, match->begin, match->end - 1);
    return text;
}

static double panel_height(const part *d) {
    return d->channels > 1 ? TOGETHER : ALONE;
}

static double legend_height(const part *d) {
    return cli_picture_legend(NULL, 16, 0, WIDTH - 32, false, d->count < NAMED ? d->count : NAMED, match_name, d);
}

static double host_height(const part *d) {
    return TITLE + cli_stack_height(d->channels, panel_height(d)) + CLI_BELOW - 6;
}

static double part_height(const part *d) {
    return TITLE + legend_height(d) + host_height(d) * (double)(d->host_count ? d->host_count : 1) + 20;
}

static int draw_part(const part *d, double top) {
    char text[640], channels[48], more[96] = "", others[64] = "";
    const char *label = ww_series_set_label(d->p->queries, d->query);
    if (d->host_count < d->all_hosts)
        snprintf(more, sizeof more, ", the first %zu of %zu streams", d->host_count, d->all_hosts);
    if (d->count > NAMED)
        snprintf(others, sizeof others, " (those after the first %d are grey)", NAMED);
    snprintf(text, sizeof text, "query %zu%s%s: %zu matches%s%s%s", d->query, label ? ", " : "", label ? label : "",
             d->count, others, more, cli_stack_note(d->channels, channels, sizeof channels));
    cli_picture_text_within(d->picture, 16, top + 20, WIDTH - 32, "start", CLI_INK, text);
    top += TITLE;
    const double legend = cli_picture_legend(d->picture, 16, top + 12, WIDTH - 32, false,
                                             d->count < NAMED ? d->count : NAMED, match_name, d);
    top += legend + TITLE;
    CLI_TRY(draw_matches(d, top, panel_height(d)));
    for (size_t h = 0; h < d->host_count; h++)
        CLI_TRY(draw_host(d, d->hosts[h], top + (double)h * host_height(d), panel_height(d)));
    return CLI_GO_ON;
}

int cli_search_draw(const cli_search_picture *p) {
    const size_t all = ww_series_set_count(p->queries), count = all < MOST_QUERIES ? all : MOST_QUERIES;
    cli_picture picture;
    char text[128];
    double height = count < all ? TITLE : 0, top = 0;
    for (size_t q = 0; q < count; q++) {
        const part d = make_part(p, &picture, q);
        height += part_height(&d);
    }
    snprintf(text, sizeof text, "The first %zu of %zu queries, their matches, and where these are in the streams",
             count, all);
    CLI_TRY(cli_picture_open(p->path, WIDTH, height, "Matches", text, &picture));
    int result = CLI_GO_ON;
    for (size_t q = 0; q < count && result == CLI_GO_ON; q++) {
        const part d = make_part(p, &picture, q);
        result = draw_part(&d, top);
        top += part_height(&d);
    }
    if (count < all)
        cli_picture_text(&picture, 16, top + 18, "start", CLI_INK, text);
    return cli_picture_close(&picture, result);
}
