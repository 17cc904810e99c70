// Schemas and documents near them, made at random and the same for the same seed.  Both are held as
// JavaScript values but for numbers, which are texts in Lexeme: JSON has more of them than JavaScript.

export class Lexeme {
  constructor(text) { this.text = text; }
}

export function write(value) {
  if (value instanceof Lexeme) return value.text;
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (value !== null && typeof value === 'object')
    return `{${Object.entries(value).map(([name, v]) => `${JSON.stringify(name)}:${write(v)}`).join(',')}}`;
  return JSON.stringify(value);
}

// An object that may have a member named __proto__.
export function object(entries) {
  const o = Object.create(null);
  for (const [name, value] of entries) o[name] = value;
  return o;
}

// ---- chance ----

// xorshift32: small, and the same everywhere.
export class Chance {
  constructor(seed) {
    this.state = (Math.imul(seed, 2654435761) ^ 0x9e3779b9) >>> 0 || 1;
    for (let i = 0; i < 8; i++) this.next();
  }

  next() {
    let x = this.state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.state = x >>> 0;
    return this.state;
  }

  below(n) { return this.next() % n; }
  one(list) { return list[this.below(list.length)]; }
  odds(percent) { return this.below(100) < percent; }
  some(list, most) {
    return [...new Set(Array.from({ length: this.below(most + 1) }, () => this.one(list)))];
  }
}

// ---- what schemas are made of ----

const NAMES = ['a', 'b', 'c', 'id', 'name', 'foo_bar', 'x-y', '', 'ä', 'longer_name_1', 'longer_name_2', '__proto__',
  'constructor', 'toString', '$ref', 'a/b', 'm~n', '0'];
const WORDS = ['', 'a', 'ab', 'abc', 'A', 'ä', 'äöü', '😀', '😀😀', 'a\nb', '1', 'true', 'null', 'foo', 'foo_bar', 'x-y',
  'red', 'green', 'a longer text with some words in it', '\u0000', '"', '\\', '\u2028'];
const NUMBERS = ['0', '1', '-1', '2', '3', '5', '7', '10', '100', '-0', '0.0', '1.0', '1e0', '10e-1', '0.5', '1.5', '0.1',
  '0.2', '0.3', '1e2', '2.50', '-2.5', '3.14', '1e-7', '9007199254740993', '9007199254740992',
  '123456789012345678901234567890', '1e400', '-1e400', '1e-400', '0.30000000000000004', '18446744073709551616'];
const SIMPLE_NUMBERS = ['0', '1', '-1', '2', '3', '4', '5', '10', '0.5', '1.5', '-2.5', '100'];

// pattern and texts that fit or nearly do
const PATTERNS = [
  ['^a', ['a', 'abc', 'ba']], ['b$', ['b', 'ab', 'b\n']], ['^[a-z]+$', ['abc', 'aBc', '']], ['^\\d{2,3}$', ['12', '1', '1234', '١٢']],
  ['^(red|green|blue)$', ['red', 'blue', 'redgreen']], ['^\\w+$', ['a_1', 'ä', '']], ['\\s', [' ', '\u00a0', '\ufeff', 'x']],
  ['^\\S*$', ['x', '\u2003', '']], ['.', ['\n', '\u2028', 'x', '']], ['^.{2}$', ['😀😀', '😀', 'ab']], ['^\\p{L}+$', ['äé', 'a1', '漢']],
  ['^\\p{Lu}', ['Ä', 'ä']], ['[^a-c]', ['abc', 'abd', '']], ['^a{2}b?c*$', ['aab', 'aaccc', 'abb']], ['(a)(b)\\2\\1', ['abba', 'abab']],
  ['^(?!foo)', ['foo', 'bar', 'foobar']], ['^(?=.*\\d)[a-z\\d]{3,}$', ['ab1', 'abc', '1']], ['(?<=a)b', ['ab', 'cb']],
  ['^\\u00e4\\x61$', ['äa', 'ä']], ['^\\u{1F600}$', ['😀', 'x']], ['[\\d-]', ['-', '5', 'x']], ['^$', ['', 'x']], ['', ['', 'x']],
  ['^https?://', ['http://x', 'ftp://x']], ['^[\\w.+-]+@[\\w-]+\\.[a-z]{2,}$', ['a@b.cd', 'a@b', '@b.cd']], ['\\bfoo\\b', ['foo', 'a foo b', 'foos']],
  ['^(?:a|ab)(?:c|bcd)$', ['abcd', 'ac', 'abc']], ['^[^\\s]+$', ['x', ' ']], ['^\\cA\\t$', ['\u0001\t', 'x']], ['[😀-😂]', ['😁', '😃']],
];
const FORMATS = {
  'date-time': ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.5+01:00', '2026-02-29T12:00:00Z', '2024-02-29t23:59:60z', '2026-01-31 12:00:00Z',
    '2026-01-31T24:00:00Z', '2026-01-31T12:00:00', '1998-12-31T23:59:60Z', '1998-12-31T22:59:60Z', '2026-01-31T12:00:00+24:00'],
  date: ['2026-01-31', '2026-02-30', '2024-02-29', '2026-1-31', '0000-01-01', '2026-13-01'],
  time: ['12:00:00Z', '12:00:00+01:00', '12:00:00', '23:59:60Z', '24:00:00Z', '12:00:00.123z', '08:30:06-08:00'],
  duration: ['P1D', 'P1Y2M3DT4H5M6S', 'PT', 'P', 'P1W', 'P1Y2W', 'PT0S', 'P1M2Y', 'PT1H30S', 'p1d'],
  email: ['a@b.example', 'a.b+c@d.example', '"a b"@c.example', 'a@', '@b', 'a..b@c.example', 'a@localhost', 'a@[127.0.0.1]', '.a@b.example'],
  hostname: ['example.com', 'a', '-a.example', 'a-.example', 'a_b.example', 'xn--bcher-kva.example', '', 'a..b', 'x'.repeat(64), 'EXAMPLE.com.'],
  ipv4: ['127.0.0.1', '256.0.0.1', '1.2.3', '01.2.3.4', '0.0.0.0'],
  ipv6: ['::1', 'fe80::1', '1:2:3:4:5:6:7:8', '1::2::3', '::ffff:1.2.3.4', '::1%eth0', '12345::', ':'],
  uri: ['http://a.example/b?c#d', 'urn:a:b', '/relative', 'http://[::1]/', 'http://a b/', 'http:// ', 'mailto:a@b', 'a:%zz', 'http://a.example/ä', ''],
  'uri-reference': ['../a?b#c', '', 'a b', '#x', 'http://a.example', '\\\\a', 'a%2', '//h/p'],
  'uri-template': ['http://a/{b}', '{', '{+a,b*}', '{a:3}', 'a b', '{a', '{?x,y}'],
  uuid: ['01234567-89ab-cdef-0123-456789abcdef', '01234567-89AB-CDEF-0123-456789ABCDEF', '0123456789abcdef0123456789abcdef', 'x',
    'urn:uuid:01234567-89ab-cdef-0123-456789abcdef'],
  'json-pointer': ['', '/a/b', 'a', '/a~0b', '/a~2', '/~', '#/a'],
  'relative-json-pointer': ['0', '1/a', '01', '1#', '/a', '-1/a'],
  regex: ['^a$', '(', '[', '\\d', '(?<n>a)\\k<n>', '\\Z', '(?i)a', 'a{2,1}', '\\p{L}', '\\a', '(?=a)*'],
  password: ['x'],
  'no-such-format': ['x'],
};
const CHARACTERS = [...'aZ09:/?#[]@!$&()*+,;=%-._~ {}\\"^|<>`äTtPWSD\n'];
const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];

export class Maker {
  constructor(seed, { dialect = '2020-12' } = {}) {
    this.chance = new Chance(seed);
    this.old = dialect === 'draft-07';
    this.defs = this.old ? 'definitions' : '$defs';
    this.wild = this.chance.odds(15); // numbers and names that JavaScript has trouble with
    this.named = []; // definitions
    this.floor = 0; // those before it can't be referred to from here: a schema would be its own reason
  }

  lexeme() { return new Lexeme(this.chance.one(this.wild ? NUMBERS : SIMPLE_NUMBERS)); }
  count() { return new Lexeme(String(this.chance.below(4))); }
  name() { return NAMES[this.chance.below(this.wild ? NAMES.length : 10)]; }
  names(most) { return [...new Set(Array.from({ length: this.chance.below(most + 1) }, () => this.name()))]; }
  word() { return this.chance.one(WORDS); }

  // ---- values without regard to a schema ----

  value(depth) {
    const c = this.chance;
    switch (c.below(depth > 0 ? 9 : 6)) {
      case 0: return null;
      case 1: return c.odds(50);
      case 2: case 3: return this.lexeme();
      case 4: case 5: return this.word();
      case 6: return Array.from({ length: c.below(4) }, () => this.value(depth - 1));
      default: return object(this.names(3).map((name) => [name, this.value(depth - 1)]));
    }
  }

  // ---- schemas ----

  // A whole one, with definitions that it and they refer to.  Some are about one thing.
  document() {
    const c = this.chance;
    const about = c.below(100);
    if (about < 15) return object([['format', c.one(Object.keys(FORMATS))]]);
    if (about < 22) return object([['pattern', c.one(PATTERNS)[0]]]);
    this.leftOver = about < 45 && !this.old; // unevaluated…
    this.named = Array.from({ length: c.below(4) }, (_, i) => `d${i}`);
    const schema = this.schema(3);
    if (typeof schema === 'boolean' || this.named.length === 0) return schema;
    schema[this.defs] = object(this.named.map((name, i) => {
      this.floor = i + 1;
      return [name, this.schema(2)];
    }));
    return schema;
  }

  // A schema for something within the value, from where all definitions can be referred to.
  inner(depth) {
    const floor = this.floor;
    this.floor = 0;
    const schema = this.schema(depth);
    this.floor = floor;
    return schema;
  }

  schema(depth) {
    const c = this.chance;
    const s = object([]);
    if (c.odds(depth > 0 ? 4 : 12)) return c.odds(70);
    if (this.leftOver && c.odds(50)) s.type = c.one(['array', 'object']);
    else if (c.odds(60)) s.type = c.odds(80) ? c.one(TYPES) : c.some(TYPES, 3);
    if (Array.isArray(s.type) && s.type.length === 0) delete s.type;
    if (c.odds(this.leftOver ? 3 : 20)) s.enum = this.enumeration();
    else if (c.odds(this.leftOver ? 3 : 10)) s.const = this.value(2);
    this.scalars(s);
    if (depth <= 0) return s;
    if (this.wants(s, 'array', 30)) this.arrays(s, depth - 1);
    if (this.wants(s, 'object', 50)) this.objects(s, depth - 1);
    if (c.odds(this.leftOver ? 70 : 35)) this.combinations(s, depth - 1);
    return s;
  }

  // Keywords of a type are mostly put where the type is.
  wants(s, type, percent) {
    if (s.type === undefined) return this.chance.odds(percent / 2);
    return this.chance.odds(s.type === type || s.type.includes(type) ? percent * 2 : 5);
  }

  enumeration() {
    const values = new Map();
    for (let i = 0; i <= this.chance.below(4); i++) {
      const value = this.value(1);
      values.set(write(value), value);
    }
    return [...values.values()];
  }

  scalars(s) {
    const c = this.chance;
    if (this.wants(s, 'number', 20) || this.wants(s, 'integer', 20)) {
      if (c.odds(40)) s.minimum = this.lexeme();
      if (c.odds(40)) s.maximum = this.lexeme();
      if (c.odds(15)) s.exclusiveMinimum = this.lexeme();
      if (c.odds(15)) s.exclusiveMaximum = this.lexeme();
      if (c.odds(25)) s.multipleOf = new Lexeme(c.one(this.wild ? ['0.1', '0.01', '1e-8', '3', '0.5', '1e3'] : ['1', '2', '3', '5', '0.5', '2.5']));
    }
    if (this.wants(s, 'string', 25)) {
      if (c.odds(40)) s.minLength = this.count();
      if (c.odds(40)) s.maxLength = this.count();
      if (c.odds(35)) s.pattern = c.one(PATTERNS)[0];
      if (c.odds(30)) s.format = c.one(Object.keys(FORMATS));
    }
  }

  arrays(s, depth) {
    const c = this.chance;
    if (c.odds(35)) s[this.old ? 'items' : 'prefixItems'] = Array.from({ length: 1 + c.below(3) }, () => this.inner(depth));
    if (this.old && s.items && c.odds(50)) s.additionalItems = this.inner(depth);
    if (!(this.old && s.items) && c.odds(50)) s.items = this.inner(depth);
    if (c.odds(20)) s.contains = this.inner(depth);
    if (s.contains !== undefined && !this.old && c.odds(40)) s.minContains = this.count();
    if (s.contains !== undefined && !this.old && c.odds(40)) s.maxContains = this.count();
    if (c.odds(30)) s.minItems = this.count();
    if (c.odds(30)) s.maxItems = this.count();
    if (c.odds(25)) s.uniqueItems = c.odds(80);
    if (!this.old && c.odds(this.leftOver ? 60 : 15)) s.unevaluatedItems = c.odds(60) ? false : this.inner(0);
  }

  objects(s, depth) {
    const c = this.chance;
    if (c.odds(80)) s.properties = object(this.names(4).map((name) => [name, this.inner(depth)]));
    if (c.odds(20)) s.patternProperties = object(c.some(PATTERNS, 2).map(([pattern]) => [pattern, this.inner(depth)]));
    if (c.odds(40)) s.additionalProperties = c.odds(60) ? false : this.inner(depth);
    if (c.odds(50)) s.required = this.names(3);
    if (c.odds(12)) s.minProperties = this.count();
    if (c.odds(12)) s.maxProperties = this.count();
    if (c.odds(12)) s.propertyNames = this.inner(0);
    if (c.odds(12)) this.dependents(s, depth);
    if (!this.old && c.odds(this.leftOver ? 60 : 15)) s.unevaluatedProperties = c.odds(60) ? false : this.inner(0);
  }

  dependents(s, depth) {
    const c = this.chance;
    const lists = () => object(this.names(2).map((name) => [name, this.names(2)]));
    const schemas = () => object(this.names(2).map((name) => [name, this.schema(depth)]));
    if (this.old) {
      s.dependencies = c.odds(50) ? lists() : schemas();
      return;
    }
    if (c.odds(60)) s.dependentRequired = lists();
    if (c.odds(60)) s.dependentSchemas = schemas();
  }

  combinations(s, depth) {
    const c = this.chance;
    const branches = () => Array.from({ length: 1 + c.below(3) }, () => this.schema(depth));
    if (c.odds(30)) s.allOf = branches();
    if (c.odds(30)) s.anyOf = branches();
    if (c.odds(25)) s.oneOf = branches();
    if (c.odds(15)) s.not = this.schema(depth);
    if (c.odds(20)) {
      s.if = this.schema(depth);
      if (c.odds(70)) s.then = this.schema(depth);
      if (c.odds(70)) s.else = this.schema(depth);
    }
    if (this.floor < this.named.length && c.odds(this.old ? 15 : 40))
      s.$ref = `#/${this.defs}/${c.one(this.named.slice(this.floor))}`;
  }

  // ---- values that mean to fit ----

  near(schema, root) {
    this.root = root;
    let value = this.fit(schema, 5);
    for (let i = this.chance.below(3); i > 0; i--) value = this.spoil(value);
    return value;
  }

  resolve(schema) {
    const name = schema.$ref?.split('/')[2];
    return name !== undefined ? this.root[this.defs]?.[name] ?? true : true;
  }

  fit(schema, depth) {
    const c = this.chance;
    if (typeof schema === 'boolean' || depth <= 0) return this.value(1);
    if (schema.const !== undefined && c.odds(90)) return schema.const;
    if (schema.enum !== undefined && c.odds(90)) return c.one(schema.enum);
    if (schema.$ref !== undefined && c.odds(50)) return this.fit(this.resolve(schema), depth - 1);
    for (const word of ['allOf', 'anyOf', 'oneOf'])
      if (schema[word] !== undefined && c.odds(35)) return this.merge(schema, this.fit(c.one(schema[word]), depth - 1), depth);
    for (const word of ['then', 'else', 'if'])
      if (schema[word] !== undefined && c.odds(20)) return this.merge(schema, this.fit(schema[word], depth - 1), depth);
    return this.typed(schema, this.typeOf(schema), depth);
  }

  // An object that a branch asks for, with the members the schema around it asks for.
  merge(schema, value, depth) {
    if (value === null || typeof value !== 'object' || Array.isArray(value) || value instanceof Lexeme) return value;
    if (this.typeOf(schema) !== 'object') return value;
    return object([...Object.entries(this.typed(schema, 'object', depth)), ...Object.entries(value)]);
  }

  typeOf(schema) {
    const c = this.chance;
    if (Array.isArray(schema.type)) return c.one(schema.type);
    if (schema.type !== undefined) return schema.type;
    const hints = [['object', ['properties', 'required', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'dependentRequired',
      'dependentSchemas', 'dependencies', 'propertyNames']], ['array', ['items', 'prefixItems', 'contains', 'uniqueItems', 'unevaluatedItems']],
    ['string', ['pattern', 'format', 'minLength', 'maxLength']], ['number', ['minimum', 'maximum', 'multipleOf']]];
    for (const [type, words] of hints)
      if (words.some((word) => schema[word] !== undefined) && c.odds(80)) return type;
    return c.one(TYPES);
  }

  typed(schema, type, depth) {
    const c = this.chance;
    switch (type) {
      case 'null': return null;
      case 'boolean': return c.odds(50);
      case 'integer': case 'number': return this.number(schema);
      case 'string': return this.string(schema);
      case 'array': return this.array(schema, depth);
      default: return this.members(schema, depth);
    }
  }

  number(schema) {
    const c = this.chance;
    for (const word of ['minimum', 'maximum', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum'])
      if (schema[word] !== undefined && c.odds(25)) return schema[word];
    return this.lexeme();
  }

  string(schema) {
    const c = this.chance;
    if (schema.pattern !== undefined && c.odds(80)) return c.one(PATTERNS.find(([pattern]) => pattern === schema.pattern)[1]);
    if (schema.format !== undefined && c.odds(90)) {
      const text = c.one(FORMATS[schema.format]);
      return c.odds(40) ? this.misspelt(text) : text;
    }
    return this.word();
  }

  // One character more, less or another.
  misspelt(text) {
    const c = this.chance;
    const characters = [...text];
    const at = c.below(characters.length + 1);
    const other = c.odds(66) ? [c.one(CHARACTERS)] : [];
    characters.splice(at, c.below(2), ...other);
    return characters.join('');
  }

  array(schema, depth) {
    const c = this.chance;
    const first = this.old ? (Array.isArray(schema.items) ? schema.items : []) : schema.prefixItems ?? [];
    const rest = (this.old && Array.isArray(schema.items) ? schema.additionalItems : schema.items) ?? true;
    const items = [];
    for (let i = 0, n = c.below(5); i < n; i++) {
      if (i < first.length) items.push(this.fit(first[i], depth - 1));
      else if (schema.contains !== undefined && c.odds(40)) items.push(this.fit(schema.contains, depth - 1));
      else items.push(items.length !== 0 && c.odds(15) ? c.one(items) : this.fit(rest, depth - 1));
    }
    return items;
  }

  members(schema, depth) {
    const c = this.chance;
    const known = Object.keys(schema.properties ?? {});
    const names = new Set([...(schema.required ?? []).filter(() => c.odds(90)), ...known.filter(() => c.odds(60))]);
    for (const [pattern, texts] of PATTERNS)
      if (schema.patternProperties?.[pattern] !== undefined && c.odds(60)) names.add(c.one(texts));
    if (c.odds(schema.additionalProperties === false ? 10 : 30)) names.add(this.name());
    return object([...names].map((name) => [name, this.fit(this.memberSchema(schema, name), depth - 1)]));
  }

  memberSchema(schema, name) {
    if (schema.properties?.[name] !== undefined) return schema.properties[name];
    for (const [pattern, s] of Object.entries(schema.patternProperties ?? {}))
      if (new RegExp(pattern, 'u').test(name)) return s;
    return schema.additionalProperties || true;
  }

  // Change one thing somewhere.
  spoil(value) {
    const c = this.chance;
    if (value === null || typeof value !== 'object' || value instanceof Lexeme || c.odds(20)) return this.value(1);
    if (Array.isArray(value)) return this.spoilArray(value);
    const entries = Object.entries(value);
    if (entries.length === 0 || c.odds(20)) return object([...entries, [this.name(), this.value(1)]]);
    const i = c.below(entries.length);
    if (c.odds(35)) entries.splice(i, 1);
    else entries[i] = [entries[i][0], this.spoil(entries[i][1])];
    return object(entries);
  }

  spoilArray(items) {
    const c = this.chance;
    const copy = [...items];
    if (copy.length === 0 || c.odds(30)) copy.push(this.value(1));
    else if (c.odds(40)) copy.splice(c.below(copy.length), 1);
    else {
      const i = c.below(copy.length);
      copy[i] = this.spoil(copy[i]);
    }
    return copy;
  }
}
