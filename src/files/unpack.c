// SPDX-License-Identifier: Apache-2.0
// gzip (RFC 1952) and zip archives (PKWARE's APPNOTE, with its 64-bit sizes), members stored or deflated (RFC 1951).
// zlib does the inflating. A build without it reads stored members alone.
#include "files/unpack.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef WWI_HAVE_ZLIB
#include <zlib.h>
#endif

#include "base/grow.h"
#include "files/file_name.h"
#include "files/number.h"
#include "host.h"

// Deflated data can't become more than this many times its size.
#define MOST_RATIO 1032

const char *wwi_member_of(const char *path) {
    static const char ending[] = ".npz:";
    const size_t size = sizeof ending - 1;
    for (const char *at = path; (at = strchr(at, '.')); at++)
        if (strncasecmp(at, ending, size) == 0 && at[size])
            return access(path, F_OK) == 0 ? NULL : at + size - 1;
    return NULL;
}

static uint64_t unpack_limit(void) {
    const char *named = getenv("WAVEWARP_UNPACK_LIMIT");
    if (!named || *named < '0' || *named > '9')
        return WWI_UNPACK_LIMIT;
    char *end;
    const unsigned long long number = strtoull(named, &end, 10);
    const int shift = *end == 'K' || *end == 'k'   ? 10
                      : *end == 'M' || *end == 'm' ? 20
                      : *end == 'G' || *end == 'g' ? 30
                                                   : 0;
    return number > UINT64_MAX >> shift ? UINT64_MAX : (uint64_t)number << shift;
}

static ww_status fail_limit(const wwi_text *text) {
    wwi_fail(WW_ERROR_OVERFLOW, "%s: becomes more than %" PRIu64 " bytes when unpacked", text->name, unpack_limit());
    return wwi_fail_hint("if it is what it should be, set WAVEWARP_UNPACK_LIMIT, such as 16G, or unpack it first");
}

static ww_status fail_damaged(const wwi_text *text, const char *what) {
    return wwi_fail(WW_ERROR_FORMAT, "%s: damaged: %s", text->name, what);
}

static void end_text(wwi_text *text, size_t size) {
    memset(text->bytes + size, 0, 1 + WWI_NUMBER_SLACK);
    text->size = size;
}

#ifdef WWI_HAVE_ZLIB
typedef struct inflation {
    z_stream stream;
    const char *packed;
    size_t packed_size, taken;
    char *bytes;
    size_t size, capacity;
} inflation;

static void end_inflation(inflation *s) {
    inflateEnd(&s->stream);
    free(s->bytes);
}

#define BEYOND (1 + WWI_NUMBER_SLACK)

// One call of zlib's inflate(). *moved: something was taken or made.
static int inflate_piece(inflation *s, bool *moved) {
    const size_t free_bytes = s->capacity - s->size - BEYOND, left = s->packed_size - s->taken;
    const uInt in = left < (1U << 30) ? (uInt)left : 1U << 30;
    const uInt out = free_bytes < (1U << 20) ? (uInt)free_bytes : 1U << 20; // some milliseconds
    s->stream.next_in = (unsigned char *)(s->packed + s->taken);
    s->stream.avail_in = in;
    s->stream.next_out = (unsigned char *)s->bytes + s->size;
    s->stream.avail_out = out;
    const int result = inflate(&s->stream, Z_NO_FLUSH);
    s->taken += in - s->stream.avail_in;
    s->size += out - s->stream.avail_out;
    *moved = in != s->stream.avail_in || out != s->stream.avail_out;
    return result;
}

// Whether another file follows the one that ended: gzip's may be joined by cat.
static bool has_another(const inflation *s, int window) {
    return window > 15 && s->taken < s->packed_size && s->packed[s->taken] == '\x1F';
}

static ww_status check_piece(const wwi_text *text, const inflation *s, int result, bool moved) {
    if (result == Z_MEM_ERROR)
        return wwi_fail_memory(65536);
    if (result != Z_OK && result != Z_BUF_ERROR)
        return fail_damaged(text, s->stream.msg ? s->stream.msg : "it is not what deflate makes");
    return moved ? WW_OK : fail_damaged(text, "it ends too early");
}

static ww_status inflate_pieces(const wwi_text *text, inflation *s, int window, uint64_t limit) {
    for (;;) {
        bool moved;
        WWI_TRY(wwi_interrupted());
        WWI_TRY(wwi_grow(&s->bytes, &s->capacity, s->size + 65536 + BEYOND, 1));
        const int result = inflate_piece(s, &moved);
        if (s->size > limit)
            return fail_limit(text);
        if (result == Z_STREAM_END && !has_another(s, window))
            return WW_OK;
        WWI_TRY(check_piece(text, s, result == Z_STREAM_END ? inflateReset(&s->stream) : result, moved));
    }
}

// Inflates until the stream or its input ends: what comes of it takes the place of the text. `window`: zlib's, which
// says which header there is.
static ww_status inflate_text(wwi_text *text, const char *packed, size_t packed_size, int window, uint64_t expected) {
    const uint64_t limit = unpack_limit();
    WWI_ENDS(end_inflation) inflation s = {.packed = packed, .packed_size = packed_size};
    if (inflateInit2(&s.stream, window) != Z_OK)
        return wwi_fail_memory(sizeof s.stream);
    if (expected / MOST_RATIO <= packed_size && expected <= limit)
        WWI_TRY(wwi_grow(&s.bytes, &s.capacity, (size_t)expected + 1 + BEYOND, 1));
    WWI_TRY(inflate_pieces(text, &s, window, limit));
    for (; window > 15 && s.taken < packed_size; s.taken++)
        if (packed[s.taken]) // zeros fill tapes' blocks
            return fail_damaged(text, "something follows the packed data");
    free(text->bytes);
    text->bytes = wwi_taken(&s.bytes);
    end_text(text, s.size);
    return WW_OK;
}

static bool has_checksum(const char *bytes, size_t size, uint32_t wanted) {
    uLong sum = crc32(0, NULL, 0);
    for (size_t part; size > 0; bytes += part, size -= part) {
        part = size < (1U << 30) ? size : 1U << 30;
        sum = crc32(sum, (const unsigned char *)bytes, (uInt)part);
    }
    return sum == wanted;
}
#else
static ww_status inflate_text(wwi_text *text, const char *packed, size_t packed_size, int window, uint64_t expected) {
    (void)packed, (void)packed_size, (void)window, (void)expected;
    wwi_fail(WW_ERROR_UNSUPPORTED, "%s: is packed, and this build of Wavewarp has no zlib", text->name);
    return wwi_fail_hint("unpack it first (gunzip, unzip), or build with zlib: Debian's package zlib1g-dev");
}

static bool has_checksum(const char *bytes, size_t size, uint32_t wanted) {
    (void)bytes, (void)size, (void)wanted;
    return true;
}
#endif

// ---- zip

typedef struct entry {
    wwi_span name; // without ".npy"
    unsigned flags, method;
    uint32_t checksum;
    uint64_t packed, unpacked, local; // sizes, and the place of its header
} entry;

// The directory's place, size and number of entries, from the record at the archive's end.
static bool find_directory(const wwi_text *text, uint64_t *place, uint64_t *count) {
    enum { RECORD = 22, LOCATOR = 20, RECORD64 = 56, MOST_COMMENT = 65535 };
    const char *bytes = text->bytes;
    const size_t size = text->size;
    for (size_t back = RECORD; back <= size && back <= RECORD + MOST_COMMENT; back++) {
        const size_t at = size - back;
        if (memcmp(bytes + at, "PK\x05\x06", 4) != 0)
            continue;
        *count = wwi_little(bytes + at + 10, 2);
        *place = wwi_little(bytes + at + 16, 4);
        if (*count != 0xFFFF && *place != 0xFFFFFFFF)
            return *place <= at;
        if (at < LOCATOR || memcmp(bytes + at - LOCATOR, "PK\x06\x07", 4) != 0)
            return false;
        const uint64_t large = wwi_little(bytes + at - LOCATOR + 8, 8);
        if (large > size || size - large < RECORD64 || memcmp(bytes + large, "PK\x06\x06", 4) != 0)
            return false;
        *count = wwi_little(bytes + large + 32, 8);
        *place = wwi_little(bytes + large + 48, 8);
        return *place <= at;
    }
    return false;
}

// 64-bit sizes stand in an extra field, each only where its 32 bits are all ones.
static bool take_large_sizes(const char *extra, size_t size, entry *e) {
    uint64_t *const wanted[] = {&e->unpacked, &e->packed, &e->local};
    for (size_t at = 0; size - at >= 4;) {
        const size_t id = (size_t)wwi_little(extra + at, 2), length = (size_t)wwi_little(extra + at + 2, 2);
        at += 4;
        if (length > size - at)
            return false;
        size_t from = at;
        for (size_t k = 0; id == 1 && k < 3; k++) {
            if (*wanted[k] != 0xFFFFFFFF)
                continue;
            if (at + length - from < 8)
                return false;
            *wanted[k] = wwi_little(extra + from, 8);
            from += 8;
        }
        at += length;
    }
    return true;
}

// The directory's entry at *at, and the place of the next.
static bool next_entry(const wwi_text *text, uint64_t *at, entry *e) {
    enum { HEADER = 46 };
    if (*at > text->size || text->size - *at < HEADER)
        return false;
    const char *header = text->bytes + *at;
    const size_t name = (size_t)wwi_little(header + 28, 2), extra = (size_t)wwi_little(header + 30, 2);
    const size_t comment = (size_t)wwi_little(header + 32, 2);
    if (memcmp(header, "PK\x01\x02", 4) != 0 || text->size - *at - HEADER < name + extra + comment)
        return false;
    *e = (entry){.name = {header + HEADER, header + HEADER + name},
                 .flags = (unsigned)wwi_little(header + 8, 2),
                 .method = (unsigned)wwi_little(header + 10, 2),
                 .checksum = (uint32_t)wwi_little(header + 16, 4),
                 .packed = wwi_little(header + 20, 4),
                 .unpacked = wwi_little(header + 24, 4),
                 .local = wwi_little(header + 42, 4)};
    if (name >= 4 && memcmp(e->name.end - 4, ".npy", 4) == 0)
        e->name.end -= 4;
    *at += HEADER + name + extra + comment;
    return take_large_sizes(header + HEADER + name, extra, e);
}

// Adds a name to a list of them while there is space.
static void list_name(char *names, size_t bytes, wwi_span name) {
    const size_t size = wwi_span_size(name), used = strlen(names);
    if (used + size + 3 >= bytes)
        return;
    strcat(names, used ? ", " : "");
    strncat(names, name.begin, size);
}

// The named entry, or the only one.
static ww_status find_entry(const wwi_text *text, const char *member, entry *found) {
    uint64_t at = 0, count = 0;
    char names[200] = "";
    const size_t length = member ? strlen(member) : 0;
    if (!find_directory(text, &at, &count))
        return fail_damaged(text, "the archive's directory is missing");
    for (uint64_t i = 0; i < count; i++) {
        if (!next_entry(text, &at, found))
            return fail_damaged(text, "the archive's directory ends too early");
        if (member && wwi_span_size(found->name) == length && memcmp(found->name.begin, member, length) == 0)
            return WW_OK;
        list_name(names, sizeof names, found->name);
    }
    if (!member && count == 1)
        return WW_OK;
    if (count == 0)
        return wwi_fail(WW_ERROR_EMPTY, "%s: the archive holds no arrays", text->name);
    if (member)
        wwi_fail(WW_ERROR_FORMAT, "%s: there is no array '%.64s' in it", text->name, member);
    else
        wwi_fail(WW_ERROR_FORMAT, "%s: holds %" PRIu64 " arrays", text->name, count);
    return wwi_fail_hint("name one as FILE.npz:NAME; there are %s", names);
}

enum { STORED = 0, DEFLATED = 8 };

// Where the packed bytes of an entry begin. Entries that can't be read are refused.
static ww_status check_entry(const wwi_text *text, const entry *e, uint64_t *begin) {
    enum { HEADER = 30 };
    if (e->flags & 1)
        return wwi_fail(WW_ERROR_UNSUPPORTED, "%s: the array is encrypted", text->name);
    if (e->method != STORED && e->method != DEFLATED) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "%s: the array is packed by method %u", text->name, e->method);
        return wwi_fail_hint("save it by numpy.savez or numpy.savez_compressed");
    }
    if (e->local > text->size || text->size - e->local < HEADER || memcmp(text->bytes + e->local, "PK\x03\x04", 4) != 0)
        return fail_damaged(text, "the array is not where the directory says");
    const char *header = text->bytes + e->local;
    *begin = e->local + HEADER + wwi_little(header + 26, 2) + wwi_little(header + 28, 2);
    if (*begin > text->size || text->size - *begin < e->packed || (e->method == STORED && e->packed != e->unpacked))
        return fail_damaged(text, "the array ends too early");
    return e->unpacked > unpack_limit() ? fail_limit(text) : WW_OK;
}

static ww_status unpack_archive(wwi_text *text, const char *member) {
    entry e = {.local = 0};
    uint64_t begin = 0;
    WWI_TRY(find_entry(text, member, &e));
    WWI_TRY(check_entry(text, &e, &begin));
    if (e.method == STORED) {
        memmove(text->bytes, text->bytes + begin, (size_t)e.packed);
        end_text(text, (size_t)e.packed);
    } else {
        WWI_TRY(inflate_text(text, text->bytes + begin, (size_t)e.packed, -15, e.unpacked));
    }
    if (text->size != e.unpacked || !has_checksum(text->bytes, text->size, e.checksum))
        return fail_damaged(text, "the array's checksum is wrong");
    return wwi_is_npy(text) ? WW_OK : wwi_fail(WW_ERROR_FORMAT, "%s: what it holds is no .npy array", text->name);
}

ww_status wwi_text_unpack(wwi_text *text, const char *member) {
    if (wwi_text_begins(text, "PK\x03\x04"))
        return unpack_archive(text, member);
    if (member)
        return wwi_fail(WW_ERROR_FORMAT, "%s: not an .npz archive", text->name);
    // The third byte is the method, deflate, which is the only one.
    if (!wwi_text_begins(text, "\x1F\x8B\x08"))
        return WW_OK;
    // The last four bytes are the size, modulo 2^32, of what was packed last.
    const uint64_t expected = text->size >= 18 ? wwi_little(text->bytes + text->size - 4, 4) : 0;
    return inflate_text(text, text->bytes, text->size, 15 + 16, expected);
}
