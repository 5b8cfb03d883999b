// SPDX-License-Identifier: Apache-2.0
// Searches: what a caller gives, a view, a dataset or a source, becomes the streams of a run.
#include <stdlib.h>

#include "data/dataset_host.h"
#include "data/float_fit.h"
#include "data/view.h"
#include "options.h"
#include "search/search_internal.h"

ww_status ww_search_create(ww_context *context, const ww_measure *measure, const ww_series_view *queries,
                           const ww_search_options *options, ww_search **search) {
    if (search)
        *search = NULL;
    WWI_NEEDS("context, queries, search", context, queries, search);
    WWI_FREES void *copy = NULL;
    ww_series_view view;
    WWI_TRY(wwi_view_make_dense(queries, &view, &copy));
    return wwi_search_open(context, measure, &view, options, search);
}

ww_status ww_search_run(ww_search *search, const ww_series_view *streams, ww_match *matches, size_t *found) {
    ww_series_view view;
    WWI_FREES void *copy = NULL;
    WWI_NEEDS("search, streams, matches", search, streams, matches);
    WWI_TRY(wwi_view_make_dense(streams, &view, &copy));
    if (!view.values || view.count == 0)
        return wwi_fail(WW_ERROR_EMPTY, "no streams");
    wwi_tell_series_fit(search->context, search->options.precision, &view);
    return wwi_search_streams(search, &(wwi_joined){.view = &view}, matches, found);
}

// Whether the values of a dataset can be searched where they are: derivatives and missing points are made on the host,
// and short streams are fewer copies there.
static bool stays_on_device(const ww_search *s, const ww_dataset *d) {
    enum { SHORT = 4096 };
    return d->values && !d->unspecified && !s->derivative && !s->super && d->offsets[d->count] / d->count >= SHORT;
}

ww_status ww_search_run_dataset(ww_search *search, ww_dataset *streams, ww_match *matches, size_t *found) {
    WWI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
    ww_series_view view = WW_SERIES_VIEW_INIT;
    WWI_NEEDS("search, streams, matches", search, streams, matches);
    if (streams->context != search->context)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the streams are of another context than the search");
    if (streams->precision != search->options.precision) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the streams are in %s, the search in %s",
                 ww_word(WW_WORD_PRECISION, streams->precision), ww_word(WW_WORD_PRECISION, search->options.precision));
        return wwi_fail_hint("give ww_search_options and ww_dataset_options the same precision");
    }
    WWI_TRY(wwi_search_check_small(search, streams->largest_value));
    if (!search->team && stays_on_device(search, streams))
        return wwi_search_streams(search, &(wwi_joined){.dataset = streams}, matches, found);
    WWI_TRY(wwi_dataset_series(streams, &set));
    WWI_TRY(ww_series_set_view(set, &view));
    return ww_search_run(search, &view, matches, found);
}

static ww_status take_source(ww_search_source *own, const ww_search_source *source) {
    WWI_TRY(wwi_options_take(own, source, "ww_search_source"));
    if (!own->read || own->channels < 1 || (unsigned)own->precision > WW_DOUBLE)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the source has no function, no channels or no precision");
    return WW_OK;
}

ww_status ww_search_run_source(ww_search *search, const ww_search_source *source, ww_match *matches, size_t *found) {
    ww_search_source own = WW_SEARCH_SOURCE_INIT;
    WWI_NEEDS("search, source, matches", search, source, matches);
    WWI_TRY(take_source(&own, source));
    if (search->super) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "whole streams can't be searched for in a source");
        return wwi_fail_hint("give the streams to ww_search_run()");
    }
    return wwi_search_streams(search, &(wwi_joined){.from = &own}, matches, found);
}

ww_status ww_search_get_info(const ww_search *search, ww_search_info *info) {
    WWI_NEEDS("search", search);
    return wwi_struct_give(info, &search->info, "ww_search_info");
}
