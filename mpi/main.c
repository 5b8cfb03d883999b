// SPDX-License-Identifier: Apache-2.0
// wavewarp-mpi: commands of the program on many machines. One rank reads, all get the series; every rank takes tiles of
// the matrix from one counter and writes them, and what mirrors them, into one file.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "json.h"
#include "ranks.h"
#include "restart.h"

// The shortest tile, and how many there are for a rank, so that all end together.
enum { LEAST_TILE = 16, MOST_TILE = 2048, TILES_EACH = 32 };

typedef struct job {
    cli_measure_options measure_options;
    cli_device_options device;
    char index[24]; // of a device that was chosen for this rank
    cli_read_options read;
    const char *paths[2]; // the second NULL: the first set with itself
    const char *output;
    bool json, share, any_device, resume;
    const char *checkpoint;
    uint64_t tile;
    ww_measure measure;
    ww_context *context;
    ww_series_set *sets[2];
    ww_dataset *data[2];
    ww_plan *plan;
    cli_progress progress;
    ww_plan_options plan_options;
    cli_tile_shape shape;
    cli_tile_target target; // its file is what all ranks fill
    void *values;           // of a tile
    restart restart;
    uint64_t done; // tiles of this rank
    double seconds;
} job;

// ---- devices

typedef struct identity {
    char host[MPI_MAX_PROCESSOR_NAME];
    char name[256], driver[128], version[64], physical[64]; // physical: UUID or PCI address, where the driver says it
} identity;

// The GPUs of a machine are dealt to its ranks; a machine without one gives all of them its best device.
static int choose_device(job *j) {
    ww_device_list *list = NULL;
    ww_device_info info = WW_DEVICE_INFO_INIT;
    MPI_Comm machine;
    int local, locals;
    size_t gpus = 0, wanted = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &local);
    MPI_Comm_size(machine, &locals);
    MPI_Comm_free(&machine);
    if (j->device.device || getenv("WAVEWARP_DEVICE"))
        return CLI_GO_ON;
    if (ww_device_list_create(&list) != WW_OK)
        return cli_fail();
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0, gpu = 0; i < ww_device_list_count(list); i++) {
            if (ww_device_list_get_info(list, i, &info) != WW_OK || !info.usable || info.type != WW_DEVICE_GPU)
                continue;
            gpus += pass == 0;
            if (pass == 1 && gpu++ == (size_t)local % gpus)
                wanted = i;
        }
    ww_device_list_destroy(&list);
    if (gpus == 0)
        return CLI_GO_ON;
    if ((size_t)locals > gpus && !j->share)
        return cli_error("%d ranks of a machine have %zu GPUs; --share-devices lets them share", locals, gpus);
    snprintf(j->index, sizeof j->index, "%zu", wanted);
    j->device.device = j->index;
    return CLI_GO_ON;
}

static void describe(const job *j, identity *own) {
    ww_device_info info = WW_DEVICE_INFO_INIT;
    int length;
    memset(own, 0, sizeof *own);
    MPI_Get_processor_name(own->host, &length);
    snprintf(own->version, sizeof own->version, "%s", ww_version());
    if (!j->context || ww_context_get_device_info(j->context, &info) != WW_OK)
        return;
    snprintf(own->name, sizeof own->name, "%s", info.name);
    snprintf(own->driver, sizeof own->driver, "%s", info.driver);
    snprintf(own->physical, sizeof own->physical, "%s", info.uuid[0] ? info.uuid : info.pci);
}

static int compare_devices(const job *j, const identity *all) {
    for (int i = 1; i < ranks; i++) {
        if (strcmp(all[i].version, all[0].version) != 0)
            return cli_error("rank 0 is version %s, rank %d %s", all[0].version, i, all[i].version);
        if (!j->any_device && (strcmp(all[i].name, all[0].name) != 0 || strcmp(all[i].driver, all[0].driver) != 0))
            return cli_error("rank 0 has %.100s (%s), rank %d %.100s (%s): the last bits would differ; --any-device "
                             "allows it",
                             all[0].name, all[0].driver, i, all[i].name, all[i].driver);
        for (int other = 0; !j->share && all[i].physical[0] && other < i; other++)
            if (strcmp(all[i].physical, all[other].physical) == 0 && strcmp(all[i].host, all[other].host) == 0)
                return cli_error("ranks %d and %d have one device (%s); --share-devices lets them share", other, i,
                                 all[i].physical);
    }
    return CLI_GO_ON;
}

// A context a rank; rank 0 looks whether they fit together.
static int open_devices(job *j) {
    identity own, *all = rank == 0 ? calloc((size_t)ranks, sizeof *all) : NULL;
    int result = ranks_agree(rank > 0 || all ? choose_device(j) : cli_error("out of memory"));
    if (result == CLI_GO_ON)
        result = ranks_agree(cli_context_open(&j->device, &j->context));
    if (result == CLI_GO_ON) {
        describe(j, &own);
        MPI_Gather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, 0, MPI_COMM_WORLD);
        result = ranks_agree(rank == 0 ? compare_devices(j, all) : CLI_GO_ON);
    }
    free(all);
    return result;
}

// ---- the matrix

static int read_sets(job *j) {
    int result = CLI_GO_ON;
    for (int i = 0; rank == 0 && i < 2 && result == CLI_GO_ON; i++)
        if (j->paths[i])
            result = cli_read(j->paths[i], &j->read, i, true, &j->sets[i]);
    result = ranks_agree(result);
    for (int i = 0; i < 2 && result == CLI_GO_ON; i++)
        if (j->paths[i])
            result = ranks_share(&j->sets[i]);
    if (result == CLI_GO_ON)
        result = ranks_agree(cli_fit_times(&j->measure, j->sets[0], j->sets[1]));
    if (result == CLI_GO_ON)
        cli_fit_band(&j->measure_options, &j->measure, j->sets[0], j->sets[1]);
    return result;
}

static int make_plan(job *j) {
    ww_plan_info info = WW_PLAN_INFO_INIT;
    cli_tiles *t = &j->shape.tiles;
    for (int i = 0; i < 2; i++)
        if (j->sets[i] && cli_dataset_make(j->context, &j->device, j->sets[i], &j->data[i]) != CLI_GO_ON)
            return CLI_FAILURE;
    cli_plan_options(&j->device, &j->progress, &j->plan_options);
    j->progress.run.progress = NULL; // a line of every rank helps nobody
    if (ww_plan_create_matrix(&j->measure, j->data[0], j->data[1], &j->plan_options, &j->plan) != WW_OK ||
        ww_plan_get_info(j->plan, &info) != WW_OK)
        return cli_fail();
    t->rows = ww_series_set_count(j->sets[0]);
    t->columns = j->sets[1] ? ww_series_set_count(j->sets[1]) : t->rows;
    // A plan says how many pairs it computes: half of them under a symmetric measure.
    t->upper = !j->sets[1] && info.pairs < (uint64_t)t->rows * t->rows - t->rows;
    return CLI_GO_ON;
}

static int make_tiles(job *j) {
    cli_tiles *t = &j->shape.tiles;
    const double each = (double)t->rows * (double)t->columns / (t->upper ? 2 : 1) / ((double)ranks * TILES_EACH);
    const size_t longest = t->rows > t->columns ? t->rows : t->columns;
    size_t side = j->tile ? (size_t)j->tile : (size_t)fmin(fmax(sqrt(each), LEAST_TILE), MOST_TILE);
    cli_tiles_fit(t, side < longest ? side : longest);
    j->shape.precision = cli_precision(&j->device);
    j->target = (cli_tile_target){t, NULL, j->shape.precision, false};
    return cli_values_allocate(t->side, t->side, j->shape.precision, &j->values);
}

// Rank 0 makes the file, unless a run before did; the others join.
static int open_file(job *j) {
    const cli_tiles *t = &j->shape.tiles;
    int result = CLI_GO_ON;
    for (int turn = 0; turn < 2 && result == CLI_GO_ON; turn++) {
        const ww_array_shared how = turn || j->restart.found ? WW_ARRAY_JOIN : WW_ARRAY_CREATE;
        if ((turn == 0) == (rank == 0) && ww_array_file_open_shared(j->output, j->shape.precision, t->rows, t->columns,
                                                                    how, &j->target.file) != WW_OK)
            result = cli_fail();
        result = ranks_agree(result);
    }
    return result;
}

static int run_tile(job *j, uint64_t number) {
    const cli_tile tile = cli_tiles_at(&j->shape.tiles, number);
    const ww_output to = WW_OUTPUT_HOST(j->values);
    const double start = cli_seconds();
    if (ww_plan_run_rectangle(j->plan, tile.row, tile.rows, tile.column, tile.columns, &to) != WW_OK)
        return cli_fail();
    const int result = cli_tile_put(&j->target, &tile, j->values);
    j->done++;
    j->seconds += cli_seconds() - start;
    return result == CLI_GO_ON ? restart_done(&j->restart, j->target.file, number) : result;
}

static int run_tiles(job *j) {
    const int64_t tiles = (int64_t)cli_tiles_count(&j->shape.tiles);
    rank_counter counter;
    int result = ranks_count_begin(&counter);
    cli_interrupt_finishes(true);
    for (int64_t tile; result == CLI_GO_ON && (tile = ranks_count(&counter)) < tiles;) {
        if (restart_has(&j->restart, (uint64_t)tile))
            continue;
        result = run_tile(j, (uint64_t)tile);
        if (result == CLI_GO_ON && cli_interrupted())
            result = cli_error("ended by a signal%s", j->checkpoint ? "; --resume goes on" : "");
    }
    if (result != CLI_GO_ON)
        ranks_count_stop(&counter);
    const int marked = restart_write(&j->restart, j->target.file);
    cli_interrupt_finishes(false);
    result = ranks_agree(result == CLI_GO_ON ? marked : result);
    ranks_count_end(&counter);
    return result;
}

// The others leave the file before rank 0 gives it its name, or removes it where nobody can go on with it.
static int close_file(job *j, int result) {
    const int unfinished = j->checkpoint ? WW_ARRAY_FILE_LEAVE : WW_ARRAY_FILE_REMOVE;
    for (int turn = 0; turn < 2; turn++) {
        const int keep = rank > 0 ? WW_ARRAY_FILE_LEAVE : result == CLI_GO_ON ? WW_ARRAY_FILE_FINISH : unfinished;
        if ((turn == 1) == (rank == 0) && j->target.file && ww_array_file_close(&j->target.file, keep) != WW_OK &&
            result == CLI_GO_ON)
            result = cli_fail();
        result = ranks_agree(result);
    }
    return result;
}

// Marks of which tiles are done, where they are asked for.
static int open_restart(job *j) {
    const restart_job of = {j->checkpoint, j->output, j->resume, j->any_device, cli_tiles_count(&j->shape.tiles),
                            j->context};
    char shape[256], inputs[256] = "";
    if (!j->checkpoint)
        return CLI_GO_ON;
    cli_tile_shape_print(&j->shape, shape);
    char *options = cli_division_options(shape, &j->measure, &j->measure_options, &j->device);
    int result = options ? CLI_GO_ON : cli_error("not enough memory");
    for (int i = 0; result == CLI_GO_ON && i < 2; i++)
        result = cli_division_sum(j->sets[i], inputs);
    result = ranks_agree(result);
    if (result == CLI_GO_ON)
        result = restart_open(&j->restart, &of, inputs, options);
    free(options);
    return result;
}

static void print_json(const job *j, const cli_command *command, const double *seconds, const uint64_t *tiles) {
    cli_head head = CLI_HEAD_INIT;
    cli_json json;
    for (int i = 0; i < 2; i++) {
        head.files[i] = j->paths[i];
        head.counts[i] = j->sets[i] ? ww_series_set_count(j->sets[i]) : 0;
    }
    head.output = j->output;
    head.measure = &j->measure;
    head.measure_options = &j->measure_options;
    head.read = &j->read;
    head.context = j->context;
    head.precision = ww_precision_name(cli_precision(&j->device));
    cli_json_head(&json, stdout, command, &head);
    cli_json_count(&json, "tiles", cli_tiles_count(&j->shape.tiles));
    cli_json_count(&json, "tiles_resumed", j->restart.found_done);
    cli_json_array(&json, "ranks");
    for (int i = 0; i < ranks; i++) {
        cli_json_object(&json, NULL);
        cli_json_count(&json, "tiles", tiles[i]);
        cli_json_number(&json, "seconds", seconds[i], 6);
        cli_json_end(&json);
    }
    cli_json_end(&json);
    cli_json_end(&json);
}

static int report(const job *j, const cli_command *command) {
    double *seconds = calloc((size_t)ranks, sizeof *seconds);
    uint64_t *tiles = calloc((size_t)ranks, sizeof *tiles);
    const int result = ranks_agree(seconds && tiles ? CLI_GO_ON : cli_error("out of memory"));
    if (result == CLI_GO_ON) {
        MPI_Gather(&j->seconds, 1, MPI_DOUBLE, seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Gather(&j->done, 1, MPI_UINT64_T, tiles, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
        if (rank == 0)
            print_json(j, command, seconds, tiles);
    }
    free(seconds);
    free(tiles);
    return result;
}

static int compute(job *j, const cli_command *command) {
    int result = ranks_agree(cli_measure_make(command->name, &j->measure_options, &j->measure));
    if (result == CLI_GO_ON)
        result = read_sets(j);
    if (result == CLI_GO_ON)
        result = open_devices(j);
    if (result == CLI_GO_ON)
        result = ranks_agree(make_plan(j));
    if (result == CLI_GO_ON)
        result = ranks_agree(make_tiles(j));
    if (result == CLI_GO_ON)
        result = open_restart(j);
    if (result == CLI_GO_ON && (result = open_file(j)) == CLI_GO_ON)
        result = run_tiles(j);
    result = close_file(j, result);
    restart_close(&j->restart, result == CLI_GO_ON);
    return result == CLI_GO_ON && j->json ? report(j, command) : result;
}

static int cmd_matrix_on_ranks(const cli_command *command, int argc, char **argv) {
    job j;
    memset(&j, 0, sizeof j);
    const cli_option options[] = {
        {"output", 'o', CLI_MADE, "FILE", "where to: .npy, else raw values; needed", &j.output, 0, 0},
        {"json", 'j', CLI_FLAG, NULL, "print one JSON object: what each rank did", &j.json, 0, 0},
        {"tile", 0, CLI_COUNT, "N", "rows and columns of a tile; default: by the work and the ranks", &j.tile, 0, 1},
        {"checkpoint", 0, CLI_MADE, "FILE", "keep a journal for each rank there, from which --resume goes on",
         &j.checkpoint, 0, 0},
        {"resume", 0, CLI_FLAG, NULL, "go on from --checkpoint, where there is one", &j.resume, 0, 0},
        {"share-devices", 0, CLI_FLAG, NULL, "several ranks may use one device", &j.share, 0, 0},
        {"any-device", 0, CLI_FLAG, NULL, "devices may be of different kinds, and the last bits with them",
         &j.any_device, 0, 0},
        CLI_MEASURE_OPTIONS(j.measure_options),
        CLI_ENGINE_OPTION(j.device),
        CLI_READ_OPTIONS(j.read),
        CLI_DEVICE_OPTIONS(j.device),
    };
    // The same arguments on every rank: rank 0 says what is wrong with them, or prints the help.
    if (rank > 0)
        stdout = fopen("/dev/null", "w");
    int result = cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.paths, 1, 2, NULL);
    if (result == CLI_GO_ON && !j.output)
        result = cli_usage(NULL, "%s needs --output FILE", command->name);
    if (result == CLI_GO_ON && j.resume && !j.checkpoint)
        result = cli_usage(NULL, "--resume goes on from a --checkpoint FILE");
    int first = result;
    MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (first != CLI_GO_ON || (result = ranks_agree(result)) != CLI_GO_ON)
        return first != CLI_GO_ON ? first : result;
    result = compute(&j, command);
    cli_progress_end(&j.progress);
    ww_plan_destroy(&j.plan);
    for (int i = 1; i >= 0; i--) {
        ww_dataset_destroy(&j.data[i]);
        ww_series_set_destroy(&j.sets[i]);
    }
    ww_context_destroy(&j.context);
    cli_measure_free(&j.measure);
    free(j.values);
    return result == CLI_GO_ON ? CLI_OK : result;
}

static const cli_command matrix = {
    "matrix", "A [B] -o FILE", "Writes all distances between two sets, or within one.",
    "The ranks of an MPI job share the work: mpirun -n 4 wavewarp-mpi matrix a.ts -o d.npy\nThe file is that of "
    "'wavewarp matrix', byte for byte, on devices of one kind. docs/scale.md",
    cmd_matrix_on_ranks};

static int run(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        if (rank == 0)
            printf("wavewarp-mpi %s\n", ww_version());
        return CLI_OK;
    }
    if (argc >= 2 && strcmp(argv[1], matrix.name) == 0)
        return matrix.run(&matrix, argc - 1, argv + 1);
    const bool help = argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    if (rank == 0)
        fprintf(help ? stdout : stderr,
                "Usage: wavewarp-mpi matrix A [B] -o FILE [option...]\n%s\n\n'wavewarp-mpi matrix --help' says more.\n",
                matrix.summary);
    return help ? CLI_OK : CLI_USAGE;
}

int main(int argc, char **argv) {
    int given;
    cli_seconds(); // starts the clock
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS)
        return CLI_FAILURE;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    cli_interrupt_begin();
    ranks_begin();
    const int result = run(argc, argv);
    MPI_Finalize();
    return result;
}
