/* tally.c - a tool whose every run leaves a line behind, in a file that only runs can write to, so
 * that whoever counts the lines knows what ran how often.
 *
 * { "file", "id", "ms"?, "fail"? }: appends the id, sleeps, and answers with a text that no other
 * run gives. */
#include <toolhost.h>

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool
append (const char *file, const char *id)
{
  char line[160];
  int len = snprintf (line, sizeof line, "%s\n", id);
  int fd = open (file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  bool written = fd >= 0 && write (fd, line, (size_t) len) == len;

  if (fd >= 0)
    (void) close (fd);
  return written;
}

static void
sleep_for (int64_t ms)
{
  struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

  while (ms > 0 && nanosleep (&time, &time) != 0)
    ;
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  static atomic_uint runs;
  const char *id = toolhost_arg_string_or (call, "id", "");
  struct timespec now;

  (void) self;
  if (!append (toolhost_arg_string_or (call, "file", ""), id))
    return toolhost_fail (call, "not_written", "the line could not be written");
  sleep_for (toolhost_arg_int (call, "ms", 0));
  (void) clock_gettime (CLOCK_REALTIME, &now);
  if (toolhost_arg_bool (call, "fail", false))
    return toolhost_fail (call, "as_wished", "%s", id);
  return toolhost_textf (call, "%s at %lld.%09ld, run %u", id, (long long) now.tv_sec, now.tv_nsec,
                         atomic_fetch_add (&runs, 1));
}

static const char *
definition (void *self)
{
  (void) self;
  return "{\"name\":\"tally\",\"description\":\"Leaves a "
         "line.\",\"inputSchema\":{\"type\":\"object\","
         "\"properties\":{\"file\":{\"type\":\"string\"},\"id\":{\"type\":\"string\"},"
         "\"ms\":{\"type\":\"integer\"},\"fail\":{\"type\":\"boolean\"}}}}";
}

static const toolhost_tool tally = { TOOLHOST_TOOL, .definition = definition, .execute = execute };

TOOLHOST_PLUGIN (.name = "tally", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&tally))
