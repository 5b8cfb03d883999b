# SPDX-License-Identifier: Apache-2.0
"""docs/python.md: its first steps run, and each row of its table gives the other library's numbers. The tutorial's blocks
run, and its pictures can be drawn."""

import importlib
import math
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
from conftest import dtw

import wavewarp as ww

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"


@pytest.mark.skipif(not PAGE.exists(), reason="no page beside these tests")
def test_first_steps(tmp_path, monkeypatch):
    names = {}
    monkeypatch.chdir(tmp_path)
    for code in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL):
        exec(code, names)
    assert names["matrix"].shape == (20, 20) and names["soft"].rows.shape == (4, 1, 60)
    assert (names["joined"] == names["distances"]).all()
    assert names["recall"] > 0.8 and (names["first"][1] == names["ids"][:100]).all()


README = PAGE.parents[1] / "README.md"


@pytest.mark.skipif(not README.exists(), reason="no page beside these tests")
def test_readme(rng):
    series = rng.normal(size=(6, 20))
    names = {"series": series, "queries": series[:2]}
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    exec(code, names)
    assert names["matrix"].shape == (6, 6) and names["indices"][:, 0].tolist() == [0, 1]


TUTORIAL = PAGE.with_name("tutorial-python.md")


@pytest.mark.skipif(not TUTORIAL.exists(), reason="no page beside these tests")
def test_tutorial():
    n = {}
    for code in re.findall(r"```python\n(.*?)```", TUTORIAL.read_text(), re.DOTALL):
        exec(code, n)
    np.testing.assert_allclose(n["matrix"][0, 3], n["distance"])
    np.testing.assert_allclose(n["distance"], dtw(n["x"][0], n["x"][3], width=6))
    assert n["one"] <= n["narrow"] == n["distance"] and n["accuracy"] > 0.9 and n["agreement"] > 0.5
    assert n["choice"].best.text.startswith("dtw,band=") and n["answer"].correct > 50
    assert n["matches"]["distance"].tolist() == sorted(n["matches"]["distance"]) and n["motif"].first < n["motif"].second
    assert n["features"].shape == (60, 3) and (n["predicted"] == n["truth"]).mean() > 0.6
    assert n["soft"].rows.shape == (4, 1, 60) and n["soft"].values.shape == (4, 4)


@pytest.mark.skipif(not TUTORIAL.exists(), reason="no page beside these tests")
def test_pictures_of_the_gallery(tmp_path):
    theirs("matplotlib")
    subprocess.run([sys.executable, PAGE.with_name("pictures.py"), tmp_path], check=True, timeout=3000)
    drawn = {path.name for path in tmp_path.iterdir()}
    pages = PAGE.with_name("gallery.md").read_text() + PAGE.with_name("index.md").read_text()
    wanted = set(re.findall(r"\(pictures/(.*?)\)", pages))
    assert drawn == {name for name in wanted if not name.startswith("program-")}
    assert wanted == {path.name for path in (PAGE.parent / "pictures").iterdir()}
    assert set(re.findall(r"\(pictures/(.*?)\)", TUTORIAL.read_text())) <= drawn


def theirs(name):
    return pytest.importorskip(name, reason=f"{name.split('.')[0]} is not installed")


@pytest.fixture
def data(rng):
    return rng.normal(size=(5, 30)), rng.normal(size=(4, 30)), rng.normal(size=22)


def test_aeon(data):
    aeon, (X, Y, z) = theirs("aeon.distances"), data
    for a, b in ((X[0], Y[0]), (X[0], z)):
        np.testing.assert_allclose(ww.distance(a, b, band="slanted:0.1"), aeon.dtw_distance(a, b, window=0.1))
        np.testing.assert_allclose(ww.distance(a, b, "msm", c=1.0), aeon.msm_distance(a, b, c=1.0))
    np.testing.assert_allclose(ww.cost_matrix(X[0], z), aeon.dtw_cost_matrix(X[0], z))
    np.testing.assert_allclose(ww.cdist(X), aeon.dtw_pairwise_distance(X), atol=1e-12)
    assert ww.path(X[0], z)[0].tolist() == [list(cell) for cell in aeon.dtw_alignment_path(X[0], z)[0]]
    np.testing.assert_allclose(ww.sbd(X), aeon.sbd_pairwise_distance(X), atol=1e-12)
    x, shapes = Y[0], ww.SeriesSet([Y[0], z])
    shapes.embed(3)
    cells, _ = ww.path(shapes[0], shapes[1])
    assert cells.tolist() == [list(cell) for cell in aeon.shape_dtw_alignment_path(x, z, reach=3)[0]]
    np.testing.assert_allclose(((x[cells[:, 0]] - z[cells[:, 1]]) ** 2).sum(), aeon.shape_dtw_distance(x, z, reach=3))
    # Their share of the length, of unequal lengths too.
    estimators = importlib.import_module("wavewarp.sklearn")
    made = estimators.KNeighborsTimeSeriesClassifier(distance_params={"window": 0.15}).fit([X[0], z, Y[0][:25]], [0, 1, 2])
    want = [[aeon.dtw_distance(q, b, window=0.15) for b in (X[0], z, Y[0][:25])] for q in (X[1], z[:20])]
    np.testing.assert_allclose(made.kneighbors([X[1], z[:20]], 3)[0], np.sort(want, axis=1))


def test_tslearn(data):
    tslearn, (X, Y, z) = theirs("tslearn.metrics"), data
    np.testing.assert_allclose(ww.distance(X[0], z, root=True), tslearn.dtw(X[0], z))
    (code,) = re.findall(r"```python\n(h = .*?)```", PAGE.with_name("measures.md").read_text(), re.DOTALL)
    names = {"ww": ww, "np": np, "X": X, "Y": Y, "sigma": 2.0}
    exec(code, names)
    np.testing.assert_allclose(names["kernel"], tslearn.cdist_gak(X, Y, sigma=2.0))
    want = tslearn.cdist_dtw(X[:, :, None], Y[:, :, None])
    np.testing.assert_allclose(ww.cdist(X[:, :, None], Y[:, :, None], root=True, axes="ntc"), want)
    np.testing.assert_allclose(ww.distance(X[0], z, gamma=0.5), tslearn.soft_dtw(X[0], z, gamma=0.5))
    assert ww.path(X[0], z)[0].tolist() == [list(cell) for cell in tslearn.dtw_path(X[0], z)[0]]
    want = tslearn.dtw_subsequence_path(z[:8], X[0])[1]
    np.testing.assert_allclose(ww.distance(z[:8], X[0], root=True, relax="0:0:all:all"), want)


def test_kshape(rng):
    clustering = theirs("tslearn.clustering")
    X = np.array([np.roll(shape, rng.integers(4)) for shape in (np.sin(np.arange(32) / 3) ** 3, np.hanning(32) ** 4) for _ in range(6)])
    X = (X - X.mean(axis=1, keepdims=True)) / X.std(axis=1, keepdims=True)
    assert ww.rand_index(clustering.KShape(2, random_state=1).fit_predict(X[:, :, None]), ww.kshape(X, 2).labels) == 1


def test_pynndescent(rng):
    pynndescent, X = theirs("pynndescent"), rng.normal(size=(200, 20)).cumsum(axis=1)
    near = pynndescent.NNDescent(X, metric="euclidean", random_state=1).query(X[:20], k=5)[0]
    mine = ww.SeriesIndex(X, band="sakoe-chiba:0").search(X[:20], 5).indices
    assert (np.sort(near) == np.sort(mine)).mean() > 0.9


def test_dtaidistance(data):
    module, (X, Y, z) = theirs("dtaidistance.dtw"), data
    np.testing.assert_allclose(ww.distance(X[0], z, root=True), module.distance(X[0], z))
    for x, y in (X[0], Y[0]), (X[0], z), (z, X[0]):
        np.testing.assert_allclose(ww.distance(x, y, root=True, band="corner:4"), module.distance(x, y, window=5))
    np.testing.assert_allclose(ww.pdist(X, root=True), module.distance_matrix_fast(X, compact=True))
    assert ww.path(X[0], z)[0].tolist() == [list(cell) for cell in module.warping_path(X[0], z)]
    np.testing.assert_allclose(np.sqrt(ww.cost_matrix(X[0], z)), module.warping_paths(X[0], z)[1][1:, 1:])


def test_stumpy(rng):
    stumpy, x, m = theirs("stumpy"), rng.normal(size=200).cumsum(), 12
    want = stumpy.stump(x, m)
    got = ww.profile(x, m, left_right=True, exclusion=math.ceil(m / 4)).stumpy()
    np.testing.assert_allclose(got[:, 0].astype(float), want[:, 0].astype(float), atol=1e-6)
    np.testing.assert_array_equal(got[:, 1:].astype(int), want[:, 1:].astype(int))
    other = rng.normal(size=90).cumsum()
    for k in 1, 2:
        want = stumpy.stump(x, m, other, ignore_trivial=False, k=k)
        got = ww.profile(x, m, other, k=k).stumpy()
        np.testing.assert_allclose(got[:, :k].astype(float), want[:, :k].astype(float), atol=1e-6)
        np.testing.assert_array_equal(got[:, k:].astype(int), want[:, k:].astype(int))
    several = rng.normal(size=(3, 200)).cumsum(axis=1)
    got = ww.profile(several, m, best_channels=1, exclusion=math.ceil(m / 4)).distances
    np.testing.assert_allclose(got.ravel(), stumpy.mstump(several, m)[0][0], atol=1e-6)
    np.testing.assert_allclose(ww.profile(x[:m], m, x).distances_of(0), stumpy.mass(x[:m], x), atol=1e-6)
    for p in (1, 2, 3):
        for theirs_, others in ((stumpy.aamp(x, m, p=p), None), (stumpy.aamp(x, m, other, ignore_trivial=False, p=p), other)):
            sides = {"left_right": True, "exclusion": math.ceil(m / 4)} if others is None else {}
            got = ww.profile(x, m, others, normalize=False, p=p, **sides).stumpy()
            np.testing.assert_allclose(got[:, 0].astype(float), theirs_[:, 0].astype(float), rtol=1e-7)
            assert (got[:, 1:] == theirs_[:, 1:]).all()
    series = [rng.normal(size=n).cumsum() for n in (120, 90, 70)]
    for how in {}, {"normalize": False, "p": 1.0}:
        got = ww.consensus_motif(series, m, **how)
        assert (got.series, got.window) == stumpy.ostinato(series, m, **how)[1:]
        assert got.radius == pytest.approx(stumpy.ostinato(series, m, **how)[0], abs=1e-6)


def test_scikit_learn(rng):
    neighbours, X, Y = theirs("sklearn.neighbors"), rng.random((300, 6)), rng.random((9, 6))
    for metric, options in ("canberra", {}), ("minkowski", {"p": 3}), ("correlation", {}), ("euclidean", {}):
        distances, ids = neighbours.NearestNeighbors(metric=metric, algorithm="brute", **options).fit(X).kneighbors(Y)
        got = ww.knn(Y, base=X, k=5, metric=metric, **options)
        np.testing.assert_array_equal(got[1], ids)
        np.testing.assert_allclose(got[0], distances)


def test_faiss(rng):
    faiss, X, Y = theirs("faiss"), rng.random((300, 6), np.float32), rng.random((9, 6), np.float32)
    index = faiss.IndexFlatL2(6)
    index.add(X)
    distances, ids = index.search(Y, 4)
    got = ww.knn(Y, base=X, k=4, metric="l2-squared")
    np.testing.assert_array_equal(got[1], ids)
    np.testing.assert_allclose(got[0], distances, rtol=1e-3, atol=1e-6)


def test_pytorch_softdtw(rng):
    torch, module = theirs("torch"), theirs("soft_dtw")
    loss = importlib.import_module("wavewarp.torch").SoftLoss("dtw", gamma=0.5)
    a, b = torch.tensor(rng.normal(size=(2, 9, 1))), torch.tensor(rng.normal(size=(2, 7, 1)))
    np.testing.assert_allclose(loss(a, b), module.SoftDTW(gamma=0.5)(a, b))


@pytest.mark.skipif(not PAGE.exists(), reason="no page beside these tests")
def test_words_of_the_field(rng):
    """Each row of the table of the field's words is as it says."""
    rows = [row.split("|")[1:3] for row in PAGE.read_text().split("## Words of the field")[1].split("\n## ")[0].splitlines()[4:]]
    rows = [(theirs.strip(), ours) for theirs, ours in rows if theirs.strip()]
    assert len(rows) == 7
    x, points = rng.normal(size=(4, 20)), rng.normal(size=(9, 3))
    for keyword in ("window", "sakoe_chiba_radius", "n_jobs"):
        with pytest.raises(ValueError, match="slanted:0.1|threads=2"):
            ww.cdist(x, **{keyword: 1})
    assert ww.distance(x[0], x[1], root=True) == math.sqrt(ww.distance(x[0], x[1]))
    np.testing.assert_array_equal(ww.knn(points, metric="cityblock")[0], ww.knn(points, metric="l1")[0])
    with pytest.raises(TypeError, match="base=base"):
        ww.knn(points, points)
    assert ww.Measure("twed", lmbda=0.5).text == "twed,lambda=0.5"
    if ww.default_context().device.type == "cpu":
        assert ww.cdist(x, context=ww.Context(threads=1)).shape == (4, 4)
