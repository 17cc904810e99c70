#include "catalog/source.h"

#include <stdint.h>
#include <stdio.h>

void
identity_of_file (const struct stat *st, struct identity_text *identity)
{
  (void) snprintf (identity->text, sizeof identity->text, "%ju:%ju:%jd:%jd.%09ld:%jd.%09ld",
                   (uintmax_t) st->st_dev, (uintmax_t) st->st_ino, (intmax_t) st->st_size,
                   (intmax_t) st->st_mtim.tv_sec, st->st_mtim.tv_nsec,
                   (intmax_t) st->st_ctim.tv_sec, st->st_ctim.tv_nsec);
}

bool
source_is_private (const struct stat *st, uid_t owner)
{
  return (st->st_mode & (S_IWGRP | S_IWOTH)) == 0 && (st->st_uid == 0 || st->st_uid == owner);
}
