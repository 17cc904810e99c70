/* guard_rig.h - tables of guards, values and what is said of them.  For the tests of guards. */
#ifndef TOOLHOST_TESTS_UNIT_GUARD_RIG_H
#define TOOLHOST_TESTS_UNIT_GUARD_RIG_H

#include "guard/guard.h"
#include "tap.h"

/* A row: `says` begins with what is expected. "allow"; "reject: " and a part of the text; "fail: "
 * and a part of it; or the whole value that takes the place of the first. */
struct guard_row {
  const char *config;
  const char *value;
  const char *says;
  enum guard_stage stage;
};

/* The guard of a configuration, which must be good. */
static inline struct guard *
guard_of (const char *config)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct error err = { "" };
  struct json_tape tape;
  struct guard *guard = NULL;

  if (!json_read (&tape, config, strlen (config), &json_default_limits, &arena))
    printf ("# no JSON: %s\n", config);
  else
    guard = guard_new (&tape, json_root (&tape), &err);
  if (guard == NULL)
    printf ("# %s: %s\n", config, err.text);
  CU_ASSERT_PTR_NOT_NULL_FATAL (guard);
  return guard;
}

/* What a configuration is refused with; "" when it is not. */
static inline struct error
guard_refusal (const char *config)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct error err = { "" };
  struct json_tape tape;

  CU_ASSERT_TRUE_FATAL (json_read (&tape, config, strlen (config), &json_default_limits, &arena));
  guard_free (guard_new (&tape, json_root (&tape), &err));
  return err;
}

/* "allow", "reject: TEXT", "fail: TEXT" or the new value. */
static inline void
guard_answer (const struct guard *guard, enum guard_stage stage, const char *value, size_t len,
              struct buf *out)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct guard_says says = { .found = 0 };
  struct json_tape tape;

  CU_ASSERT_TRUE_FATAL (json_read (&tape, value, len, &json_default_limits, &arena));
  guard_check (
    guard,
    &(struct guard_case){ .stage = stage, .tool = "t", .tape = &tape, .value = json_root (&tape) },
    &says);
  if (says.verdict == GUARD_ALLOW)
    buf_puts (out, "allow");
  else if (says.verdict == GUARD_REPLACE)
    buf_append (out, says.value.data, says.value.len);
  else
    buf_printf (out, "%s: %.*s", says.verdict == GUARD_REJECT ? "reject" : "fail",
                (int) says.text.len, says.text.data);
  CU_ASSERT_TRUE (says.verdict != GUARD_REJECT || says.found > 0);
  buf_free (&says.text);
  buf_free (&says.value);
}

static inline bool
guard_row_holds (const struct guard_row *row, const char *answer)
{
  const bool part =
    strncmp (row->says, "reject: ", 8) == 0 || strncmp (row->says, "fail: ", 6) == 0;
  const char *colon = part ? strchr (row->says, ' ') + 1 : row->says;

  if (!part)
    return strcmp (row->says, answer) == 0;
  return strncmp (row->says, answer, (size_t) (colon - row->says)) == 0
         && strstr (answer, colon) != NULL;
}

static inline void
guard_check_rows (const struct guard_row *rows, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    struct guard *guard = guard_of (rows[i].config);
    struct buf answer = { 0 };
    guard_answer (guard, rows[i].stage, rows[i].value, strlen (rows[i].value), &answer);
    const bool holds = guard_row_holds (&rows[i], buf_cstr (&answer));
    CU_ASSERT_TRUE (holds);
    if (!holds)
      printf ("# row %zu: %s\n#   says %s\n#   not  %s\n", i, rows[i].value, answer.data,
              rows[i].says);
    buf_free (&answer);
    guard_free (guard);
  }
}
#define GUARD_CHECK_ROWS(rows) guard_check_rows (rows, sizeof (rows) / sizeof *(rows))

/* Configurations and what they are refused with. */
struct guard_bad {
  const char *config, *sentence;
};

static inline void
guard_check_bad (const struct guard_bad *rows, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    struct error err = guard_refusal (rows[i].config);
    CU_ASSERT_STRING_EQUAL (err.text, rows[i].sentence);
    if (strcmp (err.text, rows[i].sentence) != 0)
      printf ("# %s\n#   says %s\n#   not  %s\n", rows[i].config, err.text, rows[i].sentence);
  }
}
#define GUARD_CHECK_BAD(rows) guard_check_bad (rows, sizeof (rows) / sizeof *(rows))

#endif
