#include "mcp_rig.h"

#include <stdio.h>

#include "tap.h"

void
rig_setup (struct mcp_rig *f)
{
  *f = (struct mcp_rig){ .mcp = NULL };
  fake_env_init (&f->fake);
  f->mcp = mcp_http_new (&f->fake.env);
}

void
rig_teardown (struct mcp_rig *f)
{
  mcp_http_free (f->mcp);
  fake_env_free (&f->fake);
}

void
rig_send_as (struct mcp_rig *f, struct fake_answer *a, const struct front_peer *peer,
             const char *method, const char *headers, const char *body)
{
  fake_http_request (a, peer, method, "/mcp", headers, body);
  mcp_http_handle (f->mcp, a->x);
}

void
rig_post (struct mcp_rig *f, struct fake_answer *a, const char *headers, const char *body)
{
  rig_send_as (f, a, &fake_anonymous, "POST", headers, body);
}

bool
rig_has (const char *text, const char *part)
{
  bool found = strstr (text, part) != NULL;
  if (!found)
    printf ("# no %s in %s\n", part, text);
  return found;
}

void
rig_check_body (struct fake_answer *a, const char *expected)
{
  if (strcmp (fake_http_body (a), expected) != 0)
    printf ("# got      %s\n# expected %s\n", fake_http_body (a), expected);
  CU_ASSERT_STRING_EQUAL (fake_http_body (a), expected);
}

void
rig_expect (struct mcp_rig *f, const char *headers, const char *body, int status,
            const char *answer)
{
  struct fake_answer a;

  rig_post (f, &a, headers, body);
  CU_ASSERT (fake_http_ended (&a));
  CU_ASSERT_EQUAL (a.status, status);
  rig_check_body (&a, answer);
  fake_answer_free (&a);
}

const char *
rig_in_session (struct mcp_rig *f, const char *more)
{
  static char room[512];

  snprintf (room, sizeof room, JSON_TYPE BOTH "mcp-session-id: %s\n%s", f->session, more);
  return room;
}

void
rig_open_session_of (struct mcp_rig *f, const char *version)
{
  struct fake_answer a;
  char body[512];

  snprintf (body, sizeof body, INITIALIZE ("%s"), version);
  rig_post (f, &a, JSON_TYPE BOTH, body);
  CU_ASSERT_EQUAL (a.status, 200);
  CU_ASSERT_EQUAL (sscanf (a.headers, "Mcp-Session-Id: %63[0-9a-f]\r\n", f->session), 1);
  CU_ASSERT_EQUAL (strlen (f->session), 32);
  snprintf (body, sizeof body, INITIALIZED ("%s"), version);
  rig_check_body (&a, body);
  fake_answer_free (&a);
  rig_expect (f, rig_in_session (f, ""),
              "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", 202, "");
}

void
rig_open_session (struct mcp_rig *f)
{
  rig_open_session_of (f, "2025-11-25");
}
