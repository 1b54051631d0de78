// Faults of requests and headers.
// biome-ignore-all lint/suspicious/noAssignInExpressions: each row is one expression.

import type { Fault } from '../faulty-proxy.ts'
import { body, failure, header, isList, isOne, isRest, status, unsent, without } from './change.ts'

export const requests: readonly Fault[] = [
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
]
