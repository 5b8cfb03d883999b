// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the records of a store, as one that a process goes on with and as a part. The first record, which says
// of what version it is, is made here, and all sums are made right, so that what they guard is reached.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wavewarp/store.h>

#include "fuzz/fuzz.h"
#include "store_sums.h"

enum { MOST_FIRST = 256 };

static void check_info(const ww_store *store, size_t size) {
    ww_store_info info = WW_STORE_INFO_INIT;
    WWT_REQUIRE(ww_store_get_info(store, &info) == WW_OK);
    WWT_REQUIRE(info.jobs == 0 && info.units == 0 && info.done == info.found_done);
    WWT_REQUIRE(info.bytes <= size && info.note && strlen(info.note) < MOST_FIRST);
}

// The first record: its head, and what it says.
static size_t put_first(unsigned char *to, const char *part) {
    static const uint32_t kind = 1;
    char text[MOST_FIRST - WWT_RECORD_HEAD];
    const uint64_t bytes = (uint64_t)snprintf(text, sizeof text, "%s\npart %s\nnote", ww_version(), part);
    memset(to, 0, WWT_RECORD_HEAD);
    memcpy(to, "wwstore1", 8);
    memcpy(to + 8, &kind, sizeof kind);
    memcpy(to + WWT_RECORD_BYTES, &bytes, sizeof bytes);
    memcpy(to + WWT_RECORD_HEAD, text, (size_t)bytes);
    return WWT_RECORD_HEAD + (size_t)bytes;
}

// In memory: a store is opened by its path, read and written in place.
static int put_file(const uint8_t *data, size_t size, const char *part, char path[32], size_t *written) {
    unsigned char *bytes = malloc(MOST_FIRST + size);
    WWT_REQUIRE(bytes);
    const size_t first = put_first(bytes, part);
    if (size)
        memcpy(bytes + first, data, size);
    wwt_store_sums(bytes, first + size);
    const int file = memfd_create("store", 0);
    WWT_REQUIRE(file >= 0 && write(file, bytes, first + size) == (ssize_t)(first + size));
    (void)snprintf(path, 32, "/proc/self/fd/%d", file);
    *written = first + size;
    free(bytes);
    return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[32];
    size_t written;
    ww_store_options options = WW_STORE_OPTIONS_INIT;
    ww_store *store = NULL;
    options.resume = 1;
    int file = put_file(data, size, "0 of 0", path, &written);
    wwt_fuzz_status(ww_store_open(path, &options, &store));
    if (store)
        check_info(store, written);
    wwt_fuzz_status(ww_store_close(&store, 1));
    close(file);
    file = put_file(data, size, "1 of 1", path, &written);
    const char *const paths[] = {path};
    wwt_fuzz_status(ww_store_open_parts(paths, 1, 0, &store));
    if (store)
        check_info(store, written);
    wwt_fuzz_status(ww_store_close(&store, 1));
    close(file);
    return 0;
}
