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
                                               "fabs(x) * fabs(y)",
                                               "x\r\n - y",
                                               "x // 100 \\% of y?\n - y"};
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
                                              "x ? &y : x",
                                              "x // \\",
                                              "x // \r ) + (",
                                              "x // ?\?/",
                                              "return x"};
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
    "real ww_user_node(real best, ww_point x, ww_point y, real lag) { return best; }",
    "#define THIRD(a) ((a) / (real)3)\n#define NINTH(a) THIRD(THIRD(a))\n#define WW_USER_OUTSIDE THIRD(-1)\n"
    "static inline real part(const real a, real step) { return NINTH(a) * step; };\n"
    "WW_INLINE real whole(real a) { return part(a, 2) + part(a + 1, 3); }\r\n" CELL
    "{ real best = left, other = up; for (int i = 0, n = 3; i < n; i++) { if (best < other) best += whole(other); else "
    "best = fmin(best, other); } switch (WW_CHANNELS) { case 1: return best; default: break; } return best * other; }",
    "#if WW_CHANNELS > 1\nreal first(ww_point x) { return WW_AT(x, 1); }\n#else\nreal first(ww_point x) { return "
    "WW_AT(x, 0); "
    "}\n#endif\n" CELL "{\n#ifdef WW_I_p0\n    left = up;\n#endif\n    return first(x) * first(y) + left; }",
    "#define FAST\n#define SIZE 3\n#undef SIZE\n#define SIZE 4\n#if defined(FAST) && SIZE > 2\n" CELL
    "{ return left * SIZE; }\n#endif\n"};
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

// What was let through once, or could be: each text with the words of its refusal.
#define LONG_10(a) a a a a a a a a a a
#define LONG_1000(a) LONG_10(LONG_10(LONG_10(a)))
static const struct {
    const char *text, *message;
} attacks[] = {
    // Line ends and comments as compilers see them.
    {"// remark\r#include \"/etc/passwd\"\n" CELL "{ return left; }", "mine.cl:1: '': a carriage return"},
    {"// remark\rvoid f(void) { printf(); }\n" CELL "{ return left; }", "mine.cl:1: '': a carriage return"},
    {CELL "{ // \r *(__global int *)0 = 1;\n return left; }", "a carriage return"},
    {CELL "{ // \r __asm__(\"\");\n return left; }", "a carriage return"},
    {"// remark \\\n" CELL "{ return left; }", "mine.cl:1: '\\': a continued line"},
    {"// remark \\ \t\r\n" CELL "{ return left; }", "a continued line"},
    {CELL "{ return left; } // \\", "a continued line"},
    {"/* remark *\\\n/ " CELL "{ return left; }", "a continued line"},
    {"// remark ?\?/\n" CELL "{ return left; }", "a trigraph"},
    {"?\?=include <x>\n" CELL "{ return left; }", "mine.cl:1: '?\?=': a trigraph"},
    {"\n%:include <x>\n" CELL "{ return left; }", "mine.cl:2: '%:': not allowed"},
    {"# /* */ include <x>\n" CELL "{ return left; }", "a directive that is not allowed"},
    {"/* \n */ # include <x>\n" CELL "{ return left; }", "'include': a directive that is not allowed"},
    {"#\n" CELL "{ return left; }", "a directive that is not allowed"},
    {"#line 7\n" CELL "{ return left; }", "'line': a directive that is not allowed"},
    {"#error no\n" CELL "{ return left; }", "a directive that is not allowed"},
    {"\f#include <x>\n" CELL "{ return left; }", "a control character"},
    {"\v#include <x>\n" CELL "{ return left; }", "a control character"},
    {"\x1A" CELL "{ return left; }", "a control character"},
    {"_Pragma(x)\n" CELL "{ return left; }", "'_Pragma'"},
    // Words with a meaning.
    {"#define if while\n" CELL "{ if (left < up) return left; return up; }", "mine.cl:1: 'if': no name for"},
    {"#define min(a, b) fabs(a)\n" CELL "{ return left; }", "'min': no name for"},
    {"#define return\n" CELL "{ return left; }", "'return': no name for"},
    {"#define real int\n" CELL "{ return left; }", "'real': no name for"},
    {"#define float4 int\n" CELL "{ return left; }", "'float4': no name for"},
    {"#define WW_AT(a, b) 1\n" CELL "{ return left; }", "'WW_AT': no name for"},
    {"#define WW_INLINE 1\n" CELL "{ return left; }", "'WW_INLINE': no name for"},
    {"#define WW_CHANNELS 100\n" CELL "{ return left; }", "'WW_CHANNELS': no name for"},
    {"#define WW_USER_GIVEN 1\n" CELL "{ return left; }", "'WW_USER_GIVEN': no name for"},
    {"#define WW_P_p0 1\n" CELL "{ return left; }", "'WW_P_p0': no name for"},
    {"#define ww_user_cell ww_cost\n" CELL "{ return left; }", "'ww_user_cell'"},
    {"#define ww_min2(a, b) a\n" CELL "{ return left; }", "'ww_min2': no name for"},
    {"#define INT_MAX 0\n" CELL "{ return left; }", "'INT_MAX': no name for"},
    {"#define CLK_LOCAL_MEM_FENCE 0\n" CELL "{ return left; }", "'CLK_LOCAL_MEM_FENCE': no name for"},
    {"#define value 0\n" CELL "{ return left; }", "'value': a macro's name has capital letters only"},
    {"#define A(return) 1\n" CELL "{ return left; }", "'return': no name for a macro's argument"},
    {"#undef real\n" CELL "{ return left; }", "'real': no macro of the text's own"},
    {"#undef WW_AT\n" CELL "{ return left; }", "'WW_AT': no macro of the text's own"},
    {"real min(real a, real b) { return a; }\n" CELL "{ return left; }", "'min': no name for"},
    {"real ww_cost(real a) { return a; }\n" CELL "{ return left; }", "'ww_cost': no name for"},
    {"real ww_user_expression(real a) { return a; }\n" CELL "{ return left; }", "'ww_user_expression': no name for"},
    {"#if 0\nreal goto(real end) { return end; }\n#endif\n" CELL "{ end: goto end; }", "'goto': no name for"},
    {"#if 0\nreal a(real size_t) { return 1; }\n#endif\n" CELL "{ return (size_t) *left; }", "'size_t': no name for"},
    {"#if 0\nreal asm(real a) { return a; }\n#endif\n" CELL "{ asm(1); return left; }", "'asm': no name for"},
    {"real sizeof(real a) { return a; }\n" CELL "{ return left; }", "'sizeof': no name for"},
    {CELL "{ real as_float = 1; return as_float; }", "'as_float': no name for"},
    {CELL "{ real typedef = 1; return left; }", "'typedef': no name for"},
    {CELL "{ return convert_global(left) + local; }", "'local': no name that"},
    // What calls itself.
    {"real f(real a) { return f(a); }\n" CELL "{ return f(left); }", "mine.cl:1: 'f': a function or macro that uses"},
    {CELL "{ return ww_user_cell(left, up, diagonal, x, y, lag); }", "'ww_user_cell': a function or macro that uses"},
    {"real g(real a);\nreal f(real a) { return g(a); }\nreal g(real a) { return f(a); }\n" CELL "{ return f(left); }",
     "mine.cl:1: ';': a function without its body"},
    {"real f(real a) { return a; }\nreal g(real a) { return f(a); }\n#if 1\n#else\n#endif\n"
     "real f(real a) { return g(a); }\n" CELL "{ return g(left); }",
     "mine.cl:6: 'g': it stands below the name of what uses it"},
    {"real g(real a) { real f(real b); return f(a); }\nreal f(real a) { return g(a); }\n" CELL "{ return f(left); }",
     "'f': a function must not be declared here"},
    {"real g(real f) { return f(1); }\n" CELL "{ return g(left); }",
     "mine.cl:1: '(': what stands before it is no function"},
    {"real g(real f) { return f; }\nreal f(real a) { return g(a); }\n" CELL "{ return f(left); }",
     "mine.cl:2: 'f': the text uses this name for something else"},
    {"#define F real f(real a) { return f(a); }\nF\n" CELL "{ return left; }", "a macro is a value"},
    {"#define A A\n" CELL "{ return A; }", "'A': a function or macro that uses itself"},
    {"#define A 1\n#define B A + A\n#undef A\n#define A B + B\n" CELL "{ return B; }",
     "mine.cl:4: 'B': it stands below the name of what uses it"},
    {CELL "{\n#define A 1\n return A; }", "mine.cl:2: 'A': a macro is defined outside of functions"},
    // What a macro hides.
    {"#define NONE\n" CELL "{ return NONE *left; }", "mine.cl:2: 'NONE': a macro without a value"},
    {"#define NONE 1\n#undef NONE\n#define NONE\n" CELL "{ return left; }", "a macro defined again in another form"},
    {"#define P float *\n" CELL "{ return left; }", "a macro is a value"},
    {"#define P (float *)8\n" CELL "{ return left; }", "'*': a pointer"},
    {"#define P *left\n" CELL "{ return left; }", "'*': a macro is a value"},
    {"#define P (real)\n" CELL "{ return P *left; }", "a macro is a value: something is missing at its end"},
    {"#define P return\n" CELL "{ P *left; }", "'return': a statement must not stand here"},
    {"#define M(a, b) a *b\n" CELL "{ return M(, left); }", "an argument of a macro is a value"},
    {"#define M(a, b) a *b\n" CELL "{ return M(real, left); }", "an argument of a macro is a value"},
    {"#define M(a, b) a *b\n" CELL "{ M(return, left); }", "'return': a statement must not stand here"},
    {"#define M(a, b) (a) *b\n" CELL "{ M((real), left); }", "an argument of a macro is a value"},
    {"#define M(a, b) a b\n#define N M\n" CELL "{ return N(1, 2); }", "'M': a macro without its arguments"},
    {"#define OPEN (\n" CELL "{ return OPEN left); }", "a bracket of a macro is not closed in it"},
    {"#define CLOSE )\n" CELL "{ return (left CLOSE; }", "')': a macro is a value"},
    {"#define BLOCK { left }\n" CELL "{ return left; }", "'{': a macro is a value"},
    {"#define SET(a) a = 1\n" CELL "{ SET(left); return left; }", "'=': a macro is a value"},
    {"#define V(a, ...) a\n" CELL "{ return left; }", "'.': no name for a macro's argument"},
    {"#define (a) a\n" CELL "{ return left; }", "'(': not a name to define"},
    // What a condition hides.
    {CELL "{ return (real\n#if 0\n left\n#endif\n) *up; }", "mine.cl:2: 'if': a condition must enclose whole"},
    {CELL "{ return left; }\n#if 0\n}\n#endif\n", "'}': closes no bracket"},
    {CELL "{\n#if 0\n {\n#endif\n return left; } }", "'endif': brackets that a condition opens"},
    {CELL "{\n return left;\n#if 0\n}\n#else\n}\n#endif\n", "'else': brackets that a condition opens"},
    {"#endif\n" CELL "{ return left; }", "there is no #if before it"},
    {"#if 1\n" CELL "{ return left; }", "a condition is not closed"},
    {"#if __has_include(x)\n#endif\n" CELL "{ return left; }", "'__has_include': no name"},
    {"#if 1\n" CELL "{ return left; }\n#endif }", "'}': too much for #else or #endif"},
    {"#if 1\n" CELL "{ return left; }\n#else 1\n#endif", "'1': too much for #else or #endif"},
    {"#if 1 }\n#endif\n" CELL "{ return left; }", "'}': no sign of a condition"},
    {"#if {{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{\n#endif\n" CELL "{ return left; }",
     "'{': no sign of a condition"},
    {"#if 1; 1\n#endif\n" CELL "{ return left; }", "';': no sign of a condition"},
    // Pointers behind brackets.
    {CELL "{ if (left < up) *left = 1; return up; }", "'*': a pointer"},
    {CELL "{ while (left < up) &left; return up; }", "'&': a pointer"},
    {CELL "{ return (const real)*left; }", "'*': a pointer"},
    {CELL "{ real a = ({ left; }); return a; }", "'{': a block must not stand here"},
    {CELL "{ return ^{ return left; }(); }", "'^': not allowed"},
    {"float *f(real a) { return 8; }\n" CELL "{ return left; }", "'*': a pointer"},
    {"real f(float *a) { return 8; }\n" CELL "{ return left; }", "'*': a pointer"},
    {"real a = 1;\n" CELL "{ return left; }", "'a': outside of functions only functions"},
    {"left;\n" CELL "{ return left; }", "'left': no name that it may use here"},
    // Writes beyond a variable.
    {CELL "{ WW_AT(x, 1000) = 1; return left; }", "'=': assigns to what is no variable"},
    {CELL "{ (WW_AT(x, 1000)) += 1; return left; }", "'+=': assigns to what is no variable"},
    {CELL "{ ++WW_AT(x, 1000); return left; }", "'++': assigns to what is no variable"},
    {CELL "{ WW_AT(x, 1000)--; return left; }", "'--': assigns to what is no variable"},
    {"#define A(a) WW_AT(a, 1000)\n" CELL "{ A(x) = 1; return left; }", "'=': assigns to what is no variable"},
    {"real f(ww_point x) { return 1; }\n#define A WW_AT(x, 1000)\n" CELL "{ A = 1; return left; }",
     "'=': assigns to what is no variable"},
    {CELL "{ ww_cost = 1; return left; }", "'=': assigns to what is no variable"},
    // What would occupy the compiler.
    {"#define A(a) a + a\n#define B(a) A(A(A(A(A(A(A(A(a))))))))\n#define C(a) B(B(B(a)))\n" CELL "{ return C(left); }",
     "mine.cl:3: 'B': too large"},
    {"#define A 1 + 1 + 1 + 1 + 1 + 1\n#define B A + A + A + A + A + A\n#define C B + B + B + B + B + B\n"
     "#define D C + C + C + C + C + C\n#define E D + D + D + D + D + D\n#define F E + E + E + E + E + E\n" CELL
     "{ return F; }",
     "mine.cl:4: 'C': a statement that is too long"},
    {"#define A(a) (a + a)\n" CELL "{ return A(A(A(A(A(A(A(A(A(A(A(A(A(A(A(left))))))))))))))); }",
     "mine.cl:2: 'A': a statement that is too long"},
    {"#define A(a) (a + a)\n#if A(A(A(A(A(A(A(A(A(A(A(A(A(A(A(A(A(1)))))))))))))))))\n#endif\n" CELL "{ return left; }",
     "mine.cl:2: "},
    {"real a(real t) { return t * t * t * t; }\nreal b(real t) { return a(t) + a(t) + a(t) + a(t) + a(t) + a(t); }\n"
     "real c(real t) { return b(t) + b(t) + b(t) + b(t) + b(t) + b(t); }\n"
     "real d(real t) { return c(t) + c(t) + c(t) + c(t) + c(t) + c(t); }\n"
     "real e(real t) { return d(t) + d(t) + d(t) + d(t) + d(t) + d(t); }\n"
     "real f(real t) { return e(t) + e(t) + e(t) + e(t) + e(t) + e(t); }\n" CELL "{ return f(left) + f(up); }",
     "too large with all"},
    {CELL "{ return " LONG_1000("- - - ") "left; }", "a statement that is too long"},
    {CELL "{ return " LONG_10(LONG_10("(")) "left; }", "brackets too deep"},
    {CELL "{ " LONG_1000(LONG_10("left;  left; ")) " LONG }", "the text is too long"}};

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

START_TEST(attacks_are_refused) {
    for (int i = 0; i < COUNT(attacks); i++) {
        refuses(attacks[i].text, false);
        ck_assert_msg(strstr(ww_last_error()->message, attacks[i].message) != NULL, "%.300s: %s, not %s",
                      attacks[i].text, ww_last_error()->message, attacks[i].message);
    }
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
    tcase_add_test(tcase, attacks_are_refused);
    tcase_add_test(tcase, lines_are_counted);
    tcase_add_test(tcase, any_order);
    return wwt_run(suite);
}
