// SPDX-License-Identifier: Apache-2.0
// ww_word() and ww_word_parse(): the words of the enumerations, each in the order of its values from 0 up.
#include <stdio.h>
#include <string.h>
#include <wavewarp/status.h>

#include "error.h"

#define WORDS(what, ...)                                                                                               \
    {                                                                                                                  \
        what, (const char *const[]) {                                                                                  \
            __VA_ARGS__, NULL                                                                                          \
        }                                                                                                              \
    }

static const struct {
    const char *what;
    const char *const *words;
} kinds[] = {
    [WW_WORD_AVERAGE_METHOD] = WORDS("method of averaging", "dba", "soft"),
    [WW_WORD_BAND_KIND] = WORDS("band", "none", "sakoe-chiba", "corner", "slanted", "itakura", "rows"),
    [WW_WORD_COST] = WORDS("cost", "default", "squared", "absolute", "euclidean", "user"),
    [WW_WORD_ENGINE] = WORDS("engine", "auto", "lanes", "packed", "strips", "bits"),
    [WW_WORD_FORMAT] = WORDS("format", "auto", "tsv", "ts", "csv", "npy", "text", "arff", "raw", "fasta"),
    [WW_WORD_GENERATOR] = WORDS("generator", "cbf", "two-patterns", "synthetic-control", "random-walk", "sine"),
    [WW_WORD_LINKAGE] = WORDS("linkage", "single", "complete", "average", "ward"),
    [WW_WORD_METRIC] =
        WORDS("metric", "l2", "l2-squared", "l1", "linf", "cosine", "inner-product", "hamming", "jaccard",
              "jaccard-bits", "minkowski", "canberra", "bray-curtis", "correlation", "nan-l2"),
    [WW_WORD_PRECISION] = WORDS("precision", "float", "double"),
    [WW_WORD_SHAPELET_QUALITY] = WORDS("quality", "gain", "f", "kruskal-wallis", "mood"),
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const char *ww_word(ww_word_kind kind, unsigned value) {
    for (unsigned i = 0; (unsigned)kind < KINDS && kinds[kind].words[i]; i++)
        if (i == value)
            return kinds[kind].words[i];
    return "unknown";
}

ww_status ww_word_parse(ww_word_kind kind, const char *word, unsigned *value) {
    char known[256] = "";
    WWI_NEEDS("word, value", word, value);
    if ((unsigned)kind >= KINDS)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is no kind of words %d", (int)kind);
    for (unsigned i = 0; kinds[kind].words[i]; i++) {
        if (strcmp(kinds[kind].words[i], word) == 0) {
            *value = i;
            return WW_OK;
        }
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", kinds[kind].words[i]);
    }
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is no %s '%.64s'", kinds[kind].what, word);
    return wwi_fail_hint("%s", known);
}
