/* provider.h - what each provider of models takes of a tool's definition: the profiles of
 * host/catalog/providers/, one dated JSON file each, compiled in.  Loaded once by whoever renders
 * tools for providers, then only read; from any thread.
 *
 * A profile has members of these names; what is left out is not changed.
 *
 *   profile, label, date, source   what it is called, and what it says was true when, and where
 *   strict          true: how the provider wants a tool whose arguments it shall enforce itself
 *   formats         by name of the format: "tool", the object of one tool, in which the strings
 *                   "$name", "$description", … stand for members of the definition and
 *                   "$definition" for all of it; "tools", the member of a request, in which
 *                   "$tools" stands for the list; "some" and "none", its tool_choice with and
 *                   without tools; "required" and "named", where one has to be used, any or "$name"
 *   schema          "verbatim": as the author wrote it
 *   output          "object": of outputSchema only what describes an object
 *   name, parameter what names of tools and of properties may be: { "first", "rest", "most" }
 *   root_never      keywords the outermost schema may not have
 *   objects         "closed": additionalProperties is false everywhere
 *   optional        "nullable": every property is required, null stands for leaving it out
 *   untyped         "infer": a schema gets its type when it follows from the other keywords;
 *                   "refuse": and must have one
 *   arrays          "items": an array must say what its items are
 *   type_lists      "null": of a list of types, only one besides "null"
 *   unions          "alone": nothing but annotations stands beside anyOf
 *   first_keys      "differ": the objects of an anyOf must differ in their first property
 *   references      "define": what a $ref names is in the outermost $defs; "define-alone": and
 *                   nothing stands beside a $ref
 *   recursion       "refuse", or "optional": only below a property that may be left out
 *   booleans        "objects": no schema is true or false
 *   string_formats  the values of "format" that are taken
 *   pattern_never   what may not be part of a pattern
 *   only            by keyword: the values that are taken
 *   enum_types      the types of values an enum may have
 *   keywords        what is done with each keyword (enum keyword_action), "other" is the rest
 *   limits          figures, see struct provider_limits */
#ifndef TOOLHOST_CATALOG_PROVIDER_H
#define TOOLHOST_CATALOG_PROVIDER_H

#include "base/error.h"
#include "base/json_tape.h"

enum keyword_action {
  KEYWORD_KEEP,
  KEYWORD_OMIT,     /* leave out; nothing is lost */
  KEYWORD_DROP,     /* leave out */
  KEYWORD_DESCRIBE, /* say it in the description instead */
  KEYWORD_ANY,      /* oneOf becomes anyOf */
  KEYWORD_MERGE,    /* allOf becomes part of the schema it stands in */
  KEYWORD_ENUM,     /* const becomes an enum of one value */
  KEYWORD_ITEMS,    /* prefixItems becomes items, any of them at any place */
  KEYWORD_REFUSE
};

enum untyped { UNTYPED_KEEP, UNTYPED_INFER, UNTYPED_REFUSE };
enum references { REFERENCES_KEEP, REFERENCES_DEFINE, REFERENCES_ALONE };
enum recursion { RECURSION_KEEP, RECURSION_REFUSE, RECURSION_OPTIONAL };

/* Sets of characters for the first and the further bytes of a name; "" takes none. */
struct name_rule {
  const char *first; /* NULL: any name */
  const char *rest;
  size_t most; /* bytes */
};

/* 0: no limit. */
struct provider_limits {
  uint32_t description;      /* characters of the tool's description */
  uint32_t properties;       /* of all objects of a schema */
  uint32_t depth;            /* objects in objects */
  uint32_t text;             /* characters of names and of enumerated values */
  uint32_t enum_values;      /* of a schema */
  uint32_t long_enum_values; /* an enum with more of them … */
  uint32_t long_enum_text;   /* … may have so many characters in all */
  uint32_t optional;         /* properties that may be left out: of a schema, and of a request */
  uint32_t unions;           /* anyOfs and lists of types: of a schema, and of a request */
  uint32_t request_tools;    /* of this profile in one request */
};

struct provider_format {
  const char *name;
  const struct json_node *tool, *tools, *some, *none; /* of the profile's tape */
  const struct json_node *required, *named;           /* likewise; NULL: `some` */
};

struct provider {
  struct json_tape tape;
  const char *name, *label, *date;
  struct provider_format *formats;
  size_t formats_count;
  bool strict;
  bool verbatim;
  bool object_output;
  bool closed_objects;
  bool nullable_optional;
  bool items_needed;
  bool one_type;
  bool unions_alone;
  bool first_keys_differ;
  bool boolean_objects;
  enum untyped untyped;
  enum references references;
  enum recursion recursion;
  struct name_rule tool_name, parameter_name;
  struct provider_limits limits;
  /* of the tape; NULL when the profile does not say */
  const struct json_node *root_never, *string_formats, *pattern_never, *only, *enum_types,
    *keywords;
};

/* Read one profile.  The text must outlive it. */
bool provider_read (struct provider *p, const char *text, size_t len, struct arena *arena,
                    struct error *err);
/* What the profile does with a keyword that is no member of the outermost schema. */
enum keyword_action provider_action (const struct provider *p, const char *keyword, size_t len);
/* Is the string one of the list?  True when there is no list. */
bool provider_lists (const struct provider *p, const struct json_node *list, const char *text,
                     size_t len);
bool name_rule_fits (const struct name_rule *rule, const char *name, size_t len);

/* All profiles that are compiled in. */
struct providers {
  struct arena arena; /* what the profiles are made of */
  struct provider *list;
  size_t count;
  const char **formats; /* the names of all formats, the default first; ends with NULL */
  size_t formats_count;
};

struct providers *providers_new (void);
void providers_free (struct providers *providers);

/* The profile of a format, and how that renders a tool.  NULL: there is no such format, or it has
 * no strict form. */
const struct provider *providers_find (const struct providers *providers, const char *format,
                                       size_t len, bool strict,
                                       const struct provider_format **shape);

#endif
