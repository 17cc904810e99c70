#include "call/approval_form.h"

#include <stdio.h>
#include <string.h>

#include "base/json_write.h"

enum { SHOWN_MAX = 1500 /* bytes of arguments in a sentence for a person */ };

static const char form[] =
  "{\"type\":\"object\",\"properties\":{"
  "\"approve\":{\"type\":\"boolean\",\"title\":\"May it run?\"},"
  "\"text\":{\"type\":\"string\",\"title\":\"Why\",\"description\":\"Told to whoever called.\","
  "\"maxLength\":2000},"
  "\"remember\":{\"type\":\"string\",\"title\":\"Next time\",\"description\":\"Approve such calls "
  "from now on without asking.\",\"enum\":[\"no\",\"arguments\",\"tool\"],\"enumNames\":[\"Ask "
  "again\",\"With these arguments\",\"With any arguments\"],\"default\":\"no\"}},"
  "\"required\":[\"approve\"]}";

/* A text of at most `max` bytes, cut between two characters. */
static size_t
cut (const char *text, size_t len, size_t max)
{
  if (len <= max)
    return len;
  while (max > 0 && ((unsigned char) text[max] & 0xC0) == 0x80)
    max--;
  return max;
}

static void
put_message (struct json_writer *w, const struct approval_facts *facts)
{
  const size_t len = cut (facts->shown.data, facts->shown.len, SHOWN_MAX);
  CLEANUP_BUF struct buf text = { 0 };

  buf_printf (&text, "May '%s' run with %.*s%s?", facts->tool, (int) len,
              (const char *) facts->shown.data, len < facts->shown.len ? "…" : "");
  if (facts->reason != NULL && *facts->reason != '\0')
    buf_printf (&text, " %s", facts->reason);
  jsonw_name (w, "message");
  jsonw_string_len (w, text.data, text.len);
}

struct ask *
approval_form_ask (const struct approval_facts *facts)
{
  struct ask *ask = ask_new ();
  struct json_writer w = { .out = &ask->open };

  ask->open.len = 0;
  jsonw_object (&w);
  jsonw_name (&w, APPROVAL_FORM_KEY);
  jsonw_object (&w);
  jsonw_name_string (&w, "method", "elicitation/create");
  jsonw_name (&w, "params");
  jsonw_object (&w);
  put_message (&w, facts);
  jsonw_name_raw (&w, "requestedSchema", form, sizeof form - 1);
  jsonw_end (&w);
  jsonw_end (&w);
  jsonw_end (&w);
  ask->open_count = 1;
  ask->of_approval = true;
  (void) snprintf (ask->approval, sizeof ask->approval, "%s", facts->id);
  return ask;
}

/* ---- what was answered ---- */

static bool
read_remember (const struct json_tape *tape, const struct json_node *node,
               struct approval_decision *decision)
{
  decision->remember = REMEMBER_NOT;
  if (node == NULL || json_is (node, JSON_NULL) || json_equals (tape, node, "no"))
    return true;
  if (json_equals (tape, node, "tool"))
    decision->remember = REMEMBER_TOOL;
  else if (json_equals (tape, node, "arguments"))
    decision->remember = REMEMBER_ARGUMENTS;
  else
    return false;
  return true;
}

bool
approval_form_decide (const struct json_tape *tape, const struct json_node *object,
                      struct approval_decision *decision, struct arena *arena, struct error *err)
{
  const struct json_node *approve = json_member (tape, object, "approve");
  const struct json_node *text = json_member (tape, object, "text");

  if (!json_is (approve, JSON_TRUE) && !json_is (approve, JSON_FALSE))
    return error_set (err, "/approve: expected true or false");
  decision->approve = json_is (approve, JSON_TRUE);
  decision->text = NULL;
  if (text != NULL && !json_is (text, JSON_NULL)) {
    decision->text = json_cstring (tape, text, arena);
    if (decision->text == NULL || strlen (decision->text) > APPROVAL_TEXT_MAX)
      return error_set (err, "/text: expected a text of at most %d bytes", (int) APPROVAL_TEXT_MAX);
    if (*decision->text == '\0')
      decision->text = NULL;
  }
  return read_remember (tape, json_member (tape, object, "remember"), decision)
         || error_set (err, "/remember: expected \"no\", \"arguments\" or \"tool\"");
}

enum approval_said
approval_form_read (const struct ask *ask, struct approval_decision *decision, struct arena *arena)
{
  const struct json_node *answer, *is;
  struct json_tape tape;

  if (!json_read (&tape, ask->answers.data, ask->answers.len, &json_default_limits, arena))
    return APPROVAL_SAID_OTHER;
  answer = json_member (&tape, json_root (&tape), APPROVAL_FORM_KEY);
  is = json_member (&tape, answer, "is");
  *decision = (struct approval_decision){ .id = ask->approval };
  if (answer == NULL || json_equals (&tape, is, "expired"))
    return APPROVAL_SAID_LATER;
  if (!json_equals (&tape, is, "answered"))
    return APPROVAL_SAID;
  return approval_form_decide (&tape, json_member (&tape, answer, "value"), decision, arena, NULL)
           ? APPROVAL_SAID
           : APPROVAL_SAID_OTHER;
}
