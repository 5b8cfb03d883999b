// SPDX-License-Identifier: Apache-2.0
// A build tool: writes a C file that holds the named text files.
//   embed OUTPUT NAME... FILE...      (as many files as names, in the same order)
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int write_bytes(FILE *out, const char *path, int index) {
    FILE *in = fopen(path, "rb");
    int byte, column = 0;
    if (!in) {
        fprintf(stderr, "embed: %s: %s\n", path, strerror(errno));
        return 1;
    }
    fprintf(out, "static const char file_%d[] = {", index);
    while ((byte = getc(in)) != EOF) {
        if (byte == 0 || byte >= 128) {
            fprintf(stderr, "embed: %s: byte %d is not plain text\n", path, byte);
            fclose(in);
            return 1;
        }
        fprintf(out, "%s%d,", column++ % 24 == 0 ? "\n    " : " ", byte);
    }
    fprintf(out, " 0};\n\n");
    fclose(in);
    return 0;
}

int main(int argc, char **argv) {
    int count = (argc - 2) / 2, failed = 0;
    if (argc < 4 || argc % 2 != 0) {
        fprintf(stderr, "usage: embed OUTPUT NAME... FILE...\n");
        return 2;
    }
    FILE *out = fopen(argv[1], "wb");
    if (!out) {
        fprintf(stderr, "embed: %s: %s\n", argv[1], strerror(errno));
        return 1;
    }
    fprintf(out, "// Made by embed.c.\n#include \"internal.h\"\n\n");
    for (int i = 0; i < count && !failed; i++)
        failed = write_bytes(out, argv[2 + count + i], i);
    fprintf(out, "const wwi_embedded_file wwi_embedded_files[] = {\n");
    for (int i = 0; i < count; i++)
        fprintf(out, "    {\"%s\", file_%d},\n", argv[2 + i], i);
    fprintf(out, "};\nconst size_t wwi_embedded_count = %d;\n", count);
    if (fclose(out) != 0)
        failed = 1;
    return failed;
}
