/* address.h - IP addresses, and which of them are public: what the broker may connect to without
 * an operator's word.  Pure functions.
 *
 * The table is IANA's two registries of special-purpose addresses, with what they leave out: a
 * translated address (NAT64, 6to4, Teredo) hides an IPv4 address that nobody checks on the way, so
 * none of them is public; of IPv6 only 2000::/3 has been given out at all (U3-20). */
#ifndef TOOLHOST_SERVICE_HTTP_ADDRESS_H
#define TOOLHOST_SERVICE_HTTP_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sockaddr;

enum address_kind {
  ADDRESS_PUBLIC,
  ADDRESS_LOOPBACK,
  ADDRESS_PRIVATE,    /* RFC 1918, and unique local ones of IPv6 */
  ADDRESS_SHARED,     /* carrier-grade NAT */
  ADDRESS_LINK_LOCAL, /* with the metadata services of clouds */
  ADDRESS_SITE_LOCAL,
  ADDRESS_UNSPECIFIED,
  ADDRESS_MULTICAST,
  ADDRESS_BENCHMARKING,
  ADDRESS_TRANSLATED, /* NAT64, 6to4, Teredo, IPv4-compatible */
  ADDRESS_RESERVED    /* documentation, protocols, not given out */
};

/* In words, "link-local"; a static text. */
const char *address_kind_name (enum address_kind kind);

/* Of IPv4 the first four bytes. */
struct address {
  bool v6;
  uint8_t bytes[16];
};

enum { ADDRESS_TEXT = 46 }; /* bytes of an address as text, with its NUL */

/* An IPv4 address of four decimal numbers without leading zeros, or an IPv6 address without zone;
 * nothing else is one. */
bool address_read (struct address *address, const char *text, size_t len);
/* False: it is no IP address. */
bool address_of (struct address *address, const struct sockaddr *socket);
void address_write (const struct address *address, char text[ADDRESS_TEXT]);

/* An IPv4-mapped address of IPv6 is what its IPv4 address is. */
enum address_kind address_kind (const struct address *address);

/* May it be connected to?  What is public always; with `private_too` also loopback, private and
 * shared addresses, which an operator has to allow; the others never. */
bool address_allowed (const struct address *address, bool private_too);

#endif
