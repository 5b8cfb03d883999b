// SPDX-License-Identifier: Apache-2.0
// The commands.
#ifndef WAVEWARP_CLI_COMMANDS_H
#define WAVEWARP_CLI_COMMANDS_H

#include "base/common.h"

int cmd_average(const cli_command *command, int argc, char **argv);
int cmd_bench(const cli_command *command, int argc, char **argv);
int cmd_choose(const cli_command *command, int argc, char **argv);
int cmd_classify(const cli_command *command, int argc, char **argv);
int cmd_cluster(const cli_command *command, int argc, char **argv);
int cmd_convert(const cli_command *command, int argc, char **argv);
int cmd_devices(const cli_command *command, int argc, char **argv);
int cmd_generate(const cli_command *command, int argc, char **argv);
int cmd_gradient(const cli_command *command, int argc, char **argv);
int cmd_index(const cli_command *command, int argc, char **argv);
int cmd_info(const cli_command *command, int argc, char **argv);
int cmd_knn(const cli_command *command, int argc, char **argv);
int cmd_lsh(const cli_command *command, int argc, char **argv);
int cmd_matrix(const cli_command *command, int argc, char **argv);
int cmd_measures(const cli_command *command, int argc, char **argv);
// Runs a command, whose name is argv[1]; gives the exit code.
int cli_run(int argc, char **argv);
int cmd_merge(const cli_command *command, int argc, char **argv);
int cmd_nearest(const cli_command *command, int argc, char **argv);
int cmd_pairs(const cli_command *command, int argc, char **argv);
int cmd_path(const cli_command *command, int argc, char **argv);
int cmd_profile(const cli_command *command, int argc, char **argv);
int cmd_sbd(const cli_command *command, int argc, char **argv);
int cmd_search(const cli_command *command, int argc, char **argv);
int cmd_shapelets(const cli_command *command, int argc, char **argv);
int cmd_tune(const cli_command *command, int argc, char **argv);

#endif
