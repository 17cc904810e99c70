// The least schema and value on which two validators still differ as they did.
import { Lexeme, object } from './generate.mjs';

const isObject = (v) => v !== null && typeof v === 'object' && !Array.isArray(v) && !(v instanceof Lexeme);

const without = (o, name) => object(Object.entries(o).filter(([n]) => n !== name));
const withMember = (o, name, value) => object(Object.entries(o).map(([n, v]) => [n, n === name ? value : v]));

// Each value that is this one with one thing less in it.
function* smaller(value) {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) yield value.toSpliced(i, 1);
    for (let i = 0; i < value.length; i++)
      for (const less of smaller(value[i])) yield value.with(i, less);
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) yield without(value, name);
    for (const name of Object.keys(value))
      for (const less of smaller(value[name])) yield withMember(value, name, less);
  } else if (typeof value === 'string' && value.length > 1 && !value.startsWith('#/')) {
    yield '';
  }
}

// A subschema in the place of the whole keeps the definitions that it may refer to.
function whole(schema, sub) {
  if (!isObject(sub)) return sub;
  for (const word of ['$defs', 'definitions'])
    if (schema[word] !== undefined && sub[word] === undefined)
      return object([...Object.entries(sub), [word, schema[word]]]);
  return sub;
}

// Subschemas with what of the value they look at.
function* parts(schema, value) {
  if (!isObject(schema)) return;
  for (const word of ['allOf', 'anyOf', 'oneOf'])
    for (const sub of schema[word] ?? []) yield [sub, value];
  for (const word of ['not', 'if', 'then', 'else'])
    if (schema[word] !== undefined) yield [schema[word], value];
  for (const sub of Object.values(schema.dependentSchemas ?? {})) yield [sub, value];
  for (const word of ['$defs', 'definitions'])
    for (const sub of Object.values(schema[word] ?? {})) yield [sub, value];
  if (isObject(value))
    for (const [name, v] of Object.entries(value)) {
      for (const sub of Object.values(schema.patternProperties ?? {})) yield [sub, v];
      for (const sub of [schema.properties?.[name], schema.additionalProperties, schema.unevaluatedProperties])
        if (sub !== undefined) yield [sub, v];
      if (schema.propertyNames !== undefined) yield [schema.propertyNames, name];
    }
  if (Array.isArray(value))
    for (const item of value)
      for (const sub of [schema.prefixItems, schema.items, schema.additionalItems, schema.contains, schema.unevaluatedItems].flat())
        if (sub !== undefined) yield [sub, item];
}

function* candidates(schema, value) {
  for (const [sub, v] of parts(schema, value)) yield [whole(schema, sub), v];
  for (const less of smaller(schema)) yield [less, value];
  for (const less of smaller(value)) yield [schema, less];
}

// `differs` (schema, value) resolves to whether they still differ; it is asked at most `most` times.
export async function shrink(schema, value, differs, most = 600) {
  for (let found = true; found;) {
    found = false;
    for (const [s, v] of candidates(schema, value)) {
      if (most-- <= 0) return [schema, value];
      if (!await differs(s, v)) continue;
      [schema, value, found] = [s, v, true];
      break;
    }
  }
  return [schema, value];
}
