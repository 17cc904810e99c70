/* The guard "size": how large arguments or a result may be. */
#include <stdlib.h>

#include "guard/reading.h"

enum { DEPTH_MOST = 512, STEPS_PER_NODE = 2 };

/* 0: any. */
struct size {
  uint64_t bytes; /* of the JSON text, as it came */
  uint64_t text;  /* bytes of any text, as it is spelled in JSON */
  uint64_t depth; /* containers in containers */
  uint64_t items; /* of any list, or members of any object */
};

static void
refuse (const struct guard *guard, const struct guard_case *one, struct guard_says *says,
        const char *what, uint64_t most)
{
  const bool input = one->stage == GUARD_INPUT;

  says->verdict = GUARD_REJECT;
  says->found = 1;
  if (guard->message != NULL)
    buf_puts (&says->text, guard->message);
  else
    buf_printf (&says->text, "%s too large: at most %llu %s.",
                input ? "The arguments are" : "The result is", (unsigned long long) most, what);
}

/* What of one value is too much; NULL: nothing. */
static const char *
too_much (const struct size *size, const struct json_node *node, uint64_t *most)
{
  const bool container = node->type == JSON_ARRAY || node->type == JSON_OBJECT;

  if (container && size->items != 0 && node->count > size->items) {
    *most = size->items;
    return node->type == JSON_ARRAY ? "items may be in a list" : "members may be in an object";
  }
  if (node->type == JSON_STRING && size->text != 0 && node->len > size->text) {
    *most = size->text;
    return "bytes may be in one text";
  }
  return NULL;
}

/* Containers that stand open, by where they end. */
struct open {
  const struct json_node *ends[DEPTH_MOST];
  unsigned count;
};

static const char *
look (const struct size *size, const struct json_node *value, int64_t *budget, uint64_t *most)
{
  const uint64_t deepest = size->depth != 0 ? size->depth : DEPTH_MOST;
  const struct json_node *end = value + value->skip;
  struct open open = { .count = 0 };

  for (const struct json_node *n = value; n < end && (*budget -= STEPS_PER_NODE) >= 0; n++) {
    const char *what = too_much (size, n, most);
    while (open.count > 0 && open.ends[open.count - 1] == n)
      open.count--;
    if (what != NULL)
      return what;
    if (n->type != JSON_ARRAY && n->type != JSON_OBJECT)
      continue;
    if (open.count == deepest) {
      *most = deepest;
      return "levels may be in it";
    }
    open.ends[open.count++] = json_end (n);
  }
  return NULL;
}

static void
check (const struct guard *guard, const struct guard_case *one, int64_t *budget,
       struct guard_says *says)
{
  const struct size *size = guard->own;
  uint64_t most = size->bytes;
  const char *what = NULL;
  size_t len;

  (void) json_raw (one->tape, one->value, &len);
  if (size->bytes != 0 && len > size->bytes)
    what = "bytes of JSON may be in it";
  else if (size->text != 0 || size->depth != 0 || size->items != 0)
    what = look (size, one->value, budget, &most);
  if (what != NULL)
    refuse (guard, one, says, what, most);
}

static bool
read_size (struct reading *r)
{
  struct size *size = r->guard->own = xcalloc (1, sizeof *size);

  if (!reading_size (r, "bytes", 1U << 30, &size->bytes)
      || !reading_size (r, "text", 1U << 30, &size->text)
      || !reading_size (r, "depth", 64, &size->depth)
      || !reading_size (r, "items", 1U << 20, &size->items))
    return false;
  if (r->guard->at != NULL || r->guard->names)
    return error_set (r->err, "/%s: not for this guard, which looks at the whole",
                      r->guard->at != NULL ? "at" : "names");
  if (size->bytes == 0 && size->text == 0 && size->depth == 0 && size->items == 0)
    return error_set (r->err, "expected \"bytes\", \"text\", \"depth\" or \"items\"");
  return true;
}

const struct guard_kind guard_size = {
  .name = "size",
  .members = (const char *const[]){ "bytes", "text", "depth", "items", NULL },
  .read = read_size,
  .free = free,
  .check = check,
  .cost = 1,
};
