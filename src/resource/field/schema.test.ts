// What a field takes is what its JSON Schema says, so that OpenAPI never promises what the service refuses.
// Ajv is the oracle. The exceptions stand at the end: what JSON Schema cannot say.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  argument,
  bigint,
  boolean,
  choice,
  country,
  currency,
  decimal,
  email,
  integer,
  json,
  language,
  list,
  object,
  one,
  optional,
  password,
  readOnly,
  text,
  timestamp,
  url,
} from 'duet-api'
import fc from 'fast-check'
import { api } from '../../../reference/service.ts'
import { library } from '../../../test/support/domain/library.ts'
import { compileSchema } from '../../../test/support/oracle/json-schema.ts'
import { compileModel } from '../model/compile/compile-model.ts'
import { type AnyField, type Field, type PartName, specOf } from './field.ts'
import './kinds.ts'
import { kindOf, valueSchema } from './registry.ts'

/** A part is called otherwise by clients than in the definition; a relation too. */
const partName: PartName = (part, spec) => (spec.kind === 'one' ? `${part}_id` : `its_${part}`)

const takes = (field: AnyField, value: unknown): boolean => {
  let taken = true
  const refuse = () => {
    taken = false
  }
  kindOf(specOf(field)).check(specOf(field), value, refuse, partName)
  return taken
}
const schemaOf = (field: AnyField) => kindOf(specOf(field)).schema(specOf(field), true, partName)

// ── Random fields, and for each of them random values: many that fit, many that almost do ───────────────────────────

type Lone = Field<string, unknown, unknown, unknown, string>
/** A field, and values that are near its limits. */
type Case = { readonly field: Lone; readonly near: fc.Arbitrary<unknown> }
const limits = (least: number, most: number) =>
  fc.tuple(fc.integer({ min: least, max: most }), fc.integer({ min: least, max: most })).map(([a, b]) => ({
    min: Math.min(a, b),
    max: Math.max(a, b),
  }))
const characters = (max: number) =>
  fc.array(fc.constantFrom('a', 'ß', '漢', '😀', ' ', '\n', '"', '\\'), { maxLength: max }).map((each) => each.join(''))

const texts: fc.Arbitrary<Case> = limits(0, 6).map(({ min, max }) => ({
  field: text({ min, max: max + 1 }),
  near: characters(max + 3),
}))
const patterned: fc.Arbitrary<Case> = fc
  .constantFrom('a+', '^a+$', 'a|ß', '^a|ß$', '^a\\$', '[^a]*', '.', '', '\\p{L}+', '😀{2}', '(?!a).+', '^$')
  .map((pattern) => ({ field: text({ min: 0, max: 6, pattern }), near: characters(3) }))
const passwords: fc.Arbitrary<Case> = limits(1, 6).map((limit) => ({
  field: password(limit),
  near: characters(limit.max + 2),
}))
const integers: fc.Arbitrary<Case> = limits(-9, 9).map(({ min, max }) => ({
  field: integer({ min, max }),
  near: fc.oneof(fc.integer({ min: min - 2, max: max + 2 }), fc.constantFrom(-0, 0.5, 1e300)),
}))
const wideIntegers: fc.Arbitrary<Case> = fc.constant({
  field: integer(),
  near: fc.constantFrom(2_147_483_647, 2_147_483_648, -2_147_483_648, -2_147_483_649, 1.0),
})
const booleans: fc.Arbitrary<Case> = fc.constant({ field: boolean(), near: fc.constantFrom(true, false, 'true', 0) })
const choices: fc.Arbitrary<Case> = fc
  .uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 })
  .map((values) => ({ field: choice(values), near: fc.constantFrom('a', 'b', 'c', 'd', 'A', '') }))
const ids: fc.Arbitrary<Case> = fc.constant({
  field: one('Product'),
  near: fc.integer({ min: 0, max: 70 }).map((length) => 'p'.repeat(length)),
})
const two = (max: number) => fc.integer({ min: 0, max }).map((number) => String(number).padStart(2, '0'))
const moments: fc.Arbitrary<Case> = fc.constant({
  field: timestamp(),
  near: fc
    .tuple(
      fc.constantFrom('2024', '2026', '1900', '2000', '0400', '26'),
      two(13),
      two(32),
      fc.constantFrom('T', 't', ' ', ''),
      two(25),
      two(61),
      two(61),
      fc.constantFrom('', '.', '.1', '.123456789', '.1234567890', ',5'),
      fc.constantFrom('Z', 'z', '', '+00:00', '-23:59', '+24:00', '+02:60', '+0200', '+02'),
    )
    .map(
      ([year, month, day, t, hour, minute, second, fraction, zone]) =>
        `${year}-${month}-${day}${t}${hour}:${minute}:${second}${fraction}${zone}`,
    ),
})
const plain = fc.oneof(texts, patterned, passwords, integers, wideIntegers, booleans, choices, ids, moments)
const embeddable = fc.oneof(texts, patterned, integers, booleans, choices, ids, moments)

const lists = (of: fc.Arbitrary<Case>): fc.Arbitrary<Case> =>
  fc.tuple(of, limits(0, 3)).map(([{ field, near }, { min, max }]) => ({
    field: list(field, { min, max: max + 1 }),
    near: fc.array(near, { maxLength: max + 3 }),
  }))
const wraps: Record<string, (of: Lone) => Lone> = { plain: (of) => of, optional, readOnly: readOnly as never }
const objects = (of: fc.Arbitrary<Case>): fc.Arbitrary<Case> =>
  fc
    .dictionary(fc.constantFrom('a', 'b', 'c'), fc.tuple(of, fc.constantFrom('plain', 'optional', 'readOnly')), {
      minKeys: 1,
    })
    .map((parts) => {
      const fields = Object.entries(parts).map(([part, [{ field }, wrap]]) => [part, wraps[wrap]!(field)] as const)
      const near = Object.entries(parts).map(([part, [{ field, near: inner }]]) => {
        const value = fc.oneof({ weight: 9, arbitrary: inner }, fc.constantFrom(null, undefined))
        return [partName(part, specOf(field)), value] as const
      })
      return {
        field: object(Object.fromEntries(fields)),
        near: fc.oneof(
          fc.record(Object.fromEntries(near), { requiredKeys: [] }).map(withoutUndefined),
          fc.record({ ...Object.fromEntries(near), its_z: fc.constant(1) }).map(withoutUndefined),
        ),
      }
    })
const withoutUndefined = (value: object): object => JSON.parse(JSON.stringify(value))

const fields: fc.Arbitrary<Case> = fc.oneof(
  plain,
  lists(embeddable),
  objects(embeddable),
  lists(objects(embeddable)),
  objects(lists(embeddable)),
  lists(lists(embeddable)),
  plain.map(({ field, near }) => ({ field: argument(field), near })),
)
/** JSON of any form, without the text that cannot be stored. */
const anything = fc.jsonValue({ maxDepth: 3 })

test('a field takes exactly what its schema allows', () => {
  let taken = 0
  let refused = 0
  fc.assert(
    fc.property(
      fields.chain(({ field, near }) =>
        fc.record({
          field: fc.constant(field),
          values: fc.array(fc.oneof({ weight: 4, arbitrary: near }, anything), { minLength: 8, maxLength: 8 }),
        }),
      ),
      ({ field, values }) => {
        const allows = compileSchema(schemaOf(field))
        for (const value of values) {
          const fits = takes(field, value)
          if (fits) taken++
          else refused++
          assert.equal(allows(value), fits, `${JSON.stringify(field)} ${JSON.stringify(value)}`)
        }
      },
    ),
    { numRuns: 300 },
  )
  // Otherwise the values would prove little.
  assert.ok(taken > 200 && refused > 200, `${taken} were taken and ${refused} refused`)
})

test('a field takes no text of a form that its schema does not allow', () => {
  const forms: readonly (readonly [AnyField, fc.Arbitrary<string>])[] = [
    [email(), fc.oneof(fc.emailAddress(), fc.emailAddress({ size: 'large' }), fc.string())],
    [
      url(),
      fc.oneof(
        fc
          .tuple(fc.webAuthority({ withIPv4: true, withPort: true }), fc.string())
          .map(([host, rest]) => `https://${host}/${encodeURI(rest.toWellFormed())}`),
        fc.string().map((each) => `http://${each}`),
      ),
    ],
    [currency(), fc.oneof(fc.constantFrom('EUR', 'USD', 'eur'), fc.string({ minLength: 3, maxLength: 3 }))],
    [country(), fc.oneof(fc.constantFrom('AT', 'DE', 'at'), fc.string({ minLength: 2, maxLength: 2 }))],
    [language(), fc.oneof(fc.constantFrom('de', 'gsw', 'DE'), fc.string({ minLength: 2, maxLength: 3 }))],
  ]
  for (const [field, values] of forms) {
    const allows = compileSchema(schemaOf(field))
    let taken = 0
    fc.assert(
      fc.property(values, (value) => {
        if (!takes(field, value)) return
        taken++
        assert.ok(allows(value), value)
      }),
      { numRuns: 300 },
    )
    assert.ok(taken > 50, `${JSON.stringify(field)} took only ${taken}`)
  }
})

test('what may be absent may be null in an answer and in an input, and nothing else may', () => {
  const part = { product: one('Product'), note: optional(text({ max: 3 })), price: readOnly(integer({ min: 0 })) }
  const kept = { product_id: 'p', its_note: null }
  const rows: readonly (readonly [field: AnyField, input: boolean, value: unknown, isAllowed: boolean])[] = [
    [text({ max: 3 }), false, null, false],
    [optional(text({ max: 3 })), false, null, true],
    [optional(text({ max: 3 })), true, null, true],
    [optional(text({ max: 3 })), true, 'four', false],
    [optional(choice(['a', 'b'])), false, null, true],
    [optional(choice(['a', 'b'])), false, 'b', true],
    [optional(choice(['a', 'b'])), false, 'c', false],
    [optional(timestamp()), true, null, true],
    [optional(list(text({ max: 3 }), { max: 2 })), false, null, true],
    [optional(list(text({ max: 3 }), { max: 2 })), false, [null], false],
    [argument(optional(integer())), true, null, true],
    [object(part), true, kept, true],
    [object(part), true, { product_id: 'p' }, true],
    [object(part), true, { ...kept, its_price: 1 }, false],
    [object(part), false, kept, false],
    [object(part), false, { ...kept, its_price: 1 }, true],
    [object(part), false, { ...kept, its_price: null }, false],
    [optional(object(part)), false, null, true],
  ]
  for (const [field, input, value, isAllowed] of rows) {
    const schema = valueSchema(specOf(field), input, partName)
    assert.equal(compileSchema(schema)(value), isAllowed, `${JSON.stringify(schema)} ${JSON.stringify(value)}`)
  }
})

test('every field of two services has a schema without a slip, for answers and for inputs', () => {
  for (const service of [api, library]) {
    for (const { fields, actions } of compileModel(service).resources) {
      const answered = [...fields.values()].filter(({ column }) => column !== null).map(({ spec }) => spec)
      for (const spec of answered) if (spec.kind !== 'id') compileSchema(valueSchema(spec, false, partName))
      const accepted = [...actions.values()].flatMap(({ accept }) => accept.map(({ spec }) => spec))
      for (const spec of accepted) compileSchema(valueSchema(spec, true, partName))
    }
  }
})

test('11.1.9 the bounds of exact numbers are texts', () => {
  const exact = schemaOf(bigint({ min: 9n, max: 99n })) as Record<string, unknown>
  assert.deepEqual([exact['x-minimum'], exact['x-maximum']], ['9', '99'])
  const price = schemaOf(decimal({ precision: 9, scale: 2, min: '-1', max: '9.50' })) as Record<string, unknown>
  assert.deepEqual([price['x-minimum'], price['x-maximum']], ['-1.00', '9.50'])
})

test('what the schema cannot say, the field refuses all the same', () => {
  const stricter: readonly (readonly [why: string, AnyField, unknown])[] = [
    ['NUL', text({ max: 9 }), 'a\0'],
    ['half of a surrogate pair', text({ max: 9 }), '\ud83d'],
    ['the same in a password', password({ min: 1, max: 9 }), 'a\0'],
    ['the same in an id', one('User'), 'usr_\0'],
    ['the same deep in JSON', json({ maxBytes: 99 }), { a: ['\0'] }],
    ['bytes of JSON', json({ maxBytes: 7 }), { a: 12 }],
    ['the list of currencies', currency(), 'QQQ'],
    ['the list of countries', country(), 'QQ'],
    ['the list of languages', language(), 'deu'],
    ['64 characters before the @', email(), `${'a'.repeat(65)}@b.cd`],
    ['63 characters between two dots', email(), `a@${'b'.repeat(64)}.cd`],
    ['addresses of no machine', url(), 'http://999.999.999.999'],
    ['a password in an address', url(), 'http://me:word@a.bc'],
    ['moments before the year 1', timestamp(), '0001-01-01T00:00:00+00:01'],
  ]
  for (const [why, field, value] of stricter) {
    assert.ok(compileSchema(schemaOf(field))(value), `the schema allows ${why}`)
    assert.ok(!takes(field, value), `the field refuses ${why}`)
  }
})
