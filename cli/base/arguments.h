// SPDX-License-Identifier: Apache-2.0
// Command lines: options by table, their values checked, help text from the same table.
#ifndef WAVEWARP_CLI_ARGUMENTS_H
#define WAVEWARP_CLI_ARGUMENTS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// CLI_PART: a part of a job is done, and there is no whole result.
enum { CLI_OK = 0, CLI_FAILURE = 1, CLI_USAGE = 2, CLI_GO_ON = -1, CLI_PART = -2 };

// Goes on when a call gives CLI_GO_ON; else the function that it stands in returns the exit code.
#define CLI_TRY(...)                                                                                                   \
    do {                                                                                                               \
        const int cli_tried = (__VA_ARGS__);                                                                           \
        if (cli_tried != CLI_GO_ON)                                                                                    \
            return cli_tried;                                                                                          \
    } while (0)

typedef enum cli_kind {
    CLI_FLAG,   // bool: true when given
    CLI_TEXT,   // const char *
    CLI_FILE,   // const char *, the name of a file; '-' is refused
    CLI_MADE,   // the same, of a file that is written
    CLI_INPUT,  // const char *, a file that is read; '-' is standard input
    CLI_OUTPUT, // const char *, a file that is written; '-' is standard output
    CLI_COUNT,  // uint64_t, a whole number
    CLI_RANGE,  // cli_range: A:B, whole numbers from A on, B not among them; one may be left out
    CLI_BYTES,  // uint64_t, a whole number with K, M, G or T behind it
    CLI_CHOICE, // int: position in `choices`, counted from `least`
    CLI_LIST,   // cli_list: may be given several times
    CLI_INPUTS  // the same, of files that are read
} cli_kind;

typedef struct cli_range {
    bool given;
    uint64_t begin, end; // end UINT64_MAX: to the last
} cli_range;

typedef struct cli_list {
    const char *items[32];
    size_t count;
} cli_list;

typedef struct cli_option {
    const char *name; // without the dashes; NULL starts a new heading in the help, whose text is in `help`
    char letter;      // short form, or '\0'
    cli_kind kind;
    const char *argument; // what the help calls the value, NULL for a flag
    const char *help;
    void *target;               // where the value goes; see the kind
    const char *const *choices; // CLI_CHOICE: names, then NULL
    uint64_t least;             // CLI_COUNT: smallest value; CLI_CHOICE: what the first is
} cli_option;

// The rows of a table of options.
#define CLI_HEADING(text)                                                                                              \
    { NULL, 0, CLI_FLAG, NULL, text, NULL, NULL, 0 }
#define CLI_SWITCH(name, letter, help, target)                                                                         \
    { name, letter, CLI_FLAG, NULL, help, target, NULL, 0 }
#define CLI_NUMBER(name, letter, argument, help, target, least)                                                        \
    { name, letter, CLI_COUNT, argument, help, target, NULL, least }
#define CLI_ONE_OF(name, letter, argument, help, target, choices)                                                      \
    { name, letter, CLI_CHOICE, argument, help, target, choices, 0 }
// 0 says that it was not given.
#define CLI_ONE_OF_OR_NONE(name, letter, argument, help, target, choices)                                              \
    { name, letter, CLI_CHOICE, argument, help, target, choices, 1 }
#define CLI_OPTION(name, letter, kind, argument, help, target)                                                         \
    { name, letter, kind, argument, help, target, NULL, 0 }

typedef struct cli_command {
    const char *name;
    const char *operands; // for the usage line
    const char *summary;
    const char *details;                                                  // further help, or NULL
    int (*run)(const struct cli_command *command, int argc, char **argv); // CLI_GO_ON, or the exit code
} cli_command;

// Parses argv[1...] of a command. Operands go to `operands`, at most `most` of them, at least `least`.
// An operand is a file that is read, but for one that the usage line calls OUT. Only one file can be standard input,
// and only one thing, a file or the JSON, standard output: two are a usage error. Gives CLI_GO_ON, or the exit code
// after the help was printed (0) or a usage error was reported (2).
int cli_parse(const cli_command *command, const cli_option *options, size_t option_count, int argc, char **argv,
              const char **operands, size_t least, size_t most, size_t *operand_count);

// Whether a file that is written is standard output; then a report does not go there too.
bool cli_writes_to_stdout(const cli_option *options, size_t option_count);

// The program that help and hints name: "wavewarp", unless it sets another at its start.
extern const char *cli_program;

// Reports a usage error with a pointer to the command's help; gives CLI_USAGE.
int cli_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Prints "wavewarp: " and a message, its control characters escaped, and where to find help (NULL: nowhere).
void cli_message(const char *help_of, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));

// The name closest to `given`, or NULL when none is close. `next` walks the names: NULL ends.
const char *cli_closest(const char *given, const char *(*next)(void *walk), void *walk);

// A finite number that takes the whole text.
bool cli_number(const char *text, double *value);
// A number of bytes: 4096, 64K, 2G, 2GiB.
bool cli_bytes(const char *text, uint64_t *value);

#endif
