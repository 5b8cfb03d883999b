# SPDX-License-Identifier: Apache-2.0
# Warping paths and averages by the program: known ones, files, pictures, refusals.
. "$(dirname "$0")/tap.sh"
: >out >err

needs_device

printf '1,2,3\n0,0,1\n' >a.csv
printf '1,2,2,3\n0,1,1,1\n' >b.csv
printf 'pair,i,j\n0,0,0\n0,1,1\n0,1,2\n0,2,3\n1,0,0\n1,1,0\n1,2,1\n1,2,2\n1,2,3\n' >wanted
ok "two paths" gives 0 path a.csv b.csv
ok "they are right" cmp -s out wanted
ok "to a file, and drawn" gives 0 path a.csv b.csv -o paths.csv --svg path.svg --pair 1 --json
ok "the file is the same" cmp -s paths.csv wanted
ok "json has the distances" prints '"distances": [0, 0]'
ok "json has no cells beside a file" prints '"cells": []'
ok "the picture is whole" grep -q '</svg>' path.svg
if command -v xmllint >/dev/null; then
    ok "the picture is XML" xmllint --noout path.svg
fi
ok "as an array" gives 0 path a.csv b.csv -o paths.npy
ok "nine rows of three numbers" gives 0 convert paths.npy rows.csv
ok "all of them" lines 9 rows.csv
head -n 1 a.csv >one.csv
ok "one series with all" gives 0 path one.csv b.csv --json
ok "json has two paths" prints '"cells": [[0, 0], [1, 1], [1, 2], [2, 3]]'
ok "too few series" gives 1 path a.csv paths.csv
ok "a pair there is not" gives 1 path a.csv b.csv --svg no.svg --pair 2
ok "no picture of it" absent no.svg
ok "no path of a soft minimum" gives 1 path a.csv b.csv --soft 1
ok "and why" says "a soft minimum has no warping path"

ok "accumulated costs" gives 0 path a.csv b.csv --costs - --band corner:0 --pair 1
printf '0,1,inf,inf\ninf,1,2,inf\ninf,inf,1,1\n' >wanted
ok "they are right, without a path" cmp -s out wanted
ok "soft ones" gives 0 path a.csv b.csv --costs costs.npy --soft 1
ok "an array of three rows" gives 0 convert costs.npy rows.csv
ok "all of them" lines 3 rows.csv
ok "costs of a pair there is not" gives 1 path a.csv b.csv --costs no.npy --pair 2
ok "no file of it" absent no.npy

# Two classes, of which the members of one are the same ramp at different times.
printf 'u,0,1,2,3,3\nu,0,0,1,2,3\nv,5,5,5,5,5\n' >c.csv
ok "averages by class" gives 0 average c.csv --csv-label first --by-class -o centres.ts --svg average.svg --precision float
ok "the report has both" prints "v "
ok "the picture is whole" grep -q '</svg>' average.svg
ok "one of each class" gives 0 convert centres.ts centres.csv
ok "two of them" lines 2 centres.csv
ok "with json" gives 0 average c.csv --csv-label first --by-class --json
ok "one member is its own average" prints '"centre": [5, 5, 5, 5, 5]'
printf '1\n1\n0\n' >weights.csv
ok "with weights and a length" gives 0 average c.csv --csv-label first --weights weights.csv --length 4 --json
ok "the ramp" prints '"length": 4'
printf '0\n0\n0\n' >weights.csv
ok "weights without a sum" gives 1 average c.csv --csv-label first --weights weights.csv --json
ok "and why" says "the weights' sum is 0"
printf '1\n-1\n1\n' >weights.csv
ok "negative weights" gives 1 average c.csv --csv-label first --weights weights.csv --json
printf '1\n1\n' >weights.csv
ok "too few weights" gives 1 average c.csv --csv-label first --weights weights.csv --json
ok "a measure without an average" gives 1 average c.csv --csv-label first -m edr --json
ok "no such method" gives 2 average c.csv --csv-label first --method median --json
ok "nowhere to write" gives 2 average c.csv --csv-label first
ok "classes that are not there" gives 1 average a.csv --by-class --json
ok "nothing is left over" no_leftovers
finish
