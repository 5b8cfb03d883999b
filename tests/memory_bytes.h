// SPDX-License-Identifier: Apache-2.0
// Bytes in memory behind a ww_write_fn and a ww_read_fn, which fail when a test asks for it and note what they must not
// be asked for. No allocation, so that tests of failing ones may use it.
#ifndef WAVEWARP_TEST_MEMORY_BYTES_H
#define WAVEWARP_TEST_MEMORY_BYTES_H

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <wavewarp/file.h>

typedef struct wwt_bytes {
    unsigned char *at;
    size_t room, count; // of `at`; of its bytes, how many there are
    size_t taken;       // by reading
    size_t piece;       // most bytes of a call that reads; 0: any number
    size_t calls;
    size_t fails; // the number of the call that fails, from 1; 0: none
    int failure;  // what it returns
    pthread_t thread;
    bool over;  // the end, or a failure: no call may follow
    bool wrong; // something was asked that the declarations exclude
} wwt_bytes;

// For `thread` of the calling thread, with room for what is written and `count` bytes to read.
static inline wwt_bytes wwt_bytes_at(void *at, size_t room, size_t count) {
    return (wwt_bytes){.at = at, .room = room, .count = count, .failure = -1, .thread = pthread_self()};
}

static inline bool wwt_bytes_called(wwt_bytes *b, const void *bytes, size_t count) {
    b->calls++;
    b->wrong = b->wrong || b->over || count == 0 || !bytes || !pthread_equal(b->thread, pthread_self());
    return b->calls != b->fails;
}

static inline int wwt_bytes_write(void *user, const void *bytes, size_t count) {
    wwt_bytes *b = user;
    const bool good = wwt_bytes_called(b, bytes, count);
    b->wrong = b->wrong || count > 65536;
    if (!good || count > b->room - b->count) {
        b->over = true;
        return b->failure;
    }
    memcpy(b->at + b->count, bytes, count);
    b->count += count;
    return 0;
}

static inline int64_t wwt_bytes_read(void *user, void *bytes, size_t room) {
    wwt_bytes *b = user;
    const size_t left = b->count - b->taken;
    size_t count = left < room ? left : room;
    const bool good = wwt_bytes_called(b, bytes, room);
    if (!good || left == 0) {
        b->over = true;
        return good ? 0 : b->failure;
    }
    if (b->piece && count > b->piece)
        count = b->piece;
    memcpy(bytes, b->at + b->taken, count);
    b->taken += count;
    return (int64_t)count;
}

#endif
