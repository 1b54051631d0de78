// Endpoints outside the versions, described alike in each document.

import type { DescribedAnswer, DescribedBody, EndpointDescription } from '../http/message/endpoint-description.ts'
import type { Version } from '../rest/route/version.ts'
import { sharedParameter } from './parameter.ts'
import { headersOf, refusalsWith } from './response.ts'

/** By path. */
export function endpointPaths(endpoints: readonly EndpointDescription[], version: Version) {
  // A version's deprecation does not affect them.
  const bare = { ...version, isDeprecated: false }
  return Object.fromEntries(
    endpoints.map((endpoint) => [
      endpoint.path,
      {
        [endpoint.method.toLowerCase()]: operationOf(endpoint, bare),
      },
    ]),
  )
}

export const endpointTags = (tags: readonly string[]): readonly object[] =>
  [...new Set(tags)].map((name) => ({ name, description: `Endpoints of ${name}.` }))

/** Security schemes for cookies, by name. */
export const cookieSchemes = (endpoints: readonly EndpointDescription[]): Readonly<Record<string, object>> =>
  Object.fromEntries(
    endpoints.flatMap(({ cookie }) =>
      cookie === undefined
        ? []
        : [[cookie, { type: 'apiKey', in: 'cookie', name: cookie, description: 'Set when signing in.' }]],
    ),
  )

function operationOf(endpoint: EndpointDescription, version: Version): object {
  const { operationId, summary, tag, method, body, cookie, isSignedIn = false, answers, failures } = endpoint
  const isKept = answers.some(({ status }) => status === 304)
  const usual = method === 'POST' ? [400, 408, 429, 500, 503] : [400, 429, 500, 503]
  const statuses = new Set(answers.map(({ status }) => status))
  const others = [...failures, ...usual].filter((status) => !statuses.has(status))
  return {
    operationId,
    summary,
    description: `${summary}.`,
    tags: [tag],
    parameters: [...(isKept ? [sharedParameter('If-None-Match')] : []), sharedParameter('X-Request-ID')],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.required,
            content: { 'application/json': { schema: body.schema, example: body.example } },
          },
        }),
    responses: {
      ...Object.fromEntries(answers.map((answer) => [answer.status, responseOf(answer, version)])),
      ...refusalsWith(others),
    },
    security: [isSignedIn ? { bearer: [] } : cookie === undefined ? {} : { [cookie]: [] }],
  }
}

function responseOf({ description, headers = [], cookie, body }: DescribedAnswer, version: Version): object {
  const setCookie = {
    'Set-Cookie': { description: cookie, schema: { type: 'string', maxLength: 8192 } },
  }
  return {
    description,
    headers: { ...headersOf(version, headers), ...(cookie === undefined ? {} : setCookie) },
    ...(body === undefined ? {} : { content: contentOf(body) }),
  }
}

const contentOf = ({ mediaType = 'application/json', ...body }: DescribedBody): object => ({ [mediaType]: body })
