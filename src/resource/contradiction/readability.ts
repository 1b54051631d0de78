// A required relation may not lead to a record that is hidden from somebody who sees its holder: GraphQL would have to
// answer null where null is not allowed, and REST would name what must not be known to exist.

import type { Actor } from '../actor.ts'
import { type Condition, fold } from '../model/condition.ts'
import type { Model, OneRelation, ResourceModel } from '../model/model.ts'
import { a } from '../naming/indefinite-article.ts'
import type { Report } from './report.ts'

/** Conservative: it knows a few ways in which one rule follows from another, and reports what it cannot follow. */
export function readabilityContradictions(model: Model, report: Report): void {
  for (const holder of model.resources) {
    for (const relation of holder.relations.values()) {
      if (relation.kind !== 'one' || relation.column.nullable) continue
      const who = classes(model).find(([, actor]) => !sees(holder, relation, actor))
      if (who !== undefined) tell(holder, relation, who[0], report)
    }
  }
}

function tell({ name }: ResourceModel, { field, target }: OneRelation, who: string, report: Report): void {
  report(
    `${name}.${field}`,
    `${who} may read ${a(name)} and not the ${target.name} that it requires`,
    `make it optional, let ${name} be read by allOf(…, readable('${field}')), or widen who may read ${a(target.name)}`,
  )
}

/** Everyone whom rules can tell apart. */
const classes = (model: Model): readonly (readonly [string, Actor | null])[] => [
  ['somebody who is not signed in', null],
  ...[...model.roles].map(([role, permissions]) => [role, actorOf(role, permissions)] as const),
]
const actorOf = (role: string, permissions: Actor['permissions']): Actor => ({
  id: '',
  role,
  permissions,
  scopes: null,
  credential: { kind: 'apiKey', keyId: '' },
})

const sees = (holder: ResourceModel, relation: OneRelation, actor: Actor | null): boolean =>
  leads(fold(holder.read.allow, holder, actor), relation, fold(relation.target.read.allow, relation.target, actor))

/** Whether a condition on the holder makes sure of another one on what its relation names. */
function leads(condition: Condition, relation: OneRelation, wanted: Condition): boolean {
  if (condition.is === 'never' || wanted.is === 'always') return true
  // It is as readable as that record: what is wanted of that record holds, whatever it is.
  if (condition.is === 'related' && condition.relation === relation) return true
  if (condition.is === 'any') return condition.of.every((each) => leads(each, relation, wanted))
  if (wanted.is === 'all') return wanted.of.every((each) => leads(condition, relation, each))
  if (condition.is === 'all' && condition.of.some((each) => leads(each, relation, wanted))) return true
  if (wanted.is === 'any') return wanted.of.some((each) => leads(condition, relation, each))
  // The holder is the actor's own by this very relation, and what is wanted is to be that account.
  const isOwn = condition.is === 'actor' && condition.column === relation.column
  return isOwn && wanted.is === 'actor' && wanted.column.field === 'id'
}
