/* What a call is accepted with. */
#include <string.h>

#include "base/json_write.h"
#include "catalog/project/project.h"
#include "front/realtime/reception.h"

struct document {
  struct json_tape tape;
  const struct json_node *root; /* an object; NULL: there is none */
};

static void
read_document (struct document *document, const char *text, size_t len, struct arena *arena)
{
  document->root = NULL;
  if (text != NULL && json_read (&document->tape, text, len, &json_default_limits, arena)
      && json_is (json_root (&document->tape), JSON_OBJECT))
    document->root = json_root (&document->tape);
}

static const struct json_node *
member (const struct document *document, const char *name)
{
  return document->root != NULL ? json_member (&document->tape, document->root, name) : NULL;
}

static void
put (struct json_writer *w, const struct document *document, const char *name,
     const struct json_node *value)
{
  size_t len;
  const char *json = json_raw (&document->tape, value, &len);

  jsonw_name_raw (w, name, json, len);
}

/* Those that `over` does not have; and none that are ours. */
static void
put_members (struct json_writer *w, const struct document *document, const struct document *over,
             struct arena *arena)
{
  static const char *const ours[] = { "type", "tools", "tool_choice" };

  if (document->root == NULL)
    return;
  for (const struct json_node *n = json_first (document->root); n != json_end (document->root);
       n = json_next (json_next (n))) {
    const char *name = json_cstring (&document->tape, n, arena);
    bool skip = name == NULL || (over != NULL && member (over, name) != NULL);
    for (size_t i = 0; name != NULL && i < sizeof ours / sizeof *ours; i++)
      skip = skip || strcmp (name, ours[i]) == 0;
    if (!skip)
      put (w, document, name, json_next (n));
  }
}

bool
reception_body (const struct providers *providers, const struct toolset *set, const char *common,
                const char *tenants, struct buf *out)
{
  static const char format[] = "openai-realtime";
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf rendered = { 0 };
  struct document all, own, tools;
  struct json_writer w = { .out = out };

  if (!project_toolset (providers, format, sizeof format - 1, false, set, &rendered))
    return false;
  read_document (&tools, rendered.data, rendered.len, &arena);
  read_document (&all, common, common != NULL ? strlen (common) : 0, &arena);
  read_document (&own, tenants, tenants != NULL ? strlen (tenants) : 0, &arena);
  if (member (&tools, "tools") == NULL || member (&tools, "tool_choice") == NULL)
    return false;
  jsonw_object (&w);
  jsonw_name_string (&w, "type", "realtime");
  put_members (&w, &all, &own, &arena);
  put_members (&w, &own, NULL, &arena);
  put (&w, &tools, "tools", member (&tools, "tools"));
  put (&w, &tools, "tool_choice", member (&tools, "tool_choice"));
  jsonw_end (&w);
  return true;
}
