/* Reads, prompts and completions of a plugin under test. */
#include <string.h>

#include "base/frame.h"
#include "base/json_tape.h"
#include "base/uri_template.h"
#include "mock/inside.h"

/* Does the URI come from this template?  Then its variables are there. */
static bool
is_made_of (const struct plugin_tool *tool, const char *uri, struct buf *variables)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct error err = { { 0 } };
  struct uri_template *template;
  struct json_tape tape;
  const char *text = NULL;
  bool made;

  if (json_read (&tape, tool->definition, strlen (tool->definition), &json_default_limits, &arena))
    text = json_cstring (&tape, json_member (&tape, json_root (&tape), "uriTemplate"), &arena);
  template = text != NULL ? uri_template_new (text, strlen (text), &err) : NULL;
  made = template != NULL && uri_template_match (template, uri, strlen (uri), variables);
  uri_template_free (template);
  return made;
}

static const struct plugin_tool *
find_template (const struct toolhost_mock *mock, const char *uri, struct buf *variables)
{
  for (size_t i = 0; i < mock->plugin.tools_count; i++)
    if (mock->plugin.tools[i].kind == PLUGIN_READABLE
        && is_made_of (&mock->plugin.tools[i], uri, variables))
      return &mock->plugin.tools[i];
  return NULL;
}

toolhost_mock_result *
toolhost_mock_read (toolhost_mock *mock, const char *uri)
{
  CLEANUP_BUF struct buf variables = { 0 };
  struct mock_request request = { .tool = mock_find (mock, PLUGIN_READABLE, "uri", uri),
                                  .absent = "the plugin offers no resource at this URI",
                                  .uri = uri };

  if (request.tool == NULL) {
    request.tool = find_template (mock, uri, &variables);
    request.args = buf_cstr (&variables);
  }
  return mock_run (mock, &request);
}

toolhost_mock_result *
toolhost_mock_prompt (toolhost_mock *mock, const char *prompt, const char *args)
{
  return mock_run (mock,
                   &(struct mock_request){ .tool = mock_find (mock, PLUGIN_PROMPT, "name", prompt),
                                           .absent = "the plugin offers no prompt of this name",
                                           .args = args });
}

toolhost_mock_result *
toolhost_mock_complete (toolhost_mock *mock, const char *of, const char *argument,
                        const char *partial, const char *args)
{
  struct mock_request request = { .tool = mock_find (mock, PLUGIN_PROMPT, "name", of),
                                  .absent = "the plugin offers no prompt or template of this name",
                                  .args = args,
                                  .flags = FRAME_CALL_COMPLETE,
                                  .completing = argument,
                                  .partial = partial };

  if (request.tool == NULL)
    request.tool = mock_find (mock, PLUGIN_READABLE, "uriTemplate", of);
  return mock_run (mock, &request);
}

toolhost_mock_result *
toolhost_mock_list (toolhost_mock *mock, const char *template)
{
  return mock_run (mock, &(struct mock_request){
                           .tool = mock_find (mock, PLUGIN_READABLE, "uriTemplate", template),
                           .absent = "the plugin offers no such template",
                           .flags = FRAME_CALL_LIST });
}

toolhost_mock_result *
toolhost_mock_guard (toolhost_mock *mock, const char *guard, const char *checked)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct mock_request request = { .tool = mock_find (mock, PLUGIN_GUARD, "name", guard),
                                  .absent = "the plugin offers no guard of this name",
                                  .args = checked };
  struct json_tape tape;

  if (checked != NULL && json_read (&tape, checked, strlen (checked), &json_default_limits, &arena)
      && json_equals (&tape, json_member (&tape, json_root (&tape), "stage"), "error"))
    request.flags = FRAME_CALL_ON_ERROR;
  return mock_run (mock, &request);
}

const char *
toolhost_mock_definition_of (toolhost_mock *mock, const char *key)
{
  static const struct {
    enum plugin_kind kind;
    const char *member;
  } keys[] = { { PLUGIN_TOOL, "name" },
               { PLUGIN_READABLE, "uri" },
               { PLUGIN_READABLE, "uriTemplate" },
               { PLUGIN_PROMPT, "name" },
               { PLUGIN_GUARD, "name" } };

  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const struct plugin_tool *tool = mock_find (mock, keys[i].kind, keys[i].member, key);
    if (tool != NULL)
      return tool->definition;
  }
  return NULL;
}
