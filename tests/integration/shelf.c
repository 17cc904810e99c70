/* Books on a shelf: a template that lists what is there, and tools that change it. */
#include <stdatomic.h>
#include <toolhost.h>

static atomic_int books = 2;

static const char *template(void *self)
{
  (void) self;
  return "{\"uriTemplate\":\"shelf://books/{number}\",\"name\":\"book\",\"description\":\"A book "
         "by its number.\",\"mimeType\":\"text/plain\"}";
}

static toolhost_status
read_book (void *self, toolhost_call *call)
{
  int number = atoi (toolhost_arg_string_or (call, "number", "0"));
  char text[64];

  (void) self;
  if (number < 1 || number > books)
    return TOOLHOST_NOT_FOUND;
  (void) snprintf (text, sizeof text, "Book %d", number);
  return toolhost_contents (call, "text/plain", text, strlen (text));
}

static toolhost_status
list_books (void *self, toolhost_call *call)
{
  char definition[128];

  (void) self;
  for (int i = 1; i <= books; i++) {
    (void) snprintf (definition, sizeof definition,
                     "{ \"uri\": \"shelf://books/%d\", \"name\": \"book-%d\" }", i, i);
    toolhost_list (call, definition);
  }
  if (books > 5) /* what the template does not match, and what is no definition */
    toolhost_list (call, "{\"uri\":\"shelf://other\",\"name\":\"other\"}");
  return books < 0 ? toolhost_fail (call, "no_shelf", "There is no shelf.") : TOOLHOST_OK;
}

static const toolhost_readable book = { TOOLHOST_READABLE, .definition = template,
                                        .read = read_book, .list = list_books };

static const char *
definition (void *self)
{
  (void) self;
  return TOOLHOST_JSON ({
    "name" : "put_books",
    "description" : "Says how many books there are.",
    "inputSchema" : {
      "type" : "object",
      "properties" : { "count" : { "type" : "integer" } },
      "required" : ["count"]
    }
  });
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  books = (int) toolhost_arg_int (call, "count", 0);
  toolhost_changed (call->host, TOOLHOST_RESOURCES_CHANGED, NULL);
  return toolhost_text (call, "done");
}

static const toolhost_tool put_books = { TOOLHOST_TOOL, .definition = definition,
                                         .execute = execute };

TOOLHOST_EXTENSIONS (TOOLHOST_RESOURCES (&book))
TOOLHOST_PLUGIN (.name = "shelf", .version = "1.0", TOOLHOST_TOOLS (&put_books),
                 .extension = toolhost_extensions)
