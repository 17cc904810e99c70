/* Pins of tenants: what is let in when, what outlives the daemon, and what a damaged file opens. */
#include <ev.h>
#include <fcntl.h>

#include "daemon/pins.h"
#include "place.h"
#include "tap.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

struct fixture {
  struct place place;
  struct ev_loop *loop;
  struct offload *offload;
  FILE *file;
  struct log *log;
  struct pins *pins;
};

static void
start (struct fixture *f, int state_dir)
{
  f->loop = ev_loop_new (EVFLAG_AUTO);
  f->offload = offload_new (f->loop, 1);
  f->file = tmpfile ();
  f->log = log_new (fileno (f->file), LOG_INFO);
  f->pins =
    pins_new (&(struct pins_needs){ .state_dir = state_dir, .offload = f->offload, .log = f->log });
}

/* As the daemon ends; what it logged, good until the next stop. */
static const char *
stop (struct fixture *f)
{
  static char text[4096];
  ssize_t len;

  offload_free (f->offload);
  pins_free (f->pins);
  log_free (f->log);
  ev_loop_destroy (f->loop);
  len = pread (fileno (f->file), text, sizeof text - 1, 0);
  text[len > 0 ? len : 0] = '\0';
  (void) fclose (f->file);
  return text;
}

static void
open_fixture (struct fixture *f)
{
  place_open (&f->place);
  start (f, f->place.fd);
}

static struct tool
tool (enum offer offer, const char *name, const char *digest)
{
  struct tool tool = { .offer = offer, .name = (char *) name, .plugin = "p" };

  strcpy (tool.digest, digest);
  return tool;
}

/* Is this one, alone in its toolset, served? */
static bool
admits (struct fixture *f, const char *name, const char *digest)
{
  const struct tool one = tool (OFFER_TOOL, name, digest);
  struct pinned *pinned = pins_of (f->pins, "acme");
  bool admitted;

  pinned_begin (pinned);
  admitted = pinned_admits (pinned, &one);
  pinned_end (pinned);
  return admitted;
}

static enum pins_accepted
take_in (struct fixture *f, const char *name, const char *digest)
{
  return pinned_accept (pins_of (f->pins, "acme"), name, digest);
}

static void
expect (struct fixture *f, const char *rendered)
{
  CLEANUP_BUF struct buf out = { 0 };

  pinned_render (pins_of (f->pins, "acme"), &out);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&out), rendered);
}

static unsigned
count (const char *text, const char *what)
{
  unsigned n = 0;

  for (; (text = strstr (text, what)) != NULL; text++)
    n++;
  return n;
}

static void
what_has_changed_waits_until_it_is_accepted (void)
{
  struct fixture f;
  const char *logged;

  open_fixture (&f);
  CU_ASSERT_TRUE (admits (&f, "echo", A)); /* as it was first seen */
  CU_ASSERT_EQUAL (take_in (&f, "echo", NULL), PINS_NOTHING_WAITS);
  CU_ASSERT_FALSE (admits (&f, "echo", B));
  CU_ASSERT_FALSE (admits (&f, "echo", B));
  expect (&f, "{\"tenant\":\"acme\",\"trusts_new\":true,\"pins\":[{\"name\":\"echo\","
              "\"state\":\"pending_review\",\"pinned\":\"" A "\",\"pending\":\"" B "\"}]}");
  CU_ASSERT_EQUAL (take_in (&f, "hash", NULL), PINS_NOTHING_WAITS);
  CU_ASSERT_EQUAL (take_in (&f, "echo", A), PINS_IS_ANOTHER);
  CU_ASSERT_FALSE (admits (&f, "echo", B));
  CU_ASSERT_EQUAL (take_in (&f, "echo", B), PINS_ACCEPTED);
  CU_ASSERT_TRUE (admits (&f, "echo", B));
  CU_ASSERT_FALSE (admits (&f, "echo", A)); /* the one before it is another one now */
  CU_ASSERT_TRUE (admits (&f, "echo", B));  /* what is pinned comes back by itself */
  expect (&f, "{\"tenant\":\"acme\",\"trusts_new\":true,\"pins\":[{\"name\":\"echo\","
              "\"state\":\"pinned\",\"pinned\":\"" B "\"}]}");
  logged = stop (&f);
  CU_ASSERT_EQUAL (count (logged, "\"tool_pending_review\""), 2); /* each change once */
  CU_ASSERT_PTR_NOT_NULL (strstr (logged, "\"tenant\":\"acme\",\"tool\":\"echo\",\"plugin\":\"p\","
                                          "\"pinned\":\"" A "\",\"pending\":\"" B "\""));
  CU_ASSERT_EQUAL (count (logged, "\"tool_accepted\""), 1);
  place_close (&f.place);
}

static void
what_is_gone_does_not_wait_but_stays_pinned (void)
{
  struct fixture f;

  open_fixture (&f);
  CU_ASSERT_TRUE (admits (&f, "echo", A));
  CU_ASSERT_FALSE (admits (&f, "echo", B));
  CU_ASSERT_TRUE (admits (&f, "hash", A)); /* echo is in this toolset no more */
  CU_ASSERT_EQUAL (take_in (&f, "echo", NULL), PINS_NOTHING_WAITS);
  CU_ASSERT_FALSE (admits (&f, "echo", B));
  (void) stop (&f);
  place_close (&f.place);
}

static void
kinds_are_told_apart_and_what_is_listed_follows_its_template (void)
{
  struct tool a_tool = tool (OFFER_TOOL, "x", A), prompt = tool (OFFER_PROMPT, "x", B),
              template = tool (OFFER_TEMPLATE, "x:{id}", A),
              listed = tool (OFFER_RESOURCE, "x:1", B);
  struct pinned *pinned;
  struct fixture f;

  open_fixture (&f);
  listed.listed_by = &template;
  pinned = pins_of (f.pins, "acme");
  pinned_begin (pinned);
  CU_ASSERT_TRUE (pinned_admits (pinned, &a_tool));
  CU_ASSERT_TRUE (pinned_admits (pinned, &prompt));
  CU_ASSERT_TRUE (pinned_admits (pinned, &listed));
  pinned_end (pinned);
  strcpy (listed.digest, A); /* another list */
  strcpy (prompt.digest, A);
  pinned_begin (pinned);
  CU_ASSERT_TRUE (pinned_admits (pinned, &listed));
  CU_ASSERT_FALSE (pinned_admits (pinned, &prompt));
  CU_ASSERT_TRUE (pinned_admits (pinned, &a_tool));
  strcpy (template.digest, B);
  CU_ASSERT_FALSE (pinned_admits (pinned, &listed));
  pinned_end (pinned);
  CU_ASSERT_EQUAL (take_in (&f, "x", NULL), PINS_NOTHING_WAITS);
  CU_ASSERT_EQUAL (take_in (&f, "prompt x", NULL), PINS_ACCEPTED);
  (void) stop (&f);
  place_close (&f.place);
}

static void
a_skill_is_accepted_with_its_file (void)
{
  struct tool skill = tool (OFFER_SKILL, "skill://x", A),
              file = tool (OFFER_RESOURCE, "skill://x", A);
  struct pinned *pinned;
  struct fixture f;

  open_fixture (&f);
  pinned = pins_of (f.pins, "acme");
  for (int round = 0; round < 2; round++) {
    pinned_begin (pinned);
    CU_ASSERT_EQUAL (pinned_admits (pinned, &skill), round == 0);
    CU_ASSERT_EQUAL (pinned_admits (pinned, &file), round == 0);
    pinned_end (pinned);
    strcpy (skill.digest, B);
    strcpy (file.digest, B);
  }
  CU_ASSERT_EQUAL (take_in (&f, "skill skill://x", B), PINS_ACCEPTED);
  pinned_begin (pinned);
  CU_ASSERT_TRUE (pinned_admits (pinned, &skill));
  CU_ASSERT_TRUE (pinned_admits (pinned, &file));
  pinned_end (pinned);
  (void) stop (&f);
  place_close (&f.place);
}

static void
pins_outlive_the_daemon_and_go_when_they_are_forgotten (void)
{
  struct fixture f;

  open_fixture (&f);
  CU_ASSERT_TRUE (admits (&f, "echo", A));
  CU_ASSERT_FALSE (admits (&f, "echo", B));
  (void) stop (&f); /* what no thread has written yet is written now */
  CU_ASSERT_TRUE (place_has (&f.place, "pins/acme.json"));

  start (&f, f.place.fd);
  CU_ASSERT_FALSE (admits (&f, "echo", B));
  CU_ASSERT_EQUAL (take_in (&f, "echo", NULL), PINS_ACCEPTED);
  (void) ev_run (f.loop, 0); /* it ends when all is written */
  CU_ASSERT_TRUE (admits (&f, "echo", B));
  (void) stop (&f);

  start (&f, f.place.fd);
  CU_ASSERT_FALSE (admits (&f, "echo", A));
  pins_forget (f.pins, "acme");
  CU_ASSERT_TRUE (admits (&f, "echo", A)); /* wanted again at once: all is new */
  (void) ev_run (f.loop, 0);
  CU_ASSERT_TRUE (place_has (&f.place, "pins/acme.json"));
  pins_forget (f.pins, "acme");
  (void) ev_run (f.loop, 0);
  CU_ASSERT_FALSE (place_has (&f.place, "pins/acme.json"));
  CU_ASSERT_FALSE (place_has (&f.place, "pins/acme.new"));
  CU_ASSERT_PTR_NULL (strstr (stop (&f), "pins_not_kept"));

  start (&f, f.place.fd); /* of an earlier daemon, and not wanted any more */
  CU_ASSERT_TRUE (admits (&f, "echo", A));
  (void) stop (&f);
  CU_ASSERT_TRUE (place_has (&f.place, "pins/acme.json"));
  start (&f, f.place.fd);
  pins_forget (f.pins, "acme");
  (void) stop (&f);
  CU_ASSERT_FALSE (place_has (&f.place, "pins/acme.json"));
  place_close (&f.place);
}

static void
without_a_state_folder_they_are_in_memory (void)
{
  struct fixture f;

  start (&f, -1);
  CU_ASSERT_TRUE (admits (&f, "echo", A));
  CU_ASSERT_FALSE (admits (&f, "echo", B));
  pins_forget (f.pins, "acme");
  CU_ASSERT_TRUE (admits (&f, "echo", B));
  CU_ASSERT_PTR_NULL (strstr (stop (&f), "pins_not_kept"));
}

static void
put (const struct fixture *f, const char *text)
{
  (void) unlinkat (f->place.fd, "pins/acme.json", 0);
  place_append (&f->place, "pins/acme.json", text, strlen (text));
}

static void
a_damaged_file_lets_nothing_in (void)
{
  static const struct {
    const char *text, *why;
  } rows[] = {
    { "", "pins/acme.json: at byte 0: " },
    { "{\"tenant\":\"acme\",\"trusts_new\":true,\"pins\":{\"echo\":\"" A "\"}", "at byte " },
    { "[]", "expected an object with tenant, trusts_new and pins" },
    { "{\"tenant\":\"acme\",\"trusts_new\":true,\"pins\":{},\"more\":1}",
      "expected an object with" },
    { "{\"tenant\":\"other\",\"trusts_new\":true,\"pins\":{}}", "/tenant: expected \\\"acme\\\"" },
    { "{\"tenant\":\"acme\",\"trusts_new\":1,\"pins\":{}}", "/trusts_new: expected true or false" },
    { "{\"tenant\":\"acme\",\"trusts_new\":true,\"pins\":[]}", "/pins: expected an object" },
    { "{\"tenant\":\"acme\",\"trusts_new\":true,\"pins\":{\"echo\":\"" A "\",\"hash\":\"abc\"}}",
      "/pins/hash: expected a digest, 64 hexadecimal digits" },
  };
  struct fixture f;
  const char *logged;

  open_fixture (&f);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    put (&f, rows[i].text);
    CU_ASSERT_FALSE (admits (&f, "echo", A));
    CU_ASSERT_FALSE (admits (&f, "new", A));
    logged = stop (&f);
    if (strstr (logged, rows[i].why) == NULL)
      printf ("# %s: got %s\n", rows[i].text, logged);
    CU_ASSERT_PTR_NOT_NULL (strstr (logged, rows[i].why));
    CU_ASSERT_EQUAL (count (logged, "\"pins_damaged\""), 1);
    start (&f, f.place.fd);
  }
  /* what was accepted since is served, also by the next daemon, and nothing else */
  CU_ASSERT_FALSE (admits (&f, "echo", A));
  CU_ASSERT_EQUAL (take_in (&f, "echo", NULL), PINS_ACCEPTED);
  (void) stop (&f);
  start (&f, f.place.fd);
  CU_ASSERT_TRUE (admits (&f, "echo", A));
  CU_ASSERT_FALSE (admits (&f, "new", A));
  CU_ASSERT_EQUAL (count (stop (&f), "\"pins_damaged\""), 0);
  place_close (&f.place);
}

static CU_TestInfo tests[] = {
  { "what has changed waits until it is accepted", what_has_changed_waits_until_it_is_accepted },
  { "what is gone does not wait, but stays pinned", what_is_gone_does_not_wait_but_stays_pinned },
  { "kinds are told apart, and what is listed follows its template",
    kinds_are_told_apart_and_what_is_listed_follows_its_template },
  { "a skill is accepted with its file", a_skill_is_accepted_with_its_file },
  { "pins outlive the daemon, and go when they are forgotten",
    pins_outlive_the_daemon_and_go_when_they_are_forgotten },
  { "without a state folder they are in memory", without_a_state_folder_they_are_in_memory },
  { "a damaged file lets nothing in", a_damaged_file_lets_nothing_in },
  CU_TEST_INFO_NULL
};

static CU_SuiteInfo suites[] = { { "pins", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
