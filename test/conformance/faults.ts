// Faults that services have, as what a proxy does to requests and answers.
// biome-ignore-all lint/suspicious/noAssignInExpressions: each row is one expression.

import type { Fault, Received, Sent } from './faulty-proxy.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies are whatever the service answers.
type Json = any

/** Changes the JSON of an answer. */
const body =
  (change: (json: Json, received: Received, sent: Readonly<Sent>) => unknown): NonNullable<Fault['answer']> =>
  (received, sent) => {
    if (!/json/.test(String(received.headers['content-type'] ?? '')) || received.body.length === 0) return
    const json = JSON.parse(received.body.toString())
    change(json, received, sent)
    received.body = Buffer.from(JSON.stringify(json))
  }
/** Answers with another status, as JSON without an error. */
const status =
  (from: number, to: number, isMeant: (sent: Readonly<Sent>) => boolean = () => true): NonNullable<Fault['answer']> =>
  (received, sent) => {
    if (received.status === from && isMeant(sent)) received.status = to
  }
const failure =
  (from: number, to: number, code: string): NonNullable<Fault['answer']> =>
  (received) => {
    if (received.status !== from) return
    received.status = to
    if (received.body.length > 0) received.body = Buffer.from(JSON.stringify({ error: { code, message: 'No.' } }))
  }
const without =
  (
    name: string,
    isMeant: (sent: Readonly<Sent>, received: Received) => boolean = () => true,
  ): NonNullable<Fault['answer']> =>
  (received, sent) => {
    if (isMeant(sent, received)) delete received.headers[name]
  }
const header =
  (name: string, value: (old: string) => string): NonNullable<Fault['answer']> =>
  (received) => {
    if (received.headers[name] !== undefined) received.headers[name] = value(String(received.headers[name]))
  }
const unsent =
  (...names: string[]): NonNullable<Fault['request']> =>
  ({ headers }) => {
    for (const name of names) delete headers[name]
  }
/** Changes the parameters of the address, or removes them. */
const parameters =
  (change: (parameters: URLSearchParams) => void): NonNullable<Fault['request']> =>
  (sent) => {
    const [path, query] = sent.target.split('?')
    if (query === undefined || !path!.startsWith('/api/v2/')) return
    const all = new URLSearchParams(query)
    change(all)
    sent.target = all.size === 0 ? path! : `${path}?${all}`
  }
const ignored = (...names: string[]) => parameters((all) => names.forEach((name) => void all.delete(name)))
const sentJson =
  (change: (json: Json, sent: Sent) => void): NonNullable<Fault['request']> =>
  (sent) => {
    try {
      const json = JSON.parse(sent.body.toString())
      change(json, sent)
      sent.body = Buffer.from(JSON.stringify(json))
    } catch {
      // What is no JSON stays as it is.
    }
  }
const isRest = ({ target }: Readonly<Sent>) => target.startsWith('/api/v2/')
const isOne = ({ target }: Readonly<Sent>) => /^\/api\/v2\/[a-z-]+\/[a-z]+_\w+$/.test(target)
const isGraphql = ({ target }: Readonly<Sent>) => target.startsWith('/graphql')
const isList = (json: Json) => Array.isArray(json?.data)

export const faults: readonly Fault[] = [
  // Requests
  {
    name: 'refused tokens count as none',
    breaks: '4.1.2',
    request: ({ headers }) =>
      void (/not-a-token/.test(String(headers['authorization'])) && delete headers['authorization']),
  },
  { name: 'refused tokens are 403', breaks: '4.1.2,5.1.1', answer: failure(401, 403, 'FORBIDDEN') },
  {
    name: 'health needs no refused token',
    breaks: '4.1.3',
    answer: (received, { target, headers }) =>
      void (target.startsWith('/health') && headers['authorization'] !== undefined && (received.status = 401)),
  },
  {
    name: 'the key set is refused with a token',
    breaks: '4.1.3',
    answer: (received, { target, headers }) =>
      void (target.includes('jwks') && headers['authorization'] !== undefined && (received.status = 401)),
  },
  {
    name: 'unknown paths read the body first',
    breaks: '4.1.4',
    answer: (received, { target, headers }) =>
      void (
        received.status === 404 &&
        headers['content-type'] === 'text/plain' &&
        /no-such/.test(target) &&
        (received.status = 415)
      ),
  },
  { name: '405 without Allow', breaks: '4.1.4,4.10.5', answer: without('allow') },
  {
    name: '401 before 415',
    breaks: '4.1.5',
    answer: (received, { headers }) =>
      void (
        received.status === 415 &&
        headers['authorization'] === undefined &&
        Object.assign(received, {
          status: 401,
          body: Buffer.from('{"error":{"code":"UNAUTHENTICATED","message":"Sign in."}}'),
        })
      ),
  },
  {
    name: 'form before 401',
    breaks: '4.1.6',
    answer: (received, { body: sent, headers }) =>
      void (
        received.status === 401 &&
        headers['authorization'] === undefined &&
        /no_such_field/.test(sent.toString()) &&
        (received.status = 400)
      ),
  },
  {
    name: 'form before 403',
    breaks: '4.1.6',
    answer: (received, { body: sent }) =>
      void (received.status === 403 && /no_such_field/.test(sent.toString()) && (received.status = 400)),
  },
  {
    name: 'the record before the form',
    breaks: '4.1.7',
    answer: (received, { body: sent, method }) =>
      void (
        received.status === 400 &&
        method === 'PATCH' &&
        /no_such_field/.test(sent.toString()) &&
        (received.status = 404)
      ),
  },
  {
    name: 'idempotency keys are ignored',
    breaks: '4.1.8,4.7.1',
    request: unsent('x-idempotency-key', 'idempotency-key'),
  },
  { name: 'X-Idempotency-Key is ignored', breaks: '4.7.1', request: unsent('x-idempotency-key') },
  { name: 'Idempotency-Key is ignored', breaks: '4.7.1', request: unsent('idempotency-key') },
  { name: 'hidden records are 403', breaks: '4.1.9,4.1.13,1.1.2', answer: failure(404, 403, 'FORBIDDEN') },
  {
    name: 'If-Match before 403',
    breaks: '4.1.10',
    answer: (received, { headers }) =>
      void (received.status === 403 && headers['if-match'] !== undefined && (received.status = 409)),
  },
  {
    name: 'one record without an envelope',
    breaks: '4.2.1',
    answer: body((json, _, sent) => {
      if (!isOne(sent) || sent.method !== 'GET' || isList(json)) return
      Object.assign(json, json.data)
      delete json.data
    }),
  },
  {
    name: 'lists have more members',
    breaks: '4.2.1',
    answer: body((json) => void (isList(json) && (json.links = {}))),
  },
  { name: 'lists without meta', breaks: '4.2.1', answer: body((json) => void (isList(json) && delete json.meta)) },
  { name: 'no charset', breaks: '4.2.1', answer: header('content-type', () => 'application/json') },
  { name: 'redirects lose the query', breaks: '4.2.3', answer: header('location', (old) => old.split('?')[0]!) },
  { name: 'redirects decode the query', breaks: '4.2.3', answer: header('location', (old) => old.replace('%20', ' ')) },
  { name: 'redirects are 302', breaks: '4.2.3', answer: status(301, 302) },
  {
    name: 'redirects can be kept',
    breaks: '4.2.3',
    answer: (received) => void (received.status === 301 && (received.headers['cache-control'] = 'max-age=60')),
  },
  {
    name: 'writes without a version are redirected',
    breaks: '4.2.4',
    answer: (received, { method, target }) =>
      void (method === 'POST' && /^\/api\/[a-u]/.test(target) && received.status === 404 && (received.status = 308)),
  },
  {
    name: 'health names the version',
    breaks: '0.2.1',
    answer: body((json) => void (json.data?.status === 'ok' && (json.data.version = '1'))),
  },
  // Headers
  { name: 'no request id', breaks: '4.10', answer: without('x-request-id') },
  {
    name: 'no request id in errors',
    breaks: '4.10',
    answer: without('x-request-id', (_, { status: code }) => code >= 400),
  },
  { name: 'request ids are not echoed', breaks: '4.10.3', answer: header('x-request-id', () => 'mine') },
  {
    name: 'request ids are echoed whatever they are',
    breaks: '4.10.3',
    answer: (received, { headers }) =>
      void (
        headers['x-request-id'] !== undefined && (received.headers['x-request-id'] = String(headers['x-request-id']))
      ),
  },
  { name: 'no nosniff', breaks: '4.10', answer: without('x-content-type-options') },
  { name: 'frames are allowed', breaks: '4.10', answer: header('x-frame-options', () => 'SAMEORIGIN') },
  { name: 'no policy', breaks: '4.10', answer: without('content-security-policy') },
  { name: 'no strict transport', breaks: '4.10', answer: without('strict-transport-security') },
  { name: 'referrers are sent', breaks: '4.10', answer: without('referrer-policy') },
  { name: 'no Cache-Control', breaks: '4.10,4.11', answer: without('cache-control') },
  {
    name: 'HEAD is 405',
    breaks: '4.10.4',
    answer: (received, { method }) => void (method === 'HEAD' && (received.status = 405)),
  },
  {
    name: 'an unknown method is 501',
    breaks: '4.10.5',
    answer: (received, { method }) => void (method === 'PROPFIND' && (received.status = 501)),
  },
  {
    name: 'OPTIONS is 200',
    breaks: '4.10.6',
    answer: (received, { method }) => void (method === 'OPTIONS' && (received.status = 200)),
  },
  { name: 'OPTIONS names no POST', breaks: '4.10.6', answer: header('allow', (old) => old.replace(/,? ?POST/, '')) },
  {
    name: 'Accept is negotiated',
    breaks: '4.10.7',
    answer: (received, { headers }) => void (headers['accept'] === 'text/html' && (received.status = 406)),
  },
  { name: 'no challenge', breaks: '4.10.8', answer: without('www-authenticate') },
  { name: 'challenges without a reason', breaks: '4.10.8,5.3.6', answer: header('www-authenticate', () => 'Bearer') },
  {
    name: 'every origin is allowed with cookies',
    breaks: '4.10.10',
    answer: (received, { headers }) =>
      void (
        headers['origin'] !== undefined &&
        Object.assign(received.headers, {
          'access-control-allow-origin': headers['origin'],
          'access-control-allow-credentials': 'true',
        })
      ),
  },
  {
    name: 'parameters of a media type are refused',
    breaks: '4.10.13',
    answer: (received, { headers }) =>
      void (/profile/.test(String(headers['content-type'])) && (received.status = 415)),
  },
  {
    name: 'other charsets are read',
    breaks: '4.10.13',
    request: ({ headers }) =>
      void (/latin1/.test(String(headers['content-type'])) && (headers['content-type'] = 'application/json')),
  },
  {
    name: 'public records are private',
    breaks: '4.11.1',
    answer: header('cache-control', (old) => old.replace('public', 'private')),
  },
  {
    name: 'private records are public',
    breaks: '4.11.1',
    answer: header('cache-control', (old) => old.replace('private', 'public')),
  },
  { name: 'no Vary', breaks: '4.11.1', answer: without('vary') },
  {
    name: 'errors can be kept',
    breaks: '4.11.2,4.5',
    answer: (received) => void (received.status >= 400 && (received.headers['cache-control'] = 'max-age=10')),
  },
  {
    name: 'writes can be kept',
    breaks: '4.11.2,4.5',
    answer: (received, sent) =>
      void (isRest(sent) && sent.method !== 'GET' && (received.headers['cache-control'] = 'no-cache')),
  },
  { name: 'If-None-Match is ignored', breaks: '4.11.3', request: unsent('if-none-match') },
  {
    name: 'If-None-Match takes no list',
    breaks: '4.11.3',
    request: ({ headers }) => void (String(headers['if-none-match']).includes(', ') && delete headers['if-none-match']),
  },
  {
    name: 'If-None-Match takes no weak tags',
    breaks: '4.11.3',
    request: ({ headers }) =>
      void (String(headers['if-none-match']).startsWith('W/') && delete headers['if-none-match']),
  },
  {
    name: 'everything is unchanged',
    breaks: '4.11.3',
    answer: (received, { headers }) =>
      void (
        headers['if-none-match'] !== undefined &&
        received.status === 200 &&
        Object.assign(received, { status: 304, body: Buffer.alloc(0) })
      ),
  },
  { name: 'versions do not grow', breaks: '4.11.4', answer: header('etag', (old) => old.replace(/^"\d+/, '"1')) },
  // Errors
  {
    name: 'another code of 404',
    breaks: '7.1.1',
    answer: body((json) => void (json.error?.code === 'NOT_FOUND' && (json.error.code = 'MISSING'))),
  },
  {
    name: 'codes in small letters',
    breaks: '7.1.1',
    answer: body((json) => void (json.error && (json.error.code = json.error.code.toLowerCase()))),
  },
  { name: 'validation is 422', breaks: '7.1.1,7.2', answer: status(400, 422) },
  { name: 'conflicts are 422', breaks: '2.2.8,3.1.2,4.5.8', answer: status(409, 422) },
  {
    name: 'errors have a stack',
    breaks: '7.2',
    answer: body((json) => void (json.error && (json.error.stack = 'Error: x\n    at f (file:///app/x.js:1:1)'))),
  },
  {
    name: 'errors without details',
    breaks: '7.2',
    answer: body((json) => void (json.error && delete json.error.details)),
  },
  {
    name: 'errors are not in the envelope',
    breaks: '7.2',
    answer: body(
      (json, to) =>
        void (json.error && (to.body = Buffer.from('')) && Object.assign(json, json.error) && delete json.error),
    ),
  },
  {
    name: 'details are texts',
    breaks: '7.2',
    answer: body(
      (json) => void (json.error?.details && (json.error.details = json.error.details.map((each: Json) => each.field))),
    ),
  },
  {
    name: 'only the first problem is named',
    breaks: '7.2.4',
    answer: body((json) => void (json.error?.details && (json.error.details = json.error.details.slice(0, 1)))),
  },
  {
    name: 'messages do not name the field',
    breaks: '7.2.4',
    answer: body((json) => void (json.error && (json.error.message = 'Wrong.'))),
  },
  {
    name: 'failures are 200',
    breaks: '7.2.2,7.2.5',
    answer: (received, sent) => void (isRest(sent) && received.status === 400 && (received.status = 200)),
  },
  {
    name: 'texts are cut',
    breaks: '7.2.5',
    request: sentJson((json) => void (typeof json.title === 'string' && (json.title = json.title.slice(0, 200)))),
  },
  {
    name: 'numbers become texts',
    breaks: '7.2.5',
    request: sentJson((json) => void (typeof json.title === 'number' && (json.title = String(json.title)))),
  },
  {
    name: 'NUL is removed',
    breaks: '7.2.5',
    request: (sent) => void (sent.body = Buffer.from(sent.body.toString().replace('\\u0000', ''))),
  },
  {
    name: 'lone surrogates are replaced',
    breaks: '7.2.5',
    request: (sent) => void (sent.body = Buffer.from(sent.body.toString().replace('\\ud800', '?'))),
  },
  {
    name: 'duplicate keys are merged',
    breaks: '7.2.5',
    request: (sent) =>
      void (
        sent.body.toString() === '{"a":1,"a":2}' && (sent.body = Buffer.from('{"title":"x","content":"x","tags":[]}'))
      ),
  },
  {
    name: 'the faces have other messages',
    breaks: '7.2.8',
    answer: (received, sent) =>
      isGraphql(sent)
        ? body((json) => void (json.errors?.[0] && (json.errors[0].message = 'Bad input.')))(received, sent)
        : undefined,
  },
  {
    name: 'large numbers are rounded',
    breaks: '7.2.9',
    request: (sent) =>
      void (sent.body = Buffer.from(sent.body.toString().replace('9007199254740993', '9007199254740992'))),
  },
  {
    name: 'problem details are ignored',
    breaks: '7.2.10',
    request: ({ headers }) => void (/problem/.test(String(headers['accept'])) && delete headers['accept']),
  },
  {
    name: 'problem details for everyone',
    breaks: '7.2.10',
    request: ({ headers }) =>
      void (headers['accept'] !== undefined && (headers['accept'] = 'application/problem+json')),
  },
  // Values
  { name: 'ids are numbers', breaks: '2.1.1', answer: body((json) => void (json.data?.id && (json.data.id = '42'))) },
  {
    name: 'no updated_at',
    breaks: '2.1.2,4.5.4,2.1.4',
    answer: body((json) => void (json.data?.id && delete json.data.updated_at)),
  },
  {
    name: 'names in camel case',
    breaks: '2.1.3',
    answer: body((json) => void (json.data?.created_at && (json.data.createdAt = json.data.created_at))),
  },
  {
    name: 'times without milliseconds',
    breaks: '2.1.4,2.1.3',
    answer: body(
      (json) => void (json.data?.created_at && (json.data.created_at = json.data.created_at.replace(/\.\d+/, ''))),
    ),
  },
  {
    name: 'times with an offset',
    breaks: '2.1.3,2.1.4',
    answer: body(
      (json) => void (json.data?.created_at && (json.data.created_at = json.data.created_at.replace('Z', '+00:00'))),
    ),
  },
  {
    name: 'clients write created_at',
    breaks: '2.1.5',
    request: sentJson((json) => {
      delete json.created_at
      delete json.updated_at
      delete json.id
    }),
  },
  {
    name: 'integers are cut',
    breaks: '2.2.7',
    request: sentJson(
      (json) => void (typeof json.price === 'number' && (json.price = Math.trunc(Math.min(json.price, 2 ** 31 - 1)))),
    ),
  },
  {
    name: 'integers of 31 bits',
    breaks: '2.2.7',
    answer: (received, { body: sent }) => void (/2147483647/.test(sent.toString()) && (received.status = 400)),
  },
  {
    name: 'unique values are changed',
    breaks: '2.2.8,5.7.1,11.2.6',
    request: sentJson((json) => void (json.email && (json.email = `${Math.random()}@x.example`))),
  },
  // Lists
  { name: 'sort is ignored', breaks: '4.3.1,4.4.11', request: ignored('sort') },
  {
    name: 'sort takes one field',
    breaks: '4.3.1,4.4.11',
    request: parameters((all) => all.has('sort') && all.set('sort', all.get('sort')!.split(',')[0]!)),
  },
  {
    name: 'the minus of sort is ignored',
    breaks: '4.3.1,4.4.11',
    request: parameters((all) => all.has('sort') && all.set('sort', all.get('sort')!.replaceAll('-', ''))),
  },
  { name: 'fields is ignored', breaks: '4.3.2', request: ignored('fields') },
  { name: 'unknown parameters are ignored', breaks: '4.3.3', request: ignored('no_such_parameter') },
  {
    name: 'unknown fields are ignored',
    breaks: '4.3.3',
    request: parameters((all) => void (all.get('fields') === 'no_such_field' && all.delete('fields'))),
  },
  {
    name: 'unknown sorts are ignored',
    breaks: '4.3.3',
    request: parameters((all) => void (all.get('sort') === 'no_such_field' && all.delete('sort'))),
  },
  {
    name: 'the last of two parameters counts',
    breaks: '4.3.3',
    request: parameters((all) => void (all.getAll('limit').length > 1 && all.set('limit', '2'))),
  },
  {
    name: 'filters of one record are ignored',
    breaks: '4.3.5',
    request: (sent) => void (/\/post_\w+\?tag/.test(sent.target) && (sent.target = sent.target.split('?')[0]!)),
  },
  {
    name: 'lengths count UTF-16',
    breaks: '4.3.7',
    answer: (received, { body: sent }) =>
      void (/😀{200}/u.test(sent.toString()) && received.status === 201 && (received.status = 400)),
  },
  {
    name: 'malformed ids are 400',
    breaks: '4.3.8',
    answer: (received, { target }) =>
      void (received.status === 404 && target.endsWith('/x') && (received.status = 400)),
  },
  {
    name: 'pages begin at 0',
    breaks: '4.4.1',
    request: parameters((all) => all.has('page') && all.set('page', String(Number(all.get('page')) + 1))),
  },
  {
    name: 'total counts the page',
    breaks: '4.4.1',
    answer: body((json) => void (json.meta?.total !== undefined && (json.meta.total = json.data.length))),
  },
  {
    name: 'has_next is always true',
    breaks: '4.4.1,4.4.8',
    answer: body((json) => void (json.meta?.has_next === false && (json.meta.has_next = true))),
  },
  {
    name: 'has_prev is missing',
    breaks: '4.4.1',
    answer: body((json) => void (json.meta && delete json.meta.has_prev)),
  },
  {
    name: 'total_pages is rounded down',
    breaks: '4.4.1',
    answer: body(
      (json) =>
        void (json.meta?.total_pages && (json.meta.total_pages = Math.floor(json.meta.total / json.meta.per_page))),
    ),
  },
  {
    name: 'cursor mode counts',
    breaks: '4.4.2',
    answer: body((json) => void (json.meta && 'next_cursor' in json.meta && (json.meta.total = 3))),
  },
  {
    name: 'page and cursor together',
    breaks: '4.4.4',
    request: parameters((all) => void (all.has('page') && all.delete('cursor'))),
  },
  {
    name: 'limit and per_page together',
    breaks: '4.4.4',
    request: parameters((all) => void (all.has('limit') && all.delete('per_page'))),
  },
  {
    name: 'sizes are cut',
    breaks: '4.4.5',
    request: parameters((all) => void (Number(all.get('limit')) > 100 && all.set('limit', '100'))),
  },
  {
    name: 'page 0 is page 1',
    breaks: '4.4.5',
    request: parameters((all) => void (all.get('page') === '0' && all.set('page', '1'))),
  },
  {
    name: 'the default size is 25',
    breaks: '4.4.5',
    answer: body((json) => void (json.meta?.per_page === 20 && (json.meta.per_page = 25))),
  },
  {
    name: 'any page can be requested',
    breaks: '4.4.6',
    request: parameters((all) => void (Number(all.get('page')) > 101 && all.set('page', '101'))),
  },
  {
    name: 'pages past the end are 404',
    breaks: '4.4.7',
    answer: (received, { target }) =>
      void (/page=9\b/.test(target) && received.status === 200 && (received.status = 404)),
  },
  {
    name: 'the last page has a cursor',
    breaks: '4.4.8',
    answer: body((json) => void (json.meta?.next_cursor === null && (json.meta.next_cursor = json.meta.prev_cursor))),
  },
  {
    name: 'no prev_cursor',
    breaks: '4.4.8',
    answer: body((json) => void (json.meta && 'prev_cursor' in json.meta && (json.meta.prev_cursor = null))),
  },
  {
    name: 'a page repeats a record',
    breaks: '4.4.8',
    answer: body((json) => void (isList(json) && json.data.length > 1 && (json.data[1] = json.data[0]))),
  },
  {
    name: 'a page loses a record',
    breaks: '4.4.8,4.4.9',
    answer: body((json) => void (isList(json) && json.data.length > 1 && json.data.pop())),
  },
  {
    name: 'cursors fit every list',
    breaks: '4.4.10',
    request: parameters((all) => void (all.has('cursor') && all.has('sort') && all.delete('cursor'))),
  },
  {
    name: 'unreadable cursors begin again',
    breaks: '4.4.10',
    request: parameters((all) => void (all.get('cursor') === 'x' && all.delete('cursor'))),
  },
  {
    name: 'totals count hidden records',
    breaks: '4.4.14',
    answer: body(
      (json, _, { headers }) =>
        void (headers['authorization'] === undefined && json.meta?.total !== undefined && (json.meta.total += 1)),
    ),
  },
  {
    name: 'the oldest come first',
    breaks: '2.3.4,4.4.8',
    request: parameters(
      (all) => void (!all.has('sort') && !all.has('cursor') && all.has('where') && all.set('sort', 'created_at')),
    ),
  },
  // Conditions and search
  { name: 'where is ignored', breaks: '12.1.1,12.1.2', request: ignored('where') },
  {
    name: 'NOT is ignored',
    breaks: '12.1.2',
    request: parameters((all) => all.has('where') && all.set('where', all.get('where')!.replace('NOT ', ''))),
  },
  {
    name: '<= is <',
    breaks: '12.1.2',
    request: parameters((all) => all.has('where') && all.set('where', all.get('where')!.replace('<=', '<'))),
  },
  {
    name: '>= is >',
    breaks: '12.1.2',
    request: parameters((all) => all.has('where') && all.set('where', all.get('where')!.replace('>=', '>'))),
  },
  {
    name: 'AND binds before OR',
    breaks: '12.1.16',
    request: parameters(
      (all) => all.has('where') && all.set('where', all.get('where')!.replace(/^(.* AND .*) OR /, '($1) OR ')),
    ),
  },
  {
    name: 'empty conditions are ignored',
    breaks: '12.1.16',
    request: parameters((all) => void (all.get('where') === '' && all.delete('where'))),
  },
  {
    name: 'conditions are not bounded',
    breaks: '12.1.9',
    request: parameters((all) => void ((all.get('where')?.length ?? 0) > 250 && all.delete('where'))),
  },
  {
    name: 'now is the beginning of time',
    breaks: '12.1.7',
    request: parameters(
      (all) =>
        all.has('where') &&
        all.set('where', all.get('where')!.replace('now - 1d', '"1970-01-01T00:00:00.000Z"').replace('>', '<')),
    ),
  },
  {
    name: 'cursors fit every condition',
    breaks: '12.1.11',
    request: parameters((all) => void (/ "\)$/.test(all.get('where') ?? '') && all.delete('cursor'))),
  },
  {
    name: 'conditions can be kept',
    breaks: '12.1.12',
    answer: (received, { target }) =>
      void (target.includes('where=') && (received.headers['cache-control'] = 'public, max-age=60')),
  },
  {
    name: 'values out of bounds are 400',
    breaks: '12.1.15',
    answer: (received, { target }) => void (/x{200}/.test(target) && (received.status = 400)),
  },
  { name: 'q is ignored', breaks: '12.2', request: ignored('q') },
  {
    name: 'searches tell case',
    breaks: '12.2.12',
    request: parameters((all) => all.has('q') && /[A-Z]/.test(all.get('q')!) && all.set('q', 'nothing-at-all')),
  },
  {
    name: 'excluded words are ignored',
    breaks: '12.2.13',
    request: parameters((all) => all.has('q') && all.set('q', all.get('q')!.replace(/ -\w+/, ''))),
  },
  {
    name: 'phrases are words',
    breaks: '12.2.13',
    request: parameters((all) => all.has('q') && all.set('q', all.get('q')!.replaceAll('"', ''))),
  },
  {
    name: 'long searches are cut',
    breaks: '12.2.33',
    request: parameters((all) => all.has('q') && all.set('q', all.get('q')!.slice(0, 20))),
  },
  {
    name: 'searches can be kept',
    breaks: '12.2.18',
    answer: (received, { target }) =>
      void (target.includes('q=') && (received.headers['cache-control'] = 'public, max-age=60')),
  },
  {
    name: 'summaries count one more',
    breaks: '12.2.23',
    answer: body(
      (json, _, { target }) =>
        void (target.includes('/summary') && json.data?.[0]?.count !== undefined && (json.data[0].count += 1)),
    ),
  },
  {
    name: 'groups without records',
    breaks: '12.2.23',
    answer: body(
      (json, _, { target }) =>
        void (/summary\?group_by/.test(target) && json.data?.length === 0 && json.data.push({ count: 0 })),
    ),
  },
  {
    name: 'unknown groups are ignored',
    breaks: '12.2.21',
    request: parameters((all) => void (all.get('group_by') === 'no_such_field' && all.delete('group_by'))),
  },
  // Writes
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
  // Idempotency
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
  // GraphQL
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
  // Signing in
  {
    name: 'logins are in an envelope',
    breaks: '4.12.1',
    answer: body(
      (json, _, { target }) =>
        void (target === '/auth/login' && json.access_token && Object.assign(json, { data: {} })),
    ),
  },
  {
    name: 'no /api/auth',
    breaks: '4.12.2',
    answer: (received, { target }) => void (target.startsWith('/api/auth') && (received.status = 404)),
  },
  {
    name: 'unknown addresses have another message',
    breaks: '4.12.4',
    answer: body(
      (json, _, { body: sent }) =>
        void (json.error && /@run\w+\.example/.test(sent.toString()) && (json.error.message = 'Unknown address.')),
    ),
  },
  { name: 'more members of a login are ignored', breaks: '4.12.6', request: sentJson((json) => void delete json.more) },
  { name: 'GET /auth/login is 404', breaks: '4.12.7', answer: status(405, 404) },
  {
    name: 'tokens in the address',
    breaks: '4.12.8',
    request: (sent) => {
      const [, token] = /access_token=([^&]+)/.exec(sent.target) ?? []
      if (token) {
        sent.headers['authorization'] = `Bearer ${token}`
        sent.target = sent.target.split('?')[0]!
      }
    },
  },
  {
    name: 'tokens in a cookie',
    breaks: '4.12.8',
    request: ({ headers }) =>
      void (headers['cookie'] && (headers['authorization'] = `Bearer ${String(headers['cookie']).split('=')[1]}`)),
  },
  { name: 'requests of unknown addresses are 404', breaks: '4.13.1', answer: status(202, 404) },
  {
    name: 'logged out tokens are good',
    breaks: '3.5.5',
    request: (sent) => void (sent.target === '/auth/logout' && (sent.body = Buffer.from('{"refresh_token":"x"}'))),
    answer: (received, { target }) =>
      void (target === '/auth/logout' && Object.assign(received, { status: 200, body: Buffer.from('{}') })),
  },
  {
    name: 'unsigned tokens are good',
    breaks: '5.1.1',
    request: ({ headers }) => void (/\.$/.test(String(headers['authorization'])) && delete headers['authorization']),
  },
  {
    name: 'padded tokens are good',
    breaks: '5.1.1',
    request: ({ headers }) =>
      void (headers['authorization'] = String(headers['authorization'] ?? '').replace(/=$/, '') || undefined),
  },
  {
    name: 'the key set has private keys',
    breaks: '5.2.1',
    answer: body((json) => json.keys?.forEach((each: Json) => void (each.d = 'x'))),
  },
  {
    name: 'the key set cannot be kept',
    breaks: '5.2.1',
    answer: (received, { target }) =>
      void (target.includes('jwks') && (received.headers['cache-control'] = 'no-store')),
  },
  {
    name: 'sessions show their tokens',
    breaks: '3.6.1',
    answer: body(
      (json, _, { target }) =>
        void (target.includes('/sessions') && json.data?.[0] && (json.data[0].refresh_token = 'x')),
    ),
  },
  {
    name: 'a session that ended is good',
    breaks: '3.6.2',
    answer: body((json, to) => void (json.error?.code === 'INVALID_TOKEN' && (to.status = 200))),
  },
  {
    name: 'keys are shown again',
    breaks: '5.3.1',
    answer: body(
      (json, _, { target, method }) =>
        void (method === 'GET' && target.includes('/api-keys/') && json.data && (json.data.key = 'x')),
    ),
  },
  {
    name: 'keys without scopes',
    breaks: '5.3.2',
    request: sentJson((json) => void (json.scopes?.length === 0 && (json.scopes = ['*']))),
  },
  { name: 'keys that have ended', breaks: '5.3.3', request: sentJson((json) => void delete json.expires_at) },
  {
    name: 'unknown keys are anonymous',
    breaks: '5.3.4',
    request: ({ headers }) => void (headers['x-api-key'] === 'unknown' && delete headers['x-api-key']),
  },
  {
    name: 'a key next to a token',
    breaks: '5.3.5',
    request: ({ headers }) => void (headers['authorization'] && delete headers['x-api-key']),
  },
  { name: 'scopes are 401', breaks: '5.3.6', answer: status(403, 401) },
  {
    name: 'keys manage keys',
    breaks: '5.3.7',
    answer: (received, { target, headers }) =>
      void (headers['x-api-key'] && /api-keys|sessions/.test(target) && (received.status = 200)),
  },
]
