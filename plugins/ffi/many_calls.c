/* many_calls [CALLS] - tools of C functions of every form, called in turn, good calls and bad ones:
 * run under valgrind by ./dev valgrind, where 100,000 calls leak nothing and read nothing that is
 * not there.  Every answer is compared. */
#include "common/plugin_test.h"

#include <limits.h>

#define F(name, more) "{\"name\":\"" name "\",\"description\":\"d\",\"library\":\"%1$s\"" more "}"

static const char
  feature[] =
    "{\"types\":{\"counter\":{\"opaque\":true},"
    "\"point\":{\"struct\":[{\"name\":\"x\",\"type\":\"double\"},{\"name\":\"y\",\"type\":"
    "\"double\"}]},"
    "\"colour\":{\"enum\":{\"RED\":0,\"GREEN\":5,\"BLUE\":6}}},"
    "\"headers\":[{\"text\":\"char *web_search (const char *query, int num_results);\","
    "\"library\":\"%1$s\",\"functions\":{\"web_search\":{\"params\":{\"num_results\":{\"default\":"
    "10}},"
    "\"returns\":{\"free\":\"give_back\"}}}}],\"functions\":["
    "{\"name\":\"pow\",\"description\":\"d\",\"library\":\"libm.so.6\",\"params\":[{\"name\":\"x\","
    "\"type\":\"double\"},{\"name\":\"y\",\"type\":\"double\"}],\"returns\":\"double\"}," F (
      "middle",
      ",\"params\":[{\"name\":\"a\",\"type\":\"point\"},{\"name\":\"b\",\"type\":\"point\"}],"
      "\"returns\":\"point\"") "," F ("next_colour", ",\"params\":[{\"name\":\"c\",\"type\":"
                                                     "\"colour\"}],\"returns\":\"colour\"") "," F ("describe",
                                                                                                   ",\"params\":[{\"name\":\"number\",\"type\":\"int\"},{\"name\":\"text\",\"type\":"
                                                                                                   "\"char **\",\"free\":\"give_back\"}],\"returns\":\"int\",\"errors\":{\"when\":"
                                                                                                   "\"nonzero\"}") "," F ("divide", ",\"params\":[{\"name\":\"a\",\"type\":\"int\"},{\"name\":\"b\",\"type\":\"int\"},"
                                                                                                                                    "{\"name\":\"quotient\",\"type\":\"int *\",\"direction\":\"out\"},{\"name\":"
                                                                                                                                    "\"remainder\",\"type\":\"int *\",\"direction\":\"out\"}],\"returns\":{\"type\":\"int\","
                                                                                                                                    "\"hide\":true},\"errors\":{\"when\":\"negative\",\"errno\":true}") "," F ("scale", ",\"params\":[{\"name\":\"from\",\"type\":\"const double *\",\"length\":\"n\"},{\"name\":"
                                                                                                                                                                                                                        "\"to\",\"type\":\"double *\",\"length\":\"n\",\"direction\":\"out\"},{\"name\":\"n\","
                                                                                                                                                                                                                        "\"type\":\"size_t\"},{\"name\":\"by\",\"type\":\"double\",\"value\":2}]") "," F ("twice",
                                                                                                                                                                                                                                                                                                          ",\"params\":[{\"name\":\"from\",\"type\":\"const uint8_t *\",\"length\":\"n\"},"
                                                                                                                                                                                                                                                                                                          "{\"name\":\"n\",\"type\":\"size_t\"},{\"name\":\"to\",\"type\":\"uint8_t *\","
                                                                                                                                                                                                                                                                                                          "\"direction\":\"out\",\"length\":\"m\",\"max\":64},{\"name\":\"m\",\"type\":"
                                                                                                                                                                                                                                                                                                          "\"size_t *\"}],\"returns\":\"int\",\"errors\":{\"when\":\"nonzero\"}") "," F ("squares",
                                                                                                                                                                                                                                                                                                                                                                                         ",\"params\":[{\"name\":\"n\",\"type\":\"int\"}],\"returns\":{\"type\":\"int *\","
                                                                                                                                                                                                                                                                                                                                                                                         "\"length\":\"n\",\"free\":\"give_back\"}") "," F ("sum_ints",
                                                                                                                                                                                                                                                                                                                                                                                                                                            ",\"variadic\":1,\"params\":[{\"name\":\"count\",\"type\":\"int\",\"value\":2},"
                                                                                                                                                                                                                                                                                                                                                                                                                                            "{\"name\":\"a\",\"type\":\"int\"},{\"name\":\"b\",\"type\":\"int\"}],\"returns\":"
                                                                                                                                                                                                                                                                                                                                                                                                                                            "\"int\"") "," F ("no_text",
                                                                                                                                                                                                                                                                                                                                                                                                                                                              ",\"returns\":\"const char *\"") "," F ("count",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      ",\"calls\":[{\"symbol\":\"counter_open\",\"params\":[{\"name\":\"name\",\"type\":"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      "\"string\"}],\"returns\":{\"name\":\"c\",\"type\":\"counter *\",\"free\":"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      "\"counter_close\"},\"errors\":{\"when\":\"null\"}},{\"symbol\":\"counter_add\","
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      "\"params\":[{\"name\":\"it\",\"type\":\"counter *\",\"from\":\"c\"},{\"name\":\"by\","
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      "\"type\":\"int\"}],\"returns\":\"int\",\"errors\":{\"when\":\"negative\","
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      "\"message_symbol\":\"counter_error\",\"message_with\":\"c\"}}]") "," F ("count_live",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               ",\"returns\":\"int\"") "]}";

static const struct {
  const char *tool, *args;
  const char *text; /* of the result, or part of the problems or the message */
} calls[] = {
  { "pow", "{\"x\":2,\"y\":10}", "1024" },
  { "pow", "{\"x\":-1,\"y\":0.5}", "not a number" },
  { "pow", "{\"x\":\"a\",\"y\":0.5}", "expected a number" },
  { "middle", "{\"a\":{\"x\":0,\"y\":2},\"b\":{\"x\":1,\"y\":4}}", "{\"x\":0.5,\"y\":3}" },
  { "next_colour", "{\"c\":\"RED\"}", "GREEN" },
  { "next_colour", "{\"c\":\"REED\"}", "did you mean" },
  { "web_search", "{\"query\":\"valgrind\"}", "10 results for valgrind" },
  { "describe", "{\"number\":7}", "number 7" },
  { "describe", "{\"number\":-7}", "describe failed" },
  { "divide", "{\"a\":17,\"b\":5}", "{\"quotient\":3,\"remainder\":2}" },
  { "divide", "{\"a\":17,\"b\":0}", "EDOM" },
  { "scale", "{\"from\":[1,2,3]}", "[2,4,6]" },
  { "twice", "{\"from\":\"AQI=\"}", "AQECAg==" },
  { "squares", "{\"n\":3}", "[0,1,4]" },
  { "sum_ints", "{\"a\":20,\"b\":22}", "42" },
  { "no_text", "{}", "no text in UTF-8" },
  { "count", "{\"name\":\"n\",\"by\":4}", "4" },
  { "count", "{\"name\":\"n\",\"by\":400}", "n is full at 400" },
  { "count", "{\"name\":\"\",\"by\":4}", "counter_open failed" },
  { "count_live", "{}", "0" },
};
enum { CALLS = sizeof calls / sizeof *calls };

static bool
one_call (toolhost_mock *mock, size_t index)
{
  toolhost_mock_result *r = toolhost_mock_call (mock, calls[index].tool, calls[index].args);
  bool good = r->status == TOOLHOST_OK ? strcmp (r->text, calls[index].text) == 0
                                       : strstr (r->message, calls[index].text) != NULL
                                           || strstr (r->problems, calls[index].text) != NULL;

  if (!good)
    printf ("# %s %s: %s%s%s\n", calls[index].tool, calls[index].args, r->text, r->message,
            r->problems);
  toolhost_mock_result_free (r);
  return good;
}

/* The library of cases, of this build. */
static bool
find_library (char *path, size_t size, const char *program)
{
  const char *slash = strrchr (program, '/');
  const int len = slash != NULL ? (int) (slash - program) : 0;

  (void) snprintf (path, size, "%.*s/libcases.so", len, program);
  if (access (path, R_OK) != 0)
    (void) snprintf (path, size, "%.*s/.libs/libcases.so", len, program);
  return access (path, R_OK) == 0;
}

int
main (int argc, char **argv)
{
  const size_t count = argc > 1 ? strtoul (argv[1], NULL, 10) : 100000;
  char library[PATH_MAX], given[PATH_MAX], config[PATH_MAX + 100],
    text[sizeof feature + 40 * PATH_MAX];
  toolhost_mock *mock;
  size_t bad = 0;

  if (realpath (argv[0], given) == NULL || !find_library (library, sizeof library, given))
    return 2;
  (void) snprintf (config, sizeof config, "{\"libraries\":[\"libm.so.6\",\"%s\"]}", library);
  (void) snprintf (text, sizeof text, feature, library);
  mock = toolhost_mock_new (toolhost_plugin_entry, config);
  if (mock == NULL || toolhost_mock_build (mock, "functions", text) != TOOLHOST_OK) {
    printf ("# %s\n", toolhost_mock_error ());
    return 2;
  }
  for (size_t i = 0; i < count; i++)
    bad += !one_call (mock, i % CALLS);
  toolhost_mock_free (mock);
  printf ("%zu calls, %zu with another answer than expected\n", count, bad);
  return bad != 0;
}
