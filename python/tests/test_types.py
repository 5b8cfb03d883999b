# SPDX-License-Identifier: Apache-2.0
"""The type hints agree with each other and with the code."""

import inspect
import pathlib

import pytest

import wavewarp


def test_mypy(tmp_path):
    api = pytest.importorskip("mypy.api", reason="mypy is not installed")
    package = pathlib.Path(wavewarp.__file__).parent
    assert (package / "py.typed").exists()
    told, errors, failed = api.run(["--ignore-missing-imports", "--cache-dir", str(tmp_path), str(package)])
    assert not failed, told + errors


USER = """
import numpy as np
import wavewarp as ww

x = np.zeros((4, 10))
data = ww.Dataset(x, ["a", "b", "a", "b"])
matrix: np.ndarray = ww.cdist(data, measure=ww.Measure("dtw", band="sakoe-chiba:10%"))
number: float = ww.distance(x[0], x[1])
values, indices = ww.kneighbors(data, k=2)
merges: np.ndarray = ww.linkage(ww.pdist(data))
plan = ww.Plan("dtw", data)
plan.prepare()
plan.run(np.empty((4, 4)))
cells: int = plan.cells()
ww.Gradient(ww.Measure("dtw", gamma=1.0), data).run().rows
index = ww.LSH(x, tables=3)
index.set_options(probes=1)
distances, ids = index.search(k=2)
ww.profile(x[0], 4).motifs(1)
words: str = ww.Shapelets(min_length=3).fit(data).to_json()
ww.Monitor(x[:1], 1.0).push(x[0])
ww.cdist(x, progress=lambda done, total: None, context=ww.Context([0]))
ww.search_places(1.5, "x")
"""


def test_strict_users(tmp_path):
    """A user's own code passes mypy --strict, and what is wrong in it is found."""
    api = pytest.importorskip("mypy.api", reason="mypy is not installed")
    script = tmp_path / "user.py"
    script.write_text(USER)
    folder = str(pathlib.Path(wavewarp.__file__).parent.parent)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MYPYPATH", folder)
        told, _, _ = api.run(["--strict", "--follow-imports=silent", "--cache-dir", str(tmp_path), str(script)])
    found = [line for line in told.splitlines() if "user.py:" in line]
    assert len(found) == 2 and all("search_places" in line for line in found), told


def test_names():
    modules = {name for name in vars(wavewarp) if isinstance(getattr(wavewarp, name), type(pathlib))}
    public = {name for name in vars(wavewarp) if not name.startswith("_")} - modules - {"lib", "text"}
    assert public == set(wavewarp.__all__)


def members(kind):
    found = [value for name, value in vars(kind).items() if not name.startswith("_")]
    return [value for value in found if callable(value) or isinstance(value, (property, classmethod, staticmethod))]


def test_everything_is_described():
    for name in wavewarp.__all__:
        value = getattr(wavewarp, name)
        for part in [value, *(members(value) if inspect.isclass(value) else [])]:
            assert inspect.getdoc(part), (name, part)
