/* Asks for a socket of every family and type, one and in pairs, and tells which it got: none. */
#include "hostile.h"

#include <sys/socket.h>

enum { FAMILIES = 64 };

static const int types[] = { SOCK_STREAM,    SOCK_DGRAM, SOCK_RAW,   SOCK_RDM,
                             SOCK_SEQPACKET, SOCK_DCCP,  SOCK_PACKET };

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  int tried = 0, got = 0, last = -1, pair[2];

  for (int family = 0; family < FAMILIES; family++)
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
      bool one = socket (family, types[i], 0) >= 0;
      bool two = socketpair (family, types[i], 0, pair) >= 0;
      tried += 2;
      got += one + two;
      last = one || two ? family : last;
    }
  return got == 0 ? toolhost_textf (call, "%d refused", tried)
                  : toolhost_textf (call, "%d let through, the last of family %d", got, last);
}

HOSTILE ("every_socket", TOOLHOST_SERIAL, "Asks for every kind of socket.", HOSTILE_NO_ARGUMENTS)
