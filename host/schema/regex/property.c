#include <stdio.h>

#include "schema/regex/engine.h"
#include "schema/regex/tree.h"

/* Values of General_Category: ECMA-262 knows both names, PCRE2 the short ones. */
static const struct category {
  const char *name;
  const char *brief;
} categories[] = {
  { "Cased_Letter", "LC" },
  { "Close_Punctuation", "Pe" },
  { "cntrl", "Cc" },
  { "Combining_Mark", "M" },
  { "Connector_Punctuation", "Pc" },
  { "Control", "Cc" },
  { "Currency_Symbol", "Sc" },
  { "Dash_Punctuation", "Pd" },
  { "Decimal_Number", "Nd" },
  { "digit", "Nd" },
  { "Enclosing_Mark", "Me" },
  { "Final_Punctuation", "Pf" },
  { "Format", "Cf" },
  { "Initial_Punctuation", "Pi" },
  { "Letter", "L" },
  { "Letter_Number", "Nl" },
  { "Line_Separator", "Zl" },
  { "Lowercase_Letter", "Ll" },
  { "Mark", "M" },
  { "Math_Symbol", "Sm" },
  { "Modifier_Letter", "Lm" },
  { "Modifier_Symbol", "Sk" },
  { "Nonspacing_Mark", "Mn" },
  { "Number", "N" },
  { "Open_Punctuation", "Ps" },
  { "Other", "C" },
  { "Other_Letter", "Lo" },
  { "Other_Number", "No" },
  { "Other_Punctuation", "Po" },
  { "Other_Symbol", "So" },
  { "Paragraph_Separator", "Zp" },
  { "Private_Use", "Co" },
  { "punct", "P" },
  { "Punctuation", "P" },
  { "Separator", "Z" },
  { "Space_Separator", "Zs" },
  { "Spacing_Mark", "Mc" },
  { "Surrogate", "Cs" },
  { "Symbol", "S" },
  { "Titlecase_Letter", "Lt" },
  { "Unassigned", "Cn" },
  { "Uppercase_Letter", "Lu" },
};

/* Properties that are true or false; PCRE2 knows them by the same names, but for Assigned. */
static const char *const truths[] = {
  "AHex",
  "Alpha",
  "Alphabetic",
  "Any",
  "ASCII",
  "ASCII_Hex_Digit",
  "Assigned",
  "Bidi_C",
  "Bidi_Control",
  "Bidi_M",
  "Bidi_Mirrored",
  "Case_Ignorable",
  "Cased",
  "Changes_When_Casefolded",
  "Changes_When_Casemapped",
  "Changes_When_Lowercased",
  "Changes_When_NFKC_Casefolded",
  "Changes_When_Titlecased",
  "Changes_When_Uppercased",
  "CI",
  "CWCF",
  "CWCM",
  "CWKCF",
  "CWL",
  "CWT",
  "CWU",
  "Dash",
  "Default_Ignorable_Code_Point",
  "Dep",
  "Deprecated",
  "DI",
  "Dia",
  "Diacritic",
  "EBase",
  "EComp",
  "EMod",
  "Emoji",
  "Emoji_Component",
  "Emoji_Modifier",
  "Emoji_Modifier_Base",
  "Emoji_Presentation",
  "EPres",
  "Ext",
  "Extended_Pictographic",
  "Extender",
  "ExtPict",
  "Gr_Base",
  "Gr_Ext",
  "Grapheme_Base",
  "Grapheme_Extend",
  "Hex",
  "Hex_Digit",
  "ID_Continue",
  "ID_Start",
  "IDC",
  "Ideo",
  "Ideographic",
  "IDS",
  "IDS_Binary_Operator",
  "IDS_Trinary_Operator",
  "IDSB",
  "IDST",
  "Join_C",
  "Join_Control",
  "LOE",
  "Logical_Order_Exception",
  "Lower",
  "Lowercase",
  "Math",
  "NChar",
  "Noncharacter_Code_Point",
  "Pat_Syn",
  "Pat_WS",
  "Pattern_Syntax",
  "Pattern_White_Space",
  "QMark",
  "Quotation_Mark",
  "Radical",
  "Regional_Indicator",
  "RI",
  "SD",
  "Sentence_Terminal",
  "Soft_Dotted",
  "space",
  "STerm",
  "Term",
  "Terminal_Punctuation",
  "UIdeo",
  "Unified_Ideograph",
  "Upper",
  "Uppercase",
  "Variation_Selector",
  "VS",
  "White_Space",
  "XID_Continue",
  "XID_Start",
  "XIDC",
  "XIDS",
};

static const char *
find_category (const char *name)
{
  for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
    if (strcmp (categories[i].name, name) == 0 || strcmp (categories[i].brief, name) == 0)
      return categories[i].brief;
  return NULL;
}

static const char *
find_truth (const char *name)
{
  for (size_t i = 0; i < sizeof truths / sizeof *truths; i++)
    if (strcmp (truths[i], name) == 0)
      return truths[i];
  return NULL;
}

/* PCRE2 is lax about case and '_' in the names of scripts, ECMA-262 is not. */
static bool
is_script_name (const char *name)
{
  bool begins = true;

  for (; *name != '\0'; name++) {
    if (*name == '_' && begins)
      return false;
    if (begins && (*name < 'A' || *name > 'Z'))
      return false;
    begins = *name == '_';
  }
  return !begins;
}

/* "Script=…" and "Script_Extensions=…", or their short names. */
static const char *
find_script (const char *name, char *text, size_t size)
{
  static const char *const kinds[][2] = {
    { "Script=", "sc" }, { "sc=", "sc" }, { "Script_Extensions=", "scx" }, { "scx=", "scx" }
  };

  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    size_t len = strlen (kinds[i][0]);
    if (strncmp (name, kinds[i][0], len) != 0 || !is_script_name (name + len))
      continue;
    (void) snprintf (text, size, "%s:%s", kinds[i][1], name + len);
    return regex_engine_knows_property (text) ? text : NULL;
  }
  return NULL;
}

const char *
regex_property_name (const char *name, char *text, size_t size, bool *negated)
{
  const char *spelling;

  if (strncmp (name, "General_Category=", 17) == 0)
    return find_category (name + 17);
  if (strncmp (name, "gc=", 3) == 0)
    return find_category (name + 3);
  spelling = find_category (name);
  if (spelling == NULL)
    spelling = find_truth (name);
  if (spelling == NULL)
    return find_script (name, text, size);
  if (strcmp (spelling, "Assigned") == 0) {
    *negated = !*negated;
    return "Cn";
  }
  return spelling;
}
