# SPDX-License-Identifier: Apache-2.0
"""More calls that are refused, as refused.py has them."""

import numpy as np
import refused
from refused import CHANNELS, CORNER, NAN, POINTS, X

import wavewarp as ww

GAPS = np.where(POINTS > 1, np.nan, POINTS)

refused.REFUSED["knn"]["ValueError"] += [
    lambda: ww.knn(POINTS, p=3),
    lambda: ww.knn(POINTS, metric="minkowski", p=0.5),
    lambda: ww.knn(POINTS, radius=[1.0, 2.0]),
    lambda: ww.knn(GAPS, metric="l2"),
    lambda: ww.knn(ww.Points(GAPS, missing=True), metric="l1"),
]

REFUSED = {
    "kshape": {
        "ValueError": [
            lambda: ww.kshape(X, 0),
            lambda: ww.kshape(X, 7),
            lambda: ww.kshape(NAN, 2),
            lambda: ww.kshape([X[0], X[1, :9]], 2),
            lambda: ww.kshape(X, 2, first=X[:3]),
            lambda: ww.kshape(X, 2, first=X[:2, :9]),
            lambda: ww.kshape(X, 2, first=X[:2], starts=2),
            lambda: ww.kshape(X, 2, starts=0),
            lambda: ww.kshape(X, 2, tolerance=2.0),
        ]
    },
    "consensus_motif": {
        "ValueError": [
            lambda: ww.consensus_motif(X[:1], 5),
            lambda: ww.consensus_motif(X[0], 5),
            lambda: ww.consensus_motif(X, 21),
            lambda: ww.consensus_motif(X, 2),
            lambda: ww.consensus_motif([X[0], X[1, :4]], 5),
            lambda: ww.consensus_motif([X[0], np.full(9, np.nan)], 5),
            lambda: ww.consensus_motif(X, 5, p=1),
            lambda: ww.consensus_motif(X, 5, flat_below=-1),
            lambda: ww.consensus_motif(X, 5, best_channels=2),
        ]
    },
    "sbd": {"ValueError": [lambda: ww.sbd(X, CHANNELS), lambda: ww.sbd(NAN), lambda: ww.sbd([[]])]},
    "cost_matrix": {
        "ValueError": [
            lambda: ww.cost_matrix(X[0], X[1, :2], **CORNER),
            lambda: ww.cost_matrix(X[0], CHANNELS[0]),
            lambda: ww.cost_matrix([], X[0]),
            lambda: ww.cost_matrix(NAN[2], X[0]),
            lambda: ww.cost_matrix(X[0], X[1], out=np.zeros((20, 19))),
            lambda: ww.cost_matrix(X[0], X[1], "no"),
        ],
        "MemoryError": [lambda: ww.cost_matrix(X[0], X[1], max_bytes=10)],
    },
}
