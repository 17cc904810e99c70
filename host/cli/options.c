#include "cli/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum kind { FLAG, TEXT, DURATION, LIST };

static const struct row {
  options_mask bit;
  enum kind kind;
  char letter; /* 0: none */
  const char *name;
  const char *value; /* what the help calls it; NULL: takes none */
  size_t offset;     /* in struct options */
  const char *help;
} rows[] = {
  { OPTION_SOCKET, TEXT, 's', "socket", "PATH", offsetof (struct options, socket),
    "talk to the daemon at this Unix socket" },
  { OPTION_URL, TEXT, 'u', "url", "URL", offsetof (struct options, url),
    "talk to the daemon over HTTP, as in http://127.0.0.1:8377" },
  { OPTION_URL, TEXT, 0, "ca", "FILE", offsetof (struct options, ca),
    "with https://: take certificates of the authorities in this file (PEM) alone" },
  { OPTION_URL, TEXT, 0, "cert", "FILE", offsetof (struct options, cert),
    "with https://: show the certificate in this file, whose key is there too (PEM)" },
  { OPTION_KEY, TEXT, 'k', "key", "FILE", offsetof (struct options, key),
    "show the daemon the key or access token in this file" },
  { OPTION_ROLE, LIST, 'r', "role", "ROLE", offsetof (struct options, roles),
    "list, call (default), observe, approve or manage; may be given several times" },
  { OPTION_TENANT, TEXT, 0, "tenant", "TENANT", offsetof (struct options, tenant),
    "whose calls they are (default: default)" },
  { OPTION_CONFIG_DIR, TEXT, 0, "config-dir", "DIR", offsetof (struct options, config_dir),
    "the daemon's configuration folder" },
  { OPTION_JSON, FLAG, 'j', "json", NULL, offsetof (struct options, json),
    "print JSON also on a terminal" },
  { OPTION_FORMAT, TEXT, 'f', "format", "FORMAT", offsetof (struct options, format),
    "definitions for mcp (default), openai, anthropic, gemini, ag-ui, …" },
  { OPTION_DECLINE, FLAG, 'D', "decline", NULL, offsetof (struct options, decline),
    "say no to everything that is asked" },
  { OPTION_DECLINE, TEXT, 0, "remember", "WHAT", offsetof (struct options, remember),
    "tool or arguments: approve such calls of this caller from now on" },
  { OPTION_STRICT, FLAG, 'S', "strict", NULL, offsetof (struct options, strict),
    "with --format openai or anthropic: in the form for strict tools" },
  { OPTION_COST, FLAG, 'c', "cost", NULL, offsetof (struct options, cost),
    "what each definition takes of a context: bytes exactly, tokens estimated" },
  { OPTION_BUDGET, TEXT, 'b', "budget", "TOKENS", offsetof (struct options, budget),
    "with --cost: which tools fit into so many tokens" },
  { OPTION_MEANT, TEXT, 't', "tools", "NAMES", offsetof (struct options, tools),
    "only these, as in calc*,echo" },
  { OPTION_MEANT, TEXT, 0, "tags", "TAGS", offsetof (struct options, tags),
    "only tools with one of these tags" },
  { OPTION_MEANT, TEXT, 0, "plugins", "NAMES", offsetof (struct options, plugins),
    "only tools of these plugins" },
  { OPTION_NAMES, FLAG, 'n', "names", NULL, offsetof (struct options, names),
    "print the names alone, one a line" },
  { OPTION_PLUGIN, TEXT, 'p', "plugin", "FILE", offsetof (struct options, plugin),
    "run the tool of this plugin file in a private host; no daemon is needed" },
  { OPTION_ARG, LIST, 'a', "arg", "NAME=VALUE", offsetof (struct options, args),
    "one argument: text, or what its schema says; NAME:=JSON is always JSON" },
  { OPTION_DEADLINE, DURATION, 'd', "deadline", "MS", offsetof (struct options, deadline_ms),
    "milliseconds the call may take, or 5s, 2m; the host may lower it" },
  { OPTION_DIR, TEXT, 'C', "dir", "DIR", offsetof (struct options, dir),
    "make the folder in DIR instead of here" },
  { OPTION_LINES, FLAG, 'l', "lines", NULL, offsetof (struct options, lines),
    "every line is a document of its own (NDJSON)" },
  { OPTION_OUTPUT, TEXT, 'o', "output", "FORM", offsetof (struct options, output),
    "text, json (one object), ndjson (one a document) or basic" },
  { OPTION_QUIET, FLAG, 'q', "quiet", NULL, offsetof (struct options, quiet),
    "print nothing about what is valid" },
  { OPTION_DRAFT, TEXT, 0, "draft", "DRAFT", offsetof (struct options, draft),
    "what a schema without $schema is: 2020-12, 2019-09, draft-07, -06, -04" },
  { OPTION_FORMATS, TEXT, 0, "formats", "MODE", offsetof (struct options, formats),
    "assert (default) or annotate: what \"format\" does" },
  { OPTION_REF, LIST, 0, "ref", "URI=FILE", offsetof (struct options, refs),
    "what $ref finds at this URI; the network is never asked" },
  { OPTION_REGISTRY, LIST, 0, "registry", "PATH", offsetof (struct options, registries),
    "a schema $ref finds by its $id, or a folder of them" },
  { OPTION_REPAIR, TEXT, 0, "repair", "MODE", offsetof (struct options, repair),
    "safe or lenient: mend documents as the daemon mends arguments" },
  { OPTION_DESCRIBE, FLAG, 0, "describe", NULL, offsetof (struct options, describe),
    "print what the schema asks for, a line for each member" },
  { OPTION_APPLY, TEXT, 'f', "file", "PATH", offsetof (struct options, file),
    "apply: the file of documents, or the folder of such files" },
  { OPTION_APPLY, FLAG, 0, "prune", NULL, offsetof (struct options, prune),
    "apply: take away what no file has" },
  { OPTION_APPLY, FLAG, 0, "dry-run", NULL, offsetof (struct options, dry_run),
    "apply: only show what would be done, and what is not valid" },
  { OPTION_APPLY, FLAG, 'y', "yes", NULL, offsetof (struct options, yes),
    "apply: take away without being asked again" },
  { OPTION_TRY, TEXT, 0, "arguments", "JSON", offsetof (struct options, arguments),
    "test: the arguments; -: from standard input, @FILE: from a file" },
  { OPTION_TRY, TEXT, 0, "context", "JSON", offsetof (struct options, context),
    "test: the conversation's context, likewise" },
  { OPTION_TRY, TEXT, 0, "webhooks", "JSON", offsetof (struct options, webhooks),
    "test: what endpoints answer, likewise" },
  { OPTION_IMPORT, TEXT, 0, "library", "NAME", offsetof (struct options, library),
    "import: where the functions are, as in libz.so.1" },
  { OPTION_IMPORT, TEXT, 0, "symbol", "PATTERN", offsetof (struct options, symbol),
    "import: only these functions, as in crc*" },
  { OPTION_IMPORT, FLAG, 'E', "preprocess", NULL, offsetof (struct options, preprocess),
    "import: have cc -E preprocess the header first" },
  { OPTION_IMPORT, TEXT, 'o', "output", "FILE", offsetof (struct options, output),
    "import: write the documents to this file" },
  { OPTION_IMPORT, TEXT, 'p', "plugin", "FILE", offsetof (struct options, plugin),
    "import: the file of the plugin ffi, if it is not where it is installed" },
  { OPTION_TOP, FLAG, '1', "once", NULL, offsetof (struct options, once),
    "print one table and end, also where stdout is no terminal" },
  { OPTION_TOP, DURATION, 'i', "interval", "MS", offsetof (struct options, interval_ms),
    "milliseconds between two looks, or 5s, 1m (default: 2s)" },
  { OPTION_TOP, TEXT, 0, "sort", "COLUMN", offsetof (struct options, sort),
    "rate (default), p99, running, failed, refused or name" },
  { OPTION_LOGS, FLAG, 'f', "follow", NULL, offsetof (struct options, follow),
    "go on with what is logged from now on" },
  { OPTION_LOGS, TEXT, 'n', "last", "LINES", offsetof (struct options, last),
    "begin with so many of the last lines that are kept (default: 20)" },
  { OPTION_LOGS, TEXT, 'l', "level", "LEVEL", offsetof (struct options, level),
    "only debug, info, notice, warning or error, and what is above" },
  { OPTION_LOGS, TEXT, 'e', "event", "EVENT", offsetof (struct options, event),
    "only this event, as in tool_call_failed" },
  { OPTION_LOGS, TEXT, 't', "tool", "NAME", offsetof (struct options, tool),
    "only lines about this tool" },
  { OPTION_LOGS, TEXT, 0, "tenant", "TENANT", offsetof (struct options, tenant),
    "only lines about this tenant" },
  { OPTION_BACKUP, FLAG, 0, "verify", NULL, offsetof (struct options, verify),
    "prove a backup that was made before: its files, its store, its audit" },
  { OPTION_BACKUP, TEXT, 0, "audit-key", "FILE", offsetof (struct options, audit_key),
    "with --verify: the daemon's audit.key_file, if it has one" },
  { OPTION_HELP, FLAG, 'h', "help", NULL, offsetof (struct options, help), "print this help" },
  { OPTION_VERSION, FLAG, 'V', "version", NULL, offsetof (struct options, version),
    "print the version" },
};
enum { ROWS = sizeof rows / sizeof *rows };

static void *
member (struct options *options, const struct row *row)
{
  return (char *) options + row->offset;
}

static const struct row *
find_long (options_mask allowed, const char *name, size_t len)
{
  for (size_t i = 0; i < ROWS; i++)
    if ((allowed & rows[i].bit) && strlen (rows[i].name) == len
        && memcmp (rows[i].name, name, len) == 0)
      return &rows[i];
  return NULL;
}

static const struct row *
find_letter (options_mask allowed, char letter)
{
  for (size_t i = 0; i < ROWS; i++)
    if ((allowed & rows[i].bit) && rows[i].letter == letter)
      return &rows[i];
  return NULL;
}

static bool
unknown (options_mask allowed, const char *word, size_t len, struct error *err)
{
  const char *names[ROWS + 1] = { NULL };
  size_t n = 0;
  CLEANUP_FREE char *typed = xstrndup (word, len);

  for (size_t i = 0; i < ROWS; i++)
    if (allowed & rows[i].bit)
      names[n++] = rows[i].name;
  const char *near = typed[1] == '-' ? error_nearest (typed + 2, names) : NULL;
  if (near != NULL)
    return error_set (err, "unknown option %s; did you mean --%s?", typed, near);
  return error_set (err, "unknown option %s", typed);
}

/* Milliseconds, or a number with ms, s or m. */
static bool
parse_duration (const char *text, int64_t *ms)
{
  static const struct {
    const char *unit;
    int64_t ms;
  } units[] = { { "", 1 }, { "ms", 1 }, { "s", 1000 }, { "m", 60000 } };
  char *end;

  if (text[0] < '0' || text[0] > '9')
    return false;
  errno = 0;
  long long number = strtoll (text, &end, 10);
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp (end, units[i].unit) == 0)
      return errno == 0 && number > 0 && !__builtin_mul_overflow (number, units[i].ms, ms);
  return false;
}

static void
add_text (struct option_list *list, const char *value)
{
  list->texts = xrealloc (list->texts, (list->count + 1) * sizeof *list->texts);
  list->texts[list->count++] = value;
}

static bool
store (struct options *options, const struct row *row, const char *value, struct error *err)
{
  switch (row->kind) {
  case FLAG:
    *(bool *) member (options, row) = true;
    return true;
  case TEXT:
    *(const char **) member (options, row) = value;
    return true;
  case LIST:
    add_text (member (options, row), value);
    return true;
  case DURATION:
    if (parse_duration (value, member (options, row)))
      return true;
    return error_set (err, "--%s: expected milliseconds as in 500, 500ms, 5s or 2m, got \"%s\"",
                      row->name, value);
  }
  return true;
}

/* One option at words[*at], with its value there or in the next word. */
static bool
take (struct options *options, options_mask allowed, char **words, int count, int *at,
      struct error *err)
{
  const char *word = words[*at];
  bool is_long = word[1] == '-';
  const char *equals = is_long ? strchr (word, '=') : NULL;
  size_t len = equals != NULL ? (size_t) (equals - word) : strlen (word);
  const struct row *row =
    is_long ? find_long (allowed, word + 2, len - 2) : find_letter (allowed, word[1]);
  const char *value = equals != NULL ? equals + 1 : NULL;

  if (row == NULL)
    return unknown (allowed, word, len, err);
  if (!is_long && word[2] != '\0') {
    if (row->value == NULL)
      return error_set (err, "-%c takes no value, got \"%s\"", row->letter, word + 2);
    value = word + 2;
  }
  if (row->value == NULL && value != NULL)
    return error_set (err, "--%s takes no value, got \"%s\"", row->name, value);
  if (row->value != NULL && value == NULL) {
    if (*at + 1 >= count)
      return error_set (err, "--%s needs a value: --%s %s", row->name, row->name, row->value);
    value = words[++*at];
  }
  return store (options, row, value, err);
}

bool
options_parse (struct options *options, options_mask allowed, bool stop, char **words, int *count,
               struct error *err)
{
  int kept = 0;
  bool ended = false;

  for (int i = 0; i < *count; i++) {
    if (!ended && strcmp (words[i], "--") == 0) {
      ended = true;
      continue;
    }
    if (ended || words[i][0] != '-' || words[i][1] == '\0') {
      ended = ended || stop;
      words[kept++] = words[i];
    }
    else if (!take (options, allowed, words, *count, &i, err))
      return false;
  }
  *count = kept;
  return true;
}

void
options_free (struct options *options)
{
  free (options->args.texts);
  free (options->refs.texts);
  free (options->registries.texts);
  free (options->roles.texts);
  *options = (struct options){ 0 };
}

void
options_describe (options_mask mask, struct buf *out)
{
  for (size_t i = 0; i < ROWS; i++) {
    if (!(mask & rows[i].bit))
      continue;
    size_t start = out->len;
    if (rows[i].letter != 0)
      buf_printf (out, "  -%c, ", rows[i].letter);
    else
      buf_puts (out, "      ");
    buf_printf (out, "--%s%s%s", rows[i].name, rows[i].value ? " " : "",
                rows[i].value ? rows[i].value : "");
    size_t used = out->len - start;
    buf_printf (out, "%*s%s\n", used < 26 ? (int) (26 - used) : 1, "", rows[i].help);
  }
}
