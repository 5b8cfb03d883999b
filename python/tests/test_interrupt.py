# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends every kind of long job soon: within so much processor time of this process, however busy the machine is."""

import os
import signal
import tempfile
import threading
import time

import numpy as np
import pytest

import wavewarp as ww


def series(*shape):
    return np.random.default_rng(11).normal(size=shape).astype(np.float32)


def condensed(count):
    return np.random.default_rng(11).random(count * (count - 1) // 2)


def labelled(count, points):
    return ww.Dataset(series(count, points), np.arange(count) % 3)


def file_of_lines():
    """A file of one value a line, which goes with the folder that is returned."""
    folder = tempfile.TemporaryDirectory()
    with open(os.path.join(folder.name, "long.csv"), "w") as file:
        for _ in range(30):
            file.write("0.5\n" * 1000000)
    return folder


def write(series):
    with tempfile.TemporaryDirectory() as folder:
        try:
            series.write(os.path.join(folder, "wide.csv"))
        finally:
            assert not os.listdir(folder)


def choose(points, p):
    """Reports from the building of tables on."""

    def report(done, total):
        p(done if total < 512 * len(points) else 0, total)

    ww.LSH.choose(points, 10, progress=report)


def untold(job):
    """A job without a progress function: it works from the beginning."""

    def work(data, p):
        p(1, 1)
        job(data)

    return work


# Data, and a job on them that takes much longer than the test.
JOBS = {
    "matrix": (lambda: series(1200, 900), lambda x, p: ww.cdist(x, progress=p)),
    "soft values": (lambda: series(800, 700), lambda x, p: ww.cdist(x, gamma=0.1, progress=p)),
    "gradients": (lambda: series(800, 700), lambda x, p: ww.soft(x, gamma=0.1, progress=p)),
    "neighbours": (lambda: series(1200, 900), lambda x, p: ww.kneighbors(x, k=3, progress=p)),
    "classes": (lambda: labelled(1200, 900), lambda x, p: ww.classify(x, progress=p)),
    "average": (lambda: series(400, 900), lambda x, p: ww.average(x, tolerance=0, iterations=9999, progress=p)),
    "soft average": (lambda: series(200, 500), lambda x, p: ww.average(x, gamma=0.1, iterations=9999, progress=p)),
    "k-means": (lambda: series(900, 700), lambda x, p: ww.kmeans(x, 9, tolerance=0, starts=99, progress=p)),
    "medoids": (lambda: condensed(6000), lambda x, p: ww.medoids(x, 100, progress=p)),
    "search": (
        lambda: (series(4, 600), series(1, 1 << 20)),
        lambda x, p: ww.search(*x, znormalise=True, k=3, progress=p),
    ),
    "shapelets": (lambda: labelled(300, 300), lambda x, p: ww.Shapelets().fit(x, progress=p)),
    "profile": (lambda: series(1 << 19), lambda x, p: ww.profile(x, 256, progress=p)),
    "several neighbours": (lambda: series(1 << 17), lambda x, p: ww.profile(x, 2048, k=32, progress=p)),
    "plan of a profile": (lambda: series(1 << 23), untold(lambda x: ww.ProfilePlan(x, 256))),
    "points": (lambda: series(200000, 64), lambda x, p: ww.knn(x, k=10, progress=p)),
    "tables": (lambda: series(100000, 64), lambda x, p: ww.LSH(x, tables=512, progress=p)),
    "choice": (lambda: series(200000, 64), choose),
    "hashing": (lambda: series(100000, 64), lambda x, p: ww.LSH(x, tables=64, progress=p).search(k=10)),
    "one pair": (lambda: series(2, 200000), untold(lambda x: ww.distance(*x))),
    "self-test": (lambda: None, untold(lambda _: ww.Context().self_test())),
    "pushed points": (
        lambda: series(1 << 24),
        untold(lambda x: ww.Monitor(series(1, 600), 0.5, znormalise=True).push(x)),
    ),
    "tuning": (lambda: None, untold(lambda _: ww.Context().tune(dry=True, seconds=60))),
    "reading": (file_of_lines, untold(lambda folder: ww.read(os.path.join(folder.name, "long.csv"), threads=1))),
    "reading by threads": (file_of_lines, untold(lambda folder: ww.read(os.path.join(folder.name, "long.csv")))),
    "writing": (lambda: ww.generate("random-walk", 100, length=100000), untold(write)),
    "one path": (lambda: series(2, 50000), untold(lambda x: ww.path(*x))),
    "silhouettes": (
        lambda: (np.ones(15000 * 14999 // 2, np.float32), np.arange(15000) % 7),
        untold(lambda x: ww.silhouette(*x)),
    ),
    "generated series": (lambda: None, untold(lambda _: ww.generate("cbf", 1000000))),
    "a generated series": (lambda: None, untold(lambda _: ww.generate("random-walk", 1, length=1 << 26))),
}


# Processor seconds: half a second on each core, and on four at least.
ALLOWED = 0.5 * max(4, os.cpu_count() or 1)


def interrupted(name):
    """What processor time the job took after the interrupt."""
    make, job = JOBS[name]
    data, working, sent = make(), threading.Event(), []

    def interrupt():
        if working.wait(3000):
            time.sleep(0.3)  # amid a launch
            sent.append(time.process_time())
            os.kill(os.getpid(), signal.SIGINT)

    def report(done, total):
        if done:  # programs are compiled
            working.set()

    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        job(data, report)
        thread.join()  # where the job ended before
    ended = time.process_time()
    thread.join()
    return ended - sent[0]


@pytest.mark.parametrize("name", JOBS)
def test_interrupt(name):
    seconds = interrupted(name)
    print(f"{name}: {seconds:.3f} s")
    assert seconds < ALLOWED
    assert ww.cdist(np.eye(3, 8)).shape == (3, 3)  # works on
