# SPDX-License-Identifier: Apache-2.0
# The program on a device, small jobs.
. "$(dirname "$0")/tap.sh"
: >out >err

needs_device

# ---- devices
ok "devices" gives 0 devices
ok "the self-test passes" prints "self-test   passed"
ok "devices --json" gives 0 devices --json
ok "one is chosen" prints '"chosen": true'
ok "unknown device" gives 1 matrix --device no-such-device <(printf '1,2\n')

# ---- known distances
printf '1,2,3\n0,0,0,0\n5\n' >x.csv
printf '1,3\n1,1\n2,2,2\n' >y.csv
printf '1\n4\n27\n' >wanted
ok "pairs" gives 0 pairs x.csv y.csv
ok "pairs are right" cmp -s out wanted
for engine in lanes packed strips; do
    ok "pairs by $engine" gives 0 pairs x.csv y.csv --engine $engine
    ok "the same by $engine" cmp -s out wanted
done
ok "bits refuses dtw" gives 1 pairs x.csv y.csv --engine bits
ok "and says why" says "engine bits: it supports only Levenshtein"
printf '1\n4\n3\n' >edits
ok "edits by bits" gives 0 pairs x.csv y.csv --measure levenshtein --engine bits
ok "they are right" cmp -s out edits
ok "pairs in double" gives 0 pairs x.csv y.csv --precision double
ok "the same in double" cmp -s out wanted
printf '1\n2\n5.19615\n' >wanted
ok "pairs with root" gives 0 pairs x.csv y.csv --root
awk '{ printf "%.6g\n", $1 }' out >rounded # a device's root may be off in the last bits
ok "root is right" cmp -s rounded wanted
printf '1\n4\n9\n' >wanted
ok "pairs with a cost" gives 0 pairs x.csv y.csv --cost absolute
ok "cost is right" cmp -s out wanted
ok "pairs with a cost of one's own" gives 0 pairs x.csv y.csv --cost-expr 'fabs(x - y)'
ok "own cost is right" cmp -s out wanted
printf '0.5,3\n0,0\n' >query.csv
printf '9,9,1,3.5,9\n7,0,0,7,7\n' >series.csv
printf '0.5\n0\n' >wanted
ok "a query anywhere" gives 0 pairs query.csv series.csv --relax 0,0,all,all
ok "is found" cmp -s out wanted
ok "and by nearest" gives 0 nearest query.csv series.csv --relax 0,0,all,all
ok "with its distance" prints "0:0.5"
ok "three ends" gives 2 pairs query.csv series.csv --relax 0,0,all
ok "five ends" gives 2 pairs query.csv series.csv --relax 0,0,0,0,0
ok "an end that is no count" gives 2 pairs query.csv series.csv --relax 0,-1,0,0
ok "open ends that msm has not" gives 1 pairs query.csv series.csv --measure msm --relax 1,0,0,0
# The text of strips for GPUs, with few row-steps and many, in one strip and several.
printf 'default form.items 1\n' >tuning
awk 'BEGIN { for (i = 0; i < 2; i++) for (t = 0; t < (i ? 150 : 5); t++) printf "%d%s", (t * t + i) % 7, t == (i ? 149 : 4) ? "\n" : "," }' >few.csv
awk 'BEGIN { for (i = 0; i < 2; i++) for (t = 0; t < (i ? 130 : 300); t++) printf "%d%s", (t * 3 + i) % 5, t == (i ? 129 : 299) ? "\n" : "," }' >many.csv
for relax in 0,0,all,all 1,2,3,4; do
    ok "ends $relax by packed" gives 0 pairs few.csv many.csv --relax $relax --engine packed
    cp out wanted
    ok "by strips" gives 0 pairs few.csv many.csv --relax $relax --engine strips --tuning tuning
    ok "the same" cmp -s out wanted
done
printf '1,2,3\n' >three.csv
printf '3,4,-3\n' >other.csv
ok "soft-DTW" gives 0 pairs three.csv other.csv --soft 1
ok "as published" prints "41.1876"
ok "soft without a gamma" gives 2 pairs three.csv other.csv --soft 0
ok "soft Frechet" gives 1 pairs three.csv other.csv --measure frechet --soft 1
ok "adtw" gives 0 pairs x.csv y.csv --measure adtw --param penalty=0.5
cp out wanted
cat >own.cl <<'END'
real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, real ahead) {
    return ww_cost(x, y) + fmin(diagonal, fmin(left, up) + WW_P_p0);
}
END
ok "a recurrence of one's own" gives 0 pairs x.csv y.csv --recurrence own.cl --param p0=0.5
ok "own recurrence is right" cmp -s out wanted
printf 'real ww_user_cell(real left) {\n\n    return lift;\n}\n' >broken.cl
ok "a recurrence that does not compile" gives 1 pairs x.csv y.csv --recurrence broken.cl
ok "its own line is named" says 'broken.cl:3'
ok "no such recurrence" gives 1 pairs x.csv y.csv --recurrence no-such.cl
ok "not a recurrence" gives 1 pairs x.csv y.csv --recurrence x.csv
ok "a measure beside a recurrence" gives 2 pairs x.csv y.csv --recurrence own.cl --measure dtw
printf '1\n1\n3\n' >wanted
ok "Frechet" gives 0 pairs x.csv y.csv --measure frechet
ok "Frechet is right" cmp -s out wanted
ok "a cost that does not compile" gives 1 pairs x.csv y.csv --cost-expr 'fabs(x - nonsense)'
ok "the compiler is quoted" says "nonsense"
ok "unequal numbers" gives 1 pairs x.csv <(printf '1,2\n')

# ---- matrix
"$program" generate cbf -n 12 -l 40 --max-length 60 -o a.ts
"$program" generate random-walk -n 3 -l 20 --channels 2 -o two.ts
ok "matrix with itself" gives 0 matrix a.ts -o half.csv
ok "matrix of two sets" gives 0 matrix a.ts a.ts -o whole.csv
ok "the half is the whole" cmp -s half.csv whole.csv
ok "to standard output" gives 0 matrix a.ts
ok "the same there" cmp -s half.csv out
ok "in small blocks" gives 0 matrix a.ts a.ts --max-bytes 64K -o blocks.csv
"$program" generate cbf -n 300 -l 20 -o many.ts
ok "many columns" gives 0 matrix a.ts many.ts -o wide.csv
ok "in parts of rows" gives 0 matrix a.ts many.ts --max-bytes 800 -o parts.csv
ok "are the same text" cmp -s wide.csv parts.csv
ok "the same in small blocks" cmp -s whole.csv blocks.csv
for part in 0:5 5:6 6:; do
    ok "rows $part" gives 0 matrix a.ts --part-rows $part -o part.csv
    cat part.csv >>joined.csv
done
ok "the parts are the whole" cmp -s joined.csv half.csv
ok "a rectangle" gives 0 matrix a.ts a.ts --part-rows 3:9 --part-columns :4
ok "is there in the whole" cmp -s out <(sed -n 4,9p whole.csv | cut -d, -f1-4)
ok "a rectangle as JSON" gives 0 matrix a.ts --part-rows 3:9 --part-columns 2:4 --json
ok "says where it is" grep -q '"first_row": 3' out
ok "where its columns are" grep -q '"first_column": 2' out
ok "a part in a file" gives 0 matrix a.ts --part-rows 3:9 --part-columns 2:4 -o part.npy
ok "has its size" test "$(wc -c <part.npy)" -eq $((128 + 12 * 4))
ok "rows that are not there" gives 1 matrix a.ts --part-rows 3:13
ok "they are counted" says "there are 12 rows"
ok "columns behind the last" gives 1 matrix a.ts --part-columns 12:
for part in 3 3:3 4:3 a:b -1:3 3:4:5 3:4x 99999999999999999999:; do
    ok "the range '$part'" gives 2 matrix a.ts --part-rows "$part"
done
ok "a part of a half" gives 2 matrix a.ts --condensed --part-rows 1:2
ok "a picture of a part" gives 2 matrix a.ts --svg part.svg --part-rows 1:2
ok "npy" gives 0 matrix a.ts a.ts -o whole.npy
ok "threads: none" gives 2 matrix a.ts --threads 0
"$program" devices --no-self-test >out 2>err </dev/null
if prints "Portable Computing Language"; then # whose devices can be opened in part
    ok "threads: one" gives 0 matrix a.ts a.ts -o one.npy --threads 1 --device "Portable Computing Language"
    ok "threads: more than there are" gives 0 matrix a.ts a.ts -o many.npy --threads 4000000000 --device "Portable Computing Language"
    ok "threads: the bytes of one" cmp -s one.npy many.npy
    ok "threads: more than a number holds" gives 0 matrix a.ts a.ts -o many.npy --threads 99999999999 --device "Portable Computing Language"
fi
ok "npy has its size" test "$(wc -c <whole.npy)" -eq $((128 + 144 * 4))
ok "condensed" gives 0 matrix a.ts --condensed -o condensed.bin --precision double
ok "condensed has its size" test "$(wc -c <condensed.bin)" -eq $((66 * 8))
ok "a band that leaves no path" gives 1 matrix a.ts --band sakoe-chiba:0 -o none.npy
ok "channels that differ" gives 1 matrix a.ts two.ts -o none.npy
printf '1,inf,2\n' >infinite.csv
ok "infinity" gives 1 matrix infinite.csv -o none.npy
ok "its file is named" says "infinite.csv: series 0 has infinity at point 1"
ok "infinity in the second set" gives 1 matrix a.ts infinite.csv -o none.npy
ok "its file is named, not the first" says "infinite.csv: series 0 has infinity at point 1"
printf '1,?,2\n' >missing.csv
ok "missing value" gives 1 matrix missing.csv -o none.npy
ok "it is named" says "missing.csv: series 0 has a missing value at position 1"
ok "no folder" gives 1 matrix a.ts -o none/a.npy
printf '0 2\n0 2\n' >rows.txt
printf '1,2\n3,4\n' >short.csv
ok "a band of rows" gives 0 matrix short.csv --band rows:rows.txt
ok "failures leave no file" absent none.npy

# ---- measures
printf 'kitten\nGr\303\274\303\237e\nabc\n' >words.txt
printf 'sitting\nGrusse\nabcd\n' >other.txt
printf '3\n3\n1\n' >wanted
ok "Levenshtein of texts" gives 0 pairs words.txt other.txt --format text --measure levenshtein
ok "Levenshtein is right" cmp -s out wanted
printf '4\n3\n3\n' >wanted
ok "LCS of texts" gives 0 pairs words.txt other.txt --format text --measure lcs
ok "LCS is right" cmp -s out wanted
printf '0\t0:4\n1\t1:3\n2\t2:3\n' >wanted
ok "nearest under LCS" gives 0 nearest words.txt other.txt --format text --measure lcs
ok "the largest is the nearest" cmp -s out wanted
printf '0,6,7\n9,0,6\n10,7,0\n' >wanted
printf 'kitten\nsitting\nabc\n' >three.txt
ok "unequal weights" gives 0 matrix three.txt -o half.csv --format text -m levenshtein -p insertion=2
ok "two sets" gives 0 matrix three.txt three.txt -o whole.csv --format text -m levenshtein -p insertion=2
ok "no half is taken for the whole" cmp -s half.csv whole.csv
printf '1,16777217\n1,16777216\n' >large.csv
ok "symbols beyond float" gives 1 matrix large.csv --measure levenshtein
ok "the symbol is named" says "16777217"
ok "double holds them" gives 0 matrix large.csv --measure levenshtein --precision double
ok "they differ" grep -qx '0,1' out
printf '1,2,3\n1,2,4\n' >flat.csv
printf '1700000000,1700000001,1700000002\n' >times.csv
ok "TWED" gives 0 matrix flat.csv --measure twed --param nu=1 -o plain.csv
ok "TWED with time stamps" gives 0 matrix flat.csv --measure twed --param nu=1 --times times.csv -o stamped.csv
ok "no note" test ! -s err
ok "evenly spaced is as without" cmp -s plain.csv stamped.csv
printf '1700000000,1700000001,1700000009\n' >late.csv
ok "two files of time stamps" gives 0 pairs flat.csv flat.csv --measure twed --param nu=1 --times times.csv --times late.csv
printf '7\n7\n' >wanted
ok "time stamps count" cmp -s out wanted
ok "a measure without time" gives 0 matrix flat.csv --times times.csv
ok "says so" says "dtw takes no notice of the time stamps"
printf '@timeStamps true\n@classLabel false\n@data\n(1,1),(2,2),(3,3)\n' >one.ts
ok "time stamps on one side" gives 0 pairs one.ts <(printf '1,2,3\n') --measure twed
ok "says that too" says "only the first file has time stamps"
"$program" generate sine -n 4 -l 12 --channels 2 -o channels.ts
ok "MSM as it is" gives 0 matrix channels.ts --measure msm -o msm.csv
ok "MSM of channels alone" gives 0 matrix channels.ts --measure msm --independent -o alone.csv
ok "is the same" cmp -s msm.csv alone.csv
ok "MSM of channels together" gives 0 matrix channels.ts --measure msm --dependent -o together.csv
ok "is another" bash -c '! cmp -s msm.csv together.csv'

# ---- nearest
ok "nearest" gives 0 nearest -k 3 a.ts
ok "a line a query" lines 12 out
cp out bounded
ok "nearest without bounds" gives 0 nearest -k 3 a.ts --no-bounds
ok "the same without bounds" cmp -s out bounded
ok "nearest of two sets" gives 0 nearest a.ts a.ts
ok "each is its own nearest" test "$(awk '{ split($2, n, ":"); if (n[1] == $1 && n[2] == 0) same++ } END { print same }' out)" -eq 12
ok "nearest --json" gives 0 nearest a.ts --json
ok "JSON has every query" prints '"query": 11'

# ---- classify
"$program" generate cbf -n 30 -s 1 -o train.ts
"$program" generate cbf -n 30 -s 2 -o test.tsv
ok "classify" gives 0 classify --train train.ts --test test.tsv --predictions p.tsv
ok "accuracy" prints "accuracy"
ok "confusion" prints "confusion"
ok "a prediction a series" lines 31 p.tsv
ok "classify --json" gives 0 classify --train train.ts --test test.tsv --json
for field in measure device platform engine files correct total accuracy cells seconds_compute seconds gcups; do
    ok "JSON has $field" prints "\"$field\": "
done
ok "one line" lines 1 out
ok "from standard input" bash -c '"$0" classify --train - --test test.tsv <train.ts >out 2>err' "$program"
for measure in adtw wdtw ddtw wddtw erp edr lcss msm twed levenshtein lcs "lcss -p similarity=1"; do
    # shellcheck disable=SC2086
    ok "classify by $measure" gives 0 classify --train train.ts --test test.tsv --measure $measure
done
ok "no labels" gives 1 classify --train a.npy --test test.tsv
"$program" convert train.ts train.csv
ok "training series without labels" gives 1 classify --train train.csv --test test.tsv
ok "test series without labels" gives 0 classify --train train.ts --test train.csv

# ---- points by hashing
awk 'BEGIN { srand(3); for (i = 0; i < 900; i++) print rand() "," rand() "," rand() "," rand() }' >points.txt
ok "exact neighbours of points" gives 0 knn -k 3 points.txt
cp out exact
ok "hashing with one wide bucket" gives 0 lsh -k 3 -M 1 -w 1e9 -L 2 points.txt
ok "finds the same" cmp -s out exact
ok "hashing for a recall" gives 0 lsh -k 3 --recall 0.9 --save index.wwlsh points.txt
ok "says what to expect" says "measured on a sample"
cp out chosen
ok "a saved index" gives 0 lsh -k 3 --load index.wwlsh
ok "answers alike" cmp -s out chosen
head -c 3000 index.wwlsh >cut.wwlsh
ok "a file cut short" gives 1 lsh -k 3 --load cut.wwlsh
ok "is refused in words" says "cut short"
ok "evaluation" gives 0 lsh -k 3 -L 4 --evaluate --svg curve.svg points.txt
ok "tables 1, 2, 4 and the exact search" test "$(grep -c '^ ' out)" -eq 5
ok "a drawing" grep -q '</svg>' curve.svg
ok "neither base nor index" gives 2 lsh -k 3
# Sets by their members, and the same as bits.
awk 'BEGIN { srand(5); for (i = 0; i < 60; i++) { list = ""; bits = ""; for (t = 0; t < 40; t++) { one = t == i % 40 || rand() < 0.3;
    bits = bits one; if (one) list = list (list == "" ? "" : ",") t } print list >"sets.txt"; print bits >"bits.txt" } }'
ok "hashing of sets" gives 0 lsh -k 2 -m jaccard --complete --save sets.wwlsh sets.txt
cp out sets.out
ok "hashing of bits" gives 0 lsh -k 2 -m jaccard-bits --complete bits.txt
ok "is hashing of their members" cmp -s out sets.out
ok "bits asked of an index of sets" gives 0 lsh -k 1 -m jaccard-bits --load sets.wwlsh bits.txt
ok "find themselves" test "$(grep -c ':0$' out)" -eq 60
ok "bits asked of an index of numbers" gives 1 lsh -k 1 -m jaccard-bits --load index.wwlsh bits.txt

# ---- interrupted
"$program" generate random-walk -n 1500 -l 6000 -o long.npy
# In the foreground one signal is sent; else the whole group gets it too, and a second ends the program at once.
# By then it is at work: three seconds, on a slow machine as much longer as the limits of the tests are.
seconds=$((3 * ${CK_TIMEOUT_MULTIPLIER:-4} / 2))
timeout --foreground --preserve-status -k 600 -s INT "$seconds" "$program" matrix long.npy long.npy -o long.bin >out 2>err
ok "an interrupt ends it with 130" test $? -eq 130
ok "and says so" says "interrupted"
ok "no file is left" absent long.bin
ok "nothing else is left" no_leftovers
# ---- averages of classes. Two ramps that start at different points average, under DTW, to a ramp; the mean does not.
printf 'a\t0\t0\t0\t9\t9\t9\na\t0\t9\t9\t9\t9\t9\nb\t0\t4\t5\t5\t4\t0\n' >ramps.tsv
printf 'a\t0\t0\t0\t0\t0\t9\nb\t0\t0\t4\t5\t5\t0\n' >ramps_test.tsv
for average in dba mean; do
    ok "centroids, $average" gives 0 classify --train ramps.tsv --test ramps_test.tsv --method centroid --average $average -j
    ok "all are right" prints '"correct": 2'
done
ok "soft centroids" gives 0 classify --train ramps.tsv --test ramps_test.tsv --method centroid --average soft --soft 0.1
ok "all are right" prints 'accuracy  1.0000 (2 of 2)'
ok "soft centroids without gamma" gives 1 classify --train ramps.tsv --test ramps_test.tsv --method centroid --average soft
ok "says what to set" says '--soft GAMMA'
ok "neighbours of centroids" gives 2 classify --train ramps.tsv --test ramps_test.tsv --method centroid -k 3
ok "an average without centroids" gives 2 classify --train ramps.tsv --test ramps_test.tsv --average mean

# ---- choosing. Series 0 and 1 are one shape, shifted by one point; a band of 0 takes 0 for near 2.
printf 'a\t0\t0\t9\t0\t0\na\t0\t0\t0\t9\t0\nb\t0\t0\t8\t8\t8\nb\t0\t0\t8\t8\t7\n' >choose.tsv
ok "bands" gives 0 choose choose.tsv choose.tsv --try band=sakoe-chiba:0..2,none
ok "by the Euclidean distance 2 of 4 are right" prints '        2    0.5000  Euclidean distance'
ok "without a shift 2 of 4 are right" prints '        2    0.5000  band=sakoe-chiba:0'
ok "with a shift of 1 all are, and it is chosen" prints '        4    1.0000  band=sakoe-chiba:1  *'
ok "also without a band" prints '        4    1.0000  band=none'
ok "on the test set" prints 'test      1.0000 (4 of 4)'
ok "combinations" gives 0 choose choose.tsv -m adtw --try penalty=0,1e9 --try band=none
ok "are named" prints 'penalty=1e9  band=none'
ok "the Euclidean accuracy is beside the other" gives 0 classify --train choose.tsv --test choose.tsv
ok "it is there" prints 'euclidean 1.0000 (4 of 4)'
ok "steps of whole numbers" gives 0 choose choose.tsv --try band=sakoe-chiba:0..4..2 --json
ok "are three" eval 'prints sakoe-chiba:0 && prints sakoe-chiba:2 && prints sakoe-chiba:4 && ! prints sakoe-chiba:1'
ok "steps of others" gives 0 choose choose.tsv -m adtw --try penalty=0.5..1..0.25 --json
ok "are three, too" eval 'prints 0.75 && ! prints 1.25'
ok "no step" gives 2 choose choose.tsv --try band=sakoe-chiba:0..4..
ok "a step of 0" gives 2 choose choose.tsv --try band=sakoe-chiba:0..4..0
ok "no values" gives 2 choose choose.tsv --try band
ok "no range" gives 2 choose choose.tsv --try band=sakoe-chiba:3..1
ok "too many" gives 2 choose choose.tsv --try band=sakoe-chiba:0..100000
ok "no such parameter" gives 1 choose choose.tsv --try nu=1
printf "a\\t1\\t2\\n" >one.tsv
ok "one series" gives 1 choose one.tsv
# ---- a recall that only the exact search reaches in less time
awk 'BEGIN { srand(5); for (i = 0; i < 300; i++) print rand() "," rand() }' >few.csv
ok "few points" gives 0 lsh -k 3 --recall 0.99 few.csv few.csv -j
ok "are searched exactly" says "the exact search, which is done instead"
ok "and JSON says so" prints '"exact": true'
cp out with_lsh
awk 'BEGIN { for (i = 0; i < 50; i++) print "1,2,3" }' >equal.csv
ok "equal points" gives 0 lsh -k 2 --recall 0.9 equal.csv
# ---- PoCL's cache, where that is all that is wrong
"$program" devices --no-self-test >out 2>err
if prints "Portable Computing Language"; then
    pocl_fails() { # pocl_fails VARIABLE...: a job on PoCL fails with these set
        ! env "$@" WAVEWARP_DEVICE="Portable Computing Language" "$program" pairs x.csv y.csv >out 2>err </dev/null
    }
    ok "a cache that can't be made" pocl_fails POCL_CACHE_DIR=/dev/null/cache
    ok "is named, with the reason" says "PoCL can't write to its cache folder /dev/null/cache: Not a directory"
    ok "and so is what to do" says "set POCL_CACHE_DIR"
    ok "a home that there is not" pocl_fails -u POCL_CACHE_DIR -u XDG_CACHE_HOME HOME=/dev/null
    ok "is found to be the reason" says "PoCL can't write to its cache folder /dev/null/.cache/pocl/kcache"
    mkdir kept
    chmod 555 kept
    if [ ! -w kept ]; then # root may write everywhere
        ok "a cache that can't be written" pocl_fails POCL_CACHE_DIR="$PWD/kept"
        ok "is named too" says "PoCL can't write to its cache folder $PWD/kept: Permission denied"
    fi
    chmod 755 kept
    # Files cut short, as a full disk leaves them: PoCL may crash, once.
    mkdir damaged
    on_damaged() {
        POCL_CACHE_DIR="$PWD/damaged" WAVEWARP_DEVICE="Portable Computing Language" "$program" pairs x.csv y.csv >out 2>err </dev/null
    }
    ok "a new cache" on_damaged
    cp out wanted
    ok "leaves no mark" eval '! compgen -G "damaged/wavewarp-*"'
    find damaged \( -name "*.so" -o -name "*.bc" \) -exec truncate -s 100 {} +
    on_damaged || on_damaged
    ok "a damaged cache ends one run at most" same out wanted
    on_damaged
    ok "and no later one" eval 'same out wanted && ! compgen -G "damaged/wavewarp-*"'
    # The mark of a run that was killed: process numbers do not reach so far.
    : >damaged/wavewarp-runs-99999999
    find damaged -name "*.so" -exec truncate -s 100 {} +
    ok "a run after one that was killed" on_damaged
    ok "mends the cache" eval 'same out wanted && grep -qE "damaged files were removed from PoCL.s cache folder .*damaged" err'
fi
# ---- float where it loses digits
printf '100000001,100000002,100000004\n100000001,100000003,100000004\n' >high.csv
ok "values whose differences float does not hold" gives 0 matrix high.csv --rows series --labels none
ok "are compared in double" eval '[ "$(head -1 out)" = 0,1 ]'
ok "which a note says" says "high.csv: float loses digits by which the values differ; computed in double"
ok "in float on request" gives 0 matrix high.csv --rows series --labels none --precision float
ok "with a note" says "high.csv: float loses digits by which the values differ; --precision double does not"
# ---- no platform: what the loader was told to take is named
if [ -z "${LD_PRELOAD:-}" ]; then
    no_platform() { # no_platform WANTED VARIABLE...: fails, and the message has WANTED
        local wanted=$1
        shift
        ! env -u OCL_ICD_FILENAMES "$@" "$program" pairs x.csv y.csv >out 2>err </dev/null && grep -qF "$wanted" err
    }
    mkdir vendors
    ok "a folder without drivers" no_platform "$PWD/vendors has no .icd file" OCL_ICD_VENDORS="$PWD/vendors"
    echo /nonexistent/libdriver.so >vendors/broken.icd
    ok "a driver that is not there" no_platform "broken.icd names the driver /nonexistent/libdriver.so, which can't be loaded" OCL_ICD_VENDORS="$PWD/vendors"
    ok "a folder that is not there" no_platform "OCL_ICD_VENDORS" OCL_ICD_VENDORS=/nonexistent
fi
finish
