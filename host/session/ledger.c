#include "session/ledger.h"

/* A call is its name and its arguments, byte for byte. */
static void
identify (const char *name, size_t name_len, const char *args, size_t args_len,
          char who[SHA256_HEX])
{
  struct hash *hash = hash_new ();

  hash_add (hash, name, name_len);
  hash_add (hash, "", 1);
  hash_add (hash, args, args_len);
  hash_end (hash, who);
}

static struct ledger_entry *
add (struct ledger *ledger, const char *id, const char *who)
{
  const size_t len = strlen (id);
  struct ledger_entry *entry = xcalloc (1, sizeof *entry + len + 1);

  memcpy (entry->id, id, len + 1);
  memcpy (entry->who, who, sizeof entry->who);
  HASH_ADD_KEYPTR (hh, ledger->entries, entry->id, len, entry);
  ledger->count++;
  ledger->pending++;
  return entry;
}

enum ledger_verdict
ledger_reserve (struct ledger *ledger, const char *id, const char *name, size_t name_len,
                const char *args, size_t args_len, struct ledger_entry **entry)
{
  char who[SHA256_HEX];

  identify (name, name_len, args, args_len, who);
  HASH_FIND_STR (ledger->entries, id, *entry);
  if (*entry != NULL && memcmp ((*entry)->who, who, sizeof who) != 0)
    return LEDGER_OTHER;
  if (*entry != NULL)
    return (*entry)->executed ? LEDGER_EXECUTED : LEDGER_PENDING;
  if (ledger->count >= ledger->max)
    return LEDGER_FULL;
  *entry = add (ledger, id, who);
  return LEDGER_NEW;
}

/* Give back one answer's bytes; the call stays known. */
static void
drop_answer (struct ledger *ledger, struct ledger_entry *entry)
{
  ledger->answers -= entry->answer.len;
  buf_free (&entry->answer);
}

static void
make_room (struct ledger *ledger)
{
  struct ledger_entry *entry = ledger->oldest != NULL ? ledger->oldest : ledger->entries;

  for (; entry != NULL && ledger->answers > ledger->room; entry = entry->hh.next) {
    drop_answer (ledger, entry);
    ledger->oldest = entry->executed ? entry->hh.next : ledger->oldest;
  }
}

void
ledger_execute (struct ledger *ledger, struct ledger_entry *entry, bool ok, struct buf *answer)
{
  ledger->pending -= !entry->executed;
  entry->executed = true;
  entry->work = NULL;
  entry->ok = ok;
  drop_answer (ledger, entry);
  buf_swap (&entry->answer, answer);
  ledger->answers += entry->answer.len;
  make_room (ledger);
}

void
ledger_forget (struct ledger *ledger, struct ledger_entry *entry)
{
  if (ledger->oldest == entry)
    ledger->oldest = entry->hh.next;
  HASH_DEL (ledger->entries, entry);
  ledger->count--;
  ledger->pending -= !entry->executed;
  drop_answer (ledger, entry);
  free (entry);
}

void
ledger_free (struct ledger *ledger)
{
  while (ledger->entries != NULL)
    ledger_forget (ledger, ledger->entries);
}
