// SPDX-License-Identifier: Apache-2.0
// The kernel folder's files. Every program asks for a dozen of them, so their texts are kept with the context: a file
// is read again when it is another one, or has changed.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "internal.h"

// A file as it was when it was read.
struct wwi_kernel_text {
    wwi_kernel_text *next;
    struct stat file;
    char *name, *text;
};

static void free_text(wwi_kernel_text **text) {
    wwi_kernel_text *own = wwi_taken(text);
    if (!own)
        return;
    free(own->name);
    free(own->text);
    free(own);
}

void wwi_kernel_texts_free(ww_context *context) {
    for (wwi_kernel_text *text = atomic_load(&context->kernel_texts), *next; text; text = next) {
        next = text->next;
        free_text(&text);
    }
}

static bool is_same(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static const char *find(const ww_context *context, const char *name, const struct stat *file) {
    const wwi_kernel_text *text = atomic_load(&context->kernel_texts);
    while (text && strcmp(text->name, name) != 0) // the newest of a name
        text = text->next;
    return text && is_same(&text->file, file) ? text->text : NULL;
}

// A change in the tick of the clock in which a file was written leaves its times as they are.
static bool is_settled(const struct stat *file) {
    enum { SETTLED_SECONDS = 2 };
    struct timespec now;
    return clock_gettime(CLOCK_REALTIME, &now) == 0 && now.tv_sec - file->st_ctim.tv_sec > SETTLED_SECONDS;
}

// Keeps a text, which is the context's then. They are added at the head and stay, so that readers need no lock.
static ww_status keep(ww_context *context, const char *name, const struct stat *file, char **text) {
    WWI_ENDS(free_text) wwi_kernel_text *fresh = NULL;
    WWI_TRY(wwi_new_zeroed(fresh, 1));
    if (!(fresh->name = strdup(name)))
        return wwi_fail_memory(strlen(name));
    fresh->file = *file;
    fresh->text = wwi_taken(text);
    fresh->next = atomic_load(&context->kernel_texts);
    while (!atomic_compare_exchange_weak(&context->kernel_texts, &fresh->next, fresh))
        ;
    (void)wwi_taken(&fresh);
    return WW_OK;
}

ww_status wwi_kernel_text_read(ww_context *context, const char *name, const char **text, char **own) {
    WWI_FREES char *path = wwi_path_join(context->kernel_folder, name);
    struct stat file;
    if (!path)
        return wwi_fail_memory(strlen(name));
    // Before it is read: what changes in between is seen the next time.
    const bool there = stat(path, &file) == 0;
    *text = there ? find(context, name, &file) : NULL;
    if (*text)
        return WW_OK;
    WWI_TRY(wwi_file_read(path, WW_ERROR_KERNEL_SOURCE, own, NULL));
    *text = *own;
    return there && is_settled(&file) ? keep(context, name, &file, own) : WW_OK;
}
