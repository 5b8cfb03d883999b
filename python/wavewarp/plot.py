# SPDX-License-Identifier: Apache-2.0
"""Pictures with matplotlib. Each function takes ax= and returns it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from ._core import needs

needs("matplotlib", "'wavewarp[plot]'")
from matplotlib import pyplot

from ._distance import path as _path
from ._learn import linkage
from ._measure import MeasureLike, Options
from ._series import one_array

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _axes(ax):
    return pyplot.gca() if ax is None else ax


def _line(series, axes=None, channel=0):
    return one_array(series, axes)[channel]


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
    cells, distance = _path(x, y, measure, axes=axes, **parameters)
    a, b = _line(x, axes, channel), _line(y, axes, channel)
    if offset is None:
        offset = 1.5 * max(np.ptp(a), np.ptp(b), 1e-12)
    for i, j in cells[(cells >= 0).all(axis=1)]:
        ax.plot([i, j], [a[i] + offset, b[j]], color="0.7", linewidth=0.6, zorder=1)
    ax.plot(a + offset, color="C0", zorder=2)
    ax.plot(b, color="C1", zorder=2)
    ax.set(title=f"distance {distance:.4g}", xlabel="time", yticks=[])
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
    ax.figure.colorbar(image, ax=ax)
    if labels is not None:
        ax.set_yticks(range(len(places)), [str(labels[i]) for i in places])
    return ax


def confusion(counts: Any, labels: Any = None, *, ax: Any = None) -> Any:
    """A confusion matrix: how many series of each class (rows) were predicted to be of each (columns). Returns ax.

    labels: the names of the classes.

    Raises TypeError (it is no image).
    """
    ax, counts = _axes(ax), np.asarray(counts)
    ax.imshow(counts, cmap="Blues", vmin=0)
    names = [str(i) for i in range(len(counts))] if labels is None else [str(label) for label in labels]
    ax.set_xticks(range(len(names)), names, rotation=45 if max(map(len, names)) > 3 else 0)
    ax.set_yticks(range(len(names)), names)
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
    for series in members if members is not None else ():
        ax.plot(_line(series, axes, channel), color="0.75", linewidth=0.7)
    ax.plot(_line(centre, axes, channel), color="C3", linewidth=2)
    return ax


def clusters(series: Any, labels: Any, *, channel: int = 0, axes: Optional[str] = None, ax: Any = None) -> Any:
    """Series, of shape (time,) or (channel, time), in the colours of their clusters: labels, one a series. Returns ax.

    Raises ValueError (no series), IndexError (there is no such channel).
    """
    ax = _axes(ax)
    for label, colour in zip(np.unique(labels), (f"C{i}" for i in range(10**6))):
        for n, i in enumerate(np.flatnonzero(np.asarray(labels) == label)):
            name = f"{label}" if n == 0 else None
            ax.plot(_line(series[i], axes, channel), color=colour, linewidth=0.7, label=name)
    ax.legend()
    return ax


def shapelet(model: Any, i: int, series: Any, *, channel: int = 0, axes: Optional[str] = None, ax: Any = None) -> Any:
    """Shapelet i of a model on the training series that it comes from. series: those of the training. Returns ax.

    Raises ValueError (the model is not fitted), IndexError (there is no such shapelet, series or channel).
    """
    ax, found = _axes(ax), model.shapelets[i]
    ax.plot(_line(series[found.series], axes, channel), color="0.6")
    ax.plot(found.start + np.arange(found.length), found.values[channel], color="C3", linewidth=2)
    ax.set_title(f"series {found.series}, class {found.label}, quality {found.quality:.3g}")
    return ax


def profile(made: Any, *, motifs: int = 1, discords: int = 1, ax: Any = None) -> Any:
    """The nearest distance of every window of a Profile, with so many motifs and discords. Returns ax.

    Raises ValueError (motifs of a profile of two series: pass motifs=0).
    """
    ax = _axes(ax)
    ax.plot(made.distances[:, 0], color="C0")
    for motif in made.motifs(motifs) if motifs else ():
        ax.plot([motif.first, motif.second], [motif.distance] * 2, "v", color="C2")
    for place in made.discords(discords) if discords else ():
        ax.plot(place, made.distances[place, 0], "^", color="C3")
    ax.set(xlabel="window", ylabel="distance")
    return ax


def search(stream: Any, matches: Any, *, channel: int = 0, axes: Optional[str] = None, ax: Any = None) -> Any:
    """A stream, of shape (time,) or (channel, time), with the matches of one query. Returns ax.

    Raises ValueError (no series), IndexError (there is no such channel).
    """
    ax, line = _axes(ax), _line(stream, axes, channel)
    ax.plot(line, color="0.6", linewidth=0.8)
    for match in matches[matches["stream"] >= 0]:
        places = np.arange(match["begin"], match["end"])
        ax.plot(places, line[places], color="C3")
    return ax


def alignment(probabilities: Any, *, ax: Any = None) -> Any:
    """An expected alignment of shape (n, m), of soft(..., want="alignment"), as an image. Returns ax.

    Raises TypeError (it is no image).
    """
    ax = _axes(ax)
    ax.imshow(probabilities, cmap="magma", origin="lower", aspect="auto", vmin=0)
    ax.set(xlabel="y", ylabel="x")
    return ax
