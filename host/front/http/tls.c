#include "front/http/tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"

struct tls_server {
  pthread_mutex_t lock; /* guards what follows */
  SSL_CTX *context;
  int64_t expires;
};

/* ---- what OpenSSL says ---- */

/* The first thing that went wrong; what came of it is left out. */
static const char *
reason (void)
{
  const unsigned long code = ERR_peek_error ();
  const char *text = ERR_GET_LIB (code) == ERR_LIB_SYS ? strerror ((int) ERR_GET_REASON (code))
                                                       : ERR_reason_error_string (code);

  return text != NULL ? text : "unknown error";
}

static bool
fail (struct error *err, const char *file, const char *what)
{
  error_set (err, "%s: %s: %s", file, what, reason ());
  ERR_clear_error ();
  return false;
}

/* ---- a server ---- */

/* Nobody is asked for the passphrase of a key. */
static int
no_passphrase (char *room, int size, int writing, void *ctx)
{
  (void) room;
  (void) size;
  (void) writing;
  *(bool *) ctx = true;
  return -1;
}

/* A key that others can read is no secret. */
static bool
is_private (const char *path, struct error *err)
{
  struct stat st;

  if (stat (path, &st) < 0)
    return error_set (err, "%s: %s", path, strerror (errno));
  return (S_ISREG (st.st_mode) && (st.st_mode & 027) == 0)
         || error_set (err,
                       "%s: expected a file that nobody but its owner and its group may read "
                       "(mode 0600 or 0640)",
                       path);
}

static bool
use_certificate (SSL_CTX *context, const char *path, struct error *err)
{
  struct stat st;

  if (stat (path, &st) < 0)
    return error_set (err, "%s: %s", path, strerror (errno));
  return SSL_CTX_use_certificate_chain_file (context, path) == 1
         || fail (err, path, "expected certificates as PEM");
}

static bool
use_key (SSL_CTX *context, const struct tls_settings *settings, struct error *err)
{
  const char *path = settings->key_file;
  bool encrypted = false;

  if (!is_private (path, err))
    return false;
  SSL_CTX_set_default_passwd_cb (context, no_passphrase);
  SSL_CTX_set_default_passwd_cb_userdata (context, &encrypted);
  if (SSL_CTX_use_PrivateKey_file (context, path, SSL_FILETYPE_PEM) != 1) {
    if (ERR_GET_REASON (ERR_peek_error ()) == X509_R_KEY_VALUES_MISMATCH) {
      ERR_clear_error ();
      return error_set (err, "%s: it is not the key of the certificate %s", path,
                        settings->certificate_file);
    }
    if (!encrypted)
      return fail (err, path, "expected a private key as PEM");
    ERR_clear_error ();
    return error_set (err, "%s: the key is encrypted; the daemon asks nobody for its passphrase",
                      path);
  }
  SSL_CTX_set_default_passwd_cb_userdata (context, NULL);
  return SSL_CTX_check_private_key (context) == 1
         || error_set (err, "%s: it is not the key of the certificate %s", path,
                       settings->certificate_file);
}

/* Who has no certificate of these authorities does not get past the handshake. */
static bool
ask_clients (SSL_CTX *context, const char *path, struct error *err)
{
  STACK_OF (X509_NAME) * names;

  if (path == NULL)
    return true;
  names = SSL_load_client_CA_file (path);
  if (names == NULL || SSL_CTX_load_verify_file (context, path) != 1) {
    sk_X509_NAME_pop_free (names, X509_NAME_free);
    return fail (err, path, "expected certificates of authorities as PEM");
  }
  SSL_CTX_set_client_CA_list (context, names);
  SSL_CTX_set_verify (context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
  return true;
}

/* Who offers protocols must offer ours. */
static int
choose_protocol (SSL *ssl, const unsigned char **out, unsigned char *len,
                 const unsigned char *offered, unsigned offered_len, void *ctx)
{
  static const unsigned char ours[] = "\x08http/1.1";

  (void) ssl;
  (void) ctx;
  if (SSL_select_next_proto ((unsigned char **) (uintptr_t) out, len, ours, sizeof ours - 1,
                             offered, offered_len)
      != OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  return SSL_TLSEXT_ERR_OK;
}

static void
set_up (SSL_CTX *context)
{
  static const unsigned char name[] = "toolhostd";

  (void) SSL_CTX_set_min_proto_version (context, TLS1_2_VERSION);
  (void) SSL_CTX_set_cipher_list (context, "ECDHE+AESGCM:ECDHE+CHACHA20");
  (void) SSL_CTX_set_options (context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION
                                         | SSL_OP_CIPHER_SERVER_PREFERENCE);
  (void) SSL_CTX_set_mode (context, SSL_MODE_ENABLE_PARTIAL_WRITE
                                      | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
                                      | SSL_MODE_RELEASE_BUFFERS);
  (void) SSL_CTX_set_session_cache_mode (context, SSL_SESS_CACHE_OFF); /* tickets need none */
  (void) SSL_CTX_set_session_id_context (context, name, sizeof name - 1);
  SSL_CTX_set_read_ahead (context, 1); /* a record costs one system call, not two */
  SSL_CTX_set_alpn_select_cb (context, choose_protocol, NULL);
}

static int64_t
expiry_of (const SSL_CTX *context)
{
  const X509 *certificate = SSL_CTX_get0_certificate (context);
  struct tm tm = { 0 };

  return certificate != NULL && ASN1_TIME_to_tm (X509_get0_notAfter (certificate), &tm) == 1
           ? (int64_t) timegm (&tm)
           : 0;
}

struct tls_server *
tls_server_new (const struct tls_settings *settings, struct error *err)
{
  struct tls_server *server = xcalloc (1, sizeof *server);

  ERR_clear_error ();
  pthread_mutex_init (&server->lock, NULL);
  server->context = SSL_CTX_new (TLS_server_method ());
  if (server->context == NULL)
    (void) fail (err, "TLS", "no context");
  else {
    set_up (server->context);
    if (use_certificate (server->context, settings->certificate_file, err)
        && use_key (server->context, settings, err)
        && ask_clients (server->context, settings->client_ca_file, err)) {
      server->expires = expiry_of (server->context);
      return server;
    }
  }
  tls_server_free (server);
  return NULL;
}

void
tls_server_free (struct tls_server *server)
{
  if (server == NULL)
    return;
  SSL_CTX_free (server->context);
  pthread_mutex_destroy (&server->lock);
  free (server);
}

void
tls_server_become (struct tls_server *server, struct tls_server *other)
{
  SSL_CTX *was;

  pthread_mutex_lock (&server->lock);
  was = server->context;
  server->context = other->context;
  server->expires = other->expires;
  pthread_mutex_unlock (&server->lock);
  other->context = was;
  tls_server_free (other);
}

int64_t
tls_server_expires (struct tls_server *server)
{
  int64_t expires;

  pthread_mutex_lock (&server->lock);
  expires = server->expires;
  pthread_mutex_unlock (&server->lock);
  return expires;
}

/* ---- a connection ---- */

struct tls {
  SSL *ssl;
  bool broken; /* nothing more may be said */
};

struct tls *
tls_new (struct tls_server *server, int fd)
{
  struct tls *tls = xcalloc (1, sizeof *tls);

  ERR_clear_error ();
  pthread_mutex_lock (&server->lock);
  tls->ssl = SSL_new (server->context);
  pthread_mutex_unlock (&server->lock);
  if (tls->ssl == NULL || SSL_set_fd (tls->ssl, fd) != 1) {
    tls->broken = true;
    tls_free (tls);
    return NULL;
  }
  SSL_set_accept_state (tls->ssl);
  return tls;
}

void
tls_free (struct tls *tls)
{
  if (tls == NULL)
    return;
  ERR_clear_error ();
  if (!tls->broken && SSL_is_init_finished (tls->ssl))
    (void) SSL_shutdown (tls->ssl);
  SSL_free (tls->ssl);
  ERR_clear_error ();
  free (tls);
}

enum tls_step
tls_handshake (struct tls *tls, struct error *err)
{
  int result;

  ERR_clear_error ();
  errno = 0;
  result = SSL_do_handshake (tls->ssl);
  if (result == 1)
    return TLS_DONE;
  switch (SSL_get_error (tls->ssl, result)) {
  case SSL_ERROR_WANT_READ:
    return TLS_WANTS_READ;
  case SSL_ERROR_WANT_WRITE:
    return TLS_WANTS_WRITE;
  default:
    break;
  }
  tls->broken = true;
  if (ERR_GET_REASON (ERR_peek_error ()) == SSL_R_HTTP_REQUEST)
    return TLS_IS_PLAIN;
  if (ERR_peek_error () != 0)
    error_set (err, "%s", reason ());
  else
    error_set (err, "%s", errno != 0 ? strerror (errno) : "the peer has closed the connection");
  return TLS_FAILED;
}

/* What a call on the session came to, as one on a socket. */
static ssize_t
outcome (struct tls *tls, int result, size_t done)
{
  if (result == 1)
    return (ssize_t) done;
  switch (SSL_get_error (tls->ssl, result)) {
  case SSL_ERROR_WANT_READ:
  case SSL_ERROR_WANT_WRITE:
    errno = EAGAIN;
    return -1;
  case SSL_ERROR_ZERO_RETURN:
    return 0;
  default:
    tls->broken = true;
    return 0;
  }
}

/* A record at a time, until the room is full or there is no more. */
ssize_t
tls_recv (struct tls *tls, void *room, size_t len)
{
  size_t got = 0, n;

  while (got < len) {
    ERR_clear_error ();
    const int result = SSL_read_ex (tls->ssl, (char *) room + got, len - got, &n);
    if (result != 1)
      return got != 0 ? (ssize_t) got : outcome (tls, result, 0);
    got += n;
    if (!SSL_has_pending (tls->ssl))
      break;
  }
  return (ssize_t) got;
}

ssize_t
tls_peek (struct tls *tls, void *room, size_t len)
{
  size_t n = 0;

  ERR_clear_error ();
  return outcome (tls, SSL_peek_ex (tls->ssl, room, len, &n), n);
}

/* One piece; -1: it broke.  What it takes is a record at a time. */
static ssize_t
send_piece (struct tls *tls, const char *bytes, size_t len)
{
  size_t sent = 0, n;

  while (sent < len) {
    ERR_clear_error ();
    const int result = SSL_write_ex (tls->ssl, bytes + sent, len - sent, &n);
    if (result != 1)
      return outcome (tls, result, 0) == 0 ? -1 : (ssize_t) sent;
    sent += n;
  }
  return (ssize_t) sent;
}

ssize_t
tls_send (struct tls *tls, const struct iovec *pieces, size_t count)
{
  size_t all = 0;

  for (size_t i = 0; i < count; i++) {
    const ssize_t n = send_piece (tls, pieces[i].iov_base, pieces[i].iov_len);
    if (n < 0)
      return -1;
    all += (size_t) n;
    if ((size_t) n < pieces[i].iov_len)
      break;
  }
  return (ssize_t) all;
}

bool
tls_has_pending (const struct tls *tls)
{
  return SSL_has_pending (tls->ssl) == 1;
}
