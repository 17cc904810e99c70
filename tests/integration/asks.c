/* asks - tools that ask before they go on, in each of the ways there are. */
#include <toolhost.h>

#define NAME_FORM                                                                                  \
  "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"minLength\":2}},"          \
  "\"required\":[\"name\"]}"

/* Of what was asked, what is the answer? */
static const char *
word (int32_t answer)
{
  switch (answer) {
  case TOOLHOST_ANSWERED:
    return "answered";
  case TOOLHOST_DECLINED:
    return "declined";
  case TOOLHOST_DISMISSED:
    return "dismissed";
  case TOOLHOST_EXPIRED:
    return "expired";
  case TOOLHOST_OPEN:
    return "open";
  default:
    return "unaskable";
  }
}

#define DEFINITION(name, more)                                                                     \
  static const char *name##_definition (void *self)                                                \
  {                                                                                                \
    (void) self;                                                                                   \
    return "{\"name\":\"" #name "\",\"description\":\"Asks.\",\"inputSchema\":{\"type\":"          \
           "\"object\",\"properties\":{\"ms\":{\"type\":\"integer\"}}}" more "}";                  \
  }

/* One form.  With "insist" it can't do without. */
DEFINITION (greet, "")
static toolhost_status
greet (void *self, toolhost_call *call)
{
  int32_t answer = toolhost_ask_form (call, "user_name", NAME_FORM, "Who is \"%s\"?",
                                      toolhost_arg_string_or (call, "who", "you"));

  (void) self;
  if (answer == TOOLHOST_OPEN
      || (answer == TOOLHOST_UNASKABLE && toolhost_arg_bool (call, "insist", false)))
    return TOOLHOST_ASKED;
  if (answer != TOOLHOST_ANSWERED)
    return toolhost_textf (call, "Hello, whoever (%s)!", word (answer));
  return toolhost_textf (call, "Hello, %s!",
                         toolhost_answer_string (call, "user_name", "name", "?"));
}

/* All kinds at once. */
DEFINITION (all, "")
static toolhost_status
all (void *self, toolhost_call *call)
{
  static const struct {
    const char *key, *kind, *params;
  } asks[] = {
    { "form", "form", "{\"message\":\"Who?\",\"requestedSchema\":" NAME_FORM "}" },
    { "url", "url", "{\"message\":\"Pay.\",\"url\":\"https://pay.example/1\"}" },
    { "model", "sampling",
      "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"Hi\"}}],"
      "\"maxTokens\":10}" },
    { "roots", "roots", "{}" },
  };
  bool open = false;

  (void) self;
  for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
    const char *answer;
    size_t len;
    int32_t is = toolhost_ask (call, asks[i].key, asks[i].kind, asks[i].params, &answer, &len);
    open |= is == TOOLHOST_OPEN;
    toolhost_textf (call, "%s %s %.*s\n", asks[i].key, word (is), (int) len,
                    answer != NULL ? answer : "");
  }
  return open ? TOOLHOST_ASKED : TOOLHOST_OK;
}

/* As many rounds as "rounds" says, counted in what is kept. */
DEFINITION (rounds, "")
static toolhost_status
rounds (void *self, toolhost_call *call)
{
  int64_t wanted = toolhost_arg_int (call, "rounds", 2);
  size_t len;
  const char *kept = toolhost_kept (call, &len);
  int done = kept != NULL ? (int) len : 0;
  char key[16], next[64];

  (void) self;
  for (int i = 0; i < done; i++) {
    snprintf (key, sizeof key, "step%d", i + 1);
    toolhost_textf (call, "%s=%s ", key, toolhost_answer_string (call, key, "name", "-"));
  }
  if (done >= wanted)
    return TOOLHOST_OK;
  snprintf (key, sizeof key, "step%d", done + 1);
  (void) toolhost_ask_form (call, key, NAME_FORM, "Step %d?", done + 1);
  memset (next, 'x', sizeof next);
  toolhost_keep (call, next, (size_t) done + 1);
  return TOOLHOST_ASKED;
}

/* Breaks the rules of questions. */
DEFINITION (wrong, "")
static toolhost_status
wrong (void *self, toolhost_call *call)
{
  (void) self;
  (void) toolhost_ask (call, "k", "url", "{\"message\":\"m\",\"url\":\"http://example.com\"}", NULL,
                       NULL);
  return TOOLHOST_ASKED;
}

/* Calls that MCP can make tasks. */
DEFINITION (work, ",\"toolhost\":{\"background\":true}")
static toolhost_status
work (void *self, toolhost_call *call)
{
  (void) self;
  toolhost_progress (call, 1, 2, "half");
  if (toolhost_sleep (call, toolhost_arg_int (call, "ms", 0)) != TOOLHOST_OK)
    return toolhost_fail (call, "stopped", "stopped");
  if (toolhost_arg_bool (call, "fail", false))
    return toolhost_fail (
      call, toolhost_arg_bool (call, "broken", false) ? "internal_error" : "no_luck", "It failed.");
  return toolhost_text (call, "done");
}

/* Two questions at once. */
DEFINITION (task_two, ",\"toolhost\":{\"background\":true}")
static toolhost_status
two (void *self, toolhost_call *call)
{
  int32_t one = toolhost_ask_form (call, "one", NAME_FORM, "One?");
  int32_t other = toolhost_ask_form (call, "two", NAME_FORM, "Two?");

  (void) self;
  if (one == TOOLHOST_OPEN || other == TOOLHOST_OPEN)
    return TOOLHOST_ASKED;
  return toolhost_textf (call, "%s and %s", toolhost_answer_string (call, "one", "name", "?"),
                         toolhost_answer_string (call, "two", "name", "?"));
}

DEFINITION (background_only, ",\"toolhost\":{\"background\":\"required\"}")
DEFINITION (later_greet, ",\"toolhost\":{\"background\":\"answered\"}")
DEFINITION (task_greet, ",\"toolhost\":{\"background\":true}")

#define TOOL(name, run)                                                                            \
  static const toolhost_tool name##_tool = { TOOLHOST_TOOL, .definition = name##_definition,       \
                                             .execute = run };
TOOL (greet, greet)
TOOL (all, all)
TOOL (rounds, rounds)
TOOL (wrong, wrong)
TOOL (work, work)
TOOL (background_only, work)
TOOL (later_greet, greet)
TOOL (task_greet, greet)
TOOL (task_two, two)

TOOLHOST_PLUGIN (.name = "asks", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&greet_tool, &all_tool, &rounds_tool, &wrong_tool, &work_tool,
                                 &background_only_tool, &later_greet_tool, &task_greet_tool,
                                 &task_two_tool))
