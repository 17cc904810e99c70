#include "service/http/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_names[] = {
  [ADDRESS_PUBLIC] = "public",
  [ADDRESS_LOOPBACK] = "loopback",
  [ADDRESS_PRIVATE] = "private",
  [ADDRESS_SHARED] = "carrier-grade NAT",
  [ADDRESS_LINK_LOCAL] = "link-local",
  [ADDRESS_SITE_LOCAL] = "site-local",
  [ADDRESS_UNSPECIFIED] = "unspecified",
  [ADDRESS_MULTICAST] = "multicast",
  [ADDRESS_BENCHMARKING] = "benchmarking",
  [ADDRESS_TRANSLATED] = "translated",
  [ADDRESS_RESERVED] = "reserved",
};

const char *
address_kind_name (enum address_kind kind)
{
  return kind_names[kind];
}

/* ---- the tables: the first row that fits counts ----------------------------------------- */

struct block {
  uint8_t prefix[16];
  unsigned bits;
  enum address_kind kind;
};

static const struct block v4_blocks[] = {
  { { 0 }, 8, ADDRESS_UNSPECIFIED },          { { 10 }, 8, ADDRESS_PRIVATE },
  { { 100, 64 }, 10, ADDRESS_SHARED },        { { 127 }, 8, ADDRESS_LOOPBACK },
  { { 169, 254 }, 16, ADDRESS_LINK_LOCAL },   { { 172, 16 }, 12, ADDRESS_PRIVATE },
  { { 192, 0, 0 }, 24, ADDRESS_RESERVED },   /* protocol assignments */
  { { 192, 0, 2 }, 24, ADDRESS_RESERVED },   /* documentation */
  { { 192, 88, 99 }, 24, ADDRESS_RESERVED }, /* relays of 6to4, given up */
  { { 192, 168 }, 16, ADDRESS_PRIVATE },      { { 198, 18 }, 15, ADDRESS_BENCHMARKING },
  { { 198, 51, 100 }, 24, ADDRESS_RESERVED }, /* documentation */
  { { 203, 0, 113 }, 24, ADDRESS_RESERVED },  /* documentation */
  { { 224 }, 4, ADDRESS_MULTICAST },          { { 240 }, 4, ADDRESS_RESERVED },
};

static const struct block v6_blocks[] = {
  { { 0 }, 128, ADDRESS_UNSPECIFIED },
  { { [15] = 1 }, 128, ADDRESS_LOOPBACK },
  { { 0 }, 96, ADDRESS_TRANSLATED },                                  /* IPv4-compatible */
  { { 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff }, 96, ADDRESS_TRANSLATED }, /* stateless, ::ffff:0:0:0 */
  { { 0, 0x64, 0xff, 0x9b }, 96, ADDRESS_TRANSLATED },                /* NAT64 */
  { { 0, 0x64, 0xff, 0x9b, 0, 1 }, 48, ADDRESS_TRANSLATED },          /* NAT64 of one's own */
  { { 0x20, 0x01 }, 32, ADDRESS_TRANSLATED },                         /* Teredo */
  { { 0x20, 0x01, 0, 2 }, 48, ADDRESS_BENCHMARKING },
  { { 0x20, 0x01 }, 23, ADDRESS_RESERVED },             /* protocol assignments */
  { { 0x20, 0x01, 0x0d, 0xb8 }, 32, ADDRESS_RESERVED }, /* documentation */
  { { 0x20, 0x02 }, 16, ADDRESS_TRANSLATED },           /* 6to4 */
  { { 0x3f, 0xff }, 20, ADDRESS_RESERVED },             /* documentation */
  { { 0x20 }, 3, ADDRESS_PUBLIC },
  { { 0xfc }, 7, ADDRESS_PRIVATE },
  { { 0xfe, 0x80 }, 10, ADDRESS_LINK_LOCAL },
  { { 0xfe, 0xc0 }, 10, ADDRESS_SITE_LOCAL },
  { { 0xff }, 8, ADDRESS_MULTICAST },
};

static bool
is_in (const uint8_t *bytes, const struct block *block)
{
  unsigned whole = block->bits / 8, rest = block->bits % 8;
  unsigned mask = 0xff00U >> rest & 0xff;

  return memcmp (bytes, block->prefix, whole) == 0
         && (rest == 0 || (bytes[whole] & mask) == (block->prefix[whole] & mask));
}

static enum address_kind
look_up (const uint8_t *bytes, const struct block *blocks, size_t count,
         enum address_kind otherwise)
{
  for (size_t i = 0; i < count; i++)
    if (is_in (bytes, &blocks[i]))
      return blocks[i].kind;
  return otherwise;
}

static enum address_kind
v4_kind (const uint8_t *bytes)
{
  return look_up (bytes, v4_blocks, sizeof v4_blocks / sizeof *v4_blocks, ADDRESS_PUBLIC);
}

enum address_kind
address_kind (const struct address *address)
{
  static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

  if (!address->v6)
    return v4_kind (address->bytes);
  if (memcmp (address->bytes, mapped, sizeof mapped) == 0)
    return v4_kind (address->bytes + sizeof mapped);
  return look_up (address->bytes, v6_blocks, sizeof v6_blocks / sizeof *v6_blocks,
                  ADDRESS_RESERVED);
}

bool
address_allowed (const struct address *address, bool private_too)
{
  switch (address_kind (address)) {
  case ADDRESS_PUBLIC:
    return true;
  case ADDRESS_LOOPBACK:
  case ADDRESS_PRIVATE:
  case ADDRESS_SHARED:
    return private_too;
  default:
    return false;
  }
}

/* ---- text and sockets ------------------------------------------------------------------- */

bool
address_read (struct address *address, const char *text, size_t len)
{
  char copy[ADDRESS_TEXT];

  memset (address, 0, sizeof *address);
  if (len >= sizeof copy || memchr (text, '\0', len) != NULL)
    return false;
  memcpy (copy, text, len);
  copy[len] = '\0';
  address->v6 = strchr (copy, ':') != NULL;
  return inet_pton (address->v6 ? AF_INET6 : AF_INET, copy, address->bytes) == 1;
}

bool
address_of (struct address *address, const struct sockaddr *socket)
{
  memset (address, 0, sizeof *address);
  if (socket->sa_family == AF_INET) {
    const struct sockaddr_in *v4 = (const struct sockaddr_in *) (const void *) socket;
    memcpy (address->bytes, &v4->sin_addr, 4);
    return true;
  }
  if (socket->sa_family == AF_INET6) {
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *) (const void *) socket;
    address->v6 = true;
    memcpy (address->bytes, &v6->sin6_addr, 16);
    return true;
  }
  return false;
}

void
address_write (const struct address *address, char text[ADDRESS_TEXT])
{
  if (inet_ntop (address->v6 ? AF_INET6 : AF_INET, address->bytes, text, ADDRESS_TEXT) == NULL)
    text[0] = '\0';
}
