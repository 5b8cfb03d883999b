# SPDX-License-Identifier: Apache-2.0
"""Docstrings have the sections that signatures need, name the errors that come, and their examples give what they say."""

import builtins
import doctest
import importlib
import inspect
import re
import sys

import numpy as np
import pytest
import refused_features
from refused import CHANNELS, NAN, REFUSED, X, Y, found, joined, model
from test_series_index import REFUSED as REFUSED_BY_INDEX

import wavewarp as ww

MODULES = ["wavewarp", "wavewarp.sklearn", "wavewarp.torch", "wavewarp.plot", "wavewarp.dask"]

REFUSED.update(refused_features.REFUSED)

# What refuses nothing of its own. Properties are such, but where they say otherwise.
SAFE = """
DeviceError Error FileError InvalidError NoDeviceError Notice OutOfMemoryError PartDone Buffer.to_numpy Store.close engines measures
metrics tuning_parameters torch.SoftLoss.extra_repr
""".split()

# What no test can bring about on every machine, or not in a time that is worth it.
RARE = """
MemoryError:Dataset MemoryError:Dataset.to_set
MemoryError:Plan.run MemoryError:Plan.prepare MemoryError:paths MemoryError:Gradient MemoryError:Gradient.run
MemoryError:soft MemoryError:NearestPlan.run MemoryError:Points MemoryError:Points.values MemoryError:LSH
MemoryError:SeriesIndex MemoryError:SeriesIndex.add MemoryError:SeriesIndex.to_bytes MemoryError:SeriesIndex.load
MemoryError:SeriesIndex.from_bytes
MemoryError:LSH.add MemoryError:Points.add MemoryError:LSH.to_bytes MemoryError:LSH.load MemoryError:LSH.from_bytes MemoryError:ProfilePlan
MemoryError:sbd MemoryError:consensus_motif MemoryError:ProfilePlan.run MemoryError:profile MemoryError:ProfileStream MemoryError:ProfileStream.arc_curve MemoryError:Search MemoryError:search MemoryError:Shapelets.fit
DeviceError:Context.self_test NoDeviceError:devices NoDeviceError:default_context
FileError:ArrayFile.close
""".split()


def without_pandas(result):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "pandas", None)
        return result.to_frame()


REFUSED.update(REFUSED_BY_INDEX)
RESULTS = "Average Choice Classification Clusters Consensus Matches Medoids Motif Neighbours Path Paths Profile Record Result Silhouette"
for result in f"{RESULTS} SoftValues".split():
    REFUSED[f"{result}.to_frame"] = {"ModuleNotFoundError": [lambda: without_pandas(found()[0])]}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in "text", "text.tsv":
        (tmp_path / name).write_text("1\t2\tx\n")
    (tmp_path / "empty.tsv").write_text("")


def callables(module):
    """Public functions, classes and their members by the name that the tables here have."""
    made = importlib.import_module(module)
    listed = getattr(made, "__all__", None) or [
        name for name, value in vars(made).items() if name[0] != "_" and getattr(value, "__module__", "") == module
    ]
    for name in listed:
        value, whole = getattr(made, name), f"{module}.{name}"[len("wavewarp.") :]
        yield whole, value
        for kind in inspect.getmro(value) if inspect.isclass(value) else ():
            if kind.__module__.startswith("wavewarp"):
                parts = [(part, what) for part, what in vars(kind).items() if part[0] != "_" and part != "c"]
                yield from ((f"{whole}.{part}", what) for part, what in parts)


def sections(value):
    """The sections of a docstring by their names."""
    text = inspect.getdoc(value) or ""
    return dict(re.findall(r"^(\w+)\n---+\n(.*?)(?=\n\n\w+\n---|\Z)", text, re.DOTALL | re.MULTILINE))


def raises(value):
    """The errors that a docstring names in its section, a property's in its last paragraph; None where it has neither."""
    named = sections(value).get("Raises")
    last = (inspect.getdoc(value) or "").split("\n\n")[-1]
    if named is None and isinstance(value, property) and last.startswith("Raises "):
        named = last
    return None if named is None else re.findall(r"\w+Error\b", named)


# Made by jobs, not by users: what they hold is in Attributes.
MADE = f"{RESULTS} SoftValues".split()


def is_error(value):
    return inspect.isclass(value) and issubclass(value, BaseException)


def is_estimator(value):
    return inspect.isclass(value) and hasattr(value, "get_params")


def lacking(name, value, of_class):
    """The sections that a docstring lacks and its signature needs. of_class: the class's, of a method."""
    function = getattr(value, "__func__", value)
    found = sections(function)
    if name in MADE:
        return {"Attributes" if name not in ("Record", "Matches") else "Notes"} - set(found)
    signature = inspect.signature(function)
    parameters = [p for p in signature.parameters if p not in ("self", "cls", "swapped")]
    needed = {"Parameters"} if parameters else set()
    if not inspect.isclass(value) and str(signature.return_annotation) != "None":
        needed.add("Returns")
    own = name.rsplit(".", 1)[-1]
    if f".{own}(" not in of_class:
        needed.add("Examples")
    return needed - set(found)


@pytest.mark.parametrize("module", MODULES)
def test_sections(module):
    """A parameter has its line, a result its kind, a function its example; a method's may be in its class's."""
    try:
        found = dict(callables(module))
    except ModuleNotFoundError as error:
        pytest.skip(str(error))
    wanting, shown = {}, set()
    for name, value in found.items():
        if isinstance(value, property) or is_error(value) or not callable(getattr(value, "__func__", value)):
            continue
        whole = found.get(name.rpartition(".")[0])
        examples = sections(whole).get("Examples", "") if inspect.isclass(whole) else ""
        lacks = lacking(name, value, examples)
        if "Examples" not in lacks:
            shown.add(value)
        if lacks:
            wanting[name] = lacks
    # What several classes inherit is shown in one of them.
    assert not {name for name, lacks in wanting.items() if lacks - ({"Examples"} if found[name] in shown else set())}


@pytest.mark.parametrize("module", MODULES)
def test_every_docstring_says_what_it_raises(module):
    try:
        found = [(name, value) for name, value in callables(module)]
    except ModuleNotFoundError as error:
        pytest.skip(str(error))
    kinds = classmethod, property
    told = {name: raises(value) for name, value in found if callable(value) or isinstance(value, kinds)}
    assert len(told) > 1
    quiet = {name for name, names in told.items() if names is None}
    properties = {name for name, value in found if isinstance(value, property)}
    silent = quiet - properties - set(SAFE) - set(MADE) - {name for name, value in found if is_estimator(value)}
    assert not silent, "no section Raises, and not known to refuse nothing"
    assert not set(SAFE) & set(told) - quiet


@pytest.mark.parametrize("module", MODULES)
def test_examples(module):
    """The examples of docstrings give what they say; where there are sections, each parameter is in one."""
    try:
        found = list(callables(module))
    except ModuleNotFoundError as error:
        pytest.skip(str(error))
    names = {"np": np, "ww": ww, "wws": sys.modules.get("wavewarp.sklearn")}
    for name, value in found:
        text = inspect.getdoc(value) or ""
        examples, told = doctest.DocTestParser().get_doctest(text, dict(names), name, None, 0), []
        assert doctest.DocTestRunner().run(examples, out=told.append).failed == 0, "".join(told)
        if "\nParameters\n-----" in text and not type(value).__module__.startswith("sklearn"):
            section = re.split(r"\n\n\w+\n---+\n", text.split("\nParameters\n----------\n")[1])[0]
            heads = " ".join(line for line in section.splitlines() if not line.startswith(" "))
            signature = inspect.signature(getattr(value, "__func__", value))
            missing = set(signature.parameters) - set(re.findall(r"\w+", heads)) - {"swapped", "self", "cls"}
            assert not missing, name


def test_what_docstrings_say_is_shown():
    told = {name: set(raises(value) or ()) for name, value in callables("wavewarp")}
    shown = {name: set(rows) for name, rows in REFUSED.items()}
    for rare in RARE:
        kind, name = rare.split(":")
        assert kind in told[name] and kind not in shown.get(name, ()), rare
        shown.setdefault(name, set()).add(kind)
    aliases = {"pairwise_distances": "cdist"}
    told.pop("Dataset.from_long")  # test_long_frame()
    for name, names in told.items():
        assert names == shown.get(aliases.get(name, name), set()), name


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, folder):
    for kind, calls in REFUSED[name].items():
        for number, call in enumerate(calls):
            with pytest.raises(getattr(ww, kind, None) or getattr(builtins, kind)) as found:
                call()
            assert str(found.value), (kind, number)


def refused(kind, *calls):
    for call in calls:
        with pytest.raises(kind):
            call()


def test_refused_by_estimators():
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    made = importlib.import_module("wavewarp.sklearn")
    kinds = [value for name, value in callables("wavewarp.sklearn") if inspect.isclass(value)]
    neighbours = made.KNeighborsTimeSeriesClassifier
    fitted = neighbours().fit(X, Y)
    for kind in kinds:
        refused(ValueError, lambda: kind().fit(NAN, Y))
        for name in {"predict", "predict_proba", "transform", "kneighbors"} & set(dir(kind)):
            refused(importlib.import_module("sklearn.exceptions").NotFittedError, lambda: getattr(kind(), name)(X))
    for kind in made.TimeSeriesKMeans, made.TimeSeriesKMedoids, made.TimeSeriesKShape, made.TimeSeriesAgglomerative:
        refused(ValueError, lambda: kind(0).fit(X), lambda: kind(99).fit(X), lambda: kind(0).fit_predict(X))
    for kind in made.ShapeletTransform, made.ShapeletTree:
        refused(ValueError, lambda: kind().fit(X, np.zeros(6)), lambda: kind().fit(X[:, :1], Y))
        refused(ValueError, lambda: kind(quality="foo").fit(X, Y), lambda: kind().fit(X, None))
    refused(
        ValueError,
        lambda: neighbours().fit(X, Y[:3]),
        lambda: neighbours().fit(X, X[:, 0]),
        lambda: neighbours("no").fit(X, Y),
        lambda: neighbours(weights="foo").fit(X, Y),
        lambda: fitted.kneighbors(X, 0),
        lambda: neighbours().fit(X[:1], Y[:1]).kneighbors(),
        lambda: fitted.predict(CHANNELS),
        lambda: fitted.predict(X[:, :4]),
        lambda: made.KNeighborsTimeSeriesRegressor().fit(X, [np.nan] * 6),
        lambda: made.TimeSeriesKMeans(2, "edr").fit(X),
        lambda: made.TimeSeriesAgglomerative().fit(X[:1]),
        lambda: made.TimeSeriesAgglomerative(linkage="foo").fit(X),
        lambda: made.TimeSeriesDBSCAN(-1).fit(X),
        lambda: made.ElasticChoice(["no"]).fit(X, Y),
        lambda: made.ElasticChoice().fit(X, None),
    )


def test_refused_by_losses():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    made = importlib.import_module("wavewarp.torch")
    x, loss = torch.zeros(2, 3, 1), made.SoftLoss()
    refused(TypeError, lambda: loss(x, list(x)), lambda: made.soft_dtw(list(x), x))
    refused(
        ValueError,
        lambda: made.SoftLoss("no"),
        lambda: made.SoftLoss(gamma=-1)(x, x),
        lambda: made.SoftLoss("edr")(x, x),
        lambda: loss(x, x[:1]),
        lambda: loss(x, torch.zeros(2, 3, 2)),
        lambda: loss(x[0], x[0]),
        lambda: loss(x * np.nan, x),
        lambda: made.soft_dtw(x, x[:1]),
    )


def test_refused_by_pictures():
    pytest.importorskip("matplotlib", reason="matplotlib is not installed").use("Agg")
    made = importlib.import_module("wavewarp.plot")
    refused(
        IndexError,
        lambda: made.path(X[0], X[1], channel=3),
        lambda: made.leaves([[9, 9, 1, 1]]),
        lambda: made.average(X[0], channel=3),
        lambda: made.clusters(X, Y, channel=3),
        lambda: made.shapelet(model(), 99, X),
        lambda: made.search(X[0], found()[0], channel=3),
    )
    refused(
        ValueError,
        lambda: made.path(X[0], X[1], gamma=1.0),
        lambda: made.matrix(X),
        lambda: made.matrix(np.eye(3), order="foo"),
        lambda: made.average(CHANNELS),
        lambda: made.clusters([CHANNELS], [0]),
        lambda: made.shapelet(ww.Shapelets(), 0, X),
        lambda: made.profile(joined()),
        lambda: made.search(CHANNELS, found()[0]),
    )
    refused(TypeError, lambda: made.alignment(np.zeros(3)))


def test_refused_by_tiles():
    pytest.importorskip("dask.array", reason="Dask is not installed")
    made = importlib.import_module("wavewarp.dask")
    refused(TypeError, lambda: made.cdist(["a"]), lambda: made.kneighbors([["a"]], X))
    refused(ValueError, lambda: made.cdist(X, NAN).compute(), lambda: made.kneighbors(X, X, 0))


def test_long_frame():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": [1, 1, 2, None], "value": [1.0, 2.0, 3.0, 4.0], "label": ["a", "b", "a", "a"]})
    with pytest.raises(ValueError, match="missing"):
        ww.Dataset.from_long(frame, series="id", values="value")
    with pytest.raises(ValueError, match="several"):
        ww.Dataset.from_long(frame[:3], series="id", values="value", label="label")
    with pytest.raises(KeyError):
        ww.Dataset.from_long(frame[:3], series="id", values="no")
