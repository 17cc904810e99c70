/* param.h - parameters of an operation: what a document says of them, and their values as they
 * stand in paths, queries, headers and cookies (the styles of OpenAPI; RFC 6570). */
#ifndef TOOLHOST_PLUGINS_OPENAPI_PARAM_H
#define TOOLHOST_PLUGINS_OPENAPI_PARAM_H

#include "../common/percent.h"
#include "document.h"

enum param_in { IN_PATH, IN_QUERY, IN_HEADER, IN_COOKIE };

enum param_style {
  STYLE_SIMPLE,
  STYLE_LABEL,
  STYLE_MATRIX,
  STYLE_FORM,
  STYLE_SPACE, /* spaceDelimited */
  STYLE_PIPE,  /* pipeDelimited */
  STYLE_DEEP   /* deepObject */
};

struct param {
  const char *name;     /* in the request */
  const char *argument; /* of the tool */
  enum param_in in;
  enum param_style style;
  bool explode, reserved /* allowReserved */, required;
  struct located source; /* the parameter object */
  struct located schema; /* value NULL: none */
};

/* Read a parameter object, which references have been followed to.  False: `why` says what keeps
 * its operation from being a tool. */
bool param_read (struct param *param, struct located source, struct values *pool, struct text *why);

/* Append the value as it stands in a path: "5", ".5", ";id=5".  False: `why`. */
bool param_path (struct text *out, const struct param *param, const struct value *value,
                 struct text *why);
/* Append "name=value", with '&' before it where something is there already.  False: `why`. */
bool param_query (struct text *out, const struct param *param, const struct value *value,
                  struct text *why);
/* The value of a header.  False: `why` says why it can't be one. */
bool param_header (struct text *out, const struct param *param, const struct value *value,
                   struct text *why);
/* Append "name=value", with "; " before it where something is there already. */
bool param_cookie (struct text *out, const struct param *param, const struct value *value,
                   struct text *why);

/* The style a word stands for; false: there is none. */
bool param_style_read (const char *word, enum param_style *style);
/* A text, number or boolean as it is written, without encoding; false: it is none. */
bool param_plain (struct text *out, const struct value *value);

#endif
