/* worker_rig.h - a real toolhost-worker for tests, driven frame by frame as the daemon would.
 *
 * $TOOLHOST_BUILD is where toolhost-worker and tests/hostile/.libs are.  Every wait ends after ten
 * seconds at the latest, with a frame of kind 0. */
#ifndef TOOLHOST_TESTS_UNIT_WORKER_RIG_H
#define TOOLHOST_TESTS_UNIT_WORKER_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/frame.h"
#include "pool/channel.h"
#include "pool/spawn.h"

struct rig {
  struct spawner *spawner;
  struct spawned worker;
  struct channel channel;
  struct ev_loop *loop; /* run only for the start: every other wait is the rig's own */
  char *why;            /* it could not be started */
  char *room;           /* FRAME_MAX bytes */
  struct buf inbox;     /* frames that came; those before `at` have been looked at */
  size_t at;
  bool running;
};

struct rig_frame {
  struct frame_head head; /* kind 0: nothing came, or the worker is gone */
  const char *payload;    /* NUL-terminated copy, until the next frame */
  size_t len;
  char copy[FRAME_MAX + 1];
};

struct rig_result {
  struct frame_result head; /* outcome 0: there was none */
  struct buf body;
  const char *code, *message, *structured, *content; /* C strings in `texts` */
  struct arena texts;
};

/* What HELLO asks for; zero is the usual. */
struct rig_wish {
  const char *build;   /* "dev" or what this is of */
  const char *config;  /* JSON; {} */
  const char *require; /* JSON array; all */
  const char *read;    /* JSON array; [] */
  const char *write;   /* JSON array; [] */
  unsigned threads;    /* 4 */
  size_t result_max;   /* 1 MiB */
  size_t memory;       /* 256 MiB */
};

/* Spawn and send HELLO.  False: it could not be spawned (`why` says so). */
bool rig_start (struct rig *rig, const char *plugin, const struct rig_wish *wish, char *why,
                size_t why_size);
/* Start, and read until DESCRIBE is complete, into `describe` (may be NULL). */
bool rig_ready (struct rig *rig, const char *plugin, const struct rig_wish *wish,
                struct buf *describe);
/* Kill what is still there. */
void rig_end (struct rig *rig);

void rig_send (struct rig *rig, enum frame_kind kind, uint64_t call, const void *a, size_t a_len,
               const char *text);
bool rig_receive (struct rig *rig, struct rig_frame *frame);
/* Frames up to the first of this kind; the others are dropped. */
bool rig_wait (struct rig *rig, enum frame_kind kind, struct rig_frame *frame);

/* deadline_ms from now; 0: none. */
void rig_call (struct rig *rig, uint64_t id, const char *args, int64_t deadline_ms);
void rig_call_memfd (struct rig *rig, uint64_t id, const char *args, size_t len);
void rig_cancel (struct rig *rig, uint64_t id, uint32_t grace_ms);
/* The next RESULT with its parts; other frames before it are dropped. */
uint64_t rig_result (struct rig *rig, struct rig_result *result);
void rig_result_free (struct rig_result *result);

/* How the worker ended, as its init told. */
struct frame_status rig_status (struct rig *rig);

#endif
