// SPDX-License-Identifier: Apache-2.0
// How a user's text takes its parameters with the launch: this text precedes it, recurrence/user.cl follows it. The
// functions that the library calls get them as an argument that the text does not name. Where other functions of the
// text use parameters, the host makes the values part of the text and leaves this file out.
// WW_USER_POINTS_BEFORE 1: the text has WW_USER_BEFORE, so cells take the points before too. (OpenCL C has no macros with
// any number of arguments.)
#define WW_USER_GIVEN 1
#ifndef WW_USER_POINTS_BEFORE
#define WW_USER_POINTS_BEFORE 0
#endif
#if WW_USER_POINTS_BEFORE
#define ww_user_cell(a, b, c, d, e, f, g, h) ww_user_cell(a, b, c, d, e, f, g, h, const ww_parameters ww_given)
#define ww_user_enter(a, b, c, d, e, f, g, h) ww_user_enter(a, b, c, d, e, f, g, h, const ww_parameters ww_given)
#else
#define ww_user_cell(a, b, c, d, e, f) ww_user_cell(a, b, c, d, e, f, const ww_parameters ww_given)
#define ww_user_enter(a, b, c, d, e, f) ww_user_enter(a, b, c, d, e, f, const ww_parameters ww_given)
#endif
#define ww_user_node(a, b, c, d) ww_user_node(a, b, c, d, const ww_parameters ww_given)
#define ww_user_left(a, b) ww_user_left(a, b, const ww_parameters ww_given)
#define ww_user_top(a, b) ww_user_top(a, b, const ww_parameters ww_given)
#define ww_user_final(a, b, c) ww_user_final(a, b, c, const ww_parameters ww_given)
#define WW_P_p0 ww_given.p0
#define WW_P_p1 ww_given.p1
#define WW_P_p2 ww_given.p2
#define WW_P_p3 ww_given.p3
#define WW_P_p4 ww_given.p4
#define WW_P_p5 ww_given.p5
#define WW_P_p6 ww_given.p6
#define WW_P_p7 ww_given.p7
#if WWK_DOUBLE
#define WW_USER_LOST(name) 0
#else
#define WW_USER_LOST(name) ww_given.name
#endif
#define WW_L_p0 WW_USER_LOST(p0_lost)
#define WW_L_p1 WW_USER_LOST(p1_lost)
#define WW_L_p2 WW_USER_LOST(p2_lost)
#define WW_L_p3 WW_USER_LOST(p3_lost)
#define WW_L_p4 WW_USER_LOST(p4_lost)
#define WW_L_p5 WW_USER_LOST(p5_lost)
#define WW_L_p6 WW_USER_LOST(p6_lost)
#define WW_L_p7 WW_USER_LOST(p7_lost)
