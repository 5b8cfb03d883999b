// SPDX-License-Identifier: Apache-2.0
// PTX of NVIDIA's OpenCL, for CUDA. Three things differ: registers that hold offsets and sizes of a launch, addresses
// of local memory as parameters, which CUDA refuses, and zeros behind the text.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda.h"

#define DYNAMIC "ww_local_memory" // the local memory of a launch

// A word of a line.
static const char *find(const char *text, const char *end, const char *word) {
    return memmem(text, (size_t)(end - text), word, strlen(word));
}

// ---- kernels

// The parameters of `.entry name(...)`, behind the bracket. NULL: there is no such kernel.
static const char *find_entry(const char *ptx, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = ptx; (at = strstr(at, ".entry ")); at++) {
        const char *text = at + strlen(".entry ");
        if (strncmp(text, name, length) == 0 && (text[length] == '(' || isspace((unsigned char)text[length])))
            return strchr(text, '(');
    }
    return NULL;
}

// `.param .u64 .ptr .global .align 4 name`, `.param .align 8 .b8 name[16]`: the bytes of one.
static unsigned parameter_bytes(const char *text, const char *end) {
    const char *bracket = memchr(text, '[', (size_t)(end - text));
    if (bracket)
        return (unsigned)strtoul(bracket + 1, NULL, 10);
    for (; text < end; text++)
        if (*text == '.' && strchr("usfb", text[1]) && text[1] && isdigit((unsigned char)text[2]))
            return (unsigned)strtoul(text + 2, NULL, 10) / 8;
    return 0;
}

bool wwi_ptx_describe(const char *ptx, const char *name, wwi_ptx_kernel *kernel) {
    *kernel = (wwi_ptx_kernel){.count = 0};
    const char *at = find_entry(ptx, name), *end = at ? strchr(at, ')') : NULL;
    if (!end)
        return false;
    unsigned room = WWI_CUDA_PARAMETER_BYTES;
    while ((at = strstr(at, ".param ")) && at < end) {
        const char *next = at + strcspn(at, ",)");
        const unsigned bytes = parameter_bytes(at + strlen(".param "), next);
        if (kernel->count == WWI_CUDA_PARAMETERS || bytes == 0 || bytes + 15 > room)
            return false;
        room -= (bytes + 15) / 16 * 16;
        kernel->local[kernel->count] = find(at, next, ".shared") != NULL;
        kernel->global[kernel->count] = find(at, next, ".global") != NULL;
        kernel->bytes[kernel->count++] = bytes;
        at = next;
    }
    const char *body = strchr(end, '{'), *group = strstr(end, ".reqntid");
    if (group && body && group < body)
        kernel->group = strtoul(group + strlen(".reqntid"), NULL, 10);
    return true;
}

// ---- the text

typedef struct writer {
    char *text;
    size_t length, room;
    bool failed;
} writer;

static void put(writer *w, const char *text, size_t length) {
    if (!w->failed && w->room - w->length < length + 1) {
        const size_t room = 2 * (w->room + length + 1);
        char *larger = realloc(w->text, room);
        w->failed = !larger;
        w->text = larger ? larger : w->text;
        w->room = larger ? room : w->room;
    }
    if (w->failed)
        return;
    memcpy(w->text + w->length, text, length);
    w->length += length;
    w->text[w->length] = '\0';
}

static void put_word(writer *w, const char *text) {
    put(w, text, strlen(text));
}

// The registers of a launch: where its first group is, where its first work-item is, how many groups there are.
static const char *environment(unsigned long number) {
    static const char *const groups[] = {"%nctaid.x", "%nctaid.y", "%nctaid.z"};
    return number < 6 ? "0" : number < 9 ? groups[number - 6] : NULL;
}

// Writes `text`, of one line, with what stands for registers of a launch.
static void put_line(writer *w, const char *text, const char *end) {
    for (const char *at; (at = find(text, end, "%envreg"));) {
        char *behind;
        const char *word = environment(strtoul(at + strlen("%envreg"), &behind, 10));
        put(w, text, (size_t)(at - text));
        if (word)
            put_word(w, word);
        w->failed |= !word;
        text = behind;
    }
    put(w, text, (size_t)(end - text));
}

// A parameter with an address of local memory: `.ptr .shared .align 4` is left out, its name is kept.
static bool put_local(writer *w, const char *text, const char *end, char *names, size_t room) {
    const char *local = find(text, end, ".ptr .shared ");
    if (!local || !find(text, end, ".param "))
        return false;
    const char *name = local + strlen(".ptr .shared ");
    if (strncmp(name, ".align ", 7) == 0)
        name += strcspn(name + 7, " ") + 8;
    const size_t length = strcspn(name, ",) \t\n"), had = strlen(names);
    put(w, text, (size_t)(local - text));
    put(w, name, (size_t)(end - name));
    w->failed |= snprintf(names + had, room - had, "[%.*s]", (int)length, name) >= (int)(room - had);
    return true;
}

// `ld.param.u64 %rd1, [name];` of such a parameter has its offset in the local memory of the launch, which is added.
static void put_address(writer *w, const char *text, const char *end, const char *names) {
    const char *load = find(text, end, "ld.param.u64"), *bracket = find(text, end, "[");
    if (!load || !bracket)
        return;
    char name[256], line[256];
    const size_t length = strcspn(bracket, "]") + 1;
    const char *target = strchr(load, '%');
    if (length >= sizeof name || !target || target > bracket)
        return;
    (void)snprintf(name, sizeof name, "%.*s", (int)length, bracket);
    if (!strstr(names, name))
        return;
    const int digits = (int)strcspn(target, ",");
    (void)snprintf(line, sizeof line,
                   "{ .reg .u64 %%base; mov.u64 %%base, " DYNAMIC "; add.u64 %.*s, %.*s, %%base; }\n", digits, target,
                   digits, target);
    put_word(w, line);
}

char *wwi_ptx_for_cuda(const char *ptx) {
    char names[2048] = "";
    writer w = {NULL, 0, 0, false};
    const bool local = strstr(ptx, ".ptr .shared ") != NULL;
    bool declared = false;
    for (const char *end; *ptx && !w.failed; ptx = end) {
        end = ptx + strcspn(ptx, "\n");
        end += *end == '\n';
        if (local && !declared && find(ptx, end, ".entry ")) {
            put_word(&w, ".extern .shared .align 16 .b8 " DYNAMIC "[];\n");
            declared = true;
        }
        if (put_local(&w, ptx, end, names, sizeof names))
            continue;
        put_line(&w, ptx, end);
        if (names[0])
            put_address(&w, ptx, end, names);
    }
    if (!w.failed)
        return w.text;
    free(w.text);
    return NULL;
}
