/* The guard "schema": a JSON Schema that arguments or a result must fit. */
#include <stdlib.h>

#include "guard/reading.h"
#include "schema/schema.h"

enum { STEPS_PER_VALUE = 64 };

/* What arguments are told: what is wrong with each value.  Of a result nothing is quoted. */
static void
put_problem (const struct schema_problem *p, bool input, struct buf *out)
{
  buf_printf (out, "\n- %s: ", *p->pointer != '\0' ? p->pointer : "the whole");
  if (input)
    buf_puts (out, p->message);
  else
    buf_printf (out, "expected %s", p->expected != NULL ? p->expected : "another value");
}

static void
refuse (const struct guard *guard, const struct guard_case *one, const struct schema_report *report,
        struct guard_says *says)
{
  const bool input = one->stage == GUARD_INPUT;

  says->verdict = GUARD_REJECT;
  says->found = (unsigned) (report->count + report->more);
  if (says->found == 0)
    says->found = 1;
  if (guard->message != NULL) {
    buf_puts (&says->text, guard->message);
    return;
  }
  buf_puts (&says->text, input ? "The arguments are not of the form that is allowed:"
                               : "The result is not of the form that is allowed:");
  for (size_t i = 0; i < report->count; i++)
    put_problem (&report->problems[i], input, &says->text);
  if (report->more != 0)
    buf_printf (&says->text, "\n- and %zu more", report->more);
}

static void
check (const struct guard *guard, const struct guard_case *one, int64_t *budget,
       struct guard_says *says)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct schema_report report = { .count = 0 };

  *budget -= STEPS_PER_VALUE + one->value->skip;
  if (*budget >= 0 && !schema_validate (guard->own, one->tape, one->value, &report, &arena))
    refuse (guard, one, &report, says);
}

static bool
read_schema (struct reading *r)
{
  const struct json_node *schema = reading_member (r, "schema");

  if (schema == NULL)
    return error_set (r->err, "/schema: expected a JSON Schema");
  if (r->guard->at != NULL || r->guard->names)
    return error_set (r->err, "/%s: not for this guard, whose schema says it",
                      r->guard->at != NULL ? "at" : "names");
  r->guard->own = schema_compile (r->tape, schema, NULL, r->err);
  return r->guard->own != NULL || error_wrap (r->err, "/schema");
}

static void
free_schema (void *own)
{
  schema_free (own);
}

const struct guard_kind guard_schema = {
  .name = "schema",
  .members = (const char *const[]){ "schema", NULL },
  .read = read_schema,
  .free = free_schema,
  .check = check,
  .cost = 4,
};
