// SPDX-License-Identifier: Apache-2.0
// Options and outputs of any version of the headers: structs that start with `size_t struct_size` and grow at their
// end.
#ifndef WAVEWARP_OPTIONS_H
#define WAVEWARP_OPTIONS_H

#include <stddef.h>
#include <wavewarp/status.h>

// Copies a caller's options over `known`, which holds this library's defaults and starts with their size. `given` may
// be NULL (all defaults), shorter (an older header) or longer, if the fields unknown here are zero.
// WW_ERROR_INVALID_ARGUMENT (a size that was not set), WW_ERROR_UNSUPPORTED (the tail).
ww_status wwi_options_take(void *known, const void *given, const char *name);

// Whether an output's size is valid: checked first, before any work. WW_ERROR_INVALID_ARGUMENT.
ww_status wwi_struct_check(const void *given, const char *name);
// Copies `known`, which starts with its size, to a caller's output: as much as the output's struct_size covers, which
// is not changed. The rest of the output is zeroed.
ww_status wwi_struct_give(void *given, const void *known, const char *name);
// ww_TYPE_get_info() of a type that has its ww_WHAT_info in `info`. The file has error.h.
#define WWI_GIVES_INFO(type, what)                                                                                     \
    ww_status ww_##type##_get_info(const ww_##type *what, ww_##what##_info *info) {                                    \
        WWI_NEEDS(#what ", info", what, info);                                                                         \
        return wwi_struct_give(info, &what->info, "ww_" #what "_info");                                                \
    }

// Fills a struct of `struct_size` bytes: `known` holds the defaults and starts with their size.
void wwi_struct_init(void *given, size_t struct_size, const void *known);

#endif
