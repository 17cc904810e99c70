/* calculator.c - the tool: an expression in, a number out; exact while it can be. */
#include <toolhost.h>

#include "../common/json_scan.h"
#include "../common/near.h"
#include "../common/text.h"
#include "eval.h"
#include "number.h"

static const char *
definition (void *self)
{
  (void) self;
  /* clang-format off */
  return TOOLHOST_JSON ({
    "name": "calculator",
    "title": "Calculator",
    "description": "Calculate an expression exactly where possible: integers of any size, fractions and decimals without rounding errors. Operators + - * / // % ^ ! and parentheses; // rounds the quotient down, % is the remainder, ^ is the power. Functions: sqrt cbrt pow hypot abs sign min max sum avg floor ceil trunc round(x,digits) exp ln log10 log2 log(x,base) sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh (radians) deg rad gcd lcm mod factorial nCr nPr. Constants pi, e, tau. One comparison (< <= > >= == !=) answers true or false.",
    "inputSchema": {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "properties": {
        "expression": {
          "type": "string",
          "minLength": 1,
          "maxLength": 4096,
          "description": "What to calculate. Multiplication needs its sign: 2*pi."
        },
        "variables": {
          "type": "object",
          "description": "Numbers that the expression uses by name.",
          "propertyNames": { "pattern": "^[A-Za-z_][A-Za-z0-9_]{0,63}$" },
          "additionalProperties": { "type": "number" },
          "maxProperties": 100
        },
        "precision": {
          "type": "integer",
          "minimum": 1,
          "maximum": 1000,
          "description": "Significant digits of \"decimal\" where the result is no whole number; a result that is not exact has at most 17."
        }
      },
      "required": ["expression"],
      "additionalProperties": false,
      "examples": [
        { "expression": "1/3 + 1/6" },
        { "expression": "round(price * 1.19, 2)", "variables": { "price": 19.99 } },
        { "expression": "0.1 + 0.2 == 0.3" },
        { "expression": "sqrt(2)", "precision": 10 }
      ]
    },
    "outputSchema": {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "properties": {
        "value": {
          "type": ["number", "string", "boolean"],
          "description": "The result: a number; its digits as a string if it is an exact integer beyond 2^53 or out of a double's range; true or false of a comparison."
        },
        "decimal": { "type": "string", "description": "The number as a decimal." },
        "exact": { "type": "boolean", "description": "Nothing was rounded on the way." },
        "fraction": { "type": "string", "description": "The exact value if it is no integer, as \"1/2\"." }
      },
      "required": ["value", "exact"],
      "additionalProperties": false
    },
    "annotations": {
      "title": "Calculator",
      "readOnlyHint": true,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": false
    }
  });
  /* clang-format on */
}

/* ---- the scope of the expression: the call ---- */

static bool
variable (void *ctx, const char *name, struct number *n, struct why *why)
{
  char pointer[sizeof "/variables/" + EVAL_NAME_MAX];
  size_t len;
  const char *json;
  bool negative;

  (void) snprintf (pointer, sizeof pointer, "/variables/%s", name);
  json = toolhost_arg_json (ctx, pointer, &len);
  if (json == NULL)
    return false;
  negative = len > 0 && json[0] == '-';
  if (!number_parse (n, json + negative, len - negative, why))
    return false;
  if (negative)
    number_negate (n, n);
  return true;
}

static void
offer_variables (void *ctx, struct near *near)
{
  size_t len;
  const char *json = toolhost_arg_json (ctx, "variables", &len);
  CLEANUP_TEXT struct text name = { 0 };

  if (json == NULL)
    return;
  struct json_scan scan = { json, json + len };
  if (json_scan_enter (&scan, '{'))
    while (json_scan_name (&scan, &name) && json_scan_skip (&scan))
      near_offer (near, text_get (&name));
}

static bool
stopped (void *ctx)
{
  return toolhost_cancelled (ctx);
}

/* ---- the result ---- */

/* "value" of a number, as any reader of JSON takes it. */
static void
add_value (const struct number *n, struct text *out)
{
  CLEANUP_TEXT struct text value = { 0 };
  CLEANUP_NUMBER struct number rounded;
  struct why why;
  double d = number_double (n);
  bool in_doubt = number_is_integer (n) && n->exact
                  && mpz_cmpabs_d (mpq_numref (n->value), 9007199254740992.0) > 0;

  number_init (&rounded);
  number_set (&rounded, n);
  if (!in_doubt && number_set_double (&rounded, d, &why)) {
    number_decimal (&rounded, 0, &value);
    json_raw (out, text_get (&value));
  }
  else {
    number_decimal (n, 0, &value);
    json_string (out, text_get (&value));
  }
  out->failed |= value.failed;
}

static toolhost_status
send (toolhost_call *call, const struct text *text, const struct text *json)
{
  if (!text_ok (text) || !text_ok (json))
    return toolhost_fail (call, "calc_too_large", "out of memory");
  (void) toolhost_text_len (call, text_get (text), text->len);
  return toolhost_json_len (call, text_get (json), json->len);
}

static toolhost_status
send_truth (toolhost_call *call, const struct eval_result *result)
{
  CLEANUP_TEXT struct text json = { 0 }, text = { 0 };

  json_open (&json, '{');
  json_name_bool (&json, "value", result->truth);
  json_name_bool (&json, "exact", result->number.exact);
  json_close (&json, '}');
  text_add (&text, result->truth ? "true" : "false");
  return send (call, &text, &json);
}

/* Fractions of more digits are of no use to a reader. */
enum { FRACTION_IN_TEXT = 40, FRACTION_IN_JSON = 1000 };

static toolhost_status
send_number (toolhost_call *call, const struct number *n)
{
  CLEANUP_TEXT struct text json = { 0 }, text = { 0 }, fraction = { 0 };
  int digits = (int) toolhost_arg_int (call, "precision", 0);

  number_decimal (n, digits, &text);
  json_open (&json, '{');
  json_name (&json, "value");
  add_value (n, &json);
  json_name_string (&json, "decimal", text_get (&text));
  json_name_bool (&json, "exact", n->exact);
  if (n->exact && !number_is_integer (n))
    number_fraction (n, &fraction);
  if (fraction.len > 0 && fraction.len <= FRACTION_IN_JSON)
    json_name_string (&json, "fraction", text_get (&fraction));
  json_close (&json, '}');
  if (fraction.len > 0 && fraction.len <= FRACTION_IN_TEXT && !number_decimal_is_exact (n, digits))
    text_addf (&text, " (exactly %s)", text_get (&fraction));
  return send (call, &text, &json);
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  const struct eval_scope scope = { variable, offer_variables, stopped, call };
  struct eval_error error = { 0 };
  struct eval_result result;
  size_t len;
  const char *expression = toolhost_arg_string_len (call, "expression", &len);
  toolhost_status status;

  (void) self;
  if (expression == NULL)
    return toolhost_fail (call, "calc_syntax_error", "expression: expected a string");
  if (!eval (expression, len, &scope, &result, &error)) {
    status = toolhost_fail (call, error.code, "%s", text_get (&error.message));
    text_free (&error.message);
    return status;
  }
  status = result.is_truth ? send_truth (call, &result) : send_number (call, &result.number);
  number_clear (&result.number);
  return status;
}

static int64_t
max_time (void *self)
{
  (void) self;
  return 5000;
}

static const toolhost_tool calculator = { TOOLHOST_TOOL, .definition = definition,
                                          .execute = execute, .max_time = max_time };

TOOLHOST_PLUGIN (.name = "calculator", .version = "1.0",
                 .description = "Calculates expressions, exactly where possible.",
                 .threads = TOOLHOST_PARALLEL, TOOLHOST_TOOLS (&calculator))
