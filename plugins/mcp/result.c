/* What a server has answered, part by part. */
#include <string.h>

#include "../common/base64.h"
#include "tool.h"

static const char *
text_of (const struct value *block, const char *name)
{
  return value_cstring (value_get_z (block, name));
}

/* A member as JSON text, NULL when it is no object. */
static const char *
object_of (const struct value *block, const char *name, struct text *room)
{
  const struct value *member = value_get_z (block, name);

  if (!value_is (member, VALUE_OBJECT))
    return NULL;
  value_write (room, member);
  return text_get (room);
}

/* The part, with what every block may carry. */
static bool
add_part (toolhost_call *call, toolhost_part *part, const struct value *block)
{
  CLEANUP_TEXT struct text annotations = { 0 }, meta = { 0 };

  part->struct_size = (uint32_t) sizeof *part;
  part->annotations = object_of (block, "annotations", &annotations);
  part->meta = object_of (block, "_meta", &meta);
  return toolhost_part_add (call, part) == TOOLHOST_OK;
}

static bool
add_bytes (toolhost_call *call, int32_t kind, const struct value *block, const struct value *base64,
           const char *mime_type, const char *uri)
{
  CLEANUP_TEXT struct text bytes = { 0 };
  toolhost_part part = { .kind = kind, .mime_type = mime_type, .uri = uri };
  size_t where;

  if (!value_is (base64, VALUE_STRING)
      || !base64_decode (&bytes, base64->text, base64->count, &where) || !text_ok (&bytes))
    return false;
  part.data = text_get (&bytes);
  part.len = bytes.len;
  return add_part (call, &part, block);
}

static bool
add_resource (toolhost_call *call, const struct value *block)
{
  const struct value *resource = value_get_z (block, "resource");
  const struct value *text = value_get_z (resource, "text");
  const char *uri = text_of (resource, "uri"), *type = text_of (resource, "mimeType");
  toolhost_part part = { .kind = TOOLHOST_PART_RESOURCE, .uri = uri, .mime_type = type };

  if (!value_is (text, VALUE_STRING))
    return add_bytes (call, TOOLHOST_PART_BLOB, block, value_get_z (resource, "blob"), type, uri);
  part.data = text->text;
  part.len = text->count;
  return add_part (call, &part, block);
}

static bool
add_link (toolhost_call *call, const struct value *block)
{
  toolhost_part part = { .kind = TOOLHOST_PART_LINK,
                         .uri = text_of (block, "uri"),
                         .name = text_of (block, "name"),
                         .title = text_of (block, "title"),
                         .description = text_of (block, "description"),
                         .mime_type = text_of (block, "mimeType") };

  return add_part (call, &part, block);
}

static bool
add_block (toolhost_call *call, const struct value *block)
{
  const char *type = text_of (block, "type"), *mime = text_of (block, "mimeType");
  const struct value *text = value_get_z (block, "text"), *data = value_get_z (block, "data");
  toolhost_part part = { .kind = TOOLHOST_PART_TEXT };

  if (type == NULL)
    return false;
  if (strcmp (type, "text") == 0 && value_is (text, VALUE_STRING)) {
    part.data = text->text;
    part.len = text->count;
    return add_part (call, &part, block);
  }
  if (strcmp (type, "image") == 0)
    return add_bytes (call, TOOLHOST_PART_IMAGE, block, data, mime, NULL);
  if (strcmp (type, "audio") == 0)
    return add_bytes (call, TOOLHOST_PART_AUDIO, block, data, mime, NULL);
  if (strcmp (type, "resource") == 0)
    return add_resource (call, block);
  return strcmp (type, "resource_link") == 0 && add_link (call, block);
}

/* All its texts, for the model: the tool has failed. */
static toolhost_status
fail (toolhost_call *call, const struct asking *asking, const struct value *content)
{
  CLEANUP_TEXT struct text said = { 0 };

  for (size_t i = 0; i < content->count; i++) {
    const struct value *text = value_get_z (content->items[i], "text");
    if (value_is (text, VALUE_STRING)) {
      text_add (&said, said.len != 0 ? "\n" : "");
      text_add_len (&said, text->text, text->count);
    }
  }
  if (said.len == 0)
    text_addf (&said, "The tool of %s has failed, and does not say why.",
               asking->upstream->config.name);
  return toolhost_fail (call, "upstream_tool_failed", "%s", text_get (&said));
}

toolhost_status
result_take (toolhost_call *call, const struct asking *asking)
{
  const struct value *content = value_get_z (asking->result, "content");
  const struct value *structured = value_get_z (asking->result, "structuredContent");
  const char *kind = text_of (asking->result, "resultType");
  CLEANUP_TEXT struct text json = { 0 };

  if (kind != NULL && strcmp (kind, "complete") != 0)
    return toolhost_fail (call, "upstream_protocol",
                          "%s answered with a result of the kind %.64s, which was not asked for.",
                          asking->upstream->config.name, kind);
  if (content == NULL)
    content = &value_no_items;
  if (!value_is (content, VALUE_ARRAY))
    return toolhost_fail (call, "upstream_protocol", "%s answered with what is no result.",
                          asking->upstream->config.name);
  if (value_is (value_get_z (asking->result, "isError"), VALUE_TRUE))
    return fail (call, asking, content);
  for (size_t i = 0; i < content->count; i++)
    if (!add_block (call, content->items[i]))
      return toolhost_fail (call, "upstream_protocol",
                            "Part %zu of the answer of %s is none that is known, or too large.",
                            i + 1, asking->upstream->config.name);
  if (structured != NULL) {
    value_write (&json, structured);
    if (toolhost_json_len (call, text_get (&json), json.len) != TOOLHOST_OK)
      return toolhost_fail (call, "upstream_protocol", "The answer of %s is too large.",
                            asking->upstream->config.name);
  }
  return TOOLHOST_OK;
}
