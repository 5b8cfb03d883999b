// SPDX-License-Identifier: Apache-2.0
// placeholder
#include "search/search_internal.h"
