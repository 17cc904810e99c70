#include "cli/out.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/utf8.h"

bool
out_is_terminal (FILE *stream)
{
  return isatty (fileno (stream)) == 1;
}

bool
out_is_colourful (FILE *stream)
{
  const char *no = getenv ("NO_COLOR");
  const char *term = getenv ("TERM");

  return out_is_terminal (stream) && (no == NULL || no[0] == '\0') && term != NULL
         && strcmp (term, "dumb") != 0;
}

unsigned
out_width (FILE *stream)
{
  struct winsize size;

  if (!out_is_terminal (stream) || ioctl (fileno (stream), TIOCGWINSZ, &size) != 0)
    return 0;
  return size.ws_col;
}

static const struct {
  unsigned long first, last;
} harmful[] = {
  { 0x00, 0x08 },       /* C0 up to tab */
  { 0x0b, 0x1f },       /* C0 after newline */
  { 0x7f, 0x9f },       /* DEL and C1 */
  { 0x061c, 0x061c },   /* Arabic letter mark */
  { 0x200b, 0x200f },   /* zero width, directional marks */
  { 0x2028, 0x202e },   /* line separators, directional embeddings and overrides */
  { 0x2060, 0x206f },   /* word joiner, isolates, deprecated format characters */
  { 0xfeff, 0xfeff },   /* zero width no-break space */
  { 0xfff9, 0xfffb },   /* interlinear annotation */
  { 0xe0000, 0xe007f }, /* tags */
};

bool
text_is_harmful (unsigned long code_point)
{
  for (size_t i = 0; i < sizeof harmful / sizeof *harmful; i++)
    if (code_point >= harmful[i].first && code_point <= harmful[i].last)
      return true;
  return false;
}

size_t
text_decode (const char *text, size_t len, unsigned long *code_point)
{
  size_t bytes = utf8_sequence (text, text + len);
  unsigned long value = (unsigned char) text[0];

  if (bytes == 0) {
    *code_point = 0xfffd;
    return 1;
  }
  if (bytes > 1)
    value &= 0x7fu >> bytes;
  for (size_t i = 1; i < bytes; i++)
    value = value << 6 | ((unsigned char) text[i] & 0x3f);
  *code_point = value;
  return bytes;
}

static void
escape (struct buf *out, unsigned long c)
{
  if (c < 0x10000)
    buf_printf (out, "\\u%04lx", c);
  else
    buf_printf (out, "\\u%04lx\\u%04lx", 0xd800 + ((c - 0x10000) >> 10),
                0xdc00 + ((c - 0x10000) & 0x3ff));
}

void
text_neutralise (struct buf *out, const char *text, size_t len)
{
  for (size_t at = 0; at < len;) {
    unsigned long c;
    size_t bytes = text_decode (text + at, len - at, &c);
    if (text_is_harmful (c))
      escape (out, c);
    else if (c == 0xfffd)
      buf_puts (out, "\xef\xbf\xbd");
    else
      buf_append (out, text + at, bytes);
    at += bytes;
  }
}

static void
print (FILE *stream, const char *text, size_t len)
{
  CLEANUP_BUF struct buf safe = { 0 };

  if (out_is_terminal (stream)) {
    text_neutralise (&safe, text, len);
    text = safe.data;
    len = safe.len;
  }
  if (len > 0)
    (void) fwrite (text, 1, len, stream);
  if (len == 0 || text[len - 1] != '\n')
    (void) fputc ('\n', stream);
}

void
out_text (const char *text, size_t len)
{
  print (stdout, text, len);
}

void
out_plain (const char *text, size_t len)
{
  if (len > 0)
    (void) fwrite (text, 1, len, stdout);
}

void
out_note (const char *text, size_t len)
{
  print (stderr, text, len);
}

enum cli_exit
out_error (enum cli_exit status, const char *fmt, ...)
{
  CLEANUP_FREE char *text = NULL;
  va_list args;

  va_start (args, fmt);
  int len = vasprintf (&text, fmt, args);
  va_end (args);
  if (len < 0) {
    text = NULL;
    return status;
  }
  (void) fflush (stdout);
  (void) fputs ("toolhost: ", stderr);
  out_note (text, (size_t) len);
  return status;
}

enum cli_exit
out_finish (enum cli_exit status)
{
  if (fflush (stdout) == 0 && !ferror (stdout))
    return status;
  if (errno != EPIPE)
    (void) out_error (CLI_FAILED, "cannot write to standard output: %s", strerror (errno));
  return status == CLI_OK ? CLI_FAILED : status;
}
