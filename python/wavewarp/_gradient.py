# SPDX-License-Identifier: Apache-2.0
"""Values and gradients of soft (and hard) measures."""

from __future__ import annotations

import types
from types import SimpleNamespace
from typing import Any, Iterable, Optional, Union

import numpy as np

from ._context import Context
from ._core import NULL, Progress, check, handle, info, lib, new, run
from ._distance import pair_indices
from ._measure import MeasureLike
from ._measure import measure as as_measure
from ._series import datasets, pointer

OUTPUTS = ("values", "rows", "columns", "parameters", "weights", "alignment")


class Gradient:
    """Prepared gradients of pairs of series, for any number of runs.

    measure: a Measure; with gamma above 0 its soft minimum. rows, columns: datasets.
    pairs: None: all rows with all columns; True: one by one; or two lists of indices.
    divergence: of V(x,y) - V(x,x)/2 - V(y,y)/2. per_pair: a gradient for each pair, not for each series.
    parameters, weights, alignment: these outputs will be asked for.
    """

    def __init__(
        self,
        measure: MeasureLike,
        rows,
        columns=None,
        *,
        pairs: Any = None,
        divergence: bool = False,
        per_pair: bool = False,
        parameters=False,
        weights: Any = False,
        alignment=False,
        progress: Progress = None,
        max_bytes: int = 0,
    ) -> None:
        self.measure = as_measure(measure)
        self.rows, self.columns = rows, columns if columns is not None else rows
        self.per_pair = per_pair
        self._options = new(
            "ww_gradient_options",
            divergence=bool(divergence),
            per_pair=bool(per_pair),
            parameters=bool(parameters),
            weights=bool(weights),
            alignment=bool(alignment),
            run=run(progress, max_bytes),
        )
        self._handle = handle("ww_gradient")
        c = self.measure.c(max(self.rows.longest, self.columns.longest))
        if pairs is None:
            check(
                lib.ww_gradient_create_matrix(
                    c, rows._c, columns._c if columns is not None else NULL, self._options, self._handle
                )
            )
            n, m = len(self.rows), len(self.columns)
            self._first, self._second = np.repeat(np.arange(n), m), np.tile(np.arange(m), n)
            self._shape: tuple = (n, m)
        else:
            first, second, count = pair_indices(pairs, self.rows, self.columns)
            check(
                lib.ww_gradient_create_pairs(
                    c, rows._c, self.columns._c, first, second, count, self._options, self._handle
                )
            )
            one_by_one = pairs is True
            self._first = np.arange(count) if one_by_one else np.asarray(pairs[0])
            self._second = np.arange(count) if one_by_one else np.asarray(pairs[1])
            self._shape = (count,)

    @property
    def info(self) -> SimpleNamespace:
        """Sizes of the outputs, and what the last run did."""
        record = new("ww_gradient_info")
        check(lib.ww_gradient_get_info(self._handle[0], record))
        return info(record)

    def run(
        self, want: Union[str, Iterable[str]] = ("values", "rows", "columns"), upstream: Any = None
    ) -> SimpleNamespace:
        """A record with what `want` names, in the datasets' type.

        values: one a pair, or (rows, columns). rows, columns: gradients by the series of each side, of shape (n,
        channels, time), a list where lengths differ. parameters: (pairs, parameters). weights: (pairs, longest).
        alignment: (n, m) a pair: how probable each cell is. upstream: a factor for each pair's gradients.
        """
        want = (want,) if isinstance(want, str) else tuple(want)
        unknown = set(want) - set(OUTPUTS)
        if unknown:
            raise ValueError(f"{', '.join(sorted(unknown))}: none of {', '.join(OUTPUTS)}")
        told, dtype = self.info, self.rows.dtype
        count = {**vars(told), "values": told.pairs}
        flat = {name: np.empty(count[name], dtype) for name in want}
        fields = {name: new("ww_output", host=pointer(array), bytes=array.nbytes) for name, array in flat.items()}
        if upstream is not None:
            upstream = np.ascontiguousarray(upstream, dtype)
            if upstream.size != told.pairs:
                raise ValueError(f"upstream has {upstream.size} values for {told.pairs} pairs")
            fields["upstream"] = pointer(upstream)
        check(lib.ww_gradient_run(self._handle[0], new("ww_gradient_outputs", **fields)))
        return types.SimpleNamespace(**{name: self._shaped(name, array) for name, array in flat.items()})

    def _shaped(self, name, flat):
        if name == "values":
            return flat.reshape(self._shape)
        if name in ("parameters", "weights"):
            return flat.reshape(len(self._first), -1)
        rows, columns = self.rows.lengths[self._first], self.columns.lengths[self._second]
        if name == "alignment":
            return _split(flat, list(zip(rows, columns)))
        side = self.rows if name == "rows" else self.columns
        lengths = (rows if name == "rows" else columns) if self.per_pair else side.lengths
        return _split(flat, [(side.channels, length) for length in lengths])


def _split(flat, shapes):
    """Arrays of these shapes that follow one another: one array where all are equal, else a list."""
    if len(set(shapes)) == 1:
        return flat.reshape(len(shapes), *shapes[0])
    ends = np.cumsum([a * b for a, b in shapes])
    return [part.reshape(shape) for part, shape in zip(np.split(flat, ends[:-1]), shapes)]


def soft(
    x: Any,
    y: Any = None,
    measure: MeasureLike = "dtw",
    *,
    gamma: Optional[float] = None,
    pairs: Any = None,
    want: Union[str, Iterable[str]] = ("values", "rows", "columns"),
    upstream: Any = None,
    divergence: bool = False,
    per_pair: bool = False,
    axes: Optional[str] = None,
    precision: Optional[str] = None,
    progress: Progress = None,
    max_bytes: int = 0,
    context: Optional[Context] = None,
    **parameters,
) -> SimpleNamespace:
    """Values and gradients of a soft measure in one call: what Gradient.run() returns.

    gamma: of the soft minimum; None: the measure's own, or 1. 0: along the best path.
    pairs: None: all of x with all of y (or x with itself); True: one by one; or two lists of indices.
    """
    measure = as_measure(measure, parameters)
    if gamma is None:
        gamma = measure.gamma or 1.0
    measure = as_measure(measure, {"gamma": gamma})
    rows, columns = datasets(x, y, axes=axes, precision=precision, context=context)
    want = (want,) if isinstance(want, str) else tuple(want)
    extra = {name: name in want for name in ("parameters", "weights", "alignment")}
    made = Gradient(
        measure,
        rows,
        columns,
        pairs=pairs,
        divergence=divergence,
        per_pair=per_pair,
        progress=progress,
        max_bytes=max_bytes,
        **extra,
    )
    return made.run(want, upstream)
