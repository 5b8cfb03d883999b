// SPDX-License-Identifier: Apache-2.0
// ww_file: files that the caller fills.
#include <wavewarp/file.h>

#include <stdlib.h>
#include <string.h>

#include "ends.h"
#include "files/output.h"
#include "files/point_files.h"
#include "host.h"

struct ww_file {
    wwi_output output;
    char name[]; // as given: its ending says the format
};

ww_status ww_file_create(const char *path, ww_file **file) {
    if (file)
        *file = NULL;
    WWI_NEEDS("path, file", path, file);
    if (!*path)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_file_create: the path is empty");
    const size_t bytes = sizeof(ww_file) + strlen(path) + 1;
    WWI_FREES ww_file *made = calloc(1, bytes);
    if (!made)
        return wwi_fail_memory(bytes);
    strcpy(made->name, path);
    WWI_TRY(wwi_output_open(path, &made->output));
    *file = wwi_taken(&made);
    return WW_OK;
}

ww_status ww_file_put(ww_file *file, const void *bytes, size_t size) {
    if (!file || (!bytes && size))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_file_put: %s is NULL", file ? "bytes" : "file");
    if (size > 0) // NULL is no array of no bytes for fwrite()
        wwi_output_bytes(&file->output, bytes, size);
    return wwi_output_check(&file->output);
}

ww_status ww_point_view_put(const ww_point_view *given, ww_file *file) {
    ww_point_view view = WW_POINT_VIEW_INIT;
    WWI_NEEDS("file", file);
    WWI_TRY(wwi_take_point_view(given, &view));
    return wwi_write_points(&file->output, file->name, &view);
}

ww_status ww_file_finish(ww_file *file) {
    return file ? wwi_output_finish(&file->output)
                : wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_file_finish: file is NULL");
}

ww_status ww_file_close(ww_file **file, int keep) {
    WWI_FREES ww_file *f = wwi_taken(file);
    return f ? wwi_output_close(&f->output, keep != 0) : WW_OK;
}
