# SPDX-License-Identifier: Apache-2.0
"""Pictures, and tiles on Dask."""

import importlib
import sys

import numpy as np
import pytest

import wavewarp as ww


@pytest.mark.parametrize("name, module", [("sklearn", "sklearn"), ("torch", "torch"), ("plot", "matplotlib"), ("dask", "dask.array")])
def test_what_to_install(name, module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, f"wavewarp.{name}", raising=False)
    with pytest.raises(ModuleNotFoundError, match=rf"pip install 'wavewarp\[{name}\]'"):
        importlib.import_module(f"wavewarp.{name}")


def test_bar_without_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ModuleNotFoundError, match="pip install tqdm"):
        ww.cdist(np.eye(3), progress=True)


def test_pictures(cbf):
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    from wavewarp import plot

    series, labels = cbf
    stream = series.ravel()
    model = ww.Shapelets(min_length=8, max_length=8, start_step=8, best=1, no_tree=1).fit(series, labels)
    aligned = ww.soft(series[:1], series[1:2], want="alignment", gamma=1).alignment
    pictures = [
        lambda ax: plot.path(series[0], series[1], ax=ax),
        lambda ax: plot.matrix(ww.cdist(series[:6]), labels=labels[:6], ax=ax),
        lambda ax: plot.average(series[:4].mean(0), series[:4], ax=ax),
        lambda ax: plot.clusters(series, labels, ax=ax),
        lambda ax: plot.shapelet(model, 0, series, ax=ax),
        lambda ax: plot.profile(ww.profile(stream, 20), ax=ax),
        lambda ax: plot.search(stream, ww.search(series[:1], stream[None], kind="windows", k=2)[0], ax=ax),
        lambda ax: plot.alignment(aligned[0], ax=ax),
    ]
    for picture in pictures:
        figure, ax = pyplot.subplots()
        assert picture(ax) is ax and (ax.lines or ax.images)
        figure.canvas.draw()
        pyplot.close(figure)


def test_dask(rng):
    pytest.importorskip("dask.array", reason="Dask is not installed")
    from wavewarp import dask

    x, y = rng.normal(size=(11, 8)), rng.normal(size=(7, 8))
    np.testing.assert_array_equal(dask.cdist(x, y, tile=4).compute(scheduler="threads"), ww.cdist(x, y))
    values, indices = dask.kneighbors(x, y, 3, tile=3)
    want = ww.kneighbors(x, y, 3)
    np.testing.assert_array_equal(indices, want[1])
    np.testing.assert_allclose(values, want[0])
