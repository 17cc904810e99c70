// ajv as the MCP TypeScript SDK sets it, and JSON.parse: the same orders and answers as schema_bench.c
// has, but for allocations, of which node tells nothing.
//
//   TOOLHOST_CLIENTS=… node schema_bench.mjs FOLDER
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { load } from '../tests/clients/packages.mjs';

const Ajv = load('ajv').Ajv;
const Ajv2020 = load('ajv/dist/2020.js').Ajv2020;
const addFormats = load('ajv-formats').default;

const COPIES = 64;
const folder = process.argv[2];
const draft7 = /draft-0[67]/;

function newAjv(schema) {
  const Class = draft7.test(schema.$schema ?? '') ? Ajv : Ajv2020;
  const ajv = new Class({ strict: false, validateFormats: true, validateSchema: false, allErrors: true });
  addFormats(ajv);
  return ajv;
}

// Texts that share no memory, flat ones as they come from a socket.
function copies(text) {
  return Array.from({ length: COPIES }, () => Buffer.from(text).toString());
}

function read(name, kind) {
  return readFileSync(join(folder, `${name}.${kind}.json`), 'utf8');
}

function open(name) {
  const schema = read(name, 'schema');
  const valid = copies(read(name, 'valid'));
  const invalid = copies(read(name, 'invalid'));
  const validate = newAjv(JSON.parse(schema)).compile(JSON.parse(schema));
  return {
    schema, valid, validate,
    validValues: valid.map((text) => JSON.parse(text)),
    invalidValues: invalid.map((text) => JSON.parse(text)),
  };
}

// One round over all copies; returns how many went as they should.
const operations = {
  valid: (d) => { let good = 0; for (const value of d.validValues) good += d.validate(value); return good; },
  invalid: (d) => { let good = 0; for (const value of d.invalidValues) good += !d.validate(value); return good; },
  parse: (d) => { let good = 0; for (const text of d.valid) good += JSON.parse(text) !== null; return good; },
  both: (d) => { let good = 0; for (const text of d.valid) good += d.validate(JSON.parse(text)); return good; },
};

function runs(name, d, rounds) {
  for (let i = 0; i < rounds; i++)
    if (operations[name](d) !== COPIES) throw new Error(`${name}: the answer is wrong`);
}

const now = () => Number(process.hrtime.bigint());

function measure(name, d, milliseconds) {
  runs(name, d, 1);
  let start = now();
  runs(name, d, 1);
  const step = Math.ceil(1e6 / (now() - start + 1));
  let rounds = 0;
  start = now();
  do {
    runs(name, d, step);
    rounds += step;
  } while (now() - start < milliseconds * 1e6);
  return (now() - start) / (rounds * COPIES);
}

// Without the parsing of the schema and the making of an Ajv, and with no schema twice in one.
function measureCompile(d, milliseconds) {
  let spent = 0;
  let count = 0;
  while (spent < milliseconds * 1e6) {
    const schema = JSON.parse(d.schema);
    const ajv = newAjv(schema);
    const start = now();
    const validate = ajv.compile(schema);
    spent += now() - start;
    count++;
    if (!validate(d.validValues[0])) throw new Error('compile: the answer is wrong');
  }
  return spent / count;
}

const documents = {};
for await (const line of createInterface({ input: process.stdin })) {
  const [what, name, milliseconds] = line.split(' ');
  documents[name] ??= open(name);
  const ns = what === 'compile' ? measureCompile(documents[name], Number(milliseconds))
    : measure(what, documents[name], Number(milliseconds));
  console.log(`${ns.toFixed(2)} -`);
}
