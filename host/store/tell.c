/* tell.c - what each callback is told of its act. */
#include "store/store_parts.h"

static void
tell_claim (const struct store_act *act)
{
  bool known = act->status == STORE_OK;
  static const struct store_call nothing;

  act->told.claim (act->ctx, known ? act->verdict : STORE_NOT_CLAIMED,
                   known && act->found ? &act->out.call : &nothing);
}

static void
tell_call (const struct store_act *act)
{
  act->told.call (act->ctx, act->status, act->status == STORE_OK ? &act->out.call : NULL);
}

static void
tell_change (const struct store_act *act)
{
  act->told.change (act->ctx, act->status, act->out.read.revision, act->out.read.wrong);
}

static void
tell_scan (const struct store_act *act)
{
  const struct store_read *read = &act->out.read;

  act->told.scan (act->ctx, act->status, read->list, act->status == STORE_OK ? read->count : 0,
                  read->revision);
}

static void
tell_context (const struct store_act *act)
{
  bool known = act->status != STORE_UNAVAILABLE && act->found;

  act->told.context (act->ctx, act->status, known ? &act->out.context : NULL);
}

static void
tell_due (const struct store_act *act)
{
  const struct store_dues *dues = &act->out.dues;

  act->told.due (act->ctx, act->status, dues->list, act->status == STORE_OK ? dues->count : 0,
                 act->status == STORE_OK ? dues->next_ms : 0);
}

static void
tell_records (const struct store_act *act)
{
  const struct store_found *found = &act->out.records;

  act->told.records (act->ctx, act->status, found->list,
                     act->status == STORE_OK ? found->count : 0);
}

static void
tell_plain (const struct store_act *act)
{
  if (act->told.plain != NULL)
    act->told.plain (act->ctx, act->status);
}

static void
tell_backup (const struct store_act *act)
{
  act->told.backup (act->ctx, act->status, act->why);
}

void
store_tell (const struct store_act *act)
{
  static void (*const tell[STORE_ACTS]) (const struct store_act *) = {
    [STORE_ACT_CLAIM] = tell_claim,
    [STORE_ACT_FINISH] = tell_plain,
    [STORE_ACT_RELEASE] = tell_plain,
    [STORE_ACT_CANCEL] = tell_plain,
    [STORE_ACT_LOOKUP] = tell_call,
    [STORE_ACT_CHANGE] = tell_change,
    [STORE_ACT_SCAN] = tell_scan,
    [STORE_ACT_CONTEXT_GET] = tell_context,
    [STORE_ACT_CONTEXT_SET] = tell_context,
    [STORE_ACT_POST] = tell_plain,
    [STORE_ACT_TAKE] = tell_due,
    [STORE_ACT_SENT] = tell_plain,
    [STORE_ACT_RETRY] = tell_plain,
    [STORE_ACT_RECORD] = tell_plain,
    [STORE_ACT_RECORDS] = tell_records,
    [STORE_ACT_TICK] = tell_plain,
    [STORE_ACT_BACKUP] = tell_backup,
  };

  tell[act->kind](act);
}
