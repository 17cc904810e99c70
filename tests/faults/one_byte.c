/* one_byte.c - preloaded into the daemon: every read and write of a file, a pipe or a stream socket
 * moves one byte.  Whatever the kernel keeps whole (datagrams, eventfd, inotify, /proc, cgroups)
 * stays whole. */
#include <dlfcn.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

/* A file whose writes are commands. */
static bool
is_control (int fd)
{
  struct statfs fs;

  return fstatfs (fd, &fs) < 0 || fs.f_type == PROC_SUPER_MAGIC || fs.f_type == SYSFS_MAGIC
         || fs.f_type == CGROUP_SUPER_MAGIC || fs.f_type == CGROUP2_SUPER_MAGIC;
}

static bool
is_stream (int fd)
{
  struct stat st;
  int type = 0;
  socklen_t len = sizeof type;

  if (fstat (fd, &st) < 0)
    return false;
  if (S_ISSOCK (st.st_mode))
    return getsockopt (fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 && type == SOCK_STREAM;
  return S_ISFIFO (st.st_mode) || (S_ISREG (st.st_mode) && !is_control (fd));
}

static size_t
shortened (int fd, size_t count)
{
  return count > 1 && is_stream (fd) ? 1 : count;
}

/* The first byte of the first piece that has one. */
static struct iovec
first_byte (const struct iovec *iov, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (iov[i].iov_len != 0)
      return (struct iovec){ iov[i].iov_base, 1 };
  return (struct iovec){ NULL, 0 };
}

#define NEXT(type, name) ((type) dlsym (RTLD_NEXT, name))

typedef ssize_t (*read_fn) (int, void *, size_t);
typedef ssize_t (*write_fn) (int, const void *, size_t);
typedef ssize_t (*vector_fn) (int, const struct iovec *, int);
typedef ssize_t (*recv_fn) (int, void *, size_t, int);
typedef ssize_t (*send_fn) (int, const void *, size_t, int);
typedef ssize_t (*recvmsg_fn) (int, struct msghdr *, int);
typedef ssize_t (*sendmsg_fn) (int, const struct msghdr *, int);

#define SHOWN __attribute__ ((visibility ("default")))

SHOWN ssize_t
read (int fd, void *data, size_t count)
{
  return NEXT (read_fn, "read") (fd, data, shortened (fd, count));
}

SHOWN ssize_t
write (int fd, const void *data, size_t count)
{
  return NEXT (write_fn, "write") (fd, data, shortened (fd, count));
}

SHOWN ssize_t
readv (int fd, const struct iovec *iov, int count)
{
  struct iovec one = first_byte (iov, (size_t) count);

  return is_stream (fd) ? NEXT (vector_fn, "readv") (fd, &one, 1)
                        : NEXT (vector_fn, "readv") (fd, iov, count);
}

SHOWN ssize_t
writev (int fd, const struct iovec *iov, int count)
{
  struct iovec one = first_byte (iov, (size_t) count);

  return is_stream (fd) ? NEXT (vector_fn, "writev") (fd, &one, 1)
                        : NEXT (vector_fn, "writev") (fd, iov, count);
}

SHOWN ssize_t
recv (int fd, void *data, size_t count, int flags)
{
  return NEXT (recv_fn, "recv") (fd, data, shortened (fd, count), flags);
}

SHOWN ssize_t
send (int fd, const void *data, size_t count, int flags)
{
  return NEXT (send_fn, "send") (fd, data, shortened (fd, count), flags);
}

/* The message with its first byte alone; `one` holds it. */
static struct msghdr
first_of (const struct msghdr *message, struct iovec *one)
{
  struct msghdr first = *message;

  *one = first_byte (message->msg_iov, message->msg_iovlen);
  first.msg_iov = one;
  first.msg_iovlen = 1;
  return first;
}

SHOWN ssize_t
recvmsg (int fd, struct msghdr *message, int flags)
{
  struct iovec one;
  struct msghdr first = first_of (message, &one);

  return NEXT (recvmsg_fn, "recvmsg") (fd, is_stream (fd) ? &first : message, flags);
}

SHOWN ssize_t
sendmsg (int fd, const struct msghdr *message, int flags)
{
  struct iovec one;
  const struct msghdr first = first_of (message, &one);

  return NEXT (sendmsg_fn, "sendmsg") (fd, is_stream (fd) ? &first : message, flags);
}
