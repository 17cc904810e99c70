/* Definitions as providers of models take them.  JSON is written with ' for " here. */
#include "tap.h"

#include "base/json_write.h"
#include "catalog/project/project.h"

static struct providers *providers;
static struct buf rendered, told;

static int
begin (void)
{
  providers = providers_new ();
  return 0;
}

static int
end (void)
{
  providers_free (providers);
  buf_free (&rendered);
  buf_free (&told);
  return 0;
}

static void
quote (const char *text, struct buf *out)
{
  for (; *text != '\0'; text++)
    buf_putc (out, *text == '\'' ? '"' : *text);
  (void) buf_cstr (out);
}

static bool
equals (const char *got, const char *expected)
{
  CLEANUP_BUF struct buf text = { 0 };

  if (got == NULL || expected == NULL)
    return got == expected;
  quote (expected, &text);
  return strcmp (got, text.data) == 0;
}

/* How often what was rendered holds this. */
static size_t
occurrences (const char *part)
{
  CLEANUP_BUF struct buf quoted = { 0 };
  size_t count = 0;

  quote (part, &quoted);
  for (const char *at = rendered.data; (at = strstr (at, quoted.data)) != NULL; at++)
    count++;
  return count;
}

/* "kind pointer [keyword] sentence" a line. */
static void
tell (const struct losses *losses)
{
  for (size_t i = 0; i < losses->count; i++) {
    const struct loss *l = &losses->list[i];
    buf_printf (&told, "%s %s [%s] %s\n", loss_kind_name (l->kind), l->pointer, l->keyword,
                l->sentence);
  }
  (void) buf_cstr (&told);
}

/* The tool of this definition, NULL when it is refused; `told` has the losses. */
static const char *
project (const char *format, bool strict, const char *definition)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf json = { 0 };
  const struct provider_format *shape;
  struct losses losses = { .list = NULL };
  struct json_tape tape;
  const struct provider *p = providers_find (providers, format, strlen (format), strict, &shape);
  bool good;

  buf_reset (&rendered, 0);
  buf_reset (&told, 0);
  quote (definition, &json);
  CU_ASSERT_PTR_NOT_NULL_FATAL (p);
  CU_ASSERT_TRUE_FATAL (json_read (&tape, json.data, json.len, &json_default_limits, &arena));
  good = project_tool (p, shape, &tape, json_root (&tape), &losses, NULL, &rendered);
  CU_ASSERT_EQUAL (good, !losses.refused);
  CU_ASSERT_TRUE (good || rendered.len == 0);
  tell (&losses);
  losses_free (&losses);
  return good ? buf_cstr (&rendered) : NULL;
}

#define OPENAI "openai-strict"
#define ANTHROPIC "anthropic-strict"

/* The schema that comes of a schema, NULL when the tool is refused. */
static const char *
schema_of (const char *profile, const char *schema)
{
  static const char *const members[] = { "parameters", "input_schema", "parametersJsonSchema",
                                         "inputSchema" };
  CLEANUP_BUF struct buf definition = { 0 };
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *node = NULL;
  const char *dash = strstr (profile, "-strict");
  struct json_tape tape;
  char format[32];
  size_t len;

  snprintf (format, sizeof format, "%s", profile);
  if (dash != NULL)
    format[dash - profile] = '\0';
  buf_printf (&definition, "{'name':'t','inputSchema':%s}", schema);
  if (project (format, dash != NULL, buf_cstr (&definition)) == NULL)
    return NULL;
  CU_ASSERT_TRUE_FATAL (
    json_read (&tape, rendered.data, rendered.len, &json_default_limits, &arena));
  for (size_t i = 0; node == NULL && i < sizeof members / sizeof members[0]; i++)
    node = json_member (&tape, json_root (&tape), members[i]);
  CU_ASSERT_PTR_NOT_NULL_FATAL (node);
  buf_consume (&rendered, (size_t) (json_raw (&tape, node, &len) - rendered.data));
  rendered.len = len;
  return buf_cstr (&rendered);
}

/* An object of these properties and further keywords, each with a comma before it. */
#define OBJECT(properties, more) "{'type':'object','properties':{" properties "}" more "}"
#define REQUIRED(names) ",'required':[" names "]"
#define CLOSED ",'additionalProperties':false"

/* What schemas become; `loss` is a part of what is told, "" for nothing at all. */
static const struct row {
  const char *profile, *schema, *expected, *loss;
} rows[] = {
  /* what is taken stays as it is */
  { OPENAI, OBJECT ("'a':{'type':'string'}", REQUIRED ("'a'") CLOSED),
    OBJECT ("'a':{'type':'string'}", REQUIRED ("'a'") CLOSED), "" },
  { ANTHROPIC, OBJECT ("'a':{'type':'string'}", REQUIRED ("'a'") CLOSED),
    OBJECT ("'a':{'type':'string'}", REQUIRED ("'a'") CLOSED), "" },
  { "openai", OBJECT ("'a':{'not':{}}", ",'x':1"), OBJECT ("'a':{'not':{}}", ",'x':1"), "" },
  /* objects are closed */
  { OPENAI, "{'type':'object'}", OBJECT ("", REQUIRED ("") CLOSED), "" },
  { ANTHROPIC, OBJECT ("'a':{'type':'null'}", ",'x-own':1"),
    OBJECT ("'a':{'type':'null'}", REQUIRED ("") CLOSED),
    "rewritten /inputSchema [additionalProperties] no other properties can be given\n" },
  { OPENAI, OBJECT ("'a':{'type':'object','additionalProperties':{'type':'string'}}", CLOSED), NULL,
    "refused /inputSchema/properties/a [additionalProperties] an object whose properties have no "
    "fixed names\n" },
  { ANTHROPIC, OBJECT ("", REQUIRED ("'b'") CLOSED), NULL, "\"b\" is required, but has no schema" },
  { OPENAI, OBJECT ("", REQUIRED ("'b'") CLOSED), NULL, "\"b\" is required, but has no schema" },
  /* what may be left out becomes nullable, in the way its schema allows */
  { OPENAI, OBJECT ("'a':{'type':'string'}", CLOSED),
    OBJECT ("'a':{'type':['string','null']}", CLOSED REQUIRED ("'a'")),
    "rewritten /inputSchema [required] null stands for leaving out a\n" },
  { OPENAI, OBJECT ("'a':{'enum':['x',2]},'b':{'const':1.5}", CLOSED),
    OBJECT ("'a':{'anyOf':[{'enum':['x'],'type':'string'},{'enum':[2],'type':'integer'},"
            "{'type':'null'}]},'b':{'enum':[1.5,null],'type':['number','null']}",
            CLOSED REQUIRED ("'a','b'")),
    "null stands for leaving out a, b\n" },
  { OPENAI,
    OBJECT ("'a':{'type':['string','null']},'b':{'enum':['x',null]},"
            "'c':{'anyOf':[{'type':'string'},{'type':'null'}]}",
            CLOSED),
    OBJECT ("'a':{'type':['string','null']},'b':{'enum':['x',null],'type':['string','null']},"
            "'c':{'anyOf':[{'type':'string'},{'type':'null'}]}",
            CLOSED REQUIRED ("'a','b','c'")),
    "leaving out a, b, c\n" },
  { OPENAI,
    OBJECT ("'a':{'$ref':'#/definitions/d','description':'D'}",
            CLOSED ",'definitions':{'d':{'type':'string'}}"),
    OBJECT ("'a':{'description':'D','anyOf':[{'$ref':'#/$defs/d'},{'type':'null'}]}",
            CLOSED REQUIRED ("'a'") ",'$defs':{'d':{'type':'string'}}"),
    "leaving out a\n" },
  /* what is not taken goes to the description */
  { OPENAI,
    OBJECT ("'a':{'type':'string','description':'D','minLength':1,'maxLength':200}",
            REQUIRED ("'a'") CLOSED),
    OBJECT ("'a':{'type':'string','description':'D (at least 1, at most 200 characters)'}",
            REQUIRED ("'a'") CLOSED),
    "moved /inputSchema/properties/a [minLength, maxLength] minLength, maxLength are moved to the "
    "description\n" },
  { ANTHROPIC,
    OBJECT ("'a':{'type':'integer','exclusiveMinimum':0,'multipleOf':5,'default':10}",
            REQUIRED ("") CLOSED),
    OBJECT ("'a':{'type':'integer','description':'more than 0, a multiple of 5, default 10'}",
            REQUIRED ("") CLOSED),
    "[exclusiveMinimum, multipleOf, default]" },
  { ANTHROPIC,
    OBJECT ("'a':{'type':'array','items':{'type':'string','format':'regex'},'minItems':1},"
            "'b':{'type':'array','items':{'type':'null'},'minItems':2,'uniqueItems':true}",
            REQUIRED ("") CLOSED),
    OBJECT ("'a':{'type':'array','items':{'type':'string','description':'in the format "
            "\\'regex\\''},'minItems':1},'b':{'type':'array','items':{'type':'null'},"
            "'description':'at least 2 items, no two items alike'}",
            REQUIRED ("") CLOSED),
    "moved /inputSchema/properties/a/items [format] format is moved to the description\n" },
  { ANTHROPIC,
    OBJECT (
      "'a':{'type':'string','pattern':'^\\\\\\\\b$'},'b':{'type':'string','pattern':'\\\\bx'}",
      REQUIRED ("") CLOSED),
    OBJECT ("'a':{'type':'string','pattern':'^\\\\\\\\b$'},'b':{'type':'string','description':"
            "'matching the regular expression \\'\\\\\\\\bx\\''}",
            REQUIRED ("") CLOSED),
    "moved /inputSchema/properties/b [pattern] pattern is moved to the description\n" },
  { OPENAI, OBJECT ("'a':{'type':'string','not':{'const':'x'}}", REQUIRED ("'a'") CLOSED),
    OBJECT ("'a':{'type':'string','description':'as JSON Schema "
            "{\\'not\\':{\\'const\\':\\'x\\'}}'}",
            REQUIRED ("'a'") CLOSED),
    "moved /inputSchema/properties/a [not] not is moved to the description\n" },
  { OPENAI, OBJECT ("'a':{'type':'string','deprecated':true}", REQUIRED ("'a'") CLOSED),
    OBJECT ("'a':{'type':'string'}", REQUIRED ("'a'") CLOSED),
    "dropped /inputSchema/properties/a [deprecated] deprecated is dropped\n" },
  /* unions */
  { OPENAI,
    OBJECT ("'a':{'description':'D','minLength':2,'oneOf':[{'type':'string'},{'type':'integer'}]}",
            REQUIRED ("'a'") CLOSED),
    OBJECT ("'a':{'description':'D','anyOf':[{'type':'string','description':'at least 2 "
            "characters'},{'type':'integer'}]}",
            REQUIRED ("'a'") CLOSED),
    "rewritten /inputSchema/properties/a [oneOf] anyOf stands for it: more than one may fit\n" },
  { OPENAI, OBJECT ("'a':{'type':['string','integer'],'minimum':3}", REQUIRED ("'a'") CLOSED),
    OBJECT ("'a':{'anyOf':[{'type':'string'},{'type':'integer','minimum':3}]}",
            REQUIRED ("'a'") CLOSED),
    "[type] anyOf stands for the list of types\n" },
  { OPENAI,
    OBJECT ("'a':{'anyOf':[" OBJECT ("'k':{'const':1}", CLOSED) "," OBJECT ("'k':{'const':2}",
                                                                            CLOSED) "]}",
            REQUIRED ("'a'") CLOSED),
    OBJECT (
      "'a':{'anyOf':[" OBJECT ("'k':{'enum':[1,null],'type':['integer','null']}",
                               CLOSED REQUIRED ("'k'")) "," OBJECT ("'k':{'enum':[2,null],"
                                                                    "'type':['integer',"
                                                                    "'null']}",
                                                                    CLOSED REQUIRED ("'k'")) "]}",
      REQUIRED ("'a'") CLOSED),
    "leaving out k\n" },
  { OPENAI,
    OBJECT ("'a':{'anyOf':[" OBJECT ("'k':{'type':'string'}",
                                     CLOSED) "," OBJECT ("'k':{'type':'null'}", CLOSED) "]}",
            CLOSED),
    NULL, "refused /inputSchema [anyOf] two of its objects have the same first property" },
  { OPENAI,
    OBJECT ("'a':" OBJECT ("'b':{'type':'null'},'c':{'type':'null'}",
                           ",'anyOf':[{'required':['b']},{'required':['c']}]" CLOSED),
            REQUIRED ("'a'") CLOSED),
    OBJECT ("'a':" OBJECT ("'b':{'type':'null'},'c':{'type':'null'}",
                           CLOSED ",'description':'with at least one of these sets of properties: "
                                  "(b) or (c)'" REQUIRED ("'b','c'")),
            REQUIRED ("'a'") CLOSED),
    "moved /inputSchema/properties/a [anyOf] anyOf is moved to the description\n" },
  /* the outermost schema has no union: its branches become part of it */
  { "openai",
    OBJECT ("'a':{'type':'null'}",
            ",'oneOf':[{'properties':{'b':{'const':1}},'required':['a','b']},"
            "{'properties':{'b':{'const':2},'c':{}},'required':['a','c']}]"),
    OBJECT ("'a':{'type':'null'},'b':{'anyOf':[{'const':1},{'const':2}]},'c':{}",
            ",'description':'with exactly one of these sets of properties: (b) or "
            "(c)'" REQUIRED ("'a'")),
    "rewritten /inputSchema [oneOf] the alternatives are merged into one object\n" },
  { ANTHROPIC,
    "{'type':'object','anyOf':[{'$ref':'#/$defs/x'}],'$defs':{'x':{'properties':"
    "{'b':{'type':'null'}},'required':['b']}}}",
    OBJECT ("'b':{'type':'null'}", REQUIRED ("'b'") CLOSED), "the alternatives are merged" },
  /* what both the branch and its reference require is required once */
  { ANTHROPIC,
    "{'type':'object','anyOf':[{'$ref':'#/$defs/x','required':['b']}],'$defs':{'x':{'properties':"
    "{'b':{'type':'null'}},'required':['b']}}}",
    OBJECT ("'b':{'type':'null'}", REQUIRED ("'b'") CLOSED), "the alternatives are merged" },
  /* allOf is merged */
  { OPENAI,
    OBJECT ("'a':{'allOf':[{'$ref':'#/$defs/d'}],'description':'D'}",
            REQUIRED ("'a'") ",'$defs':{'d':{'type':'string','pattern':'^a'}}" CLOSED),
    OBJECT ("'a':{'description':'D','type':'string','pattern':'^a'}", REQUIRED ("'a'") CLOSED),
    "" },
  { ANTHROPIC,
    OBJECT ("'a':{'allOf':[" OBJECT ("'x':{'type':'number'}", REQUIRED ("'x'")) "," OBJECT (
              "'x':{'type':'integer'},'y':{'type':'null'}", CLOSED) "]}",
            REQUIRED ("'a'") CLOSED),
    OBJECT ("'a':" OBJECT ("'x':{'type':'integer'},'y':{'type':'null'}", REQUIRED ("'x'") CLOSED),
            REQUIRED ("'a'") CLOSED),
    "" },
  /* references and recursion */
  { OPENAI,
    OBJECT ("'n':{'$ref':'#/$defs/n'}", REQUIRED ("'n'") CLOSED
            ",'$defs':{'n':" OBJECT ("'c':{'type':'array','items':{'$ref':'#/$defs/n'}}",
                                     REQUIRED ("'c'") CLOSED) "}"),
    OBJECT ("'n':{'$ref':'#/$defs/n'}", REQUIRED ("'n'") CLOSED
            ",'$defs':{'n':" OBJECT ("'c':{'type':'array','items':{'$ref':'#/$defs/n'}}",
                                     REQUIRED ("'c'") CLOSED) "}"),
    "" },
  { ANTHROPIC, OBJECT ("'n':{'type':'array','items':{'$ref':'#'}}", CLOSED), NULL,
    "refused /inputSchema [$ref] a schema holds itself\n" },
  { "gemini", OBJECT ("'n':{'type':'array','items':{'$ref':'#'}}", REQUIRED ("'n'")), NULL,
    "a schema holds itself where a property is required\n" },
  { "gemini", OBJECT ("'n':{'type':'array','items':{'$ref':'#'}}", ""),
    OBJECT ("'n':{'type':'array','items':{'$ref':'#'}}", ""), "" },
  { OPENAI, OBJECT ("'a':{'$ref':'http://example.com/x'}", CLOSED), NULL,
    "the reference leads out of the definition" },
  /* anything, and nothing */
  { OPENAI, OBJECT ("'a':true", REQUIRED ("'a'") CLOSED), NULL,
    "refused /inputSchema/properties/a [type] it takes values of any type\n" },
  { OPENAI, OBJECT ("'a':false,'b':{'type':'null'}", REQUIRED ("'b'") CLOSED),
    OBJECT ("'b':{'type':'null'}", REQUIRED ("'b'") CLOSED), "" },
  { OPENAI, OBJECT ("'a':{'type':'array'}", REQUIRED ("'a'") CLOSED), NULL,
    "[items] it takes items of any type\n" },
  { OPENAI, OBJECT ("'a':{'minLength':1}", REQUIRED ("'a'") CLOSED),
    OBJECT ("'a':{'type':'string','description':'at least 1 character'}", REQUIRED ("'a'") CLOSED),
    "moved" },
  /* tuples */
  { OPENAI,
    OBJECT ("'a':{'prefixItems':[{'type':'string'},{'type':'null'}],'items':false}",
            REQUIRED ("'a'") CLOSED),
    OBJECT ("'a':{'items':{'anyOf':[{'type':'string'},{'type':'null'}]},'maxItems':2,"
            "'type':'array'}",
            REQUIRED ("'a'") CLOSED),
    "[prefixItems] any of its schemas fits any item\n" },
  /* Gemini */
  { "gemini",
    OBJECT ("'a':{'const':'x'},'b':{'type':'boolean','const':true},'c':{'enum':['x',null]},"
            "'d':{'type':'string','format':'email'}",
            ",'x':1"),
    OBJECT ("'a':{'enum':['x'],'type':'string'},'b':{'type':'boolean','description':'always "
            "true'},'c':{'anyOf':[{'enum':['x'],'type':'string'},{'type':'null'}]},"
            "'d':{'type':'string','description':'in the format \\'email\\''}",
            ""),
    "dropped /inputSchema [x] x is dropped\n" },
  /* older clients of MCP take no schema that is true or false */
  { "mcp-2025-06-18", OBJECT ("'a':true,'b':false,'c':{'items':true}", ",'x':true"),
    OBJECT ("'a':{},'b':{'not':{}},'c':{'items':{}}", ",'x':true"), "" },
  { "mcp-2024-11-05",
    OBJECT ("'additionalProperties':true,'properties':{'additionalProperties':false}",
            ",'additionalProperties':false"),
    OBJECT ("'additionalProperties':{},'properties':{'additionalProperties':false}",
            ",'additionalProperties':false"),
    "" },
  { "mcp-2025-03-26", OBJECT ("'a':{'type':'array','uniqueItems':true,'default':[false]}", CLOSED),
    OBJECT ("'a':{'type':'array','uniqueItems':true,'default':[false]}", CLOSED), "" },
};

static void
schemas (void)
{
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const struct row *row = &rows[i];
    const char *got = schema_of (row->profile, row->schema);
    bool told_so = row->loss[0] != '\0' ? strstr (told.data, row->loss) != NULL : told.len == 0;
    if (equals (got, row->expected) && told_so)
      continue;
    printf ("# row %zu, %s: %s\n# got      %s\n# expected %s\n# told %s\n", i, row->profile,
            row->schema, got != NULL ? got : "nothing",
            row->expected != NULL ? row->expected : "nothing", told.data);
    CU_FAIL ("a row of the table");
  }
}

/* ---- the tool around the schema ---- */

#define TOOL                                                                                       \
  "{'name':'t','title':'T','description':'d','inputSchema':{'type':'object'},"                     \
  "'outputSchema':{'type':'array'},'annotations':{'x':1},'icons':[1]}"

static const struct {
  const char *format;
  bool strict;
  const char *expected;
} shapes[] = {
  { "mcp", false, TOOL },
  { "mcp-2025-11-25", false,
    "{'name':'t','title':'T','description':'d','inputSchema':{'type':'object'},"
    "'annotations':{'x':1},'icons':[1]}" },
  { "mcp-2025-06-18", false,
    "{'name':'t','title':'T','description':'d','inputSchema':{'type':'object'},"
    "'annotations':{'x':1}}" },
  { "mcp-2025-03-26", false,
    "{'name':'t','description':'d','inputSchema':{'type':'object'},'annotations':{'x':1}}" },
  { "mcp-2024-11-05", false, "{'name':'t','description':'d','inputSchema':{'type':'object'}}" },
  { "openai", false,
    "{'type':'function','name':'t','description':'d','parameters':{'type':'object'},"
    "'strict':false}" },
  { "openai-chat", true,
    "{'type':'function','function':{'name':'t','description':'d','parameters':" OBJECT (
      "", REQUIRED ("") CLOSED) ",'strict':true}}" },
  { "openai-realtime", false,
    "{'type':'function','name':'t','description':'d','parameters':{'type':'object'}}" },
  { "anthropic", true,
    "{'name':'t','description':'d','input_schema':" OBJECT ("", REQUIRED ("")
                                                                  CLOSED) ",'strict':true}" },
  { "gemini", false, "{'name':'t','description':'d','parametersJsonSchema':{'type':'object'}}" },
  { "ag-ui", false, "{'name':'t','description':'d','parameters':{'type':'object'}}" },
};

static void
formats (void)
{
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    const char *got = project (shapes[i].format, shapes[i].strict, TOOL);
    if (!equals (got, shapes[i].expected))
      printf ("# %s: %s\n", shapes[i].format, got != NULL ? got : "nothing");
    CU_ASSERT_TRUE (equals (got, shapes[i].expected));
  }
  (void) project ("mcp-2025-06-18", false, TOOL);
  CU_ASSERT_STRING_EQUAL (told.data, "dropped /outputSchema [outputSchema] only results that are "
                                     "objects have a schema there\n");
}

static void
names (void)
{
  CU_ASSERT_PTR_NULL (project ("gemini", false, "{'name':'1st','inputSchema':{}}"));
  CU_ASSERT_PTR_NOT_NULL (strstr (told.data, "refused /name [name] a name there begins with"));
  CU_ASSERT_PTR_NOT_NULL (project ("openai", false, "{'name':'1st','inputSchema':{}}"));
  CU_ASSERT_PTR_NULL (schema_of ("anthropic", OBJECT ("'a b':{}", CLOSED)));
  CU_ASSERT_PTR_NOT_NULL (strstr (told.data, "\"a b\" can't be the name of a property there"));
}

static void
long_descriptions (void)
{
  CLEANUP_BUF struct buf json = { 0 };

  buf_puts (&json, "{'name':'t','inputSchema':{},'description':'");
  for (int i = 0; i < 1025; i++)
    buf_puts (&json, "\xc3\xa4");
  buf_puts (&json, "'}");
  CU_ASSERT_PTR_NOT_NULL_FATAL (project ("openai", false, buf_cstr (&json)));
  CU_ASSERT_EQUAL (occurrences ("\xc3\xa4\xe2\x80\xa6','parameters'"), 1);
  CU_ASSERT_EQUAL (occurrences ("\xc3\xa4"), 1023);
  CU_ASSERT_STRING_EQUAL (
    told.data, "dropped /description [description] at most 1024 characters, got 1025: it is cut\n");
  CU_ASSERT_PTR_NOT_NULL (project ("anthropic", false, buf_cstr (&json)));
  CU_ASSERT_STRING_EQUAL (told.data, "");
}

/* ---- limits ---- */

static void
limits (void)
{
  static const struct {
    const char *profile, *before, *each, *after, *told;
    int count;
  } cases[] = {
    { ANTHROPIC, "{'type':'object','properties':{", ":{'type':'null'}", "}}",
      "refused /inputSchema [required] at most 24 properties that may be left out, got 25", 25 },
    { ANTHROPIC, "{'type':'object','properties':{", ":{'type':['null','string']}", "}}",
      "refused /inputSchema [anyOf] at most 16 unions, got 17", 17 },
    { OPENAI, "{'type':'object','required':['a'],'properties':{'a':{'enum':[", "", "]}}}",
      "refused /inputSchema [enum] at most 1000 enumerated values, got 1001", 1001 },
  };

  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    CLEANUP_BUF struct buf json = { 0 };
    buf_puts (&json, cases[i].before);
    for (int n = 0; n < cases[i].count; n++)
      buf_printf (&json, "%s'v%04d'%s", n != 0 ? "," : "", n, cases[i].each);
    buf_puts (&json, cases[i].after);
    CU_ASSERT_PTR_NULL (schema_of (cases[i].profile, buf_cstr (&json)));
    CU_ASSERT_PTR_NOT_NULL (strstr (told.data, cases[i].told));
  }
}

static void
depth (void)
{
  CLEANUP_BUF struct buf json = { 0 };

  for (int i = 0; i < 11; i++)
    buf_puts (&json, "{'type':'object','properties':{'a':");
  buf_puts (&json, "{'type':'null'}");
  for (int i = 0; i < 11; i++)
    buf_puts (&json, "}}");
  CU_ASSERT_PTR_NULL (schema_of (OPENAI, buf_cstr (&json)));
  CU_ASSERT_PTR_NOT_NULL (strstr (told.data, "at most 10 levels of objects, got 11"));
}

/* Every schema refers twice to the next, with something beside: written out it has 2^40 parts. */
static void
bombs (void)
{
  CLEANUP_BUF struct buf json = { 0 };

  buf_puts (&json, "{'type':'object','properties':{'a':{'$ref':'#/$defs/d0','title':'t'}},"
                   "'$defs':{");
  for (int i = 0; i < 40; i++)
    buf_printf (&json,
                "'d%d':{'type':'object','properties':{'x':{'$ref':'#/$defs/d%d','title':'t'},"
                "'y':{'$ref':'#/$defs/d%d','title':'t'}},'required':['x','y']},",
                i, i + 1, i + 1);
  buf_puts (&json, "'d40':{'type':'null'}}}");
  CU_ASSERT_PTR_NULL (schema_of (OPENAI, buf_cstr (&json)));
  CU_ASSERT_PTR_NULL (schema_of ("gemini", buf_cstr (&json)));
  CU_ASSERT_PTR_NOT_NULL (strstr (told.data, "refused"));
}

/* A reference that can't be put in the place of its schema, because that is being written there. */
static void
endless_references (void)
{
  static const char schema[] = OBJECT (
    "'a':{'$ref':'#/$defs/d','title':'T'}", REQUIRED ("'a'") CLOSED
    ",'$defs':{'d':" OBJECT ("'c':{'type':'array','items':{'$ref':'#/$defs/d','title':'U'}}",
                             REQUIRED ("'c'") CLOSED) "}");

  CU_ASSERT_PTR_NOT_NULL (schema_of (OPENAI, schema));
  CU_ASSERT_PTR_NOT_NULL (strstr (told.data, "[$ref] what stands beside it is left out\n"));
  CU_ASSERT_PTR_NULL (schema_of (OPENAI, OBJECT ("'a':{'allOf':[{'$ref':'#'},{}]}", CLOSED)));
}

/* ---- profiles ---- */

static void
profiles (void)
{
  static const char *const bad[] = {
    "{}",
    "[]",
    "{'profile':'p','label':'l','date':'d','formats':{'f':{'tool':1}}}",
    "{'profile':'p','label':'l','date':'d','formats':{'f':{'tool':1,'tools':1,'some':1,'none':1}}}",
    "{'objects':'open'}",
    "{'surprise':1}",
    "{'keywords':{'type':'keep'}}",
    "{'keywords':{'type':'keeep','other':'drop'}}",
    "{'limits':{'depth':0}}",
    "{'limits':{'width':1}}",
  };

  for (size_t i = 0; i < providers->count; i++)
    CU_ASSERT_TRUE (strlen (providers->list[i].date) >= 7);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    CLEANUP_ARENA struct arena arena = { 0 };
    CLEANUP_BUF struct buf text = { 0 };
    struct provider p;
    struct error err = { .text = "" };
    quote (bad[i], &text);
    CU_ASSERT_FALSE (provider_read (&p, text.data, text.len, &arena, &err));
    CU_ASSERT_STRING_NOT_EQUAL (err.text, "");
  }
}

/* ---- toolsets ---- */

static struct tool *
tool_of (const char *name, const char *schema, bool strict)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct tool *tool = xcalloc (1, sizeof *tool);

  tool->refs = 1;
  tool->name = xstrdup (name);
  tool->name_len = strlen (name);
  tool->strict = strict;
  buf_printf (&text, "{'name':'%s','description':'d','inputSchema':%s}", name, schema);
  quote (buf_cstr (&text), &tool->mcp);
  return tool;
}

static const char *
request (const char *format, bool strict, const struct toolset *set)
{
  buf_reset (&rendered, 0);
  CU_ASSERT_TRUE_FATAL (
    project_toolset (providers, format, strlen (format), strict, set, &rendered));
  return buf_cstr (&rendered);
}

static void
requests (void)
{
  struct tool *tools[] = { tool_of ("a", "{'type':'object'}", true),
                           tool_of ("b", OBJECT ("'x':{}", CLOSED), true),
                           tool_of ("1c", "{'type':'object'}", false) };
  struct toolset *set = toolset_new (tools, 3, 1), *none = toolset_new (NULL, 0, 1);

  /* each is strict when its author wants it, and it fits */
  (void) request ("openai", false, set);
  CU_ASSERT_EQUAL (occurrences ("'strict':true"), 1);
  (void) request ("openai", true, set);
  CU_ASSERT_EQUAL (occurrences ("'strict':true"), 2);
  CU_ASSERT_EQUAL (occurrences ("'strict':false"), 1);
  (void) request ("gemini", false, set);
  CU_ASSERT_EQUAL (occurrences ("]}],'tool_choice':{'functionCallingConfig':{'mode':'AUTO'}},"
                                "'left_out':[{'name':'1c','pointer':'/name','message':"),
                   1);
  CU_ASSERT_TRUE (
    equals (request ("anthropic", true, none), "{'tools':[],'tool_choice':{'type':'none'}}"));
  CU_ASSERT_FALSE (toolset_choose (set, "x"));
  CU_ASSERT_STRING_EQUAL (toolset_choice (set), "auto");
  CU_ASSERT_TRUE (toolset_choose (set, "required"));
  (void) request ("gemini", false, set);
  CU_ASSERT_EQUAL (occurrences ("'tool_choice':{'functionCallingConfig':{'mode':'ANY'}}"), 1);
  CU_ASSERT_TRUE (toolset_choose (set, "1c")); /* which Gemini can't be shown */
  (void) request ("gemini", false, set);
  CU_ASSERT_EQUAL (occurrences ("'tool_choice':{'functionCallingConfig':{'mode':'AUTO'}}"), 1);
  (void) request ("mcp", false, set); /* has no word for it */
  CU_ASSERT_EQUAL (occurrences ("'tool_choice':'auto'"), 1);
  CU_ASSERT_TRUE (toolset_choose (none, "required"));
  CU_ASSERT_STRING_EQUAL (toolset_choice (none), "none");
  CU_ASSERT_FALSE (project_toolset (providers, "gemini", 6, true, set, &rendered));
  CU_ASSERT_FALSE (project_toolset (providers, "nosuch", 6, false, set, &rendered));
  toolset_unref (set);
  toolset_unref (none);
}

/* What Anthropic allows for a request is given to the first tools. */
static void
request_limits (void)
{
  struct tool *tools[30];
  struct toolset *set;

  for (int i = 0; i < 30; i++) {
    char name[16];
    snprintf (name, sizeof name, "t%02d", i);
    tools[i] = tool_of (name, "{'type':'object'}", false);
  }
  set = toolset_new (tools, 30, 1);
  (void) request ("anthropic", true, set);
  CU_ASSERT_EQUAL (occurrences ("'strict':true"), 20);
  CU_ASSERT_EQUAL (occurrences ("'name':"), 30);
  toolset_unref (set);
}

static CU_TestInfo tests[] = { { "what schemas become", schemas },
                               { "the shape of a tool in each format", formats },
                               { "names a provider refuses", names },
                               { "descriptions that are too long", long_descriptions },
                               { "what a provider counts", limits },
                               { "levels of objects", depth },
                               { "a schema that explodes", bombs },
                               { "references without end", endless_references },
                               { "profiles are read strictly", profiles },
                               { "a whole request", requests },
                               { "what is counted for a request", request_limits },
                               CU_TEST_INFO_NULL };
static CU_SuiteInfo suites[] = { { "project", begin, end, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
