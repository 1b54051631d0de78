// Where clients find the APIs of a service (RFC 9727), and which edition of the contract these keep. (contract 4.15.9, 4.15.10)

import { Failure } from '../../failure/failure.ts'
import { bodyETag } from '../../http/message/conditional.ts'
import type { EndpointDescription } from '../../http/message/endpoint-description.ts'
import type { Exchange, Reply } from '../../http/message/exchange.ts'
import type { VersionModel } from '../../resource/model/model.ts'
import { vary } from '../../rest/route/caching.ts'

export const catalogPath = '/.well-known/api-catalog'
export const contractPath = '/.well-known/api-contract'

const edition = '2026.1'
const linkset = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'
const allow = 'GET, HEAD, OPTIONS'

/** `root` is the public address, or the base path if that is not known. Null for other paths. */
export function createWellKnown(
  versions: readonly VersionModel[],
  root: string,
): (exchange: Pick<Exchange, 'method' | 'path'>) => Reply | null {
  const replies = new Map([
    [catalogPath, replyOf(catalogOf(versions, root), { 'Content-Type': linkset, Link: catalogLink(root) })],
    [contractPath, replyOf(contractOf(versions), {})],
  ])
  return ({ method, path }) => {
    // Finding the path in the map hashes it, which costs every request more.
    if (!path.startsWith('/.')) return null
    const reply = replies.get(path)
    if (reply === undefined) return null
    if (method === 'OPTIONS') return { status: 204, headers: { Allow: allow, 'Cache-Control': 'no-store' }, body: null }
    if (method !== 'GET' && method !== 'HEAD') throw new Failure('METHOD_NOT_ALLOWED', { headers: { Allow: allow } })
    return reply
  }
}

function replyOf(content: object, headers: Readonly<Record<string, string>>): Reply {
  const body = JSON.stringify(content)
  const kept = { ETag: bodyETag(body), 'Cache-Control': 'public, max-age=300', Vary: vary }
  return { status: 200, headers: { ...kept, ...headers }, body }
}

const catalogLink = (root: string): string => `<${root}${catalogPath}>; rel="api-catalog"`

function catalogOf(versions: readonly VersionModel[], root: string): object {
  const json = (path: string) => ({ href: `${root}${path}`, type: 'application/json' })
  const current = versions.find(({ deprecated }) => deprecated === null)!
  const status = [json('/health/ready')]
  const rest = versions.map(({ name, deprecated }) => ({
    anchor: `${root}/api/${name}`,
    'service-desc': [json(`/api/${name}/openapi.json`)],
    'service-meta': [json(`/api/${name}/workflows.json`)],
    ...(deprecated === null ? {} : { 'successor-version': [{ href: `${root}/api/${current.name}` }] }),
    status,
  }))
  return { linkset: [...rest, { anchor: `${root}/graphql`, status }] }
}

const contractOf = (versions: readonly VersionModel[]): object => ({
  edition,
  levels: ['rest', 'graphql', 'events'],
  versions: versions.map(({ name }) => name),
})

const text = (description: string) => ({ type: 'string', maxLength: 8192, description })
const object = (properties: Readonly<Record<string, object>>, description: string) => ({
  type: 'object',
  properties,
  description,
})
const list = (items: object, description: string) => ({ type: 'array', maxItems: 100, items, description })
const link = object({ href: text('Where it is.'), type: text('Its media type.') }, 'A link.')
const exampleVersions: readonly VersionModel[] = [{ name: 'v1', deprecated: null, sunset: null }]
const notModified = { status: 304, description: 'The client has it already.', headers: ['ETag'] }

export const wellKnownEndpoints: readonly EndpointDescription[] = [
  {
    method: 'GET',
    path: catalogPath,
    operationId: 'apiCatalog',
    summary: 'The APIs of the service and their descriptions',
    tag: 'health',
    answers: [
      {
        status: 200,
        description: 'A set of links. (RFC 9727)',
        headers: ['ETag', 'Link'],
        body: {
          mediaType: linkset,
          schema: object(
            {
              linkset: list(
                object(
                  {
                    anchor: text('The address of an API.'),
                    'service-desc': list(link, 'Its description.'),
                    'service-meta': list(link, 'Its workflows.'),
                    status: list(link, 'Whether it can do its work.'),
                    'successor-version': list(link, 'The version that takes its place.'),
                  },
                  'An API.',
                ),
                'The APIs.',
              ),
            },
            'A set of links.',
          ),
          example: catalogOf(exampleVersions, ''),
        },
      },
      notModified,
    ],
    failures: [],
  },
  {
    method: 'GET',
    path: contractPath,
    operationId: 'apiContract',
    summary: 'The contract that the service keeps',
    tag: 'health',
    answers: [
      {
        status: 200,
        description: 'The edition of the contract, and what of the service keeps it.',
        headers: ['ETag'],
        body: {
          schema: object(
            {
              edition: text('The edition of the contract.'),
              levels: list(text('`rest`, `graphql` or `events`.'), 'The parts that the service has.'),
              versions: list(text('A version of REST, such as `v1`.'), 'The versions that it serves.'),
            },
            'A statement about the contract.',
          ),
          example: contractOf(exampleVersions),
        },
      },
      notModified,
    ],
    failures: [],
  },
]
