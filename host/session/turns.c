/* Turns of the user, and the toolset that is left of the tenant's after so many of them. */
#include <stdlib.h>

#include "call/tenancy.h"
#include "session/parts.h"

static bool
is_over (const struct tool *tool, unsigned turns)
{
  return tool->active_turns != 0 && turns > tool->active_turns;
}

/* The set without tools whose turns are over: a reference. */
static struct toolset *
left_of (struct toolset *set, unsigned turns)
{
  struct tool **left = xmalloc ((set->all + 1) * sizeof (struct tool *));
  struct toolset *made;
  size_t count = 0;

  for (size_t i = 0; i < set->all; i++)
    if (!is_over (set->tools[i], turns))
      left[count++] = set->tools[i];
  if (count == set->all)
    made = toolset_ref (set);
  else {
    for (size_t i = 0; i < count; i++)
      (void) tool_ref (left[i]);
    made = toolset_new (left, count, set->generation);
    (void) toolset_choose (made, set->choice);
  }
  free (left);
  return made;
}

/* From the model's next turn on this is the toolset; taken over. */
static void
offer (struct session *session, struct toolset *set)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  toolset_unref (session->next_toolset);
  session->next_toolset = set;
  say_begin (&w, "toolset_changed", NULL);
  jsonw_name (&w, "tools");
  jsonw_array (&w);
  for (size_t i = 0; i < set->count; i++)
    jsonw_string (&w, set->tools[i]->name);
  jsonw_end (&w);
  say_end (session, &w);
}

void
turns_follow (struct session *session, struct toolset *set)
{
  if (session->base == set || session->end_reason != NULL)
    return;
  toolset_unref (session->base);
  session->base = toolset_ref (set);
  offer (session, left_of (set, session->user_turns));
}

static void
count (struct session *session, unsigned turns)
{
  const unsigned before = session->user_turns;
  bool differs = false;

  session->user_turns = turns;
  for (size_t i = 0; i < session->base->count; i++)
    differs |=
      is_over (session->base->tools[i], before) != is_over (session->base->tools[i], turns);
  if (differs)
    offer (session, left_of (session->base, turns));
}

/* Who speaks is there: what went without asking may go on. */
static void
begin_run (const struct session *session)
{
  const struct approval_run run = { session->tenant != NULL ? session->tenant : TENANT_DEFAULT,
                                    session->principal, session->name };

  if (session->all->settings.approvals != NULL)
    approvals_begin_run (session->all->settings.approvals, &run);
}

void
turns_begin (struct session *session)
{
  if (session->in_turn)
    return;
  session->in_turn = true;
  begin_run (session);
  count (session, session->user_turns + 1);
}

void
turns_end (struct session *session)
{
  turns_begin (session); /* of a turn whose begin nobody told */
  session->in_turn = false;
}

void
turns_reset (struct session *session)
{
  session->in_turn = false;
  begin_run (session);
  count (session, 0);
}
