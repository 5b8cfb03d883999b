# SPDX-License-Identifier: Apache-2.0
# Clusters by the program: groups known in advance, files, pictures, refusals.
. "$(dirname "$0")/tap.sh"
: >out >err

needs_device

# Two groups: ramps that start late are the same under DTW.
printf 'a,0,0,0,9\na,0,0,9,9\nb,5,5,5,5\na,0,9,9,9\nb,5,5,5,6\n' >five.csv

ok "medoids" gives 0 cluster five.csv --csv-label first -k 2 -o labels.csv
ok "the report counts them" prints 'clusters    2 of 5 series, method medoids'
ok "the groups are the classes" prints 'agreement   1.0000'
printf 'series,cluster\n0,0\n1,0\n2,1\n3,0\n4,1\n' >wanted
ok "the labels are right" cmp -s labels.csv wanted
for method in single complete average ward; do
    ok "$method" gives 0 cluster five.csv --csv-label first -k 2 -M $method -o - --merges $method.csv
    tr ',' '\t' <wanted >wanted.txt
    ok "$method finds the groups" cmp -s out wanted.txt
    ok "$method: four merges and a head" lines 5 $method.csv
done
ok "a limit instead of a number" gives 0 cluster five.csv --csv-label first -M average --distance 2 --json \
    --centres centres.tsv --svg picture.svg
ok "two clusters are left" prints '"clusters": 2'
ok "json has the labels" prints '"labels": [0, 0, 1, 0, 1]'
ok "json has the silhouette" prints '"silhouette": 0.9'
ok "the centres are series" gives 0 convert centres.tsv again.csv
ok "two of them" lines 2 centres.tsv
ok "the picture is whole" grep -q '</svg>' picture.svg
if command -v xmllint >/dev/null; then
    ok "the picture is XML" xmllint --noout picture.svg
fi
ok "k-means" gives 0 cluster five.csv --csv-label first -k 2 -M kmeans --starts 3 -o labels.csv --centres means.tsv \
    --svg means.svg
ok "its objective" prints 'objective   '
ok "its groups are the classes" prints 'agreement   1.0000'
ok "its labels are right" cmp -s labels.csv wanted
ok "its centres are series" lines 2 means.tsv
ok "its picture is whole" grep -q '</svg>' means.svg
ok "k-means with the soft minimum" gives 0 cluster five.csv --csv-label first -k 2 -M kmeans --soft 0.1 --length 3 --json
ok "json has its objective" prints '"objective": '
ok "json has its search" prints '"converged": true, "start": 0'
ok "merges of k-means" gives 2 cluster five.csv -k 2 -M kmeans --merges m.csv
ok "no searches" gives 2 cluster five.csv -k 2 -M kmeans --starts 0
ok "k-means without averages" gives 1 cluster five.csv --csv-label first -k 2 -M kmeans -m edr
ok "says what has them" says 'it takes dtw'
printf '1,2,3\n' >one.csv
ok "one series" gives 0 cluster one.csv -k 1 --svg one.svg
ok "one series, k-means" gives 0 cluster one.csv -k 1 -M kmeans --svg one.svg
ok "one series, merged" gives 0 cluster one.csv -k 1 -M ward --svg one.svg

# ---- distances from a file
ok "series for a matrix" gives 0 generate cbf -n 12 -l 40 -o cbf.ts
ok "their clusters" gives 0 cluster cbf.ts -k 3 -o medoids.csv
ok "by merging" gives 0 cluster cbf.ts -k 3 -M complete -o merged.csv
for file in square.npy square.csv half.npy half.csv; do
    condensed=$([ "${file%.*}" = half ] && echo --condensed)
    # shellcheck disable=SC2086
    ok "$file" gives 0 matrix cbf.ts $condensed -o $file
    ok "clusters of $file" gives 0 cluster --distances $file -k 3 -o -
    ok "are those of the series" bash -c 'tr "\t" , <out | cmp -s - medoids.csv'
    ok "merged from $file" gives 0 cluster --distances $file -k 3 -M complete -o -
    ok "as from the series" bash -c 'tr "\t" , <out | cmp -s - merged.csv'
done
ok "distances and series" gives 0 cluster cbf.ts --distances half.npy -k 3 --centres c.tsv --svg c.svg
ok "labels are compared" prints 'agreement   '
ok "the medoids are series" lines 3 c.tsv
ok "as JSON" gives 0 cluster --distances half.npy -k 3 --json
ok "without a measure" prints '"files": ["half.npy"], "counts": [12], "output": null, "measure": null'
ok "a matrix as series" gives 0 cluster square.npy -k 3
ok "is noticed" says 'cluster --distances FILE'
printf '0,1\n2,0\n' >skew.csv
ok "not symmetric" gives 1 cluster --distances skew.csv -k 1
ok "says so" says 'not symmetric'
printf '1,1\n1,0\n' >self.csv
ok "a diagonal that is not 0" gives 1 cluster --distances self.csv -k 1
ok "says so" says 'series 0 has distance 1 to itself'
printf '0,nan,1\nnan,0,1\n1,1,0\n' >nan.csv
ok "a missing distance" gives 1 cluster --distances nan.csv -k 1
ok "says so" says 'the distance of series 0 and 1 is missing'
printf '1\n2\nnan\n' >nan.csv
ok "a missing distance of a half" gives 1 cluster --distances nan.csv -k 1
printf '1\n2\n3\n4\n' >four.csv
ok "a number that is no half" gives 1 cluster --distances four.csv -k 1
ok "says so" says 'neither a square matrix nor condensed'
printf '0\n' >single.csv
ok "one series" gives 0 cluster --distances single.csv -k 1
printf '3\n' >single.csv
ok "two series" gives 0 cluster --distances single.csv -k 2
ok "another number of series" gives 1 cluster five.csv --csv-label first --distances half.npy -k 2
ok "says so" says 'the distances of 12 series, five.csv has 5'
ok "too few" gives 1 cluster --distances half.npy -k 13
for useless in '-M kmeans' '-m msm' '--znorm' '--embed 2' '--engine lanes' '--centres c.tsv' '--svg c.svg'; do
    # shellcheck disable=SC2086
    ok "$useless with distances" gives 2 cluster --distances half.npy -k 2 $useless
done
ok "neither series nor distances" gives 2 cluster -k 2

ok "no number of clusters" gives 2 cluster five.csv
ok "says what is needed" says '--k K is needed'
ok "more clusters than series" gives 1 cluster five.csv --csv-label first -k 9
ok "says so" says 'too few for 9 clusters'
ok "a limit for medoids" gives 2 cluster five.csv -k 2 --distance 1
ok "a limit that is none" gives 2 cluster five.csv -M ward --distance near
ok "merges of medoids" gives 2 cluster five.csv -k 2 --merges m.csv
printf '1,nan,2\n4,5,6\n' >gap.csv
ok "a missing value" gives 1 cluster gap.csv -k 1
ok "a missing value, k-means" gives 1 cluster gap.csv -k 1 -M kmeans
printf '1,2,3\n1,2\n' >uneven.csv
ok "a band without a path" gives 1 cluster uneven.csv -k 1 -b sakoe-chiba:0
ok "a folder that is not there" gives 1 cluster five.csv -k 2 --svg nowhere/p.svg
ok "no leftovers" no_leftovers
# ---- what is no distance
printf '1,2,3,4\n1,2,3,9\n7,7,8\n7,8,8\n' >symbols.csv
ok "a similarity" gives 1 cluster symbols.csv -k 2 --measure lcs
ok "is refused, with a distance in its place" says 'levenshtein is a distance'
ok "another one" gives 1 cluster symbols.csv -k 2 --measure lcss -p epsilon=0.5 -p similarity=1 -M average
ok "is refused too" says 'similarity'
ok "condensed" gives 1 matrix symbols.csv --condensed --measure lcs
ok "costs that differ" gives 1 cluster symbols.csv -k 2 --measure levenshtein -p insertion=2
ok "both ways are named" says 'the other way'
for how in mean least most; do
    ok "symmetrise $how" gives 0 cluster symbols.csv -k 2 --measure levenshtein -p insertion=2 --symmetrise $how -o labels.csv
    ok "groups the like" eval "printf 'series,cluster\n0,0\n1,0\n2,1\n3,1\n' | cmp -s - labels.csv"
done
ok "open ends that differ" gives 1 cluster symbols.csv -k 2 --relax 2,0,0,0
ok "a cost of one's own that is symmetric" gives 0 cluster symbols.csv -k 2 --cost-expr 'fabs(x - y)'
ok "condensed of costs that differ" gives 1 matrix symbols.csv --condensed --measure levenshtein -p insertion=2
ok "one way" gives 0 matrix symbols.csv --condensed --one-way --measure levenshtein -p insertion=2 -o one.csv
ok "is the upper half" lines 6 one.csv
ok "one way of a square" gives 2 matrix symbols.csv --one-way
ok "symmetrise of a file" gives 2 cluster --distances one.csv -k 2 --symmetrise mean
# Two shapes, each at two places.
printf '0,0,1,3,1,0,0,0\n0,0,0,0,1,3,1,0\n9,9,9,9,0,0,0,0\n9,9,9,0,0,0,0,0\n' >shapes.csv
ok "shape-based distances" gives 0 sbd shapes.csv -o sbd.npy --shifts shifts.csv
ok "how far the second is from the first" grep -q '^0,-2,' shifts.csv
ok "raw ones, of two files" gives 0 sbd shapes.csv shapes.csv --raw
ok "distances and shifts in JSON" gives 0 sbd shapes.csv --json
ok "the shifts are the file's" grep -q '^\[0, -2, ' out
ok "null with a file" gives 0 sbd shapes.csv -o sbd.npy --json && prints '"distances": null, "shifts": null'
ok "two results in one place" gives 2 sbd shapes.csv -o - --json
ok "k-shape" gives 0 cluster shapes.csv -k 2 -M kshape -o labels.csv --centres shapes.ts
printf 'series,cluster\n0,0\n1,0\n2,1\n3,1\n' >wanted
ok "finds both shapes" cmp -s labels.csv wanted
ok "no measure with it" gives 2 cluster shapes.csv -k 2 -M kshape -m msm
ok "not of distances" gives 2 cluster --distances sbd.npy -k 2 -M kshape
finish
