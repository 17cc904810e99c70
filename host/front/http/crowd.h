/* crowd.h - how many connections there are, in all and of each peer, and whether one more is
 * welcome.  For accept.c and conn.c; it touches no socket but to ask who is at its other end.
 *
 * A peer is a user of the Unix socket, an IPv4 address, or the /64 of an IPv6 address: the rest of
 * such an address is its owner's to choose.  Any thread. */
#ifndef TOOLHOST_FRONT_HTTP_CROWD_H
#define TOOLHOST_FRONT_HTTP_CROWD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

struct crowd_peer; /* one that has connections */

enum { CROWD_KEY_BYTES = 9, CROWD_NAME_MAX = 64 };
struct crowd_key {
  unsigned char bytes[CROWD_KEY_BYTES]; /* what kind of peer, and who */
};

enum crowd_verdict { CROWD_WELCOME, CROWD_FULL, CROWD_PEER_FULL };

struct crowd {
  unsigned max, per_peer_max;
  _Atomic size_t connections; /* open, for whatever reason */
  pthread_mutex_t lock;       /* guards what follows */
  size_t members; /* connections that are welcome; those that only hear a refusal don't count */
  struct crowd_peer *peers;
};

void crowd_init (struct crowd *crowd, unsigned max, unsigned per_peer_max);

struct crowd_key crowd_key_user (uid_t uid);
struct crowd_key crowd_key_address (const struct sockaddr_storage *address);
/* Of an accepted socket whose address is known. */
struct crowd_key crowd_key_of (int fd, const struct sockaddr_storage *address);
/* "uid:1000", "127.0.0.1" or "2001:db8::/64". */
void crowd_key_name (const struct crowd_key *key, char name[CROWD_NAME_MAX]);

/* When welcome, it is counted as a member until crowd_leave is called with `*peer`; else that is
 * NULL. */
enum crowd_verdict crowd_enter (struct crowd *crowd, const struct crowd_key *key,
                                struct crowd_peer **peer);
/* There is one more connection, member or not, until crowd_close. */
void crowd_open (struct crowd *crowd);
void crowd_close (struct crowd *crowd);
void crowd_leave (struct crowd *crowd, struct crowd_peer *peer); /* NULL: was no member */
/* Connections that only hear a refusal. */
size_t crowd_strangers (struct crowd *crowd);

#endif
