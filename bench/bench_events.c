// SPDX-License-Identifier: Apache-2.0
// Points like the 28 features of simulated collider events: 21 measured (a lepton's momentum and direction, missing
// energy, four jets with their tags) and 7 masses computed from them. Their intrinsic dimension is near 21; tags make
// clusters, momenta and masses have long tails.
#include <math.h>

#include "bench_points.h"

static const double pi = 3.14159265358979323846;

static double uniform(uint64_t *state) {
    return ((double)(bench_random(state) >> 11) + 0.5) * 0x1p-53;
}

static double gauss(uint64_t *state) {
    const double radius = sqrt(-2 * log(uniform(state)));
    return radius * cos(2 * pi * uniform(state));
}

typedef struct momentum {
    double x, y, z, energy;
} momentum;

static momentum make(double across, double rapidity, double angle) {
    return (momentum){across * cos(angle), across * sin(angle), across * sinh(rapidity), across * cosh(rapidity)};
}

static momentum sum(momentum a, momentum b) {
    return (momentum){a.x + b.x, a.y + b.y, a.z + b.z, a.energy + b.energy};
}

static double mass(momentum p) {
    return sqrt(fmax(p.energy * p.energy - p.x * p.x - p.y * p.y - p.z * p.z, 0));
}

void bench_event(uint64_t *state, float *features) {
    static const double scale[4] = {0.55, 0.75, 1.0, 1.3}, tag[4] = {1.09, 1.1, 1.27, 1.55};
    double across[4];
    momentum jets[4];
    const double boost = uniform(state) < 0.53 ? 1.1 : 1;
    const double lepton_across = 0.3 + 0.6 * boost * exp(0.55 * gauss(state)), lepton_rapidity = gauss(state);
    const double lepton_angle = (2 * uniform(state) - 1) * pi;
    const double missing = 0.2 + 0.75 * exp(0.6 * gauss(state)), missing_angle = (2 * uniform(state) - 1) * pi;
    float *f = features;
    *f++ = (float)lepton_across;
    *f++ = (float)lepton_rapidity;
    *f++ = (float)(lepton_angle / 1.8);
    *f++ = (float)missing;
    *f++ = (float)(missing_angle / 1.8);
    // Jets are ordered by momentum, the largest first.
    for (int i = 0; i < 4; i++) {
        const double strength = boost * exp(0.5 * gauss(state));
        int at = i;
        for (; at > 0 && across[at - 1] < strength; at--)
            across[at] = across[at - 1];
        across[at] = strength;
    }
    for (int i = 0; i < 4; i++) {
        const double rapidity = gauss(state), angle = (2 * uniform(state) - 1) * pi, tagged = uniform(state);
        jets[i] = make(across[i], rapidity, angle);
        *f++ = (float)(across[i] * scale[i]);
        *f++ = (float)rapidity;
        *f++ = (float)(angle / 1.8);
        *f++ = (float)(tagged < 0.5 ? 0 : tagged < 0.75 ? tag[i] : 2 * tag[i]);
    }
    const momentum lepton = make(lepton_across, lepton_rapidity, lepton_angle);
    const momentum both = sum(lepton, make(missing, lepton_rapidity + 0.5 * gauss(state), missing_angle));
    const momentum near = sum(jets[0], jets[1]), far = sum(jets[2], jets[3]);
    *f++ = (float)(mass(far) / 1.6);
    *f++ = (float)(mass(sum(far, jets[1])) / 3.2);
    *f++ = (float)(mass(both) / 1.6);
    *f++ = (float)(mass(sum(both, jets[0])) / 3.3);
    *f++ = (float)(mass(near) / 2.6);
    *f++ = (float)(mass(sum(both, near)) / 5);
    *f = (float)(mass(sum(both, sum(near, far))) / 8);
}
