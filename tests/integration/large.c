/* large - results that are too large for a model, of each kind. */
#include <stdlib.h>
#include <string.h>
#include <toolhost.h>

static const char *
definition (void *self)
{
  (void) self;
  return "{ \"name\": \"large\", \"description\": \"Gives a large result.\","
         " \"inputSchema\": { \"type\": \"object\", \"properties\": {"
         " \"kind\": { \"enum\": [\"text\", \"image\", \"parts\", \"structured\", \"failed\"] },"
         " \"bytes\": { \"type\": \"integer\", \"minimum\": 0 } },"
         " \"required\": [\"kind\", \"bytes\"] }, \"toolhost\": { \"tags\": [\"big\"] } }";
}

/* Characters of one to four bytes, and such as JSON escapes, in an order that does not repeat with
 * the pages. */
static char *
text_of (size_t bytes)
{
  static const char *const some[] = { "a",  "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\n",
                                      "\"", "7" };
  char *text = (char *) malloc (bytes + 8);
  size_t len = 0;

  for (size_t i = 0; text != NULL && len < bytes; i++) {
    const char *next = some[i * i % 1013 % 7];
    size_t n = strlen (next);
    if (len + n > bytes)
      next = "x", n = 1;
    memcpy (text + len, next, n);
    len += n;
  }
  return text;
}

static toolhost_status
structured (toolhost_call *call, const char *text, size_t bytes)
{
  char *json = (char *) malloc (bytes + 16);
  toolhost_status status;
  size_t len = 0;

  if (json == NULL)
    return TOOLHOST_FAILED;
  len += (size_t) strlen (strcpy (json, "{\"x\":\""));
  for (size_t i = 0; i < bytes; i++)
    json[len++] = text[i] > ' ' && text[i] != '"' ? text[i] : '-';
  (void) strcpy (json + len, "\"}");
  status = toolhost_json (call, json);
  free (json);
  return status;
}

static toolhost_status
give (toolhost_call *call, const char *kind, const char *text, size_t bytes)
{
  if (strcmp (kind, "image") == 0)
    return toolhost_image (call, text, bytes, "image/png");
  if (strcmp (kind, "structured") == 0)
    return structured (call, text, bytes);
  if (strcmp (kind, "parts") == 0) {
    for (size_t i = 0; i < 100; i++)
      (void) toolhost_text_len (call, text, bytes / 100);
    return TOOLHOST_OK;
  }
  (void) toolhost_text_len (call, text, bytes);
  if (strcmp (kind, "failed") == 0)
    return toolhost_fail (call, "went_wrong", "It went wrong.");
  return toolhost_text (call, "That was all.");
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  size_t bytes = (size_t) toolhost_arg_int (call, "bytes", 0);
  char *text = text_of (bytes);
  toolhost_status status;

  (void) self;
  if (text == NULL)
    return toolhost_fail (call, "no_memory", "There is no memory for it.");
  status = give (call, toolhost_arg_string (call, "kind"), text, bytes);
  free (text);
  return status;
}

static const toolhost_tool large = { TOOLHOST_TOOL, .definition = definition, .execute = execute };

TOOLHOST_PLUGIN (.name = "large", .version = "1", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&large))
