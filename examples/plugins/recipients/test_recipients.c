/* test_recipients.c - the guard with the mock host: no daemon, no sandbox. */
#include <stdio.h>
#include <toolhost-mock.h>

static int
check (toolhost_mock *mock, int number, const char *to, const char *rejected)
{
  char request[256];
  toolhost_mock_result *r;
  int ok;

  (void) snprintf (request, sizeof request,
                   "{\"stage\":\"input\",\"tool\":\"send_mail\",\"arguments\":{%s},"
                   "\"config\":{\"domains\":[\"example.org\",\"example.com\"]}}",
                   to);
  r = toolhost_mock_guard (mock, "recipients", request);
  ok = rejected == NULL
         ? r->status == TOOLHOST_OK && r->json == NULL
         : strcmp (r->code, TOOLHOST_REJECTED) == 0 && strcmp (r->message, rejected) == 0;
  printf ("%s %d - %s\n", ok ? "ok" : "not ok", number, to);
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
  ok = check (mock, 1, "\"to\":\"ada@example.com\"", NULL)
       & check (mock, 2, "\"to\":\"ada@example.net\"", "Mail may not go to ada@example.net.")
       & check (mock, 3, "\"to\":\"a@example.com@example.net\"",
                "Mail may not go to a@example.com@example.net.")
       & check (mock, 4, "\"cc\":\"ada@example.com\"", "Say in \"to\" who the mail is for.");
  puts ("1..4");
  toolhost_mock_free (mock);
  return !ok;
}
