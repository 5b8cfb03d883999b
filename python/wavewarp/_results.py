# SPDX-License-Identifier: Apache-2.0
"""What jobs give, as values that say what they are: tuples, arrays and records as they ever were, with a line of text, a
table and, where matplotlib is installed and one helps, a picture.
"""

from __future__ import annotations

import html
import importlib
import importlib.util
import io
from typing import Any, Dict, NamedTuple, Optional

import numpy as np

from ._core import needs

MATCH = np.dtype([("stream", np.int64), ("begin", np.int64), ("end", np.int64), ("distance", np.float64)])
REPORT = np.dtype([("query", np.int64), *MATCH.descr])
_ROWS = 10  # of a table that are shown


class Result:
    """What every result of a job has: a repr of one line, a table, and in notebooks a table or a picture.

    measure: the Measure it is of, or the metric's name; None where that is not known.

    Raises no error: jobs return results.
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
        """A table of the result: a pandas.DataFrame.

        Raises ModuleNotFoundError (pandas is not installed).
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
    """The nearest of each query, nearest first: (distances, indices), arrays of shape (queries, k).

    Where all within a radius were asked for: two lists of arrays. Where there are fewer than k: index -1, distance
    infinity. ids: the indices, as those of points are called. to_frame(): columns query, rank, index, distance.

    Raises no error: kneighbors(), knn() and LSH.search() return it.
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
    """A warping path: (cells, distance). cells, of shape (n, 2), match point i of x with point j of y; -1: with none.

    to_frame(): columns x, y.

    Raises no error: path() returns it.
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
    cells: list
    distances: np.ndarray


class Paths(Result, _Paths):
    """The warping paths of pairs: (list of cells as of Path, distances). to_frame(): columns pair, x, y.

    Raises no error: paths() returns it.
    """

    def _told(self):
        return many(len(self.cells), "path")

    def _columns(self):
        sizes = [len(cells) for cells in self.cells]
        every = np.concatenate([*self.cells, np.empty((0, 2), np.int32)])
        return {"pair": np.repeat(np.arange(len(sizes)), sizes), "x": every[:, 0], "y": every[:, 1]}


class _Silhouette(NamedTuple):
    mean: float
    values: np.ndarray


class Silhouette(Result, _Silhouette):
    """How well clusters are separated: (mean, an array with each item's value), from -1 to 1.

    Raises no error: silhouette() returns it.
    """

    def _told(self):
        return f"mean {self.mean:.4g} of {many(len(self.values), 'item')}"

    def _columns(self):
        return {"item": np.arange(len(self.values)), "silhouette": self.values}


class Matches(Result, np.ndarray):
    """Matches of a search: an array of records (stream, begin, end, distance), of shape (queries, k), best first.

    matches["distance"] is a plain array, matches[0] those of one query, matches[0, 0] a record. stream is -1 where there
    are fewer. A Monitor's have a field query too. to_frame(): a row a match, with query and rank.

    Raises no error: search() and Monitor return it.
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
    """A result of several values by name; vars() has them all.

    Raises no error: jobs return records.
    """

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)

    def _columns(self):
        return {"name": list(vars(self)), "value": [str(value) for value in vars(self).values()]}


class Average(Record):
    """An average of series: centre (channels, time), objective before and after each iteration, iterations, converged.

    Raises no error: average() returns it.
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
    """Clusters around averages: labels and distances of the series, centres (a list of (channel, time)), objective, ...

    to_frame(): columns series, label, distance.

    Raises no error: kmeans() returns it.
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
    """Clusters around items: labels, medoids (item numbers), cost, swaps, converged, and of series that were sampled the
    distance of each to its medoid. to_frame(): item, label, medoid.

    Raises no error: medoids() returns it.
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
    """What neighbours vote: predicted (labels, or values of a regression), probabilities, neighbours, distances, confusion.

    correct of labelled test series are right: accuracy is their share. class_names: the labels in the order of the
    columns of probabilities, and of the rows (true) and columns (predicted) of confusion. to_frame(): a row a test
    series.

    Raises no error: classify() returns it.
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
    """The measure chosen: best, accuracy, and measures and accuracies of all. to_frame(): columns measure, accuracy.

    Raises no error: choose() returns it.
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
    """Values of a soft measure and their gradients, those that were asked for: Gradient.run() says their shapes.

    to_frame(): the values, a row a pair.

    Raises no error: soft() and Gradient.run() return it.
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


class Consensus(Record):
    """A consensus motif: window `window` of series `series`, its `radius`, and its nearest windows in all series.

    Raises no error: consensus_motif() returns it.
    """

    series: int
    window: int
    radius: float
    windows: np.ndarray
    distances: np.ndarray

    def _told(self):
        return f"window {self.window} of series {self.series}, radius {self.radius:.6g}, {many(len(self.windows), 'series', 'series')}"


class Motif(Record):
    """A motif of a profile: its windows first and second, their distance, and the windows near them, neighbours.

    Raises no error: Profile.motifs() returns it.
    """

    first: int
    second: int
    distance: float
    neighbours: np.ndarray

    def _told(self):
        near = many(len(self.neighbours), "more window")
        return f"windows {self.first} and {self.second}, distance {self.distance:.6g}, {near} near them"
