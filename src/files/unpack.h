// SPDX-License-Identifier: Apache-2.0
// Packed files: gzip around any format, and NumPy's .npz, a zip archive of .npy files.
#ifndef WAVEWARP_UNPACK_H
#define WAVEWARP_UNPACK_H

#include "files/read.h"

// Most bytes that a packed file may become: $WAVEWARP_UNPACK_LIMIT (K, M, G may follow the number), else this.
#define WWI_UNPACK_LIMIT (UINT64_C(4) << 30)

// The place of ':' in FILE.npz:NAME; NULL in any other path, and where a file has all of that for its name.
const char *wwi_member_of(const char *path);

// Replaces the text's bytes by what they are when unpacked, where they are gzip's, or a zip archive's: then by the
// array called `member`, or the only one where it is NULL. Other texts stay as they are.
ww_status wwi_text_unpack(wwi_text *text, const char *member);

#endif
