// Why ajv differs where it does, and who is right.  Each reason is asked with a difference that was made
// as small as it gets: {dialect, schema, value, ours, theirs}, numbers as Lexeme; ours and theirs are "1",
// "0", "?" (no verdict) or "refused: …", and a reason is for verdicts unless it says refusals: true.
import { Lexeme, write } from './generate.mjs';

// What a number is exactly, "digits e exponent", so that equal numbers have equal texts.
function exactly(text) {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  const digits = (whole + fraction).replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  return `${sign}${kept}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - kept.length)}`;
}

function isKept(text) {
  const number = Number(text);
  return Number.isFinite(number) && exactly(String(number)) === exactly(text);
}

function* lexemes(value) {
  if (value instanceof Lexeme) yield value.text;
  else if (value !== null && typeof value === 'object')
    for (const v of Object.values(value)) yield* lexemes(v);
}

function* words(schema) {
  if (schema === null || typeof schema !== 'object' || schema instanceof Lexeme) return;
  for (const [name, v] of Object.entries(schema)) {
    if (!Array.isArray(schema)) yield name;
    yield* words(v);
  }
}

function besideRef(schema) {
  if (schema === null || typeof schema !== 'object' || schema instanceof Lexeme) return false;
  const names = Object.keys(schema).filter((name) => name !== 'definitions');
  return (names.includes('$ref') && names.length > 1) || Object.values(schema).some(besideRef);
}

const uses = (d, ...names) => [...words(d.schema)].some((word) => names.includes(word));
const INHERITED = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];

const NOT_IN_URI = /[\s"<>\\^`{|}\u0080-\uffff]/;

function isExpression(text, flags) {
  try {
    new RegExp(text, flags);
    return true;
  } catch {
    return false;
  }
}

// Of ajv-formats: [format, why, is].
const formats = (rows) => rows.map(([format, why, is]) => (
  { name: `format ${format}`, why, is: (d) => d.schema.format === format && typeof d.value === 'string' && is(d) }));

export const reasons = [
  {
    name: 'numbers beyond a double',
    why: 'JSON.parse rounds what a double does not hold before ajv sees it; we compare the number as it was written',
    is: (d) => [...lexemes(d.schema), ...lexemes(d.value)].some((text) => !isKept(text)),
  },
  {
    name: 'multipleOf of fractions',
    why: 'ajv divides in binary floating point, 0.3 / 0.1 is no integer there; we do it in decimal',
    is: (d) => uses(d, 'multipleOf') && [...lexemes(d.schema), ...lexemes(d.value)].some((text) => !Number.isInteger(Number(text))),
  },
  {
    name: 'names that every JavaScript object has',
    why: 'ajv takes toString and constructor for members of {}, and throws when an enum meets a member of such a name',
    is: (d) => INHERITED.some((name) => (write(d.schema) + write(d.value)).includes(`"${name}"`)),
  },
  {
    name: 'draft-07, beside $ref',
    why: 'what stands beside $ref says nothing up to draft-07; ajv reads it',
    is: (d) => d.dialect === 'draft-07' && besideRef(d.schema),
  },
  {
    name: 'the empty name',
    why: 'ajv takes a missing member whose name is empty for none that is missing',
    is: (d) => d.theirs === '1' && uses(d, 'required', 'dependentRequired', 'dependencies') && write(d.schema).includes('[""'),
  },
  {
    name: 'unevaluated, after a branch that failed',
    why: 'ajv takes for evaluated what a branch looked at that did not fit in the end',
    is: (d) => d.theirs === '1' && uses(d, 'unevaluatedItems', 'unevaluatedProperties') && uses(d, 'anyOf', 'oneOf', 'if', 'not'),
  },
  {
    name: 'unevaluated, after a branch that anything fits',
    why: 'ajv forgets what {"items": {}} in a branch, or a dependentSchemas that is not met, leaves evaluated',
    is: (d) => d.theirs === '0' && uses(d, 'unevaluatedItems', 'unevaluatedProperties')
      && uses(d, 'items', 'prefixItems', 'additionalProperties', 'dependentSchemas'),
  },
  {
    name: 'unevaluatedItems beside contains',
    why: 'ajv does not keep which items fitted contains',
    is: (d) => uses(d, 'unevaluatedItems') && uses(d, 'contains'),
  },
  {
    name: 'contains anything, under not',
    why: 'ajv lets {"contains": {}} pass for [] where it collects no errors',
    is: (d) => d.ours === '1' && uses(d, 'contains') && uses(d, 'not') && write(d.value) === '[]',
  },
  {
    name: 'no verdict',
    why: 'the code that ajv makes throws "Cannot set properties of undefined" where it keeps what was evaluated',
    is: (d) => d.theirs === '?' && uses(d, 'unevaluatedProperties', 'additionalProperties', 'properties', 'patternProperties'),
  },
  ...formats([
    ['time', 'it takes an offset without a colon', (d) => d.theirs === '1' && /[+-]\d\d(\d\d)?$/.test(d.value)],
    ['date-time', 'it takes an offset without a colon', (d) => d.theirs === '1' && /[+-]\d\d(\d\d)?$/.test(d.value)],
    ['date-time', 'it takes a blank for the T', (d) => d.theirs === '1' && /\d\s\d/.test(d.value)],
    ['duration', 'it takes hours and seconds without minutes, years and days without months; RFC 3339 does not',
      (d) => d.theirs === '1' && /H\d+S|Y\d+D/.test(d.value)],
    ['email', 'it knows no address literals, no quoted names and no domain of one label',
      (d) => d.ours === '1' && (/@\[.*\]$|^".*"@/.test(d.value) || !/@.*\./.test(d.value))],
    ['hostname', 'it takes a dot at the end', (d) => d.theirs === '1' && d.value.endsWith('.')],
    ['hostname', 'it takes any xn-- for punycode', (d) => d.theirs === '1' && /(^|\.)xn--/i.test(d.value)],
    ['regex', 'it reads the expression without the flag u, by which it would match it',
      (d) => d.theirs === '1' && isExpression(d.value, '') && !isExpression(d.value, 'u')],
    ['uri', 'it takes characters that no URI has', (d) => d.theirs === '1' && NOT_IN_URI.test(d.value)],
    ['uri-reference', 'it takes characters that no URI has', (d) => d.theirs === '1' && NOT_IN_URI.test(d.value)],
    ['uri-reference', 'it takes letters for a port, and a colon in the first segment of a path',
      (d) => d.theirs === '1' && /^([a-z][a-z\d+.-]*:)?\/\/[^/?#@]*:\d*[^\d/?#]|^[^/?#:]*[^a-zA-Z0-9+.\-/?#:][^/?#:]*:|^:/.test(d.value)],
    ['uuid', 'it takes urn:uuid: before one', (d) => d.theirs === '1' && d.value.startsWith('urn:uuid:')],
  ]),
];
