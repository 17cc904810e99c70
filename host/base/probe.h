/* probe.h - places where tracers of the kernel can look in (USDT: bpftrace, perf, SystemTap), of
 * the provider "toolhost"; docs/observability.md lists them.
 *
 * Where nobody looks each is one instruction that does nothing; what is handed over is what lies
 * there anyway, so that nothing is worked out for it.  Without the header (systemtap-sdt-dev) there
 * are none.  Any thread. */
#ifndef TOOLHOST_BASE_PROBE_H
#define TOOLHOST_BASE_PROBE_H

#ifdef TOOLHOST_USDT
#include <sys/sdt.h>
#define PROBE2(name, a, b) DTRACE_PROBE2 (toolhost, name, a, b)
#define PROBE3(name, a, b, c) DTRACE_PROBE3 (toolhost, name, a, b, c)
#define PROBE4(name, a, b, c, d) DTRACE_PROBE4 (toolhost, name, a, b, c, d)
#else
#define PROBE2(name, a, b) ((void) (a), (void) (b))
#define PROBE3(name, a, b, c) ((void) (a), (void) (b), (void) (c))
#define PROBE4(name, a, b, c, d) ((void) (a), (void) (b), (void) (c), (void) (d))
#endif

#endif
