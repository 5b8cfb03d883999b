# SPDX-License-Identifier: Apache-2.0
"""Pictures, and tiles on Dask."""

import importlib
import sys
import time

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


def overlapping(axis):
    """Whether the names beside an axis cover each other."""
    boxes = [label.get_window_extent() for label in axis.get_ticklabels() if label.get_text()]
    return any(a.overlaps(b) for a, b in zip(boxes, boxes[1:]))


def test_motifs_are_told_apart(rng):
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    from wavewarp import plot

    _, ax = pyplot.subplots()
    plot.profile(ww.profile(rng.normal(size=400).cumsum(), 20), motifs=2, discords=2, ax=ax)
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["motif 1", "motif 2", "discord 1", "discord 2"]
    assert len({line.get_color() for line in ax.lines}) == 5
    matches = ww.search(rng.normal(size=20), rng.normal(size=400), znormalise=True, k=3)
    _, ax = pyplot.subplots()
    plot.search(rng.normal(size=400), matches, ax=ax)
    assert [t.get_text().partition(":")[0] for t in ax.get_legend().get_texts()] == ["match 1", "match 2", "match 3"]
    _, ax = pyplot.subplots()
    many = ww.cdist(rng.normal(size=(60, 9)))
    plot.matrix(many, labels=[f"series number {i}" for i in range(60)], ax=ax)
    assert len(ax.get_yticks()) <= 24
    pyplot.close("all")


class Bar:
    """As a notebook's: it takes another total by reset() alone."""

    def __init__(self, total=None):
        self.total, self.shown, self.n, self.resets = total, None, 0, 0

    def reset(self, total):
        self.total = self.shown = total
        self.n, self.resets = 0, self.resets + 1

    def update(self, count):
        self.n += count


def test_a_notebooks_bar(rng):
    x, bar = rng.normal(size=(60, 40)), Bar()
    for count in (60, 40, 40):
        ww.cdist(x[:count], progress=bar)
        assert bar.n == bar.total == bar.shown > 0
    assert bar.resets >= 3


def test_bars_of_tqdm(rng, monkeypatch, capsys):
    module = pytest.importorskip("tqdm.auto")
    made = []

    class Kept(module.tqdm):
        def __init__(self, **options):
            made.append(self)
            super().__init__(**options)

    monkeypatch.setattr(module, "tqdm", Kept)
    x = rng.normal(size=(300, 100))
    ww.cdist(x, progress=True)
    assert made and made[-1].n == made[-1].total and made[-1].disable  # closed
    assert "it/s" not in capsys.readouterr().err
    with Kept(total=None) as bar:
        begun = time.time()
        ww.cdist(x, progress=bar)
        assert bar.format_dict["elapsed"] >= 0.5 * (time.time() - begun)
        assert bar.n == bar.total


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
        lambda ax: plot.confusion([[3, 1], [0, 4]], ["a", "b"], ax=ax),
        lambda ax: plot.clusters(series, np.arange(len(series)) % 14, ax=ax),
        lambda ax: plot.path(np.stack([series[0]] * 2), np.stack([series[1]] * 2), channel=1, ax=ax),
    ]
    for picture in pictures:
        figure, ax = pyplot.subplots()
        assert picture(ax) is ax and (ax.lines or ax.images)
        assert ax.get_xlabel() and ax.get_ylabel()
        figure.canvas.draw()
        for axis in (ax.xaxis, ax.yaxis):
            assert not overlapping(axis), picture
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
