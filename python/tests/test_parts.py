# SPDX-License-Identifier: Apache-2.0
"""Jobs in parts: several devices, rectangles, shards, parts of streams, stores. All give the bytes of the whole."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import wavewarp as ww

DEVICES = """
import _thread
import threading
from collections.abc import Sequence
import numpy as np
import wavewarp as ww

rng = np.random.default_rng(7)
x, y = rng.normal(size=(40, 30)), [rng.normal(size=n) for n in (5, 30, 17)]
several, one = ww.Context("all", tile_seconds=0.001), ww.Context()
assert len(several) == 2 and all(device.name for device in several.devices) and several.has_double

def same(job, *given, fields=None, **options):
    mine, wanted = job(*given, context=several, **options), job(*given, context=one, **options)
    if fields:
        mine, wanted = ([getattr(result, name) for name in fields] for result in (mine, wanted))
    for a, b in zip(mine, wanted) if isinstance(mine, (tuple, list)) else ((mine, wanted),):
        if isinstance(a, Sequence):
            assert len(a) == len(b) and all(np.array_equal(c, d) for c, d in zip(a, b))
        else:
            np.testing.assert_array_equal(a, b)

def divided():
    return sum(share.tiles for share in several.shares) > 1 and not any(share.lost for share in several.shares)

seen = []
same(ww.cdist, x)
assert divided()
ww.cdist(x, context=several, progress=lambda done, total: seen.append((done, total)))
assert seen and seen[-1][0] == seen[-1][1] > 0
out = np.empty((40, 3), np.float32)
x32, y32 = x.astype(np.float32), [a.astype(np.float32) for a in y]
assert ww.cdist(x32, y32, "msm", c=0.5, out=out, context=several) is out
np.testing.assert_array_equal(out, ww.cdist(x32, y32, "msm", c=0.5))
same(ww.pdist, x)
same(ww.pairs, x[:20], x[20:])
listed = np.arange(40) % 7, np.arange(40) % 3
same(ww.pairs, x, y, indices=listed)
same(ww.paths, x, y, indices=listed)
everything = {"want": ("values", "rows", "columns", "alignment"), "gamma": 0.5, "upstream": np.arange(40.0)}
same(ww.soft, x, y, pairs=listed, per_pair=True, fields=everything["want"], **everything)
same(ww.soft, x[:20], x[20:], pairs=True, fields=("rows",))
streams = [rng.normal(size=n) for n in (3000, 90, 4000)]
for kind in {"znormalise": True}, {"kind": "open"}:
    same(ww.search, x[:3, :9], streams, k=4, **kind)
same(ww.search, x[:3, :9], ww.Source(streams[2]), kind="windows")
for points, queries in (x, None), (x32, x32[:5]):
    same(ww.knn, points if queries is None else queries, base=None if queries is None else points, k=3, metric="l1")
    options = {"tables": 4, "functions": 3, "width": 6.0, "seed": 3}
    mine, wanted = (ww.LSH(points, context=context, **options) for context in (several, one))
    asked = (None, None) if queries is None else [ww.Points(queries, context=context) for context in (several, one)]
    for change in (lambda lsh, c: None), (lambda lsh, c: lsh.add(ww.Points(points[:9] + 1, context=c))), (lambda lsh, c: lsh.remove([1, 5])):
        change(mine, several), change(wanted, one)
        for a, b in zip(mine.search(asked[0], 3), wanted.search(asked[1], 3)):
            np.testing.assert_array_equal(a, b)
    assert mine.info.examined == wanted.info.examined > 0 and mine.info.points == wanted.info.points == 47
    again = ww.LSH.from_bytes(mine.to_bytes(), context=several)
    for a, b in zip(again.search(asked[0], 3), wanted.search(asked[1], 3)):
        np.testing.assert_array_equal(a, b)
long, second = (np.cumsum(rng.normal(size=n)) for n in (1500, 700))
for other in None, second:
    mine, wanted = (ww.profile(long, 20, other, left_right=other is None, k=2, context=c) for c in (several, one))
    assert divided()
    for name in "distances", "indices", "left_indices", "right_distances":
        np.testing.assert_array_equal(getattr(mine, name), getattr(wanted, name))
    assert mine.info.pairs == wanted.info.pairs and mine.discords(2).tolist() == wanted.discords(2).tolist()
    np.testing.assert_array_equal(mine.distances_of(7), wanted.distances_of(7))
data = ww.Dataset(ww.SeriesSet(x), context=several)
np.testing.assert_array_equal(ww.profile(data, 10, index=3).indices, ww.profile(x[3], 10).indices)
assert len(data) == 40 and data.precision == "double"
for a, b in zip(*(ww.NearestPlan("dtw", d, k=3, band="sakoe-chiba:10%").run() for d in (data, ww.Dataset(x, context=one)))):
    np.testing.assert_array_equal(a, b)
same(ww.kneighbors, x32, None, 3)
classes = np.array(["a", "b", "c"])[np.arange(40) % 3]
coarse = np.round(x32)
for test in None, coarse[:11] + 0.25:
    results = [
        ww.classify(
            ww.Dataset(coarse, classes, context=c), None if test is None else ww.Dataset(test, context=c), k=3, vote="distance"
        )
        for c in (several, one)
    ]
    assert results[0].predicted.tolist() == results[1].predicted.tolist() and results[0].correct == results[1].correct
    for name in "neighbours", "distances", "probabilities":
        np.testing.assert_array_equal(getattr(results[0], name), getattr(results[1], name))
centres = [ww.kmeans(ww.Dataset(x, context=c), 3, seed=2) for c in (several, one)]
np.testing.assert_array_equal(centres[0].labels, centres[1].labels)
found = {"min_length": 8, "max_length": 14, "length_step": 3, "best": 4}
bumps = x + 2 * np.sin(np.arange(30) * (1 + np.arange(40) % 3)[:, None] / 4)
for options in found, {**found, "no_tree": True, "quality": "f"}, {**found, "terms": 2}:
    mine, wanted = (ww.Shapelets(context=c, **options).fit(bumps, classes) for c in (several, one))
    assert mine.to_json() == wanted.to_json() and mine.info.cells == wanted.info.cells
    assert sum(share.work for share in several.shares) > 0
assert mine.predict(bumps).tolist() == wanted.predict(bumps).tolist()
assert ww.cdist(["kitten"], ["sitting"], "levenshtein", context=several).tolist() == [[3]]
def fails(call, kind, word):
    try:
        call()
    except kind as error:
        assert word in str(error), error
    else:
        raise AssertionError(word)
fails(lambda: ww.cdist(data, ww.Dataset(x, context=one)), ValueError, "contexts")
fails(lambda: ww.cdist(x, out=np.empty(3), context=several), ValueError, "out has to be")
fails(lambda: ww.Dataset(x, classes[:3], context=several), ValueError, "3 labels for 40 series")
fails(lambda: ww.profile(long, 2, context=several), ValueError, "window")
fails(lambda: ww.search(x, streams, k=0, context=several), ValueError, "k is 0")
fails(lambda: mine.context and ww.LSH(x, context=several).add(ww.Points(x, context=one)), ValueError, "devices")
def stop(*_):
    raise RuntimeError("enough")
fails(lambda: ww.cdist(x, progress=stop, context=several), RuntimeError, "enough")
fails(lambda: ww.search(x[:1, :9], ww.Source(stop, length=10**5), kind="windows", context=several), RuntimeError, "enough")
fails(lambda: ww.Shapelets(context=several, **found).fit(bumps, classes, progress=stop), RuntimeError, "enough")
threading.Timer(0.3, _thread.interrupt_main).start()
try:
    while True:
        ww.cdist(rng.normal(size=(400, 400)), context=several)
except KeyboardInterrupt:
    pass
"""


def test_several_devices():
    env = {**os.environ, "POCL_DEVICES": "pthread pthread", "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run([sys.executable, "-c", DEVICES], env=env, capture_output=True, text=True)
    if "assert len(several) == 2" in ran.stderr:
        pytest.skip("no PoCL, whose devices can be doubled")
    assert ran.returncode == 0, ran.stderr


def test_one_device_in_a_list(rng):
    context, x = ww.Context([0]), rng.normal(size=(6, 9))
    np.testing.assert_array_equal(ww.cdist(x, x[:2], context=context), ww.cdist(x, x[:2]))
    (share,) = context.shares
    assert len(context) == 1 and share.tiles == 0 and share.status == "WW_OK" and context.device.index == 0
    with pytest.raises(ww.NoDeviceError):
        ww.Context(["no such device", 0])


def test_nearest_rows_and_shards(rng):
    x = np.round(rng.normal(size=(20, 12)), 1)
    data, parts = ww.Dataset(x), [ww.Dataset(x[:7]), ww.Dataset(x[7:])]
    plan = ww.NearestPlan("dtw", data, k=3)
    whole = plan.run()
    rows = [plan.run(0, 5), plan.run(5)]
    for i in range(2):
        np.testing.assert_array_equal(np.concatenate([r[i] for r in rows]), whole[i])
    assert plan.info.pairs == 20 * 19
    with pytest.raises(ValueError):
        plan.run(18, 3)
    first = ww.NearestPlan("dtw", data, parts[1], 3, base_offset=7, exclude_self=True).run()
    second = ww.NearestPlan("dtw", data, parts[0], 3, exclude_self=True, initial=first[0][:, -1]).run()
    joined = ww.merge_neighbours(first, second)
    np.testing.assert_array_equal(joined[0], whole[0])
    np.testing.assert_array_equal(joined[1], whole[1])
    with pytest.raises(ValueError, match="initial"):
        ww.NearestPlan("dtw", data, parts[0], 3, initial=[1.0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_lists_are_joined_by_similarity(dtype):
    # Of equal ones the first list's come first; what is not there is the last, whichever way round.
    first = np.array([[9, 4, 1], [7, 7, -np.inf]], dtype), np.array([[0, 1, 2], [3, 4, -1]])
    second = np.array([[8, 4, 2], [7, 6, 5]], dtype), np.array([[10, 11, 12], [13, 14, 15]])
    values, indices = ww.merge_neighbours(first, second, similarity=True)
    assert values.dtype == dtype and values.tolist() == [[9, 8, 4], [7, 7, 7]]
    assert indices.tolist() == [[0, 10, 1], [3, 4, 13]]
    nearest = [(part[0][:, ::-1], part[1][:, ::-1]) for part in ((first[0][:1], first[1][:1]), (second[0][:1], second[1][:1]))]
    values, indices = ww.merge_neighbours(*nearest)
    assert values.tolist() == [[1, 2, 4]] and indices.tolist() == [[2, 12, 1]]


def test_points_in_shards(rng):
    base, queries = rng.integers(0, 5, size=(90, 4)).astype(np.float32), rng.normal(size=(8, 4)).astype(np.float32)
    whole = ww.knn(queries, base=base, k=5, metric="l2-squared")
    parts = [ww.knn_shard(queries, base=base[:40], k=5), ww.knn_shard(queries, base=base[40:], k=5, base_offset=40)]
    for i in range(2):
        np.testing.assert_array_equal(ww.merge_neighbours(*parts)[i], whole[i])
    own = [ww.knn_shard(base, base=base[a:b], k=2, base_offset=a, exclude_self=True) for a, b in ((0, 30), (30, 90))]
    np.testing.assert_array_equal(ww.merge_neighbours(*own)[1], ww.knn(base, k=2, metric="l2-squared")[1])
    with pytest.raises(ValueError, match="squared"):
        ww.knn_shard(queries, base=base, metric="l2")


def test_hashing_in_shards(rng):
    base = rng.normal(size=(200, 6)).astype(np.float32)
    made = {"metric": "l2-squared", "tables": 6, "functions": 3, "width": 4.0, "seed": 5, "path": "buckets"}
    grown = ww.LSH(base[:120], **made)
    grown.add(base[120:])
    whole = grown.search(base[:9], 4)
    parts = [
        ww.LSH(base[a:b], **made).search_shard(base[:9], 4, base_offset=a) for a, b in ((0, 120), (120, 200))
    ]
    for i in range(2):
        np.testing.assert_array_equal(ww.merge_neighbours(*parts)[i], whole[i])


@pytest.mark.parametrize("znormalise", [False, True])
def test_search_in_parts(rng, znormalise):
    stream, queries, k, apart = rng.normal(size=700).cumsum(), rng.normal(size=(2, 20)).cumsum(axis=1), 3, 10
    kinds = {"kind": "windows", "znormalise": znormalise}
    whole = ww.search(queries, stream[None], k=k, exclusion=apart, **kinds)
    search = ww.Search(queries, k=ww.search_places(k, apart), exclusion=0, **kinds)
    assert ww.search_places(k, apart) == 39
    places = search.run(stream[None, : 320 + 19])
    for merged in (
        ww.merge_matches(places, search.run(stream[None, 320:], point_offset=320)),
        ww.merge_matches(search.run(ww.Source(stream[320:]), point_offset=320), places),
    ):
        assert ww.choose_matches(merged, k, apart).tobytes() == whole.tobytes()
    assert search.run(stream[None, :339]).tobytes() == places.tobytes()  # the offsets are those of one run
    moved = search.run(np.stack([stream, stream[::-1]]), stream_offset=4)
    assert set(np.unique(moved["stream"])) <= {4, 5}
    with pytest.raises(ValueError):
        ww.choose_matches(places, k, apart + 100)
    with pytest.raises(ValueError, match="shapes"):
        ww.merge_matches(places, places[:1])


def test_profile_in_rectangles(rng):
    series = rng.normal(size=90).cumsum()
    plan = ww.ProfilePlan(series, 12, k=2, left_right=True)
    whole, half = plan.run(), 40
    rest = plan.info.windows - half
    parts = [
        plan.rectangle(half, rest, half, rest),
        plan.rectangle(0, half, 0, half),
        pickle.loads(pickle.dumps(plan.rectangle(0, half, half, rest))),
    ]
    joined = plan.join(parts)
    for name in ("distances", "indices", "left_distances", "left_indices", "right_distances", "right_indices"):
        assert getattr(joined, name).tobytes() == getattr(whole, name).tobytes(), name
    assert [vars(m)["first"] for m in joined.motifs(2)] == [vars(m)["first"] for m in whole.motifs(2)]
    assert (plan.join([]).indices == -1).all()
    plan.rectangle(half, rest, half, rest)
    plan.rectangle(0, half, 0, half, add=True)
    assert plan.join([plan.rectangle(0, half, half, rest, add=True)]).indices.tobytes() == whole.indices.tobytes()
    with pytest.raises(ValueError):
        plan.rectangle(0, 1000, 0, 1)


def test_profile_of_datasets(rng):
    x = rng.normal(size=(3, 60)).cumsum(axis=1)
    data = ww.Dataset(x)
    for got, want in (
        (ww.profile(data, 8, index=2), ww.profile(x[2], 8)),
        (ww.profile(data, 8, data, index=0, other_index=1), ww.profile(x[0], 8, x[1])),
        (ww.profile(ww.SeriesSet(x), 8, index=1), ww.profile(x[1], 8)),
    ):
        assert got.distances.tobytes() == want.distances.tobytes()
        np.testing.assert_array_equal(got.indices, want.indices)
    with pytest.raises(ValueError):
        ww.profile(data, 8, index=3)


LABELS = [str(i % 3) for i in range(24)]
JOBS = [
    ("cdist", lambda x, y, **at: ww.cdist(x, y, **at)),
    ("pdist", lambda x, y, **at: ww.pdist(x, **at)),
    ("pairs", lambda x, y, **at: ww.pairs(x, y, "msm", **at)),
    ("kneighbors", lambda x, y, **at: ww.kneighbors(x, y, 3, **at).indices),
    ("paths", lambda x, y, **at: np.concatenate(list(ww.paths(x, y, **at)[0]))),
    ("soft", lambda x, y, **at: ww.soft(x, y, gamma=0.5, pairs=True, want="values", **at).values),
    ("classify", lambda x, y, **at: ww.classify(ww.Dataset(ww.SeriesSet(x, LABELS), **at), ww.Dataset(y, **at)).predicted),
    ("search", lambda x, y, **at: ww.search(x[:2], y, k=3, **at)[0]["begin"]),
    ("profile", lambda x, y, **at: ww.profile(x.reshape(-1), 9, **at).distances),
    ("knn", lambda x, y, **at: ww.knn(y, base=x, k=2, **at).indices),
    ("lsh", lambda x, y, **at: ww.LSH(x, tables=4, functions=2, width=4.0, **at).search(k=2)[1]),
]


@pytest.mark.parametrize("name, job", JOBS, ids=[name for name, _ in JOBS])
def test_stores(rng, tmp_path, name, job):
    x, y = rng.normal(size=(24, 30)), rng.normal(size=(24, 30))
    whole = np.asarray(job(x, y))
    path = tmp_path / "a.store"
    with ww.Store(path) as store:
        np.testing.assert_array_equal(store.run(job, x, y), whole)
        assert store.info.done == store.info.units > 0 and store.info.found_done == 0
        store.close()
    with ww.Store(path) as store:
        np.testing.assert_array_equal(store.run(job, x, y), whole)
        assert store.info.found_done == store.info.done
    assert not path.exists()
    for part in (1, 2, 3):
        with ww.Store(tmp_path / f"{part}.part", part=(part, 3)) as store:
            assert store.run(job, x, y) is None
    with ww.Store.join(str(tmp_path / "*.part")) as store:
        np.testing.assert_array_equal(store.run(job, x, y), whole)
    assert len(list(tmp_path.iterdir())) == 3


def test_store_goes_on(rng, tmp_path):
    x, path = rng.normal(size=(40, 60)), tmp_path / "a.store"
    whole = ww.cdist(x)
    with pytest.raises(ZeroDivisionError), ww.Store(path) as store:
        store.run(ww.cdist, x)
        1 / 0  # noqa: B018
    os.truncate(path, path.stat().st_size * 2 // 3)
    with pytest.raises(OSError, match="is there"):
        ww.Store(path, resume=False)
    with pytest.raises(OSError, match="part 0 of 0, not 1 of 2"):
        ww.Store(path, part=(1, 2))
    with ww.Store(path) as store:
        with pytest.raises(OSError, match="in use"):
            ww.Store(path)
        with pytest.raises(OSError, match="other options"):
            store.run(ww.cdist, x, measure="twed")
        store.close()
    with ww.Store(path) as store:
        with pytest.raises(OSError, match="other inputs"):
            store.run(ww.cdist, x + 1)
        store.close()
    with ww.Store(path) as store:
        np.testing.assert_array_equal(store.run(ww.cdist, x), whole)
        assert 0 < store.info.found_done < store.info.done
        assert "matrix" in repr(store)
        context = store.context()
    with pytest.raises(ValueError, match="closed"):
        ww.cdist(x, context=context)
    with pytest.raises(ValueError, match="closed"):
        store.context()
    assert "closed" in repr(store)


def test_store_refuses(rng, tmp_path):
    x = rng.normal(size=(9, 20))
    with ww.Store(tmp_path / "1.part", part=(1, 2)) as store:
        with pytest.raises(ValueError, match="has no parts"):
            store.run(ww.average, x)
        with pytest.raises(ww.PartDone):
            ww.cdist(x, context=store.context())
    with pytest.raises(OSError, match="part 2 of 2 is missing"):
        ww.Store.join([tmp_path / "1.part"])
    for part in ((0, 2), (3, 2), (1, 0)):
        with pytest.raises(ValueError, match="part"):
            ww.Store(tmp_path / "b", part=part)
    with pytest.raises(ValueError, match="no files"):
        ww.Store.join(str(tmp_path / "none*"))
    (tmp_path / "c").write_text("not a store")
    with pytest.raises(OSError, match="not a store"):
        ww.Store(tmp_path / "c")
    with pytest.raises(OSError):
        ww.Store(tmp_path / "no" / "d")
