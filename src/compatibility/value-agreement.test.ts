// Ajv as the judge: where the comparison says that nothing breaks, whatever was accepted is accepted still, and whatever is
// answered now could have been answered before.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import type { Loose } from '../../test/support/check/loose.ts'
import type { Change } from './change.ts'
import { compareSchemas } from './compare-schema.ts'
import type { Side } from './compare-values.ts'
import type { Document, Node } from './openapi-document.ts'

const word = fc.constantFrom('', 'a', 'b', 'ab', 'abc', 'abcd')
const bounded = fc.record(
  { minLength: fc.nat(2), maxLength: fc.integer({ min: 2, max: 4 }), pattern: fc.constantFrom('^a', 'b') },
  { requiredKeys: [] },
)
const leaf: fc.Arbitrary<Loose> = fc.oneof(
  bounded.map((more) => ({ type: 'string', ...more })),
  bounded.map((more) => ({ type: ['string', 'null'], ...more })),
  fc.subarray(['a', 'b', 'ab'], { minLength: 1 }).map((values) => ({ type: 'string', enum: values })),
  fc
    .record({ minimum: fc.integer({ min: 0, max: 2 }), maximum: fc.integer({ min: 2, max: 4 }) }, { requiredKeys: [] })
    .map((more) => ({ type: 'integer', ...more })),
  fc
    .record(
      { minItems: fc.nat(1), maxItems: fc.integer({ min: 1, max: 3 }), uniqueItems: fc.boolean() },
      { requiredKeys: [] },
    )
    .map((more) => ({ type: 'array', items: { type: 'string' }, ...more })),
)
const names = ['x', 'y', 'z']
const record: fc.Arbitrary<Loose> = fc
  .record({ properties: fc.dictionary(fc.constantFrom(...names), leaf), required: fc.subarray(names) })
  .map(({ properties, required }) => ({
    type: 'object',
    additionalProperties: false,
    properties: { ...properties },
    required: required.filter((name) => Object.hasOwn(properties, name)),
  }))
/** Two schemas that have most in common, as two versions of one have. */
const pair = fc
  .tuple(record, record, fc.constantFrom('properties', 'required', 'x', 'y', 'z'))
  .map(([from, to, part]) => {
    const after = structuredClone(from)
    if (part === 'required')
      after.required = to.required.filter((name: string) => Object.hasOwn(after.properties, name))
    else if (part === 'properties') after.properties = { ...to.properties, ...from.properties }
    else if (Object.hasOwn(to.properties, part)) after.properties[part] = to.properties[part]
    return [from, after] as const
  })
const value = fc.oneof(word, fc.integer({ min: -1, max: 5 }), fc.constant(null), fc.array(word, { maxLength: 4 }))
const body = fc.dictionary(fc.constantFrom(...names), value)

const ajv = new Ajv2020({ strict: false })
const judge = (schema: Loose): ((sent: unknown) => boolean) => {
  const validate = ajv.compile(schema)
  return (sent) => validate(sent)
}
function assertWithin(was: (sent: unknown) => boolean, is: (sent: unknown) => boolean, sent: readonly unknown[]): void {
  for (const each of sent) assert.ok(!was(each) || is(each), JSON.stringify(each))
}

function verdicts(before: Loose, after: Loose, side: Side): ReadonlySet<Change['verdict']> {
  const verdictSet = new Set<Change['verdict']>()
  const none = { info: {}, paths: {} } as unknown as Document
  const report = ({ verdict }: Change) => void verdictSet.add(verdict)
  compareSchemas(before as Node, after as Node, side, '', {
    version: 'v1',
    before: none,
    after: none,
    report,
    comparedKeys: new Set(),
  })
  return verdictSet
}

const bodies = fc.array(body, { minLength: 30, maxLength: 30 })

test('a body that was accepted is accepted still, unless the change is found to break', () => {
  let broken = 0
  fc.assert(
    fc.property(pair, bodies, ([before, after], sent) => {
      if (verdicts(before, after, 'input').has('breaking')) broken += 1
      else assertWithin(judge(before), judge(after), sent)
    }),
    { numRuns: 150 },
  )
  assert.ok(broken > 10)
})

test('what is answered could have been answered before, unless the change breaks or surprises', () => {
  fc.assert(
    fc.property(pair, bodies, ([before, after], answered) => {
      const verdictSet = verdicts(before, after, 'answer')
      if (verdictSet.has('breaking') || verdictSet.has('dangerous')) return
      const couldBe = judge(before)
      assertWithin(judge(after), (each) => couldBe(membersOf(each as object, before)), answered)
    }),
    { numRuns: 150 },
  )
})
/** As a client reads an answer: what it does not know, it passes over. */
const membersOf = (each: object, { properties }: Loose): object =>
  Object.fromEntries(Object.entries(each).filter(([name]) => Object.hasOwn(properties, name)))

test('a change of one keyword that lets less in is found to break', () => {
  const cases: readonly (readonly [before: Loose, after: Loose])[] = [
    [{ type: 'string' }, { type: 'string', maxLength: 2 }],
    [
      { type: 'string', maxLength: 3 },
      { type: 'string', maxLength: 2 },
    ],
    [{ type: 'string' }, { type: 'string', minLength: 2 }],
    [{ type: 'string' }, { type: 'string', pattern: '^a' }],
    [{ type: 'string' }, { type: 'string', enum: ['a'] }],
    [
      { type: 'string', enum: ['a', 'b'] },
      { type: 'string', enum: ['a'] },
    ],
    [{ type: ['string', 'null'] }, { type: 'string' }],
    [
      { type: 'integer', maximum: 4 },
      { type: 'integer', maximum: 3 },
    ],
    [{ type: 'array' }, { type: 'array', maxItems: 1 }],
    [{ type: 'array' }, { type: 'array', uniqueItems: true }],
    [{ type: 'array' }, { type: 'array', items: { type: 'integer' } }],
    [{}, { type: 'string' }],
  ]
  const samples = fc.sample(value, { numRuns: 500, seed: 1 })
  for (const [before, after] of cases) {
    const example = JSON.stringify([before, after])
    const [was, is] = [judge(before), judge(after)]
    assert.ok(
      samples.some((each) => was(each) && !is(each)),
      `${example} refuses what was accepted`,
    )
    assert.ok(verdicts(before, after, 'input').has('breaking'), example)
    assert.ok(!verdicts(after, before, 'input').has('breaking'), `${example}, turned round`)
  }
})
