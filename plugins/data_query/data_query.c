/* data_query.c - the tool: a query with nested filters over a small table of invented restaurants.
 * What it returns fits the schema it declares. */
#include <stdlib.h>
#include <toolhost.h>

#include "../common/text.h"
#include "table.h"

static const char *
definition (void *self)
{
  (void) self;
  /* clang-format off */
  return TOOLHOST_JSON ({
    "name": "data_query",
    "title": "Restaurants (sample data)",
    "description": "Query a small table of invented restaurants. All filters must hold; without filters every row does. Prices are euros for a meal.",
    "inputSchema": {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "properties": {
        "filters": {
          "type": "object",
          "description": "What a row must be like.",
          "properties": {
            "minRating": { "type": "number", "minimum": 0, "maximum": 5, "description": "Stars, at least." },
            "maxPrice": { "type": "number", "minimum": 0, "description": "Euros, at most." },
            "cuisine": { "$ref": "#/$defs/cuisine", "description": "Where the dishes come from." },
            "city": { "type": "string", "enum": ["Berlin", "Hamburg", "Munich"], "description": "Where the restaurant is." },
            "vegetarian": { "type": "boolean", "description": "Whether there are vegetarian dishes." },
            "tags": {
              "type": "array",
              "items": { "type": "string", "enum": ["terrace", "live-music", "family", "late", "takeaway"] },
              "uniqueItems": true,
              "description": "All of these."
            }
          },
          "additionalProperties": false
        },
        "sort": {
          "type": "object",
          "description": "The order of the rows; by name without it.",
          "properties": {
            "by": { "type": "string", "enum": ["name", "rating", "price"], "description": "The field that counts." },
            "order": { "type": "string", "enum": ["ascending", "descending"], "default": "ascending", "description": "Smallest or greatest first." }
          },
          "required": ["by"],
          "additionalProperties": false
        },
        "select": {
          "type": "array",
          "items": { "type": "string", "enum": ["name", "cuisine", "city", "rating", "price", "vegetarian", "tags"] },
          "minItems": 1,
          "uniqueItems": true,
          "description": "Fields to return; all without it."
        },
        "limit": { "type": "integer", "minimum": 1, "maximum": 50, "default": 10, "description": "Rows to return, at most." }
      },
      "additionalProperties": false,
      "$defs": {
        "cuisine": {
          "type": "string",
          "enum": ["chinese", "french", "german", "indian", "italian", "japanese", "mexican", "turkish"]
        }
      },
      "examples": [
        { "filters": { "minRating": 4.5, "city": "Berlin" } },
        { "filters": { "cuisine": "indian", "tags": ["takeaway"] }, "sort": { "by": "price" }, "select": ["name", "price"] }
      ]
    },
    "outputSchema": {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "properties": {
        "matches": { "type": "integer", "minimum": 0, "description": "Rows that fit, shown or not." },
        "rows": {
          "type": "array",
          "maxItems": 50,
          "items": {
            "type": "object",
            "properties": {
              "name": { "type": "string" },
              "cuisine": { "type": "string" },
              "city": { "type": "string" },
              "rating": { "type": "number", "minimum": 0, "maximum": 5 },
              "price": { "type": "integer", "minimum": 0 },
              "vegetarian": { "type": "boolean" },
              "tags": { "type": "array", "items": { "type": "string" } }
            },
            "additionalProperties": false,
            "minProperties": 1
          }
        }
      },
      "required": ["matches", "rows"],
      "additionalProperties": false
    },
    "annotations": {
      "title": "Restaurants (sample data)",
      "readOnlyHint": true,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": false
    }
  });
  /* clang-format on */
}

/* ---- filters ---- */

static bool
is_or_absent (const char *wanted, const char *value)
{
  return wanted == NULL || strcmp (wanted, value) == 0;
}

static unsigned
wanted_tags (toolhost_call *call)
{
  unsigned bits = 0;
  char where[40];

  for (unsigned i = 0;; i++) {
    const char *name;
    (void) snprintf (where, sizeof where, "/filters/tags/%u", i);
    name = toolhost_arg_string (call, where);
    if (name == NULL)
      return bits;
    for (unsigned t = 0; tag_names[t] != NULL; t++)
      if (strcmp (tag_names[t], name) == 0)
        bits |= 1U << t;
  }
}

/* Put the rows that fit into `rows`; returns how many. */
static size_t
filter (toolhost_call *call, const struct row **rows)
{
  double rating = toolhost_arg_double (call, "/filters/minRating", 0);
  double price = toolhost_arg_double (call, "/filters/maxPrice", 1e9);
  const char *cuisine = toolhost_arg_string (call, "/filters/cuisine");
  const char *city = toolhost_arg_string (call, "/filters/city");
  bool any = !toolhost_has_arg (call, "/filters/vegetarian");
  bool vegetarian = toolhost_arg_bool (call, "/filters/vegetarian", false);
  unsigned tags = wanted_tags (call);
  size_t count = 0;

  for (const struct row *row = table; row < table + table_rows; row++)
    if (row->rating >= rating * 10 && row->price <= price && is_or_absent (cuisine, row->cuisine)
        && is_or_absent (city, row->city) && (any || row->vegetarian == vegetarian)
        && (row->tags & tags) == tags)
      rows[count++] = row;
  return count;
}

/* ---- order ---- */

static int
by_name (const struct row *a, const struct row *b)
{
  return strcmp (a->name, b->name);
}

static int
by_rating (const struct row *a, const struct row *b)
{
  return a->rating - b->rating;
}

static int
by_price (const struct row *a, const struct row *b)
{
  return a->price - b->price;
}

static int (*comparison (const char *name)) (const struct row *, const struct row *)
{
  static const struct {
    const char *name;
    int (*compare) (const struct row *, const struct row *);
  } known[] = { { "name", by_name }, { "rating", by_rating }, { "price", by_price } };

  for (size_t i = 0; name != NULL && i < sizeof known / sizeof *known; i++)
    if (strcmp (known[i].name, name) == 0)
      return known[i].compare;
  return NULL;
}

/* By insertion: rows that are equal stay in the table's order, either way. */
static void
sort (toolhost_call *call, const struct row **rows, size_t count)
{
  int (*compare) (const struct row *, const struct row *) =
    comparison (toolhost_arg_string (call, "/sort/by"));
  const char *order = toolhost_arg_string_or (call, "/sort/order", "ascending");
  int sign = strcmp (order, "descending") == 0 ? -1 : 1;

  if (compare == NULL)
    return;
  for (size_t i = 1; i < count; i++) {
    const struct row *row = rows[i];
    size_t at = i;
    for (; at > 0 && sign * compare (rows[at - 1], row) > 0; at--)
      rows[at] = rows[at - 1];
    rows[at] = row;
  }
}

/* ---- fields ---- */

static void
put_name (struct text *json, const struct row *row)
{
  json_string (json, row->name);
}

static void
put_cuisine (struct text *json, const struct row *row)
{
  json_string (json, row->cuisine);
}

static void
put_city (struct text *json, const struct row *row)
{
  json_string (json, row->city);
}

static void
put_rating (struct text *json, const struct row *row)
{
  char number[16];

  (void) snprintf (number, sizeof number, "%d.%d", row->rating / 10, row->rating % 10);
  json_raw (json, number);
}

static void
put_price (struct text *json, const struct row *row)
{
  json_int (json, row->price);
}

static void
put_vegetarian (struct text *json, const struct row *row)
{
  json_bool (json, row->vegetarian);
}

static void
put_tags (struct text *json, const struct row *row)
{
  json_open (json, '[');
  for (unsigned t = 0; tag_names[t] != NULL; t++)
    if (row->tags & 1U << t)
      json_string (json, tag_names[t]);
  json_close (json, ']');
}

static const struct field {
  const char *name;
  void (*put) (struct text *json, const struct row *row);
} fields[] = {
  { "name", put_name },     { "cuisine", put_cuisine }, { "city", put_city },
  { "rating", put_rating }, { "price", put_price },     { "vegetarian", put_vegetarian },
  { "tags", put_tags },
};
enum { FIELDS = sizeof fields / sizeof *fields };

/* A bit for each field to return. */
static unsigned
selected (toolhost_call *call)
{
  unsigned bits = 0;
  char where[40];

  for (unsigned i = 0; i < FIELDS; i++) {
    const char *name;
    (void) snprintf (where, sizeof where, "/select/%u", i);
    name = toolhost_arg_string (call, where);
    for (unsigned f = 0; name != NULL && f < FIELDS; f++)
      if (strcmp (fields[f].name, name) == 0)
        bits |= 1U << f;
  }
  return bits != 0 ? bits : (1U << FIELDS) - 1;
}

static void
put_row (struct text *json, const struct row *row, unsigned fields_wanted)
{
  json_open (json, '{');
  for (unsigned f = 0; f < FIELDS; f++)
    if (fields_wanted & 1U << f) {
      json_name (json, fields[f].name);
      fields[f].put (json, row);
    }
  json_close (json, '}');
}

/* ---- execute ---- */

static toolhost_status
tell (toolhost_call *call, const struct row **rows, size_t count)
{
  CLEANUP_TEXT struct text json = { 0 }, lines = { 0 };
  size_t limit = (size_t) toolhost_arg_int (call, "limit", 10);
  unsigned wanted = selected (call);

  text_addf (&lines, "%zu of %zu rows match", count, table_rows);
  json_open (&json, '{');
  json_name_int (&json, "matches", (int64_t) count);
  json_name (&json, "rows");
  json_open (&json, '[');
  for (size_t i = 0; i < count && i < limit; i++) {
    put_row (&json, rows[i], wanted);
    text_addf (&lines, "\n%s: %s, %s, %d.%d stars, %d EUR", rows[i]->name, rows[i]->cuisine,
               rows[i]->city, rows[i]->rating / 10, rows[i]->rating % 10, rows[i]->price);
  }
  json_close (&json, ']');
  json_close (&json, '}');
  if (!text_ok (&json) || !text_ok (&lines))
    return toolhost_fail (call, "data_query_failed", "out of memory");
  (void) toolhost_text_len (call, text_get (&lines), lines.len);
  return toolhost_json_len (call, text_get (&json), json.len);
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  const struct row **rows = calloc (table_rows, sizeof *rows);
  toolhost_status status;
  size_t count;

  (void) self;
  if (rows == NULL)
    return toolhost_fail (call, "data_query_failed", "out of memory");
  count = filter (call, rows);
  sort (call, rows, count);
  status = tell (call, rows, count);
  free (rows);
  return status;
}

static int64_t
max_time (void *self)
{
  (void) self;
  return 10000;
}

static const toolhost_tool data_query = { TOOLHOST_TOOL, .definition = definition,
                                          .execute = execute, .max_time = max_time };

TOOLHOST_PLUGIN (.name = "data_query", .version = "1.0",
                 .description = "Queries a small table of invented restaurants.",
                 .threads = TOOLHOST_PARALLEL, TOOLHOST_TOOLS (&data_query))
