# SPDX-License-Identifier: Apache-2.0
# JSON of every command: one head, valid for any name and label; and what goes to files beside it.
. "$(dirname "$0")/tap.sh"
: >out >err

# Strict: UTF-8, no NaN, and the head's names in their order.
cat >check.py <<'END_OF_PYTHON'
import json, sys
HEAD = ["version", "command", "files", "counts", "output", "measure", "recurrence", "band", "cost", "root",
        "independent", "relax", "gamma", "parameters", "znorm", "embed", "device", "platform", "precision", "engine", "seconds",
        "seconds_compute", "seconds_device"]
def refuse(name):
    raise ValueError(name)
def unique(pairs):
    assert len(dict(pairs)) == len(pairs), "a name twice"
    return dict(pairs)
text = open("out", "rb").read().decode("utf-8")
assert text.endswith("}\n")
head = json.loads(text, parse_constant=refuse, object_pairs_hook=unique)
assert list(head)[:len(HEAD)] == HEAD, list(head)
assert len(head["files"]) == len(head["counts"])
assert head["seconds"] >= (head["seconds_compute"] or 0)
if len(sys.argv) > 1 and not eval(sys.argv[1], dict(head)):
    print(sys.argv[1], head, file=sys.stderr)
    sys.exit(1)
END_OF_PYTHON
# json EXPRESSION: whether the output is such an object, and this holds for its fields.
json() { python3 check.py "$@" 2>err; }

# ---- without a device
ok "generate" gives 0 generate cbf -n 4 -o gen.ts --json
ok "its JSON" json 'command == "generate" and output == "gen.ts" and files == [] and series == 4 and max_length == 128'
ok "convert" gives 0 convert gen.ts gen.csv -jz
ok "its JSON" json 'files == ["gen.ts"] and counts == [4] and output == "gen.csv" and znorm is True'
ok "info" gives 0 info gen.ts --json
ok "its JSON" json 'files == ["gen.ts"] and counts == [4] and format == "ts" and rows is None and heading is None'
ok "what is in it" json '(series, channels, min_length, median_length, max_length) == (4, 1, 128, 128, 128) and missing == 0'
ok "its labels" json 'labels[0] == {"label": "cylinder", "series": 2} and unlabelled == 0 and notices == []'
ok "its values" json 'len(values) == 8 and minimum < maximum and first_time is None and cells == 6 * 128 * 128'
printf 'ti\033me,x,label\n1,2,\374\n' >odd.csv
ok "info of odd bytes" gives 0 info odd.csv --rows series --json
ok "its JSON" json 'heading == "ti\x1bme,x,label" and label_column == 3 and labels == [{"label": "\xfc", "series": 1}]'
ok "its notice" json 'notices[0]["settled_by"].startswith("--labels")'
ok "measures" gives 0 measures --json
ok "its JSON" json 'len(measures) > 10 and measures[0]["name"] == "dtw"'
ok "open ends" json '[m["open_ends"] for m in measures if m["name"] in ("edr", "msm")] == [True, False]'
ok "a soft minimum" json '[m["soft_minimum"] for m in measures if m["name"] in ("edr", "msm")] == [False, True]'
ok "measures edr" gives 0 measures edr
ok "has open ends" prints "open ends   yes, by --relax"
ok "no soft minimum" prints "soft        no"

# Names and labels of any bytes: control characters, quotes, Latin-1, a character cut off, an overlong form.
latin=$(printf 'q\042\\\001\033Gr\374n\303\302\233\300\200.ts')
"$program" generate cbf -n 4 -o "$latin"
ok "a name of any bytes" gives 0 convert "$latin" b.csv --json
ok "its JSON" json 'files == ["q\"\\\x01\x1bGr\xfcn\xc3\x9b\xc0\x80.ts"]'
utf8=$(printf 'Gr\303\274n \360\237\230\200.ts')
cp gen.ts "$utf8"
ok "a name in UTF-8" gives 0 convert "$utf8" b.csv --json
ok "stays as it is" json 'files == ["Gr\xfcn \U0001f600.ts"]'

if ! "$program" devices --no-self-test >out 2>err; then
    if [ "${WAVEWARP_TEST_REQUIRE_DEVICE:-0}" = 1 ]; then
        echo "Bail out! no OpenCL device: $(cat err)"
        exit 1
    fi
    finish
    exit 0
fi

# ---- on a device
ok "devices" gives 0 devices --no-self-test --json
ok "its JSON" json 'any(d["chosen"] for d in devices) and devices[0]["self_test"] is None'
printf '1,2,3\n0,0,0,0\n5\n' >x.csv
printf '1,3\n1,1\n2,2,2\n' >y.csv
ok "pairs" gives 0 pairs x.csv y.csv --json
ok "its JSON" json 'distances == [1, 4, 27] and measure == "dtw" and band == "none" and cost == "squared" and not root'
ok "the two files" json 'files == ["x.csv", "y.csv"] and counts == [3, 3] and output is None and engine and device'
ok "pairs to a file" gives 0 pairs x.csv y.csv --json -o d.csv
ok "its JSON" json 'distances is None and output == "d.csv"'
printf '1\n4\n27\n' >wanted
ok "the file" cmp -s d.csv wanted
ok "matrix" gives 0 matrix x.csv --json
ok "its JSON" json 'distances == [[0, 15, 29], [15, 0, 100], [29, 100, 0]] and counts == [3] and condensed is False'
ok "matrix of two" gives 0 matrix x.csv y.csv --json
ok "its JSON" json '[len(row) for row in distances] == [3, 3, 3] and distances[0][0] == 1'
ok "condensed" gives 0 matrix x.csv --json --condensed
ok "its JSON" json 'distances == [15, 29, 100] and condensed is True'
ok "to a file" gives 0 matrix x.csv --json -o half.npy
ok "its JSON" json 'distances is None and output == "half.npy"'
ok "a cost and a parameter" gives 0 pairs x.csv y.csv -jm adtw -p penalty=0.5 --cost-expr 'fabs(x - y)' --root
ok "its JSON" json 'measure == "adtw" and cost == "fabs(x - y)" and parameters == {"penalty": 0.5} and root is True'
ok "closed ends and the minimum" json 'relax == "0,0,0,0" and gamma == 0'
ok "open ends" gives 0 pairs x.csv y.csv -j --relax 0,1,all,all
ok "its JSON" json 'relax == "0,1,all,all" and gamma == 0'
ok "a soft minimum" gives 0 pairs x.csv y.csv -j --soft 0.25
ok "its JSON" json 'relax == "0,0,0,0" and gamma == 0.25'
ok "a measure with neither" gives 0 pairs x.csv y.csv -jm lcss
ok "its JSON" json 'relax is None and gamma is None'
ok "a measure with a cost of its own" gives 0 pairs x.csv y.csv -jm msm
ok "its JSON" json 'cost is None and independent is True and parameters["c"] == 1'

# A width in percent: of the longest series of both files, rounded down.
printf '1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20\n' >twenty.csv
printf '1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19\n' >nineteen.csv
ok "10% of 20" gives 0 pairs nineteen.csv twenty.csv -j --band sakoe-chiba:10%
ok "is 2" json 'band == "sakoe-chiba:2"'
ok "29% of 20" gives 0 pairs twenty.csv twenty.csv -j --band corner:29%
ok "is 5" json 'band == "corner:5"'
ok "5% of 20" gives 0 pairs nineteen.csv twenty.csv -j --band sakoe-chiba:5%
ok "is 1, exactly" json 'band == "sakoe-chiba:1"'
ok "a whole number of points" gives 0 pairs twenty.csv twenty.csv -j --band corner:3
ok "stays" json 'band == "corner:3"'

# ---- nearest
ok "nearest" gives 0 nearest x.csv y.csv -jk2
ok "its JSON" json 'neighbours[0] == {"query": 0, "indices": [0, 2], "distances": [1, 2]} and k == 2'
printf '0\t0:1\t2:2\n1\t1:4\t0:12\n2\t0:20\t2:27\n' >wanted
ok "nearest to a file" gives 0 nearest x.csv y.csv -k2 -o n.txt
ok "nothing is printed" test ! -s out
ok "the file" cmp -s n.txt wanted
printf 'query,index,distance\n0,0,1\n0,2,2\n1,1,4\n1,0,12\n2,0,20\n2,2,27\n' >wanted
ok "nearest to a .csv" gives 0 nearest x.csv y.csv -jk2 -o n.csv
ok "its JSON" json 'neighbours is None and output == "n.csv"'
ok "the file" cmp -s n.csv wanted

# ---- classify
printf '@classLabel true a b\n@data\n1,2,3:a\n4,5,6:b\n' >train.ts
printf '@classLabel false\n@data\n1,2,3\n4,5,6\n' >plain.ts
cat >own.cl <<'END_OF_CL'
real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, real ahead) {
    return ww_cost(x, y) + fmin(diagonal, fmin(left, up) + WW_P_p0);
}
END_OF_CL
ok "a recurrence of one's own" gives 0 classify --train train.ts --test train.ts --recurrence own.cl -j
ok "its JSON" json 'measure == "user" and recurrence == "own.cl" and accuracy == 1 and confusion == [[1, 0], [0, 1]]'
ok "clusters" gives 0 cluster train.ts -k 2 -j
ok "clusters: one head" json 'clusters == 2 and len(labels) == counts[0] and command == "cluster"'
ok "a choice" gives 0 choose train.ts -j
ok "a choice: one head" json 'len(tried) == 21 and chosen == {"band": "sakoe-chiba:0%"} and files == ["train.ts"]'
ok "in words" gives 0 classify --train train.ts --test train.ts --recurrence own.cl
ok "its measure" prints "measure   user,"
ok "no labels" gives 0 classify --train train.ts --test plain.ts
ok "no confusion" bash -c '! grep -q confusion out'
ok "no labels, in JSON" gives 0 classify --train train.ts --test plain.ts -j
ok "no confusion either" json 'confusion is None and accuracy is None and labelled == 0'
# Labels of any bytes, in a format that lets them through.
printf 'a,b\033[31m"\t1\t2\t3\nGr\374n\t4\t5\t6\n' >labels.tsv
ok "labels of any bytes" gives 0 classify --train labels.tsv --test labels.tsv
ok "are no escape sequences" bash -c '! grep -q "$(printf "\033")" out'
ok "but shown" prints 'a,b\x1b[31m"'
for command in 'average labels.tsv --by-class -o averages.ts' 'shapelets fit labels.tsv --raw -k 1 -o labels.json' \
    'cluster labels.tsv -k 2' 'choose labels.tsv labels.tsv --try band=sakoe-chiba:0..1'; do
    # shellcheck disable=SC2086
    ok "labels of any bytes: $command" gives 0 $command
    ok "are no escape sequences" bash -c '! cat out err | grep -q "$(printf "\033")"'
done
ok "averages of labels of any bytes" gives 0 average labels.tsv --by-class -o averages.ts
ok "show them" prints 'a,b\x1b[31m"'
ok "classify by position" gives 0 classify labels.tsv labels.tsv
ok "the training set may be named" gives 0 classify --train labels.tsv labels.tsv
ok "the test set may be named" gives 0 classify labels.tsv --test labels.tsv -j
ok "both are read" json 'files == ["labels.tsv", "labels.tsv"]'
ok "the same in JSON" gives 0 classify --train labels.tsv --test labels.tsv -j --predictions p.csv
ok "are valid" json 'classes == ["a,b\x1b[31m\"", "Gr\xfcn"] and output == "p.csv"'
printf 'series,actual,predicted\n0,"a,b\033[31m""","a,b\033[31m"""\n1,Gr\374n,Gr\374n\n' >wanted
ok "predictions with commas" cmp -s p.csv wanted
ok "predictions with tabs" gives 0 classify --train train.ts --test train.ts --predictions p.tsv
printf 'series\tactual\tpredicted\n0\ta\ta\n1\tb\tb\n' >wanted
ok "as they were" cmp -s p.tsv wanted

# ---- the bench, which need not be built: a line a case
if [ -x "$(dirname "$program")/../bench/wavewarp-bench" ]; then
    ok "bench" gives 0 bench -j --quick --target-seconds 0.001 --filter read/tsv/one
    ok "its JSON" json 'command == "bench" and name == "read/tsv/one" and right and measure is None and wall["runs"] == 7'
    ok "bench of pairs" gives 0 bench -j --quick --target-seconds 0.001 --filter dtw/band10/128
    ok "its JSON" json 'measure == "dtw" and band == "sakoe-chiba:12" and right and engine and rows == 1 and error <= allowed'
    ok "bench without a set" gives 0 bench -j --filter program/classify/GunPoint
    ok "its JSON" json 'skipped == "needs --data FOLDER" and seconds_compute is None'
fi

# ---- points
printf '0,0\n3,4\n10,0\n3,4\n0,1\n' >base.csv
printf '0,0\n9,0\n' >queries.csv
printf '3\n8\n3\n8\n3\n' >classes.txt
ok "knn" gives 0 knn -jk2 -m l1 queries.csv base.csv
ok "its JSON" json 'measure == "l1" and files == ["queries.csv", "base.csv"] and counts == [2, 5] and band is None and relax is None'
ok "its neighbours" json 'neighbours[1] == {"query": 1, "indices": [2, 0], "distances": [1, 9]}'
ok "knn with classes" gives 0 knn -j -k 3 --classes classes.txt queries.csv base.csv
ok "its JSON" json 'predictions == [3, 8] and len(neighbours) == 2'
ok "knn with values" gives 0 knn -j -k 2 --values classes.txt queries.csv base.csv
ok "its JSON" json 'predictions == [3, 5.5]'
ok "ids in .npy" gives 0 knn -k 2 --ids ids.npy --distances d.npy queries.csv base.csv
ok "are integers of 64 bits" grep -qaF "'descr': '<i8', 'fortran_order': False, 'shape': (2, 2)" ids.npy
ok "are right" test "$(od -An -td8 -v -j128 ids.npy | tr -s ' \n' ' ')" = " 0 4 2 1 "
ok "have nothing behind them" test "$(wc -c <ids.npy)" -eq $((128 + 4 * 8))
ok "lsh" gives 0 lsh -jk2 -M 1 -w 1e9 -L 2 queries.csv base.csv
ok "its JSON" json 'parameters["tables"] == 2 and parameters["width"] == 1e9 and files == ["queries.csv", "base.csv"]'
ok "its neighbours" json 'neighbours[0]["indices"] == [0, 4]'
ok "an index" gives 0 lsh -k 1 --save index.wwlsh base.csv
ok "queries of an index" gives 0 lsh -jk1 --load index.wwlsh queries.csv
ok "its JSON" json 'files == ["queries.csv", "index.wwlsh"] and counts == [2, 5]'
ok "an index of another metric" gives 1 lsh --load index.wwlsh -m l1 queries.csv
ok "that is said" says "index.wwlsh are for l2, not for l1"
ok "more probes than it has" gives 2 lsh --load index.wwlsh --probes 7 queries.csv
ok "evaluation" gives 0 lsh -j --evaluate base.csv
ok "its JSON" json 'trials[0]["tables"] == 1 and 0 <= trials[0]["recall"] <= 1 and engine is None'

# ---- a cost that does not compile
ok "a wrong cost" gives 1 pairs x.csv y.csv --cost-expr nonsense
ok "quotes the compiler" says "nonsense"
ok "speaks of no function" bash -c '! grep -q ww_ err'

# ---- progress, of work that takes minutes; it is ended as soon as there is something to see
"$program" generate random-walk -n 600 -l 3000 -o long.npy
export program
cat >long.sh <<'END_OF_SH'
# long.sh FILE: until FILE has a percentage and a little longer
"$program" matrix long.npy long.npy -o long.bin &
until grep -qa '[0-9] %' "$1"; do
    kill -0 $! || break
    sleep 0.2
done
sleep 1
kill -TERM $!
wait $!
END_OF_SH
WAVEWARP_PROGRESS_SECONDS=0.3 bash long.sh err >out 2>err
ok "it ends by the signal" test $? -eq 143
ok "lines of progress in a log" grep -qE '^wavewarp: +[0-9]+ %  [0-9.e-]+ Gcells/s' err
ok "no cursor is moved" bash -c '! grep -q "$(printf "\r")" err'
# on_terminal TERM COLUMNS: the same where standard error is a terminal; what is on it goes to `typed`.
on_terminal() {
    TERM=$1 WAVEWARP_PROGRESS_SECONDS=0.3 script -qfc "stty cols $2; bash long.sh typed" typed >/dev/null 2>&1 </dev/null
}
if script --version >/dev/null 2>&1; then
    on_terminal xterm 24
    tr '\r' '\n' <typed | sed "s/$(printf '\033')\\[K//g" | grep -E '^ *[0-9]+ %|^\[' >drawn
    ok "progress on a narrow terminal" test -s drawn
    ok "no longer than the terminal" test "$(awk '{ if (length($0) > most) most = length($0) } END { print most + 0 }' drawn)" -le 23
    on_terminal xterm 80
    ok "a bar where there is room" grep -qF '[..' typed
    ok "gone before a message" bash -c 'tr "\r" "\n" <typed | grep -qx "$(printf "\033")\[Kwavewarp: interrupted"'
    # A second of work: the error comes at its end, when the output gets its name, so the folder goes at once.
    "$program" generate random-walk -n 80 -l 3000 -o short.npy
    cp long.sh whole.sh && mkdir gone
    sed -i 's/long.npy long.npy -o long.bin/short.npy short.npy -o gone\/long.npy --checkpoint gone\/store/; s/kill -TERM $!/mv gone away/; /^sleep 1$/d' long.sh
    on_terminal xterm 80
    ok "gone before an error" bash -c 'tr "\r" "\n" <typed | grep -q "^$(printf "\033")\[Kwavewarp: gone/.*can.t be"'
    mv whole.sh long.sh
    on_terminal dumb 80
    ok "lines on a dumb terminal" grep -qE '^wavewarp: +[0-9]+ %' typed
    ok "without escape sequences" bash -c '! grep -q "$(printf "\033")" typed'
fi
ok "nothing is left" no_leftovers

# ---- tune: a file that is not there yet, ended as soon as the first parameter is in it
timeout --foreground --preserve-status -s KILL 600 "$program" tune --tuning none/new.txt >out 2>err
ok "no such folder" test $? -eq 1
ok "is named" says "none/new.txt: can't be written"
"$program" tune --json --tuning new.txt >out 2>err &
tuning=$!
until [ -s new.txt ]; do
    kill -0 $tuning 2>/dev/null || break
    sleep 0.2
done
kill -TERM $tuning 2>/dev/null
wait $tuning
code=$?
ok "a new file" grep -q '^device .* [0-9]*$' new.txt
ok "ended in order" test $code -eq 143 -o $code -eq 0
# It ends within a second, a compile or not: the object may lack its end.
ok "its results, as far as they came" grep -q '"chosen": true' out
WAVEWARP_TUNING=other.txt timeout --foreground --preserve-status -s TERM 0.1 "$program" tune >out 2>err
ok "a file without a line is not left" bash -c '[ ! -e other.txt ] || [ -s other.txt ]'
finish
