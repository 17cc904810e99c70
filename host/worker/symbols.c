#include "worker/symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

void
symbols_open (struct symbols *symbols, const char *path)
{
  CLEANUP_FD int fd = open (path, O_RDONLY | O_CLOEXEC);
  struct stat st;
  void *map;

  if (fd < 0 || fstat (fd, &st) < 0 || st.st_size < (off_t) sizeof (ElfW (Ehdr)))
    return;
  map = mmap (NULL, (size_t) st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (map == MAP_FAILED)
    return;
  symbols->file = map;
  symbols->file_len = (size_t) st.st_size;
  symbols->file_name = path;
}

static int
note_object (struct dl_phdr_info *info, size_t size, void *data)
{
  struct symbols *symbols = data;
  struct loaded_object *object = &symbols->objects[symbols->count];
  const char *name =
    info->dlpi_name != NULL && *info->dlpi_name != '\0' ? info->dlpi_name : "toolhost-worker";

  (void) size;
  if (symbols->count == MOST_OBJECTS)
    return 1;
  object->base = info->dlpi_addr;
  object->end = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    uintptr_t end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
    if (info->dlpi_phdr[i].p_type == PT_LOAD && end > object->end)
      object->end = end;
  }
  object->name[0] = '\0';
  strncat (object->name, name, sizeof object->name - 1);
  symbols->count++;
  return 0;
}

void
symbols_note_objects (struct symbols *symbols)
{
  symbols->count = 0;
  (void) dl_iterate_phdr (note_object, symbols);
}

/* ---- the plugin's symbol table: an enemy's file, so every offset is checked ------------------ */

static const void *
part_of_file (const struct symbols *symbols, uint64_t offset, uint64_t len)
{
  if (offset > symbols->file_len || len > symbols->file_len - offset || offset % 8 != 0)
    return NULL;
  return symbols->file + offset;
}

static const ElfW (Shdr)
  * section (const struct symbols *symbols, uint32_t wanted_type, uint64_t index)
{
  const ElfW (Ehdr) *head = (const void *) symbols->file;
  const ElfW (Shdr) *sections =
    part_of_file (symbols, head->e_shoff, (uint64_t) head->e_shnum * sizeof *sections);

  if (sections == NULL || head->e_shentsize != sizeof *sections)
    return NULL;
  if (wanted_type == SHT_NULL)
    return index < head->e_shnum ? &sections[index] : NULL;
  for (uint64_t i = 0; i < head->e_shnum; i++)
    if (sections[i].sh_type == wanted_type)
      return &sections[i];
  return NULL;
}

/* The function at or before `offset` in a table; NULL when none covers it. */
static const char *
search (const struct symbols *symbols, const ElfW (Shdr) * table, uintptr_t offset,
        uintptr_t *distance)
{
  const ElfW (Shdr) *names = section (symbols, SHT_NULL, table->sh_link);
  const ElfW (Sym) *syms = part_of_file (symbols, table->sh_offset, table->sh_size);

  if (names == NULL || syms == NULL || names->sh_offset > symbols->file_len
      || names->sh_size > symbols->file_len - names->sh_offset)
    return NULL;
  for (uint64_t i = 0; i < table->sh_size / sizeof *syms; i++) {
    if (ELF64_ST_TYPE (syms[i].st_info) != STT_FUNC || offset < syms[i].st_value
        || offset - syms[i].st_value >= syms[i].st_size || syms[i].st_name >= names->sh_size)
      continue;
    *distance = offset - syms[i].st_value;
    return symbols->file + names->sh_offset + syms[i].st_name;
  }
  return NULL;
}

static const char *
function_of (const struct symbols *symbols, uintptr_t offset, uintptr_t *distance)
{
  static const uint32_t tables[] = { SHT_SYMTAB, SHT_DYNSYM };

  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    const ElfW (Shdr) *table = section (symbols, tables[i], 0);
    const char *name = table != NULL ? search (symbols, table, offset, distance) : NULL;
    if (name != NULL)
      return name;
  }
  return NULL;
}

/* ---- text without stdio ----------------------------------------------------------------- */

struct text {
  char *at;
  char *end; /* room for the NUL is left */
};

static void
add (struct text *out, const char *word, size_t max)
{
  for (; *word != '\0' && max > 0 && out->at < out->end; word++, max--)
    *out->at++ = *word > ' ' && *word < 127 && *word != '"' && *word != '\\' ? *word : '?';
}

static void
add_hex (struct text *out, uintptr_t value)
{
  char digits[2 * sizeof value + 1];
  size_t i = sizeof digits - 1;

  digits[i] = '\0';
  do
    digits[--i] = "0123456789abcdef"[value & 15];
  while ((value >>= 4) != 0);
  add (out, "0x", 2);
  add (out, digits + i, sizeof digits);
}

static const struct loaded_object *
object_of (const struct symbols *symbols, uintptr_t address)
{
  for (size_t i = 0; i < symbols->count; i++)
    if (address >= symbols->objects[i].base && address < symbols->objects[i].end)
      return &symbols->objects[i];
  return NULL;
}

void
symbols_name (const struct symbols *symbols, uintptr_t address, char *to, size_t size)
{
  struct text out = { to, to + size - 1 };
  const struct loaded_object *object = object_of (symbols, address);

  if (object == NULL)
    add_hex (&out, address);
  else {
    uintptr_t offset = address - object->base;
    const char *function = NULL;
    add (&out, object->name, sizeof object->name);
    if (symbols->file != NULL && strcmp (object->name, symbols->file_name) == 0)
      function = function_of (symbols, offset, &offset);
    add (&out, "(", 1);
    if (function != NULL) {
      size_t room = (size_t) (symbols->file + symbols->file_len - function);
      add (&out, function, room < 64 ? room : 64);
    }
    add (&out, "+", 1);
    add_hex (&out, offset);
    add (&out, ")", 1);
  }
  *out.at = '\0';
}
