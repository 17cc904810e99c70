/* store.h - GET /v1/store: how the durable store is; POST /v1/store/backup: a copy of it in the
 * folder "backups" of the daemon's state folder, under a name of the caller's or one with the date.
 * Used by rest.c.  Loop thread only. */
#ifndef TOOLHOST_FRONT_REST_STORE_H
#define TOOLHOST_FRONT_REST_STORE_H

#include "front/front.h"
#include "front/http/http.h"

void rest_store_get (const struct front_env *env, struct http_exchange *x);
void rest_store_backup (const struct front_env *env, struct http_exchange *x);

#endif
