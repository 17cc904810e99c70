/* How a plugin reads arguments and who called, and what it is told when it asks to go on. */
#include "tap.h"
#include "worker/args.h"
#include "worker/host_table.h"
#include "worker/tool_call.h"

/* A port whose clock only moves when told to. */
struct clock {
  int64_t now;
  int64_t slept_until;
};

static int64_t
clock_now (void *ctx)
{
  return ((struct clock *) ctx)->now;
}

static void
clock_sleep (void *ctx, struct tool_call *call, int64_t until)
{
  struct clock *clock = ctx;
  (void) call;
  clock->slept_until = until;
  clock->now = until;
}

static const struct call_port port = { .now = clock_now, .sleep = clock_sleep };

struct fixture {
  struct clock clock;
  struct plugin_host host;
  struct tool_call call;
  toolhost_call *pub;
};

static const struct plugin_tool tool = { .kind = PLUGIN_TOOL };

static void
begin_with (struct fixture *f, const char *args, const char *meta, int64_t deadline)
{
  f->clock = (struct clock){ 0 };
  plugin_host_init (&f->host, &port, &f->clock);
  tool_call_init (&f->call);
  tool_call_begin (&f->call, &f->host, &tool, 1, deadline, 1000);
  tool_call_texts (&f->call, args, strlen (args), meta, strlen (meta));
  f->pub = &f->call.pub;
}

static void
end (struct fixture *f)
{
  tool_call_end (&f->call);
  tool_call_destroy (&f->call);
}

static void
test_getters (void)
{
  struct fixture f;
  size_t len;

  begin_with (&f,
              "{\"s\":\"a\\u00e9\\n\",\"i\":-7,\"whole\":1e3,\"d\":2.5,\"t\":true,\"n\":null,"
              "\"list\":[1, {\"x\":\"deep\"}],\"/odd\":1,\"\":2}",
              "", INT64_MAX);
  CU_ASSERT_STRING_EQUAL (toolhost_arg_string (f.pub, "s"), "a\xC3\xA9\n");
  CU_ASSERT_EQUAL (toolhost_arg_int (f.pub, "i", 0), -7);
  CU_ASSERT_EQUAL (toolhost_arg_int (f.pub, "whole", 0), 1000);
  CU_ASSERT_EQUAL (toolhost_arg_int (f.pub, "d", 42), 42);
  CU_ASSERT (toolhost_arg_double (f.pub, "d", 0) == 2.5);
  CU_ASSERT (toolhost_arg_double (f.pub, "i", 0) == -7);
  CU_ASSERT_TRUE (toolhost_arg_bool (f.pub, "t", false));
  CU_ASSERT_TRUE (toolhost_has_arg (f.pub, "n"));
  CU_ASSERT_FALSE (toolhost_has_arg (f.pub, "nothing"));
  CU_ASSERT_STRING_EQUAL (toolhost_arg_string (f.pub, "/list/1/x"), "deep");
  CU_ASSERT_EQUAL (toolhost_arg_int (f.pub, "/~1odd", 0), 1);
  CU_ASSERT_EQUAL (toolhost_arg_int (f.pub, "/", 0), 2);
  CU_ASSERT_NSTRING_EQUAL (toolhost_arg_json (f.pub, "list", &len), "[1, {\"x\":\"deep\"}]", 17);
  CU_ASSERT_EQUAL (len, 17);
  end (&f);
}

static void
test_types_are_strict (void)
{
  struct fixture f;

  begin_with (&f, "{\"s\":\"1\",\"i\":1,\"t\":true,\"big\":9223372036854775808,\"inf\":1e999}", "",
              INT64_MAX);
  CU_ASSERT_EQUAL (toolhost_arg_int (f.pub, "s", -1), -1);
  CU_ASSERT_EQUAL (toolhost_arg_int (f.pub, "t", -1), -1);
  CU_ASSERT_EQUAL (toolhost_arg_int (f.pub, "big", -1), -1);
  CU_ASSERT (toolhost_arg_double (f.pub, "big", 0) == 9223372036854775808.0);
  CU_ASSERT (toolhost_arg_double (f.pub, "inf", 3) == 3);
  CU_ASSERT_FALSE (toolhost_arg_bool (f.pub, "i", false));
  CU_ASSERT_PTR_NULL (toolhost_arg_string (f.pub, "i"));
  end (&f);
}

static void
test_nul_in_a_string (void)
{
  struct fixture f;
  size_t len;

  begin_with (&f, "{\"s\":\"a\\u0000b\"}", "", INT64_MAX);
  CU_ASSERT_PTR_NULL (toolhost_arg_string (f.pub, "s"));
  CU_ASSERT_EQUAL (memcmp (toolhost_arg_string_len (f.pub, "s", &len), "a\0b", 4), 0);
  CU_ASSERT_EQUAL (len, 3);
  end (&f);
}

static void
test_raw_arguments (void)
{
  struct fixture f;
  size_t len;

  begin_with (&f, "", "", INT64_MAX);
  CU_ASSERT_NSTRING_EQUAL (toolhost_args (f.pub, &len), "{}", 2);
  CU_ASSERT_EQUAL (len, 2);
  CU_ASSERT_FALSE (toolhost_has_arg (f.pub, "x"));
  end (&f);
  begin_with (&f, "[1]", "", INT64_MAX);
  CU_ASSERT_FALSE (toolhost_has_arg (f.pub, "/0"));
  end (&f);
}

/* A plugin built with a shorter toolhost_value gets no more than that. */
static void
test_an_older_struct (void)
{
  struct fixture f;
  struct {
    toolhost_value value;
    char beyond[16];
  } old;

  begin_with (&f, "{\"i\":5}", "", INT64_MAX);
  memset (&old, 0x55, sizeof old);
  old.value.struct_size = offsetof (toolhost_value, number);
  CU_ASSERT_EQUAL (f.pub->host->arg (f.pub, "i", &old.value), TOOLHOST_OK);
  CU_ASSERT_EQUAL (old.value.integer, 5);
  CU_ASSERT_EQUAL (((unsigned char *) &old.value)[offsetof (toolhost_value, number)], 0x55);
  old.value.struct_size = 4;
  CU_ASSERT_EQUAL (f.pub->host->arg (f.pub, "i", &old.value), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (f.pub->host->arg (f.pub, NULL, NULL), TOOLHOST_BAD_VALUE);
  end (&f);
}

static void
test_who (void)
{
  struct fixture f;

  begin_with (&f, "{}", "{\"call_id\":\"c\",\"tenant\":\"acme\",\"metadata\":{\"k\":[1]}}",
              INT64_MAX);
  CU_ASSERT_STRING_EQUAL (toolhost_call_id (f.pub), "c");
  CU_ASSERT_STRING_EQUAL (toolhost_tenant (f.pub), "acme");
  CU_ASSERT_STRING_EQUAL (toolhost_session_id (f.pub), "");
  CU_ASSERT_STRING_EQUAL (toolhost_metadata (f.pub), "{\"k\":[1]}");
  CU_ASSERT_STRING_EQUAL (toolhost_info (f.pub, 4711), "");
  end (&f);
  begin_with (&f, "{}", "", INT64_MAX);
  CU_ASSERT_STRING_EQUAL (toolhost_metadata (f.pub), "{}");
  end (&f);
}

static void
test_time (void)
{
  enum { MS = 1000000 };
  struct fixture f;

  begin_with (&f, "{}", "", 50 * MS);
  CU_ASSERT_EQUAL (toolhost_time_left (f.pub), 50);
  CU_ASSERT_EQUAL (toolhost_sleep (f.pub, 20), TOOLHOST_OK);
  CU_ASSERT_EQUAL (f.clock.now, 20 * MS);
  CU_ASSERT_FALSE (toolhost_cancelled (f.pub));
  CU_ASSERT_EQUAL (toolhost_sleep (f.pub, INT64_MAX), TOOLHOST_CANCELLED);
  CU_ASSERT_EQUAL (f.clock.slept_until, 50 * MS);
  CU_ASSERT_TRUE (toolhost_cancelled (f.pub));
  CU_ASSERT_EQUAL (toolhost_time_left (f.pub), 0);
  end (&f);
}

static void
test_cancelled (void)
{
  struct fixture f;

  begin_with (&f, "{}", "", INT64_MAX);
  CU_ASSERT_EQUAL (toolhost_time_left (f.pub), INT64_MAX);
  tool_call_cancel (&f.call);
  CU_ASSERT_TRUE (toolhost_cancelled (f.pub));
  CU_ASSERT_EQUAL (toolhost_sleep (f.pub, 1000), TOOLHOST_CANCELLED);
  CU_ASSERT_EQUAL (f.clock.now, 0);
  end (&f);
}

static void
test_what_is_not_granted (void)
{
  struct fixture f;
  const char *text = "unchanged";
  size_t len = 9;
  bool set = true;

  begin_with (&f, "{}", "", INT64_MAX);
  CU_ASSERT_EQUAL (toolhost_emit (f.pub, "{}"), TOOLHOST_NOT_GRANTED);
  CU_ASSERT_EQUAL (toolhost_handoff (f.pub, "{}"), TOOLHOST_NOT_GRANTED);
  CU_ASSERT_EQUAL (toolhost_context_get (f.pub, "a", &text, &len), TOOLHOST_NOT_GRANTED);
  CU_ASSERT_PTR_NULL (text);
  CU_ASSERT_EQUAL (toolhost_context_set (f.pub, "a", "1"), TOOLHOST_NOT_GRANTED);
  CU_ASSERT_EQUAL (toolhost_context_append (f.pub, "a", "1"), TOOLHOST_NOT_GRANTED);
  CU_ASSERT_EQUAL (toolhost_flag_set (f.pub, "a"), TOOLHOST_NOT_GRANTED);
  CU_ASSERT_EQUAL (toolhost_flag_clear (f.pub, "a"), TOOLHOST_NOT_GRANTED);
  CU_ASSERT_EQUAL (toolhost_flag_get (f.pub, "a", &set), TOOLHOST_NOT_GRANTED);
  CU_ASSERT_FALSE (set);
  CU_ASSERT_EQUAL (toolhost_secret (f.pub, "a", &text, &len), TOOLHOST_NOT_GRANTED);
  CU_ASSERT_EQUAL (toolhost_invoke (f.pub, "a", "{}", &text, &len), TOOLHOST_NOT_GRANTED);
  CU_ASSERT_EQUAL (toolhost_ask (f.pub, "k", "confirm", "{}", &text, &len), TOOLHOST_UNASKABLE);
  CU_ASSERT_EQUAL (toolhost_rebuild (f.pub->host, ""), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (toolhost_rebuild (f.pub->host, NULL), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (toolhost_rebuild (f.pub->host, "\xff"), TOOLHOST_BAD_VALUE);
  CU_ASSERT_PTR_NULL (toolhost_extension (f.pub->host, "toolhost.process/1"));
  CU_ASSERT_PTR_NOT_NULL (toolhost_extension (f.pub->host, TOOLHOST_HTTP_ID));
  CU_ASSERT_EQUAL (len, 0);
  end (&f);
}

static CU_TestInfo tests[] = {
  { "getters", test_getters },
  { "types are strict", test_types_are_strict },
  { "U+0000 in a string", test_nul_in_a_string },
  { "raw arguments", test_raw_arguments },
  { "an older struct", test_an_older_struct },
  { "who calls", test_who },
  { "time left and sleep", test_time },
  { "cancelled", test_cancelled },
  { "what is not granted", test_what_is_not_granted },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = { { "worker args", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
