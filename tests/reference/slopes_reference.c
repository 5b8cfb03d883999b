// SPDX-License-Identifier: Apache-2.0
// Soft minima and their slopes by definition. Costs of cells and edges are the textbook's; their slopes are central
// differences of these costs alone, which are small numbers at any gamma.
#include "slopes_reference.h"

#include <math.h>
#include <string.h>

enum { MOST = 65, CHANNELS = 4 };

typedef long double point[CHANNELS];

// What a cell adds, and what its edges add: from the diagonal, from above, from the left.
typedef struct costs {
    long double node, edge[3];
} costs;

typedef struct pair {
    const ww_measure *measure;
    const wwr_series *x, *y;
    size_t channels, longest;
    long double value[MOST][MOST], share[MOST][MOST][3], adjoint[MOST][MOST];
} pair;

static long double apart(const pair *p, const point a, const point b) {
    long double sum = 0;
    for (size_t c = 0; c < p->channels; c++)
        sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sqrtl(sum);
}

// Point i from 1; 0: zeros.
static void take(const wwr_series *from, size_t i, point to) {
    for (size_t c = 0; c < from->channels; c++)
        to[c] = i ? from->values[c * from->length + i - 1] : 0;
}

static long double msm_move(const pair *p, const point a, const point b1, const point b2) {
    const long double c = p->measure->parameters[0];
    const int between = (b1[0] <= a[0] && a[0] <= b2[0]) || (b2[0] <= a[0] && a[0] <= b1[0]);
    return between ? c : c + fminl(apart(p, a, b1), apart(p, a, b2));
}

static long double lag_weight(const pair *p, size_t i, size_t j) {
    const long double g = p->measure->parameters[0], w_max = p->measure->parameters[1];
    const long double lag = i > j ? i - j : j - i;
    return w_max / (1 + expl(-g * (lag - (long double)p->longest / 2)));
}

// points: x_i, x_{i-1}, y_j, y_{j-1}
static costs costs_of(const pair *p, size_t i, size_t j, point points[4]) {
    const double *parameters = p->measure->parameters;
    const long double match = apart(p, points[0], points[2]);
    costs of = {0, {0, 0, 0}};
    point gap;
    for (size_t c = 0; c < p->channels; c++)
        gap[c] = parameters[0];
    switch (p->measure->id) {
    case WW_ERP:
        return (costs){0, {match, apart(p, points[0], gap), apart(p, points[2], gap)}};
    case WW_MSM:
        return (costs){0,
                       {match, i > 1 ? msm_move(p, points[0], points[1], points[2]) : INFINITY,
                        j > 1 ? msm_move(p, points[2], points[0], points[3]) : INFINITY}};
    case WW_TWED: {
        const long double nu = parameters[0], lambda = parameters[1], lag = i > j ? i - j : j - i;
        return (costs){0,
                       {match + apart(p, points[1], points[3]) + 2 * nu * lag,
                        apart(p, points[0], points[1]) + nu + lambda, apart(p, points[2], points[3]) + nu + lambda}};
    }
    case WW_ADTW:
        of.edge[1] = of.edge[2] = parameters[0];
        break;
    default:
        break;
    }
    of.node = match * match * (p->measure->id == WW_WDTW ? lag_weight(p, i, j) : 1);
    return of;
}

static void take_points(const pair *p, size_t i, size_t j, point points[4]) {
    take(p->x, i, points[0]);
    take(p->x, i - 1, points[1]);
    take(p->y, j, points[2]);
    take(p->y, j - 1, points[3]);
}

static void borders(pair *p) {
    point gap, own;
    for (size_t c = 0; c < p->channels; c++)
        gap[c] = p->measure->parameters[0];
    for (size_t i = 0; i <= p->x->length; i++)
        for (size_t j = 0; j <= p->y->length; j++)
            p->value[i][j] = i || j ? INFINITY : 0;
    for (size_t i = 1; i <= p->x->length && p->measure->id == WW_ERP; i++) {
        take(p->x, i, own);
        p->value[i][0] = p->value[i - 1][0] + apart(p, own, gap);
    }
    for (size_t j = 1; j <= p->y->length && p->measure->id == WW_ERP; j++) {
        take(p->y, j, own);
        p->value[0][j] = p->value[0][j - 1] + apart(p, own, gap);
    }
}

static void forward(pair *p, size_t i, size_t j) {
    const long double gamma = p->measure->gamma;
    point points[4];
    take_points(p, i, j, points);
    const costs of = costs_of(p, i, j, points);
    const long double entry[3] = {p->value[i - 1][j - 1] + of.edge[0], p->value[i - 1][j] + of.edge[1],
                                  p->value[i][j - 1] + of.edge[2]};
    const long double least = fminl(fminl(entry[0], entry[1]), entry[2]);
    long double sum = 0;
    for (int e = 0; e < 3; e++)
        sum += p->share[i][j][e] = isinf(entry[e]) ? 0 : expl((least - entry[e]) / gamma);
    for (int e = 0; e < 3; e++)
        p->share[i][j][e] /= sum;
    p->value[i][j] = least - gamma * logl(sum) + of.node;
}

static void backward(pair *p, size_t i, size_t j, double *const slopes[2]) {
    static const long double step = 1e-7L;
    const long double all = p->adjoint[i][j], *share = p->share[i][j];
    const wwr_series *const series[2] = {p->x, p->y};
    const size_t at[4] = {i, i - 1, j, j - 1};
    point points[4];
    p->adjoint[i - 1][j - 1] += all * share[0];
    p->adjoint[i - 1][j] += all * share[1];
    p->adjoint[i][j - 1] += all * share[2];
    take_points(p, i, j, points);
    for (int k = 0; k < 4; k++)
        for (size_t c = 0; at[k] && c < p->channels; c++) {
            const long double kept = points[k][c];
            points[k][c] = kept + step;
            const costs above = costs_of(p, i, j, points);
            points[k][c] = kept - step;
            const costs below = costs_of(p, i, j, points);
            points[k][c] = kept;
            long double sum = above.node - below.node;
            for (int e = 0; e < 3; e++)
                sum += share[e] > 0 ? share[e] * (above.edge[e] - below.edge[e]) : 0;
            slopes[k / 2][c * series[k / 2]->length + at[k] - 1] += (double)(all * sum / (2 * step));
        }
}

// ERP's border of a side: what came to it goes on to all points up to there.
static void border_slopes(const pair *p, const wwr_series *of, int side, double *slopes) {
    long double all = 0;
    for (size_t i = of->length; i > 0; i--) {
        point own, gap;
        take(of, i, own);
        for (size_t c = 0; c < p->channels; c++)
            gap[c] = p->measure->parameters[0];
        all += side ? p->adjoint[0][i] : p->adjoint[i][0];
        for (size_t c = 0; c < p->channels; c++)
            slopes[c * of->length + i - 1] += (double)(all * (own[c] - gap[c]) / apart(p, own, gap));
    }
}

double wwr_soft_slopes(const ww_measure *measure, const wwr_series *x, const wwr_series *y, double *by_x,
                       double *by_y) {
    static _Thread_local pair p;
    double *const slopes[2] = {by_x, by_y};
    p.measure = measure;
    p.x = x;
    p.y = y;
    p.channels = x->channels;
    p.longest = x->length > y->length ? x->length : y->length;
    memset(p.adjoint, 0, sizeof p.adjoint);
    memset(by_x, 0, x->length * x->channels * sizeof *by_x);
    memset(by_y, 0, y->length * y->channels * sizeof *by_y);
    borders(&p);
    for (size_t i = 1; i <= x->length; i++)
        for (size_t j = 1; j <= y->length; j++)
            forward(&p, i, j);
    p.adjoint[x->length][y->length] = 1;
    for (size_t i = x->length; i > 0; i--)
        for (size_t j = y->length; j > 0; j--)
            backward(&p, i, j, slopes);
    if (measure->id == WW_ERP) {
        border_slopes(&p, x, 0, by_x);
        border_slopes(&p, y, 1, by_y);
    }
    return (double)p.value[x->length][y->length];
}
