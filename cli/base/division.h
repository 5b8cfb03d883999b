// SPDX-License-Identifier: Apache-2.0
// Work in units that go on after an end (--checkpoint, --resume) or that several runs share (--part, --parts): a
// journal and a file of values beside it.
#ifndef WAVEWARP_CLI_DIVISION_H
#define WAVEWARP_CLI_DIVISION_H

#include "base/json.h"

// How often marks are brought to the disk.
typedef struct cli_marks {
    double written, cost; // when that was done last, and how long it took
} cli_marks;
// Whether it is time: often enough to lose little, so rarely that it takes a fiftieth.
bool cli_marks_due(const cli_marks *marks);
// Values first, then the marks that say so.
int cli_marks_write(cli_marks *marks, ww_array_file *file, ww_journal *journal);

typedef struct cli_division {
    const char *checkpoint, *parts, *part_text;
    bool resume, any_device;
    uint64_t part, part_count; // 1 to part_count; 0: not a part
    char *journal_path, *data_path;
    ww_journal *journal;
    ww_array_file *file;
    bool begun; // the journal was there
    cli_marks marks;
    uint64_t units, resumed;             // of the part; of these, found done
    double seconds_wall, seconds_device; // of all runs
} cli_division;

#define CLI_PARTS_OPTIONS(d)                                                                                           \
    CLI_OPTION("part", 0, CLI_TEXT, "I/N", "compute part I of N, which 'wavewarp merge' joins; with --parts",          \
               &(d).part_text),                                                                                        \
        CLI_OPTION("parts", 0, CLI_TEXT, "DIR", "the folder of the parts", &(d).parts),                                \
        CLI_SWITCH("resume", 0, "go on with a part, or from --checkpoint, where there is one", &(d).resume),           \
        CLI_SWITCH("any-device", 0, "go on also with what another kind of device computed", &(d).any_device)
#define CLI_CHECKPOINT_OPTION(d)                                                                                       \
    CLI_OPTION("checkpoint", 0, CLI_MADE, "FILE", "keep a journal there, from which --resume goes on", &(d).checkpoint)

// What is divided.
typedef struct cli_work {
    const char *job, *inputs, *options; // of the journal
    ww_context *context;
    uint64_t first, count;  // units
    const char *output;     // of a checkpoint: the file that is filled; NULL: one beside the journal
    ww_precision precision; // of the file
    uint64_t rows, columns; // of the file; columns 0: a list
} cli_work;

int cli_journal_open(const char *path, const cli_work *work, bool resume, bool any_device, ww_journal **journal);
bool cli_divided(const cli_division *d);
// Checks the options, and reads which part it is.
int cli_division_check(const char *command, cli_division *d);
// As much, and that a part has no outputs of its own (`outputs`: some are given).
int cli_division_check_job(const char *command, cli_division *division, bool outputs);
// Opens journal and file, new ones or those that are there. From here to cli_division_close() an interrupt ends the
// program behind the unit in hand.
int cli_division_open(cli_division *d, const cli_work *work);
// The units' values are in the file. Gives the exit code where an interrupt came.
int cli_division_done(cli_division *d, uint64_t first, uint64_t count);
// All units are done: the file gets its name, and the journal of a checkpoint is removed; or, `consumed`, both are: the
// caller has the values.
int cli_division_finish(cli_division *d, bool consumed);
void cli_division_close(cli_division *d);
// "tiles" and "tiles_resumed".
void cli_division_json(cli_json *json, const cli_division *d);
// The lines of a journal that say by what values were computed: measure (NULL: none), precision, engine, kernels.
char *cli_division_options(const char *shape, const ww_measure *measure, const cli_measure_options *measure_options,
                           const cli_device_options *device);
// Adds the sum of a set's values, lengths and time stamps, or of points, to `text`, of at least 131 bytes; NULL:
// nothing.
int cli_division_sum(const ww_series_set *set, char *text);
int cli_division_sum_points(const ww_point_view *points, char *text);
int cli_division_sum_labels(const ww_series_set *set, char *text);
int cli_division_sum_file(const char *path, char *text);
// "DIR/2-of-3.npy" and its like; free() it.
char *cli_part_path(const char *folder, uint64_t part, uint64_t count, const char *ending);
// A part is whole: its journal has the checksum of its file, which belongs to no other.
int cli_part_sign(cli_division *division);
// Whether a file is what the journal of a part says.
int cli_part_check(const char *path, const ww_journal_info *info);
// The name that a shared file has until it is whole: beside the file itself, where `path` is a link to it; free() it.
char *cli_unfinished_path(const char *path);

#endif
