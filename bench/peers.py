#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package beside other libraries for Python, in one run, on data made here: a table in Markdown.

    peers.py [--quick] [--threads N] [CASE ...]

A library that is not installed is left out. Each call is made once before it is timed (compilation, first use), then
again up to five times or five seconds; the least wall time counts, from arrays in host memory to results there. Every
result is compared with ours first: one that differs has no time. The others get series in double, as they compute in
double. Ours are timed with the same ones, and again with float32 arrays, which are computed with in single precision:
beside that time stands the largest relative difference from the result in double, the rounding of the series included.
Points and the soft loss are in single precision alone, for all. --quick: small sizes, to see that it works.
"""

import argparse
import datetime
import importlib
import importlib.metadata
import os
import platform
import time

import numpy as np

import wavewarp as ww


def best(call, most=5, seconds=5.0):
    """The least time of some calls."""
    times, end = [], time.perf_counter() + seconds
    while not times or (len(times) < most and time.perf_counter() < end):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def short(call):
    """The same for calls of microseconds: of batches."""

    def batch():
        for _ in range(50):
            call()

    return best(batch, 100) / 50


def module(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def version(name):
    return importlib.metadata.version({"faiss": "faiss-cpu"}.get(name, name))


def equal(tolerance):
    """Equal but for a share of the largest value."""
    return lambda ours, theirs: np.abs(ours - theirs).max() <= tolerance * np.abs(theirs).max()


def difference(double, single):
    """The largest relative difference of values that are not 0."""
    used = double != 0
    return (np.abs(single[used] - double[used]) / np.abs(double[used])).max(initial=0)


def walks(count, length):
    return np.random.default_rng(length).normal(size=(count, length)).cumsum(axis=1)


# ---- cases: (what, ours of a precision, {library: theirs}, whether results are equal, how it is timed)
# Ours gives the values, and what is compared with others' results where that is something else. Others are compared with
# the first precision.

BOTH = {"double": np.float64, "single": np.float32}
SINGLE = {"single": np.float32}


def over(function, *arrays):
    """A call with these arrays."""
    return lambda: function(*arrays)


def matrices(lengths, threads):
    for length, count in lengths:
        x = walks(count, length)
        peers = {
            "aeon": lambda m: lambda: m("aeon.distances").dtw_pairwise_distance(x, n_jobs=threads),
            "tslearn": lambda m: lambda: m("tslearn.metrics").cdist_dtw(x, n_jobs=threads) ** 2,
            "dtaidistance": lambda m: lambda: m("dtaidistance.dtw").distance_matrix_fast(x) ** 2,
        }
        what = f"matrix, {count} x {count} of {length}"
        yield what, BOTH, lambda kind: over(ww.cdist, x.astype(kind)), peers, equal(1e-6), best


def neighbours(lengths, threads):
    for length, count in lengths:
        x, y = walks(count + count // 4, length)[count:], walks(count + count // 4, length)[:count]
        order = np.arange(count) % 2

        def aeon(m):
            made = m("aeon.classification.distance_based").KNeighborsTimeSeriesClassifier(
                distance="dtw", n_neighbors=1, n_jobs=threads
            )
            made.fit(y[:, None], order)
            return lambda: made.kneighbors(x[:, None])[1]

        def tslearn(m):
            made = m("tslearn.neighbors").KNeighborsTimeSeries(n_neighbors=1, metric="dtw", n_jobs=threads).fit(y)
            return lambda: made.kneighbors(x)[1]

        def dtaidistance(m):
            both, block = np.concatenate([x, y]), ((0, len(x)), (len(x), len(x) + count))

            def call():
                found = m("dtaidistance.dtw").distance_matrix_fast(both, block=block)
                return found[: len(x), len(x) :].argmin(axis=1)[:, None]

            return call

        peers = {"aeon": aeon, "tslearn": tslearn, "dtaidistance": dtaidistance}
        what = f"1-NN, {len(x)} in {count} of {length}"
        yield what, BOTH, lambda kind: over(ww.kneighbors, x.astype(kind), y.astype(kind)), peers, equal(0), best


def single(length):
    x, y = walks(2, length)
    peers = {
        "aeon": lambda m: lambda: m("aeon.distances").dtw_distance(x, y),
        "tslearn": lambda m: lambda: m("tslearn.metrics").dtw(x, y) ** 2,
        "dtaidistance": lambda m: lambda: m("dtaidistance.dtw").distance_fast(x, y) ** 2,
    }
    what = f"one call, {length} with {length}"
    yield what, {"double": np.float64}, lambda kind: over(ww.distance, x, y), peers, equal(1e-9), short


def profiles(points, window):
    x = walks(1, points)[0]
    peers = {"stumpy": lambda m: lambda: m("stumpy").stump(x, window)[:, 0].astype(float)}

    def ours(kind):
        series, precision = x.astype(kind), "float" if kind == np.float32 else "double"
        return lambda: ww.profile(series, window, precision=precision).distances[:, 0]

    yield f"profile, {points} points, windows of {window}", BOTH, ours, peers, equal(1e-4), best


def points(dimensions, count, queries, threads):
    for d in dimensions:
        rng = np.random.default_rng(d)
        base, asked = rng.random((count, d), np.float32), rng.random((queries, d), np.float32)

        def faiss(m):
            m("faiss").omp_set_num_threads(threads)
            index = m("faiss").IndexFlatL2(d)
            index.add(base)
            return lambda: index.search(asked, 10)[0]

        def ours(kind):
            return lambda: ww.knn(asked, base=base, k=10, metric="l2-squared")[0]

        what = f"10 nearest of {count} points in {d} dimensions, {queries} queries"
        yield what, SINGLE, ours, {"faiss": faiss}, equal(1e-4), best


def losses(pairs, length, channels):
    """Of tensors on a GPU where PyTorch has one, beside pytorch-softdtw-cuda's algorithm (soft_cuda.py)."""
    torch = module("torch")
    if torch is None:
        return
    where = "cuda" if torch.cuda.is_available() else "cpu"
    # Z-normalised: of large values tslearn's gradients are off by some thousandths.
    x = walks(2 * pairs * channels, length)
    x = ((x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)).astype(np.float32)
    x = torch.tensor(x.reshape(2 * pairs, channels, length), device=where).transpose(1, 2).contiguous()
    a, b = x[:pairs], x[pairs:]

    def gradient(loss):
        def call():
            x = a.clone().requires_grad_(True)
            loss(x, b).sum().backward()
            return x.grad.cpu().numpy()

        return call

    ours = gradient(importlib.import_module("wavewarp.torch").SoftLoss("dtw", gamma=1.0))
    peers = {
        "cpu": {"tslearn": lambda m: gradient(m("tslearn.metrics").SoftDTWLossPyTorch(gamma=1.0))},
        "cuda": {"soft_cuda": lambda m: gradient(m("soft_cuda").loss)},
    }[where]
    what = f"soft loss and gradient, {pairs} pairs of {length}, {channels} channels, {where}"
    yield what, SINGLE, lambda kind: ours, peers, equal(1e-3), best


def cases(quick, threads):
    lengths = [(150, 20), (500, 8)] if quick else [(150, 200), (500, 100), (1000, 60)]
    yield from single(150)
    yield from matrices(lengths, threads)
    yield from neighbours(lengths, threads)
    yield from profiles(*((1 << 10, 64) if quick else (1 << 15, 256)))
    yield from points((10, 28, 128), *((1000, 50) if quick else (50000, 5000)), threads)
    for channels in (1, 8, 64):
        yield from losses(*((4, 30) if quick else (64, 200)), channels)


# ---- the table


def duration(seconds):
    for unit, name in ((1.0, "s"), (1e-3, "ms")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds / 1e-6:.3g} µs"


def ours_in(precisions, ours, timed):
    """(the result that others are compared with, the first time, a cell a precision)"""
    first, cells = None, dict.fromkeys(BOTH, "")
    for name, kind in precisions.items():
        call = ours(kind)
        made = call()
        seconds = timed(call)
        values, compared = made if isinstance(made, tuple) else (made, made)
        if first is None:
            first = values, compared, seconds
            cells[name] = duration(seconds)
            continue
        cells[name] = f"{duration(seconds)}, {difference(first[0], values):.1e}"
        if compared.dtype.kind == "i" and (compared != first[1]).any():
            cells[name] += f", {(compared != first[1]).sum()} other neighbours"
    return first[1], first[2], list(cells.values())


def measured(what, precisions, ours, peers, same, timed):
    want, mine, own = ours_in(precisions, ours, timed)
    cells = []
    for name, make in peers.items():
        if module(name) is None:
            continue
        call = make(importlib.import_module)
        if not same(want, call()):
            cells.append(f"{name} differs")
            continue
        seconds = timed(call)
        cells.append(f"{name} {duration(seconds)}, {seconds / mine:.3g} x")
    return [what, *own, "; ".join(cells)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of the libraries that take a number")
    parser.add_argument("case", nargs="*", help="begins of cases' names")
    arguments = parser.parse_args()
    names = ["aeon", "tslearn", "dtaidistance", "stumpy", "faiss", "torch"]
    found = [f"{n} {version(n)}" for n in names if module(n) is not None]
    print(f"{datetime.date.today()}, {ww.default_context().device.name}, {os.cpu_count()} processors, ", end="")
    print(f"wavewarp {ww.__version__}, Python {platform.python_version()}, {', '.join(found) or 'no other library'}\n")
    print("| case | wavewarp in double | in single precision, and how far from double ", end="")
    print("| others: time, and how many times the first of ours |\n| --- | --- | --- | --- |", flush=True)
    for case in cases(arguments.quick, arguments.threads):
        if not arguments.case or case[0].startswith(tuple(arguments.case)):
            print(f"| {' | '.join(measured(*case))} |", flush=True)


if __name__ == "__main__":
    main()
