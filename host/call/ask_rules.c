#include "call/ask_rules.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "schema/schema.h"

extern const char ask_schema_json[];

const char ASK_ELICIT[] = "elicitation/create";
const char ASK_SAMPLE[] = "sampling/createMessage";
const char ASK_ROOTS[] = "roots/list";

struct ask_rules {
  struct schema *asked, *elicited, *sampled, *rooted;
};

static struct schema *
compile_part (const struct schema_registry *registry, const char *name)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf text = { 0 };
  const struct schema_options options = { .registry = registry };
  struct schema *schema = NULL;
  struct json_tape tape;

  buf_printf (&text, "{\"$ref\":\"urn:toolhost:ask#/$defs/%s\"}", name);
  if (json_read (&tape, text.data, text.len, &json_default_limits, &arena))
    schema = schema_compile (&tape, json_root (&tape), &options, NULL);
  assert (schema != NULL); /* it is ours */
  return schema;
}

struct ask_rules *
ask_rules_new (void)
{
  struct schema_registry *registry = schema_registry_new ();
  struct ask_rules *rules = xcalloc (1, sizeof *rules);
  bool ours = schema_registry_add (registry, "urn:toolhost:ask", ask_schema_json,
                                   strlen (ask_schema_json), NULL);

  assert (ours);
  (void) ours;
  rules->asked = compile_part (registry, "asked");
  rules->elicited = compile_part (registry, "elicited");
  rules->sampled = compile_part (registry, "sampled");
  rules->rooted = compile_part (registry, "rooted");
  schema_registry_free (registry);
  return rules;
}

void
ask_rules_free (struct ask_rules *rules)
{
  if (rules == NULL)
    return;
  schema_free (rules->asked);
  schema_free (rules->elicited);
  schema_free (rules->sampled);
  schema_free (rules->rooted);
  free (rules);
}

/* Does the value fit?  Else err names the first problem, below `where`. */
static bool
fits (const struct schema *schema, const struct json_tape *tape, const struct json_node *value,
      const char *where, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct schema_report report = { .count = 0 };

  if (schema_validate (schema, tape, value, &report, &arena))
    return true;
  return error_set (err, "%s%s: %s", where, report.problems[0].pointer, report.problems[0].message);
}

bool
ask_form_is_usable (const struct json_tape *tape, const struct json_node *params, struct error *err)
{
  struct schema *schema =
    schema_compile (tape, json_member (tape, params, "requestedSchema"), NULL, err);

  schema_free (schema);
  return schema != NULL;
}

bool
ask_rules_fit_questions (const struct ask_rules *rules, const struct json_tape *tape,
                         const struct json_node *asked, struct error *err)
{
  return fits (rules->asked, tape, asked, "", err);
}

/* ---- answers ---- */

static const char *
word_of (const struct json_tape *tape, const struct json_node *action)
{
  if (json_equals (tape, action, "accept"))
    return "answered";
  return json_equals (tape, action, "decline") ? "declined" : "dismissed";
}

static bool
check_form (const struct json_tape *questions, const struct json_node *form,
            const struct json_tape *tape, const struct json_node *content, const char *where,
            struct error *err)
{
  struct schema *schema = schema_compile (questions, form, NULL, err);
  bool good;

  if (schema == NULL)
    return false;
  if (content != NULL)
    good = fits (schema, tape, content, where, err);
  else
    good = error_set (err, "%s: expected the content that was asked for", where);
  schema_free (schema);
  return good;
}

static bool
check_elicited (const struct ask_rules *rules, const struct json_tape *questions,
                const struct json_node *params, const struct json_tape *tape,
                const struct json_node *response, const char *where, struct ask_reply *reply,
                struct error *err)
{
  const struct json_node *form = json_member (questions, params, "requestedSchema");
  const struct json_node *content = json_member (tape, response, "content");
  CLEANUP_BUF struct buf inside = { 0 };

  if (!fits (rules->elicited, tape, response, where, err))
    return false;
  *reply = (struct ask_reply){ .is = word_of (tape, json_member (tape, response, "action")) };
  if (form == NULL || strcmp (reply->is, "answered") != 0)
    return true;
  reply->value = content;
  buf_printf (&inside, "%s/content", where);
  return check_form (questions, form, tape, content, buf_cstr (&inside), err);
}

bool
ask_check_answer (const struct ask_rules *rules, const struct json_tape *questions,
                  const struct json_node *question, const struct json_tape *tape,
                  const struct json_node *response, const char *where, struct ask_reply *reply,
                  struct error *err)
{
  const struct json_node *method = json_member (questions, question, "method");

  if (json_equals (questions, method, ASK_ELICIT))
    return check_elicited (rules, questions, json_member (questions, question, "params"), tape,
                           response, where, reply, err);
  *reply = (struct ask_reply){ .is = "answered", .value = response };
  return fits (json_equals (questions, method, ASK_SAMPLE) ? rules->sampled : rules->rooted, tape,
               response, where, err);
}
