#include "cli/check_skills.h"

#include <string.h>

#include "base/json_tape.h"
#include "catalog/skill.h"
#include "cli/answer.h"

enum { LINES_MAX = 500, TOKENS_MAX = 5000 };

/* A skill while it is looked at. */
struct look {
  const struct skill *skill;
  struct tool_report *found;
  struct buf text; /* of its SKILL.md */
};

static void
on_done (void *ctx, const struct result *result)
{
  struct look *l = ctx;
  CLEANUP_ARENA struct arena arena = { 0 };
  static const char first[] = "/0/text";
  struct json_tape tape;
  const char *text = NULL;
  size_t len = 0;

  if (result->error == CALL_OK
      && json_read (&tape, result->content, result->content_len, &answer_limits, &arena))
    text = json_string (&tape, json_pointer (&tape, json_root (&tape), first, sizeof first - 1),
                        &arena, &len);
  if (text != NULL)
    buf_append (&l->text, text, len);
  else
    tool_report_finding (l->found, LINT_ERROR, "", "its SKILL.md can't be read");
}

static void
check_length (struct look *l)
{
  size_t lines = 0;

  for (const char *at = l->text.data, *end = at + l->text.len; at < end; at++)
    lines += *at == '\n';
  if (lines > LINES_MAX || l->text.len / 4 > TOKENS_MAX)
    tool_report_finding (
      l->found, LINT_WARNING, "",
      "SKILL.md is over 500 lines or 5,000 tokens: agents load all of it; put what "
      "is not always needed into files beside it");
}

/* Is it a path of a file, and none of the web's, or of this text? */
static bool
is_path (const char *target, size_t len)
{
  return len != 0 && target[0] != '#' && target[0] != '/' && memchr (target, ':', len) == NULL
         && memchr (target, ' ', len) == NULL;
}

/* A folder counts as what is in it. */
static bool
is_there (const struct skill *skill, const char *path, size_t len)
{
  while (len != 0 && path[len - 1] == '/')
    len--;
  for (size_t i = 0; i < skill->count; i++) {
    const char *file = skill->files[i].path;
    if (strncmp (file, path, len) == 0 && (file[len] == '\0' || file[len] == '/'))
      return true;
  }
  return false;
}

/* The target of a link of Markdown: what stands in the parentheses after "](". */
static void
check_link (struct look *l, const char *target, size_t len)
{
  CLEANUP_BUF struct buf message = { 0 };
  const char *hash = memchr (target, '#', len);

  if (!is_path (target, len))
    return;
  len = hash != NULL ? (size_t) (hash - target) : len;
  while (len > 2 && memcmp (target, "./", 2) == 0) {
    target += 2;
    len -= 2;
  }
  if (is_there (l->skill, target, len))
    return;
  buf_printf (&message, "SKILL.md links to %.*s, which is no file of the skill", (int) len, target);
  tool_report_finding (l->found, LINT_WARNING, "", buf_cstr (&message));
}

static void
check_links (struct look *l)
{
  const char *end;

  for (const char *at = buf_cstr (&l->text); (at = strstr (at, "](")) != NULL; at = end) {
    at += 2;
    end = at + strcspn (at, ")\n");
    check_link (l, at, (size_t) (end - at));
  }
}

void
check_skill (struct oneshot *host, const struct tool *tool, struct report *report)
{
  static const struct call_events events = { .done = on_done };
  struct call_request request = {
    .kind = CALL_READ, .name = tool->name, .name_len = tool->name_len, .front = "cli"
  };
  struct look l = { .skill = tool->skill };
  CLEANUP_BUF struct buf name = { 0 };

  buf_printf (&name, "skill %s", tool->name);
  l.found = report_tool (report, buf_cstr (&name), (strlen (tool->description) + 3) / 4);
  oneshot_call (host, &request, &events, &l);
  if (l.text.len != 0) {
    check_length (&l);
    check_links (&l);
  }
  buf_free (&l.text);
}
