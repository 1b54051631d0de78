// Proves that readers of a record may read what it refers to. Otherwise the reference may be null for its reader. (contract 10.1.6)

import { memoize } from '../../../cache/memoize.ts'
import type { Actor, Caller, Requester } from '../../actor.ts'
import { momentKey } from '../../language/placeholder.ts'
import type { RuleNode } from '../../language/rule/rule.ts'
import type { Column } from '../column.ts'
import type { Model, OneRelation, ResourceModel } from '../model.ts'
import { singleFactorIn } from '../tenant/single-factor.ts'
import { tenantRelations } from '../tenant/tenant-key.ts'
import { always, type Condition, fold, isPlain } from './condition.ts'

/** The condition on the holder for showing the related record: `always` if reading the holder implies it. */
export function disclosureCondition(holder: ResourceModel, relation: OneRelation, caller: Caller): Condition {
  const condition = fold(readableNode(relation), holder, caller)
  const { target } = relation
  const isProven = ensures(fold(holder.read.allow, holder, caller), relation, fold(target.read.allow, target, caller))
  return isProven ? always : condition
}
const readableNode = memoize(({ field }: OneRelation): RuleNode => ({ rule: 'readable', relation: field }))

/**
 * The same for the id alone. All readers may see the id of the holder's tenant: it never changes and reveals nothing else.
 * (contract 10.2.18)
 */
export const idCondition = (holder: ResourceModel, relation: OneRelation, caller: Caller): Condition =>
  holder.tenants.includes(relation.column) ? always : disclosureCondition(holder, relation, caller)

export const hideableRelations = (holder: ResourceModel, everyone: readonly Requester[]): readonly OneRelation[] =>
  [...holder.relations.values()].filter(
    (each): each is OneRelation =>
      each.kind === 'one' && everyone.some((actor) => disclosureCondition(holder, each, actor).is !== 'always'),
  )

/** Protected fields whose visibility depends on more than the record. */
export const uncertainFields = (holder: ResourceModel, everyone: readonly Requester[]): readonly string[] =>
  [...holder.protect].flatMap(([field, { read }]) =>
    read !== undefined && everyone.some((actor) => !isPlain(fold(read, holder, actor))) ? [field] : [],
  )

export const everyClass = (roles: Model['roles'], resources: readonly ResourceModel[]): readonly Requester[] => {
  const keys = resources.find(({ isCredential, column }) => isCredential && column.has('role'))
  const accounts = [...roles].map(([role, permissions]) => actorOf(role, permissions))
  const singleFactor = singleFactorIn({ resources })
  const others = singleFactor === undefined ? [] : accounts.map((each) => ({ ...each, ...singleFactor }))
  const actors = [...accounts, ...others, ...keyActors(keys)]
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

/** Whether one condition implies the other, where `proves` decides about their parts. Conservative. */
export function isImplied(holding: Condition, wanted: Condition, proves: Proof): boolean {
  if (holding.is === 'never' || wanted.is === 'always' || proves(holding, wanted)) return true
  if (holding.is === 'any') return holding.of.every((each) => isImplied(each, wanted, proves))
  if (wanted.is === 'all') return wanted.of.every((each) => isImplied(holding, each, proves))
  if (holding.is === 'all' && holding.of.some((each) => isImplied(each, wanted, proves))) return true
  return wanted.is === 'any' && wanted.of.some((each) => isImplied(holding, each, proves))
}
type Proof = (holding: Condition, wanted: Condition) => boolean

/** Whether a condition on the holder implies one on its related record. */
const ensures = (holding: Condition, relation: OneRelation, wanted: Condition): boolean =>
  isImplied(holding, wanted, (one, other) => {
    if (one.is === 'related' && one.relation === relation) return implies(one.condition, other)
    // The relation names the actor, and the target must be the actor's account.
    const isOwn = one.is === 'actor' && one.column === relation.column
    return isOwn && other.is === 'actor' && other.column.field === 'id'
  })

export const implies = (holding: Condition, wanted: Condition): boolean => isImplied(holding, wanted, isWithin)

/** Membership in a role implies membership. */
const isWithin: Proof = (one, other) =>
  one === other ||
  (one.is === 'some' || one.is === 'related'
    ? other.is === one.is && one.relation === other.relation && implies(one.condition, other.condition)
    : isSame(one, other))

function isSame(one: Condition, other: Condition): boolean {
  const columnOf = (of: Condition): Column | null => ('column' in of ? of.column : null)
  if (one.is !== other.is || columnOf(one) !== columnOf(other)) return false
  if (one.is === 'equal') return one.value === (other as typeof one).value
  if (one.is === 'not') return isSame(one.of, (other as typeof one).of)
  if (one.is === 'compare') return isSameTest(one, other as typeof one)
  return one.is === 'actor' || one.is === 'code' || one.is === 'present' || one.is === 'absent'
}

type Compare = Extract<Condition, { is: 'compare' }>
function isSameTest(one: Compare, other: Compare): boolean {
  const [mine, theirs] = [one.operand, other.operand]
  if (one.test !== other.test) return false
  if (mine.from === 'now' && theirs.from === 'now') return momentKey(mine) === momentKey(theirs)
  return mine.from === 'constant' && theirs.from === 'constant' && mine.value === theirs.value
}
