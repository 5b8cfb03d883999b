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
]


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
