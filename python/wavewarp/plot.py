# SPDX-License-Identifier: Apache-2.0
"""Pictures with matplotlib. Each function takes ax= and returns it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from ._core import needs

needs("matplotlib", "'wavewarp[plot]'")
from matplotlib import font_manager, pyplot

from ._distance import path as _path
from ._clusters import linkage
from ._measure import MeasureLike, Options
from ._series import one_array

if TYPE_CHECKING:
    from typing_extensions import Unpack


_LABELS = 24  # that fit beside a picture


def _axes(ax):
    return pyplot.gca() if ax is None else ax


def _line(series, axes=None, channel=0):
    return one_array(series, axes)[channel]


def _value(series, axes, channel):
    """What the vertical axis of a channel is called."""
    count = len(one_array(series, axes))
    return "value" if count == 1 else f"channel {channel} of {count}"


def _legend(ax, count, title=None):
    """A legend that does not cover the picture where it is long."""
    if count > 1:
        outside = {"loc": "upper left", "bbox_to_anchor": (1, 1)} if count > 6 else {}
        ax.legend(title=title, ncol=1 + (count - 1) // 12, fontsize="small", **outside)


def _ticks(axis, names):
    """Names of rows or columns: as many as fit beside the picture, which an image may fill by less than its axes."""
    size, ax = font_manager.FontProperties(size=pyplot.rcParams["xtick.labelsize"]).get_size_in_points(), axis.axes
    room = min(ax.get_window_extent().size) * 72 / ax.figure.dpi / (1.8 * size)
    step = 1 + (len(names) - 1) // int(min(max(room, 2), _LABELS))
    axis.set_ticks(range(0, len(names), step), [str(name) for name in names[::step]])


def path(
    x: Any,
    y: Any,
    measure: MeasureLike = "dtw",
    *,
    offset: Optional[float] = None,
    channel: int = 0,
    axes: Optional[str] = None,
    ax: Any = None,
    **parameters: Unpack[Options],
) -> Any:
    """Two series, one above the other, and lines between the points that the measure matches.

    Parameters
    ----------
    x, y : array_like of shape (time,) or (channel, time)
        The series.
    measure : Measure or str
        measures() lists those there are.
    offset : float, optional
        Of x above y; None: half more than the larger range.
    channel : int
        The one that is drawn.
    axes : str, optional
        The order of the axes, as "ct".
    **parameters
        Of the measure, as of Measure.
    ax : Axes, optional
        None: the current one of pyplot.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        What wavewarp.path() refuses.
    IndexError
        There is no such channel.

    Examples
    --------
    >>> from wavewarp import plot
    >>> ax = plot.path([0.0, 1, 3, 2], [0.0, 3, 3, 2], "dtw")
    """
    ax = _axes(ax)
    cells, distance = found = _path(x, y, measure, axes=axes, **parameters)
    a, b = _line(x, axes, channel), _line(y, axes, channel)
    if offset is None:
        offset = 1.5 * max(np.ptp(a), np.ptp(b), 1e-12)
    for i, j in cells[(cells >= 0).all(axis=1)]:
        ax.plot([i, j], [a[i] + offset, b[j]], color="0.7", linewidth=0.6, zorder=1)
    ax.plot(a + offset, color="C0", zorder=2, label="x")
    ax.plot(b, color="C1", zorder=2, label="y")
    ax.set(title=f"{found.measure.text}: {distance:.4g}", xlabel="time", ylabel=_value(x, axes, channel), yticks=[])
    _legend(ax, 2)
    return ax


def matrix(distances: Any, *, order: Optional[str] = "average", labels: Any = None, ax: Any = None) -> Any:
    """A square matrix as a heat map, in the order of its dendrogram.

    Parameters
    ----------
    distances : array_like of shape (n, n)
        As cdist() gives them.
    order : str, optional
        A linkage; None: as the matrix is.
    labels : sequence, optional
        One an item, beside its row.
    ax : Axes, optional
        None: the current one of pyplot.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        No square matrix; another linkage.

    Examples
    --------
    >>> from wavewarp import plot
    >>> ax = plot.matrix([[0.0, 2, 1], [2, 0, 3], [1, 3, 0]], labels=["a", "b", "c"])
    """
    ax = _axes(ax)
    distances = np.asarray(distances)
    places = np.arange(len(distances)) if order is None else leaves(linkage(distances, order))
    image = ax.imshow(distances[np.ix_(places, places)], cmap="viridis", interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, label="distance")
    _ticks(ax.xaxis, places)
    _ticks(ax.yaxis, places if labels is None else [labels[i] for i in places])
    ax.tick_params("x", rotation=90)
    ax.set(xlabel="series", ylabel="series" if labels is None else "label")
    return ax


def confusion(counts: Any, labels: Any = None, *, ax: Any = None) -> Any:
    """A confusion matrix: how many series of each class (rows) were predicted to be of each (columns).

    Parameters
    ----------
    counts : array_like of shape (classes, classes)
        As classify() gives them.
    labels : sequence of str, optional
        The names of the classes.
    ax : Axes, optional
        None: the current one of pyplot.

    Returns
    -------
    Axes

    Raises
    ------
    TypeError
        It is no image.

    Examples
    --------
    >>> from wavewarp import plot
    >>> ax = plot.confusion([[5, 1], [0, 6]], ["a", "b"])
    """
    ax, counts = _axes(ax), np.asarray(counts)
    ax.imshow(counts, cmap="Blues", vmin=0)
    names = [str(i) for i in range(len(counts))] if labels is None else [str(label) for label in labels]
    _ticks(ax.xaxis, names)
    _ticks(ax.yaxis, names)
    ax.tick_params("x", rotation=45 if max(map(len, names)) > 3 else 0)
    for (row, column), count in np.ndenumerate(counts) if len(counts) <= 20 else ():
        ax.text(column, row, str(count), ha="center", va="center", color="w" if count > counts.max() / 2 else "k")
    ax.set(xlabel="predicted", ylabel="true")
    return ax


def leaves(merges: Any) -> np.ndarray:
    """The items in the order of a tree.

    Parameters
    ----------
    merges : array_like of shape (n - 1, 4)
        Of linkage().

    Returns
    -------
    ndarray of shape (n,)

    Raises
    ------
    IndexError
        Merges that linkage() did not make.

    Examples
    --------
    >>> from wavewarp import plot
    >>> plot.leaves(ww.linkage([3.0, 1.0, 4.0])).tolist()
    [1, 0, 2]
    """
    count = len(merges) + 1
    members = [[i] for i in range(count)]
    for left, right, *_ in np.asarray(merges):
        members.append(members[int(left)] + members[int(right)])
    return np.array(members[-1])


def average(centre: Any, members: Any = None, *, channel: int = 0, axes: Optional[str] = None, ax: Any = None) -> Any:
    """An average over its members.

    Parameters
    ----------
    centre : array_like of shape (time,) or (channel, time)
        The average.
    members : sequence of array_like, optional
        The series.
    channel : int
        The one that is drawn.
    axes : str, optional
        The order of the axes, as "ct".
    ax : Axes, optional
        None: the current one of pyplot.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        No series.
    IndexError
        There is no such channel.

    Examples
    --------
    >>> from wavewarp import plot
    >>> ax = plot.average([1.0, 2.0], [[0.0, 2.0], [2.0, 2.0]])
    """
    ax = _axes(ax)
    for n, series in enumerate(members if members is not None else ()):
        ax.plot(_line(series, axes, channel), color="0.6", linewidth=0.7, label="members" if n == 0 else None)
    ax.plot(_line(centre, axes, channel), color="C3", linewidth=2, label="average")
    ax.set(xlabel="time", ylabel=_value(centre, axes, channel))
    _legend(ax, 1 + (members is not None))
    return ax


def clusters(series: Any, labels: Any, *, channel: int = 0, axes: Optional[str] = None, ax: Any = None) -> Any:
    """Series in the colours of their clusters.

    Parameters
    ----------
    series : sequence of array_like of shape (time,) or (channel, time)
        The series.
    labels : sequence
        The cluster of each.
    channel : int
        The one that is drawn.
    axes : str, optional
        The order of the axes, as "ct".
    ax : Axes, optional
        None: the current one of pyplot.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        No series.
    IndexError
        There is no such channel.

    Examples
    --------
    >>> from wavewarp import plot
    >>> ax = plot.clusters([[0.0, 2.0], [2.0, 2.0]], [0, 1])
    """
    ax, names = _axes(ax), np.unique(labels)
    colours = [f"C{i}" for i in range(10)] if len(names) <= 10 else pyplot.get_cmap("turbo")(np.linspace(0, 1, len(names)))
    for label, colour in zip(names, colours):
        for n, i in enumerate(np.flatnonzero(np.asarray(labels) == label)):
            name = f"{label}" if n == 0 else None
            ax.plot(_line(series[i], axes, channel), color=colour, linewidth=0.7, label=name)
    ax.set(xlabel="time", ylabel=_value(series[0], axes, channel))
    _legend(ax, max(2, len(names)), "cluster")
    return ax


def shapelet(model: Any, i: int, series: Any, *, channel: int = 0, axes: Optional[str] = None, ax: Any = None) -> Any:
    """A shapelet of a model on the training series that it comes from.

    Parameters
    ----------
    model : Shapelets
        A fitted model.
    i : int
        The shapelet.
    series : sequence of array_like
        Those of the training.
    channel : int
        The one that is drawn.
    axes : str, optional
        The order of the axes, as "ct".
    ax : Axes, optional
        None: the current one of pyplot.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        The model is not fitted.
    IndexError
        There is no such shapelet, series or channel.

    Examples
    --------
    >>> from wavewarp import plot
    >>> series = [[0.0, 0, 5, 0], [5.0, 0, 0, 0], [0.0, 0, 5, 1]]
    >>> ax = plot.shapelet(ww.Shapelets().fit(series, ["a", "b", "a"]), 0, series)
    """
    ax, found = _axes(ax), model.shapelets[i]
    ax.plot(_line(series[found.series], axes, channel), color="0.6", label=f"series {found.series}")
    places = found.start + np.arange(found.length)
    ax.plot(places, found.values[channel], color="C3", linewidth=2, label=f"shapelet {i}")
    ax.set(xlabel="time", ylabel=_value(series[found.series], axes, channel))
    ax.set_title(f"class {found.label}, quality {found.quality:.3g}")
    _legend(ax, 2)
    return ax


def profile(made: Any, *, motifs: int = 1, discords: int = 1, ax: Any = None) -> Any:
    """The nearest distance of every window of a profile, with motifs and discords.

    Parameters
    ----------
    made : Profile
        Of profile().
    motifs, discords : int
        How many are marked.
    ax : Axes, optional
        None: the current one of pyplot.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        Motifs of a profile of two series: pass ``motifs=0``.

    Examples
    --------
    >>> from wavewarp import plot
    >>> ax = plot.profile(ww.profile(np.sin(np.arange(90) / 3), 10))
    """
    ax = _axes(ax)
    ax.plot(made.distances[:, 0], color="0.6", linewidth=0.8)
    marks = [("v", f"motif {n + 1}", [m.first, m.second]) for n, m in enumerate(made.motifs(motifs) if motifs else ())]
    marks += [("^", f"discord {n + 1}", [place]) for n, place in enumerate(made.discords(discords) if discords else ())]
    for n, (shape, name, places) in enumerate(marks):
        ax.plot(places, made.distances[places, 0], shape, color=f"C{n % 10}", label=name)
    ax.set(xlabel="window", ylabel="nearest distance")
    _legend(ax, 2 * len(marks))
    return ax


def search(stream: Any, matches: Any, *, channel: int = 0, axes: Optional[str] = None, ax: Any = None) -> Any:
    """A stream with the matches of one query.

    Parameters
    ----------
    stream : array_like of shape (time,) or (channel, time)
        The stream.
    matches : ndarray
        As search() gives them.
    channel : int
        The one that is drawn.
    axes : str, optional
        The order of the axes, as "ct".
    ax : Axes, optional
        None: the current one of pyplot.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        No series.
    IndexError
        There is no such channel.

    Examples
    --------
    >>> from wavewarp import plot
    >>> ax = plot.search(np.sin(np.arange(90) / 3), ww.search([0.0, 1, 0], np.sin(np.arange(90) / 3), k=2))
    """
    ax, line, found = _axes(ax), _line(stream, axes, channel), matches[matches["stream"] >= 0]
    ax.plot(line, color="0.6", linewidth=0.8)
    for n, match in enumerate(found):
        places = np.arange(match["begin"], match["end"])
        name = f"match {n + 1}: {match['distance']:.4g}" if n < 10 else None
        ax.plot(places, line[places], color=f"C{n % 10}", label=name)
    ax.set(xlabel="time", ylabel=_value(stream, axes, channel))
    _legend(ax, 2 * min(len(found), 10))
    return ax


def alignment(probabilities: Any, *, ax: Any = None) -> Any:
    """An expected alignment as an image.

    Parameters
    ----------
    probabilities : array_like of shape (n, m)
        Of ``soft(..., want="alignment")``.
    ax : Axes, optional
        None: the current one of pyplot.

    Returns
    -------
    Axes

    Raises
    ------
    TypeError
        It is no image.

    Examples
    --------
    >>> from wavewarp import plot
    >>> ax = plot.alignment([[0.9, 0.1], [0.1, 0.9]])
    """
    ax = _axes(ax)
    image = ax.imshow(probabilities, cmap="magma", origin="lower", aspect="auto", vmin=0)
    ax.figure.colorbar(image, ax=ax, label="probability of the match")
    ax.set(xlabel="point of y", ylabel="point of x")
    return ax
