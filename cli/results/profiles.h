// SPDX-License-Identifier: Apache-2.0
// Matrix profiles: the options, what is found, and its files.
#ifndef WAVEWARP_CLI_PROFILES_H
#define WAVEWARP_CLI_PROFILES_H

#include "base/common.h"

typedef struct cli_profile_wanted {
    const char *output, *window_text, *exclusion_text, *series_text, *other_text, *p_text, *flat_text, *forced_text,
        *share_text;
    uint64_t k, best_channels;
    size_t window, exclusion, series, other_series; // SIZE_MAX: not given
    bool left_right, json, raw;
    double p; // 0: normalised
    double flat_below, share;
    uint32_t forced;
} cli_profile_wanted;

#define CLI_PROFILE_WANTED_INIT                                                                                        \
    { .k = 1, .window = SIZE_MAX, .exclusion = SIZE_MAX, .series = SIZE_MAX, .other_series = SIZE_MAX }
#define CLI_PROFILE_OPTIONS(w)                                                                                         \
    CLI_OPTION("window", 'w', CLI_TEXT, "N", "points of a window, at least 3", &(w).window_text),                      \
        CLI_NUMBER("k", 'k', "K", "neighbours of each window, up to 64; default 1", &(w).k, 1),                        \
        CLI_OPTION("exclusion", 0, CLI_TEXT, "N",                                                                      \
                   "windows that begin at most N points apart are no neighbours; default: a quarter of the window",    \
                   &(w).exclusion_text),                                                                               \
        CLI_NUMBER("best-channels", 0, "N",                                                                            \
                   "only the N channels in which two windows are nearest count; default: all", &(w).best_channels, 1), \
        CLI_OPTION("forced-channels", 0, CLI_TEXT, "I,I,...",                                                          \
                   "channels, counted from 0, that are always among the N of --best-channels", &(w).forced_text),      \
        CLI_SWITCH("raw", 0, "compare windows as they are, not normalised", &(w).raw),                                 \
        CLI_OPTION("p", 0, CLI_TEXT, "P", "p of the norm of --raw, from 1 to 'inf'; default 2", &(w).p_text),          \
        CLI_OPTION("flat-below", 0, CLI_TEXT, "D", "windows of a smaller deviation count as constant",                 \
                   &(w).flat_text),                                                                                    \
        CLI_OPTION("share", 0, CLI_TEXT, "S",                                                                          \
                   "compare only this share of all lags, above 0 and up to 1, spread evenly: no distance is less "     \
                   "than the profile's",                                                                               \
                   &(w).share_text),                                                                                   \
        CLI_SWITCH("left-right", 0, "also the nearest among earlier and among later windows", &(w).left_right),        \
        CLI_OPTION("series", 0, CLI_TEXT, "I", "only this series of the file, from 0; default: each",                  \
                   &(w).series_text),                                                                                  \
        CLI_OPTION("other-series", 0, CLI_TEXT, "I", "which series of OTHER, where it has several", &(w).other_text),  \
        CLI_OPTION("output", 'o', CLI_OUTPUT, "FILE",                                                                  \
                   "the profile: .npy, .csv, else text with tabs; '-': standard output", &(w).output),                 \
        CLI_SWITCH("json", 'j', "print one JSON object", &(w).json)

// A whole number from an option that was given; `value` stays as it is without one.
int cli_profile_count(const char *command, const char *name, const char *text, size_t *value);
int cli_profile_check(const char *command, cli_profile_wanted *wanted, bool two_files);
// Whether the files have the series that are asked for. `other` NULL: one file.
int cli_profile_select(cli_profile_wanted *wanted, const char *const paths[2], const ww_series_set *const sets[2]);

// What is found for one series.
typedef struct cli_profile_found {
    size_t series, windows;
    double *distances[3]; // all, left, right; windows x k
    int64_t *indices[3];
    ww_profile_motif *motifs;
    int64_t *discords, *regimes;
    double *arcs;           // the curve that regimes are of
    size_t *motif_channels; // of best_channels: those that count in each motif's pair, the nearest first
    size_t motif_count, discord_count, regime_count;
    ww_profile_info info;
} cli_profile_found;

typedef struct cli_profiles {
    size_t first, count; // series
    size_t k;
    int lists; // 1, or with left and right 3
    cli_profile_found *found;
} cli_profiles;

// Room for the series; then for what is found for one, whose `windows` are set.
int cli_profiles_begin(cli_profiles *p);
int cli_profiles_allocate(const cli_profiles *p, cli_profile_found *f);
// The lists, as the library takes them.
ww_profile_output cli_profile_output(const cli_profile_found *f);
void cli_profiles_free(cli_profiles *p);
int cli_profiles_write(const cli_profiles *p, const char *path); // NULL: lines with tabs on standard output

void cli_profile_options(const cli_profile_wanted *wanted, ww_precision precision, const ww_run_options *run,
                         ww_profile_options *options);
#endif
