// SPDX-License-Identifier: Apache-2.0
// The checkpoint of a discovery: a text file with the places that finished searches found, how far the unfinished one
// is, and a sum over all of it. It belongs to the series and options whose SHA-256 it names.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/grow.h"
#include "files/output.h"
#include "shapelets/shapelet_model.h"

#define HEAD "wavewarp shapelets checkpoint 1\n"
enum { MOST_BYTES = 1 << 28 };

void wwi_shapelet_past_free(wwi_shapelet_past *past) {
    free(past->found);
    free(past->counts);
    memset(past, 0, sizeof *past);
}

static void print_hex(const uint8_t *bytes, char *text) {
    for (size_t i = 0; i < 32; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

typedef struct text {
    char *bytes;
    size_t size, room;
} text;

static ww_status append(text *t, const char *line) {
    const size_t length = strlen(line);
    const ww_status status = wwi_grow(&t->bytes, &t->room, t->size + length + 1, 1);
    if (status == WW_OK) {
        memcpy(t->bytes + t->size, line, length + 1);
        t->size += length;
    }
    return status;
}

static ww_status append_places(text *t, const wwi_shapelet_found *found, size_t count) {
    ww_status status = WW_OK;
    char line[64];
    for (size_t i = 0; status == WW_OK && i < count; i++) {
        const wwi_shapelet_place *p = &found[i].place;
        snprintf(line, sizeof line, "%" PRIu32 " %" PRIu32 " %" PRIu32 "\n", p->series, p->start, p->length);
        status = append(t, line);
    }
    return status;
}

ww_status wwi_shapelet_past_write(const char *path, const wwi_shapelet_past *past) {
    ww_status status;
    wwi_output output;
    text t = {NULL, 0, 0};
    char line[128], hex[65];
    uint8_t digest[32];
    size_t at = 0;
    print_hex(past->identity, hex);
    snprintf(line, sizeof line, HEAD "%s\n%zu\n", hex, past->searches);
    status = append(&t, line);
    for (size_t i = 0; status == WW_OK && i < past->searches; i++) {
        snprintf(line, sizeof line, "%zu\n", past->counts[i]);
        if ((status = append(&t, line)) == WW_OK)
            status = append_places(&t, past->found + at, past->counts[i]);
        at += past->counts[i];
    }
    snprintf(line, sizeof line, "%" PRIu64 " %zu\n", past->columns, past->unfinished_count);
    if (status == WW_OK && (status = append(&t, line)) == WW_OK)
        status = append_places(&t, past->found + at, past->unfinished_count);
    if (status == WW_OK) {
        wwi_checksum(t.bytes, t.size, digest);
        print_hex(digest, hex);
        snprintf(line, sizeof line, "%s\n", hex);
        status = append(&t, line);
    }
    if (status == WW_OK && (status = wwi_output_open(path, &output)) == WW_OK) {
        wwi_output_bytes(&output, t.bytes, t.size);
        status = wwi_output_close(&output, true);
    }
    free(t.bytes);
    return status;
}

// ---- reading

static ww_status damaged(const char *path) {
    wwi_fail(WW_ERROR_FORMAT, "%s is not a checkpoint of shapelets, or is damaged", path);
    return wwi_fail_hint("remove it, or name another file");
}

// The next whole number up to `most`; false: there is none.
static bool next_number(const char **at, uint64_t most, uint64_t *value) {
    const char *p = *at;
    uint64_t v = 0;
    if (*p < '0' || *p > '9')
        return false;
    for (; *p >= '0' && *p <= '9'; p++) {
        if (v > (UINT64_MAX - 9) / 10)
            return false;
        v = v * 10 + (uint64_t)(*p - '0');
    }
    if ((*p != ' ' && *p != '\n') || v > most)
        return false;
    *at = p + 1;
    *value = v;
    return true;
}

static ww_status read_places(const char **at, const char *path, wwi_shapelet_past *past, size_t count) {
    const ww_status status =
        wwi_grow(&past->found, &past->found_room, past->found_count + count + 1, sizeof *past->found);
    for (size_t i = 0; status == WW_OK && i < count; i++) {
        uint64_t v[3];
        for (int k = 0; k < 3; k++)
            if (!next_number(at, INT32_MAX, &v[k]))
                return damaged(path);
        wwi_shapelet_found *one = &past->found[past->found_count + i];
        memset(one, 0, sizeof *one);
        one->place = (wwi_shapelet_place){(uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2]};
    }
    return status;
}

static ww_status parse(const char *bytes, size_t size, const char *path, wwi_shapelet_past *past) {
    ww_status status;
    uint8_t digest[32];
    char hex[65];
    uint64_t searches, value, columns;
    const size_t head = strlen(HEAD);
    if (size < head + 65 + 65 || memcmp(bytes, HEAD, head) != 0)
        return damaged(path);
    wwi_checksum(bytes, size - 65, digest);
    print_hex(digest, hex);
    if (memcmp(bytes + size - 65, hex, 64) != 0)
        return damaged(path);
    for (size_t i = 0; i < 32; i++) {
        unsigned byte;
        if (sscanf(bytes + head + 2 * i, "%2x", &byte) != 1)
            return damaged(path);
        past->identity[i] = (uint8_t)byte;
    }
    const char *at = bytes + head + 65;
    // A place takes six bytes at least, so no count is above the size.
    if (!next_number(&at, size, &searches))
        return damaged(path);
    for (uint64_t i = 0; i < searches; i++) {
        if (!next_number(&at, size, &value))
            return damaged(path);
        if ((status = wwi_grow(&past->counts, &past->search_room, past->searches + 1, sizeof *past->counts)) != WW_OK ||
            (status = read_places(&at, path, past, (size_t)value)) != WW_OK)
            return status;
        past->counts[past->searches++] = (size_t)value;
        past->found_count += (size_t)value;
    }
    if (!next_number(&at, INT32_MAX, &columns) || !next_number(&at, size, &value))
        return damaged(path);
    past->columns = columns;
    past->unfinished_count = (size_t)value;
    status = read_places(&at, path, past, (size_t)value);
    return status == WW_OK && at != bytes + size - 65 ? damaged(path) : status;
}

ww_status wwi_shapelet_past_read(const char *path, wwi_shapelet_past *past, bool *there) {
    ww_status status = WW_OK;
    text t = {NULL, 0, 0};
    struct stat about;
    memset(past, 0, sizeof *past);
    *there = false;
    // Reading a pipe might never end.
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return wwi_fail(WW_ERROR_IO, "%s is not a file", path);
    FILE *file = fopen(path, "rb");
    if (!file)
        return errno == ENOENT ? WW_OK : wwi_fail(WW_ERROR_IO, "%s can't be opened: %s", path, strerror(errno));
    for (size_t got = 1; status == WW_OK && got;) {
        if ((status = wwi_grow(&t.bytes, &t.room, t.size + 4097, 1)) != WW_OK)
            break;
        got = fread(t.bytes + t.size, 1, 4096, file);
        t.size += got;
        t.bytes[t.size] = '\0';
        if (t.size > MOST_BYTES)
            status = damaged(path);
    }
    if (status == WW_OK && ferror(file))
        status = wwi_fail(WW_ERROR_IO, "%s can't be read", path);
    fclose(file);
    if (status == WW_OK)
        status = parse(t.bytes, t.size, path, past);
    *there = status == WW_OK;
    free(t.bytes);
    return status;
}
