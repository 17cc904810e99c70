#include "front/rest/openapi.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_tape.h"
#include "base/json_write.h"
#include "front/auth/roles.h"
#include "front/rest/refusals.h"

#define API(name) extern const char api_##name##_schema_json[];
#include "front/rest/api/files.def"
#undef API

static const char *const texts[] = {
#define API(name) api_##name##_schema_json,
#include "front/rest/api/files.def"
#undef API
};
enum { TEXTS = sizeof texts / sizeof texts[0] };

static const char about[] =
  "Tools for agents: what is served, calls of it, conversations, and the daemon itself. A refusal "
  "has a code; which codes a status comes with stands in x-error-codes. Parameters of the query "
  "that an operation does not name, or that stand twice, are refused, but by /mcp and webhooks.";

static const char about_key[] =
  "A key of `toolhost key new`, or an access token where OAuth is configured. The words are the "
  "roles that an operation takes. On loopback nothing has to be shown for list, call and observe, "
  "unless the daemon is configured to ask for it; nothing has to be over the Unix socket.";

/* The document while it is made. */
struct making {
  struct json_writer w;
  const struct route *routes;
  size_t count;
  struct buf *faults; /* or NULL */
  struct arena arena;
  struct json_tape tapes[TEXTS];
  bool refused[REFUSAL_END]; /* by status: some request is */
};

/* What a file of api/ says of an operation. */
struct said {
  const struct json_tape *tape; /* NULL: nothing */
  const struct json_node *node;
};

static void fault (struct making *m, const char *fmt, ...) __attribute__ ((format (printf, 2, 3)));
static void
fault (struct making *m, const char *fmt, ...)
{
  char line[256];
  va_list args;

  if (m->faults == NULL)
    return;
  va_start (args, fmt);
  (void) vsnprintf (line, sizeof line, fmt, args);
  va_end (args);
  buf_printf (m->faults, "%s\n", line);
}

/* ---- what the files hold ---- */

/* The member `name` of the file's object `group`. */
static struct said
find (const struct making *m, const char *group, const char *name)
{
  for (size_t i = 0; i < TEXTS; i++) {
    const struct json_tape *tape = &m->tapes[i];
    const struct json_node *node =
      json_member (tape, json_member (tape, json_root (tape), group), name);
    if (node != NULL)
      return (struct said){ tape, node };
  }
  return (struct said){ NULL, NULL };
}

static const struct json_node *
member (struct said s, const char *name)
{
  return s.node != NULL ? json_member (s.tape, s.node, name) : NULL;
}

static void
put_raw (struct making *m, const struct json_tape *tape, const struct json_node *node)
{
  size_t len;
  const char *raw = json_raw (tape, node, &len);

  jsonw_raw (&m->w, raw, len);
}

static void
put_name (struct making *m, const struct json_tape *tape, const struct json_node *name)
{
  size_t len;
  const char *text = json_string (tape, name, &m->arena, &len);

  jsonw_name_len (&m->w, text, len);
}

/* ---- parameters ---- */

/* Is this parameter, perhaps by reference, the one of the path with this name? */
static bool
is_of_path (struct making *m, struct said s, const char *name)
{
  static const char prefix[] = "#/components/parameters/";
  const char *ref = json_cstring (s.tape, member (s, "$ref"), &m->arena);

  if (ref != NULL && strncmp (ref, prefix, sizeof prefix - 1) == 0)
    s = find (m, "parameters", ref + sizeof prefix - 1);
  return s.node != NULL && json_equals (s.tape, member (s, "in"), "path")
         && json_equals (s.tape, member (s, "name"), name);
}

static bool
describes (struct making *m, struct said operation, const char *name)
{
  const struct json_node *list = member (operation, "parameters");

  if (list == NULL)
    return false;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
    if (is_of_path (m, (struct said){ operation.tape, n }, name))
      return true;
  return false;
}

static void
put_segment (struct making *m, const char *name)
{
  jsonw_object (&m->w);
  jsonw_name_string (&m->w, "name", name);
  jsonw_name_string (&m->w, "in", "path");
  jsonw_name_bool (&m->w, "required", true);
  jsonw_name_raw (&m->w, "schema", "{\"type\":\"string\",\"minLength\":1}",
                  strlen ("{\"type\":\"string\",\"minLength\":1}"));
  jsonw_end (&m->w);
}

static void
put_parameters (struct making *m, const struct route *route, struct said operation)
{
  const struct json_node *list = member (operation, "parameters");

  jsonw_name (&m->w, "parameters");
  jsonw_array (&m->w);
  for (const char *at = route->pattern; (at = strchr (at, '{')) != NULL; at++) {
    const char *name = arena_strndup (&m->arena, at + 1, strcspn (at + 1, "}"));
    if (!describes (m, operation, name))
      put_segment (m, name);
  }
  if (list != NULL)
    for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
      put_raw (m, operation.tape, n);
  jsonw_end (&m->w);
}

/* ---- who may ---- */

static void
put_bearer (struct making *m, unsigned roles)
{
  jsonw_object (&m->w);
  jsonw_name_bits (&m->w, "bearer", roles, role_names);
  jsonw_end (&m->w);
}

static void
put_security (struct making *m, unsigned roles)
{
  jsonw_name (&m->w, "security");
  jsonw_array (&m->w);
  if (roles != 0)
    put_bearer (m, roles);
  if (roles != 0 && (roles & ~(unsigned) ROLES_LOCAL) == 0) {
    jsonw_object (&m->w);
    jsonw_end (&m->w);
  }
  jsonw_end (&m->w);
}

/* ---- answers ---- */

/* The codes that an operation says it answers a status with. */
static void
add_own (struct making *m, struct said operation, int status, struct refusal_codes *codes)
{
  char name[16];
  const struct json_node *list;

  (void) snprintf (name, sizeof name, "%d", status);
  list = json_member (operation.tape, member (operation, "errors"), name);
  if (list == NULL)
    return;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
    refusal_add (codes, json_cstring (operation.tape, n, &m->arena));
}

/* All that it answers this status with, when it is refused. */
static void
put_refusal (struct making *m, const struct route *route, struct said operation, int status)
{
  struct refusal_codes codes = { .count = 0 };
  const bool runs = json_is (member (operation, "runs"), JSON_TRUE);
  size_t shared;
  char name[48];

  refusal_common (&codes, status, route->role != 0);
  shared = codes.count;
  add_own (m, operation, status, &codes);
  if (runs)
    refusal_of_calls (&codes, status);
  if (codes.count == 0)
    return;
  (void) snprintf (name, sizeof name, "%d", status);
  jsonw_name_len (&m->w, name, strlen (name));
  if (codes.count > shared)
    return refusal_put (&m->w, status, &codes, runs, route->role != 0);
  (void) snprintf (name, sizeof name, "#/components/responses/Refused%d", status);
  jsonw_object (&m->w);
  jsonw_name_string (&m->w, "$ref", name);
  jsonw_end (&m->w);
}

static bool
answers (struct making *m, struct said operation, int status)
{
  char name[16];

  (void) m;
  (void) snprintf (name, sizeof name, "%d", status);
  return json_member (operation.tape, member (operation, "responses"), name) != NULL;
}

static void
put_members (struct making *m, struct said of)
{
  for (const struct json_node *n = json_first (of.node), *value; n != json_end (of.node);
       n = json_next (value)) {
    value = json_next (n);
    put_name (m, of.tape, n);
    put_raw (m, of.tape, value);
  }
}

static void
put_responses (struct making *m, const struct route *route, struct said operation)
{
  const struct json_node *own = member (operation, "responses");

  jsonw_name (&m->w, "responses");
  jsonw_object (&m->w);
  if (own != NULL)
    put_members (m, (struct said){ operation.tape, own });
  for (int status = REFUSAL_FIRST; status < REFUSAL_END; status++)
    if (m->refused[status] && !answers (m, operation, status))
      put_refusal (m, route, operation, status);
  jsonw_end (&m->w);
}

/* The statuses that an operation has refusals of its own for. */
static void
note_own (struct making *m, struct said operation)
{
  const struct json_node *own = member (operation, "errors");

  if (own == NULL)
    return;
  for (const struct json_node *n = json_first (own); n != json_end (own);
       n = json_next (json_next (n))) {
    const long status = strtol (json_cstring (operation.tape, n, &m->arena), NULL, 10);
    if (status >= REFUSAL_FIRST && status < REFUSAL_END)
      m->refused[status] = true;
  }
}

/* ---- operations ---- */

static void
put_if (struct making *m, struct said operation, const char *name)
{
  const struct json_node *node = member (operation, name);

  if (node == NULL)
    return;
  jsonw_name (&m->w, name);
  put_raw (m, operation.tape, node);
}

static void
put_tag (struct making *m, const struct json_tape *tape)
{
  const struct json_node *tag = json_member (tape, json_root (tape), "tag");

  jsonw_name (&m->w, "tags");
  jsonw_array (&m->w);
  put_raw (m, tape, json_member (tape, tag, "name"));
  jsonw_end (&m->w);
}

static void
put_operation (struct making *m, const struct route *route)
{
  const struct said operation = find (m, "operations", route->operation);

  jsonw_object (&m->w);
  jsonw_name_string (&m->w, "operationId", route->operation);
  jsonw_name_string (&m->w, "summary", route->summary);
  if (operation.node == NULL)
    fault (m, "%s %s: no file of api/ describes %s", route->method, route->pattern,
           route->operation);
  else {
    put_tag (m, operation.tape);
    put_if (m, operation, "description");
    put_security (m, route->role);
    put_parameters (m, route, operation);
    put_if (m, operation, "requestBody");
    put_responses (m, route, operation);
  }
  jsonw_end (&m->w);
}

static void
put_method (struct making *m, const struct route *route)
{
  char name[8] = "";

  for (size_t i = 0; i < sizeof name - 1 && route->method[i] != '\0'; i++)
    name[i] = (char) (route->method[i] | ' ');
  jsonw_name_len (&m->w, name, strlen (name));
  put_operation (m, route);
}

/* All methods of a path stand together, whatever their order in the table. */
static void
put_path (struct making *m, size_t at)
{
  const char *pattern = m->routes[at].pattern;

  for (size_t i = 0; i < at; i++)
    if (strcmp (m->routes[i].pattern, pattern) == 0)
      return;
  jsonw_name_len (&m->w, pattern, strlen (pattern));
  jsonw_object (&m->w);
  for (size_t i = at; i < m->count; i++)
    if (strcmp (m->routes[i].pattern, pattern) == 0)
      put_method (m, &m->routes[i]);
  jsonw_end (&m->w);
}

/* ---- the whole ---- */

static void
put_info (struct making *m, const char *version)
{
  jsonw_name_string (&m->w, "openapi", "3.1.0");
  jsonw_name (&m->w, "info");
  jsonw_object (&m->w);
  jsonw_name_string (&m->w, "title", "toolhost");
  jsonw_name_string (&m->w, "version", version);
  jsonw_name_string (&m->w, "description", about);
  jsonw_name (&m->w, "license");
  jsonw_object (&m->w);
  jsonw_name_string (&m->w, "name", "MIT");
  jsonw_name_string (&m->w, "identifier", "MIT");
  jsonw_end (&m->w);
  jsonw_end (&m->w);
  jsonw_name (&m->w, "servers");
  jsonw_array (&m->w);
  jsonw_object (&m->w);
  jsonw_name_string (&m->w, "url", "/");
  jsonw_end (&m->w);
  jsonw_end (&m->w);
}

static void
put_tags (struct making *m)
{
  jsonw_name (&m->w, "tags");
  jsonw_array (&m->w);
  for (size_t i = 0; i < TEXTS; i++)
    put_raw (m, &m->tapes[i], json_member (&m->tapes[i], json_root (&m->tapes[i]), "tag"));
  jsonw_end (&m->w);
}

/* All members of the object `group` of all files. */
static void
put_all (struct making *m, const char *group)
{
  for (size_t i = 0; i < TEXTS; i++) {
    const struct json_tape *tape = &m->tapes[i];
    const struct json_node *node = json_member (tape, json_root (tape), group);
    if (node != NULL)
      put_members (m, (struct said){ tape, node });
  }
}

static void
put_group (struct making *m, const char *group)
{
  jsonw_name (&m->w, group);
  jsonw_object (&m->w);
  put_all (m, group);
  jsonw_end (&m->w);
}

/* What every request may be refused with, and the answers that files share. */
static void
put_shared (struct making *m)
{
  char name[32];

  jsonw_name (&m->w, "responses");
  jsonw_object (&m->w);
  put_all (m, "responses");
  for (int status = REFUSAL_FIRST; status < REFUSAL_END; status++) {
    struct refusal_codes codes = { .count = 0 };
    refusal_common (&codes, status, true);
    if (codes.count == 0)
      continue;
    (void) snprintf (name, sizeof name, "Refused%d", status);
    jsonw_name_len (&m->w, name, strlen (name));
    refusal_put (&m->w, status, &codes, false, true);
  }
  jsonw_end (&m->w);
}

static void
put_components (struct making *m)
{
  jsonw_name (&m->w, "components");
  jsonw_object (&m->w);
  jsonw_name (&m->w, "securitySchemes");
  jsonw_object (&m->w);
  jsonw_name (&m->w, "bearer");
  jsonw_object (&m->w);
  jsonw_name_string (&m->w, "type", "http");
  jsonw_name_string (&m->w, "scheme", "bearer");
  jsonw_name_string (&m->w, "description", about_key);
  jsonw_end (&m->w);
  jsonw_end (&m->w);
  put_group (m, "parameters");
  put_group (m, "schemas");
  put_shared (m);
  jsonw_end (&m->w);
}

static bool
is_routed (const struct making *m, const char *operation)
{
  size_t found = 0;

  for (size_t i = 0; i < m->count; i++)
    found += strcmp (m->routes[i].operation, operation) == 0;
  return found == 1;
}

static void
look_at_operations (struct making *m)
{
  for (size_t i = 0; i < TEXTS; i++) {
    const struct json_tape *tape = &m->tapes[i];
    const struct json_node *all = json_member (tape, json_root (tape), "operations");
    for (const struct json_node *n = json_first (all); n != json_end (all);
         n = json_next (json_next (n))) {
      const char *name = json_cstring (tape, n, &m->arena);
      if (!is_routed (m, name))
        fault (m, "%s: not the operation of exactly one route", name);
      note_own (m, (struct said){ tape, json_next (n) });
    }
  }
}

void
openapi_put (struct buf *out, const struct route *routes, size_t count, const char *version,
             struct buf *faults)
{
  struct making *m = xcalloc (1, sizeof *m);

  *m = (struct making){ .w = { .out = out }, .routes = routes, .count = count, .faults = faults };
  for (size_t i = 0; i < TEXTS; i++)
    if (!json_read (&m->tapes[i], texts[i], strlen (texts[i]), &json_default_limits, &m->arena))
      abort (); /* a part of the program that its tests have read */
  refusal_statuses (m->refused);
  look_at_operations (m);
  jsonw_object (&m->w);
  put_info (m, version);
  put_tags (m);
  jsonw_name (&m->w, "paths");
  jsonw_object (&m->w);
  for (size_t i = 0; i < count; i++)
    put_path (m, i);
  jsonw_end (&m->w);
  put_components (m);
  jsonw_end (&m->w);
  arena_free (&m->arena);
  free (m);
}
