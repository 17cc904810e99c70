/* The guards that are configured by what they look for: patterns, words, sizes, schemas.  And what
 * all guards have in common: their budget, logs, and the published schema. */
#include "guard_rig.h"
#include "schema/schema.h"

/* ---- regex ---- */

#define SSN "{\"guard\":\"regex\",\"patterns\":[\"\\\\b\\\\d{3}-\\\\d{2}-\\\\d{4}\\\\b\"]"
#define NUMBERED                                                                                   \
  "{\"guard\":\"regex\",\"action\":\"redact\",\"patterns\":[{\"name\":\"a customer's number\","    \
  "\"pattern\":\"K-[0-9]{4,}\"},\"x+\"]"

static const struct guard_row regex_rows[] = {
  { SSN "}", "{\"t\":\"it is 123-45-6789.\"}",
    "reject: The arguments hold a text that is not allowed (/t), which", 0 },
  { SSN "}", "{\"t\":\"1123-45-67890\",\"u\":\"2026-01-31\"}", "allow", 0 },
  { SSN ",\"action\":\"redact\"}", "{\"t\":\"123-45-6789, 123-45-6780\"}",
    "{\"t\":\"[redacted], [redacted]\"}", 0 },
  { NUMBERED "}", "{\"t\":\"K-1234 and xx\"}", "{\"t\":\"[a customer's number] and [redacted]\"}",
    0 },
  { NUMBERED ",\"replacement\":\"#\"}", "{\"t\":\"K-1234 and xx\"}", "{\"t\":\"# and #\"}", 0 },
  { "{\"guard\":\"regex\",\"patterns\":[{\"name\":\"a customer's number\",\"pattern\":\"K-\"}]}",
    "{\"t\":\"K-\"}", "reject: The arguments hold a customer's number (/t)", 0 },
  /* a number is a text here */
  { "{\"guard\":\"regex\",\"patterns\":[\"^666$\"],\"action\":\"redact\"}", "[665,666,true,null]",
    "[665,\"[redacted]\",true,null]", 0 },
  /* without regard to case, in any alphabet */
  { "{\"guard\":\"regex\",\"patterns\":[\"gehe[i\xc3\xaf]m|"
    "\xd1\x82\xd0\xb0\xd0\xb9\xd0\xbd\xd0\xb0\"],"
    "\"ignore_case\":true,\"action\":\"redact\"}",
    "{\"a\":\"GEHEIM gehe\xc3\x8fm\",\"b\":\"\xd0\xa2\xd0\x90\xd0\x99\xd0\x9d\xd0\x90\"}",
    "{\"a\":\"[redacted] [redacted]\",\"b\":\"[redacted]\"}", 0 },
  { "{\"guard\":\"regex\",\"patterns\":[\"^[^a]$\"],\"ignore_case\":true}", "[\"A\",\"a\"]",
    "allow", 0 },
  { "{\"guard\":\"regex\",\"patterns\":[\"geheim\"]}", "[\"Geheim\"]", "allow", 0 },
  /* what needs an engine */
  { "{\"guard\":\"regex\",\"patterns\":[\"(?<=pin "
    ")\\\\d+\",\"(\\\\w)\\\\1{3}\"],\"action\":\"redact\"}",
    "[\"pin 1234 aaaa pen 12\"]", "[\"pin [redacted] [redacted] pen 12\"]", 0 },
  /* an empty match is none to replace */
  { "{\"guard\":\"regex\",\"patterns\":[\"x*\"],\"action\":\"redact\"}", "[\"\xc3\xa4xx\xc3\xa4\"]",
    "[\"\xc3\xa4[redacted]\xc3\xa4\"]", 0 },
  /* the inverse */
  { "{\"guard\":\"regex\",\"action\":\"require\",\"at\":[\"/code\"],\"patterns\":[\"^[A-Z]{3}$\","
    "\"^none$\"]}",
    "{\"code\":\"ABC\",\"text\":\"any\"}", "allow", 0 },
  { "{\"guard\":\"regex\",\"action\":\"require\",\"at\":[\"/code\"],\"patterns\":[\"^[A-Z]{3}$\"]}",
    "{\"code\":\"abc\"}",
    "reject: The arguments hold a text that is not of an allowed form (/code), which", 0 },
  { "{\"guard\":\"regex\",\"action\":\"require\",\"patterns\":[\"^a\"]}", "[\"a\",\"\"]",
    "reject: ", 0 },
};

static void
patterns (void)
{
  GUARD_CHECK_ROWS (regex_rows);
}

/* ---- words ---- */

#define DENY                                                                                       \
  "{\"guard\":\"denylist\",\"action\":\"redact\",\"words\":[\"Project  Falcon\",\"c++\","          \
  "\"\xc3\x89"                                                                                     \
  "clair\",\"\xe6\xa9\x9f\xe5\xaf\x86\",\"666\",\"fal\"]}"

static const struct guard_row list_rows[] = {
  { DENY, "[\"about project falcon.\",\"PROJECT\\n\\tFALCON\",\"pro\\u200bject\\u00a0falcon\"]",
    "[\"about [redacted].\",\"[redacted]\",\"[redacted]\"]", 0 },
  { DENY, "[\"Projects Falcon\",\"project falcons\",\"myproject falcon\",\"falcon\",\"c+\"]",
    "allow", 0 },
  { DENY, "[\"C++, c++20\",\"xc++\"]", "[\"[redacted], [redacted]20\",\"xc++\"]", 0 },
  { DENY,
    "[\"\xc3\xa9"
    "clair\",\"\xc3\xa9"
    "clairs\",\"\xc3\xa9\xc3\xa9"
    "clair\"]",
    "[\"[redacted]\",\"\xc3\xa9"
    "clairs\",\"\xc3\xa9\xc3\xa9"
    "clair\"]",
    0 },
  /* a script without blanks between words */
  { DENY, "[\"\xe3\x81\x93\xe3\x82\x8c\xe6\xa9\x9f\xe5\xaf\x86\xe3\x81\xa7\xe3\x81\x99\"]",
    "[\"\xe3\x81\x93\xe3\x82\x8c[redacted]\xe3\x81\xa7\xe3\x81\x99\"]", 0 },
  { DENY, "{\"n\":666,\"m\":6660}", "{\"n\":\"[redacted]\",\"m\":6660}", 0 },
  { "{\"guard\":\"denylist\",\"words\":[\"password\"],\"names\":true}", "{\"Password\":1}",
    "reject: The arguments hold a word that is not allowed, which", 0 },
  { "{\"guard\":\"denylist\",\"words\":[\"password\"]}", "{\"Password\":1}", "allow", 0 },
  /* the inverse */
  { "{\"guard\":\"allowlist\",\"words\":[\"red\",\"dark  Blue\"],\"at\":[\"/colour\"]}",
    "{\"colour\":[\"Red\",\"dark blue\"],\"text\":\"any\"}", "allow", 0 },
  { "{\"guard\":\"allowlist\",\"words\":[\"red\",\"dark blue\"],\"at\":[\"/colour\"]}",
    "{\"colour\":\"darkblue\"}",
    "reject: The arguments hold a text that is none of those allowed (/colour), which", 0 },
  { "{\"guard\":\"allowlist\",\"words\":[\"red\"]}", "[\"redred\"]", "reject: ", 0 },
  { "{\"guard\":\"allowlist\",\"words\":[\"redden\"]}", "[\"red\"]", "reject: ", 0 },
  { "{\"guard\":\"allowlist\",\"words\":[\"red\"]}", "[\"\"]", "reject: ", 0 },
};

static void
words (void)
{
  GUARD_CHECK_ROWS (list_rows);
}

/* ---- sizes ---- */

static const struct guard_row size_rows[] = {
  { "{\"guard\":\"size\",\"bytes\":10}", "{\"a\":1234}", "allow", 0 },
  { "{\"guard\":\"size\",\"bytes\":10}", "{\"a\":12345}",
    "reject: The arguments are too large: at most 10 bytes of JSON may be in it.", 0 },
  { "{\"guard\":\"size\",\"text\":3}", "[[\"abc\"]]", "allow", 0 },
  { "{\"guard\":\"size\",\"text\":3}", "[[\"abcd\"]]",
    "reject: The result is too large: at most 3 bytes may be in one text.", GUARD_OUTPUT },
  { "{\"guard\":\"size\",\"depth\":2}", "[[1],[2,3],{\"a\":[]}]", "reject: at most 2 levels", 0 },
  { "{\"guard\":\"size\",\"depth\":3}", "[[1],[2,3],{\"a\":[]},[[]],[]]", "allow", 0 },
  { "{\"guard\":\"size\",\"items\":2}", "[[1,2],{\"a\":1,\"b\":[]}]", "allow", 0 },
  { "{\"guard\":\"size\",\"items\":2}", "[[1,2,3]]", "reject: at most 2 items may be in a list.",
    0 },
  { "{\"guard\":\"size\",\"items\":2}", "{\"a\":1,\"b\":2,\"c\":3}",
    "reject: at most 2 members may be in an object.", 0 },
  { "{\"guard\":\"size\",\"items\":2,\"message\":\"Ask for less.\"}", "[1,2,3]",
    "reject: Ask for less.", 0 },
};

static void
sizes (void)
{
  GUARD_CHECK_ROWS (size_rows);
}

/* ---- schemas ---- */

#define BOUNDED                                                                                    \
  "{\"guard\":\"schema\",\"schema\":{\"properties\":{\"amount\":{\"type\":\"number\",\"maximum\":" \
  "100},\"to\":{\"enum\":[\"ann\",\"bob\"]}}}}"

static const struct guard_row schema_rows[] = {
  { BOUNDED, "{\"amount\":100,\"to\":\"ann\"}", "allow", 0 },
  { BOUNDED, "{\"amount\":101,\"to\":\"eve\"}",
    "reject: The arguments are not of the form that is allowed:\n- /amount: ", 0 },
  { "{\"guard\":\"schema\",\"schema\":{\"required\":[\"structured\"],\"properties\":{"
    "\"structured\":"
    "{\"type\":\"object\"}}}}",
    "{\"content\":[],\"structured\":\"s3cret\"}",
    "reject: The result is not of the form that is allowed:\n- /structured: expected ",
    GUARD_OUTPUT },
  { "{\"guard\":\"schema\",\"schema\":false,\"message\":\"Never.\"}", "{}", "reject: Never.", 0 },
};

static void
schemas (void)
{
  GUARD_CHECK_ROWS (schema_rows);
}

static void
a_result_is_not_quoted (void)
{
  struct guard *guard = guard_of (schema_rows[2].config);
  CLEANUP_BUF struct buf answer = { 0 };

  guard_answer (guard, GUARD_OUTPUT, schema_rows[2].value, strlen (schema_rows[2].value), &answer);
  CU_ASSERT_PTR_NULL (strstr (buf_cstr (&answer), "s3cret"));
  guard_free (guard);
}

/* ---- openai-agents' cases ---- */

#define PASSWORD                                                                                   \
  "{\"guard\":\"denylist\",\"words\":[\"password\"],\"names\":true,"                               \
  "\"message\":\"Tool call blocked: contains password\"}"
#define SSN_OUT SSN ",\"message\":\"Tool output blocked: contains SSN\"}"

static void
t3_15_password_blocking_input (void)
{
  static const struct guard_row rows[] = {
    { PASSWORD, "{\"message\":\"Hello world\"}", "allow", GUARD_INPUT },
    { PASSWORD, "{\"message\":\"My password is 1234\"}",
      "reject: Tool call blocked: contains password", GUARD_INPUT },
    { PASSWORD, "{\"password\":\"1234\"}", "reject: Tool call blocked: contains password",
      GUARD_INPUT },
  };

  GUARD_CHECK_ROWS (rows);
}

static void
t3_15_ssn_blocking_output (void)
{
  static const struct guard_row rows[] = {
    { SSN_OUT, "{\"content\":[{\"type\":\"text\",\"text\":\"User details for id 1\"}]}", "allow",
      GUARD_OUTPUT },
    { SSN_OUT, "{\"content\":[{\"type\":\"text\",\"text\":\"SSN: 123-45-6789\"}]}",
      "reject: Tool output blocked: contains SSN", GUARD_OUTPUT },
    { SSN_OUT, "{\"content\":[],\"structured\":{\"ssn\":\"123-45-6789\"}}",
      "reject: Tool output blocked: contains SSN", GUARD_OUTPUT },
  };

  GUARD_CHECK_ROWS (rows);
}

static void
t3_15_mixed (void)
{
  static const struct guard_row rows[] = {
    { PASSWORD, "{\"id\":\"1\"}", "allow", GUARD_INPUT },
    { SSN_OUT, "{\"content\":[{\"type\":\"text\",\"text\":\"password 123-45-6789\"}]}",
      "reject: SSN", GUARD_OUTPUT },
    { SSN_OUT, "{\"content\":[{\"type\":\"text\",\"text\":\"password\"}]}", "allow", GUARD_OUTPUT },
    { SSN ",\"action\":\"redact\",\"replacement\":\"***-**-****\"}",
      "{\"content\":[{\"type\":\"text\",\"text\":\"123-45-6789\"}]}",
      "{\"content\":[{\"type\":\"text\",\"text\":\"***-**-****\"}]}", GUARD_OUTPUT },
  };

  GUARD_CHECK_ROWS (rows);
}

/* ---- what all have in common ---- */

static const struct guard_bad bad[] = {
  { "{\"guard\":\"pi\"}", NULL },
  { "{}",
    "/guard: expected \"pii\", \"secrets\", \"regex\", \"denylist\", \"allowlist\", \"size\", "
    "\"injection\" or \"schema\"" },
  { "{\"guard\":\"pii\",\"at\":[]}", "/at: expected a list of 1 to 16 JSON pointers" },
  { "{\"guard\":\"pii\",\"at\":[\"/a\",\"b\"]}",
    "/at/1: expected a JSON pointer like \"/to\" or \"/items/*/phone\"" },
  { "{\"guard\":\"pii\",\"names\":1}", "/names: expected true or false" },
  { "{\"guard\":\"pii\",\"message\":\"\"}", "/message: expected a text of 1 to 1024 bytes" },
  { "{\"guard\":\"regex\"}", "/patterns: expected a list of 1 to 32 patterns" },
  { "{\"guard\":\"regex\",\"patterns\":[\"a\",\"(\"]}", NULL },
  { "{\"guard\":\"regex\",\"patterns\":[\"a\",7]}",
    "/patterns/1: expected a pattern, or {\"name\": ..., \"pattern\": ...}" },
  { "{\"guard\":\"regex\",\"patterns\":[{\"pattern\":\"a\",\"nam\":\"b\"}]}",
    "/patterns/0/nam: not a member that is known; did you mean \"name\"?" },
  { "{\"guard\":\"regex\",\"patterns\":[{\"pattern\":\"a\",\"name\":\"\"}]}",
    "/patterns/0/name: expected a text of 1 to 64 bytes" },
  { "{\"guard\":\"regex\",\"patterns\":[\"a\"],\"action\":\"requires\"}",
    "/action: expected \"block\", \"redact\" or \"require\", got \"requires\"; did you mean "
    "\"require\"?" },
  { "{\"guard\":\"denylist\"}", "/words: expected a list of words" },
  { "{\"guard\":\"denylist\",\"words\":[\"a\",\" \"]}", "/words/1: expected a word" },
  { "{\"guard\":\"allowlist\",\"words\":[\"a\"],\"action\":\"block\"}",
    "/action: not a member that is known" },
  { "{\"guard\":\"size\"}", "expected \"bytes\", \"text\", \"depth\" or \"items\"" },
  { "{\"guard\":\"size\",\"depth\":65}", "/depth: expected a number from 1 to 64" },
  { "{\"guard\":\"size\",\"depth\":1,\"at\":[\"/a\"]}",
    "/at: not for this guard, which looks at the whole" },
  { "{\"guard\":\"schema\"}", "/schema: expected a JSON Schema" },
  { "{\"guard\":\"schema\",\"schema\":{\"type\":\"strin\"}}", NULL },
};

static void
bad_configurations_are_refused (void)
{
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct error err = guard_refusal (bad[i].config);
    CU_ASSERT_STRING_NOT_EQUAL (err.text, "");
    if (bad[i].sentence != NULL)
      CU_ASSERT_STRING_EQUAL (err.text, bad[i].sentence);
    if (bad[i].sentence != NULL && strcmp (err.text, bad[i].sentence) != 0)
      printf ("# %s\n#   says %s\n", bad[i].config, err.text);
  }
  CU_ASSERT_EQUAL (strncmp (guard_refusal (bad[7].config).text, "/patterns/1: bad pattern", 24), 0);
  CU_ASSERT_EQUAL (strncmp (guard_refusal (bad[19].config).text, "/schema/type: ", 14), 0);
  CU_ASSERT_PTR_NOT_NULL (
    strstr (guard_refusal ("{\"guard\":\"injektion\"}").text, "did you mean \"injection\"?"));
}

static void
words_of_a_list_are_bounded (void)
{
  CLEANUP_BUF struct buf config = { 0 };

  buf_puts (&config, "{\"guard\":\"denylist\",\"words\":[\"");
  for (int i = 0; i < 201; i++)
    buf_putc (&config, 'a');
  buf_puts (&config, "\"]}");
  CU_ASSERT_STRING_EQUAL (guard_refusal (buf_cstr (&config)).text, "/words/0: is over 200 bytes");
  config.len = 0;
  buf_puts (&config, "{\"guard\":\"denylist\",\"words\":[\"w\"");
  for (int i = 0; i < 4096; i++)
    buf_printf (&config, ",\"w%d\"", i);
  buf_puts (&config, "]}");
  CU_ASSERT_STRING_EQUAL (
    guard_refusal (buf_cstr (&config)).text,
    "/words/4096: is one too many: they may be 4096 words, 32768 bytes in all");
}

/* The published schema and the guards are of one mind. */
static bool
schema_takes (const struct schema *schema, const char *config)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  CU_ASSERT_TRUE_FATAL (json_read (&tape, config, strlen (config), &json_default_limits, &arena));
  return schema_validate (schema, &tape, json_root (&tape), NULL, &arena);
}

static void
the_published_schema_says_the_same (void)
{
  static const struct guard_row *const good[] = { regex_rows, list_rows, size_rows, schema_rows };
  static const size_t counts[] = { sizeof regex_rows / sizeof *regex_rows,
                                   sizeof list_rows / sizeof *list_rows,
                                   sizeof size_rows / sizeof *size_rows,
                                   sizeof schema_rows / sizeof *schema_rows };
  CLEANUP_ARENA struct arena arena = { 0 };
  struct error err = { "" };
  struct schema *schema;
  struct json_tape tape;

  CU_ASSERT_TRUE_FATAL (json_read (&tape, guards_schema_json, strlen (guards_schema_json),
                                   &json_default_limits, &arena));
  schema = schema_compile (&tape, json_root (&tape), NULL, &err);
  CU_ASSERT_PTR_NOT_NULL_FATAL (schema);
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    for (size_t k = 0; k < counts[i]; k++)
      CU_ASSERT_TRUE (schema_takes (schema, good[i][k].config));
  for (const char *const *name = guard_names; *name != NULL; name++) {
    CLEANUP_BUF struct buf config = { 0 };
    buf_printf (&config, "{\"guard\":\"%s\",\"action\":\"wrong\",\"names\":7}", *name);
    CU_ASSERT_FALSE (schema_takes (schema, buf_cstr (&config)));
  }
  CU_ASSERT_FALSE (schema_takes (schema, "{\"guard\":\"regex\"}"));
  CU_ASSERT_FALSE (schema_takes (schema, "{\"guard\":\"size\",\"depth\":65}"));
  CU_ASSERT_FALSE (schema_takes (schema, "{\"guard\":\"secrets\",\"entropy\":8}"));
  schema_free (schema);
}

static const char *const one_of_each[] = {
  "{\"guard\":\"pii\",\"action\":\"redact\"}",
  "{\"guard\":\"secrets\",\"action\":\"redact\",\"entropy\":4.5}",
  "{\"guard\":\"regex\",\"patterns\":[\"[a-z]+@[a-z]+\"],\"action\":\"redact\"}",
  "{\"guard\":\"denylist\",\"words\":[\"abab\",\"bab\",\"ab\"],\"action\":\"redact\"}",
  "{\"guard\":\"allowlist\",\"words\":[\"a\"]}",
  "{\"guard\":\"size\",\"depth\":3,\"text\":1000000000}",
  "{\"guard\":\"injection\",\"action\":\"strip\"}",
  "{\"guard\":\"schema\",\"schema\":{\"type\":\"array\"}}",
};
enum { KINDS = sizeof one_of_each / sizeof *one_of_each };

static enum guard_verdict
verdict_of (const struct guard *guard, const struct buf *value, int64_t budget)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct guard_says says = { .found = 0 };
  struct json_tape tape;

  CU_ASSERT_TRUE_FATAL (json_read (&tape, value->data, value->len, &json_default_limits, &arena));
  guard_check (guard,
               &(struct guard_case){ .tape = &tape, .value = json_root (&tape), .budget = budget },
               &says);
  if (says.verdict == GUARD_FAIL) {
    CU_ASSERT_EQUAL (says.value.len, 0);
    CU_ASSERT_NOT_EQUAL (says.text.len, 0);
  }
  buf_free (&says.text);
  buf_free (&says.value);
  return says.verdict;
}

/* What costs more than it may does not pass, however small what may be spent is. */
static void
over_budget_nothing_passes (void)
{
  CLEANUP_BUF struct buf value = { 0 };

  buf_puts (&value, "[\"");
  for (int i = 0; i < 4000; i++)
    buf_puts (&value, "words and a@b.cd ");
  buf_puts (&value, "\"]");
  for (size_t i = 0; i < KINDS; i++) {
    struct guard *guard = guard_of (one_of_each[i]);
    const enum guard_verdict free = verdict_of (guard, &value, 0);
    CU_ASSERT_NOT_EQUAL (free, GUARD_FAIL);
    for (int64_t budget = 1; budget < 40; budget++) {
      const enum guard_verdict tight = verdict_of (guard, &value, budget);
      CU_ASSERT_TRUE (tight == GUARD_FAIL || tight == GUARD_REJECT || tight == free);
    }
    if (guard_name (guard)[1] != 'i' && strcmp (guard_name (guard), "schema") != 0)
      CU_ASSERT_EQUAL (verdict_of (guard, &value, 1), GUARD_FAIL);
    guard_free (guard);
  }
}

static void
fill (struct buf *value, const char *unit)
{
  value->len = 0;
  buf_puts (value, "[\"");
  while (value->len < 1 << 20)
    buf_puts (value, unit);
  buf_puts (value, "\"]");
}

/* 1 MiB of what people write is within what may be spent on the loop. */
static void
a_mebibyte_of_prose_is_no_failure (void)
{
  CLEANUP_BUF struct buf value = { 0 };

  fill (&value,
        "The quick brown fox jumps over the lazy dog, 12 times; a@b.cd saw it. "
        "Whoever reads such a text reads many others, and none of them is much to look at. ");
  for (size_t i = 0; i < KINDS; i++) {
    struct guard *guard = guard_of (one_of_each[i]);
    const int64_t steps = guard_steps (guard, value.len);
    const enum guard_verdict verdict = verdict_of (guard, &value, steps);
    CU_ASSERT_NOT_EQUAL (verdict, GUARD_FAIL);
    if (verdict == GUARD_FAIL)
      printf ("# %s\n", guard_name (guard));
    if (strcmp (guard_name (guard), "regex") != 0) /* which redacts here, and finds much */
      CU_ASSERT_TRUE (steps <= GUARD_BUDGET);
    guard_free (guard);
  }
}

/* Texts made to be slow take some times as much, and no more: what they cost grows as their length
 * does. */
static void
hostile_texts_are_linear_work (void)
{
  static const char *const units[] = { "a",
                                       "1",
                                       "@",
                                       "a@",
                                       "1 ",
                                       "+1",
                                       "://",
                                       ":",
                                       "-",
                                       "ab",
                                       "eyJ",
                                       "sk-",
                                       "a.b@c.",
                                       "<!--",
                                       "((1",
                                       "AKIA",
                                       "DE12 ",
                                       "11-",
                                       "ab ",
                                       "-----BEGIN ",
                                       "ignore previous ",
                                       "\xc3\x84",
                                       "\xe2\x80\x8b",
                                       "1-1(",
                                       "\\u0061",
                                       "a.a.a@",
                                       "://a:" };
  CLEANUP_BUF struct buf value = { 0 };

  for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
    fill (&value, units[u]);
    for (size_t i = 0; i < KINDS; i++) {
      struct guard *guard = guard_of (one_of_each[i]);
      if (strcmp (guard_name (guard), "regex") != 0) /* an operator's pattern costs what it costs */
        CU_ASSERT_NOT_EQUAL (verdict_of (guard, &value, 16 * (int64_t) GUARD_BUDGET), GUARD_FAIL);
      guard_free (guard);
    }
  }
}

/* ---- logs ---- */

static const struct {
  const char *config, *text, *redacted;
} logs[] = {
  { "{\"guard\":\"pii\"}", "{\"level\":\"INFO\",\"to\":\"ann@example.com\",\"ann@example.com\":1}",
    "{\"level\":\"INFO\",\"to\":\"[email]\",\"[email]\":1}" },
  { "{\"guard\":\"pii\",\"at\":[\"/x\"]}", "[{\"to\":\"+14155550100\"}]",
    "[{\"to\":\"[phone]\"}]" },
  { "{\"guard\":\"pii\"}", "to ann@example.com: 2 tries", "to [email]: 2 tries" },
  { "{\"guard\":\"pii\"}", "{\"cut\":\"ann@example.com\",\"x", "{\"cut\":\"[email]\",\"x" },
  { "{\"guard\":\"pii\"}", "cut ann@example.com \xe2\x82", "cut [email] \xef\xbf\xbd\xef\xbf\xbd" },
  { "{\"guard\":\"pii\"}", "nothing", "nothing" },
  { "{\"guard\":\"pii\"}", "", "" },
  { "{\"guard\":\"secrets\"}",
    "AKIA"
    "IOSFODNN7EXAMPLE",
    "[secret]" },
  { SSN ",\"action\":\"redact\"}", "[\"123-45-6789\"]", "[\"[redacted]\"]" },
  { "{\"guard\":\"injection\",\"action\":\"strip\"}", "\"\\u202e\"", "\"\"" },
  { "{\"guard\":\"size\",\"depth\":1}", "[\"a@b.cd\"]", "[\"a@b.cd\"]" },
};

static void
texts_of_logs_are_redacted (void)
{
  for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
    struct guard *guard = guard_of (logs[i].config);
    CLEANUP_BUF struct buf text = { 0 };
    buf_puts (&text, logs[i].text);
    guard_redact (guard, &text);
    CU_ASSERT_STRING_EQUAL (buf_cstr (&text), logs[i].redacted);
    if (strcmp (text.data, logs[i].redacted) != 0)
      printf ("# %s\n", text.data);
    guard_free (guard);
  }
}

static void
which_redact (void)
{
  static const struct {
    const char *config;
    bool redacts;
  } rows[] = {
    { "{\"guard\":\"pii\"}", true },
    { "{\"guard\":\"secrets\"}", true },
    { SSN "}", false },
    { SSN ",\"action\":\"redact\"}", true },
    { "{\"guard\":\"denylist\",\"words\":[\"a\"],\"action\":\"redact\"}", true },
    { "{\"guard\":\"denylist\",\"words\":[\"a\"]}", false },
    { "{\"guard\":\"allowlist\",\"words\":[\"a\"]}", false },
    { "{\"guard\":\"size\",\"depth\":1}", false },
    { "{\"guard\":\"injection\"}", false },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct guard *guard = guard_of (rows[i].config);
    CU_ASSERT_EQUAL (guard_redacts (guard), rows[i].redacts);
    guard_free (guard);
  }
}

static void
a_log_too_long_is_redacted_as_a_whole (void)
{
  struct guard *guard = guard_of ("{\"guard\":\"pii\"}");
  CLEANUP_BUF struct buf text = { 0 };

  while (text.len < 8 << 20)
    buf_puts (&text, "ann@example.com ");
  guard_redact (guard, &text);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&text), "\"[redacted: too long to be looked at]\"");
  guard_free (guard);
}

static CU_TestInfo tests[] = {
  { "patterns", patterns },
  { "words", words },
  { "sizes", sizes },
  { "schemas", schemas },
  { "a result is not quoted", a_result_is_not_quoted },
  { "T3-15 password blocking input", t3_15_password_blocking_input },
  { "T3-15 SSN blocking output", t3_15_ssn_blocking_output },
  { "T3-15 mixed", t3_15_mixed },
  { "bad configurations are refused", bad_configurations_are_refused },
  { "words of a list are bounded", words_of_a_list_are_bounded },
  { "the published schema says the same", the_published_schema_says_the_same },
  { "over budget nothing passes", over_budget_nothing_passes },
  { "a mebibyte of prose is no failure", a_mebibyte_of_prose_is_no_failure },
  { "hostile texts are linear work", hostile_texts_are_linear_work },
  { "texts of logs are redacted", texts_of_logs_are_redacted },
  { "which redact", which_redact },
  { "a log too long is redacted as a whole", a_log_too_long_is_redacted_as_a_whole },
  CU_TEST_INFO_NULL
};

static CU_SuiteInfo suites[] = { { "guard", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
