// SPDX-License-Identifier: Apache-2.0
// The program `wavewarp`: finds the command and runs it.
#include <string.h>

#include "commands/commands.h"

#define FORMATS                                                                                                        \
    "Files: UCR .tsv and .txt, sktime/aeon .ts, .arff, .csv, .npy, .npz (FILE.npz:NAME) and FASTA, told apart by\n"    \
    "their content; .f32 and .f64, numbers alone; also packed by gzip. '-' is standard input or output.\n"             \
    "With --format text: a sequence of characters a line, for levenshtein and lcs."

#define POINTS                                                                                                         \
    "Files: .fvecs, .bvecs, .ivecs, .npy, else text, a point a line. Points are numbers; for hamming and "             \
    "jaccard-bits\npacked bytes or words of 0 and 1; for jaccard, lists of integers."

static const cli_command commands[] = {
    {"classify", "TRAIN TEST", "Classifies series by the nearest ones under an elastic measure.", FORMATS,
     cmd_classify},
    {"choose", "TRAIN [TEST]", "Chooses band and parameters of a measure by leave-one-out.",
     FORMATS
     "\nEach training series is classified by the others; of equally good choices the first is taken. With TEST:\n"
     "the accuracy of the chosen one there.",
     cmd_choose},
    {"matrix", "A [B]", "Computes all distances between two sets, or within one.",
     FORMATS "\nWithout B: A is compared with itself. The file appears only when it is whole.", cmd_matrix},
    {"merge", "DIR", "Joins the parts of a job (--part I/N) to the file of one run.",
     "The parts have to be complete, and of the same inputs, options, version and kind of device.", cmd_merge},
    {"pairs", "A B", "Computes the distance of the i-th series of A and the i-th of B.",
     FORMATS "\nPrints a distance a line.", cmd_pairs},
    {"nearest", "QUERIES [BASE]", "Finds the k nearest series of a base for every query.",
     FORMATS "\nWithout BASE: each query's nearest among the others. Prints the query's index, then index:distance of\n"
             "each neighbour, nearest first; indices count from 0.",
     cmd_nearest},
    {"gradient", "X Y", "Computes how distances of pairs change with their series' values.",
     FORMATS
     "\nThe i-th series of X is compared with the i-th of Y. With --soft GAMMA the distance is that of the soft "
     "minimum,\nwithout it the gradient is that along the best path. With --znorm it is by the normalised values.",
     cmd_gradient},
    {"knn", "QUERIES [BASE]", "Finds the k nearest points of a base for every query, exactly.",
     POINTS "\nWithout BASE: each point's nearest among the others. Prints the query's index, then index:distance of\n"
            "each neighbour, nearest first; indices count from 0.",
     cmd_knn},
    {"lsh", "[QUERIES] [BASE]", "Finds near points by hashing, or measures its recall and time.",
     POINTS "\nOne file is the base, which asks itself; with --load it is the queries. Output as of 'wavewarp knn'.\n"
            "--evaluate compares with the exact search.",
     cmd_lsh},
    {"index", "build SERIES | search INDEX [QUERIES] | add INDEX SERIES | remove INDEX | info INDEX",
     "Finds near series by an index of links, with the recall asked for.",
     FORMATS "\nTakes any measure. The index is a file of its own, with the series in it. docs/index.md", cmd_index},
    {"cluster", "[INPUT]", "Groups similar series: k medoids, merging, k-means, k-shape.",
     FORMATS
     "\nComputes the matrix of all distances, then the clusters; prints their sizes, medoids and silhouettes. With\n"
     "--distances FILE the matrix is read.",
     cmd_cluster},
    {"search", "QUERIES... --in STREAM", "Finds where queries match in long streams.",
     FORMATS
     "\nPrints the query's index, the stream's, the first point of the match, the one after its last, and the\n"
     "distance. With --znorm every window is z-normalised. A STREAM named .f32 or .f64 has plain numbers, point\n"
     "by point, and may be larger than the memory. '--in -' with --threshold reads a point a line as it comes; a\n"
     "first line of names is a heading. Names in --columns choose columns of the streams, and of queries that have a "
     "heading.",
     cmd_search},
    {"path", "A B", "Finds which points of two series are matched: their warping path.",
     FORMATS "\nThe i-th series of A is paired with the i-th of B; one series on a side with all of the other. Prints "
             "a line\n'pair,i,j' for each cell; indices count from 0, -1 is the border of a measure that has one.",
     cmd_path},
    {"sbd", "A [B]", "Computes shape-based distances: cross-correlation over all shifts.",
     FORMATS "\nWithout B: A is compared with itself. Series may differ in length.", cmd_sbd},
    {"average", "INPUT", "Averages the series of a set, or of each class, under a measure.",
     FORMATS "\nDBA: dtw, adtw, wdtw, frechet, msm and twed; the average's points are the means of what they match.",
     cmd_average},
    {"profile", "SERIES [OTHER] --window N", "Finds the nearest window of each window: the matrix profile.",
     FORMATS
     "\nEach series of the file has a profile of its own; with OTHER one series is compared with another one. Windows\n"
     "are z-normalised unless --raw is given, and numbered by their first point, from 0. Prints a line a window;\n"
     "with --motifs, --discords or --regimes these instead.",
     cmd_profile},
    {"shapelets", "fit TRAIN | predict MODEL SERIES | transform MODEL SERIES | show MODEL [TRAIN]",
     "Finds windows that tell classes apart, and grows a tree on them.",
     FORMATS "\nThe model is a JSON file. docs/shapelets.md", cmd_shapelets},
    {"devices", "", "Lists and tests the OpenCL devices; says which would be chosen.", NULL, cmd_devices},
    {"measures", "[NAME]", "Lists the elastic measures, or describes one.", NULL, cmd_measures},
    {"generate", "KIND", "Generates series of a kind, with labels where it has classes.",
     "KIND is cbf, two-patterns, synthetic-control, random-walk or sine.", cmd_generate},
    {"convert", "IN [OUT]", "Writes series in another format: .tsv, .ts, .csv, .npy or text.", FORMATS, cmd_convert},
    {"info", "FILE", "Says what is in a file of series, and how it is read.",
     FORMATS "\nFormat, heading, columns, lengths, labels, missing and constant series, time stamps, first values.",
     cmd_info},
    {"tune", "", "Finds the fastest parameters for a device, for the tuning file.",
     "Takes a minute or so. Each candidate is checked against a reference; * marks the one chosen. docs/tuning.md",
     cmd_tune},
    {"bench", "[option...]", "Runs the bench program wavewarp-bench with these options.", NULL, cmd_bench},
};

static void print_overview(FILE *file) {
    fputs("Usage: wavewarp COMMAND [argument...]\nElastic distances between time series on any OpenCL device.\n\n",
          file);
    for (size_t i = 0; i < CLI_COUNT_OF(commands); i++)
        fprintf(file, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fputs("\n'wavewarp COMMAND --help' says more. --version prints the version.\n", file);
}

static const char *next_command(void *walk) {
    size_t *at = walk;
    if (*at < CLI_COUNT_OF(commands))
        return commands[(*at)++].name;
    return (*at)++ == CLI_COUNT_OF(commands) ? "help" : NULL;
}

static const cli_command *find_command(const char *name) {
    for (size_t i = 0; i < CLI_COUNT_OF(commands); i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int unknown_command(const char *name) {
    size_t walk = 0;
    const char *closest = cli_closest(name, next_command, &walk);
    if (closest)
        return cli_usage(NULL, "unknown command '%s'; did you mean '%s'?", name, closest);
    return cli_usage(NULL, "unknown command '%s'", name);
}

// What the command gives, which is CLI_GO_ON where nothing ended it early.
static int run_command(int argc, char **argv) {
    if (argc < 2) {
        print_overview(stderr);
        return CLI_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("wavewarp %s\n", ww_version());
        return CLI_OK;
    }
    if (strcmp(name, "--help-commands") == 0) { // for the completion of shells
        for (size_t i = 0; i < CLI_COUNT_OF(commands); i++)
            printf("%s\t%s\n", commands[i].name, commands[i].summary);
        return CLI_OK;
    }
    const bool help = strcmp(name, "help") == 0;
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || (help && argc == 2)) {
        print_overview(stdout);
        return CLI_OK;
    }
    const cli_command *command = find_command(help ? argv[2] : name);
    if (!command)
        return unknown_command(help ? argv[2] : name);
    if (help) {
        char word[] = "--help", *arguments[] = {argv[2], word, NULL};
        return command->run(command, 2, arguments);
    }
    return command->run(command, argc - 1, argv + 1);
}

int cli_run(int argc, char **argv) {
    const int result = run_command(argc, argv);
    return result == CLI_GO_ON || result == CLI_PART ? CLI_OK : result;
}
