#include "service/ws/upgrade.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <strings.h>

#include "base/base64.h"

static const char GUID[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

void
ws_accept (const char *key, size_t len, char accept[WS_ACCEPT_TEXT])
{
  CLEANUP_BUF struct buf text = { 0 }, coded = { 0 };
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;

  buf_append (&text, key, len);
  buf_puts (&text, GUID);
  (void) EVP_Digest (text.data, text.len, digest, &size, EVP_sha1 (), NULL);
  base64_encode (BASE64_PADDED, (const char *) digest, size, &coded);
  memcpy (accept, coded.data, WS_ACCEPT_TEXT - 1);
  accept[WS_ACCEPT_TEXT - 1] = '\0';
}

void
ws_upgrade_write (struct buf *out, const struct url *url, const char *key,
                  const struct http_header *headers, size_t count)
{
  CLEANUP_BUF struct buf origin = { 0 };

  url_write_origin (url, &origin);
  buf_puts (out, "GET ");
  buf_append (out, url->path, url->path_len);
  if (url->query != NULL)
    buf_printf (out, "?%s", url->query);
  buf_printf (out, " HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
              strstr (buf_cstr (&origin), "//") + 2);
  buf_printf (out, "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n", key);
  for (size_t i = 0; i < count; i++)
    buf_printf (out, "%s: %s\r\n", headers[i].name, headers[i].value);
  buf_puts (out, "\r\n");
}

/* ---- the answer ---- */

struct line {
  const char *name, *value; /* value NULL: it is no header */
  size_t name_len, value_len;
};

static struct line
split (const char *line, size_t len)
{
  const char *colon = memchr (line, ':', len), *end = line + len, *value;

  if (colon == NULL)
    return (struct line){ .name = line, .name_len = len };
  for (value = colon + 1; value < end && (*value == ' ' || *value == '\t'); value++) {
  }
  while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
    end--;
  return (struct line){ line, value, (size_t) (colon - line), (size_t) (end - value) };
}

static bool
is_named (const struct line *line, const char *name)
{
  return line->value != NULL && line->name_len == strlen (name)
         && strncasecmp (line->name, name, line->name_len) == 0;
}

static bool
has_value (const struct line *line, const char *value)
{
  return line->value_len == strlen (value)
         && strncasecmp (line->value, value, line->value_len) == 0;
}

/* "upgrade" among words with commas between them. */
static bool
has_upgrade (const struct line *line)
{
  static const char word[] = "upgrade";
  const char *at = line->value, *end = line->value + line->value_len;

  while (at < end) {
    const char *comma = memchr (at, ',', (size_t) (end - at));
    const char *stop = comma != NULL ? comma : end;
    const char *next = stop < end ? stop + 1 : end;
    while (at < stop && (*at == ' ' || *at == '\t'))
      at++;
    while (stop > at && (stop[-1] == ' ' || stop[-1] == '\t'))
      stop--;
    if ((size_t) (stop - at) == sizeof word - 1 && strncasecmp (at, word, sizeof word - 1) == 0)
      return true;
    at = next;
  }
  return false;
}

enum { SAYS_UPGRADE = 1, SAYS_CONNECTION = 2, SAYS_ACCEPT = 4, SAYS_ALL = 7 };

/* False: err says what is wrong with the header. */
static bool
judge (const struct line *line, const char *accept, unsigned *says, struct error *err)
{
  if (is_named (line, "upgrade") && has_value (line, "websocket"))
    *says |= SAYS_UPGRADE;
  else if (is_named (line, "connection") && has_upgrade (line))
    *says |= SAYS_CONNECTION;
  else if (is_named (line, "sec-websocket-accept")) {
    if (line->value_len != strlen (accept) || memcmp (line->value, accept, line->value_len) != 0)
      return error_set (err, "Sec-WebSocket-Accept answers another request");
    *says |= SAYS_ACCEPT;
  }
  else if (is_named (line, "sec-websocket-extensions") || is_named (line, "sec-websocket-protocol"))
    return error_set (err, "the server wants an extension or protocol that nobody asked for");
  return true;
}

static int
read_status (const char *line, size_t len)
{
  if (len < 12 || memcmp (line, "HTTP/1.", 7) != 0 || line[8] != ' ')
    return 0;
  for (size_t i = 9; i < 12; i++)
    if (line[i] < '0' || line[i] > '9')
      return 0;
  return (line[9] - '0') * 100 + (line[10] - '0') * 10 + line[11] - '0';
}

static bool
judge_head (const char *head, size_t len, const char *accept, struct error *err)
{
  unsigned says = 0;

  while (len > 0) {
    const char *end = memmem (head, len, "\r\n", 2);
    const size_t line_len = end != NULL ? (size_t) (end - head) : len;
    const struct line line = split (head, line_len);
    if (!judge (&line, accept, &says, err))
      return false;
    if (end == NULL)
      break;
    len -= line_len + 2;
    head = end + 2;
  }
  return says == SAYS_ALL || error_set (err, "the answer does not upgrade the connection");
}

enum ws_upgrade
ws_upgrade_read (const char *bytes, size_t len, const char *accept, size_t *used, int *status,
                 struct error *err)
{
  const char *end = memmem (bytes, len < WS_HEAD_MAX ? len : WS_HEAD_MAX, "\r\n\r\n", 4);
  const char *line;

  *status = 0;
  if (end == NULL && len < WS_HEAD_MAX)
    return WS_UPGRADE_MORE;
  if (end == NULL) {
    (void) error_set (err, "the answer has no end");
    return WS_UPGRADE_REFUSED;
  }
  line = memmem (bytes, len, "\r\n", 2);
  *status = read_status (bytes, (size_t) (line - bytes));
  *used = (size_t) (end - bytes) + 4;
  if (*status == 101 && judge_head (line, (size_t) (end - line), accept, err))
    return WS_UPGRADE_DONE;
  if (*status == 0)
    (void) error_set (err, "what came is no HTTP");
  else if (*status != 101)
    (void) error_set (err, "the server answered with status %d", *status);
  return WS_UPGRADE_REFUSED;
}
