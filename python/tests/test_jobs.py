# SPDX-License-Identifier: Apache-2.0
"""Search, gradients, clusters, shapelets, profiles and points, each against its definition or a second way."""

import pickle

import numpy as np
import pytest
from conftest import dtw, matrix

import wavewarp as ww


def windows(stream, length):
    return np.lib.stride_tricks.sliding_window_view(stream, length)


def znormalised(x):
    return (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)


# ---- search


def test_search_of_windows(rng):
    stream, query = rng.normal(size=200), rng.normal(size=12)
    all_distances = np.array([dtw(query, w, width=2) for w in windows(stream, 12)])
    found = ww.search(query[None], stream[None], band="sakoe-chiba:2", kind="windows", k=5, exclusion=1)
    order = np.argsort(all_distances, kind="stable")[:5]
    np.testing.assert_array_equal(found["begin"][0], order)
    np.testing.assert_allclose(found["distance"][0], all_distances[order])
    assert (found["end"] == found["begin"] + 12).all() and (found["stream"] == 0).all()
    data = ww.Dataset(stream[None], precision="double")  # searched twice, sent once
    search = ww.Search(query[None], band="sakoe-chiba:2", kind="windows", k=5, exclusion=1)
    for _ in range(2):
        np.testing.assert_array_equal(search.run(data), found)
    few = ww.search(query[None], stream[None], kind="windows", k=3, threshold=-1.0)
    assert (few["stream"] == -1).all() and np.isinf(few["distance"]).all()


def test_search_of_normalised_windows_from_sources(rng, tmp_path):
    stream = rng.normal(size=300).cumsum()
    query = 3 * stream[120:140] + 5
    found = ww.search(query[None], stream[None], znormalise=True)
    assert found["begin"][0, 0] == 120 and found["distance"][0, 0] < 1e-6
    stored = np.lib.format.open_memmap(tmp_path / "s.npy", "w+", np.float64, stream.shape)
    stored[:] = stream
    for source in (ww.Source(stored), ww.Source(lambda first, count: stream[first : first + count], 300)):
        again = ww.search(query[None], source, znormalise=True)
        assert again["begin"][0, 0] == 120

    def fails(first, count):
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        ww.search(query[None], ww.Source(fails, 300))
    with pytest.raises(ValueError, match="gave shape"):
        ww.search(query[None], ww.Source(lambda first, count: stream[:3], 300))
    with pytest.raises(ValueError):
        ww.Source(fails)
    with pytest.raises(ValueError, match="windows"):
        ww.search(query[None], stream[None], kind="sideways")


def test_open_search_and_monitor(rng):
    query = rng.normal(size=8)
    stream = np.concatenate([rng.normal(size=40) + 9, query[:4], query[3:], rng.normal(size=40) + 9])
    made = ww.Search(query[None])
    found = made.run(stream[None])
    assert (found["begin"][0, 0], found["end"][0, 0], found["distance"][0, 0]) == (40, 49, 0)
    assert made.info.places == len(stream)
    monitor = ww.Monitor(query[None], threshold=0.5)
    matches = [monitor.push(part) for part in np.array_split(stream, 7)] + [monitor.finish()]
    matches = np.concatenate(matches)
    assert len(matches) == 1 and (matches["begin"][0], matches["end"][0], matches["query"][0]) == (40, 49, 0)
    assert monitor.points == len(stream) and monitor.delay() == 3


# ---- gradients


def test_soft_values_and_gradients(rng):
    x, y = rng.normal(size=(3, 7)), rng.normal(size=(2, 9))
    got = ww.soft(x, y, gamma=0.7)
    np.testing.assert_allclose(got.values, matrix(x, y, gamma=0.7), rtol=1e-9)
    assert got.rows.shape == (3, 1, 7) and got.columns.shape == (2, 1, 9)
    step, numeric = 1e-6, np.zeros((3, 7))
    for i in range(3):
        for t in range(7):
            moved = x[i].copy()
            moved[t] += step
            up = sum(dtw(moved, v, gamma=0.7) for v in y)
            moved[t] -= 2 * step
            numeric[i, t] = (up - sum(dtw(moved, v, gamma=0.7) for v in y)) / (2 * step)
    np.testing.assert_allclose(got.rows[:, 0], numeric, rtol=1e-5, atol=1e-6)


def test_gradients_of_pairs(rng):
    x, y = [rng.normal(size=5), rng.normal(size=7)], [rng.normal(size=6), rng.normal(size=4)]
    got = ww.soft(x, y, gamma=1, pairs=True, want=("values", "rows", "alignment"), upstream=[2.0, -1.0])
    assert [a.shape for a in got.rows] == [(1, 5), (1, 7)] and [a.shape for a in got.alignment] == [(5, 6), (7, 4)]
    plain = ww.soft(x, y, gamma=1, pairs=True, want="rows")
    np.testing.assert_allclose(got.rows[0], 2 * plain.rows[0], rtol=1e-9)
    np.testing.assert_allclose(got.rows[1], -plain.rows[1], rtol=1e-9)
    assert all(abs(a[0, 0] - 1) < 1e-9 and (a > -1e-12).all() for a in got.alignment)
    same = ww.soft(x, x, gamma=1, pairs=True, divergence=True, want="values")
    np.testing.assert_allclose(same.values, 0, atol=1e-12)
    each = ww.soft(x, y, gamma=1, per_pair=True, want="rows")
    assert [a.shape for a in each.rows] == [(1, 5), (1, 5), (1, 7), (1, 7)]
    slopes = ww.soft(x[:1], y[:1], "adtw", gamma=1, want=("values", "parameters"))
    assert slopes.parameters.shape == (1, 1)
    with pytest.raises(ValueError, match="none of"):
        ww.soft(x, y, want="colour")
    with pytest.raises(ValueError, match="upstream"):
        ww.soft(x, y, upstream=[1.0])


# ---- averages and clusters


def test_average(cbf):
    series, labels = cbf
    members = np.flatnonzero(labels == "bell")
    got = ww.average(series, members=members, band="sakoe-chiba:5", iterations=5)
    assert got.centre.shape == (1, 40) and (np.diff(got.objective) <= 0).all()
    near = [dtw(got.centre, s, width=5) for s in series[members]]
    np.testing.assert_allclose(sum(near), got.objective[-1], rtol=1e-6)
    start = ww.average(series, start=series[0], iterations=0)
    np.testing.assert_allclose(start.centre[0], series[0])
    with pytest.raises(ValueError):
        ww.average(series, weights=[1.0])
    with pytest.raises(ValueError, match="medoid"):
        ww.average(series, start="best")


def test_clusters(cbf):
    series, labels = cbf
    condensed = ww.pdist(series, band="sakoe-chiba:5")
    square = ww.cdist(series, band="sakoe-chiba:5")
    got = ww.medoids(condensed, 3)
    np.testing.assert_allclose(got.cost, square[got.medoids].min(axis=0).sum())
    assert (got.labels == ww.medoids(square, 3).labels).all()
    merges = ww.linkage(condensed, "average")
    assert merges.shape == (23, 4) and merges[-1, 3] == 24
    clusters = ww.cut(merges, 3)
    assert set(clusters) == {0, 1, 2}
    mean, each = ww.silhouette(condensed, clusters)
    np.testing.assert_allclose(mean, each.mean())
    assert ww.rand_index(labels, labels) == 1 and ww.rand_index(labels, got.labels) < 1
    scipy = pytest.importorskip("scipy.cluster.hierarchy", reason="SciPy is not installed")
    np.testing.assert_allclose(merges, scipy.linkage(condensed, "average"))
    assert ww.rand_index(clusters, scipy.fcluster(merges, 3, "maxclust")) == 1


def test_bad_clusters():
    for call in (
        lambda: ww.medoids(np.zeros(4), 2),
        lambda: ww.medoids(np.zeros(3), 4),
        lambda: ww.medoids(np.array([1, np.nan, 1]), 2),
        lambda: ww.linkage(np.zeros(3), "nearest"),
        lambda: ww.linkage(np.array([1, -1.0, 1]), "ward"),
        lambda: ww.cut(np.array([[0, 0, 1.0, 2]]), 1),
        lambda: ww.silhouette(np.zeros(3), [0, 1]),
        lambda: ww.rand_index([0], [0]),
    ):
        with pytest.raises((ValueError, OSError)):
            call()


def test_kmeans(cbf):
    got = ww.kmeans(cbf[0], 3, band="sakoe-chiba:5", iterations=3, seed=2)
    full = np.array([[dtw(c, s, width=5) for s in cbf[0]] for c in got.centres])
    np.testing.assert_array_equal(got.labels, full.argmin(axis=0))
    np.testing.assert_allclose(got.distances.sum(), got.objective, rtol=1e-9)


# ---- classes


def test_classifier_and_choice(cbf):
    series, labels = cbf
    train, test = ww.Dataset(series[:12], labels[:12]), ww.Dataset(series[12:], labels[12:])
    got = ww.classify(train, test, band="sakoe-chiba:5", k=2, vote="distance")
    full = matrix(series[12:], series[:12], width=5)
    np.testing.assert_array_equal(got.neighbours, np.argsort(full, axis=1)[:, :2])
    assert got.correct == (got.predicted == labels[12:]).sum() and got.probabilities.shape == (12, 3)
    assert got.confusion.sum() == 12
    values = ww.Classifier(train, targets=np.arange(12.0), k=1, band="sakoe-chiba:5").run(test)
    np.testing.assert_array_equal(values.predicted, full.argmin(axis=1))
    tried = [ww.Measure("dtw", band=f"sakoe-chiba:{r}") for r in (0, 5)]
    done = []
    chosen = ww.choose(train, tried, progress=lambda *step: done.append(step))
    assert done == [(1, 2), (2, 2)]
    alone = matrix(series[:12], series[:12], width=5)
    np.fill_diagonal(alone, np.inf)
    np.testing.assert_allclose(chosen.accuracies[1], (labels[:12][alone.argmin(axis=1)] == labels[:12]).mean())
    assert chosen.best in tried and chosen.accuracy == chosen.accuracies.max()
    with pytest.raises(ValueError, match="label"):
        ww.classify(ww.Dataset(series), test)
    np.testing.assert_array_equal(ww.classify(train, series[12:], band="sakoe-chiba:5").neighbours, got.neighbours[:, :1])
    with pytest.raises(ValueError, match="12 labels|11 labels"):
        ww.Dataset(series[:12], labels[:11])


def test_labels_of_every_kind():
    x = np.zeros((3, 4))
    for labels in ([2, 5, 2], ["b", "a", "b"], [1.5, 2.5, 1.5], [True, False, True]):
        data = ww.Dataset(x, labels)
        assert data.codes.tolist() == [0, 1, 0] and data.classes[data.codes].tolist() == labels
    assert ww.Dataset(x, ["a", None, "b"]).codes.tolist() == [0, -1, 1]


# ---- shapelets


def test_shapelets(cbf, tmp_path):
    series, labels = cbf
    model = ww.Shapelets(min_length=8, max_length=12, length_step=4, start_step=3, best=2)
    with pytest.raises(ValueError, match="fit"):
        model.predict(series)
    model.fit(series, labels)
    assert (model.predict(series) == labels).mean() > 0.9
    distances, starts = model.transform(series, starts=True)
    assert distances.shape == (24, 2)
    shapelet = model.shapelets[0]
    np.testing.assert_allclose(shapelet.values[0], series[shapelet.series][shapelet.start :][: shapelet.length])
    gaps = znormalised(windows(series[5], shapelet.length)) - znormalised(shapelet.values[0])
    want = (gaps**2).mean(axis=1)
    assert starts[5, 0] == want.argmin()
    assert np.isclose(distances[5, 0], want.min()) or np.isclose(distances[5, 0], np.sqrt(want.min()))
    assert model.nodes[0].depth == 0 and model.info.classes == 3
    copies = [pickle.loads(pickle.dumps(model)), ww.Shapelets.from_json(model.to_json())]
    model.save(tmp_path / "m.json")
    copies.append(ww.Shapelets.load(tmp_path / "m.json"))
    for copy in copies:
        np.testing.assert_array_equal(copy.predict(series), model.predict(series))
        assert copy.to_json() == model.to_json()
    with pytest.raises(OSError):
        ww.Shapelets.from_json("{}")
    with pytest.raises(TypeError, match="least"):
        ww.Shapelets(least=3)


# ---- profiles


def test_profile(rng):
    series, m = rng.normal(size=120).cumsum(), 10
    parts = znormalised(windows(series, m))
    full = np.sqrt(((parts[:, None] - parts[None]) ** 2).sum(-1))
    apart = np.abs(np.subtract.outer(np.arange(len(parts)), np.arange(len(parts))))
    full[apart <= 3] = np.inf
    got = ww.profile(series, m, k=2, left_right=True)
    np.testing.assert_allclose(got.distances[:, 0], full.min(axis=1), atol=1e-8)
    np.testing.assert_array_equal(got.indices[:, 0], full.argmin(axis=1))
    np.testing.assert_allclose(got.distances_of(7), full[7], atol=1e-8)
    motif = got.motifs(1)[0]
    assert (motif.first, motif.second) == np.unravel_index(full.argmin(), full.shape)
    np.testing.assert_allclose(motif.distance, full.min(), atol=1e-8)
    assert got.discords(1)[0] == full.min(axis=1).argmax()
    columns = ww.profile(series, m, left_right=True).stumpy()
    assert columns.shape == (111, 4) and columns[0, 2] == -1 and columns[-1, 3] == -1
    other = ww.profile(series, m, series[::-1].copy())
    assert other.indices.shape == (111, 1)
    assert other.stumpy().shape == (111, 4) and (other.stumpy()[:, 2:] == -1).all()
    with pytest.raises(ValueError, match="left_right"):
        ww.profile(series, m).stumpy()
    for window in (2, 121):
        with pytest.raises(ValueError):
            ww.profile(series, window)


# ---- points


def test_knn(rng):
    base, queries = rng.normal(size=(80, 5)), rng.normal(size=(6, 5))
    full = np.sqrt(((queries[:, None] - base[None]) ** 2).sum(-1))
    distances, ids = ww.knn(queries, base=base, k=4)
    np.testing.assert_array_equal(ids, full.argsort(axis=1)[:, :4])
    np.testing.assert_allclose(distances, np.sort(full, axis=1)[:, :4])
    np.testing.assert_array_equal(ww.knn(queries, base=np.asfortranarray(base), k=4)[1], ids)
    near, who = ww.knn(queries, base=base, radius=3.0)
    for i in range(6):
        assert set(who[i]) == set(np.flatnonzero(full[i] <= 3.0)) and (np.diff(near[i]) >= 0).all()
    labels = np.array(["a", "b"])[np.arange(80) % 2]
    assert ww.knn_vote(ids[:, :1], labels).tolist() == labels[ids[:, 0]].tolist()
    np.testing.assert_allclose(ww.knn_mean(ids, np.arange(80.0)), ids.mean(axis=1))
    assert ww.knn_recall(distances, distances) == 1
    assert ww.metrics()["hamming"] == "bits"
    with pytest.raises(ValueError):
        ww.knn(queries[:, :3], base=base)
    for earlier in (lambda: ww.knn(base, queries, 4), lambda: ww.knn(base, queries), lambda: ww.knn(base, queries=queries)):
        with pytest.raises(TypeError, match="named|multiple values"):
            earlier()
    with pytest.raises(ValueError, match="l2"):
        ww.knn(queries, base=base, metric="no such metric")


def test_bits_and_sets(rng, tmp_path):
    bits = rng.random((30, 13)) < 0.5
    distances, ids = ww.knn(bits, k=1, metric="hamming")
    full = (bits[:, None] != bits[None]).sum(-1).astype(float)
    np.fill_diagonal(full, np.inf)
    np.testing.assert_array_equal(ids[:, 0], full.argmin(axis=1))
    np.testing.assert_array_equal(distances[:, 0], full.min(axis=1))
    sets = [set(np.flatnonzero(row).tolist()) for row in bits]
    assert ww.sets_of_bits(bits) == sets
    np.testing.assert_allclose(ww.knn(sets, k=2, metric="jaccard")[0], ww.knn(bits, k=2, metric="jaccard-bits")[0])
    points = rng.normal(size=(7, 3)).astype(np.float32)
    ww.write_points(tmp_path / "p.fvecs", points)
    np.testing.assert_array_equal(ww.read_points(tmp_path / "p.fvecs"), points)
    ww.write_points(tmp_path / "s.ivecs", sets)
    assert ww.read_points(tmp_path / "s.ivecs", "sets") == sets
    packed = np.packbits(bits, axis=1, bitorder="little")
    ww.write_points(tmp_path / "b.bvecs", packed, "bits")
    np.testing.assert_array_equal(ww.read_points(tmp_path / "b.bvecs", "bits"), packed)
    with pytest.raises(ValueError, match="bvecs"):
        ww.write_points(tmp_path / "b.npy", packed, "bits")


def test_lsh(rng, tmp_path):
    base, more = rng.normal(size=(300, 8)).astype(np.float32), rng.normal(size=(20, 8)).astype(np.float32)
    index = ww.LSH(base, tables=12, functions=4, width=4.0, seed=5)
    index.add(more)
    assert len(index) == 320 and index.options.tables == 12
    exact = ww.knn(more, base=np.concatenate([base, more]), k=3)
    found = index.search(more, 3)
    assert (found[1][:, 0] == np.arange(300, 320)).all()
    assert ww.knn_recall(exact[0], found[0]) > 0.8
    for rows, part in (
        (range(2, 9), slice(2, 9)),
        (slice(-4, None), slice(16, 20)),
        (slice(7), slice(7)),
        (slice(3, 3), slice(3, 3)),
    ):
        for one, all_of_them in zip(index.search(more, 3, rows=rows), found):
            np.testing.assert_array_equal(one, all_of_them[part])
    for one, all_of_them in zip(index.search(k=2, rows=range(300, 320)), index.search(k=2)):
        np.testing.assert_array_equal(one, all_of_them[300:])
    for rows in (range(0, 21), range(-1, 3), range(0, 8, 2), slice(None, None, -1)):
        with pytest.raises(ValueError, match="rows"):
            index.search(more, rows=rows)
    index.remove([300])
    assert index.search(more[:1], 1)[1][0, 0] != 300 and index.info.points == 319
    index.save(tmp_path / "i.lsh")
    for copy in (ww.LSH.load(tmp_path / "i.lsh"), pickle.loads(pickle.dumps(index))):
        np.testing.assert_array_equal(copy.search(more, 3)[1], index.search(more, 3)[1])
    index.set_options(complete=1)
    assert (index.search(more, 3)[1] >= 0).all()
    with pytest.raises(OSError):
        ww.LSH.from_bytes(b"nothing")
    with pytest.raises(ValueError):
        index.remove([320])
    assert 0 < ww.lsh_collision("l2", 1.0, width=4.0) < 1
    with pytest.raises(TypeError, match="'tabels'"):
        ww.LSH(base, tabels=3)


@pytest.mark.parametrize("metric", ["l2", "l1", "cosine", "hamming", "jaccard"])
def test_lsh_without_options_finds(rng, metric):
    """Tables of which nothing is said reach a recall of 0.9, at any scale, whatever the metric; or say what to give."""
    clusters = rng.normal(size=(40, 16))
    base = clusters[rng.integers(0, 40, 2000)] + 0.4 * rng.normal(size=(2000, 16))
    if metric == "hamming":
        base = base > 0
    if metric == "jaccard":
        base = [set(np.flatnonzero(row > 0.3)) | {16} for row in base]
    for scale in (1.0,) if metric in ("cosine", "hamming", "jaccard") else (1e-3, 1.0, 1e3):
        points = base if scale == 1.0 else base * scale
        made = ww.LSH(points, metric=metric, k=5)
        assert ww.knn_recall(ww.knn(points, k=5, metric=metric)[0], made.search(k=5)[0]) >= 0.85  # 0.9 of a sample
        assert made.choice.recall_low >= 0.88 and "chosen" in repr(made)
        assert pickle.loads(pickle.dumps(made)).options.tables == made.options.tables


def test_lsh_of_few_points():
    for count in (1, 2, 5):
        points = np.arange(2.0 * count).reshape(count, 2)
        assert ww.LSH(points).search(points)[1][:, 0].tolist() == list(range(count))


def test_names_of_metrics(rng):
    """Other libraries' names of metrics are taken."""
    points = rng.normal(size=(20, 3))
    for theirs, ours in (("euclidean", "l2"), ("sqeuclidean", "l2-squared"), ("cityblock", "l1"), ("chebyshev", "linf")):
        np.testing.assert_array_equal(ww.knn(points, metric=theirs)[0], ww.knn(points, metric=ours)[0])


def test_lsh_of_bits(rng, tmp_path):
    bits = rng.random((40, 21)) < 0.5
    packed = np.packbits(bits, axis=1, bitorder="little")
    index = ww.LSH(bits, metric="hamming", tables=4, functions=4)
    index.save(tmp_path / "i.lsh")
    loaded = ww.LSH.load(tmp_path / "i.lsh")
    for made in (index, loaded, pickle.loads(pickle.dumps(loaded))):
        assert made.dimension == 21 and made.info.dimension == 21
        for queries in (bits[:3], packed[:3]):
            np.testing.assert_array_equal(made.search(queries, 1), [[[0]] * 3, [[0], [1], [2]]])
    assert ww.LSH([{1, 2}, {3}], metric="jaccard").dimension == 0


def test_lsh_choice(rng):
    base = (rng.normal(size=(20, 1, 6)) + 0.05 * rng.normal(size=(20, 20, 6))).reshape(-1, 6).astype(np.float32)
    index, told = ww.LSH.choose(base, 3, 0.8, sample=64, seed=2)
    assert told.exact_is_faster in (0, 1)
    if index is not None:
        exact = ww.knn(base, k=3)
        assert ww.knn_recall(exact[0], index.search(k=3)[0]) > 0.7


def test_tune_is_interrupted_by_its_report():
    def stop(result):
        assert result.parameter
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        ww.Context().tune(seconds=1e-3, dry=True, report=stop)


# ---- device memory


def test_results_stay_on_the_device(rng):
    series = rng.normal(size=(7, 30)).astype(np.float32)
    data = ww.Dataset(series)
    plan = ww.Plan("msm", data)
    plan.prepare()
    expected = plan.run()
    buffer = ww.Buffer((7, 7))
    assert buffer.nbytes == 4 * 49 and plan.run(buffer) is buffer
    np.testing.assert_array_equal(buffer.to_numpy(), expected)
    np.testing.assert_array_equal(np.asarray(buffer, np.float64), expected)
    part = ww.Buffer((2, 3))
    np.testing.assert_array_equal(plan.rectangle(1, 2, 4, 3, part).to_numpy(), expected[1:3, 4:7])
    # Distances as series of a second job, which never were on the host; then others in their place.
    of_buffer = ww.Dataset.from_buffer(buffer)
    assert (len(of_buffer), of_buffer.channels, of_buffer.longest) == (7, 1, 7)
    again = ww.Plan("dtw", of_buffer)
    np.testing.assert_array_equal(again.run(), ww.cdist(expected))
    buffer.write(series[:, :7])
    np.testing.assert_array_equal(again.run(), ww.cdist(np.ascontiguousarray(series[:, :7])))
    channels = rng.normal(size=(4, 3, 9))
    np.testing.assert_array_equal(ww.cdist(ww.Dataset.from_buffer(ww.Buffer.of(channels))), ww.cdist(channels))


def test_gradients_stay_on_the_device(rng):
    series = rng.normal(size=(3, 20))
    rows, columns = ww.Dataset(series[:1]), ww.Dataset(series[1:])
    gradient = ww.Gradient(ww.Measure("dtw", gamma=1.0), rows, columns)
    factors = np.array([2.0, -1.0])
    expected = gradient.run(upstream=factors)
    slope, values = ww.Buffer(20, np.float64), np.empty(2)
    found = gradient.run(("values", "rows"), ww.Buffer.of(factors), {"rows": slope, "values": values})
    assert found.rows is slope
    np.testing.assert_array_equal(slope.to_numpy(), expected.rows.ravel())
    np.testing.assert_array_equal(values, expected.values.ravel())
    for wrong in ({"columns": slope}, {"rows": values}, {"rows": ww.Buffer(20)}):
        with pytest.raises(ValueError):
            gradient.run(("values", "rows"), out=wrong)
    with pytest.raises(ValueError):
        gradient.run(upstream=slope)


def test_buffers_refuse(rng):
    data = ww.Dataset(rng.normal(size=(3, 9)))
    plan = ww.Plan("dtw", data)
    for wrong in (ww.Buffer((3, 3)), ww.Buffer((3, 2), np.float64)):
        with pytest.raises(ValueError):
            plan.run(wrong)
    for shape in ((), (0, 3), (2, -1)):
        with pytest.raises(ValueError):
            ww.Buffer(shape)
    with pytest.raises(TypeError):
        ww.Buffer(3, np.int32)
    with pytest.raises(ValueError):
        ww.Buffer(3).write(np.zeros(4))
    with pytest.raises(ValueError):
        ww.Dataset.from_buffer(ww.Buffer(3))
    with pytest.raises(MemoryError):
        ww.Buffer((1 << 40, 1 << 15))
    assert "3" in repr(ww.Buffer(3))


# ---- first centres and weights of k-means


def lloyd(x, centres, weights):
    """Lloyd's k-means of rows by squared distances, until nothing changes."""
    labels = None
    while True:
        squares = ((x[:, None] - centres[None]) ** 2).sum(-1)
        now = squares.argmin(axis=1)
        if labels is not None and (now == labels).all():
            return labels, centres, (weights * squares.min(axis=1)).sum()
        labels = now
        centres = np.stack([np.average(x[labels == k], axis=0, weights=weights[labels == k]) for k in range(len(centres))])


@pytest.mark.parametrize("weighted", [False, True])
def test_kmeans_from_given_centres(rng, weighted):
    x = rng.normal(size=(40, 12)) + np.repeat(rng.normal(size=(4, 12)), 10, axis=0)
    first, weights = x[[3, 14, 25]] + 0.1, rng.random(40) * 3 if weighted else np.ones(40)
    weights[5] = 0 if weighted else 1
    labels, centres, objective = lloyd(x, first, weights)
    told = ww.kmeans(x, 3, band="sakoe-chiba:0", first=first, weights=weights if weighted else None, tolerance=0.0)
    order = np.unique(labels, return_index=True)[1].argsort()  # clusters by their first series
    np.testing.assert_array_equal(order[told.labels], labels)
    np.testing.assert_allclose(np.array(told.centres)[:, 0], centres[order], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(told.objective, objective)
    start = ww.kmeans(x, 3, first=first, iterations=0)
    assert (start.distances == ww.cdist(x, first).min(axis=1)).all() and start.iterations == 0


def test_weights_of_kmeans_are_as_copies(rng):
    x, counts = rng.normal(size=(12, 15)).cumsum(axis=1), rng.integers(1, 4, size=12)
    first = x[[0, 5]]
    many = ww.kmeans(np.repeat(x, counts, axis=0), 2, first=first)
    told = ww.kmeans(x, 2, first=first, weights=counts)
    np.testing.assert_array_equal(np.repeat(told.labels, counts), many.labels)
    np.testing.assert_allclose(told.objective, many.objective)
    np.testing.assert_allclose(np.array(told.centres), np.array(many.centres), rtol=1e-9, atol=1e-12)
    ragged = [row[: 9 + i % 4] for i, row in enumerate(x)]
    for given in ([ragged[2], ragged[7]], ww.SeriesSet([ragged[2], ragged[7]])):
        assert ww.kmeans(ragged, 2, first=given).centres[0].shape[1] in (9, 10, 11, 12)
