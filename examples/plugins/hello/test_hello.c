/* test_hello.c - the tool with the mock host: no daemon, no sandbox. */
#include <stdio.h>
#include <toolhost-mock.h>

static int
check (toolhost_mock *mock, int number, const char *arguments, const char *expected)
{
  toolhost_mock_result *r = toolhost_mock_call (mock, "hello", arguments);
  int ok = r->status == TOOLHOST_OK && strcmp (r->text, expected) == 0;

  printf ("%s %d - %s\n", ok ? "ok" : "not ok", number, expected);
  toolhost_mock_result_free (r);
  return ok;
}

int
main (void)
{
  toolhost_mock *mock = toolhost_mock_new (toolhost_plugin_entry, NULL);
  int ok;

  if (mock == NULL) {
    printf ("Bail out! %s\n", toolhost_mock_error ());
    return 1;
  }
  ok = check (mock, 1, "{\"name\":\"Ada\"}", "Hello, Ada!")
       & check (mock, 2, "{\"name\":\"Zo\\u00eb\"}", "Hello, Zo\xC3\xAB!");
  puts ("1..2");
  toolhost_mock_free (mock);
  return !ok;
}
