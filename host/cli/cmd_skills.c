/* toolhost skills: what plugins tell agents about how to use what they offer. */
#include <stdio.h>
#include <string.h>

#include "base/json_tape.h"
#include "cli/answer.h"
#include "cli/client.h"
#include "cli/command.h"
#include "cli/out.h"
#include "cli/table.h"

/* What the daemon answered, while it is shown. */
struct view {
  struct json_tape tape;
  struct arena arena;
};

static void
view_cleanup (struct view *view)
{
  arena_free (&view->arena);
}

static const char *
text_at (struct view *view, const struct json_node *from, const char *pointer)
{
  const struct json_node *node = json_pointer (&view->tape, from, pointer, strlen (pointer));
  const char *text = json_cstring (&view->tape, node, &view->arena);

  return text != NULL ? text : "";
}

static void
add_text (struct table *table, const char *text)
{
  table_add (table, text, strlen (text));
}

/* Of skill://PLUGIN/…/NAME/SKILL.md the plugin. */
static void
add_plugin (struct table *table, const char *uri)
{
  const char *begin = strstr (uri, "://");
  const char *plugin = begin != NULL ? begin + 3 : uri;

  table_add (table, plugin, strcspn (plugin, "/"));
}

/* ---- all of them ---- */

static void
show_list (struct view *view, const struct json_node *skills, struct buf *out)
{
  static const struct table_column columns[] = { { .title = "NAME" },
                                                 { .title = "PLUGIN" },
                                                 { .title = "FILES", .right = true },
                                                 { .title = "DESCRIPTION", .cut = true } };
  struct table table = { .columns = columns, .columns_count = 4 };

  for (const struct json_node *n = json_first (skills); n != json_end (skills); n = json_next (n)) {
    const struct json_node *files = json_member (&view->tape, n, "resources");
    add_text (&table, text_at (view, n, "/frontmatter/name"));
    add_plugin (&table, text_at (view, n, "/uri"));
    table_addf (&table, "%u", json_is (files, JSON_ARRAY) ? (unsigned) files->count : 0);
    add_text (&table, text_at (view, n, "/frontmatter/description"));
  }
  table_render (&table, out_width (stdout), out);
  table_free (&table);
}

/* ---- one ---- */

/* A field as a person reads it: a text as it is, all else as JSON. */
static void
put_field (struct view *view, const struct json_node *name, const struct json_node *value,
           struct buf *out)
{
  const char *text = json_cstring (&view->tape, value, &view->arena);
  size_t len;

  if (text == NULL) {
    text = json_raw (&view->tape, value, &len);
    text = arena_strndup (&view->arena, text, len);
  }
  buf_printf (out, "%-14s  %s\n", json_cstring (&view->tape, name, &view->arena), text);
}

static void
show_files (struct view *view, const struct json_node *files, struct buf *out)
{
  static const struct table_column columns[] = { { .title = "URI" },
                                                 { .title = "BYTES", .right = true },
                                                 { .title = "DIGEST", .cut = true } };
  struct table table = { .columns = columns, .columns_count = 3 };

  for (const struct json_node *n = json_first (files); n != json_end (files); n = json_next (n)) {
    int64_t size = 0;
    (void) json_int64 (&view->tape, json_member (&view->tape, n, "size"), &size);
    add_text (&table, text_at (view, n, "/uri"));
    table_addf (&table, "%lld", (long long) size);
    add_text (&table, text_at (view, n, "/digest"));
  }
  buf_putc (out, '\n');
  table_render (&table, out_width (stdout), out);
  table_free (&table);
}

static void
show_one (struct view *view, const struct json_node *skill, struct buf *out)
{
  const struct json_node *fields = json_member (&view->tape, skill, "frontmatter");
  const struct json_node *files = json_member (&view->tape, skill, "resources");

  if (json_is (fields, JSON_OBJECT))
    for (const struct json_node *n = json_first (fields); n != json_end (fields);
         n = json_next (json_next (n)))
      put_field (view, n, json_next (n), out);
  if (json_is (files, JSON_ARRAY))
    show_files (view, files, out);
}

/* A skill is asked for by its URI or its name, which two plugins may have given. */
static enum cli_exit
find_one (struct view *view, const struct json_node *skills, const char *wanted,
          const struct json_node **found)
{
  *found = NULL;
  for (const struct json_node *n = json_first (skills); n != json_end (skills); n = json_next (n)) {
    const char *uri = text_at (view, n, "/uri");
    if (strcmp (uri, wanted) == 0) {
      *found = n;
      return CLI_OK;
    }
    if (strcmp (text_at (view, n, "/frontmatter/name"), wanted) != 0)
      continue;
    if (*found != NULL)
      return out_error (CLI_USAGE, "there are several skills %s; name one by its URI, as %s",
                        wanted, uri);
    *found = n;
  }
  return *found != NULL
           ? CLI_OK
           : out_error (CLI_NOT_FOUND, "there is no skill %s; toolhost skills shows them", wanted);
}

/* ---- the command ---- */

static enum cli_exit
show (const struct options *options, struct view *view, const struct reply *reply,
      const char *wanted)
{
  CLEANUP_BUF struct buf text = { 0 };
  const struct json_node *skills, *one;
  enum cli_exit status = CLI_OK;
  const char *raw;
  size_t len;

  if (!json_read (&view->tape, reply->body.data, reply->body.len, &answer_limits, &view->arena)
      || !json_is (skills = json_member (&view->tape, json_root (&view->tape), "skills"),
                   JSON_ARRAY))
    return out_error (CLI_UNREACHABLE, "the daemon's answer holds no skills");
  if (wanted != NULL)
    status = find_one (view, skills, wanted, &one);
  if (status != CLI_OK)
    return status;
  if (command_wants_json (options)) {
    raw = json_raw (&view->tape, wanted != NULL ? one : json_root (&view->tape), &len);
    buf_append (&text, raw, len);
  }
  else if (wanted != NULL)
    show_one (view, one, &text);
  else
    show_list (view, skills, &text);
  out_text (text.data, text.len);
  return CLI_OK;
}

static enum cli_exit
run (const struct options *options, char **words, int count)
{
  __attribute__ ((cleanup (view_cleanup))) struct view view = { .arena = { .blocks = NULL } };
  struct reply reply = { 0 };
  enum cli_exit status = client_fetch (options, "GET", "/v1/skills", &reply);

  if (status == CLI_OK)
    status = show (options, &view, &reply, count > 0 ? words[0] : NULL);
  reply_free (&reply);
  return status;
}

const struct command command_skills = {
  .name = "skills",
  .usage = "[NAME | URI] [--json]",
  .summary = "show the skills that plugins bring, or one of them with its files",
  .details = "The files are read with toolhost read.\n",
  .options = OPTIONS_DAEMON | OPTION_JSON,
  .most = 1,
  .run = run,
};
