#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every command line of README, docs/ and the manual page as it is written, each page's in a folder of its own.

    documented.py PROGRAM [PAGE]

With PAGE: of that one (docs/tuning.md). Blocks marked tuning are tuning files, which the program takes.

A command line is a line of a block marked sh, or of the manual page's examples. A file that it names and that no earlier
line has made is generated (INPUTS). It must exit with 0 and write the files that follow -o, --svg and their like. What can't run
here is listed with its reason (NOT_RUN) and is printed as skipped; an entry that no page has any more fails."""
import glob
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.realpath(sys.argv[1])
OUTPUTS = ("-o", "--output", "--svg", "--predictions", "--ids", "--distances", "--merges", "--save", "--expected-alignment", ">")
LIMIT, PATIENCE = 3000, 3

BUILDS = "builds the project; tests/package/package.sh does that"
NOT_RUN = {
    "./tools/quickstart": "installs packages",
    "./tools/quickstart TRAIN TEST": "installs packages",
    "./tools/test": "runs all tests",
    "tools/fuzz": "takes minutes",
    "tools/fuzz 3600 npy packed": "takes an hour",
    "meson setup build": BUILDS,
    "ninja -C build": BUILDS,
    "meson install -C build": BUILDS,
    "cc example.c $(pkg-config --cflags --libs wavewarp)": BUILDS,
    "cc example.c $(pkg-config --cflags --static --libs wavewarp | sed s/-lwavewarp/-l:libwavewarp.a/)": BUILDS,
    "pip install .": BUILDS,
    "mpirun -n 4 wavewarp-mpi matrix series.npy -o distances.npy": "needs an MPI; tests/mpi does it",
    "wavewarp-bench --quick": "takes minutes; test_json.sh and the suite 'bench' run some of its cases",
    "wavewarp-bench --filter dtw/query --json > figures.jsonl": "takes a minute; test_json.sh has its JSON",
    "wavewarp-bench --filter program --data FOLDER": "needs a folder of sets that are not part of the repository",
    "meson test -C build/release --suite unit": "is how this test is run",
    "meson test -C build/release band": "is how this test is run",
    "CK_RUN_CASE=sakoe_chiba build/release/tests/unit/test_band": "needs the tests in a certain folder; they run anyway",
    "python3 -m venv mpich && mpich/bin/pip install mpich": "fetches a package",
    "PATH=$PWD/mpich/bin:$PATH meson setup build/mpich -Dmpi=enabled": BUILDS,
    "MPIRUN=$PWD/mpich/bin/mpirun meson test -C build/mpich mpi": BUILDS,
    "meson setup build/thread -Db_sanitize=thread -Db_lundef=false -Dtests=enabled": "builds another tree",
    "meson test -C build/thread threads": "builds another tree",
    "tests/lint/kernels.py kernels_cl/combinations.txt lanes": "takes a minute; the suite 'lint' runs the script",
}


# ---- the files that the lines name

def wavewarp(*arguments):
    subprocess.run([PROGRAM, *arguments], check=True, stdout=subprocess.DEVNULL)


def text(content):
    def make(name):
        with open(name, "w", encoding="utf-8") as file:
            file.write(content)
    return make


def generate(kind, count, length, seed):
    def make(name):
        # Of other formats than .ts by way of it.
        wavewarp("generate", kind, "-n", str(count), "-l", str(length), "-s", str(seed), "-o", "made.ts")
        if name.endswith(".ts"):
            os.rename("made.ts", name)
        else:
            wavewarp("convert", "made.ts", name)
            os.remove("made.ts")
    return make


def number(i, j):
    """Between 0 and 1, the same every time."""
    return (i * 2654435761 + j * 40503 + 12345) % 9973 / 9973


def points(count, dimension, code="f"):
    def make(name):
        with open(name, "wb") as file:
            for i in range(count):
                row = [number(i, j * (i + 3)) for j in range(dimension)]
                file.write(struct.pack("<i", dimension))
                file.write(struct.pack(f"<{dimension}{code}", *([int(256 * x) for x in row] if code == "B" else row)))
    return make


def rows(count, width, separator=",", scale=1.0, whole=False):
    return text("".join(separator.join(str(int(scale * number(i, j * (i + 3))) if whole else scale * number(i, j * (i + 3)))
                                       for j in range(width)) + "\n" for i in range(count)))


def copy(path):
    return lambda name: shutil.copy(os.path.join(ROOT, path), name)


def plain_floats(count):
    def make(name):
        with open(name, "wb") as file:
            file.write(struct.pack(f"<{count}f", *[number(t // 8, t % 8) for t in range(count)]))
    return make


TRAIN, TEST, PAIRED = generate("cbf", 12, 60, 1), generate("cbf", 9, 60, 2), generate("cbf", 5, 40, 3)
LONG = generate("random-walk", 1, 900, 4)
TIMES = text("@timeStamps true\n@classLabel true a b\n@data\n(0,1.5),(0.5,1.7),(2,1):a\n(0,0.5),(1,0.7),(2,3):b\n")
WORDS = text("kitten\nsitting\nflaw\nlawn\nsaturday\n")
INPUTS = {
    "GunPoint_TRAIN.ts": TRAIN, "TRAIN.ts": TRAIN, "train.ts": TRAIN, "series.ts": TRAIN,
    "GunPoint_TEST.ts": TEST, "TEST.ts": TEST, "test.ts": TEST,
    "A.ts": PAIRED, "B.ts": generate("cbf", 5, 40, 5), "X.tsv": PAIRED, "Y.tsv": generate("cbf", 5, 40, 5),
    "a.tsv": PAIRED, "b.tsv": PAIRED, "a.csv": PAIRED, "b.csv": PAIRED, "x.npy": PAIRED, "y.npy": PAIRED,
    "series.npy": TRAIN, "queries.csv": PAIRED, "base.csv": TRAIN, "streams.ts": generate("random-walk", 3, 200, 6),
    "series.csv": generate("random-walk", 2, 400, 7), "SERIES.csv": LONG, "OTHER.csv": generate("random-walk", 1, 700, 8),
    "query.csv": generate("random-walk", 1, 40, 9), "one.csv": generate("random-walk", 1, 40, 9),
    "two.csv": generate("random-walk", 1, 40, 10), "stream.csv": LONG, "monday.csv": LONG, "tuesday.csv": LONG,
    "stream.f32": plain_floats(5000), "sensor.txt": rows(500, 1),
    "weights.csv": rows(12, 1), "stamped.ts": TIMES, "flights.ts": TIMES,
    "log.csv": text("id,when,x,y,class\na,2024-01-01 10:00,1.5,2,left\na,2024-01-01 10:03,1.7,2,left\n"
                    "b,2024-01-02 09:15,0.3,4,right\n"),
    "table.csv": text("timestamp,value,is_anomaly\n" + "".join(f"{t},{number(t, 3)},{int(t == 70)}\n" for t in range(120))),
    "a.txt": WORDS, "b.txt": WORDS, "queries.txt": WORDS, "words.txt": WORDS,
    "mine.cl": copy("examples/recurrence_adtw.cl"), "recurrence_adtw.cl": copy("examples/recurrence_adtw.cl"),
    "points.fvecs": points(600, 8), "queries.fvecs": points(50, 8), "base.fvecs": points(600, 8),
    "more-queries.fvecs": points(20, 8), "points.npy": generate("random-walk", 50, 6, 11),
    "codes.bvecs": points(60, 16, "B"), "prints.bvecs": points(60, 16, "B"),
    "baskets.txt": rows(60, 5, " ", 40, True), "train.csv": rows(30, 4), "test.csv": rows(6, 4),
    "BASE.tsv": TRAIN, "QUERIES.tsv": TEST, "MORE.tsv": TEST,
    "labels.txt": rows(30, 1, "", 3, True),
}


# ---- the lines

def lines_of(path):
    """(number, line) of each command line, without its comment; and lines that look like one but are in no block."""
    found, astray, inside = [], [], ""
    with open(path, encoding="utf-8") as file:
        content = file.read().splitlines()
    for at, line in enumerate(content, 1):
        if path.endswith(".1"):
            inside = line[4:] if line.startswith(".SH ") else inside
            if inside == "EXAMPLES" and line.startswith("wavewarp "):
                found.append((at, line.replace("\\-", "-")))
        elif line.strip().startswith("```"):
            inside = "" if inside else line.strip()[3:] or "none"
        elif inside == "sh" and line.strip():
            found.append((at, re.sub(r"\s+#.*", "", line).strip()))
        elif not inside and re.match(r"\s+(\$ )?wavewarp(-bench)? ", line):
            astray.append(at)
    return found, astray


def tuning_of(path):
    """The blocks of a page that are tuning files, whole."""
    with open(path, encoding="utf-8") as file:
        return re.findall(r"^```tuning\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL)


def words_of(line):
    return re.split(r"[\s=]+", line)


def run(line, folder):
    """What is wrong; "" when nothing is."""
    words = words_of(line)
    written = [after for word, after in zip(words, words[1:]) if word in OUTPUTS and after != "-"]
    for word in words:
        if word in INPUTS and word not in written and not os.path.exists(word):
            INPUTS[word](word)
    environment = dict(os.environ, PATH=os.path.join(folder, "bin") + os.pathsep + os.environ["PATH"])
    endless = line.startswith("tail -f")
    process = subprocess.Popen(["bash", "-e", "-o", "pipefail", "-c", line], env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        said = process.communicate(timeout=PATIENCE if endless else LIMIT)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate()
        return "" if endless else f"not done after {LIMIT} s"
    said = said.decode("utf-8", "replace")
    if endless or process.returncode != 0:
        return f"exit code {process.returncode}: {said[-500:]}"
    missing = [name for name in written if not os.path.exists(name) or os.path.getsize(name) == 0]
    return f"not written: {' '.join(missing)}" if missing else ""


def main():
    folder = tempfile.mkdtemp()
    count, left = 0, set(NOT_RUN)
    bench = os.path.join(os.path.dirname(os.path.dirname(PROGRAM)), "bench", "wavewarp-bench")

    def point(good, what, why=""):
        nonlocal count
        count += 1
        print(f"{'ok' if good else 'not ok'} {count} - {what}")
        for line in why.splitlines() if not good else []:
            print(f"# {line}")
        sys.stdout.flush()

    os.mkdir(os.path.join(folder, "bin"))
    os.symlink(PROGRAM, os.path.join(folder, "bin", "wavewarp"))
    if os.path.exists(bench):
        os.symlink(bench, os.path.join(folder, "bin", "wavewarp-bench"))
    device = subprocess.run([PROGRAM, "devices", "--no-self-test"], capture_output=True, check=False).returncode == 0
    if not device and os.environ.get("WAVEWARP_TEST_REQUIRE_DEVICE", "0") == "1":
        print("Bail out! no OpenCL device")
        sys.exit(1)
    try:
        for path in [os.path.join(ROOT, "README.md")] + sorted(glob.glob(os.path.join(ROOT, "docs", "*.md"))) + \
                [os.path.join(ROOT, "docs", "wavewarp.1")]:
            page = os.path.relpath(path, ROOT)
            if len(sys.argv) > 2 and page != sys.argv[2]:
                continue
            found, astray = lines_of(path)
            if astray:
                point(False, f"{page}: command lines are in blocks marked sh", f"not so: lines {astray}")
            os.mkdir(os.path.join(folder, page.replace("/", "-")))
            os.chdir(os.path.join(folder, page.replace("/", "-")))
            for at, line in found:
                what = f"{page}:{at}: {line}".replace("#", "")
                left.discard(line)
                if line in NOT_RUN:
                    point(True, f"{what} # SKIP {NOT_RUN[line]}")
                elif line.startswith("wavewarp-bench") and not os.path.exists(bench):
                    point(True, f"{what} # SKIP the bench is not built")
                elif not device:
                    point(True, f"{what} # SKIP no OpenCL device")
                else:
                    why = run(line, folder)
                    point(not why, what, why)
            for number, block in enumerate(tuning_of(path), 1):
                what = f"{page}: tuning file {number} is taken"
                with open("documented-tuning.txt", "w", encoding="utf-8") as file:
                    file.write(block)
                if not device:
                    point(True, f"{what} # SKIP no OpenCL device")
                    continue
                why = run("wavewarp pairs A.ts B.ts --tuning documented-tuning.txt", folder)
                point(not why, what, why)
        point(not left or len(sys.argv) > 2, "every line that is listed as not run is in some page", "\n".join(sorted(left)))
    finally:
        os.chdir("/")
        shutil.rmtree(folder)
    print(f"1..{count}")


main()
