/* approvals.h - the paths below /v1/approvals: calls that wait for a person, what is decided of
 * them, and rules that stand.  Used by rest.c.  Loop thread only.
 *
 * Who has the role approve sees and decides what its tenant asks, managers all; everybody sees what
 * they ask themselves, and decides it where the entry says "by": "caller". */
#ifndef TOOLHOST_FRONT_REST_APPROVALS_H
#define TOOLHOST_FRONT_REST_APPROVALS_H

#include "front/front.h"
#include "front/http/http.h"

void rest_approvals_list (const struct front_env *env, struct http_exchange *x);
void rest_approval_get (const struct front_env *env, struct http_exchange *x, struct slice id);
/* { "decision": "approve" | "reject", "text"?, "remember"?: "tool" | "arguments" } */
void rest_approval_post (const struct front_env *env, struct http_exchange *x, struct slice id);

void rest_approval_rules_list (const struct front_env *env, struct http_exchange *x);
void rest_approval_rule_delete (const struct front_env *env, struct http_exchange *x,
                                struct slice id);

#endif
