// SPDX-License-Identifier: Apache-2.0
// A model of shapelets saved to memory, loaded again, and used: by functions that take and give bytes, as a socket, a
// database or another language's way to save objects needs them.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavewarp/wavewarp.h>

#define TRY(call)                                                                                                      \
    if ((call) != WW_OK)                                                                                               \
    goto done

enum { TRAIN = 8, TEST = 4, LENGTH = 40 };

typedef struct memory {
    char *bytes;
    size_t count, room, taken;
} memory;

// A ww_write_fn: all `count` bytes, or a failure.
static int append(void *user, const void *bytes, size_t count) {
    memory *to = user;
    if (to->room - to->count < count) {
        char *more = realloc(to->bytes, 2 * to->room + count);
        if (!more)
            return -1;
        to->bytes = more;
        to->room = 2 * to->room + count;
    }
    memcpy(to->bytes + to->count, bytes, count);
    to->count += count;
    return 0;
}

// A ww_read_fn: at most `room` bytes, 0 at the end.
static int64_t take(void *user, void *bytes, size_t room) {
    memory *from = user;
    const size_t left = from->count - from->taken, count = left < room ? left : room;
    memcpy(bytes, from->bytes + from->taken, count);
    from->taken += count;
    return (int64_t)count;
}

// Waves with one of two marks at some place.
static ww_status make(ww_context *context, size_t count, size_t first_place, ww_dataset **data) {
    ww_series_set *set = NULL;
    ww_status status = ww_series_set_create(1, &set);
    for (size_t i = 0; status == WW_OK && i < count; i++) {
        double values[LENGTH];
        const size_t place = first_place + 5 * (i % 4);
        for (size_t t = 0; t < LENGTH; t++)
            values[t] = 0.1 * (double)(t * (i + 3) % 7);
        for (size_t t = 0; t < 8; t++)
            values[place + t] += i % 2 ? (double)t : 8.0 - (double)t;
        status = ww_series_set_add(set, LENGTH, values, i % 2 ? "rises" : "falls");
    }
    if (status == WW_OK)
        status = ww_dataset_create_from_set(context, set, NULL, data);
    ww_series_set_destroy(&set);
    return status;
}

int main(void) {
    int result = 1;
    ww_context *context = NULL;
    ww_dataset *train = NULL, *test = NULL;
    ww_shapelets *model = NULL, *loaded = NULL;
    ww_shapelets_options options = WW_SHAPELETS_OPTIONS_INIT;
    memory saved = {NULL, 0, 0, 0};
    int64_t classes[TEST];

    TRY(ww_context_create(NULL, &context));
    TRY(make(context, TRAIN, 2, &train));
    TRY(make(context, TEST, 7, &test));
    options.min_length = options.max_length = 8;
    TRY(ww_shapelets_create(train, &options, &model));
    TRY(ww_shapelets_write_to(model, append, &saved));
    ww_shapelets_destroy(&model);

    TRY(ww_shapelets_read_from(take, &saved, &loaded));
    TRY(ww_shapelets_predict(loaded, test, NULL, classes, NULL));
    for (int i = 0; i < TEST; i++)
        printf("series %d %s\n", i, ww_shapelets_class_name(loaded, (size_t)classes[i]));
    result = 0;

done:
    if (result != 0)
        fprintf(stderr, "%s (%s)\n", ww_last_error()->message, ww_last_error()->hint);
    free(saved.bytes);
    ww_shapelets_destroy(&loaded);
    ww_shapelets_destroy(&model);
    ww_dataset_destroy(&test);
    ww_dataset_destroy(&train);
    ww_context_destroy(&context);
    return result;
}
