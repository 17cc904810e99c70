#include "manage/merge_patch.h"

/* `name` is of `in`. */
static void
put_name (struct json_place in, const struct json_node *name, struct arena *arena,
          struct json_writer *w)
{
  size_t len;
  const char *text = json_string (in.tape, name, arena, &len);

  jsonw_name_len (w, text, len);
}

static void
put_value (struct json_place value, struct json_writer *w)
{
  size_t len;
  const char *raw = json_raw (value.tape, value.node, &len);

  jsonw_raw (w, raw, len);
}

/* The member of `of` that is named as `name` of `in`. */
static struct json_place
same_member (struct json_place of, struct json_place in, const struct json_node *name,
             struct arena *arena)
{
  size_t len;
  const char *text = json_string (in.tape, name, arena, &len);

  return (struct json_place){ of.tape, json_member_len (of.tape, of.node, text, len) };
}

/* What was there: as it is, changed, or gone. */
static void
put_old (struct json_place target, struct json_place patch, struct arena *arena,
         struct json_writer *w)
{
  const struct json_node *name, *value;

  for (name = json_first (target.node); name != json_end (target.node); name = json_next (value)) {
    struct json_place change = same_member (patch, target, name, arena);
    value = json_next (name);
    if (json_is (change.node, JSON_NULL))
      continue;
    put_name (target, name, arena, w);
    if (change.node == NULL)
      put_value ((struct json_place){ target.tape, value }, w);
    else
      merge_patch ((struct json_place){ target.tape, value }, change, arena, w);
  }
}

static void
put_new (struct json_place target, struct json_place patch, struct arena *arena,
         struct json_writer *w)
{
  const struct json_place nothing = { NULL, NULL };
  const struct json_node *name, *value;

  for (name = json_first (patch.node); name != json_end (patch.node); name = json_next (value)) {
    value = json_next (name);
    if (json_is (value, JSON_NULL)
        || (target.node != NULL && same_member (target, patch, name, arena).node != NULL))
      continue;
    put_name (patch, name, arena, w);
    merge_patch (nothing, (struct json_place){ patch.tape, value }, arena, w);
  }
}

void
merge_patch (struct json_place target, struct json_place patch, struct arena *arena,
             struct json_writer *w)
{
  if (!json_is (patch.node, JSON_OBJECT)) {
    put_value (patch, w);
    return;
  }
  if (!json_is (target.node, JSON_OBJECT))
    target.node = NULL;
  jsonw_object (w);
  if (target.node != NULL)
    put_old (target, patch, arena, w);
  put_new (target, patch, arena, w);
  jsonw_end (w);
}
