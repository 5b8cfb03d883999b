# SPDX-License-Identifier: Apache-2.0
# A disk that becomes full at every page that a command writes: an error that says so, what was there before unchanged,
# and nothing left behind. The disk is a small tmpfs in a mount namespace.
if [ "${WAVEWARP_TEST_MOUNTED:-}" != 1 ]; then
    unshare -rm mount -t tmpfs none /mnt 2>/dev/null || { echo "1..0 # SKIP no right to mount a tmpfs"; exit 0; }
    WAVEWARP_TEST_MOUNTED=1 exec unshare -rm "$BASH" "$0" "$@"
fi
. "$(dirname "$0")/tap.sh"
: >out >err
disk=/mnt
mount -t tmpfs -o size=4m none "$disk" || exit 1

"$program" generate cbf -n 24 -l 64 -o train.ts && "$program" generate cbf -n 20 -l 64 -s 2 -o test.ts || exit 1
awk 'BEGIN { for (i = 0; i < 600; i++) print sin(i), cos(3 * i), sin(7 * i) }' >points.txt
tr '\n' ',' <points.txt | cut -d, -f1-600 | sed 's/ [^,]*//g' >long.csv

pages_free() { stat -f -c %a "$disk"; }
# The files of the disk but the filler: their names and what is in them.
content() { (cd "$disk" && find . -type f ! -name filler -exec cksum {} + | sort -k 3); }

# Leaves `pages` pages of the disk.
leave() {
    rm -f "$disk/filler"
    local much=$(($(pages_free) - $1))
    fallocate -l $((much * 4096)) "$disk/filler"
}

# full NAME FILE ARGUMENT...: the command writes FILE; first with room, then with 0 to the pages it needs less one.
full() {
    local name=$1 file=$disk/$2 pages needed code wrong='' tried=0 step
    shift 2
    rm -rf "${disk:?}"/*
    if ! "$program" "$@" >out 2>err </dev/null; then
        ok "$name: with room" false
        return
    fi
    needed=$((($(stat -c %s "$file") + 4095) / 4096))
    step=$(((needed + 5) / 6))
    for ((pages = 0; pages < needed; pages += step)); do
        rm -rf "${disk:?}"/*
        echo before >"$file"
        local before=$(content)
        leave "$pages"
        "$program" "$@" >out 2>err </dev/null
        code=$?
        tried=$((tried + 1))
        if [ "$code" -ne 1 ]; then
            wrong="exit code $code with $pages of $needed pages"
        elif ! grep -qiE 'space|disk' err; then
            wrong="with $pages of $needed pages the reason is not named"
        elif [ "$(content)" != "$before" ]; then
            wrong="with $pages of $needed pages something is left or changed: $(ls "$disk")"
        fi
        [ -z "$wrong" ] || break
    done
    echo "# $name: $tried of $needed pages"
    ok "$name${wrong:+: $wrong}" test -z "$wrong" -a "$tried" -gt 0
}

# full_part NAME ARGUMENT...: the only part of a job, whose store goes on when there is room.
full_part() {
    local name=$1 pages needed wrong='' tried=0
    shift
    rm -rf "${disk:?}"/*
    gives 0 "$@" --part 1/1 --parts $disk || wrong="with room"
    needed=$((($(stat -c %s $disk/1-of-1.store) + 4095) / 4096))
    for ((pages = 0; pages < needed; pages += (needed + 2) / 3)); do
        rm -rf "${disk:?}"/*
        leave "$pages"
        "$program" "$@" --part 1/1 --parts $disk >out 2>err </dev/null
        [ $? -eq 1 ] && grep -qiE 'space|disk' err || wrong="with $pages of $needed pages the reason is not named"
        rm -f "$disk/filler"
        gives 0 "$@" --part 1/1 --parts $disk --resume || wrong="with $pages of $needed pages it does not go on"
        tried=$((tried + 1))
    done
    echo "# $name: $tried of $needed pages"
    ok "$name${wrong:+: $wrong}" test -z "$wrong" -a "$tried" -gt 0
}

full "generate .ts" x.ts generate cbf -n 60 -o $disk/x.ts
full "generate .npy" x.npy generate cbf -n 60 -o $disk/x.npy
full "convert .csv" x.csv convert train.ts $disk/x.csv
full "convert .tsv" x.tsv convert train.ts $disk/x.tsv
if "$program" devices >/dev/null 2>&1; then
    full "matrix .npy" x.npy matrix train.ts test.ts -o $disk/x.npy
    full "matrix .csv" x.csv matrix train.ts -o $disk/x.csv
    full "matrix --svg" x.svg matrix train.ts --svg $disk/x.svg
    full "choose --svg" x.svg choose train.ts --try band=none,corner:3 --svg $disk/x.svg
    full "matrix of one" x.npy matrix train.ts -o $disk/x.npy
    full "matrix --checkpoint" x.npy matrix train.ts -o $disk/x.npy --checkpoint full.store
    full "pairs" x.csv pairs train.ts train.ts -o $disk/x.csv
    full "nearest" x.csv nearest train.ts -k 9 -o $disk/x.csv
    full "nearest --ids" x.npy nearest train.ts -k 9 --ids $disk/x.npy
    full "classify" x.csv classify --train train.ts --test test.ts --predictions $disk/x.csv
    full "path" x.csv path train.ts train.ts -o $disk/x.csv
    full "path --svg" x.svg path train.ts train.ts --svg $disk/x.svg
    full "gradient" x.npy gradient train.ts train.ts -o $disk/x.npy
    full "gradient --svg" x.svg gradient train.ts train.ts --svg $disk/x.svg
    full "average" x.ts average train.ts --by-class -o $disk/x.ts
    full "average --svg" x.svg average train.ts --svg $disk/x.svg
    full "cluster" x.csv cluster train.ts -k 3 -o $disk/x.csv
    full "cluster --centres" x.ts cluster train.ts -k 3 --centres $disk/x.ts
    full "cluster --svg" x.svg cluster train.ts -k 3 --svg $disk/x.svg
    full "knn" x.csv knn points.txt -k 5 -o $disk/x.csv
    full "knn --distances" x.npy knn points.txt -k 5 --distances $disk/x.npy
    full "lsh --save" x.idx lsh points.txt --metric l2 --save $disk/x.idx
    full "search --svg" x.svg search long.csv --in long.csv --svg $disk/x.svg
    full "search" x.csv search long.csv --in long.csv -k 200 --exclusion 1 -o $disk/x.csv
    full_part "gradient --part" gradient train.ts train.ts
    full_part "lsh --part" lsh points.txt -k 5
    full_part "search --part" search long.csv --in long.csv -k 200 --exclusion 1
    full_part "profile --part" profile long.csv --window 16
    full "profile" x.csv profile long.csv --window 16 -o $disk/x.csv
    full "profile --svg" x.svg profile long.csv --window 16 --svg $disk/x.svg
    "$program" shapelets fit train.ts --min-length 8 --max-length 9 -o model.json >out 2>err
    full "shapelets fit" x.json shapelets fit train.ts --min-length 8 --max-length 9 -o $disk/x.json
    full "shapelets predict" x.csv shapelets predict model.json test.ts -o $disk/x.csv
    full "shapelets --svg" x.svg shapelets show model.json train.ts --svg $disk/x.svg
else
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - commands that compute # SKIP no OpenCL device"
fi
umount "$disk"
finish
