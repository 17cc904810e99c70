/* Not hostile by itself, but curious: reads or writes the path it is given, and says which error
 * came. */
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static toolhost_status
read_from (toolhost_call *call, const char *path)
{
  char text[256];
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  ssize_t len = fd >= 0 ? read (fd, text, sizeof text) : -1;
  int error = errno;

  if (fd >= 0)
    (void) close (fd);
  return len >= 0 ? toolhost_text_len (call, text, (size_t) len)
                  : toolhost_fail (call, "refused", "%s", strerror (error));
}

static toolhost_status
write_to (toolhost_call *call, const char *path)
{
  int fd = open (path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ssize_t len = fd >= 0 ? write (fd, "written", 7) : -1;
  int error = errno;

  if (fd >= 0)
    (void) close (fd);
  return len == 7 ? toolhost_text (call, "ok")
                  : toolhost_fail (call, "refused", "%s", strerror (error));
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  const char *path = toolhost_arg_string_or (call, "read", NULL);

  (void) self;
  if (path != NULL)
    return read_from (call, path);
  return write_to (call, toolhost_arg_string_or (call, "write", ""));
}

HOSTILE ("file_io", TOOLHOST_SERIAL, "Reads and writes files.",
         "\"properties\":{\"read\":{\"type\":\"string\"},\"write\":{\"type\":\"string\"}}")
