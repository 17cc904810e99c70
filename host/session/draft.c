#include "session/draft.h"

static const struct json_limits limits = {
  .depth = 128, .nodes = 200000, .members = 10000, .number_len = 512
};

/* Make all changes again, to the context as it is now. */
static bool
renew (struct draft *draft, const struct context *context, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf list = { 0 };
  struct json_object *document = context_copy (context);
  struct json_tape tape;
  bool denied;
  bool good;

  buf_append (&list, draft->changes.data, draft->changes.len);
  buf_putc (&list, ']');
  good = json_read (&tape, list.data, list.len, &limits, &arena);
  for (const struct json_node *n = good ? json_first (json_root (&tape)) : NULL;
       good && n != json_end (json_root (&tape)); n = json_next (n))
    good = context_change_document (document, &tape, n, &denied, err);
  if (!good) {
    json_object_put (document);
    return false;
  }
  json_object_put (draft->document);
  draft->document = document;
  draft->version = context->version;
  return true;
}

/* What the call reads from and writes to; what it can't have been made anew for stays as it is. */
static struct json_object *
current (struct draft *draft, const struct context *context)
{
  struct error err;

  if (draft->document != NULL && draft->version != context->version)
    (void) renew (draft, context, &err);
  return draft->document;
}

static void
keep (struct draft *draft, const struct json_tape *tape, const struct json_node *change)
{
  size_t len;
  const char *text = json_raw (tape, change, &len);

  buf_putc (&draft->changes, draft->changes.len == 0 ? '[' : ',');
  buf_append (&draft->changes, text, len);
}

enum draft_wrote
draft_write (struct draft *draft, const struct context *context, const struct json_tape *tape,
             const struct json_node *change)
{
  struct error err;
  bool denied;

  if (draft->count == DRAFT_CHANGES_MAX || draft->changes.len + change->len > context->max)
    return DRAFT_FULL;
  draft->count++;
  if (current (draft, context) == NULL) {
    draft->document = context_copy (context);
    draft->version = context->version;
  }
  if (!context_change_document (draft->document, tape, change, &denied, &err))
    return denied ? DRAFT_DENIED : DRAFT_BAD;
  keep (draft, tape, change);
  return DRAFT_WRITTEN;
}

/* What the call sees, as a document to be changed; NULL: what it has written does not go together
 * with what others have. */
static struct json_object *
copy_of (struct draft *draft, const struct context *context)
{
  struct json_object *seen = current (draft, context), *copy = NULL;

  if (seen == NULL)
    return context_copy (context);
  if (draft->version != context->version)
    return NULL;
  if (json_object_deep_copy (seen, &copy, NULL) < 0)
    abort ();
  return copy;
}

enum draft_wrote
draft_commit (struct draft *draft, struct context *context, const struct json_tape *tape,
              const struct json_node *change)
{
  struct json_object *document;
  struct error err;
  bool denied;

  if (draft->count == DRAFT_CHANGES_MAX)
    return DRAFT_FULL;
  draft->count++;
  document = copy_of (draft, context);
  if (document == NULL)
    return DRAFT_FULL;
  if (!context_change_document (document, tape, change, &denied, &err)) {
    json_object_put (document);
    return denied ? DRAFT_DENIED : DRAFT_BAD;
  }
  if (!context_take (context, document, &err))
    return DRAFT_FULL;
  draft_free (draft);
  return DRAFT_WRITTEN;
}

bool
draft_read (struct draft *draft, const struct context *context, const char *path, struct buf *out)
{
  struct json_object *document = current (draft, context);

  return document != NULL ? context_read (document, path, out) : context_get (context, path, out);
}

bool
draft_flag (struct draft *draft, const struct context *context, const char *name)
{
  struct json_object *document = current (draft, context);

  return context_flag (document != NULL ? document : context->document, name);
}

bool
draft_apply (struct draft *draft, struct context *context, struct error *err)
{
  struct json_object *document;

  if (draft->changes.len == 0)
    return true;
  if (draft->version != context->version && !renew (draft, context, err))
    return false;
  document = draft->document;
  draft->document = NULL;
  return context_take (context, document, err);
}

void
draft_free (struct draft *draft)
{
  json_object_put (draft->document);
  draft->document = NULL;
  buf_free (&draft->changes);
}
