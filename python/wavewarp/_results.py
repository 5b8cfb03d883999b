# SPDX-License-Identifier: Apache-2.0
"""What jobs give, as values that say what they are: tuples, arrays and records as they ever were, with a line of text, a
table and, where matplotlib is installed and one helps, a picture.
"""

from __future__ import annotations

import html
import importlib
import importlib.util
import io
from collections.abc import Sequence
from typing import Any, Dict, NamedTuple, Optional

import numpy as np

from ._core import needs

MATCH = np.dtype([("stream", np.int64), ("begin", np.int64), ("end", np.int64), ("distance", np.float64)])
REPORT = np.dtype([("query", np.int64), *MATCH.descr])
_ROWS = 10  # of a table that are shown


class Result:
    """What all results of jobs have: a repr of one line, a table, and in notebooks a table or a picture.

    Attributes
    ----------
    measure : Measure, str or None
        The measure, or the metric's name; None where it is not known.

    Examples
    --------
    >>> found = ww.kneighbors([[0.0, 1, 2]], [[0.0, 1, 2], [3.0, 3, 3]])
    >>> found
    <wavewarp.Neighbours: 1 query, 1 nearest each; dtw (a sum of squares, without a root)>
    query  rank  index  distance
        0     0      0         0
    >>> isinstance(found, ww.Result), found.measure
    (True, Measure('dtw'))
    """

    measure: Any = None
    _draw: Any = None  # a method that draws on axes of matplotlib
    _is_list = False  # whether its repr has the first rows of its table

    def _told(self) -> str:
        """What is in it, in a few words."""
        raise NotImplementedError

    def _columns(self) -> Dict[str, Any]:
        """The columns of its table, of one length."""
        raise NotImplementedError

    def _under(self, measure) -> Any:
        """The same, of a measure or a metric."""
        self.measure = measure
        return self

    def to_frame(self) -> Any:
        """A table of the result, with pandas. The class's docstring says which columns it has.

        Returns
        -------
        pandas.DataFrame

        Raises
        ------
        ModuleNotFoundError
            pandas is not installed.

        Examples
        --------
        >>> ww.path([0, 1], [0, 1]).to_frame()  # doctest: +SKIP
        """
        return needs("pandas", "pandas").DataFrame(self._columns())

    def _line(self) -> str:
        measure = getattr(self.measure, "said", self.measure)
        told = f"{self._told()}; {measure}" if measure else self._told()
        return f"wavewarp.{type(self).__name__}: {told}"

    def __repr__(self):
        return f"<{self._line()}>" + (f"\n{_text(self._columns())}" if self._is_list else "")

    def _repr_html_(self):
        words = f"<p>{html.escape(self._line())}</p>"
        if self._draw is not None and importlib.util.find_spec("matplotlib"):
            return words + _picture(self._draw)
        return words + _table(self._columns())


def _picture(draw) -> str:
    """SVG of what a method draws."""
    figure = importlib.import_module("matplotlib.figure").Figure(figsize=(6, 2.5), layout="constrained")
    draw(figure.subplots())
    file = io.StringIO()
    figure.savefig(file, format="svg")
    return file.getvalue()[file.getvalue().index("<svg") :]


def _rows(columns):
    """The first rows of a table as texts, its heading before them, and a line about the rest."""
    count = max(map(len, columns.values()), default=0)
    rows = [list(columns)]
    for i in range(min(count, _ROWS)):
        cells = (values[i] for values in columns.values())
        rows.append([f"{v:.6g}" if isinstance(v, (float, np.floating)) else str(v) for v in cells])
    return rows, f"{count - _ROWS} more rows" if count > _ROWS else ""


def _table(columns) -> str:
    (heading, *rows), more = _rows(columns)
    cells = [f"<th>{'</th><th>'.join(map(html.escape, heading))}</th>"]
    cells += [f"<td>{'</td><td>'.join(map(html.escape, row))}</td>" for row in rows]
    return f"<table><tr>{'</tr><tr>'.join(cells)}</tr></table>" + (f"<p>{more}</p>" if more else "")


def _text(columns) -> str:
    rows, more = _rows(columns)
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows]
    return "\n".join([*lines, more] if more else lines)


def _plot():
    return importlib.import_module("wavewarp.plot")


def many(count, one, more=None):
    return f"{count} {one if count == 1 else more or one + 's'}"


def _joined(rows):
    return np.concatenate([*rows]) if len(rows) else np.empty(0, np.int64)


def ranked(first, distances, indices) -> Dict[str, Any]:
    """The columns of lists of neighbours, one for each of what `first` names: those that there are."""
    sizes = [len(row) for row in indices]
    columns = {
        first: np.repeat(np.arange(len(sizes)), sizes),
        "rank": _joined([np.arange(size) for size in sizes]),
        "index": _joined(indices),
        "distance": _joined(distances),
    }
    there = columns["index"] >= 0
    return {name: values[there] for name, values in columns.items()}


class _Neighbours(NamedTuple):
    distances: Any
    indices: Any


class Neighbours(Result, _Neighbours):
    """The nearest of each query, nearest first: what kneighbors(), knn() and the searches of indices return.

    It unpacks as (distances, indices).

    Attributes
    ----------
    distances, indices : numpy.ndarray of shape (queries, k)
        Where there are fewer than k: index -1, distance infinity. With a radius: two lists of arrays.
    ids
        The indices, as those of points are called.

    Notes
    -----
    Columns of to_frame(): query, rank, index, distance.

    Examples
    --------
    >>> distances, indices = ww.kneighbors([[0.0, 1, 2]], [[3.0, 3, 3], [0.0, 1, 2]])
    >>> indices.tolist(), distances.tolist()
    ([[1]], [[0.0]])
    """

    _is_list = True
    ids = property(lambda self: self.indices, doc="The indices.")

    def _told(self):
        sizes = [len(row) for row in self.indices]
        each = sizes[0] if len(set(sizes)) == 1 else f"{min(sizes, default=0)} to {max(sizes, default=0)}"
        return f"{many(len(sizes), 'query', 'queries')}, {each} nearest each"

    def _columns(self):
        return ranked("query", self.distances, self.indices)


class _Path(NamedTuple):
    cells: np.ndarray
    distance: float


class Path(Result, _Path):
    """A warping path, what path() returns. It unpacks as (cells, distance).

    Columns of to_frame(): x, y.

    Attributes
    ----------
    cells : numpy.ndarray of shape (n, 2)
        Cell (i, j) matches point i of x with point j of y; -1: the point has no partner.
    distance : float
        The distance that the costs along the path add up to.

    Examples
    --------
    >>> cells, distance = ww.path([0, 1, 2], [0, 2, 2])
    >>> cells.tolist(), distance
    ([[0, 0], [1, 1], [2, 2]], 1.0)
    """

    def _told(self):
        return f"{many(len(self.cells), 'pair')} of points, distance {self.distance:.6g}"

    def _columns(self):
        return {"x": self.cells[:, 0], "y": self.cells[:, 1]}

    def _draw(self, ax):
        cells = self.cells[(self.cells >= 0).all(axis=1)]
        ax.plot(cells[:, 0], cells[:, 1])
        ax.set(xlabel="point of x", ylabel="point of y", aspect="equal")


class _Paths(NamedTuple):
    cells: Sequence
    distances: np.ndarray


class Paths(Result, _Paths):
    """The warping paths of pairs, what paths() returns. It unpacks as (cells, distances).

    Columns of to_frame(): pair, x, y.

    Attributes
    ----------
    cells : sequence of numpy.ndarray
        As of Path, an array a pair: a view of one array.
    distances : numpy.ndarray
        One a pair.

    Examples
    --------
    >>> made = ww.paths([[0, 1, 2], [0, 0, 1]], [[0, 2, 2], [0, 1, 1]])
    >>> len(made.cells), made.distances.tolist()
    (2, [1.0, 0.0])
    """

    def _told(self):
        return many(len(self.cells), "path")

    def _columns(self):
        every = self.cells.cells
        return {"pair": np.repeat(np.arange(len(self.cells)), np.diff(self.cells.offsets)), "x": every[:, 0], "y": every[:, 1]}


class _Silhouette(NamedTuple):
    mean: float
    values: np.ndarray


class Silhouette(Result, _Silhouette):
    """How well clusters are separated, from -1 to 1: what silhouette() returns. It unpacks as (mean, values).

    Columns of to_frame(): item, silhouette.

    Attributes
    ----------
    mean : float
        The mean of all items.
    values : numpy.ndarray
        One an item.

    Examples
    --------
    >>> ww.silhouette(ww.pdist([[0, 1], [0, 2], [9, 9], [9, 8]]), [0, 0, 1, 1]).mean > 0.9
    True
    """

    def _told(self):
        return f"mean {self.mean:.4g} of {many(len(self.values), 'item')}"

    def _columns(self):
        return {"item": np.arange(len(self.values)), "silhouette": self.values}


class Matches(Result, np.ndarray):
    """Matches of a search, best first: what search() and Monitor return.

    An array of records (stream, begin, end, distance), of shape (queries, k). matches["distance"] is a plain array,
    matches[0] has those of one query, matches[0, 0] is a record. `stream` is -1 where there are fewer than k. Those of
    a Monitor have a field query too.

    Notes
    -----
    Columns of to_frame(): query, rank, and the fields; a row a match.

    Examples
    --------
    >>> found = ww.search([0.0, 3, 0], [1.0, 0, 3, 0, 1], znormalise=True)
    >>> found["begin"].tolist(), found["end"].tolist()
    ([1], [4])
    """

    _is_list = True

    def __getitem__(self, key):
        made = super().__getitem__(key)
        return np.asarray(made) if isinstance(made, Matches) and made.dtype.names is None else made

    def __array_finalize__(self, of):
        self.measure = getattr(of, "measure", None)

    def __reduce__(self):
        return as_matches, (np.asarray(self), self.measure)

    def __deepcopy__(self, memo):
        return as_matches(np.array(self), self.measure)

    def __array_wrap__(self, array, context=None, return_scalar=False):
        return array[()] if array.ndim == 0 else np.asarray(array)

    def _told(self):
        found = int((self["stream"] >= 0).sum())
        if self.ndim != 2:
            return many(found, "match", "matches")
        return f"{many(found, 'match', 'matches')} of {many(len(self), 'query', 'queries')}"

    def _columns(self):
        there = np.asarray(self["stream"]) >= 0
        columns = dict(zip(("query", "rank"), np.nonzero(there))) if self.ndim == 2 else {}
        return {**columns, **{name: self[name][there] for name in self.dtype.names}}

    def __repr__(self):
        return super().__repr__() if self.dtype.names else repr(np.asarray(self))

    def _repr_html_(self):
        return super()._repr_html_() if self.dtype.names and self.ndim else None


def as_matches(values, measure) -> Matches:
    """Records as Matches of a measure."""
    made = np.asarray(values).view(Matches)
    return made._under(measure)


class Record(Result):
    """A result with several values by name. vars() has them all.

    Parameters
    ----------
    **values
        The values.

    Notes
    -----
    Columns of to_frame(): name, value.

    Examples
    --------
    >>> ww.Record(k=3).k
    3
    """

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)

    def _columns(self):
        return {"name": list(vars(self)), "value": [str(value) for value in vars(self).values()]}


class Average(Record):
    """An average of series: what average() returns.

    Attributes
    ----------
    centre : numpy.ndarray of shape (channels, time)
        The average; `center` too.
    objective : numpy.ndarray
        Before and after each iteration.
    iterations, converged : int
        How many there were, and 1 where the last one changed next to nothing.
    seconds_wall, seconds_device : float

    Notes
    -----
    Columns of to_frame(): time, and the centre's channels.

    Examples
    --------
    >>> made = ww.average([[0.0, 1, 2, 2], [0.0, 0, 1, 2]])
    >>> made.centre.shape, len(made.objective) == made.iterations + 1
    ((1, 4), True)
    """

    centre: np.ndarray
    objective: np.ndarray
    iterations: int
    converged: int
    seconds_wall: float
    seconds_device: float
    center = property(lambda self: self.centre, doc="The centre.")

    def _told(self):
        channels, length = self.centre.shape
        return f"{length} points, {many(channels, 'channel')}, objective {self.objective[-1]:.6g}, {_ended(self)}"

    def _columns(self):
        names = ["value"] if len(self.centre) == 1 else [f"channel {c}" for c in range(len(self.centre))]
        return {"time": np.arange(self.centre.shape[1]), **dict(zip(names, self.centre))}

    def _draw(self, ax):
        for c, values in enumerate(self.centre):
            ax.plot(values, label=f"channel {c}")
        if len(self.centre) > 1:
            ax.legend()
        ax.set(xlabel="time")


def _ended(told):
    return f"{many(told.iterations, 'iteration')}{'' if told.converged else ', not converged'}"


def _sizes_of(labels):
    """How many items each cluster has, in words."""
    sizes = np.bincount(labels)
    return f"{many(len(sizes), 'cluster')} of {len(labels)} ({', '.join(map(str, sizes[:8]))}{', ...' * (len(sizes) > 8)})"


class Clusters(Record):
    """Clusters around averages or shapes: what kmeans() and kshape() return.

    Columns of to_frame(): series, label, distance.

    Attributes
    ----------
    labels : numpy.ndarray
        The cluster of each series.
    distances : numpy.ndarray
        Of each series to its centre.
    centres : list of numpy.ndarray
        Of shape (channel, time); `centers` too.
    objective, first_objective : float
        The sum that is minimised, at the end and at the beginning.
    iterations, converged : int

    Examples
    --------
    >>> made = ww.kmeans([[0.0, 1, 2], [0.0, 1, 1], [9.0, 8, 7], [9.0, 8, 8]], 2)
    >>> bool(made.labels[0] == made.labels[1] != made.labels[2]), len(made.centres)
    (True, 2)
    """

    labels: np.ndarray
    distances: np.ndarray
    centres: list
    objective: float
    first_objective: float
    iterations: int
    converged: int
    centers = property(lambda self: self.centres, doc="The centres.")

    def _told(self):
        return f"{_sizes_of(self.labels)}, objective {self.objective:.6g}, {_ended(self)}"

    def _columns(self):
        return {"series": np.arange(len(self.labels)), "label": self.labels, "distance": self.distances}

    def _draw(self, ax):
        for i, centre in enumerate(self.centres):
            ax.plot(centre[0], label=f"cluster {i}")
        ax.legend()
        ax.set(xlabel="time", ylabel=f"channel 0 of {len(self.centres[0])}" if len(self.centres[0]) > 1 else "value")


class Medoids(Record):
    """Clusters around items: what medoids() returns.

    Columns of to_frame(): item, label, medoid.

    Attributes
    ----------
    labels : numpy.ndarray
        The cluster of each item.
    medoids : numpy.ndarray
        The item in the middle of each cluster.
    cost, first_cost : float
        The sum of the distances to the medoids, at the end and at the beginning.
    swaps, converged : int
    distances : numpy.ndarray or None
        Of series that were sampled: the distance of each to its medoid.

    Examples
    --------
    >>> made = ww.medoids(ww.pdist([[0, 1], [0, 2], [9, 9], [9, 8]]), 2)
    >>> made.labels.tolist()
    [0, 0, 1, 1]
    """

    labels: np.ndarray
    medoids: np.ndarray
    cost: float
    first_cost: float
    swaps: int
    converged: int
    distances: Optional[np.ndarray] = None

    def _told(self):
        return f"{_sizes_of(self.labels)}, cost {self.cost:.6g}, {many(self.swaps, 'swap')}"

    def _columns(self):
        items = np.arange(len(self.labels))
        return {"item": items, "label": self.labels, "medoid": self.medoids[self.labels]}


class Classification(Record):
    """What the nearest neighbours vote: what classify() and Classifier.run() return.

    Attributes
    ----------
    predicted : numpy.ndarray
        Labels, or the values of a regression.
    probabilities : numpy.ndarray
        Shares of the votes, of shape (series, classes); None of a regression.
    neighbours, distances : numpy.ndarray of shape (series, k)
    confusion : numpy.ndarray
        Rows are the true classes, columns the predicted ones.
    class_names : numpy.ndarray
        The labels in the order of these columns and rows.
    total, labelled, correct, classes, k : int
        Test series, those with a label, those that are right; classes, neighbours.

    Notes
    -----
    Columns of to_frame(): series, predicted, probability, nearest, distance.

    Examples
    --------
    >>> train = ww.Dataset([[0.0, 1, 2], [9.0, 8, 7]], ["up", "down"])
    >>> made = ww.classify(train, ww.Dataset([[0.0, 1, 1]], ["up"]))
    >>> made.predicted.tolist(), made.accuracy
    (['up'], 1.0)
    """

    predicted: np.ndarray
    probabilities: Optional[np.ndarray]
    neighbours: np.ndarray
    distances: np.ndarray
    confusion: Optional[np.ndarray]
    class_names: Optional[np.ndarray]
    values: Optional[np.ndarray]
    total: int
    labelled: int
    correct: int
    classes: int
    k: int

    @property
    def accuracy(self) -> Optional[float]:
        """The share of right predictions of the test series with a label; None: none has one, or a regression."""
        return self.correct / self.labelled if self.labelled and self.class_names is not None else None

    def _told(self):
        if self.class_names is None:
            return f"values of {self.total} series, {many(self.k, 'neighbour')} each"
        told = f"{self.total} series, {many(self.classes, 'class', 'classes')}, {many(self.k, 'neighbour')} each"
        if self.accuracy is None:
            return f"{told}, no labels to compare with"
        return f"{told}, {self.correct} of {self.labelled} right, accuracy {self.accuracy:.4g}"

    def _columns(self):
        columns = {"series": np.arange(self.total), "predicted": np.asarray(self.predicted)}
        if self.probabilities is not None:
            columns["probability"] = self.probabilities.max(axis=1)
        return {**columns, "nearest": self.neighbours[:, 0], "distance": self.distances[:, 0]}

    @property
    def _draw(self):
        return None if self.confusion is None or self.class_names is None or not self.labelled else self._draw_confusion

    def _draw_confusion(self, ax):
        _plot().confusion(self.confusion, self.class_names, ax=ax)


class Choice(Record):
    """The measure that leave-one-out chooses: what choose() returns.

    Columns of to_frame(): measure, accuracy.

    Attributes
    ----------
    best : Measure
        The measure chosen.
    accuracy : float
        Its share of right predictions.
    measures, accuracies
        All that were tried, and theirs.

    Examples
    --------
    >>> data = ww.Dataset([[0.0, 1, 2], [0.0, 1, 1], [9.0, 8, 7], [9.0, 8, 8]], ["up", "up", "down", "down"])
    >>> made = ww.choose(data, ["dtw", "msm"])
    >>> made.best, made.accuracy
    (Measure('dtw'), 1.0)
    """

    best: Any
    accuracy: float
    measures: list
    accuracies: np.ndarray

    def _told(self):
        return f"{self.best.text!r} of {many(len(self.measures), 'measure')}, accuracy {self.accuracy:.4g}"

    def _columns(self):
        return {"measure": [measure.text for measure in self.measures], "accuracy": self.accuracies}


class SoftValues(Record):
    """Values of a soft measure with their gradients: what soft() and Gradient.run() return. Those that were asked for
    are there.

    Attributes
    ----------
    values : numpy.ndarray
        One a pair, or (rows, columns).
    rows, columns
        Gradients by the series of each side, of shape (n, channels, time); a list where lengths differ.
    parameters, weights, alignment : numpy.ndarray
        As Gradient.run() says.

    Notes
    -----
    to_frame() has the values: row and column, or pair, and value.

    Examples
    --------
    >>> made = ww.soft([[0.0, 1, 2]], [[0.0, 2, 2]], gamma=0.1)
    >>> made.rows.shape
    (1, 1, 3)
    """

    values: Any
    rows: Any
    columns: Any
    parameters: Any
    weights: Any
    alignment: Any

    def _told(self):
        shapes = ((name, getattr(part, "shape", None)) for name, part in vars(self).items() if name != "measure")
        return ", ".join(f"{name} {'of unequal shapes' if shape is None else shape}" for name, shape in shapes)

    def _columns(self):
        values = np.asarray(vars(self).get("values", ()))
        places = np.indices(values.shape).reshape(values.ndim, -1)
        return {**dict(zip(("row", "column") if values.ndim == 2 else ("pair",), places)), "value": values.ravel()}

    @property
    def _draw(self):
        values = vars(self).get("values")
        return self._draw_values if isinstance(values, np.ndarray) and values.ndim == 2 else None

    def _draw_values(self, ax):
        _plot().matrix(self.values, order=None, ax=ax)


class Motif(Record):
    """A motif of a profile: what Profile.motifs() returns a list of.

    Attributes
    ----------
    first, second : int
        Its two windows.
    distance : float
        Theirs.
    neighbours : numpy.ndarray
        The windows near them.

    Examples
    --------
    >>> series = np.r_[0.0, 5, 1, 9, 2, 2, 7, 0, 0, 5, 1, 9, 2, 6, 1, 3]
    >>> motif = ww.profile(series, 4).motifs(1)[0]
    >>> motif.first, motif.second
    (0, 8)
    """

    first: int
    second: int
    distance: float
    neighbours: np.ndarray

    def _told(self):
        near = many(len(self.neighbours), "more window")
        return f"windows {self.first} and {self.second}, distance {self.distance:.6g}, {near} near them"
