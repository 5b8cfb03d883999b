# SPDX-License-Identifier: Apache-2.0
"""One object in several threads: each gets the results of one thread."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import wavewarp as ww

RNG = np.random.default_rng(6)
X, POINTS, STREAM = RNG.normal(size=(40, 40)), RNG.normal(size=(2000, 8)), RNG.normal(size=2000).cumsum()
TABLES = {"tables": 8, "functions": 4, "width": 3.0}


def plan():
    made = ww.Plan("dtw", X)
    return lambda: (made.run(), made.info.pairs)


def gradient():
    made = ww.Gradient(ww.Measure("dtw", gamma=1.0), X)
    return lambda: (made.run().rows,)


def nearest():
    made = ww.NearestPlan("dtw", ww.Dataset(X), k=3)
    return made.run


def searching():
    made = ww.Search(X[:2], znormalise=True, k=2)
    return lambda: (made.run(STREAM[None]),)


def profile():
    made = ww.ProfilePlan(STREAM, 50)
    return lambda: (made.run().indices, made.run().discords(2))


def tables():
    made = ww.LSH(POINTS, **TABLES)
    return lambda: made.search(k=5)


@pytest.mark.parametrize("make", [plan, gradient, nearest, searching, profile, tables])
def test_threads(make):
    job = make()
    wanted = job()
    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(lambda _: job(), range(24)):
            assert all(np.array_equal(a, b) for a, b in zip(found, wanted))


def test_threads_of_a_context(rng):
    """A part of a CPU computes the same; its numbers of threads are those asked for, at most those there are."""
    if ww.default_context().device.type != "cpu":
        pytest.skip("the device is no CPU")
    x, units = rng.normal(size=(9, 30)), ww.default_context().device.compute_units
    for threads in (1, units, units + 5):
        context = ww.Context(threads=threads)
        assert context.device.compute_units == min(threads, units)
        np.testing.assert_array_equal(ww.cdist(x, context=context), ww.cdist(x))
