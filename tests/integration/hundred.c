/* hundred.c - a plugin of a hundred tools whose name has a fixed width: a test makes a hundred
 * plugins of it by writing another number into copies of its file. */
#include <toolhost.h>

#define NAME "hundred_0000"

#define TEN(each, n)                                                                               \
  each (n##0) each (n##1) each (n##2) each (n##3) each (n##4) each (n##5) each (n##6) each (n##7)  \
    each (n##8) each (n##9)
#define HUNDRED(each)                                                                              \
  TEN (each, 0)                                                                                    \
  TEN (each, 1)                                                                                    \
  TEN (each, 2)                                                                                    \
  TEN (each, 3)                                                                                    \
  TEN (each, 4)                                                                                    \
  TEN (each, 5)                                                                                    \
  TEN (each, 6)                                                                                    \
  TEN (each, 7)                                                                                    \
  TEN (each, 8)                                                                                    \
  TEN (each, 9)

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  return toolhost_text (call, NAME);
}

#define DEFINE(n)                                                                                  \
  static const char *definition_##n (void *self)                                                   \
  {                                                                                                \
    (void) self;                                                                                   \
    return "{\"name\":\"" NAME "_" #n "\",\"description\":\"The tool number " #n " of " NAME       \
           ": finds the entries of an account that fit, and says what was done with them.\","      \
           "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"account\":{\"type\":"           \
           "\"string\",\"description\":\"Whose entries.\"},\"limit\":{\"type\":\"integer\","       \
           "\"minimum\":1,\"maximum\":100}},\"required\":[\"account\"]}}";                         \
  }                                                                                                \
  static const toolhost_tool tool_##n = { TOOLHOST_TOOL, .definition = definition_##n,             \
                                          .execute = execute };
HUNDRED (DEFINE)

#define POINTER(n) &tool_##n,
static const toolhost_tool *const tools[] = { HUNDRED (POINTER) NULL };

TOOLHOST_PLUGIN (.name = NAME, .version = "1.0", .threads = TOOLHOST_PARALLEL, .tools = tools)
