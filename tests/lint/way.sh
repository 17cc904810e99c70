#!/bin/sh
# The way of one call, as docs/architecture.md tells it, is the way of the code: each file of the table
# is there, and each function stands in a file of its row.
set -u
top=${TOOLHOST_SOURCE:-$(dirname "$0")/../..}
cd "$top" || exit 1

# Print "FILES|FUNCTIONS" for each row; a file without a folder is in that of the one before it.
rows ()
{
  awk -F'|' '
    function ticked(text, list,   n) {
      for (n = 0; match(text, /`[^`]+`/); text = substr(text, RSTART + RLENGTH))
        list[++n] = substr(text, RSTART + 1, RLENGTH - 2)
      return n
    }
    function file(name) {
      if (name !~ /\.c$/) return ""
      if (name ~ /\//) { folder = name; sub(/[^\/]*$/, "", folder); return " host/" name }
      return " host/" folder name
    }
    /^## / { here = $0 ~ /One call, file by file/ }
    here && /^\| `/ {
      files = functions = ""
      n = ticked($2, names); for (i = 1; i <= n; i++) files = files file(names[i])
      n = ticked($3, names); for (i = 1; i <= n; i++) files = files file(names[i])
      n = ticked($4, names); for (i = 1; i <= n; i++) functions = functions " " names[i]
      print files "|" functions
    }' docs/architecture.md
}

# Print what of a row is not so: its files $1, its functions $2.
wrong ()
{
  for file in $1; do
    [ -f "$file" ] || echo "$file is not there"
  done
  for function in $2; do
    # shellcheck disable=SC2086 # a list of files
    cat $1 2> /dev/null | grep -q "^$function (" || echo "$function is in none of:$1"
  done
}

number=0
failed=0
table=$(rows)
while IFS='|' read -r files functions; do
  number=$((number + 1))
  faults=$(wrong "$files" "$functions")
  if [ -n "$files" ] && [ -n "$functions" ] && [ -z "$faults" ]; then
    echo "ok $number - way:$functions"
  else
    failed=1
    printf '%s\n' "$faults" | sed 's/^/# /'
    echo "not ok $number - way:$functions"
  fi
done <<END
$table
END
echo "1..$number"
exit $failed
