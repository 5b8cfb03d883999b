// SPDX-License-Identifier: Apache-2.0
// Parses command lines by tables of options, checks the values. Help from the same tables is in
// describe.c.
#include "base/arguments.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/describe.h"
#include "base/escape.h"
#include "base/same_file.h"

const char *cli_program = "wavewarp";

void cli_message(const char *help_of, const char *format, va_list arguments) {
    char text[8192];
    vsnprintf(text, sizeof text, format, arguments);
    fputs("wavewarp: ", stderr);
    cli_print_escaped(stderr, text, "");
    if (help_of)
        fprintf(stderr, " (see %s %s%s--help)", cli_program, help_of, *help_of ? " " : "");
    fputc('\n', stderr);
}

int cli_usage(const char *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    cli_message(command ? command : "", format, arguments);
    va_end(arguments);
    return CLI_USAGE;
}

// Levenshtein's distance of two short words.
static size_t edits(const char *a, const char *b) {
    size_t row[64];
    const size_t width = strlen(b);
    if (width >= sizeof row / sizeof *row)
        return SIZE_MAX;
    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 1; j <= width; j++) {
            const size_t replaced = diagonal + (a[i] != b[j - 1]);
            const size_t inserted = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = replaced < inserted ? replaced : inserted;
        }
    }
    return row[width];
}

const char *cli_closest(const char *given, const char *(*next)(void *walk), void *walk) {
    const char *best = NULL;
    const size_t length = strlen(given);
    size_t least = length / 3 + 2; // a larger distance is no typing error
    for (const char *name; (name = next(walk));) {
        const bool begins = length >= 3 && strncmp(given, name, length) == 0; // a name cut short
        const size_t distance = begins ? 1 : edits(given, name);
        if (distance < least) {
            least = distance;
            best = name;
        }
    }
    return best;
}

bool cli_number(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

static bool parse_count(const char *text, const char **end, uint64_t *value) {
    if (*text < '0' || *text > '9')
        return false;
    char *stop;
    errno = 0;
    *value = strtoull(text, &stop, 10);
    *end = stop;
    return errno == 0;
}

static bool parse_range(const char *text, cli_range *range) {
    *range = (cli_range){true, 0, UINT64_MAX};
    if (*text != ':' && !parse_count(text, &text, &range->begin))
        return false;
    if (*text++ != ':')
        return false;
    return *text == '\0' || (parse_count(text, &text, &range->end) && *text == '\0' && range->end > range->begin);
}

// A number of bytes: 4096, 64K, 2G, 2GiB.
bool cli_bytes(const char *text, uint64_t *value) {
    static const char units[] = "KMGT";
    const char *end;
    if (!parse_count(text, &end, value))
        return false;
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    if (unit) {
        const int shift = 10 * (int)(unit - units + 1);
        if (*value > UINT64_MAX >> shift)
            return false;
        *value <<= shift;
        end++;
        if (strcmp(end, "B") == 0 || strcmp(end, "iB") == 0)
            return true;
    }
    return *end == '\0';
}

static int store_choice(const char *command, const cli_option *option, const char *value) {
    char known[256] = "";
    for (int i = 0; option->choices[i]; i++) {
        if (strcmp(option->choices[i], value) == 0) {
            *(int *)option->target = i + (int)option->least;
            return CLI_GO_ON;
        }
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "", option->choices[i]);
    }
    return cli_usage(command, "--%s is '%s', but must be one of: %s", option->name, value, known);
}

static bool is_stream(const char *path) {
    return path && strcmp(path, "-") == 0;
}

static int store(const char *command, const cli_option *option, const char *value) {
    const char *end;
    uint64_t count;
    switch (option->kind) {
    case CLI_FLAG:
        *(bool *)option->target = true;
        break;
    case CLI_FILE:
    case CLI_MADE:
        if (is_stream(value))
            return cli_usage(command, "--%s needs a file; '-' is none", option->name);
        *(const char **)option->target = value;
        break;
    case CLI_TEXT:
    case CLI_INPUT:
    case CLI_OUTPUT:
        *(const char **)option->target = value;
        break;
    case CLI_COUNT:
        if (!parse_count(value, &end, &count) || *end || count < option->least)
            return cli_usage(command, "--%s is '%s', but must be a whole number of %llu or more", option->name, value,
                             (unsigned long long)option->least);
        *(uint64_t *)option->target = count;
        break;
    case CLI_RANGE:
        if (!parse_range(value, (cli_range *)option->target))
            return cli_usage(command, "--%s is '%s', but must be A:B: from number A on, up to but not including B",
                             option->name, value);
        break;
    case CLI_BYTES:
        if (!cli_bytes(value, &count))
            return cli_usage(command, "--%s is '%s', but must be a number of bytes such as 512M", option->name, value);
        *(uint64_t *)option->target = count;
        break;
    case CLI_CHOICE:
        return store_choice(command, option, value);
    case CLI_LIST:
    case CLI_INPUTS: {
        cli_list *list = option->target;
        if (list->count == sizeof list->items / sizeof *list->items)
            return cli_usage(command, "--%s is given too often", option->name);
        list->items[list->count++] = value;
        break;
    }
    }
    return CLI_GO_ON;
}

// ---- parsing

typedef struct option_walk {
    const cli_option *options;
    size_t count, at;
} option_walk;

static const char *next_option(void *walk) {
    option_walk *w = walk;
    while (w->at < w->count) {
        const char *name = w->options[w->at++].name;
        if (name)
            return name;
    }
    return w->at++ == w->count ? "help" : NULL;
}

static int unknown_option(const cli_command *command, const cli_option *options, size_t count, const char *name) {
    option_walk walk = {options, count, 0};
    const char *closest = cli_closest(name, next_option, &walk);
    if (closest)
        return cli_usage(command->name, "unknown option '--%s'; did you mean '--%s'?", name, closest);
    return cli_usage(command->name, "unknown option '--%s'", name);
}

// --NAME, --NAME=VALUE or --NAME VALUE: `next` is the following argument or NULL. *took says whether it was used.
static int parse_long(const cli_command *command, const cli_option *options, size_t count, const char *argument,
                      const char *next, bool *took) {
    char name[64];
    const size_t length = strcspn(argument, "=");
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), argument);
    const char *value = argument[length] == '=' ? argument + length + 1 : NULL;
    for (size_t i = 0; i < count; i++) {
        if (!options[i].name || strcmp(options[i].name, name) != 0)
            continue;
        if (options[i].kind == CLI_FLAG && value)
            return cli_usage(command->name, "--%s takes no value", name);
        *took = !value && options[i].kind != CLI_FLAG;
        if (*took && !next)
            return cli_usage(command->name, "--%s needs a value (%s)", name, options[i].argument);
        return store(command->name, &options[i], value ? value : next);
    }
    return unknown_option(command, options, count, name);
}

static const cli_option *find_letter(const cli_option *options, size_t count, char letter) {
    for (size_t i = 0; i < count; i++)
        if (options[i].name && options[i].letter == letter)
            return &options[i];
    return NULL;
}

// -jvk5: flags, and at the end one option with its value, attached or in `next`.
static int parse_short(const cli_command *command, const cli_option *options, size_t count, const char *letters,
                       const char *next, bool *took) {
    for (; *letters; letters++) {
        const cli_option *option = find_letter(options, count, *letters);
        if (!option)
            return cli_usage(command->name, "unknown option '-%c'", *letters);
        if (option->kind == CLI_FLAG) {
            store(command->name, option, NULL);
            continue;
        }
        *took = !letters[1];
        if (*took && !next)
            return cli_usage(command->name, "--%s needs a value (%s)", option->name, option->argument);
        return store(command->name, option, *took ? next : letters + 1);
    }
    return CLI_GO_ON;
}

// ---- standard input and output

// Whether the usage line calls operand `at` OUT.
static bool is_output(const char *operands, size_t at) {
    const char *word = operands;
    while (at--)
        word += strcspn(word, " ") + (strchr(word, ' ') != NULL);
    return strcmp(word, "OUT") == 0 || strcmp(word, "[OUT]") == 0;
}

static bool has_stream(const cli_list *list) {
    for (size_t i = 0; i < list->count; i++)
        if (is_stream(list->items[i]))
            return true;
    return false;
}

// Of each stream the one that has it, as it is called on the command line; empty: nobody.
typedef struct streams {
    char reads[32], writes[32];
} streams;

static int take_stream(const cli_command *command, streams *s, bool writes, const char *dashes, const char *name) {
    char *has = writes ? s->writes : s->reads;
    if (*has)
        return cli_usage(command->name, "%s and %s%s both %s", has, dashes, name,
                         writes ? "write to standard output" : "read standard input");
    snprintf(has, sizeof s->reads, "%s%s", dashes, name);
    return CLI_GO_ON;
}

// Whether operand `at` is no file.
static bool is_word(const cli_command *command, size_t at) {
    return strcmp(command->name, "generate") == 0 || strcmp(command->name, "measures") == 0 ||
           (strcmp(command->name, "shapelets") == 0 && at == 0);
}

// A file on the command line, and how it is called there.
typedef struct named_file {
    cli_file_name file;
    char name[32];
} named_file;

enum { MOST_FILES = 256 };
typedef struct named_files {
    named_file items[MOST_FILES];
    size_t count;
} named_files;

static void add_file(named_files *files, const char *path, bool is_written, const char *dashes, const char *name) {
    if (!path || files->count == MOST_FILES)
        return;
    named_file *f = &files->items[files->count++];
    f->file = (cli_file_name){path, is_written};
    snprintf(f->name, sizeof f->name, "%s%s", dashes, name);
}

static void add_files(named_files *files, const cli_option *o) {
    if (o->kind == CLI_INPUTS) {
        const cli_list *list = o->target;
        for (size_t i = 0; i < list->count; i++)
            add_file(files, list->items[i], false, "--", o->name);
    } else if (o->kind == CLI_FILE || o->kind == CLI_MADE || o->kind == CLI_INPUT || o->kind == CLI_OUTPUT) {
        add_file(files, *(const char **)o->target, o->kind == CLI_MADE || o->kind == CLI_OUTPUT, "--", o->name);
    }
}

// Parts name their files themselves: they would replace an input of such a name, and an output a part.
static int check_parts(const cli_command *command, const cli_option *options, size_t option_count,
                       const named_files *files) {
    const char *folder = NULL;
    for (size_t i = 0; i < option_count; i++)
        if (options[i].kind == CLI_TEXT && strcmp(options[i].name, "parts") == 0)
            folder = *(const char **)options[i].target;
    for (size_t i = 0; folder && i < files->count; i++) {
        const named_file *f = &files->items[i];
        if (cli_is_part(f->file.path, folder))
            return f->file.is_written
                       ? cli_usage(command->name, "%s would replace %s, a part", f->name, f->file.path)
                       : cli_usage(command->name, "--parts would replace %s, which is read", f->file.path);
    }
    return CLI_GO_ON;
}

// Of two outputs in one file the second would replace the first, and an output what was read. `convert` may replace
// what it reads.
static int check_outputs(const cli_command *command, const cli_option *options, size_t option_count,
                         const char **operands, size_t operand_count) {
    const bool converts = strcmp(command->name, "convert") == 0;
    named_files files = {.count = 0};
    for (size_t i = 0; i < operand_count; i++)
        if (!is_word(command, i))
            add_file(&files, operands[i], is_output(command->operands, i), "", "an argument");
    for (size_t i = 0; i < option_count; i++)
        add_files(&files, &options[i]);
    for (size_t i = 0; i < files.count; i++)
        for (size_t k = i + 1; k < files.count; k++) {
            const named_file *one = &files.items[i], *other = &files.items[k];
            const bool both = one->file.is_written && other->file.is_written;
            if ((!both && (converts || one->file.is_written == other->file.is_written)) ||
                !cli_same_file(one->file, other->file))
                continue;
            if (both)
                return cli_usage(command->name, "%s and %s both write to %s", one->name, other->name, other->file.path);
            const named_file *written = one->file.is_written ? one : other;
            return cli_usage(command->name, "%s would replace %s, which is read", written->name, written->file.path);
        }
    return check_parts(command, options, option_count, &files);
}

static int check_streams(const cli_command *command, const cli_option *options, size_t option_count,
                         const char **operands, size_t operand_count) {
    streams s = {"", ""};
    for (size_t i = 0; i < operand_count; i++)
        if (is_stream(operands[i]))
            CLI_TRY(take_stream(command, &s, is_output(command->operands, i), "", "the file '-'"));
    for (size_t i = 0; i < option_count; i++) {
        const cli_option *o = &options[i];
        if ((o->kind == CLI_INPUT && is_stream(*(const char **)o->target)) ||
            (o->kind == CLI_INPUTS && has_stream(o->target)))
            CLI_TRY(take_stream(command, &s, false, "--", o->name));
        else if ((o->kind == CLI_OUTPUT && is_stream(*(const char **)o->target)) ||
                 (o->kind == CLI_FLAG && o->name && strcmp(o->name, "json") == 0 && *(bool *)o->target))
            CLI_TRY(take_stream(command, &s, true, "--", o->name));
    }
    return CLI_GO_ON;
}

bool cli_writes_to_stdout(const cli_option *options, size_t option_count) {
    for (size_t i = 0; i < option_count; i++)
        if (options[i].kind == CLI_OUTPUT && is_stream(*(const char **)options[i].target))
            return true;
    return false;
}

int cli_parse(const cli_command *command, const cli_option *options, size_t option_count, int argc, char **argv,
              const char **operands, size_t least, size_t most, size_t *operand_count) {
    size_t count = 0;
    bool options_end = false;
    for (int i = 1; i < argc; i++) {
        const char *argument = argv[i];
        if (!options_end && strcmp(argument, "--") == 0) {
            options_end = true;
        } else if (!options_end && (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0)) {
            cli_describe_help(command, options, option_count);
            return CLI_OK;
        } else if (!options_end && strcmp(argument, "--help-options") == 0) {
            cli_describe_options(options, option_count);
            return CLI_OK;
        } else if (!options_end && strcmp(argument, "--help-manual") == 0) {
            cli_describe_manual(command, options, option_count);
            return CLI_OK;
        } else if (!options_end && argument[0] == '-' && argument[1] != '\0') {
            bool took = false;
            const char *next = i + 1 < argc ? argv[i + 1] : NULL;
            CLI_TRY(argument[1] == '-' ? parse_long(command, options, option_count, argument + 2, next, &took)
                                       : parse_short(command, options, option_count, argument + 1, next, &took));
            i += took;
        } else if (count == most) {
            return cli_usage(command->name, "'%s' is one argument too many", argument);
        } else {
            operands[count++] = argument;
        }
    }
    if (operand_count)
        *operand_count = count;
    if (count < least)
        return cli_usage(command->name, "usage: %s %s %s", cli_program, command->name, command->operands);
    CLI_TRY(check_streams(command, options, option_count, operands, count));
    return check_outputs(command, options, option_count, operands, count);
}
