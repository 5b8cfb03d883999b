// SPDX-License-Identifier: Apache-2.0
// wavewarp merge: joins the parts of a job, by the command that they were made with.
#include <stdlib.h>
#include <string.h>

#include "base/division.h"
#include "commands/commands.h"

// The note of the first part: a command line.
static int read_line(const char *folder, char **line) {
    CLI_ENDS(cli_parts_free) char **paths = NULL;
    ww_store *store = NULL;
    ww_store_info info = WW_STORE_INFO_INIT;
    size_t count = 0;
    CLI_TRY(cli_parts_find(folder, &paths));
    while (paths[count])
        count++;
    // Whatever devices they are of: the command looks at that.
    CLI_TRY(cli_status(ww_store_open_parts((const char *const *)paths, count, 1, &store)));
    if (ww_store_get_info(store, &info) == WW_OK && *info.note)
        *line = strdup(info.note);
    if (ww_store_close(&store, 1) != WW_OK || !*line)
        return cli_error("%s: the parts do not say by which command they were made: give that command --part all",
                         folder);
    return CLI_GO_ON;
}

static size_t count_words(const char *line) {
    size_t count = 0;
    for (; *line; line++)
        count += *line == CLI_LINE_SEPARATOR;
    return count;
}

int cmd_merge(const cli_command *command, int argc, char **argv) {
    static char part[] = "--part", all[] = "all", parts[] = "--parts";
    CLI_FREES char *line = NULL;
    CLI_FREES char **words = NULL;
    const bool help = argc >= 2 && argv[1][0] == '-';
    if (argc < 2 || help) {
        const char *operands[1];
        CLI_TRY(cli_parse(command, NULL, 0, argc, argv, operands, 1, 1, NULL));
        return CLI_GO_ON;
    }
    CLI_TRY(read_line(argv[1], &line));
    size_t count = 1;
    words = calloc(count_words(line) + (size_t)argc + 6, sizeof *words);
    if (!words)
        return cli_error("not enough memory");
    words[0] = argv[0];
    for (char *at = line, *end; (end = strchr(at, CLI_LINE_SEPARATOR)); at = end + 1) {
        *end = '\0';
        words[count++] = at;
    }
    // What comes later counts.
    words[count++] = part;
    words[count++] = all;
    words[count++] = parts;
    words[count++] = argv[1];
    for (int i = 2; i < argc; i++)
        words[count++] = argv[i];
    return cli_run((int)count, words);
}
