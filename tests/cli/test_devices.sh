# SPDX-License-Identifier: Apache-2.0
# Several devices for one command: the bytes of one device, what is said, refusals. PoCL shows two devices.
# Devices of unlike kinds differ in the last bits, so two of one kind are taken.
. "$(dirname "$0")/tap.sh"
export POCL_DEVICES="pthread pthread"
unset WAVEWARP_DEVICE
: >out >err

needs_device
pair=$(two_devices)
case $pair in
*,*) ;;
*)
    echo "1..0 # SKIP no two devices of one kind"
    exit 0
    ;;
esac
one=${pair%,*}

"$program" generate cbf --count 40 --length 24 --max-length 40 --seed 1 --output a.ts
"$program" generate cbf --count 25 --length 24 --max-length 40 --seed 2 --output b.ts
for measure in dtw twed; do
    for sets in "a.ts" "a.ts b.ts"; do
        ok "$measure, $sets: one device" gives 0 matrix $sets -m $measure -d $one -o one.npy
        ok "$measure, $sets: two devices" gives 0 matrix $sets -m $measure -d $pair -o all.npy
        ok "the same bytes" cmp -s one.npy all.npy
    done
done
ok "in double" gives 0 matrix a.ts --precision double -d $one -o one.npy
ok "in double, by \$WAVEWARP_DEVICE" env WAVEWARP_DEVICE=$pair "$program" matrix a.ts --precision double -o all.npy
ok "the same bytes" cmp -s one.npy all.npy
ok "neighbours of one device" gives 0 nearest a.ts b.ts -k 3 -d $one -o one.txt
ok "neighbours of two" gives 0 nearest a.ts b.ts -k 3 -d $pair -o all.txt
ok "the same bytes" cmp -s one.txt all.txt
"$program" generate random-walk --count 500 --length 8 --seed 1 --output q.npy
"$program" generate random-walk --count 700 --length 8 --seed 2 --output p.npy
for sets in "p.npy" "q.npy p.npy"; do
    for metric in l2 cosine; do
        ok "points, $metric, $sets: one device" gives 0 knn $sets -m $metric -k 5 -d $one -o one.txt
        ok "points, $metric, $sets: two devices" gives 0 knn $sets -m $metric -k 5 -d $pair -o all.txt
        ok "the same bytes" cmp -s one.txt all.txt
    done
done
ok "within a radius, as JSON" gives 0 knn q.npy p.npy --radius 2 -d $pair --json
ok "says what each device did" python3 -c 'import json
found = json.load(open("out"))
assert found["counts"] == [500, 700] and sum(d["tiles"] for d in found["devices"]) > 0
assert found["seconds_compute"] > 0 and found["pairs"] == 350000'
"$program" generate cbf --count 40 --length 24 --max-length 40 --seed 3 --output c.ts
ok "pairs of one device" gives 0 pairs a.ts c.ts -d $one -o one.npy
ok "pairs of two" gives 0 pairs a.ts c.ts -d $pair -o all.npy --json
ok "the same bytes" cmp -s one.npy all.npy
ok "paths of one device" gives 0 path a.ts c.ts -d $one -o one.txt
ok "paths of two" gives 0 path a.ts c.ts -d $pair -o all.txt --json
ok "the same bytes" cmp -s one.txt all.txt
ok "gradients of one device" gives 0 gradient a.ts c.ts --gamma 1 -d $one -o one.ts
ok "gradients of two" gives 0 gradient a.ts c.ts --gamma 1 -d $pair -o all.ts --json
ok "the same bytes" cmp -s one.ts all.ts
for device in $one $pair; do # the first of them sums
    ok "sums of gradients, $device" gives 0 gradient a.ts c.ts --gamma 1 -d $device --all-pairs -o $device.ts
done
ok "the same bytes" cmp -s $one.ts $pair.ts
"$program" generate random-walk --count 2 --length 30 --seed 4 --output queries.npy
"$program" generate random-walk --count 2 --length 9000 --seed 5 --output streams.npy
python3 -c 'import struct; open("s.f32", "wb").write(struct.pack("9000f", *(i * i % 101 for i in range(9000))))'
for options in "--znorm -k 5 --in streams.npy" "--kind open -k 3 --in streams.npy" "--znorm -k 3 --in s.f32"; do
    ok "search $options: one device" gives 0 search queries.npy $options -d $one
    cp out one.txt
    ok "search $options: two" gives 0 search queries.npy $options -d $pair
    ok "the same bytes" cmp -s one.txt out
done
"$program" generate random-walk --count 2 --length 2500 --seed 6 --output long.npy
"$program" generate random-walk --count 1 --length 900 --seed 7 --output short.npy
for options in "long.npy --left-right --motifs 2 --discords 2" "long.npy -k 3" "long.npy short.npy"; do
    ok "profile $options: one device" gives 0 profile $options -w 20 -d $one -o one.csv
    cp out one.txt
    ok "profile $options: two" gives 0 profile $options -w 20 -d $pair -o all.csv
    ok "the same bytes" cmp -s one.csv all.csv
    ok "the same lines" cmp -s one.txt out
done
for options in "-k 3 --max-depth 2" "-k 4 --no-tree -q f" "--sample 400 --terms 2"; do
    ok "shapelets $options: one device" gives 0 shapelets fit a.ts $options --length-step 4 -d $one -o one.json
    ok "shapelets $options: two" gives 0 shapelets fit a.ts $options --length-step 4 -d $pair -o all.json --json
    ok "the same bytes" cmp -s one.json all.json
    ok "says what each device did" python3 -c 'import json
found = json.load(open("out"))
assert sum(d["work"] for d in found["devices"]) > 0 and not any(d["lost"] for d in found["devices"])'
done
ok "shapelets from a checkpoint of one device" gives 0 shapelets fit a.ts -k 3 --length-step 4 -d $one -o one.json
ok "of two" gives 0 shapelets fit a.ts -k 3 --length-step 4 -d $pair -o all.json --checkpoint here.txt --resume
ok "the same bytes" eval 'cmp -s one.json all.json && absent here.txt'
"$program" generate cbf -n 120 -l 150 -s 4 -o long.ts
ok "a longer tree, one device" gives 0 shapelets fit long.ts -k 3 -d $one -o one.json --max-depth 2 --start-step 2
# Ended by SIGTERM, which keeps what was found. Where it is done before, it begins anew and is ended earlier; where nothing
# was found yet, later.
stopped() {
    local process code delay=1000 round
    for ((round = 0; round < 10; round++)); do
        rm -f here.txt all.json
        env --default-signal=TERM "$program" shapelets fit long.ts -k 3 -d $pair -o all.json --max-depth 2 --start-step 2 --checkpoint here.txt >out 2>err </dev/null &
        process=$!
        sleep $((delay / 1000)).$(printf %03d $((delay % 1000)))
        kill -TERM $process 2>/dev/null
        wait $process
        code=$?
        [ $code -eq 143 ] && [ -s here.txt ] && return 0
        [ $code -eq 143 ] && delay=$((delay * 3 / 2)) || delay=$((delay / 2))
    done
    echo "# exit code $code after $delay ms"
    return 1
}
ok "two, ended by a signal" stopped
ok "gone on with" gives 0 shapelets fit long.ts -k 3 -d $pair -o all.json --max-depth 2 --start-step 2 --checkpoint here.txt --resume
ok "the same bytes" eval 'cmp -s one.json all.json && absent here.txt'
ok "with a picture" gives 0 shapelets fit a.ts -k 3 --length-step 4 -d $pair -o all.json --svg all.svg
ok "which is there" grep -q "<svg" all.svg
for device in $one $pair; do
    ok "predictions, $device" gives 0 shapelets predict all.json a.ts -d $device -o $device.txt
done
ok "the same bytes" cmp -s $one.txt $pair.txt
"$program" generate random-walk --count 2 --length 20000 --seed 8 --output longer.npy
ok "profiles as JSON" gives 0 profile longer.npy -w 20 -d $pair --json
ok "say what each device did" python3 -c 'import json
found = json.load(open("out"))
assert sum(d["tiles"] for d in found["devices"]) > 2 and len(found["profiles"]) == 2'
ok "a window that is too long" gives 1 profile long.npy -w 3000 -d $pair
for options in "q.npy p.npy -L 4 -M 3 -w 2 -k 3" "q.npy p.npy -r 0.8 -k 3" "p.npy -m cosine -P 2 -k 3 --save pair.lsh"; do
    ok "lsh $options: one device" gives 0 lsh $options -d $one -o one.txt
    [ -e pair.lsh ] && mv pair.lsh one.lsh
    ok "lsh $options: two" gives 0 lsh $options -d $pair -o all.txt
    ok "the same bytes" cmp -s one.txt all.txt
done
ok "the same tables" cmp -s one.lsh pair.lsh
ok "tables as JSON" gives 0 lsh p.npy -L 3 -d $pair --json
ok "say what each device did" python3 -c 'import json
found = json.load(open("out"))
assert sum(d["tiles"] for d in found["devices"]) > 0 and found["counts"] == [700]'
ok "an evaluation" gives 0 lsh p.npy -d $pair --evaluate
for device in $one $pair; do
    ok "saved tables, $device" gives 0 lsh q.npy -d $device --load one.lsh -k 3 -o $device.txt
done
ok "the same bytes" cmp -s $one.txt $pair.txt
ok "what each device did in a search" gives 0 search queries.npy --znorm --in streams.npy -d $pair --json
ok "is in the object" python3 -c 'import json
found = json.load(open("out"))
assert sum(d["tiles"] for d in found["devices"]) > 0 and len(found["matches"]) == 2
assert found["places"] >= 2 * 2 * 8971 and found["excluded_kim"] <= found["places"]'
ok "a stream that is followed" gives 0 search queries.npy --in - --threshold 1 -d $pair </dev/null
ok "classes of one device" gives 0 classify a.ts b.ts -k 3 -d $one --predictions one.csv
ok "classes of two" gives 0 classify a.ts b.ts -k 3 -d $pair --predictions all.csv
ok "says how many devices" prints 'devices   2,'
ok "the same bytes" cmp -s one.csv all.csv
for device in $one $pair; do
    ok "averages of classes, $device" gives 0 classify a.ts b.ts -d $device --method centroid --predictions $device.csv
done
ok "the same bytes" cmp -s $one.csv $pair.csv
ok "what each device did" gives 0 matrix a.ts -d $pair -o all.npy --json
ok "is in the object" python3 -c 'import json
done = json.load(open("out"))["devices"]
assert sum(d["tiles"] for d in done) > 0 and all(d["lost"] is None for d in done)'

ok "all devices" gives 0 matrix a.ts -d all -o all.npy
ok "a device twice" gives 1 matrix a.ts -d 0,0
ok "is said" says 'named twice'
ok "a device that is not there" gives 1 matrix a.ts -d 0,99
ok "is said" says 'no device matches "99"'

# What used to be one device's: halves, rectangles, results beyond the memory, clusters.
same() { # WORDS OF A COMMAND ENDING: on one device and on two, the same output
    local ending=${!#} words=("${@:1:$#-1}") device
    for device in $one $pair; do
        ok "${words[*]}, $device" gives 0 "${words[@]}" -d $device -o $device.$ending
    done
    ok "the same bytes" cmp -s $one.$ending $pair.$ending
}
same matrix a.ts --condensed npy
same matrix a.ts --part-rows 3:30 --part-columns 5:40 npy
same matrix a.ts b.ts --part-rows 3:30 csv
export WAVEWARP_RESULT_BYTES=1K
same matrix a.ts npy
same matrix a.ts b.ts npy
same matrix a.ts --condensed npy
unset WAVEWARP_RESULT_BYTES
same cluster a.ts -k 2 txt
same average a.ts ts

# Every job in parts and with a checkpoint, on two devices: the bytes of one device, whole.
divided() { # WORDS OF A COMMAND ENDING
    local ending=${!#} words=("${@:1:$#-1}") part
    rm -rf parts one.$ending all.$ending merged.$ending
    mkdir parts
    ok "${words[*]}, one device" gives 0 "${words[@]}" -d $one -o one.$ending
    ok "with a checkpoint" gives 0 "${words[@]}" -d $pair -o all.$ending --checkpoint here.store
    ok "the same bytes" eval "cmp -s one.$ending all.$ending && absent here.store"
    for part in 1 2 3; do
        ok "part $part" gives 0 "${words[@]}" -d $pair --part $part/3 --parts parts
    done
    ok "merged" gives 0 merge parts -o merged.$ending
    ok "the same bytes" cmp -s one.$ending merged.$ending
}
divided matrix a.ts npy
divided matrix a.ts --condensed npy
divided pairs a.ts c.ts npy
divided nearest a.ts b.ts -k 3 txt
divided path a.ts c.ts txt
divided gradient a.ts c.ts --gamma 1 ts
divided knn q.npy p.npy -k 5 txt
divided lsh q.npy p.npy -L 4 -M 3 -w 2 -k 3 txt
divided profile long.npy -w 20 csv
divided search queries.npy --znorm -k 5 --in streams.npy txt

# What is wrong in the input or the options is one message, without a note of a lost device.
one_message() { lines 1 err && says "$1"; }
printf '1\t1\t2\t3\t4\n' >short.tsv
ok "a profile of two windows" gives 1 profile short.tsv --window 3 -d $pair
ok "is one message" one_message 'no pair is left'
for command in "path a.ts c.ts" "gradient a.ts c.ts --soft 1" "classify a.ts c.ts" "pairs a.ts c.ts" "matrix a.ts"; do
    ok "$command: a band without paths" gives 1 $command --band sakoe-chiba:0 -d $pair
    ok "is one message" one_message 'leaves no path'
done
finish
