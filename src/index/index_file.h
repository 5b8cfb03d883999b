// SPDX-License-Identifier: Apache-2.0
// A saved index: what its writing and its reading share. docs/index.md has the table.
#ifndef WAVEWARP_INDEX_FILE_H
#define WAVEWARP_INDEX_FILE_H

#include "files/sealed.h"
#include "index/series_index.h"

#define WWI_INDEX_NO_TEXT UINT32_MAX // instead of a text's length

extern const wwi_seal wwi_index_seal;

#endif
