# SPDX-License-Identifier: Apache-2.0
"""Shapelets: a tree of them, the best ones, and the transform."""

from __future__ import annotations

import io
import json
import os
from types import SimpleNamespace
from typing import Any, Optional

import numpy as np

from ._context import Context
from ._core import NULL, Progress, by_name, check, ffi, handle, info, lib, new, number, run, text, written
from ._dataset import Dataset, dataset
from ._series import SeriesSet, output

_JSON_LABELS = (bool, int, float, str)


class Shapelets:
    """Shapelets that are learnt from labelled series: a decision tree, the `best` for the transform, or both.

    A model pickles, and is JSON.

    Parameters
    ----------
    quality : "gain", "f", "kruskal-wallis" or "mood"
        How candidates are judged.
    min_length, max_length : int
        Points of candidates, from 2 to the shortest series; 0: 3, and the shortest series.
    length_step, start_step : int
        From one length, and one start, to the next; 0: 1.
    sample, seed : int
        Number of candidates for each node, drawn by seed; 0: all.
    seconds : float
        Time after which no further part of the candidates is begun; 0: no limit.
    raw : bool
        Windows as they are, not z-normalised.
    unscaled : bool
        Sums over points in place of means.
    no_tree : bool
        Find the best shapelets only, no tree.
    best : int
        Number of best shapelets, for transform(); 0: none.
    fewer : bool
        It is no error when there are fewer than `best`.
    max_depth, min_size, terms : int
        Of the tree: splits down to a leaf (0: any number), series of a node that is divided (0: 2), and shapelets of a
        node (1 to 8).
    context
        What every job takes: ``help(wavewarp)`` has it.

    Raises
    ------
    Nothing. fit() refuses an option that is out of range.

    Examples
    --------
    >>> x = [[0, 1, 5, 1, 0], [0, 0, 1, 5, 1], [0, 2, 2, 2, 0], [0, 1, 2, 2, 2]]
    >>> model = ww.Shapelets(min_length=3, max_length=3).fit(x, ["peak", "peak", "step", "step"])
    >>> model.predict([[1, 5, 1, 0, 0], [2, 2, 2, 0, 0]]).tolist()
    ['peak', 'step']
    >>> model.transform(x, count=1).shape
    (4, 1)
    >>> ww.Shapelets.from_json(model.to_json()).info.shapelets == model.info.shapelets
    True
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(os.path.join(folder, "model.json"))
    ...     ww.Shapelets.load(os.path.join(folder, "model.json")).classes.tolist()
    ['peak', 'step']
    """

    def __init__(
        self,
        *,
        quality: str = "gain",
        min_length: int = 0,
        max_length: int = 0,
        length_step: int = 0,
        start_step: int = 0,
        sample: int = 0,
        seed: int = 1,
        seconds: float = 0.0,
        raw: bool = False,
        unscaled: bool = False,
        no_tree: bool = False,
        best: int = 0,
        fewer: bool = False,
        max_depth: int = 0,
        min_size: int = 0,
        terms: int = 0,
        context: Optional[Context] = None,
    ) -> None:
        options = {
            **{"min_length": min_length, "max_length": max_length, "length_step": length_step, "start_step": start_step},
            **{"sample": sample, "seed": None if seed == 1 else seed, "seconds": seconds, "raw": bool(raw)},
            **{"unscaled": bool(unscaled), "no_tree": bool(no_tree), "best": best, "fewer": bool(fewer)},
            **{"max_depth": max_depth, "min_size": min_size, "terms": terms},
        }
        # Those that are not as the library has them.
        self.options = {name: value for name, value in options.items() if value or (name == "seed" and value == 0)}
        self.quality, self.context = quality, context
        self._handle: Any = None
        self._values: Any = None

    def fit(self, series: Any, y: Any = None, *, axes: Optional[str] = None, progress: Progress = None) -> Shapelets:
        """Learns from series with labels.

        Parameters
        ----------
        series : Dataset, or what one takes
            The training set.
        y : sequence, optional
            Labels, one a series; a Dataset has its own.
        axes, progress
            What every job takes: ``help(wavewarp)`` has them.

        Returns
        -------
        Shapelets
            Itself.

        Raises
        ------
        ValueError
            A series without label, or one class alone; lengths below 2 or above the shortest series; an option out of
            range; fewer than `best`.
        MemoryError
            Host or device memory is too small.
        """
        train = series if isinstance(series, Dataset) else Dataset(series, y, axes=axes, context=self.context)
        made = handle("ww_shapelets")
        quality = by_name("ww_shapelet_quality", self.quality)
        options = new("ww_shapelets_options", quality=quality, run=run(progress), **self.options)
        check(lib.ww_shapelets_create(train._c, options, made))
        self._handle, self._values = made, train.classes
        return self

    @property
    def _c(self):
        if self._handle is None:
            raise ValueError("not fitted: call fit() first")
        return self._handle[0]

    @property
    def classes(self) -> np.ndarray:
        """The labels, in the order of class numbers; texts in a model that the program wrote.

        Raises ValueError (not fitted).
        """
        if self._values is None:
            count = self.info.classes
            self._values = np.array([text(lib.ww_shapelets_class_name(self._c, k)) for k in range(count)])
        return self._values

    def _data(self, series, axes):
        if isinstance(series, (Dataset, SeriesSet)):
            return dataset(series)
        return Dataset(series, axes=axes, context=self.context)

    def predict(self, series: Any, *, axes: Optional[str] = None, progress: Progress = None) -> np.ndarray:
        """Classifies series by the tree.

        Parameters
        ----------
        series : Dataset, or what one takes
            The series.
        axes, progress
            What every job takes: ``help(wavewarp)`` has them.

        Returns
        -------
        numpy.ndarray
            A label a series.

        Raises
        ------
        ValueError
            Not fitted; a model without a tree; other channels.
        """
        data = self._data(series, axes)
        codes = np.empty(len(data), np.int64)
        check(lib.ww_shapelets_predict(self._c, data._c, run(progress), output(codes, "int64_t"), NULL))
        return self.classes[codes]

    def transform(
        self,
        series: Any,
        *,
        first=0,
        count: Optional[int] = None,
        starts=False,
        axes: Optional[str] = None,
        progress: Progress = None,
    ) -> Any:
        """Distances of each series to shapelets; infinity where a series is shorter than a shapelet.

        Parameters
        ----------
        series : Dataset, or what one takes
            The series.
        first : int
            The first shapelet.
        count : int, optional
            How many; None: the best, or all.
        starts : bool
            Also where the nearest windows begin.
        axes, progress
            What every job takes: ``help(wavewarp)`` has them.

        Returns
        -------
        numpy.ndarray
            Of shape (series, count); with `starts` a tuple of it and of int64.

        Raises
        ------
        ValueError
            Not fitted; shapelets that there are not; other channels.
        """
        data = self._data(series, axes)
        if count is None:
            count = (self.info.best or self.info.shapelets) - first
        first, count = number("first", first), number("count", count)
        distances, places = np.empty((len(data), count)), np.empty((len(data), count), np.uint64)
        check(
            lib.ww_shapelets_transform(
                self._c,
                data._c,
                run(progress),
                first,
                count,
                output(distances, "double"),
                output(places, "uint64_t") if starts else NULL,
            )
        )
        return (distances, places.astype(np.int64)) if starts else distances

    @property
    def info(self) -> SimpleNamespace:
        """A record: classes, channels, nodes, shapelets, best, candidates, seconds_wall, ...

        Raises ValueError (not fitted).
        """
        record = new("ww_shapelets_info")
        check(lib.ww_shapelets_get_info(self._c, record))
        return info(record)

    @property
    def shapelets(self) -> list:
        """Records of all shapelets, the best first: series, start, length, label, quality, threshold, values, op.

        Raises ValueError (not fitted).
        """
        channels, result = self.info.channels, []
        for i in range(self.info.shapelets):
            record = new("ww_shapelet")
            check(lib.ww_shapelets_get_shapelet(self._c, i, record))
            told = info(record)
            told.values = np.array(ffi.unpack(record.values, channels * record.length)).reshape(channels, -1)
            told.label = self.classes[record.label]
            told.op = "or" if lib.ww_shapelets_get_op(self._c, i) == lib.WW_SHAPELET_OR else "and"
            result.append(told)
        return result

    @property
    def nodes(self) -> list:
        """Records of the tree's nodes, the root first: left, right (-1: a leaf), label, terms, first, threshold, ...

        Raises ValueError (not fitted).
        """
        result = []
        for i in range(self.info.nodes):
            record = new("ww_shapelet_node")
            check(lib.ww_shapelets_get_node(self._c, i, record))
            told = info(record)
            told.label = self.classes[record.label]
            result.append(told)
        return result

    def to_json(self) -> str:
        """The text that save() writes.

        Returns
        -------
        str

        Raises
        ------
        ValueError
            Not fitted.
        """
        text, values = written(lib.ww_shapelets_write_to, self._c).decode(), self.classes.tolist()
        if all(isinstance(value, str) for value in values) or not all(isinstance(v, _JSON_LABELS) for v in values):
            return text
        # What the library has no place for: labels that are numbers. Its reader, and the program, pass over it.
        return text.replace("{", f'{{\n  "class_values": {json.dumps(values)},', 1)

    def save(self, path) -> None:
        """Writes the model as JSON, for the program too.

        Parameters
        ----------
        path : str or path
            The file.

        Raises
        ------
        ValueError
            Not fitted.
        FileError
            It can't be written.
        """
        written = self.to_json().encode()
        file = ffi.new("ww_file **")
        check(lib.ww_file_create(os.fsencode(path), file))
        status = lib.ww_file_put(file[0], written, len(written))
        kept = lib.ww_file_close(file, int(status == lib.WW_OK))
        check(status if status != lib.WW_OK else kept)

    def _read_text(self, text):
        made = handle("ww_shapelets")
        user = ffi.new_handle(io.BytesIO(text))
        check(lib.ww_shapelets_read_from(lib.py_read_fn, user, made))
        return self._take(made, text)

    def _take(self, made, text):
        self._handle = made
        values = json.loads(text).get("class_values")
        if isinstance(values, list) and len(values) == self.info.classes:
            self._values = np.array(values)
        return self

    @classmethod
    def load(cls, path) -> Shapelets:
        """Reads a file that save() or the program wrote.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        Shapelets

        Raises
        ------
        FileError
            It can't be opened, or no model is in it.
        """
        made = handle("ww_shapelets")
        check(lib.ww_shapelets_read(os.fsencode(path), made))
        if os.fspath(path) in ("-", b"-"):  # standard input, which is read
            return cls()._take(made, b"{}")
        with open(path, "rb") as file:
            return cls()._take(made, file.read())

    @classmethod
    def from_json(cls, text) -> Shapelets:
        """A model of the text that to_json() gave.

        Parameters
        ----------
        text : str
            The text.

        Returns
        -------
        Shapelets

        Raises
        ------
        FileError
            It is no model's.
        """
        return cls()._read_text(text.encode())

    def __repr__(self):
        if self._handle is None:
            return f"<wavewarp.Shapelets: not fitted; {', '.join(f'{k}={v!r}' for k, v in self.options.items()) or 'defaults'}>"
        told = self.info
        tree = f", a tree of {told.nodes} nodes" if told.nodes else ""
        names = f"{', '.join(map(str, self.classes[:5]))}{', ...' * (told.classes > 5)}"
        return f"<wavewarp.Shapelets: {told.shapelets} of {told.train} series{tree}; classes {names}; by {told.quality}>"

    def __getstate__(self):
        json = None if self._handle is None else self.to_json()
        return {"options": self.options, "quality": self.quality, "values": self._values, "json": json}

    def __setstate__(self, state):
        self.__init__(quality=state["quality"], **state["options"])
        if state["json"] is not None:
            self._read_text(state["json"].encode())
        self._values = state["values"]
