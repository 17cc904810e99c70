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
    why: 'ajv takes toString, constructor and __proto__ for members of {}; we do not',
    is: (d) => INHERITED.some((name) => write(d.schema).includes(`"${name}"`)),
  },
  {
    name: 'names that every JavaScript object has',
    why: 'ajv asks the values of an enum for their toString, and throws when it is a member',
    is: (d) => d.theirs === '?' && INHERITED.some((name) => write(d.value).includes(`"${name}"`)),
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
];
