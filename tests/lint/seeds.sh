#!/bin/sh
# Each item of docs/seeds.md has a test: its file is there, the test of that name is in it, and the name
# carries the item's id.  One TAP point for each item, and one that no item stands there twice.
set -u
top=${TOOLHOST_SOURCE:-$(dirname "$0")/../..}
cd "$top" || exit 1

# Print "ITEM|FILE|TEST" for each row.
rows ()
{
  awk -F'|' '/^\| [SUTA][0-9]-/ { gsub (/^ +| +$/, "", $2); gsub (/[ `]/, "", $4); gsub (/^ *`|` *$/, "", $5)
                               print $2 "|" $4 "|" $5 }' docs/seeds.md
}

# What is wrong with the test $3 in the file $2 for the item $1.
fault ()
{
  id=$(printf '%s' "$1" | tr - _)
  if [ ! -f "tests/$2" ]; then
    echo "there is no tests/$2"
  elif ! grep -qF -e "\"$3\"" -e "def $3(" "tests/$2"; then
    echo "tests/$2 has no test \"$3\""
  elif ! printf '%s' "$3" | grep -qE "(^|[^0-9A-Za-z])($1|test_$id|$id)([^0-9]|\$)" &&
    ! printf '%s' "$3" | grep -qE "_$id(_|\$)"; then
    echo "the name of \"$3\" does not carry $1"
  fi
}

# Those of the items $1-1 to $1-$2 that do not stand there.
missing ()
{
  i=0
  while [ $((i += 1)) -le "$2" ]; do
    printf '%s\n' "$table" | grep -q "^$1-$i|" || echo "$1-$i has no row"
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
point "every item of S0 stands there" "$(missing S0 71)"
point "every item of S1 stands there" "$(missing S1 18)"
point "every item of S2 stands there" "$(missing S2 28)"
point "every item of S3 stands there" "$(missing S3 20)"
point "every item of S4 stands there" "$(missing S4 15)"
point "no item stands there twice" "$(printf '%s\n' "$table" | cut -d'|' -f1 | sort | uniq -d)"
echo "1..$number"
exit $failed
