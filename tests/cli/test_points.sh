# SPDX-License-Identifier: Apache-2.0
# Points by the program: those that count, their own ids, bytes that stay bytes; medoids of samples.
. "$(dirname "$0")/tap.sh"
: >out >err

needs_device

# Whole numbers: distances are exact. Points 1 and 3 are equal.
printf '0,0\n3,4\n10,0\n3,4\n0,1\n' >base.csv
printf '0,0\n9,0\n' >queries.csv
printf '3\n1\n2\n1\n' >some.txt
printf '7\n100\n3\n42\n5\n' >names.txt

# ---- a subset, own ids
ok "points that count" gives 0 knn -k 2 -m l1 --subset some.txt queries.csv base.csv
printf '0\t1:7\t3:7\n1\t2:1\t1:10\n' >wanted
ok "the nearest of them" cmp -s out wanted
ok "a store's parts" divided 2 joined.txt knn -k 2 -m l1 --subset some.txt queries.csv base.csv
ok "give the same" cmp -s joined.txt wanted
ok "of the base itself" gives 0 knn -k 1 -m l1 --subset some.txt base.csv
printf '0\t1:7\n1\t3:0\n2\t1:11\n3\t1:0\n4\t1:6\n' >wanted
ok "all points ask, each without itself" cmp -s out wanted
ok "own ids" gives 0 knn -k 3 -m l1 --base-ids names.txt queries.csv base.csv
printf '0\t7:0\t5:1\t100:7\n1\t3:1\t7:9\t100:10\n' >wanted
ok "come with the neighbours" cmp -s out wanted
ok "and say which points count" gives 0 knn -k 3 -m l1 --base-ids names.txt --subset <(printf '42\n7\n') queries.csv base.csv
printf '0\t7:0\t42:7\n1\t7:9\t42:10\n' >wanted
ok "both of them" cmp -s out wanted

ok "an id of no point" gives 1 knn --subset <(printf '1\n9\n') base.csv
ok "it is named" says "id 9 is not one of the 5 points"
ok "a subset of no number" gives 1 knn --subset <(printf '1\n1.5\n') base.csv
ok "its place is named" says "id 1 is 1.5; ids are whole numbers"
ok "an empty subset" gives 1 knn --subset /dev/null base.csv
ok "no such file" gives 1 knn --subset nowhere.txt base.csv
ok "it is named" says "nowhere.txt"
ok "too few ids" gives 1 knn --base-ids some.txt base.csv
ok "both numbers are told" says "has 4 ids, the base has 5 points"
ok "an id below 0" gives 1 knn --base-ids <(printf '1\n2\n-3\n4\n5\n') base.csv
ok "classes of own ids" gives 2 knn --base-ids names.txt --classes names.txt base.csv

# ---- bytes
bytes() { printf '\002\000\000\000'"$1"; }
{ bytes '\377\000' && bytes '\003\004' && bytes '\012\200' && bytes '\003\004' && bytes '\000\001'; } >base.bvecs
{ bytes '\000\000' && bytes '\376\001'; } >queries.bvecs
for metric in l2 canberra; do
    "$program" knn -k 3 -m $metric queries.bvecs base.bvecs >floats 2>err
    ok "bytes stay bytes: $metric" gives 0 knn -k 3 -m $metric --narrow queries.bvecs base.bvecs
    ok "the same distances" eval 'test -s out && cmp -s out floats'
done
ok "floats beside bytes" gives 0 knn -k 1 -m l1 --narrow queries.csv base.bvecs
printf '0\t4:1\n1\t1:10\n' >wanted
ok "are right" cmp -s out wanted
ok "bits are no numbers" gives 0 knn -k 1 -m hamming --narrow queries.bvecs base.bvecs

# ---- medoids of samples
printf 'a,0,0,0,9\na,0,0,9,9\nb,5,5,5,5\na,0,9,9,9\nb,5,5,5,6\n' >five.csv
ok "medoids of samples" gives 0 cluster five.csv --csv-label first -k 2 --sample 4 --seed 3 -o labels.csv
printf 'series,cluster\n0,0\n1,0\n2,1\n3,0\n4,1\n' >wanted
ok "find the groups" cmp -s labels.csv wanted
ok "a sample of all" gives 0 cluster five.csv --csv-label first -k 2 --sample 100 -o labels.csv
ok "has the same" cmp -s labels.csv wanted
ok "a sample of too few" gives 2 cluster five.csv --csv-label first -k 2 --sample 2
ok "samples of another method" gives 2 cluster five.csv --csv-label first -k 2 -M kmeans --sample 4
ok "a similarity" gives 1 cluster five.csv --csv-label first -k 2 -m lcs --sample 4
ok "nothing half written" no_leftovers
finish
