/* Resources, and a template of them. */
#include "fixtures.h"
#include "media.h"

static toolhost_status
give (toolhost_call *call, const char *mime_type, const char *text)
{
  return toolhost_contents (call, mime_type, text, strlen (text));
}

/* ---- text and bytes ---- */

DEFINITION (static_text_definition,
            "{\"uri\":\"test://static-text\",\"name\":\"static-text\",\"title\":\"Static text\","
            "\"description\":\"A text that never changes.\",\"mimeType\":\"text/plain\"}")

static toolhost_status
static_text_read (void *self, toolhost_call *call)
{
  (void) self;
  return give (call, "text/plain", "This is the content of the static text resource.");
}

const toolhost_readable static_text = { TOOLHOST_READABLE, .definition = static_text_definition,
                                        .read = static_text_read };

DEFINITION (
  static_binary_definition,
  "{\"uri\":\"test://static-binary\",\"name\":\"static-binary\",\"title\":\"Static bytes\","
  "\"description\":\"An image that never changes.\",\"mimeType\":\"image/png\"}")

static toolhost_status
static_binary_read (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_contents_blob (call, "image/png", media_png, sizeof media_png);
}

const toolhost_readable static_binary = { TOOLHOST_READABLE, .definition = static_binary_definition,
                                          .read = static_binary_read };

/* ---- one that changes: test_trigger_resource_change ---- */

DEFINITION (
  watched_resource_definition,
  "{\"uri\":\"test://watched-resource\",\"name\":\"watched-resource\","
  "\"title\":\"Watched\",\"description\":\"A resource to subscribe to.\","
  "\"mimeType\":\"text/plain\",\"annotations\":{\"audience\":[\"user\"],\"priority\":0.5}}")

static toolhost_status
watched_resource_read (void *self, toolhost_call *call)
{
  (void) self;
  return give (call, "text/plain", "Watched resource content.");
}

const toolhost_readable watched_resource = { TOOLHOST_READABLE,
                                             .definition = watched_resource_definition,
                                             .read = watched_resource_read };

/* ---- a template ---- */

DEFINITION (template_data_definition,
            "{\"uriTemplate\":\"test://template/{id}/data\",\"name\":\"template-data\","
            "\"title\":\"Data by id\",\"description\":\"Data for every id but 0.\","
            "\"mimeType\":\"application/json\"}")

/* Ids are what goes into JSON as it is. */
static bool
is_plain (const char *id)
{
  return id[strspn (id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")]
         == '\0';
}

static toolhost_status
template_data_read (void *self, toolhost_call *call)
{
  const char *id = toolhost_arg_string (call, "id");
  char text[256];

  (void) self;
  if (id == NULL || strlen (id) > 64 || !is_plain (id) || strcmp (id, "0") == 0)
    return TOOLHOST_NOT_FOUND;
  (void) snprintf (text, sizeof text,
                   "{\"id\":\"%s\",\"templateTest\":true,\"data\":\"Data for ID: %s\"}", id, id);
  return give (call, "application/json", text);
}

static toolhost_status
template_data_complete (void *self, toolhost_call *call)
{
  static const char *const ids[] = { "1", "12", "123", "2" };
  const char *partial = toolhost_partial (call);

  (void) self;
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
    if (strncmp (ids[i], partial, strlen (partial)) == 0)
      toolhost_suggest (call, ids[i]);
  return TOOLHOST_OK;
}

const toolhost_readable template_data = { TOOLHOST_READABLE, .definition = template_data_definition,
                                          .read = template_data_read,
                                          .complete = template_data_complete };
