/* Which addresses are public: the vectors of T3-17 (U3-19, U3-20), and the edges of every block. */
#include "service/http/address.h"
#include "tap.h"

static enum address_kind
kind_of (const char *text)
{
  struct address address;

  if (!address_read (&address, text, strlen (text))) {
    printf ("# not read: %s\n", text);
    return (enum address_kind) - 1;
  }
  return address_kind (&address);
}

struct vector {
  const char *text;
  enum address_kind kind;
};

static void
check_all (const struct vector *vectors, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (kind_of (vectors[i].text) != vectors[i].kind)
      printf ("# %s is %s\n", vectors[i].text, address_kind_name (kind_of (vectors[i].text)));
    CU_ASSERT_EQUAL (kind_of (vectors[i].text), vectors[i].kind);
  }
}

#define CHECK_ALL(vectors) check_all (vectors, sizeof (vectors) / sizeof *(vectors))

static void
test_t3_17_blocked (void)
{
  static const struct vector vectors[] = {
    { "127.0.0.1", ADDRESS_LOOPBACK },
    { "127.255.255.254", ADDRESS_LOOPBACK },
    { "169.254.169.254", ADDRESS_LINK_LOCAL },
    { "169.254.0.1", ADDRESS_LINK_LOCAL },
    { "10.0.0.1", ADDRESS_PRIVATE },
    { "172.16.0.1", ADDRESS_PRIVATE },
    { "172.31.255.255", ADDRESS_PRIVATE },
    { "192.168.0.1", ADDRESS_PRIVATE },
    { "100.64.0.1", ADDRESS_SHARED },
    { "100.127.255.254", ADDRESS_SHARED },
    { "0.0.0.0", ADDRESS_UNSPECIFIED },
    { "224.0.0.1", ADDRESS_MULTICAST },
    { "239.255.255.255", ADDRESS_MULTICAST },
    { "240.0.0.1", ADDRESS_RESERVED },
    { "255.255.255.255", ADDRESS_RESERVED },
    { "198.18.0.1", ADDRESS_BENCHMARKING },
    { "192.0.2.1", ADDRESS_RESERVED },
    { "198.51.100.1", ADDRESS_RESERVED },
    { "203.0.113.1", ADDRESS_RESERVED },
    { "::1", ADDRESS_LOOPBACK },
    { "::", ADDRESS_UNSPECIFIED },
    { "fe80::1", ADDRESS_LINK_LOCAL },
    { "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ADDRESS_LINK_LOCAL },
    { "fec0::", ADDRESS_SITE_LOCAL },
    { "fec0::1", ADDRESS_SITE_LOCAL },
    { "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ADDRESS_SITE_LOCAL },
    { "fc00::1", ADDRESS_PRIVATE },
    { "fd00::1", ADDRESS_PRIVATE },
    { "ff00::", ADDRESS_MULTICAST },
    { "ff02::1", ADDRESS_MULTICAST },
    { "2001:db8::1", ADDRESS_RESERVED },
    { "::ffff:127.0.0.1", ADDRESS_LOOPBACK },
    { "::ffff:169.254.169.254", ADDRESS_LINK_LOCAL },
  };

  CHECK_ALL (vectors);
}

static void
test_t3_17_public (void)
{
  static const struct vector vectors[] = {
    { "8.8.8.8", ADDRESS_PUBLIC },       { "1.1.1.1", ADDRESS_PUBLIC },
    { "93.184.216.34", ADDRESS_PUBLIC }, { "172.15.255.255", ADDRESS_PUBLIC },
    { "172.32.0.1", ADDRESS_PUBLIC },    { "11.0.0.1", ADDRESS_PUBLIC },
    { "192.169.0.1", ADDRESS_PUBLIC },   { "100.63.255.255", ADDRESS_PUBLIC },
    { "100.128.0.1", ADDRESS_PUBLIC },   { "2606:4700:4700::1111", ADDRESS_PUBLIC },
  };

  CHECK_ALL (vectors);
}

/* The last address before a block, its first, its last, the first behind it. */
static void
test_u3_20_edges_of_v4 (void)
{
  static const struct vector vectors[] = {
    { "0.255.255.255", ADDRESS_UNSPECIFIED },  { "1.0.0.0", ADDRESS_PUBLIC },
    { "9.255.255.255", ADDRESS_PUBLIC },       { "10.0.0.0", ADDRESS_PRIVATE },
    { "10.255.255.255", ADDRESS_PRIVATE },     { "100.64.0.0", ADDRESS_SHARED },
    { "100.127.255.255", ADDRESS_SHARED },     { "126.255.255.255", ADDRESS_PUBLIC },
    { "128.0.0.0", ADDRESS_PUBLIC },           { "169.253.255.255", ADDRESS_PUBLIC },
    { "169.254.255.255", ADDRESS_LINK_LOCAL }, { "169.255.0.0", ADDRESS_PUBLIC },
    { "172.16.0.0", ADDRESS_PRIVATE },         { "191.255.255.255", ADDRESS_PUBLIC },
    { "192.0.0.0", ADDRESS_RESERVED },         { "192.0.0.255", ADDRESS_RESERVED },
    { "192.0.1.0", ADDRESS_PUBLIC },           { "192.0.1.255", ADDRESS_PUBLIC },
    { "192.0.2.255", ADDRESS_RESERVED },       { "192.0.3.0", ADDRESS_PUBLIC },
    { "192.88.98.255", ADDRESS_PUBLIC },       { "192.88.99.1", ADDRESS_RESERVED },
    { "192.88.100.0", ADDRESS_PUBLIC },        { "192.167.255.255", ADDRESS_PUBLIC },
    { "192.168.255.255", ADDRESS_PRIVATE },    { "198.17.255.255", ADDRESS_PUBLIC },
    { "198.18.0.0", ADDRESS_BENCHMARKING },    { "198.19.255.255", ADDRESS_BENCHMARKING },
    { "198.20.0.0", ADDRESS_PUBLIC },          { "198.51.99.255", ADDRESS_PUBLIC },
    { "198.51.101.0", ADDRESS_PUBLIC },        { "203.0.112.255", ADDRESS_PUBLIC },
    { "203.0.113.255", ADDRESS_RESERVED },     { "203.0.114.0", ADDRESS_PUBLIC },
    { "223.255.255.255", ADDRESS_PUBLIC },     { "224.0.0.0", ADDRESS_MULTICAST },
    { "240.0.0.0", ADDRESS_RESERVED },         { "254.255.255.255", ADDRESS_RESERVED },
  };

  CHECK_ALL (vectors);
}

static void
test_u3_20_v6 (void)
{
  static const struct vector vectors[] = {
    { "::2", ADDRESS_TRANSLATED },
    { "::7f00:1", ADDRESS_TRANSLATED },
    { "::8.8.8.8", ADDRESS_TRANSLATED },
    { "::ffff:8.8.8.8", ADDRESS_PUBLIC },
    { "::ffff:10.1.2.3", ADDRESS_PRIVATE },
    { "::ffff:a9fe:a9fe", ADDRESS_LINK_LOCAL },
    { "::ffff:0:127.0.0.1", ADDRESS_TRANSLATED },
    { "64:ff9b::7f00:1", ADDRESS_TRANSLATED },
    { "64:ff9b::8.8.8.8", ADDRESS_TRANSLATED },
    { "64:ff9b:1::1", ADDRESS_TRANSLATED },
    { "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", ADDRESS_TRANSLATED },
    { "64:ff9b:2::", ADDRESS_RESERVED },
    { "100::1", ADDRESS_RESERVED },
    { "100:0:0:1::1", ADDRESS_RESERVED },
    { "1fff:ffff::", ADDRESS_RESERVED },
    { "2000::", ADDRESS_PUBLIC },
    { "2001::1", ADDRESS_TRANSLATED },
    { "2001:0:ffff::1", ADDRESS_TRANSLATED },
    { "2001:2::1", ADDRESS_BENCHMARKING },
    { "2001:10::1", ADDRESS_RESERVED },
    { "2001:20::1", ADDRESS_RESERVED },
    { "2001:1ff:ffff::", ADDRESS_RESERVED },
    { "2001:200::", ADDRESS_PUBLIC },
    { "2001:db7:ffff::", ADDRESS_PUBLIC },
    { "2001:db8:ffff::", ADDRESS_RESERVED },
    { "2001:db9::", ADDRESS_PUBLIC },
    { "2002:7f00:1::1", ADDRESS_TRANSLATED },
    { "2002:ffff::", ADDRESS_TRANSLATED },
    { "2003::", ADDRESS_PUBLIC },
    { "3ffe:ffff::", ADDRESS_PUBLIC },
    { "3fff::1", ADDRESS_RESERVED },
    { "3fff:fff::1", ADDRESS_RESERVED },
    { "3fff:1000::", ADDRESS_PUBLIC },
    { "4000::", ADDRESS_RESERVED },
    { "5f00::1", ADDRESS_RESERVED },
    { "fbff:ffff::", ADDRESS_RESERVED },
    { "fdff:ffff::", ADDRESS_PRIVATE },
    { "fe00::1", ADDRESS_RESERVED },
    { "fd00:ec2::254", ADDRESS_PRIVATE },
    { "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ADDRESS_MULTICAST },
  };

  CHECK_ALL (vectors);
}

/* Of what inet_aton takes, only the form that everybody reads alike. */
static void
test_no_other_forms (void)
{
  static const char *const texts[] = {
    "",           "127.1",    "127.0.1",           "2130706433",   "0x7f000001",
    "0177.0.0.1", "0x7f.1",   "127.0.0.01",        "127.0.0.1.",   "256.1.1.1",
    "1.2.3.4.5",  " 1.2.3.4", "1.2.3.4 ",          "fe80::1%eth0", "fe80::1%1",
    "[::1]",      "::1%",     "1:2:3:4:5:6:7:8:9", "::ffff:1.2.3", "localhost",
    "12345::",
  };
  struct address address;

  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    CU_ASSERT_FALSE (address_read (&address, texts[i], strlen (texts[i])));
  CU_ASSERT_FALSE (address_read (&address, "1.2.3.4\0x", 9));
}

/* A word of the operator's opens what is his own, and nothing else. */
static void
test_allowed (void)
{
  static const struct {
    const char *text;
    bool by_itself, by_word;
  } rows[] = {
    { "8.8.8.8", true, true },
    { "127.0.0.1", false, true },
    { "::1", false, true },
    { "10.0.0.1", false, true },
    { "100.64.0.1", false, true },
    { "fd00::1", false, true },
    { "::ffff:10.0.0.1", false, true },
    { "169.254.169.254", false, false },
    { "fe80::1", false, false },
    { "0.0.0.0", false, false },
    { "224.0.0.1", false, false },
    { "255.255.255.255", false, false },
    { "64:ff9b::1", false, false },
    { "2002:7f00:1::", false, false },
    { "fec0::1", false, false },
    { "::", false, false },
  };
  struct address address;

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CU_ASSERT_TRUE (address_read (&address, rows[i].text, strlen (rows[i].text)));
    CU_ASSERT_EQUAL (address_allowed (&address, false), rows[i].by_itself);
    CU_ASSERT_EQUAL (address_allowed (&address, true), rows[i].by_word);
  }
}

static CU_TestInfo tests[] = {
  { "T3-17 blocked", test_t3_17_blocked },
  { "T3-17 public", test_t3_17_public },
  { "U3-20 edges of IPv4", test_u3_20_edges_of_v4 },
  { "U3-20 IPv6", test_u3_20_v6 },
  { "no other forms", test_no_other_forms },
  { "allowed", test_allowed },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "http address", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
