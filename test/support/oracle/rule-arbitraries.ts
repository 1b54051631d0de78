// Random rules about notes, which lead from record to record, and random callers.

import {
  above,
  atLeast,
  atMost,
  contains,
  before as earlier,
  field,
  after as later,
  me,
  now,
  oneOf,
  startOf,
} from 'duet-api'
import fc from 'fast-check'
import { getOrInsert } from '../../../src/cache/get-or-insert.ts'
import { nodeOf, type RuleNode } from '../../../src/resource/language/rule/rule.ts'
import { codeSets, moments, numbers, words } from './rule-world.ts'
import { place } from './rule-world-rows.ts'

const rule = (node: RuleNode): RuleNode => node
const comparisons: Readonly<Record<string, readonly (readonly [field: string, said: unknown])[]>> = {
  User: [
    ['word', oneOf('a', 'é', me('word'))],
    ['email', me('email')],
    ['isSure', true],
    ['createdAt', earlier(now)],
    ['updatedAt', later(field('createdAt'))],
  ],
  Topic: [
    ['word', me('word')],
    ['word', oneOf(...words.slice(0, 3))],
    ['isOpen', me('isSure')],
    ['owner', me('id')],
    ['owner', { present: false }],
    ['createdAt', atLeast(now.minus({ minutes: 1 }))],
  ],
  Note: [
    ['word', oneOf('a', field('aside'), me('word'))],
    ['aside', field('word')],
    ['aside', oneOf('', 'a')],
    ['aside', me('word')],
    ['aside', me('email')],
    ['size', atLeast(field('weight'))],
    ['size', atMost(0)],
    ['weight', atLeast(0)],
    ['weight', atMost(field('size'))],
    ['at', earlier(now)],
    ['at', atMost(now)],
    ['at', atLeast(now)],
    ['at', later(now)],
    ['at', earlier(now.plus({ minutes: 1 }))],
    ['until', earlier(now.plus({ minutes: 1 }))],
    ['until', later(field('at'))],
    ['until', atMost(moments[1]!)],
    ['until', oneOf(now, moments[2]!)],
    ['at', earlier(startOf('day').plus({ minutes: 1 }))],
    ['at', atLeast(startOf('month'))],
    ['at', later(startOf('week', { timeZone: 'Asia/Kolkata' }))],
    ['until', oneOf(startOf('year'), moments[1]!)],
    ['until', atMost(startOf('hour'))],
    ['day', startOf('day')],
    ['day', startOf('day', { timeZone: 'Asia/Kolkata' }).minus({ days: 1 })],
    ['day', earlier(startOf('month', { timeZone: 'America/New_York' }).plus({ days: 30 }))],
    ['day', atLeast(startOf('week'))],
    ['price', atMost(field('rate'))],
    ['rate', atLeast(field('price'))],
    ['rate', field('price')],
    ['author', field('editor')],
    ['editor', me('id')],
    ['kind', oneOf('x', 'y')],
    ['status', oneOf('old')],
    ['isLoud', field('isOpen')],
    ['tags', contains('a')],
    ['tags', contains(field('word'))],
    ['tags', contains(field('aside'))],
    ['tags', contains(me('word'))],
  ],
}
const valuesArbitrary = fc
  .record(
    {
      word: fc.constantFrom(...words),
      aside: fc.constantFrom(null, '', ...words, { present: true }, { present: false }),
      size: fc.constantFrom(...numbers),
      weight: fc.constantFrom(null, ...numbers, { present: true }, { present: false }),
      isOpen: fc.boolean(),
      isLoud: fc.constantFrom(null, true, false, { present: true }),
      at: fc.constantFrom(...moments),
      until: fc.constantFrom(null, ...moments, { present: true }, { present: false }),
      kind: fc.constantFrom('x', 'y'),
      status: fc.constantFrom('new', 'old'),
    },
    { requiredKeys: [] },
  )
  .map((values) => rule({ rule: 'when', values: Object.fromEntries(Object.entries(values).slice(0, 2)) }))
const relationsOf: Readonly<
  Record<string, { one: Readonly<Record<string, string>>; many: Readonly<Record<string, string>> }>
> = {
  User: { one: {}, many: { notes: 'Note', watched: 'Topic' } },
  Topic: { one: { owner: 'User', parent: 'Topic' }, many: { sides: 'Note', watchers: 'User' } },
  Note: { one: { author: 'User', editor: 'User', topic: 'Topic', side: 'Topic' }, many: {} },
}
const leafArbitrary = (of: string): fc.Arbitrary<RuleNode> => {
  const { one: relations } = relationsOf[of]!
  const accounts = Object.keys(relations).filter((name) => relations[name] === 'User')
  const compared = fc
    .constantFrom(...comparisons[of]!)
    .map(([name, said]) => rule({ rule: 'when', values: { [name]: said } }))
  return fc.oneof(
    fc.constantFrom<RuleNode>({ rule: 'anyone' }, { rule: 'nobody' }, { rule: 'signedIn' }, { rule: 'self' }),
    ...(accounts.length === 0 ? [] : [fc.constantFrom(...accounts).map((relation) => rule({ rule: 'own', relation }))]),
    compared,
    compared,
    ...(of === 'User' ? [] : [fc.constant<RuleNode>({ rule: 'hasToken', field: 'code' })]),
    ...(of === 'Note'
      ? [
          valuesArbitrary,
          valuesArbitrary,
          fc.constantFrom('topic', 'side').map((relation) => rule({ rule: 'readable', relation })),
        ]
      : []),
  )
}
/** A rule about records of one resource; those that lead on are about those of another. */
const ruleOf = (of: string, depth: number): fc.Arbitrary<RuleNode> =>
  getOrInsert(arbitraries, `${of} ${depth}`, () => makeRuleOf(of, depth))
const arbitraries = new Map<string, fc.Arbitrary<RuleNode>>()
function makeRuleOf(of: string, depth: number): fc.Arbitrary<RuleNode> {
  const leaf = leafArbitrary(of)
  if (depth === 0) return leaf
  const inner = ruleOf(of, depth - 1)
  const { one: ones, many: lists } = relationsOf[of]!
  const several = fc.array(inner, { minLength: 1, maxLength: 3 })
  return fc.oneof(
    leaf,
    several.map((rules) => rule({ rule: 'anyOf', rules })),
    several.map((rules) => rule({ rule: 'allOf', rules })),
    inner.map((each) => rule({ rule: 'not', of: each })),
    ...(of === 'Note'
      ? [
          inner.map((mine) => rule({ rule: 'may', verb: 'touch', mine })),
          fc.constant<RuleNode>({ rule: 'may', verb: 'touch', mine: null }),
        ]
      : []),
    ...(of === 'Topic' ? [inner.map((each) => nodeOf(above('parent', each as never)))] : []),
    ...Object.entries(ones).map(([relation, target]) =>
      ruleOf(target, depth - 1).map((each) => rule({ rule: 'through', relation, of: each })),
    ),
    ...Object.entries(lists).map(([name, target]) =>
      ruleOf(target, depth - 1).map((each) => rule({ rule: 'some', list: name, of: each })),
    ),
  )
}
export const ruleArbitrary = ruleOf('Note', 4)
/** Rules that lead to the records of a list, alone and among others. */
export const leadArbitrary = (() => {
  const withMore = (of: string, node: RuleNode): fc.Arbitrary<RuleNode> =>
    fc.option(leafArbitrary(of)).map((more) => (more === null ? node : rule({ rule: 'allOf', rules: [node, more] })))
  const some = (list: string, target: string, mine: RuleNode) =>
    withMore(target, mine).map((of) => rule({ rule: 'some', list, of }))
  const ofTopic = fc.oneof(
    some('watchers', 'User', { rule: 'self' }),
    some('sides', 'Note', { rule: 'own', relation: 'author' }),
  )
  const ofUser = fc.oneof(
    some('notes', 'Note', { rule: 'own', relation: 'editor' }),
    some('watched', 'Topic', { rule: 'own', relation: 'owner' }),
  )
  const tree = ofTopic.map((each) => nodeOf(above('parent', each as never)))
  const through = (relations: readonly string[], of: string, target: fc.Arbitrary<RuleNode>) =>
    fc
      .tuple(
        fc.constantFrom(...relations),
        target.chain((each) => withMore(of, each)),
      )
      .map(([relation, each]) => rule({ rule: 'through', relation, of: each }))
  const lead = fc
    .oneof(
      through(['topic', 'side'], 'Topic', ofTopic),
      through(['topic', 'side'], 'Topic', tree),
      through(['author', 'editor'], 'User', ofUser),
    )
    .chain((each) => withMore('Note', each))
  const other = fc.constantFrom<RuleNode>(
    { rule: 'own', relation: 'author' },
    { rule: 'when', values: { isOpen: true } },
  )
  return fc.oneof(
    lead,
    fc.array(fc.oneof(lead, other), { minLength: 2, maxLength: 3 }).map((rules) => rule({ rule: 'anyOf', rules })),
  )
})()
export const callerArbitrary = fc.record({
  actor: fc.option(fc.record({ place, role: fc.constantFrom('NONE', 'OWN', 'ANY') })),
  code: fc.option(fc.constantFrom(...codeSets)),
})
