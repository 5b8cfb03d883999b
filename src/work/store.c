// SPDX-License-Identifier: Apache-2.0
// Stores: opening, closing, and what jobs keep in them; their files are in store_file.c.
#include "work/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/run.h"
#include "options.h"
#include "work/store_file.h"

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

static ww_status open_source(wwi_store_source *s, const char *path, int flags) {
    s->path = strdup(path);
    if (!s->path)
        return wwi_fail_memory(strlen(path) + 1);
    s->file = open(path, flags | O_CLOEXEC, 0666);
    return s->file >= 0 ? WW_OK : wwi_store_io_error(s, "opened");
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
    wwi_record_head h = {.kind = WWI_RECORD_FILE, .bytes = size};
    WWI_TRY(wwi_store_append(store, &h, text));
    return wwi_store_take_file_text(store, &store->sources[0], text);
}

// What other processes have kept by now, where they have begun.
static ww_status read_others(ww_store *store) {
    for (size_t i = 1; i < store->source_count && !store->read_only; i++) {
        wwi_store_source *s = &store->sources[i];
        if (s->file < 0 && access(s->path, F_OK) != 0)
            continue;
        if (s->file < 0 && (s->file = open(s->path, O_RDONLY | O_CLOEXEC)) < 0)
            return wwi_store_io_error(s, "opened");
        WWI_TRY(wwi_store_read_file(store, i));
        if (s->end > 0 && s->part_count)
            return wwi_fail(WW_ERROR_FORMAT, "%s is part %u of %u", s->path, s->part, s->part_count);
    }
    return WW_OK;
}

static ww_status take_share(ww_store *store, const ww_store_share *share) {
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

static ww_status check_part(const wwi_store_source *s, const ww_store_options *o) {
    if (s->part == o->part && s->part_count == o->part_count)
        return WW_OK;
    wwi_fail(WW_ERROR_FORMAT, "%s is part %u of %u, not %u of %u", s->path, s->part, s->part_count, o->part,
             o->part_count);
    return wwi_fail_hint("name another file; part 0 of 0 is a whole job");
}

static ww_status check_note(const char *note) {
    return !note || strlen(note) <= WWI_STORE_MOST_TEXT - 256
               ? WW_OK
               : wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a note of %zu bytes is too long", strlen(note));
}

ww_status ww_store_open(const char *path, const ww_store_options *options, ww_store **out) {
    ww_store_options o = WW_STORE_OPTIONS_INIT;
    ww_store_share share = WW_STORE_SHARE_INIT;
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
    if (o.share)
        WWI_TRY(wwi_options_take(&share, o.share, "ww_store_share"));
    WWI_TRY(make(1 + share.count, &store));
    wwi_store_source *s = &store->sources[0];
    store->any_device = o.any_device != 0;
    const bool there = access(path, F_OK) == 0;
    WWI_TRY(open_source(s, path, O_RDWR | (there ? 0 : O_CREAT)));
    if (flock(s->file, LOCK_EX | LOCK_NB) != 0)
        return wwi_fail(WW_ERROR_IO, "%s is in use by another process, or a store of this one", path);
    WWI_TRY(wwi_store_read_file(store, 0));
    if (s->end > 0 && !o.resume) {
        wwi_fail(WW_ERROR_IO, "%s is there: a run that did not end left it", path);
        return wwi_fail_hint("resume that run, or remove the file");
    }
    if (s->end > 0)
        WWI_TRY(check_part(s, &o));
    else
        WWI_TRY(begin_file(store, &o));
    if (o.share)
        WWI_TRY(take_share(store, &share));
    store->found = store->done;
    store->made = !there;
    *out = wwi_taken(&store);
    return WW_OK;
}

// All of a division, each once.
static ww_status check_parts(const ww_store *store) {
    const wwi_store_source *s = store->sources;
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
        WWI_TRY(wwi_store_read_file(store, i));
        if (store->sources[i].end == 0)
            return wwi_store_damaged(&store->sources[i]);
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
        status = wwi_store_sync(store);
    else if (!store->read_only && (!keep || store->made) && unlink(store->sources[0].path) != 0)
        status = wwi_store_io_error(&store->sources[0], "removed");
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
    uint8_t both[2 * WWI_STORE_SUM];
    if (!store)
        return;
    memcpy(both, store->inputs, WWI_STORE_SUM);
    wwi_checksum(values ? values : "", values ? size : 0, both + WWI_STORE_SUM);
    wwi_checksum(both, sizeof both, store->inputs);
}

static ww_status text_of(const ww_store *store, const wwi_store_job *job, char **text) {
    size_t size = 0;
    FILE *to = open_memstream(text, &size);
    if (!to)
        return wwi_fail_memory(size);
    job->name(job->of, to);
    fputc('\n', to);
    for (int i = 0; i < WWI_STORE_SUM; i++)
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

static ww_status compare_job(const ww_store *store, const wwi_kept_job *known, const char *text, size_t units) {
    const char *differs = wwi_store_difference(store, known->text, text);
    if ((!differs || (store->read_only && strcmp(differs, "device") == 0)) && known->units == units)
        return WW_OK;
    size_t has, is;
    const char *one = wwi_store_line(known->text, 0, &has), *other = wwi_store_line(text, 0, &is);
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
    wwi_kept_job *job = &store->jobs[number];
    wwi_record_head h = {
        .kind = WWI_RECORD_JOB, .job = (uint32_t)number, .count = job->units, .bytes = strlen(job->text)};
    if (store->read_only || job->written)
        return WW_OK;
    WWI_TRY(wwi_store_append(store, &h, job->text));
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
        WWI_TRY(wwi_store_add_job(store, &text, job->units, false));
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
        wwi_kept_entry *e = &store->entries[i];
        const wwi_store_source *s = &store->sources[e->source];
        if (e->job != number || e->given)
            continue;
        WWI_TRY(wwi_grow(&bytes, &capacity, (size_t)e->bytes + 1, 1));
        WWI_TRY(wwi_store_read_at(s, e->at, bytes, (size_t)e->bytes, &got));
        if (got < e->bytes)
            return wwi_store_damaged(s);
        wwi_taken_bytes from = {bytes, got};
        WWI_TRY(take(of, e->units, &from));
        if (from.left)
            return wwi_store_damaged(s);
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
    WWI_TRY(wwi_store_sync(store));
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
    wwi_record_head h = {.kind = WWI_RECORD_UNITS,
                         .job = (uint32_t)number,
                         .first = units.first,
                         .count = units.count,
                         .bytes = gave->size};
    (void)pthread_mutex_lock(&store->lock);
    const uint64_t at = store->sources[0].end + sizeof h;
    ww_status status = wwi_store_append(store, &h, gave->data ? gave->data : (const unsigned char *)"");
    if (status == WW_OK)
        status = wwi_store_add_entry(store, (wwi_kept_entry){h.job, 0, units, at, gave->size, true});
    // Often enough to lose little, so rarely that it takes a fiftieth.
    if (status == WW_OK && wwi_seconds() - store->synced >= 50 * store->sync_cost)
        status = wwi_store_sync(store);
    (void)pthread_mutex_unlock(&store->lock);
    return status;
}

bool wwi_store_is_part(const ww_store *store) {
    return store && !store->read_only &&
           (store->sources[0].part_count > 0 || (store->share.next && !store->share.whole));
}

ww_status wwi_store_part_done(const ww_store *store) {
    const wwi_store_source *s = &store->sources[0];
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
