// SPDX-License-Identifier: Apache-2.0
// wavewarp merge: joins the parts of a job.
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rows.h"
#include "base/tiles.h"
#include "commands/commands.h"
#include "results/classified.h"
#include "results/gradients.h"
#include "results/matches.h"
#include "results/neighbours.h"
#include "results/paths.h"
#include "results/profiles.h"

typedef struct part {
    ww_journal *journal;
    ww_journal_info info;
} part;

typedef struct merge_job {
    const char *folder;
    cli_neighbour_options wanted; // output and json of all jobs
    bool any_device;
    cli_neighbours found;
    cli_matches matches;
    cli_paths paths;
    cli_classified classified;
    cli_gradients gradients;
    uint64_t count;
    part *parts;
} merge_job;

static void job_end(merge_job *j) {
    for (uint64_t i = 0; j->parts && i < j->count; i++)
        (void)(ww_journal_close(&j->parts[i].journal, 1) == WW_OK);
    free(j->parts);
    cli_neighbours_free(&j->found);
    cli_matches_free(&j->matches);
    cli_paths_free(&j->paths);
    cli_classified_free(&j->classified);
    cli_gradients_free(&j->gradients);
}

static void close_folder(DIR **folder) {
    if (*folder)
        closedir(*folder);
}

// How many parts there are to be: by the names of those that are there.
static int count_parts(merge_job *j) {
    CLI_ENDS(close_folder) DIR *folder = opendir(j->folder);
    if (!folder)
        return cli_error("%s: %s", j->folder, strerror(errno));
    for (struct dirent *entry; (entry = readdir(folder));) {
        uint64_t number, count;
        int end = 0;
        if (sscanf(entry->d_name, "%" SCNu64 "-of-%" SCNu64 ".journal%n", &number, &count, &end) != 2 || !end ||
            entry->d_name[end])
            continue;
        if (j->count && count != j->count)
            return cli_error("%s has parts of two divisions: of %" PRIu64 " and of %" PRIu64, j->folder, j->count,
                             count);
        j->count = count;
    }
    if (j->count == 0 || j->count > SIZE_MAX / sizeof *j->parts)
        return cli_error("%s has no parts of a job (no files such as 1-of-3.journal)", j->folder);
    return CLI_GO_ON;
}

static int read_part(merge_job *j, uint64_t i) {
    CLI_FREES char *path = cli_part_path(j->folder, i + 1, j->count, ".journal");
    part *p = &j->parts[i];
    if (!path)
        return cli_error("not enough memory");
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return cli_error("part %" PRIu64 " of %" PRIu64 " is missing: there is no %s", i + 1, j->count, path);
    ww_journal_info_init(&p->info, sizeof p->info);
    CLI_TRY(cli_status(ww_journal_read(path, &p->journal)));
    CLI_TRY(cli_status(ww_journal_get_info(p->journal, &p->info)));
    if (p->info.done < p->info.unit_count)
        return cli_error("part %" PRIu64 " of %" PRIu64 " is not complete: %" PRIu64 " of %" PRIu64
                         " tiles (--resume goes on with it)",
                         i + 1, j->count, p->info.done, p->info.unit_count);
    CLI_FREES char *data = cli_part_path(j->folder, i + 1, j->count, ".npy");
    return data ? cli_part_check(data, &p->info) : cli_error("not enough memory");
}

// All parts are those of one job, one after the other.
static int compare_parts(const merge_job *j) {
    const ww_journal_info *one = &j->parts[0].info;
    if (strcmp(one->version, ww_version()) != 0)
        return cli_error("the parts are of another version: %s; this is %s", one->version, ww_version());
    for (uint64_t i = 0; i < j->count; i++) {
        const ww_journal_info *p = &j->parts[i].info;
        const char *other = strcmp(p->version, one->version) != 0                   ? "version"
                            : strcmp(p->job, one->job) != 0                         ? "job"
                            : strcmp(p->inputs, one->inputs) != 0                   ? "inputs"
                            : strcmp(p->options, one->options) != 0                 ? "options"
                            : !j->any_device && strcmp(p->device, one->device) != 0 ? "device (see --any-device)"
                                                                                    : NULL;
        if (other)
            return cli_error("parts 1 and %" PRIu64 " differ in %s", i + 1, other);
        const uint64_t begin = i ? p[0].first_unit : 0,
                       end = i ? j->parts[i - 1].info.first_unit + j->parts[i - 1].info.unit_count : p->first_unit;
        if (begin != end)
            return cli_error("parts %" PRIu64 " and %" PRIu64 " %s", i, i + 1,
                             begin < end ? "overlap" : "do not follow each other");
    }
    return CLI_GO_ON;
}

static uint64_t units(const merge_job *j) {
    const ww_journal_info *last = &j->parts[j->count - 1].info;
    return last->first_unit + last->unit_count;
}

static int open_values(const merge_job *j, uint64_t i, ww_precision precision, uint64_t rows, uint64_t columns,
                       ww_array_file **file) {
    CLI_FREES char *path = cli_part_path(j->folder, i + 1, j->count, ".npy");
    if (!path)
        return cli_error("not enough memory");
    return cli_status(ww_array_file_open_shared(path, precision, (size_t)rows, (size_t)columns, WW_ARRAY_READ, file));
}

static void close_part(ww_array_file **file) {
    (void)(ww_array_file_close(file, WW_ARRAY_FILE_LEAVE) == WW_OK);
}

// ---- matrix

static int merge_tiles(const merge_job *j, uint64_t i, const cli_tile_target *target) {
    const cli_tiles *t = target->tiles;
    const ww_journal_info *p = &j->parts[i].info;
    const uint64_t begin = cli_tiles_offset(t, p->first_unit), end = cli_tiles_offset(t, p->first_unit + p->unit_count);
    CLI_ENDS(close_part) ww_array_file *from = NULL;
    CLI_FREES void *values = NULL;
    CLI_TRY(open_values(j, i, target->precision, end - begin, 0, &from));
    CLI_TRY(cli_values_allocate(t->side, t->side, target->precision, &values));
    uint64_t at = 0;
    for (uint64_t k = 0; k < p->unit_count; k++) {
        const cli_tile tile = cli_tiles_at(t, p->first_unit + k);
        const size_t count = tile.rows * tile.columns;
        CLI_TRY(cli_status(ww_array_file_get(from, (size_t)at, count, 0, 1, values)));
        CLI_TRY(cli_tile_put(target, &tile, values));
        at += count;
    }
    return CLI_GO_ON;
}

static int merge_matrix(const merge_job *j) {
    cli_tile_shape shape;
    const uint64_t limit = UINT32_MAX;
    if (!cli_tile_shape_read(j->parts[0].info.options, &shape) || shape.parts != j->count || shape.tiles.rows > limit ||
        shape.tiles.columns > limit || units(j) != cli_tiles_count(&shape.tiles))
        return cli_error("%s: the parts are not all of a matrix", j->folder);
    const uint64_t n = shape.tiles.rows;
    const uint64_t rows = shape.condensed ? cli_condensed_count(n) : n;
    CLI_ENDS(cli_array_drop) ww_array_file *file = NULL;
    if (shape.tiles.upper && !shape.condensed &&
        (strcmp(j->wanted.output, "-") == 0 || cli_name_ends_with(j->wanted.output, ".csv")))
        return cli_error("a symmetric matrix is merged into .npy or raw values, not into text");
    CLI_TRY(cli_status(ww_array_file_create(j->wanted.output, shape.precision, (size_t)rows,
                                            shape.condensed ? 0 : shape.tiles.columns, &file)));
    const cli_tile_target target = {&shape.tiles, file, shape.precision, shape.condensed};
    for (uint64_t i = 0; i < j->count; i++)
        CLI_TRY(merge_tiles(j, i, &target));
    return cli_status(ww_array_file_close(&file, WW_ARRAY_FILE_FINISH));
}

// ---- rows

static bool read_shape(const merge_job *j, cli_row_shape *shape) {
    return cli_row_shape_read(j->parts[0].info.options, shape) && shape->parts == j->count && units(j) == shape->rows;
}

static int merge_pairs(const merge_job *j) {
    cli_row_shape shape;
    CLI_ENDS(cli_array_drop) ww_array_file *file = NULL;
    if (!read_shape(j, &shape) || shape.columns || shape.k)
        return cli_error("%s: the parts are not all of the pairs", j->folder);
    CLI_TRY(cli_status(ww_array_file_create(j->wanted.output, shape.precision, (size_t)shape.rows, 0, &file)));
    for (uint64_t i = 0; i < j->count; i++) {
        const size_t first = (size_t)j->parts[i].info.first_unit, count = (size_t)j->parts[i].info.unit_count;
        CLI_ENDS(close_part) ww_array_file *from = NULL;
        CLI_FREES void *values = NULL;
        CLI_TRY(open_values(j, i, shape.precision, count, 0, &from));
        CLI_TRY(cli_values_allocate(count, 1, shape.precision, &values));
        CLI_TRY(cli_status(ww_array_file_get(from, 0, count, 0, 1, values)));
        CLI_TRY(cli_status(ww_array_file_put(file, first, count, 0, 1, values)));
    }
    return cli_status(ww_array_file_close(&file, WW_ARRAY_FILE_FINISH));
}

// ---- rows that are joined

static int take_parts(const merge_job *j, uint64_t columns, int (*take)(void *user, uint64_t row, const double *values),
                      void *user) {
    for (uint64_t i = 0; i < j->count; i++) {
        const ww_journal_info *p = &j->parts[i].info;
        CLI_ENDS(close_part) ww_array_file *from = NULL;
        CLI_TRY(open_values(j, i, WW_DOUBLE, p->unit_count, columns, &from));
        CLI_TRY(cli_rows_each(from, p->first_unit, p->unit_count, columns, take, user));
    }
    return CLI_GO_ON;
}

static int take_neighbours(void *found, uint64_t row, const double *values) {
    return cli_neighbours_unpack(found, values, (size_t)row, 1);
}

static int merge_neighbours(merge_job *j) {
    cli_row_shape shape;
    if (!read_shape(j, &shape) || shape.k == 0 || shape.columns != 2 * shape.k)
        return cli_error("%s: the parts are not all of the queries", j->folder);
    j->found = (cli_neighbours){(size_t)shape.rows, (size_t)shape.k, shape.precision, NULL, NULL};
    CLI_TRY(cli_neighbours_allocate(&j->found));
    CLI_TRY(take_parts(j, shape.columns, take_neighbours, &j->found));
    return cli_neighbours_write(&j->found, &j->wanted);
}

static int merge_search(merge_job *j) {
    cli_row_shape shape;
    cli_matches *m = &j->matches;
    if (!read_shape(j, &shape) || !cli_matches_shape_read(shape.more, m) || shape.columns != cli_matches_columns(m) ||
        (!m->places && shape.rows % m->queries))
        return cli_error("%s: the parts are not all of a search", j->folder);
    m->precision = shape.precision;
    CLI_TRY(cli_matches_allocate(m));
    CLI_TRY(take_parts(j, shape.columns, cli_matches_take, m));
    CLI_TRY(cli_matches_choose(m));
    if (j->wanted.output || !j->wanted.json)
        return cli_matches_write(m, j->wanted.output);
    return CLI_GO_ON;
}

static int merge_paths(merge_job *j) {
    cli_row_shape shape;
    if (!read_shape(j, &shape) || !cli_paths_shape_read(&shape, &j->paths))
        return cli_error("%s: the parts are not all of the paths", j->folder);
    CLI_TRY(cli_paths_allocate(&j->paths, (size_t)shape.rows));
    CLI_TRY(take_parts(j, shape.columns, cli_paths_take, &j->paths));
    if (j->wanted.output || !j->wanted.json)
        return cli_paths_write(&j->paths.found, j->wanted.output);
    return CLI_GO_ON;
}

static int merge_classes(merge_job *j) {
    cli_row_shape shape;
    cli_classified *c = &j->classified;
    if (!read_shape(j, &shape) || shape.columns != CLI_CLASSIFIED_COLUMNS ||
        !cli_classified_shape_read(shape.more, (size_t)shape.k, (size_t)shape.rows, c))
        return cli_error("%s: the parts are not all of a classification", j->folder);
    CLI_TRY(cli_classified_begin(c));
    CLI_TRY(take_parts(j, shape.columns, cli_classified_take, c));
    if (j->wanted.output)
        CLI_TRY(cli_classified_save(c, j->wanted.output));
    if (!j->wanted.json && !(j->wanted.output && strcmp(j->wanted.output, "-") == 0)) {
        cli_classified_print(c);
        cli_classified_print_confusion(c);
    }
    return CLI_GO_ON;
}

static int merge_gradients(merge_job *j) {
    cli_row_shape shape;
    cli_gradients *g = &j->gradients;
    if (!read_shape(j, &shape) || !cli_gradients_shape_read(shape.more, g) || shape.columns != cli_gradients_columns(g))
        return cli_error("%s: the parts are not all of the pairs", j->folder);
    g->precision = shape.precision;
    g->pairs = (size_t)shape.rows;
    CLI_TRY(cli_gradients_begin(g));
    CLI_TRY(take_parts(j, shape.columns, cli_gradients_take, g));
    if (j->wanted.output || !j->wanted.json)
        return cli_gradients_write(g, j->wanted.output);
    return CLI_GO_ON;
}

static int merge_profiles(merge_job *j) {
    cli_row_shape shape;
    CLI_ENDS(cli_profiles_free) cli_profiles profiles = {.found = NULL};
    if (!read_shape(j, &shape) || !cli_profiles_shape_read(shape.more, &profiles) ||
        shape.columns != cli_profiles_columns(&profiles))
        return cli_error("%s: the parts are not all of profiles", j->folder);
    CLI_TRY(cli_profiles_begin(&profiles));
    CLI_TRY(take_parts(j, shape.columns, cli_profiles_take, &profiles));
    CLI_TRY(cli_profiles_finish(&profiles));
    if (j->wanted.output || !j->wanted.json)
        return cli_profiles_write(&profiles, j->wanted.output);
    return CLI_GO_ON;
}

// ---- the command

static int merge(merge_job *j, const char *job) {
    // Those that print, or write one file.
    static const struct {
        const char *job;
        int (*merge)(merge_job *j);
    } lines[] = {{"search", merge_search},
                 {"profile", merge_profiles},
                 {"path", merge_paths},
                 {"classify", merge_classes},
                 {"gradient", merge_gradients}};
    int (*own)(merge_job * j) = NULL;
    for (size_t i = 0; i < CLI_COUNT_OF(lines); i++)
        own = strcmp(job, lines[i].job) == 0 ? lines[i].merge : own;
    if (strcmp(job, "nearest") == 0 || strcmp(job, "knn") == 0 || strcmp(job, "lsh") == 0)
        return merge_neighbours(j);
    if (j->wanted.ids || j->wanted.distances || (!own && !j->wanted.output))
        return cli_error("parts of '%s' are merged by --output FILE alone", job);
    if (own)
        return own(j);
    return strcmp(job, "matrix") == 0 ? merge_matrix(j)
           : strcmp(job, "pairs") == 0
               ? merge_pairs(j)
               : cli_error("%s has parts of a job that this version does not know: %s", j->folder, job);
}

static void print_json(const merge_job *j, const cli_command *command) {
    cli_json json;
    cli_head head = CLI_HEAD_INIT;
    head.files[0] = j->folder;
    head.counts[0] = (size_t)j->count;
    head.output = j->wanted.output;
    cli_json_head(&json, stdout, command, &head);
    cli_json_text(&json, "job", j->parts[0].info.job);
    cli_json_count(&json, "parts", j->count);
    cli_json_count(&json, "tiles", units(j));
    if (j->found.k)
        cli_neighbours_json(&json, &j->found, &j->wanted);
    if (j->matches.matches && !j->wanted.output)
        cli_matches_json(&json, &j->matches);
    if (j->classified.joined)
        cli_classified_json(&json, &j->classified, "nearest", NULL);
    if (j->paths.found.offsets)
        cli_paths_json(&json, &j->paths.found, !j->wanted.output);
    if (j->gradients.set)
        cli_gradients_json(&json, &j->gradients, !j->wanted.output);
    cli_json_end(&json);
}

int cmd_merge(const cli_command *command, int argc, char **argv) {
    CLI_ENDS(job_end) merge_job j = {0};
    const cli_option options[] = {
        CLI_OPTION("output", 'o', CLI_OUTPUT, "FILE",
                   "where to: .npy, .csv, else raw values; of neighbours and matches: the lines; of classify: "
                   "predictions; of shapelets: the model",
                   &j.wanted.output),
        CLI_OPTION("ids", 0, CLI_OUTPUT, "FILE", "of nearest and knn: write the indices there", &j.wanted.ids),
        CLI_OPTION("distances", 0, CLI_OUTPUT, "FILE", "of nearest and knn: write the distances there",
                   &j.wanted.distances),
        CLI_SWITCH("any-device", 0, "join also what different kinds of devices computed", &j.any_device),
        CLI_SWITCH("json", 'j', "print one JSON object", &j.wanted.json),
    };
    CLI_TRY(cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, &j.folder, 1, 1, NULL));
    CLI_TRY(count_parts(&j));
    if (!(j.parts = calloc((size_t)j.count, sizeof *j.parts)))
        return cli_error("not enough memory");
    for (uint64_t i = 0; i < j.count; i++)
        CLI_TRY(read_part(&j, i));
    CLI_TRY(compare_parts(&j));
    CLI_TRY(merge(&j, j.parts[0].info.job));
    if (j.wanted.json)
        print_json(&j, command);
    return CLI_GO_ON;
}
