// Calls of the front page other than actions: searches, summaries, named lists and custom routes.

import { summaryNames } from '../../action/question/parameter/groups.ts'
import { objectOf, type RouteDefinition } from '../../custom-route/definition.ts'
import { whereOf } from '../../custom-route/run.ts'
import type { CallOverview, RestCall } from '../../explorer/overview/overview.ts'
import { exampleOperation, fieldsByRoute } from '../../graphql/schema/example-operation.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { isOfVersion, type Routes } from '../../rest/route/routes.ts'
import type { Document, DocumentOperation } from './document.ts'
import { type Names, renamed } from './renamed.ts'

interface Source {
  readonly routes: Routes
  readonly document: Document
}
interface AuthoredSource extends Source {
  readonly schema: Parameters<typeof fieldsByRoute>[0]
  readonly names: Names
}

export function questionsOf(resource: ResourceModel, { routes, document }: Source): readonly CallOverview[] {
  const calls: CallOverview[] = []
  for (const { version, pattern, endpoints } of routes.addresses) {
    const endpoint = endpoints.get('GET')
    if (version !== routes.current || endpoint === undefined || isOfVersion(endpoint)) continue
    if (endpoint.resource !== resource || endpoint.within !== null) continue
    const operation = document.paths[pattern]?.['get'] ?? {}
    const call = (name: string, about: string, query: string): CallOverview => ({
      name,
      about,
      rest: { ...callOf('GET', pattern, operation), path: pattern + query },
      graphql: null,
    })
    const about = operation.summary ?? ''
    if (endpoint.kind === 'summary') {
      const [group] = summaryNames(resource, version.vocabulary).groups.keys()
      calls.push(call('summary', about, group === undefined ? '' : `?group_by=${group}`))
    }
    if (endpoint.kind !== 'list') continue
    if (endpoint.query !== undefined) calls.push(call(endpoint.query.name, about, requiredQuery(operation)))
    else if (resource.search !== null) calls.push(call('search', 'Search by words.', '?q=word'))
  }
  return calls
}

function requiredQuery({ parameters = [] }: DocumentOperation): string {
  const names = parameters.filter((each) => each.in === 'query' && each.required === true)
  return names.length === 0 ? '' : `?${names.map(({ name, example = '' }) => `${name}=${String(example)}`).join('&')}`
}

/** Custom routes that an API key may use. */
export function authoredCalls({ routes, document, schema, names }: AuthoredSource): readonly CallOverview[] {
  const fields = new Map([...fieldsByRoute(schema)].map((entry) => [whereOf(entry[0]), entry]))
  const patterns = new Set(routes.addresses.map(({ pattern }) => pattern))
  return Object.entries(document.paths).flatMap(([pattern, operations]) =>
    patterns.has(pattern)
      ? []
      : Object.entries(operations).flatMap(([method, operation]) => {
          if (!operation.security?.some((each) => 'apiKey' in each)) return []
          const call = callOf(method.toUpperCase(), pattern, operation)
          const path = call.path + requiredQuery(operation)
          const [route, field] = fields.get(`${call.method} ${pattern}`) ?? []
          const graphql = route && field ? exampleOperation(field, argumentsOf(route, call, operation, names)) : null
          const rest = { ...call, path }
          return [{ name: operation.summary ?? pattern, about: operation.description ?? '', rest, graphql }]
        }),
  )
}

/** The example of REST as arguments: what its path and query require, and its body. */
function argumentsOf(
  { params = {}, query = {}, body = {} }: RouteDefinition,
  call: RestCall,
  { parameters = [] }: DocumentOperation,
  names: Names,
): Readonly<Record<string, unknown>> {
  const required = parameters.filter((each) => each.required === true)
  const examples = new Map(required.map((each) => [`${each.in} ${each.name}`, each.example]))
  const entries = [
    ...Object.entries(params).map(([field, spec]) => [field, spec, `path ${field}`] as const),
    ...Object.entries(query).map(([field, spec]) => [field, spec, `query ${names.rest.part(field, spec)}`] as const),
  ].filter(([, , place]) => examples.has(place))
  const values = entries.map(([field, spec, place]) => [names.graphql.part(field, spec), examples.get(place)] as const)
  const input = call.body === null ? [] : [['input', renamed(objectOf(body), JSON.parse(call.body), names)] as const]
  return Object.fromEntries([...values, ...input])
}

export function callOf(method: string, pattern: string, operation: DocumentOperation = {}): RestCall {
  const content = operation.requestBody?.content['application/json']
  const inPath = (operation.parameters ?? []).filter((each) => each.in === 'path' && each.example !== undefined)
  const path = inPath.reduce(
    (filled, { name, example }) => filled.replace(`{${name}}`, encodeURIComponent(String(example))),
    pattern,
  )
  return { method, pattern, path, body: content === undefined ? null : JSON.stringify(content.example ?? {}, null, 2) }
}
