# SPDX-License-Identifier: Apache-2.0
"""More calls that are refused, as refused.py has them."""

import pathlib
import sys

import numpy as np
import pytest
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
    lambda: ww.knn(POINTS, subset=[]),
    lambda: ww.knn(POINTS, subset=[len(POINTS)]),
    lambda: ww.knn(POINTS, subset=[-1]),
    lambda: ww.knn(POINTS, subset=np.ones(len(POINTS) + 1, bool)),
]
refused.REFUSED["Points"]["ValueError"] += [
    lambda: ww.Points(POINTS, ids=[1]),
    lambda: ww.Points(POINTS, ids=[-1] * len(POINTS)),
    lambda: ww.Points(np.full((2, 2), np.inf, np.float16), narrow=True),
]
refused.REFUSED["Points.add"] = {
    "ValueError": [
        lambda: ww.Points(POINTS).add(POINTS[:, :1]),
        lambda: ww.Points(POINTS).add(POINTS, ids=[1]),
        lambda: ww.Points(POINTS).add(np.full((1, POINTS.shape[1]), np.nan)),
    ]
}
refused.REFUSED["Points.remove"] = {
    "ValueError": [
        lambda: ww.Points(POINTS).remove([999]),
        lambda: ww.Points(POINTS).remove(-1),
        lambda: ww.Points(POINTS).remove(range(len(POINTS))),
    ]
}
refused.REFUSED["medoids"]["ValueError"] += [
    lambda: ww.medoids(k=0, series=X),
    lambda: ww.medoids(k=len(X) + 1, series=X),
    lambda: ww.medoids(k=2, series=X, sample=2),
    lambda: ww.medoids(k=2, series=X, measure="lcs"),
    lambda: ww.medoids(k=2, series=NAN),
]
refused.REFUSED["medoids"].setdefault("TypeError", []).extend(
    [lambda: ww.medoids(k=2), lambda: ww.medoids(series=X), lambda: ww.medoids(np.zeros(3), 2, series=X)]
)


def read_without(library, name):
    pathlib.Path(name).write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, library, None)
        ww.read(name)


def load_damaged():
    pathlib.Path("Bad_TRAIN.tsv").write_text("1\t2\tx\n")
    ww.load_dataset("Bad", ".", "train")


refused.REFUSED["read"]["ModuleNotFoundError"] = [lambda: read_without("h5py", "without.h5")]

REFUSED = {
    "load_dataset": {
        "FileNotFoundError": [lambda: ww.load_dataset("None", ".")],
        "FileError": [load_damaged],
        "ValueError": [lambda: ww.load_dataset("One", ".", "all")],
    },
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
