#include "session_stage.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/json_tape.h"
#include "tap.h"

static double
stage_now (void *ctx)
{
  return ((struct stage *) ctx)->now;
}

static struct toolset *
stage_toolset (void *ctx, const char *tenant)
{
  (void) tenant;
  return catalog_toolset (((struct stage *) ctx)->fake.env.catalog);
}

static enum subscriber_took
hear_event (struct subscriber *subscriber, uint64_t number, const char *json, size_t len)
{
  struct stage *stage = (struct stage *) ((char *) subscriber - offsetof (struct stage, ear));

  (void) number;
  if (stage->deaf && memmem (json, len, "tool_unavailable", 16) == NULL)
    return SUBSCRIBER_REFUSED;
  if (stage->count < STAGE_EVENTS)
    stage->events[stage->count++] = xstrndup (json, len);
  return SUBSCRIBER_TOOK;
}

static void
hear_end (struct subscriber *subscriber)
{
  struct stage *stage = (struct stage *) ((char *) subscriber - offsetof (struct stage, ear));

  stage->closed = true;
  stage->session = NULL;
}

void
stage_open (struct stage *stage)
{
  *stage = (struct stage){ .now = 1000, .settings = sessions_defaults };
  fake_env_init (&stage->fake);
  stage->log_fd = memfd_create ("log", 0);
  stage->settings.calls = stage->fake.env.calls;
  stage->settings.log = log_new (stage->log_fd, LOG_INFO);
  stage->settings.now = stage_now;
  stage->settings.toolset = stage_toolset;
  stage->settings.ctx = stage;
  stage->ear = (struct subscriber){ .event = hear_event, .closed = hear_end };
}

static double
number_of (const struct json_tape *tape, const char *name, double otherwise)
{
  (void) json_double (tape, json_member (tape, json_root (tape), name), &otherwise);
  return otherwise;
}

void
stage_begin (struct stage *stage, const char *text)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct session_wish wish = { .principal = "key:test", .tenant = "acme" };
  struct error err = { 0 };
  struct json_tape tape;
  const char *code;

  text = text != NULL ? text : "{}";
  CU_ASSERT_FATAL (json_read (&tape, text, strlen (text), &json_default_limits, &arena));
  wish.tape = &tape;
  wish.call_id = json_cstring (&tape, json_member (&tape, json_root (&tape), "call_id"), &arena);
  wish.user = json_member (&tape, json_root (&tape), "user");
  stage->settings.grace = number_of (&tape, "grace", 0);
  stage->settings.calls_max = (size_t) number_of (&tape, "calls_max", 100);
  stage->sessions = sessions_new (&stage->settings);
  stage->session = session_open (stage->sessions, &wish, &code, &err);
  CU_ASSERT_PTR_NOT_NULL_FATAL (stage->session);
  CU_ASSERT (session_subscribe (stage->session, &stage->ear, 0));
}

const char *
stage_hear (struct stage *stage, const char *event)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct error err = { 0 };
  struct json_tape tape;
  const char *code = NULL;
  bool ended;

  CU_ASSERT_FATAL (json_read (&tape, event, strlen (event), &json_default_limits, &arena));
  return session_hear (stage->session, NULL, &tape, json_root (&tape), &ended, &code, &err) ? NULL
                                                                                            : code;
}

char *
stage_log (struct stage *stage)
{
  char *text;
  off_t len;

  sessions_free (stage->sessions);
  stage->sessions = NULL;
  log_free (stage->settings.log);
  stage->settings.log = NULL;
  len = lseek (stage->log_fd, 0, SEEK_END);
  text = xcalloc (1, (size_t) len + 1);
  CU_ASSERT (pread (stage->log_fd, text, (size_t) len, 0) == len);
  return text;
}

void
stage_close (struct stage *stage)
{
  sessions_free (stage->sessions);
  log_free (stage->settings.log);
  fake_env_free (&stage->fake);
  (void) close (stage->log_fd);
  for (size_t i = 0; i < stage->count; i++)
    free (stage->events[i]);
}

/* ---- comparing ---- */

static bool
node_holds (const struct json_tape *a, const struct json_node *x, const struct json_tape *b,
            const struct json_node *y)
{
  const struct json_node *name, *value;

  if (x == NULL || !json_is (y, JSON_OBJECT) || !json_is (x, JSON_OBJECT))
    return x != NULL && json_same (a, x, b, y);
  for (name = json_first (y); name != json_end (y); name = json_next (value)) {
    CLEANUP_ARENA struct arena arena = { 0 };
    value = json_next (name);
    if (!node_holds (a, json_member (a, x, json_cstring (b, name, &arena)), b, value))
      return false;
  }
  return true;
}

bool
stage_holds (const char *json, size_t len, const char *part, size_t part_len)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape a, b;

  return json_read (&a, json, len, &json_default_limits, &arena)
         && json_read (&b, part, part_len, &json_default_limits, &arena)
         && node_holds (&a, json_root (&a), &b, json_root (&b));
}

/* ---- scenarios ---- */

struct line {
  struct stage *stage;
  struct json_tape tape;
  struct arena *arena;
  struct buf *logs; /* what is to be found in the log, one a line */
  const struct json_node *value;
};

static const struct json_node *
member (const struct line *l, const char *name)
{
  return json_member (&l->tape, json_root (&l->tape), name);
}

static char *
raw (const struct line *l, const struct json_node *node)
{
  size_t len;
  const char *text = json_raw (&l->tape, node, &len);

  return arena_strndup (l->arena, text, len);
}

static void
do_open (struct line *l)
{
  stage_begin (l->stage, raw (l, l->value));
}

static void
do_set (struct line *l)
{
  struct tool *tool = toolset_find (catalog_toolset (l->stage->fake.env.catalog), "later", 5);
  const struct json_node *kind = json_member (&l->tape, l->value, "kind");
  const struct json_node *background = json_member (&l->tape, l->value, "background");
  int64_t turns;

  if (json_equals (&l->tape, kind, "handoff"))
    tool->kind = TOOL_HANDOFF;
  if (json_equals (&l->tape, kind, "passthrough"))
    tool->kind = TOOL_PASSTHROUGH;
  l->stage->fake.calls.stops_late |=
    json_is (json_member (&l->tape, l->value, "stops_late"), JSON_TRUE);
  if (json_is (background, JSON_TRUE))
    tool->background = BACKGROUND_MAY;
  if (json_int64 (&l->tape, json_member (&l->tape, l->value, "active_turns"), &turns))
    tool->active_turns = (unsigned) turns;
  if (json_equals (&l->tape, background, "required"))
    tool->background = BACKGROUND_MUST;
}

static void
do_in (struct line *l)
{
  const struct json_node *refused = member (l, "refused");
  const char *code = stage_hear (l->stage, raw (l, l->value));

  if (code == NULL)
    CU_ASSERT_PTR_NULL (refused);
  if (code != NULL && !json_equals (&l->tape, refused, code)) {
    printf ("# refused with %s: %s\n", code, raw (l, l->value));
    CU_FAIL ("an event that comes in");
  }
}

static void
do_tool (struct line *l)
{
  const char *id = json_cstring (&l->tape, l->value, l->arena);
  const char *error = json_cstring (&l->tape, member (l, "error"), l->arena);
  const struct json_node *content = member (l, "content"), *structured = member (l, "structured");
  const size_t index = fake_index (&l->stage->fake.calls, id);
  struct result result = fake_result (content != NULL ? raw (l, content) : "[]",
                                      structured != NULL ? raw (l, structured) : NULL);

  CU_ASSERT_NOT_EQUAL_FATAL (index, SIZE_MAX);
  if (error != NULL)
    result = fake_failure (strcmp (error, "tool_timeout") == 0     ? CALL_tool_timeout
                           : strcmp (error, "tool_cancelled") == 0 ? CALL_tool_cancelled
                                                                   : CALL_tool_execution_failed,
                           error, "It went wrong.");
  if (error != NULL && content != NULL) {
    result.content = raw (l, content);
    result.content_len = strlen (result.content);
  }
  if (error != NULL && structured != NULL) {
    result.structured = raw (l, structured);
    result.structured_len = strlen (result.structured);
  }
  fake_done (&l->stage->fake.calls, index, result);
}

/* "ok", or why not. */
static void
do_state (struct line *l)
{
  static const char *const words[] = { [0] = "nonsense",
                                       [FRAME_SERVED_OK] = "ok",
                                       [FRAME_SERVED_FAILED] = "failed",
                                       [FRAME_SERVED_NOT_GRANTED] = "not_granted",
                                       [FRAME_SERVED_BAD_VALUE] = "bad_value",
                                       [FRAME_SERVED_NOT_FOUND] = "not_found" };
  const char *id = json_cstring (&l->tape, l->value, l->arena);
  const size_t index = fake_index (&l->stage->fake.calls, id);
  const struct json_node *value = member (l, "value");
  CLEANUP_BUF struct buf out = { 0 };
  enum frame_served_status status;

  CU_ASSERT_NOT_EQUAL_FATAL (index, SIZE_MAX);
  status = fake_state (&l->stage->fake.calls, index, raw (l, member (l, "wants")), &out);
  if (!json_equals (&l->tape, member (l, "is"), words[status])) {
    printf ("# %s is %s\n", raw (l, member (l, "wants")), words[status]);
    CU_FAIL ("what the session says");
  }
  if (strcmp (buf_cstr (&out), value != NULL ? raw (l, value) : "") != 0) {
    printf ("# %s gives %s\n", raw (l, member (l, "wants")), buf_cstr (&out));
    CU_FAIL ("what the session knows");
  }
}

static void
do_emit (struct line *l)
{
  const char *id = json_cstring (&l->tape, l->value, l->arena);
  const size_t index = fake_index (&l->stage->fake.calls, id);

  CU_ASSERT_NOT_EQUAL_FATAL (index, SIZE_MAX);
  fake_emit (&l->stage->fake.calls, index, raw (l, member (l, "event")));
}

static void
do_advance (struct line *l)
{
  int64_t ms = 0;

  CU_ASSERT (json_int64 (&l->tape, l->value, &ms));
  l->stage->now += (double) ms / 1000;
  sessions_tick (l->stage->sessions);
}

static void
do_tools (struct line *l)
{
  const char *names[8] = { NULL };
  size_t count = 0;

  for (const struct json_node *n = json_first (l->value); n != json_end (l->value);
       n = json_next (n))
    names[count++] = json_cstring (&l->tape, n, l->arena);
  fake_env_tools (&l->stage->fake, names);
  sessions_toolsets_changed (l->stage->sessions);
}

static void
do_expect (struct line *l)
{
  struct stage *stage = l->stage;
  const char *wanted = raw (l, l->value);
  const char *got = stage->seen < stage->count ? stage->events[stage->seen] : NULL;

  if (json_is (l->value, JSON_NULL)
        ? got == NULL
        : got != NULL && stage_holds (got, strlen (got), wanted, strlen (wanted)))
    stage->seen += got != NULL;
  else {
    printf ("# expected %s\n# got      %s\n", wanted, got != NULL ? got : "nothing");
    CU_FAIL ("the next event");
  }
}

static void
do_log (struct line *l)
{
  buf_puts (l->logs, raw (l, l->value));
  buf_putc (l->logs, '\n');
}

static void
do_started (struct line *l)
{
  int64_t count = -1;

  CU_ASSERT (json_int64 (&l->tape, l->value, &count));
  CU_ASSERT_EQUAL (l->stage->fake.calls.started, (size_t) count);
}

static const struct {
  const char *name;
  void (*act) (struct line *l);
} acts[] = {
  { "open", do_open },
  { "set", do_set },
  { "in", do_in },
  { "tool", do_tool },
  { "emit", do_emit },
  { "state", do_state },
  { "tools", do_tools },
  { "expect", do_expect },
  { "log", do_log },
  { "started", do_started },
  { "advance_ms", do_advance },
};

static void
play_line (struct stage *stage, const char *text, size_t len, struct buf *logs)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct line l = { .stage = stage, .arena = &arena, .logs = logs };

  CU_ASSERT_FATAL (json_read (&l.tape, text, len, &json_default_limits, &arena));
  if (stage->sessions == NULL && json_member (&l.tape, json_root (&l.tape), "open") == NULL)
    stage_begin (stage, NULL);
  if (stage->also != NULL && stage->also (stage, &l.tape))
    return;
  for (size_t i = 0; i < sizeof acts / sizeof acts[0]; i++)
    if ((l.value = member (&l, acts[i].name)) != NULL)
      return acts[i].act (&l);
  printf ("# %.*s\n", (int) len, text);
  CU_FAIL ("a line of a scenario");
}

/* Each wanted line is behind the one before it. */
static void
check_log (const char *wanted, const char *log)
{
  for (size_t len; *wanted != '\0'; wanted += len + 1) {
    bool found = false;
    len = strcspn (wanted, "\n");
    while (!found && *log != '\0') {
      size_t line = strcspn (log, "\n");
      found = stage_holds (log, line, wanted, len);
      log += line + (log[line] == '\n');
    }
    if (!found) {
      printf ("# not in the log: %.*s\n", (int) len, wanted);
      CU_FAIL ("a line of the log");
    }
  }
}

void
stage_play (const char *lines)
{
  stage_play_also (lines, NULL, NULL, NULL);
}

void
stage_play_also (const char *lines,
                 bool (*also) (struct stage *stage, const struct json_tape *line),
                 void (*over) (struct stage *stage), void *ctx)
{
  CLEANUP_BUF struct buf logs = { 0 };
  struct stage stage;
  char *log;

  stage_open (&stage);
  stage.also = also;
  stage.also_ctx = ctx;
  for (size_t len; *lines != '\0'; lines += len + (lines[len] == '\n')) {
    len = strcspn (lines, "\n");
    if (len == 0 || lines[0] == '#')
      continue;
    if (strncmp (lines, "{\"scenario\"", 11) == 0)
      break;
    play_line (&stage, lines, len, &logs);
  }
  if (over != NULL)
    over (&stage);
  log = stage_log (&stage);
  check_log (buf_cstr (&logs), log);
  free (log);
  stage_close (&stage);
}
