#include "service.h"

#include <stdlib.h>
#include <string.h>

struct service *
service_new (void)
{
  struct service *service = calloc (1, sizeof *service);

  if (service == NULL)
    return NULL;
  atomic_init (&service->users, 1);
  service->document.pool = &service->pool;
  return service;
}

bool
service_is_outdated (const struct service *service)
{
  const struct stat *was = &service->file_was;
  struct stat now;

  return service->file != NULL && stat (service->file, &now) == 0
         && (now.st_ino != was->st_ino || now.st_size != was->st_size
             || now.st_mtim.tv_sec != was->st_mtim.tv_sec
             || now.st_mtim.tv_nsec != was->st_mtim.tv_nsec);
}

struct service *
service_ref (struct service *service)
{
  atomic_fetch_add (&service->users, 1);
  return service;
}

void
service_unref (struct service *service)
{
  if (atomic_fetch_sub (&service->users, 1) != 1)
    return;
  values_free (&service->pool);
  free (service);
}

struct service_tool *
service_tool_new (struct service *service)
{
  struct service_tool *tool = calloc (1, sizeof *tool);

  if (tool != NULL)
    tool->service = service_ref (service);
  return tool;
}

void
service_tool_free (void *self)
{
  struct service_tool *tool = self;

  text_free (&tool->definition);
  service_unref (tool->service);
  free (tool);
}

bool
operation_is_idempotent (const struct operation *operation)
{
  static const char *const methods[] = { "GET", "HEAD", "PUT", "DELETE", "OPTIONS" };

  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (strcmp (operation->method, methods[i]) == 0)
      return true;
  return false;
}

bool
service_matches (const char *pattern, const char *text)
{
  const char *star = NULL, *back = NULL;

  while (*text != '\0')
    if (*pattern == '*') {
      star = pattern++;
      back = text;
    }
    else if (*pattern == *text) {
      pattern++;
      text++;
    }
    else if (star != NULL) {
      pattern = star + 1;
      text = ++back;
    }
    else
      return false;
  while (*pattern == '*')
    pattern++;
  return *pattern == '\0';
}
