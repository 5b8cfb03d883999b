# SPDX-License-Identifier: Apache-2.0
# Matrix profiles by the program: known neighbours, files, motifs and discords, the picture, refusals.
. "$(dirname "$0")/tap.sh"
: >out >err

needs_device

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
mv out json
ok "-j is --json" gives 0 profile first.csv -w 8 --motifs 1 -j
ok "the same object" test "$(grep -v seconds json)" = "$(grep -v seconds out)"
printf '1,2,nan,4,5,7,6,5,4,3,9,1\n' >hole.csv
ok "a missing value" gives 0 profile hole.csv -w 3 --exclusion 0
ok "its windows have no neighbour" test "$(awk '$4 == -1 { n++ } END { print n }' out)" = 3
ok "a window above half the series" gives 0 profile first.csv -w 24
ok "17 windows" lines 18 out
printf '@problemName x\n@univariate false\n@dimensions 2\n@classLabel false\n@data\n1,5,2,6,3,1,5,2,6,3:9,1,4,2,7,3,8,5,0,6\n' >two.ts
ok "the nearest channel alone" gives 0 profile two.ts -w 4 --best-channels 1
ok "which repeats" test "$(awk '$2 == 0 { print ($3 < 1e-6), $4 }' out)" = "1 5"
ok "and which it is" gives 0 profile two.ts -w 4 --best-channels 1 --motifs 1 --json
ok "the first" prints '"channels": [0]'
ok "the other channel, always" gives 0 profile two.ts -w 4 --best-channels 1 --forced-channels 1 --motifs 1 --json
ok "it is that" prints '"channels": [1]'
ok "more forced than count" gives 1 profile two.ts -w 4 --best-channels 1 --forced-channels 0,1
ok "no channels" gives 2 profile two.ts -w 4 --best-channels 1 --forced-channels 0,
ok "both channels" gives 0 profile two.ts -w 4
ok "of which one does not" test "$(awk '$2 == 0 { print ($3 > 0.1) }' out)" = 1
ok "more channels than there are" gives 1 profile two.ts -w 4 --best-channels 3
ok "says how many" says '2 channels'

# ---- parts that differ by orders of magnitude, and series that are all alike

# Noise of 1 to 3 in the first half; in the second noise of 1e-3 upon 1e6, where the motif is and one window is odd.
awk 'BEGIN {
    seed = 7
    for (t = 0; t < 400; t++) {
        seed = (seed * 16807) % 2147483647
        x[t] = seed / 2147483647
    }
    for (t = 0; t < 12; t++) {
        x[250 + t] = (t * t) % 7
        x[340 + t] = (t * t) % 7
    }
    for (t = 0; t < 400; t++)
        printf "%s%.9f", t ? "," : "", t < 200 ? 1 + 2 * x[t] : 1000000 + x[t] / 1000
    print ""
}' >jump.csv
for precision in float double; do
    ok "a jump, in $precision" gives 0 profile jump.csv -w 12 --motifs 1 --discords 1 --precision "$precision"
    ok "the motif is in the quiet half" prints 'series 0	motif 1	250	340'
    mv out "$precision.out"
    ok "its profile, in $precision" gives 0 profile jump.csv -w 12 --precision "$precision"
    mv out "$precision.profile"
done
ok "both precisions find the same" cmp float.out double.out
ok "and the same profile" cmp float.profile double.profile
# What is nearest in it is the same for the quiet half alone, without the jump.
tr , '\n' <jump.csv | sed 1,200d | tr '\n' , | sed 's/,$//' >half.csv
ok "the quiet half alone" gives 0 profile half.csv -w 12 --discords 1 --motifs 1
ok "the same motif" prints 'series 0	motif 1	50	140'
awk 'BEGIN { for (t = 0; t < 1616; t++) printf "%s%d", t ? "," : "", (t % 16) * (t % 16) % 11; print "" }' >alike.csv
ok "a motif of 101 windows" gives 0 profile alike.csv -w 16 --motifs 1 --separation 15
ok "has them all" test "$(awk -F'\t' '$2 == "motif 1" { print (NF > 100) }' out)" = 1
awk 'BEGIN { for (t = 0; t < 50; t++) printf "%s3.25", t ? "," : ""; print "" }' >constant.csv
ok "a constant series" gives 0 profile constant.csv -w 8 --motifs 1 --discords 1
ok "its windows are alike" prints 'series 0	motif 1	0	3	0'
awk 'BEGIN { for (t = 0; t < 60; t++) printf "%s%s", t ? "," : "", t == 30 ? "1e200" : (t * t) % 7; print "" }' >huge.csv
ok "more than double holds" gives 1 profile huge.csv -w 8
ok "it is said what to do" says 'put NaN there'

# ---- windows as they are

printf '0,1,2,9,0,4,0,1,3,9,0,7\n' >raw.csv
ok "windows as they are" gives 0 profile raw.csv -w 3 --raw --exclusion 2
ok "the 2-norm" test "$(awk '$2 == 0 { print $3, $4 }' out)" = "1 6"
ok "the largest difference" gives 0 profile raw.csv -w 4 --raw --p inf -j
ok "it is said" prints '"measure": "chebyshev"'
mkdir parts
ok "by the 1-norm, a part" gives 0 profile series.csv -w 4 --raw --p 1 --part 1/2 --parts parts
ok "and the other" gives 0 profile series.csv -w 4 --raw --p 1 --part 2/2 --parts parts
ok "joined" gives 0 merge parts -o joined.csv
ok "the whole" gives 0 profile series.csv -w 4 --raw --p 1 -o whole.csv
ok "the same" cmp joined.csv whole.csv
ok "another norm is another job" gives 1 profile series.csv -w 4 --raw --p 2 --part 1/2 --parts parts
ok "a norm below 1" gives 2 profile raw.csv -w 3 --raw --p 0.5
ok "it is said what there is" says "from 1, or 'inf'"
ok "a norm of normalised windows" gives 2 profile raw.csv -w 3 --p 1

# ---- windows that count as constant

printf '5,5.1,5,5.1,9,2,4,8,1,5.1,5,5.1,5\n' >flat.csv
ok "small deviations count as none" gives 0 profile flat.csv -w 4 --flat-below 0.1
ok "such windows are alike" test "$(awk '$2 == 0 { print $3, $4 }' out)" = "0 9"
ok "a deviation below 0" gives 2 profile flat.csv -w 4 --flat-below -1
ok "of windows as they are" gives 2 profile flat.csv -w 4 --flat-below 1 --raw

# ---- regimes

awk 'BEGIN { for (t = 0; t < 600; t++) printf "%s%.6f", t ? "," : "", (t < 300 ? sin(t / 3) : 2 * (t % 17 > 8)) + (t * t % 37) / 300; print "" }' >regimes.csv
ok "one change of regime" gives 0 profile regimes.csv -w 20 --regimes 1
ok "it is where it is" test "$(awk -F'\t' '$2 == "regime 1" { print ($3 > 270 && $3 < 310), ($4 < 0.5) }' out)" = "1 1"
ok "in JSON" gives 0 profile regimes.csv -w 20 --regimes 1 --json
ok "it is there, too" prints '"regimes": ['
ok "of two series" gives 2 profile first.csv second.csv -w 8 --regimes 1

# ---- a share of the lags, and the consensus of all series

ok "a share of the lags" gives 0 profile regimes.csv -w 20 --share 0.3
ok "every window has a neighbour" test "$(awk '$4 == -1' out | wc -l)" = 0
ok "a share of nothing" gives 2 profile regimes.csv -w 20 --share 0
ok "above all" gives 2 profile regimes.csv -w 20 --share 1.5
awk 'BEGIN { for (s = 0; s < 3; s++) { for (t = 0; t < 40 + s; t++) {
    x = (t * t * (s + 3) + t * 5) % (17 + s); if (t >= 9 * s + 2 && t < 9 * s + 10) { u = t - 9 * s - 2; x = (s + 1) * (u * u * 3 % 11) }
    printf "%s%g", t ? "," : "", x }; print "" } }' >three.csv
ok "the consensus of three series" gives 0 profile three.csv -w 8 --consensus
ok "the shape that all have" test "$(awk -F'\t' 'NR > 1 { printf "%s ", $2 } NR == 1 { print $2, $3, ($4 < 1e-6) }' out)" = "series 0 2 1
2 11 20 "
ok "in JSON" gives 0 profile three.csv -w 8 --consensus --json
ok "the windows are there" prints '"windows": [2, 11, 20]'
ok "of windows as they are" gives 0 profile three.csv -w 8 --consensus --raw --p 1
ok "they are farther" test "$(awk -F'\t' 'NR == 1 { print ($4 > 1) }' out)" = 1
ok "of one series" gives 1 profile first.csv -w 8 --consensus
ok "it is said" says "2 or more"
ok "with motifs" gives 2 profile three.csv -w 8 --consensus --motifs 1
ok "a window above one of the lengths" gives 1 profile three.csv -w 41 --consensus
ok "which" says "series 0 has 40"

# ---- refusals
ok "no window" gives 2 profile first.csv
ok "it is said" says "--window is missing"
ok "a window of 1" gives 1 profile first.csv -w 1
ok "a window of 2" gives 1 profile first.csv -w 2
ok "it is said how many" says "3 points at least"
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
