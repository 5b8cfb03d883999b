// SPDX-License-Identifier: Apache-2.0
/// \file
/// Long jobs that go on where they were ended, or that several processes share: a store keeps what the units of a job
/// (pairs, queries, tiles, parts of streams) gave. It is a file of records, each with its checksum, to which finished
/// units are appended.
///
/// A context that is created with a store (ww_context_options.store) keeps in it what its jobs compute. A process that
/// makes the same calls with the same file takes from it what is there, and computes the rest: its results have the
/// same bytes. What belongs together is checked: version, part, and of each job its kind, options, kind of device and
/// the values of all that was created in the context before.
///
/// What is kept: all that a context of several devices divides (context.h). What is not divided is computed anew. Of
/// shapelets each node of the tree is a job; a tree has no parts.
#ifndef WAVEWARP_STORE_H
#define WAVEWARP_STORE_H

#include <wavewarp/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/// *Thread-safety*: the context's jobs run one after the other; then any thread.
typedef struct ww_store ww_store;

/// How processes share jobs.
typedef struct ww_store_share {
    size_t struct_size; ///< sizeof(ww_store_share)
    /// Stores of the other processes, and of processes there were before: what they keep is not computed. A file that
    /// is not there is no error.
    const char *const *paths;
    size_t count;
    unsigned pieces; ///< of a job, at most: of about equal work
    /// Numbers from 0 on for each job, each to one process: the piece of the job that it computes next. `pieces` and
    /// above: there is none left. Jobs are numbered from 0.
    uint64_t (*next)(void *user, uint64_t job, uint64_t pieces);
    /// Called when this process has no more to do of a job, and all that it keeps is on the disk: returns 0 when that
    /// is so of all processes. Anything else ends the job with WW_ERROR_CANCELLED.
    int (*wait)(void *user);
    void *user;
    /// 1: this process takes what the others computed, and has whole results; 0: its jobs end with WW_ERROR_PART.
    int whole;
} ww_store_share;

#define WW_STORE_SHARE_INIT                                                                                            \
    { sizeof(ww_store_share), NULL, 0, 1, NULL, NULL, NULL, 0 }

typedef struct ww_store_options {
    size_t struct_size; ///< sizeof(ww_store_options)
    int resume;         ///< 1: goes on with the file where there is one; 0: one that is there is an error
    int any_device;     ///< 1: also where another kind of device began it: the last bits of its results may differ
    /// Part `part`, from 1, of `part_count`, of about equal work; 0 and 0: the whole. A part computes its own units
    /// alone, and its job ends with WW_ERROR_PART: whole results come from ww_store_open_parts().
    unsigned part, part_count;
    const char *note; ///< a text of the caller's that a new store keeps; at most 1 MiB. NULL: none
    /// Processes that share jobs unit by unit, each with a store of its own: they make the same calls, and no unit is
    /// computed twice. NULL: this process has all units.
    const ww_store_share *share;
} ww_store_options;

#define WW_STORE_OPTIONS_INIT                                                                                          \
    { sizeof(ww_store_options), 0, 0, 0, 0, NULL, NULL }

/// Begins a store, or goes on with one; a last record that was not written to its end is cut off.
/// \param options NULL: all defaults. \return WW_ERROR_FORMAT: the file is no store, is damaged, or is of another
/// version or part. WW_ERROR_IO: it is there and `resume` is 0, another process has it open, or it can't be read or
/// written. WW_ERROR_INVALID_ARGUMENT (a part that there is not). *Ownership*: the caller's; ww_store_close(). Contexts
/// hold it as long as they live. *Thread-safety*: any thread. *Blocking*: while it reads.
WW_API_STATUS ww_store_open(const char *path, const ww_store_options *options, ww_store **store);

/// Opens all parts of a division, in any order, for reading alone: a context with them computes nothing of what they
/// have, on any device; the job fails where a unit is in none of them. \param any_device as in the options. \return
/// WW_ERROR_FORMAT: a part is missing or is there twice, has a last record that is not whole, is damaged, or parts
/// differ in version, division or job. WW_ERROR_IO, WW_ERROR_INVALID_ARGUMENT (no parts). *Ownership*: as
/// ww_store_open(). *Thread-safety*: any thread. *Blocking*: while it reads.
WW_API_STATUS ww_store_open_parts(const char *const *paths, size_t count, int any_device, ww_store **store);

/// An output: set struct_size first. The text is the store's, until it is closed.
typedef struct ww_store_info {
    size_t struct_size; ///< sizeof(ww_store_info)
    const char *job;    ///< the first job's kind, such as "matrix"; "" before one
    unsigned part, part_count;
    uint64_t jobs;       ///< that were begun: several where a call consists of several
    uint64_t units;      ///< of these, or of the store's part of these, as far as this process knows
    uint64_t done;       ///< units that are kept
    uint64_t found_done; ///< of these, when it was opened
    uint64_t bytes;      ///< of the files
    const char *note;    ///< of the options that the store was begun with, of parts the first one's; "" for none
} ww_store_info;

#define WW_STORE_INFO_INIT                                                                                             \
    { sizeof(ww_store_info), NULL, 0, 0, 0, 0, 0, 0, 0, NULL }

/// \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: between jobs. *Blocking*: no.
WW_API_STATUS ww_store_get_info(const ww_store *store, ww_store_info *info);

/// Closes a store and stores NULL in *store. \param keep 0: removes its file, which parts that were opened for reading
/// keep in any case. A file of no job is removed. \return WW_ERROR_IO. *Thread-safety*: when no job runs with it; later
/// ones fail with WW_ERROR_INVALID_ARGUMENT. *Blocking*: until the disk has all.
WW_API_STATUS ww_store_close(ww_store **store, int keep);

#ifdef __cplusplus
}
#endif
#endif
