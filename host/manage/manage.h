/* manage.h - documents of tools and endpoints that tenants make, change and remove while the daemon
 * serves.  Each write is read strictly, checked by the plugin that will build it, written by the
 * store against the revision it was made for, and logged with its author; what is served follows
 * behind.  Loop thread only.  Source: S2-1, S2-2, U2-7, U2-8. */
#ifndef TOOLHOST_MANAGE_MANAGE_H
#define TOOLHOST_MANAGE_MANAGE_H

#include <ev.h>

#include "manage/compose.h"
#include "manage/definitions.h"
#include "manage/sandboxed.h"

struct manage;

struct manage_needs {
  struct ev_loop *loop;
  struct log *log;
  struct store *store;
  struct definitions *definitions;
  struct sandboxed sandboxed;
  /* Add all that this tenant's tools are built of. */
  void (*compose) (void *ctx, const char *tenant, struct composed *c);
  /* Whose tool has this name in what the tenant is granted; NULL: nobody's. */
  const char *(*taken) (void *ctx, const char *tenant, const char *name);
  /* May requests of declarative tools go there?  `whole`: the URL is all there is, otherwise its
   * begin, up to a template.  What is no URL is the plugin's to judge: true. */
  bool (*granted) (void *ctx, const char *url, const char *method, bool whole);
  /* Up to which revision the tenant is served what it has made; -1: nothing was built yet. */
  int64_t (*served) (void *ctx, const char *tenant);
  void *ctx;
};

struct manage *manage_new (const struct manage_needs *needs);
/* Nothing must be on its way in the store or among the calls. */
void manage_free (struct manage *manage);
const struct definitions *manage_definitions (const struct manage *manage);
int64_t manage_served (const struct manage *manage, const char *tenant);

enum manage_act {
  MANAGE_PUT,    /* make it, or put it in the place of what is there */
  MANAGE_CREATE, /* make it */
  MANAGE_PATCH,  /* the body is a merge patch (RFC 7396) of what is there */
  MANAGE_DELETE, /* there is no body */
  MANAGE_RESTORE /* as PUT, of what it was before */
};

struct manage_write {
  const char *tenant;
  enum definition_kind kind;
  enum manage_act act;
  const char *name; /* NULL: as the document says (MANAGE_CREATE) */
  const char *body; /* JSON */
  size_t body_len;
  int64_t expect;     /* the revision it has; 0: it must not be there; -1: whatever it has */
  bool dry;           /* only say what would come of it */
  const char *author; /* who wants it, for log and history */
};

struct manage_answer {
  int status;           /* as HTTP has it */
  const char *code;     /* of a refusal; NULL: it is done */
  const char *message;  /* likewise */
  const char *problems; /* JSON array of { "pointer", "code", "message", "hint"? }; NULL: none */
  size_t problems_len;
  const char *name;
  int64_t revision;        /* it has now, also when refused; 0: it is not there */
  bool created;            /* it was not there before */
  const char *definitions; /* of a dry run: JSON of what models would be shown; NULL: not known */
  size_t definitions_len;
  const char *warnings; /* likewise: JSON array, of the form of problems */
  size_t warnings_len;
  int64_t retry_after_ms; /* of a refusal that will pass; 0: not known */
};
typedef void (*manage_done) (void *ctx, const struct manage_answer *answer);

/* Everything is copied.  `done` is called once, perhaps before this returns, and only when what was
 * written is durable. */
void manage_write (struct manage *manage, const struct manage_write *write, manage_done done,
                   void *ctx);
/* All that is known of one, the newest first: as store_scan tells it; `limit` 0: all. */
void manage_history (struct manage *manage, const char *tenant, enum definition_kind kind,
                     const char *name, size_t limit, store_scan_cb cb, void *ctx);

/* Run a tool with a given context, without effect outside: `arguments` of the plugin's internal
 * tool are the members of `body` (arguments, context, webhooks, now), the tool's document (of
 * `name`, or "tool" in the body) and the tenant's endpoints.  False: the tenant has no such tool,
 * and nothing is done. */
bool manage_try (struct manage *manage, const char *tenant, const char *name,
                 const struct json_tape *body, void (*done) (void *ctx, const struct result *),
                 void *ctx);

/* `done` is called when the tenant is served what it had written at this revision, or after
 * `seconds`; never before this returns, and by manage_free at the latest. */
void manage_await_served (struct manage *manage, const char *tenant, int64_t revision,
                          double seconds, void (*done) (void *ctx), void *ctx);
/* A tenant is served something else. */
void manage_look (struct manage *manage);

#endif
