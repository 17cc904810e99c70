#include "daemon/hooks.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_c.h"
#include "base/memory.h"
#include "call/letters.h"
#include "service/secrets/secrets.h"

void
hooks_clear (struct hooks *hooks)
{
  for (size_t i = 0; i < hooks->count; i++) {
    free (hooks->list[i].name);
    free (hooks->list[i].url);
    OPENSSL_cleanse (&hooks->list[i].key, sizeof hooks->list[i].key);
  }
  free (hooks->list);
  *hooks = (struct hooks){ .list = NULL };
}

const struct hook *
hooks_find (const struct hooks *hooks, const char *name)
{
  for (size_t i = 0; i < hooks->count; i++)
    if (strcmp (hooks->list[i].name, name) == 0)
      return &hooks->list[i];
  return NULL;
}

static const char *
text_of (struct json_object *object, const char *name)
{
  return json_object_get_string (json_object_object_get (object, name));
}

static unsigned
events_of (struct json_object *names)
{
  unsigned events = 0;

  if (names == NULL)
    return CALL_EVENTS_ALL;
  for (size_t i = 0; i < json_object_array_length (names); i++) {
    const char *name = json_object_get_string (json_object_array_get_idx (names, i));
    for (unsigned bit = 0; call_event_names[bit] != NULL; bit++)
      if (strcmp (call_event_names[bit], name) == 0)
        events |= 1U << bit;
  }
  return events;
}

static bool
read_secret (struct signature_key *key, const char *path, struct error *err)
{
  struct secrets secrets = { 0 };
  const bool good =
    secrets_add (&secrets, "hook", path, err)
    && (signature_key_read (key, secrets_find (&secrets, "hook", strlen ("hook")))
        || error_set (err, "%s: expected a secret of a webhook, like \"whsec_…\"", path));

  secrets_free (&secrets);
  return good || error_wrap (err, "/secret_file: ");
}

static bool
read_one (struct hooks *hooks, struct json_object *object, struct error *err)
{
  const char *name = text_of (object, "name");
  struct hook *hook;

  if (hooks_find (hooks, name) != NULL)
    return error_set (err, "/name: there is another hook of the name %s", name);
  hook = &hooks->list[hooks->count++];
  hook->name = xstrdup (name);
  hook->url = xstrdup (text_of (object, "url"));
  hook->events = events_of (json_object_object_get (object, "events"));
  hook->private_too = json_object_get_boolean (json_object_object_get (object, "private"));
  return read_secret (&hook->key, text_of (object, "secret_file"), err);
}

bool
hooks_read (struct hooks *hooks, struct json_object *value, struct error *err)
{
  const size_t count = json_object_array_length (value);

  hooks_clear (hooks);
  hooks->list = xcalloc (count + 1, sizeof *hooks->list);
  for (size_t i = 0; i < count; i++)
    if (!read_one (hooks, json_object_array_get_idx (value, i), err))
      return error_wrap (err, "/%zu", i);
  return true;
}
