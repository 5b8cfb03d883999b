# SPDX-License-Identifier: Apache-2.0
# Nearest neighbours of points by the program: files of every kind, prediction, refusals.
. "$(dirname "$0")/tap.sh"
: >out >err

needs_device

# Two coordinates, whole numbers: distances are exact. Points 1 and 3 are equal.
printf '0,0\n3,4\n10,0\n3,4\n0,1\n' >base.csv
printf '0,0\n9,0\n' >queries.csv
printf '0\t0:0\t4:1\t1:5\n1\t2:1\t1:7.21110249\t3:7.21110249\n' >wanted

ok "neighbours" gives 0 knn -k 3 queries.csv base.csv
awk -F'\t' '{ printf "%s", $1; for (i = 2; i <= NF; i++) { split($i, a, ":"); printf "\t%s:%.6g", a[1], a[2] } print "" }' \
    out >rounded
printf '0\t0:0\t4:1\t1:5\n1\t2:1\t1:7.2111\t3:7.2111\n' >wanted
ok "they are right, ties by the lower id" cmp -s rounded wanted
printf '0\t0:0\t4:1\n1\t1:5\t3:5\n2\t1:65\t3:65\n3\t1:0\t4:18\n4\t0:1\t1:18\n' >wanted
printf '0\t4:1\t1:25\n1\t3:0\t4:18\n2\t1:65\t3:65\n3\t1:0\t4:18\n4\t0:1\t1:18\n' >wanted
ok "of the base itself, each without itself" gives 0 knn -k 2 -m l2-squared base.csv
ok "they are right" cmp -s out wanted
printf '0\t0:0\t4:1\t1:4\t3:4\t2:10\n1\t2:1\t1:6\t3:6\t0:9\t4:9\n' >wanted
ok "more wanted than there are" gives 0 knn -k 100 -m linf queries.csv base.csv
ok "all of them come" cmp -s out wanted
printf '0\t0:0\n1\t2:1\n' >wanted
ok "a power" gives 0 knn -k 1 -m minkowski --p 4 queries.csv base.csv
ok "is right" cmp -s out wanted
ok "a power below 1" gives 2 knn -m minkowski --p 0.5 queries.csv base.csv
ok "a power of another metric" gives 2 knn --p 3 queries.csv base.csv
printf '0,nan\n3,4\n' >gaps.csv
printf '0\t1:4.2426405\n1\t0:4.2426405\n' >wanted
ok "missing coordinates" gives 0 knn -m nan-l2 gaps.csv
ok "are left out" cmp -s out wanted
ok "which other metrics refuse" gives 1 knn gaps.csv
ok "not divided" gives 2 knn -m nan-l2 gaps.csv --part 0/2 --parts parts
ok "json" gives 0 knn -k 1 -m l1 --json queries.csv base.csv
ok "json says the metric" prints '"measure": "l1"'
ok "json has neighbours" prints '"indices": [2], "distances": [1]'
ok "double" gives 0 knn -k 1 -m cosine --precision double queries.csv base.csv
ok "a vector of zeros has cosine distance 1 to all" prints '0	0:1'

ok "within a radius" gives 0 knn --radius 5 queries.csv base.csv
printf '0\t0:0\t4:1\t1:5\t3:5\n1\t2:1\n' >wanted
ok "all of them, the border too" cmp -s out wanted
ok "with a number of neighbours" gives 0 knn -k 2 --radius 5 queries.csv base.csv
printf '0\t0:0\t4:1\n1\t2:1\n' >wanted
ok "no more than these" cmp -s out wanted
ok "that there may be more is said" says '1 queries have 2 points within 5, and may have more'
ok "nothing within it" gives 0 knn --radius 0.5 -j queries.csv base.csv
ok "is an empty list" prints '"indices": []'
ok "a radius below 0" gives 2 knn --radius -1 queries.csv base.csv
ok "a radius of an inner product" gives 2 knn --radius 1 -m inner-product queries.csv base.csv

# ---- files
ok "ids and distances to files" gives 0 knn -k 2 --ids ids.ivecs --distances d.fvecs queries.csv base.csv
ok "an .ivecs of two rows" test "$(od -An -tu4 -v ids.ivecs | tr -s ' \n' ' ')" = " 2 0 4 2 2 1 "
ok "ids to text" gives 0 knn -k 2 --ids ids.csv --distances d.npy queries.csv base.csv
printf '0,4\n2,1\n' >wanted
ok "the same ids" cmp -s ids.csv wanted
# What was written is read again, as points.
ok "distances as points, .fvecs" gives 0 knn -m l1 d.fvecs
cp out from_fvecs
ok "distances as points, .npy" gives 0 knn -m l1 d.npy
ok "both alike" cmp -s out from_fvecs
printf '\002\000\000\000\001\002\002\000\000\000\001\004' >points.bvecs
ok "a .bvecs of numbers" gives 0 knn -m l1 points.bvecs
printf '0\t1:2\n1\t0:2\n' >wanted
ok "is right" cmp -s out wanted
ok "a .bvecs of bits" gives 0 knn -m hamming points.bvecs
ok "is right" cmp -s out wanted
printf '1101\n0011\n0000\n0000\n' >bits.txt
ok "lines of bits" gives 0 knn -m jaccard-bits bits.txt
printf '0\t1:0.75\n1\t0:0.75\n2\t3:0\n3\t2:0\n' >wanted
ok "is right" cmp -s out wanted
printf '5 1 9\n1 5\n\n7\n' >sets.txt
for job in "hamming bits.txt" "jaccard-bits bits.txt" "jaccard sets.txt"; do
    "$program" knn -m $job >single 2>err
    ok "float whatever is asked: $job" eval 'gives 0 knn -m $job --precision double && cmp -s single out && grep -q ":" out'
    ok "so it is from a checkpoint" eval 'gives 0 knn -m $job --precision double --checkpoint j && cmp -s single out'
done
ok "sets" gives 0 knn -m jaccard sets.txt
ok "is right" prints '1	0:0.333333'

# ---- prediction
printf '3\n8\n3\n8\n3\n' >labels.txt
printf '3\n8\n' >wanted
ok "classes by vote" gives 0 knn -k 3 --classes labels.txt queries.csv base.csv
ok "is right" cmp -s out wanted
printf '1\n2\n3\n4\n6\n' >values.txt
printf '3.5\n2.5\n' >wanted
ok "values by mean" gives 0 knn -k 2 --values values.txt queries.csv base.csv
ok "is right" cmp -s out wanted

# ---- refusals
ok "no such file" gives 1 knn nowhere.csv
ok "it is named" says "nowhere.csv"
ok "not for text of words" gives 1 knn <(printf 'one,two\n')
printf '1,2\n3,inf\n' >infinite.csv
for command in knn lsh; do
    ok "$command: infinity in the second file" gives 1 $command base.csv infinite.csv
    ok "its file is named" says "infinite.csv: point 1 has infinity"
done
printf 'nan,1\n' >nan.csv
ok "NaN" gives 1 knn nan.csv
ok "its place is named" says "point 0"
printf '1,2,3\n' >three.csv
ok "other dimensions" gives 1 knn three.csv base.csv
ok "both are named" says "the queries have 3 coordinates, the base has 2"
printf '1,2\n3\n' >ragged.csv
ok "points of unequal dimension" gives 1 knn ragged.csv
"$program" generate cbf -n 4 -l 20 -o series.ts >/dev/null 2>&1
ok "a file of series" gives 1 knn series.ts
ok "says what points are, and who takes series" says "files of series are for nearest"
printf '\002\000\000\000\001\002\002\000' >short.bvecs
ok "a file cut off" gives 1 knn short.bvecs
awk 'BEGIN { for (i = 0; i < 1500; i++) print i }' >line.csv
echo 3 >one.csv
printf '0,1e-25\n0,3e-25\n1e-25,1e-25\n' >tiny.csv
ok "coordinates whose squares float hardly holds" gives 0 knn tiny.csv
ok "a note says that they are computed in double" says "computed in double"
ok "the neighbours are right" eval '[ "$(cut -f2 out | cut -d: -f1 | tr -d "\n")" = 200 ]'
ok "in float they are refused" gives 1 knn --precision float tiny.csv
ok "with the reason" says "too small for l2 in float"
ok "more than 1024 within a radius" gives 0 knn --radius 1e6 one.csv line.csv
ok "all are there" eval '[ "$(tr "\t" "\n" <out | wc -l)" = 1501 ]'
ok "k too large" gives 1 knn -k 1048577 base.csv
ok "k 0" gives 2 knn -k 0 base.csv
ok "unknown metric" gives 2 knn -m euclid base.csv
ok "too few classes" gives 1 knn --classes values.txt <(printf '1,2\n')
ok "classes that are no classes" gives 1 knn --classes <(printf '0.5\n') three.csv
ok "nothing is printed before that" eval 'gives 1 knn --json --classes <(printf "1\n2\n") three.csv && test ! -s out'
ok "classes and values" gives 2 knn --classes labels.txt --values values.txt base.csv
ok "nothing half written" no_leftovers
finish
