// For every kind of field, what it takes and what it says: just under, exactly at and just over each limit.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  argument,
  boolean,
  choice,
  country,
  currency,
  email,
  integer,
  json,
  language,
  list,
  many,
  object,
  one,
  optional,
  password,
  readOnly,
  state,
  text,
  timestamp,
  token,
  url,
} from 'duet-api'
import { type AnyField, type PartName, specOf } from './field.ts'
import './kinds.ts'
import { initialValue, kindOf } from './registry.ts'

const partName: PartName = (part, spec) => (spec.kind === 'one' ? `${part}_id` : part)
const smile = '😀'
const seconds = (fraction: string) => `2026-11-20T09:30:00${fraction}Z`

type Row = readonly [field: AnyField, sent: unknown, taken: { as: unknown } | { problems: Record<string, string> }]
const same = (field: AnyField, sent: unknown): Row => [field, sent, { as: sent }]
const as = (field: AnyField, sent: unknown, value: unknown): Row => [field, sent, { as: value }]
const not = (field: AnyField, sent: unknown, ...said: readonly [string] | readonly [string, string]): Row => {
  const [path, message] = said.length === 1 ? ['', said[0]] : said
  return [field, sent, { problems: { [path]: message } }]
}

const name = text({ max: 5 })
const phrase = text({ min: 3, max: 5 })
const secret = password({ min: 8, max: 10 })
const stars = integer({ min: 1, max: 5 })
const moment = 'Must be a moment in ISO 8601, such as 2026-11-20T09:30:00.000Z.'
const address = 'Must be an e-mail address.'
const link = 'Must be an absolute http or https address.'
const unstorable = 'Must not contain NUL or half a surrogate pair.'
const basket = list(
  object({
    product: one('Product'),
    quantity: integer({ min: 1, max: 99 }),
    note: optional(text({ max: 3 })),
    unit: text({ max: 9, default: 'piece' }),
    tags: list(text({ max: 2 }), { max: 1 }),
    price: readOnly(integer()),
  }),
  { min: 1, max: 2 },
)
const line = { product_id: 'prod_1', quantity: 1 }
const lineAs = { product: 'prod_1', quantity: 1, note: null, unit: 'piece', tags: [] }

const tables: Record<string, readonly Row[]> = {
  text: [
    not(name, '', 'Must not be empty.'),
    same(name, 'a'),
    same(name, 'abcde'),
    not(name, 'abcdef', 'At most 5 characters.'),
    same(name, smile.repeat(5)),
    not(name, smile.repeat(6), 'At most 5 characters.'),
    not(phrase, 'ab', 'At least 3 characters.'),
    not(phrase, smile.repeat(2), 'At least 3 characters.'),
    same(phrase, 'abc'),
    same(text({ min: 0, max: 5 }), ''),
    not(name, 5, 'Must be text.'),
    not(name, null, 'Must be text.'),
    not(name, 'a\0', unstorable),
    not(name, '\ud83d', unstorable),
    not(name, '\ude00a', unstorable),
  ],
  email: [
    as(email(), 'Ada.Lovelace+x@Example.COM', 'ada.lovelace+x@example.com'),
    same(email(), `${'a'.repeat(64)}@b.cd`),
    not(email(), `${'a'.repeat(65)}@b.cd`, address),
    same(email(), `a@${'b'.repeat(63)}.cd`),
    not(email(), `a@${'b'.repeat(64)}.cd`, address),
    same(email(), `a@${'b.'.repeat(125)}cd`),
    not(email(), `a@${'b.'.repeat(126)}cd`, 'At most 254 characters.'),
    ...[
      'a',
      'a@b',
      '@b.cd',
      'a@b..cd',
      'a@.cd',
      'a@b.cd.',
      'a@-b.cd',
      'a@b-.cd',
      'a.@b.cd',
      '.a@b.cd',
      'a..a@b.cd',
    ].map((sent) => not(email(), sent, address)),
    ...['a b@c.de', 'a@b.cd ', ' a@b.cd', 'a@b.cd\n', '"a"@b.cd', 'a@b@c.de', 'a@[127.0.0.1]', 'ä@b.cd', 'a@ä.cd'].map(
      (sent) => not(email(), sent, address),
    ),
    not(email(), '\u212a@b.cd', address), // the Kelvin sign, whose small letter is k
    not(email(), 'a\u007f@b.cd', address),
  ],
  url: [
    same(url(), 'http://a'),
    same(url(), 'HTTPS://Example.com:8080/a/b.png?c=d&e=%20#f'),
    same(url(), 'https://[2001:db8::1]/x'),
    same(url(), `https://a.bc/${'d'.repeat(2_035)}`),
    not(url(), `https://a.bc/${'d'.repeat(2_036)}`, 'At most 2048 characters.'),
    ...[
      'a',
      '/a',
      '//a.bc',
      'ftp://a.bc',
      'javascript:alert(1)',
      'data:text/html,x',
      'http:',
      'http://',
      'http:a.bc',
    ].map((sent) => not(url(), sent, link)),
    ...[
      'http://a b',
      ' http://a',
      'http://a\n',
      'http://a/%',
      'http://a/%2',
      'http://a/"',
      'http://a/<b>',
      'http://ä.de',
    ].map((sent) => not(url(), sent, link)),
    ...[
      'http://me@a.bc',
      'http://me:word@a.bc/',
      'http://999.999.999.999',
      'http://a:65536',
      'http://a\\b',
      'http://[::1',
    ].map((sent) => not(url(), sent, link)),
  ],
  currency: [
    same(currency(), 'EUR'),
    same(currency(), 'JPY'),
    not(currency(), 'eur', 'Must be a currency code of ISO 4217.'),
    not(currency(), 'EU', 'Must be a currency code of ISO 4217.'),
    not(currency(), 'QQQ', 'Must be a currency code of ISO 4217.'),
    not(currency(), 'EURO', 'At most 3 characters.'),
  ],
  country: [
    same(country(), 'AT'),
    not(country(), 'at', 'Must be a country code of ISO 3166-1.'),
    not(country(), 'XK', 'Must be a country code of ISO 3166-1.'),
    not(country(), 'A', 'Must be a country code of ISO 3166-1.'),
    not(country(), 'AUT', 'At most 2 characters.'),
  ],
  language: [
    same(language(), 'de'),
    same(language(), 'gsw'),
    not(language(), 'DE', 'Must be a language code of ISO 639.'),
    not(language(), 'deu', 'Must be a language code of ISO 639.'),
    not(language(), 'd', 'Must be a language code of ISO 639.'),
    not(language(), 'de-AT', 'At most 3 characters.'),
  ],
  integer: [
    not(stars, 0, 'At least 1.'),
    same(stars, 1),
    same(stars, 5),
    not(stars, 6, 'At most 5.'),
    same(integer(), 2_147_483_646),
    same(integer(), 2_147_483_647),
    not(integer(), 2_147_483_648, 'At most 2147483647.'),
    same(integer(), -2_147_483_648),
    not(integer(), -2_147_483_649, 'At least -2147483648.'),
    not(stars, 1.5, 'Must be a whole number.'),
    not(stars, '1', 'Must be a whole number.'),
    not(stars, true, 'Must be a whole number.'),
    not(stars, Number.NaN, 'Must be a whole number.'),
    not(stars, Number.POSITIVE_INFINITY, 'Must be a whole number.'),
    as(integer(), -0, 0),
  ],
  boolean: [
    same(boolean(), true),
    same(boolean(), false),
    not(boolean(), 'true', 'Must be true or false.'),
    not(boolean(), 1, 'Must be true or false.'),
    not(boolean(), null, 'Must be true or false.'),
  ],
  timestamp: [
    as(timestamp(), seconds(''), new Date(seconds('.000'))),
    as(timestamp(), seconds('.5'), new Date(seconds('.500'))),
    as(timestamp(), seconds('.123456789'), new Date(seconds('.123'))),
    not(timestamp(), seconds('.1234567890'), moment),
    as(timestamp(), '2026-11-20T23:59:59+23:59', new Date('2026-11-20T00:00:59Z')),
    not(timestamp(), '2026-11-20T23:59:59+24:00', moment),
    not(timestamp(), '2026-11-20T23:59:59+00:60', moment),
    not(timestamp(), '2026-11-20T23:59:60Z', moment),
    not(timestamp(), '2026-11-20T23:60:59Z', moment),
    not(timestamp(), '2026-11-20T24:00:00Z', moment),
    as(timestamp(), '2024-02-29T00:00:00Z', new Date('2024-02-29T00:00:00Z')),
    not(timestamp(), '2026-02-29T00:00:00Z', moment),
    not(timestamp(), '2026-04-31T00:00:00Z', moment),
    not(timestamp(), '2026-00-10T00:00:00Z', moment),
    not(timestamp(), '2026-13-10T00:00:00Z', moment),
    as(timestamp(), '0001-01-01T00:00:00Z', new Date('0001-01-01T00:00:00Z')),
    not(timestamp(), '0001-01-01T00:00:00+00:01', moment),
    as(timestamp(), '9999-12-31T23:59:59.999Z', new Date('9999-12-31T23:59:59.999Z')),
    not(timestamp(), '9999-12-31T23:59:59.999-00:01', moment),
    ...[
      '2026-11-20',
      '2026-11-20T09:30Z',
      '2026-11-20 09:30:00Z',
      '2026-11-20t09:30:00z',
      seconds('').slice(0, -1),
    ].map((sent) => not(timestamp(), sent, moment)),
    not(timestamp(), 1_763_631_000_000, moment),
    not(timestamp(), null, moment),
  ],
  choice: [
    same(choice(['a', 'b']), 'b'),
    not(choice(['a', 'b']), 'c', 'Must be one of a, b.'),
    not(choice(['a', 'b']), 'A', 'Must be one of a, b.'),
    not(choice(['a', 'b']), 0, 'Must be one of a, b.'),
    not(choice(['a', 'b']), ['a'], 'Must be one of a, b.'),
  ],
  json: [
    same(json({ maxBytes: 7 }), {}),
    same(json({ maxBytes: 7 }), { a: 1 }),
    same(json({ maxBytes: 7 }), { b: 1 }),
    not(json({ maxBytes: 7 }), { a: 12 }, 'At most 7 bytes of JSON.'),
    same(json({ maxBytes: 12 }), { a: smile }),
    not(json({ maxBytes: 11 }), { a: smile }, 'At most 11 bytes of JSON.'),
    not(json({ maxBytes: 99 }), [], 'Must be a JSON object.'),
    not(json({ maxBytes: 99 }), null, 'Must be a JSON object.'),
    not(json({ maxBytes: 99 }), 'a', 'Must be a JSON object.'),
    not(json({ maxBytes: 99 }), { a: ['\0'] }, unstorable),
    not(json({ maxBytes: 99 }), { 'a\0': 1 }, unstorable),
    not(json({ maxBytes: 99 }), { a: { b: '\\\udc00' } }, unstorable),
    same(json({ maxBytes: 99 }), { a: '\\u0000', b: '\\\\ud800', c: smile, d: '\x01' }),
  ],
  list: [
    not(list(name, { min: 1, max: 2 }), [], 'At least 1 in the list.'),
    same(list(name, { min: 1, max: 2 }), ['a']),
    same(list(name, { min: 1, max: 2 }), ['a', 'b']),
    not(list(name, { min: 1, max: 2 }), ['a', 'b', 'c'], 'At most 2 in the list.'),
    same(list(name, { max: 2 }), []),
    not(list(name, { max: 2 }), ['a', 'abcdef'], '[1]', 'At most 5 characters.'),
    not(list(name, { max: 2 }), 'a', 'Must be a list.'),
    not(list(name, { max: 2 }), { 0: 'a', length: 1 }, 'Must be a list.'),
    not(list(list(name, { max: 2 }), { max: 2 }), [['a'], ['']], '[1][0]', 'Must not be empty.'),
  ],
  object: [
    as(basket, [line], [lineAs]),
    as(
      basket,
      [{ ...line, note: 'abc', unit: 'kg', tags: ['a'] }],
      [{ ...lineAs, note: 'abc', unit: 'kg', tags: ['a'] }],
    ),
    as(basket, [{ ...line, note: null }], [lineAs]),
    not(basket, [line, { product_id: 'prod_1' }], '[1].quantity', 'Is required.'),
    not(basket, [{ ...line, quantity: 100 }], '[0].quantity', 'At most 99.'),
    not(basket, [{ ...line, quantity: null }], '[0].quantity', 'Must be a whole number.'),
    not(basket, [{ ...line, unit: null }], '[0].unit', 'Must be text.'),
    not(basket, [{ ...line, tags: ['abc'] }], '[0].tags[0]', 'At most 2 characters.'),
    not(basket, [{ ...line, price: 1 }], '[0].price', 'There is no such field.'),
    not(basket, [{ ...line, product: 'prod_1' }], '[0].product', 'There is no such field.'),
    not(
      basket,
      [JSON.parse('{"product_id":"p","quantity":1,"__proto__":{}}')],
      '[0].__proto__',
      'There is no such field.',
    ),
    not(basket, [[]], '[0]', 'Must be an object.'),
    not(basket, [null], '[0]', 'Must be an object.'),
  ],
  one: [
    same(one('User'), 'usr_1'),
    same(one('User'), 'a'.repeat(64)),
    not(one('User'), 'a'.repeat(65), 'At most 64 characters.'),
    not(one('User'), 1, 'Must be an id.'),
    not(one('User'), null, 'Must be an id.'),
    not(one('User'), 'usr_\0', unstorable),
  ],
  password: [
    not(secret, 'a'.repeat(7), 'At least 8 characters.'),
    same(secret, 'a'.repeat(8)),
    same(secret, 'a'.repeat(10)),
    not(secret, 'a'.repeat(11), 'At most 10 characters.'),
    not(secret, smile.repeat(7), 'At least 8 characters.'),
    same(secret, smile.repeat(10)),
    not(secret, 12_345_678, 'Must be text.'),
    not(secret, 'aaaaaaa\0', unstorable),
  ],
  argument: [same(argument(stars), 5), not(argument(stars), 6, 'At most 5.')],
  'what nobody sends': [
    not(token({ prefix: 'k_' }), 'k_1', 'Is made by the service.'),
    not(many('Post', 'author'), ['post_1'], 'Cannot be written.'),
  ],
}

for (const [kind, rows] of Object.entries(tables)) {
  test(`${kind}: what is taken, and what is said of the rest (contract 7.2.5)`, () => {
    for (const [field, sent, taken] of rows) {
      const spec = specOf(field)
      const problems: Record<string, string> = {}
      const report = (path: string, message: string) => {
        assert.equal(problems[path], undefined, `${JSON.stringify(sent)} has two problems at one place`)
        problems[path] = message
      }
      const value = kindOf(spec).check(spec, sent, report, partName)
      const row = `${spec.kind} ${JSON.stringify(sent)?.slice(0, 80)}`
      if ('problems' in taken) assert.deepEqual(problems, taken.problems, row)
      else assert.deepEqual([problems, value], [{}, taken.as], row)
    }
  })
}

test('two problems of one value are reported together (contract 7.2.4)', () => {
  const problems: [string, string][] = []
  const spec = specOf(basket)
  const sent = [{ quantity: 0, colour: 'red' }, 5]
  kindOf(spec).check(spec, sent, (path, message) => problems.push([path, message]), partName)
  assert.deepEqual(problems, [
    ['[0].colour', 'There is no such field.'],
    ['[0].product_id', 'Is required.'],
    ['[0].quantity', 'At least 1.'],
    ['[1]', 'Must be an object.'],
  ])
})

test('an omitted field starts with its default, with null, or is required', () => {
  const rows: readonly (readonly [AnyField, unknown])[] = [
    [name, undefined],
    [text({ max: 9, default: 'x' }), 'x'],
    [optional(name), null],
    [optional(text({ max: 9, default: 'x' })), 'x'],
    [boolean({ default: false }), false],
    [integer({ default: 0 }), 0],
    [choice(['a', 'b']), undefined],
    [choice(['a', 'b'], { default: 'b' }), 'b'],
    [state('a', 'b'), 'a'],
    [state(['a', 'b'], { was: 'phase' }), 'a'],
    [json({ maxBytes: 9 }), {}],
    [list(name, { max: 9 }), []],
    [list(name, { min: 1, max: 9 }), undefined],
    [object({ name }), undefined],
    [one('User'), undefined],
    [optional(one('User')), null],
    [token({ prefix: 'k_' }), null],
    [secret, undefined],
  ]
  for (const [field, value] of rows) assert.deepEqual(initialValue(specOf(field)), value, JSON.stringify(field))
})
