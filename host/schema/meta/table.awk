# The metaschemas as C: a table of their URIs and texts.
#   awk -f table.awk FILE.json…  > metaschemas.c
BEGIN {
  print "/* Made from meta/ by table.awk. */"
  print "#include \"schema/registry.h\"\n"
  print "#define DOCUMENT(uri, text) { { uri, sizeof uri - 1 }, text, sizeof text - 1 }\n"
  print "const struct document schema_metaschemas[] = {"
}
FNR == 1 && NR > 1 { finish() }
/^  "\$?id": "/ && uri == "" {
  uri = $2
  gsub(/[",#]/, "", uri)
}
{
  line = $0
  gsub(/\\/, "\\\\", line)
  gsub(/"/, "\\\"", line)
  text = text "\n    \"" line "\\n\""
}
function finish() {
  print "  DOCUMENT (\"" uri "\"," text "),"
  uri = text = ""
}
END {
  finish()
  print "};"
  print "const size_t schema_metaschemas_count ="
  print "  sizeof schema_metaschemas / sizeof *schema_metaschemas;"
}
