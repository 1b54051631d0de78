// Faults of GraphQL.
// biome-ignore-all lint/suspicious/noAssignInExpressions: each row is one expression.

import type { Fault } from '../faulty-proxy.ts'
import { body, isGraphql, type Json, sentJson, status } from './change.ts'

export const graphql: readonly Fault[] = [
  {
    name: 'GraphQL failures are 400',
    breaks: '7.3.1',
    answer: (received, sent) =>
      isGraphql(sent)
        ? body((json, to) => void (json.errors && json.data === undefined && (to.status = 400)))(received, sent)
        : undefined,
  },
  {
    name: 'GraphQL errors without codes',
    breaks: '7.3',
    answer: body((json) => json.errors?.forEach((each: Json) => void delete each.extensions)),
  },
  {
    name: 'GraphQL errors without a path',
    breaks: '7.3.3,4.8.9',
    answer: body((json) => json.errors?.forEach((each: Json) => void delete each.path)),
  },
  {
    name: 'no partial data',
    breaks: '7.3.3',
    answer: body((json) => void (json.errors && json.data && (json.data = null))),
  },
  { name: 'mutations by GET', breaks: '7.3.4', answer: status(405, 200) },
  {
    name: 'GraphQL takes arrays',
    breaks: '7.3.5',
    request: sentJson(
      (json, sent) =>
        void (Array.isArray(json) && (sent.body = json[0]) && Object.assign(json, { query: json[0].query })),
    ),
    answer: (received, { body: sent }) => void (sent.toString().startsWith('[') && (received.status = 200)),
  },
  {
    name: 'Accept is ignored by GraphQL',
    breaks: '7.3.6',
    request: (sent) => void (isGraphql(sent) && delete sent.headers['accept']),
  },
  {
    name: 'wrong variables have another code',
    breaks: '7.3.8',
    answer: body(
      (json) =>
        void (
          json.errors?.[0]?.extensions?.code === 'VALIDATION_ERROR' &&
          (json.errors[0].extensions.code = 'BAD_USER_INPUT')
        ),
    ),
  },
  {
    name: 'totalCount is the page',
    breaks: '4.8.2',
    answer: body((json) => void (json.data?.c?.totalCount && (json.data.c.totalCount = 0))),
  },
  {
    name: 'hasNextPage is false',
    breaks: '4.8.4',
    answer: body((json) => void (json.data?.c?.pageInfo && (json.data.c.pageInfo.hasNextPage = false))),
  },
  {
    name: 'endCursor is null',
    breaks: '4.8.1',
    answer: body((json) => void (json.data?.c?.pageInfo && (json.data.c.pageInfo.endCursor = null))),
  },
  {
    name: 'a mutation deletes nothing',
    breaks: '4.8.6',
    answer: body((json) => void (json.data?.x === true && (json.data.x = false))),
  },
  {
    name: 'problems have no field',
    breaks: '4.8.7',
    answer: body((json) => void (json.errors?.[0]?.extensions?.details && delete json.errors[0].extensions.details)),
  },
  {
    name: 'me of an anonymous caller is no error',
    breaks: '4.8.8',
    answer: body((json) => void (json.data?.me === null && delete json.errors)),
  },
  {
    name: 'node reads nothing',
    breaks: '4.8.11',
    answer: body((json) => void (json.data?.node && (json.data.node = null))),
  },
  {
    name: 'more fields than selected',
    breaks: '4.8.12',
    answer: body((json) => void (json.data?.x?.id && (json.data.x.title = 'x'))),
  },
  {
    name: 'operationName is ignored',
    breaks: '4.9.1',
    request: (sent) => void (sent.target = sent.target.replace(/&operationName=\w+/, '')),
  },
  {
    name: 'hashes are not checked',
    breaks: '4.9.2',
    request: sentJson(
      (json) =>
        void (
          /^0{64}$/.test(json.extensions?.persistedQuery?.sha256Hash ?? '') &&
          json.query &&
          delete json.extensions
        ),
    ),
  },
  {
    name: 'unknown hashes are a validation error',
    breaks: '4.9.2',
    answer: body(
      (json) =>
        void (
          json.errors?.[0]?.extensions?.code === 'PERSISTED_QUERY_NOT_FOUND' &&
          (json.errors[0].extensions.code = 'GRAPHQL_VALIDATION_FAILED')
        ),
    ),
  },
  {
    name: 'complexity is not bounded',
    breaks: '8.2',
    answer: body((json) => void (json.errors?.[0]?.extensions?.code === 'QUERY_TOO_COMPLEX' && delete json.errors)),
  },
  {
    name: 'complexity is bounded at 990',
    breaks: '8.2.3',
    answer: body(
      (json) => void (json.data?.a89 && (json.errors = [{ message: 'x', extensions: { code: 'QUERY_TOO_COMPLEX' } }])),
    ),
  },
  {
    name: 'mutations need no input',
    breaks: '2.9.3',
    answer: body((json, _, sent) => {
      if (!/mutation \{ create\w+ \{/.test(sent.body.toString())) return
      delete json.errors
      json.data = {}
    }),
  },
]
