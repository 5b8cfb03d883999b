// SPDX-License-Identifier: Apache-2.0
// What a cost expression and a recurrence may contain, and what they may not.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "measure/user_text.h"

#define CELL "real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, real lag) "

static const char *const good_expressions[] = {"x - y",
                                               "fabs(x - y) * 2",
                                               "(x - y) * (x - y)",
                                               "pow(fabs(x - y), (real)3)",
                                               "x > y ? x - y : (real)0.5 * (y - x)",
                                               "fmin(fabs(x-y), 1.5e-3f)",
                                               "/* a remark */ x // another\n + y",
                                               "-x * -y",
                                               "(x) * (y)",
                                               "fma(x, y, .5)",
                                               "((real)2) * x",
                                               "select(x, y, isgreater(x, y))",
                                               "M_PI * x",
                                               "x / (1 + exp(-y))",
                                               "fabs(x) * fabs(y)"};
static const char *const bad_expressions[] = {"*(__global float *)8",
                                              "get_global##_id(0)",
                                              "get_global_id(0)",
                                              "x - y) + (y",
                                              "(x - y",
                                              "x - y); return 0; }",
                                              "x = y",
                                              "x++",
                                              "x += y",
                                              "&x",
                                              "*x",
                                              "x * *y",
                                              "(real)*x",
                                              "x, *y",
                                              "x[0]",
                                              "x->y",
                                              "\"text\"",
                                              "'c'",
                                              "x \\\n y",
                                              "nonsense",
                                              "x.value",
                                              "x.at",
                                              "printf(x)",
                                              "vload4(0, x)",
                                              "as_float(x)",
                                              "__builtin_trap()",
                                              "asm(x)",
                                              "left",
                                              "ww_cost(x, y)",
                                              "x /* no end",
                                              "x <: 0 :> ",
                                              "x ?\?/ y",
                                              "x @ y",
                                              "x \xC3\xA4",
                                              "{x}",
                                              "#include \"/etc/passwd\"\nx",
                                              "barrier(1)",
                                              "atomic_inc(x)",
                                              "sizeof(x)",
                                              "x ? &y : x"};
static const char *const good_recurrences[] = {
    CELL "{ return ww_cost(x, y) + fmin(diagonal, fmin(left, up) + WW_P_p0); }",
    "#define WW_USER_BEFORE\n#define HALF(a) ((a) * (real)0.5)\nreal split(real a, real b) { real c = a * b, d = "
    "HALF(c); "
    "return c * d; }\n" CELL "{ return split(WW_AT(x, 0), left) * fabs(up) + ww_cost(x, y); }",
    "#ifdef WW_USER_SOMETHING\n#else\n#endif\n" CELL
    "{ real sum = 0; for (int c = 0; c < WW_CHANNELS; c++) { sum += WW_AT(x, c) * WW_AT(y, c); } return sum; }",
    "// remark with __kernel and barrier(\n" CELL "{ return left; }",
    "#define WW_USER_ENTER\nww_entries ww_user_enter(real left, real up, real diagonal, ww_point x, ww_point y, real "
    "lag) {\n"
    "  return ww_entries_of(left + 1, up + 1, diagonal + ww_cost(x, y)); }\n"
    "real ww_user_node(real best, ww_point x, ww_point y, real lag) { return best; }"};
static const char *const bad_recurrences[] = {CELL "{ return *(__global float *)8; }",
                                              CELL "{ barrier(1); return left; }",
                                              CELL "{ return get_local_id(0); }",
                                              CELL "{ real *p; return left; }",
                                              CELL "{ float *p = 8; return left; }",
                                              CELL "{ real a[2]; return left; }",
                                              CELL "{ return x.at; }",
                                              CELL "{ return left; ",
                                              CELL "{ return left; }}",
                                              CELL "{ return unknown; }",
                                              "#include \"x.h\"\n" CELL "{ return left; }",
                                              "#pragma OPENCL EXTENSION x\n" CELL "{ return left; }",
                                              "#define ID get_global_id\n" CELL "{ return left; }",
                                              "#define JOIN(a, b) a ## b\n" CELL "{ return left; }",
                                              "#define TEXT(a) #a\n" CELL "{ return left; }",
                                              "#define P \\\n 8\n" CELL "{ return left; }",
                                              "__kernel void other(void) {}\n" CELL "{ return left; }",
                                              "__constant int a = 1;\n" CELL "{ return left; }",
                                              "typedef int thing;\n" CELL "{ return left; }",
                                              CELL "{ int __local_size = 1; return left; }",
                                              "real a(real b) { real barrier = b; return barrier; }\n" CELL
                                              "{ barrier(1); return left; }",
                                              "#define __global real\n" CELL "{ return left; }",
                                              "#define __ real\n" CELL "{ return left; }",
                                              "#define A(printf) 1\n" CELL "{ return left; }",
                                              CELL "{ real vstore4 = left; return vstore4; }",
                                              CELL "{ goto end; }",
                                              CELL "{ return as_float(1); }"};

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static void accepts(const char *text, bool expression) {
    ck_assert_msg(wwi_user_text_check("mine.cl", text, expression) == WW_OK, "%s: %s", text, ww_last_error()->message);
}

static void refuses(const char *text, bool expression) {
    ck_assert_msg(wwi_user_text_check("mine.cl", text, expression) == WW_ERROR_INVALID_ARGUMENT, "%s", text);
    ck_assert_msg(strncmp(ww_last_error()->message, "mine.cl:", 8) == 0, "%s", ww_last_error()->message);
}

START_TEST(expressions) {
    for (int i = 0; i < COUNT(good_expressions); i++)
        accepts(good_expressions[i], true);
    for (int i = 0; i < COUNT(bad_expressions); i++)
        refuses(bad_expressions[i], true);
}
END_TEST

START_TEST(recurrences) {
    for (int i = 0; i < COUNT(good_recurrences); i++)
        accepts(good_recurrences[i], false);
    for (int i = 0; i < COUNT(bad_recurrences); i++)
        refuses(bad_recurrences[i], false);
}
END_TEST

START_TEST(lines_are_counted) {
    refuses("\n\n  " CELL "{\n return nonsense; }", false);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "mine.cl:4: 'nonsense'"));
}
END_TEST

// Pieces of good and bad texts in any order: an answer, and no byte beyond the text read.
START_TEST(any_order) {
    static const char *const pieces[] = {
        "(",   ")",       "{",   "}",  "x",  "real", "*",  "&", ",",  ";",   "#define ",
        "a",   "\n",      ".",   "/*", "*/", "//",   "1e", "+", "##", "=",   "ww_user_cell",
        "\"",  "\\",      "[",   "<",  ":",  "%",    "?",  "-", ">",  "0.5", " ",
        "for", "return ", "\xFF"};
    uint64_t state = 88172645463325252;
    for (int run = 0; run < 200000; run++) {
        char text[256] = "";
        for (int i = 0; i < 24; i++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            strcat(text, pieces[state % (sizeof pieces / sizeof *pieces)]);
        }
        char *exact = strdup(text); // so that a sanitizer sees the end
        const ww_status status = wwi_user_text_check("t", exact, run % 2);
        ck_assert(status == WW_OK || status == WW_ERROR_INVALID_ARGUMENT);
        free(exact);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("user_text");
    TCase *tcase = wwt_case(suite, "user_text", 20);
    tcase_add_test(tcase, expressions);
    tcase_add_test(tcase, recurrences);
    tcase_add_test(tcase, lines_are_counted);
    tcase_add_test(tcase, any_order);
    return wwt_run(suite);
}
