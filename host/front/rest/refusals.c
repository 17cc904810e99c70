#include "front/rest/refusals.h"

#include <assert.h>

#include "base/buf.h"

struct row {
  int status;
  const char *code;
};

static const struct row of_all[] = {
#define REFUSAL(name, status, code, message) { status, code },
#include "front/http/refusals.def"
#undef REFUSAL
  { 400, "bad_parameter" },
  { 403, "forbidden_host" },
  { 403, "forbidden_origin" },
};

/* … where the caller has to be known (front/auth). */
static const struct row of_known[] = {
  { 400, "invalid_request" },    { 401, "unauthorized" }, { 401, "invalid_token" },
  { 403, "insufficient_scope" }, { 403, "not_allowed" },  { 429, "too_many_tokens" },
  { 503, "keys_unavailable" },
};

static const struct row of_calls[] = {
#define ERROR(name, http, level, text) { http, #name },
#include "call/errors.def"
#undef ERROR
};

void
refusal_add (struct refusal_codes *codes, const char *code)
{
  for (size_t i = 0; i < codes->count; i++)
    if (strcmp (codes->list[i], code) == 0)
      return;
  assert (codes->count < REFUSAL_CODES_MAX);
  codes->list[codes->count++] = code;
}

static void
add (struct refusal_codes *codes, int status, const struct row *rows, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (rows[i].status == status)
      refusal_add (codes, rows[i].code);
}

static void
note (bool refused[REFUSAL_END], const struct row *rows, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (rows[i].status >= REFUSAL_FIRST && rows[i].status < REFUSAL_END)
      refused[rows[i].status] = true;
}

void
refusal_statuses (bool refused[REFUSAL_END])
{
  note (refused, of_all, sizeof of_all / sizeof of_all[0]);
  note (refused, of_known, sizeof of_known / sizeof of_known[0]);
  note (refused, of_calls, sizeof of_calls / sizeof of_calls[0]);
}

void
refusal_common (struct refusal_codes *codes, int status, bool known)
{
  add (codes, status, of_all, sizeof of_all / sizeof of_all[0]);
  if (known)
    add (codes, status, of_known, sizeof of_known / sizeof of_known[0]);
}

void
refusal_of_calls (struct refusal_codes *codes, int status)
{
  add (codes, status, of_calls, sizeof of_calls / sizeof of_calls[0]);
}

/* ---- the Response Object ---- */

static void
put_header (struct json_writer *w, const char *name, const char *about, const char *schema)
{
  jsonw_name (w, "headers");
  jsonw_object (w);
  jsonw_name (w, name);
  jsonw_object (w);
  jsonw_name_string (w, "description", about);
  jsonw_name_bool (w, "required", true);
  jsonw_name_raw (w, "schema", schema, strlen (schema));
  jsonw_end (w);
  jsonw_end (w);
}

static void
put_headers (struct json_writer *w, int status, bool known)
{
  if (status == 429 || status == 503)
    put_header (w, "Retry-After", "seconds", "{\"type\":\"integer\",\"minimum\":1}");
  if (status == 401 && known)
    put_header (w, "WWW-Authenticate", "what would be taken (RFC 6750)", "{\"type\":\"string\"}");
}

static void
put_content (struct json_writer *w, bool runs)
{
  jsonw_name (w, "content");
  jsonw_object (w);
  jsonw_name (w, "application/json");
  jsonw_object (w);
  jsonw_name (w, "schema");
  jsonw_object (w);
  jsonw_name_string (w, "$ref",
                     runs ? "#/components/schemas/CallError" : "#/components/schemas/Error");
  jsonw_end (w);
  jsonw_end (w);
  jsonw_end (w);
}

void
refusal_put (struct json_writer *w, int status, const struct refusal_codes *codes, bool runs,
             bool known)
{
  CLEANUP_BUF struct buf about = { 0 };

  for (size_t i = 0; i < codes->count; i++)
    buf_printf (&about, "%s`%s`", i == 0 ? "Refused: " : ", ", codes->list[i]);
  jsonw_object (w);
  jsonw_name_string (w, "description", buf_cstr (&about));
  put_headers (w, status, known);
  put_content (w, runs);
  jsonw_name (w, "x-error-codes");
  jsonw_array (w);
  for (size_t i = 0; i < codes->count; i++)
    jsonw_string (w, codes->list[i]);
  jsonw_end (w);
  jsonw_end (w);
}
