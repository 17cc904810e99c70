#include "cli/list_cost.h"

#include "cli/answer.h"
#include "cli/table.h"

static const struct table_column columns[] = {
  { .title = "NAME" },
  { .title = "PLUGIN" },
  { .title = "BYTES", .right = true },
  { .title = "TOKENS", .right = true },
  { .title = "FITS" },
};
enum { WITH_FITS = sizeof columns / sizeof *columns };

static long long
number_of (const struct json_tape *tape, const struct json_node *object, const char *name)
{
  int64_t number = 0;

  (void) json_int64 (tape, json_member (tape, object, name), &number);
  return number;
}

static void
add_text (struct table *table, const struct json_tape *tape, const struct json_node *tool,
          const char *name)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  size_t len = 0;
  const char *text = json_string (tape, json_member (tape, tool, name), &arena, &len);

  table_add (table, text != NULL ? text : "", text != NULL ? len : 0);
}

static void
add_row (struct table *table, const struct json_tape *tape, const struct json_node *tool)
{
  bool fits = json_is (json_member (tape, tool, "fits"), JSON_TRUE);

  add_text (table, tape, tool, "name");
  add_text (table, tape, tool, "plugin");
  table_addf (table, "%lld", number_of (tape, tool, "bytes"));
  table_addf (table, "%lld", number_of (tape, tool, "tokens"));
  if (table->columns_count == WITH_FITS)
    table_addf (table, "%s", fits ? "yes" : "no");
}

bool
list_cost_table (const char *json, size_t len, unsigned width, struct buf *out)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  struct table table = { .columns = columns };
  const struct json_node *root, *tools;

  if (!json_read (&tape, json, len, &answer_limits, &arena))
    return false;
  root = json_root (&tape);
  tools = json_member (&tape, root, "tools");
  if (!json_is (tools, JSON_ARRAY))
    return false;
  table.columns_count = json_member (&tape, root, "budget") != NULL ? WITH_FITS : WITH_FITS - 1;
  for (const struct json_node *n = json_first (tools); n != json_end (tools); n = json_next (n))
    add_row (&table, &tape, n);
  table_render (&table, width, out);
  table_free (&table);
  buf_printf (out, "\n%u tool%s, %lld bytes, about %lld tokens (4 bytes each)\n", tools->count,
              tools->count == 1 ? "" : "s", number_of (&tape, root, "bytes"),
              number_of (&tape, root, "tokens"));
  if (json_member (&tape, root, "budget") != NULL)
    buf_printf (out, "%lld of them fit into %lld tokens, with %lld\n",
                number_of (&tape, root, "fitting"), number_of (&tape, root, "budget"),
                number_of (&tape, root, "fitting_tokens"));
  return true;
}
