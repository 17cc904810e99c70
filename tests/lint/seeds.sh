#!/bin/sh
# Each item of docs/seeds.md has a test: its file is there, the test of that name is in it, and the name
# carries the item's id.  An item of many rows has them row by row, T3-15.1 and on: such an id is in the test's
# name, or the name carries the item and the row is a label in the file, "T3-15.1 what it shows".  One TAP point for
# each item and row, and one that none stands there twice.
set -u
top=${TOOLHOST_SOURCE:-$(dirname "$0")/../..}
cd "$top" || exit 1

# Print "ITEM|FILE|TEST" for each row.
rows ()
{
  awk -F'|' '/^\| [SUTA][0-9]-/ { gsub (/^ +| +$/, "", $2); gsub (/[ `]/, "", $4); gsub (/^ *`|` *$/, "", $5)
                               print $2 "|" $4 "|" $5 }' docs/seeds.md
}

# Whether the name $2 carries the id $1.
carries ()
{
  id=$(printf '%s' "$1" | tr .- __)
  printf '%s' "$2" | grep -qE "(^|[^0-9A-Za-z])($1|test_$id|$id)([^0-9]|\$)" ||
    printf '%s' "$2" | grep -qE "_$id(_|\$)"
}

# Whether the row $1 of an item is a label in tests/$2 and the name $3 carries the item.
labelled ()
{
  case $1 in
    *.*) carries "${1%.*}" "$3" && grep -qE "\"$1[ \":,]" "tests/$2" ;;
    *) false ;;
  esac
}

# What is wrong with the test $3 in the file $2 for the item $1.
fault ()
{
  if [ ! -f "tests/$2" ]; then
    echo "there is no tests/$2"
  elif ! grep -qF -e "\"$3\"" -e "def $3(" "tests/$2"; then
    echo "tests/$2 has no test \"$3\""
  elif ! carries "$1" "$3" && ! labelled "$1" "$2" "$3"; then
    echo "the name of \"$3\" does not carry $1"
  fi
}

# Those of the items or rows ${1}1 to $1$2 that do not stand there: neither with a test, nor, of rows, with the reason
# why a host has none ("- T3-15.1: ...").
missing ()
{
  i=0
  while [ $((i += 1)) -le "$2" ]; do
    printf '%s\n' "$table" | cut -d'|' -f1 | grep -qxF -e "$1$i" || grep -qF -e "- $1$i: " docs/seeds.md || echo "$1$i has no row"
  done
}

number=0
failed=0

# Print the point $1; $2: what speaks against it.
point ()
{
  number=$((number + 1))
  if [ -z "$2" ]; then
    echo "ok $number - seeds: $1"
  else
    failed=1
    printf '%s\n' "$2" | sed 's/^/# /'
    echo "not ok $number - seeds: $1"
  fi
}

table=$(rows)
while IFS='|' read -r item file test; do
  point "$item" "$(fault "$item" "$file" "$test")"
done <<END
$table
END
point "every item of S0 stands there" "$(missing S0- 71)"
point "every item of S1 stands there" "$(missing S1- 18)"
point "every item of S2 stands there" "$(missing S2- 28)"
point "every item of S3 stands there" "$(missing S3- 20)"
point "every item of S4 stands there" "$(missing S4- 15)"
while read -r item count; do
  point "every row of $item stands there" "$(missing "$item." "$count")"
done <<END
T3-1 3
T3-2 18
T3-3 2
T3-4 4
T3-5 3
T3-6 11
T3-7 4
T3-8 3
T3-9 11
T3-10 7
T3-11 16
T3-13 134
T3-14 18
T3-15 19
T3-16 11
T3-18 39
T3-19 44
END
point "no item stands there twice" "$(printf '%s\n' "$table" | cut -d'|' -f1 | sort | uniq -d)"
echo "1..$number"
exit $failed
