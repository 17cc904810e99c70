// A plugin in C++20, under the mock host: the macros and every wrapper's linkage work there, too.
#include <toolhost-mock.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace {

const char *
definition (void *)
{
  return TOOLHOST_JSON (
    { "name" : "greet", "description" : "Greets.", "inputSchema" : { "type" : "object" } });
}

toolhost_status
execute (void *, toolhost_call *call)
{
  std::string greeting = "hello, ";
  greeting += toolhost_arg_string_or (call, "name", "world");
  return toolhost_text_len (call, greeting.data (), greeting.size ());
}

constexpr toolhost_tool greet = {
  TOOLHOST_TOOL,          .reserved = 0,      .definition = definition, .validate = nullptr,
  .can_execute = nullptr, .execute = execute, .max_time = nullptr
};

const char *
note_definition (void *)
{
  return TOOLHOST_JSON ({ "uri" : "note:///one", "name" : "one" });
}

toolhost_status
note_read (void *, toolhost_call *call)
{
  return toolhost_contents (call, "text/plain", "one", 3);
}

constexpr toolhost_readable note = {
  TOOLHOST_READABLE, .reserved = 0,       .definition = note_definition, .can_read = nullptr,
  .read = note_read, .complete = nullptr, .max_time = nullptr,           .list = nullptr
};

const char *
prompt_definition (void *)
{
  return TOOLHOST_JSON ({ "name" : "sum", "description" : "Sum it up." });
}

toolhost_status
prompt_get (void *, toolhost_call *call)
{
  return toolhost_text (call, "Sum it up.");
}

constexpr toolhost_prompt sum = {
  TOOLHOST_PROMPT,   .reserved = 0,       .definition = prompt_definition, .can_get = nullptr,
  .get = prompt_get, .complete = nullptr, .max_time = nullptr
};

} // namespace

TOOLHOST_EXTENSIONS (TOOLHOST_RESOURCES (&note), TOOLHOST_PROMPTS (&sum))
TOOLHOST_PLUGIN (.min_host = nullptr, .name = "greeter", .version = "1.0", .description = nullptr,
                 .threads = TOOLHOST_PARALLEL, .reserved = 0, TOOLHOST_TOOLS (&greet),
                 .builders = nullptr, .open = nullptr, .close = nullptr, .extension = toolhost_extensions)

int
main ()
{
  toolhost_mock *mock = toolhost_mock_new (toolhost_plugin_entry, nullptr);
  toolhost_mock_result *result =
    mock != nullptr ? toolhost_mock_call (mock, "greet", "{\"name\":\"Ada\"}") : nullptr;
  bool good = result != nullptr && result->status == TOOLHOST_OK
              && std::strcmp (result->text, "hello, Ada") == 0;

  std::printf ("1..1\n%sok 1 - C++: a plugin\n", good ? "" : "not ");
  toolhost_mock_result_free (result);
  toolhost_mock_free (mock);
  return good ? 0 : 1;
}
