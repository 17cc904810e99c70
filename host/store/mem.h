/* mem.h - what the files of the engine in memory share: tables by hash, everything done at once.
 * Nothing fails, so an act is its own commit; the daemon's end is its end. */
#ifndef TOOLHOST_STORE_MEM_H
#define TOOLHOST_STORE_MEM_H

#include "base/hash.h"
#include "base/heap.h"
#include "store/store_engine.h"

struct mem_call;
struct mem_document;
struct mem_context;
struct mem_letter;
struct mem_record;

struct mem {
  struct store_engine engine;
  struct store_settings settings;
  struct store_figures figures;
  struct mem_call *calls;           /* by tenant and id */
  struct mem_call *oldest, *newest; /* of those that don't run, by the time they ended */
  size_t held;                      /* bytes of those */
  struct mem_document *documents;   /* by tenant, kind and name */
  int64_t forgotten; /* the last revision of a removed document that is not known any more */
  struct mem_context *contexts; /* by tenant and handle */
  struct heap expiring;         /* contexts, by their time */
  int64_t versions;             /* of contexts */
  struct mem_letter *letters;   /* by id */
  struct heap due;              /* letters, by their time */
  int64_t ids;                  /* of letters */
  struct mem_record *records;   /* by kind, tenant and name; in the order they came */
  int64_t numbers;              /* of records */
  size_t records_held;          /* bytes of those that are forgotten by themselves */
};

/* A key of several texts as one: each with its length before it. */
void mem_key (struct buf *b, const char *tenant, const void *rest, size_t len);

void mem_claim (struct mem *mem, struct store_act *act, int64_t now_ms);
void mem_finish (struct mem *mem, struct store_act *act, int64_t now_ms);
void mem_release (struct mem *mem, struct store_act *act, int64_t now_ms);
void mem_cancel (struct mem *mem, struct store_act *act, int64_t now_ms);
void mem_lookup (struct mem *mem, struct store_act *act, int64_t now_ms);
void mem_forget_calls (struct mem *mem, int64_t now_ms);
void mem_free_calls (struct mem *mem);

void mem_change (struct mem *mem, struct store_act *act, int64_t now_ms);
void mem_scan (struct mem *mem, struct store_act *act, int64_t now_ms);
void mem_forget_documents (struct mem *mem, int64_t now_ms);
void mem_free_documents (struct mem *mem);

void mem_context_get (struct mem *mem, struct store_act *act, int64_t now_ms);
void mem_context_set (struct mem *mem, struct store_act *act, int64_t now_ms);
void mem_forget_contexts (struct mem *mem, int64_t now_ms);
void mem_free_contexts (struct mem *mem);

void mem_put_letters (struct mem *mem, const struct store_letter *letters, size_t count,
                      uint64_t nonce, int64_t now_ms);
void mem_post (struct mem *mem, struct store_act *act, int64_t now_ms);
void mem_take (struct mem *mem, struct store_act *act, int64_t now_ms);
void mem_sent (struct mem *mem, struct store_act *act, int64_t now_ms);
void mem_retry (struct mem *mem, struct store_act *act, int64_t now_ms);
void mem_free_letters (struct mem *mem);

void mem_record (struct mem *mem, struct store_act *act, int64_t now_ms);
void mem_records (struct mem *mem, struct store_act *act, int64_t now_ms);
void mem_forget_records (struct mem *mem, int64_t now_ms);
void mem_free_records (struct mem *mem);

#endif
