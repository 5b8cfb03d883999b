# SPDX-License-Identifier: Apache-2.0
"""Files that libraries of others read, file objects, sets of the archives, padded arrays, tables of Arrow."""

import io

import numpy as np
import pytest

import wavewarp as ww

X = np.random.default_rng(0).normal(size=(6, 20)).astype(np.float32)
Y = [f"c{i % 2}" for i in range(6)]


def values(made):
    return np.array([made[i] for i in range(len(made))])


def table():
    arrow = pytest.importorskip("pyarrow")
    return arrow.table({**{f"t{i}": X[:, i] for i in range(20)}, "label": Y})


@pytest.mark.parametrize("name", ["a.parquet", "a.feather", "a.arrow", "stream.arrow", "misnamed.bin"])
def test_tables(tmp_path, name):
    made, path = table(), tmp_path / name
    if name == "stream.arrow":
        with pytest.importorskip("pyarrow.ipc").new_stream(str(path), made.schema) as to:
            to.write_table(made)
    elif name in ("a.parquet", "misnamed.bin"):
        pytest.importorskip("pyarrow.parquet").write_table(made, path)
    else:
        pytest.importorskip("pyarrow.feather").write_feather(made, str(path))
    with pytest.warns(ww.Notice, match="taken as the labels"):
        found = ww.read(path)
    assert np.array_equal(values(found)[:, 0], X.astype(np.float64))  # all digits of the floats
    assert found.labels == Y
    with open(path, "rb") as file:
        assert len(ww.read(file, csv_label="last")) == 6
    (tmp_path / ("cut" + name)).write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(ww.FileError, match="cut"):
        ww.read(tmp_path / ("cut" + name))


def test_a_table_of_points(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    hours = np.arange("2024-01-01T00", "2024-01-01T05", dtype="datetime64[h]").astype("datetime64[us]")
    parquet.write_table(arrow.table({"time": hours, "a": [1, 2, None, 4, 5], "b": X[0, :5]}), tmp_path / "p.parquet")
    with pytest.warns(ww.Notice, match="column 1 'time'"):
        found = ww.read(tmp_path / "p.parquet", missing="interpolate")
    assert found[0][0].tolist() == [1, 2, 3, 4, 5]
    assert np.diff(found.times(0)).tolist() == [3600] * 4


def test_lists_in_cells(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    made = {"x": [[1.0, 2, 3], [2.0, 3]], "y": [[1.0, 2, 3], [2.0, 3]], "class": ["u", "v"], "z": [1, 2]}
    parquet.write_table(arrow.table(made), tmp_path / "l.parquet")
    with pytest.warns(ww.Notice, match="columns z have no lists"):
        found = ww.read(tmp_path / "l.parquet")
    assert found[1].tolist() == [[2, 3], [2, 3]] and found.labels == ["u", "v"]


def test_hdf5(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["X"] = X
    assert np.array_equal(values(ww.read(tmp_path / "a.h5"))[:, 0], X)
    with h5py.File(tmp_path / "b.h5", "w") as file:
        file["g/X"], file["Y"] = X, X[:2]
    assert len(ww.read(f"{tmp_path}/b.h5:g/X")) == 6
    for name, told in ("b.h5", "several arrays: it holds Y, g/X"), ("b.h5:q", "no array 'q'"):
        with pytest.raises(ww.FileError, match=told):
            ww.read(f"{tmp_path}/{name}")


def test_matlab(tmp_path):
    scipy = pytest.importorskip("scipy.io")
    scipy.savemat(tmp_path / "a.mat", {"X": X, "Y": X[:3]})
    assert np.array_equal(values(ww.read(f"{tmp_path}/a.mat:Y"))[:, 0], X[:3])
    cells = np.empty((2, 1), object)
    cells[0, 0], cells[1, 0] = X[0], X[1, :7]
    scipy.savemat(tmp_path / "c.mat", {"C": cells})
    assert ww.read(tmp_path / "c.mat").lengths.tolist() == [20, 7]


def test_sound(tmp_path):
    sound = pytest.importorskip("soundfile")
    wave = np.random.default_rng(1).uniform(-0.5, 0.5, (100, 2))
    sound.write(tmp_path / "a.wav", wave, 8000, "DOUBLE")
    assert np.array_equal(ww.read(tmp_path / "a.wav")[0], wave.T)
    (tmp_path / "b.wav").write_bytes((tmp_path / "a.wav").read_bytes()[:300])
    with pytest.raises(ww.FileError, match="cut short"):
        ww.read(tmp_path / "b.wav")


def test_what_is_not_there(tmp_path):
    for name in "a.parquet", "a.h5", "a.mat", "a.wav", "a.csv":
        with pytest.raises(ww.FileError, match="can't be opened"):
            ww.read(tmp_path / name)


def test_file_objects():
    assert values(ww.read(io.StringIO("1,2,3\n4,5,6\n")))[:, 0].tolist() == [[1, 2, 3], [4, 5, 6]]
    named = io.BytesIO(b"ACGT\nAC\n")
    named.name = "a.txt"
    assert ww.read(named, format="text").lengths.tolist() == [4, 2]
    assert ww.read(io.BytesIO(b">a\nACG\nT\n>b\nACC\n")).lengths.tolist() == [4, 3]
    whole = io.BytesIO()
    np.save(whole, X)
    assert len(ww.read(io.BytesIO(whole.getvalue()))) == 6
    with pytest.raises(ValueError, match="the file is empty"):
        ww.read(io.BytesIO(b""))
    with pytest.raises(ww.FileError, match="line|2:1|'x'"):
        ww.read(io.StringIO("1,2,3\nx,5,6\n"), csv_label="none")


def test_numbers_alone(tmp_path):
    ww.write(tmp_path / "x.f32", X[:1])
    assert np.array_equal(ww.read(tmp_path / "x.f32")[0][0], X[0])
    with pytest.raises(ValueError, match="one series, not 6"):
        ww.write(tmp_path / "x.f32", X)


def test_sets_of_the_archives(tmp_path):
    for folder in tmp_path, tmp_path / "Two":
        folder.mkdir(exist_ok=True)
    for part in "TRAIN", "TEST":
        ww.write(tmp_path / f"One_{part}.ts", X, Y)
        ww.write(tmp_path / "Two" / f"Two_{part}.tsv", X, Y)
    for name in "One", "Two":
        made = ww.load_dataset(name, tmp_path)
        assert len(made.train) == 6 and made.test.labels == Y
        assert len(ww.load_dataset(name, tmp_path, split="test")) == 6
    with pytest.raises(FileNotFoundError, match="Three_TRAIN"):
        ww.load_dataset("Three", tmp_path)
    with pytest.raises(ValueError, match="split is 'all'"):
        ww.load_dataset("One", tmp_path, split="all")


def test_padding_of_other_libraries():
    padded = np.full((3, 8, 1), np.nan)
    for i in range(3):
        padded[i, : 4 + i, 0] = X[i, : 4 + i]
    with pytest.warns(ww.Notice, match="3 series end in NaN"):
        data = ww.Dataset(padded, axes="ntc")
    assert data.lengths.tolist() == [4, 5, 6]
    assert ww.Dataset(padded, axes="ntc", allow_nan=True).lengths.tolist() == [8, 8, 8]
    padded[1, 2] = np.nan
    with pytest.warns(ww.Notice), pytest.raises(ValueError, match="NaN|finite|missing"):
        ww.Dataset(padded, axes="ntc")


def test_tables_of_arrow():
    made = table().drop_columns(["label"])
    pytest.importorskip("pandas")
    wanted = ww.cdist(X)
    assert np.array_equal(ww.cdist(made), wanted)
    narwhals = pytest.importorskip("narwhals")
    assert np.array_equal(ww.cdist(narwhals.from_native(made)), wanted)
