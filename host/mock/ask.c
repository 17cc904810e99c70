/* What a plugin under test asks, and what its test answers. */
#include <stdlib.h>
#include <string.h>

#include "base/json_tape.h"
#include "base/json_write.h"
#include "mock/inside.h"

struct answer {
  struct answer *next;
  char *key;
  int32_t is;
  char *json;
};

static void
free_answer (struct answer *answer)
{
  free (answer->key);
  free (answer->json);
  free (answer);
}

void
mock_free_asks (struct toolhost_mock *mock)
{
  for (struct answer *a = mock->answers, *next; a != NULL; a = next) {
    next = a->next;
    free_answer (a);
  }
  buf_free (&mock->kept);
}

/* Take an answer out; NULL when there is none. */
static struct answer *
take_answer (struct toolhost_mock *mock, const char *key)
{
  for (struct answer **at = &mock->answers; *at != NULL; at = &(*at)->next)
    if (strcmp ((*at)->key, key) == 0) {
      struct answer *found = *at;
      *at = found->next;
      return found;
    }
  return NULL;
}

void
toolhost_mock_answer (toolhost_mock *mock, const char *key, int32_t is, const char *json)
{
  struct answer *answer = take_answer (mock, key);

  if (answer != NULL)
    free_answer (answer);
  if (is == TOOLHOST_OPEN)
    return;
  answer = xcalloc (1, sizeof *answer);
  answer->key = xstrdup (key);
  answer->is = is;
  answer->json = xstrdup (json != NULL ? json : "{}");
  answer->next = mock->answers;
  mock->answers = answer;
}

void
toolhost_mock_set_askable (toolhost_mock *mock, const char *kinds)
{
  static const struct {
    const char *name;
    unsigned bits;
  } names[] = { { "form", FRAME_ASK_FORM },
                { "url", FRAME_ASK_URL },
                { "sampling", FRAME_ASK_SAMPLING },
                { "sampling.tools", FRAME_ASK_SAMPLING | FRAME_ASK_SAMPLING_TOOLS },
                { "roots", FRAME_ASK_ROOTS } };

  mock->askable = 0;
  while (*kinds != '\0') {
    size_t len = strcspn (kinds, " ");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
      if (strlen (names[i].name) == len && memcmp (names[i].name, kinds, len) == 0)
        mock->askable |= names[i].bits;
    kinds += len + (kinds[len] != '\0');
  }
}

const char *
mock_asks (struct own_result *own, struct span asked)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  const char *asks;
  size_t len;

  if (!json_read (&tape, asked.text, asked.len, &json_default_limits, &arena))
    return "{}";
  asks = json_raw (&tape, json_member (&tape, json_root (&tape), "asks"), &len);
  return arena_strndup (&own->texts, asks, len);
}

static void
write_answers (const struct toolhost_mock *mock, struct buf *out)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  for (const struct answer *a = mock->answers; a != NULL; a = a->next) {
    jsonw_name (&w, a->key);
    jsonw_object (&w);
    jsonw_name_string (&w, "is",
                       a->is == TOOLHOST_ANSWERED    ? "answered"
                       : a->is == TOOLHOST_DECLINED  ? "declined"
                       : a->is == TOOLHOST_DISMISSED ? "dismissed"
                                                     : "expired");
    jsonw_name_raw (&w, "value", a->json, strlen (a->json));
    jsonw_end (&w);
  }
  jsonw_end (&w);
}

void
mock_begin_round (struct toolhost_mock *mock, struct tool_call *call)
{
  CLEANUP_BUF struct buf answers = { 0 };

  write_answers (mock, &answers);
  tool_call_rounds (
    call, mock->askable, arena_strndup (&call->arena, answers.data, answers.len), answers.len,
    arena_strndup (&call->arena, buf_cstr (&mock->kept), mock->kept.len), mock->kept.len);
}

void
mock_end_round (struct toolhost_mock *mock, const struct tool_call *call)
{
  mock->kept.len = 0;
  if (call->outcome == FRAME_OUTCOME_ASKED)
    buf_append (&mock->kept, call->asking.kept, call->asking.kept_len);
}
