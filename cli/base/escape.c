// SPDX-License-Identifier: Apache-2.0
// UTF-8 read character by character, and what is printed of it.
#include "base/escape.h"

#include <stdbool.h>
#include <string.h>

size_t cli_utf8(const char *text, uint32_t *character) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *byte = (const unsigned char *)text;
    const size_t length = byte[0] < 0x80    ? 1
                          : byte[0] < 0xC0  ? 0
                          : byte[0] < 0xE0  ? 2
                          : byte[0] < 0xF0  ? 3
                          : byte[0] <= 0xF4 ? 4
                                            : 0;
    uint32_t value = length == 1 ? byte[0] : byte[0] & (0x7FU >> length);
    for (size_t i = 1; i < length; i++) {
        if ((byte[i] & 0xC0) != 0x80) // the end of the text too
            return 0;
        value = value << 6 | (byte[i] & 0x3F);
    }
    if (length == 0 || value < least[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    *character = value;
    return length;
}

// Number of bytes at `text` that belong together, and whether they are printed as they are.
static size_t piece(const char *text, const char *kept, bool *plain) {
    uint32_t character = 0;
    const size_t length = cli_utf8(text, &character);
    const bool control = character < 0x20 || (character >= 0x7F && character < 0xA0);
    *plain = length > 0 && (!control || (length == 1 && strchr(kept, *text)));
    return length ? length : 1;
}

// Prints at most `most` characters, to no file when `file` is NULL; gives their number.
static size_t print(FILE *file, const char *text, const char *kept, size_t most) {
    size_t width = 0;
    while (*text) {
        bool plain;
        const size_t length = piece(text, kept, &plain), needed = plain ? 1 : 4 * length;
        if (needed > most - width)
            break;
        for (size_t i = 0; file && i < length; i++)
            fprintf(file, plain ? "%c" : "\\x%02x", (unsigned char)text[i]);
        width += needed;
        text += length;
    }
    return width;
}

void cli_print_escaped(FILE *file, const char *text, const char *kept) {
    print(file, text, kept, SIZE_MAX);
}

size_t cli_escaped_width(const char *text) {
    return print(NULL, text, "", SIZE_MAX);
}

void cli_print_column(FILE *file, const char *text, size_t width) {
    for (size_t used = print(NULL, text, "", width); used < width; used++)
        fputc(' ', file);
    print(file, text, "", width);
}
