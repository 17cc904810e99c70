/* birth.h - the child between clone and exec: it waits for its id maps, takes its ids and its
 * descriptors, and becomes the worker program.  It may share its parent's memory pages, so it makes
 * system calls and nothing else. */
#ifndef TOOLHOST_POOL_BIRTH_H
#define TOOLHOST_POOL_BIRTH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The descriptors the worker program begins with.  0 reads nothing, 1 and 2 are what it prints. */
enum {
  WORKER_FD_CONTROL = 3, /* SOCK_SEQPACKET */
  WORKER_FD_STATUS = 4,  /* write end: struct frame_status, once */
  WORKER_FD_PLUGIN = 5,  /* the plugin's file, read-only */
  WORKER_FDS = 6,
  WORKER_FD_GRANTS = 16, /* from here on: mounts of what is granted, in the policy's order */
  WORKER_GRANTS_MAX = 64
};

/* All namespaces a worker lives in. */
#define BIRTH_NAMESPACES                                                                           \
  (CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS         \
   | CLONE_NEWCGROUP)

struct birth {
  int program;      /* descriptor of the worker program */
  char *title;      /* argv[0] */
  int go;           /* read end: a byte, when the id maps are written; -1: there are none */
  const int *fds;   /* WORKER_FDS, in order */
  const int *trees; /* detached mounts */
  size_t trees_count;
  const int *tasks; /* "0" is written to each that is not -1 */
  size_t tasks_count;
  bool sets_ids; /* without a user namespace: become uid and gid */
  uid_t uid;
  gid_t gid;
};

/* Become the worker.  What goes wrong is told through the status pipe as the exit status
 * WORKER_EXIT_BIRTH and a following one. */
void birth_run (const struct birth *birth) __attribute__ ((noreturn));

/* clone3, or clone where a container's filter has no clone3.  `flags` are CLONE_NEW…; the child
 * goes into the cgroup `into` (-1: into its parent's).  Answers as fork does, with the child's
 * pidfd. */
pid_t birth_clone (unsigned long flags, int into, int *pidfd);

#endif
