// SPDX-License-Identifier: Apache-2.0
// Why there is no OpenCL platform: what the loader was told to look at, and what is wrong with it.
#include <dirent.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "internal.h"

#define FOLDER "/etc/OpenCL/vendors"

typedef struct reasons {
    char text[600];
    size_t drivers; // named in the folder
} reasons;

__attribute__((format(printf, 2, 3))) static void add(reasons *r, const char *format, ...) {
    size_t length = strlen(r->text);
    if (length && length + 2 < sizeof r->text)
        length += (size_t)snprintf(r->text + length, sizeof r->text - length, "; ");
    va_list args;
    va_start(args, format);
    (void)vsnprintf(r->text + length, sizeof r->text - length, format, args);
    va_end(args);
}

// A driver's library, which `by` names. Loaded and left: the process is about to end without one.
static void try_library(reasons *r, const char *by, const char *library) {
    r->drivers++;
    void *loaded = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    const char *why = loaded ? NULL : dlerror();
    if (loaded)
        (void)dlclose(loaded);
    else
        add(r, "%.120s names the driver %.120s, which can't be loaded (%.200s)", by, library, why ? why : "no reason");
}

// A file whose first line names a driver's library.
static void try_file(reasons *r, const char *path) {
    char line[512] = "";
    FILE *file = fopen(path, "r");
    if (!file || !fgets(line, sizeof line, file)) {
        r->drivers++;
        add(r, "%.200s %s", path, file ? "is empty" : "can't be read");
    }
    if (file)
        (void)fclose(file);
    line[strcspn(line, "\r\n")] = '\0';
    if (line[0])
        try_library(r, path, line);
}

static bool names_file(const char *name) {
    const size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".icd") == 0;
}

static void try_folder(reasons *r, const char *folder) {
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && (entry = readdir(open));) {
        WWI_FREES char *path = names_file(entry->d_name) ? wwi_path_join(folder, entry->d_name) : NULL;
        if (path)
            try_file(r, path);
    }
    if (!open)
        add(r, "the folder %.200s can't be read", folder);
    else if (!r->drivers)
        add(r, "%.200s has no .icd file", folder);
    if (open)
        (void)closedir(open);
}

ww_status wwi_fail_no_platform(void) {
    const char *told = wwi_environment("OCL_ICD_VENDORS"), *files = wwi_environment("OCL_ICD_FILENAMES");
    reasons r = {.drivers = 0};
    struct stat about;
    if (told && stat(told, &about) == 0 && S_ISDIR(about.st_mode))
        try_folder(&r, told);
    else if (told && names_file(told))
        try_file(&r, told);
    else if (told)
        try_library(&r, "OCL_ICD_VENDORS", told);
    else if (stat(FOLDER, &about) == 0)
        try_folder(&r, FOLDER);
    if (files)
        add(&r, "OCL_ICD_FILENAMES is %.200s", files);
    if (told && !strstr(r.text, "OCL_ICD_VENDORS"))
        add(&r, "OCL_ICD_VENDORS is %.200s", told);
    if (r.text[0])
        (void)wwi_fail(WW_ERROR_NO_PLATFORM, "no OpenCL platform was found: %s", r.text);
    else
        (void)wwi_fail(WW_ERROR_NO_PLATFORM, "no OpenCL platform is installed");
    return wwi_fail_hint(
        "%sfor any CPU: `apt install pocl-opencl-icd`; for a GPU: the vendor's driver with its OpenCL part "
        "(NVIDIA's driver, AMD's ROCm, Intel's intel-opencl-icd)",
        told || files ? "unset OCL_ICD_VENDORS and OCL_ICD_FILENAMES, or correct them; " : "");
}
