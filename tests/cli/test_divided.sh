# SPDX-License-Identifier: Apache-2.0
# Gradients of pairs and hashing in parts and from a checkpoint: killed and resumed, divided among runs and merged, always
# the bytes of one run. What does not belong together: one message, and nothing that looks whole.
. "$(dirname "$0")/tap.sh"
: >out >err
"$program" devices --no-self-test >out 2>err || { echo "1..0 # SKIP no OpenCL device"; exit 0; }
RANDOM=${WAVEWARP_TEST_SEED:-7}

# alike PARTS ENDING COMMAND...: parts and a checkpoint give the file of one run, and print what it prints.
alike() {
    local count=$1 ending=$2
    shift 2
    ok "$*" gives 0 "$@" -o "whole.$ending"
    ok "in $count parts" divided "$count" "merged.$ending" "$@"
    ok "the bytes of one run" same "whole.$ending" "merged.$ending"
    ok "with a checkpoint" gives 0 "$@" -o "merged.$ending" --checkpoint j
    ok "the bytes of one run" eval "same whole.$ending merged.$ending && absent j && absent j.npy.part"
    ok "printed alike" printed "$@"
}
printed() { gives 0 merge parts && cp out m && gives 0 "$@" && test -s out && same m out; }
# field NAME FILE: from the field of a JSON object on.
field() { sed -n "s/.*\"$1\"/\"$1\"/p" "$2"; }

# ---- gradients: series of unequal lengths, and labels of every length
"$program" generate cbf -n 37 -l 20 --max-length 44 -s 1 -o a.ts && "$program" generate cbf -n 37 -l 24 --max-length 31 -s 2 -o b.ts &&
    "$program" generate cbf -n 11 -l 30 -s 3 -o c.ts && "$program" generate cbf -n 11 -l 20 -s 4 -o d.ts || exit 1
sed 's/cylinder/cylinder-by-a-longer-name/' a.ts >named.ts
sed -e 's/:[a-z]*$//' -e 's/^@classLabel.*/@classLabel false/' b.ts >plain.ts
alike 1 ts gradient a.ts b.ts --soft 1
alike 2 csv gradient a.ts b.ts --soft 0.5 --divergence --of y
alike 3 npy gradient c.ts d.ts
alike 4 csv gradient a.ts plain.ts -m twed --of y --precision double
alike 5 ts gradient b.ts a.ts -m wdtw --soft 2 -z -b slanted:0.3
alike 3 tsv gradient named.ts a.ts --soft 1
ok "long labels are there" grep -q longer-name merged.tsv
ok "in JSON" eval 'gives 0 gradient a.ts b.ts --soft 1 -m erp --json --by-parameters && field values out >w && divided 3 m.ts gradient a.ts b.ts --soft 1 -m erp --by-parameters && gives 0 merge parts --json && field values out >m && test -s w && same m w'
ok "and from a checkpoint" eval 'gives 0 gradient a.ts b.ts --soft 1 -m erp --json --by-parameters --checkpoint j && field values out >m && same m w && absent j'
ok "a part in JSON" eval 'rm -f parts/* && gives 0 gradient a.ts b.ts --part 1/3 --parts parts --json && prints "\"gradient\": null" && prints "\"tiles\": "'
ok "alignments from a checkpoint" eval 'gives 0 gradient c.ts d.ts --soft 1 --expected-alignment w.npy -o w.ts && gives 0 gradient c.ts d.ts --soft 1 --expected-alignment m.npy -o m.ts --checkpoint j && same w.npy m.npy && same w.ts m.ts'
ok "of derivatives" eval 'gives 0 gradient c.ts d.ts -m ddtw --soft 1 -o w.ts && gives 0 gradient c.ts d.ts -m ddtw --soft 1 -o m.ts --checkpoint j && same w.ts m.ts'
ok "pictures too" eval 'gives 0 gradient a.ts b.ts --soft 1 --svg w.svg --pair 5 && gives 0 gradient a.ts b.ts --soft 1 --svg m.svg --pair 5 --checkpoint j && same w.svg m.svg && absent j'
for wrong in "--all-pairs --checkpoint j" "--part 1/2 --parts parts -o x.ts" \
    "--part 1/2 --parts parts --svg x.svg" "--part 1/2 --parts parts --all-pairs" "--resume" "--part 1/2"; do
    ok "refused: $wrong" gives 2 gradient a.ts b.ts $wrong
done
ok "more parts than pairs" eval 'gives 1 gradient a.ts b.ts --part 1/38 --parts parts && says "at most a part each"'
"$program" generate random-walk -n 160 -l 1500 -s 5 -o x.npy && "$program" generate random-walk -n 160 -l 1500 -s 6 -o y.npy &&
    "$program" gradient x.npy y.npy --soft 1 -o whole.npy 2>err
ok "gradient, killed and resumed" killed r.npy r.journal gradient x.npy y.npy --soft 1 -o r.npy --checkpoint r.journal
ok "it went on with pairs" resumed
ok "the bytes of one run" eval 'same whole.npy r.npy && absent r.journal && absent r.journal.npy.part'
rm -f r.*
mkdir one && ok "a part, killed and resumed" killed one/1-of-2.npy one/1-of-2.journal gradient x.npy y.npy --soft 1 --part 1/2 --parts one
ok "the other, and both" eval 'gives 0 gradient x.npy y.npy --soft 1 --part 2/2 --parts one && gives 0 merge one -o r.npy && same whole.npy r.npy'
ok "outputs that can't be written" gives 1 gradient a.ts b.ts -o none/r.ts --checkpoint j
ok "what was computed stays" eval 'gives 0 gradient a.ts b.ts -o r.ts --checkpoint j --resume --json && resumed'
ok "a checkpoint" gives 1 gradient a.ts b.ts -o none/r.ts --checkpoint j
ok "of other options" eval 'gives 1 gradient a.ts b.ts --of y -o r.csv --checkpoint j --resume && says "other options" && lines 1 err && absent r.csv'
sed 's/:cylinder$/:bell/' a.ts >relabelled.ts
ok "of other labels" eval 'gives 1 gradient relabelled.ts b.ts -o r.csv --checkpoint j --resume && says "other inputs" && lines 1 err && absent r.csv'
rm -f j j.npy.part r.*

# ---- hashing: few queries, and as many as are searched by buckets; bits, sets, ties
"$program" generate random-walk -n 150 -l 12 -s 7 -o points.npy && "$program" generate random-walk -n 70 -l 12 -s 8 -o queries.npy &&
    "$program" generate random-walk -n 1100 -l 8 -s 9 -o many.npy || exit 1
awk 'BEGIN { for (i = 0; i < 150; i++) print i % 7 "," i * i % 11 "," i % 13 }' >ties.csv
awk 'BEGIN { for (i = 0; i < 70; i++) { t = ""; for (b = 1; b <= 512; b *= 2) t = t int(i * 37 / b) % 2; print t } }' >bits.txt
awk 'BEGIN { for (i = 0; i < 50; i++) { t = i; for (b = 1; b < i % 6; b++) t = t " " (i * b) % 23; print t } }' >sets.txt
alike 1 csv lsh points.npy -k 3 -w 4
alike 3 csv lsh queries.npy points.npy -k 5 -w 8 -P 3
alike 4 csv lsh queries.npy points.npy -k 2 -m l1 -w 9 --precision double --complete
alike 5 csv lsh many.npy -k 2 -w 6 -L 4
alike 2 csv lsh ties.csv -k 140 -w 3 -m l2-squared
alike 3 csv lsh bits.txt -m hamming -k 3 -M 4 -L 5
alike 3 csv lsh bits.txt -m jaccard-bits -k 3 -M 2
alike 5 csv lsh sets.txt -m jaccard -k 6 -M 1 --complete
ok "a saved index" gives 0 lsh points.npy -w 4 --save index -o x.csv
alike 3 csv lsh queries.npy --load index -k 2
alike 2 csv lsh --load index -k 2
ok "ids and distances" eval 'gives 0 lsh points.npy -k 3 -w 4 --ids i.npy --distances d.npy && divided 3 m.csv lsh points.npy -k 3 -w 4 && gives 0 merge parts --ids mi.npy --distances md.npy && same i.npy mi.npy && same d.npy md.npy'
# Of queries that find too many points, those of the query itself: not of its neighbours in a tile.
ok "counts are those of one run" eval 'gives 0 lsh points.npy -w 30 --path queries --candidates 20 --json && sed -n "s/.*\"examined\": \([0-9]*\), \"capped\": \([0-9]*\), \"incomplete\": \([0-9]*\).*/\1 \2 \3/p" out >w && gives 0 lsh points.npy -w 30 --path queries --candidates 20 --json --checkpoint j && sed -n "s/.*\"examined\": \([0-9]*\), \"capped\": \([0-9]*\), \"incomplete\": \([0-9]*\).*/\1 \2 \3/p" out >m && test -s w && same m w'
for wrong in "--evaluate --checkpoint j" "--recall 0.9 --checkpoint j" "--recall 0.9 --part 1/2 --parts parts" "--part 1/2 --parts parts --ids x.npy" \
    "--part 1/2 --parts parts --save x"; do
    ok "refused: $wrong" gives 2 lsh points.npy $wrong
done
ok "an index that is not there" eval 'gives 1 lsh queries.npy --load none --checkpoint j && absent j'
"$program" generate random-walk -n 20000 -l 60 -s 6 -o walks.npy 2>err && "$program" lsh walks.npy -k 3 -w 20 -L 20 --path queries -o whole.csv 2>err
ok "lsh, killed and resumed" killed r.csv r.journal lsh walks.npy -k 3 -w 20 -L 20 --path queries -o r.csv --checkpoint r.journal
ok "it went on with queries" resumed
ok "the bytes of one run" eval 'same whole.csv r.csv && absent r.journal && absent r.journal.npy.part'

# ---- parts that do not belong together
for job in "gradient a.ts b.ts --soft 1" "lsh points.npy -k 3"; do
    divided 3 x.csv $job && rm -rf good && cp -r parts good
    refused_parts "$job" m.csv
    again && rm parts/2* && "$program" $job --precision double --part 2/3 --parts parts 2>err
    ok "of another precision" wrong m.csv "options"
done
again && rm parts/2* && "$program" lsh points.npy -k 3 -s 2 --part 2/3 --parts parts 2>err
ok "of other tables" wrong m.csv "options"
again && rm parts/2* && "$program" knn points.npy -k 3 --part 2/3 --parts parts 2>err
ok "of another job" wrong m.csv "job"
rm parts/* && divided 3 x.csv gradient a.ts b.ts && rm parts/2* && "$program" gradient a.ts b.ts --of y --part 2/3 --parts parts 2>err
ok "of the other side" wrong m.csv "options"
rm parts/2* && "$program" gradient b.ts a.ts --part 2/3 --parts parts 2>err
ok "of other series" wrong m.csv "inputs"
ok "ids of gradients" eval 'divided 2 x.csv gradient a.ts b.ts; gives 1 merge parts --ids x.npy && says "--output FILE alone"'
finish
