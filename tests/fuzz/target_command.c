// SPDX-License-Identifier: Apache-2.0
// Fuzz target: command lines, an argument a line, on a machine without a device, in a folder of its own with a few
// files. No argument may have a slash, so that nothing outside it is written. What is said on standard error has no
// control characters.
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <wavewarp/opencl.h>

#include "commands/commands.h"
#include "fuzz/fuzz.h"

// What no machine has the room for fails at once.
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "quarantine_size_mb=8:malloc_context_size=8:allocator_may_return_null=1:max_allocation_size_mb=64";
}

// The machine has no OpenCL platform.
CL_API_ENTRY cl_int CL_API_CALL clGetPlatformIDs(cl_uint entries, cl_platform_id *platforms, cl_uint *count) {
    (void)entries, (void)platforms;
    if (count)
        *count = 0;
    return -1001; // CL_PLATFORM_NOT_FOUND_KHR
}

void wwt_fuzz_fail(const char *file, int line, const char *condition) {
    (void)dprintf(2, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();
}

enum { MOST_ARGUMENTS = 40, MOST_BYTES = 1024 };

static const struct {
    const char *name, *text;
} files[] = {
    {"a.ts", "@univariate true\n@classLabel true p q\n@data\n1,2,3,5:p\n2,2,1,4:q\n1,3,3,6:p\n2,1,1,3:q\n"},
    {"b.csv", "1,2,3\n4,5,6\n"},
    {"c.tsv", "1\t1\t2\t3\n2\t4\t5\t6\n"},
    {"t.csv", "t,s,v\n1,a,2\n2,a,3\n1,b,2\n"},
    {"rows", "0 2\n0 3\n1 3\n"},
    {"r.cl", "real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, real lag) {\n"
             "    return ww_cost(x, y) + ww_min3(left, up, diagonal);\n}\n"},
    {"p.txt", "1 2 3\n4 5 6\n7 8 9\n"},
    {"tune.txt", "default lanes.group 64\n"},
};

static char folder[] = "/tmp/wavewarp-fuzz-XXXXXX";

static void empty_folder(void) {
    DIR *entries = opendir(".");
    for (const struct dirent *entry; entries && (entry = readdir(entries));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            (void)unlink(entry->d_name);
    if (entries)
        closedir(entries);
}

static void fill_folder(void) {
    for (size_t i = 0; i < CLI_COUNT_OF(files); i++) {
        FILE *file = fopen(files[i].name, "wb");
        if (!file || fputs(files[i].text, file) < 0 || fclose(file) != 0)
            abort();
    }
    // Any later time says that something was made or removed.
    const struct timespec epoch[2] = {{0, 0}, {0, 0}};
    if (utimensat(AT_FDCWD, ".", epoch, 0) != 0)
        abort();
}

static void leave(void) {
    empty_folder();
    if (chdir("/") == 0)
        (void)rmdir(folder);
}

static FILE *nowhere;

static void begin(void) {
    const struct rlimit files_end = {1 << 22, 1 << 22};
    if (!mkdtemp(folder) || chdir(folder) != 0 || !(nowhere = fopen("/dev/null", "w")))
        abort();
    (void)signal(SIGXFSZ, SIG_IGN);
    (void)setrlimit(RLIMIT_FSIZE, &files_end);
    const int empty = open("/dev/null", O_RDONLY);
    if (empty < 0 || dup2(empty, STDIN_FILENO) < 0)
        abort();
    close(empty);
    (void)setenv("HOME", folder, 1);
    (void)unsetenv("XDG_CONFIG_HOME");
    (void)unsetenv("XDG_CACHE_HOME");
    (void)unsetenv("WAVEWARP_TUNING");
    (void)atexit(leave);
    fill_folder();
}

// The words of the input; the first is the program's name. 0: not to be run.
static int split(char *text, char **argv) {
    static char program[] = "wavewarp";
    int argc = 0;
    argv[argc++] = program;
    for (char *at = text; *at && argc < MOST_ARGUMENTS;) {
        char *end = at + strcspn(at, "\n");
        const bool more = *end != '\0';
        *end = '\0';
        argv[argc++] = at;
        at = end + more;
    }
    argv[argc] = NULL;
    // bench becomes another program, and what is generated takes as long as it is large.
    if (argc > 1 && strcmp(argv[1], "bench") == 0)
        return 0;
    for (int i = 2; i < argc && strcmp(argv[1], "generate") == 0; i++)
        if (strspn(argv[i] + strcspn(argv[i], "0123456789"), "0123456789") > 3)
            return 0;
    return argc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char text[MOST_BYTES + 1], *argv[MOST_ARGUMENTS + 1], *said = NULL;
    size_t said_size = 0;
    struct stat about;
    if (size > MOST_BYTES || memchr(data, '/', size) || memchr(data, '\0', size))
        return 0;
    if (!nowhere)
        begin();
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    const int argc = split(text, argv);
    if (!argc)
        return 0;
    FILE *const output = stdout, *const errors = stderr;
    stdout = nowhere;
    stderr = open_memstream(&said, &said_size);
    WWT_REQUIRE(stderr);
    const int result = cli_run(argc, argv);
    fclose(stderr);
    stdout = output;
    stderr = errors;
    clearerr(nowhere);
    WWT_REQUIRE(result == CLI_OK || result == CLI_FAILURE || result == CLI_USAGE);
    WWT_REQUIRE(result == CLI_OK || said_size > 0);
    for (size_t i = 0; i < said_size; i++)
        WWT_REQUIRE(((unsigned char)said[i] >= ' ' && said[i] != 127) || said[i] == '\n' || said[i] == '\t');
    free(said);
    if (stat(".", &about) != 0 || about.st_mtime != 0) {
        empty_folder();
        fill_folder();
    }
    return 0;
}
