/* curl_parts.h - what curl.c, which makes requests, and dial.c, which only connects, share. */
#ifndef TOOLHOST_SERVICE_HTTP_CURL_PARTS_H
#define TOOLHOST_SERVICE_HTTP_CURL_PARTS_H

#include <sys/queue.h>

#include "base/buf.h"
#include "service/http/curl.h"
#include "service/http/curl_library.h"

struct transfer;
struct watch;

struct http_curl {
  struct ev_loop *loop;
  const struct turns *turns;
  struct curl_library lib;
  char *ca_file;
  CURLM *multi;
  ev_timer timer;
  unsigned inside;         /* libcurl is on the stack: nothing may be removed */
  struct transfer *doomed; /* dropped meanwhile */
  ev_idle later;           /* in each turn while there is something in one of the next two */
  TAILQ_HEAD (, watch) late;
  STAILQ_HEAD (, transfer) unborn; /* begun, and libcurl has not heard of it */
};

struct transfer {
  struct http_curl *curl;
  CURL *easy;
  struct curl_slist *headers, *resolve;
  const struct http_hop_events *events; /* NULL: dropped */
  void *ctx;
  bool private_too, blocked, paused;
  bool born;                     /* libcurl has it */
  void (*connected) (void *ctx); /* NULL: a request; else there will be none, only a connection */
  /* the head, as it comes */
  int status;
  bool headed; /* it was told */
  enum http_failure failure;
  struct arena arena;
  struct http_header got[HTTP_HEADERS_MAX];
  size_t got_count, got_bytes;
  struct transfer *next; /* that is doomed */
  STAILQ_ENTRY (transfer) to_come;
};

/* A transfer to where the hop goes, with everything that keeps it there; nothing is sent.  NULL:
 * libcurl can't be had. */
struct transfer *transfer_new (struct http_curl *curl, const struct http_hop *hop,
                               const struct http_hop_events *events, void *ctx);
/* Hand it to libcurl, now or when that is off the stack. */
void transfer_begin (struct transfer *transfer);
/* Nobody wants to hear of it any more. */
void transfer_drop (void *transfer);

#endif
