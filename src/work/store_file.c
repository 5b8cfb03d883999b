// SPDX-License-Identifier: Apache-2.0
// See store_file.h.
#include "work/store_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/run.h"
#include "host.h"

// ---- records

static void sum_of(const wwi_record_head *h, const void *bytes, uint8_t sum[WWI_STORE_SUM]) {
    uint8_t both[sizeof(wwi_record_head)];
    memcpy(both, h, sizeof *h - WWI_STORE_SUM);
    wwi_checksum(bytes, (size_t)h->bytes, both + sizeof *h - WWI_STORE_SUM);
    wwi_checksum(both, sizeof both, sum);
}

ww_status wwi_store_io_error(const wwi_store_source *s, const char *what) {
    return wwi_fail(WW_ERROR_IO, "%s can't be %s: %s", s->path, what, strerror(errno));
}

ww_status wwi_store_damaged(const wwi_store_source *s) {
    wwi_fail(WW_ERROR_FORMAT, "%s is not a store of this version, or is damaged", s->path);
    return wwi_fail_hint("remove it, or name another file");
}

// As many of `size` bytes as there are.
ww_status wwi_store_read_at(const wwi_store_source *s, uint64_t at, void *to, size_t size, size_t *got) {
    for (*got = 0; *got < size;) {
        const ssize_t some = pread(s->file, (char *)to + *got, size - *got, (off_t)(at + *got));
        if (some < 0 && errno == EINTR)
            continue;
        if (some < 0)
            return wwi_store_io_error(s, "read");
        if (some == 0)
            break;
        *got += (size_t)some;
    }
    return WW_OK;
}

static ww_status write_at(const wwi_store_source *s, uint64_t at, const void *from, size_t size) {
    for (size_t did = 0; did < size;) {
        const ssize_t some = pwrite(s->file, (const char *)from + did, size - did, (off_t)(at + did));
        if (some < 0 && errno == EINTR)
            continue;
        if (some < 0)
            return wwi_store_io_error(s, "written");
        did += (size_t)some;
    }
    return WW_OK;
}

// Under the lock.
ww_status wwi_store_append(ww_store *store, wwi_record_head *h, const void *bytes) {
    wwi_store_source *s = &store->sources[0];
    memcpy(h->magic, WWI_STORE_MAGIC, sizeof h->magic);
    sum_of(h, bytes, h->sum);
    ww_status status = write_at(s, s->end, h, sizeof *h);
    if (status == WW_OK)
        status = write_at(s, s->end + sizeof *h, bytes, (size_t)h->bytes);
    if (status == WW_OK)
        s->end += sizeof *h + h->bytes;
    else
        (void)!ftruncate(s->file, (off_t)s->end);
    return status;
}

ww_status wwi_store_sync(ww_store *store) {
    const double start = wwi_seconds();
    if (fsync(store->sources[0].file) != 0)
        return wwi_store_io_error(&store->sources[0], "written");
    store->synced = wwi_seconds();
    store->sync_cost = store->synced - start;
    return WW_OK;
}

// ---- what a file has

ww_status wwi_store_add_job(ww_store *store, char **text, uint64_t units, bool written) {
    WWI_TRY(wwi_grow(&store->jobs, &store->job_capacity, store->job_count + 1, sizeof *store->jobs));
    store->jobs[store->job_count++] = (wwi_kept_job){wwi_taken(text), units, 0, written};
    return WW_OK;
}

ww_status wwi_store_add_entry(ww_store *store, wwi_kept_entry e) {
    WWI_TRY(wwi_grow(&store->entries, &store->entry_capacity, store->entry_count + 1, sizeof *store->entries));
    store->entries[store->entry_count++] = e;
    store->done += e.units.count;
    return WW_OK;
}

// The line of a text, from 0; *length of it.
const char *wwi_store_line(const char *text, int line, size_t *length) {
    for (; line > 0 && *text; line--)
        text += strcspn(text, "\n") + (strchr(text, '\n') != NULL);
    *length = strcspn(text, "\n");
    return text;
}

// In what two jobs differ; NULL: in nothing.
const char *wwi_store_difference(const ww_store *store, const char *a, const char *b) {
    static const char *const names[] = {"job", "options", "inputs", "device"};
    for (int i = 0; i < 4; i++) {
        size_t n, m;
        const char *x = wwi_store_line(a, i, &n), *y = wwi_store_line(b, i, &m);
        if ((n != m || memcmp(x, y, n) != 0) && !(i == 3 && store->any_device))
            return names[i];
    }
    return NULL;
}

// A job's text: a new job, or, of a further part, that of the parts before. Takes the text.
static ww_status read_job(ww_store *store, const wwi_store_source *s, const wwi_record_head *h, char **text) {
    if (h->job > store->job_count || h->bytes > WWI_STORE_MOST_TEXT)
        return wwi_store_damaged(s);
    const bool own = !store->read_only && s == store->sources;
    if (h->job == store->job_count)
        return wwi_store_add_job(store, text, h->count, own);
    wwi_kept_job *known = &store->jobs[h->job];
    known->written |= own;
    const char *differs = wwi_store_difference(store, known->text, *text);
    if (!differs && known->units == h->count)
        return WW_OK;
    return wwi_fail(WW_ERROR_FORMAT, "%s and %s are parts of different jobs: they differ in %s", store->sources[0].path,
                    s->path, differs ? differs : "size");
}

ww_status wwi_store_take_file_text(ww_store *store, wwi_store_source *s, const char *text) {
    size_t length;
    const char *version = wwi_store_line(text, 0, &length), *part = wwi_store_line(text, 1, &(size_t){0});
    if (length != strlen(ww_version()) || memcmp(version, ww_version(), length) != 0) {
        wwi_fail(WW_ERROR_FORMAT, "%s is of another version: %.*s; this is %s", s->path, (int)length, version,
                 ww_version());
        return wwi_fail_hint("use that version, or remove the file");
    }
    const char *note = strchr(part, '\n');
    if (!note || sscanf(part, "part %u of %u", &s->part, &s->part_count) != 2)
        return wwi_store_damaged(s);
    if (s != store->sources)
        return WW_OK;
    store->note = strdup(note + 1);
    return store->note ? WW_OK : wwi_fail_memory(strlen(note));
}

static ww_status read_record(ww_store *store, size_t which, const wwi_record_head *h, char **bytes) {
    wwi_store_source *s = &store->sources[which];
    const bool first = s->end == 0;
    if (first != (h->kind == WWI_RECORD_FILE))
        return wwi_store_damaged(s);
    if (first)
        return wwi_store_take_file_text(store, s, *bytes);
    if (h->kind == WWI_RECORD_JOB)
        return read_job(store, s, h, bytes);
    if (h->kind != WWI_RECORD_UNITS || h->job >= store->job_count || h->first > store->jobs[h->job].units ||
        h->count > store->jobs[h->job].units - h->first)
        return wwi_store_damaged(s);
    return wwi_store_add_entry(
        store,
        (wwi_kept_entry){h->job, which, {(size_t)h->first, (size_t)h->count}, s->end + sizeof *h, h->bytes, false});
}

// Reads the next record; *whole false: there is no whole one.
static ww_status next_record(ww_store *store, size_t which, uint64_t size, bool *whole) {
    wwi_store_source *s = &store->sources[which];
    wwi_record_head h;
    size_t got;
    uint8_t sum[WWI_STORE_SUM];
    *whole = false;
    WWI_TRY(wwi_store_read_at(s, s->end, &h, sizeof h, &got));
    if (memcmp(h.magic, WWI_STORE_MAGIC, (size_t)wwi_least(got, sizeof h.magic)) != 0)
        return wwi_store_damaged(s);
    if (got < sizeof h || h.bytes > size - s->end - sizeof h)
        return WW_OK;
    WWI_FREES char *bytes = malloc((size_t)h.bytes + 1);
    if (!bytes)
        return wwi_fail_memory(h.bytes + 1);
    WWI_TRY(wwi_store_read_at(s, s->end + sizeof h, bytes, (size_t)h.bytes, &got));
    bytes[h.bytes] = '\0';
    sum_of(&h, bytes, sum);
    if (got < h.bytes || memcmp(sum, h.sum, WWI_STORE_SUM) != 0) // of the last one its bytes may be missing
        return s->end + sizeof h + h.bytes == size ? WW_OK : wwi_store_damaged(s);
    WWI_TRY(read_record(store, which, &h, &bytes));
    s->end += sizeof h + h.bytes;
    *whole = true;
    return WW_OK;
}

ww_status wwi_store_read_file(ww_store *store, size_t which) {
    wwi_store_source *s = &store->sources[which];
    struct stat about;
    bool whole = true;
    if (fstat(s->file, &about) != 0)
        return wwi_store_io_error(s, "read");
    if (!S_ISREG(about.st_mode))
        return wwi_fail(WW_ERROR_IO, "%s is not a file", s->path);
    const uint64_t size = (uint64_t)about.st_size;
    while (whole && s->end < size)
        WWI_TRY(next_record(store, which, size, &whole));
    if (s->end == size)
        return WW_OK;
    if (store->read_only) {
        wwi_fail(WW_ERROR_FORMAT, "%s is cut: its last record is not whole", s->path);
        return wwi_fail_hint("go on with that part first");
    }
    if (which > 0) // another process may be writing it
        return WW_OK;
    return ftruncate(s->file, (off_t)s->end) == 0 ? WW_OK : wwi_store_io_error(s, "written");
}
