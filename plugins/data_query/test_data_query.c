#include "common/plugin_test.h"

static toolhost_mock *mock;

static int
start (void)
{
  mock = toolhost_mock_new (toolhost_plugin_entry, NULL);
  return mock == NULL;
}

static int
stop (void)
{
  toolhost_mock_free (mock);
  return 0;
}

static bool
names_are (const char *args, const char *names)
{
  return gives (mock, "data_query", args, names);
}

static void
filters (void)
{
  static const struct {
    const char *args, *result;
  } rows[] = {
    { "{}", "\"matches\":24" },
    { "{\"filters\":{}}", "\"matches\":24" },
    { "{\"filters\":{\"minRating\":4.8},\"select\":[\"name\"]}",
      "{\"matches\":3,\"rows\":[{\"name\":\"Chez Marcel\"},{\"name\":\"Edo\"},{\"name\":\"Spice "
      "Route\"}]}" },
    { "{\"filters\":{\"minRating\":4}}", "\"matches\":18" },
    { "{\"filters\":{\"maxPrice\":13.5},\"select\":[\"name\",\"price\"]}",
      "\"rows\":[{\"name\":\"Sultan\",\"price\":12}]" },
    { "{\"filters\":{\"cuisine\":\"german\",\"city\":\"Berlin\"}}",
      "{\"matches\":1,\"rows\":[{\"name\":\"Zur Post\",\"cuisine\":\"german\",\"city\":\"Berlin\","
      "\"rating\":3.4,\"price\":20,\"vegetarian\":false,\"tags\":[\"family\"]}]}" },
    { "{\"filters\":{\"vegetarian\":false,\"cuisine\":\"chinese\"},\"select\":[\"name\"]}",
      "\"rows\":[{\"name\":\"Bao House\"}]" },
    { "{\"filters\":{\"tags\":[\"late\",\"takeaway\"],\"vegetarian\":true},\"select\":[\"city\"]}",
      "\"rows\":[{\"city\":\"Berlin\"},{\"city\":\"Munich\"},{\"city\":\"Hamburg\"}]" },
    { "{\"filters\":{\"minRating\":5}}", "{\"matches\":0,\"rows\":[]}" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    CU_ASSERT_TRUE (names_are (rows[i].args, rows[i].result));
}

static void
order_and_limit (void)
{
  CU_ASSERT_TRUE (names_are ("{\"sort\":{\"by\":\"price\"},\"limit\":2,\"select\":[\"price\"]}",
                             "\"rows\":[{\"price\":12},{\"price\":14}]"));
  CU_ASSERT_TRUE (names_are (
    "{\"sort\":{\"by\":\"rating\",\"order\":\"descending\"},\"limit\":3,\"select\":[\"name\"]}",
    "\"rows\":[{\"name\":\"Edo\"},{\"name\":\"Chez Marcel\"},{\"name\":\"Spice Route\"}]"));
  CU_ASSERT_TRUE (names_are (
    "{\"sort\":{\"by\":\"name\",\"order\":\"descending\"},\"limit\":1,\"select\":[\"name\"]}",
    "{\"matches\":24,\"rows\":[{\"name\":\"Zur Post\"}]}"));
}

static void
as_text (void)
{
  CU_ASSERT_TRUE (says (mock, "data_query", "{\"filters\":{\"minRating\":4.9}}",
                        "1 of 24 rows match\nEdo: japanese, Hamburg, 4.9 stars, 71 EUR"));
}

static void
definition (void)
{
  CU_ASSERT_TRUE (definition_fits (mock, "data_query"));
}

static CU_TestInfo tests[] = {
  { "filters", filters }, { "order and limit", order_and_limit },
  { "as text", as_text }, { "definition fits its literal", definition },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = { { "data_query", start, stop, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
