// Reads an `either` in an input: the type and the id of a record, or the id alone, whose prefix is the type. (contract 11.6.6)

import type { TypedId } from '../../resource/field/relation.ts'
import { branchesOf, branchOf, eitherFieldsOf } from '../../resource/model/either.ts'
import type { Accepted, ActionModel, ResourceModel } from '../../resource/model/model.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'

type Values = Record<string, unknown>

/** What clients call it in an input. */
export const sentName = (resource: ResourceModel, { field, branches }: Accepted, names: Vocabulary): string =>
  branches === undefined ? names.name(resource, field) : names.either(resource, field).input

/** What clients call a stored value in an input: an `either` in place of its relations. */
export function inputName(resource: ResourceModel, field: string, names: Pick<Vocabulary, 'name' | 'either'>): string {
  const either = eitherFieldsOf(resource).find(({ branches }) => branches.some((each) => each.field === field))
  return either === undefined ? names.name(resource, field) : names.either(resource, either.field).input
}

/** Accepted values in place of one that was sent: the relations of an `either`. */
export const storedOf = (sent: Accepted, { accept }: Pick<ActionModel, 'accept'>): readonly Accepted[] =>
  sent.branches === undefined ? [sent] : accept.filter(({ field }) => sent.branches!.includes(field))

/** A record that none of these types has is missing, as another one is. */
export function typedOf(value: unknown, field: string, resource: ResourceModel, names: Vocabulary): unknown {
  const { input, id } = names.either(resource, field)
  if (input !== id || typeof value !== 'string') return value
  return { type: branchOf(value, branchesOf(resource.fields.get(field)!, resource)).target.name, id: value }
}

/** With the values of its relations. `value` has passed its check. */
export function withRelations(field: string, value: unknown, resource: ResourceModel): Values {
  const { type, id } = (value ?? {}) as Partial<TypedId>
  const branches = branchesOf(resource.fields.get(field)!, resource)
  const ids = branches.map((branch) => [branch.field, branch.target.name === type ? id : null])
  return { ...Object.fromEntries(ids), [field]: value ?? null }
}

/** What an action accepts, with each `either` as callbacks see it. */
export function withEithers(fields: Values, { sent, resource }: ActionModel): Values {
  for (const { field, branches = [] } of sent) {
    const branch = branches.find((each) => fields[each] != null)
    if (branches.length > 0)
      fields[field] =
        branch === undefined
          ? null
          : ({ type: resource.relations.get(branch)!.target.name, id: fields[branch] } satisfies Record<
              keyof TypedId,
              unknown
            >)
  }
  return fields
}
