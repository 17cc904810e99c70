/* recipients.c - a guard in one file: mail goes only to whom the operator names.
 *
 *   "guards": { "input": [ { "guard": "plugin:recipients/recipients", "tools": ["send_mail"],
 *                            "config": { "domains": ["example.com"] } } ] }
 */
#include <toolhost.h>

static const char *
definition (void *self)
{
  (void) self;
  return TOOLHOST_JSON ({
    "name" : "recipients",
    "description" : "Lets mail pass whose recipient has an address of one of some domains.",
    "stages" : ["input"],
    "configSchema" : {
      "type" : "object",
      "properties" :
        { "domains" : { "type" : "array", "items" : { "type" : "string" }, "minItems" : 1 } },
      "required" : ["domains"],
      "additionalProperties" : false
    }
  });
}

/* Is this the domain of the address, and not a part of it? */
static bool
is_of (const char *address, const char *domain)
{
  const char *at = strrchr (address, '@');

  return at != NULL && strcmp (at + 1, domain) == 0;
}

static toolhost_status
check (void *self, toolhost_call *call)
{
  const char *to = toolhost_arg_string (call, "/arguments/to");
  const char *domain;
  char where[48];

  (void) self;
  if (to == NULL) /* what can't be looked at does not pass */
    return toolhost_guard_reject (call, "Say in \"to\" who the mail is for.");
  for (int i = 0;; i++) {
    (void) snprintf (where, sizeof where, "/config/domains/%d", i);
    domain = toolhost_arg_string (call, where);
    if (domain == NULL)
      break;
    if (is_of (to, domain))
      return TOOLHOST_OK;
  }
  return toolhost_guard_reject (call, "Mail may not go to %s.", to);
}

static const toolhost_guard recipients = { TOOLHOST_GUARD, .definition = definition,
                                           .check = check };

TOOLHOST_EXTENSIONS (TOOLHOST_GUARDS (&recipients))
TOOLHOST_PLUGIN (.name = "recipients", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 .extension = toolhost_extensions)
