// SPDX-License-Identifier: Apache-2.0
// The file that says how far a long job is: what the job is, then lines of the job's own, and a sum over all of it. It
// is written anew each time, under another name first, so it is never half there.
#ifndef WAVEWARP_FILES_JOURNAL_H
#define WAVEWARP_FILES_JOURNAL_H

#include <stdbool.h>
#include <wavewarp/journal.h>

// What has to be the same where a job goes on; the library's version is a part of it. Each is one line of text.
enum { WWI_JOURNAL_JOB, WWI_JOURNAL_INPUTS, WWI_JOURNAL_OPTIONS, WWI_JOURNAL_DEVICE, WWI_JOURNAL_TEXTS };
typedef struct wwi_journal_identity {
    const char *text[WWI_JOURNAL_TEXTS];
} wwi_journal_identity;

typedef struct wwi_journal_lines {
    char *bytes;
    size_t size, capacity;
    ww_status status; // of all that was added
} wwi_journal_lines;

// A journal that was read.
typedef struct wwi_journal_past {
    char *bytes;
    const char *version;
    wwi_journal_identity identity;
    const char *lines; // the job's own, each ended by a line feed
} wwi_journal_past;

enum { WWI_JOURNAL_DEVICE_BYTES = 512 };
// The kind of a device: name and driver.
void wwi_journal_device(const ww_context *context, char text[WWI_JOURNAL_DEVICE_BYTES]);

void wwi_journal_lines_free(wwi_journal_lines *lines);
// Nothing is added after a failure.
void wwi_journal_add(wwi_journal_lines *lines, const char *format, ...) __attribute__((format(printf, 2, 3)));

// `again`: this process wrote it before. Fails where adding to `lines` did.
ww_status wwi_journal_save(const char *path, bool again, const wwi_journal_identity *identity,
                           const wwi_journal_lines *lines);

// bytes NULL afterwards: there is no such file. WW_ERROR_FORMAT: damaged, or of another job than `wanted` (NULL: of
// any), and in what it differs. Free bytes.
ww_status wwi_journal_load(const char *path, const wwi_journal_identity *wanted, bool any_device,
                           wwi_journal_past *past);

// The next whole number up to `most`, and the blank or line feed behind it; false: there is none.
bool wwi_journal_number(const char **at, uint64_t most, uint64_t *value);

ww_status wwi_journal_damaged(const char *path);

#endif
