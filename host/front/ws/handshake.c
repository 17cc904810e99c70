#include "front/ws/handshake.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <strings.h>

#include "base/base64.h"

enum { KEY_LEN = 24 /* 16 bytes as Base64 */ };
static const char GUID[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/* Is the word among those with commas between them, whatever its case? */
static bool
has_word (struct slice list, const char *word)
{
  const size_t len = strlen (word);
  const char *at = list.data, *end = at + list.len;

  while (at != NULL && at < end) {
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

static void
put_accept (struct slice key, struct buf *out)
{
  CLEANUP_BUF struct buf text = { 0 };
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned len = 0;

  buf_append (&text, key.data, key.len);
  buf_puts (&text, GUID);
  (void) EVP_Digest (text.data, text.len, digest, &len, EVP_sha1 (), NULL);
  base64_encode (BASE64_PADDED, (const char *) digest, len, out);
}

bool
ws_handshake (struct http_exchange *x, char headers[WS_HEADERS_MAX])
{
  static const char upgrade[] = "{\"error\":{\"code\":\"upgrade_required\",\"message\":\"The path "
                                "takes a WebSocket of version 13 alone\"}}";
  const struct slice key = http_header (x, "sec-websocket-key");
  CLEANUP_BUF struct buf accept = { 0 };

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
  put_accept (key, &accept);
  (void) snprintf (headers, WS_HEADERS_MAX, "Upgrade: websocket\r\nSec-WebSocket-Accept: %s\r\n",
                   buf_cstr (&accept));
  return true;
}
