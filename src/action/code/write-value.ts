// Converts values of callbacks to JSON as clients of a version see it.

import type { PartName, SpecBase } from '../../resource/field/field.ts'
import { writeValue as jsonValue } from '../../resource/field/registry.ts'
import type { ActionModel } from '../../resource/model/model.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import { sentName } from '../input/either-input.ts'

type Members = Readonly<Record<string, unknown>>
interface Spec extends SpecBase {
  readonly of?: Spec
  readonly fields?: Readonly<Record<string, Spec>>
}

/** The input that a client would send. Throws if the action does not accept a field. (contract 13.3.11) */
export function writeInput(action: ActionModel, input: object, names: Vocabulary): Members {
  const { part, list } = names
  const { sent, resource, lists, mayFollow } = action
  const others = new Set([
    ...lists.flatMap(({ field, relation }) => [field, list(resource, relation)]),
    ...mayFollow.map((move) => move.name),
  ])
  const accepted = new Map(sent.map((each) => [each.field, each]))
  const members = Object.entries(input).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    members.map(([field, value]) => {
      const each = accepted.get(field)
      if (each !== undefined) return [sentName(resource, each, names), writeValue(each.spec, value, part)]
      if (others.has(field)) return [field, value]
      throw new Error(`The service's own code gives ${resource.name}.${action.name} ${field}, which it does not take.`)
    }),
  )
}

/** Only the parts that `fields` names. */
export function writeParts(fields: Readonly<Record<string, Spec>>, object: Members, partName: PartName): Members {
  return Object.fromEntries(
    Object.entries(fields).map(([part, of]) => [partName(part, of), writeValue(of, object[part], partName)]),
  )
}

function writeValue(spec: Spec, value: unknown, partName: PartName): unknown {
  if (value === null || value === undefined) return value
  if (spec.kind === 'argument') return writeValue(spec.of!, value, partName)
  if (spec.kind === 'list' && Array.isArray(value)) return value.map((each) => writeValue(spec.of!, each, partName))
  if (spec.kind === 'object') return writeParts(spec.fields!, value as Members, partName)
  return jsonValue(spec, value)
}
