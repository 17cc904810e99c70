/* Webhooks of OpenAI: their signatures, ids that came before, and the number that was dialled. */
#include <string.h>

#include "front/realtime/number.h"
#include "front/realtime/seen.h"
#include "service/webhook/signature.h"
#include "tap.h"

/* ---- signatures: openai-python's tests/lib/test_webhooks.py ---- */

static const char secret[] = "whsec_RdvaYFYUXuIFuEbvZHwMfYFhUf7aMYjYcmM24+Aj40c=";
static const char id[] = "wh_685c059ae39c8190af8c71ed1022a24d";
static const char timestamp[] = "1750861210";
static const char body[] = "{\"id\": \"evt_685c059ae3a481909bdc86819b066fb6\", \"object\": "
                           "\"event\", \"created_at\": 1750861210, \"type\": "
                           "\"response.completed\", \"data\": {\"id\": \"resp_123\"}}";
static const char good[] = "v1,gUAg4R2hWouRZqRQG4uJypNS8YK885G838+EHb4nKBY=";
enum { THEN = 1750861210 };

static struct signed_text
text (const char *value)
{
  return (struct signed_text){ value, value != NULL ? strlen (value) : 0 };
}

/* What differs from the good one; NULL: nothing. */
struct sent {
  const char *id, *timestamp, *signature, *body, *secret;
  bool without_id, without_timestamp, without_signature;
  int64_t later, tolerance;
};

static enum signature_verdict
verdict (struct sent sent)
{
  const char *said = sent.body != NULL ? sent.body : body;
  const struct signed_message message = {
    .id = sent.without_id ? text (NULL) : text (sent.id != NULL ? sent.id : id),
    .timestamp = sent.without_timestamp
                   ? text (NULL)
                   : text (sent.timestamp != NULL ? sent.timestamp : timestamp),
    .signature =
      sent.without_signature ? text (NULL) : text (sent.signature != NULL ? sent.signature : good),
    .body = said,
    .body_len = strlen (said),
  };
  struct signature_key key;

  CU_ASSERT_TRUE_FATAL (signature_key_read (&key, sent.secret != NULL ? sent.secret : secret));
  return signature_check (&message, &key, THEN + sent.later,
                          sent.tolerance != 0 ? sent.tolerance : SIGNATURE_TOLERANCE);
}

#define VERDICT(is, ...) CU_ASSERT_EQUAL (verdict ((struct sent){ __VA_ARGS__ }), is)

static void
test_vector (void)
{
  VERDICT (SIGNATURE_GOOD, .later = 0);
  VERDICT (SIGNATURE_GOOD, .signature = good + 3); /* the prefix may be absent */
}

static void
test_secrets (void)
{
  struct signature_key key;

  VERDICT (SIGNATURE_MISMATCH, .secret = "whsec_Zm9v");
  VERDICT (SIGNATURE_MISMATCH, .secret = "foo"); /* raw bytes */
  CU_ASSERT_FALSE (signature_key_read (&key, ""));
  CU_ASSERT_FALSE (signature_key_read (&key, "whsec_"));
  CU_ASSERT_FALSE (signature_key_read (&key, "whsec_no base64"));
  CU_ASSERT_TRUE (signature_key_read (&key, "raw"));
  CU_ASSERT_EQUAL (key.len, 3);
}

static void
test_headers (void)
{
  VERDICT (SIGNATURE_NO_SIGNATURE, .without_signature = true);
  VERDICT (SIGNATURE_NO_TIMESTAMP, .without_timestamp = true);
  VERDICT (SIGNATURE_NO_ID, .without_id = true);
  VERDICT (SIGNATURE_NO_ID, .id = "");
  VERDICT (SIGNATURE_BAD_TIMESTAMP, .timestamp = "soon");
  VERDICT (SIGNATURE_BAD_TIMESTAMP, .timestamp = "");
  VERDICT (SIGNATURE_BAD_TIMESTAMP, .timestamp = "-1750861210");
  VERDICT (SIGNATURE_BAD_TIMESTAMP, .timestamp = "9999999999999999999");
}

static void
test_time (void)
{
  VERDICT (SIGNATURE_TOO_OLD, .later = 400);
  VERDICT (SIGNATURE_TOO_NEW, .later = -400);
  VERDICT (SIGNATURE_GOOD, .later = 300);
  VERDICT (SIGNATURE_GOOD, .later = -300);
  VERDICT (SIGNATURE_TOO_OLD, .later = 301);
  VERDICT (SIGNATURE_TOO_NEW, .later = -301);
  VERDICT (SIGNATURE_GOOD, .later = 400, .tolerance = 600);
  VERDICT (SIGNATURE_TOO_OLD, .later = 400, .signature = "v1,wrong"); /* before the signature */
}

static void
test_what_was_signed (void)
{
  VERDICT (SIGNATURE_MISMATCH, .signature = "v1,invalid_signature");
  VERDICT (SIGNATURE_MISMATCH, .signature = "");
  VERDICT (SIGNATURE_MISMATCH, .body = "{}");
  VERDICT (SIGNATURE_MISMATCH, .id = "wh_2");
  VERDICT (SIGNATURE_MISMATCH, .timestamp = "1750861211");
}

static void
test_several (void)
{
  VERDICT (SIGNATURE_GOOD,
           .signature = "v1,invalid v1,gUAg4R2hWouRZqRQG4uJypNS8YK885G838+EHb4nKBY=");
  VERDICT (SIGNATURE_GOOD,
           .signature = "  v1,gUAg4R2hWouRZqRQG4uJypNS8YK885G838+EHb4nKBY=\tv1,invalid ");
  VERDICT (SIGNATURE_MISMATCH, .signature = "v1,invalid1 v1,invalid2");
}

static void
test_words (void)
{
  for (enum signature_verdict a = SIGNATURE_GOOD; a <= SIGNATURE_MISMATCH; a++)
    for (enum signature_verdict b = SIGNATURE_GOOD; b < a; b++) {
      CU_ASSERT_STRING_NOT_EQUAL (signature_code (a), signature_code (b));
      CU_ASSERT_STRING_NOT_EQUAL (signature_sentence (a), signature_sentence (b));
    }
}

/* ---- ids ---- */

static void
test_seen (void)
{
  struct seen seen = { .window = 1800, .max = 3 };

  CU_ASSERT_FALSE (seen_has (&seen, "a", 1, 100));
  seen_add (&seen, "a", 1, 100);
  CU_ASSERT_TRUE (seen_has (&seen, "a", 1, 100));
  CU_ASSERT_FALSE (seen_has (&seen, "ab", 2, 100));
  CU_ASSERT_TRUE (seen_has (&seen, "a", 1, 1899.9));
  CU_ASSERT_FALSE (seen_has (&seen, "a", 1, 1900));
  for (int i = 0; i < 4; i++) {
    char name[2] = { (char) ('b' + i), '\0' };
    seen_add (&seen, name, 1, 2000);
  }
  CU_ASSERT_EQUAL (HASH_COUNT (seen.ids), 3);
  CU_ASSERT_FALSE (seen_has (&seen, "b", 1, 2000)); /* the oldest went */
  CU_ASSERT_TRUE (seen_has (&seen, "e", 1, 2000));
  seen_free (&seen);
}

/* ---- numbers ---- */

static void
test_numbers (void)
{
  static const struct {
    const char *header, *number; /* NULL: none */
  } rows[] = {
    { "<sip:+14155550100@sip.api.openai.com;transport=tls>", "+14155550100" },
    { "\"Acme <sip:no@x>\" <sip:+1-415-555-0100@example.com;user=phone>;tag=1", "+14155550100" },
    { "sip:+14155550100@example.com;tag=1", "+14155550100" },
    { "  SIPS:14155550100@example.com", "14155550100" },
    { "<tel:+1(415)555.0100;phone-context=x>", "+14155550100" },
    { "<sip:%2B14155550100@example.com>", "+14155550100" },
    { "<sip:proj_123@sip.api.openai.com>", "proj_123" },
    { "Acme <sip:sales@example.com>", "sales" },
    { "<sip:@example.com>", NULL },
    { "<mailto:a@example.com>", NULL },
    { "<sip:a%zz@example.com>", NULL },
    { "<sip:a%0d@example.com>", NULL },
    { "", NULL },
    { "<", NULL },
    { "\"open", NULL },
  };
  static char long_header[256];
  char number[NUMBER_MAX + 1];

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const bool there = number_of_header (rows[i].header, strlen (rows[i].header), number);
    CU_ASSERT_EQUAL (there, rows[i].number != NULL);
    if (there && rows[i].number != NULL)
      CU_ASSERT_STRING_EQUAL (number, rows[i].number);
  }
  memset (long_header, '1', sizeof long_header);
  memcpy (long_header, "sip:", 4);
  CU_ASSERT_FALSE (number_of_header (long_header, sizeof long_header, number));
  CU_ASSERT_TRUE (number_same ("+14155550100", "14155550100"));
  CU_ASSERT_FALSE (number_same ("+14155550100", "+1415555010"));
}

static CU_TestInfo tests[] = {
  { "U0-7 T0-18 the vector", test_vector },
  { "U0-6 T0-18 secrets", test_secrets },
  { "U0-6 T0-18 headers that are missing or wrong", test_headers },
  { "U0-6 T0-18 the time, which comes first", test_time },
  { "U0-6 T0-18 what was signed", test_what_was_signed },
  { "U0-6 T0-18 one of several signatures will do", test_several },
  { "U0-6 each fault has words of its own", test_words },
  { "U0-2 ids are known for half an hour, and not too many", test_seen },
  { "U0-4 the number that was dialled", test_numbers },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "realtime webhook", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
