// Summarises a rule in one word per caller, for a table of rights.

import type { Right } from '../../explorer/overview/overview.ts'
import { type Actor, noCredential } from '../../resource/actor.ts'
import type { Column } from '../../resource/model/column.ts'
import type { ActionModel, Model, ResourceModel } from '../../resource/model/model.ts'
import { allOf, anyOf, type Condition, fold, innerConditions, not } from '../../resource/model/rule/condition.ts'
import type { Permission } from '../../resource/naming/permission.ts'

export interface Caller {
  readonly name: string
  readonly actor: Actor | null
  /** A role in a tenant; rights then mean those inside the tenant. */
  readonly member?: TenantMember
}
interface TenantMember {
  readonly tenant: ResourceModel
  readonly role: string
  readonly tenants: readonly ResourceModel[]
}

/** Anonymous first, then roles in the order of the definition, then those of each tenant. */
export const callersOf = ({ roles, resources }: Model): readonly Caller[] => [
  { name: 'an anonymous caller', actor: null },
  ...[...roles].map(([role, permissions]) => ({ name: role, actor: { ...someone, role, permissions } })),
  ...resources.flatMap((tenant) =>
    rolesIn(tenant).map((role) => ({
      name: `${role} in its ${tenant.name}`,
      // With the permissions that every service role has.
      actor: { ...someone, role: null, permissions: common([...roles.values()]) },
      member: { tenant, role, tenants: resources.filter(({ members }) => members !== null) },
    })),
  ),
]
const someone = {
  id: '',
  scopes: null,
  credential: noCredential,
} as const

const rolesIn = ({ members }: ResourceModel): readonly string[] =>
  members === null
    ? []
    : (members.role.spec as typeof members.role.spec & { readonly values: readonly string[] }).values

const common = ([
  first = new Set<Permission>(),
  ...others
]: readonly ReadonlySet<Permission>[]): ReadonlySet<Permission> =>
  new Set([...first].filter((each) => others.every((other) => other.has(each))))

export function rightOf({ allow, resource }: ActionModel, { actor, member }: Caller): Right {
  const folded = fold(allow, resource, actor)
  const condition = member === undefined ? folded : asMember(folded, member)
  if (condition.is === 'always') return 'all'
  if (condition.is === 'never') return 'none'
  const alternatives = condition.is === 'any' ? condition.of : [condition]
  const rights = new Set(
    alternatives.map((each) => (member === undefined ? rightFrom(each) : rightInside(each, member))),
  )
  // Access to the whole tenant includes every narrower one.
  if (member !== undefined && rights.has('inside')) return 'inside'
  return rights.size === 1 ? [...rights][0]! : 'some'
}

function rightFrom(condition: Condition): Right {
  const parts = condition.is === 'all' ? condition.of : [condition]
  if (parts.some((each) => each.is === 'actor')) return 'own'
  return parts.some(isAboutActor) ? 'inside' : 'some'
}

function rightInside(condition: Condition, member: TenantMember): Right {
  const parts = condition.is === 'all' ? condition.of : [condition]
  const others = parts.filter((each) => !isMembership(each, member))
  if (others.length === 0) return 'inside'
  return others.some(isAboutActor) ? 'own' : 'some'
}

const isMembership = (condition: Condition, member: TenantMember): boolean =>
  condition.is === 'any' || condition.is === 'all' || condition.is === 'related'
    ? innerConditions(condition).every((each) => isMembership(each, member))
    : condition.is === 'some' && member.tenants.some(({ members }) => members!.list === condition.relation)

const isAboutActor = (condition: Condition): boolean =>
  condition.is !== 'not' && (condition.is === 'actor' || innerConditions(condition).some(isAboutActor))

/** The caller is also a member of tenants around it, in an unknown role; nothing is assumed about tenants inside it. */
function asMember(condition: Condition, member: TenantMember): Condition {
  const inner = (each: Condition) => asMember(each, member)
  switch (condition.is) {
    case 'any':
      return anyOf(condition.of.map(inner))
    case 'all':
      return allOf(condition.of.map(inner))
    case 'not':
      return not(inner(condition.of))
    case 'related':
      return leadingTo(condition, inner(condition.condition))
    case 'some':
      return leadingTo(condition, membership(condition, member) ?? inner(condition.condition))
    default:
      return condition
  }
}

const leadingTo = (condition: Extract<Condition, { is: 'related' | 'some' }>, inner: Condition): Condition =>
  inner.is === 'never' ? inner : { ...condition, condition: inner }

function membership(
  { relation, condition }: Extract<Condition, { is: 'some' }>,
  member: TenantMember,
): Condition | null {
  const { tenant, role, tenants } = member
  const listed = tenants.find(({ members }) => members!.list === relation)
  if (listed === undefined) return null
  if (listed === tenant) return withRole(condition, listed.members!.role, role)
  const isAround = tenant.tenants.some(({ field }) => tenant.relations.get(field)?.target === listed)
  return isAround ? withRole(condition, listed.members!.role, null) : { is: 'never' }
}

function withRole(condition: Condition, column: Column, role: string | null): Condition {
  if (condition.is === 'any') return anyOf(condition.of.map((each) => withRole(each, column, role)))
  if (condition.is === 'all') return allOf(condition.of.map((each) => withRole(each, column, role)))
  if (condition.is !== 'equal' || condition.column !== column) return condition
  return { is: condition.value === role ? 'always' : 'never' }
}
