// SPDX-License-Identifier: Apache-2.0
// A command's table of options as text: help, a manual page, lines for the completion of shells.
#ifndef WAVEWARP_CLI_DESCRIBE_H
#define WAVEWARP_CLI_DESCRIBE_H

#include "base/arguments.h"

void cli_describe_help(const cli_command *command, const cli_option *options, size_t count);
// A page for man(1), section 1.
void cli_describe_manual(const cli_command *command, const cli_option *options, size_t count);
// A line an option, fields between tabs: name, letter, kind of value (none, file, choice, text), choices, help.
void cli_describe_options(const cli_option *options, size_t count);

#endif
