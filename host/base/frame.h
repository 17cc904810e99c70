/* frame.h - what daemon and worker say to each other: typed frames, over two rings in shared memory
 * (base/ring.h) and a SOCK_SEQPACKET pair.
 *
 * A frame is a struct frame_head, its payload, and padding to 8 bytes; a datagram holds one or
 * more, a ring shows whole ones only.  Both sides are of one build (HELLO carries it), so structs
 * travel in host order.  The daemon treats every frame of a worker as an enemy's: it is copied,
 * length and kind are checked before the payload is looked at, and a bad one, or one that came by
 * the wrong way, is a crash of that worker.
 *
 * Way, direction and payload:
 *   HELLO       socket, down: JSON, struct hello below in words, with two descriptors: the segment
 *               that the daemon writes and that of the worker; with FRAME_FD the JSON is in a
 *               sealed read-only memfd, the third; up: JSON { "build", "guarantees":
 *               {…} }, sent when the sandbox has closed and before the plugin is loaded
 *   DESCRIBE    socket, up: JSON text in one or more frames (FRAME_MORE on all but the last): the
 *               plugin was loaded and opened; the worker takes calls from here on
 *   CALL        ring, down: struct frame_call, arguments, meta JSON; with FRAME_FD it comes by the
 *               socket, and the arguments are in a sealed read-only memfd sent along
 *   CANCEL      socket, down: struct frame_cancel
 *   RESULT_PART ring, up: bytes of a result's body that did not fit one frame, in order
 *   RESULT      ring, up: struct frame_result and the (rest of the) body: code, message,
 *               structured, content, kept, one after the other with the lengths of the struct
 *   PROGRESS    ring, up: struct frame_progress, text
 *   LOG         ring, up: struct frame_log, text (of an event its name and a JSON object); call 0:
 *               belongs to no call
 *   EVENT       ring, up: a JSON object with a "type": of a call in a session, for its user
 *   CHANGED     ring, up: struct frame_changed, URI or name: what the plugin offers, or makes its
 *               tools of, has changed; call 0
 *   OVERRUN     ring, up: struct frame_overrun: a call has used up its processor time, and runs on
 *   BYE         socket; down: finish and exit; up: JSON { "reason", "message", … }, the worker's
 *               last frame: reason "sandbox" (a guarantee can't be had), "load" (the plugin is not
 *               usable), "signal" (with "signal", "backtrace"), "exit"
 *   KNOCK       socket, both: look into the ring; nothing
 *   SERVICE     ring, up: struct frame_service and bytes: a call asks the daemon to do something
 *               for it, one thing at a time
 *   SERVED      ring, down: struct frame_served and bytes: what comes of it
 *   PROGRAM     ring, up: struct frame_program, name: start a granted program, or end it; call 0
 *   PROGRAM_SAID socket, down: struct frame_program_said, text: what has become of it; with
 *               FRAME_FD the two ends of its pipes, to write to it and to read from it
 *
 * Order: who sends a datagram has shown the ring what was said before it; the worker empties the
 * ring before it follows a datagram, and the daemon before it draws conclusions from BYE.  So a
 * CANCEL finds its CALL, and the end comes last in both directions.
 *
 * The socket is the doorbell of both rings, instead of an eventfd: whether a write blocks is a
 * property of an eventfd that both sides share and the worker could change, and all that a worker
 * waits for comes to one place. */
#ifndef TOOLHOST_BASE_FRAME_H
#define TOOLHOST_BASE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum frame_kind {
  FRAME_HELLO = 1,
  FRAME_DESCRIBE,
  FRAME_CALL,
  FRAME_CANCEL,
  FRAME_RESULT_PART,
  FRAME_RESULT,
  FRAME_EVENT,
  FRAME_PROGRESS,
  FRAME_LOG,
  FRAME_SERVICE,
  FRAME_SERVED,
  FRAME_BYE,
  FRAME_KNOCK,
  FRAME_OVERRUN,
  FRAME_CHANGED,
  FRAME_PROGRAM,
  FRAME_PROGRAM_SAID,
  FRAME_KINDS
};

enum {
  FRAME_MAX = 64 * 1024, /* of a datagram, and so of a frame with its head */
  FRAME_ALIGN = 8,
  FRAME_MORE = 1, /* flags: this text goes on in the next frame */
  FRAME_FD = 2    /* flags: a descriptor came along (daemon to worker only) */
};

/* What a builder asks for while it builds is said of this call, which no other has. */
#define FRAME_BUILD_CALL UINT64_MAX

struct frame_head {
  uint32_t size; /* of head and payload, without padding */
  uint16_t kind; /* enum frame_kind */
  uint16_t flags;
  uint64_t call; /* the daemon's nonce of the call; 0: belongs to none */
};

struct frame_call {
  int64_t deadline_ns; /* CLOCK_MONOTONIC; INT64_MAX: none */
  uint32_t tool;       /* index in what DESCRIBE lists: "tools", "resources", "prompts", "guards" */
  uint32_t args_len;   /* of the arguments, here or in the memfd */
  uint32_t meta_len; /* of the meta JSON: call_id, session_id, thread_id, run_id, tenant, metadata;
                        uri of a read; completing and partial of a completion */
  uint32_t flags;    /* FRAME_CALL_… */
  uint32_t cpu_ms;   /* of processor time, 0: any */
  uint32_t result_max; /* bytes; 0: as HELLO says */
  /* The last bytes of the arguments' are no arguments: what was answered so far, as ask.h of the
   * worker reads it, and after it what the tool kept; 0 in a first round. */
  uint32_t answers_len;
  uint32_t kept_len;
};
enum {
  FRAME_CALL_PROGRESS = 1,   /* the caller wants progress */
  FRAME_CALL_COMPLETE = 2,   /* values of an argument are wanted, not the work */
  FRAME_CALL_LIST = 4,       /* … which resources of a template are there */
  FRAME_CALL_SESSION = 8,    /* it is a call of a session, which takes its events */
  FRAME_CALL_ON_ERROR = 16,  /* a guard's error function is wanted, not its check */
  FRAME_CALL_ASKS_SHIFT = 8, /* above: enum frame_ask, what the caller can be asked */
};

/* Kinds of question. */
enum frame_ask {
  FRAME_ASK_FORM = 1,
  FRAME_ASK_URL = 2,
  FRAME_ASK_SAMPLING = 4,
  FRAME_ASK_SAMPLING_TOOLS = 8, /* sampling that offers tools to the model */
  FRAME_ASK_ROOTS = 16,
  FRAME_ASK_ALL = 31
};
enum {
  FRAME_ASKS_MAX = 16,             /* questions open at once */
  FRAME_ASK_KEY_MAX = 64,          /* bytes of a key */
  FRAME_ASK_BYTES_MAX = 48 * 1024, /* of all questions of a round */
  FRAME_KEPT_MAX = 8 * 1024        /* bytes a tool keeps for its next round */
};

enum frame_cancel_reason {
  FRAME_CANCEL_CALLER = 1,
  FRAME_CANCEL_DEADLINE,
  FRAME_CANCEL_STOP,
  FRAME_CANCEL_CPU
};
struct frame_cancel {
  uint32_t reason;
  uint32_t grace_ms; /* until the process is condemned */
};

enum frame_outcome {
  FRAME_OUTCOME_OK = 1,
  FRAME_OUTCOME_FAILED,      /* code and message are the tool's own; both may be empty */
  FRAME_OUTCOME_NOT_ALLOWED, /* can_execute said no; message is its why */
  FRAME_OUTCOME_INVALID,     /* validate said no; structured: [{"pointer","message"}, …] */
  FRAME_OUTCOME_ASKED, /* structured: { "asks": { key: { "kind", "params" }, … }, "needs": bits of
                          enum frame_ask that were wanted and are not there } */
  FRAME_OUTCOME_BROKEN /* the tool broke the ABI's rules; message says how */
};

/* What the content of a call's RESULT is. */
enum frame_content {
  FRAME_BLOCKS,   /* of a tool: content blocks of MCP */
  FRAME_CONTENTS, /* of a read: [{"uri","mimeType"?,"text" or "blob","_meta"?}, …] */
  FRAME_MESSAGES, /* of a prompt: [{"role","content": a content block}, …] */
  FRAME_VALUES,   /* of a completion: none; structured is {"values","total","hasMore"} */
  FRAME_LISTED    /* of a template's list: definitions of resources, [{"uri",…}, …] */
};
enum { FRAME_VALUES_MAX = 100 }; /* of a completion */

struct frame_result {
  uint32_t outcome;
  uint32_t code_len;       /* lower case, digits and '_' */
  uint32_t message_len;    /* UTF-8 text */
  uint32_t structured_len; /* a JSON value, or 0 for none */
  uint32_t content_len;    /* a JSON array, see enum frame_content; 0: an empty one */
  uint32_t kept_len;       /* FRAME_OUTCOME_ASKED: what the tool keeps for its next round */
  uint64_t wall_ns;        /* of the callbacks */
  uint64_t cpu_ns;         /* of their thread */
};

/* What a call may say to its session's user. */
enum {
  FRAME_EMIT_MAX = 32 * 1024,  /* bytes of an event */
  FRAME_EMITS_MAX = 512 * 1024 /* bytes of all events of a call */
};

/* Followed by the URI of FRAME_CHANGED_RESOURCE, the name of FRAME_CHANGED_FEATURE. */
struct frame_changed {
  uint32_t what; /* enum frame_change */
  uint32_t reserved;
};
enum frame_change {
  FRAME_CHANGED_TOOLS = 1,
  FRAME_CHANGED_RESOURCES,
  FRAME_CHANGED_RESOURCE,
  FRAME_CHANGED_PROMPTS,
  FRAME_CHANGED_FEATURE /* what its tools are built of is another: they are to be built again */
};
enum { FRAME_FEATURE_MAX = 256 }; /* bytes of its name */
enum { FRAME_URI_MAX = 2048 };    /* bytes of a URI */

struct frame_progress {
  double done;
  double total; /* 0: unknown */
};

struct frame_overrun {
  uint64_t cpu_ns; /* used so far */
};

/* An HTTP request, its head (JSON, service/http/request.h) and body one after the other, in as many
 * frames as it takes; then, of the answer's body, how much the call has used.  Or, in one frame,
 * what a call wants of its session, a JSON object with one member: "get": PATH              the
 * answer's body is what stands there in the context, with what the call has written "flag": NAME …
 * is true or false "set": { PATH: value }, "append": { PATH: value }, "flags": { NAME: boolean }
 *   "handoff": { "tool": NAME or null, "args": {…} }   both may be absent: this tool, its arguments
 * The last four take effect when the call succeeds. */
struct frame_service {
  uint32_t what;     /* enum frame_service_what */
  uint32_t number;   /* of the request within the call: 1 and up */
  uint64_t head_len; /* FRAME_SERVICE_HTTP, FRAME_SERVICE_REFER …, FRAME_SERVICE_STATE */
  uint64_t body_len; /* likewise; FRAME_SERVICE_TAKEN: bytes */
};
enum frame_service_what {
  FRAME_SERVICE_HTTP = 1, /* followed by the first bytes */
  FRAME_SERVICE_MORE,     /* … and the next ones */
  FRAME_SERVICE_TAKEN,    /* nothing follows */
  FRAME_SERVICE_STOP,     /* it is not wanted any more; nothing comes of it from here on */
  /* of the telephone call that the session is: head_len bytes of text, body_len of a key, at once;
   * FRAME_SERVED_END comes of it */
  FRAME_SERVICE_REFER,
  FRAME_SERVICE_HANGUP,
  FRAME_SERVICE_DTMF,
  FRAME_SERVICE_SAY,
  FRAME_SERVICE_STATE, /* followed by all of what a call wants of its session */
  /* of other tools: head_len bytes of a JSON array, the first of them here */
  FRAME_SERVICE_TOOLS, /* [ pattern, … ], none: all; the answer is an array of definitions */
  /* [ { "tool", "args": text, "answers": object? }, … ]; the answer is [ { "status": one of enum
   * frame_served_status, "result": as toolhost_invoke says }, … ] */
  FRAME_SERVICE_INVOKE
};
enum {
  FRAME_INVOKES_MAX = 16,            /* tools invoked at once */
  FRAME_INVOKE_MAX = 8 << 20,        /* bytes of what is asked for, quoted */
  FRAME_INVOKE_RESULT_MAX = 4 << 20, /* … and of all results together, of all definitions */
  FRAME_INVOKE_DEPTH_MAX = 8         /* calls that wait for one another */
};
enum { FRAME_STATE_MAX = 48 * 1024 }; /* bytes of what a call wants of its session */
enum {
  FRAME_SERVICE_HEAD_MAX = 128 * 1024, /* bytes of a head */
  FRAME_SERVICE_WINDOW = 128 * 1024    /* of a body that the daemon sends ahead, about */
};

struct frame_served {
  uint32_t what; /* enum frame_served_what */
  uint32_t number;
  uint32_t status;   /* FRAME_SERVED_END: enum frame_served_status */
  uint32_t code_len; /* … the first of the bytes are a code, the others a sentence */
};
enum frame_served_what {
  FRAME_SERVED_HEAD =
    1,               /* JSON: { "status", "url", "redirects", "tries", "headers": [[n, v], …] } */
  FRAME_SERVED_BODY, /* bytes */
  FRAME_SERVED_END
};
enum frame_served_status {
  FRAME_SERVED_OK = 1,
  FRAME_SERVED_FAILED,
  FRAME_SERVED_NOT_GRANTED,
  FRAME_SERVED_BAD_VALUE,
  FRAME_SERVED_NOT_FOUND,
  FRAME_SERVED_ASKED
};

/* A program of the policy's that runs beside the worker, in a sandbox of its own.  `id` is the
 * worker's: 1 and up, each once. */
struct frame_program {
  uint32_t what; /* enum frame_program_what */
  uint32_t id;
};
enum frame_program_what {
  FRAME_PROGRAM_START = 1, /* followed by its name */
  FRAME_PROGRAM_KILL       /* it and all it has started; of one that has ended: nothing */
};

struct frame_program_said {
  uint32_t what; /* enum frame_program_fate */
  uint32_t id;
  int32_t code;      /* FRAME_PROGRAM_ENDED: CLD_EXITED, CLD_KILLED, CLD_DUMPED; 0: unknown */
  int32_t status;    /* … exit status or signal */
  uint32_t code_len; /* FRAME_PROGRAM_FAILED: the first of the bytes are a code, the others a
                        sentence; FRAME_PROGRAM_ENDED: 0, and they are a sentence */
  uint32_t reserved;
};
enum frame_program_fate {
  FRAME_PROGRAM_RUNS = 1, /* FRAME_FD */
  FRAME_PROGRAM_FAILED,   /* it does not run, and nothing more comes of it */
  FRAME_PROGRAM_ENDED     /* it has run */
};
enum { FRAME_PROGRAMS_MAX = 64 }; /* of one worker, at once */

struct frame_log {
  int32_t level;      /* TOOLHOST_DEBUG … TOOLHOST_ERROR */
  uint32_t event_len; /* of the text, the name of an event, then a JSON object; 0: it is a line */
};

enum { FRAME_EVENT_NAME_MAX = 64, FRAME_EVENT_MAX = 32 * 1024 };

/* Is this what an event may be called: 1 to 64 of a-z, 0-9 and '_'? */
static inline bool
frame_event_name (const char *name, size_t len)
{
  for (size_t i = 0; i < len; i++)
    if (!(name[i] >= 'a' && name[i] <= 'z') && !(name[i] >= '0' && name[i] <= '9')
        && name[i] != '_')
      return false;
  return len != 0 && len <= FRAME_EVENT_NAME_MAX;
}

/* What init (pid 1 of the worker) writes to the status pipe, once, when the worker proper has
 * ended. */
struct frame_status {
  int32_t code;   /* CLD_EXITED, CLD_KILLED, CLD_DUMPED */
  int32_t status; /* exit status or signal */
  int64_t cpu_us;
  int64_t peak_rss_kib;
};

/* Exit statuses of the worker (both processes), told in words by the daemon. */
enum {
  WORKER_EXIT_OK = 0,
  WORKER_EXIT_USAGE = 80,    /* started by hand, or with descriptors missing */
  WORKER_EXIT_PROTOCOL = 81, /* the daemon said something unreadable */
  WORKER_EXIT_SANDBOX = 82,  /* a required guarantee can't be had; BYE has the sentence */
  WORKER_EXIT_LOAD = 83,     /* the plugin can't be used; BYE has the sentence */
  WORKER_EXIT_THREAD = 84,   /* a call ended the thread it ran on */
  WORKER_EXIT_BIRTH = 90     /* and 91 to 93: its cgroup, its ids, its descriptors, its program */
};

/* Does a frame of this kind travel in a ring?  Otherwise by the socket. */
static inline bool
frame_by_ring (enum frame_kind kind, uint16_t flags)
{
  return kind == FRAME_RESULT || kind == FRAME_RESULT_PART || kind == FRAME_PROGRESS
         || kind == FRAME_LOG || kind == FRAME_OVERRUN || kind == FRAME_CHANGED
         || kind == FRAME_EVENT || kind == FRAME_SERVICE || kind == FRAME_SERVED
         || kind == FRAME_PROGRAM || (kind == FRAME_CALL && (flags & FRAME_FD) == 0);
}

/* Bytes a frame takes in a datagram or a ring. */
static inline size_t
frame_padded (size_t size)
{
  return (size + FRAME_ALIGN - 1) & ~(size_t) (FRAME_ALIGN - 1);
}

/* Put a frame together at the end of a datagram being filled.  `room` is what is left of it;
 * returns the bytes taken, 0 when it does not fit.  The payload comes in up to three pieces. */
size_t frame_put (char *at, size_t room, enum frame_kind kind, uint16_t flags, uint64_t call,
                  const void *a, size_t a_len, const void *b, size_t b_len, const void *c,
                  size_t c_len);

/* The next frame of a received datagram: copies the head, sets *payload.  Returns the bytes to go
 * on by, 0 at the end of the datagram, -1 for a malformed one (short, too long, unknown kind). */
long frame_next (const char *at, size_t left, struct frame_head *head, const char **payload,
                 size_t *payload_len);

#endif
