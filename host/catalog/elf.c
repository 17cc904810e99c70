#include "catalog/elf.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#ifdef __x86_64__
enum { THIS_MACHINE = EM_X86_64 };
static const char this_machine[] = "x86-64";
#else
enum { THIS_MACHINE = EM_AARCH64 };
static const char this_machine[] = "aarch64";
#endif

enum { PROGRAM_HEADERS_MAX = 128 };

static bool
cut_short (uint64_t needed, off_t size, struct error *err)
{
  return error_set (err, "it is cut short: its headers speak of %llu bytes, it has %llu",
                    (unsigned long long) needed, (unsigned long long) size);
}

/* Does the range end beyond the file, by overflow or otherwise? */
static bool
beyond (uint64_t start, uint64_t len, off_t size)
{
  return start > (uint64_t) size || len > (uint64_t) size - start;
}

static bool
check_segments (int fd, const Elf64_Ehdr *header, off_t size, struct error *err)
{
  Elf64_Phdr segments[PROGRAM_HEADERS_MAX];
  size_t len = header->e_phnum * sizeof *segments;

  if (header->e_phentsize != sizeof *segments || header->e_phnum == 0
      || header->e_phnum > PROGRAM_HEADERS_MAX)
    return error_set (err, "it is no shared object: its headers make no sense");
  if (pread (fd, segments, len, (off_t) header->e_phoff) != (ssize_t) len)
    return cut_short (header->e_phoff + len, size, err);
  for (unsigned i = 0; i < header->e_phnum; i++)
    if (beyond (segments[i].p_offset, segments[i].p_filesz, size))
      return cut_short (segments[i].p_offset + segments[i].p_filesz, size, err);
  return true;
}

bool
elf_check (int fd, off_t size, struct error *err)
{
  Elf64_Ehdr header;
  uint64_t sections;

  if (size == 0)
    return error_set (err, "it is empty");
  if (pread (fd, &header, sizeof header, 0) != (ssize_t) sizeof header
      || memcmp (header.e_ident, ELFMAG, SELFMAG) != 0)
    return error_set (err, "it is no shared object: it does not begin like an ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB
      || header.e_machine != THIS_MACHINE)
    return error_set (err, "it is for another machine: expected 64-bit %s, got ELF machine %u",
                      this_machine, header.e_machine);
  if (header.e_type != ET_DYN)
    return error_set (err,
                      "it is no shared object: expected ELF type 3, got %u (was it linked "
                      "with -shared?)",
                      header.e_type);
  /* The table of sections stands at the end of what linkers write. */
  sections = (uint64_t) header.e_shnum * header.e_shentsize;
  if (beyond (header.e_shoff, sections, size))
    return cut_short (header.e_shoff + sections, size, err);
  return check_segments (fd, &header, size, err);
}
