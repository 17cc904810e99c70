/* offers.h - GET /v1/resources, /v1/resources/directory, /v1/skills, /v1/skills/read, /v1/prompts:
 * what the plugins that a caller is served offer beside tools.  Used by rest.c.  Loop thread only.
 */
#ifndef TOOLHOST_FRONT_REST_OFFERS_H
#define TOOLHOST_FRONT_REST_OFFERS_H

#include "front/front.h"
#include "front/http/http.h"

/* { "resources": […], "templates": […] }, each as MCP lists it. */
void rest_resources_get (const struct front_env *env, struct http_exchange *x);
/* { "resources": […] }, what lies in the folder ?uri=. */
void rest_directory_get (const struct front_env *env, struct http_exchange *x);
/* { "skills": […] } */
void rest_skills_get (const struct front_env *env, struct http_exchange *x);
/* The skill ?uri=. */
void rest_skill_get (const struct front_env *env, struct http_exchange *x);
/* { "prompts": […] } */
void rest_prompts_get (const struct front_env *env, struct http_exchange *x);

#endif
