#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/input.h"
#include "cli/out.h"
#include "cli/remotes.h"
#include "cli/verdicts.h"
#include "schema/explain/describe.h"

/* A person's own schema may be large. */
enum { SUBSCHEMAS_MOST = 100 * 1000, DEPTH_MOST = 256, DESCRIPTION_MOST = 1 << 20 };

struct checking {
  const struct options *options;
  struct schema *schema;
  enum repair_mode repair;
  struct verdicts verdicts;
  struct arena arena; /* of one document */
};

/* ---- options ---- */

struct choice {
  const char *name; /* NULL ends a list */
  unsigned value;
};

static const struct choice forms[] = { { "text", VERDICTS_TEXT },
                                       { "json", VERDICTS_JSON },
                                       { "ndjson", VERDICTS_NDJSON },
                                       { "basic", VERDICTS_BASIC },
                                       { NULL, 0 } };
static const struct choice dialects[] = {
  { "2020-12", SCHEMA_2020_12 },   { "2019-09", SCHEMA_2019_09 },   { "draft-07", SCHEMA_DRAFT_07 },
  { "draft-06", SCHEMA_DRAFT_06 }, { "draft-04", SCHEMA_DRAFT_04 }, { NULL, 0 }
};
static const struct choice format_modes[] = { { "assert", false },
                                              { "annotate", true },
                                              { NULL, 0 } };
static const struct choice repair_modes[] = {
  { "off", REPAIR_OFF }, { "safe", REPAIR_SAFE }, { "lenient", REPAIR_LENIENT }, { NULL, 0 }
};

/* The value of an option that has one of few; 0 when it was not given. */
static bool
choose (const char *option, const char *given, const struct choice *choices, unsigned *value,
        struct error *err)
{
  CLEANUP_BUF struct buf names = { 0 };

  *value = 0;
  if (given == NULL)
    return true;
  for (const struct choice *c = choices; c->name != NULL; c++) {
    if (strcmp (c->name, given) == 0) {
      *value = c->value;
      return true;
    }
    buf_printf (&names, "%s%s", c == choices ? "" : c[1].name == NULL ? " or " : ", ", c->name);
  }
  return error_set (err, "--%s: expected %s, got \"%s\"", option, buf_cstr (&names), given);
}

/* Standard input can be read only once. */
static bool
one_standard_input (char **words, int count, struct error *err)
{
  int found = 0;

  for (int i = 0; i < count; i++)
    found += strcmp (words[i], "-") == 0;
  return found <= 1 || error_set (err, "standard input (-) can be read only once");
}

static bool
read_options (struct checking *c, struct schema_options *schema, struct error *err)
{
  const struct options *o = c->options;
  unsigned form, dialect, annotate, repair;

  if (o->json && o->output != NULL)
    return error_set (err, "--json and --output can't be used together");
  if (!choose ("output", o->output, forms, &form, err)
      || !choose ("draft", o->draft, dialects, &dialect, err)
      || !choose ("formats", o->formats, format_modes, &annotate, err)
      || !choose ("repair", o->repair, repair_modes, &repair, err))
    return false;
  for (size_t i = 0; i < o->refs.count; i++)
    if (!remotes_is_ref (o->refs.texts[i], err))
      return false;
  if (o->describe && form != VERDICTS_TEXT && form != VERDICTS_JSON)
    return error_set (err, "--describe is for text and json, not for --output %s", o->output);
  c->repair = (enum repair_mode) repair;
  c->verdicts.form = o->json ? VERDICTS_JSON : (enum verdicts_form) form;
  c->verdicts.quiet = o->quiet;
  c->verdicts.look.terminal = out_is_terminal (stdout);
  c->verdicts.look.colour = out_is_colourful (stdout);
  *schema = (struct schema_options){ .dialect = (enum schema_dialect) dialect,
                                     .annotate_formats = annotate != 0,
                                     .subschemas_max = SUBSCHEMAS_MOST,
                                     .depth_max = DEPTH_MOST };
  return true;
}

/* ---- the schema ---- */

/* The sentence is "/properties/a: why" when the compiler knows the place. */
static void
find_pointer (const struct json_tape *tape, struct schema_fault *fault)
{
  const char *end = fault->message;

  while (fault->message[0] == '/' && (end = strstr (end, ": ")) != NULL) {
    size_t len = (size_t) (end - fault->message);
    if (json_pointer (tape, json_root (tape), fault->message, len) != NULL) {
      fault->pointer = fault->message;
      fault->pointer_len = len;
      return;
    }
    end++;
  }
}

static enum cli_exit
refuse (const struct checking *c, const struct error *err)
{
  struct schema_fault fault = { .kind = VERDICT_INVALID, .message = err->text };

  return verdicts_refuse (&c->verdicts, &fault);
}

static enum cli_exit
refuse_text (const struct checking *c, const struct json_tape *tape)
{
  struct schema_fault fault = { .kind = VERDICT_NOT_JSON,
                                .message = tape->problem,
                                .place = caret_find (tape->text, tape->text_len, tape->offset),
                                .byte = tape->offset };

  return verdicts_refuse (&c->verdicts, &fault);
}

static enum cli_exit
compile (struct checking *c, const struct schema_options *options)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf text = { 0 };
  struct error err = { 0 };
  struct schema_fault fault = { .kind = VERDICT_UNREADABLE, .message = err.text };
  struct json_tape tape;

  if (!input_read (c->verdicts.schema, &text, &err))
    return verdicts_refuse (&c->verdicts, &fault);
  if (!json_read (&tape, text.data, text.len, &verdict_limits, &arena))
    return refuse_text (c, &tape);
  c->schema = schema_compile (&tape, json_root (&tape), options, &err);
  if (c->schema != NULL)
    return CLI_OK;
  fault.kind = VERDICT_INVALID;
  find_pointer (&tape, &fault);
  return verdicts_refuse (&c->verdicts, &fault);
}

static bool
fill_registry (const struct options *options, struct schema_registry *registry, struct error *err)
{
  for (size_t i = 0; i < options->refs.count; i++)
    if (!remotes_add_ref (registry, options->refs.texts[i], err))
      return false;
  for (size_t i = 0; i < options->registries.count; i++)
    if (!remotes_add_path (registry, options->registries.texts[i], err))
      return false;
  return true;
}

static enum cli_exit
compile_with_remotes (struct checking *c, struct schema_options *options)
{
  struct schema_registry *registry = schema_registry_new ();
  struct error err = { 0 };

  options->registry = registry;
  enum cli_exit status =
    fill_registry (c->options, registry, &err) ? compile (c, options) : refuse (c, &err);
  schema_registry_free (registry);
  return status;
}

/* ---- the documents; false: nobody reads the verdicts any more ---- */

static bool
check_text (struct checking *c, const char *path, size_t line, const char *text, size_t len)
{
  struct verdict verdict = { .document = path, .line = line };

  verdict_of (&verdict, c->schema, c->repair, text, len, &c->arena);
  bool read = verdicts_add (&c->verdicts, &verdict);
  arena_reset (&c->arena);
  return read;
}

static bool
cannot_read (struct checking *c, const char *path, const struct error *err)
{
  struct verdict verdict = { .document = path, .kind = VERDICT_UNREADABLE, .fault = err->text };

  return verdicts_add (&c->verdicts, &verdict);
}

static bool
check_lines (struct checking *c, const char *path)
{
  enum lines_got got = LINES_FAULT;
  struct error err = { 0 };
  struct lines lines;
  const char *line;
  size_t len;
  bool read = true;

  if (lines_open (&lines, path, &err))
    while (read && (got = lines_next (&lines, &line, &len, &err)) == LINES_LINE)
      read = check_text (c, path, lines.number, line, len);
  lines_close (&lines);
  return got == LINES_FAULT ? cannot_read (c, path, &err) : read;
}

static bool
check_file (struct checking *c, const char *path)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct error err = { 0 };

  if (!input_read (path, &text, &err))
    return cannot_read (c, path, &err);
  return check_text (c, path, 0, text.data, text.len);
}

static enum cli_exit
check_documents (struct checking *c, char **paths, int count)
{
  CLEANUP_BUF struct buf description = { 0 };
  bool read = true;

  if (c->options->describe) {
    schema_describe (c->schema, &description, DESCRIPTION_MOST);
    c->verdicts.description = buf_cstr (&description);
  }
  verdicts_begin (&c->verdicts);
  for (int i = 0; i < count && read; i++)
    read = c->options->lines ? check_lines (c, paths[i]) : check_file (c, paths[i]);
  arena_free (&c->arena);
  return verdicts_end (&c->verdicts);
}

static enum cli_exit
run (const struct options *options, char **words, int count)
{
  struct checking c = { .options = options, .verdicts.schema = words[1] };
  struct schema_options schema_options;
  struct error err = { 0 };

  if (strcmp (words[0], "check") != 0)
    return out_error (CLI_USAGE, "schema: expected check, got \"%s\"", words[0]);
  if (!read_options (&c, &schema_options, &err) || !one_standard_input (words + 1, count - 1, &err))
    return out_error (CLI_USAGE, "schema check: %s", err.text);
  enum cli_exit status = compile_with_remotes (&c, &schema_options);
  if (status == CLI_OK)
    status = check_documents (&c, words + 2, count - 2);
  schema_free (c.schema);
  return status;
}

const struct command command_schema = {
  .name = "schema",
  .usage = "check SCHEMA [DOC]... [--lines] [--output FORM] [--repair MODE]",
  .summary = "check a JSON Schema, and documents against it",
  .details =
    "SCHEMA and DOC are files, or standard input (-); no daemon is needed.  Each document\n"
    "is read strictly and judged: \"FILE: valid\", or \"FILE: invalid\" and what is wrong\n"
    "with it.  That is text also where stdout is no terminal; --output asks for JSON.\n"
    "\n"
    "Exit status:\n"
    "   0  the schema is good, and each document is valid or could be repaired\n"
    "   1  a document is not valid\n"
    "   2  the command line is wrong\n"
    "  12  the schema can't be read, or is not one: no document was looked at\n"
    "  13  a document can't be read, or is not JSON\n"
    "See toolhost-schema(1).\n",
  .options = OPTION_JSON | OPTION_LINES | OPTION_OUTPUT | OPTION_QUIET | OPTION_DRAFT
             | OPTION_FORMATS | OPTION_REF | OPTION_REGISTRY | OPTION_REPAIR | OPTION_DESCRIBE,
  .least = 2,
  .most = INT_MAX,
  .run = run,
};
