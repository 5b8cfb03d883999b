# SPDX-License-Identifier: Apache-2.0
"""More calls that are refused, as refused.py has them."""

import numpy as np
from refused import CHANNELS, CORNER, NAN, X

import wavewarp as ww

REFUSED = {
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
