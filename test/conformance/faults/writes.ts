// Faults of writes and of idempotency.
// biome-ignore-all lint/suspicious/noAssignInExpressions: each row is one expression.

import type { Fault, Sent } from '../faulty-proxy.ts'
import { body, failure, header, ignored, isList, type Json, sentJson, status, unsent, without } from './change.ts'

export const writes: readonly Fault[] = [
  { name: 'no Location', breaks: '4.5.1', answer: without('location') },
  { name: 'Location is absolute', breaks: '4.5.1', answer: header('location', (old) => `http://x.example${old}`) },
  { name: 'creates are 200', breaks: '4.5.1', answer: status(201, 200) },
  { name: 'PUT merges', breaks: '4.5.2', request: (sent) => void (sent.method === 'PUT' && (sent.method = 'PATCH')) },
  {
    name: 'PATCH replaces',
    breaks: '4.5.4,4.5.5',
    answer: (received, sent) =>
      sent.method === 'PATCH'
        ? body(
            (json) =>
              void (json.data?.bio !== undefined && (json.data.content = null) === null && (json.data.bio = 'other')),
          )(received, sent)
        : undefined,
  },
  {
    name: 'null is ignored',
    breaks: '4.5.5',
    request: sentJson((json, sent) => void (sent.method === 'PATCH' && json.bio === null && (json.bio = 'x'))),
  },
  {
    name: 'JSON is sorted',
    breaks: '4.5.6',
    answer: body(
      (json) =>
        void (
          json.data?.preferences &&
          (json.data.preferences = Object.fromEntries(Object.entries(json.data.preferences).toSorted()))
        ),
    ),
  },
  {
    name: 'an empty PATCH is 200',
    breaks: '4.5.7',
    answer: (received, { method, body: sent }) =>
      void (method === 'PATCH' && sent.toString() === '{}' && (received.status = 200)),
  },
  { name: 'If-Match is ignored', breaks: '4.5.8', request: unsent('if-match') },
  { name: 'If-Match is 412', breaks: '4.5.8', answer: status(409, 412) },
  { name: 'DELETE is 200', breaks: '4.5.9', answer: status(204, 200) },
  {
    name: 'a second DELETE is 204',
    breaks: '4.5.9',
    answer: (received, { method }) =>
      void (
        method === 'DELETE' &&
        received.status === 404 &&
        Object.assign(received, { status: 204, body: Buffer.alloc(0) })
      ),
  },
  {
    name: 'unknown fields of a body are ignored',
    breaks: '4.5.10',
    request: sentJson((json) => void delete json.no_such_field),
  },
  { name: 'missing references are 404', breaks: '4.5.11', answer: status(422, 404) },
  {
    name: 'If-None-Match is ignored by writes',
    breaks: '4.5.13',
    request: (sent) => void (sent.method !== 'GET' && delete sent.headers['if-none-match']),
  },
  {
    name: 'If-Match is ignored by creates',
    breaks: '4.5.13',
    request: (sent) => void (sent.method === 'POST' && delete sent.headers['if-match']),
  },
  {
    name: 'deletes are shown as deleted',
    breaks: '2.5.1',
    answer: (received, { method }) => void (method === 'GET' && received.status === 404 && (received.status = 410)),
  },
  { name: 'a wrong state is 422', breaks: '3.1.2', answer: failure(409, 422, 'BUSINESS_RULE_VIOLATION') },
  {
    name: 'moves are 204',
    breaks: '3.1.1',
    answer: (received, { target }) =>
      void (
        target.endsWith('/publish') &&
        received.status === 200 &&
        Object.assign(received, { status: 204, body: Buffer.alloc(0) })
      ),
  },
  {
    name: 'batches have no meta',
    breaks: '4.6.1',
    answer: body((json, _, { target }) => void (target.endsWith('/batch') && delete json.meta)),
  },
  {
    name: 'batches are not bounded',
    breaks: '4.6.1',
    request: sentJson((json) => void (json.posts?.length > 100 && (json.posts.length = 100))),
  },
  {
    name: 'batches lose a record',
    breaks: '4.6.1',
    request: sentJson((json) => void (json.posts?.length === 3 && (json.posts.length = 2))),
  },
  {
    name: 'updates of many take ids twice',
    breaks: '4.6.2',
    request: sentJson((json) => void (json.ids && (json.ids = [...new Set(json.ids)]))),
  },
  {
    name: 'updates of many are in another order',
    breaks: '4.6.2',
    answer: body((json, _, { method }) => void (method === 'PATCH' && isList(json) && json.data.reverse())),
  },
  {
    name: 'details of a batch have no place',
    breaks: '4.6.3',
    answer: body((json) =>
      json.error?.details?.forEach((each: Json) => void (each.field = each.field.replace(/^posts\[\d\]\./, ''))),
    ),
  },
  {
    name: 'missing ids are ignored',
    breaks: '4.6.4',
    request: sentJson((json) => void (json.ids?.length === 2 && /0{26}/.test(json.ids[1]) && json.ids.pop())),
  },
  {
    name: 'writes by a condition count wrongly',
    breaks: '13.7.1',
    answer: body((json) => void (json.meta?.updated && (json.meta.updated += 1))),
  },
  { name: 'a dry run deletes', breaks: '13.7.3', request: ignored('dry_run') },
  {
    name: 'a DELETE without a condition',
    breaks: '13.7.4',
    answer: (received, { method, target }) =>
      void (method === 'DELETE' && target === '/api/v2/posts' && (received.status = 200)),
  },
  {
    name: 'replays are 201',
    breaks: '4.7.1',
    answer: (received) => void (received.headers['idempotent-replayed'] !== undefined && (received.status = 201)),
  },
  { name: 'replays are not marked', breaks: '4.7.1', answer: without('idempotent-replayed') },
  {
    name: 'two keys are allowed',
    breaks: '4.7.2',
    request: ({ headers }) => void (headers['x-idempotency-key'] && delete headers['idempotency-key']),
  },
  {
    name: 'long keys are cut',
    breaks: '4.7.2',
    request: ({ headers }) =>
      void (String(headers['x-idempotency-key'] ?? '').length > 255 && (headers['x-idempotency-key'] = 'k')),
  },
  {
    name: 'the same key with another body is replayed',
    breaks: '4.7.4',
    answer: (received) => void (received.status === 422 && (received.status = 200)),
  },
  {
    name: 'bodies are compared as text',
    breaks: '4.7.4',
    answer: (received) => void (received.headers['idempotent-replayed'] !== undefined && (received.status = 422)),
  },
  {
    name: 'failures are kept',
    breaks: '4.7.5',
    request: (() => {
      const failed = new Set<string>()
      return ({ headers, body: sent }: Sent) => {
        const key = String(headers['x-idempotency-key'] ?? '')
        if (key === '') return
        if (/"title":7/.test(sent.toString())) failed.add(key)
        else if (failed.has(key)) headers['content-type'] = 'text/plain'
      }
    })(),
  },
  {
    name: 'replays of deleted records are 200',
    breaks: '4.7.6',
    answer: (received, { method, headers }) =>
      void (method === 'POST' && received.status === 404 && headers['x-idempotency-key'] && (received.status = 200)),
  },
  {
    name: 'batches ignore keys',
    breaks: '4.7.7',
    request: (sent) => void (sent.target.endsWith('/batch') && delete sent.headers['x-idempotency-key']),
  },
  {
    name: 'quoted keys are other keys',
    breaks: '4.7.12',
    request: ({ headers }) => {
      if (!String(headers['idempotency-key'] ?? '').startsWith('"')) return
      headers['x-idempotency-key'] = headers['idempotency-key']
      delete headers['idempotency-key']
    },
  },
]
