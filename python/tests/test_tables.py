# SPDX-License-Identifier: Apache-2.0
"""Tables of pandas, polars and xarray, arrays whose axes nobody has named, and labels and sets of people's own."""

import io
import subprocess
import warnings

import numpy as np
import pytest

import wavewarp as ww
from wavewarp.__main__ import program

RNG = np.random.default_rng(7)
HOURS, SENSORS = RNG.normal(size=(200, 20)).cumsum(axis=0), [f"sensor {i}" for i in range(20)]
PANEL = RNG.normal(size=(4, 6, 2))


def refused(kind, words, call):
    with pytest.raises(kind) as told:
        call()
    for word in (words,) if isinstance(words, str) else words:
        assert word in str(told.value)


@pytest.fixture
def pandas():
    return pytest.importorskip("pandas")


def test_rows_are_times(pandas):
    frame = pandas.DataFrame(HOURS, pandas.date_range("2024", periods=200, freq="h"), SENSORS)
    wanted = ww.profile(HOURS.T, 10, axes="ct").distances
    indices = [frame.index, frame.index.to_period("h"), frame.index.astype(str), frame.index - frame.index[0]]
    for index in [*indices, pandas.RangeIndex(200, name="time"), pandas.RangeIndex(200)]:
        assert len(wanted) == 191 and (ww.profile(frame.set_axis(index), 10).distances == wanted).all()
        assert (ww.cdist(frame.set_axis(index), axes="tn") == ww.cdist(HOURS.T)).all()
        refused(ValueError, ["axes='tn'", "axes='tc'"], lambda: ww.cdist(frame.set_axis(index)))
    assert (ww.cdist(frame.T) == ww.cdist(HOURS.T)).all()
    assert (ww.profile(frame.T, 10).distances == wanted).all()
    assert ww.cdist(frame[["sensor 0"]]).shape == (1, 1)
    assert (ww.profile(frame["sensor 0"], 10).distances == ww.profile(HOURS[:, 0], 10).distances).all()
    refused(ValueError, ["axes='tc'", "axes='ct'"], lambda: ww.profile(pandas.DataFrame(HOURS), 10))
    assert (ww.profile(pandas.DataFrame(HOURS), 10, axes="tc").distances == wanted).all()


def test_panels(pandas):
    index = pandas.MultiIndex.from_product([list("dbac"), range(6)], names=["instances", "timepoints"])
    frame = pandas.DataFrame(PANEL.reshape(24, 2), index, ["x", "y"])
    wanted = ww.cdist(PANEL, axes="ntc")
    assert (ww.cdist(frame) == wanted).all() and (
        ww.cdist(frame.swaplevel().rename_axis(["time", "id"])) == wanted
    ).all()
    mixed = frame.sample(frac=1, random_state=1)
    order = ["dbac".index(name) for name in mixed.index.get_level_values(0).unique()]
    assert (ww.cdist(mixed) == wanted[order][:, order]).all()
    assert (ww.cdist([frame.loc[name] for name in "dbac"]) == wanted).all()  # sktime's list of tables
    assert (ww.cdist(frame["x"]) == ww.cdist(PANEL[:, :, 0])).all()
    texts = frame.set_axis(pandas.MultiIndex.from_product([list("dbac"), ["11", "10", "9", "8", "7", "6"]]))
    assert (ww.cdist(texts) == ww.cdist(PANEL[:, ::-1], axes="ntc")).all()
    refused(ValueError, "3 levels", lambda: ww.cdist(pandas.concat({"a": frame})))
    refused(ValueError, "has 4", lambda: ww.profile(frame, 3))
    nested = pandas.DataFrame({c: [pandas.Series(one[:, i]) for one in PANEL] for i, c in enumerate("xy")})
    assert (ww.cdist(nested) == wanted).all() and (ww.cdist(nested["x"]) == ww.cdist(PANEL[:, :, 0])).all()
    nested.at[1, "x"] = pandas.Series([1.0])
    refused(ValueError, ["row 1", "1 and 6"], lambda: ww.cdist(nested))


def test_cells_that_are_no_numbers(pandas):
    dates = pandas.date_range("2024", periods=5)
    for frame in [
        pandas.DataFrame({"when": dates, "v": np.arange(5.0)}),
        pandas.DataFrame({"when": dates.tz_localize("UTC"), "v": np.arange(5.0)}),
        pandas.DataFrame({"when": dates.date, "v": np.arange(5.0)}),
        pandas.DataFrame({"when": dates - dates[0], "v": np.arange(5.0)}),
        pandas.DataFrame({"when": dates.to_period("D"), "v": np.arange(5.0)}),
    ]:
        for call in (ww.cdist, ww.knn, lambda x: ww.profile(x, 3), lambda x: ww.distance(x, x)):
            refused(TypeError, ["'when'", "dates"], lambda: call(frame))
    for values in (["101", "7"], [1.0, "7"], pandas.Categorical([1, 2])):
        refused(TypeError, "numbers are needed", lambda: ww.knn(pandas.DataFrame({"a": values, "b": [1.0, 2.0]})))
        refused(TypeError, "numbers are needed", lambda: ww.distance(pandas.Series(values), [1.0]))
    whole = pandas.DataFrame([[1, None], [3, 4]], dtype="Int64")
    refused(ValueError, "NaN", lambda: ww.cdist(whole))
    refused(TypeError, "numbers", lambda: ww.cdist(np.array([["2024-01-01"]], "M8[D]")))


def test_long_form(pandas):
    rows = {"id": ["b"] * 3 + ["a"] * 2, "v": [3.0, 1, 2, 5, 4], "y": [1, 1, 1, 2, 2]}
    for times in (["10", "8", "9", "2", "1"], ["2024-01-10", "2024-01-08", "2024-1-9", "2024-01-02", "2024-01-01"]):
        for table in ({**rows, "t": times}, pandas.DataFrame({**rows, "t": times})):
            made = ww.Dataset.from_long(table, series="id", time="t", values="v", label="y").to_set()
            assert [made[i].tolist() for i in (0, 1)] == [[[1, 2, 3]], [[4, 5]]] and made.labels == ["1", "2"]
    refused(
        ValueError, "'ten'", lambda: ww.Dataset.from_long({**rows, "t": ["ten"] * 5}, series="id", time="t", values="v")
    )


def test_polars():
    polars = pytest.importorskip("polars")
    named = polars.DataFrame(HOURS, schema=SENSORS)
    assert (ww.profile(named, 10).distances == ww.profile(HOURS.T, 10, axes="ct").distances).all()
    refused(ValueError, ["axes='nt'", "axes='tn'", "axes='tc'"], lambda: ww.cdist(named))
    assert (ww.cdist(named, axes="tn") == ww.cdist(HOURS.T)).all()
    assert (ww.cdist(polars.DataFrame(HOURS[:5])) == ww.cdist(HOURS[:5])).all()  # column_0, column_1, ...
    lists = polars.DataFrame({"x": [[1.0, 2.0], [1.0, 2.0, 4.0]]})
    assert ww.cdist(lists)[0, 1] == 4
    refused(
        TypeError, "dates", lambda: ww.cdist(polars.DataFrame({"x1": np.array(["2024-01-01"], "M8[us]"), "x2": [1.0]}))
    )
    refused(TypeError, "'x1'", lambda: ww.cdist(polars.DataFrame({"x1": ["1"], "x2": ["2"]})))


def test_xarray():
    xarray = pytest.importorskip("xarray")
    array = xarray.DataArray(HOURS, dims=("time", "sensor"))
    assert (ww.profile(array, 10).distances == ww.profile(HOURS.T, 10, axes="ct").distances).all()
    refused(ValueError, "two readings", lambda: ww.cdist(array))
    assert (ww.cdist(array.rename(sensor="case")) == ww.cdist(HOURS.T)).all()
    cube = xarray.DataArray(PANEL.transpose(1, 2, 0), dims=("time", "channel", "instance"))
    assert (ww.cdist(cube) == ww.cdist(PANEL, axes="ntc")).all()
    refused(ValueError, "name the axes", lambda: ww.cdist(array.rename(time="a", sensor="b")))
    refused(TypeError, "Dataset", lambda: ww.cdist(array.to_dataset(name="v")))


@pytest.mark.parametrize(
    "shape", [(3, 50, 3), (3, 15, 3), (3, 16, 2), (2, 30, 1), (3, 4, 1), (4, 1), (3, 2, 40), (5, 7)]
)
def test_files_and_memory_agree(tmp_path, shape):
    x = RNG.normal(size=shape)
    np.save(tmp_path / "x.npy", x)
    read = ww.read(tmp_path / "x.npy")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = ww.cdist(x)
        assert (ww.cdist(list(x)) == made).all() or x.ndim == 2
    assert made.shape == (len(read), len(read)) and (made == ww.cdist(read)).all()
    assert bool(told) == bool(read.notices)
    assert all(warning.filename == __file__ for warning in told)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ww.cdist(x, axes="nt" if x.ndim == 2 else "ntc")


def test_one_column():
    with pytest.warns(UserWarning, match="axes='ntc'"):
        assert len(ww.profile(HOURS[:, :1], 10).distances) == 191
    with pytest.warns(UserWarning):
        assert ww.distance(HOURS[:, :1], HOURS[:, 1:2]) == ww.distance(HOURS[:, 0], HOURS[:, 1])
    ragged = [HOURS[:20, :3], HOURS[:30, :3]]
    with pytest.warns(UserWarning, match="axes='ntc'"):
        made = ww.cdist(ragged)
    assert (made == ww.cdist([x.T for x in ragged], axes="nct")).all()


def test_labels_of_any_kind(tmp_path):
    x, y = RNG.normal(size=(6, 30)).cumsum(axis=1), np.array([1, 2, 1, 2, 1, 2])
    ww.write(tmp_path / "x.tsv", x, y)
    file = ww.Dataset(ww.read(tmp_path / "x.tsv"))
    for labels in (y, y * 1.0, y.astype("f4"), y.astype(str), ["1.0", "02"] * 3, [b"1", b"2"] * 3):
        assert ww.classify(file, ww.Dataset(x, labels)).correct == 6
        told = ww.classify(ww.Dataset(x, labels), file)
        assert told.correct == 6 and (told.predicted == np.array(labels)).all()
        assert ww.SeriesSet(x, labels).labels == list("121212")
    halves = ww.classify(ww.Dataset(x, y / 2), ww.Dataset(x, ["0.50", "1e0"] * 3))
    assert halves.correct == 6
    refused(ValueError, "not as texts", lambda: ww.Dataset(x, np.array([1, "1.0"] * 3, object)))


@pytest.mark.parametrize("labels", [[1, 2], [0.5, 2.0], ["a", "b"], [True, False]])
def test_models_keep_labels(tmp_path, labels):
    x, y = RNG.normal(size=(6, 30)).cumsum(axis=1), np.array(labels * 3)
    model = ww.Shapelets(min_length=5, max_length=6).fit(x, y)
    model.save(tmp_path / "m.json")
    for made in (ww.Shapelets.from_json(model.to_json()), ww.Shapelets.load(tmp_path / "m.json")):
        assert made.classes.dtype.kind == y.dtype.kind and (made.predict(x) == model.predict(x)).all()
    assert not list(tmp_path.glob("m.json.*"))


def test_sets_are_of_whole_numbers():
    for sets in ([{1.5, 2}, {1, 2}], [{1}, {np.nan}], [{"a"}, {"b"}], [{1}, {1j}]):
        refused(TypeError, "whole numbers", lambda: ww.knn(sets, metric="jaccard"))
        refused(TypeError, "whole numbers", lambda: ww.LSH(sets))
    refused(TypeError, "whole numbers", lambda: ww.Points([[1.5], [2]], kind="sets"))
    assert ww.knn([{1.0, 2}, {1, 2}], metric="jaccard")[0][0, 0] == 0
    index = ww.LSH(RNG.normal(size=(50, 4)))
    refused(TypeError, "ids", lambda: index.remove([1.5]))
    refused(TypeError, "ids", lambda: ww.knn_mean([[0.5]], [1.0]))


def test_whose_fault_it_is():
    x = HOURS[:3]
    for call in (ww.cdist, ww.distance, ww.path, ww.pairs, ww.kneighbors):
        y = x if call in (ww.cdist, ww.pairs, ww.kneighbors) else x[0]
        name = "base" if call is ww.kneighbors else "y"
        for wrong in ([[1, 2], [3]] if y.ndim == 1 else [[[1, 2], [3]], [[1, 2], [3, 4]]], y * np.nan, [["a"], ["b"]]):
            with pytest.raises((ValueError, TypeError)) as told:
                call(y, wrong)
            assert str(told.value).startswith(f"{name}: ")
            assert not any(word in str(told.value) for word in ("inhomogeneous", "setting an array"))
    for call in (
        lambda: ww.average(x, weights=[[1], [1, 2]]),
        lambda: ww.Classifier(x, targets=["a"] * 3),
        lambda: ww.average(x, start=[[1], [1, 2]]),
        lambda: ww.medoids([[0, 1], [1]], 1),
    ):
        with pytest.raises((ValueError, TypeError), match="^(weights|targets|start|distances): "):
            call()


SIMILARITIES = [ww.Measure("lcs"), ww.Measure("lcss", epsilon=0.5, similarity=1)]


def test_similarities_are_no_distances():
    x = RNG.integers(0, 4, size=(6, 20)).astype(float)
    for measure in SIMILARITIES:
        refused(ValueError, "similarity", lambda: ww.pdist(x, measure))
        square = ww.cdist(x, measure=measure)
        for call in (
            lambda: ww.medoids(square, 2),
            lambda: ww.linkage(square),
            lambda: ww.silhouette(square, [0, 1] * 3),
        ):
            refused(ValueError, "itself", call)
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    from wavewarp import sklearn

    ragged = [one[: 9 + 2 * i] for i, one in enumerate(x)]
    for kind in (sklearn.TimeSeriesKMedoids, sklearn.TimeSeriesAgglomerative, sklearn.TimeSeriesDBSCAN):
        refused(ValueError, "similarity", lambda: kind(distance="lcs").fit(x))
        refused(
            ValueError,
            "not symmetric",
            lambda: kind(distance="levenshtein", distance_params={"insertion": 2}).fit(ragged),
        )


ASYMMETRIC = [
    {"measure": "levenshtein", "insertion": 2},
    {"measure": "dtw", "relax": (3, 0, 0, 0)},
    {"measure": "dtw", "cost_expression": "x > y ? 2 * (x - y) : y - x"},
]


@pytest.mark.parametrize("options", ASYMMETRIC, ids=["levenshtein", "relax", "cost"])
def test_two_ways(options):
    x = [RNG.integers(0, 4, size=n).astype(float) for n in (7, 9, 8, 10)]
    square = ww.cdist(x, **options)
    refused(ValueError, ["not symmetric", "symmetrise"], lambda: ww.pdist(x, **options))
    refused(ValueError, "not symmetric", lambda: ww.medoids(square - np.diag(np.diag(square)), 2))
    upper = np.triu_indices(4, 1)
    for how, fold in (
        ("mean", (square + square.T) / 2),
        ("least", np.minimum(square, square.T)),
        ("most", np.maximum(square, square.T)),
    ):
        np.testing.assert_allclose(ww.pdist(x, symmetrise=how, **options), fold[upper], rtol=1e-15)
    both = ww.pdist(x, "dtw", cost_expression="fabs(x - y)")  # a cost of one's own that is symmetric
    np.testing.assert_allclose(both, ww.pdist(x, "dtw", cost="absolute"), rtol=1e-12)


def test_motifs_about_equal_windows():
    stream, shape = RNG.normal(size=600), 5 * np.sin(np.linspace(0, 7, 40))
    for place, noise in ((50, 0), (200, 0), (350, 1e-3), (480, 0.3)):
        stream[place : place + 40] = shape + noise * RNG.normal(size=40)
    profile = ww.profile(stream, 40)
    found = lambda **options: profile.motifs(1, **options)[0]  # noqa: E731
    assert (found().first, found().second, found().distance) == (50, 200, 0)
    assert found().neighbours.tolist() == [350]
    assert found(within=2.0).neighbours.tolist() == [350, 480] == found(radius=0, within=2.0).neighbours.tolist()
    assert len(found(radius=0).neighbours) == 0 and len(found(within=0).neighbours) == 0
    assert len(found(radius=np.inf).neighbours) > 5
    for wrong in ({"radius": np.nan}, {"radius": -1}, {"within": np.nan}, {"within": -0.5}):
        refused(ValueError, "within" if "within" in wrong else "radius", lambda: found(**wrong))


@pytest.mark.parametrize("precision", ["float", "double"])
@pytest.mark.parametrize("best", [1, 2])
def test_a_missing_value_in_one_channel(best, precision):
    x = RNG.normal(size=(3, 200)).cumsum(axis=1)
    x[1, 60], x[2, 60:75], x[1, 150] = np.nan, np.nan, np.inf
    m, windows = 10, 191
    squares = np.full((3, windows, windows), np.inf)
    for c in range(3):
        cut = np.lib.stride_tricks.sliding_window_view(x[c], m)
        good = np.isfinite(cut).all(axis=1)
        z = (cut[good] - cut[good].mean(axis=1)[:, None]) / cut[good].std(axis=1)[:, None]
        squares[c][np.ix_(good, good)] = ((z[:, None] - z[None]) ** 2).sum(axis=2)
    wanted = np.sqrt(np.sort(squares, axis=0)[:best].sum(axis=0))
    apart = np.abs(np.subtract.outer(np.arange(windows), np.arange(windows))) > 3
    wanted = np.where(apart, wanted, np.inf)
    for k in (1, 3):
        made = ww.profile(x, m, best_channels=best, precision=precision, k=k)
        np.testing.assert_allclose(made.distances, np.sort(wanted, axis=1)[:, :k], rtol=1e-9, atol=1e-6)
        assert ((made.indices < 0) == np.isinf(made.distances)).all()
        np.testing.assert_allclose(made.distances_of(55), wanted[55], rtol=1e-9, atol=1e-6)
    assert np.isfinite(made.distances).all() == (best == 1)


def told(call):
    """The texts of the notices that a call gives, each from this file."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    assert all(one.category is ww.Notice and one.filename == __file__ for one in found)
    return [str(one.message) for one in found]


def test_notices_are_warnings(tmp_path, pandas):
    """What was guessed is a warning that names what settles it, of arrays, frames and files alike."""
    square = ww.cdist(HOURS.T[:5])
    flat, far = RNG.normal(size=(120, 3)), RNG.normal(size=(3, 60, 2))
    for x, settled, words in (
        (square, {"axes": "nt"}, "matrix of distances"),
        (flat, {"axes": "nt"}, "120 series of 3 points"),
        (flat[:, :1], {"axes": "nt"}, "one series of 120 points"),
        (far, {"axes": "ntc"}, "(series, time, channel)"),
    ):
        for call in [ww.cdist, ww.Dataset, *([lambda x, **o: ww.cdist(pandas.DataFrame(x), **o)] if x.ndim == 2 else [])]:
            (found,) = told(lambda: call(x))
            assert words in found and "axes=" in found
            assert not told(lambda: call(x, **settled))
        np.save(tmp_path / "x.npy", x)
        (found,) = told(lambda: ww.read(tmp_path / "x.npy"))
        assert found.startswith(str(tmp_path)) and ("axes=" if x.ndim == 3 else "rows=") in found
        assert not told(lambda: ww.read(tmp_path / "x.npy", **({"axes": "ntc"} if x.ndim == 3 else {"rows": "series"})))
    (tmp_path / "x.csv").write_text("label,a,b,c\n" + "x,1.5,2,3\ny,4,5.5,6\n")
    assert any("label" in one for one in told(lambda: ww.read(tmp_path / "x.csv")))
    assert not told(lambda: ww.cdist(HOURS.T)) and not told(lambda: ww.cdist(np.zeros((5, 5))))


LIVE = "time,a,b\n" + "".join(f"{t},9,{value}\n" for t, value in enumerate([1, 0, 3, 0, 1, 1, 0, 2.9, 0.1, 4]))


def test_a_live_table(pandas, tmp_path):
    """Lines with a heading, pushed as they come: what is found is that of their column's values."""
    found = []
    monitor = ww.Monitor([0.0, 3, 0], 0.5)
    for part in pandas.read_csv(io.StringIO(LIVE), chunksize=3):
        found += monitor.push(part[["b"]]).tolist()
    found += monitor.finish().tolist()
    assert [row[2:4] for row in found] == [(1, 4), (6, 9)]
    if program() is None:
        return
    np.savetxt(tmp_path / "query.csv", [[0.0, 3, 0]], delimiter=",")
    call = [program(), "search", tmp_path / "query.csv", "--in", "-", "--threshold", "0.5", "--columns", "b"]
    told = subprocess.run(call, input=LIVE, check=True, capture_output=True, text=True).stdout
    rows = [line.split("\t") for line in told.splitlines()]
    assert [(*map(int, row[:4]), pytest.approx(float(row[4]))) for row in rows] == found
