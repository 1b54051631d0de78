// The OpenAPI 3.1 document of one version, from the same model as the routes. (contract 4.15.1)

import { tokensOf } from '../action/record-selection.ts'
import type { EndpointDescription } from '../http/message/endpoint-description.ts'
import type { Limits } from '../limits.ts'
import type { JsonSchema } from '../resource/field/field.ts'
import { manyUpsertKeys } from '../resource/model/key.ts'
import { type ActionModel, eventsOf, type Model, type ResourceModel } from '../resource/model/model.ts'
import { codePrefixes } from '../resource/model/rule/access-code.ts'
import { recordActions } from '../resource/model/rule/record-action.ts'
import type { AuthorAddress } from '../rest/custom-route/address.ts'
import type { CursorForm } from '../rest/query/page.ts'
import { type Address, isOfVersion, type ResourceEndpoint, type Routes } from '../rest/route/routes.ts'
import type { Version } from '../rest/route/version.ts'
import { listSchema, metaSchemas } from './answer.ts'
import { authorPaths, authorTag } from './custom-route.ts'
import { type DocumentContext, type DocumentInfo, exampleId, type FindExample } from './document-context.ts'
import { cookieSchemes, endpointPaths, endpointTags } from './endpoint.ts'
import { eventSchemas, eventStreamItem, eventStreamTag, webhookItems } from './event.ts'
import { answerName, canName, inputName, listName, newName, schemaReference, upsertName } from './name.ts'
import { operationObject } from './operation.ts'
import { type Parameter, type Reference, sharedParameters } from './parameter.ts'
import { errorSchema, headersUnder, refusalsOf, sharedResponses } from './response.ts'
import { answerSchema, canSchema, inputSchema, newSchema, objectSchema, upsertSchema, withKeySchema } from './schema.ts'

export interface DocumentOptions extends ServiceDescription {
  readonly limits: Limits
  readonly cursorForm: CursorForm
  readonly info: DocumentInfo
  readonly authored?: readonly AuthorAddress[]
}
export interface ServiceDescription {
  readonly basePath?: string
  /** The public address, `basePath` included; null if unknown. */
  readonly baseUrl?: string | null
  readonly endpoints?: readonly EndpointDescription[]
  /** Finds public records; by default, examples have fictitious ids. */
  readonly findExample?: FindExample
}

export function makeDocument(version: Version, { addresses }: Routes, model: Model, options: DocumentOptions): object {
  const { limits, cursorForm, info, endpoints = [], authored = [] } = options
  const examples = exampleNaming(version, model, options)
  const takesCodes = codePrefixes(model).size > 0
  const context: DocumentContext = { limits, cursorForm, account: model.accounts.resource, takesCodes, ...examples }
  const { naming } = context
  const served = addresses.filter((address) => address.version === version && operationsOf(address).length > 0)
  const stream = addresses.find((address) => address.version === version && isEventStream(address))
  const events = stream === undefined ? [] : eventsOf(model)
  const sendsWebhooks = model.byPath.get('webhooks')?.isCredential === true
  const own = authored.filter((address) => address.version === version)
  const operations = served.flatMap((address) => operationsOf(address).map(([, operation]) => operation))
  const leaves = operations.some(({ action }) => action.deprecated !== null)
  return {
    openapi: '3.1.1',
    info: { ...info, version: version.name, description: descriptionOf(version, info), ...datesOf(version) },
    servers: [serverOf(options)],
    tags: [
      ...model.resources.map(({ path, plural }) => ({ name: path, description: `The actions of ${plural}.` })),
      ...endpointTags(own.map(authorTag)),
      ...(events.length === 0 ? [] : [{ name: eventStreamTag, description: 'Events as they happen.' }]),
      ...endpointTags(endpoints.map(({ tag }) => tag)),
    ],
    paths: {
      ...Object.fromEntries(served.map((address) => [address.pattern, pathItem(address, context)])),
      ...(stream === undefined ? {} : { [stream.pattern]: eventStreamItem(events, version) }),
      ...authorPaths(own, naming),
      ...endpointPaths(endpoints, version),
    },
    ...(sendsWebhooks ? { webhooks: webhookItems(eventsOf(model)) } : {}),
    components: {
      schemas: {
        ...Object.assign({}, ...model.resources.map((resource) => answerSchemas(resource, version))),
        ...inputSchemas(operations),
        ...listSchemas(operations, context),
        ...metaSchemas(context),
        ...eventSchemas(sendsWebhooks ? eventsOf(model) : events, version),
        Error: errorSchema(ownCodes(model), model.accounts.methods?.isStored ?? false),
      },
      parameters: sharedParameters(limits, takesCodes),
      headers: headersUnder(version, leaves),
      responses: sharedResponses(version, leaves, ownCodes(model), events.length > 0),
      securitySchemes: { ...securitySchemes, ...cookieSchemes(endpoints) },
    },
  }
}

/** Examples have ids of public records where there are some. */
export function exampleNaming(
  { vocabulary }: Version,
  model: Model,
  { findExample = () => null }: ServiceDescription,
): Pick<DocumentContext, 'naming' | 'idFor'> {
  const idFor = (action: ActionModel) => findExample(action) ?? exampleId(action.resource.prefix)
  return { idFor, naming: { partName: vocabulary.part, idOf: (name) => idFor(model.byName.get(name)!.read) } }
}

/** Linters require a description. */
const serverOf = ({ basePath = '', baseUrl = null }: ServiceDescription): object => ({
  // Tools prefix this to paths; few support a server per path, or a URL without a host.
  url: baseUrl ?? (basePath === '' ? '/' : basePath),
  description: 'The service, in production or in another environment.',
  'x-internal': false,
})

const ownCodes = ({ resources }: Model): readonly string[] =>
  resources.flatMap(({ notFound }) => (notFound === 'NOT_FOUND' ? [] : [notFound]))

/** (contract 9.1.1) */
const datesOf = ({ dates }: Version): object =>
  dates === null ? {} : { 'x-deprecated': dates.since, 'x-sunset': dates.sunset }

const descriptionOf = ({ isDeprecated, name }: Version, { description = '' }: DocumentInfo): string =>
  [
    description,
    'Unknown fields and parameters are refused. Identifiers are opaque. Moments are ISO 8601 in UTC.',
    'HEAD is GET without a body; OPTIONS answers the methods of a path.',
    isDeprecated
      ? `Version ${name} is deprecated: the headers Sunset and Link of its answers name its last day and its successor.`
      : '',
  ]
    .filter((sentence) => sentence !== '')
    .join('\n\n')

const isEventStream = ({ endpoints }: Address): boolean => endpoints.get('GET')?.kind === 'eventStream'

/** HEAD is documented by GET, and OpenAPI 3.1 has no place for QUERY. */
const operationsOf = ({ endpoints }: Address): readonly (readonly [method: string, operation: ResourceEndpoint])[] =>
  [...endpoints].flatMap(([method, operation]) =>
    isOfVersion(operation) || method === 'HEAD' || method === 'QUERY'
      ? []
      : [[method.toLowerCase(), operation] as const],
  )

function pathItem(address: Address, context: DocumentContext): object {
  const operations = operationsOf(address).map(([method, operation]) => [method, operationObject(operation, context)])
  const query = address.endpoints.get('QUERY')
  return {
    ...Object.fromEntries(operations),
    ...(query === undefined || isOfVersion(query)
      ? {}
      : { 'x-oai-additionalOperations': { QUERY: queryOperation(query, context) } }),
  }
}

/** QUERY as OpenAPI 3.1 can describe it: GET, with its parameters in a JSON body. (RFC 10008, contract 4.3.10) */
function queryOperation(get: ResourceEndpoint, context: DocumentContext): object {
  const operation = operationObject(get, context)
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

/** `can` is returned only if `fields` names it. */
function answerSchemas(resource: ResourceModel, { vocabulary }: Version): Readonly<Record<string, JsonSchema>> {
  const whole = answerSchema(resource, vocabulary)
  const hasCan = recordActions(resource).length > 0
  const can = hasCan ? { can: schemaReference(canName(resource)) } : {}
  return {
    [answerName(resource)]: { ...whole, properties: { ...(whole['properties'] as object), ...can } },
    ...(hasCan ? { [canName(resource)]: canSchema(resource, vocabulary) } : {}),
    ...(tokensOf(resource).length > 0 ? { [newName(resource)]: newSchema(resource, vocabulary) } : {}),
  }
}

function listSchemas(
  operations: readonly ResourceEndpoint[],
  context: DocumentContext,
): Readonly<Record<string, JsonSchema>> {
  const resources = new Set(operations.filter(({ kind }) => kind === 'list').map(({ resource }) => resource))
  return Object.fromEntries([...resources].map((each) => [listName(each), listSchema(each, context)]))
}

function inputSchemas(operations: readonly ResourceEndpoint[]): Readonly<Record<string, JsonSchema>> {
  const schemas: Record<string, JsonSchema> = {}
  for (const operation of operations) {
    const { kind, resource, action, version, key } = operation
    if (kind === 'create' || kind === 'move' || kind === 'collection') {
      schemas[inputName(operation)] = inputSchema(action, 'complete', version.vocabulary)
    } else if (kind === 'upsert') {
      schemas[inputName(operation)] = upsertSchema(resource, key!.columns, version.vocabulary)
    } else if (kind === 'createMany' && manyUpsertKeys(resource).length > 0) {
      const columns = resource.keys.flatMap((each) => each.columns)
      schemas[upsertName(resource)] = upsertSchema(resource, columns, version.vocabulary)
    } else if (kind === 'replace' || kind === 'update') {
      const mode = kind === 'replace' ? 'replace' : 'partial'
      const schema = inputSchema(action, mode, version.vocabulary)
      schemas[inputName(operation)] =
        key === undefined ? schema : withKeySchema(schema, resource, key, version.vocabulary)
    }
  }
  if (schemas['Nothing'] !== undefined)
    schemas['Nothing'] = { ...objectSchema({}, []), maxProperties: 0, description: 'Nothing.' }
  return schemas
}

const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token from /auth/login. Valid for minutes: /auth/refresh gives another. (RFC8725)',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'A key of the account, narrowed to its scopes.',
  },
}
