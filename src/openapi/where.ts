// Selection of the records of a bulk write. (contract 13.7)

import { where } from '../action/question/parameter/where.ts'
import { conditionMax } from '../action/question/write-selection.ts'
import { invariant } from '../failure/failure.ts'
import type { Limits } from '../limits.ts'
import type { JsonSchema } from '../resource/field/field.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'
import { words } from '../resource/naming/casing.ts'
import type { ResourceEndpoint } from '../rest/route/routes.ts'
import { describedParameters, type Parameter, written } from './parameter.ts'

/** A condition in a body. */
export function whereText(resource: ResourceModel, vocabulary: Vocabulary, limits: Limits): JsonSchema {
  const [text] = where.describe({ resource }, 'text', vocabulary)
  invariant(text !== undefined, 'only what takes conditions describes them')
  return { ...written(text.type(), vocabulary, limits).schema, description: text.about() }
}

/** Empty if lists have no conditions. (contract 13.7) */
export function bulkParameters(resource: ResourceModel, vocabulary: Vocabulary, limits: Limits): readonly Parameter[] {
  if (resource.where === null) return []
  return [...describedParameters([where], { resource }, vocabulary, limits), dryRunParameter]
}

/** The limit of a write by condition; empty if it accepts none. (contract 13.7.5) */
export function recordsMax({ kind, resource, action }: ResourceEndpoint, limits: Limits): object {
  const takesCondition = ['updateMany', 'deleteMany', 'moveMany'].includes(kind) && resource.where !== null
  return takesCondition ? { 'x-records-max': conditionMax([action], limits) } : {}
}

export const dryRunParameter: Parameter = {
  name: 'dry_run',
  in: 'query',
  description: 'Checks everything, stores nothing, and answers how many records it would write.',
  schema: { type: 'boolean', default: false },
}

export const idsParameter = ({ plural }: ResourceModel, { batch }: Limits): Parameter => ({
  name: 'ids',
  in: 'query',
  description: `The ids of the ${words(plural)}, with commas between, in place of \`where\`; ${batch} at most.`,
  schema: { type: 'string', minLength: 1, maxLength: batch * 65 },
})
