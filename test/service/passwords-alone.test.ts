// A service whose accounts have passwords alone is what it was before there were other ways to sign in: the same tables, endpoints,
// documents, claims and statements, but for the queue of mails, which forgotten passwords have in common with the others.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ApiKey,
  anyone,
  choice,
  email,
  resource,
  SecurityEvent,
  Session,
  password as secret,
  self,
  service,
  state,
} from 'duet-api'
import { authenticationTables } from '../../src/authentication/authentication.ts'
import { noteStatements, withQuietService } from '../support/check/statement-counter.ts'
import { claimsOf } from '../support/server/second-factor.ts'
import { password, type TestService } from '../support/server/service.ts'

const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    password: secret({ min: 8, max: 200 }),
    role: choice(['MEMBER'], { default: 'MEMBER' }),
    status: state('ACTIVE'),
  },
  actions: { read: { allow: self }, create: { allow: anyone, accept: ['email', 'password'] } },
})
const definition = service({
  resources: { User, Session, ApiKey, SecurityEvent },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: { MEMBER: {} },
})

const tables = [
  'duet_signing_key',
  'duet_account',
  'duet_refresh_token',
  'duet_refresh_token_session',
  'duet_refresh_token_user',
  'duet_refresh_token_expiry',
  'duet_refresh_token_end',
  'duet_password_reset',
  'duet_password_reset_user',
  'duet_password_reset_expiry',
  'duet_mail',
  'duet_mail_due',
  'duet_denial',
  'duet_denial_position',
  'duet_denial_until',
  'duet_secret',
  'duet_outside_account',
  'duet_outside_account_age',
]
const endpoints = ['login', 'refresh', 'logout', 'forgot-password', 'reset-password']
const claims = ['iss', 'aud', 'sub', 'role', 'sid', 'epoch', 'iat', 'nbf', 'exp', 'jti']
const schemas = [
  ...['User', 'CreateUser', 'UserList', 'Session', 'SessionCan', 'SessionList'],
  ...['ApiKey', 'ApiKeyCan', 'NewApiKey', 'CreateApiKey', 'ApiKeyList', 'SecurityEvent', 'SecurityEventList'],
]
/** What each request sends to the database, in short. */
const statements = {
  'POST /auth/login': [
    'select users',
    'select users',
    'select duet_account',
    'insert sessions',
    'insert duet_refresh_token',
  ],
  'POST /auth/refresh': [
    'select users',
    'select duet_refresh_token',
    'update sessions',
    'update duet_refresh_token',
    'insert duet_refresh_token',
  ],
  'GET /api/v1/users/me': ['select users'],
  'POST /auth/logout': ['select users', 'select duet_refresh_token', 'update sessions', 'delete duet_refresh_token'],
}

async function statementsOf(service: TestService, work: () => Promise<unknown>): Promise<readonly string[]> {
  const heard: string[] = []
  await noteStatements(service, (sql) => heard.push(inShort(sql)), work)
  return heard
}
const inShort = (sql: string): string => {
  const [, verb, table] = /^(\w+).*?(?:from|into|update) "?(\w+)/.exec(sql.replace(/^update /, 'update update '))!
  return `${verb} ${table}`
}

withQuietService(
  'a service with passwords alone',
  (service) => {
    test('has the same tables and indexes', () => {
      const made = authenticationTables(service().model).flatMap(({ create }) => create[service().engine])
      const names = made.map((sql) => /^create (?:unique )?(?:table|index) if not exists (\w+)/.exec(sql)![1])
      assert.deepEqual(names, tables)
    })

    test('describes the same endpoints and schemas, and answers no other', async () => {
      const { body } = await service().client.send('GET /api/v1/openapi.json')
      const paths = Object.keys(body.paths)
      const ofSignIn = ['/auth', '/api/auth'].flatMap((prefix) => endpoints.map((each) => `${prefix}/${each}`))
      assert.deepEqual(
        paths.filter((each) => each.includes('auth/')),
        ofSignIn,
      )
      const shared = ['ListMeta', 'PageMeta', 'UncountedPageMeta', 'CursorMeta', 'Error']
      assert.deepEqual(Object.keys(body.components.schemas).sort(), [...schemas, ...shared].sort())
      for (const name of ['magic-link', 'verify', 'reauthenticate', 'totp', 'passkeys/options', 'issuers'])
        assert.equal((await service().send(`POST /auth/${name}`, { body: {} })).status, 404, name)
      assert.equal((await service().send('GET /auth/pages/sign-in')).status, 404)
    })

    test('sends the same statements, and issues the same claims', async () => {
      const account = { email: 'ada@example.com', password }
      assert.equal((await service().send('POST /api/v1/users', { body: account })).status, 201)
      await service().settled()
      let tokens = { access_token: '', refresh_token: '' }
      const keep = async (line: string, body: object) => {
        const answer = await service().send(line, { body })
        assert.equal(answer.status, 200, answer.text)
        if (answer.body.access_token !== undefined) tokens = answer.body
      }
      const requests: Readonly<Record<keyof typeof statements, (line: string) => Promise<unknown>>> = {
        'POST /auth/login': (line) => keep(line, account),
        'POST /auth/refresh': (line) => keep(line, { refresh_token: tokens.refresh_token }),
        'GET /api/v1/users/me': (line) =>
          service().send(line, { headers: { Authorization: `Bearer ${tokens.access_token}` } }),
        'POST /auth/logout': (line) => keep(line, { refresh_token: tokens.refresh_token }),
      }
      for (const [line, request] of Object.entries(requests))
        assert.deepEqual(
          await statementsOf(service(), () => request(line)),
          statements[line as 'POST /auth/login'],
          line,
        )
      assert.deepEqual(Object.keys(claimsOf(tokens.access_token)), claims)
    })
  },
  { definition },
)
