// SPDX-License-Identifier: Apache-2.0
// The checksums of a store's records (src/work/store.c), for tests that change what they guard.
#ifndef WAVEWARP_TEST_STORE_SUMS_H
#define WAVEWARP_TEST_STORE_SUMS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "host.h"

enum { WWT_RECORD_HEAD = 72, WWT_RECORD_SUM = 32, WWT_RECORD_BYTES = 32 }; // of the head; its last; where `bytes` is

// The record at `at`: where it ends, or 0 where it is not whole.
static inline size_t wwt_store_record_end(const unsigned char *store, size_t size, size_t at) {
    uint64_t bytes;
    if (size - at < WWT_RECORD_HEAD)
        return 0;
    memcpy(&bytes, store + at + WWT_RECORD_BYTES, sizeof bytes);
    return bytes <= size - at - WWT_RECORD_HEAD ? at + WWT_RECORD_HEAD + (size_t)bytes : 0;
}

// Makes the sums of all whole records right.
static inline void wwt_store_sums(unsigned char *store, size_t size) {
    for (size_t at = 0, end; (end = wwt_store_record_end(store, size, at)) > 0; at = end) {
        unsigned char *sum = store + at + WWT_RECORD_HEAD - WWT_RECORD_SUM;
        wwi_checksum(store + at + WWT_RECORD_HEAD, end - at - WWT_RECORD_HEAD, sum);
        uint8_t digest[WWT_RECORD_SUM];
        wwi_checksum(store + at, WWT_RECORD_HEAD, digest);
        memcpy(sum, digest, sizeof digest);
    }
}

#endif
