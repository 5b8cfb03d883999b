// SPDX-License-Identifier: Apache-2.0
// Stores: files of records that are appended as units of jobs are finished. See store.h.
//
// A record is a head and `bytes` bytes. The first says of what version and part the file is; then each job's text comes
// before what its units gave. All of a file is read and its sums are compared when it is opened; what units gave is
// read again when it is taken. Only a last record can be half written: that is cut off.
#include "work/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/kit.h"
#include "host.h"
#include "options.h"

#define MAGIC "wwstore1"
enum { SUM = 32, RECORD_FILE = 1, RECORD_JOB = 2, RECORD_UNITS = 3, MOST_TEXT = 1 << 20 };

typedef struct head {
    char magic[8];
    uint32_t kind, job;
    uint64_t first, count, bytes; // of a job `count` is its units
    uint8_t sum[SUM];
} head;
_Static_assert(sizeof(head) == 72, "a record's head has no gaps");

typedef struct source {
    char *path;
    int file;
    unsigned part, part_count;
    uint64_t end; // of what is read or written
} source;

typedef struct kept_job {
    char *text; // lines of job, options, inputs, device
    uint64_t units, part_units;
    bool written; // the text is in this process's own file
} kept_job;

typedef struct entry {
    uint32_t job;
    size_t source;
    wwi_span units;
    uint64_t at, bytes;
    bool given; // to this process: it computed it, or has taken it
} entry;

struct ww_store {
    wwi_counted counted;  // by its caller and by contexts
    bool closed;          // by its caller
    pthread_mutex_t lock; // of entries and the file
    source *sources;      // this process's own and those of others, or all parts
    size_t source_count;
    bool read_only, any_device, made;
    uint8_t inputs[SUM];
    kept_job *jobs;
    size_t job_count, job_capacity;
    entry *entries;
    size_t entry_count, entry_capacity;
    size_t begun; // jobs of this process
    uint64_t done, found;
    double synced, sync_cost;
    char job_name[64];
    char *note;
    ww_store_share share; // next NULL: this process has all units
    bool offered;         // of such a job: its part was
};

// ---- bytes

ww_status wwi_bytes_put(wwi_bytes *b, const void *values, size_t size) {
    if (size == 0)
        return WW_OK;
    WWI_TRY(wwi_grow(&b->data, &b->capacity, b->size + size, 1));
    memcpy(b->data + b->size, values, size);
    b->size += size;
    return WW_OK;
}

void wwi_bytes_free(wwi_bytes *b) {
    free(b->data);
    *b = (wwi_bytes){NULL, 0, 0};
}

ww_status wwi_bytes_point(wwi_taken_bytes *from, size_t size, const void **values) {
    if (size > from->left)
        return wwi_fail(WW_ERROR_FORMAT, "a record of the store has fewer values than its units");
    *values = from->at;
    from->at += size;
    from->left -= size;
    return WW_OK;
}

ww_status wwi_bytes_take(wwi_taken_bytes *from, void *values, size_t size) {
    const void *at = NULL;
    WWI_TRY(wwi_bytes_point(from, size, &at));
    if (values && size)
        memcpy(values, at, size);
    return WW_OK;
}

ww_status wwi_bytes_put_rows(wwi_bytes *b, const void *rows, wwi_span units, size_t row_bytes) {
    return rows ? wwi_bytes_put(b, (const unsigned char *)rows + units.first * row_bytes, units.count * row_bytes)
                : WW_OK;
}

ww_status wwi_bytes_take_rows(wwi_taken_bytes *from, void *rows, wwi_span units, size_t row_bytes) {
    return rows ? wwi_bytes_take(from, (unsigned char *)rows + units.first * row_bytes, units.count * row_bytes)
                : WW_OK;
}

// ---- records

static void sum_of(const head *h, const void *bytes, uint8_t sum[SUM]) {
    uint8_t both[sizeof(head)];
    memcpy(both, h, sizeof *h - SUM);
    wwi_checksum(bytes, (size_t)h->bytes, both + sizeof *h - SUM);
    wwi_checksum(both, sizeof both, sum);
}

static ww_status io_error(const source *s, const char *what) {
    return wwi_fail(WW_ERROR_IO, "%s can't be %s: %s", s->path, what, strerror(errno));
}

static ww_status damaged(const source *s) {
    wwi_fail(WW_ERROR_FORMAT, "%s is not a store of this version, or is damaged", s->path);
    return wwi_fail_hint("remove it, or name another file");
}

// As many of `size` bytes as there are.
static ww_status read_at(const source *s, uint64_t at, void *to, size_t size, size_t *got) {
    for (*got = 0; *got < size;) {
        const ssize_t some = pread(s->file, (char *)to + *got, size - *got, (off_t)(at + *got));
        if (some < 0 && errno == EINTR)
            continue;
        if (some < 0)
            return io_error(s, "read");
        if (some == 0)
            break;
        *got += (size_t)some;
    }
    return WW_OK;
}

static ww_status write_at(const source *s, uint64_t at, const void *from, size_t size) {
    for (size_t did = 0; did < size;) {
        const ssize_t some = pwrite(s->file, (const char *)from + did, size - did, (off_t)(at + did));
        if (some < 0 && errno == EINTR)
            continue;
        if (some < 0)
            return io_error(s, "written");
        did += (size_t)some;
    }
    return WW_OK;
}

// Under the lock.
static ww_status append(ww_store *store, head *h, const void *bytes) {
    source *s = &store->sources[0];
    memcpy(h->magic, MAGIC, sizeof h->magic);
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

static ww_status sync_file(ww_store *store) {
    const double start = wwi_seconds();
    if (fsync(store->sources[0].file) != 0)
        return io_error(&store->sources[0], "written");
    store->synced = wwi_seconds();
    store->sync_cost = store->synced - start;
    return WW_OK;
}

// ---- what a file has

static ww_status add_job(ww_store *store, char **text, uint64_t units, bool written) {
    WWI_TRY(wwi_grow(&store->jobs, &store->job_capacity, store->job_count + 1, sizeof *store->jobs));
    store->jobs[store->job_count++] = (kept_job){wwi_taken(text), units, 0, written};
    return WW_OK;
}

static ww_status add_entry(ww_store *store, entry e) {
    WWI_TRY(wwi_grow(&store->entries, &store->entry_capacity, store->entry_count + 1, sizeof *store->entries));
    store->entries[store->entry_count++] = e;
    store->done += e.units.count;
    return WW_OK;
}

// The line of a text, from 0; *length of it.
static const char *line_of(const char *text, int line, size_t *length) {
    for (; line > 0 && *text; line--)
        text += strcspn(text, "\n") + (strchr(text, '\n') != NULL);
    *length = strcspn(text, "\n");
    return text;
}

// In what two jobs differ; NULL: in nothing.
static const char *difference(const ww_store *store, const char *a, const char *b) {
    static const char *const names[] = {"job", "options", "inputs", "device"};
    for (int i = 0; i < 4; i++) {
        size_t n, m;
        const char *x = line_of(a, i, &n), *y = line_of(b, i, &m);
        if ((n != m || memcmp(x, y, n) != 0) && !(i == 3 && store->any_device))
            return names[i];
    }
    return NULL;
}

// A job's text: a new job, or, of a further part, that of the parts before. Takes the text.
static ww_status read_job(ww_store *store, const source *s, const head *h, char **text) {
    if (h->job > store->job_count || h->bytes > MOST_TEXT)
        return damaged(s);
    const bool own = !store->read_only && s == store->sources;
    if (h->job == store->job_count)
        return add_job(store, text, h->count, own);
    kept_job *known = &store->jobs[h->job];
    known->written |= own;
    const char *differs = difference(store, known->text, *text);
    if (!differs && known->units == h->count)
        return WW_OK;
    return wwi_fail(WW_ERROR_FORMAT, "%s and %s are parts of different jobs: they differ in %s", store->sources[0].path,
                    s->path, differs ? differs : "size");
}

static ww_status read_file_text(ww_store *store, source *s, const char *text) {
    size_t length;
    const char *version = line_of(text, 0, &length), *part = line_of(text, 1, &(size_t){0});
    if (length != strlen(ww_version()) || memcmp(version, ww_version(), length) != 0) {
        wwi_fail(WW_ERROR_FORMAT, "%s is of another version: %.*s; this is %s", s->path, (int)length, version,
                 ww_version());
        return wwi_fail_hint("go on with that version, or remove it");
    }
    const char *note = strchr(part, '\n');
    if (!note || sscanf(part, "part %u of %u", &s->part, &s->part_count) != 2)
        return damaged(s);
    if (s != store->sources)
        return WW_OK;
    store->note = strdup(note + 1);
    return store->note ? WW_OK : wwi_fail_memory(strlen(note));
}

static ww_status read_record(ww_store *store, size_t which, const head *h, char **bytes) {
    source *s = &store->sources[which];
    const bool first = s->end == 0;
    if (first != (h->kind == RECORD_FILE))
        return damaged(s);
    if (first)
        return read_file_text(store, s, *bytes);
    if (h->kind == RECORD_JOB)
        return read_job(store, s, h, bytes);
    if (h->kind != RECORD_UNITS || h->job >= store->job_count || h->first > store->jobs[h->job].units ||
        h->count > store->jobs[h->job].units - h->first)
        return damaged(s);
    return add_entry(store,
                     (entry){h->job, which, {(size_t)h->first, (size_t)h->count}, s->end + sizeof *h, h->bytes, false});
}

// Reads the next record; *whole false: there is no whole one.
static ww_status next_record(ww_store *store, size_t which, uint64_t size, bool *whole) {
    source *s = &store->sources[which];
    head h;
    size_t got;
    uint8_t sum[SUM];
    *whole = false;
    WWI_TRY(read_at(s, s->end, &h, sizeof h, &got));
    if (memcmp(h.magic, MAGIC, (size_t)wwi_least(got, sizeof h.magic)) != 0)
        return damaged(s);
    if (got < sizeof h || h.bytes > size - s->end - sizeof h)
        return WW_OK;
    WWI_FREES char *bytes = malloc((size_t)h.bytes + 1);
    if (!bytes)
        return wwi_fail_memory(h.bytes + 1);
    WWI_TRY(read_at(s, s->end + sizeof h, bytes, (size_t)h.bytes, &got));
    bytes[h.bytes] = '\0';
    sum_of(&h, bytes, sum);
    if (got < h.bytes || memcmp(sum, h.sum, SUM) != 0) // of the last one its bytes may be missing
        return s->end + sizeof h + h.bytes == size ? WW_OK : damaged(s);
    WWI_TRY(read_record(store, which, &h, &bytes));
    s->end += sizeof h + h.bytes;
    *whole = true;
    return WW_OK;
}

static ww_status read_all(ww_store *store, size_t which) {
    source *s = &store->sources[which];
    struct stat about;
    bool whole = true;
    if (fstat(s->file, &about) != 0)
        return io_error(s, "read");
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
    return ftruncate(s->file, (off_t)s->end) == 0 ? WW_OK : io_error(s, "written");
}

// ---- opening and closing

static void close_files(ww_store *store) {
    for (size_t i = 0; i < store->source_count; i++) {
        if (store->sources[i].file >= 0)
            (void)close(store->sources[i].file);
        store->sources[i].file = -1;
    }
}

static void destroy(wwi_counted *counted) {
    ww_store *store = (ww_store *)counted;
    close_files(store);
    for (size_t i = 0; i < store->source_count; i++)
        free(store->sources[i].path);
    for (size_t i = 0; i < store->job_count; i++)
        free(store->jobs[i].text);
    free(store->note);
    free(store->sources);
    free(store->jobs);
    free(store->entries);
    (void)pthread_mutex_destroy(&store->lock);
    free(store);
}

static void store_free(ww_store **out) {
    wwi_counted_release((wwi_counted *)wwi_taken(out));
}

static ww_status make(size_t sources, ww_store **out) {
    WWI_ENDS(store_free) ww_store *store = NULL;
    WWI_TRY(wwi_new_zeroed(store, 1));
    atomic_init(&store->counted.references, 1);
    store->counted.destroy = destroy;
    (void)pthread_mutex_init(&store->lock, NULL);
    WWI_TRY(wwi_new_zeroed(store->sources, sources));
    store->source_count = sources;
    for (size_t i = 0; i < sources; i++)
        store->sources[i].file = -1;
    *out = wwi_taken(&store);
    return WW_OK;
}

static ww_status open_source(source *s, const char *path, int flags) {
    s->path = strdup(path);
    if (!s->path)
        return wwi_fail_memory(strlen(path) + 1);
    s->file = open(path, flags | O_CLOEXEC, 0666);
    return s->file >= 0 ? WW_OK : io_error(s, "opened");
}

static ww_status begin_file(ww_store *store, const ww_store_options *o) {
    WWI_FREES char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return wwi_fail_memory(size);
    fprintf(to, "%s\npart %u of %u\n%s", ww_version(), o->part, o->part_count, o->note ? o->note : "");
    if (fclose(to) != 0)
        return wwi_fail_memory(size);
    head h = {.kind = RECORD_FILE, .bytes = size};
    WWI_TRY(append(store, &h, text));
    return read_file_text(store, &store->sources[0], text);
}

// What other processes have kept by now, where they have begun.
static ww_status read_others(ww_store *store) {
    for (size_t i = 1; i < store->source_count && !store->read_only; i++) {
        source *s = &store->sources[i];
        if (s->file < 0 && access(s->path, F_OK) != 0)
            continue;
        if (s->file < 0 && (s->file = open(s->path, O_RDONLY | O_CLOEXEC)) < 0)
            return io_error(s, "opened");
        WWI_TRY(read_all(store, i));
        if (s->end > 0 && s->part_count)
            return wwi_fail(WW_ERROR_FORMAT, "%s is part %u of %u", s->path, s->part, s->part_count);
    }
    return WW_OK;
}

static ww_status take_share(ww_store *store, const ww_store_share *share) {
    if (!share)
        return WW_OK;
    if (!share->next || !share->wait || !share->pieces || (share->count && !share->paths))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a share without functions, pieces or paths");
    store->share = *share;
    for (size_t i = 0; i < share->count; i++) {
        WWI_NEEDS("share.paths[]", share->paths[i]);
        if (!(store->sources[1 + i].path = strdup(share->paths[i])))
            return wwi_fail_memory(strlen(share->paths[i]));
    }
    return read_others(store);
}

static ww_status check_part(const source *s, const ww_store_options *o) {
    if (s->part == o->part && s->part_count == o->part_count)
        return WW_OK;
    wwi_fail(WW_ERROR_FORMAT, "%s is part %u of %u, not %u of %u", s->path, s->part, s->part_count, o->part,
             o->part_count);
    return wwi_fail_hint("0 of 0 is the whole; name another file");
}

static ww_status check_note(const char *note) {
    return !note || strlen(note) <= MOST_TEXT - 256
               ? WW_OK
               : wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a note of %zu bytes is too long", strlen(note));
}

ww_status ww_store_open(const char *path, const ww_store_options *options, ww_store **out) {
    ww_store_options o = WW_STORE_OPTIONS_INIT;
    WWI_ENDS(store_free) ww_store *store = NULL;
    if (out)
        *out = NULL;
    WWI_NEEDS("path, store", path, out);
    WWI_TRY(wwi_options_take(&o, options, "ww_store_options"));
    if ((o.part == 0) != (o.part_count == 0) || o.part > o.part_count)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "part %u of %u", o.part, o.part_count);
    if (o.share && o.part)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a part that several processes share");
    WWI_TRY(check_note(o.note));
    WWI_TRY(make(1 + (o.share ? o.share->count : 0), &store));
    source *s = &store->sources[0];
    store->any_device = o.any_device != 0;
    const bool there = access(path, F_OK) == 0;
    WWI_TRY(open_source(s, path, O_RDWR | (there ? 0 : O_CREAT)));
    if (flock(s->file, LOCK_EX | LOCK_NB) != 0)
        return wwi_fail(WW_ERROR_IO, "%s is in use by another process, or a store of this one", path);
    WWI_TRY(read_all(store, 0));
    if (s->end > 0 && !o.resume) {
        wwi_fail(WW_ERROR_IO, "%s is there: a run that did not end left it", path);
        return wwi_fail_hint("resume that run, or remove the file");
    }
    if (s->end > 0)
        WWI_TRY(check_part(s, &o));
    else
        WWI_TRY(begin_file(store, &o));
    WWI_TRY(take_share(store, o.share));
    store->found = store->done;
    store->made = !there;
    *out = wwi_taken(&store);
    return WW_OK;
}

// All of a division, each once.
static ww_status check_parts(const ww_store *store) {
    const source *s = store->sources;
    for (size_t i = 0; i < store->source_count; i++) {
        if (s[i].part == 0 || s[i].part_count != s[0].part_count)
            return wwi_fail(WW_ERROR_FORMAT, "%s is part %u of %u, and %s part %u of %u", s[0].path, s[0].part,
                            s[0].part_count, s[i].path, s[i].part, s[i].part_count);
        for (size_t j = 0; j < i; j++)
            if (s[j].part == s[i].part)
                return wwi_fail(WW_ERROR_FORMAT, "%s and %s are both part %u", s[j].path, s[i].path, s[i].part);
    }
    for (unsigned part = 1; part <= s[0].part_count; part++) {
        bool found = false;
        for (size_t i = 0; i < store->source_count && !found; i++)
            found = s[i].part == part;
        if (!found)
            return wwi_fail(WW_ERROR_FORMAT, "part %u of %u is missing", part, s[0].part_count);
    }
    return WW_OK;
}

ww_status ww_store_open_parts(const char *const *paths, size_t count, int any_device, ww_store **out) {
    WWI_ENDS(store_free) ww_store *store = NULL;
    if (out)
        *out = NULL;
    WWI_NEEDS("paths, store", paths, out);
    if (count == 0)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "no parts");
    WWI_TRY(make(count, &store));
    store->read_only = true;
    store->any_device = any_device != 0;
    for (size_t i = 0; i < count; i++) {
        WWI_NEEDS("path", paths[i]);
        WWI_TRY(open_source(&store->sources[i], paths[i], O_RDONLY));
        WWI_TRY(read_all(store, i));
        if (store->sources[i].end == 0)
            return damaged(&store->sources[i]);
    }
    WWI_TRY(check_parts(store));
    store->found = store->done;
    *out = wwi_taken(&store);
    return WW_OK;
}

ww_status ww_store_close(ww_store **out, int keep) {
    ww_store *store = out ? *out : NULL;
    ww_status status = WW_OK;
    if (!store)
        return WW_OK;
    *out = NULL;
    if (!store->read_only && keep && store->job_count > 0)
        status = sync_file(store);
    else if (!store->read_only && (!keep || store->made) && unlink(store->sources[0].path) != 0)
        status = io_error(&store->sources[0], "removed");
    store->closed = true;
    close_files(store);
    store_free(&store);
    return status;
}

ww_status ww_store_get_info(const ww_store *store, ww_store_info *info) {
    ww_store_info own = WW_STORE_INFO_INIT;
    WWI_NEEDS("store, info", store, info);
    own.job = store->job_name;
    own.part = store->read_only ? 0 : store->sources[0].part;
    own.part_count = store->sources[0].part_count;
    own.jobs = store->begun;
    for (size_t i = 0; i < store->begun; i++)
        own.units += store->jobs[i].part_units;
    own.note = store->note ? store->note : "";
    own.done = store->done;
    own.found_done = store->found;
    for (size_t i = 0; i < store->source_count; i++)
        own.bytes += store->sources[i].end;
    return wwi_struct_give(info, &own, "ww_store_info");
}

// ---- jobs

void wwi_store_add_input(ww_store *store, const void *values, size_t size) {
    uint8_t both[2 * SUM];
    if (!store)
        return;
    memcpy(both, store->inputs, SUM);
    wwi_checksum(values ? values : "", values ? size : 0, both + SUM);
    wwi_checksum(both, sizeof both, store->inputs);
}

static ww_status text_of(const ww_store *store, const wwi_store_job *job, char **text) {
    size_t size = 0;
    FILE *to = open_memstream(text, &size);
    if (!to)
        return wwi_fail_memory(size);
    job->name(job->of, to);
    fputc('\n', to);
    for (int i = 0; i < SUM; i++)
        fprintf(to, "%02x", store->inputs[i]);
    const ww_device_info *info = wwi_context_info(job->context);
    fprintf(to, "\n%s, %s, kernels %s\n", info->name, info->driver, ww_context_kernel_source(job->context));
    return fclose(to) == 0 ? WW_OK : wwi_fail_memory(size);
}

static size_t first_of_part(const wwi_store_job *job, unsigned part, unsigned parts) {
    const double work = job->before[job->units] * (double)part / (double)parts;
    size_t low = 0, high = job->units;
    if (part == parts)
        return job->units;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (job->before[middle] < work)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static ww_status compare_job(const ww_store *store, const kept_job *known, const char *text, size_t units) {
    const char *differs = difference(store, known->text, text);
    if ((!differs || (store->read_only && strcmp(differs, "device") == 0)) && known->units == units)
        return WW_OK;
    size_t has, is;
    const char *one = line_of(known->text, 0, &has), *other = line_of(text, 0, &is);
    if (differs && strcmp(differs, "job") == 0)
        wwi_fail(WW_ERROR_FORMAT, "%s is of another job: %.*s; this is %.*s", store->sources[0].path, (int)has, one,
                 (int)is, other);
    else
        wwi_fail(WW_ERROR_FORMAT, "%s belongs to a job of %s %s", store->sources[0].path,
                 differs && strcmp(differs, "device") == 0 ? "another" : "other", differs ? differs : "size");
    return wwi_fail_hint(differs && strcmp(differs, "device") == 0
                             ? "use a device of that kind, or allow any device"
                             : "give what it was begun with, or name another file");
}

// In this process's own file, before what its units give.
static ww_status write_job(ww_store *store, size_t number) {
    kept_job *job = &store->jobs[number];
    head h = {.kind = RECORD_JOB, .job = (uint32_t)number, .count = job->units, .bytes = strlen(job->text)};
    if (store->read_only || job->written)
        return WW_OK;
    WWI_TRY(append(store, &h, job->text));
    job->written = true;
    return WW_OK;
}

ww_status wwi_store_begin(ww_store *store, const wwi_store_job *job, size_t *number, wwi_span *part) {
    const unsigned parts = store->read_only ? 0 : store->sources[0].part_count, own = store->sources[0].part;
    WWI_FREES char *text = NULL;
    if (store->closed)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s is closed: its context computes nothing any more",
                        store->sources[0].path);
    WWI_TRY(text_of(store, job, &text));
    *number = store->begun;
    part->first = parts ? first_of_part(job, own - 1, parts) : 0;
    part->count = parts ? first_of_part(job, own, parts) - part->first : job->units;
    if (*number == 0)
        (void)snprintf(store->job_name, sizeof store->job_name, "%.*s", (int)strcspn(text, "\n"), text);
    if (*number < store->job_count) {
        WWI_TRY(compare_job(store, &store->jobs[*number], text, job->units));
    } else if (store->read_only) {
        return wwi_fail(WW_ERROR_FORMAT, "the parts have nothing of this job: %s", store->job_name);
    } else {
        WWI_TRY(add_job(store, &text, job->units, false));
    }
    WWI_TRY(write_job(store, *number));
    store->jobs[*number].part_units = part->count;
    store->begun++;
    store->offered = false;
    return WW_OK;
}

ww_status wwi_store_each(ww_store *store, size_t number,
                         ww_status (*take)(void *of, wwi_span units, wwi_taken_bytes *from), void *of) {
    WWI_FREES unsigned char *bytes = NULL;
    size_t capacity = 0, got;
    for (size_t i = 0; i < store->entry_count; i++) {
        entry *e = &store->entries[i];
        const source *s = &store->sources[e->source];
        if (e->job != number || e->given)
            continue;
        WWI_TRY(wwi_grow(&bytes, &capacity, (size_t)e->bytes + 1, 1));
        WWI_TRY(read_at(s, e->at, bytes, (size_t)e->bytes, &got));
        if (got < e->bytes)
            return damaged(s);
        wwi_taken_bytes from = {bytes, got};
        WWI_TRY(take(of, e->units, &from));
        if (from.left)
            return damaged(s);
        e->given = true;
    }
    return WW_OK;
}

void wwi_store_next(ww_store *store, size_t number, const wwi_store_job *job, wwi_span part, wwi_span *piece) {
    const ww_store_share *share = &store->share;
    const unsigned pieces = job->units < share->pieces ? (unsigned)job->units : share->pieces;
    *piece = (wwi_span){part.first, 0};
    if (!share->next) {
        piece->count = store->offered ? 0 : part.count;
        store->offered = true;
        return;
    }
    for (uint64_t next; piece->count == 0 && (next = share->next(share->user, number, pieces)) < pieces;) {
        piece->first = first_of_part(job, (unsigned)next, pieces);
        piece->count = first_of_part(job, (unsigned)next + 1, pieces) - piece->first;
    }
}

ww_status wwi_store_wait(ww_store *store) {
    if (!store->share.next)
        return WW_OK;
    WWI_TRY(sync_file(store));
    if (store->share.wait(store->share.user) != 0)
        return wwi_fail(WW_ERROR_CANCELLED, "another process of this job has failed");
    return read_others(store);
}

static int by_first(const void *a, const void *b) {
    const wwi_span *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static ww_status no_missing(const ww_store *store, wwi_span units) {
    wwi_fail(WW_ERROR_FORMAT, "the parts have nothing of units %zu to %zu of %s", units.first,
             units.first + units.count, store->job_name);
    return wwi_fail_hint("a part is not complete: go on with it first");
}

ww_status wwi_store_missing(const ww_store *store, size_t number, wwi_span part, wwi_span **runs, size_t *count) {
    WWI_FREES wwi_span *kept = NULL;
    size_t kept_count = 0;
    *count = 0;
    WWI_TRY(wwi_new(kept, store->entry_count + 1));
    WWI_TRY(wwi_new(*runs, store->entry_count + 1));
    for (size_t i = 0; i < store->entry_count; i++)
        if (store->entries[i].job == number)
            kept[kept_count++] = store->entries[i].units;
    qsort(kept, kept_count, sizeof *kept, by_first);
    size_t next = part.first;
    const size_t end = part.first + part.count;
    for (size_t i = 0; i <= kept_count && next < end; i++) {
        const size_t first = i < kept_count && kept[i].first < end ? kept[i].first : end;
        if (first > next)
            (*runs)[(*count)++] = (wwi_span){next, first - next};
        const size_t after = i < kept_count ? kept[i].first + kept[i].count : end;
        next = after > next ? after : next;
    }
    return store->read_only && *count ? no_missing(store, (*runs)[0]) : WW_OK;
}

ww_status wwi_store_keep(ww_store *store, size_t number, wwi_span units, const wwi_bytes *gave) {
    head h = {
        .kind = RECORD_UNITS, .job = (uint32_t)number, .first = units.first, .count = units.count, .bytes = gave->size};
    (void)pthread_mutex_lock(&store->lock);
    const uint64_t at = store->sources[0].end + sizeof h;
    ww_status status = append(store, &h, gave->data ? gave->data : (const unsigned char *)"");
    if (status == WW_OK)
        status = add_entry(store, (entry){h.job, 0, units, at, gave->size, true});
    // Often enough to lose little, so rarely that it takes a fiftieth.
    if (status == WW_OK && wwi_seconds() - store->synced >= 50 * store->sync_cost)
        status = sync_file(store);
    (void)pthread_mutex_unlock(&store->lock);
    return status;
}

bool wwi_store_is_part(const ww_store *store) {
    return store && !store->read_only &&
           (store->sources[0].part_count > 0 || (store->share.next && !store->share.whole));
}

ww_status wwi_store_part_done(const ww_store *store) {
    const source *s = &store->sources[0];
    return s->part_count ? wwi_fail(WW_ERROR_PART, "part %u of %u of %s is kept in %s", s->part, s->part_count,
                                    store->job_name, s->path)
                         : wwi_fail(WW_ERROR_PART, "a part of %s is kept in %s", store->job_name, s->path);
}

ww_status wwi_store_refuse_part(const ww_store *store, const char *what) {
    if (!wwi_store_is_part(store))
        return WW_OK;
    wwi_fail(WW_ERROR_UNSUPPORTED, "%s has no parts", what);
    return wwi_fail_hint("compute it as a whole, with or without a store");
}
