/* pass.h - a datagram with descriptors over a SOCK_SEQPACKET socket. */
#ifndef TOOLHOST_POOL_PASS_H
#define TOOLHOST_POOL_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { PASS_FDS_MAX = 128 };

/* False: nothing was sent, errno says why. */
bool pass_send (int socket, const void *data, size_t len, const int *fds, size_t count);

/* Receive one: its length, 0 when the other end is closed, -1 with errno.  A datagram longer than
 * `size`, or with more descriptors than `max`, fails with EMSGSIZE and leaves none open.  The
 * descriptors are close-on-exec and the caller's. */
ssize_t pass_receive (int socket, void *data, size_t size, int *fds, size_t max, size_t *count);

#endif
