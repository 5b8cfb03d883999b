// SPDX-License-Identifier: Apache-2.0
// wavewarp-mpi: commands of the program on many machines.
#include <string.h>

#include "job.h"

static int matrix(const cli_command *command, int argc, char **argv) {
    rank_job j = {.kind = &rank_matrix};
    const cli_option options[] = {
        CLI_OPTION("output", 'o', CLI_MADE, "FILE", "where to: .npy, else raw values", &j.wanted.output),
        CLI_SWITCH("json", 'j', "print one JSON object: what each rank did", &j.wanted.json),
        RANK_OPTIONS(j),
        RANK_SERIES_OPTIONS(j),
    };
    return rank_job_run(&j, command, options, CLI_COUNT_OF(options), argc, argv);
}

static int pairs(const cli_command *command, int argc, char **argv) {
    rank_job j = {.kind = &rank_pairs};
    const cli_option options[] = {
        CLI_OPTION("output", 'o', CLI_MADE, "FILE", "where to: .npy, .csv, else raw values", &j.wanted.output),
        CLI_SWITCH("json", 'j', "print one JSON object: what each rank did", &j.wanted.json),
        RANK_OPTIONS(j),
        RANK_SERIES_OPTIONS(j),
    };
    return rank_job_run(&j, command, options, CLI_COUNT_OF(options), argc, argv);
}

static int nearest(const cli_command *command, int argc, char **argv) {
    rank_job j = {.kind = &rank_nearest, .wanted = {.k = 1}};
    const cli_option options[] = {
        CLI_NEIGHBOUR_OPTIONS(j.wanted),
        CLI_SWITCH("no-bounds", 0, "compute every distance in full: no lower bounds, no abandoning", &j.no_bounds),
        RANK_OPTIONS(j),
        RANK_SERIES_OPTIONS(j),
    };
    return rank_job_run(&j, command, options, CLI_COUNT_OF(options), argc, argv);
}

static int knn(const cli_command *command, int argc, char **argv) {
    rank_job j = {.kind = &rank_knn};
    const cli_option options[] = {
        CLI_NEIGHBOUR_OPTIONS(j.wanted),
        CLI_ONE_OF("metric", 'm', "M", "distance of two points", &j.points.metric, cli_metrics),
        CLI_OPTION("radius", 0, CLI_TEXT, "R",
                   "only points at most R away, of the K nearest; K is then as large as can be", &j.points.radius_text),
        RANK_OPTIONS(j),
    };
    return rank_job_run(&j, command, options, CLI_COUNT_OF(options), argc, argv);
}

static int lsh(const cli_command *command, int argc, char **argv) {
    rank_job j = {.kind = &rank_lsh_kind, .wanted = {.k = 1}, .lsh = {.asked = CLI_LSH_WANTED_INIT}};
    const cli_option options[] = {
        CLI_NEIGHBOUR_OPTIONS(j.wanted),
        CLI_LSH_OPTIONS(j.lsh.asked),
        RANK_OPTIONS(j),
    };
    return rank_job_run(&j, command, options, CLI_COUNT_OF(options), argc, argv);
}

static int gradient(const cli_command *command, int argc, char **argv) {
    rank_job j = {.kind = &rank_gradient_kind};
    const cli_option options[] = {
        CLI_OPTION("output", 'o', CLI_MADE, "FILE", "where to, in the shape of the series: .npy, .csv, .ts",
                   &j.wanted.output),
        CLI_SWITCH("json", 'j', "print one JSON object: what each rank did", &j.wanted.json),
        CLI_ONE_OF("of", 0, "SIDE", "by the series of X or of Y", &j.gradient.of, cli_gradient_sides),
        CLI_SWITCH("divergence", 0, "of V(x,y) - V(x,x)/2 - V(y,y)/2", &j.gradient.divergence),
        RANK_OPTIONS(j),
        CLI_MEASURE_OPTIONS(j.s.measure_options),
        CLI_READ_OPTIONS(j.s.read),
    };
    return rank_job_run(&j, command, options, CLI_COUNT_OF(options), argc, argv);
}

static int search(const cli_command *command, int argc, char **argv) {
    rank_job j = {.kind = &rank_search_kind, .search = {.wanted = CLI_SEARCH_WANTED_INIT, .raw = {.file = -1}}};
    const cli_option options[] = {
        CLI_SEARCH_OPTIONS(j.search.wanted),
        RANK_OPTIONS(j),
        RANK_SERIES_OPTIONS(j),
    };
    return rank_job_run(&j, command, options, CLI_COUNT_OF(options), argc, argv);
}

static int profile(const cli_command *command, int argc, char **argv) {
    rank_job j = {.kind = &rank_profile_kind, .profile = {.wanted = CLI_PROFILE_WANTED_INIT}};
    const cli_option options[] = {
        CLI_PROFILE_OPTIONS(j.profile.wanted),
        RANK_OPTIONS(j),
        CLI_READ_OPTIONS(j.s.read),
    };
    return rank_job_run(&j, command, options, CLI_COUNT_OF(options), argc, argv);
}

static int path(const cli_command *command, int argc, char **argv) {
    rank_job j = {.kind = &rank_path};
    const cli_option options[] = {
        CLI_OPTION("output", 'o', CLI_OUTPUT, "FILE", "where to: .npy (pair, i, j), else lines 'pair,i,j'",
                   &j.wanted.output),
        CLI_SWITCH("json", 'j', "print one JSON object: what each rank did", &j.wanted.json),
        RANK_OPTIONS(j),
        RANK_SERIES_OPTIONS(j),
    };
    return rank_job_run(&j, command, options, CLI_COUNT_OF(options), argc, argv);
}

static int classify(const cli_command *command, int argc, char **argv) {
    rank_job j = {.kind = &rank_classify, .wanted = {.k = 1}};
    const cli_option options[] = {
        CLI_NUMBER("k", 'k', "K", "neighbours that vote, default 1", &j.wanted.k, 1),
        CLI_OPTION("predictions", 0, CLI_OUTPUT, "FILE",
                   "write index, actual and predicted label of every test series; .csv: commas",
                   &j.classes.predictions),
        CLI_SWITCH("no-bounds", 0, "compute every distance in full: no lower bounds, no abandoning", &j.no_bounds),
        CLI_SWITCH("json", 'j', "print one JSON object: what each rank did", &j.wanted.json),
        RANK_OPTIONS(j),
        RANK_SERIES_OPTIONS(j),
    };
    return rank_job_run(&j, command, options, CLI_COUNT_OF(options), argc, argv);
}

static const char about[] = "The ranks of an MPI job share the work: mpirun -n 4 wavewarp-mpi matrix a.ts -o d.npy. "
                            "The files are those of 'wavewarp', byte for byte, on devices of one kind.";
static const cli_command commands[] = {
    {"matrix", "A [B] -o FILE", "Writes all distances between two sets, or within one.", about, matrix},
    {"pairs", "A B -o FILE", "Writes the distance of the i-th of A and the i-th of B.", about, pairs},
    {"path", "A B -o FILE", "Writes the warping path of every pair.", about, path},
    {"classify", "TRAIN TEST --predictions FILE", "Classifies by the nearest training series.", about, classify},
    {"nearest", "QUERIES [BASE] -k K -o FILE", "Writes the k nearest series of every query.", about, nearest},
    {"knn", "QUERIES [BASE] -k K -o FILE", "Writes the k nearest points of every query.", about, knn},
    {"lsh", "QUERIES [BASE] -k K -o FILE", "Writes near points of every query, by hashing.", about, lsh},
    {"gradient", "X Y -o FILE", "Writes the gradient of each pair's distance.", about, gradient},
    {"search", "QUERIES... --in STREAM -o FILE", "Writes the best matches of every query.", about, search},
    {"profile", "SERIES [OTHER] --window N -o FILE", "Writes matrix profiles.", about, profile},
};

static int run(int argc, char **argv) {
    // Ranks of several commands would wait for each other.
    CLI_TRY(ranks_same("the command", argc >= 2 ? argv[1] : "", true));
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        if (rank == 0)
            printf("wavewarp-mpi %s\n", ww_version());
        return CLI_OK;
    }
    for (size_t i = 0; argc >= 2 && i < CLI_COUNT_OF(commands); i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(&commands[i], argc - 1, argv + 1);
    const bool help = argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    FILE *to = help ? stdout : stderr;
    for (size_t i = 0; rank == 0 && i < CLI_COUNT_OF(commands); i++)
        fprintf(to, "%s wavewarp-mpi %s %s [option...]\n       %s\n", i ? "      " : "Usage:", commands[i].name,
                commands[i].operands, commands[i].summary);
    if (rank == 0)
        fprintf(to, "\n'wavewarp-mpi COMMAND --help' says more.\n");
    return help ? CLI_OK : CLI_USAGE;
}

int main(int argc, char **argv) {
    int given;
    cli_program = "wavewarp-mpi";
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
