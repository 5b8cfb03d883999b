# SPDX-License-Identifier: Apache-2.0
# Matrix profiles by the program: known neighbours, files, motifs and discords, the picture, refusals.
. "$(dirname "$0")/tap.sh"
: >out >err

if ! "$program" devices --no-self-test >out 2>err; then
    if [ "${WAVEWARP_TEST_REQUIRE_DEVICE:-0}" = 1 ]; then
        echo "Bail out! no OpenCL device: $(cat err)"
        exit 1
    fi
    echo "1..0 # SKIP $(head -n 1 err)"
    exit 0
fi

# 40 points; points 20 to 27 are twice points 3 to 10, and one more. The second series is shorter.
awk 'BEGIN { for (t = 0; t < 40; t++) x[t] = (t * t * 7 + t * 3) % 23; for (t = 3; t < 11; t++) x[t + 17] = 2 * x[t] + 1
    for (t = 0; t < 40; t++) printf "%s%g", t ? "," : "", x[t]; print ""
    for (t = 0; t < 12; t++) printf "%s%g", t ? "," : "", x[t + 3] + 5; print "" }' >series.csv
head -n 1 series.csv >first.csv
tail -n 1 series.csv >second.csv

ok "a profile" gives 0 profile first.csv --window 8
ok "a head and a line a window" lines 34 out
ok "it names the columns" prints 'series	window	distance_1	index_1'
ok "the copy is found" test "$(awk '$2 == 3 { print ($3 < 1e-6), $4 }' out)" = "1 20"
ok "and the other way" test "$(awk '$2 == 20 { print ($3 < 1e-6), $4 }' out)" = "1 3"
ok "every series of a file" gives 0 profile series.csv --window 4
ok "37 and 9 windows" lines 47 out
ok "one of them" gives 0 profile series.csv --window 4 --series 1
ok "9 windows" lines 10 out
ok "against another series" gives 0 profile second.csv first.csv --window 8
ok "5 windows" lines 6 out
ok "the first is found" test "$(awk '$2 == 0 { print ($3 < 1e-6), $4 }' out)" = "1 3"
ok "two neighbours, left and right, to .csv" gives 0 profile first.csv -w 8 -k 2 --left-right -o p.csv
ok "all columns" grep -q '^series,window,distance_1,index_1,distance_2,index_2,left_distance_1,left_index_1' p.csv
ok "nothing is left of the first" test "$(awk -F, '$2 == 0 { print $7, $8 }' p.csv)" = "inf -1"
ok "to .npy" gives 0 profile first.csv -w 8 --precision double -o p.npy
ok "33 rows of 4 values" test "$(wc -c <p.npy)" -eq $((128 + 33 * 4 * 8))
ok "motifs and discords" gives 0 profile first.csv -w 8 --motifs 1 --discords 2 --svg p.svg
ok "the motif" prints 'series 0	motif 1	3	20'
ok "a discord" prints 'series 0	discord 2'
ok "a picture of them" grep -q 'motif 1: 3 and 20' p.svg
ok "json" gives 0 profile first.csv -w 8 --motifs 1 --json
ok "json has the motif" prints '"first": 3, "second": 20'
ok "json has the profile" prints '"indices": ['
printf '1,2,nan,4,5,7,6,5,4,3,9,1\n' >hole.csv
ok "a missing value" gives 0 profile hole.csv -w 3 --exclusion 0
ok "its windows have no neighbour" test "$(awk '$4 == -1 { n++ } END { print n }' out)" = 3
ok "a window above half the series" gives 0 profile first.csv -w 24
ok "17 windows" lines 18 out
printf '@problemName x\n@univariate false\n@dimensions 2\n@classLabel false\n@data\n1,5,2,6,3,1,5,2,6,3:9,1,4,2,7,3,8,5,0,6\n' >two.ts
ok "the nearest channel alone" gives 0 profile two.ts -w 4 --best-channels 1
ok "which repeats" test "$(awk '$2 == 0 { print ($3 < 1e-6), $4 }' out)" = "1 5"
ok "both channels" gives 0 profile two.ts -w 4
ok "of which one does not" test "$(awk '$2 == 0 { print ($3 > 0.1) }' out)" = 1
ok "more channels than there are" gives 1 profile two.ts -w 4 --best-channels 3
ok "says how many" says '2 channels'

# ---- refusals
ok "no window" gives 2 profile first.csv
ok "it is said" says "--window is missing"
ok "a window of 2" gives 1 profile first.csv -w 2
ok "a window above the length" gives 1 profile first.csv -w 41
ok "no pair is left" gives 1 profile first.csv -w 36
ok "it is said" says "no pair is left"
ok "a window that is no number" gives 2 profile first.csv -w 3.5
ok "k too large" gives 1 profile first.csv -w 8 -k 65
ok "motifs of two series" gives 2 profile first.csv second.csv -w 8 --motifs 1
ok "no such series" gives 1 profile first.csv -w 8 --series 1
ok "a second file with several" gives 1 profile first.csv series.csv -w 8
ok "no such file" gives 1 profile nowhere.csv -w 8
ok "a folder that is not there" gives 1 profile first.csv -w 8 -o nowhere/p.csv
ok "nothing half written" no_leftovers
finish
