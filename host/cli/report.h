/* report.h - what `toolhost check` found in a plugin: gathered first, then printed as text or JSON.
 */
#ifndef TOOLHOST_CLI_REPORT_H
#define TOOLHOST_CLI_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "cli/lint.h"

struct finding {
  enum lint_level level;
  char *pointer; /* into the definition; "" for none */
  char *message;
  /* of what a provider of models does not take, else NULL: */
  char *provider; /* the profile's name and date: "openai-strict", "2026-02" */
  char *date;
  char *keyword;
  const char *what; /* became of the keyword: "moved", "dropped", … */
};

struct example {
  char *args; /* JSON */
  char *text; /* what the tool answered, or why it did not */
  bool ok;
};

struct tool_report {
  char *name;
  size_t tokens;
  struct finding *findings;
  size_t findings_count;
  struct example *examples;
  size_t examples_count;
};

struct report {
  const char *file; /* borrowed */
  char *name;       /* of the plugin; NULL when it can't be loaded */
  char *version;
  char *wishes;             /* JSON: the permissions its tools ask for; NULL: none */
  char *suggests;           /* JSON: the policy that came with it; NULL: none */
  struct finding *findings; /* of the plugin as a whole */
  size_t findings_count;
  struct tool_report *tools;
  size_t tools_count;
};

/* Append a tool; the pointer is good until the next one. */
struct tool_report *report_tool (struct report *report, const char *name, size_t tokens);
void report_finding (struct report *report, enum lint_level level, const char *message);
void tool_report_finding (struct tool_report *tool, enum lint_level level, const char *pointer,
                          const char *message);
/* Something that a provider does not take. */
void tool_report_loss (struct tool_report *tool, enum lint_level level,
                       const struct provider *provider, const struct loss *loss);
void tool_report_example (struct tool_report *tool, const char *args, size_t args_len, bool ok,
                          const char *text, size_t text_len);

/* How many findings of the level there are; an example that failed counts as an error. */
size_t report_count (const struct report *report, enum lint_level level);

void report_text (const struct report *report, struct buf *out);
void report_json (const struct report *report, struct buf *out);
void report_free (struct report *report);

#endif
