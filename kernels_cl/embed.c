// SPDX-License-Identifier: Apache-2.0
// A build tool: writes a C file that holds the named text files, and a version file by which a library recognises an
// installed folder of the same build: the version number and a sum (FNV-1a) of all the texts.
//   embed C-FILE VERSION-FILE VERSION NAME... FILE...      (as many files as names, in the same order)
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t sum = 14695981039346656037u;

static FILE *open_file(const char *path, const char *mode) {
    FILE *file = fopen(path, mode);
    if (!file)
        fprintf(stderr, "embed: %s: %s\n", path, strerror(errno));
    return file;
}

static int write_bytes(FILE *out, const char *path, int index) {
    FILE *in = open_file(path, "rb");
    int byte, column = 0;
    if (!in)
        return 1;
    fprintf(out, "static const char file_%d[] = {", index);
    while ((byte = getc(in)) != EOF) {
        if (byte == 0 || byte >= 128) {
            fprintf(stderr, "embed: %s: byte %d is not plain text\n", path, byte);
            fclose(in);
            return 1;
        }
        sum = (sum ^ (uint64_t)byte) * 1099511628211u;
        fprintf(out, "%s%d,", column++ % 24 == 0 ? "\n    " : " ", byte);
    }
    fprintf(out, " 0};\n\n");
    fclose(in);
    return 0;
}

static int write_texts(FILE *out, const char *version, char **names, char **paths, int count) {
    fprintf(out, "// Made by embed.c.\n#include \"internal.h\"\n\n");
    for (int i = 0; i < count; i++)
        if (write_bytes(out, paths[i], i) != 0)
            return 1;
    fprintf(out, "const wwi_embedded_file wwi_embedded_files[] = {\n");
    for (int i = 0; i < count; i++)
        fprintf(out, "    {\"%s\", file_%d},\n", names[i], i);
    fprintf(out, "};\nconst size_t wwi_embedded_count = %d;\n", count);
    fprintf(out, "const char wwi_embedded_version[] = \"%s %016llx\\n\";\n", version, (unsigned long long)sum);
    return 0;
}

int main(int argc, char **argv) {
    int count = (argc - 4) / 2;
    if (argc < 6 || argc % 2 != 0) {
        fprintf(stderr, "usage: embed C-FILE VERSION-FILE VERSION NAME... FILE...\n");
        return 2;
    }
    FILE *out = open_file(argv[1], "wb"), *version = open_file(argv[2], "wb");
    int failed = !out || !version || write_texts(out, argv[3], argv + 4, argv + 4 + count, count) != 0;
    if (!failed)
        fprintf(version, "%s %016llx\n", argv[3], (unsigned long long)sum);
    if (out && fclose(out) != 0)
        failed = 1;
    if (version && fclose(version) != 0)
        failed = 1;
    return failed;
}
