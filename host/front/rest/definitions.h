/* definitions.h - /v1/tenants/{tenant}/tools and …/endpoints: what tenants make over the management
 * API (manage/manage.h).  Every path takes the role manage; the key of a tenant manages that tenant
 * alone, those of "default" and the local socket are the operator's and manage all. */
#ifndef TOOLHOST_FRONT_REST_DEFINITIONS_H
#define TOOLHOST_FRONT_REST_DEFINITIONS_H

#include "front/http/http.h"
#include "manage/manage.h"

/* What a path names, as it stands there. */
struct definition_path {
  struct slice tenant;
  enum definition_kind kind;
  struct slice name; /* data NULL: all of them */
};

void rest_definitions_list (const struct front_env *env, struct http_exchange *x,
                            const struct definition_path *path);
/* One of them, as it is or, with revision=, was. */
void rest_definition_get (const struct front_env *env, struct http_exchange *x,
                          const struct definition_path *path);
void rest_definition_write (const struct front_env *env, struct http_exchange *x,
                            const struct definition_path *path, enum manage_act act);
void rest_definition_history (const struct front_env *env, struct http_exchange *x,
                              const struct definition_path *path);
/* revision=: what it was then is what it is to be. */
void rest_definition_restore (const struct front_env *env, struct http_exchange *x,
                              const struct definition_path *path);
/* Run it, without effect outside. */
void rest_definition_test (const struct front_env *env, struct http_exchange *x,
                           const struct definition_path *path);

#endif
