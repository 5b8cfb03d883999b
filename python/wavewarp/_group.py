# SPDX-License-Identifier: Apache-2.0
"""Several devices of this process that do one job together."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Iterable, Optional, Tuple, Union

import numpy as np

from ._arrays import label_names, of_argument
from ._context import Context, context_options
from ._core import (
    NULL,
    Progress,
    alone,
    by_name,
    check,
    ffi,
    handle,
    info,
    keep,
    lib,
    lock_of,
    new,
    number,
    plan_options,
    run,
    text,
    word,
)
from ._dataset import Dataset
from ._distance import pair_indices, paths_of
from ._gradient import make_outputs, shaped, soft_measure, wanted
from ._learn import targets_of, vote_options, votes
from ._measure import MeasureLike
from ._measure import measure as as_measure
from ._points import PointView
from ._profile import Profile, ProfilePlan, held, sides_of
from ._search import MATCH, Source, search_options
from ._series import DTYPES, SeriesSet, View, is_texts, neighbours, output, pointer, result, to_output, told_float, view
from ._shapelets import Shapelets


class Group:
    """Devices that work together: each takes parts of a job as fast as it is.

    devices: None or "all" (every usable device), "gpus", or devices as Context takes them, separated by commas or as a
        list ("0,2", [0, 2]).
    tile_seconds: what a part should last on its device; 0: 0.5. log, kernel_dir, tuning_file: as of Context; log is
        called by several threads.

    Devices of one kind give the bytes that one of them gives. One that fails leaves its part to the others:
    `info` says why; the job fails with the last one's error. One job at a time.

    Raises NoDeviceError (no such device: the text lists those there are), ValueError (a device named twice;
    tile_seconds out of range).
    """

    def __init__(self, devices=None, *, tile_seconds: float = 0.0, log=None, kernel_dir=None, tuning_file=None) -> None:
        if devices is not None and not isinstance(devices, str):
            devices = ",".join(str(device) for device in devices)
        context, self._log = context_options(None, log, kernel_dir, tuning_file)
        names = None if devices is None else ffi.new("char[]", devices.encode())
        options = new("ww_group_options", devices=names, context=context, tile_seconds=float(tile_seconds))
        self._handle = handle("ww_group")
        check(lib.ww_group_create(options, self._handle))
        self.contexts = [
            Context._of(lib.ww_group_context(self._handle[0], i), self)
            for i in range(lib.ww_group_count(self._handle[0]))
        ]
        self.has_double = any(context.has_double for context in self.contexts)

    @property
    def _c(self):
        return self._handle[0]

    def __len__(self) -> int:
        return len(self.contexts)

    @property
    @alone
    def info(self) -> list:
        """What each device did in the last job: records of tiles, work, seconds, lost, status, message."""
        records = [new("ww_group_info") for _ in self.contexts]
        for i, record in enumerate(records):
            check(lib.ww_group_get_info(self._c, i, record))
        return [info(record) for record in records]

    @property
    @alone
    def search_info(self) -> SimpleNamespace:
        """What the last search did on all devices: places, excluded_kim, excluded_keogh, abandoned, ..."""
        record = new("ww_search_info")
        check(lib.ww_group_get_search_info(self._c, record))
        return info(record)

    @alone
    def cdist(
        self,
        x: Any,
        y: Any = None,
        measure: MeasureLike = "dtw",
        *,
        out: Optional[np.ndarray] = None,
        engine: str = "auto",
        axes: Optional[str] = None,
        precision: Optional[str] = None,
        progress: Progress = None,
        max_bytes: int = 0,
        **parameters,
    ) -> np.ndarray:
        """As wavewarp.cdist, on all devices. x, y: a GroupDataset of this group, or what one takes.

        Raises ValueError (GroupDatasets of different groups; what wavewarp.cdist() refuses), TypeError (a Dataset,
        which is on one device).
        """
        rows, columns = self._datasets(x, y, axes, precision)
        values = result(out, (len(rows), len(rows if columns is None else columns)), rows.dtype)
        check(
            lib.ww_group_matrix(
                as_measure(measure, parameters).c(_longest(rows, columns)),
                rows._c,
                NULL if columns is None else columns._c,
                plan_options(engine, progress=progress, max_bytes=max_bytes),
                to_output(values),
            )
        )
        return values

    @alone
    def kneighbors(
        self,
        queries: Any,
        base: Any = None,
        k: int = 1,
        measure: MeasureLike = "dtw",
        *,
        engine: str = "auto",
        no_bounds: bool = False,
        axes: Optional[str] = None,
        precision: Optional[str] = None,
        progress: Progress = None,
        max_bytes: int = 0,
        **parameters,
    ) -> Tuple[np.ndarray, np.ndarray]:
        """The k nearest of `base` to each query, on all devices: (distances, indices), as NearestPlan.run() has them.

        Distances have the datasets' type, and ties are those of this type: wavewarp.kneighbors() alone decides near
        ties of float in double.

        Raises ValueError (GroupDatasets of different groups; what wavewarp.kneighbors() refuses), TypeError (a Dataset,
        which is on one device).
        """
        rows, columns = self._datasets(queries, base, axes, precision, ("queries", "base"))
        indices, values = neighbours(len(rows), k, rows.dtype)
        check(
            lib.ww_group_nearest(
                as_measure(measure, parameters).c(_longest(rows, columns)),
                rows._c,
                NULL if columns is None else columns._c,
                k,
                plan_options(engine, no_bounds, progress=progress, max_bytes=max_bytes),
                output(indices, "int64_t"),
                pointer(values),
            )
        )
        return values, indices

    @alone
    def classify(
        self,
        train: Any,
        test: Any = None,
        measure: MeasureLike = "dtw",
        *,
        k: int = 1,
        vote: str = "uniform",
        targets=None,
        engine: str = "auto",
        no_bounds: bool = False,
        axes: Optional[str] = None,
        precision: Optional[str] = None,
        progress: Progress = None,
        max_bytes: int = 0,
        **parameters,
    ) -> SimpleNamespace:
        """As wavewarp.classify, on all devices: near ties of float are decided in double.

        train: a GroupDataset with labels `y`, a SeriesSet with its own, or series where `targets` are given.

        Raises ValueError (GroupDatasets of different groups; what wavewarp.classify() refuses), TypeError (a Dataset,
        which is on one device).
        """
        rows, columns = self._datasets(train, test, axes, precision, ("train", "test"))
        numbers = targets_of(targets, rows)
        plan = plan_options(engine, no_bounds, progress=progress, max_bytes=max_bytes)
        record = ffi.gc(new("ww_classification"), lib.ww_classification_free)
        check(
            lib.ww_group_classify(
                as_measure(measure, parameters).c(_longest(rows, columns)),
                rows._c,
                NULL if columns is None else columns._c,
                vote_options(k, vote, numbers, plan),
                record,
            )
        )
        return votes(record, rows.classes if targets is None else None)

    @alone
    def pairs(
        self,
        x: Any,
        y: Any,
        measure: MeasureLike = "dtw",
        *,
        indices: Any = True,
        out: Optional[np.ndarray] = None,
        engine: str = "auto",
        axes: Optional[str] = None,
        precision: Optional[str] = None,
        progress: Progress = None,
        max_bytes: int = 0,
        **parameters,
    ) -> np.ndarray:
        """As wavewarp.pairs, on all devices: distances of x[i] and y[i], or of indices=(i, j), two lists.

        Raises ValueError (GroupDatasets of different groups; what wavewarp.pairs() refuses), TypeError (a Dataset,
        which is on one device).
        """
        rows, columns = self._datasets(x, y, axes, precision)
        first, second, count = pair_indices(indices, rows, columns)
        values = result(out, (count,), rows.dtype)
        check(
            lib.ww_group_pairs(
                as_measure(measure, parameters).c(_longest(rows, columns)),
                rows._c,
                columns._c,
                first,
                second,
                count,
                plan_options(engine, progress=progress, max_bytes=max_bytes),
                to_output(values),
            )
        )
        return values

    @alone
    def paths(
        self,
        x: Any,
        y: Any,
        measure: MeasureLike = "dtw",
        *,
        indices: Any = True,
        engine: str = "auto",
        axes: Optional[str] = None,
        precision: Optional[str] = None,
        progress: Progress = None,
        max_bytes: int = 0,
        **parameters,
    ) -> Tuple[list, np.ndarray]:
        """As wavewarp.paths, on all devices: the warping paths of listed pairs, (list of cells, distances).

        Raises ValueError (GroupDatasets of different groups; what wavewarp.paths() refuses), TypeError (a Dataset,
        which is on one device).
        """
        rows, columns = self._datasets(x, y, axes, precision)
        first, second, count = pair_indices(indices, rows, columns)
        record = new("ww_paths")
        check(
            lib.ww_group_paths(
                as_measure(measure, parameters).c(_longest(rows, columns)),
                rows._c,
                columns._c,
                first,
                second,
                count,
                plan_options(engine, progress=progress, max_bytes=max_bytes),
                record,
            )
        )
        return paths_of(record)

    @alone
    def soft(
        self,
        x: Any,
        y: Any,
        measure: MeasureLike = "dtw",
        *,
        gamma: Optional[float] = None,
        pairs: Any = True,
        want: Union[str, Iterable[str]] = ("values", "rows", "columns"),
        upstream: Any = None,
        divergence: bool = False,
        axes: Optional[str] = None,
        precision: Optional[str] = None,
        progress: Progress = None,
        max_bytes: int = 0,
        **parameters,
    ) -> SimpleNamespace:
        """As wavewarp.soft with per_pair=True, on all devices. pairs: True: one by one; or two lists of indices.

        Sums of gradients over pairs are not divided: wavewarp.soft computes them on one device.

        Raises ValueError (pairs is None; what wavewarp.soft() refuses), TypeError (a Dataset, which is on one device).
        """
        used = soft_measure(measure, gamma, parameters)
        rows, columns = self._datasets(x, y, axes, precision)
        first, second, count = pair_indices(pairs, rows, columns)
        names = wanted(want)
        options = new(
            "ww_gradient_options",
            divergence=bool(divergence),
            per_pair=1,
            parameters=int("parameters" in names),
            weights=int("weights" in names),
            alignment=int("alignment" in names),
            run=run(progress, max_bytes),
        )
        listed = used.c(_longest(rows, columns)), rows._c, columns._c, first, second, count, options
        sizes = new("ww_gradient_info")
        check(lib.ww_group_gradient_sizes(*listed, sizes))
        flat, outputs = make_outputs(names, info(sizes), rows.dtype, upstream, {})
        check(lib.ww_group_gradient(*listed, outputs))
        x_of, y_of = (np.arange(count),) * 2 if pairs is True else map(np.asarray, pairs)
        return shaped(flat, (count,), x_of, y_of, rows, columns, True)

    @alone
    def search(
        self,
        queries: Any,
        streams: Any,
        measure: MeasureLike = "dtw",
        *,
        kind: Optional[str] = None,
        znormalise: bool = False,
        k: int = 1,
        exclusion: Optional[int] = None,
        threshold: Optional[float] = None,
        no_bounds: bool = False,
        precision: str = "double",
        axes: Optional[str] = None,
        progress: Progress = None,
        max_bytes: int = 0,
        **parameters,
    ) -> np.ndarray:
        """As wavewarp.search, on all devices: records (stream, begin, end, distance) of shape (queries, k).

        streams: a set of series, or a Source, whose read() is called by other threads than this one.

        Raises ValueError (what wavewarp.search() refuses), TypeError (a Dataset, which is on one device), and what a
        Source's read raises.
        """
        asked = of_argument("queries", view, queries, axes)
        if precision == "double" and not self.has_double:
            precision = "float"
        limits = {"progress": progress, "max_bytes": max_bytes}
        options = search_options(kind, znormalise, k, exclusion, threshold, no_bounds, precision, limits)
        matches = np.empty((asked.count, k), MATCH)
        found = ffi.cast("ww_match *", pointer(matches))
        used = as_measure(measure, parameters).c(asked.longest)
        if isinstance(streams, Source):
            check(lib.ww_group_search_source(self._c, used, asked.c, options, streams.c(True), found, NULL))
        else:
            check(lib.ww_group_search(self._c, used, asked.c, options, of_argument("streams", view, streams, axes).c, found, NULL))
        return matches

    @alone
    def knn(
        self,
        base: Any,
        queries: Any = None,
        k: int = 1,
        *,
        metric: str = "l2",
        precision: Optional[str] = None,
        progress: Progress = None,
        max_bytes: int = 0,
    ) -> Tuple[np.ndarray, np.ndarray]:
        """As wavewarp.knn, on all devices: (distances, ids). base and queries are arrays or sets, sent to each device.

        Raises ValueError (what wavewarp.knn() refuses), TypeError (Points, which are on one device).
        """
        sent, count, precision = of_argument("base", self._points, base, precision)
        asking = NULL
        if queries is not None:
            asked, count, _ = of_argument("queries", self._points, queries, precision)
            asking = asked[0]
        ids, distances = neighbours(count, k, DTYPES[precision])
        options = new("ww_knn_options", metric=by_name("ww_metric", metric), run=run(progress, max_bytes))
        check(lib.ww_group_knn(sent[0], asking, k, options, output(ids, "int64_t"), pointer(distances)))
        return distances, ids

    @alone
    def profile(
        self,
        series: Any,
        window: int,
        other=None,
        *,
        index: int = 0,
        other_index: int = 0,
        k: int = 1,
        exclusion: Optional[int] = None,
        left_right: bool = False,
        precision: Optional[str] = None,
        best_channels: int = 0,
        axes: Optional[str] = None,
        progress: Progress = None,
        max_bytes: int = 0,
    ) -> Profile:
        """As wavewarp.profile, on all devices. series, other: also a GroupDataset of this group, both or neither.

        Raises ValueError (what wavewarp.profile() refuses; GroupDatasets of different groups), TypeError (a
        GroupDataset beside an array).
        """
        if precision is None:
            precision = getattr(series, "precision", "double" if self.has_double else "float")
        plan = _DividedProfile(self)
        plan._set_options(k, exclusion, left_right, precision, best_channels, run(progress, max_bytes))
        return plan._create(series, index, other, other_index, window, axes).run()

    @alone
    def shapelets(
        self,
        series: Any,
        y: Any = None,
        *,
        quality: str = "gain",
        axes: Optional[str] = None,
        precision: Optional[str] = None,
        progress: Progress = None,
        **options,
    ) -> Shapelets:
        """As Shapelets(**options).fit(series, y), on all devices. series: also a GroupDataset.

        Raises ValueError (what Shapelets.fit() refuses), TypeError (an option that there is not).
        """
        made = Shapelets(quality=quality, context=self.contexts[0], **options)
        if not isinstance(series, GroupDataset):
            series = GroupDataset(self, series, y, axes=axes, precision=precision)
        return made._learn(lib.ww_group_shapelets, series, progress)

    def _points(self, points, precision):
        """Points on every device: a handle, their number, their precision."""
        made = PointView(points, None, None)
        if precision is None:
            precision = "float" if made.dtype == np.float32 or not self.has_double else "double"
        told_float(precision, made.c)
        sent = handle("ww_group_points")
        options = new("ww_points_options", precision=by_name("ww_precision", precision))
        check(lib.ww_group_points_create(self._c, made.c, options, sent))
        return keep(sent, self._log), made.c.count, precision

    def _datasets(self, x, y, axes, precision, names=("x", "y")) -> Any:
        ready = (type(None), GroupDataset, SeriesSet)
        sides = [
            v if isinstance(v, ready) else of_argument(name, _host_series, v, axes) for name, v in zip(names, (x, y))
        ]
        made = [side for side in sides if isinstance(side, GroupDataset)]
        if made:
            precision = made[0].precision
        elif precision is None:
            float_alone = all(side is None or getattr(side, "dtype", None) == np.float32 for side in sides)
            precision = "float" if float_alone or not self.has_double else "double"
        return [
            side
            if side is None or isinstance(side, GroupDataset)
            else of_argument(name, GroupDataset, self, side, precision=precision)
            for name, side in zip(names, sides)
        ]


class _DividedProfile(ProfilePlan):
    """A profile's plan on all devices of a group; as a ProfilePlan it is that of one of them."""

    def __init__(self, group: Group) -> None:
        self._group, self._divided = group, handle("ww_group_profile")
        keep(self._divided, group._log)

    def _create(self, series, index, other, other_index, window, axes):
        if isinstance(other, GroupDataset) != isinstance(series, GroupDataset) and other is not None:
            raise TypeError("series and other are two arrays, or two GroupDatasets")
        if isinstance(series, GroupDataset):
            where, sides, create = (), (series, other), lib.ww_group_profile_create_from_datasets
            given = [NULL if x is None else x._c for x in sides]
        else:
            where, create = (self._group._c,), lib.ww_group_profile_create
            series, other, views = sides_of(series, other, axes)
            given = [NULL if x is None else x.c for x in views]
        window = number("window", window)
        places = number("index", index), number("other_index", other_index)
        check(create(*where, given[0], places[0], given[1], places[1], window, self._options, self._divided))
        self._remake = held(series, index), window, held(other, other_index), self._named
        self._handle = [ffi.cast("ww_profile *", lib.ww_group_profile_plan(self._divided[0]))]
        return self

    def run(self) -> Profile:
        with lock_of(self._group):
            lists, to = self._lists()
            check(lib.ww_group_profile_run(self._divided[0], to))
            return Profile(self, lists)

    @property
    def info(self) -> SimpleNamespace:
        record = new("ww_profile_info")
        with lock_of(self._group):
            check(lib.ww_group_profile_get_info(self._divided[0], record))
        return info(record)


def _host_series(values, axes) -> View:
    if isinstance(values, Dataset):
        raise TypeError("a Dataset is on one device: give a group its arrays, or a GroupDataset")
    return view(SeriesSet.of_texts(values) if is_texts(values) else values, axes)


def _longest(rows, columns):
    return rows.longest if columns is None else max(rows.longest, columns.longest)


class GroupLSH:
    """Hash tables of points on every device of a group: approximate neighbours, by parts of the queries.

    points: an array or sets, as of Points. precision: that of numbers. The rest as of LSH, whose results these are.

    Raises ValueError (what LSH() refuses), TypeError (Points, which are on one device; an option that there is not),
    MemoryError.
    """

    def __init__(
        self,
        group: Group,
        points: Any,
        *,
        metric: str = "l2",
        path="auto",
        precision: Optional[str] = None,
        progress: Progress = None,
        max_bytes: int = 0,
        **options,
    ) -> None:
        with lock_of(group):
            self._build(group, points, metric, path, precision, run(progress, max_bytes), options)

    def _build(self, group, points, metric, path, precision, limits, options):
        sent, self._count, self.precision = group._points(points, precision)
        fields = {**options, "metric": by_name("ww_metric", metric), "path": word("ww_lsh_path", path)}
        self._group, self._options = group, new("ww_lsh_options", run=limits, **fields)
        self._handle = handle("ww_group_lsh")
        check(lib.ww_group_lsh_create(sent[0], self._options, self._handle))
        keep(self._handle, group._log)

    def __len__(self) -> int:
        return self._count

    def search(self, queries=None, k: int = 1) -> Tuple[np.ndarray, np.ndarray]:
        """(distances, ids) of shape (queries, k), as LSH.search().

        Raises ValueError (queries of another dimension or kind; k outside 1 to 1048576).
        """
        asking, count = NULL, self._count
        if queries is not None:
            sent, count, _ = self._group._points(queries, self.precision)
            asking = sent[0]
        dtype = DTYPES[text(lib.ww_precision_name(lib.ww_lsh_precision(lib.ww_group_lsh_tables(self._handle[0]))))]
        ids, distances = neighbours(count, k, dtype)
        to = output(ids, "int64_t"), pointer(distances)
        with lock_of(self._group):
            check(lib.ww_group_lsh_run(self._handle[0], asking, k, *to, NULL))
        return distances, ids

    @property
    def info(self) -> SimpleNamespace:
        """As LSH.info: of the tables of one device, and of the last search of all."""
        record = new("ww_lsh_info")
        with lock_of(self._group):
            check(lib.ww_group_lsh_get_info(self._handle[0], record))
        return info(record)


class GroupDataset:
    """Series on every device of a group, sent to each once: what its jobs take.

    series, y, axes, precision, times, allow_nan, max_bytes: as of Dataset. A device that has not the memory for them,
    or no double where that is asked for, takes no part.

    Raises what Dataset() raises, when no device can take them: ValueError, TypeError, MemoryError.
    """

    def __init__(
        self,
        group: Group,
        series: Any,
        y=None,
        *,
        axes: Optional[str] = None,
        precision: Optional[str] = None,
        times: bool = False,
        allow_nan: bool = False,
        max_bytes: int = 0,
    ) -> None:
        if is_texts(series):
            series, y = SeriesSet.of_texts(series, y), None
        made = series if isinstance(series, (SeriesSet, View)) else _host_series(series, axes)
        dtype = made.dtype if isinstance(made, View) else DTYPES["double"]
        if precision is None:
            precision = "float" if dtype == np.float32 or not group.has_double else "double"
        told_float(precision, view(made).c)
        if isinstance(made, SeriesSet) and y is not None:
            raise ValueError("a SeriesSet has its own labels")
        if isinstance(made, View):
            self.classes, names = label_names(y, made.count)
        else:
            self.classes, names = np.array(made.classes), None
        options = new(
            "ww_dataset_options",
            labels=names,
            precision=by_name("ww_precision", precision),
            allow_not_finite=bool(allow_nan),
            times=bool(times),
            max_bytes=max_bytes,
        )
        self._handle = handle("ww_group_dataset")
        if isinstance(made, View):
            check(lib.ww_group_dataset_create(group._c, made.c, options, self._handle))
        else:
            check(lib.ww_group_dataset_create_from_set(group._c, made._c, options, self._handle))
        keep(self._handle, group._log)
        self.precision, self.dtype = precision, DTYPES[precision]
        self._count = made.count if isinstance(made, View) else len(made)
        self.lengths, self.channels = np.asarray(made.lengths), made.channels
        self._lengths = self.lengths
        self.longest = made.longest if isinstance(made, View) else made.max_length

    @property
    def _c(self):
        return self._handle[0]

    def to_set(self) -> SeriesSet:
        """The series in host memory, as Dataset.to_set() gives them.

        Raises MemoryError.
        """
        return SeriesSet._make(lib.ww_group_dataset_series, self._c)

    def __len__(self) -> int:
        return self._count
