/* http_bed.h - an HTTP server and its clients on one loop, over real sockets.
 *
 * What it serves: /later and /stream leave the exchange open, in `pending`; /tell says what it was
 * told; /big is BIG bytes, /taken too, by a buffer that is taken over, which /taken-small's is not;
 * /none, /accepted, /odd, /error, /busy, /busy-until and /stream-now are answers of one kind each;
 * /upgrade leaves it open for bytes, which are kept in `heard`; anything else is an echo of the
 * request. */
#ifndef TOOLHOST_TESTS_UNIT_HTTP_BED_H
#define TOOLHOST_TESTS_UNIT_HTTP_BED_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "front/http/server.h"

#define HOST "Host: localhost\r\n"
#define GET(path) "GET " path " HTTP/1.1\r\n" HOST "\r\n"
#define OK(len, body)                                                                              \
  "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " len "\r\n\r\n" body

/* What client_expect_last takes for a refusal. */
#define REFUSED(status, code, message)                                                             \
  "HTTP/1.1 " status "\r\nContent-Type: application/json\r\n",                                     \
    "Connection: close\r\n\r\n{\"error\":{\"code\":\"" code "\",\"message\":\"" message "\"}}"

enum { PENDING_MAX = 8, BIG = 4 * 1024 * 1024 };

struct bed {
  struct ev_loop *loop;
  struct front_env env;
  struct http_server *server;
  struct sockaddr_storage address;
  socklen_t address_len;
  struct http_exchange *pending[PENDING_MAX]; /* what /later and /stream left open */
  unsigned pending_count;
  unsigned served;
  unsigned gone;
  struct buf heard; /* bytes after an upgrade */
  unsigned loop_turns;
  bool late; /* the safety timer fired */
};

struct client {
  struct bed *bed;
  ev_io io;
  struct buf got;
  bool closed; /* by the server */
  bool reset;
};

/* ---- the server ---- */

/* Run the loop until the condition holds; a bug would make it wait, ten seconds at most.  What
 * makes it hold may be done just before the loop sleeps: it is looked at again soon. */
#define RUN_UNTIL(bed, condition)                                                                  \
  do {                                                                                             \
    ev_timer safety, again;                                                                        \
    (bed)->late = false;                                                                           \
    ev_timer_init (&safety, bed_on_late, 10., 0.);                                                 \
    safety.data = &(bed)->late;                                                                    \
    ev_timer_start ((bed)->loop, &safety);                                                         \
    ev_timer_init (&again, bed_on_again, .01, .01);                                                \
    ev_timer_start ((bed)->loop, &again);                                                          \
    while (!(condition) && !(bed)->late) {                                                         \
      (bed)->loop_turns++;                                                                         \
      ev_run ((bed)->loop, EVRUN_ONCE);                                                            \
    }                                                                                              \
    ev_timer_stop ((bed)->loop, &again);                                                           \
    ev_timer_stop ((bed)->loop, &safety);                                                          \
    CU_ASSERT_FALSE ((bed)->late);                                                                 \
  } while (0)

/* An ev_timer's callback: sets the bool that is its data. */
void bed_on_late (struct ev_loop *loop, ev_timer *timer, int events);
/* Another: nothing. */
void bed_on_again (struct ev_loop *loop, ev_timer *timer, int events);

void bed_open (struct bed *bed);
/* For megabytes: on a busy machine TCP loses packets even on loopback, and waits for them. */
void bed_open_bulk (struct bed *bed);
void bed_open_with (struct bed *bed, const struct http_limits *limits, int listener);
/* Its connections are served by so many threads. */
void bed_open_spread (struct bed *bed, const struct http_limits *limits, int listener,
                      unsigned threads);
/* The same, and somebody else handles the requests. */
void bed_open_by (struct bed *bed, const struct http_limits *limits, int listener, unsigned threads,
                  http_handler handler, void *ctx);
void bed_close (struct bed *bed);
/* What /big says. */
void put_big (struct buf *out);
int bed_listen_tcp (void);
/* In the abstract namespace, under a name the kernel chooses. */
int bed_listen_unix (void);

/* ---- clients ---- */

#define CLEANUP_CLIENT __attribute__ ((cleanup (client_close)))

void client_open (struct client *c, struct bed *bed);
/* The same with a socket that was made before. */
void client_with (struct client *c, struct bed *bed, int fd);
int client_socket (const struct bed *bed);
void client_close (struct client *c);

void client_send_len (struct client *c, const char *data, size_t len);
void client_send (struct client *c, const char *text);
bool client_has (struct client *c, const char *text);
/* Wait for exactly this and nothing else; forget it. */
void client_expect (struct client *c, const char *text);
/* Wait for the server to close, and for this before it. */
void client_expect_last (struct client *c, const char *start, const char *end);

#endif
