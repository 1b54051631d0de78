// Calls of the front page other than actions: searches, summaries, named lists and custom routes.

import { summaryNames } from '../../action/question/parameter/groups.ts'
import type { CallOverview, RestCall } from '../../explorer/overview/overview.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { isOfVersion, type Routes } from '../../rest/route/routes.ts'
import type { Document, DocumentOperation } from './document.ts'

interface Source {
  readonly routes: Routes
  readonly document: Document
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
export function authoredCalls({ routes, document }: Source): readonly CallOverview[] {
  const patterns = new Set(routes.addresses.map(({ pattern }) => pattern))
  return Object.entries(document.paths).flatMap(([pattern, operations]) =>
    patterns.has(pattern)
      ? []
      : Object.entries(operations).flatMap(([method, operation]) => {
          if (!operation.security?.some((each) => 'apiKey' in each)) return []
          const call = callOf(method.toUpperCase(), pattern, operation)
          const path = call.path + requiredQuery(operation)
          return [{ name: operation.summary ?? pattern, about: operation.description ?? '', rest: { ...call, path } }]
        }),
  )
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
