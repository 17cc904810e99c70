/* control.h - the worker's end of the control socket, datagram by datagram; base/frame.h says what
 * goes through it.
 *
 * Sending: any thread, also in a signal handler; it blocks while the daemon is slow, knocks don't.
 * Receiving: the thread that leads (crew.h).  When the daemon is gone, so is this process. */
#ifndef TOOLHOST_WORKER_CONTROL_H
#define TOOLHOST_WORKER_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/frame.h"

/* The worker's descriptors: what it is started with, and what HELLO brings. */
enum { FD_CONTROL = 3, FD_STATUS = 4, FD_PLUGIN = 5, FD_DOWN = 6, FD_UP = 7, FD_GRANTS = 16 };

enum { DATAGRAM_FDS = 16 };

/* One datagram with the descriptors that came along. */
struct datagram {
  char *data; /* FRAME_MAX bytes */
  size_t len;
  int fds[DATAGRAM_FDS];
  size_t fds_count, fds_taken;
};

/* The daemon is of our build and doesn't say nonsense: whatever this is, it is not the daemon. */
void control_protocol_error (const char *what) __attribute__ ((noreturn));

/* Wait for a datagram.  False: there is none any more, the daemon is gone. */
bool control_receive (struct datagram *in);
/* The next descriptor of a datagram, or -1. */
int datagram_take_fd (struct datagram *in);
/* Close those that nobody took. */
void datagram_end (struct datagram *in);

/* One frame, cut off where a datagram ends. */
void control_send (enum frame_kind kind, const char *text, size_t len);
/* A text of any length, as frames with FRAME_MORE. */
void control_text (enum frame_kind kind, const char *text, size_t len);
/* BYE with a reason and a message. */
void control_bye (const char *reason, const char *message);
/* KNOCK: there is something new about the rings.  A full socket wakes the daemon as well. */
void control_knock (void);

#endif
