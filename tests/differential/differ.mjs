// Our verdicts beside ajv's on schemas and documents made at random.
//
//   TOOLHOST_CLIENTS=… node differ.mjs PROGRAM [--seed N] [--pairs N] [--all]
//
// PROGRAM is verdicts.c.  A difference is made as small as it gets and must then have one of the reasons
// of reasons.mjs; one that has none is printed, and the exit status is 1.  --all prints one example of each
// reason too.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { load } from '../clients/packages.mjs';
import { Maker, write } from './generate.mjs';
import { reasons } from './reasons.mjs';
import { shrink } from './shrink.mjs';

const VALUES = 10; // of each schema
const SHOWN = 5; // unexplained differences

function options(words) {
  const o = { seed: 1, pairs: 20000, all: false };
  for (let i = 0; i < words.length; i++) {
    if (words[i] === '--all') o.all = true;
    else if (words[i] === '--seed' || words[i] === '--pairs') o[words[i].slice(2)] = Number(words[++i]);
    else throw new Error(`unknown option ${words[i]}`);
  }
  return o;
}

// ---- the two ----

class Ours {
  constructor(program) {
    this.process = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.process.on('error', (error) => { console.error(error.message); process.exit(2); });
    this.lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  async verdicts(dialect, schema, values) {
    this.process.stdin.write(`{"dialect":"${dialect}","schema":${schema},"values":[${values.join(',')}]}\n`);
    const { value, done } = await this.lines.next();
    if (done) throw new Error(`our program ended at ${schema}\n${values.join('\n')}`);
    return value;
  }

  close() { this.process.stdin.end(); }
}

const settings = { strict: false, validateFormats: true, validateSchema: false, allErrors: true, logger: false };
const peers = {
  '2020-12': new (load('ajv/dist/2020.js').Ajv2020)(settings),
  'draft-07': new (load('ajv').Ajv)(settings),
};
for (const peer of Object.values(peers)) load('ajv-formats').default(peer);

function theirs(dialect, schema, values) {
  const peer = peers[dialect];
  const parsed = JSON.parse(schema);
  let validate;
  try {
    validate = peer.compile(parsed);
  } catch (error) {
    return `refused: ${error.message}`;
  } finally {
    if (typeof parsed === 'object') peer.removeSchema(parsed);
  }
  return values.map((value) => {
    try {
      return validate(JSON.parse(value)) ? '1' : '0';
    } catch (error) {
      return '?';
    }
  }).join('');
}

// ---- differences ----

class Run {
  constructor(program, o) {
    this.ours = new Ours(program);
    this.options = o;
    this.pairs = 0;
    this.refused = 0; // by both
    this.valid = 0;
    this.found = new Map(reasons.map((reason) => [reason, { count: 0, example: null }]));
    this.unexplained = [];
  }

  async both(dialect, schema, values) {
    const texts = values.map(write);
    const text = write(schema);
    const [us, them] = [await this.ours.verdicts(dialect, text, texts), theirs(dialect, text, texts)];
    return [us, them];
  }

  async schema(number) {
    const dialect = number % 5 === 0 ? 'draft-07' : '2020-12';
    const maker = new Maker(this.options.seed * 1000003 + number, { dialect });
    const schema = maker.document();
    const values = Array.from({ length: VALUES }, () => maker.near(schema, schema));
    const [us, them] = await this.both(dialect, schema, values);
    this.pairs += VALUES;
    if (us.startsWith('refused') || them.startsWith('refused')) {
      if (us.startsWith('refused') && them.startsWith('refused')) this.refused += VALUES;
      else await this.differs(dialect, schema, null, us, them);
      return;
    }
    for (let i = 0; i < VALUES; i++) {
      if (us[i] === '1') this.valid++;
      if (us[i] !== them[i]) await this.differs(dialect, schema, values[i], us[i], them[i]);
    }
  }

  async differs(dialect, schema, value, us, them) {
    const kind = (answer) => answer.slice(0, 7) === 'refused' ? 'refused' : answer;
    const anything = kind(us) === 'refused' || kind(them) === 'refused'; // then the value says nothing
    const same = async (s, v) => {
      const [u, t] = await this.both(dialect, s, [v]);
      return anything ? (kind(u) === 'refused') === (kind(us) === 'refused') && (kind(t) === 'refused') === (kind(them) === 'refused')
        : u === us && t === them;
    };
    const [s, v] = await shrink(schema, value, same);
    const [u, t] = await this.both(dialect, s, [v]);
    this.explain({ dialect, schema: s, value: v, ours: u, theirs: t });
  }

  explain(difference) {
    const refused = [difference.ours, difference.theirs].some((answer) => answer.startsWith('refused'));
    const reason = reasons.find((r) => (r.refusals ?? false) === refused && r.is(difference));
    if (reason === undefined) {
      this.unexplained.push(difference);
      return;
    }
    const seen = this.found.get(reason);
    seen.count++;
    seen.example ??= difference;
  }

  show() {
    console.log(`${this.pairs} pairs, ${this.valid} valid, ${this.refused} with a schema that both refuse`);
    for (const [reason, { count, example }] of this.found) {
      if (count === 0) continue;
      console.log(`${String(count).padStart(6)}  ${reason.name}: ${reason.why}`);
      if (this.options.all) print(example, '          ');
    }
    const texts = new Map(this.unexplained.map((d) => [write(d.schema) + write(d.value), d]));
    console.log(`${String(this.unexplained.length).padStart(6)}  not explained`);
    for (const difference of [...texts.values()].slice(0, this.options.all ? Infinity : SHOWN)) print(difference, '');
  }
}

function print(d, indent) {
  console.log(`${indent}schema ${write(d.schema)}${d.dialect === 'draft-07' ? '  (draft-07)' : ''}`);
  console.log(`${indent}value  ${write(d.value)}`);
  console.log(`${indent}ours ${d.ours}, ajv ${d.theirs}`);
}

const [program, ...words] = process.argv.slice(2);
const run = new Run(program, options(words));
for (let number = 0; run.pairs < run.options.pairs; number++) await run.schema(number);
run.ours.close();
run.show();
process.exitCode = run.unexplained.length === 0 ? 0 : 1;
