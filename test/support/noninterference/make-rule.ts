// Random rules of every kind, which follow relations in every direction.

import {
  above,
  absent,
  after,
  allOf,
  anyOf,
  atLeast,
  atMost,
  before,
  field,
  hasToken,
  may,
  me,
  not,
  now,
  oneOf,
  own,
  present,
  readable,
  self,
  signedIn,
  some,
  startOf,
  through,
  when,
} from 'duet-api'
import type { AnyRule } from '../../../src/resource/language/rule/rule.ts'
import type { Random } from '../oracle/random.ts'

export const names = ['Alpha', 'Bravo', 'Carol', 'Delta'] as const
export type Name = (typeof names)[number] | 'User'

/** What rules about records of a resource may follow, and what they may ask for. */
export interface Shape {
  readonly ones: readonly (readonly [field: string, target: Name])[]
  readonly lists: readonly (readonly [field: string, target: Name])[]
  readonly hasCode: boolean
  /** Whether `above` names the record above it in a tree. */
  readonly isTree: boolean
}
export interface Making {
  readonly shapes: ReadonlyMap<Name, Shape>
  readonly random: Random
}
interface RuleMaking extends Making {
  /** Where it does, it asks for a permission of this very resource. */
  readonly asksPermissions?: boolean
}

/** A rule about records of this resource, which follows relations so many levels deep at most. */
export function makeRule(name: Name, depth: number, { asksPermissions = false, ...making }: RuleMaking): AnyRule {
  const { shapes, random } = making
  const { ones, lists, hasCode, isTree } = shapes.get(name)!
  const below = () => makeRule(name, depth - 1, { ...making, asksPermissions })
  const leaves = [
    ...(name === 'User' ? accountLeaves : recordLeaves),
    ...(hasCode ? Array.from({ length: 4 }, () => () => hasToken('code')) : []),
    ...(asksPermissions ? [() => may('read')] : []),
  ]
  if (depth === 0) return random.one(leaves)()
  const deeper: (() => AnyRule)[] = [
    () => anyOf(below(), below()),
    () => anyOf(below(), below()),
    () => allOf(below(), below()),
    () => allOf(signedIn, not(below())),
  ]
  for (const [relation, target] of ones) {
    deeper.push(() => through(relation, makeRule(target, depth - 1, making)))
    if (relation === 'parent') deeper.push(() => readable(relation))
  }
  if (isTree) deeper.push(() => above('above', below()))
  for (const [list, target] of lists) deeper.push(() => some(list, makeRule(target, depth - 1, making)))
  return random.one([...leaves, ...deeper, ...deeper])()
}

const accountLeaves: readonly (() => AnyRule)[] = [
  () => self,
  () => signedIn,
  () => when({ status: 'ACTIVE' }),
  () => when({ word: 'alpha' }),
  () => when({ word: me('word') }),
]
const recordLeaves: readonly (() => AnyRule)[] = [
  () => own('owner'),
  () => own('owner'),
  () => when({ isOpen: true }),
  () => when({ status: 'live' }),
  () => when({ size: atLeast(3) }),
  () => when({ size: atMost(field('least')) }),
  () => when({ size: atLeast(me('rank')) }),
  () => when({ at: present }),
  () => when({ at: absent }),
  () => when({ at: before(field('until')) }),
  () => when({ at: before(startOf('month')) }),
  () => when({ until: atLeast(startOf('day', { timeZone: 'Asia/Kolkata' })) }),
  () => when({ until: after(now.minus({ hours: 21 })) }),
  () => when({ word: oneOf('alpha', me('word')) }),
  () => when({ contact: me('email') }),
]

/**
 * A rule that leads from whoever asks to the records: those whose owner one follows, those beside one's own. Lists of it are
 * found from there.
 */
export function makeFeed(name: Name, { shapes, random }: Making): AnyRule {
  const feeds = shapes.get(name)!.ones.flatMap(([relation, target]) => {
    const ways =
      target === 'User'
        ? [some('followers', self), some('following', self), some('alphas', own('owner'))]
        : shapes.get(target)!.lists.map(([list]) => some(list, own('owner')))
    return ways.map((way) => [relation, target, way] as const)
  })
  const [relation, target, way] = random.one(feeds)
  const leaf = (of: Name) => makeRule(of, 0, { shapes, random })
  return random.one([
    () => through(relation, way),
    () => through(relation, allOf(way, leaf(target))),
    () => allOf(through(relation, way), leaf(name)),
    () => allOf(through(relation, allOf(way, leaf(target))), leaf(name)),
  ])()
}

/** The permissions that a definition's rules ask for. */
export function verbsOf(definition: unknown): ReadonlySet<string> {
  const verbs = new Set<string>()
  JSON.stringify(definition, (_, value: unknown) => {
    if (typeof value === 'object' && value !== null && 'rule' in value && value.rule === 'may') {
      const { verb, mine } = value as unknown as { verb: string; mine?: unknown }
      for (const each of mine == null ? [verb] : [`${verb}_own`, `${verb}_any`]) verbs.add(each)
    }
    return value
  })
  return verbs
}
