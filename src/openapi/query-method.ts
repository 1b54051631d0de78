// QUERY on lists and summaries, as OpenAPI 3.1 can describe it. (RFC 10008, contract 4.3.10)

import type { JsonSchema } from '../resource/field/field.ts'
import type { ResourceEndpoint } from '../rest/route/routes.ts'
import type { DocumentContext } from './document-context.ts'
import { operationObject } from './operation.ts'
import { type Parameter, type Reference, sharedParameters } from './parameter.ts'
import { refusalsOf } from './response.ts'
import { objectSchema } from './schema.ts'

interface Operation {
  readonly operationId: string
  readonly parameters: readonly (Parameter | Reference)[]
  readonly responses: object
}

/** The operation of GET, with the parameters of its query string in a JSON body. */
export function queryOperation(get: ResourceEndpoint, context: DocumentContext): object {
  const operation = operationObject(get, context) as Operation
  const shared = sharedParameters(context.limits, context.takesCodes)
  const all = operation.parameters.map((each) => ({
    each,
    parameter: '$ref' in each ? shared[(each as Reference).$ref.split('/').at(-1)!]! : (each as Parameter),
  }))
  const inBody = all.filter(({ parameter }) => parameter.in === 'query').map(({ parameter }) => parameter)
  const needed = inBody.filter(({ required }) => required === true)
  const schema = objectSchema(
    Object.fromEntries(inBody.map(({ name, description, schema }) => [name, { ...textOr(schema), description }])),
    needed.map(({ name }) => name),
  )
  const example = Object.fromEntries(needed.map((each) => [each.name, each['example']]))
  return {
    ...operation,
    operationId: `${operation.operationId}ByQuery`,
    parameters: all.filter(({ parameter }) => parameter.in !== 'query').map(({ each }) => each),
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: { ...operation.responses, ...refusalsOf(['PayloadTooLarge', 'UnsupportedMediaType']) },
  }
}

/** The text of a query string stands for its value. */
const textOr = (schema: JsonSchema): JsonSchema =>
  schema['type'] === 'string' ? schema : { anyOf: [schema, { type: 'string', minLength: 1, maxLength: 8192 }] }
