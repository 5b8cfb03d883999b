// SPDX-License-Identifier: Apache-2.0
/// \file
/// Long jobs that go on where they were ended: a journal says which units of a job are done, and of which job.
#ifndef WAVEWARP_JOURNAL_H
#define WAVEWARP_JOURNAL_H

#include <wavewarp/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The journal of a job whose units (rows, tiles, queries) are numbered. The file is text, on disk as a whole or as it
/// was before. *Thread-safety*: one thread at a time.
typedef struct ww_journal ww_journal;

/// What a journal belongs to. The texts are one line each, at most 64 KiB, without control characters.
typedef struct ww_journal_options {
    size_t struct_size;  ///< sizeof(ww_journal_options)
    const char *job;     ///< what is computed, such as "matrix"
    const char *inputs;  ///< what tells its inputs from others, such as their ww_checksum()
    const char *options; ///< all that its result depends on besides
    ww_context *context; ///< whose device computes; NULL: that is of no account
    uint64_t first_unit; ///< of this process's part of the job
    uint64_t unit_count; ///< at least 1
    int resume;          ///< 1: goes on from the file where there is one; 0: one that is there is an error
    int any_device;      ///< 1: also where another kind of device began it: the last bits of its results may differ
} ww_journal_options;

#define WW_JOURNAL_OPTIONS_INIT                                                                                        \
    { sizeof(ww_journal_options), NULL, NULL, NULL, NULL, 0, 0, 0, 0 }

/// Fills options of `struct_size` bytes with the defaults. *Thread-safety*: any thread. *Blocking*: no.
WW_API void ww_journal_options_init(ww_journal_options *options, size_t struct_size);

/// Begins a journal, and writes it, or goes on with one. \param options copied, with the texts.
/// \return WW_ERROR_FORMAT: the file is damaged, or belongs to another job: its message says what differs (version,
/// job, inputs, options, device, units). WW_ERROR_IO: it is there and `resume` is 0, or can't be read or written.
/// WW_ERROR_INVALID_ARGUMENT. *Ownership*: the caller's; ww_journal_close(). *Thread-safety*: any thread. *Blocking*:
/// while it reads and writes.
WW_API_STATUS ww_journal_open(const char *path, const ww_journal_options *options, ww_journal **journal);

/// Reads a journal of any job, to be looked at. \return WW_ERROR_IO (also where there is none), WW_ERROR_FORMAT.
/// *Ownership*: the caller's; ww_journal_close(). *Thread-safety*: any thread. *Blocking*: while it reads.
WW_API_STATUS ww_journal_read(const char *path, ww_journal **journal);

/// Marks units as done, in memory. Their results have to be on disk (ww_array_file_sync()) before ww_journal_write().
/// \return WW_ERROR_INVALID_ARGUMENT (units that are not the job's). *Thread-safety*: one thread at a time.
/// *Blocking*: no.
WW_API_STATUS ww_journal_mark(ww_journal *journal, uint64_t first, uint64_t count);

/// Brings all marks to the disk. \return WW_ERROR_IO, WW_ERROR_INVALID_ARGUMENT (one that was only read).
/// *Thread-safety*: one thread at a time. *Blocking*: until the disk has them.
WW_API_STATUS ww_journal_write(ww_journal *journal);

/// Notes what the finished result is, such as the ww_checksum() of its file, in memory: whoever joins parts sees which
/// belongs to which journal. A line of text. \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: one thread at a time.
/// *Blocking*: no.
WW_API_STATUS ww_journal_set_result(ww_journal *journal, const char *result);

/// 1: the unit is done. *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API int ww_journal_has(const ww_journal *journal, uint64_t unit);

/// An output: set struct_size first. The texts are the journal's, until it is closed.
typedef struct ww_journal_info {
    size_t struct_size;  ///< sizeof(ww_journal_info)
    const char *version; ///< of the library that began it
    const char *job, *inputs, *options;
    const char *device; ///< name and driver; "" where none was given
    uint64_t first_unit, unit_count;
    uint64_t done;       ///< units that are marked
    uint64_t found_done; ///< of these, when it was opened
    const char *result;  ///< see ww_journal_set_result(); "" before
} ww_journal_info;

#define WW_JOURNAL_INFO_INIT                                                                                           \
    { sizeof(ww_journal_info), NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, NULL }

/// Fills an empty record of `struct_size` bytes. *Thread-safety*: any thread. *Blocking*: no.
WW_API void ww_journal_info_init(ww_journal_info *info, size_t struct_size);

/// \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API_STATUS ww_journal_get_info(const ww_journal *journal, ww_journal_info *info);

/// Leaves (`keep` not 0; marks since the last ww_journal_write() are lost) or removes the file, and stores NULL in
/// *journal. One that was only read is never removed. \return WW_ERROR_IO. *Thread-safety*: one thread at a time.
/// *Blocking*: while it removes it.
WW_API_STATUS ww_journal_close(ww_journal **journal, int keep);

/// SHA-256 of `size` bytes as 64 hexadecimal digits and a terminator. \return WW_ERROR_INVALID_ARGUMENT.
/// *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_checksum(const void *bytes, size_t size, char text[65]);

#ifdef __cplusplus
}
#endif
#endif
