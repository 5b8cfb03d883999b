# SPDX-License-Identifier: Apache-2.0
# Searches, profiles, paths and classes in units whose results are joined: killed and resumed, interrupted, divided among runs and merged:
# always the bytes of one run. What does not belong together: one message, and nothing that looks whole.
. "$(dirname "$0")/tap.sh"
: >out >err
"$program" devices --no-self-test >out 2>err || { echo "1..0 # SKIP no OpenCL device"; exit 0; }
RANDOM=${WAVEWARP_TEST_SEED:-7}
"$program" generate random-walk -n 3 -l 9000 -s 3 -o streams.npy && "$program" generate random-walk -n 1 -l 60000 -s 5 -o one.npy &&
    "$program" generate random-walk -n 1 -l 300 -s 6 -o query.npy &&
    "$program" generate random-walk -n 3 -l 30 --max-length 60 -s 4 -o queries.ts &&
    python3 -c 'import array, math
array.array("f", [math.sin(i * i % 977) for i in range(50000)]).tofile(open("raw.f32", "wb"))' &&
    "$program" generate cbf -n 11 -l 20 --max-length 45 -s 8 -o pa.ts && "$program" generate cbf -n 11 -l 20 --max-length 45 -s 9 -o pb.ts &&
    "$program" generate random-walk -n 1 -l 33 -s 4 -o single.ts && python3 -c '
def rows(name, count, labels):
    with open(name, "w", encoding="utf-8") as file:
        for i in range(count):
            values = ["%d" % ((i % 4) * (t % 5) + i * t % 3) for t in range(21)]
            print(labels[i % len(labels)], *values, sep=",", file=file)
names = ["a b", "%20", "\u00fc", "\"x,y\"", "5"]
rows("train.csv", 26, names)
rows("test.csv", 23, names + ["other", ""])' || exit 1

# Which option names the file of a command.
output_of() { [ "${1%% *}" = classify ] && echo --predictions || echo -o; }

# alike PARTS ENDING COMMAND...: parts and a checkpoint give the file of one run.
alike() {
    local count=$1 ending=$2
    shift 2
    ok "$*" gives 0 "$@" "$(output_of "$1")" "whole.$ending"
    ok "in $count parts" divided "$count" "merged.$ending" "$@"
    ok "the bytes of one run" same "whole.$ending" "merged.$ending"
    ok "with a checkpoint" gives 0 "$@" "$(output_of "$1")" "merged.$ending" --checkpoint j
    ok "the bytes of one run" eval "same whole.$ending merged.$ending && absent j && absent j.npy.part"
}
alike 5 csv search queries.ts --in streams.npy -z -k 4
alike 1 csv search queries.ts --in raw.f32 --kind windows -k 3 --exclusion 1 --threshold 9
alike 3 csv search queries.ts --in streams.npy --in queries.ts -k 2 --precision double
alike 3 csv search query.npy --in streams.npy -k 7
alike 2 txt search streams.npy --in queries.ts --kind super
alike 2 csv search queries.ts --in streams.npy --kind windows -m lcss -p epsilon=0.5 -p similarity=1 -k 3 --no-bounds
alike 4 npy profile streams.npy -w 40 -k 2 --left-right
alike 3 csv profile streams.npy queries.ts --other-series 2 -w 24 --series 1 --precision double
alike 1 csv path pa.ts pb.ts
alike 5 npy path pa.ts pb.ts -b sakoe-chiba:30 --precision double
alike 3 txt path pa.ts single.ts -m lcss -p epsilon=0.5
alike 4 npy path single.ts pb.ts --relax 2,all,1,all
alike 5 csv classify train.csv test.csv -k 3 --labels first
alike 2 txt classify pa.ts pb.ts -m twed --precision double --no-bounds
alike 3 csv classify train.csv train.csv --labels first -b corner:10%
# tail_of NAME: the object in out from a name on.
tail_of() { sed -n "s/.*\"$1\"//p" out; }
ok "merged paths in JSON" eval 'divided 3 m.csv path pa.ts pb.ts && gives 0 merge parts --json && tail_of distances >m && sed 1d out >>m && gives 0 path pa.ts pb.ts --json && tail_of distances >w && sed 1d out >>w && test -s w && same m w'
ok "merged paths as text" eval 'gives 0 merge parts && cp out m && gives 0 path pa.ts pb.ts && same out m'
ok "a picture, with a checkpoint" eval 'gives 0 path pa.ts pb.ts --svg w.svg --pair 3 && gives 0 path pa.ts pb.ts --svg m.svg --pair 3 --checkpoint j && same w.svg m.svg && absent j'
# Without the lines about device and speed.
report() { grep -vE '^(device|seconds|cells|pruned) ' out >"$1"; }
ok "a report" eval 'gives 0 classify train.csv test.csv -k 3 --labels first && report w && lines 13 w && prints "series without a label" && prints "that no training series has" && prints "euclidean"'
ok "of merged classes" eval 'divided 5 m.csv classify train.csv test.csv -k 3 --labels first && same out w'
ok "with a checkpoint" eval 'gives 0 classify train.csv test.csv -k 3 --labels first --checkpoint j && report m && same m w && absent j'
ok "merged classes in JSON" eval 'gives 0 merge parts --json && tail_of method >m && gives 0 classify train.csv test.csv -k 3 --labels first --json && tail_of method >w && test -s w && same m w'
ok "merged classes on standard output" eval 'gives 0 merge parts -o - && cp out m && gives 0 classify train.csv test.csv -k 3 --labels first --predictions - && same out m'
ok "merged matches in JSON" eval 'divided 2 m.csv search queries.ts --in streams.npy -z && gives 0 merge parts --json && sed -n "s/.*\"matches\"//p" out >m && gives 0 search queries.ts --in streams.npy -z --json && sed -n "s/.*\"matches\"//p" out >w && test -s w && same m w'
ok "motifs and discords" eval 'gives 0 profile streams.npy -w 40 --motifs 2 --discords 2 && cp out w && gives 0 profile streams.npy -w 40 --motifs 2 --discords 2 --checkpoint j && same out w'
ok "a part in JSON" eval 'gives 0 profile streams.npy -w 40 --part 1/3 --parts parts --json && prints "\"profiles\": null" && prints "\"tiles\": "'

# ended ARGUMENT...: SIGTERM ends the command, once units are in the journal. A device that is done before begins anew.
ended() {
    local process
    for _ in 1 2 3 4 5 6 7 8; do
        rm -f r.csv r.j
        env --default-signal=TERM "$program" "$@" "$(output_of "$1")" r.csv --checkpoint r.j >out 2>err </dev/null &
        process=$!
        begun $process r.j
        kill -TERM $process 2>/dev/null
        wait $process
        [ $? -eq 143 ] && return 0
    done
    return 1
}
"$program" generate random-walk -n 150 -l 1500 -s 5 -o pair1.npy && "$program" generate random-walk -n 150 -l 1500 -s 8 -o pair2.npy &&
    "$program" generate cbf -n 300 -l 150 -s 3 -o cbf1.ts && "$program" generate cbf -n 400 -l 150 -s 4 -o cbf2.ts || exit 1
for job in "path pair1.npy pair2.npy" "classify cbf1.ts cbf2.ts -m twed --precision double --no-bounds" "search query.npy --in one.npy -k 3 --kind windows -m twed --precision double --no-bounds" "profile one.npy -w 300 --precision double"; do
    # shellcheck disable=SC2086 # words
    ok "one run" gives 0 $job "$(output_of "$job")" whole.csv
    # shellcheck disable=SC2086
    ok "${job%% *}, killed and resumed" killed r.csv r.j $job "$(output_of "$job")" r.csv --checkpoint r.j
    ok "it went on with units" resumed
    ok "the bytes of one run" eval 'same whole.csv r.csv && absent r.j && absent r.j.npy.part'
    rm -f r.*
    # shellcheck disable=SC2086
    ok "SIGTERM ends it behind a unit" ended $job
    ok "what is done stays" test -s r.j -a -s r.j.npy.part -a ! -e r.csv
    # shellcheck disable=SC2086
    ok "it goes on" gives 0 $job "$(output_of "$job")" r.csv --checkpoint r.j --resume --json
    ok "with what was done" eval 'resumed && same whole.csv r.csv'
    rm -f r.*
done

# refused WHY ARGUMENT...: the run is refused for this reason, in one line, and the journal stays as it is.
refused() {
    local why=$1 before
    shift
    before=$(cksum r.j r.j.npy.part)
    gives 1 "$@" "$(output_of "$1")" r.csv --checkpoint r.j --resume && says "$why" && [ "$(cksum r.j r.j.npy.part)" = "$before" ] &&
        lines 1 err && absent r.csv
}
ok "its output can't be written" gives 1 search queries.ts --in raw.f32 -z -o none/r.csv --checkpoint r.j
ok "another number of matches" refused "other options" search queries.ts --in raw.f32 -z -k 2
ok "another job" refused "job" profile streams.npy -w 40
ok "other queries" refused "other inputs" search queries.ts streams.npy --in raw.f32 -z
cp raw.f32 kept.f32 && printf x | dd of=raw.f32 bs=1 seek=100000 conv=notrunc 2>/dev/null
ok "another stream" refused "other inputs" search queries.ts --in raw.f32 -z
cp kept.f32 raw.f32
ok "what was computed stays" eval 'gives 0 search queries.ts --in raw.f32 -z -o r.csv --checkpoint r.j --resume --json && resumed'
rm -f r.*
ok "its predictions can't be written" gives 1 classify train.csv test.csv --labels first --predictions none/r.csv --checkpoint r.j
ok "another number of neighbours" refused "other options" classify train.csv test.csv --labels first -k 2
sed 's/^other/%20/' test.csv >relabelled.csv
ok "another label" refused "other options" classify train.csv relabelled.csv --labels first
ok "another job" refused "job" path train.csv train.csv --labels first
ok "what was computed stays" eval 'gives 0 classify train.csv test.csv --labels first --predictions r.csv --checkpoint r.j --resume --json && resumed'
ok "averages" eval 'gives 2 classify train.csv test.csv --labels first --method centroid --checkpoint j && says "averages are not divided"'
ok "predictions of a part" gives 2 classify train.csv test.csv --labels first --predictions r.csv --part 1/2 --parts parts
ok "a picture of a part" gives 2 path pa.ts pb.ts --svg p.svg --part 1/2 --parts parts
ok "a measure that has no open ends" gives 1 path pa.ts pb.ts -m msm --relax 1,0,0,0 --checkpoint j
ok "nothing is left of it" eval 'absent j && absent j.npy.part'
ok "no labels to learn from" gives 1 classify single.ts pb.ts --part 1/2 --parts parts
ok "more parts than pairs" eval 'gives 1 path pa.ts pb.ts --part 1/12 --parts parts && says "at most a part each"'
ok "a stream from a pipe" gives 2 search queries.ts --in - --checkpoint j
ok "is told" says "can't be read again"
mkdir folder.f32 && ok "a stream that is a folder" eval 'gives 1 search queries.ts --in folder.f32 && says "Is a directory" && lines 1 err'
ok "a stream that is followed" gives 2 search queries.ts --in - --threshold 1 --checkpoint j
ok "a picture of a part" gives 2 profile streams.npy -w 40 --svg p.svg --part 1/2 --parts parts
ok "motifs of a part" gives 2 profile streams.npy -w 40 --motifs 1 --part 1/2 --parts parts
ok "the output of a part" gives 2 search queries.ts --in raw.f32 -o r.csv --part 1/2 --parts parts
ok "more parts than units" eval 'gives 1 search queries.ts --in raw.f32 --part 1/4 --parts parts && says "at most a part each"'
ok "a window that is too long" gives 1 profile queries.ts -w 500 --checkpoint j
ok "no folder" gives 1 search queries.ts --in raw.f32 -z --part 1/2 --parts nowhere
ok "nothing is left of them" absent j

for job in "search queries.ts --in raw.f32 -z -k 2" "profile streams.npy -w 40" "path pa.ts pb.ts" "classify pa.ts pb.ts"; do
    # shellcheck disable=SC2086
    divided 3 m.csv $job
    rm -rf good && cp -r parts good
    refused_parts "${job%% *}" m.csv
    [ "${job%% *}" != search ] || ok "ids of matches" gives 1 merge good --ids i.npy
    again && rm parts/2*
    # shellcheck disable=SC2086
    "$program" $job --precision double --part 2/3 --parts parts 2>err
    ok "with other options" wrong m.csv "options"
    # Rows of other values: places that are not there.
    again && python3 -c 'import struct
for part in "123":
    with open("parts/%s-of-3.npy" % part, "r+b") as file:
        file.seek(128)
        file.write(struct.pack("<dd", float("nan"), -5.0))'
    ok "damaged values" wrong m.csv "not what its journal was written for"
    sign parts/*.journal
    ok "damaged values with right sums" wrong m.csv "damaged"
    again && mv parts/1-of-3.npy kept && mv parts/2-of-3.npy parts/1-of-3.npy && mv kept parts/2-of-3.npy
    ok "exchanged values" wrong m.csv "another part"
    # What no index can be, in each place of the first rows.
    bad=0
    for number in 1e300 -2 0.5 nan -9223372036854775808; do
        for place in 1 2 3; do
            again && python3 -c 'import struct, sys
with open("parts/1-of-3.npy", "r+b") as file:
    file.seek(128 + 8 * int(sys.argv[2]))
    file.write(struct.pack("<d", float(sys.argv[1])))' "$number" "$place"
            sign parts/*.journal
            "$program" merge parts -o m.csv >out 2>err
            [ $? -le 1 ] || bad=1
            [ "${job%% *}" != search ] || { [ ! -s m.csv ] && says "damaged"; } || bad=1
            rm -f m.csv
        done
    done
    ok "numbers that are no index" test $bad = 0
done
# Control characters in a part's words, with a sum that is right.
again && python3 -c 'import hashlib, re
for part in "123":
    name = "parts/%s-of-3.journal" % part
    text = open(name, "rb").read()[:-65]
    text, count = re.subn(rb"(train \d+) \S+", rb"\1 %1b]0;owned%07", text)
    assert count == 1
    open(name, "wb").write(text + hashlib.sha256(text).hexdigest().encode() + b"\n")'
ok "a part with control characters" gives 0 merge parts
ok "they are escaped" eval 'grep -qF "measure   \x1b]0;owned\x07, " out && ! grep -q "$(printf "\033")" out'
rm -rf good && mkdir good && "$program" nearest pa.ts pb.ts --part 1/2 --parts good >out 2>err && "$program" nearest pa.ts pb.ts --part 2/2 --parts good >out 2>err
again && python3 -c 'import struct
with open("parts/1-of-2.npy", "r+b") as file:
    file.seek(128)
    file.write(struct.pack("<d", -1e19))'
sign parts/*.journal
ok "a neighbour that can be none" wrong m.txt "damaged"
ok "no parts of files" no_leftovers
finish
