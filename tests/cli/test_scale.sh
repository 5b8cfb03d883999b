# SPDX-License-Identifier: Apache-2.0
# Long jobs: killed and resumed, interrupted, divided among runs and merged: always the bytes of one run. Journals and
# parts that do not belong together: one message each, and nothing that looks whole.
. "$(dirname "$0")/tap.sh"
: >out >err
"$program" devices --no-self-test >out 2>err || { echo "1..0 # SKIP no OpenCL device"; exit 0; }
RANDOM=${WAVEWARP_TEST_SEED:-7}
"$program" generate random-walk -n 250 -l 1000 -s 3 -o long.npy && "$program" generate cbf -n 60 -l 40 -o a.ts &&
    "$program" generate random-walk -n 37 -l 30 --max-length 60 -s 4 -o b.ts || exit 1

# ---- checkpoints
"$program" matrix long.npy -o whole.npy 2>err
ok "matrix, killed and resumed" killed r.npy r.journal matrix long.npy -o r.npy --checkpoint r.journal
ok "it went on with tiles" resumed
ok "the bytes of one run" same whole.npy r.npy
ok "journal and part are gone" eval 'absent r.journal && absent r.npy.part'

# taken PROCESS: the signal that was sent to the process is no longer waiting to be delivered, or the process has ended.
taken() {
    while [ -r "/proc/$1/status" ] && grep -qE '^(Sig|Shd)Pnd:.*[1-9a-f]' "/proc/$1/status"; do sleep 0.01; done
}
# ended CODE SIGNAL...: the command ends with the code at the signals, each sent when the one before has come, once tiles
# are done.
ended() {
    local code=$1 process
    shift
    rm -f r.npy.part r.journal
    env --default-signal=INT,TERM "$program" matrix long.npy -o r.npy --checkpoint r.journal >out 2>err </dev/null &
    process=$!
    begun $process r.journal
    for signal; do kill -s "$signal" $process 2>/dev/null; taken $process; done
    wait $process
    [ $? -eq "$code" ]
}
rm -f r.npy
ok "SIGTERM ends behind the tile in hand" ended 143 TERM
ok "that is said" says "r.journal keeps what is done"
ok "part and journal stay" test -s r.npy.part -a -s r.journal -a ! -e r.npy
ok "a new run does not take them" gives 1 matrix long.npy -o r.npy --checkpoint r.journal
ok "that is said" says "is there"
ok "it goes on" gives 0 matrix long.npy -o r.npy --checkpoint r.journal --resume --json
ok "with what was done" resumed
ok "the bytes of one run" same whole.npy r.npy
rm -f r.npy
ok "a second signal ends at once" ended 130 INT INT
ok "part and journal stay too" test -e r.npy.part -a -s r.journal -a ! -e r.npy
# refused WHY ARGUMENT...: the run is refused for this reason, and part and journal stay as they are.
refused() {
    local why=$1 before
    shift
    before=$(cksum r.journal r.npy.part)
    gives 1 "$@" --checkpoint r.journal --resume && says "$why" && [ "$(cksum r.journal r.npy.part)" = "$before" ] &&
        lines 1 err && absent r.npy
}
ok "another input" refused "other inputs" matrix a.ts -o r.npy
ok "other options" refused "other options" matrix long.npy -o r.npy --root
ok "part of it" refused "other options" matrix long.npy -o r.npy --part-rows 0:9
cp r.journal kept
sed -i 's/^device .*/device other, 1/' r.journal
ok "a damaged journal" refused "damaged" matrix long.npy -o r.npy
{ head -n -1 r.journal; head -n -1 r.journal | sha256sum | cut -d' ' -f1; } >signed && mv signed r.journal
ok "another device" refused "another device" matrix long.npy -o r.npy
ok "it is allowed" eval 'cp r.npy.part p && gives 0 matrix long.npy -o r.npy --checkpoint r.journal --resume --any-device'
mv p r.npy.part && rm -f r.npy && sed 's/^version .*/version 0.0/' kept | head -n -1 >r.journal
sum=$(sha256sum <r.journal | cut -d' ' -f1) && echo "$sum" >>r.journal
ok "another version" refused "another version" matrix long.npy -o r.npy
cp kept r.journal && truncate -s 500 r.npy.part
ok "a part of another size" refused "cut off" matrix long.npy -o r.npy
rm -f r.npy.part
ok "the part is gone" gives 1 matrix long.npy -o r.npy --checkpoint r.journal --resume
ok "text" gives 2 matrix a.ts -o r.csv --checkpoint s.journal
ok "without a journal nothing to resume" gives 2 matrix a.ts --resume
ok "no folder" gives 1 matrix a.ts -o none/r.npy --checkpoint s.journal
ok "nothing is left of it" absent s.journal
rm -f r.*
ok "small ones: several writers are told of a part" eval \
    '"$program" matrix long.npy -o r.npy --checkpoint r.journal >out 2>err & p=$!; until [ -e r.npy.part ]; do sleep 0.01; done; kill -9 $p; wait $p 2>err; gives 0 generate cbf -n 2 -o r.npy && says "--resume"'
rm -f r.*

# A link is followed, as without a checkpoint: its file gets the values.
"$program" matrix b.ts -o whole.npy 2>err
: >real.npy && ln -s real.npy r.npy
ok "to a link, with a checkpoint" gives 0 matrix b.ts -o r.npy --checkpoint r.journal
ok "its file is written" eval 'same whole.npy real.npy && test -L r.npy && absent real.npy.part && absent r.journal'
: >real.npy
ok "standard output, which is a file" eval '"$program" matrix b.ts -o /dev/stdout --checkpoint r.journal >real.npy 2>err'
"$program" matrix b.ts -o whole.f32 2>err
ok "is that file" eval 'same whole.f32 real.npy && absent real.npy.part'
rm -f r.* real.npy
# Two runs into one file would mix.
cp a.ts r.npy.part
ok "a part without a journal" gives 1 matrix b.ts -o r.npy --checkpoint r.journal --resume
ok "is another run's" eval 'says "r.npy.part is there" && lines 1 err && same a.ts r.npy.part && absent r.journal && absent r.npy'
rm -f r.*

# What can't be printed is not lost either.
awk 'BEGIN { for (i = 0; i < 50; i++) print i % 7 "," i * i % 11 "," i % 13 }' >points.csv
for job in "pairs a.ts a.ts --json" "nearest a.ts" "nearest a.ts --json" "knn points.csv --json" "path a.ts a.ts" "search a.ts --in a.ts" \
    "profile a.ts -w 9 --json" "lsh points.csv --complete"; do
    "$program" $job --checkpoint r.journal >/dev/full 2>err
    ok "$job, a full standard output" test $? -eq 1 -a -s r.journal -a -s r.journal.npy.part
    ok "is told once" eval 'says "standard output" && lines 1 err'
    ok "it goes on with all" eval 'gives 0 $job --checkpoint r.journal --resume && test -s out && absent r.journal && absent r.journal.npy.part'
done

# ---- parts
for job in "matrix a.ts" "matrix a.ts b.ts" "matrix b.ts --condensed" "matrix b.ts --relax 2,0,0,0 --precision double"; do
    "$program" $job -o whole.npy >out 2>err
    # Five of few tiles, so that parts begin within rows of tiles.
    for count in $([ "$job" = "matrix a.ts" ] && echo 1 4 || echo 2); do
        ok "$job in $count" divided $count merged.npy $job
        ok "the bytes of one run" same whole.npy merged.npy
    done
done
ok "of two sets also as text" eval 'divided 2 merged.csv matrix a.ts b.ts && "$program" matrix a.ts b.ts -o whole.csv && cmp whole.csv merged.csv'
"$program" generate random-walk -n 60 -l 40 -s 9 -o c.ts 2>err && "$program" pairs a.ts c.ts -o whole.csv 2>err
ok "pairs in 4" divided 4 merged.csv pairs a.ts c.ts
ok "the bytes of one run" same whole.csv merged.csv
ok "with a checkpoint" eval 'gives 0 pairs a.ts c.ts -o merged.csv --checkpoint p.journal && same whole.csv merged.csv && absent p.journal && absent p.journal.npy.part'
ok "in JSON" eval 'gives 0 pairs a.ts c.ts --json --checkpoint p.journal && mv out p.json && absent p.journal && gives 0 pairs a.ts c.ts --json && distances() { sed -n "s/.*\"distances\"//p" "$1"; } && [ -n "$(distances out)" ] && [ "$(distances out)" = "$(distances p.json)" ]'
"$program" generate random-walk -n 250 -l 3000 -s 5 -o pair1.npy 2>err && "$program" generate random-walk -n 250 -l 3000 -s 8 -o pair2.npy 2>err &&
    "$program" pairs pair1.npy pair2.npy -o whole.csv 2>err
ok "pairs, killed and resumed" killed r.csv r.journal pairs pair1.npy pair2.npy -o r.csv --checkpoint r.journal
ok "it went on with pairs" resumed
ok "the bytes of one run" eval 'same whole.csv r.csv && absent r.journal && absent r.journal.npy.part'
rm -f r.*
for job in "nearest a.ts -k 3 --measure lcss -p epsilon=0.5" "nearest b.ts a.ts -k 70 --precision double"; do
    "$program" $job -o whole.csv --ids i.npy --distances d.npy >out 2>err
    ok "$job in 2" divided 2 merged.csv $job
    ok "its files too" gives 0 merge parts --ids mi.npy --distances md.npy
    ok "the bytes of one run" eval 'same whole.csv merged.csv && same i.npy mi.npy && same d.npy md.npy'
    ok "with a checkpoint" eval 'gives 0 $job --ids mi.npy -o merged.csv --checkpoint n.journal && same i.npy mi.npy && same whole.csv merged.csv && absent n.journal && absent n.journal.npy.part'
done
ok "nearest, killed and resumed" eval '"$program" nearest long.npy -k 2 --no-bounds -o whole.csv 2>err && killed r.csv r.journal nearest long.npy -k 2 --no-bounds -o r.csv --checkpoint r.journal'
ok "it went on with queries" resumed
ok "the bytes of one run" eval 'same whole.csv r.csv && absent r.journal && absent r.journal.npy.part'
rm -f r.*
# Points: whole numbers tie; words of bits; sets of integers, of which the last is empty.
awk 'BEGIN { for (i = 0; i < 150; i++) print i % 7 "," i * i % 11 "," i % 13 }' >points.csv
awk 'BEGIN { for (i = 0; i < 40; i++) print i % 5 "," i % 3 ".5,2" }' >queries.csv
awk 'BEGIN { for (i = 0; i < 70; i++) { t = ""; for (b = 1; b <= 512; b *= 2) t = t int(i * 37 / b) % 2; print t } }' >bits.txt
awk 'BEGIN { for (i = 0; i < 50; i++) { t = i; for (b = 1; b < i % 6; b++) t = t " " (i * b) % 23; print t } }' >sets.txt
for job in "knn points.csv -k 5" "knn queries.csv points.csv -k 40 --radius 4 --precision double" "knn bits.txt -m hamming -k 3" \
    "knn sets.txt -m jaccard -k 60"; do
    "$program" $job -o whole.csv --ids i.npy --distances d.npy >out 2>err
    ok "$job in 3" divided 3 merged.csv $job
    ok "its files too" gives 0 merge parts --ids mi.npy --distances md.npy
    ok "the bytes of one run" eval 'same whole.csv merged.csv && same i.npy mi.npy && same d.npy md.npy'
    ok "with a checkpoint" eval 'gives 0 $job --ids mi.npy -o merged.csv --checkpoint n.journal && same i.npy mi.npy && same whole.csv merged.csv && absent n.journal && absent n.journal.npy.part'
done
"$program" generate random-walk -n 4000 -l 300 -s 6 -o many.npy 2>err && "$program" knn many.npy -k 3 -m l1 -o whole.csv 2>err
ok "knn, killed and resumed" killed r.csv r.journal knn many.npy -k 3 -m l1 -o r.csv --checkpoint r.journal
ok "it went on with queries" resumed
ok "the bytes of one run" eval 'same whole.csv r.csv && absent r.journal && absent r.journal.npy.part'
rm -f r.*
ok "classes of other points" gives 1 knn points.csv -k 2 --classes queries.csv --checkpoint n.journal
ok "known before the search" absent n.journal
ok "its outputs can't be written" gives 1 knn points.csv -k 2 -o none/r.csv --checkpoint n.journal
ok "what was computed stays" gives 0 knn points.csv -k 2 -o r.csv --checkpoint n.journal --resume --json
ok "all of it" resumed
ok "a prediction of a part" gives 2 knn points.csv --classes points.csv --part 1/2 --parts parts
ok "more neighbours than there can be" gives 1 knn points.csv -k 2000000 --checkpoint n.journal
ok "nothing is left of it" absent n.journal
rm -f r.*
ok "its outputs can't be written" gives 1 nearest a.ts -o none/r.csv --checkpoint n.journal
ok "what was computed stays" gives 0 nearest a.ts -o r.csv --checkpoint n.journal --resume --json
ok "all of it" resumed
rm -f r.*
mkdir one && ok "a part, killed and resumed" killed one/1-of-2.npy one/1-of-2.journal matrix long.npy --part 1/2 --parts one
ok "a finished part once more" gives 0 matrix long.npy --part 1/2 --parts one --resume --json
ok "all of it was there" resumed

divided 3 m.npy matrix a.ts
cp -r parts good
refused_parts matrix m.npy
again && rm parts/2* && "$program" matrix b.ts --part 2/3 --parts parts 2>err
ok "of another input" wrong m.npy "inputs"
again && rm parts/2* && "$program" matrix a.ts --root --part 2/3 --parts parts 2>err
ok "with other options" wrong m.npy "options"
again && { sed 's/^version .*/version 0.0/' good/2-of-3.journal | head -n -1 >p; cat p; sha256sum <p | cut -d' ' -f1; } >parts/2-of-3.journal
ok "of another version" wrong m.npy "version"
divided 3 merged.csv knn points.csv && rm parts/2* && "$program" knn points.csv -m l1 --part 2/3 --parts parts 2>err
ok "of another metric" wrong m.npy "options"
rm parts/2* && "$program" knn queries.csv points.csv --part 2/3 --parts parts 2>err
ok "of other points" wrong m.npy "inputs"
again && "$program" matrix a.ts --part 1/2 --parts parts 2>err
ok "of two divisions" wrong m.npy "two divisions"
again && rm parts/*
ok "no parts" wrong m.npy "no parts"
ok "text of a symmetric matrix" eval 'again; gives 1 merge parts -o m.csv && absent m.csv'
ok "no folder" gives 1 matrix a.ts --part 1/2 --parts nowhere
again && cp parts/1-of-3.npy kept.npy && ln -s parts/1-of-3.npy in.npy
rm parts/2-of-3.journal && mkfifo parts/2-of-3.journal
ok "a pipe in place of a journal" eval 'timeout 3000 "$program" merge parts -o m.npy >out 2>err; test $? -eq 1 && says "is not a file" && lines 1 err'
again
ok "a merge into a part" gives 2 merge parts -o parts/1-of-3.npy
ok "a part of an input that it replaces" eval 'rm parts/1-of-3.journal && gives 2 matrix in.npy --part 1/3 --parts parts/.'
ok "that is said, and it stays" eval 'says "would replace in.npy" && same kept.npy parts/1-of-3.npy'
ok "part 3 of 2" gives 2 matrix a.ts --part 3/2 --parts parts
ok "part without a folder" gives 2 matrix a.ts --part 1/2
ok "more parts than tiles" gives 1 matrix b.ts --part 1/9999 --parts parts
ok "that is said" says "at most a part a tile"
ok "no parts of files" no_leftovers
finish
