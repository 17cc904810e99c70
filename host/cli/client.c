#include "cli/client.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_tape.h"
#include "cli/answer.h"
#include "cli/input.h"
#include "cli/out.h"
#include "cli/sse.h"

enum { CONNECT_SECONDS = 5, ANSWER_SECONDS = 30, REPLY_MAX = 256 * 1024 * 1024, TOKEN_MAX = 8192 };

#define SYSTEM_SOCKET "/run/toolhost/toolhostd.sock"

struct client {
  CURLM *multi;
  char *socket;    /* NULL: over TCP */
  char *base;      /* of the URL, no slash at its end */
  char *bearer;    /* the header that shows a key; NULL: none */
  char *ca, *cert; /* files, of https alone; NULL: the system's, none */
};

/* ---- which daemon ---- */

static bool
exists (const char *path)
{
  struct stat st;

  return stat (path, &st) == 0;
}

/* The user's own daemon if it runs, else the system's; root looks at the system's first. */
static char *
default_socket (void)
{
  const char *runtime = getenv ("XDG_RUNTIME_DIR");
  struct buf path = { 0 };

  if (runtime == NULL || *runtime == '\0' || (geteuid () == 0 && exists (SYSTEM_SOCKET)))
    return xstrdup (SYSTEM_SOCKET);
  buf_printf (&path, "%s/toolhost/toolhostd.sock", runtime);
  if (!exists (buf_cstr (&path))) {
    buf_free (&path);
    return xstrdup (SYSTEM_SOCKET);
  }
  return path.data;
}

static char *
choose_socket (const struct options *options)
{
  const char *given = options->socket != NULL ? options->socket : getenv ("TOOLHOST_SOCKET");

  return given != NULL && *given != '\0' ? xstrdup (given) : default_socket ();
}

static bool
check_url (const char *url, struct error *err)
{
  if (strncmp (url, "http://", 7) == 0 || strncmp (url, "https://", 8) == 0)
    return true;
  return error_set (err, "--url: expected http://HOST:PORT or https://HOST:PORT, got \"%s\"", url);
}

/* ---- who we are ---- */

/* Others must not read a key; what is no file (a pipe of a shell) only its owner can. */
static bool
is_private (const char *path, struct error *err)
{
  struct stat st;

  if (stat (path, &st) < 0)
    return error_set (err, "%s", strerror (errno));
  return !S_ISREG (st.st_mode) || (st.st_mode & 077) == 0
         || error_set (err, "expected a file that its owner alone may use (mode 0600)");
}

/* The first word of the file as a header. */
static bool
make_bearer (const char *path, char **bearer, struct error *err)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct buf header = { 0 };
  size_t len;

  if (!is_private (path, err) || !input_read (path, &text, err))
    return error_wrap (err, "--key %s: ", path);
  len = strcspn (buf_cstr (&text), " \t\r\n");
  if (len == 0 || len > TOKEN_MAX)
    return error_set (err, "--key %s: expected a key or an access token", path);
  buf_printf (&header, "Authorization: Bearer %.*s", (int) len, text.data);
  (void) buf_cstr (&header);
  memset (text.data, 0, text.len);
  *bearer = header.data;
  return true;
}

static bool
take_key (struct client *client, const struct options *options, struct error *err)
{
  const char *path = options->key != NULL ? options->key : getenv ("TOOLHOST_KEY_FILE");

  return path == NULL || *path == '\0' || make_bearer (path, &client->bearer, err);
}

struct client *
client_open (const struct options *options, struct error *err)
{
  if (options->url != NULL && options->socket != NULL) {
    error_set (err, "--url and --socket can't be used together");
    return NULL;
  }
  if (options->url != NULL && !check_url (options->url, err))
    return NULL;
  if ((options->ca != NULL || options->cert != NULL)
      && (options->url == NULL || strncmp (options->url, "https://", 8) != 0)) {
    error_set (err, "--ca and --cert are for --url https://...");
    return NULL;
  }

  struct client *client = xcalloc (1, sizeof *client);
  size_t len = options->url != NULL ? strlen (options->url) : 0;

  while (len > 0 && options->url[len - 1] == '/')
    len--;
  client->base = len > 0 ? xstrndup (options->url, len) : xstrdup ("http://localhost");
  client->socket = len > 0 ? NULL : choose_socket (options);
  (void) curl_global_init (CURL_GLOBAL_DEFAULT);
  client->multi = curl_multi_init ();
  client->ca = options->ca != NULL ? xstrdup (options->ca) : NULL;
  client->cert = options->cert != NULL ? xstrdup (options->cert) : NULL;
  if (take_key (client, options, err))
    return client;
  client_close (client);
  return NULL;
}

void
client_close (struct client *client)
{
  if (client == NULL)
    return;
  (void) curl_multi_cleanup (client->multi);
  curl_global_cleanup ();
  free (client->socket);
  free (client->base);
  free (client->bearer);
  free (client->ca);
  free (client->cert);
  free (client);
}

void
reply_free (struct reply *reply)
{
  buf_free (&reply->body);
}

void
url_escape (struct buf *out, const char *text)
{
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~";

  for (; *text != '\0'; text++)
    if (strchr (plain, *text) != NULL)
      buf_putc (out, *text);
    else
      buf_printf (out, "%%%02X", (unsigned char) *text);
}

/* ---- one exchange ---- */

struct exchange {
  CURL *easy;
  struct curl_slist *headers;
  struct reply *reply;
  struct sse sse;
  bool streams; /* the caller wants events */
  bool too_large;
  char problem[CURL_ERROR_SIZE];
};

static bool
is_event_stream (CURL *easy)
{
  static const char wanted[] = "text/event-stream";
  char *type = NULL;

  return curl_easy_getinfo (easy, CURLINFO_CONTENT_TYPE, &type) == CURLE_OK && type != NULL
         && strncasecmp (type, wanted, sizeof wanted - 1) == 0;
}

static size_t
on_bytes (char *bytes, size_t size, size_t count, void *arg)
{
  struct exchange *x = arg;
  size_t len = size * count;

  if (x->streams && is_event_stream (x->easy))
    x->too_large = !sse_feed (&x->sse, bytes, len);
  else if (x->reply->body.len + len > REPLY_MAX)
    x->too_large = true;
  else
    buf_append (&x->reply->body, bytes, len);
  return x->too_large ? 0 : len;
}

static void
set_body (struct exchange *x, const struct request *request)
{
  if (request->body == NULL)
    return;
  (void) curl_easy_setopt (x->easy, CURLOPT_POSTFIELDS, request->body);
  (void) curl_easy_setopt (x->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t) request->body_len);
  x->headers = curl_slist_append (x->headers, "Content-Type: application/json");
}

static void
exchange_open (struct exchange *x, const struct client *client, const struct request *request)
{
  CLEANUP_BUF struct buf url = { 0 };

  buf_printf (&url, "%s%s", client->base, request->path);
  x->easy = curl_easy_init ();
  /* Neither a proxy nor a redirect of the surroundings may get what is meant for this daemon. */
  (void) curl_easy_setopt (x->easy, CURLOPT_URL, buf_cstr (&url));
  (void) curl_easy_setopt (x->easy, CURLOPT_PROXY, "");
  (void) curl_easy_setopt (x->easy, CURLOPT_PROTOCOLS_STR, "http,https");
  (void) curl_easy_setopt (x->easy, CURLOPT_NOSIGNAL, 1L);
  (void) curl_easy_setopt (x->easy, CURLOPT_CONNECTTIMEOUT, (long) CONNECT_SECONDS);
  (void) curl_easy_setopt (x->easy, CURLOPT_ERRORBUFFER, x->problem);
  (void) curl_easy_setopt (x->easy, CURLOPT_WRITEFUNCTION, on_bytes);
  (void) curl_easy_setopt (x->easy, CURLOPT_WRITEDATA, x);
  if (client->socket != NULL)
    (void) curl_easy_setopt (x->easy, CURLOPT_UNIX_SOCKET_PATH, client->socket);
  if (client->ca != NULL) {
    (void) curl_easy_setopt (x->easy, CURLOPT_CAINFO, client->ca);
    (void) curl_easy_setopt (x->easy, CURLOPT_CAPATH, NULL);
  }
  if (client->cert != NULL)
    (void) curl_easy_setopt (x->easy, CURLOPT_SSLCERT, client->cert);
  if (!x->streams && !request->patient)
    (void) curl_easy_setopt (x->easy, CURLOPT_TIMEOUT, (long) ANSWER_SECONDS);
  set_body (x, request);
  (void) curl_easy_setopt (x->easy, CURLOPT_CUSTOMREQUEST, request->method);
  x->headers =
    curl_slist_append (x->headers, x->streams ? "Accept: text/event-stream, application/json"
                                              : "Accept: application/json");
  x->headers = curl_slist_append (x->headers, "Expect:");
  if (request->header != NULL)
    x->headers = curl_slist_append (x->headers, request->header);
  if (client->bearer != NULL)
    x->headers = curl_slist_append (x->headers, client->bearer);
  (void) curl_easy_setopt (x->easy, CURLOPT_HTTPHEADER, x->headers);
}

static void
exchange_close (struct exchange *x)
{
  curl_slist_free_all (x->headers);
  curl_easy_cleanup (x->easy);
  sse_free (&x->sse);
}

/* Why there was no answer, and what to do about it. */
static bool
explain (const struct client *client, const struct exchange *x, CURLcode code, struct error *err)
{
  const char *where = client->socket != NULL ? client->socket : client->base;
  const char *hint = client->socket != NULL
                       ? "is it running? start it with toolhostd, or name its socket with --socket"
                       : "is it running, and does it listen there?";
  long os = 0;

  if (x->too_large)
    return error_set (err, "the answer of toolhostd at %s is over %d MiB", where, REPLY_MAX >> 20);
  if (code != CURLE_COULDNT_CONNECT && code != CURLE_COULDNT_RESOLVE_HOST
      && code != CURLE_COULDNT_RESOLVE_PROXY)
    return error_set (err, "no proper answer from toolhostd at %s: %s", where,
                      x->problem[0] != '\0' ? x->problem : curl_easy_strerror (code));
  (void) curl_easy_getinfo (x->easy, CURLINFO_OS_ERRNO, &os);
  return error_set (err, "cannot reach toolhostd at %s: %s; %s", where,
                    os != 0 ? strerror ((int) os) : curl_easy_strerror (code), hint);
}

/* The result of the one transfer, once it has ended. */
static bool
has_ended (CURLM *multi, CURLcode *code)
{
  CURLMsg *message;
  int left;

  while ((message = curl_multi_info_read (multi, &left)) != NULL)
    if (message->msg == CURLMSG_DONE) {
      *code = message->data.result;
      return true;
    }
  return false;
}

static CURLcode
run (CURLM *multi, const struct stream_events *events)
{
  struct curl_waitfd wake = { .fd = events != NULL ? events->interrupt_fd : -1,
                              .events = CURL_WAIT_POLLIN };
  CURLcode code = CURLE_OK;
  int running = 0;

  for (;;) {
    if (curl_multi_perform (multi, &running) != CURLM_OK)
      return CURLE_FAILED_INIT;
    if (has_ended (multi, &code))
      return code;
    wake.revents = 0;
    if (curl_multi_poll (multi, &wake, wake.fd >= 0 ? 1 : 0, 1000, NULL) != CURLM_OK)
      return CURLE_FAILED_INIT;
    if (wake.revents != 0)
      events->interrupt (events->ctx);
  }
}

static bool
exchange (struct client *client, const struct request *request, const struct stream_events *events,
          struct reply *reply, struct error *err)
{
  struct exchange x = { .reply = reply, .streams = events != NULL };
  bool ok = true;

  if (events != NULL) {
    x.sse.on_event = events->event;
    x.sse.ctx = events->ctx;
  }
  exchange_open (&x, client, request);
  (void) curl_multi_add_handle (client->multi, x.easy);
  CURLcode code = run (client->multi, events);
  (void) curl_multi_remove_handle (client->multi, x.easy);
  if (code != CURLE_OK)
    ok = explain (client, &x, code, err);
  (void) curl_easy_getinfo (x.easy, CURLINFO_RESPONSE_CODE, &reply->status);
  exchange_close (&x);
  return ok;
}

bool
client_ask (struct client *client, const struct request *request, struct reply *reply,
            struct error *err)
{
  return exchange (client, request, NULL, reply, err);
}

bool
client_stream (struct client *client, const struct request *request,
               const struct stream_events *events, struct reply *reply, struct error *err)
{
  return exchange (client, request, events, reply, err);
}

/* ---- what the commands need ---- */

/* Append what the daemon answered instead; the exit status that goes with it. */
static enum cli_exit
refusal (const struct reply *reply, struct buf *out)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  if (!json_read (&tape, reply->body.len > 0 ? reply->body.data : "", reply->body.len,
                  &answer_limits, &arena)) {
    buf_printf (out,
                "the daemon answered with HTTP status %ld; is it toolhostd that listens there?",
                reply->status);
    return exit_for_error (NULL, reply->status);
  }

  const struct json_node *error = json_member (&tape, json_root (&tape), "error");
  const char *code = json_cstring (&tape, json_member (&tape, error, "code"), &arena);
  const char *message = json_cstring (&tape, json_member (&tape, error, "message"), &arena);

  if (message == NULL)
    buf_printf (out, "the daemon answered with HTTP status %ld", reply->status);
  else
    buf_puts (out, message);
  return exit_for_error (code, reply->status);
}

enum cli_exit
client_refused_because (const struct reply *reply, struct error *err)
{
  CLEANUP_BUF struct buf text = { 0 };
  const enum cli_exit status = refusal (reply, &text);

  error_set (err, "%s", buf_cstr (&text));
  return status;
}

enum cli_exit
client_refused (const struct reply *reply)
{
  CLEANUP_BUF struct buf text = { 0 };
  const enum cli_exit status = refusal (reply, &text);

  return out_error (status, "%s", buf_cstr (&text));
}

enum cli_exit
client_fetch (const struct options *options, const char *method, const char *path,
              struct reply *reply)
{
  struct error err = { 0 };
  struct client *client = client_open (options, &err);

  if (client == NULL)
    return out_error (CLI_USAGE, "%s", err.text);

  struct request request = { .method = method, .path = path };
  bool ok = client_ask (client, &request, reply, &err);
  client_close (client);
  if (!ok)
    return out_error (CLI_UNREACHABLE, "%s", err.text);
  return reply->status / 100 == 2 ? CLI_OK : client_refused (reply);
}
