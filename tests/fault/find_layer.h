// SPDX-License-Identifier: Apache-2.0
// How a test program reaches the layer that OPENCL_LAYERS names, and what it does where the loader opens none.
#ifndef WAVEWARP_FAULT_FIND_LAYER_H
#define WAVEWARP_FAULT_FIND_LAYER_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

// What the layer exports by this name, after the process' first OpenCL call. NULL: the loader knows no layers; then
// this prints what the test leaves out.
static inline void *wwt_in_layer(const char *name, const char *left_out) {
    const char *path = getenv("OPENCL_LAYERS");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) {
        printf("# SKIP the OpenCL loader opened no layer: %s\n", left_out);
        fflush(stdout);
    }
    return found;
}

#endif
