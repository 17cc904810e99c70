/* A guard's configuration, NUL, a value: it compiles or is refused with a sentence.  What is put in
 * the place of a value is good JSON, and what stays allowed is not redacted; over budget nothing
 * passes; a check says the same twice; a text of a log stays UTF-8, and JSON stays JSON. */
#include "fuzz.h"

#include "guard/guard.h"

static void
check_says (const struct guard_says *says)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_limits limits = json_default_limits;
  struct json_tape tape;

  limits.any_names = true;
  HOLDS (utf8_valid (says->text.data, says->text.len));
  HOLDS ((says->verdict == GUARD_REPLACE) == (says->value.len != 0));
  HOLDS ((says->verdict == GUARD_REJECT || says->verdict == GUARD_FAIL) == (says->text.len != 0));
  if (says->verdict == GUARD_REPLACE)
    HOLDS (json_read (&tape, says->value.data, says->value.len, &limits, &arena));
}

static enum guard_verdict
check_value (const struct guard *guard, const struct json_tape *tape, enum guard_stage stage,
             int64_t budget)
{
  const struct guard_case one = {
    .stage = stage, .tape = tape, .value = json_root (tape), .budget = budget
  };
  struct guard_says says = { .found = 0 }, again = { .found = 0 };

  guard_check (guard, &one, &says);
  guard_check (guard, &one, &again);
  check_says (&says);
  HOLDS (says.verdict == again.verdict && says.found == again.found);
  HOLDS (says.value.len == again.value.len);
  buf_free (&says.text);
  buf_free (&says.value);
  buf_free (&again.text);
  buf_free (&again.value);
  return says.verdict;
}

static void
check_log (const struct guard *guard, const struct piece *value)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf text = { 0 };
  struct json_limits limits = json_default_limits;
  struct json_tape tape;
  bool json;

  limits.any_names = true;
  json = json_read (&tape, value->text, value->len, &limits, &arena);
  buf_append (&text, value->text, value->len);
  guard_redact (guard, &text);
  if (guard_redacts (guard))
    HOLDS (utf8_valid (text.data, text.len));
  if (json)
    HOLDS (json_read (&tape, text.data, text.len, &limits, &arena));
}

static void
check_guard (const struct guard *guard, const struct piece *value)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  check_log (guard, value);
  if (!json_read (&tape, value->text, value->len, &json_default_limits, &arena))
    return;
  for (int stage = GUARD_INPUT; stage <= GUARD_OUTPUT; stage++) {
    const enum guard_verdict free = check_value (guard, &tape, (enum guard_stage) stage, 0);
    const enum guard_verdict tight = check_value (guard, &tape, (enum guard_stage) stage, 20);
    HOLDS (tight == free || tight == GUARD_FAIL || tight == GUARD_REJECT);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  CLEANUP_PIECE struct piece config = { 0 };
  CLEANUP_PIECE struct piece value = { 0 };
  CLEANUP_ARENA struct arena arena = { 0 };
  struct error err = { "" };
  struct json_tape tape;
  struct guard *guard;

  split (data, size, &config, &value);
  if (!json_read (&tape, config.text, config.len, &json_default_limits, &arena))
    return 0;
  guard = guard_new (&tape, json_root (&tape), &err);
  if (guard == NULL) {
    HOLDS (err.text[0] != '\0');
    return 0;
  }
  check_guard (guard, &value);
  guard_free (guard);
  return 0;
}
