// Whether somebody who reads a record may read what it refers to. Where that cannot be proven, the reference may be null for
// its reader: what is hidden does not exist. (contract 10.1.6)

import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { Actor, Asker, Requester } from '../actor.ts'
import type { RuleNode } from '../language/rule.ts'
import type { Column } from './column.ts'
import { always, type Condition, fold, isPlain } from './condition.ts'
import type { Model, OneRelation, ResourceModel } from './model.ts'
import { tenantRelations } from './tenant-key.ts'

/** What is asked of the holder, so that what the relation names may be told: `always` where that follows from reading the holder. */
export function disclosureCondition(holder: ResourceModel, relation: OneRelation, asker: Asker): Condition {
  const condition = fold(readableNode(relation), holder, asker)
  const { target } = relation
  const isProven = leads(fold(holder.read.allow, holder, asker), relation, fold(target.read.allow, target, asker))
  return isProven ? always : condition
}
const readableNode = (relation: OneRelation): RuleNode =>
  getOrInsert(nodes, relation, ({ field }) => ({ rule: 'readable', relation: field }))
const nodes = new WeakMap<OneRelation, RuleNode>()

/** The relations to one record that may be hidden from somebody who reads the holder. */
export const hideableRelations = (holder: ResourceModel, everyone: readonly Requester[]): readonly OneRelation[] =>
  [...holder.relations.values()].filter(
    (each): each is OneRelation =>
      each.kind === 'one' && everyone.some((actor) => disclosureCondition(holder, each, actor).is !== 'always'),
  )

/**
 * The protected fields that somebody may read of some records and not of others, for reasons that do not stand in the record
 * itself: who knows what to expect of a record cannot know it of these.
 */
export const uncertainFields = (holder: ResourceModel, everyone: readonly Requester[]): readonly string[] =>
  [...holder.protect].flatMap(([field, { read }]) =>
    read !== undefined && everyone.some((actor) => !isPlain(fold(read, holder, actor))) ? [field] : [],
  )

/** Everyone whom rules can tell apart: by a role of the service, or, for a key of a tenant, by one inside. */
export const everyClass = (roles: Model['roles'], keys: ResourceModel | undefined): readonly Requester[] => {
  const actors = [...[...roles].map(([role, permissions]) => actorOf(role, permissions)), ...keyActors(keys)]
  return [null, ...actors, { codeHash: '' }, ...actors.map((each) => ({ ...each, codeHash: '' }))]
}
const keyActors = (keys: ResourceModel | undefined): readonly Actor[] => {
  if (keys === undefined) return []
  const { values = [] } = (keys.column.get('role')?.spec ?? {}) as { readonly values?: readonly string[] }
  return tenantRelations(keys).flatMap(({ target }) =>
    values.map((role): Actor => {
      const tenant = { id: '', resource: target.name, role }
      return { ...actorOf('', new Set()), id: null, role: null, tenant }
    }),
  )
}
const actorOf = (role: string, permissions: Actor['permissions']): Actor => ({
  id: '',
  role,
  permissions,
  scopes: null,
  credential: { kind: 'apiKey', keyId: '' },
})

/** Whether a condition on the holder makes sure of another one on what its relation names. Conservative: it knows a few ways. */
function leads(holding: Condition, relation: OneRelation, wanted: Condition): boolean {
  if (holding.is === 'never' || wanted.is === 'always') return true
  if (holding.is === 'related' && holding.relation === relation) return implies(holding.condition, wanted)
  if (holding.is === 'any') return holding.of.every((each) => leads(each, relation, wanted))
  if (wanted.is === 'all') return wanted.of.every((each) => leads(holding, relation, each))
  if (holding.is === 'all' && holding.of.some((each) => leads(each, relation, wanted))) return true
  if (wanted.is === 'any') return wanted.of.some((each) => leads(holding, relation, each))
  // The holder is the actor's own by this very relation, and what is wanted is to be that account.
  const isOwn = holding.is === 'actor' && holding.column === relation.column
  return isOwn && wanted.is === 'actor' && wanted.column.field === 'id'
}

/** Whether one condition on a record makes sure of another one on the same record. */
export function implies(holding: Condition, wanted: Condition): boolean {
  if (holding === wanted || holding.is === 'never' || wanted.is === 'always') return true
  if (holding.is === 'any') return holding.of.every((each) => implies(each, wanted))
  if (wanted.is === 'all') return wanted.of.every((each) => implies(holding, each))
  if (holding.is === 'all' && holding.of.some((each) => implies(each, wanted))) return true
  if (wanted.is === 'any') return wanted.of.some((each) => implies(holding, each))
  // Who is in a list in some role is in it, whatever the role.
  if (holding.is === 'some' || holding.is === 'related')
    return (
      wanted.is === holding.is && holding.relation === wanted.relation && implies(holding.condition, wanted.condition)
    )
  return isSame(holding, wanted)
}

function isSame(one: Condition, other: Condition): boolean {
  const columnOf = (of: Condition): Column | null => ('column' in of ? of.column : null)
  if (one.is !== other.is || columnOf(one) !== columnOf(other)) return false
  if (one.is === 'equal') return one.value === (other as typeof one).value
  if (one.is === 'not') return isSame(one.of, (other as typeof one).of)
  if (one.is === 'compare') return isSameTest(one, other as typeof one)
  return one.is === 'actor' || one.is === 'code' || one.is === 'present' || one.is === 'absent'
}

type Compare = Extract<Condition, { is: 'compare' }>
/** Whether both compare with the same moment or value; of other operands that is not looked at. */
function isSameTest(one: Compare, other: Compare): boolean {
  const [mine, theirs] = [one.operand, other.operand]
  if (one.test !== other.test) return false
  if (mine.from === 'now' && theirs.from === 'now') return mine.shiftMs === theirs.shiftMs
  return mine.from === 'constant' && theirs.from === 'constant' && mine.value === theirs.value
}
