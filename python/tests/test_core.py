# SPDX-License-Identifier: Apache-2.0
"""Input, output, errors, threads and processes."""

import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest
from conftest import dtw, matrix

import wavewarp as ww


def test_devices_and_context():
    assert any(device.chosen for device in ww.devices())
    context = ww.default_context()
    assert context.device.name and context.kernel_source and context.tuning_file is not None
    ww.distance([1.0, 2], [1.0, 3])
    assert context.programs > 0 and context.bytes >= 0
    messages = []
    ww.Context(log=lambda level, text: messages.append((level, text)))
    with pytest.raises(ww.NoDeviceError, match="give .gpu.") as caught:
        ww.Context(device="no such device")
    assert "Install" not in str(caught.value)  # there is a device
    assert {p.name for p in ww.tuning_parameters()} >= {"lanes.rows"}
    assert ww.__version__ and "lanes" in ww.engines()


def test_no_platform_says_what_to_install():
    code = "import wavewarp as ww\ntry:\n  ww.devices()\nexcept ww.NoDeviceError as e:\n  print(e)"
    env = {**os.environ, "OCL_ICD_VENDORS": "/nonexistent", "PYTHONPATH": os.pathsep.join(sys.path)}
    told = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout
    assert "pocl" in told and "wavewarp[cpu]" in told


def test_drivers_of_wheels(tmp_path, monkeypatch):
    from wavewarp import _drivers

    vendors, driver = tmp_path / "etc" / "OpenCL" / "vendors", tmp_path / "lib" / "libdriver.so"
    vendors.mkdir(parents=True)
    driver.parent.mkdir()
    driver.write_text("no library")
    for name, says in (("a", "/of/the/builder/libdriver.so"), ("b", "/of/the/builder/gone.so"), ("c", "libsystem.so")):
        (vendors / f"{name}.icd").write_text(says + "\n")
    for name in ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES"):  # and gone again afterwards
        monkeypatch.setenv(name, "x")
    assert _drivers.find(str(tmp_path)) == []  # the environment names others
    for name in ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES"):
        monkeypatch.delenv(name)
    monkeypatch.setattr(_drivers, "SYSTEM", str(tmp_path))
    assert _drivers.find(str(tmp_path)) == [str(driver)]
    assert os.environ["OCL_ICD_FILENAMES"] == os.environ["OCL_ICD_VENDORS"] == str(driver)


def test_layouts_give_the_same_distances(rng):
    x = rng.normal(size=(5, 2, 9))
    want = matrix(x, x)
    np.testing.assert_allclose(ww.cdist(x), want, rtol=1e-12)
    np.testing.assert_allclose(ww.cdist(np.ascontiguousarray(x.swapaxes(1, 2)), axes="ntc"), want, rtol=1e-12)
    np.testing.assert_allclose(ww.cdist(x[::-1, :, ::-1])[::-1, ::-1], want, rtol=1e-12)  # DTW does not mind the end
    np.testing.assert_allclose(ww.cdist(np.repeat(x, 2, axis=2)[:, :, ::2]), want, rtol=1e-12)
    np.testing.assert_allclose(ww.cdist(np.broadcast_to(x[:1], (3, 2, 9))), 0, atol=1e-12)
    np.testing.assert_allclose(ww.cdist(list(x)), want, rtol=1e-12)
    np.testing.assert_allclose(ww.cdist([a.T for a in x], axes="ntc"), want, rtol=1e-12)
    np.testing.assert_allclose(ww.cdist(x.astype(">f8")), want, rtol=1e-12)
    np.testing.assert_allclose(ww.cdist(ww.SeriesSet(x)), want, rtol=1e-12)
    assert ww.cdist(x.astype(np.float32)).dtype == np.float32
    assert ww.cdist(x, precision="float").dtype == np.float32
    whole = (10 * x).astype(int)
    np.testing.assert_array_equal(ww.cdist(whole), ww.cdist(whole.astype(float)))


def test_no_copies(rng):
    from wavewarp._series import View, pointer

    for x in (rng.normal(size=(5, 2, 9)), rng.normal(size=(5, 9, 2)).astype(np.float32).swapaxes(1, 2)[::2, :, ::-1]):
        assert View(x).c.values == pointer(x)
    ragged = [rng.normal(size=n) for n in (3, 5)]
    made = View(ragged)
    assert [made.c.series[i] for i in range(2)] == [pointer(a) for a in ragged]


def test_ragged_and_lists():
    lists = [[1.0, 2, 3], [2.0, 5], [4.0, 4, 4, 1]]
    np.testing.assert_allclose(ww.cdist(lists), matrix(lists, lists))
    np.testing.assert_allclose(ww.cdist(np.array(lists, dtype=object)), matrix(lists, lists))
    arrays = [np.array(values) for values in lists]
    want = ww.cdist(arrays)
    np.testing.assert_allclose(want, matrix(lists, lists))
    for array in arrays:
        array.setflags(write=False)
    for same in (
        arrays,
        tuple(arrays),
        [a.astype(">f8") for a in arrays],
        [np.repeat(a, 2)[::2] for a in arrays],
        [arrays[0].astype(np.float32), *arrays[1:]],
        [a[None] for a in arrays],
        [arrays[0][None], *arrays[1:]],
    ):
        np.testing.assert_array_equal(ww.cdist(same), want)
    narrow = ww.cdist([a.astype(np.float32) for a in arrays])
    assert narrow.dtype == np.float32
    np.testing.assert_allclose(narrow, want)
    pair = [np.stack([a, 2 * a]) for a in arrays]
    np.testing.assert_array_equal(ww.cdist([np.asfortranarray(a) for a in pair]), ww.cdist(pair))
    np.testing.assert_array_equal(ww.cdist([np.ascontiguousarray(a.T) for a in pair], axes="ntc"), ww.cdist(pair))
    with pytest.raises(ValueError, match="series 1 has length 0"):
        ww.Dataset([arrays[0], np.zeros(0)])
    with pytest.raises(ValueError, match="1 and 2 channels"):
        ww.Dataset([arrays[0], pair[0]])


def test_lengths_are_the_users_own():
    data = ww.Dataset([np.zeros(3), np.zeros(5)])
    data.lengths[0] = 7
    assert data.lengths.tolist() == [3, 5] and data.longest == 5


def test_cells_outlive_what_found_them(rng):
    x = rng.normal(size=(4, 9))
    cells, distances = ww.paths(x, x[::-1])
    first, values = cells[0].copy(), distances.copy()
    ww.paths(x, x)
    np.testing.assert_array_equal(cells[0], first)
    np.testing.assert_array_equal(distances, values)
    cells[0][:] = 0  # they are the caller's


def test_texts():
    assert ww.cdist(["kitten"], ["sitting", "kitten"], "levenshtein").tolist() == [[3, 0]]


def test_dlpack_and_tensors(rng):
    x = rng.normal(size=(3, 8))

    class Capsule:
        def __dlpack__(self, **options):
            return x.__dlpack__(**options)

        def __dlpack_device__(self):
            return x.__dlpack_device__()

    np.testing.assert_array_equal(ww.cdist(Capsule()), ww.cdist(x))
    np.testing.assert_array_equal(ww.cdist(memoryview(x)), ww.cdist(x))
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    np.testing.assert_array_equal(ww.cdist(torch.tensor(x, requires_grad=True)), ww.cdist(x))


def test_pandas(rng):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    x = rng.normal(size=(3, 2, 5))
    np.testing.assert_array_equal(ww.cdist(pandas.DataFrame(x[:, 0])), ww.cdist(x[:, 0]))
    rows = [
        {"id": f"s{i}", "t": t, "a": x[i, 0, t], "b": x[i, 1, t], "y": "even" if i % 2 == 0 else "odd"}
        for t in reversed(range(5))
        for i in range(3)
    ]
    data = ww.Dataset.from_long(pandas.DataFrame(rows), series="id", time="t", values=["a", "b"], label="y")
    np.testing.assert_allclose(ww.cdist(data), matrix(x, x))
    assert data.classes.tolist() == ["even", "odd"] and data.codes.tolist() == [0, 1, 0]
    rows[4]["id"] = None
    with pytest.raises(ValueError, match="no series"):
        ww.Dataset.from_long(pandas.DataFrame(rows), series="id", time="t", values="a")
    own = pandas.DataFrame([[1, 2], [3, 4]], dtype="Int64")
    np.testing.assert_array_equal(ww.cdist(own), ww.cdist([[1.0, 2], [3, 4]]))
    own.iloc[1, 0] = None
    with pytest.raises(ValueError, match="series 1 has NaN"):
        ww.cdist(own)


@pytest.mark.parametrize(
    "series, says",
    [
        ([np.zeros((2, 3)), np.zeros((1, 3))], "axes='ntc'"),
        (np.zeros(5), "one series alone"),
        (np.zeros((2, 2, 2, 2)), "neither"),
        (np.zeros((0, 5)), "no series"),
        (np.zeros((3, 0)), "length 0"),
        ([np.zeros((2, 3)), np.zeros((1, 3))], "channels"),
        ([], "there are no series"),
        (np.zeros(4), "one series alone"),
        ([[1.0, 2.0], [1.0, float("nan")]], "series 1 has NaN"),
        (np.ma.masked_equal([[1, 2], [3, 9]], 9), "series 1 has NaN"),
    ],
)
def test_bad_series(series, says):
    with pytest.raises(ValueError, match=says):
        ww.cdist(series)


def test_errors_say_what_to_do():
    with pytest.raises(TypeError):
        ww.cdist(np.array([["a", "b"]]))
    with pytest.raises(ValueError) as caught:
        ww.cdist([[1.0, 2.0, float("inf")]])
    assert caught.value.status == "WW_ERROR_NOT_FINITE"
    assert (caught.value.series, caught.value.position, caught.value.channel) == (0, 2, 0)
    with pytest.raises(ValueError, match="dtw, frechet"):
        ww.Measure("no such measure")
    with pytest.raises(ww.FileError, match="nowhere") as caught:
        ww.read("/nowhere")
    assert isinstance(caught.value, OSError)
    with pytest.raises(ValueError, match="axes"):
        ww.cdist(np.zeros((2, 3, 4)), axes="tnc")
    with pytest.raises(MemoryError):
        ww.paths(np.zeros((2, 300)), np.zeros((2, 300)), max_bytes=1)
    with pytest.raises(ValueError, match="undeclared"):
        ww.cdist(np.zeros((2, 3)), cost_expression="undeclared * x")
    with pytest.raises(ValueError, match="no keyword windw=: band=.*slanted"):
        ww.cdist(np.zeros((2, 3)), windw=3)
    with pytest.raises(ValueError, match="no parameter 'foo=3'. root, .*band="):
        ww.cdist(np.zeros((2, 3)), foo=3)
    with pytest.raises(TypeError, match="None"):
        ww.cdist(None)
    with pytest.raises(TypeError, match="progress is True"):
        ww.cdist(np.zeros((2, 3)), progress=3)
    with pytest.raises(ValueError, match="max_bytes is -1"):
        ww.cdist(np.zeros((2, 3)), max_bytes=-1)
    x = np.zeros((5, 2))
    for search in (ww.kneighbors, ww.knn, lambda x, k: ww.LSH(x).search(k=k)):
        for k in (-1, 0):
            with pytest.raises(ValueError, match=f"k is {k}; (it can be 1 to|at least one)"):
                search(x, k=k)


def test_out(rng):
    x = rng.normal(size=(4, 6))
    out = np.empty((4, 4))
    assert ww.cdist(x, out=out) is out
    np.testing.assert_array_equal(out, ww.cdist(x))
    wide = np.full((4, 7), -1.0)
    ww.cdist(x, out=wide[:, :4])
    np.testing.assert_array_equal(wide[:, :4], out)
    assert (wide[:, 4:] == -1).all()
    fixed = np.broadcast_to(np.zeros(4), (4, 4)), np.frombuffer(bytes(224)).reshape(4, 7)[:, :4]
    for bad in (np.empty((4, 3)), np.empty((4, 4), np.float32), np.empty((4, 4))[:, ::-1], *fixed):
        with pytest.raises(ValueError, match="out has to be"):
            ww.cdist(x, out=bad)
    with pytest.raises(TypeError, match="not list"):
        ww.cdist(x, out=[0.0] * 16)


def test_update(rng):
    x, z = rng.normal(size=(3, 6)), rng.normal(size=(3, 6))
    data = ww.Dataset(x, updates=True)
    plan = ww.Plan("dtw", data)
    np.testing.assert_allclose(plan.run(), matrix(x, x))
    data.update(z)
    np.testing.assert_allclose(plan.run(), matrix(z, z))
    with pytest.raises(ValueError):
        data.update(z[:2])


def test_progress(rng):
    x = rng.normal(size=(30, 50))
    calls = []
    want = ww.cdist(x, progress=lambda done, total: calls.append((done, total)))
    assert calls and calls[-1][0] == calls[-1][1]

    class Bar:  # what tqdm has
        n, total = 0, None

        def update(self, by):
            self.n += by

    bar = Bar()
    np.testing.assert_array_equal(ww.cdist(x, progress=bar), want)
    assert bar.n == bar.total > 0

    def stop(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        ww.cdist(x, progress=stop)


def test_other_threads_run(rng):
    x = rng.normal(size=(100, 400))
    ww.cdist(x[:3])
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    ww.cdist(x)
    stop.set()
    thread.join()
    assert counted[0] > 5


def test_threads(rng):
    x = rng.normal(size=(8, 20))
    want, got = ww.cdist(x), [None] * 4
    threads = [threading.Thread(target=lambda i=i: got.__setitem__(i, ww.cdist(x))) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((values == want).all() for values in got)


def _in_child(_):
    try:
        ww.distance([1.0, 2], [2.0, 1])
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "computed"


def test_fork_is_refused():
    ww.distance([1.0, 2], [2.0, 1])
    with multiprocessing.get_context("fork").Pool(1) as pool:
        told = pool.apply_async(_in_child, (0,)).get(timeout=3000)
    assert "fork" in told and "spawn" in told


def test_measures_are_values():
    measure = ww.Measure("dtw", band="sakoe-chiba:10%", root=True)
    assert pickle.loads(pickle.dumps(measure)) == measure == ww.Measure("dtw,root,band=sakoe-chiba:10%")
    assert hash(measure) and measure != ww.Measure("dtw") and measure.name == "dtw"
    assert ww.Measure("msm", c=0.5).info.name == "msm" and measure.info.is_symmetric
    assert ww.Measure("dtw", band="sakoe-chiba:2").cells(10, 10) == 10 + 2 * (9 + 8)
    lo, hi = ww.Measure("dtw", band="sakoe-chiba:1").band_rows(3, 3)
    assert lo.tolist() == [0, 0, 1] and hi.tolist() == [2, 3, 3]
    assert ww.parse_band("sakoe-chiba:10%", 50) == ("sakoe-chiba", 5)
    assert ww.Measure(measure, gamma=0.5).gamma == 0.5
    assert ww.Measure(measure, root=False).text == "dtw,band=sakoe-chiba:10%"
    rows = ww.Measure("dtw", band=([0, 0, 1], [2, 3, 3]))
    assert ww.Measure(rows, band="sakoe-chiba:0").cells(3, 3) == 3 and ww.Measure(rows, root=True).cells(3, 3) == 7
    with pytest.raises(ValueError):
        ww.Measure("dtw", band="sakoe-chiba:x")
    with pytest.raises(ValueError):
        ww.Measure("msm", nu=3)


@pytest.mark.parametrize("name", [m.name for m in ww.measures() if m.name not in ("user", "levenshtein", "lcs")])
def test_every_measure(name, rng):
    x, y = rng.normal(size=12), rng.normal(size=10)
    one = ww.distance(x, y, name)
    assert np.isfinite(one)
    if name == "dtw":
        np.testing.assert_allclose(one, dtw(x, y))


def test_options_of_measures(rng):
    x = rng.normal(size=(4, 10))
    np.testing.assert_allclose(ww.cdist(x, band="sakoe-chiba:2"), matrix(x, x, width=2))
    np.testing.assert_allclose(ww.cdist(x, band="sakoe-chiba:20%", root=True), np.sqrt(matrix(x, x, width=2)))
    lo, hi = ww.Measure("dtw", band="sakoe-chiba:2").band_rows(10, 10)
    np.testing.assert_allclose(ww.cdist(x, band=(lo, hi)), matrix(x, x, width=2))
    np.testing.assert_allclose(ww.cdist(x, x, gamma=0.5), matrix(x, x, gamma=0.5), rtol=1e-9)
    query, series = x[0, 3:6], x[0]
    assert ww.distance(query, series, relax=(0, 0, None, None)) == 0
    own = "real ww_user_cell(real cost, real left, real up, real diagonal)"
    with pytest.raises(ww.Error):
        ww.cdist(x, measure="user", recurrence=own)


def test_time_stamps():
    x, stamps = np.array([[1.0, 2, 3]]), np.array([1.0, 2, 4])
    made = ww.SeriesSet(x)
    made.set_times(0, stamps)
    other = np.array([[2.0, 2, 1]])
    a = ww.cdist(made, ww.SeriesSet(other), "twed", nu=0.5)
    b = ww.cdist(ww.Dataset(np.stack([x, stamps[None]], axis=1), times=True), ww.Dataset(other), "twed", nu=0.5)
    assert a == b != ww.cdist(x, other, "twed", nu=0.5)


def test_pairs_and_rectangles(rng):
    x, y = ww.Dataset(rng.normal(size=(5, 8))), ww.Dataset(rng.normal(size=(5, 8)))
    full = ww.cdist(x, y)
    np.testing.assert_allclose(ww.pairs(x, y), np.diag(full))
    np.testing.assert_allclose(ww.pairs(x, y, indices=([0, 4, 2], [1, 1, 3])), full[[0, 4, 2], [1, 1, 3]])
    plan = ww.Plan("dtw", x, y)
    np.testing.assert_array_equal(ww.Plan("dtw", np.zeros((2, 3)), np.ones((1, 3), np.float32)).run(), [[3], [3]])
    np.testing.assert_allclose(plan.rectangle(1, 2, 3, 2), full[1:3, 3:5])
    assert plan.cells() == 25 * 64 and plan.cells(1, 2, 3, 2) == 4 * 64
    with pytest.raises(ValueError):
        plan.rectangle(4, 2, 0, 1)
    with pytest.raises(ValueError):
        ww.pairs(x, y, indices=([0, -1], [1, 1]))
    condensed = ww.pdist(x)
    np.testing.assert_allclose(condensed, ww.cdist(x)[np.triu_indices(5, 1)])


def test_nearest(rng):
    x, y = rng.normal(size=(4, 12)), rng.normal(size=(9, 12))
    full = matrix(x, y)
    values, indices = ww.kneighbors(x, y, 3)
    np.testing.assert_array_equal(indices, np.argsort(full, axis=1, kind="stable")[:, :3])
    np.testing.assert_allclose(values, np.sort(full, axis=1)[:, :3])
    alone = ww.kneighbors(x, k=1)[1][:, 0]
    assert (alone != np.arange(4)).all()
    a, b = ww.Dataset(y[:4]), ww.Dataset(y[4:])
    q = ww.Dataset(x)
    first, second = ww.nearest_shard(q, a, 3), ww.nearest_shard(q, b, 3, base_offset=4)
    merged = ww.merge_neighbours(first, second)
    np.testing.assert_array_equal(merged[1], indices)
    np.testing.assert_array_equal(ww.topk(full, 3)[1], indices)


def test_paths(rng):
    x, y = rng.normal(size=7), rng.normal(size=9)
    cells, distance = ww.path(x, y)
    assert cells[0].tolist() == [0, 0] and cells[-1].tolist() == [6, 8]
    assert set(map(tuple, np.diff(cells, axis=0))) <= {(0, 1), (1, 0), (1, 1)}
    np.testing.assert_allclose(((x[cells[:, 0]] - y[cells[:, 1]]) ** 2).sum(), distance)
    np.testing.assert_allclose(distance, dtw(x, y))
    several, distances = ww.paths([x, y], [y, x])
    np.testing.assert_array_equal(several[0], cells)
    np.testing.assert_allclose(distances, distance)


def test_files(tmp_path, rng):
    x = rng.normal(size=(4, 2, 6))
    ww.write(tmp_path / "a.ts", x, ["a", "b", "a", "b"])
    made = ww.read(tmp_path / "a.ts")
    np.testing.assert_array_equal(made.to_numpy(), x)
    assert made.labels == ["a", "b", "a", "b"] and made.classes == ["a", "b"] and made.codes.tolist() == [0, 1, 0, 1]
    assert made.read_info.format == "ts" and made.notices == []
    again = pickle.loads(pickle.dumps(made))
    np.testing.assert_array_equal(again.to_numpy(), x)
    assert again.labels == made.labels
    np.save(tmp_path / "b.npy", x.swapaxes(1, 2))
    np.testing.assert_array_equal(ww.read(tmp_path / "b.npy", axes="ntc").to_numpy(), x)
    with pytest.raises(ValueError):
        ww.read(tmp_path / "b.npy", axes="no")
    (tmp_path / "c.csv").write_text("1,nan,2\n")
    made = ww.read(tmp_path / "c.csv", rows="series")
    assert made.missing == 1
    made.fill_missing("drop")
    assert made.lengths.tolist() == [2] and len(made) == 1
    made.znormalise()
    np.testing.assert_allclose(made[0], [[-1, 1]])
    with pytest.raises(IndexError):
        made[1]
    made = ww.SeriesSet([x[0], x[1][:, :3]])
    made.embed(2)
    wide = [np.pad(some, ((0, 0), (2, 2)), "edge") for some in (x[0], x[1][:, :3])]
    wide = [np.lib.stride_tricks.sliding_window_view(some, 5, axis=1).swapaxes(1, 2).reshape(10, -1) for some in wide]
    np.testing.assert_array_equal(made[0], wide[0])
    np.testing.assert_array_equal(made[1], wide[1])
    np.testing.assert_array_equal(ww.cdist(made), ww.cdist(wide, axes="ct"))
    with pytest.raises(OSError):
        ww.write("/nonexistent/x.ts", x)
    distances = ww.cdist(x)
    ww.write_array(tmp_path / "d.npy", distances)
    np.testing.assert_array_equal(np.load(tmp_path / "d.npy"), distances)
    with ww.ArrayFile(tmp_path / "e.npy", (4, 4)) as file:
        file.put(0, 0, distances[:, :2])
        file.put(0, 2, distances[:, 2:])
    np.testing.assert_array_equal(np.load(tmp_path / "e.npy"), distances)
    with pytest.raises(RuntimeError), ww.ArrayFile(tmp_path / "f.npy", (4, 4)):
        raise RuntimeError
    assert not (tmp_path / "f.npy").exists()


def test_program_is_found():
    from wavewarp.__main__ import program

    path = program()
    if path is None:
        pytest.skip("the program is not installed with this package")
    told = subprocess.run([sys.executable, "-m", "wavewarp", "measures"], capture_output=True, text=True, check=True)
    assert "dtw" in told.stdout


def test_float_that_loses_digits_is_told():
    far = 1e8 + np.array([[1, 2, 4.0], [1, 2, 3]])
    for made in (
        lambda: ww.Dataset(far, precision="float"),
        lambda: ww.cdist(far, precision="float"),
        lambda: ww.Points(far, precision="float"),
        lambda: ww.Dataset(ww.SeriesSet(far), precision="float"),
        lambda: ww.Dataset(far * 1e-30, precision="float"),
    ):
        with pytest.warns(UserWarning, match="float .*precision='double' does"):
            made()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ww.Dataset(far)
        ww.Dataset(far - 1e8, precision="float")
        ww.Dataset(far.astype(np.float32))
        ww.Points(far.astype(np.float32))


def test_open_end_behind_a_band():
    x, y = np.arange(5.0), np.r_[np.arange(5.0), np.full(15, 9.0)]
    band = {"band": "sakoe-chiba:5"}
    assert ww.distance(x, y, relax=(0, 0, 0, None), **band) == 0
    assert ww.distance(y, x, relax=(0, None, 0, 0), **band) == 0
    assert ww.distance(x, y, relax=(0, 0, 0, 10), **band) == 125  # to y[9], five times
    found, value = ww.path(x, y, relax=(0, 0, 0, None), **band)
    assert value == 0 and found.tolist() == [[i, i] for i in range(5)]
    for relax in ((0, 0, 0, 9), (0, None, 0, 0), (0, 0, None, 0)):
        with pytest.raises(ValueError, match="no path"):
            ww.distance(x, y, relax=relax, **band)


def test_whole_numbers_beyond_double():
    far = 2**60 + np.array([[1, 5, 9, 40], [1, 6, 9, 41]])
    for made in (
        lambda: ww.cdist(far),
        lambda: ww.knn(far),
        lambda: ww.profile(2**60 + np.arange(50) % 7, 5),
        lambda: ww.search(far[:1, :2], far),
        lambda: ww.Dataset(far.astype(np.uint64)),
        lambda: ww.Monitor(far[:1], 1.0),
    ):
        with pytest.raises(ValueError, match="subtract an offset"):
            made()
    assert ww.cdist(far - 2**60)[0, 1] == 2
    # What double holds, or what is lost beside what they differ by, is no fault.
    ww.cdist(np.array([[2**53, 2**53 - 1], [0, 2**62]]))
    ww.cdist(1_700_000_000_000_000_000 + 10**9 * np.arange(12).reshape(2, 6))
    ww.cdist(np.random.default_rng(1).integers(-(2**62), 2**62, size=(3, 5)))
