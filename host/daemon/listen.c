#include "daemon/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"

enum { BACKLOG = 1024 };

static bool
split (const char *address, char host[64], char port[8], struct error *err)
{
  const char *colon = strrchr (address, ':');
  size_t host_len = colon != NULL ? (size_t) (colon - address) : 0;

  if (host_len > 2 && address[0] == '[' && address[host_len - 1] == ']') {
    address++;
    host_len -= 2;
  }
  if (colon == NULL || host_len == 0 || host_len >= 64 || strlen (colon + 1) > 5
      || colon[1] == '\0')
    return error_set (err, "expected ADDRESS:PORT like 127.0.0.1:8377, got \"%s\"", address);
  memcpy (host, address, host_len);
  host[host_len] = '\0';
  (void) snprintf (port, 8, "%s", colon + 1);
  return true;
}

static bool
is_loopback (const struct sockaddr *address)
{
  if (address->sa_family == AF_INET)
    return ntohl (((const struct sockaddr_in *) address)->sin_addr.s_addr) >> 24 == 127;
  return address->sa_family == AF_INET6
         && IN6_IS_ADDR_LOOPBACK (&((const struct sockaddr_in6 *) address)->sin6_addr);
}

static void
name_bound (int fd, char bound[80])
{
  struct sockaddr_storage address;
  socklen_t len = sizeof address;
  char host[64], port[8];

  if (getsockname (fd, (struct sockaddr *) &address, &len) < 0
      || getnameinfo ((struct sockaddr *) &address, len, host, sizeof host, port, sizeof port,
                      NI_NUMERICHOST | NI_NUMERICSERV)
           != 0) {
    bound[0] = '\0';
    return;
  }
  (void) snprintf (bound, 80, address.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}

static bool
set (int fd, int option)
{
  return setsockopt (fd, SOL_SOCKET, option, &(int){ 1 }, sizeof (int)) == 0;
}

static int
new_socket (int family)
{
  int fd = socket (family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

  if (fd >= 0)
    (void) set (fd, SO_REUSEADDR);
  return fd;
}

/* Shared only once it is bound: an address that somebody else listens on is an error still. */
static int
bind_tcp (const struct addrinfo *info, bool shared)
{
  int fd = new_socket (info->ai_family);

  if (fd < 0)
    return -1;
  if (bind (fd, info->ai_addr, info->ai_addrlen) == 0 && (!shared || set (fd, SO_REUSEPORT))
      && listen (fd, BACKLOG) == 0)
    return fd;
  (void) close (fd);
  return -1;
}

int
listen_beside (int of, struct error *err)
{
  struct sockaddr_storage address = { 0 };
  socklen_t len = sizeof address;
  int fd = -1;

  if (getsockname (of, (struct sockaddr *) &address, &len) == 0)
    fd = new_socket (address.ss_family);
  if (fd >= 0 && set (fd, SO_REUSEPORT) && bind (fd, (struct sockaddr *) &address, len) == 0
      && listen (fd, BACKLOG) == 0)
    return fd;
  error_set (err, "an address can't be listened on by several threads: %s", strerror (errno));
  fd_cleanup (&fd);
  return -1;
}

bool
listen_is_local (int fd)
{
  struct sockaddr_storage address = { 0 };
  socklen_t len = sizeof address;

  return getsockname (fd, (struct sockaddr *) &address, &len) == 0
         && (address.ss_family == AF_UNIX || is_loopback ((struct sockaddr *) &address));
}

int
listen_tcp (const char *address, bool anywhere, bool shared, char bound[80], struct error *err)
{
  struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
  struct addrinfo *info = NULL;
  char host[64], port[8];
  int fd, fault;

  if (!split (address, host, port, err))
    return -1;
  fault = getaddrinfo (host, port, &hints, &info);
  if (fault != 0) {
    error_set (err, "cannot listen on %s: %s", address, gai_strerror (fault));
    return -1;
  }
  if (!anywhere && !is_loopback (info->ai_addr)) {
    freeaddrinfo (info);
    error_set (err,
               "cannot listen on %s: without keys (toolhost key new) or OAuth (auth in "
               "toolhostd.json) only loopback addresses are served",
               address);
    return -1;
  }
  fd = bind_tcp (info, shared);
  if (fd < 0)
    error_set (err, "cannot listen on %s: %s", address, strerror (errno));
  else
    name_bound (fd, bound);
  freeaddrinfo (info);
  return fd;
}

/* ---- Unix ---- */

static bool
somebody_listens (const struct sockaddr_un *address)
{
  CLEANUP_FD int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return fd >= 0 && connect (fd, (const struct sockaddr *) address, sizeof *address) == 0;
}

static void
make_folder (const char *path, uid_t owner, gid_t group)
{
  CLEANUP_FREE char *folder = xstrdup (path);
  char *slash = strrchr (folder, '/');

  if (slash == NULL || slash == folder)
    return;
  *slash = '\0';
  if (mkdir (folder, 0755) == 0)
    (void) !chown (folder, owner, group);
}

int
listen_unix (const char *path, uid_t owner, gid_t group, struct error *err)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd;

  if (strlen (path) >= sizeof address.sun_path) {
    error_set (err, "the socket path %s is longer than %zu bytes", path,
               sizeof address.sun_path - 1);
    return -1;
  }
  strcpy (address.sun_path, path);
  make_folder (path, owner, group);
  if (somebody_listens (&address)) {
    error_set (err, "another daemon serves %s already", path);
    return -1;
  }
  (void) unlink (path);
  fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  /* Everybody may connect: who it is, the kernel tells (SO_PEERCRED). */
  if (fd >= 0 && bind (fd, (const struct sockaddr *) &address, sizeof address) == 0
      && chmod (path, 0666) == 0 && listen (fd, BACKLOG) == 0) {
    (void) !chown (path, owner, group);
    return fd;
  }
  error_set (err, "cannot listen on %s: %s", path, strerror (errno));
  fd_cleanup (&fd);
  return -1;
}

/* ---- opened by a service manager ---- */

enum { FIRST_INHERITED = 3 };

/* Descriptors have names, with colons between them. */
static void
read_names (const char *names, bool *tls, int max)
{
  for (int i = 0; names != NULL && i < max; i++) {
    const size_t len = strcspn (names, ":");
    tls[i] = len == 5 && memcmp (names, "https", 5) == 0;
    names = names[len] == ':' ? names + len + 1 : NULL;
  }
}

static int
inherited_count (bool *tls, int max)
{
  const char *count = getenv ("LISTEN_FDS"), *pid = getenv ("LISTEN_PID");
  long number = count != NULL ? strtol (count, NULL, 10) : 0;

  if (pid == NULL || strtol (pid, NULL, 10) != (long) getpid () || number < 0 || number > INT16_MAX)
    number = 0;
  read_names (getenv ("LISTEN_FDNAMES"), tls, number < max ? (int) number : max);
  (void) unsetenv ("LISTEN_FDS");
  (void) unsetenv ("LISTEN_PID");
  (void) unsetenv ("LISTEN_FDNAMES");
  return (int) number;
}

static bool
take_inherited (int fd, bool anywhere, char bound[80], struct error *err)
{
  struct sockaddr_storage address = { 0 };
  socklen_t len = sizeof address, int_len = sizeof (int);
  int type = 0, listening = 0;

  if (getsockopt (fd, SOL_SOCKET, SO_TYPE, &type, &int_len) < 0 || type != SOCK_STREAM
      || getsockopt (fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &int_len) < 0 || !listening
      || getsockname (fd, (struct sockaddr *) &address, &len) < 0)
    return error_set (err, "descriptor %d of the service manager is no listening stream socket",
                      fd);
  if (address.ss_family == AF_UNIX)
    (void) snprintf (bound, 80, "%.79s", ((struct sockaddr_un *) &address)->sun_path);
  else if (anywhere || is_loopback ((struct sockaddr *) &address))
    name_bound (fd, bound);
  else
    return error_set (err,
                      "socket %d of the service manager is no loopback address: without keys "
                      "(toolhost key new) or OAuth only those are served",
                      fd);
  return fcntl (fd, F_SETFD, FD_CLOEXEC) == 0 && fcntl (fd, F_SETFL, O_NONBLOCK) == 0;
}

int
listen_inherited (int *fds, char (*bound)[80], bool *tls, int max, bool anywhere, struct error *err)
{
  int count = inherited_count (tls, max);

  if (count > max) {
    error_set (err, "the service manager opened %d sockets, %d are possible", count, max);
    return -1;
  }
  for (int i = 0; i < count; i++) {
    fds[i] = FIRST_INHERITED + i;
    if (!take_inherited (fds[i], anywhere, bound[i], err))
      return -1;
  }
  return count;
}
