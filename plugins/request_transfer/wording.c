/* What a model is told of the tool: texts that are compared to the byte. */
#include <stdlib.h>
#include <string.h>

#include "refer.h"

/* Between a destination's label and its description. */
static const char SEPARATOR[] = " — ";
static const char EM_DASH[] = "—";

/* ---- trimming ---- */

/* Characters beyond ASCII that are blank, in UTF-8. */
static const char *const blanks[] = { "\xC2\x85", "\u00A0", "\u1680", "\u2000", "\u2001",
                                      "\u2002",   "\u2003", "\u2004", "\u2005", "\u2006",
                                      "\u2007",   "\u2008", "\u2009", "\u200A", "\u2028",
                                      "\u2029",   "\u202F", "\u205F", "\u3000", NULL };

static const char *const dashes[] = { EM_DASH, NULL };

struct trim {
  const char *ascii;
  const char *const *more;
};

static const struct trim white = { " \t\n\v\f\r\x1c\x1d\x1e\x1f", blanks };
static const struct trim white_or_dash = { " ", dashes };

/* How many bytes of what is trimmed stand at the begin, or at the end. */
static size_t
trimmed (const struct trim *trim, const char *text, size_t len, bool at_end)
{
  if (len == 0)
    return 0;
  if (strchr (trim->ascii, at_end ? text[len - 1] : text[0]) != NULL)
    return 1;
  for (const char *const *c = trim->more; *c != NULL; c++) {
    size_t size = strlen (*c);
    if (size <= len && memcmp (at_end ? text + len - size : text, *c, size) == 0)
      return size;
  }
  return 0;
}

static void
add_trimmed (struct text *out, const struct trim *trim, const char *text)
{
  size_t len = strlen (text), n;

  while ((n = trimmed (trim, text, len, false)) != 0) {
    text += n;
    len -= n;
  }
  while ((n = trimmed (trim, text, len, true)) != 0)
    len -= n;
  text_add_len (out, text, len);
}

/* ---- parts ---- */

/* "sales: Service Commercial — For sales inquiries" */
static void
add_hint (struct text *out, const struct destination *d)
{
  CLEANUP_TEXT struct text description = { 0 };

  add_trimmed (&description, &white, d->label.len != 0 ? text_get (&d->label) : text_get (&d->id));
  text_add (&description, SEPARATOR);
  add_trimmed (&description, &white, text_get (&d->description));
  text_addf (out, "%s: ", text_get (&d->id));
  add_trimmed (out, &white_or_dash, text_get (&description));
}

static void
add_which (struct text *out, const struct refer *refer)
{
  text_add (out, "Identifiant du service vers lequel transférer. Valeurs autorisées: ");
  for (size_t i = 0; i < refer->offered_count; i++)
    text_addf (out, "%s%s", i != 0 ? ", " : "", text_get (&refer->offered[i]->id));
  text_add (out, ". Détails: ");
  for (size_t i = 0; i < refer->offered_count; i++) {
    if (i != 0)
      text_add (out, " | ");
    add_hint (out, refer->offered[i]);
  }
}

static void
add_when (struct text *out, const struct refer *refer)
{
  CLEANUP_TEXT struct text part = { 0 };

  text_add (out, refer->require_confirmation
                   ? "Utiliser uniquement APRÈS confirmation explicite de l'appelant."
                   : "Utiliser lorsque l'appelant demande explicitement un transfert.");
  if (refer->handoff_phrase.len == 0)
    return;
  text_addf (&part,
             "Avant d'appeler l'outil, annoncer: %s (remplacer {{label}} par le libellé du service "
             "choisi).",
             text_get (&refer->handoff_phrase));
  text_add (out, " ");
  add_trimmed (out, &white, text_get (&part));
}

/* ---- the definition ---- */

static void
put_parameters (const struct refer *refer, struct text *out)
{
  CLEANUP_TEXT struct text which = { 0 };

  add_which (&which, refer);
  json_open (out, '{');
  json_name_string (out, "type", "object");
  json_name (out, "properties");
  json_open (out, '{');
  json_name (out, "destination_id");
  json_open (out, '{');
  json_name_string (out, "type", "string");
  json_name (out, "enum");
  refer_put_offered (refer, out);
  json_name_string (out, "description", text_get (&which));
  json_close (out, '}');
  json_name (out, "reason");
  json_open (out, '{');
  json_name_string (out, "type", "string");
  json_name_string (out, "description", "Raison courte du transfert (optionnel).");
  json_close (out, '}');
  json_close (out, '}');
  json_name (out, "required");
  json_raw (out, "[\"destination_id\"]");
  json_name_bool (out, "additionalProperties", false);
  json_close (out, '}');
}

/* Highest priority first; of equals the one that was configured first. */
static void
offer (struct refer *refer)
{
  refer->offered = calloc (refer->count + 1, sizeof *refer->offered);
  for (size_t i = 0; refer->offered != NULL && i < refer->count; i++) {
    size_t at = refer->offered_count;
    if (!refer->list[i].enabled)
      continue;
    for (; at > 0 && refer->offered[at - 1]->priority < refer->list[i].priority; at--)
      refer->offered[at] = refer->offered[at - 1];
    refer->offered[at] = &refer->list[i];
    refer->offered_count++;
  }
}

void
refer_word (struct refer *refer)
{
  CLEANUP_TEXT struct text when = { 0 };

  offer (refer);
  add_when (&when, refer);
  put_parameters (refer, &refer->parameters);
  json_open (&refer->definition, '{');
  json_name_string (&refer->definition, "name", "request_transfer");
  json_name_string (&refer->definition, "description", text_get (&when));
  json_name (&refer->definition, "inputSchema");
  json_raw (&refer->definition, text_get (&refer->parameters));
  json_close (&refer->definition, '}');
}
