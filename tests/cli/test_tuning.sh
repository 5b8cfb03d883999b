# SPDX-License-Identifier: Apache-2.0
# Tuning parameters: one table for the check, the page and `wavewarp tune`; what is out of range is refused, and what is
# at its ends gives the same results.
. "$(dirname "$0")/tap.sh"
: >out >err
source=$(realpath "$(dirname "$0")/../.." 2>/dev/null)
[ -f "$source/docs/tuning.md" ] || source=$OLDPWD

ok "tune --list" gives 0 tune --list
ok "the page has this table" eval '! grep -vxFf "$source/docs/tuning.md" out'
ok "and no other lines of one" eval '! grep "^| \`[a-z]*\.[a-z0-9_.*]*\`" "$source/docs/tuning.md" | grep -vxFf out'
ok "tune --list --json" gives 0 tune --list --json
names=$("$program" tune --list | sed -n 's/^| `\([^`]*\)`.*/\1/p')

# Every name that is looked up is in the table, but for forms that tests ask for, and every name of the table is looked up.
looked_up=$(grep -rhoE '(wwi_tun(ing|ed)|tuned)\([^"]*"[a-z]+\.[a-z0-9_]+"|^ *d <= (12|20) *\? "knn[^,;]*|: "knn\.[a-z0-9]+"' \
    "$source/src" "$source/host" | grep -oE '"[a-z]+\.[a-z0-9_]+"' | tr -d '"' | grep -v '^form\.' | sort -u)
unknown=
for name in $looked_up; do
    grep -qxF "$name" <<<"$names" || unknown="$unknown $name"
done
ok "names in the code are in the table:$unknown" test -z "$unknown"
unread=
for name in $names; do
    grep -rqF --exclude=tuning_table.c "\"${name%.\*}" "$source/src" "$source/host" || unread="$unread $name"
done
ok "names in the table are read by the code:$unread" test -z "$unread"

"$program" generate cbf -n 5 -l 60 -o a.csv && "$program" generate random-walk -n 7 -l 3 --max-length 150 -o b.ts || exit 1
sed -n '/^```tuning/,/^```$/p' "$source/docs/tuning.md" | grep -v '^```' >page.txt
ok "the page's example" test "$(wc -l <page.txt)" -ge 5
ok "the page's example is accepted" gives 0 matrix a.csv --tuning page.txt
refused() { # LINE WORD
    echo "$1" >tuning.txt
    gives 1 matrix a.csv --tuning tuning.txt && says "tuning.txt:1:" && says "$2"
}
ok "a negative value" refused "default packed.rows -1" "from 2 to 16, a power of two"
ok "a value beyond 32 bits" refused "default lanes.group 4294967297" "from 1 to 1024"
ok "a value that crashed" refused "default strips.columns 100000" "from 4 to 32"
ok "a value that never ended" refused "default packed.rows 100000" "from 2 to 16"
ok "a value that divided by zero" refused "default strips.columns 0" "from 4 to 32"
ok "a name that is not there" refused "default packed.row 4" "did you mean packed.rows"
ok "a name like none" refused "default x 4" "there is no parameter x"

# The ends of all ranges at once.
for end in least most; do
    "$program" tune --list --json | grep -o '{"name".*' |
        sed -E "s/.*\"name\": \"([^\"]*)\".*\"$end\": (-?[0-9]+).*/default \1 \2/; s/\*/dtw/" >$end.txt
    ok "all $end values" eval "[ \$(wc -l <$end.txt) -eq \$(wc -l <<<\"\$names\") ]"
    for engine in packed strips; do
        ok "$engine as it is" gives 0 matrix a.csv b.ts -e $engine -o plain.csv
        ok "$engine with its $end values" gives 0 matrix a.csv b.ts -e $engine --tuning $end.txt -o tuned.csv
        ok "$engine, the same distances" cmp -s plain.csv tuned.csv
    done
done

# Strips so narrow that half of one is no column at all.
printf 'default form.items 1\ndefault packed.values 8\n' >narrow.txt
ok "several channels" gives 0 generate random-walk --count 5 --length 37 --channels 3 -o c3.ts
ok "as they are" gives 0 matrix c3.ts -e packed -o plain.csv
ok "in the narrowest strips" gives 0 matrix c3.ts -e packed --tuning narrow.txt -o tuned.csv
ok "the same distances" awk -F, 'NR == FNR { for (i = 1; i <= NF; i++) first[NR, i] = $i; next }
    { for (i = 1; i <= NF; i++) { d = first[FNR, i] - $i; if (d * d > 1e-10 * $i * $i) exit 1 } }' plain.csv tuned.csv

finish
