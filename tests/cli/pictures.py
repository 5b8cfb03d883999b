#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pictures that the program draws: well-formed, with title and description, small, the same every time; no text
meets another or leaves the picture; legends are complete; what is left out is said. Prints TAP.

    pictures.py PROGRAM [BENCH]
"""
import base64
import itertools
import math
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree
import zlib

PROGRAM = os.path.realpath(sys.argv[1])
BENCH = os.path.realpath(sys.argv[2]) if len(sys.argv) > 2 else None
DATA = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "shared", "data"))
SVG = "{http://www.w3.org/2000/svg}"
MEGABYTE = 1000000
LETTER, UP, DOWN = 6.2, 8, 1  # of a letter of 12 units: its mean width, above and below the base line
HIGH = 11  # the highest letters, which must not leave the picture at its left edge
count = 0
random.seed(1)


def point(good, what, why=""):
    global count
    count += 1
    print(f"{'ok' if good else 'not ok'} {count} - {what}")
    for line in str(why).splitlines()[:12] if not good else []:
        print(f"# {line}")
    sys.stdout.flush()


def run(*arguments, program=PROGRAM):
    """The error output where the exit code is not 0, else None."""
    done = subprocess.run([program, *arguments], capture_output=True, stdin=subprocess.DEVNULL, check=False, timeout=3000)
    return None if done.returncode == 0 else f"exit code {done.returncode}: {done.stderr.decode('utf-8', 'replace')[-400:]}"


# ---- what is in a picture

def texts(root):
    """(text, left, top, right, bottom) of each text."""
    for element in root.iter(SVG + "text"):
        text = (element.text or "") + "".join(part.tail or "" for part in element)
        x, y = float(element.get("x")), float(element.get("y"))
        width = LETTER * len(text)
        left = {"middle": -width / 2, "end": -width}.get(element.get("text-anchor"), 0)
        if element.get("transform"):  # all that are turned are turned to the left, about their place
            yield text, x - HIGH, y - left - width, x + DOWN, y - left
        else:
            yield text, x + left, y - UP, x + left + width, y + DOWN


def meetings(root):
    """Texts that meet, and those that leave the picture."""
    width, height = [float(number) for number in root.get("viewBox").split()[2:]]
    places = sorted(texts(root), key=lambda place: place[2])
    found = []
    for at, (text, left, top, right, bottom) in enumerate(places):
        if left < 0 or top < 0 or right > width or bottom > height:
            found.append(f"{text!r} leaves the picture")
        for other in itertools.takewhile(lambda place: place[2] < bottom, places[at + 1:]):
            if left < other[3] and other[1] < right:
                found.append(f"{text!r} meets {other[0]!r}")
    return found


def keys(root):
    """The names of a legend, whole."""
    for group in root.iter(SVG + "g"):
        if group.get("class") == "key":
            text = group.find(SVG + "text")
            title = text.find(SVG + "title")
            yield title.text if title is not None else text.text


def said(root):
    return "\n".join(text[0] for text in texts(root))


def picture(what, *arguments, name="picture.svg", most=MEGABYTE, program=PROGRAM):
    """Draws, looks at what holds for every picture, and gives its root (None: there is none)."""
    if os.path.exists(name):
        os.remove(name)
    why = run(*arguments, "--svg", name, program=program)
    if why or not os.path.exists(name):
        point(False, f"{what}: is drawn", why or "no file")
        return None
    size = os.path.getsize(name)
    try:
        root = tree.parse(name).getroot()
    except tree.ParseError as error:
        point(False, f"{what}: is XML", error)
        return None
    head = [root.find(SVG + "title"), root.find(SVG + "desc")]
    point(all(part is not None and part.text for part in head), f"{what}: has a title and a description")
    point(size < most, f"{what}: less than {most} bytes", size)
    found = meetings(root)
    point(not found, f"{what}: no text meets another", "\n".join(found))
    numbers = [number for element in root.iter() for value in element.attrib.values()
               for number in re.findall(r"\b(?:nan|inf)\b", value)]
    point(not numbers, f"{what}: all numbers are finite")
    return root


def pixels(root):
    """The rows of the largest image."""
    images = [element.get("href") for element in root.iter(SVG + "image")]
    data = base64.b64decode(max(images, key=len).split(",")[1])
    at, width, height, packed = 8, 0, 0, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body, check = data[at + 8:at + 8 + length], struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]
        assert zlib.crc32(kind + body) == check, kind
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    rows = zlib.decompress(packed)
    return [rows[i * (width + 1) + 1:(i + 1) * (width + 1)] for i in range(height)]


def rectangles(root):
    """Cells of the first heat map that are rectangles."""
    heat = next(group for group in root.iter(SVG + "g") if group.get("class") == "heat")
    return sum(int(run) for path in heat for run in re.findall(r"h(\d+)v1", path.get("d")))


# ---- files

def write(name, rows):
    with open(name, "wb") as file:
        for label, values in rows:
            file.write(b"" if label is None else (label if isinstance(label, bytes) else label.encode()) + b",")
            file.write(",".join(f"{value:.6g}" for value in values).encode() + b"\n")


def write_ts(name, rows, classes):
    """Rows: (label, channels)."""
    with open(name, "w", encoding="utf-8") as file:
        file.write(f"@problemName x\n@timeStamps false\n@univariate false\n@classLabel true {' '.join(classes)}\n@data\n")
        for label, channels in rows:
            file.write(":".join(",".join(f"{value:.6g}" for value in channel) for channel in channels) + f":{label}\n")


def wave(length, phase=0.0, scale=1.0):
    return [scale * (math.sin(t / 5 + phase) + random.gauss(0, 0.1)) for t in range(length)]


def make_files():
    write("small.csv", [("a", [1, 2, 3, 4]), ("b", [2, 4, 4, 4]), ("a", [1, 1, 2, 9])])
    write("large.csv", [(None, wave(300, k, 1e5)) for k in range(2)])
    write("tiny.csv", [(None, [1e7 + value * 1e-2 for value in wave(60, k)]) for k in range(2)])
    write("many.csv", [(f"class {k % 50} with a name that is much longer than its place in the picture {k % 50}",
                        wave(40 + k % 7, k % 50)) for k in range(100)])
    write("signs.csv", [(b"<b>&c\x01'", wave(30)), (b"\xff\xfe]]>", wave(30, 1)), ("ü漢字", wave(30, 2)),
                        (b"<b>&c\x01'", wave(30))])
    write_ts("channels.ts", [(f"k{k % 2}", [wave(30 + 3 * k, c, 10 ** c) for c in range(6)]) for k in range(6)], ["k0", "k1"])
    write_ts("twelve.ts", [(f"k{k % 2}", [wave(20, c) for c in range(12)]) for k in range(4)], ["k0", "k1"])
    signal = [random.gauss(0, 0.2) for _ in range(6600)]
    for k in range(110):
        for t in range(30):
            signal[50 * k + 20 + t] += 3 * math.sin(t / 5)
    write("motif.csv", [(None, signal)])
    write("query.csv", [(None, signal[70:100])])
    with open("stream.f32", "wb") as file:
        file.write(struct.pack(f"<{len(signal)}f", *signal))
    run("generate", "cbf", "-n", "900", "-l", "96", "-s", "3", "-o", "cbf.ts")
    write("points.txt", [(None, [random.random() for _ in range(4)]) for _ in range(60)])


# ---- the pictures

def paths():
    root = picture("path", "path", "small.csv", "small.csv", "--csv-label", "first", "--pair", "1", "-b", "corner:2", name="one.svg")
    point(root is not None and list(keys(root)) == ["x", "y", "path"], "path: its legend")
    run("path", "small.csv", "small.csv", "--csv-label", "first", "--pair", "1", "-b", "corner:2", "--svg", "two.svg")
    with open("one.svg", "rb") as one, open("two.svg", "rb") as two:
        point(one.read() == two.read(), "path: the same picture twice")
    picture("path of large values", "path", "large.csv", "large.csv")
    picture("path of values that differ by little", "path", "tiny.csv", "tiny.csv")
    root = picture("path of 6 channels", "path", "channels.ts", "channels.ts", "--pair", "2")
    point(root is not None and "channel 0 is thick" in said(root), "path: says which channel the links are of")
    write("one.csv", [(None, [1])])
    picture("path of one point", "path", "one.csv", "large.csv")


def averages():
    root = picture("average of 50 classes", "average", "many.csv", "--csv-label", "first", "--by-class", "--iterations", "2")
    point(root is not None and said(root).count("2 series, ") == 50, "average: 50 of them")
    root = picture("average of 6 channels", "average", "channels.ts")
    point(root is not None and all(f"channel {c}" in said(root) for c in range(6)), "average: every channel is drawn")
    root = picture("average of 12 channels", "average", "twelve.ts", "--by-class")
    point(root is not None and "The first 2 of 2 classes are drawn (channels 0 to 5 of 12)." in said(root), "average: says which channels are drawn")
    root = picture("average with signs in labels", "average", "signs.csv", "--csv-label", "first", "--by-class")
    point(root is not None and "class <b>&c\\x01'" in said(root) and "class \\xff\\xfe]]>" in said(root) and
          "class ü漢字" in said(root), "average: labels are escaped", said(root) if root is not None else "")
    root = picture("average of 900", "average", "cbf.ts", "--iterations", "1")
    shown = re.search(r"(\d+) drawn", said(root) if root is not None else "")
    lines = sum(element.get("class") == "l faint" for element in root.iter(SVG + "path")) if root is not None else 0
    point(shown and int(shown.group(1)) == lines < 900, "average: says how many members are drawn", lines)


def clusters():
    root = picture("cluster of 900", "cluster", "cbf.ts", "-k", "3", "--method", "average", "-b", "corner:4")
    point(root is not None and "the mean of up to 3 x 3 cells" in said(root), "cluster: says that the matrix is thinned out")
    if root is not None:
        rows = pixels(root)
        point(len(rows) == 400 and len(rows[0]) == 400, "cluster: 400 x 400 cells")
        point(all(rows[i][j] == rows[j][i] for i in range(400) for j in range(400)) and
              max(map(max, rows)) == 255 and min(min(row) for row in rows) == 1, "cluster: symmetric, from the least to the largest")
    root = picture("cluster of one", "cluster", "query.csv", "-k", "1", "--method", "ward")
    point(root is not None and "tree" not in said(root), "cluster: one series has no tree")
    root = picture("cluster by medoids", "cluster", "small.csv", "--csv-label", "first", "-k", "2")
    point(root is not None and "series, cluster by cluster" in said(root) and rectangles(root) == 6, "cluster: medoids have a matrix")
    picture("cluster of two", "cluster", "large.csv", "-k", "2", "--method", "single")
    picture("cluster of 6 channels", "cluster", "channels.ts", "-k", "2", "--method", "kmeans")
    root = picture("cluster of 50", "cluster", "many.csv", "--csv-label", "first", "-k", "50", "--method", "complete")
    point(root is not None and "cluster 49" in said(root), "cluster: all 50 are drawn")


def matrices():
    root = picture("matrix", "matrix", "small.csv", "--csv-label", "first")
    point(root is not None and rectangles(root) == 6, "matrix: six distances of three series")
    point(root is not None and list(keys(root)) == ["a", "b"], "matrix: a legend of the classes")
    marks = [text for text, left, *_ in texts(root) if text.isdigit()] if root is not None else []
    point(marks.count("0") >= 2 and marks.count("2") >= 2, "matrix: the axes have the series' numbers", marks)
    root = picture("matrix of two sets", "matrix", "small.csv", "large.csv", "--csv-label", "first")
    point(root is not None and rectangles(root) == 6 and "in the order of the file" in said(root), "matrix: two sets")
    root = picture("matrix of 50 classes", "matrix", "many.csv", "--csv-label", "first")
    point(root is not None and len(set(keys(root))) == 50, "matrix: 50 classes in the legend")
    looks = {tuple(sorted(group.find(SVG + "path").items())[:1] + [group.find(SVG + "path").get("stroke-dasharray")])
             for group in root.iter(SVG + "g") if group.get("class") == "key"} if root is not None else ()
    point(len(looks) == 50, "matrix: 50 looks", len(looks))
    picture("matrix of similarities", "matrix", "small.csv", "--csv-label", "first", "-m", "lcs")
    picture("matrix of one", "matrix", "query.csv")
    picture("matrix with signs in labels", "matrix", "signs.csv", "--csv-label", "first")


def gradients():
    root = picture("gradient", "gradient", "small.csv", "small.csv", "--csv-label", "first", "--soft", "100", "--pair", "1")
    point(root is not None and "gamma 100, of pair 1: " in said(root), "gradient: says of which pair")
    point(root is not None and rectangles(root) == 16, "gradient: every path of 4 x 4 cells")
    root = picture("gradient of the best path", "gradient", "small.csv", "small.csv", "--csv-label", "first")
    point(root is not None and rectangles(root) == 4, "gradient: a series with itself has its diagonal")
    picture("gradient of unequal lengths", "gradient", "channels.ts", "channels.ts", "--soft", "1", "--all-pairs", "--pair", "7")
    point("there are 3 pairs" in (run("gradient", "small.csv", "small.csv", "--csv-label", "first", "--svg", "no.svg", "--pair", "3") or ""),
          "gradient: a pair there is not")
    point(not os.path.exists("no.svg"), "gradient: no picture of it")


def searches():
    common = ["query.csv", "-z", "-k", "9"]
    root = picture("search", "search", *common, "--in", "motif.csv")
    point(root is not None and len(list(keys(root))) == 7 and "9 matches (those after the first 7 are grey)" in said(root),
          "search: the best matches are named")
    places = [key.split(": ")[1] for key in keys(root)] if root is not None else None
    root = picture("search in plain numbers", "search", *common, "--in", "stream.f32")
    point(root is not None and [key.split(": ")[1] for key in keys(root)] == places, "search: plain numbers are the same")
    picture("search for nothing", "search", *common, "--in", "motif.csv", "--threshold", "-1")
    root = picture("search in 6 channels", "search", "channels.ts", "--in", "channels.ts", "-k", "5")
    point(root is not None and "channel 5" in said(root), "search: every channel is drawn")
    picture("search for streams in queries", "search", "motif.csv", "--kind", "super", "--in", "query.csv")
    point("no --output, --json or --svg" in (run("search", "query.csv", "--in", "-", "--threshold", "1", "--svg", "no.svg") or ""),
          "search: a pipe is text")


def profiles():
    root = picture("profile of a motif with 100 members", "profile", "motif.csv", "-w", "30", "--motifs", "1", "--discords", "3",
                   "--radius", "30")
    point(root is not None and {"motif 1", "discords"} <= set(said(root).split("\n")), "profile: rows with names")
    if root is not None:
        tall = sum(element.get("opacity") == "0.2" for element in root.iter(SVG + "rect"))
        many = sum(element.get("opacity") == "0.4" for element in root.iter(SVG + "rect"))
        point(many > 80 and tall == 5, "profile: only pairs and discords are in the series", f"{many} {tall}")
    root = picture("profile of 6 channels", "profile", "channels.ts", "-w", "8", "--motifs", "1")
    point(root is not None and said(root).count("channel 5") == 6, "profile: every channel is drawn")
    root = picture("profile of many series", "profile", "many.csv", "--csv-label", "first", "-w", "8")
    point(root is not None and "The first 8 of 100 series" in said(root), "profile: says how many series are drawn")


def shapelets():
    write("steps.csv", [(f"s{k % 4}", [random.gauss(0, 0.1) + (2 if k % 4 * 8 <= t < k % 4 * 8 + 6 and k % 4 else 0)
                                       for t in range(32)]) for k in range(16)])
    common = ["--csv-label", "first", "--min-length", "8", "--max-length", "8", "-o", "model.json"]
    root = picture("shapelets", "shapelets", "fit", "steps.csv", "-k", "2", *common)
    point(root is not None and list(keys(root)) == ["s0", "s1", "s2", "s3"], "shapelets: a legend of the classes")
    if root is not None:
        heads = re.findall(r"shapelet (\d+): (\d+ points of series \d+), information gain", said(root))
        drawn, all_of_them = re.search(r"(\d+) of (\d+) shapelets", said(root)).groups()
        point(len(heads) == int(drawn) == int(all_of_them), "shapelets: all are drawn", heads)
        point("the same window as" in said(root), "shapelets: the tree's first is the best: drawn once")
        point(all(f"s{k}, series " in said(root) for k in range(4)), "shapelets: every class is drawn")
        point("left out" not in said(root), "shapelets: none is left out")
    root = picture("shapelets of 50 classes", "shapelets", "fit", "many.csv", *common, "--max-depth", "3", "--start-step", "4")
    point(root is not None and len(list(keys(root))) == 50, "shapelets: 50 classes in the legend")
    point(root is not None and "41 of 50 are left out" in said(root), "shapelets: says which classes are left out")
    root = picture("shapelets of 6 channels", "shapelets", "fit", "channels.ts", *common[2:])
    point(root is not None and "ch 5" in said(root), "shapelets: every channel is drawn")
    picture("shapelets with signs in labels", "shapelets", "fit", "signs.csv", *common)
    picture("shapelets without series", "shapelets", "show", "model.json")
    root = picture("shapelets of many", "shapelets", "fit", "cbf.ts", "-k", "12", "--min-length", "20", "--max-length", "20",
                   "--start-step", "16", "--max-depth", "2", "-o", "model.json")
    drawn = re.match(r"(\d+) of (\d+) shapelets", said(root)).groups() if root is not None else ()
    point(drawn and int(drawn[0]) < int(drawn[1]), "shapelets: says how many are drawn", drawn)
    point(root is not None and float(root.get("viewBox").split()[3]) < 2000, "shapelets: the picture fits a few screens")


def confusions():
    root = picture("classify", "classify", "cbf.ts", "cbf.ts", "-b", "corner:4")
    point(root is not None and {"bell", "cylinder", "funnel", "true class", "predicted class"} <= set(said(root).split("\n")),
          "classify: the classes have their names")
    counts = [int(text) for text, *_ in texts(root) if text.isdigit()] if root is not None else []
    point(counts[-9:] == [300, 0, 0, 0, 300, 0, 0, 0, 300], "classify: every cell has its number", counts)
    root = picture("classify of 50 classes", "classify", "many.csv", "many.csv", "--csv-label", "first", "-b", "corner:1")
    point(root is not None and "accuracy 1.0000" in said(root), "classify: says how many are right")
    picture("classify with signs in labels", "classify", "signs.csv", "signs.csv", "--csv-label", "first")
    write("unlabelled.csv", [(None, wave(30))])
    point("have no labels" in (run("classify", "cbf.ts", "unlabelled.csv", "--csv-label", "none", "--svg", "no.svg") or ""),
          "classify: series without labels have no confusion")
    point(not os.path.exists("no.svg"), "classify: no picture of it")


def others():
    root = picture("choose", "choose", "steps.csv", "--csv-label", "first", "--try", "band=sakoe-chiba:0..5")
    point(root is not None and "N of band=sakoe-chiba:N" in said(root), "choose: over the numbers")
    root = picture("choose of combinations", "choose", "steps.csv", "--csv-label", "first", "-m", "msm", "--try", "c=0.1,1",
                   "--try", "band=none,corner:3")
    dots = sum(element.get("class") in ("f c0", "f accent") for element in root.iter(SVG + "circle")) if root is not None else 0
    point(dots == 4, "choose: a row a candidate", dots)
    root = picture("lsh", "lsh", "points.txt", "-k", "3", "-L", "4", "--evaluate")
    point(root is not None and "Recall over time, by the number of tables" in said(root), "lsh: has a heading")
    if BENCH and os.path.exists(BENCH):
        root = picture("bench", "--quick", "--target-seconds", "0.01", "--filter", "frechet/query", program=BENCH)
        point(root is not None and list(keys(root)) == ["frechet/query"], "bench: a line for each group")
    else:
        point(True, "bench # SKIP the bench is not built")


def real_data():
    for name, arguments in (("BasicMotions", ["average", "--by-class"]), ("JapaneseVowels", ["average", "--by-class"]),
                            ("Plane", ["matrix"]), ("SyntheticControl", ["cluster", "-k", "6", "--method", "average"])):
        path = os.path.join(DATA, name, name + "_TRAIN.ts")
        if not os.path.exists(path):
            point(True, f"{name} # SKIP the set is not there")
            continue
        picture(name, arguments[0], path, *arguments[1:])


def main():
    if subprocess.run([PROGRAM, "devices", "--no-self-test"], capture_output=True, check=False).returncode != 0:
        required = os.environ.get("WAVEWARP_TEST_REQUIRE_DEVICE", "0") == "1"
        print("Bail out! no OpenCL device" if required else "1..0 # SKIP no OpenCL device")
        sys.exit(required)
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    try:
        make_files()
        for part in (paths, confusions, averages, clusters, matrices, gradients, searches, profiles, shapelets, others, real_data):
            part()
        point(not [name for name in os.listdir(".") if ".part-" in name], "nothing is left over")
    finally:
        os.chdir("/")
        shutil.rmtree(folder)
    print(f"1..{count}")


main()
