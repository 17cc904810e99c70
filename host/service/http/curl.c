#include "service/http/curl_parts.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

enum { CONNECT_MS = 10000, IDLE_CONNECTIONS = 64 };

/* A socket of libcurl's that is watched. */
struct watch {
  ev_io io;
  struct http_curl *curl;
  int due; /* what libcurl is to hear of it later; 0: nothing, and it is not in the list */
  TAILQ_ENTRY (watch) next;
};

/* ---- what libcurl does on the loop ------------------------------------------------------ */

static void
transfer_free (struct transfer *t)
{
  if (t->born)
    (void) t->curl->lib.multi_remove_handle (t->curl->multi, t->easy);
  t->curl->lib.easy_cleanup (t->easy);
  t->curl->lib.slist_free_all (t->headers);
  t->curl->lib.slist_free_all (t->resolve);
  arena_free (&t->arena);
  free (t);
}

static enum http_failure
failure_of (const struct transfer *t, CURLcode code)
{
  if (t->blocked)
    return HTTP_BLOCKED;
  if (t->failure != HTTP_FINE)
    return t->failure;
  switch (code) {
  case CURLE_OK:
    return t->headed ? HTTP_FINE : HTTP_BROKEN;
  case CURLE_COULDNT_CONNECT:
  case CURLE_COULDNT_RESOLVE_HOST:
  case CURLE_OPERATION_TIMEDOUT:
  case CURLE_SSL_CONNECT_ERROR:
  case CURLE_PEER_FAILED_VERIFICATION:
    return HTTP_CONNECT;
  default:
    return HTTP_BROKEN;
  }
}

static void
transfer_end (struct transfer *t, CURLcode code)
{
  const struct http_hop_events *events = t->events;
  enum http_failure failure = failure_of (t, code);
  const char *text = failure == HTTP_FINE ? "" : t->curl->lib.easy_strerror (code);
  void *ctx = t->ctx;

  if (t->connected != NULL && code == CURLE_OK && events != NULL)
    return t->connected (ctx); /* it stays with libcurl for as long as its connection is used */
  transfer_free (t);
  if (events != NULL)
    events->end (ctx, failure, text);
}

/* What had to wait while libcurl was on the stack. */
static void
bury (struct http_curl *curl)
{
  while (curl->doomed != NULL) {
    struct transfer *t = curl->doomed;
    curl->doomed = t->next;
    transfer_free (t);
  }
}

/* What has ended, one after the other: telling may begin and drop others. */
static void
reap (struct http_curl *curl)
{
  CURLMsg *message;
  int left;

  bury (curl);
  while ((message = curl->lib.multi_info_read (curl->multi, &left)) != NULL) {
    struct transfer *t = NULL;
    if (message->msg != CURLMSG_DONE)
      continue;
    (void) curl->lib.easy_getinfo (message->easy_handle, CURLINFO_PRIVATE, (char **) &t);
    transfer_end (t, message->data.result);
  }
}

static void
act (struct http_curl *curl, curl_socket_t socket, int what)
{
  int running;

  curl->inside++;
  (void) curl->lib.multi_socket_action (curl->multi, socket, what, &running);
  if (--curl->inside == 0)
    reap (curl);
}

static void
on_timer (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct http_curl *curl = timer->data;
  long ms = -1;

  (void) revents;
  act (curl, CURL_SOCKET_TIMEOUT, 0);
  /* The loop's clock is read once a turn and may be ahead of the library's, for which nothing was
   * due yet; of a time it has told already it says nothing again. */
  if (!ev_is_active (timer) && curl->lib.multi_timeout (curl->multi, &ms) == CURLM_OK && ms >= 0) {
    ev_timer_set (timer, (double) (ms > 0 ? ms : 1) / 1000, 0);
    ev_timer_start (loop, timer);
  }
}

/* ---- what waits for another turn of the loop -------------------------------------------- */

static void
put_off (struct watch *watch, int what)
{
  if (watch->due == 0)
    TAILQ_INSERT_TAIL (&watch->curl->late, watch, next);
  watch->due |= what;
  ev_idle_start (watch->curl->loop, &watch->curl->later);
}

static int
take_back (struct watch *watch)
{
  int due = watch->due;

  if (due != 0)
    TAILQ_REMOVE (&watch->curl->late, watch, next);
  watch->due = 0;
  return due;
}

/* libcurl connects at once. */
static void
give_birth (struct transfer *t)
{
  struct http_curl *curl = t->curl;

  if (t->events == NULL) {
    transfer_free (t);
    return;
  }
  t->born = true;
  curl->inside++;
  (void) curl->lib.multi_add_handle (curl->multi, t->easy);
  curl->inside--;
  act (curl, CURL_SOCKET_TIMEOUT, 0);
}

/* One of each at least, those that are on their way first. */
static void
on_later (struct ev_loop *loop, ev_idle *idle, int revents)
{
  struct http_curl *curl = idle->data;

  (void) revents;
  for (bool first = true; !TAILQ_EMPTY (&curl->late) && (first || !turns_is_long (curl->turns));
       first = false) {
    struct watch *watch = TAILQ_FIRST (&curl->late);
    act (curl, watch->io.fd, take_back (watch));
  }
  for (bool first = true; !STAILQ_EMPTY (&curl->unborn) && (first || !turns_is_long (curl->turns));
       first = false) {
    struct transfer *t = STAILQ_FIRST (&curl->unborn);
    STAILQ_REMOVE_HEAD (&curl->unborn, to_come);
    give_birth (t);
  }
  if (TAILQ_EMPTY (&curl->late) && STAILQ_EMPTY (&curl->unborn))
    ev_idle_stop (loop, idle);
}

/* ---- sockets and time ------------------------------------------------------------------- */

static void
on_socket (struct ev_loop *loop, ev_io *io, int revents)
{
  struct watch *watch = (struct watch *) io;
  int what =
    (revents & EV_READ ? CURL_CSELECT_IN : 0) | (revents & EV_WRITE ? CURL_CSELECT_OUT : 0);

  (void) loop;
  if (TAILQ_EMPTY (&watch->curl->late) && !turns_is_long (watch->curl->turns))
    act (watch->curl, io->fd, what);
  else
    put_off (watch, what);
}

static int
set_timer (CURLM *multi, long ms, void *ctx)
{
  struct http_curl *curl = ctx;

  (void) multi;
  ev_timer_stop (curl->loop, &curl->timer);
  if (ms >= 0) {
    ev_timer_set (&curl->timer, (double) ms / 1000, 0);
    ev_timer_start (curl->loop, &curl->timer);
  }
  return 0;
}

static int
watch_socket (CURL *easy, curl_socket_t socket, int what, void *ctx, void *assigned)
{
  struct http_curl *curl = ctx;
  struct watch *watch = assigned;

  (void) easy;
  if (watch != NULL)
    ev_io_stop (curl->loop, &watch->io);
  if (what == CURL_POLL_REMOVE) {
    if (watch != NULL)
      (void) take_back (watch);
    free (watch);
    (void) curl->lib.multi_assign (curl->multi, socket, NULL);
    return 0;
  }
  if (watch == NULL) {
    watch = xcalloc (1, sizeof *watch);
    watch->curl = curl;
    (void) curl->lib.multi_assign (curl->multi, socket, watch);
  }
  ev_io_init (&watch->io, on_socket, socket,
              (what & CURL_POLL_IN ? EV_READ : 0) | (what & CURL_POLL_OUT ? EV_WRITE : 0));
  ev_io_start (curl->loop, &watch->io);
  return 0;
}

/* ---- addresses -------------------------------------------------------------------------- */

static curl_socket_t
open_socket (void *ctx, curlsocktype purpose, struct curl_sockaddr *to)
{
  struct transfer *t = ctx;
  struct address address;

  if (purpose != CURLSOCKTYPE_IPCXN || !address_of (&address, &to->addr)
      || !address_allowed (&address, t->private_too)) {
    t->blocked = true;
    return CURL_SOCKET_BAD;
  }
  return socket (to->family, to->socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, to->protocol);
}

#if LIBCURL_VERSION_NUM >= 0x075000
/* A connection that was kept may have been opened for somebody who may go further. */
static int
before_request (void *ctx, char *ip, char *local_ip, int port, int local_port)
{
  struct transfer *t = ctx;
  struct address address;

  (void) local_ip;
  (void) port;
  (void) local_port;
  if (address_read (&address, ip, strlen (ip)) && address_allowed (&address, t->private_too))
    return CURL_PREREQFUNC_OK;
  t->blocked = true;
  return CURL_PREREQFUNC_ABORT;
}
#endif

/* "host:port:address,address": libcurl looks nothing up itself. */
static struct curl_slist *
resolved (const struct transfer *t, const struct http_hop *hop)
{
  CLEANUP_BUF struct buf entry = { 0 };
  char text[ADDRESS_TEXT];

  buf_printf (&entry, "+%s:%u:", hop->url->host, (unsigned) hop->url->port);
  for (size_t i = 0; i < hop->addresses_count; i++) {
    const struct address *a = &hop->addresses[i];
    address_write (a, text);
    buf_printf (&entry, a->v6 ? "%s[%s]" : "%s%s", i == 0 ? "" : ",", text);
  }
  return t->curl->lib.slist_append (NULL, buf_cstr (&entry));
}

/* ---- what comes ------------------------------------------------------------------------- */

static bool
keep_header (struct transfer *t, const char *line, size_t len)
{
  const char *colon = memchr (line, ':', len), *value, *end = line + len;
  char *name;

  if (colon == NULL || colon == line)
    return true;
  t->got_bytes += len;
  if (t->got_count == HTTP_HEADERS_MAX || t->got_bytes > HTTP_HEADERS_BYTES)
    return false;
  name = arena_strndup (&t->arena, line, (size_t) (colon - line));
  for (char *c = name; *c != '\0'; c++)
    *c = *c >= 'A' && *c <= 'Z' ? (char) (*c - 'A' + 'a') : *c;
  for (value = colon + 1; value < end && (*value == ' ' || *value == '\t'); value++) {
  }
  while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
    end--;
  t->got[t->got_count++] =
    (struct http_header){ name, arena_strndup (&t->arena, value, (size_t) (end - value)) };
  return true;
}

static void
tell_head (struct transfer *t)
{
  t->headed = true;
  if (t->events != NULL)
    t->events->head (t->ctx, t->status, t->got, t->got_count);
}

/* A line of a head; of a trailer nothing is kept. */
static size_t
on_header (char *line, size_t one, size_t len, void *ctx)
{
  struct transfer *t = ctx;
  long status = 0;
  size_t whole = len * one;

  len = whole;
  while (len > 0 && (line[len - 1] == '\n' || line[len - 1] == '\r'))
    len--;
  if (t->headed)
    return t->events != NULL ? whole : 0;
  if (len >= 5 && strncasecmp (line, "HTTP/", 5) == 0) {
    t->got_count = t->got_bytes = 0;
    return whole;
  }
  if (len != 0) {
    if (keep_header (t, line, len))
      return whole;
    t->failure = HTTP_HEADERS;
    return 0;
  }
  (void) t->curl->lib.easy_getinfo (t->easy, CURLINFO_RESPONSE_CODE, &status);
  t->status = (int) status;
  if (t->status >= 200)
    tell_head (t);
  return t->events != NULL ? whole : 0;
}

static size_t
on_body (char *data, size_t one, size_t len, void *ctx)
{
  struct transfer *t = ctx;

  if (t->events == NULL)
    return 0;
  t->paused = !t->events->body (t->ctx, data, len * one);
  if (t->events == NULL)
    return 0;
  return t->paused ? CURL_WRITEFUNC_PAUSE : len * one;
}

/* ---- a transfer ------------------------------------------------------------------------- */

static void
set_body (struct transfer *t, const struct http_hop *hop)
{
  if (hop->method == HTTP_HEAD)
    (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_NOBODY, 1L);
  if (hop->body != NULL || (hop->method & (HTTP_POST | HTTP_PUT | HTTP_PATCH)) != 0) {
    (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                                     (curl_off_t) hop->body_len);
    (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_POSTFIELDS,
                                     hop->body != NULL ? hop->body : "");
  }
  if (hop->method != HTTP_HEAD)
    (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_CUSTOMREQUEST,
                                     http_method_name (hop->method));
}

/* Of what libcurl adds by itself, nothing. */
static void
set_headers (struct transfer *t, const struct http_hop *hop)
{
  static const char *const unwanted[] = { "Expect:", "Accept-Encoding:" };
  bool typed = false;

  for (size_t i = 0; i < hop->headers_count; i++) {
    const struct http_header *h = &hop->headers[i];
    CLEANUP_BUF struct buf line = { 0 };
    buf_printf (&line, *h->value == '\0' ? "%s;" : "%s: %s", h->name, h->value);
    t->headers = t->curl->lib.slist_append (t->headers, buf_cstr (&line));
    typed = typed || strcasecmp (h->name, "Content-Type") == 0;
  }
  for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++)
    t->headers = t->curl->lib.slist_append (t->headers, unwanted[i]);
  if (!typed)
    t->headers = t->curl->lib.slist_append (t->headers, "Content-Type:");
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_HTTPHEADER, t->headers);
}

static void
set_protocols (struct transfer *t)
{
#if LIBCURL_VERSION_NUM >= 0x075500
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_PROTOCOLS,
                                   (long) (CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_HTTP_VERSION, (long) CURL_HTTP_VERSION_2TLS);
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_PROXY, "");
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_NOPROXY, "*");
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_FOLLOWLOCATION, 0L);
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_PATH_AS_IS, 1L);
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_NOSIGNAL, 1L);
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_TCP_NODELAY, 1L);
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_CONNECTTIMEOUT_MS, (long) CONNECT_MS);
  if (t->curl->ca_file != NULL)
    (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_CAINFO, t->curl->ca_file);
#if LIBCURL_VERSION_NUM >= 0x075700
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_QUICK_EXIT, 1L);
#endif
}

static void
set_callbacks (struct transfer *t)
{
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_PRIVATE, t);
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_OPENSOCKETDATA, t);
#if LIBCURL_VERSION_NUM >= 0x075000
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_PREREQFUNCTION, before_request);
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_PREREQDATA, t);
#endif
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_HEADERFUNCTION, on_header);
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_HEADERDATA, t);
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_WRITEFUNCTION, on_body);
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_WRITEDATA, t);
}

struct transfer *
transfer_new (struct http_curl *curl, const struct http_hop *hop,
              const struct http_hop_events *events, void *ctx)
{
  struct transfer *t;

  if (!http_curl_load (curl, NULL))
    return NULL;
  t = xcalloc (1, sizeof *t);
  t->curl = curl;
  t->events = events;
  t->ctx = ctx;
  t->private_too = hop->private_too;
  t->easy = t->curl->lib.easy_init ();
  if (!hop->url->literal)
    t->resolve = resolved (t, hop);
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_URL, hop->target);
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_RESOLVE, t->resolve);
  set_protocols (t);
  set_callbacks (t);
  return t;
}

void
transfer_begin (struct transfer *t)
{
  STAILQ_INSERT_TAIL (&t->curl->unborn, t, to_come);
  ev_idle_start (t->curl->loop, &t->curl->later);
}

static void *
begin (void *ctx, const struct http_hop *hop, const struct http_hop_events *events,
       void *events_ctx)
{
  struct transfer *t = transfer_new (ctx, hop, events, events_ctx);

  if (t == NULL)
    return NULL;
  set_headers (t, hop);
  set_body (t, hop);
  transfer_begin (t);
  return t;
}

static void
resume (void *transfer)
{
  struct transfer *t = transfer;
  struct http_curl *curl = t->curl;

  if (!t->paused)
    return;
  t->paused = false;
  curl->inside++;
  (void) t->curl->lib.easy_pause (t->easy, CURLPAUSE_CONT);
  if (--curl->inside == 0)
    bury (curl);
}

void
transfer_drop (void *transfer)
{
  struct transfer *t = transfer;

  t->events = NULL;
  if (!t->born) /* it goes when its turn comes */
    return;
  if (t->curl->inside == 0)
    transfer_free (t);
  else {
    t->next = t->curl->doomed;
    t->curl->doomed = t;
  }
}

/* ---- all of it -------------------------------------------------------------------------- */

struct http_curl *
http_curl_new (struct ev_loop *loop, const char *ca_file, const struct turns *turns)
{
  struct http_curl *curl = xcalloc (1, sizeof *curl);

  curl->loop = loop;
  curl->turns = turns;
  TAILQ_INIT (&curl->late);
  STAILQ_INIT (&curl->unborn);
  ev_idle_init (&curl->later, on_later);
  ev_set_priority (&curl->later, EV_MAXPRI); /* in every turn, however busy */
  curl->later.data = curl;
  curl->ca_file = ca_file != NULL ? xstrdup (ca_file) : NULL;
  ev_timer_init (&curl->timer, on_timer, 0, 0);
  curl->timer.data = curl;
  return curl;
}

bool
http_curl_load (struct http_curl *curl, struct error *err)
{
  CURLM *multi;

  if (curl->multi != NULL)
    return true;
  if (!curl_library_load (&curl->lib, err))
    return false;
  multi = curl->multi = curl->lib.multi_init ();
  if (multi == NULL)
    return error_set (err, "libcurl can't be set up");
  (void) curl->lib.multi_setopt (multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
  (void) curl->lib.multi_setopt (multi, CURLMOPT_SOCKETDATA, curl);
  (void) curl->lib.multi_setopt (multi, CURLMOPT_TIMERFUNCTION, set_timer);
  (void) curl->lib.multi_setopt (multi, CURLMOPT_TIMERDATA, curl);
  (void) curl->lib.multi_setopt (multi, CURLMOPT_MAXCONNECTS, (long) IDLE_CONNECTIONS);
  /* Where streams of HTTP/2 share a connection, reading one means to hold what comes for another
   * whose tool is slow: libcurl 7.88 takes any amount, and copies it all each time it goes on. */
  (void) curl->lib.multi_setopt (multi, CURLMOPT_PIPELINING, (long) CURLPIPE_NOTHING);
  return true;
}

void
http_curl_free (struct http_curl *curl)
{
  if (curl == NULL)
    return;
  while (!STAILQ_EMPTY (&curl->unborn)) {
    struct transfer *t = STAILQ_FIRST (&curl->unborn);
    STAILQ_REMOVE_HEAD (&curl->unborn, to_come);
    transfer_free (t);
  }
  if (curl->multi != NULL) {
    bury (curl);
    curl->inside++;
    (void) curl->lib.multi_cleanup (curl->multi);
  }
  ev_timer_stop (curl->loop, &curl->timer);
  ev_idle_stop (curl->loop, &curl->later);
  free (curl->ca_file);
  free (curl);
}

struct http_transport
http_curl_transport (struct http_curl *curl)
{
  return (
    struct http_transport){ .begin = begin, .resume = resume, .drop = transfer_drop, .ctx = curl };
}
