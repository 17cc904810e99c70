/* fake_http.h - an HTTP exchange without a connection: the test makes the request and reads what
 * was answered.  Stands in for front/http when linking.  As with the real one, an exchange's memory
 * is gone once it was answered or lost: a front that touches it then is caught by the sanitizers.
 */
#ifndef TOOLHOST_TESTS_FAKE_HTTP_H
#define TOOLHOST_TESTS_FAKE_HTTP_H

#include "front/http/http.h"

/* What a test sees of an exchange. */
struct fake_answer {
  struct http_exchange *x; /* NULL: it has ended */
  int status;              /* 0: nothing yet */
  bool streaming;
  bool lost;      /* by fake_http_lose */
  size_t backlog; /* bytes of a stream that the peer has not taken: as the test says */
  char type[64];
  char headers[1024];
  struct buf body; /* NUL behind it */
};

/* `headers`: "name: value\n…", names in lower case.  `path` with the query.  `body` may be NULL. */
void fake_http_request (struct fake_answer *answer, const struct front_peer *peer,
                        const char *method, const char *path, const char *headers,
                        const char *body);
/* The peer leaves. */
void fake_http_lose (struct fake_answer *answer);
/* From now on writing fails, and the peer is lost by it. */
void fake_http_choke (struct fake_answer *answer);
/* Was this answered, whole? */
bool fake_http_ended (const struct fake_answer *answer);
const char *fake_http_body (struct fake_answer *answer);
/* One that was not answered is lost by it. */
void fake_answer_free (struct fake_answer *answer);

extern const struct front_peer fake_anonymous, fake_manager;

#endif
