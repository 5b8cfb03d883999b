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

// The registers of a launch: where its first group is, where its first work-item is, how many groups there are.
static const char *environment(unsigned long number) {
    static const char *const groups[] = {"%nctaid.x", "%nctaid.y", "%nctaid.z"};
    return number < 6 ? "0" : number < 9 ? groups[number - 6] : NULL;
}

// Writes `text`, of one line, with what stands for registers of a launch. False: for one of them nothing does.
static bool put_line(FILE *out, const char *text, const char *end) {
    bool known = true;
    for (const char *at; (at = find(text, end, "%envreg"));) {
        char *behind;
        const char *word = environment(strtoul(at + strlen("%envreg"), &behind, 10));
        known = known && word;
        fprintf(out, "%.*s%s", (int)(at - text), text, word ? word : "");
        text = behind;
    }
    (void)fwrite(text, 1, (size_t)(end - text), out);
    return known;
}

// A parameter with an address of local memory: `.ptr .shared .align 4` is left out, its name is kept.
static bool put_local(FILE *out, const char *text, const char *end, FILE *names) {
    const char *local = find(text, end, ".ptr .shared ");
    if (!local || !find(text, end, ".param "))
        return false;
    const char *name = local + strlen(".ptr .shared ");
    if (strncmp(name, ".align ", 7) == 0)
        name += strcspn(name + 7, " ") + 8;
    fprintf(out, "%.*s%.*s", (int)(local - text), text, (int)(end - name), name);
    fprintf(names, "[%.*s]", (int)strcspn(name, ",) \t\n"), name);
    (void)fflush(names);
    return true;
}

// `ld.param.u64 %rd1, [name];` of such a parameter has its offset in the local memory of the launch, which is added.
static void put_address(FILE *out, const char *text, const char *end, const char *names) {
    const char *load = find(text, end, "ld.param.u64"), *bracket = load ? find(load, end, "[") : NULL;
    const char *target = bracket ? find(load, bracket, "%") : NULL, *close = target ? find(bracket, end, "]") : NULL;
    if (!close || !memmem(names, strlen(names), bracket, (size_t)(close + 1 - bracket)))
        return;
    const int digits = (int)strcspn(target, ",");
    fprintf(out, "{ .reg .u64 %%base; mov.u64 %%base, " DYNAMIC "; add.u64 %.*s, %.*s, %%base; }\n", digits, target,
            digits, target);
}

static bool put_lines(FILE *out, const char *ptx, FILE *names, char *const *told) {
    bool known = true, declared = !strstr(ptx, ".ptr .shared ");
    for (const char *end; *ptx && known; ptx = end) {
        end = ptx + strcspn(ptx, "\n");
        end += *end == '\n';
        if (!declared && find(ptx, end, ".entry ")) {
            fputs(".extern .shared .align 16 .b8 " DYNAMIC "[];\n", out);
            declared = true;
        }
        if (put_local(out, ptx, end, names))
            continue;
        known = put_line(out, ptx, end);
        put_address(out, ptx, end, *told);
    }
    return known;
}

char *wwi_ptx_for_cuda(const char *ptx) {
    WWI_FREES char *text = NULL, *told = NULL; // told: the names of local memory, "[name]" each
    size_t size, names_size;
    FILE *out = open_memstream(&text, &size), *names = open_memstream(&told, &names_size);
    bool good = out && names && fflush(names) == 0 && put_lines(out, ptx, names, &told);
    good = out && fclose(out) == 0 && good;
    good = names && fclose(names) == 0 && good;
    return good ? wwi_taken(&text) : NULL;
}
