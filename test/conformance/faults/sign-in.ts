// Faults of signing in.
// biome-ignore-all lint/suspicious/noAssignInExpressions: each row is one expression.

import type { Fault } from '../faulty-proxy.ts'
import { body, type Json, sentJson, status } from './change.ts'

export const signIn: readonly Fault[] = [
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
