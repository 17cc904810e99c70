# embed.awk - a text file as C: `const char x_json[]` of x.json, for programs that carry it.
BEGIN {
  name = ARGV[1]
  sub(/^.*\//, "", name)
  gsub(/[^A-Za-z0-9]/, "_", name)
  printf "extern const char %s[];\nconst char %s[] =\n", name, name
}
{
  sub(/^[ \t]+/, "")
  gsub(/["\\]/, "\\\\&")
  printf "  \"%s\\n\"\n", $0
}
END { print "  \"\";" }
