#include "cli/report.h"

#include <stdlib.h>

#include "base/json_write.h"

static void
add_finding (struct finding **findings, size_t *count, enum lint_level level, const char *pointer,
             const char *message)
{
  *findings = xrealloc (*findings, (*count + 1) * sizeof **findings);
  (*findings)[(*count)++] =
    (struct finding){ .level = level, .pointer = xstrdup (pointer), .message = xstrdup (message) };
}

struct tool_report *
report_tool (struct report *report, const char *name, size_t tokens)
{
  size_t size = (report->tools_count + 1) * sizeof *report->tools;

  report->tools = xrealloc (report->tools, size);
  report->tools[report->tools_count] =
    (struct tool_report){ .name = xstrdup (name), .tokens = tokens };
  return &report->tools[report->tools_count++];
}

void
report_finding (struct report *report, enum lint_level level, const char *message)
{
  add_finding (&report->findings, &report->findings_count, level, "", message);
}

void
tool_report_finding (struct tool_report *tool, enum lint_level level, const char *pointer,
                     const char *message)
{
  add_finding (&tool->findings, &tool->findings_count, level, pointer, message);
}

/* What comes of it, for those who don't know what a profile is. */
static const char *
consequence (const struct provider *provider, const struct loss *loss)
{
  if (loss->kind != LOSS_REFUSED)
    return "";
  return provider->strict ? "; it is given without strict" : "; it is left out there";
}

void
tool_report_loss (struct tool_report *tool, enum lint_level level, const struct provider *provider,
                  const struct loss *loss)
{
  CLEANUP_BUF struct buf message = { 0 };
  struct finding *finding;

  buf_printf (&message, "for %s: %s%s", provider->label, loss->sentence,
              consequence (provider, loss));
  tool_report_finding (tool, level, loss->pointer, buf_cstr (&message));
  finding = &tool->findings[tool->findings_count - 1];
  finding->provider = xstrdup (provider->name);
  finding->date = xstrdup (provider->date);
  finding->keyword = xstrdup (loss->keyword);
  finding->what = loss_kind_name (loss->kind);
}

void
tool_report_example (struct tool_report *tool, const char *args, size_t args_len, bool ok,
                     const char *text, size_t text_len)
{
  size_t size = (tool->examples_count + 1) * sizeof *tool->examples;

  tool->examples = xrealloc (tool->examples, size);
  tool->examples[tool->examples_count++] = (struct example){ .args = xstrndup (args, args_len),
                                                             .text = xstrndup (text, text_len),
                                                             .ok = ok };
}

static size_t
count_findings (const struct finding *findings, size_t count, enum lint_level level)
{
  size_t n = 0;

  for (size_t i = 0; i < count; i++)
    n += findings[i].level == level;
  return n;
}

size_t
report_count (const struct report *report, enum lint_level level)
{
  size_t n = count_findings (report->findings, report->findings_count, level);

  for (size_t i = 0; i < report->tools_count; i++) {
    const struct tool_report *tool = &report->tools[i];
    n += count_findings (tool->findings, tool->findings_count, level);
    for (size_t e = 0; level == LINT_ERROR && e < tool->examples_count; e++)
      n += !tool->examples[e].ok;
  }
  return n;
}

/* ---- as text ---- */

static void
text_findings (struct buf *out, const char *indent, const struct finding *findings, size_t count)
{
  for (size_t i = 0; i < count; i++)
    buf_printf (out, "%s%s%s%s: %s\n", indent, lint_level_name (findings[i].level),
                findings[i].pointer[0] != '\0' ? " " : "", findings[i].pointer,
                findings[i].message);
}

static void
text_tool (struct buf *out, const struct tool_report *tool)
{
  buf_printf (out, "  %s, about %zu tokens\n", tool->name, tool->tokens);
  text_findings (out, "    ", tool->findings, tool->findings_count);
  for (size_t i = 0; i < tool->examples_count; i++)
    buf_printf (out, "    example %s %s: %s\n", tool->examples[i].args,
                tool->examples[i].ok ? "answered" : "failed", tool->examples[i].text);
}

static void
text_count (struct buf *out, size_t count, const char *what, const char *end)
{
  buf_printf (out, "%zu %s%s%s", count, what, count == 1 ? "" : "s", end);
}

void
report_text (const struct report *report, struct buf *out)
{
  buf_printf (out, "%s: ", report->file);
  if (report->name != NULL)
    buf_printf (out, "plugin %s %s, loaded in the sandbox\n", report->name, report->version);
  else
    buf_puts (out, "can't be loaded\n");
  text_findings (out, "  ", report->findings, report->findings_count);
  if (report->wishes != NULL)
    buf_printf (out, "  would like the permissions %s (its policy file grants them)\n",
                report->wishes);
  if (report->suggests != NULL)
    buf_printf (out, "  suggests the policy %s (its policy file decides)\n", report->suggests);
  for (size_t i = 0; i < report->tools_count; i++)
    text_tool (out, &report->tools[i]);
  text_count (out, report_count (report, LINT_ERROR), "error", ", ");
  text_count (out, report_count (report, LINT_WARNING), "warning", ", ");
  text_count (out, report_count (report, LINT_NOTE), "note", "\n");
}

/* ---- as JSON ---- */

static void
json_findings (struct json_writer *w, const struct finding *findings, size_t count)
{
  jsonw_name (w, "findings");
  jsonw_array (w);
  for (size_t i = 0; i < count; i++) {
    jsonw_object (w);
    jsonw_name_string (w, "level", lint_level_name (findings[i].level));
    jsonw_name_string (w, "pointer", findings[i].pointer);
    jsonw_name_string (w, "message", findings[i].message);
    if (findings[i].provider != NULL) {
      jsonw_name_string (w, "provider", findings[i].provider);
      jsonw_name_string (w, "date", findings[i].date);
      jsonw_name_string (w, "keyword", findings[i].keyword);
      jsonw_name_string (w, "what", findings[i].what);
    }
    jsonw_end (w);
  }
  jsonw_end (w);
}

static void
json_tool (struct json_writer *w, const struct tool_report *tool)
{
  jsonw_object (w);
  jsonw_name_string (w, "name", tool->name);
  jsonw_name_int (w, "tokens", (int64_t) tool->tokens);
  json_findings (w, tool->findings, tool->findings_count);
  jsonw_name (w, "examples");
  jsonw_array (w);
  for (size_t i = 0; i < tool->examples_count; i++) {
    jsonw_object (w);
    jsonw_name_raw (w, "arguments", tool->examples[i].args, strlen (tool->examples[i].args));
    jsonw_name_bool (w, "ok", tool->examples[i].ok);
    jsonw_name_string (w, "text", tool->examples[i].text);
    jsonw_end (w);
  }
  jsonw_end (w);
  jsonw_end (w);
}

void
report_json (const struct report *report, struct buf *out)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_string (&w, "file", report->file);
  jsonw_name_bool (&w, "loaded", report->name != NULL);
  jsonw_name_string (&w, "plugin", report->name);
  jsonw_name_string (&w, "version", report->version);
  if (report->wishes != NULL)
    jsonw_name_raw (&w, "permissions", report->wishes, strlen (report->wishes));
  if (report->suggests != NULL)
    jsonw_name_raw (&w, "suggested_policy", report->suggests, strlen (report->suggests));
  json_findings (&w, report->findings, report->findings_count);
  jsonw_name (&w, "tools");
  jsonw_array (&w);
  for (size_t i = 0; i < report->tools_count; i++)
    json_tool (&w, &report->tools[i]);
  jsonw_end (&w);
  jsonw_name_int (&w, "errors", (int64_t) report_count (report, LINT_ERROR));
  jsonw_name_int (&w, "warnings", (int64_t) report_count (report, LINT_WARNING));
  jsonw_name_int (&w, "notes", (int64_t) report_count (report, LINT_NOTE));
  jsonw_end (&w);
}

/* ---- the end ---- */

static void
free_findings (struct finding *findings, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    free (findings[i].pointer);
    free (findings[i].message);
    free (findings[i].provider);
    free (findings[i].date);
    free (findings[i].keyword);
  }
  free (findings);
}

static void
free_tool (struct tool_report *tool)
{
  free (tool->name);
  free_findings (tool->findings, tool->findings_count);
  for (size_t i = 0; i < tool->examples_count; i++) {
    free (tool->examples[i].args);
    free (tool->examples[i].text);
  }
  free (tool->examples);
}

void
report_free (struct report *report)
{
  for (size_t i = 0; i < report->tools_count; i++)
    free_tool (&report->tools[i]);
  free (report->tools);
  free_findings (report->findings, report->findings_count);
  free (report->name);
  free (report->version);
  free (report->wishes);
  free (report->suggests);
  *report = (struct report){ 0 };
}
