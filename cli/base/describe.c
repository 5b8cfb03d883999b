// SPDX-License-Identifier: Apache-2.0
// See describe.h.
#include "base/describe.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <wavewarp/wavewarp.h>

static void print_choices(const cli_option *option, const char *between) {
    for (int c = 0; option->kind == CLI_CHOICE && option->choices[c]; c++)
        printf("%s%s", c ? between : "", option->choices[c]);
}

// Words of `text` to column WIDTH, the next lines behind `indent` spaces; `at`: the column where it begins, and where
// it ends.
static void print_words(const char *text, size_t indent, size_t *at) {
    enum { WIDTH = 79 };
    while (*text) {
        const size_t spaces = strspn(text, " \n"), length = strcspn(text + spaces, " \n");
        if (spaces && length && *at + 1 + length > WIDTH) {
            printf("\n%*s", (int)indent, "");
            *at = indent;
        } else if (spaces && length) {
            putchar(' ');
            ++*at;
        }
        printf("%.*s", (int)length, text + spaces);
        *at += length;
        text += spaces + length;
    }
}

void cli_describe_help(const cli_command *command, const cli_option *options, size_t count) {
    enum { HELP = 32 }; // its column
    size_t at = 0;
    printf("Usage: %s %s%s%s [option...]\n", cli_program, command->name, *command->operands ? " " : "",
           command->operands);
    print_words(command->summary, 0, &at);
    putchar('\n');
    if (command->details) {
        putchar('\n');
        at = 0;
        print_words(command->details, 0, &at);
        putchar('\n');
    }
    fputs("\nOptions:\n", stdout);
    for (size_t i = 0; i < count; i++) {
        const cli_option *o = &options[i];
        if (!o->name) {
            printf("\n%s:\n", o->help);
            continue;
        }
        char left[64], letter[8] = "    ";
        if (o->letter)
            snprintf(letter, sizeof letter, "-%c, ", o->letter);
        snprintf(left, sizeof left, "  %s--%s%s%s", letter, o->name, o->argument ? " " : "",
                 o->argument ? o->argument : "");
        if (strlen(left) < HELP - 1)
            printf("%-*s", HELP, left);
        else
            printf("%s\n%*s", left, HELP, "");
        at = HELP;
        print_words(o->help, HELP, &at);
        for (int c = 0; o->kind == CLI_CHOICE && o->choices[c]; c++) {
            char choice[64];
            snprintf(choice, sizeof choice, " %s%s%s", c ? "" : "(", o->choices[c], o->choices[c + 1] ? "," : ")");
            print_words(choice, HELP, &at);
        }
        putchar('\n');
    }
    fputs("\n      --help                    this text\n", stdout);
}

// Text for troff: no escape, no request, dashes that can be copied.
static void print_troff(const char *text) {
    bool line = true;
    for (; *text; text++) {
        if (line && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        line = *text == '\n';
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
        if (line && text[1])
            fputs(".br\n", stdout);
    }
}

void cli_describe_manual(const cli_command *command, const cli_option *options, size_t count) {
    fputs(".\\\" SPDX-License-Identifier: Apache-2.0\n.TH WAVEWARP\\-", stdout);
    for (const char *c = command->name; *c; c++)
        putchar(toupper((unsigned char)*c));
    printf(" 1 \"\" \"wavewarp %s\" \"User Commands\"\n.SH NAME\nwavewarp\\-%s \\- ", ww_version(), command->name);
    print_troff(command->summary);
    printf("\n.SH SYNOPSIS\n.B wavewarp %s\n", command->name);
    print_troff(command->operands);
    fputs("\n.RI [ option ...]\n.SH DESCRIPTION\n", stdout);
    print_troff(command->summary);
    if (command->details) {
        fputs("\n.PP\n", stdout);
        print_troff(command->details);
    }
    fputs("\n.SH OPTIONS\n", stdout);
    for (size_t i = 0; i < count; i++) {
        const cli_option *o = &options[i];
        if (!o->name) {
            printf(".SS %s\n", o->help);
            continue;
        }
        fputs(".TP\n.B ", stdout);
        if (o->letter)
            printf("\\-%c\\fR, \\fB", o->letter);
        fputs("\\-\\-", stdout);
        print_troff(o->name);
        if (o->argument) {
            fputs(" \\fI", stdout);
            print_troff(o->argument);
            fputs("\\fR", stdout);
        }
        putchar('\n');
        print_troff(o->help);
        if (o->kind == CLI_CHOICE)
            fputs(" (", stdout);
        print_choices(o, ", ");
        fputs(o->kind == CLI_CHOICE ? ")\n" : "\n", stdout);
    }
    fputs(".TP\n.B \\-\\-help\nthe options in short\n.SH SEE ALSO\n.BR wavewarp (1)\n", stdout);
}

static const char *kind_of(const cli_option *option) {
    if (option->kind == CLI_FLAG)
        return "none";
    if (option->kind == CLI_CHOICE)
        return "choice";
    const cli_kind kind = option->kind;
    return kind == CLI_FILE || kind == CLI_MADE || kind == CLI_INPUT || kind == CLI_INPUTS || kind == CLI_OUTPUT
               ? "file"
               : "text";
}

void cli_describe_options(const cli_option *options, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!options[i].name)
            continue;
        printf("%s\t%.1s\t%s\t", options[i].name, options[i].letter ? &options[i].letter : "", kind_of(&options[i]));
        print_choices(&options[i], " ");
        printf("\t%s\n", options[i].help);
    }
}
