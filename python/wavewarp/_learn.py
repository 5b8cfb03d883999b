# SPDX-License-Identifier: Apache-2.0
"""Averages, clusters around them and trees, neighbours that vote, and the choice of a measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from ._arrays import doubles, of_argument
from ._context import Context
from ._core import NULL, Progress, by_name, check, ffi, handle, info, lib, new, number, plan_options, reporter, run, word
from ._dataset import dataset, datasets
from ._measure import Measure, MeasureLike, Options
from ._measure import measure as as_measure
from ._results import Average, Choice, Classification, Clusters
from ._series import SeriesSet, one_array, output, sizes

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _one(series, axes, precision, context):
    return datasets(series, None, axes=axes, precision=precision, context=context, names=("series", ""))[0]


def average(
    series: Any,
    measure: MeasureLike = "dtw",
    *,
    method: Optional[str] = None,
    length=0,
    members: Any = None,
    weights: Any = None,
    start="mean",
    iterations: int = 100,
    tolerance: float = 1e-6,
    engine: str = "auto",
    axes: Optional[str] = None,
    precision: Optional[str] = None,
    progress: Progress = None,
    max_bytes: int = 0,
    context: Optional[Context] = None,
    **parameters: Unpack[Options],
) -> Average:
    """The average of series under a measure: DBA, or the barycentre of a soft measure.

    Parameters
    ----------
    series : Dataset, or what one takes
        The set.
    measure : Measure or str
        measures() lists the names; its root is ignored.
    method : "dba" or "soft", optional
        None: "soft" for a measure with gamma, else "dba".
    length : int
        Points of the centre; 0: of the start.
    members : sequence of int, optional
        The series that are averaged; None: all.
    weights : sequence of float, optional
        One a member, none below 0.
    start : "mean", "medoid" or array_like
        The first centre.
    iterations : int
        At most so many.
    tolerance : float
        The search ends earlier when an iteration lowers the objective by less than this share.
    axes, precision, engine, progress, max_bytes, context
        What every job takes: ``help(wavewarp)`` has them.
    **parameters
        Of the measure, as of Measure: ``band="sakoe-chiba:10%"``, ``c=0.5``.

    Returns
    -------
    Average
        centre (channels, time); objective, the weighted sum of the distances to the centre, before and after each
        iteration; iterations, converged.

    Raises
    ------
    ValueError
        No members, an index out of range; weights below 0, of sum 0 or of another number; a measure that the method does
        not take; a start of other channels, or with NaN; a length to which the band leaves no path; tolerance from 0 to 1.

    Examples
    --------
    >>> ww.average([[0, 1, 2, 0], [0, 0, 1, 2], [1, 2, 0, 0]], band="sakoe-chiba:1").centre.round(2).tolist()
    [[0.25, 1.0, 2.0, 0.5]]
    """
    measure = as_measure(measure, parameters)
    data = _one(series, axes, precision, context)
    fields = {}
    if not isinstance(start, str):
        given = np.ascontiguousarray(of_argument("start", one_array, start, axes), np.float64)
        if given.shape[0] != data.channels:
            raise ValueError(f"the start has {given.shape[0]} channels, the series have {data.channels}")
        fields = {"given": output(given, "double"), "given_length": given.shape[1]}
        start = "given"
    count = len(data) if members is None else len(members)
    if weights is not None:
        weights = doubles("weights", weights)
        if weights.shape != (count,):
            raise ValueError(f"weights of shape {weights.shape} for {count} members")
        fields["weights"] = output(weights, "double")
    if members is not None:
        fields.update(members=sizes(members), member_count=count)
    options = new(
        "ww_average_options",
        method=by_name("ww_average_method", method or ("soft" if measure.gamma else "dba")),
        length=length,
        start=word("ww_average_start", start),
        iterations=iterations,
        tolerance=tolerance,
        plan=plan_options(engine, progress=progress, max_bytes=max_bytes),
        **fields,
    )
    record = ffi.gc(new("ww_average_result"), lib.ww_average_result_free)
    longest = max(data.longest, length, fields.get("given_length", 0))
    check(lib.ww_average(measure.c(longest), data._c, options, record))
    centre = np.array(ffi.unpack(record.centre, record.channels * record.length))
    objective = np.array(ffi.unpack(record.objective, record.iterations + 1))
    told = Average(**vars(info(record)), centre=centre.reshape(record.channels, record.length), objective=objective)
    return told._under(measure)


def kmeans(
    series: Any,
    k: int,
    measure: MeasureLike = "dtw",
    *,
    average=None,
    length=0,
    seed: int = 1,
    starts=1,
    first: Any = None,
    weights: Any = None,
    iterations: int = 50,
    tolerance: float = 1e-6,
    average_iterations: int = 10,
    engine: str = "auto",
    axes: Optional[str] = None,
    precision: Optional[str] = None,
    progress: Progress = None,
    max_bytes: int = 0,
    context: Optional[Context] = None,
    **parameters: Unpack[Options],
) -> Clusters:
    """Clusters around averages (Lloyd's iterations): k-means under a measure.

    Parameters
    ----------
    series : Dataset, or what one takes
        The set.
    k : int
        Clusters.
    measure : Measure or str
        measures() lists the names; its root is ignored.
    average : "dba" or "soft", optional
        How a centre is found; None: "soft" for a measure with gamma, else "dba".
    length : int
        Points of the centres; 0: those of the series that they start from.
    seed : int
        The same one gives the same clusters on a device.
    starts : int
        Number of searches, each from other first centres; the best one is returned.
    first : k series, optional
        The first centres; None: chosen by k-means++.
    weights : sequence of float, optional
        One a series, how much it counts in averages and in the objective, none below 0.
    iterations, tolerance
        Iterations of a search at most; it ends earlier when one lowers the objective by less than this share.
    average_iterations : int
        Iterations of each average at most, in each iteration of the search.
    axes, precision, engine, progress, max_bytes, context
        What every job takes: ``help(wavewarp)`` has them.
    **parameters
        Of the measure, as of Measure: ``band="sakoe-chiba:10%"``, ``c=0.5``.

    Returns
    -------
    Clusters
        labels, distances, centres (a list of (channel, time)), objective, iterations, converged, ...

    Raises
    ------
    ValueError
        `k` below 1 or above the number of series; a measure that averages do not take; starts below 1; tolerance from 0
        to 1; first centres of another number, other channels, with NaN or with starts; weights below 0, all of 0 or of
        another number.

    Examples
    --------
    >>> told = ww.kmeans([[0, 1, 2], [0, 1, 3], [9, 8, 7], [9, 8, 6]], 2)
    >>> told.labels.tolist(), told.objective
    ([0, 0, 1, 1], 1.0)
    """
    measure, k = as_measure(measure, parameters), number("k", k)
    data = _one(series, axes, precision, context)
    given = first if first is None or isinstance(first, SeriesSet) else of_argument("first", SeriesSet, first, axes=axes)
    if weights is not None:
        weights = doubles("weights", weights)
        if weights.shape != (len(data),):
            raise ValueError(f"weights of shape {weights.shape} for {len(data)} series")
    c = measure.c(max(data.longest, length, 0 if given is None else given.max_length))
    options = new(
        "ww_kmeans_options",
        first=None if given is None else given._c,
        weights=None if weights is None else output(weights, "double"),
        average=by_name("ww_average_method", average or ("soft" if measure.gamma else "dba")),
        length=length,
        seed=seed,
        starts=starts,
        iterations=iterations,
        tolerance=tolerance,
        average_iterations=average_iterations,
        plan=plan_options(engine, progress=progress, max_bytes=max_bytes),
    )
    labels, distances, record = np.empty(len(data), np.int64), np.empty(len(data)), new("ww_kmeans_info")
    centres = SeriesSet._make(
        lambda made: lib.ww_cluster_kmeans(
            c,
            data._c,
            k,
            options,
            output(labels, "int64_t"),
            output(distances, "double"),
            made,
            record,
        )
    )
    told = Clusters(**vars(info(record)), labels=labels, distances=distances, centres=[centres[i] for i in range(k)])
    return told._under(measure)


class Classifier:
    """A k-nearest-neighbour classifier, or with targets a regressor, on a labelled dataset.

    It pickles with its training series, without `progress`.

    Parameters
    ----------
    train : Dataset with labels
    measure : Measure or str
    k : int
        Neighbours that vote.
    vote : str
        "uniform", or "distance": a near neighbour counts more.
    targets : sequence of float, optional
        A number for each training series: a regressor.
    engine, no_bounds, progress, max_bytes
        What every job takes: ``help(wavewarp)`` has them.
    **parameters
        Of the measure, as of Measure: ``band="sakoe-chiba:10%"``, ``c=0.5``.

    Raises
    ------
    ValueError
        Another number of targets; the measure's words. run() says the rest.

    Examples
    --------
    >>> train = ww.Dataset([[0.0, 0, 1], [5.0, 5, 4]], ["low", "high"])
    >>> ww.Classifier(train).run([[5.0, 5, 5]]).predicted.tolist()
    ['high']
    """

    def __init__(
        self,
        train,
        measure: MeasureLike = "dtw",
        *,
        k: int = 1,
        vote: str = "uniform",
        targets=None,
        engine: str = "auto",
        no_bounds: bool = False,
        progress: Progress = None,
        max_bytes: int = 0,
        **parameters: Unpack[Options],
    ) -> None:
        train = of_argument("train", dataset, train)
        self.train, self.measure, self.k, self._vote = train, as_measure(measure, parameters), k, vote
        self._options, self._progress = {"engine": engine, "no_bounds": no_bounds, "max_bytes": max_bytes}, progress
        self._targets = targets_of(targets, train)

    def run(self, test=None) -> Classification:
        """Classifies series.

        Parameters
        ----------
        test : Dataset, or what one takes, optional
            Of the training set's precision; None: each training series among the others (leave-one-out).

        Returns
        -------
        Classification

        Raises
        ------
        ValueError
            A training series without label; a target that is not finite; k below 1; another word for vote; one training
            series and no test; datasets of different precisions or channels.
        """
        made = handle("ww_classifier")
        if test is not None:
            test = of_argument("test", dataset, test, precision=self.train.precision, context=self.train.context)
        longest = max(self.train.longest, test.longest if test is not None else 0)
        plan = plan_options(progress=self._progress, **self._options)
        options = vote_options(self.k, self._vote, self._targets, plan)
        check(lib.ww_classifier_create(self.measure.c(longest), self.train._c, options, made))
        record = ffi.gc(new("ww_classification"), lib.ww_classification_free)
        check(lib.ww_classifier_run(made[0], test._c if test is not None else NULL, record))
        told = votes(record, None if self._targets is not None else self.train.classes)
        return told._under(self.measure)

    def __repr__(self):
        what = f"classes {', '.join(map(str, self.train.classes[:5]))}{', ...' * (len(self.train.classes) > 5)}"
        what = "a regression" if self._targets is not None else what
        return f"<wavewarp.Classifier: {self.k} nearest of {len(self.train)} series, {what}; {self.measure.said}>"

    def __getstate__(self):
        return {**self.__dict__, "_progress": None}


def targets_of(targets, train):
    """Numbers, one for each training series; None: classes."""
    if targets is None:
        return None
    targets = doubles("targets", targets)
    if targets.shape != (len(train),):
        raise ValueError(f"targets of shape {targets.shape} for {len(train)} series")
    return targets


def vote_options(k, vote, targets, plan):
    """ww_classify_options, with all that the result may have."""
    return new(
        "ww_classify_options",
        k=k,
        vote=word("ww_vote", vote),
        plan=plan,
        want_neighbours=1,
        want_probabilities=int(targets is None),
        targets=None if targets is None else output(targets, "double"),
    )


def votes(record, classes):
    """What a ww_classification holds; classes: the labels by class number, None of a regression."""
    told, total = Classification(**vars(info(record)), class_names=classes), record.total

    def array(values, *shape):
        flat = np.array(ffi.unpack(values, int(np.prod(shape)))) if values != NULL else None
        return None if flat is None else flat.reshape(shape)

    told.neighbours, told.distances = array(record.neighbours, total, record.k), array(record.distances, total, record.k)
    told.values = array(record.values, total)
    told.probabilities = array(record.probabilities, total, record.classes)
    told.confusion = array(record.confusion, record.classes, record.classes)
    codes = array(record.predicted, total)
    told.predicted = told.values if classes is None else classes[codes]
    return told


def classify(
    train,
    test=None,
    measure: MeasureLike = "dtw",
    *,
    k: int = 1,
    vote: str = "uniform",
    targets=None,
    engine: str = "auto",
    no_bounds: bool = False,
    progress: Progress = None,
    max_bytes: int = 0,
    **parameters: Unpack[Options],
) -> Classification:
    """Classifies test series by their k nearest training series, or predicts values by them.

    Parameters
    ----------
    train : Dataset with labels, or SeriesSet
        Or any series with `targets`.
    test : Dataset, or what one takes, optional
        Of the same precision; with labels they are compared. None: each training series among the others (leave-one-out).
    measure : Measure or str
        measures() lists the names.
    k : int
        Neighbours that vote.
    vote : "uniform" or "distance"
        One vote each, or 1/distance.
    targets : sequence of float, optional
        A number for each training series: the result is their means.
    engine, no_bounds, progress, max_bytes
        What every job takes: ``help(wavewarp)`` has them.
    **parameters
        Of the measure, as of Measure: ``band="sakoe-chiba:10%"``, ``c=0.5``.

    Returns
    -------
    Classification
        predicted, accuracy, probabilities, neighbours, distances, confusion, ...

    Raises
    ------
    ValueError
        What Classifier() and Classifier.run() refuse.

    Examples
    --------
    >>> train = ww.Dataset([[0, 1, 2], [0, 1, 3], [9, 8, 7]], ["up", "up", "down"])
    >>> told = ww.classify(train, ww.Dataset([[1, 2, 3], [8, 8, 7]], ["up", "down"]))
    >>> told.predicted.tolist(), told.accuracy
    (['up', 'down'], 1.0)
    """
    made = Classifier(
        train,
        measure,
        k=k,
        vote=vote,
        targets=targets,
        engine=engine,
        no_bounds=no_bounds,
        progress=progress,
        max_bytes=max_bytes,
        **parameters,
    )
    return made.run(test)


def choose(train, measures, *, k: int = 1, progress: Progress = None) -> Choice:
    """The measure with the most right predictions by leave-one-out on a labelled dataset.

    Parameters
    ----------
    train : Dataset with labels, or SeriesSet
        The training series.
    measures : sequence of Measure or str
        Such as ``[f"dtw,band=sakoe-chiba:{p}%" for p in range(21)]``; of equally good ones the first is taken.
    k : int
        Neighbours that vote.
    progress
        Called with (done, total) measures, or a bar.

    Returns
    -------
    Choice
        best, accuracy, and the measures and accuracies of all.

    Raises
    ------
    TypeError
        `measures` is no list.
    ValueError
        It is empty; a measure's words; what Classifier.run() refuses, as series without labels.

    Examples
    --------
    >>> train = ww.Dataset([[0, 1, 2], [0, 1, 3], [9, 8, 7], [9, 8, 6]], ["up", "up", "down", "down"])
    >>> ww.choose(train, ["dtw", "msm"]).best
    Measure('dtw')
    """
    if isinstance(measures, (str, Measure)):
        raise TypeError("measures has to be a list of measures")
    train, measures = of_argument("train", dataset, train), [as_measure(m) for m in measures]
    if not measures:
        raise ValueError("no measures to choose from")
    accuracies, report = [], reporter(progress)
    for done, m in enumerate(measures):
        told = Classifier(train, m, k=k).run()
        accuracies.append(told.correct / max(1, told.labelled))
        if report:
            report(done + 1, len(measures))
    best = int(np.argmax(accuracies))
    return Choice(
        best=measures[best], accuracy=accuracies[best], measures=measures, accuracies=np.array(accuracies)
    )
