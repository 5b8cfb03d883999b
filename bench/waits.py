#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the user waits for: from arrays in host memory to the answer in host memory, and where the time goes.

    waits.py [--share F] [--repeat N] [CASE ...]

A table in Markdown. Each call is made once before it is timed (compilation, first memory), and its first time is
shown too; of the next N the least counts. `kernels` is the device's time of the same call by its events, where the
library tells it. `--share` makes every case smaller by a factor, for a CPU. Every answer is summed up: of two versions
of the library on one device the sums are the same.

The soft losses need PyTorch: of CUDA tensors where it has a device, else of tensors in host memory.
"""

import argparse
import datetime
import sys
import time

import numpy as np

import wavewarp as ww
from wavewarp._core import check, ffi, lib, new
from wavewarp._distance import paths_of


def measured(call, repeat):
    """(first, least, result) of calls, in milliseconds. What a call gave is freed before the next."""
    times, result = [], None
    for _ in range(repeat + 1):
        result = None
        begin = time.perf_counter()
        result = call()
        times.append(1e3 * (time.perf_counter() - begin))
    return times[0], min(times[1:]), result


def total(result):
    """One number of an answer, for comparison."""
    if isinstance(result, (tuple, list)):
        return sum(total(part) for part in result)
    return float(np.asarray(result, np.float64).sum())


def say(name, first, best, kernels=None, nbytes=None, check=None):
    speed = "" if nbytes is None else f"{nbytes / best / 1e6:.1f}"
    print(
        f"| {name} | {first:.2f} | {best:.2f} | {'' if kernels is None else f'{kernels:.2f}'} | {speed} "
        f"| {'' if check is None else f'{check:.9g}'} |",
        flush=True,
    )


class Bench:
    def __init__(self, share, repeat):
        self.share, self.repeat = share, repeat
        self.rng = np.random.default_rng(1)

    def n(self, count):
        return max(2, int(count * self.share))

    def walks(self, count, length, kind="f4"):
        return np.cumsum(self.rng.standard_normal((count, length)), 1).astype(kind)

    def time(self, name, call, kernels=None, nbytes=None, check=total):
        first, best, result = measured(call, self.repeat)
        say(name, first, best, kernels and kernels(), nbytes, check and check(result))

    # ---- to the device

    def dataset(self):
        n = self.n(100_000)
        for kind, precision in (("f4", "float"), ("f8", "float"), ("f8", "double"), ("f4", "double")):
            x = self.rng.standard_normal((n, 512)).astype(kind)
            self.time(
                f"`Dataset`, {n} x 512, {x.dtype} to {precision}",
                lambda: ww.Dataset(x, precision=precision),
                nbytes=x.nbytes,
                check=None,
            )
        to = np.empty_like(x)
        self.time("  NumPy's copy of the last", lambda: np.copyto(to, x), nbytes=x.nbytes, check=None)

    def lists(self):
        x = list(self.walks(self.n(10_000), 450))
        self.time(f"`Dataset`, a list of {len(x)} arrays (450,)", lambda: ww.Dataset(x), check=None)
        x = [np.stack([v, v]) for v in x]
        self.time(f"`Dataset`, a list of {len(x)} arrays (2, 450)", lambda: ww.Dataset(x), check=None)

    def points(self):
        x = self.rng.standard_normal((self.n(1_000_000), 28)).astype("f4")
        self.time(f"`Points`, {len(x)} x 28, float32", lambda: ww.Points(x), nbytes=x.nbytes, check=None)
        y = x.astype("f8")
        self.time(
            "`Points`, the same in float64 to float",
            lambda: ww.Points(y, precision="float"),
            nbytes=y.nbytes,
            check=None,
        )

    # ---- jobs

    def pairs(self):
        n = self.n(10_000)
        x, y = self.walks(n, 512), self.walks(n, 512)
        self.time(f"`pairs(x, y)`, {n} x 512", lambda: ww.pairs(x, y))
        self.time("  one dataset", lambda: ww.Dataset(x), nbytes=x.nbytes, check=None)
        a, b = ww.Dataset(x), ww.Dataset(y)
        self.time("  the plan", lambda: ww.Plan("dtw", a, b, pairs=True), check=None)
        plan = ww.Plan("dtw", a, b, pairs=True)
        self.time("  its run", plan.run, kernels=lambda: 1e3 * plan.info.seconds_device)
        self.time(f"`paths(x, y)`, {n} x 512", lambda: ww.paths(x, y), check=lambda r: total(r[1]) + len(r[0][-1]))
        self.time("  of datasets", lambda: ww.paths(a, b), check=lambda r: total(r[1]) + len(r[0][-1]))
        plan = ww.Plan("dtw", a, b, pairs=True, paths=True)

        def run_alone():
            record = new("ww_paths")
            check(lib.ww_plan_run_paths(plan._c, record))
            return record

        def run():
            return paths_of(run_alone())

        first, best, record = measured(lambda: ffi.gc(run_alone(), lib.ww_paths_free), self.repeat)
        say("  a plan's run without Python's arrays", first, best, 1e3 * plan.info.seconds_device)
        del record
        self.time(
            "  of a plan",
            run,
            kernels=lambda: 1e3 * plan.info.seconds_device,
            check=lambda r: total(r[1]) + len(r[0][-1]),
        )

    def matrix(self):
        x = self.walks(self.n(1000), 150, "f8")
        self.time(f"`cdist(x)`, {len(x)} x 150, float64", lambda: ww.cdist(x))
        y = self.walks(self.n(4096), 128)
        plan = ww.Plan("dtw", y)
        self.time(
            f"matrix of {len(y)} x 128 with itself, plan ready",
            plan.run,
            kernels=lambda: 1e3 * plan.info.seconds_device,
        )

    def gradient(self):
        n = self.n(10_000)
        x, y = self.walks(n, 512) / 8, self.walks(n, 512) / 8
        made = ww.Gradient(ww.Measure("dtw", gamma=1.0), ww.Dataset(x), ww.Dataset(y), pairs=True, per_pair=True)
        self.time(
            f"gradient of {n} pairs of 512, data resident",
            made.run,
            kernels=lambda: 1e3 * made.info.seconds_device,
            check=lambda r: total([r.values, r.rows, r.columns]),
        )

    def distance(self):
        x, y = self.walks(2, 150, "f8")

        def many():
            for _ in range(100):
                value = ww.distance(x, y)
            return value

        self.time("`distance(x, y)`, 150 points, 100 times", many)

    def loss(self):
        import torch

        from wavewarp.torch import SoftLoss

        where = "cuda" if torch.cuda.is_available() else "cpu"
        for batch, length, channels in (
            (8, 50, 1),
            (32, 100, 1),
            (64, 128, 1),
            (64, 200, 1),
            (256, 512, 1),
            (1024, 512, 1),
            (64, 128, 4),
            (64, 128, 8),
        ):
            batch = self.n(batch)
            rng = np.random.default_rng(batch + length)
            x = torch.tensor(rng.standard_normal((batch, length, channels)), dtype=torch.float32, device=where)
            y = torch.tensor(rng.standard_normal((batch, length, channels)), dtype=torch.float32, device=where)
            x.requires_grad_()
            loss = SoftLoss("dtw", gamma=1.0)

            def step():
                x.grad = None
                loss(x, y).mean().backward()
                return x.grad.cpu().numpy()

            for _ in range(5):
                step()
            self.time(
                f"`SoftLoss`, {batch} x {length} x {channels}, {where}",
                step,
                kernels=lambda: 1e3 * getattr(loss._made, "gradient", loss._made).info.seconds_device,
                check=lambda r: float(np.abs(r).sum()),
            )


def main():
    own = ("__init__", "n", "walks", "time")
    cases = [name for name, value in vars(Bench).items() if callable(value) and name not in own]
    parser = argparse.ArgumentParser(description="What the user waits for.")
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("cases", nargs="*", default=cases, metavar="CASE", help=", ".join(cases))
    asked = parser.parse_args()
    print(f"{datetime.date.today()}, {ww.default_context().device.name}, Wavewarp {ww.__version__}\n")
    print("| call | first, ms | waits, ms | kernels, ms | GB/s | sum |\n|---|---|---|---|---|---|")
    bench = Bench(asked.share, asked.repeat)
    for name in asked.cases:
        try:
            getattr(bench, name)()
        except ImportError as error:
            print(f"| {name}: {error} | | | | | |", file=sys.stderr)


if __name__ == "__main__":
    main()
