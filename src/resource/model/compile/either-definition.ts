// Rewrites `either(['issue', 'page'])`: its relations are deleted with their targets, as required ones are, it names the resources
// that they lead to, and where actions and conditions name it, they name its relations. (contract 11.6)

import { type EitherSpec, isEither, type OneSpec } from '../../field/relation.ts'
import type { ActionDefinition, Definition } from '../../language/definition.ts'
import { createExpansion, mapValues } from '../expand-resources.ts'

/** Returns the same service if it has none. One that contradicts something may name relations that do not exist. */
export const withEither = createExpansion((each) => eitherFieldsOf(each).length > 0, expandResource)

function expandResource(definition: Definition): Definition {
  const required = requiredRelations(definition)
  const fields = mapValues(definition.fields, (spec, name) => {
    if (isEither(spec)) return { ...spec, types: typesOf(spec, definition) }
    return required.has(name) && spec.kind === 'one' ? { ...spec, goesAlong: true } : spec
  })
  return { ...definition, fields, actions: mapValues(definition.actions, (each) => expandAction(each, definition)) }
}

function expandAction(action: ActionDefinition, { fields }: Definition): ActionDefinition {
  const { accept = [] } = action
  const eithers = accept.filter((field) => isEitherNamed(field, fields))
  if (eithers.length === 0) return action
  return { ...action, accept: accept.flatMap((field) => branchNames(field, fields)), eithers }
}

const isEitherNamed = (field: string, fields: Definition['fields']): boolean =>
  Object.hasOwn(fields, field) && isEither(fields[field]!)

/** The relations of an `either`; itself, if it is none. */
const branchNames = (field: string, fields: Definition['fields']): readonly string[] =>
  isEitherNamed(field, fields) ? (fields[field] as EitherSpec).of : [field]

/** One of each `either` must be set. */
export const requiredRelations = (definition: Definition): ReadonlySet<string> =>
  new Set(eitherFieldsOf(definition).flatMap(({ optional, of }) => (optional === true ? [] : of)))

/** Malformed ones are reported before. */
const eitherFieldsOf = ({ fields }: Definition): readonly EitherSpec[] => Object.values(fields).filter(isEither)

const typesOf = ({ of }: EitherSpec, { fields }: Definition): readonly string[] =>
  of.flatMap((name) => (fields[name]?.kind === 'one' ? [(fields[name] as OneSpec).target] : []))
