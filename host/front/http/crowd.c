#include "front/http/crowd.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"

enum key_kind { KEY_UNKNOWN, KEY_USER, KEY_IPV4, KEY_IPV6 };

struct crowd_peer {
  struct crowd_key key;
  size_t members;
  UT_hash_handle hh;
};

void
crowd_init (struct crowd *crowd, unsigned max, unsigned per_peer_max)
{
  *crowd = (struct crowd){ .max = max, .per_peer_max = per_peer_max };
  pthread_mutex_init (&crowd->lock, NULL);
}

/* ---- who ---- */

static struct crowd_key
make_key (enum key_kind kind, const void *who, size_t len)
{
  struct crowd_key key = { 0 };

  key.bytes[0] = (unsigned char) kind;
  memcpy (key.bytes + 1, who, len);
  return key;
}

struct crowd_key
crowd_key_user (uid_t uid)
{
  return make_key (KEY_USER, &uid, sizeof uid);
}

/* An IPv4 address that reached an IPv6 socket is the same peer as on an IPv4 socket. */
static struct crowd_key
key_ipv6 (const struct in6_addr *address)
{
  if (IN6_IS_ADDR_V4MAPPED (address))
    return make_key (KEY_IPV4, address->s6_addr + 12, 4);
  return make_key (KEY_IPV6, address->s6_addr, 8);
}

struct crowd_key
crowd_key_address (const struct sockaddr_storage *address)
{
  const void *at = address;

  switch (address->ss_family) {
  case AF_INET:
    return make_key (KEY_IPV4, &((const struct sockaddr_in *) at)->sin_addr, 4);
  case AF_INET6:
    return key_ipv6 (&((const struct sockaddr_in6 *) at)->sin6_addr);
  default:
    return make_key (KEY_UNKNOWN, "", 0);
  }
}

struct crowd_key
crowd_key_of (int fd, const struct sockaddr_storage *address)
{
  struct ucred cred;
  socklen_t len = sizeof cred;

  if (address->ss_family == AF_UNIX && getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) == 0)
    return crowd_key_user (cred.uid);
  return crowd_key_address (address);
}

void
crowd_key_name (const struct crowd_key *key, char name[CROWD_NAME_MAX])
{
  struct in6_addr six = { 0 };
  char text[INET6_ADDRSTRLEN];
  uid_t uid;

  switch ((enum key_kind) key->bytes[0]) {
  case KEY_USER:
    memcpy (&uid, key->bytes + 1, sizeof uid);
    (void) snprintf (name, CROWD_NAME_MAX, "uid:%u", uid);
    return;
  case KEY_IPV4:
    (void) inet_ntop (AF_INET, key->bytes + 1, name, CROWD_NAME_MAX);
    return;
  case KEY_IPV6:
    memcpy (six.s6_addr, key->bytes + 1, 8);
    (void) snprintf (name, CROWD_NAME_MAX, "%s/64", inet_ntop (AF_INET6, &six, text, sizeof text));
    return;
  case KEY_UNKNOWN:
    break;
  }
  (void) snprintf (name, CROWD_NAME_MAX, "unknown");
}

/* ---- how many ---- */

static struct crowd_peer *
add_peer (struct crowd *crowd, const struct crowd_key *key)
{
  struct crowd_peer *peer = xcalloc (1, sizeof *peer);

  peer->key = *key;
  HASH_ADD (hh, crowd->peers, key, sizeof peer->key, peer);
  return peer;
}

static enum crowd_verdict
enter (struct crowd *crowd, const struct crowd_key *key, struct crowd_peer **peer)
{
  struct crowd_peer *found;

  *peer = NULL;
  if (crowd->members >= crowd->max)
    return CROWD_FULL;
  HASH_FIND (hh, crowd->peers, key, sizeof *key, found);
  if (found == NULL)
    found = add_peer (crowd, key);
  else if (found->members >= crowd->per_peer_max)
    return CROWD_PEER_FULL;
  found->members++;
  crowd->members++;
  *peer = found;
  return CROWD_WELCOME;
}

enum crowd_verdict
crowd_enter (struct crowd *crowd, const struct crowd_key *key, struct crowd_peer **peer)
{
  enum crowd_verdict verdict;

  pthread_mutex_lock (&crowd->lock);
  verdict = enter (crowd, key, peer);
  pthread_mutex_unlock (&crowd->lock);
  return verdict;
}

void
crowd_open (struct crowd *crowd)
{
  atomic_fetch_add_explicit (&crowd->connections, 1, memory_order_relaxed);
}

void
crowd_close (struct crowd *crowd)
{
  atomic_fetch_sub_explicit (&crowd->connections, 1, memory_order_relaxed);
}

static void
leave (struct crowd *crowd, struct crowd_peer *peer)
{
  crowd->members--;
  if (--peer->members > 0)
    return;
  HASH_DEL (crowd->peers, peer);
  free (peer);
}

void
crowd_leave (struct crowd *crowd, struct crowd_peer *peer)
{
  if (peer == NULL)
    return;
  pthread_mutex_lock (&crowd->lock);
  leave (crowd, peer);
  pthread_mutex_unlock (&crowd->lock);
}

size_t
crowd_strangers (struct crowd *crowd)
{
  size_t members, connections;

  pthread_mutex_lock (&crowd->lock);
  members = crowd->members;
  connections = atomic_load_explicit (&crowd->connections, memory_order_relaxed);
  pthread_mutex_unlock (&crowd->lock);
  return connections > members ? connections - members : 0; /* who was let in may open it yet */
}
