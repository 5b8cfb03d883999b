// SPDX-License-Identifier: Apache-2.0
// For each misspelt word the nearest of a list, by the least number of edits.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wavewarp/wavewarp.h>

#define TRY(call)                                                                                                      \
    if ((call) != WW_OK)                                                                                               \
    goto done

enum { KNOWN = 5, TYPED = 3 };
static const char *const known[KNOWN] = {"sitting", "kitchen", "diagonal", "sequence", "größe"};
static const char *const typed[TYPED] = {"kitten", "digonal", "grösse"};

// Words as a dataset; their characters, from UTF-8, are the symbols.
static ww_status upload(ww_context *context, const char *const *words, size_t count, ww_dataset **dataset) {
    ww_series_set *set = NULL;
    ww_status status = ww_series_set_create(1, &set);
    for (size_t i = 0; status == WW_OK && i < count; i++)
        status = ww_series_set_add_text(set, words[i], strlen(words[i]), NULL);
    if (status == WW_OK)
        status = ww_dataset_create_from_set(context, set, NULL, dataset);
    ww_series_set_destroy(&set);
    return status;
}

int main(void) {
    int result = 1;
    ww_context *context = NULL;
    ww_dataset *base = NULL, *queries = NULL;
    ww_measure edits;
    ww_plan *plan = NULL;
    int64_t nearest[TYPED];
    float distances[TYPED];

    TRY(ww_context_create(NULL, &context));
    TRY(upload(context, known, KNOWN, &base));
    TRY(upload(context, typed, TYPED, &queries));
    TRY(ww_measure_init(&edits, sizeof edits, WW_LEVENSHTEIN));
    TRY(ww_plan_create_nearest(&edits, queries, base, 1, NULL, &plan));
    TRY(ww_plan_run_nearest(plan, nearest, distances));
    for (int i = 0; i < TYPED; i++)
        printf("%s: %s (%g)\n", typed[i], known[nearest[i]], (double)distances[i]);
    result = 0;

done:
    if (result != 0)
        fprintf(stderr, "%s (%s)\n", ww_last_error()->message, ww_last_error()->hint);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&queries);
    ww_dataset_destroy(&base);
    ww_context_destroy(&context);
    return result;
}
