/* elf.h - a quick look whether a file can be a plugin at all: a whole shared object for this
 * machine.  Reads its headers alone; nothing of it is loaded.  Any thread. */
#ifndef TOOLHOST_CATALOG_ELF_H
#define TOOLHOST_CATALOG_ELF_H

#include <sys/types.h>

#include "base/error.h"

bool elf_check (int fd, off_t size, struct error *err);

#endif
