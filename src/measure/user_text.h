// SPDX-License-Identifier: Apache-2.0
// What a caller's text in OpenCL C may contain.
#ifndef WAVEWARP_USER_TEXT_H
#define WAVEWARP_USER_TEXT_H

#include <stdbool.h>
#include <wavewarp/status.h>

// Reads the text token by token. An expression: names x and y, functions of numbers, operators. A recurrence: also
// functions, statements, and names of its own. Neither has pointers, arrays, strings, joined tokens, directives other
// than #define and conditions, or any name that is not granted. `name`: for messages.
ww_status wwi_user_text_check(const char *name, const char *text, bool expression);

#endif
