#!/bin/sh
# Includes point downward only (docs/architecture.md).  One TAP point for each folder of the table, and
# one for the reader of JSON: json-c holds documents, but it never reads them.
set -u
top=${TOOLHOST_SOURCE:-$(dirname "$0")/../..}
cd "$top" || exit 1

# folder          what its files may include in quotes: folders, itself is always among them
floors='
host/base         -
host/schema       base
host/watch        base
host/audit        base watch
host/store        base watch
host/approval     base schema watch store
host/catalog      base schema watch
host/guard        base schema watch
host/service      base schema watch
host/pool         base schema watch service
host/call         audit base schema watch approval catalog pool guard service store
host/session      base schema watch approval catalog pool call service store
host/manage       base schema watch approval catalog pool call store
host/front        base schema watch approval catalog pool guard call session manage service store
host/daemon       audit base schema watch approval catalog pool guard call session manage front service store
host/worker       base
host/mock         base worker
host/cli          audit base schema watch guard catalog pool call manage front daemon service store
plugins           common
sdk               -
'

# Print "FILE:LINE: INCLUDE" for each include of a file of folder $1 that is none of: the SDK's headers,
# its own folder's, those of the folders $2….
upward ()
{
  folder=$1
  shift
  find "$folder" -name '*.[ch]' -not -name 'test_*' -not -name 'plugin_test.h' |
    LC_ALL=C sort | xargs grep -nE '^[[:space:]]*#[[:space:]]*include' /dev/null |
    awk -v own="${folder#host/}" -v allowed="$*" '
      BEGIN { n = split(allowed, names, " "); for (i = 1; i <= n; i++) ok[names[i]] = 1; ok[own] = 1 }
      {
        if (own == "sdk" && $0 ~ /<(json-c|ev\.h|curl|openssl|gmp|pcre)/) { print; next }
        if (!match($0, /"[^"]+"/)) next
        path = substr($0, RSTART + 1, RLENGTH - 2)
        if (own == "plugins") sub(/^\.\.\//, "", path)
        slash = index(path, "/")
        if (slash != 0 && !(substr(path, 1, slash - 1) in ok)) print
      }'
}

# Print "FILE:LINE: TEXT" where json-c is made to read, or is included past base/json_c.h.
read_by_json_c ()
{
  find host plugins sdk -name '*.[ch]' -not -path host/base/json_c.c -not -path host/base/json_c.h |
    LC_ALL=C sort | xargs grep -nE 'json_tokener|json_object_from_f|json_parse_(int|uint|double)|<json-c/' /dev/null
}

number=0
failed=0

# Print the point $1; $2: what speaks against it.
point ()
{
  number=$((number + 1))
  if [ -z "$2" ]; then
    echo "ok $number - floors: $1"
  else
    failed=1
    printf '%s\n' "$2" | sed 's/^/# /'
    echo "not ok $number - floors: $1"
  fi
}

table=$(printf '%s\n' "$floors" | sed '/^$/d')
while read -r folder allowed; do
  point "$folder includes only: $allowed" "$(upward "$folder" "$allowed")"
done <<END
$table
END
point "json_read reads all JSON, json-c none" "$(read_by_json_c)"
echo "1..$number"
exit $failed
