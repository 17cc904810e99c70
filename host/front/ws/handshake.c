#include "front/ws/handshake.h"

#include <stdio.h>
#include <strings.h>

#include "service/ws/upgrade.h"

enum { KEY_LEN = 24 /* 16 bytes as Base64 */ };

/* Is the word among those with commas between them, whatever its case? */
static bool
has_word (struct slice list, const char *word)
{
  const size_t len = strlen (word);
  const char *at = list.data, *end = at != NULL ? at + list.len : NULL;

  while (at < end) {
    const char *comma = memchr (at, ',', (size_t) (end - at));
    const char *stop = comma != NULL ? comma : end;
    while (at < stop && *at == ' ')
      at++;
    if ((size_t) (stop - at) >= len && strncasecmp (at, word, len) == 0
        && strspn (at + len, " ") >= (size_t) (stop - at) - len)
      return true;
    at = comma != NULL ? comma + 1 : end;
  }
  return false;
}

static bool
is_key (struct slice key)
{
  if (key.len != KEY_LEN || memcmp (key.data + KEY_LEN - 2, "==", 2) != 0)
    return false;
  for (size_t i = 0; i < KEY_LEN - 2; i++)
    if (strchr ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", key.data[i])
          == NULL
        || key.data[i] == '\0')
      return false;
  return true;
}

bool
ws_handshake (struct http_exchange *x, char headers[WS_HEADERS_MAX])
{
  static const char upgrade[] = "{\"error\":{\"code\":\"upgrade_required\",\"message\":\"The path "
                                "takes a WebSocket of version 13 alone\"}}";
  const struct slice key = http_header (x, "sec-websocket-key");
  char accept[WS_ACCEPT_TEXT];

  if (!has_word (http_header (x, "upgrade"), "websocket")
      || !has_word (http_header (x, "connection"), "upgrade")
      || !slice_is (http_header (x, "sec-websocket-version"), "13")) {
    http_reply (x, 426, "application/json", "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n",
                upgrade, sizeof upgrade - 1);
    return false;
  }
  if (!is_key (key)) {
    http_reply_error (x, 400, "bad_request", "Sec-WebSocket-Key: expected 16 bytes as Base64");
    return false;
  }
  ws_accept (key.data, key.len, accept);
  (void) snprintf (headers, WS_HEADERS_MAX, "Upgrade: websocket\r\nSec-WebSocket-Accept: %s\r\n",
                   accept);
  return true;
}
