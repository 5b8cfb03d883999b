# SPDX-License-Identifier: Apache-2.0
# Every job of the program x {with a checkpoint, in parts that are merged}: the bytes of one run. Killed, interrupted and
# gone on with. What does not belong together: one message, nothing written, nothing lost.
. "$(dirname "$0")/tap.sh"
: >out >err
needs_device
RANDOM=${WAVEWARP_TEST_SEED:-7}
"$program" generate cbf -n 37 -l 20 --max-length 44 -s 1 -o a.ts && "$program" generate cbf -n 37 -l 24 --max-length 31 -s 2 -o b.ts &&
    "$program" generate cbf -n 11 -l 30 -s 3 -o c.ts && "$program" generate random-walk -n 1 -l 33 -s 4 -o single.ts &&
    "$program" generate random-walk -n 3 -l 9000 -s 3 -o streams.npy && "$program" generate random-walk -n 1 -l 300 -s 6 -o query.npy &&
    "$program" generate random-walk -n 3 -l 30 --max-length 60 -s 4 -o queries.ts &&
    "$program" generate random-walk -n 3 -l 30 --max-length 60 -s 5 -o queries2.ts && "$program" generate random-walk -n 1100 -l 8 -s 9 -o many.npy && python3 -c '
import array, math
array.array("f", [math.sin(i * i % 977) for i in range(50000)]).tofile(open("raw.f32", "wb"))
def rows(name, count, labels):
    with open(name, "w", encoding="utf-8") as file:
        for i in range(count):
            values = ["%d" % ((i % 4) * (t % 5) + i * t % 3) for t in range(21)]
            print(labels[i % len(labels)], *values, sep=",", file=file)
names = ["a b", "%20", "\u00fc", "\"x,y\"", "5"]
rows("train.csv", 26, names)
rows("test.csv", 23, names + ["other", ""])' || exit 1
awk 'BEGIN { for (i = 0; i < 150; i++) print i % 7 "," i * i % 11 "," i % 13 }' >points.csv
awk 'BEGIN { for (i = 0; i < 40; i++) print i % 5 "," i % 3 ".5,2" }' >near.csv
awk 'BEGIN { for (i = 0; i < 70; i++) { t = ""; for (b = 1; b <= 512; b *= 2) t = t int(i * 37 / b) % 2; print t } }' >bits.txt
awk 'BEGIN { for (i = 0; i < 50; i++) { t = i; for (b = 1; b < i % 6; b++) t = t " " (i * b) % 23; print t } }' >sets.txt

# ---- the table: parts, ending of the output, command

# Which option names the file of a command.
output_of() { [ "${1%% *}" = classify ] && echo --predictions || echo -o; }
alike() {
    local count=$1 ending=$2 option
    shift 2
    in_turn 2 || return
    option=$(output_of "$1")
    ok "$*" gives 0 "$@" "$option" "whole.$ending"
    ok "in $count parts" parts_of "$count" "$@"
    ok "merged" gives 0 merge parts "$option" "merged.$ending"
    ok "the bytes of one run" same "whole.$ending" "merged.$ending"
    ok "with a checkpoint" gives 0 "$@" "$option" "merged.$ending" --checkpoint j
    ok "the bytes of one run" eval "same whole.$ending merged.$ending && absent j"
}
parts_of() {
    local count=$1 i
    shift
    rm -rf parts
    for ((i = 1; i <= count; i++)); do
        gives 0 "$@" --part "$i/$count" --parts parts || return 1
    done
}
alike 4 npy matrix a.ts
alike 2 csv matrix a.ts b.ts --root
alike 3 npy matrix b.ts --condensed
alike 2 npy matrix b.ts --relax 2,0,0,0 --precision double --part-rows 3:30
alike 40 csv pairs a.ts b.ts -b sakoe-chiba:30
alike 2 csv nearest a.ts -k 3 --measure lcss -p epsilon=0.5
alike 3 csv nearest b.ts a.ts -k 70 --precision double
alike 1 csv path a.ts b.ts
alike 5 npy path a.ts single.ts -m lcss -p epsilon=0.5 --precision double
alike 3 ts gradient a.ts b.ts --soft 1
alike 2 csv gradient a.ts b.ts --soft 0.5 --divergence --of y
alike 4 csv gradient a.ts b.ts -m twed --of y --precision double
alike 5 csv classify train.csv test.csv -k 3 --labels first
alike 2 txt classify a.ts b.ts -m twed --precision double --no-bounds
alike 2 csv classify train.csv test.csv --labels first --method centroid
alike 5 csv search queries.ts --in streams.npy -z -k 4
alike 1 csv search queries.ts --in raw.f32 --kind windows -k 3 --exclusion 1 --threshold 9
alike 3 csv search queries.ts --in streams.npy --in queries.ts -k 2 --precision double
alike 2 txt search streams.npy --in queries.ts --kind super
alike 2 csv search queries.ts --in streams.npy --kind windows -m lcss -p epsilon=0.5 -p similarity=1 -k 3 --no-bounds
alike 4 npy profile streams.npy -w 40 -k 2 --left-right
alike 3 csv profile streams.npy queries.ts --other-series 2 -w 24 --series 1 --precision double
alike 3 csv knn points.csv -k 5
alike 2 csv knn near.csv points.csv -k 40 --radius 4 --precision double
alike 3 csv knn bits.txt -m hamming -k 3
alike 3 csv knn sets.txt -m jaccard -k 60
alike 3 csv lsh near.csv points.csv -k 5 -w 8 -P 3
alike 2 csv lsh many.npy -k 2 -w 6 -L 4
alike 3 csv lsh sets.txt -m jaccard -k 6 -M 1 --complete
ok "a saved index" gives 0 lsh points.csv -w 4 --save index -o x.csv
alike 2 csv lsh near.csv --load index -k 2
# Of several jobs, each of which follows from the one before.
for job in "cluster a.ts -k 3" "choose train.csv --labels first --try band=sakoe-chiba:1..3"; do
    ok "$job" eval 'gives 0 $job && grep -v ^seconds out >w && gives 0 $job --checkpoint j && grep -v ^seconds out >m && same w m && absent j'
done

# ---- other outputs than a file
# tail_of NAME: the object in out from a name on.
tail_of() { sed -n "s/.*\"$1\"//p" out; }
ok "printed alike" eval 'parts_of 2 path a.ts b.ts && gives 0 merge parts && cp out m && gives 0 path a.ts b.ts && test -s out && same m out'
ok "in JSON" eval 'gives 0 merge parts --json && tail_of distances >m && gives 0 path a.ts b.ts --json && tail_of distances >w && test -s w && same m w'
ok "by the command itself" eval 'gives 0 path a.ts b.ts --part all --parts parts && cp out m && gives 0 path a.ts b.ts && same m out'
ok "from another folder" eval 'mkdir sub && (cd sub && "$program" path ../a.ts ../b.ts --part all --parts ../parts -o ../m.csv) && gives 0 path a.ts b.ts -o w.csv && same w.csv m.csv'
ok "a part in JSON" eval 'rm -f parts/* && gives 0 path a.ts b.ts --part 1/3 --parts parts --json && prints "\"tiles\": " && prints "1-of-3.store"'
ok "paths of long and short pairs are as long as they are" eval '"$program" generate random-walk -n 300 -l 50 -s 1 -o s.ts && "$program" generate random-walk -n 1 -l 20000 -s 2 -o l.csv && "$program" convert l.csv l.ts && cat s.ts >sl.ts && tail -n 1 l.ts | sed "s/^@.*//" >>sl.ts; rm -f parts/*; gives 0 path s.ts s.ts --part 1/1 --parts parts && [ "$(stat -c %s parts/1-of-1.store)" -lt 400000 ]'
ok "ids and distances" eval 'gives 0 lsh points.csv -k 3 -w 4 --ids i.npy --distances d.npy && parts_of 3 lsh points.csv -k 3 -w 4 && gives 0 merge parts --ids mi.npy --distances md.npy && same i.npy mi.npy && same d.npy md.npy'
ok "pictures" eval 'gives 0 gradient a.ts b.ts --soft 1 --svg w.svg --pair 5 && gives 0 gradient a.ts b.ts --soft 1 --svg m.svg --pair 5 --checkpoint j && same w.svg m.svg && absent j'
ok "a matrix, drawn" eval 'gives 0 matrix a.ts --svg w.svg && gives 0 matrix a.ts --svg m.svg --checkpoint j && same w.svg m.svg && absent j'
ok "motifs and discords" eval 'gives 0 profile streams.npy -w 40 --motifs 2 --discords 2 && cp out w && gives 0 profile streams.npy -w 40 --motifs 2 --discords 2 --checkpoint j && same out w'
report() { grep -vE '^(device|seconds|cells|pruned) ' out >"$1"; }
ok "a report of classes" eval 'gives 0 classify train.csv test.csv -k 3 --labels first && report w && parts_of 2 classify train.csv test.csv -k 3 --labels first && gives 0 merge parts && report m && same m w'
ok "blocks beyond memory" eval 'parts_of 3 matrix a.ts b.ts && WAVEWARP_RESULT_BYTES=100 gives 0 merge parts -o m.npy; rm -rf parts; mkdir parts; for i in 1 2; do WAVEWARP_RESULT_BYTES=100 "$program" matrix a.ts b.ts --max-bytes 3000 --part $i/2 --parts parts 2>err; done; gives 0 merge parts -o m.npy && gives 0 matrix a.ts b.ts -o w.npy && same w.npy m.npy'

# ---- ended at any time
ended() {
    local process
    for _ in 1 2 3 4 5 6 7 8; do
        rm -f r.csv r.j
        env --default-signal=TERM "$program" "$@" "$(output_of "$1")" r.csv --checkpoint r.j >out 2>err </dev/null &
        process=$!
        begun $process r.j
        kill -TERM $process 2>/dev/null
        wait $process
        [ $? -eq 143 ] && absent r.csv && return 0
    done
    return 1
}
"$program" generate random-walk -n 150 -l 1500 -s 5 -o x.npy && "$program" generate random-walk -n 150 -l 1500 -s 8 -o y.npy &&
    "$program" generate cbf -n 300 -l 150 -s 3 -o cbf1.ts && "$program" generate cbf -n 400 -l 150 -s 4 -o cbf2.ts &&
    "$program" generate random-walk -n 1 -l 60000 -s 5 -o one.npy && "$program" generate random-walk -n 4000 -l 300 -s 6 -o wide.npy &&
    "$program" generate random-walk -n 20000 -l 60 -s 6 -o walks.npy || exit 1
pair=$(two_devices)
number=${WAVEWARP_TEST_ROTATION:-0} # which of the jobs that are killed two devices do
at=0
for job in "matrix x.npy" "pairs x.npy y.npy -m twed --precision double" "nearest x.npy -k 2 --no-bounds" "path x.npy y.npy" "gradient x.npy y.npy --soft 1" \
    "classify cbf1.ts cbf2.ts -m twed --precision double --no-bounds" "search query.npy --in one.npy -k 3 --kind windows -m twed --precision double --no-bounds" \
    "profile one.npy -w 300 --precision double" "knn wide.npy -k 3 -m l1" "lsh walks.npy -k 3 -w 20 -L 20 --path queries"; do
    at=$((at + 1))
    in_turn 2 || continue
    # shellcheck disable=SC2086 # words
    ok "one run" gives 0 $job "$(output_of "$job")" whole.csv
    by=()
    [ -n "$pair" ] && [ $(((number + at / 2) % 2)) -eq 0 ] && by=(-d "$pair") && export POCL_DEVICES="pthread pthread"
    # shellcheck disable=SC2086
    ok "${job%% *}, killed and gone on with ${by[*]}" killed r.csv r.j $job "$(output_of "$job")" r.csv --checkpoint r.j "${by[@]}"
    unset POCL_DEVICES
    ok "it went on with units" resumed
    ok "the bytes of one run" eval 'same whole.csv r.csv && absent r.j'
    rm -f r.*
done
for job in "matrix x.npy" "search query.npy --in one.npy -k 3 --kind windows -m twed --precision double --no-bounds"; do
    # shellcheck disable=SC2086
    ok "SIGTERM ends ${job%% *}" ended $job
    ok "that is said" says "interrupted"
    ok "and what goes on" says "r.j keeps what is done, and --resume goes on from it"
    ok "what is done stays" test -s r.j -a ! -e r.csv
    # shellcheck disable=SC2086
    ok "a new run does not take it" eval 'gives 1 $job -o r.csv --checkpoint r.j && says "is there" && lines 1 err'
    # shellcheck disable=SC2086
    ok "it goes on" eval 'gives 0 $job -o r.csv --checkpoint r.j --resume --json && resumed && absent r.j'
    rm -f r.*
done
mkdir one && ok "a part, killed and gone on with" killed one/1-of-2.store one/1-of-2.store matrix x.npy --part 1/2 --parts one
ok "the other, and both" eval 'gives 0 matrix x.npy --part 2/2 --parts one && gives 0 merge one -o r.npy && gives 0 matrix x.npy -o w.npy && same w.npy r.npy'
# What can't be written is not lost.
for job in "pairs a.ts b.ts --json" "nearest a.ts" "knn points.csv --json" "path a.ts b.ts" "search a.ts --in a.ts" "profile a.ts -w 9 --json" "lsh points.csv --complete"; do
    # shellcheck disable=SC2086
    "$program" $job --checkpoint r.j >/dev/full 2>err
    ok "$job, a full standard output" test $? -eq 1 -a -s r.j
    ok "is told once" eval 'says "standard output" && lines 1 err'
    # shellcheck disable=SC2086
    ok "it goes on with all" eval 'gives 0 $job --checkpoint r.j --resume && test -s out && absent r.j'
done
ok "outputs that can't be written" gives 1 nearest a.ts -o none/r.csv --checkpoint r.j
ok "what was computed stays" eval 'gives 0 nearest a.ts -o r.csv --checkpoint r.j --resume --json && resumed'
rm -f r.*
: >real.npy && ln -s real.npy r.npy
ok "an output that is a link" eval 'gives 0 matrix b.ts -o r.npy --checkpoint r.j && gives 0 matrix b.ts -o w.npy && same w.npy real.npy && test -L r.npy'
rm -f r.* real.npy

# ---- what does not belong together
# refused WHY ARGUMENT...: the run is refused for this reason, in one line, and the store stays as it is.
refused() {
    local why=$1 before
    shift
    before=$(cksum r.j)
    gives 1 "$@" "$(output_of "$1")" r.csv --checkpoint r.j --resume && says "$why" && [ "$(cksum r.j)" = "$before" ] && lines 1 err && absent r.csv
}
ok "a search whose output can't be written" gives 1 search queries.ts --in raw.f32 -z -o none/r.csv --checkpoint r.j
ok "another number of matches" refused "other options" search queries.ts --in raw.f32 -z -k 2
ok "another job" refused "another job: search; this is profile" profile streams.npy -w 40
ok "other queries" refused "other inputs" search queries2.ts --in raw.f32 -z
cp raw.f32 kept.f32 && printf x | dd of=raw.f32 bs=1 seek=100000 conv=notrunc 2>/dev/null
ok "another stream" refused "other inputs" search queries.ts --in raw.f32 -z
cp kept.f32 raw.f32
ok "what was computed stays" eval 'gives 0 search queries.ts --in raw.f32 -z -o r.csv --checkpoint r.j --resume --json && resumed'
rm -f r.*
ok "predictions that can't be written" gives 1 classify train.csv test.csv --labels first --predictions none/r.csv --checkpoint r.j
ok "another number of neighbours" refused "other options" classify train.csv test.csv --labels first -k 2
sed 's/^5,/%20,/' train.csv >relabelled.csv
ok "other labels to learn from" refused "other options" classify relabelled.csv test.csv --labels first
ok "an index of other points" eval 'gives 0 lsh near.csv -w 4 --save other -o x.csv && gives 1 lsh near.csv --load index -k 2 -o none/r --checkpoint q.j && gives 1 lsh near.csv --load other -k 2 -o r.csv --checkpoint q.j --resume && says "belongs to"; rm -f q.j'
printf 'damaged' >r.j
ok "no store" refused "is not a store" matrix a.ts
printf 'wwst' >r.j
ok "half of a beginning is none" eval 'gives 0 matrix a.ts -o r.npy --checkpoint r.j --resume && gives 0 matrix a.ts -o w.npy && same w.npy r.npy'
rm -f r.*
mkdir r.j && ok "a folder" eval 'gives 1 matrix a.ts -o r.npy --checkpoint r.j --resume && lines 1 err' && rmdir r.j
mkfifo r.j && ok "a pipe" eval 'timeout 60 "$program" matrix a.ts -o r.npy --checkpoint r.j --resume >out 2>err; test $? -eq 1 && lines 1 err' && rm r.j
ok "two at once" eval '"$program" matrix x.npy -m twed --precision double -o r.npy --checkpoint r.j >out 2>err & p=$!; begun $p r.j; "$program" matrix x.npy -m twed --precision double -o s.npy --checkpoint r.j --resume 2>err2; c=$?; kill -9 $p; wait $p 2>err; test $c -eq 1 && grep -q "in use" err2'
rm -f r.* s.npy ./*.part-*

for job in "matrix a.ts" "search queries.ts --in raw.f32 -z -k 2" "path a.ts b.ts" "classify a.ts b.ts" "lsh points.csv -k 3" "knn points.csv"; do
    in_turn 2 || [ "${job%% *}" = knn ] || continue # the last one: its parts serve below
    # shellcheck disable=SC2086
    parts_of 3 $job && rm -rf good && cp -r parts good
    again && rm parts/2-of-3.store
    ok "${job%% *}: a part is missing" wrong m.csv "part 2 of 3 is missing" "$(output_of "$job")"
    again && truncate -s -8 parts/2-of-3.store
    ok "cut" wrong m.csv "its last record is not whole" "$(output_of "$job")"
    # shellcheck disable=SC2086
    ok "gone on with" eval 'gives 0 $job --part 2/3 --parts parts --resume && gives 0 merge parts $(output_of "$job") m.csv'
    again && cp parts/1-of-3.store parts/2-of-3.store
    ok "twice the same" wrong m.csv "are both part 1" "$(output_of "$job")"
    again && echo x >>parts/2-of-3.store
    ok "damaged" wrong m.csv "damaged" "$(output_of "$job")"
    again && python3 -c '
with open("parts/2-of-3.store", "r+b") as file:
    at = file.seek(0, 2) * 2 // 5
    file.seek(at)
    byte = file.read(1)[0]
    file.seek(at)
    file.write(bytes([byte ^ 255]))'
    ok "one byte of it" wrong m.csv "2-of-3.store" "$(output_of "$job")"
    again && rm parts/2*
    # shellcheck disable=SC2086
    "$program" $job --precision double --part 2/3 --parts parts 2>err
    ok "with other options" wrong m.csv "differ in options" "$(output_of "$job")"
done
again && rm parts/2* && "$program" matrix b.ts --part 2/3 --parts parts 2>err
ok "of another job" wrong m.csv "differ in job"
again && rm parts/2* && "$program" knn near.csv points.csv --part 2/3 --parts parts 2>err
ok "of other points" wrong m.csv "differ in"
again && "$program" matrix a.ts --part 1/2 --parts parts 2>err
ok "of two divisions" wrong m.csv "two divisions"
parts_of 2 pairs a.ts a.ts && cp b.ts a2.ts && cp a.ts a1.ts && cp b.ts a.ts
ok "of inputs that have changed" wrong m.csv "other inputs"
cp a1.ts a.ts
rm parts/*
ok "no parts" wrong m.csv "no parts"
for line in "--resume" "--any-device" "--part 1/2" "--parts parts" "--part 3/2 --parts parts" "--part 0/2 --parts parts" "--part x --parts parts" \
    "--part 1/2 --parts parts -o x.npy" "--part 1/2 --parts parts --svg x.svg" "--part 1/2 --parts parts --checkpoint j"; do
    # shellcheck disable=SC2086
    ok "refused: $line" gives 2 matrix a.ts $line
done
ok "motifs of a part" gives 2 profile streams.npy -w 40 --motifs 1 --part 1/2 --parts parts
ok "tables of a part" gives 2 lsh points.csv --part 1/2 --parts parts --save x
ok "chosen by time" gives 2 lsh points.csv --recall 0.9 --checkpoint j
ok "sums over pairs" gives 2 gradient a.ts b.ts --all-pairs --checkpoint j
ok "a stream that is followed" gives 2 search queries.ts --in - --threshold 1 --checkpoint j
ok "no folder for parts" eval 'gives 1 matrix a.ts --part 1/2 --parts nowhere/deep && says nowhere/deep && lines 1 err'
ok "no folder for a checkpoint" eval 'gives 1 matrix a.ts -o r.npy --checkpoint nowhere/j && lines 1 err'
ok "a merge into a part" eval 'again; gives 2 merge parts -o parts/1-of-3.store'
ok "an input that a part would replace" eval 'cp a.ts parts/1-of-2.store; gives 2 matrix parts/1-of-2.store --part 1/2 --parts parts'
ok "a measure without open ends" eval 'gives 1 path a.ts b.ts -m msm --relax 1,0,0,0 --checkpoint j && absent j'
ok "help of merge" eval 'gives 0 merge --help && prints "Usage: wavewarp merge"'
ok "merge of nothing" gives 2 merge
ok "no parts of files" no_leftovers
finish
