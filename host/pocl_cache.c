// SPDX-License-Identifier: Apache-2.0
// PoCL keeps every program it compiles in a folder. Where it can't write there it offers no device, or compiles
// nothing, and does not say why: here that is found out afterwards.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

char *wwi_pocl_folder(void) {
    const char *own = wwi_environment("POCL_CACHE_DIR"), *caches = wwi_environment("XDG_CACHE_HOME"),
               *home = wwi_environment("HOME");
    if (own)
        return strdup(own);
    if (caches)
        return wwi_path_join(caches, "pocl/kcache");
    return home ? wwi_path_join(home, ".cache/pocl/kcache") : strdup("/tmp/pocl/kcache");
}

// Writes a little there; 0, or the system's reason why not.
static int try_writing(const char *folder) {
    static const char some[4096];
    WWI_FREES char *path = wwi_path_join(folder, "wavewarp-XXXXXX");
    if (!path)
        return 0;
    const int file = mkostemp(path, O_CLOEXEC);
    int reason = file < 0 ? errno : 0;
    if (file >= 0) {
        errno = EIO;
        if (!wwi_write_all(file, some, sizeof some))
            reason = errno;
        if (close(file) != 0 && !reason)
            reason = errno;
        (void)unlink(path);
    }
    return reason;
}

bool wwi_pocl_cache_fails(char *reason, size_t size) {
    WWI_FREES char *folder = wwi_pocl_folder();
    const ww_error before = *ww_last_error();
    int error = 0;
    if (folder) {
        errno = 0;
        error = wwi_make_folders(folder, 0700) == WW_OK ? try_writing(folder) : errno ? errno : EIO;
        (void)snprintf(reason, size, "PoCL can't write to its cache folder %.200s: %s", folder, strerror(error));
    }
    (void)wwi_fail_restore(&before, NULL);
    return error != 0;
}

ww_status wwi_fail_hint_pocl_cache(void) {
    return wwi_fail_hint(
        "set POCL_CACHE_DIR to a folder that can be written, on a disk with room (else it is pocl/kcache "
        "in XDG_CACHE_HOME or in .cache of HOME)");
}
