// SPDX-License-Identifier: Apache-2.0
/// \file
/// Files written as all files of the library are: made beside their final name, on disk before they get it. Functions
/// of the caller's that take or give the bytes of an object instead of a file.
#ifndef WAVEWARP_FILE_H
#define WAVEWARP_FILE_H

#include <wavewarp/points.h>
#include <wavewarp/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A file being written. *Thread-safety*: one thread at a time.
typedef struct ww_file ww_file;

/// Starts a file ("-": standard output). It is written as NAME.part-... in the same folder, which is created
/// exclusively: never a file or a link that is there. A link at NAME is followed, one that leads nowhere is refused; a
/// device or a pipe is written directly. A file that is replaced hands on its mode, and owner and group where the
/// system allows; a new one has 0666 less the umask. Other names (hard links) of a replaced file keep its old content.
/// \return WW_ERROR_IO, WW_ERROR_OUT_OF_MEMORY, WW_ERROR_INVALID_ARGUMENT. *Ownership*: the caller's; ww_file_close().
/// *Thread-safety*: any thread. *Blocking*: while it creates the file.
WW_API_STATUS ww_file_create(const char *path, ww_file **file);

/// Appends `size` bytes. \return WW_ERROR_IO, at the latest when the file is finished. *Thread-safety*: one thread at a
/// time. *Blocking*: while it writes.
WW_API_STATUS ww_file_put(ww_file *file, const void *bytes, size_t size);

/// Brings what was put in the file to the disk. After it ww_file_close() only renames: to have several files or none,
/// finish all before the first is closed. \return WW_ERROR_IO. *Thread-safety*: one thread at a time. *Blocking*: until
/// the disk has it.
WW_API_STATUS ww_file_finish(ww_file *file);

/// Gives the file its name (`keep` not 0; it is finished first, and its folder is on disk afterwards) or removes it
/// (`keep` 0), and stores NULL in *file. NULL and a pointer to NULL are allowed. \return WW_ERROR_IO (it is removed).
/// *Thread-safety*: one thread at a time. *Blocking*: while it writes.
WW_API_STATUS ww_file_close(ww_file **file, int keep);

/// Appends points in the format that the ending of the file's name says, as ww_point_view_write().
/// \return as that. *Thread-safety*: one thread at a time. *Blocking*: while it writes.
WW_API_STATUS ww_point_view_put(const ww_point_view *view, ww_file *file);

/// Removes the parts of all files that this process is writing, for a handler of a signal that ends it: safe there
/// (async-signal-safe). Work that goes on afterwards fails when it gives its files their names. At most 64 files at
/// once are known to it. *Thread-safety*: any thread, and signal handlers. *Blocking*: no.
WW_API void ww_unfinished_files_remove(void);

/// Takes the next `count` bytes of what is written, 1 to 65536, all of them; they are valid during the call. Return 0
/// to go on, anything else when they can't be written: the call that writes ends with WW_ERROR_IO, and the function is
/// not called again. What it took before is part of an object and no object.
typedef int (*ww_write_fn)(void *user, const void *bytes, size_t count);

/// Stores the next bytes of what is read: 1 to `room` (at least 1), fewer whenever that suits. Return how many; 0 at
/// the end; anything below 0 when they can't be read: the call that reads ends with WW_ERROR_IO. After an end or a
/// failure the function is not called again. It is read to its end, which must be that of the object: where several
/// objects follow one another, the function says where each ends.
typedef int64_t (*ww_read_fn)(void *user, void *bytes, size_t room);

/// Reads a set as ww_series_set_read() does, from bytes that a function of the caller's gives, to their end. They may
/// be packed by gzip, or be an archive `.npz`. \param name stands in messages, and its ending counts as a file's:
/// "log.csv", or "x.npz:NAME". \return as ww_series_set_read(). *Ownership*: the set is the caller's. *Thread-safety*:
/// any thread; `read` runs in it. *Blocking*: while it reads.
WW_API_STATUS ww_series_set_read_from(ww_read_fn read, void *user, const char *name, const ww_read_options *options,
                                      ww_series_set **set);

/// Told of a part that an ended process (kill -9, a crash) left beside a file. \param part its path, valid in the call.
typedef void ww_unfinished_file_found(void *user, const char *part);

/// From now on `found` is called whenever the library creates a file, once for each part that lies beside it and that
/// no process writes any more (each holds a lock on its own). One that ends in ".part" is a shared array file's, with
/// which a run that knows what is in it can go on. NULL: no longer; so it is at the start, and no folder is
/// read. *Thread-safety*: not while other threads create files; `found` runs in the thread that creates the file.
/// *Blocking*: no.
WW_API void ww_unfinished_files_notice(ww_unfinished_file_found *found, void *user);

#ifdef __cplusplus
}
#endif
#endif
