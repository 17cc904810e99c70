#include <pthread.h>

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

/* {"expression": "…"}; the expressions here need no escapes but for quotes and backslashes. */
static const char *
arguments (const char *expression)
{
  static char json[8192];
  snprintf (json, sizeof json, "{\"expression\":\"%s\"}", expression);
  return json;
}

struct example {
  const char *expression, *text;
};

static void
check (const struct example *examples, size_t count)
{
  for (size_t i = 0; i < count; i++)
    CU_ASSERT_TRUE (
      says (mock, "calculator", arguments (examples[i].expression), examples[i].text));
}
#define CHECK(examples) check (examples, sizeof examples / sizeof *examples)

static void
arithmetic (void)
{
  static const struct example examples[] = {
    { "1", "1" },
    { "1+1", "2" },
    { " 2 * 3\\n+\\t4 ", "10" },
    { "2+3*4", "14" },
    { "(2+3)*4", "20" },
    { "10-4-3", "3" },
    { "100/10/5", "2" },
    { "7//2", "3" },
    { "-7//2", "-4" },
    { "7//-2", "-4" },
    { "-7//-2", "3" },
    { "7%3", "1" },
    { "-7%3", "2" },
    { "7%-3", "-2" },
    { "-7%-3", "-1" },
    { "7.5%2", "1.5" },
    { "7.5//2", "3" },
    { "2^10", "1024" },
    { "2**10", "1024" },
    { "2^3^2", "512" },
    { "(2^3)^2", "64" },
    { "-2^2", "-4" },
    { "(-2)^2", "4" },
    { "2^-1", "0.5" },
    { "2^-2^2", "0.0625" },
    { "2^-1*3", "1.5" },
    { "-3!", "-6" },
    { "3!^2", "36" },
    { "2^3!", "64" },
    { "(3!)!", "720" },
    { "--5", "5" },
    { "-+-5", "5" },
    { "+5", "5" },
    { "2*-3", "-6" },
    { "2--3", "5" },
    { "4/2*3", "6" },
    { "4*3/2", "6" },
    { "1-2*3%4", "-1" },
    { "10%4*3", "6" },
    { "((((1))))", "1" },
    { "0^0", "1" },
    { "0^5", "0" },
    { "0^4", "0" },
    { "(-1)^4", "1" },
    { "(-1)^-3", "-1" },
    { "0*-1", "0" },
    { "1+2-3*4/5^2", "2.52" },
    { "3 \xC3\x97 4 \xC3\xB7 6 \xE2\x88\x92 1", "1" },
    { "2\xC2\xB7"
      "3",
      "6" },
    { "12\xC2\xA0+ 1", "13" },
  };
  CHECK (examples);
}

static void
exact_numbers (void)
{
  static const struct example examples[] = {
    { "0.1+0.2", "0.3" },
    { "1/3+1/6", "0.5" },
    { "1/3", "0.3333333333333333 (exactly 1/3)" },
    { "2/3", "0.6666666666666667 (exactly 2/3)" },
    { "-1/7", "-0.1428571428571429 (exactly -1/7)" },
    { "1/3*3", "1" },
    { "1/8", "0.125" },
    { "1/1024", "0.0009765625" },
    { "19.99*3", "59.97" },
    { "0.1*3-0.3", "0" },
    { "1.10*1.10", "1.21" },
    { "100*1.1", "110" },
    { "1e3", "1000" },
    { "1.5e-3", "0.0015" },
    { "1E+2", "100" },
    { ".5+.25", "0.75" },
    { "5.", "5" },
    { "1_000_000*3", "3000000" },
    { "0x1F", "31" },
    { "0xff_ff", "65535" },
    { "0b1011", "11" },
    { "0o755", "493" },
    { "0xe+1", "15" },
    { "2^64", "18446744073709551616" },
    { "2^100", "1267650600228229401496703205376" },
    { "9007199254740993*1", "9007199254740993" },
    { "10^30+1", "1000000000000000000000000000001" },
    { "99999999999999999999*99999999999999999999", "9999999999999999999800000000000000000001" },
    { "25!", "15511210043330985984000000" },
    { "30!/28!", "870" },
    { "1e-30", "1e-30" },
    { "3/10^10", "3e-10" },
    { "1/10^7", "0.0000001" },
    { "(1+1/10)^3", "1.331" },
    { "(2/3)^-2", "2.25" },
    { "4^0.5", "2" },
    { "8^(1/3)", "2" },
    { "(4/9)^(3/2)", "0.2962962962962963 (exactly 8/27)" },
    { "(-8)^3", "-512" },
    { "(-1)^1000001", "-1" },
    { "1^100000000000", "1" },
    { "12345678901234567890123456789 % 97", "44" },
    { "1.000000000000000000000000000000000000001", "1.000000000000000000000000000000000000001" },
  };
  CHECK (examples);
}

static void
roots_and_rounding (void)
{
  static const struct example examples[] = {
    { "sqrt(16)", "4" },
    { "sqrt(2)", "1.4142135623730951" },
    { "sqrt(1/4)", "0.5" },
    { "sqrt(10^40)", "100000000000000000000" },
    { "cbrt(27)", "3" },
    { "cbrt(-27)", "-3" },
    { "round(cbrt(2),13)", "1.2599210498949" },
    { "abs(-3.5)", "3.5" },
    { "abs(2/3-1)*3", "1" },
    { "min(3,1,2)", "1" },
    { "max(3,1,2)", "3" },
    { "max(1/3,0.333)", "0.3333333333333333 (exactly 1/3)" },
    { "sum(1,2,3,4)", "10" },
    { "sum(0.1,0.2,0.3)", "0.6" },
    { "avg(1,2)", "1.5" },
    { "avg(1,2,4)", "2.333333333333333 (exactly 7/3)" },
    { "floor(2.7)", "2" },
    { "floor(-2.2)", "-3" },
    { "ceil(2.2)", "3" },
    { "ceil(-2.7)", "-2" },
    { "trunc(-2.7)", "-2" },
    { "round(2.5)", "3" },
    { "round(-2.5)", "-3" },
    { "round(2.4)", "2" },
    { "round(2.675,2)", "2.68" },
    { "round(1.005,2)", "1.01" },
    { "round(1234.5,-2)", "1200" },
    { "round(1/3,4)", "0.3333" },
    { "round(pi,2)", "3.14" },
    { "round(3.14159,3)", "3.142" },
    { "sign(-4)", "-1" },
    { "sign(0)", "0" },
  };
  CHECK (examples);
}

static void
trigonometry (void)
{
  static const struct example examples[] = {
    { "sin(0)", "0" },
    { "cos(0)", "1" },
    { "tan(0)", "0" },
    { "sin(pi/2)", "1" },
    { "cos(pi)", "-1" },
    { "round(asin(1),10)", "1.5707963268" },
    { "acos(1)", "0" },
    { "atan(1)*4", "3.141592653589793" },
    { "round(atan2(1,-1),10)", "2.3561944902" },
    { "round(sinh(1),10)", "1.1752011936" },
    { "round(cosh(1),10)", "1.5430806348" },
    { "round(tanh(1),12)", "0.761594155956" },
    { "round(asinh(1),10)", "0.881373587" },
    { "round(acosh(2),10)", "1.3169578969" },
    { "round(atanh(0.5),10)", "0.5493061443" },
    { "deg(pi)", "180" },
    { "rad(180)", "3.141592653589793" },
  };
  CHECK (examples);
}

static void
logarithms (void)
{
  static const struct example examples[] = {
    { "exp(0)", "1" },
    { "exp(1)", "2.718281828459045" },
    { "ln(1)", "0" },
    { "ln(e)", "1" },
    { "ln(2)", "0.6931471805599453" },
    { "round(ln(10^1000),9)", "2302.585092994" },
    { "log10(1000)", "3" },
    { "log10(1/1000)", "-3" },
    { "log10(10^500)", "500" },
    { "log10(2)", "0.3010299956639812" },
    { "log2(1024)", "10" },
    { "round(log2(10),10)", "3.3219280949" },
    { "log(8,2)", "3" },
    { "log(1000,10)", "3" },
    { "log(1/9,3)", "-2" },
    { "log(2,4)", "0.5" },
  };
  CHECK (examples);
}

static void
whole_numbers (void)
{
  static const struct example examples[] = {
    { "gcd(12,18)", "6" },
    { "gcd(12,18,27)", "3" },
    { "gcd(0,0)", "0" },
    { "gcd(2^100,6^50)", "1125899906842624" },
    { "lcm(4,6)", "12" },
    { "lcm(-4,6,5)", "60" },
    { "hypot(3,4)", "5" },
    { "hypot(1,1)", "1.4142135623730951" },
    { "hypot(0.3,0.4)", "0.5" },
    { "factorial(10)", "3628800" },
    { "0!", "1" },
    { "nCr(5,2)", "10" },
    { "nCr(100,98)", "4950" },
    { "nCr(5,6)", "0" },
    { "nCr(10^30,1)", "1000000000000000000000000000000" },
    { "nPr(5,2)", "20" },
    { "nPr(5,0)", "1" },
    { "nPr(3,4)", "0" },
    { "mod(-7,3)", "2" },
    { "pow(2,0.5)", "1.4142135623730951" },
    { "pow(3,4)", "81" },
  };
  CHECK (examples);
}

static void
constants_and_nesting (void)
{
  static const struct example examples[] = {
    { "pi", "3.141592653589793" },
    { "\xCF\x80*2 == \xCF\x84", "true" },
    { "e", "2.718281828459045" },
    { "tau", "6.283185307179586" },
    { "2*sqrt(2)*sqrt(2)", "4.000000000000001" },
    { "sqrt(9)!", "6" },
    { "floor(10*pi)", "31" },
    { "max(min(5,3),2^2)", "4" },
    { "sqrt(3^2+4^2)", "5" },
    { "1000*(1+0.05/12)^(12*10)", "1647.009497690283" },
    { "round(1.000123^100000,4)", "219529.8761" },
    { "exp(-1000)", "0" },
  };
  CHECK (examples);
}

static void
comparisons (void)
{
  static const struct example examples[] = {
    { "0.1+0.2 == 0.3", "true" },   { "1/3 < 0.3333", "false" },     { "2^10 > 10^3", "true" },
    { "1 <= 1", "true" },           { "1 >= 2", "false" },           { "1 != 1", "false" },
    { "2+2 = 4", "true" },          { "2 < 1+1", "false" },          { "-1 < 0", "true" },
    { "1 \xE2\x89\xA4 2", "true" }, { "3! != 6", "false" },          { "sqrt(2)^2 == 2", "false" },
    { "1 \xE2\x89\xA0 2", "true" }, { "2 \xE2\x89\xA5 3", "false" },
  };
  CHECK (examples);
}

static void
variables (void)
{
  CU_ASSERT_TRUE (
    says (mock, "calculator",
          "{\"expression\":\"x*y+x_2\",\"variables\":{\"x\":2,\"y\":-1.5,\"x_2\":10}}", "7"));
  CU_ASSERT_TRUE (
    says (mock, "calculator", "{\"expression\":\"price*3\",\"variables\":{\"price\":0.1}}", "0.3"));
  CU_ASSERT_TRUE (
    says (mock, "calculator", "{\"expression\":\"e+sin\",\"variables\":{\"e\":1,\"sin\":2}}", "3"));
  CU_ASSERT_TRUE (
    says (mock, "calculator", "{\"expression\":\"a\",\"variables\":{\"a\":1.25e2}}", "125"));
  CU_ASSERT_TRUE (fails (mock, "calculator",
                         "{\"expression\":\"2*pirce\",\"variables\":{\"price\":1}}",
                         "calc_unknown_name", "did you mean \"price\"?"));
}

static void
structured (void)
{
  static const struct example examples[] = {
    { "1/3+1/6", "{\"value\":0.5,\"decimal\":\"0.5\",\"exact\":true,\"fraction\":\"1/2\"}" },
    { "2+2", "{\"value\":4,\"decimal\":\"4\",\"exact\":true}" },
    { "sqrt(2)",
      "{\"value\":1.4142135623730951,\"decimal\":\"1.4142135623730951\",\"exact\":false}" },
    { "2^53", "{\"value\":9007199254740992,\"decimal\":\"9007199254740992\",\"exact\":true}" },
    { "2^53+1",
      "{\"value\":\"9007199254740993\",\"decimal\":\"9007199254740993\",\"exact\":true}" },
    { "-(2^64)", "{\"value\":\"-18446744073709551616\",\"decimal\":\"-18446744073709551616\","
                 "\"exact\":true}" },
    { "1<2", "{\"value\":true,\"exact\":true}" },
    { "pi<3", "{\"value\":false,\"exact\":false}" },
    { "-10^17/3", "{\"value\":-33333333333333332,\"decimal\":\"-3.333333333333333e+16\"," },
    { "10.0^25/3", "\"value\":3.3333333333333333e+24,\"decimal\":\"3.333333333333333e+24\"" },
    { "1e300*pi", "\"value\":3.141592653589793e+300," },
    { "10^400/3", "{\"value\":\"3.333333333333333e+399\"," },
  };

  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
    CU_ASSERT_TRUE (
      gives (mock, "calculator", arguments (examples[i].expression), examples[i].text));
}

static void
precision (void)
{
  CU_ASSERT_TRUE (says (mock, "calculator", "{\"expression\":\"1/3\",\"precision\":50}",
                        "0.33333333333333333333333333333333333333333333333333 (exactly 1/3)"));
  CU_ASSERT_TRUE (
    says (mock, "calculator", "{\"expression\":\"2/3\",\"precision\":1}", "0.7 (exactly 2/3)"));
  CU_ASSERT_TRUE (says (mock, "calculator", "{\"expression\":\"999.96/1\",\"precision\":4}",
                        "1000 (exactly 24999/25)"));
  CU_ASSERT_TRUE (says (mock, "calculator", "{\"expression\":\"pi\",\"precision\":5}", "3.1416"));
  CU_ASSERT_TRUE (
    says (mock, "calculator", "{\"expression\":\"pi\",\"precision\":40}", "3.141592653589793"));
  CU_ASSERT_TRUE (
    says (mock, "calculator", "{\"expression\":\"123456\",\"precision\":2}", "123456"));
  CU_ASSERT_TRUE (gives (mock, "calculator", "{\"expression\":\"2/3\",\"precision\":2}",
                         "\"value\":0.6666666666666666,\"decimal\":\"0.67\""));
}

struct fault {
  const char *expression, *part;
};

static void
refuse (const char *code, const struct fault *faults, size_t count)
{
  for (size_t i = 0; i < count; i++)
    CU_ASSERT_TRUE (
      fails (mock, "calculator", arguments (faults[i].expression), code, faults[i].part));
}
#define REFUSE(code, faults) refuse (code, faults, sizeof (faults) / sizeof *(faults))

static void
syntax_errors (void)
{
  static const struct fault faults[] = {
    { "", "position 1: expected a number, a name or \"(\", got the end" },
    { "2 + * 3",
      "position 5: expected a number, a name or \"(\" after \"+\", got \"*\"\n  2 + * 3\n      ^" },
    { "2 +", "position 4: expected a number, a name or \"(\" after \"+\"" },
    { "(1+2", "position 5: expected an operator or \")\", got the end" },
    { "1+2)", "position 4: expected an operator or the end, got \")\"" },
    { "()", "position 2: expected a number" },
    { "2 pi", "got \"pi\"; to multiply write \"*\"" },
    { "2(3)", "got \"(\"; to multiply write \"*\"" },
    { "1 2", "got \"2\"; to multiply write \"*\"" },
    { "1.2.3", "position 4" },
    { "20%", "for 20 percent write 20/100" },
    { "1 < 2 < 3", "an expression compares once" },
    { "(1 < 2)", "not within parentheses" },
    { "3!!", "write (n!)!" },
    { "2 & 3", "position 3: expected an operator or the end, got \"&\"" },
    { "\xE2\x88\x9A"
      "2",
      "got \"\xE2\x88\x9A\"" },
    { "\xC3\x97 1", "position 1" },
    { "\xCF\x80 \xC3\x97 $", "position 5: " },
    { "sqrt", "sqrt is a function; write sqrt (...)" },
    { "sqrt()", "sqrt needs 1 argument, got 0" },
    { "sqrt(1,2)", "sqrt needs 1 argument, got 2" },
    { "atan2(1)", "atan2 needs 2 arguments, got 1" },
    { "round(1,2,3)", "round needs at most 2 arguments, got 3" },
    { "max()", "max needs at least 1 argument, got 0" },
    { "max(1,)", "position 7: expected a number" },
    { "max(1;2)", "expected an operator or \",\" or \")\", got \";\"" },
    { "log(10)", "log needs the number and the base" },
    { "1\\u0000", "position 2: expected an operator or the end, got U+0000\n  1 \n   ^" },
  };
  REFUSE ("calc_syntax_error", faults);
}

static void
unknown_names (void)
{
  static const struct fault faults[] = {
    { "foo", "position 1: unknown name \"foo\"" },
    { "1+sqr(2)", "position 3: unknown function \"sqr\"; did you mean \"sqrt\"" },
    { "Sin(1)", "did you mean \"sin\"" },
    { "ncr(5,2)", "did you mean \"nCr\"" },
    { "PI", "did you mean \"pi\"" },
    { "pi(2)", "unknown function \"pi\"" },
  };
  REFUSE ("calc_unknown_name", faults);
}

static void
domain_errors (void)
{
  static const struct fault faults[] = {
    { "1/0", "position 2: division by zero\n  1/0\n   ^" },
    { "1//0", "division by zero" },
    { "1%0", "division by zero" },
    { "0^-1", "division by zero" },
    { "(1+2)/(3-3)", "position 6: division by zero" },
    { "sqrt(-1)", "square root of a negative number" },
    { "(-8)^(1/3)", "cbrt" },
    { "ln(0)", "greater than 0" },
    { "log10(-5)", "greater than 0" },
    { "log(2,1)", "is not 1" },
    { "asin(2)", "from -1 to 1" },
    { "acosh(0.5)", "at least 1" },
    { "atanh(1)", "between -1 and 1" },
    { "atan2(0,0)", "no value" },
    { "(-1)!", "not negative" },
    { "2.5!", "integer" },
    { "gcd(1.5,2)", "integers" },
    { "nCr(-1,2)", "not negative" },
    { "round(1,0.5)", "-1000 to 1000" },
  };
  REFUSE ("calc_domain_error", faults);
}

static void
too_large (void)
{
  static const struct fault faults[] = {
    { "10^100000", "position 3: the result is too large" },
    { "9^9^9", "too large" },
    { "2^2^2^2^2^2", "too large" },
    { "100000!", "over 5900" },
    { "exp(1000)", "too large" },
    { "1e400*pi", "too large" },
    { "1e999999999", "exponent" },
    { "nCr(10^30,10^10)", "combinations" },
    { "nPr(10^300,60000)", "permutations" },
    { "2^65535*2^65535", "too large" },
  };
  REFUSE ("calc_too_large", faults);
}

/* A text repeated, with something in the middle. */
static const char *
repeated (const char *before, const char *middle, const char *after, int times)
{
  static char text[4097];
  char *p = text;

  for (int i = 0; i < times; i++)
    p = stpcpy (p, before);
  p = stpcpy (p, middle);
  for (int i = 0; i < times; i++)
    p = stpcpy (p, after);
  return text;
}

static void
bounds (void)
{
  CU_ASSERT_TRUE (says (mock, "calculator", arguments (repeated ("(", "1", ")", 99)), "1"));
  CU_ASSERT_TRUE (fails (mock, "calculator", arguments (repeated ("(", "1", ")", 100)),
                         "calc_too_large", "position 101: nested more than 100 levels"));
  CU_ASSERT_TRUE (fails (mock, "calculator", arguments (repeated ("-", "1", "", 2000)),
                         "calc_too_large", "nested"));
  CU_ASSERT_TRUE (fails (mock, "calculator", arguments (repeated ("2^", "2", "", 1000)),
                         "calc_too_large", "nested"));
  CU_ASSERT_TRUE (says (mock, "calculator", arguments (repeated ("1+", "1", "", 2000)), "2001"));
  CU_ASSERT_TRUE (fails (mock, "calculator", arguments (repeated ("a", "b", "c", 40)),
                         "calc_unknown_name", "64"));
  /* The picture shows the neighbourhood only. */
  CU_ASSERT_TRUE (
    fails (mock, "calculator", arguments (repeated ("1+", "$", "+1", 500)), "calc_syntax_error",
           "position 1001: expected a number, a name or \"(\" after \"+\", got \"$\"\n"
           "  1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+$+1+1+1+1+1+1+1+1+1+1+1+1+1+1+\n"
           "                                          ^"));
}

/* Numbers of the largest size at the greatest depth, on a stack as small as a worker's. */
static void *
deep_and_large (void *ok)
{
  const char *inner =
    "gcd(5900!,3^41000)*7^21000//(2^65000-1)+(3^20000/7^20000)%1+lcm(2^30000,3^20000)%7";

  *(bool *) ok =
    fails (mock, "calculator", arguments (repeated ("max(1,", inner, ")/0", 30)),
           "calc_domain_error", "division by zero")
    && gives (mock, "calculator", arguments ("nCr(65536,32768)%10^9+5900!%7"), "exact");
  return NULL;
}

static void
stack (void)
{
  pthread_attr_t attributes;
  pthread_t thread;
  bool ok = false;

  pthread_attr_init (&attributes);
  pthread_attr_setstacksize (&attributes, 256 * 1024);
  CU_ASSERT_EQUAL_FATAL (pthread_create (&thread, &attributes, deep_and_large, &ok), 0);
  pthread_join (thread, NULL);
  pthread_attr_destroy (&attributes);
  CU_ASSERT_TRUE (ok);
}

static void
cancel (void)
{
  toolhost_mock_cancel_after (mock, 3);
  CU_ASSERT_TRUE (
    stops (mock, "calculator", arguments ("1+2+3+4+5+6"), "calc_cancelled", "cancelled"));
  CU_ASSERT_TRUE (says (mock, "calculator", arguments ("1+2"), "3"));
}

static void
definition (void)
{
  CU_ASSERT_TRUE (definition_fits (mock, "calculator"));
}

static CU_TestInfo tests[] = {
  { "arithmetic and precedence", arithmetic },
  { "exact numbers", exact_numbers },
  { "roots, sums and rounding", roots_and_rounding },
  { "trigonometry", trigonometry },
  { "logarithms", logarithms },
  { "whole numbers and powers", whole_numbers },
  { "constants, and functions in functions", constants_and_nesting },
  { "comparisons", comparisons },
  { "variables", variables },
  { "structured result", structured },
  { "precision", precision },
  { "syntax errors with their position", syntax_errors },
  { "unknown names", unknown_names },
  { "values outside a function's domain", domain_errors },
  { "too large", too_large },
  { "depth and size are bounded", bounds },
  { "large numbers fit the stack of a tool thread", stack },
  { "stops when cancelled", cancel },
  { "definition fits its literal", definition },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = { { "calculator", start, stop, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
