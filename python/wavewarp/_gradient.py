# SPDX-License-Identifier: Apache-2.0
"""Values and gradients of soft (and hard) measures."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Optional, Union

import numpy as np

from ._arrays import as_numbers, of_argument, whole
from ._context import Context
from ._core import NULL, Progress, alone, check, handle, info, lib, new, run
from ._dataset import datasets
from ._plan import pair_indices
from ._measure import MeasureLike, HardOptions
from ._measure import measure as as_measure
from ._buffer import Buffer
from ._results import SoftValues
from ._series import pointer, result, to_output

if TYPE_CHECKING:
    from typing_extensions import Unpack

OUTPUTS = ("values", "rows", "columns", "parameters", "weights", "alignment")


class Gradient:
    """Prepared gradients of pairs of series, for any number of runs.

    Parameters
    ----------
    measure : Measure or str
        With gamma above 0 its soft minimum.
    rows, columns : Dataset, or what one takes
        The sets; `columns` None: `rows` with itself.
    pairs : None, True, or two sequences of int
        None: all rows with all columns. True: the i-th row with the i-th column. Or two lists of indices of both.
    divergence : bool
        Of V(x,y) - V(x,x)/2 - V(y,y)/2.
    per_pair : bool
        A gradient for each pair, not for each series.
    parameters, weights, alignment : bool
        These outputs will be asked for.
    progress, max_bytes
        What every job takes: ``help(wavewarp)`` has them.

    Raises
    ------
    ValueError
        A measure without gradient or soft minimum, with open ends or a cost of one's own; pairs as for Plan(); parameters or
        weights of a measure that has none.
    MemoryError
        Host or device memory is too small.

    Examples
    --------
    >>> made = ww.Gradient(ww.Measure("dtw", gamma=1.0), [[0.0, 1, 2]], [[0.0, 2, 2]], pairs=True)
    >>> made.run().rows.shape
    (1, 1, 3)
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
        rows, columns = datasets(rows, columns, names=("rows", "columns"))
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
            self._first = np.arange(count) if one_by_one else whole("pairs", pairs[0])
            self._second = np.arange(count) if one_by_one else whole("pairs", pairs[1])
            self._shape = (count,)

    @property
    @alone
    def info(self) -> SimpleNamespace:
        """Sizes of the outputs, and what the last run did."""
        record = new("ww_gradient_info")
        check(lib.ww_gradient_get_info(self._handle[0], record))
        return info(record)

    @alone
    def run(
        self,
        want: Union[str, Iterable[str]] = ("values", "rows", "columns"),
        upstream: Any = None,
        out: Optional[Mapping[str, Any]] = None,
    ) -> SoftValues:
        """Computes values and gradients, in the datasets' type.

        Parameters
        ----------
        want : str or sequence of str
            Outputs. "values": one a pair, or (rows, columns). "rows", "columns": gradients by the series of each side,
            of shape (n, channels, time), a list where lengths differ. "parameters": (pairs, parameters). "weights":
            (pairs, longest). "alignment": (n, m) a pair, how probable each cell is.
        upstream : array_like or Buffer, optional
            A factor for each pair's gradients.
        out : dict, optional
            Arrays or buffers of one axis for some outputs, by name; `info` says their sizes. A buffer is returned as it
            is, arrays in the shapes above.

        Returns
        -------
        SoftValues
            With what `want` names.

        Raises
        ------
        ValueError
            A name that is no output, or one that the Gradient was not made for; upstream of another size or not finite;
            out of another shape or type, or for what `want` does not name.
        MemoryError
            Host or device memory is too small.

        Examples
        --------
        >>> gradient = ww.Gradient(ww.Measure("dtw", gamma=0.1), [[0.0, 1, 2]], [[0.0, 2, 2]])
        >>> gradient.run("rows").rows.shape
        (1, 1, 3)
        """
        names = wanted(want)
        told = self.info
        flat, outputs = make_outputs(names, told, self.rows.dtype, upstream, out or {})
        check(lib.ww_gradient_run(self._handle[0], outputs))
        check(lib.ww_gradient_finish(self._handle[0]))
        made = shaped(flat, self._shape, self._first, self._second, self.rows, self.columns, self.per_pair)
        return made._under(self.measure)


def wanted(want) -> tuple:
    """The names of outputs."""
    want = (want,) if isinstance(want, str) else tuple(want)
    unknown = set(want) - set(OUTPUTS)
    if unknown:
        raise ValueError(f"want has {', '.join(sorted(unknown))}, none of {', '.join(OUTPUTS)}")
    return want


def make_outputs(names, told, dtype, upstream, out):
    """(flat arrays by name, ww_gradient_outputs) of the sizes that a ww_gradient_info tells."""
    count = {**vars(told), "values": told.pairs}
    unknown = set(out) - set(names)
    if unknown:
        raise ValueError(f"out has {', '.join(sorted(unknown))}, which want does not name")
    flat = {name: result(out.get(name), (count[name],), dtype) for name in names}
    fields = {name: to_output(array) for name, array in flat.items()}
    if isinstance(upstream, Buffer):
        if upstream.size != told.pairs or upstream.dtype != dtype:
            raise ValueError(f"upstream has to be a buffer of {told.pairs} values of type {dtype}")
        fields["upstream_device"] = upstream._c
    elif upstream is not None:
        upstream = np.ascontiguousarray(of_argument("upstream", as_numbers, upstream), dtype)
        if upstream.size != told.pairs:
            raise ValueError(f"upstream has {upstream.size} values for {told.pairs} pairs")
        fields["upstream"] = pointer(upstream)
    return flat, new("ww_gradient_outputs", **fields)


def shaped(flat, shape, first, second, rows, columns, per_pair):
    """Flat outputs in the shapes of pairs (first[i], second[i]) of series of both sides."""

    def one(name, values):
        if isinstance(values, Buffer):
            return values
        if name == "values":
            return values.reshape(shape)
        if name in ("parameters", "weights"):
            return values.reshape(len(first), -1)
        if name == "alignment":
            return _split(values, rows._lengths[first], columns._lengths[second])
        side, of = (rows, first) if name == "rows" else (columns, second)
        lengths = side._lengths[of] if per_pair else side._lengths
        return _split(values, np.full(len(lengths), side.channels), lengths)

    return SoftValues(**{name: one(name, values) for name, values in flat.items()})


def _split(flat, heights, widths):
    """Arrays of these shapes that follow one another: one array where all are equal, else a list."""
    if (heights == heights[0]).all() and (widths == widths[0]).all():
        return flat.reshape(len(heights), heights[0], widths[0])
    parts = np.split(flat, np.cumsum(heights * widths)[:-1])
    return [part.reshape(shape) for part, *shape in zip(parts, heights, widths)]


def soft_measure(measure, gamma, parameters):
    """A measure with the soft minimum's gamma; None: its own, or 1."""
    made = as_measure(measure, parameters)
    return as_measure(made, {"gamma": (made.gamma or 1.0) if gamma is None else gamma})


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
    **parameters: Unpack[HardOptions],
) -> SoftValues:
    """Values and gradients of a soft measure in one call: what Gradient.run() returns.

    Parameters
    ----------
    x, y : Dataset, or what one takes
        The sets; `y` None: `x` with itself.
    measure : Measure or str
        measures() lists those with a soft minimum.
    gamma : float, optional
        Of the soft minimum; None: the measure's own, or 1. 0: along the best path.
    pairs : None, True, or two sequences of int
        None: all of x with all of y. True: x[i] with y[i]. Two lists of indices: x[i] with y[j].
    want : str or sequence of str
        Of "values", "rows", "columns", "parameters", "weights", "alignment".
    upstream : array_like or Buffer, optional
        A factor for each pair's gradients.
    divergence : bool
        Of V(x,y) - V(x,x)/2 - V(y,y)/2.
    per_pair : bool
        A gradient for each pair, not for each series.
    axes, precision, progress, max_bytes, context
        What every job takes: ``help(wavewarp)`` has them.
    **parameters
        Of the measure, as of Measure: ``band="sakoe-chiba:10%"``, ``c=0.5``.

    Returns
    -------
    SoftValues

    Raises
    ------
    ValueError
        A gamma out of range, 1e-30 to 1e30, or below 0; what Gradient() and Gradient.run() refuse.
    MemoryError
        Host or device memory is too small.

    Examples
    --------
    >>> told = ww.soft([[0.0, 1, 2]], [[0.0, 2, 2]], gamma=0.1)
    >>> told.values.round(3).tolist(), told.rows.shape
    ([[0.89]], (1, 1, 3))
    """
    measure = soft_measure(measure, gamma, parameters)
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
