#include "call/guards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/filter.h"

static const char PLUGIN[] = "plugin:";

const char *
guarded_at_word (enum guarded_at at)
{
  static const char *const words[] = { "input", "output", "error" };

  return words[at];
}

/* ---- a list while it is read ---- */

struct reading {
  const struct json_tape *tape;
  const struct json_node *node; /* an entry */
  struct guards_entry *entry;
  enum guarded_at at;
  struct arena *arena;
  struct error *err;
};

static const struct json_node *
member (const struct reading *r, const char *name)
{
  return json_member (r->tape, r->node, name);
}

/* What was there, short enough for an error. */
static bool
expected (const struct reading *r, const char *pointer, const char *what,
          const struct json_node *node)
{
  size_t len;
  const char *raw = json_raw (r->tape, node, &len);

  return error_set (r->err, "%s: expected %s, got %.*s%s", pointer, what, len < 60 ? (int) len : 60,
                    raw, len < 60 ? "" : "...");
}

/* Every member is one of these; they end with NULL. */
static bool
know (const struct reading *r, const char *const *known)
{
  for (const struct json_node *name = json_first (r->node); name != json_end (r->node);
       name = json_next (json_next (name))) {
    const char *text = json_cstring (r->tape, name, r->arena);
    const char *nearest;
    size_t i = 0;
    while (known[i] != NULL && (text == NULL || strcmp (known[i], text) != 0))
      i++;
    if (known[i] != NULL)
      continue;
    nearest = text != NULL ? error_nearest (text, known) : NULL;
    return error_set (r->err, "/%.60s: unknown key%s%s%s", text != NULL ? text : "",
                      nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
                      nearest != NULL ? "\"?" : "");
  }
  return true;
}

static bool
read_count (const struct reading *r, const char *name, int64_t most, int64_t *value)
{
  const struct json_node *node = member (r, name);
  char what[64], pointer[64];

  if (node == NULL || (json_int64 (r->tape, node, value) && *value >= 1 && *value <= most))
    return true;
  (void) snprintf (what, sizeof what, "a whole number from 1 to %lld", (long long) most);
  (void) snprintf (pointer, sizeof pointer, "/%s", name);
  return expected (r, pointer, what, node);
}

/* Milliseconds: 250, "250ms", "1s", "5m", "1h", "1d". */
static bool
read_duration (const struct reading *r, const char *name, int64_t most_ms, int64_t *ms)
{
  static const struct {
    const char *unit;
    int64_t ms;
  } units[] = { { "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { "h", 3600000 }, { "d", 86400000 } };
  const struct json_node *node = member (r, name);
  const char *text = json_cstring (r->tape, node, r->arena);
  char pointer[64], *end = NULL;
  int64_t value = -1;

  if (node == NULL)
    return true;
  if (text != NULL && *text >= '0' && *text <= '9' && strlen (text) < 16)
    value = strtoll (text, &end, 10);
  else if (!json_int64 (r->tape, node, &value))
    value = -1;
  for (size_t i = 0; value > 0 && end != NULL; i++) {
    if (i == sizeof units / sizeof *units) {
      value = -1;
      break;
    }
    if (strcmp (end, units[i].unit) == 0) {
      value = value <= most_ms ? value * units[i].ms : -1;
      break;
    }
  }
  *ms = value;
  (void) snprintf (pointer, sizeof pointer, "/%s", name);
  return (value >= 1 && value <= most_ms)
         || expected (r, pointer,
                      "a duration like \"250ms\" or \"30s\", and not longer than may be", node);
}

static bool
read_bool (const struct reading *r, const char *name, bool *value)
{
  const struct json_node *node = member (r, name);
  char pointer[64];

  if (node != NULL && !json_is (node, JSON_TRUE) && !json_is (node, JSON_FALSE)) {
    (void) snprintf (pointer, sizeof pointer, "/%s", name);
    return expected (r, pointer, "true or false", node);
  }
  if (node != NULL)
    *value = json_is (node, JSON_TRUE);
  return true;
}

/* One of these words, which end with NULL: which one. */
static bool
read_word (const struct reading *r, const char *name, const char *const *words, unsigned *which)
{
  const struct json_node *node = member (r, name);
  CLEANUP_BUF struct buf what = { 0 };
  char pointer[64];

  if (node == NULL)
    return true;
  for (*which = 0; words[*which] != NULL; ++*which)
    if (json_equals (r->tape, node, words[*which]))
      return true;
  for (size_t i = 0; words[i] != NULL; i++)
    buf_printf (&what, "%s\"%s\"", i == 0 ? "" : words[i + 1] == NULL ? " or " : ", ", words[i]);
  (void) snprintf (pointer, sizeof pointer, "/%s", name);
  return expected (r, pointer, buf_cstr (&what), node);
}

/* Patterns of names, kept with commas between them. */
static bool
read_tools (const struct reading *r)
{
  const struct json_node *list = member (r, "tools");
  CLEANUP_BUF struct buf text = { 0 };

  if (list == NULL)
    return true;
  if (!json_is (list, JSON_ARRAY) || list->count == 0)
    return expected (r, "/tools", "a list of names or patterns like \"send_*\"", list);
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n)) {
    const char *pattern = json_cstring (r->tape, n, r->arena);
    if (pattern == NULL || *pattern == '\0' || strchr (pattern, ',') != NULL)
      return expected (r, "/tools", "names or patterns like \"send_*\", without commas", n);
    buf_printf (&text, "%s%s", text.len != 0 ? "," : "", pattern);
  }
  r->entry->tools = xstrdup (buf_cstr (&text));
  return true;
}

/* ---- kinds of guards ---- */

static bool
read_built_in (const struct reading *r)
{
  r->entry->kind = GUARDS_BUILT_IN;
  r->entry->guard = guard_new (r->tape, r->node, r->err);
  return r->entry->guard != NULL;
}

/* Is it "PLUGIN/GUARD"? */
static bool
names_guard (const char *offer)
{
  static const char chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  const size_t plugin = strspn (offer, chars);
  const size_t guard = offer[plugin] == '/' ? strspn (offer + plugin + 1, chars) : 0;

  return plugin != 0 && plugin <= 64 && guard != 0 && guard <= 64
         && offer[plugin + 1 + guard] == '\0';
}

static bool
read_plugin (const struct reading *r)
{
  static const char *const at_error[] = { "guard", "tools", "config", "timeout", "is_error", NULL };
  static const char *const at_checks[] = {
    "guard", "tools", "config", "timeout", "on_failure", NULL
  };
  static const char *const failures[] = { "reject", "allow", NULL };
  const struct json_node *config = member (r, "config");
  unsigned failure = 0;
  size_t len;

  r->entry->kind = GUARDS_PLUGIN;
  r->entry->offer = r->entry->name + sizeof PLUGIN - 1;
  r->entry->timeout_ms = GUARD_TIMEOUT_MS;
  if (!names_guard (r->entry->offer))
    return expected (r, "/guard", "\"plugin:PLUGIN/GUARD\"", member (r, "guard"));
  if (!know (r, r->at == GUARDED_ERROR ? at_error : at_checks)
      || !read_duration (r, "timeout", GUARD_TIMEOUT_MAX_MS, &r->entry->timeout_ms)
      || !read_word (r, "on_failure", failures, &failure))
    return false;
  r->entry->lenient = failure == 1;
  if (config != NULL && !json_is (config, JSON_OBJECT))
    return expected (r, "/config", "an object", config);
  const char *raw = config != NULL ? json_raw (r->tape, config, &len) : "{}";
  r->entry->config = config != NULL ? xstrndup (raw, len) : xstrdup (raw);
  return true;
}

static const char *const pers[] = { "tenant", "session", "principal", NULL };

static bool
read_rate (const struct reading *r)
{
  static const char *const known[] = { "guard", "tools", "max", "window", "per", NULL };
  enum { LONGEST_MS = 86400000 };
  struct budget_rule *rule = &r->entry->budget;
  unsigned per = BUDGET_PER_TENANT;

  rule->window_ms = 60000;
  if (!know (r, known) || !read_count (r, "max", BUDGET_RATE_MAX, &rule->max)
      || !read_duration (r, "window", LONGEST_MS, &rule->window_ms)
      || !read_word (r, "per", pers, &per))
    return false;
  rule->per = (enum budget_per) per;
  return rule->max != 0 || error_set (r->err, "/max: required: how many calls a window may have");
}

static bool
read_budget (const struct reading *r)
{
  static const char *const known[] = { "guard",          "tools", "max_invocations",
                                       "max_exceptions", "per",   NULL };
  struct budget_rule *rule = &r->entry->budget;
  unsigned per = BUDGET_PER_TENANT;

  if (!know (r, known)
      || !read_count (r, "max_invocations", BUDGET_COUNT_MAX, &rule->max_invocations)
      || !read_count (r, "max_exceptions", BUDGET_COUNT_MAX, &rule->max_exceptions)
      || !read_word (r, "per", pers, &per))
    return false;
  rule->per = (enum budget_per) per;
  return rule->max_invocations != 0 || rule->max_exceptions != 0
         || error_set (r->err, ": expected max_invocations or max_exceptions");
}

static bool
is_built_in (const char *name)
{
  for (size_t i = 0; guard_names[i] != NULL; i++)
    if (strcmp (guard_names[i], name) == 0)
      return true;
  return false;
}

static bool
say_no_such_guard (const struct reading *r, const char *name)
{
  const char *names[32] = { "rate", "budget" };
  const char *nearest;
  CLEANUP_BUF struct buf text = { 0 };

  for (size_t i = 0; guard_names[i] != NULL && i < 29; i++)
    names[i + 2] = guard_names[i];
  nearest = error_nearest (name, names);
  for (size_t i = 2; names[i] != NULL; i++)
    buf_printf (&text, "%s, ", names[i]);
  return error_set (r->err,
                    "/guard: there is no guard \"%.60s\"%s%s%s: expected %srate, budget, or "
                    "\"plugin:PLUGIN/GUARD\"",
                    name, nearest != NULL ? "; did you mean \"" : "",
                    nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "", buf_cstr (&text));
}

static bool
read_guard (const struct reading *r)
{
  const char *name = json_cstring (r->tape, member (r, "guard"), r->arena);
  const bool is_rate = name != NULL && strcmp (name, "rate") == 0;

  if (name == NULL)
    return error_set (r->err, "/guard: required: which guard, as a string");
  r->entry->name = xstrdup (name);
  if (!read_tools (r))
    return false;
  if (strncmp (name, PLUGIN, sizeof PLUGIN - 1) == 0)
    return read_plugin (r);
  if (r->at != GUARDED_ERROR && is_built_in (name))
    return read_built_in (r);
  if (!is_rate && strcmp (name, "budget") != 0)
    return say_no_such_guard (r, name);
  if (r->at != GUARDED_INPUT)
    return error_set (r->err, "/guard: \"%s\" counts calls before they run: it stands in \"input\"",
                      name);
  r->entry->kind = GUARDS_BUDGET;
  return is_rate ? read_rate (r) : read_budget (r);
}

/* ---- what is said of errors ---- */

/* In a template, only what is known stands between braces. */
static bool
check_template (const struct reading *r, const char *text)
{
  for (const char *at = text; (at = strstr (at, "{{")) != NULL; at += 2)
    if (strncmp (at, "{{tool}}", 8) != 0 && strncmp (at, "{{code}}", 8) != 0)
      return error_set (r->err, "/template: expected {{tool}} or {{code}}, got \"%.20s\"", at);
  return true;
}

static bool
read_on_error (const struct reading *r)
{
  static const char *const known[] = { "text", "template", "tools", "is_error", NULL };
  const struct json_node *text = member (r, "text"), *template = member (r, "template");
  const struct json_node *of = text != NULL ? text : template;
  bool is_error = true;
  const char *says;

  if (!read_bool (r, "is_error", &is_error))
    return false;
  r->entry->is_ok = !is_error;
  if ((text != NULL) + (template != NULL) + (member (r, "guard") != NULL) != 1)
    return error_set (r->err, ": expected one of text, template and guard");
  if (of == NULL)
    return read_guard (r);
  says = json_cstring (r->tape, of, r->arena);
  if (says == NULL || *says == '\0' || strlen (says) > GUARD_TEXT_MAX)
    return expected (r, text != NULL ? "/text" : "/template", "a text of up to 4096 bytes", of);
  r->entry->kind = GUARDS_TEXT;
  r->entry->name = xstrdup (text != NULL ? "text" : "template");
  r->entry->text = xstrdup (says);
  r->entry->is_template = template != NULL;
  return know (r, known) && read_tools (r) && (text != NULL || check_template (r, says));
}

/* ---- lists ---- */

static bool
read_list (struct guards *guards, enum guarded_at at, const struct json_tape *tape,
           const struct json_node *list, struct arena *arena, struct error *err)
{
  static const char *const names[] = { "input", "output", "on_error" };
  struct reading r = { .tape = tape, .at = at, .arena = arena, .err = err };
  unsigned ordinal = 0;

  if (list == NULL)
    return true;
  if (!json_is (list, JSON_ARRAY) || list->count > GUARDS_MAX)
    return error_set (err, "/%s: expected a list of at most %d", names[at], GUARDS_MAX);
  guards->list[at] = xcalloc (list->count + 1, sizeof *guards->list[at]);
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n)) {
    const size_t index = guards->count[at]++;
    bool good;
    r.node = n;
    r.entry = &guards->list[at][index];
    err->text[0] = '\0';
    if (!json_is (n, JSON_OBJECT))
      good = error_set (err, ": expected an object");
    else
      good = at == GUARDED_ERROR ? read_on_error (&r) : read_guard (&r);
    if (!good)
      return error_wrap (err, "/%s/%zu", names[at], index);
    r.entry->ordinal = r.entry->kind == GUARDS_BUDGET ? ordinal++ : 0;
  }
  return true;
}

static bool
read_all (struct guards *guards, const struct json_tape *tape, struct arena *arena,
          struct error *err)
{
  static const char *const known[] = { "input", "output", "on_error", "before_approval", NULL };
  const struct json_node *root = json_root (tape);
  const struct reading r = { .tape = tape, .node = root, .arena = arena, .err = err };

  return know (&r, known)
         && read_list (guards, GUARDED_INPUT, tape, json_member (tape, root, "input"), arena, err)
         && read_list (guards, GUARDED_OUTPUT, tape, json_member (tape, root, "output"), arena, err)
         && read_list (guards, GUARDED_ERROR, tape, json_member (tape, root, "on_error"), arena,
                       err)
         && read_bool (&r, "before_approval", &guards->before_approval);
}

struct guards *
guards_new (const char *json, size_t len, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct guards *guards;
  struct json_tape tape;

  if (!json_read (&tape, json, len, &json_default_limits, &arena)) {
    (void) error_set (err, "it is no JSON: %s", tape.problem);
    return NULL;
  }
  if (!json_is (json_root (&tape), JSON_OBJECT)) {
    (void) error_set (err, "expected an object");
    return NULL;
  }
  guards = xcalloc (1, sizeof *guards);
  guards->refs = 1;
  if (read_all (guards, &tape, &arena, err))
    return guards;
  guards_unref (guards);
  return NULL;
}

struct guards *
guards_ref (struct guards *guards)
{
  if (guards != NULL)
    guards->refs++;
  return guards;
}

void
guards_unref (struct guards *guards)
{
  if (guards == NULL || --guards->refs != 0)
    return;
  for (size_t at = 0; at < GUARDED_STAGES; at++) {
    for (size_t i = 0; i < guards->count[at]; i++) {
      struct guards_entry *entry = &guards->list[at][i];
      free (entry->name);
      free (entry->tools);
      guard_free (entry->guard);
      free (entry->config);
      free (entry->text);
    }
    free (guards->list[at]);
  }
  free (guards);
}

bool
guards_entry_means (const struct guards_entry *entry, const char *tool)
{
  return entry->tools == NULL
         || filter_has ((struct filter_list){ entry->tools, strlen (entry->tools) }, tool);
}

void
guards_write_text (const struct guards_entry *entry, const char *tool, const char *code,
                   struct buf *out)
{
  const char *at = entry->text, *next;

  while (entry->is_template && (next = strstr (at, "{{")) != NULL) {
    buf_append (out, at, (size_t) (next - at));
    buf_puts (out, next[2] == 't' ? tool : code);
    at = next + 8; /* the length of both */
  }
  buf_puts (out, at);
}
