# SPDX-License-Identifier: Apache-2.0
"""Clusters around items, by distances or by samples of series."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from ._arrays import as_numbers, of_argument
from ._context import Context
from ._core import Progress, check, ffi, info, lib, new, number, run
from ._dataset import datasets
from ._distance import fold
from ._measure import MeasureLike, Options
from ._measure import measure as as_measure
from ._results import Medoids
from ._series import output, pointer, precision_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


def condensed(distances: Any):
    """The condensed form of distances, which may be a square matrix, and the number of items."""
    values = of_argument("distances", as_numbers, distances)
    if values.ndim == 2 and values.shape[0] == values.shape[1]:
        kept = fold(values)
        finite = kept[np.isfinite(kept)]
        odd = ~(np.abs(np.diagonal(values)) <= 1e-5 * np.abs(finite).max(initial=0))
        if odd.any():
            at = int(np.argmax(odd))
            raise ValueError(
                f"item {at} has distance {values[at, at]:.9g} to itself; it must be 0, so similarities and soft measures "
                "are refused. Pass distances, as pdist() gives them"
            )
        return kept, len(values)
    count = int(round((1 + np.sqrt(1 + 8 * values.size)) / 2))
    if values.ndim != 1 or count * (count - 1) // 2 != values.size:
        raise ValueError(f"shape {values.shape} is neither a square matrix nor n (n - 1) / 2 condensed distances")
    return np.ascontiguousarray(values), count


def _sampled(data, k, c, options):
    labels, items = np.empty(len(data), np.int64), np.empty(k, np.uintp)
    distances, record = np.empty(len(data), data.dtype), new("ww_medoids_info")
    out = output(labels, "int64_t"), ffi.from_buffer("size_t[]", items), pointer(distances)
    check(lib.ww_cluster_medoids_sampled(c, data._c, k, options, *out, record))
    return Medoids(**vars(info(record)), labels=labels, medoids=items.astype(np.int64), distances=distances)


def medoids(
    distances: Any = None,
    k: Optional[int] = None,
    *,
    max_swaps: int = 0,
    series: Any = None,
    measure: MeasureLike = "dtw",
    sample: int = 0,
    samples: int = 5,
    seed: int = 0,
    axes: Optional[str] = None,
    precision: Optional[str] = None,
    progress: Progress = None,
    max_bytes: int = 0,
    context: Optional[Context] = None,
    **parameters: Unpack[Options],
) -> Medoids:
    """Clusters around k of the items: by any distances (FasterPAM), or of many series by samples of them (CLARA).

    Samples need no matrix of all distances: each takes sample (sample - 1) / 2 of them, and k times the number of series.

    Parameters
    ----------
    distances : array_like, optional
        Of pdist(), or a square matrix; without `series`.
    k : int
        Clusters.
    max_swaps : int
        Exchanges of a medoid at most; 0: until none lowers the cost.
    series : Dataset, or what one takes, optional
        The series, in place of distances; the parameters that follow are for series only.
    measure : Measure or str
        measures() lists the names.
    sample, samples : int
        Series of a sample, 0: 200 + 4 k; how many samples are tried.
    seed : int
        The same one draws the same samples.
    axes, precision, progress, max_bytes, context
        What every job takes: ``help(wavewarp)`` has them.
    **parameters
        Of the measure, as of Measure: ``band="sakoe-chiba:10%"``, ``c=0.5``.

    Returns
    -------
    Medoids
        labels, medoids (item numbers), cost, swaps, converged; of series also each one's distance to its medoid.

    Raises
    ------
    ValueError
        `k` below 1 or above the number of items; distances of another shape, or with NaN: the text names the items; a
        sample of k series or fewer; a measure that is not symmetric, or a similarity.
    TypeError
        No `k`; neither distances nor series, or both.

    Examples
    --------
    >>> told = ww.medoids(ww.pdist([[0, 1, 2], [0, 1, 3], [9, 8, 7], [9, 8, 6]]), 2)
    >>> told.labels.tolist(), told.cost
    ([0, 0, 1, 1], 2.0)
    >>> ww.medoids(k=2, series=[[0, 1, 2], [0, 1, 3], [9, 8, 7], [9, 8, 6]]).labels.tolist()
    [0, 0, 1, 1]
    """
    if k is None or (distances is None) == (series is None):
        raise TypeError("medoids() needs k, and either distances or series")
    if series is not None:
        data = datasets(series, None, axes=axes, precision=precision, context=context, names=("series", ""))[0]
        options = new("ww_medoids_options", max_swaps=max_swaps, run=run(progress, max_bytes=max_bytes))
        options.samples, options.sample, options.seed = number("samples", samples), number("sample", sample), seed
        return _sampled(data, number("k", k), as_measure(measure, parameters).c(data.longest), options)
    values, count = condensed(distances)
    labels, items = np.empty(count, np.int64), np.empty(number("k", k), np.uintp)
    record, options = new("ww_medoids_info"), new("ww_medoids_options", max_swaps=max_swaps, run=run(progress))
    check(
        lib.ww_cluster_medoids(
            pointer(values),
            precision_of(values.dtype),
            count,
            k,
            options,
            output(labels, "int64_t"),
            ffi.from_buffer("size_t[]", items),
            record,
        )
    )
    return Medoids(**vars(info(record)), labels=labels, medoids=items.astype(np.int64))
