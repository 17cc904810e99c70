/* Personal data: what is found, what only looks like it, and what is done about it. */
#include "guard_rig.h"

#define REDACT "{\"guard\":\"pii\",\"action\":\"redact\"}"
#define ONLY(kind) "{\"guard\":\"pii\",\"action\":\"redact\",\"kinds\":[\"" kind "\"]}"
#define TEXT(text) "{\"t\":\"" text "\"}"

/* A text, and what becomes of it. */
static const struct {
  const char *text, *redacted;
} texts[] = {
  /* email addresses */
  { "write to ann@example.com, please", "write to [email], please" },
  { "Ann.O'Neill+news@mail.example.co.uk", "[email]" },
  { "<ann@example.com>;bob@example.org", "<[email]>;[email]" },
  { "mailto:ann@example.com?subject=x", "mailto:[email]?subject=x" },
  { "j\xc3\xb6rg@m\xc3\xbcller.de.", "[email]." },
  { "ann@xn--mller-kva.xn--p1ai", "[email]" },
  { "a@b.cd", "[email]" },
  { "one ann@example.com two ann@example.com", "one [email] two [email]" },
  /* telephone numbers */
  { "+14155550100", "[phone]" },
  { "+1 415 555 0100", "[phone]" },
  { "+1 (415) 555-0100.", "[phone]." },
  { "+49 30 1234567", "[phone]" },
  { "+49 (0) 30 1234567", "[phone]" },
  { "+44 20 7946 0958 or +33 1 42 68 53 00", "[phone] or [phone]" },
  { "+14155550100 +14155550101", "[phone] [phone]" },
  { "+14155550100 25 times", "[phone] 25 times" },
  { "+1\xc2\xa0"
    "415\xc2\xa0"
    "555\xc2\xa0"
    "0100",
    "[phone]" },
  { "tel:+14155550100", "tel:[phone]" },
  { "(415) 555-0100", "[phone]" },
  { "415-555-0100", "[phone]" },
  { "415.555.0100", "[phone]" },
  { "1-415-555-0100", "[phone]" },
  { "0049 30 12345678", "[phone]" },
  { "030 1234567", "[phone]" },
  { "030/1234567", "[phone]" },
  { "0171-2345678", "[phone]" },
  { "01 42 68 53 00", "[phone]" },
  { "call me at 4155550100", "call me at [phone]" },
  { "Tel. 555-0100", "Tel. [phone]" },
  /* payment cards: numbers that issuers publish for tests */
  { "4111111111111111", "[card]" },
  { "4111 1111 1111 1111", "[card]" },
  { "4111-1111-1111-1111.", "[card]." },
  { "5555555555554444 and 2223003122003222", "[card] and [card]" },
  { "3782 822463 10005", "[card]" },
  { "6011111111111117", "[card]" },
  { "3530111333300000", "[card]" },
  { "30569309025904", "[card]" },
  { "card=4012888888881881;", "card=[card];" },
  /* IBANs: the registry's examples */
  { "DE89370400440532013000", "[iban]" },
  { "DE89 3704 0044 0532 0130 00", "[iban]" },
  { "gb29nwbk60161331926819", "[iban]" },
  { "FR14 2004 1010 0505 0001 3M02 606", "[iban]" },
  { "to NO9386011117947, now", "to [iban], now" },
  { "MT84MALT011000012345MTLCAST001S", "[iban]" },
};

/* What looks like it and is not: nothing happens to these. */
static const char *const controls[] = {
  "user@localhost",
  "@scope/package@1.2.3",
  "logo@2x.png",
  "git@github.com:example/project.git",
  "a @ b.com",
  "@example.com",
  "ann@",
  "ann@.com",
  "ann@example",
  "12@34",
  "x@y.1",
  /* dates, times, versions, addresses, money */
  "2026-01-31",
  "2026-01-31T12:00:00+02:00",
  "2026-01-31 12:00:00.123456",
  "2026-01-31T12:00:00+1030",
  "31.01.2026 12:00",
  "01.02.2026 12",
  "01-02-2026 12:30",
  "01/31/2026",
  "20260131120000",
  "1767225600",
  "1767225600123",
  "1767225600123456",
  "192.168.100.200",
  "10.0.0.1:8080",
  "2001:db8:1234:5678:9abc:def0:1234:5678",
  "v1.2.3-456",
  "0.1234567890",
  "3.141592653589793",
  "$1234567890",
  "1 234 567 890",
  "12,345,678,901",
  "1e+123456789",
  "x+123456789",
  "C+49301234567",
  /* orders, parcels, books, ids */
  "4155550100",
  "order 10023456789",
  "Order-No. 2024-000-1234567",
  "#415-555-0100",
  "INV-415-555-0100",
  "123-456-7890",
  "415-155-0100",
  "415-555-0100-22",
  "978-3-16-148410-0",
  "9783161484100",
  "1Z999AA10123456784",
  "550e8400-e29b-41d4-a716-446655440000",
  "12345678-1234-1234-1234-123456789012",
  "41111111-1111-1111-1111-111111111111",
  "urn:uuid:41111111-1111-1111-1111-111111111111",
  "4155550100a",
  "0123456789abcdef0123456789abcdef",
  "da39a3ee5e6b4b0d3255bfef95601890afd80709",
  /* digits that are no card */
  "4111111111111112",
  "4111 1111 1111 1112",
  "41111111111111111111",
  "41 11 11 11 11 11 11 11",
  "0000000000000000",
  "1234567812345670",
  "a4111111111111111",
  "4111111111111111b",
  "0.4111111111111111",
  "4111111111111111.5",
  "DE89370400440532013001",
  "DE8937040044053201300",
  "XX89370400440532013000",
  "ADE89370400440532013000",
  "ISO8601 date and time",
};

static void
check_text (const struct guard *guard, const char *text, const char *expected)
{
  struct buf value = { 0 }, answer = { 0 }, wanted = { 0 };

  buf_printf (&value, "{\"t\":\"%s\"}", text);
  buf_printf (&wanted, "{\"t\":\"%s\"}", expected);
  guard_answer (guard, GUARD_INPUT, value.data, value.len, &answer);
  if (strcmp (text, expected) == 0) {
    wanted.len = 0;
    buf_puts (&wanted, "allow");
  }
  CU_ASSERT_STRING_EQUAL (buf_cstr (&answer), buf_cstr (&wanted));
  if (strcmp (answer.data, wanted.data) != 0)
    printf ("# %s: %s\n", text, answer.data);
  buf_free (&value);
  buf_free (&answer);
  buf_free (&wanted);
}

static void
personal_data_is_found (void)
{
  struct guard *guard = guard_of (REDACT);

  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    check_text (guard, texts[i].text, texts[i].redacted);
  guard_free (guard);
}

/* An address is cut where no address is as long, but never within a character. */
static void
no_character_is_cut (void)
{
  struct guard *guard = guard_of (REDACT);

  for (int n = 0; n < 8; n++) {
    CLEANUP_BUF struct buf value = { 0 }, answer = { 0 };
    buf_puts (&value, "{\"t\":\"");
    for (int i = 0; i < 60 + n; i++)
      buf_puts (&value, i < n ? "a" : "\xef\xbf\xbd");
    buf_puts (&value, "@example.com a@");
    for (int i = 0; i < 250 + n; i++)
      buf_puts (&value, i < n ? "b" : i % 40 == 39 ? "." : "\xe6\xa9\x9f");
    buf_puts (&value, "\"}");
    guard_answer (guard, GUARD_INPUT, value.data, value.len, &answer);
    CU_ASSERT_TRUE (utf8_valid (answer.data, answer.len));
    CU_ASSERT_PTR_NOT_NULL (strstr (buf_cstr (&answer), "[email] "));
  }
  guard_free (guard);
}

static void
what_only_looks_like_it_is_not (void)
{
  struct guard *guard = guard_of (REDACT);

  for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
    check_text (guard, controls[i], controls[i]);
  guard_free (guard);
}

static const struct guard_row rows[] = {
  { "{\"guard\":\"pii\"}", "{\"to\":\"ann@example.com\"}",
    "reject: The arguments hold an email address (/to), which must not be passed on.", 0 },
  { "{\"guard\":\"pii\"}", "{\"a\":[{},{\"x/y\":\"4111111111111111\"}]}",
    "reject: a payment card number (/a/1/x~1y)", 0 },
  { "{\"guard\":\"pii\",\"message\":\"No.\"}", "{\"to\":\"ann@example.com\"}", "reject: No.", 0 },
  { "{\"guard\":\"pii\"}", "{\"content\":[{\"type\":\"text\",\"text\":\"a@b.cd\"}]}",
    "reject: The result holds an email address, which must not be passed on.", GUARD_OUTPUT },
  { "{\"guard\":\"pii\"}", "{\"to\":\"Ann\"}", "allow", 0 },
  { "{\"guard\":\"pii\"}", "{}", "allow", 0 },
  /* wherever it stands; what stands around it is as it was */
  { REDACT, "{ \"a\" : [1.0, \"\\u00e9 a@b.cd\", {\"b\":\"x\\n\\u0061@b.cd\"}], \"c\": null }",
    "{ \"a\" : [1.0, \"\xc3\xa9 [email]\", {\"b\":\"x\\n[email]\"}], \"c\": null }", 0 },
  { REDACT, "\"a@b.cd\"", "\"[email]\"", 0 },
  { REDACT, "[\"a@b.cd\",\"b@b.cd\"]", "[\"[email]\",\"[email]\"]", 0 },
  /* numbers */
  { REDACT, "{\"card\":4111111111111111,\"n\":4111111111111112}",
    "{\"card\":\"[card]\",\"n\":4111111111111112}", 0 },
  { REDACT, "{\"phone\":4155550100,\"order\":4155550100}",
    "{\"phone\":\"[phone]\",\"order\":4155550100}", 0 },
  { REDACT, "{\"mobileNumber\":\"4155550100\",\"x\":{\"home_tel\":[5550100]}}",
    "{\"mobileNumber\":\"[phone]\",\"x\":{\"home_tel\":[\"[phone]\"]}}", 0 },
  { REDACT, "{\"phone\":1.5e10,\"phones\":3}", "allow", 0 },
  /* kinds */
  { ONLY ("phone"), TEXT ("a@b.cd 4111111111111111"), "allow", 0 },
  { ONLY ("phone"), TEXT ("DE89 3704 0044 0532 0130 00"), "allow", 0 },
  { ONLY ("email"), TEXT ("a@b.cd +14155550100"), TEXT ("[email] +14155550100"), 0 },
  { "{\"guard\":\"pii\",\"action\":\"redact\",\"replacement\":\"***\"}", TEXT ("a@b.cd"),
    TEXT ("***"), 0 },
  { "{\"guard\":\"pii\",\"action\":\"redact\",\"replacement\":\"\\\"\"}", TEXT ("a@b.cd"),
    TEXT ("\\\""), 0 },
  /* kind by kind, as the design has it: email blocked, phone redacted */
  { "{\"guard\":\"pii\",\"rules\":[{\"type\":\"email\",\"action\":\"block\"},"
    "{\"type\":\"phone\",\"action\":\"redact\",\"replacement\":\"<tel>\"}]}",
    TEXT ("+14155550100 4111111111111111"), TEXT ("<tel> 4111111111111111"), 0 },
  { "{\"guard\":\"pii\",\"rules\":[{\"type\":\"email\",\"action\":\"block\"},"
    "{\"type\":\"phone\",\"action\":\"redact\"}]}",
    TEXT ("+14155550100 a@b.cd"), "reject: an email address (/t)", 0 },
  /* member names only when asked; one is not redacted, and not told */
  { REDACT, "{\"a@b.cd\":1}", "allow", 0 },
  { "{\"guard\":\"pii\",\"names\":true,\"action\":\"redact\"}", "{\"x\":{\"a@b.cd\":1}}",
    "reject: an email address (/x), which", 0 },
  /* some places alone */
  { "{\"guard\":\"pii\",\"at\":[\"/to\"]}", "{\"text\":\"a@b.cd\",\"to\":\"Ann\"}", "allow", 0 },
  { "{\"guard\":\"pii\",\"at\":[\"/to\"]}", "{\"text\":\"Ann\",\"to\":[{\"x\":\"a@b.cd\"}]}",
    "reject: (/to/0/x)", 0 },
  { "{\"guard\":\"pii\",\"at\":[\"/to/*/mail\",\"/a~1b\"],\"action\":\"redact\"}",
    "{\"to\":[{\"mail\":\"a@b.cd\",\"text\":\"a@b.cd\"}],\"a/b\":\"a@b.cd\",\"mail\":\"a@b.cd\"}",
    "{\"to\":[{\"mail\":\"[email]\",\"text\":\"a@b.cd\"}],\"a/b\":\"[email]\",\"mail\":\"a@b.cd\"}",
    0 },
  /* base64 of a result is no text; that of arguments is */
  { REDACT,
    "{\"content\":[{\"type\":\"image\",\"data\":\"4111111111111111\",\"mimeType\":\"a@b.cd\"},"
    "{\"type\":\"audio\",\"data\":\"4111111111111111\"},{\"type\":\"text\",\"text\":\"a@b.cd\"},"
    "{\"type\":\"resource\",\"resource\":{\"uri\":\"x\",\"blob\":\"4111111111111111\"}}],"
    "\"structured\":{\"type\":\"image\",\"data\":\"a@b.cd\"},\"message\":\"a@b.cd\"}",
    "{\"content\":[{\"type\":\"image\",\"data\":\"4111111111111111\",\"mimeType\":\"[email]\"},"
    "{\"type\":\"audio\",\"data\":\"4111111111111111\"},{\"type\":\"text\",\"text\":\"[email]\"},"
    "{\"type\":\"resource\",\"resource\":{\"uri\":\"x\",\"blob\":\"4111111111111111\"}}],"
    "\"structured\":{\"type\":\"image\",\"data\":\"[email]\"},\"message\":\"[email]\"}",
    GUARD_OUTPUT },
  { REDACT, "{\"content\":[{\"type\":\"image\",\"data\":\"4111111111111111\"}]}",
    "{\"content\":[{\"type\":\"image\",\"data\":\"[card]\"}]}", GUARD_INPUT },
};

static void
what_is_done_about_it (void)
{
  GUARD_CHECK_ROWS (rows);
}

static const struct guard_bad bad[] = {
  { "[]", "expected an object like {\"guard\": \"pii\"}" },
  { "{\"guard\":\"pii\",\"kinds\":\"email\"}",
    "/kinds: expected a list like [\"email\", \"phone\"]" },
  { "{\"guard\":\"pii\",\"kinds\":[\"email\",\"emial\"]}",
    "/kinds/1: expected \"email\", \"phone\", \"card\" or \"iban\", got \"emial\"; did you mean "
    "\"email\"?" },
  { "{\"guard\":\"pii\",\"action\":\"redakt\"}",
    "/action: expected \"block\" or \"redact\", got \"redakt\"; did you mean \"redact\"?" },
  { "{\"guard\":\"pii\",\"replacement\":\"\"}", "/replacement: expected a text of 1 to 256 bytes" },
  { "{\"guard\":\"pii\",\"replacment\":\"x\"}",
    "/replacment: not a member that is known; did you mean \"replacement\"?" },
  { "{\"guard\":\"pii\",\"nonsense\":\"x\"}", "/nonsense: not a member that is known" },
  { "{\"guard\":\"pii\",\"rules\":[]}", "/rules: expected a list like [{\"type\": \"email\"}]" },
  { "{\"guard\":\"pii\",\"action\":\"block\",\"rules\":[{\"type\":\"email\"}]}",
    "/action: stands in each of the \"rules\", or in their place" },
  { "{\"guard\":\"pii\",\"rules\":[{\"type\":\"email\"},{\"type\":\"email\"}]}",
    "/rules/1/type: there is a rule for \"email\" already" },
  { "{\"guard\":\"pii\",\"rules\":[1]}",
    "/rules/0: expected an object like {\"type\": \"email\"}" },
  { "{\"guard\":\"pii\",\"rules\":[{\"typ\":\"email\"}]}",
    "/rules/0/typ: not a member that is known; did you mean \"type\"?" },
};

static void
bad_configurations_are_refused (void)
{
  GUARD_CHECK_BAD (bad);
}

static CU_TestInfo tests[] = { { "personal data is found", personal_data_is_found },
                               { "no character is cut", no_character_is_cut },
                               { "what only looks like it is not", what_only_looks_like_it_is_not },
                               { "what is done about it", what_is_done_about_it },
                               { "bad configurations are refused", bad_configurations_are_refused },
                               CU_TEST_INFO_NULL };

static CU_SuiteInfo suites[] = { { "guard pii", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
