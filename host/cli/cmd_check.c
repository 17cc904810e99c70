#include <string.h>
#include <unistd.h>

#include "base/json_tape.h"
#include "cli/answer.h"
#include "cli/check_offers.h"
#include "cli/command.h"
#include "cli/out.h"
#include "cli/report.h"
#include "daemon/oneshot.h"

/* A text of the plugin's description, malloced; NULL when it is not there. */
static char *
text_of (const struct json_tape *tape, const struct json_node *object, const char *name,
         struct arena *arena)
{
  const char *text = json_cstring (tape, json_member (tape, object, name), arena);

  return text != NULL ? xstrdup (text) : NULL;
}

static void
add_problems (struct report *report, const struct json_tape *tape, const struct json_node *problems,
              struct arena *arena)
{
  if (!json_is (problems, JSON_ARRAY))
    return;
  for (const struct json_node *n = json_first (problems); n != json_end (problems);
       n = json_next (n)) {
    const char *text = json_cstring (tape, n, arena);
    if (text != NULL)
      report_finding (report, LINT_ERROR, text);
  }
}

/* The object as text, malloced; NULL when there is none, or nothing in it. */
static char *
json_of (const struct json_tape *tape, const struct json_node *object)
{
  size_t len;

  if (!json_is (object, JSON_OBJECT) || object->count == 0)
    return NULL;
  const char *raw = json_raw (tape, object, &len);
  return xstrndup (raw, len);
}

/* What the host says of the plugin: its name, the tools it left out and why, what it wishes for. */
static bool
read_description (struct report *report, const struct buf *json)
{
  static const char first[] = "/plugins/0";
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  if (!json_read (&tape, json->data, json->len, &answer_limits, &arena))
    return false;
  const struct json_node *root = json_pointer (&tape, json_root (&tape), first, sizeof first - 1);

  report->name = text_of (&tape, root, "name", &arena);
  report->version = text_of (&tape, root, "version", &arena);
  if (report->name == NULL || report->version == NULL)
    return false;
  report->wishes = json_of (&tape, json_member (&tape, root, "permissions"));
  report->suggests = json_of (&tape, json_member (&tape, root, "suggested_policy"));
  add_problems (report, &tape, json_member (&tape, root, "problems"), &arena);
  return true;
}

/* ---- examples ---- */

struct trial {
  struct tool_report *report;
  const char *args;
  size_t args_len;
};

static void
on_progress (void *ctx, double done, double total, const char *text, size_t len)
{
  (void) ctx;
  (void) done;
  (void) total;
  (void) text;
  (void) len;
}

static void
on_done (void *ctx, const struct result *result)
{
  CLEANUP_BUF struct buf text = { 0 };
  const struct trial *trial = ctx;
  bool ok = result->error == CALL_OK;

  if (ok)
    (void) answer_text (result->content, result->content_len, result->structured,
                        result->structured_len, &text);
  else
    buf_printf (&text, "%s: %.*s%s%.*s", result->code, (int) result->message_len, result->message,
                result->problems != NULL ? " " : "", (int) result->problems_len,
                result->problems != NULL ? result->problems : "");
  tool_report_example (trial->report, trial->args, trial->args_len, ok, buf_cstr (&text), text.len);
}

static void
try_example (struct oneshot *host, const struct tool *tool, struct trial *trial)
{
  static const struct call_events events = { .progress = on_progress, .done = on_done };
  struct call_request request = { .name = tool->name,
                                  .name_len = tool->name_len,
                                  .args = trial->args,
                                  .args_len = trial->args_len,
                                  .front = "cli" };

  oneshot_call (host, &request, &events, trial);
}

static void
try_examples (struct oneshot *host, const struct tool *tool, const struct json_tape *tape,
              struct tool_report *report)
{
  const struct json_node *schema = json_member (tape, json_root (tape), "inputSchema");
  const struct json_node *examples = json_member (tape, schema, "examples");
  struct trial trial = { .report = report };

  if (!json_is (examples, JSON_ARRAY) || examples->count == 0) {
    tool_report_finding (report, LINT_NOTE, "/inputSchema/examples",
                         "there are no examples for check to run");
    return;
  }
  for (const struct json_node *n = json_first (examples); n != json_end (examples);
       n = json_next (n)) {
    trial.args = json_raw (tape, n, &trial.args_len);
    try_example (host, tool, &trial);
  }
}

/* ---- tools ---- */

static void
on_finding (void *ctx, enum lint_level level, const char *pointer, const char *message)
{
  tool_report_finding (ctx, level, pointer, message);
}

static void
on_loss (void *ctx, enum lint_level level, const struct provider *provider, const struct loss *loss)
{
  tool_report_loss (ctx, level, provider, loss);
}

static void
check_tool (struct oneshot *host, const struct tool *tool, const struct providers *providers,
            struct report *report)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  struct tool_report *found = report_tool (report, tool->name, (tool->mcp.len + 3) / 4);

  if (!json_read (&tape, tool->mcp.data, tool->mcp.len, &answer_limits, &arena)) {
    tool_report_finding (found, LINT_ERROR, "", "the definition is beyond the limits of a reader");
    return;
  }
  lint_tool (&tape, json_root (&tape), on_finding, found);
  if (tool->strict_off)
    lint_strict_off (&tape, json_root (&tape), on_finding, found);
  lint_providers (&tape, json_root (&tape), providers, on_loss, found);
  try_examples (host, tool, &tape, found);
}

static void
check_plugin (const char *file, struct report *report)
{
  CLEANUP_BUF struct buf description = { 0 };
  struct error err = { 0 };
  struct oneshot *host = oneshot_open (file, &err);

  if (host == NULL) {
    report_finding (report, LINT_ERROR, err.text);
    return;
  }
  oneshot_describe (host, &description);
  if (!read_description (report, &description))
    report_finding (report, LINT_ERROR, "the host could not describe it");
  const struct toolset *tools = oneshot_toolset (host);
  struct providers *providers = providers_new ();
  for (size_t i = 0; i < tools->count; i++)
    check_tool (host, tools->tools[i], providers, report);
  check_offers (host, report);
  providers_free (providers);
  oneshot_close (host);
}

static enum cli_exit
run (const struct options *options, char **words, int count)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct report report = { .file = words[0] };

  (void) count;
  if (access (words[0], R_OK) != 0)
    return out_error (CLI_BAD_PLUGIN,
                      "%s: can't be read; check needs a plugin file, as in "
                      "./hello.so",
                      words[0]);
  check_plugin (words[0], &report);
  if (command_wants_json (options))
    report_json (&report, &text);
  else
    report_text (&report, &text);
  out_text (text.data, text.len);
  size_t errors = report_count (&report, LINT_ERROR);
  report_free (&report);
  return errors == 0 ? CLI_OK : CLI_BAD_PLUGIN;
}

const struct command command_check = {
  .name = "check",
  .usage = "FILE [--json]",
  .summary = "load a plugin in a sandbox and say what is wrong with it",
  .details =
    "Looks at the ABI, the definitions and their schemas, at what each provider of models\n"
    "takes of them, and at texts that hide something; then calls each tool with the\n"
    "examples of its inputSchema, reads each resource, and gets each prompt that needs no\n"
    "arguments.  Exits with 11 if there are errors; warnings and notes\n"
    "are none.\n",
  .options = OPTION_JSON,
  .least = 1,
  .most = 1,
  .run = run,
};
