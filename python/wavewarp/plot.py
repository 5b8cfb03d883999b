# SPDX-License-Identifier: Apache-2.0
"""Pictures with matplotlib. Each function takes ax= and returns it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from ._core import needs

needs("matplotlib", "'wavewarp[plot]'")
from matplotlib import font_manager, pyplot

from ._distance import path as _path
from ._learn import linkage
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
    """Two series, one above the other, and lines between the points that the measure matches. Returns ax.

    x, y: of shape (time,) or (channel, time). offset: of x above y; None: half more than the larger range.

    Raises ValueError (what wavewarp.path() refuses), IndexError (there is no such channel).
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
    """A square matrix as a heat map, in the order of its dendrogram (order: a linkage; None: as it is). Returns ax.

    labels: one an item, beside its row.

    Raises ValueError (no square matrix; another linkage).
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
    """A confusion matrix: how many series of each class (rows) were predicted to be of each (columns). Returns ax.

    labels: the names of the classes.

    Raises TypeError (it is no image).
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
    """The items in the order of the tree of linkage(): an array of indices.

    Raises IndexError (merges that linkage() did not make).
    """
    count = len(merges) + 1
    members = [[i] for i in range(count)]
    for left, right, *_ in np.asarray(merges):
        members.append(members[int(left)] + members[int(right)])
    return np.array(members[-1])


def average(centre: Any, members: Any = None, *, channel: int = 0, axes: Optional[str] = None, ax: Any = None) -> Any:
    """An average over its members, each of shape (time,) or (channel, time). Returns ax.

    Raises ValueError (no series), IndexError (there is no such channel).
    """
    ax = _axes(ax)
    for n, series in enumerate(members if members is not None else ()):
        ax.plot(_line(series, axes, channel), color="0.6", linewidth=0.7, label="members" if n == 0 else None)
    ax.plot(_line(centre, axes, channel), color="C3", linewidth=2, label="average")
    ax.set(xlabel="time", ylabel=_value(centre, axes, channel))
    _legend(ax, 1 + (members is not None))
    return ax


def clusters(series: Any, labels: Any, *, channel: int = 0, axes: Optional[str] = None, ax: Any = None) -> Any:
    """Series, of shape (time,) or (channel, time), in the colours of their clusters: labels, one a series. Returns ax.

    Raises ValueError (no series), IndexError (there is no such channel).
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
    """Shapelet i of a model on the training series that it comes from. series: those of the training. Returns ax.

    Raises ValueError (the model is not fitted), IndexError (there is no such shapelet, series or channel).
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
    """The nearest distance of every window of a Profile, with so many motifs and discords. Returns ax.

    Raises ValueError (motifs of a profile of two series: pass motifs=0).
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
    """A stream, of shape (time,) or (channel, time), with the matches of one query. Returns ax.

    Raises ValueError (no series), IndexError (there is no such channel).
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
    """An expected alignment of shape (n, m), of soft(..., want="alignment"), as an image. Returns ax.

    Raises TypeError (it is no image).
    """
    ax = _axes(ax)
    image = ax.imshow(probabilities, cmap="magma", origin="lower", aspect="auto", vmin=0)
    ax.figure.colorbar(image, ax=ax, label="probability of the match")
    ax.set(xlabel="point of y", ylabel="point of x")
    return ax
