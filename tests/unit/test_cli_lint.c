#include "tap.h"

#include "cli/lint.h"

static struct buf seen;
static struct providers *providers;

static void
on_finding (void *ctx, enum lint_level level, const char *pointer, const char *message)
{
  (void) ctx;
  buf_printf (&seen, "%s %s: %s\n", lint_level_name (level), pointer, message);
}

static void
on_loss (void *ctx, enum lint_level level, const struct provider *provider, const struct loss *loss)
{
  (void) ctx;
  buf_printf (&seen, "%s %s: %s: %s\n", lint_level_name (level), loss->pointer, provider->name,
              loss->sentence);
}

static const char *
lint (const char *json)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  buf_reset (&seen, 0);
  CU_ASSERT_FATAL (json_read (&tape, json, strlen (json), &json_default_limits, &arena));
  lint_tool (&tape, json_root (&tape), on_finding, NULL);
  lint_providers (&tape, json_root (&tape), providers, on_loss, NULL);
  return buf_cstr (&seen);
}

#define DESCRIPTION "\"description\":\"Does something that is worth doing.\","

static void
test_clean (void)
{
  CU_ASSERT_STRING_EQUAL (
    lint ("{\"name\":\"do_it\"," DESCRIPTION
          "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\","
          "\"description\":\"d\"}},\"required\":[\"a\"],\"additionalProperties\":false}}"),
    "");
}

static void
test_names (void)
{
  CU_ASSERT_PTR_NOT_NULL (
    strstr (lint ("{\"name\":\"DoIt\"," DESCRIPTION "\"inputSchema\":{}}"), "note /name: "));
  CU_ASSERT_PTR_NOT_NULL (
    strstr (lint ("{" DESCRIPTION "\"inputSchema\":{}}"), "error /name: there is no name\n"));
}

static void
test_descriptions (void)
{
  CLEANUP_BUF struct buf json = { 0 };

  CU_ASSERT_PTR_NOT_NULL (strstr (lint ("{\"name\":\"a\",\"inputSchema\":{}}"),
                                  "error /description: there is no description"));
  CU_ASSERT_PTR_NOT_NULL (
    strstr (lint ("{\"name\":\"a\",\"description\":\"Runs.\",\"inputSchema\":{}}"),
            "warning /description: 5 characters say little"));
  buf_puts (&json, "{\"name\":\"a\",\"description\":\"");
  for (int i = 0; i < 1025; i++)
    buf_puts (&json, "\xc3\xa4");
  buf_puts (&json, "\",\"inputSchema\":{}}");
  CU_ASSERT_PTR_NOT_NULL (
    strstr (lint (buf_cstr (&json)),
            "note /description: openai: at most 1024 characters, got 1025: it is cut\n"));
}

static void
test_parameters (void)
{
  CU_ASSERT_STRING_EQUAL (
    lint ("{\"name\":\"a\"," DESCRIPTION
          "\"inputSchema\":{\"type\":\"object\",\"required\":[\"x/y\"],"
          "\"additionalProperties\":false,\"properties\":{\"x/y\":{\"type\":\"integer\"}}}}"),
    "warning /inputSchema/properties/x~1y: the parameter has no description\n"
    "warning /inputSchema/properties: anthropic: \"x/y\" can't be the name of a property there\n");
}

static void
test_losses (void)
{
  /* once for OpenAI and Anthropic each; Gemini takes it as it is */
  CU_ASSERT_STRING_EQUAL (
    lint ("{\"name\":\"a\"," DESCRIPTION
          "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"x\":{\"description\":\"d\","
          "\"type\":\"string\"}},\"required\":[\"x\"]}}"),
    "note /inputSchema: openai-strict: no other properties can be given\n"
    "note /inputSchema: anthropic-strict: no other properties can be given\n");
  /* of a tool that can't be strict nothing else is told */
  CU_ASSERT_STRING_EQUAL (
    lint ("{\"name\":\"a\"," DESCRIPTION
          "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"x\":{\"description\":\"d\"}}}}"),
    "note /inputSchema/properties/x: openai-strict: it takes values of any type\n"
    "note /inputSchema/properties/x: anthropic-strict: it takes values of any type\n");
  CU_ASSERT_PTR_NOT_NULL (
    strstr (lint ("{\"name\":\"1a\"," DESCRIPTION "\"inputSchema\":{\"type\":\"object\"}}"),
            "warning /name: gemini: a name there begins with one of A-Za-z_, "));
}

static void
test_hidden (void)
{
  CU_ASSERT_STRING_EQUAL (
    lint ("{\"name\":\"a\"," DESCRIPTION
          "\"inputSchema\":{\"type\":\"object\",\"additionalProperties\":false,\"properties\":"
          "{\"x\":{\"description\":\"d\",\"enum\":[\"ok\",\"o\\u202ek\"]}},\"required\":[\"x\"]}}"),
    "error /inputSchema/properties/x/enum/1: holds the invisible or direction-changing character "
    "U+202E\n");
}

static void
test_size (void)
{
  CLEANUP_BUF struct buf json = { 0 };

  buf_puts (&json, "{\"name\":\"a\"," DESCRIPTION "\"inputSchema\":{\"enum\":[");
  for (int i = 0; i < 500; i++)
    buf_printf (&json, "\"value%03d\",", i);
  buf_puts (&json, "1]}}");
  CU_ASSERT_PTR_NOT_NULL (strstr (lint (buf_cstr (&json)), "warning : the definition takes about"));
}

static int
begin (void)
{
  providers = providers_new ();
  return 0;
}

static int
done (void)
{
  providers_free (providers);
  buf_free (&seen);
  return 0;
}

static void
strict_off (const char *required)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf json = { 0 };
  struct json_tape tape;

  buf_reset (&seen, 0);
  buf_printf (&json,
              "{\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
              "\"string\"}},\"required\":[%s]}}",
              required);
  CU_ASSERT_FATAL (json_read (&tape, json.data, json.len, &json_default_limits, &arena));
  lint_strict_off (&tape, json_root (&tape), on_finding, NULL);
  (void) buf_cstr (&seen);
}

static void
test_strict (void)
{
  strict_off ("");
  CU_ASSERT_PTR_NOT_NULL (strstr (seen.data, "note /toolhost/strict: \"auto\" is off: "
                                             "/inputSchema/properties/a: is optional"));
  strict_off ("\"a\"");
  CU_ASSERT_EQUAL (seen.len, 0);
}

static CU_TestInfo tests[] = { { "has nothing to say of a clean tool", test_clean },
                               { "looks at names", test_names },
                               { "looks at descriptions", test_descriptions },
                               { "wants parameters described", test_parameters },
                               { "tells what providers do not take", test_losses },
                               { "finds hidden characters anywhere", test_hidden },
                               { "weighs definitions", test_size },
                               { "says where strict auto is off", test_strict },
                               CU_TEST_INFO_NULL };

static CU_SuiteInfo suites[] = { { "cli lint", begin, done, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
