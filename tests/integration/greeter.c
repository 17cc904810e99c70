/* A plugin whose builder makes a tool greet_WORD for each of "words", and does what else its
 * configuration tells: "refuse", "crash", "hang", "name" (one more tool, of this name). greet_again
 * asks for a new build. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <toolhost.h>
#include <unistd.h>

struct greeting {
  char word[32];
  char definition[256];
};

static const char *
definition (void *self)
{
  return ((struct greeting *) self)->definition;
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  const char *word = ((struct greeting *) self)->word;

  if (strcmp (word, "again") == 0)
    return toolhost_textf (call, "%d", (int) toolhost_rebuild (call->host, "greet"));
  return toolhost_textf (call, "%s to %s", word, toolhost_tenant (call));
}

static const toolhost_tool tool = { TOOLHOST_TOOL, .definition = definition, .execute = execute };

static toolhost_status
add (toolhost_build *build, const char *prefix, const char *word, size_t len)
{
  struct greeting *greeting = calloc (1, sizeof *greeting);

  if (greeting == NULL)
    return TOOLHOST_FAILED;
  (void) snprintf (greeting->word, sizeof greeting->word, "%.*s", (int) len, word);
  (void) snprintf (greeting->definition, sizeof greeting->definition,
                   "{\"name\":\"%s%s\",\"description\":\"Greet.\",\"inputSchema\":"
                   "{\"type\":\"object\",\"additionalProperties\":false}}",
                   prefix, greeting->word);
  return toolhost_add_tool (build, &tool, greeting);
}

/* Each text of the list that begins here. */
static void
add_words (toolhost_build *build, const char *list)
{
  const char *end = strchr (list, ']');

  for (const char *at = list; end != NULL && (at = strchr (at, '"')) != NULL && at < end;) {
    size_t len = strcspn (++at, "\"");
    (void) add (build, "greet_", at, len);
    at += len + 1;
  }
}

static toolhost_status
build_greet (toolhost_build *build, const char *config, size_t len)
{
  const char *words = strstr (config, "\"words\":["), *name = strstr (config, "\"name\":\"");

  toolhost_host_log (build->host, TOOLHOST_INFO, "greeter builds of %zu bytes", len);
  if (strstr (config, "\"refuse\"") != NULL)
    return toolhost_build_error (build, "/refuse", "not today");
  if (strstr (config, "\"crash\"") != NULL)
    (void) raise (SIGSEGV);
  while (strstr (config, "\"hang\"") != NULL)
    (void) pause ();
  if (words != NULL)
    add_words (build, words + strlen ("\"words\":"));
  if (name != NULL)
    (void) add (build, "", name + 8, strcspn (name + 8, "\""));
  return TOOLHOST_OK;
}

static const toolhost_builder greet = { TOOLHOST_BUILDER, .feature = "greet", .build = build_greet,
                                        .release = free };

TOOLHOST_PLUGIN (.name = "greeter", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_BUILDERS (&greet))
