// SPDX-License-Identifier: Apache-2.0
// Prints text from files and arguments without control sequences for the terminal.
#ifndef WAVEWARP_CLI_ESCAPE_H
#define WAVEWARP_CLI_ESCAPE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Length of the well-formed UTF-8 character at `text` and its number; 0 when the bytes are none.
size_t cli_utf8(const char *text, uint32_t *character);

// Prints `text` with every control character, and every byte that is not UTF-8, as \xNN. Characters of `kept` ("":
// none) are printed as they are.
void cli_print_escaped(FILE *file, const char *text, const char *kept);

// Number of characters that cli_print_escaped() prints.
size_t cli_escaped_width(const char *text);

// The same in a column of `width` characters, to the right; what does not fit is cut off.
void cli_print_column(FILE *file, const char *text, size_t width);

#endif
