#include "daemon/pins.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json_write.h"
#include "catalog/hash.h"
#include "daemon/pins_file.h"

enum { PINS_MAX = 20000 /* of a tenant; what is beyond them waits */ };

/* One thing that was seen. */
struct pin {
  char *name;
  char pinned[SHA256_HEX];  /* "": nothing is */
  char pending[SHA256_HEX]; /* what is there now and is another; "": nothing waits */
  char told[SHA256_HEX];    /* of what the log was told last */
  bool seen;                /* in the toolset that is being made */
  UT_hash_handle hh;
};

struct pinned {
  struct pins *all;
  char *tenant;
  struct pin *by_name;
  char *problem;        /* why its file could not be read; NULL: it could */
  bool trusts;          /* what is new is pinned as it is */
  bool forgotten;       /* the file goes, and then this */
  bool full;            /* the log was told that there are too many */
  bool changed, saving; /* since it was written; by a thread, now */
  UT_hash_handle hh;
};

struct pins {
  struct pins_needs needs;
  int dir; /* -1: in memory */
  struct pinned *by_tenant;
  bool ending;
};

/* ---- in memory ---- */

static struct pin *
find_pin (const struct pinned *pinned, const char *name)
{
  struct pin *pin = NULL;

  HASH_FIND_STR (pinned->by_name, name, pin);
  return pin;
}

static struct pin *
add_pin (struct pinned *pinned, const char *name)
{
  struct pin *pin = xcalloc (1, sizeof *pin);

  pin->name = xstrdup (name);
  HASH_ADD_KEYPTR (hh, pinned->by_name, pin->name, strlen (pin->name), pin);
  return pin;
}

static void
set (char to[SHA256_HEX], const char *digest)
{
  size_t len = strlen (digest);

  memcpy (to, digest, len < SHA256_HEX ? len : SHA256_HEX - 1);
  to[len < SHA256_HEX ? len : SHA256_HEX - 1] = '\0';
}

static void
clear (struct pinned *pinned)
{
  struct pin *pin, *next;

  HASH_ITER (hh, pinned->by_name, pin, next)
  {
    HASH_DEL (pinned->by_name, pin);
    free (pin->name);
    free (pin);
  }
  free (pinned->problem);
  pinned->problem = NULL;
  pinned->trusts = true;
  pinned->full = false;
}

static void
drop (struct pinned *pinned)
{
  HASH_DEL (pinned->all->by_tenant, pinned);
  clear (pinned);
  free (pinned->tenant);
  free (pinned);
}

/* ---- on disk ---- */

static void
render_file (const struct pinned *pinned, struct buf *out)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_string (&w, "tenant", pinned->tenant);
  jsonw_name_bool (&w, "trusts_new", pinned->trusts);
  jsonw_name (&w, "pins");
  jsonw_object (&w);
  for (const struct pin *pin = pinned->by_name; pin != NULL; pin = pin->hh.next) {
    if (pin->pinned[0] == '\0')
      continue;
    jsonw_name_len (&w, pin->name, strlen (pin->name));
    jsonw_string (&w, pin->pinned);
  }
  jsonw_end (&w);
  jsonw_end (&w);
  buf_putc (out, '\n');
}

struct saving {
  struct pinned *pinned;
  int dir;
  char *tenant;
  struct buf text; /* empty: the file goes */
  struct error err;
};

static void
save (void *ctx, const struct offload_job *job)
{
  struct saving *saving = ctx;

  (void) job;
  if (saving->text.len == 0)
    (void) pins_file_remove (saving->dir, saving->tenant, &saving->err);
  else
    (void) pins_file_write (saving->dir, saving->tenant, &saving->text, &saving->err);
}

static void
saved (void *ctx, bool cancelled)
{
  struct saving *saving = ctx;
  struct pinned *pinned = saving->pinned;

  pinned->saving = false;
  if (cancelled)
    pinned->changed = true;
  else if (saving->err.text[0] != '\0')
    log_event (pinned->all->needs.log, LOG_ERROR, "pins_not_kept", "tenant", pinned->tenant, "why",
               saving->err.text, NULL);
  buf_free (&saving->text);
  free (saving->tenant);
  free (saving);
}

/* NULL: there is nothing to write, or nowhere, or it is being written. */
static struct saving *
begin_to_save (struct pinned *pinned)
{
  struct saving *saving;

  if (pinned->all->dir < 0 || !pinned->changed || pinned->saving)
    return NULL;
  saving = xcalloc (1, sizeof *saving);
  saving->pinned = pinned;
  saving->dir = pinned->all->dir;
  saving->tenant = xstrdup (pinned->tenant);
  if (!pinned->forgotten)
    render_file (pinned, &saving->text);
  pinned->changed = false;
  pinned->saving = true;
  return saving;
}

static void look (struct pinned *pinned);

static void
on_saved (void *ctx, bool cancelled)
{
  struct pinned *pinned = ((struct saving *) ctx)->pinned;

  saved (ctx, cancelled);
  if (!pinned->all->ending && !cancelled)
    look (pinned);
}

/* Write what is to be written; what is forgotten goes after its file. */
static void
look (struct pinned *pinned)
{
  struct saving *saving = begin_to_save (pinned);

  if (saving != NULL)
    (void) offload_submit (pinned->all->needs.offload,
                           &(struct offload_work){ .work = save, .done = on_saved, .ctx = saving });
  else if (pinned->forgotten && !pinned->saving)
    drop (pinned);
}

static void
save_now (struct pinned *pinned)
{
  struct saving *saving = begin_to_save (pinned);

  if (saving == NULL)
    return;
  save (saving, NULL);
  saved (saving, false);
}

/* ---- all tenants ---- */

struct pins *
pins_new (const struct pins_needs *needs)
{
  struct pins *pins = xcalloc (1, sizeof *pins);
  struct error err = { 0 };

  pins->needs = *needs;
  pins->dir = needs->state_dir >= 0 ? pins_folder_open (needs->state_dir, &err) : -1;
  if (err.text[0] != '\0')
    log_event (needs->log, LOG_ERROR, "pins_not_kept", "why", err.text, NULL);
  return pins;
}

void
pins_free (struct pins *pins)
{
  struct pinned *pinned, *next;

  if (pins == NULL)
    return;
  pins->ending = true;
  HASH_ITER (hh, pins->by_tenant, pinned, next)
  {
    save_now (pinned);
    drop (pinned);
  }
  fd_cleanup (&pins->dir);
  free (pins);
}

static void
take (void *ctx, const char *name, const char *digest)
{
  set (add_pin (ctx, name)->pinned, digest);
}

static void
load (struct pinned *pinned)
{
  struct error err = { 0 };

  if (pinned->all->dir < 0
      || pins_file_read (pinned->all->dir, pinned->tenant, &pinned->trusts, take, pinned, &err))
    return;
  clear (pinned);
  pinned->trusts = false;
  pinned->problem = xstrdup (err.text);
  log_event (pinned->all->needs.log, LOG_ERROR, "pins_damaged", "tenant", pinned->tenant, "why",
             err.text, NULL);
}

static struct pinned *
find_pinned (struct pins *pins, const char *tenant)
{
  struct pinned *pinned = NULL;

  HASH_FIND_STR (pins->by_tenant, tenant, pinned);
  return pinned;
}

static struct pinned *
add_pinned (struct pins *pins, const char *tenant)
{
  struct pinned *pinned = xcalloc (1, sizeof *pinned);

  pinned->all = pins;
  pinned->tenant = xstrdup (tenant);
  pinned->trusts = true;
  HASH_ADD_KEYPTR (hh, pins->by_tenant, pinned->tenant, strlen (pinned->tenant), pinned);
  return pinned;
}

struct pinned *
pins_of (struct pins *pins, const char *tenant)
{
  struct pinned *pinned = find_pinned (pins, tenant);

  if (pinned == NULL) {
    pinned = add_pinned (pins, tenant);
    load (pinned);
  }
  else if (pinned->forgotten) { /* it is wanted again before its file has gone */
    pinned->forgotten = false;
    pinned->changed = true;
  }
  return pinned;
}

void
pins_forget (struct pins *pins, const char *tenant)
{
  struct pinned *pinned = find_pinned (pins, tenant);

  if (pinned == NULL) /* its file may be of an earlier daemon */
    pinned = add_pinned (pins, tenant);
  clear (pinned);
  pinned->forgotten = true;
  pinned->changed = true;
  look (pinned);
}

/* ---- one tenant's toolset ---- */

void
pinned_begin (struct pinned *pinned)
{
  for (struct pin *pin = pinned->by_name; pin != NULL; pin = pin->hh.next)
    pin->seen = false;
}

/* What it stands under: no tool's name holds a blank. */
static void
put_name (const struct tool *tool, struct buf *out)
{
  if (tool->offer != OFFER_TOOL)
    buf_printf (out, "%s ", offer_word (tool->offer));
  buf_puts (out, tool->name);
}

/* A tool that was never seen; NULL: there are too many. */
static struct pin *
first_seen (struct pinned *pinned, const char *name, const char *digest)
{
  struct pin *pin;

  if (HASH_COUNT (pinned->by_name) >= PINS_MAX) {
    if (!pinned->full)
      log_event (pinned->all->needs.log, LOG_ERROR, "pins_too_many", "tenant", pinned->tenant,
                 "most", LOG_INT (PINS_MAX), "first_left_out", name, NULL);
    pinned->full = true;
    return NULL;
  }
  pin = add_pin (pinned, name);
  if (pinned->trusts) {
    set (pin->pinned, digest);
    pinned->changed = true;
  }
  return pin;
}

static void
wait_for_review (struct pinned *pinned, struct pin *pin, const struct tool *tool)
{
  set (pin->pending, tool->digest);
  if (strcmp (pin->told, tool->digest) == 0)
    return;
  set (pin->told, tool->digest);
  log_event (pinned->all->needs.log, LOG_WARNING, "tool_pending_review", "tenant", pinned->tenant,
             "tool", pin->name, "plugin", tool->plugin, "pinned",
             pin->pinned[0] != '\0' ? pin->pinned : "nothing", "pending", pin->pending, NULL);
}

bool
pinned_admits (struct pinned *pinned, const struct tool *tool)
{
  CLEANUP_BUF struct buf name = { 0 };
  struct pin *pin;

  if (tool->listed_by != NULL) /* which there are changes by itself; who lists them does not */
    return pinned_admits (pinned, tool->listed_by);
  put_name (tool, &name);
  pin = find_pin (pinned, buf_cstr (&name));
  if (pin == NULL)
    pin = first_seen (pinned, buf_cstr (&name), tool->digest);
  if (pin == NULL)
    return false;
  pin->seen = true;
  if (strcmp (pin->pinned, tool->digest) != 0) {
    wait_for_review (pinned, pin, tool);
    return false;
  }
  pin->pending[0] = pin->told[0] = '\0';
  return true;
}

void
pinned_end (struct pinned *pinned)
{
  for (struct pin *pin = pinned->by_name; pin != NULL; pin = pin->hh.next)
    if (!pin->seen)
      pin->pending[0] = '\0';
  look (pinned);
}

static void
let_in (struct pinned *pinned, struct pin *pin)
{
  log_event (pinned->all->needs.log, LOG_NOTICE, "tool_accepted", "tenant", pinned->tenant, "tool",
             pin->name, "was", pin->pinned[0] != '\0' ? pin->pinned : "nothing", "pinned",
             pin->pending, NULL);
  set (pin->pinned, pin->pending);
  pin->pending[0] = '\0';
  pinned->changed = true;
}

/* The SKILL.md of a skill is a resource of the same name: with the one the other is let in. */
static void
let_in_file (struct pinned *pinned, const char *name)
{
  static const char skill[] = "skill ";
  CLEANUP_BUF struct buf file = { 0 };
  struct pin *pin;

  if (strncmp (name, skill, sizeof skill - 1) != 0)
    return;
  buf_printf (&file, "resource %s", name + sizeof skill - 1);
  pin = find_pin (pinned, buf_cstr (&file));
  if (pin != NULL && pin->pending[0] != '\0')
    let_in (pinned, pin);
}

enum pins_accepted
pinned_accept (struct pinned *pinned, const char *name, const char *digest)
{
  struct pin *pin = find_pin (pinned, name);

  if (pin == NULL || pin->pending[0] == '\0')
    return PINS_NOTHING_WAITS;
  if (digest != NULL && strcmp (digest, pin->pending) != 0)
    return PINS_IS_ANOTHER;
  let_in (pinned, pin);
  let_in_file (pinned, name);
  look (pinned);
  return PINS_ACCEPTED;
}

/* ---- shown ---- */

static int
by_name (const struct pin *a, const struct pin *b)
{
  return strcmp (a->name, b->name);
}

void
pinned_render (struct pinned *pinned, struct buf *out)
{
  struct json_writer w = { .out = out };

  HASH_SORT (pinned->by_name, by_name);
  jsonw_object (&w);
  jsonw_name_string (&w, "tenant", pinned->tenant);
  jsonw_name_bool (&w, "trusts_new", pinned->trusts);
  if (pinned->problem != NULL)
    jsonw_name_string (&w, "problem", pinned->problem);
  jsonw_name (&w, "pins");
  jsonw_array (&w);
  for (const struct pin *pin = pinned->by_name; pin != NULL; pin = pin->hh.next) {
    if (pin->pinned[0] == '\0' && pin->pending[0] == '\0')
      continue;
    jsonw_object (&w);
    jsonw_name_string (&w, "name", pin->name);
    jsonw_name_string (&w, "state", pin->pending[0] != '\0' ? "pending_review" : "pinned");
    if (pin->pinned[0] != '\0')
      jsonw_name_string (&w, "pinned", pin->pinned);
    if (pin->pending[0] != '\0')
      jsonw_name_string (&w, "pending", pin->pending);
    jsonw_end (&w);
  }
  jsonw_end (&w);
  jsonw_end (&w);
}
