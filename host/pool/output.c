#include "pool/output.h"

#include <string.h>

void
output_init (struct output *output, struct log *log, const char *plugin)
{
  *output = (struct output){ .log = log, .plugin = plugin };
}

void
output_free (struct output *output)
{
  buf_free (&output->line);
}

static void
tell_dropped (struct output *output)
{
  if (output->dropped != 0)
    log_event (output->log, LOG_WARNING,
               output->program != NULL ? "program_output_dropped" : "plugin_output_dropped",
               "plugin", output->plugin, "program", output->program, "bytes",
               LOG_INT (output->dropped), NULL);
  output->dropped = 0;
}

static bool
spend (struct output *output, double now, size_t cost)
{
  if (now - output->since >= 1) {
    tell_dropped (output);
    output->since = now;
    output->used = 0;
  }
  if (output->used + cost > OUTPUT_PER_SECOND)
    return false;
  output->used += cost;
  return true;
}

bool
output_may_log (struct output *output, double now, size_t len)
{
  if (spend (output, now, len + OUTPUT_LINE_COST))
    return true;
  output->dropped += len;
  return false;
}

static void
tell_line (struct output *output)
{
  for (size_t i = 0; i < output->line.len; i++)
    if (output->line.data[i] == '\0')
      output->line.data[i] = ' ';
  log_event (output->log, LOG_INFO, output->program != NULL ? "program_output" : "plugin_output",
             "plugin", output->plugin, "program", output->program, "text", buf_cstr (&output->line),
             NULL);
  output->line.len = 0;
}

static bool
end_line (struct output *output, double now)
{
  bool may = output->line.len == 0 || output_may_log (output, now, output->line.len);

  if (may && output->line.len != 0)
    tell_line (output);
  output->line.len = 0;
  return may;
}

bool
output_print (struct output *output, double now, const char *data, size_t len)
{
  bool told = true;

  while (len > 0) {
    const char *end = memchr (data, '\n', len);
    size_t room = OUTPUT_LINE_MAX - output->line.len;
    size_t part = end != NULL ? (size_t) (end - data) : len;
    bool ended = end != NULL && part <= room;

    part = part < room ? part : room;
    buf_append (&output->line, data, part);
    data += part + ended;
    len -= part + ended;
    if (ended || output->line.len == OUTPUT_LINE_MAX)
      told = end_line (output, now) && told;
  }
  return told;
}

void
output_end (struct output *output)
{
  if (output->line.len != 0)
    tell_line (output);
  tell_dropped (output);
}
