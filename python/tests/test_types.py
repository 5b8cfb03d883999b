# SPDX-License-Identifier: Apache-2.0
"""The type hints agree with each other and with the code."""

import inspect
import json
import pathlib
import re

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
found = ww.search(x[:1], x, znormalise=True, k=2, band="sakoe-chiba:1")
begins: np.ndarray = found["begin"]
told = ww.classify(data, data, "twed", k=3, lmbda=0.5, nu=0.1)
right: float = told.accuracy or 0.0
nearest: np.ndarray = ww.kneighbors(data).indices
ww.Dataset.from_long({"id": [1], "v": [2.0]}, series="id", values="v", allow_nan=True)
"""

# A misspelt keyword, another library's or one of another type is found in each of these.
WRONG = """
ww.search_places(1.5, "x")
ww.cdist(x, znormalize=True)
ww.cdist(x, bnd="sakoe-chiba:1")
ww.pdist(x, n_jobs=2)
ww.pairs(x, x, gama=1.0)
ww.distance(x[0], x[1], window=0.1)
ww.kneighbors(x, neighbors=2)
ww.path(x[0], x[1], squared=True)
ww.paths(x, x, "msm", cc=1.0)
ww.Plan("dtw", data, widow=1)
ww.search(x[:1], x, znormalize=True)
ww.Search(x[:1], normalize=True)
ww.Monitor(x[:1], 1.0, normalize=True)
ww.profile(x[0], 4, lef_right=True)
ww.classify(data, kk=3)
ww.Classifier(data, vot="distance")
ww.average(x, iteration=3)
ww.average(x).centroid
ww.kmeans(x, 2, n_init=3)
ww.soft(x, gama=1.0)
ww.read("x", mising="drop")
ww.Dataset.from_long({}, series="id", value="v")
ww.Shapelets(min_lenght=3)
ww.LSH(x, table=3)
index.set_options(probe=1)
index.search_shard(base_ofset=1)
ww.Measure("dtw", bands="x")
ww.kmeans(x, 2).lables
"""


def test_strict_users(tmp_path):
    """A user's own code passes mypy --strict, and what is wrong in it is found."""
    api = pytest.importorskip("mypy.api", reason="mypy is not installed")
    script = tmp_path / "user.py"
    script.write_text(USER + WRONG)
    folder = str(pathlib.Path(wavewarp.__file__).parent.parent)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MYPYPATH", folder)
        told, _, _ = api.run(["--strict", "--follow-imports=silent", "--cache-dir", str(tmp_path), str(script)])
    first = len(USER.splitlines())
    found = {int(line.split(":")[1]) - first for line in told.splitlines() if "user.py:" in line and "error:" in line}
    wrong = WRONG.splitlines()
    assert min(found) > 0, told
    assert not [line for number, line in enumerate(wrong, 1) if line and number not in found], told


DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.skipif(not DOCS.exists(), reason="no pages beside these tests")
def test_strict_examples(tmp_path):
    """The code of the pages and of the notebooks passes mypy --strict."""
    api = pytest.importorskip("mypy.api", reason="mypy is not installed")
    for path in [DOCS / f"{name}.md" for name in ("python", "tutorial-python", "gallery", "scale")]:
        code = re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
        (tmp_path / f"{path.stem.replace('-', '_')}.py").write_text("\n".join(code), encoding="utf-8")
    for path in (DOCS / "notebooks").glob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        (tmp_path / f"{path.stem.replace('-', '_')}.py").write_text("\n".join(code), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MYPYPATH", str(pathlib.Path(wavewarp.__file__).parent.parent))
        ignored = ["--follow-imports=silent", "--ignore-missing-imports", "--disable-error-code=import-untyped"]
        told, _, status = api.run(["--strict", *ignored, "--cache-dir", str(tmp_path / "cache"), *map(str, tmp_path.glob("*.py"))])
    assert status == 0, told


def test_parameters():
    """What a type checker knows of measures' parameters is what the library has."""
    from wavewarp._measure import Options, Parameters

    library = {parameter.name for measure in wavewarp.measures() for parameter in measure.parameters}
    assert set(Parameters.__annotations__) == library | {"lmbda"}
    named = set(inspect.signature(wavewarp.Measure).parameters) - {"text", "parameters"}
    assert set(Options.__annotations__) - set(Parameters.__annotations__) == named


FIELD = ["normalize", "znormalize", "window", "n_jobs", "metric", "distance_params", "psi", "radius", "gama", "bands", "verbose"]


@pytest.mark.parametrize("name", FIELD)
def test_keywords_of_the_field(name):
    """Another library's keyword, or a misspelt one, is answered with ours."""
    with pytest.raises(ValueError, match=f"no keyword {name}=: .*="):
        wavewarp.cdist([[1.0, 2.0], [3.0, 4.0]], **{name: 1})


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
