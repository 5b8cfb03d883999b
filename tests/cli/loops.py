#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the program writes it reads again: the file of every command that writes one goes into the commands that read such
a file.

    loops.py PROGRAM [WHAT]     with WHAT: only the loops whose line has that text

It does so on parts of the sets of ../shared/data (or $WAVEWARP_TEST_DATA), where they are, and on generated sets of 2 to 10
classes, 1 to 4 channels, equal and unequal lengths. Which option of which command writes comes from the program's help: an
option of a file that is neither in READS nor in WRITES fails, and so does one in WRITES that no loop used. Every command has
to read series or points, or to be in NO_DATA."""
import concurrent.futures
import copy
import filecmp
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.environ.get("WAVEWARP_TEST_DATA") or os.path.join(os.path.dirname(ROOT), "shared", "data")
PROGRAM = os.path.realpath(sys.argv[1])
LIMIT = 3000  # seconds, of what hangs
# Each set goes through a third of the loops, each time another one.
ROTATION = int(os.environ.get("WAVEWARP_TEST_ROTATION") or 0)
EVERYTHING = os.environ.get("WAVEWARP_TEST_EXHAUSTIVE") == "1"
SETS = ("ArrowHead", "BasicMotions", "GunPoint", "ItalyPowerDemand", "JapaneseVowels", "PickupGestureWiimoteZ", "Plane",
        "SyntheticControl")
SERIES, POINTS, CHANNELS = 20, 32, 4  # of a part of a set: so many series, points of each, and channels

READS = {"cluster --distances", "classify --train", "classify --test", "knn --classes", "knn --values", "lsh --load", "search --in",
         "average --weights", "average --start-file", "knn --subset", "knn --base-ids"} | {"--recurrence", "--times", "--kernel-dir", "--program"}
PICTURE = "a picture; that it is XML is in the commands' own tests"
TUNING = "tune takes minutes and is in cli-tuning; to other commands it is a file that is read"
# With a reason: not in a loop here.
WRITES = {"nearest --output": "", "knn --output": "", "lsh --output": "", "nearest --ids": "", "nearest --distances": "", "knn --ids": "",
          "knn --distances": "", "lsh --ids": "", "lsh --distances": "", "lsh --save": "", "lsh --parts": "", "lsh --checkpoint": "", "cluster --output": "", "cluster --centres": "",
          "cluster --merges": "", "matrix --output": "", "matrix --checkpoint": "", "matrix --parts": "",
          "choose --checkpoint": "", "cluster --checkpoint": "", "index --output": "", "index --ids": "", "index --distances": "", "path --costs": "", "sbd --output": "", "sbd --shifts": "",
          "pairs --parts": "", "pairs --checkpoint": "", "nearest --parts": "", "nearest --checkpoint": "", "knn --parts": "", "knn --checkpoint": "",
          "convert --output": "the same file as its last argument, by which loops write", "pairs --output": "", "gradient --output": "", "gradient --parts": "", "gradient --checkpoint": "", "gradient --expected-alignment": "",
          "path --output": "", "path --parts": "", "path --checkpoint": "", "classify --parts": "", "classify --checkpoint": "", "average --output": "", "profile --output": "", "profile --parts": "", "profile --checkpoint": "",
          "search --output": "", "search --parts": "", "search --checkpoint": "", "shapelets --output": "", "shapelets --parts": "",
          "shapelets --checkpoint": "",
          "generate --output": "", "classify --predictions": "", "classify --svg": PICTURE, "lsh --svg": PICTURE, "cluster --svg": PICTURE, "path --svg": PICTURE,
          "average --svg": PICTURE, "profile --svg": PICTURE, "shapelets --svg": PICTURE, "matrix --svg": PICTURE, "gradient --svg": PICTURE,
          "search --svg": PICTURE, "choose --svg": PICTURE, "bench --svg": PICTURE, "--tuning": TUNING}
NO_DATA = {"devices", "measures", "generate", "tune", "bench"}

used = set()  # "command --option" that a loop gave, and the commands
lock = threading.Lock()


class Broken(Exception):
    """A loop that does not close."""


def run(*arguments, code=0, processor=0):
    """Runs a command; its output. processor: seconds of processor time that it may take, 0 any."""
    arguments = [str(a) for a in arguments]
    with lock:
        used.add(arguments[0])
        used.update(f"{arguments[0]} {word}" for word in arguments[1:] if word.startswith("--"))
        used.update(f"{arguments[0]} --output" for word in arguments[1:] if word == "-o")
    within = ["prlimit", f"--cpu={processor}"] if processor and shutil.which("prlimit") else []
    done = subprocess.run([*within, PROGRAM, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, check=False)
    if done.returncode != code:
        raise Broken(f"exit code {done.returncode}: wavewarp {' '.join(arguments)}\n{done.stderr.decode('utf-8', 'replace')[-400:]}")
    return done.stdout.decode("utf-8", "replace")


def expect(good, what):
    if not good:
        raise Broken(what)


def lines(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def same(a, b):
    expect(filecmp.cmp(a, b, shallow=False), f"{a} and {b} differ")


# ---- sets

def read_ts(path):
    """[(channels, label)], a channel a list of numbers as they are written."""
    series, inside, labelled = [], False, True
    for line in lines(path):
        labelled = labelled and line.strip().lower() != "@classlabel false"
        if inside and line.strip():
            *channels, label = line.strip().split(":") + ([] if labelled else [""])
            series.append(([[x.strip() for x in channel.split(",")] for channel in channels], label))
        inside = inside or line.strip().lower() == "@data"
    return series


def write_ts(path, series):
    channels = len(series[0][0])
    lengths = {len(s[0][0]) for s in series}
    with open(path, "w", encoding="utf-8") as file:
        labels = sorted({label for _, label in series})
        file.write(f"@univariate {'true' if channels == 1 else 'false'}\n@dimensions {channels}\n")
        file.write(f"@equalLength {'true' if len(lengths) == 1 else 'false'}\n@classLabel true {' '.join(labels)}\n@data\n")
        for values, label in series:
            file.write(":".join(",".join(channel) for channel in values) + ":" + label + "\n")


class Set:
    """A set in a folder of its own, as train.ts."""

    def __init__(self, name, series, folder):
        self.name, self.count, self.channels = name, len(series), len(series[0][0])
        self.lengths = [len(s[0][0]) for s in series]
        self.equal, self.classes = len(set(self.lengths)) == 1, len({label for _, label in series})
        self.path = os.path.join(folder, re.sub(r"\W", "-", name))
        os.mkdir(self.path)
        write_ts(self.file("train.ts"), series)

    def of_loop(self, loop):
        """The set with a folder for the files of one loop: two of them run at once."""
        own = copy.copy(self)
        own.path = self.file(loop.__name__)
        os.mkdir(own.path)
        os.symlink(self.file("train.ts"), own.file("train.ts"))
        return own

    def file(self, name):
        return os.path.join(self.path, name)


def part_of(name, folder):
    """Some series of each class, their first points."""
    series = read_ts(os.path.join(DATA, name, name + "_TRAIN.ts"))
    labels = sorted({label for _, label in series})
    each = max(2, SERIES // len(labels))
    chosen = [s for label in labels for s in [s for s in series if s[1] == label][:each]]
    chosen = [([[x for x in channel[:POINTS]] for channel in values[:CHANNELS]], label) for values, label in chosen]
    return Set(name, chosen, folder)


def made(classes, channels, unequal, folder):
    """Classes of several kinds of generated series, relabelled."""
    series = []
    for kind, number in (("synthetic-control", 6), ("two-patterns", 4)):
        path = os.path.join(folder, f"made-{classes}-{channels}-{kind}.ts")
        run("generate", kind, "--count", 4 * number, "--length", 24, "--max-length", 30 if unequal else 24, "--channels", channels, "--seed",
            classes, "--output", path)
        own = read_ts(path)
        names = sorted({label for _, label in own})
        series += [(values, f"{kind}-{names.index(label)}") for values, label in own]
    names = sorted({label for _, label in series})[:classes]
    return Set(f"{classes} classes, {channels} channels, {'un' if unequal else ''}equal lengths", [s for s in series if s[1] in names], folder)


# ---- loops: each takes a set

def loop_formats(s):
    """Every format that can hold the set gives it back; one that can't is refused before anything is written."""
    run("convert", s.file("train.ts"), s.file("whole.ts"))
    whole = read_ts(s.file("whole.ts"))
    for form in ("ts", "tsv", "csv", "npy"):
        path, back = s.file("as." + form), s.file("back.ts")
        if (form in ("tsv", "csv") and s.channels > 1) or (form == "npy" and not s.equal):
            run("convert", s.file("train.ts"), path, code=1)
            expect(not os.path.exists(path), f"{path} was refused, and is there")
            continue
        run("convert", s.file("train.ts"), path)
        expect(json.loads(run("info", path, "--json"))["series"] == s.count, f"{form}: info counts other series")
        run("convert", path, back)
        again = read_ts(back)
        expect([v for v, _ in again] == [v for v, _ in whole], f"{form}: other values")
        expect(form in ("csv", "npy") or [label for _, label in again] == [label for _, label in whole], f"{form}: other labels")
        run("matrix", path, "-o", s.file("m.npy"))


def loop_readers(s):
    """Every command that reads series reads the set."""
    t = s.file("train.ts")
    run("classify", "--train", t, "--test", t, "--predictions", s.file("p.csv"))
    expect(len(lines(s.file("p.csv"))) == s.count + 1, "predictions of some series are missing")
    run("classify", t, t, "-k", 3, "--predictions", s.file("p.csv"))
    run("classify", t, t, "-k", 3, "--predictions", s.file("again.csv"), "--checkpoint", s.file("c"))
    same(s.file("p.csv"), s.file("again.csv"))
    run("merge", parts_of(s, "classify", t, t, "-k", 3), "--predictions", s.file("merged.csv"))
    same(s.file("p.csv"), s.file("merged.csv"))
    said = run("choose", t, "--try", "band=corner:1..2")
    kept = run("choose", t, "--try", "band=corner:1..2", "--checkpoint", s.file("c"))
    expect(said.splitlines()[:2] == kept.splitlines()[:2], "another choice with a checkpoint")
    run("pairs", t, t, "-o", s.file("pairs.csv"))
    expect(len(lines(s.file("pairs.csv"))) == s.count, "distances of some pairs are missing")
    run("search", t, "--in", t, "--kind", "open")


def loop_shapelets(s):
    """A tree is shown, predicts and transforms; features are series and points."""
    t, model, features = s.file("train.ts"), s.file("model.json"), s.file("features.npy")
    options = ["--length-step", 5] if s.channels == 1 else ["--length-step", 9, "--start-step", 2]
    run("shapelets", "fit", t, *options, "--best", 2, "--checkpoint", s.file("c"), "-o", model)
    expect(not os.path.exists(s.file("c")), "the checkpoint is left")
    best = [*options, "--no-tree", "--best", 2]
    run("shapelets", "fit", t, *best, "-o", s.file("best.json"))
    run("merge", parts_of(s, "shapelets", "fit", t, *best), "-o", s.file("merged.json"))
    same(s.file("best.json"), s.file("merged.json"))
    run("shapelets", "show", model)
    run("shapelets", "show", model, t, "--json", "--svg", s.file("model.svg"))
    said = run("shapelets", "predict", model, t, "-o", s.file("predicted.csv"))
    rows = lines(s.file("predicted.csv"))[1:]
    expect(len(rows) == s.count, "predictions of some series are missing")
    # It has no limit of depth: only the same distances could leave a series on a wrong leaf.
    expect("accuracy  1.0000" in said, f"its training set: {said.splitlines()[:1]}")
    run("shapelets", "transform", model, t, "--all", "-o", features)
    run("shapelets", "transform", model, t, "-o", s.file("best.csv"))
    expect(len(lines(s.file("best.csv"))) == s.count, "features of some series are missing")
    run("knn", features, "-k", 2, "-o", s.file("near.csv"))
    run("matrix", features, "-o", s.file("m.csv"))
    run("convert", s.file("best.csv"), s.file("best.ts"))


def loop_averages(s):
    """Averages begin other averages, and classify."""
    t, averages = s.file("train.ts"), s.file("averages.ts")
    run("average", t, "--by-class", "--iterations", 2, "-o", averages)
    run("classify", "--train", averages, "--test", t)
    run("average", t, "--by-class", "--iterations", 1, "--start-file", averages, "-o", s.file("more.ts"))
    expect(len(read_ts(s.file("more.ts"))) == s.classes, "averages of some classes are missing")
    run("nearest", t, averages)
    run("path", averages, t if s.count == s.classes else averages, "-o", s.file("path.npy"))
    run("convert", s.file("path.npy"), s.file("path.ts"))


def loop_clusters(s):
    """Centres are series with labels, and begin averages."""
    t, clusters, centres = s.file("train.ts"), s.file("clusters.txt"), s.file("centres.ts")
    for method in ("medoids", "kmeans", "complete"):
        merges = ["--merges", s.file("merges.csv")] if method == "complete" else []
        run("cluster", t, "-k", 2, "--method", method, "-o", clusters, "--centres", centres, *merges)
        run("cluster", t, "-k", 2, "--method", method, "-o", s.file("again.txt"), "--checkpoint", s.file("c"))
        same(clusters, s.file("again.txt"))
        run("classify", "--train", centres, "--test", t)
        run("average", centres, "--start-file", centres, "--by-class", "--iterations", 1, "-o", s.file("again.ts"))
    expect(len(lines(s.file("merges.csv"))) >= s.count - 2, "merges are missing")
    run("convert", s.file("merges.csv"), s.file("merges.ts"))
    expect(len(lines(clusters)) == s.count + 1, "clusters of some series are missing")


def parts_of(s, *job):
    """The folder with the two parts of a job."""
    folder = s.file("parts-" + job[0])
    os.makedirs(folder, exist_ok=True)
    for part in ("1/2", "2/2"):
        run(*job, "--part", part, "--parts", folder)
    return folder


def loop_arrays(s):
    """Distances, gradients and profiles are arrays; arrays are series, points and streams."""
    t = s.file("train.ts")
    for form in ("npy", "csv"):
        m, g = s.file("matrix." + form), s.file("gradient." + form)
        run("matrix", t, "-o", m)
        run("convert", m, s.file("matrix.ts"))
        expect(len(read_ts(s.file("matrix.ts"))) == s.count, "rows are missing")
        run("knn", m, "-k", 1)
        if form == "npy" and s.equal or form == "csv" and s.channels == 1:
            run("gradient", t, t, "--soft", 1, "-o", g)
            run("pairs", g, g)
    run("matrix", t, "-o", s.file("again.npy"), "--checkpoint", s.file("c"))
    same(s.file("matrix.npy"), s.file("again.npy"))
    run("merge", parts_of(s, "matrix", t), "-o", s.file("merged.npy"))
    same(s.file("matrix.npy"), s.file("merged.npy"))
    run("pairs", t, t, "-o", s.file("pairs.csv"))
    run("pairs", t, t, "-o", s.file("again.csv"), "--checkpoint", s.file("c"))
    same(s.file("pairs.csv"), s.file("again.csv"))
    run("merge", parts_of(s, "pairs", t, t), "-o", s.file("merged.csv"))
    same(s.file("pairs.csv"), s.file("merged.csv"))
    run("path", t, t, "-o", s.file("path.npy"))
    run("path", t, t, "--costs", s.file("costs.npy"))
    run("convert", s.file("costs.npy"), s.file("costs.ts"))
    run("sbd", t, "-o", s.file("sbd.npy"), "--shifts", s.file("shifts.npy"))
    run("cluster", "--distances", s.file("sbd.npy"), "-k", 2)
    run("convert", s.file("shifts.npy"), s.file("shifts.ts"))
    run("path", t, t, "-o", s.file("again.npy"), "--checkpoint", s.file("c"))
    same(s.file("path.npy"), s.file("again.npy"))
    run("merge", parts_of(s, "path", t, t), "-o", s.file("merged.npy"))
    same(s.file("path.npy"), s.file("merged.npy"))
    run("gradient", t, t, "--soft", 1, "-o", s.file("gradient.ts"))
    run("gradient", t, t, "--soft", 1, "-o", s.file("again.ts"), "--checkpoint", s.file("c"))
    same(s.file("gradient.ts"), s.file("again.ts"))
    run("merge", parts_of(s, "gradient", t, t, "--soft", 1), "-o", s.file("merged.ts"))
    same(s.file("gradient.ts"), s.file("merged.ts"))
    run("matrix", s.file("gradient.ts"), "-o", s.file("m.npy"))
    run("pairs", t, t, "-o", s.file("pairs.f32"))
    run("search", s.file("matrix.csv"), "--in", s.file("pairs.f32"), "--kind", "open")
    if s.equal:
        run("gradient", t, t, "--soft", 1, "--expected-alignment", s.file("alignment.npy"), "-o", s.file("g.ts"))
        run("convert", s.file("alignment.npy"), s.file("alignment.ts"))
    for form in ("npy", "csv", "txt"):
        run("profile", t, "--series", 0, "--window", 4, "-o", s.file("profile." + form))
    run("convert", s.file("profile.npy"), s.file("profile.ts"))
    run("convert", s.file("profile.csv"), s.file("profile.ts"))
    run("profile", t, "--window", 4, "-o", s.file("profile.npy"))
    run("profile", t, "--window", 4, "-o", s.file("again.npy"), "--checkpoint", s.file("c"))
    same(s.file("profile.npy"), s.file("again.npy"))
    run("merge", parts_of(s, "profile", t, "--window", 4), "-o", s.file("merged.npy"))
    same(s.file("profile.npy"), s.file("merged.npy"))
    run("search", t, "--in", t, "-k", 2, "-o", s.file("matches.csv"))
    run("search", t, "--in", t, "-k", 2, "-o", s.file("again.csv"), "--checkpoint", s.file("c"))
    same(s.file("matches.csv"), s.file("again.csv"))
    run("merge", parts_of(s, "search", t, "--in", t, "-k", 2), "-o", s.file("merged.csv"))
    same(s.file("matches.csv"), s.file("merged.csv"))
    run("info", s.file("matches.csv"))


def loop_neighbours(s):
    """Indices and distances are points; tables of hashing are loaded."""
    t = s.file("train.ts")
    run("matrix", t, "-o", s.file("points.npy"))
    points = s.file("points.npy")
    forms = (("ivecs", "fvecs"), ("npy", "npy"), ("txt", "txt"))
    for command, base in (("nearest", t), ("knn", points), ("lsh", points)):
        for ids, distances in forms:
            i, d = s.file(f"{command}-ids.{ids}"), s.file(f"{command}-distances.{distances}")
            run(command, base, "-k", 2, "--ids", i, "--distances", d, "-o", s.file("neighbours.csv"))
            if command == "lsh":
                continue  # of some points it may find fewer
            run("knn", i, "-k", 1)
            run("knn", d, "-k", 1)
    i, d = s.file("nearest-ids.npy"), s.file("nearest-distances.npy")
    run("nearest", t, "-k", 2, "--ids", s.file("i.npy"), "-o", s.file("n.csv"), "--checkpoint", s.file("c"))
    run("merge", parts_of(s, "nearest", t, "-k", 2), "--ids", s.file("mi.npy"), "--distances", s.file("md.npy"))
    same(i, s.file("i.npy"))
    same(i, s.file("mi.npy"))
    same(d, s.file("md.npy"))
    run("knn", points, "-k", 2, "--ids", s.file("i.npy"), "-o", s.file("n.csv"), "--checkpoint", s.file("c"))
    run("merge", parts_of(s, "knn", points, "-k", 2), "--ids", s.file("mi.npy"), "--distances", s.file("md.npy"))
    i, d = s.file("knn-ids.npy"), s.file("knn-distances.npy")
    same(i, s.file("i.npy"))
    same(i, s.file("mi.npy"))
    same(d, s.file("md.npy"))
    run("index", "build", t, "-o", s.file("series.wwi"))
    run("index", "search", s.file("series.wwi"), t, "-k", 2, "--ids", s.file("ii.npy"), "--distances", s.file("id.npy"))
    run("knn", s.file("ii.npy"), "-k", 1)
    run("knn", s.file("id.npy"), "-k", 1)
    run("lsh", points, "-k", 1, "--save", s.file("index"), "-o", s.file("saved.txt"))
    run("lsh", points, "-k", 1, "--load", s.file("index"), "-o", s.file("loaded.txt"))
    run("lsh", points, "-k", 1, "--load", s.file("index"), "-o", s.file("again.txt"), "--checkpoint", s.file("c"))
    same(s.file("loaded.txt"), s.file("again.txt"))
    run("merge", parts_of(s, "lsh", points, "-k", 1), "-o", s.file("merged.txt"))
    same(s.file("saved.txt"), s.file("merged.txt"))
    expect(len(lines(s.file("loaded.txt"))) == s.count, "queries are missing")


EVERY = (loop_formats, loop_shapelets)  # of every set; of the others, each set has two in turn
TURNS = (loop_readers, loop_averages, loop_clusters, loop_arrays, loop_neighbours)


# ---- loops of no set

def loop_text(folder):
    """Text, which is read as it is told and never by its content."""
    words = os.path.join(folder, "words.txt")
    with open(words, "w", encoding="utf-8") as file:
        file.write("kitten\nsitting\nä b\n")
    run("convert", words, words + ".ts", "--format", "text")
    run("convert", words + ".ts", words + ".again", "--to", "text")
    same(words, words + ".again")
    run("matrix", words + ".again", "--format", "text", "--measure", "levenshtein", "-o", words + ".npy")


def loop_checkpoint(folder):
    """An interrupted fit goes on from its checkpoint to the model of one run."""
    train, model, path = (os.path.join(folder, name) for name in ("long.ts", "long.json", "checkpoint"))
    run("generate", "synthetic-control", "--count", 60, "--length", 60, "--seed", 5, "--output", train)
    fit = ["shapelets", "fit", train, "--length-step", "2", "--terms", "2"]
    run(*fit, "-o", model)
    for wait in (0.3, 0.6, 1.2):  # whenever that is, the model is the same
        process = subprocess.Popen([PROGRAM, *fit, "--checkpoint", path, "-o", model + ".again"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=LIMIT)
        if process.returncode == 0:
            break
    if process.returncode:
        run(*fit, "--checkpoint", path, "-o", model + ".again", *(["--resume"] if os.path.exists(path) else []))
    same(model, model + ".again")
    expect(not os.path.exists(path), "the checkpoint is left")


def node(depth, series, left=None, first=None):
    split = "" if left is None else (f', "left": {left}, "right": {left + 1}, "first": {first}, "terms": 1, "threshold": 1, "gain": 1, '
                                     '"gap": 1')
    return f'{{"depth": {depth}, "series": {series}, "class": 0{split}}}'


def write_model(path, train, classes, nodes, shapelets):
    one = ('{"series": 0, "start": 0, "length": 3, "class": 0, "op": "and", "quality": 1, "gain": 1, "gap": 1, "threshold": 1, '
           '"values": [[1, 3, 2]]}')
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"format": "wavewarp-shapelets", "version": 1, "quality": "gain", "raw": false, "unscaled": false, "channels": 1, '
                   f'"train": {train}, "best": 0, "classes": [' + ", ".join(f'"class {k}"' for k in range(classes)) + '], "nodes": [' +
                   ", ".join(nodes) + '], "shapelets": [' + ", ".join([one] * shapelets) + "]}\n")


def loop_large_models(folder):
    """Models of very many classes, and of a very deep tree, in every command that reads them: seconds, not minutes."""
    wide, deep, train = (os.path.join(folder, name) for name in ("wide.json", "deep.json", "few.ts"))
    classes, depth = 65535, 20000
    run("generate", "cbf", "--count", 3, "--length", 20, "--output", train)
    write_model(wide, 2 * classes, classes, [node(0, 2 * classes, 1, 0), node(1, classes), node(1, classes)], 1)
    nodes = [n for i in range(depth) for n in (node(i, depth + 1 - i, 2 * i + 1, i), node(i + 1, 1))] + [node(depth, 1)]
    write_model(deep, depth + 1, 2, nodes, depth)
    for model, features in ((wide, 1), (deep, 0)):
        run("shapelets", "show", model, processor=60)
        run("shapelets", "show", model, "--json", processor=60)
        run("shapelets", "predict", model, train, "-o", train + ".csv", processor=60)
        expect(len(lines(train + ".csv")) == 4, "predictions are missing")
        if features:
            run("shapelets", "predict", model, train, "--json", processor=60)
            run("shapelets", "transform", model, train, "-o", train + ".npy", processor=60)


# ---- which loops are run

def chosen(sets):
    """Of every set two loops and two in turn, a third of them each day; what no set of equal lengths has then, one of them."""
    all_of = [(*EVERY, TURNS[i % len(TURNS)], TURNS[(i + 2) % len(TURNS)]) for i in range(len(sets))]
    pairs = [(s, loop) for i, s in enumerate(sets) for loop in (all_of[i] if EVERYTHING else all_of[i][(i + ROTATION) % 3::3])]
    equal = [s for s in sets if s.equal]
    missing = [loop for loop in (*EVERY, *TURNS) if loop not in {loop for s, loop in pairs if s.equal}]
    return pairs + [(equal[(i + ROTATION) % len(equal)], loop) for i, loop in enumerate(missing)]


# ---- the list of what writes

def options_of_files():
    """"command --option" of every option whose value is a file."""
    found = set()
    commands = re.findall(r"^  ([a-z]+) ", subprocess.run([PROGRAM, "--help"], capture_output=True, check=True).stdout.decode(), re.M)
    for command in commands:
        said = subprocess.run([PROGRAM, command, "--help"], capture_output=True, check=False).stdout.decode()
        found |= {f"{command} {option}" for option in re.findall(r"--[a-z-]+(?= (?:FILE|DIR|STREAM)\b)", said)}
    return commands, found


def check_list():
    commands, found = options_of_files()
    known = READS | set(WRITES)
    unknown = sorted(o for o in found if o not in known and o.split()[1] not in known)
    expect(not unknown, f"neither read nor written, by tests/cli/loops.py: {unknown}")
    unused = sorted(o for o, why in WRITES.items() if not why and o not in used)
    expect(not unused, f"no loop writes by: {unused}")
    idle = sorted(set(commands) - used - NO_DATA)
    expect(not idle, f"no loop runs: {idle}")


def main():
    folder, only = tempfile.mkdtemp(), sys.argv[2] if len(sys.argv) > 2 else ""
    count = 0

    def point(what, why=""):
        nonlocal count
        with lock:
            count += 1
            print(f"{'not ok' if why else 'ok'} {count} - {what}")
            for line in why.splitlines():
                print(f"# {line}")
            sys.stdout.flush()

    def close(what, loop, of):
        if only not in what:
            return
        begin = time.monotonic()
        try:
            loop(of)
            point(what)
        except (Broken, subprocess.TimeoutExpired, OSError, ValueError, IndexError) as error:
            point(what, str(error) or type(error).__name__)
        if os.environ.get("WAVEWARP_TEST_TIMES"):
            print(f"# {time.monotonic() - begin:.1f} s")

    if subprocess.run([PROGRAM, "devices", "--no-self-test"], capture_output=True, check=False).returncode != 0:
        needed = os.environ.get("WAVEWARP_TEST_REQUIRE_DEVICE", "0") == "1"
        print("Bail out! no OpenCL device" if needed else "1..0 # SKIP no OpenCL device")
        sys.exit(1 if needed else 0)
    try:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            sets = [made(classes, 1 + classes % 4, classes % 3 == 0, folder) for classes in range(2, 11)]
            for name in SETS:
                if os.path.exists(os.path.join(DATA, name, name + "_TRAIN.ts")):
                    sets.append(part_of(name, folder))
                else:
                    point(f"{name} # SKIP not in {DATA}")
            jobs = [pool.submit(close, loop.__doc__.rstrip("."), loop, folder) for loop in (loop_text, loop_checkpoint, loop_large_models)]
            for s, loop in chosen(sets):
                jobs.append(pool.submit(close, f"{s.name}: {loop.__doc__.rstrip('.')}", loop, s.of_loop(loop)))
            for job in jobs:
                job.result()
        if not only:
            close("every option that writes a file is in a loop", lambda _: check_list(), None)
    finally:
        shutil.rmtree(folder)
    print(f"1..{count}")


main()
