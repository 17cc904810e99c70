/* Not hostile, but complete: a result with every kind of part there is. */
#include "hostile.h"

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  static const unsigned char bytes[] = { 0, 1, 2, 253, 254, 255 };

  toolhost_progress (call, 1, 2, "half");
  toolhost_log (call, TOOLHOST_NOTICE, "all parts of %s", toolhost_call_id (call));
  toolhost_text (call, "text");
  toolhost_json (call, "{ \"answer\": 42 }");
  toolhost_image (call, bytes, sizeof bytes, "image/png");
  toolhost_audio (call, bytes, sizeof bytes, "audio/wav");
  toolhost_resource (call, "memo://1", "text/plain", "a memo", 6);
  toolhost_blob (call, "memo://2", NULL, bytes, sizeof bytes);
  toolhost_resource_link (call, "https://example.org/", "example", "text/html");
  toolhost_progress (call, 2, 2, NULL);
  return TOOLHOST_OK;
}

HOSTILE ("allparts", TOOLHOST_PARALLEL, "Gives every kind of part.", HOSTILE_NO_ARGUMENTS)
