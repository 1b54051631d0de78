import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultLimits, type Limits } from '../../limits.ts'
import { readConfiguration } from './configuration.ts'
import { demoPassword } from './demo-password.ts'

const rows: readonly [variable: string, limit: keyof Limits, least: number][] = [
  ['DATABASE_POOL_SIZE', 'poolSize', 3],
  ['LIMIT_QUERY_IDS', 'queryIds', 1],
  ['LIMIT_QUERY_TIMEOUT_MS', 'queryTimeoutMs', 1],
  ['LIMIT_PAGE_SIZE', 'pageSize', 1],
  ['LIMIT_REACTIONS_AT_ONCE', 'reactionsAtOnce', 0],
]
for (const [variable, limit, least] of rows) {
  test(`0.1.2 ${variable} sets its limit, and is ${least} or more`, () => {
    assert.equal(readConfiguration({}).limits[limit], defaultLimits[limit])
    assert.equal(readConfiguration({ [variable]: '' }).limits[limit], defaultLimits[limit])
    assert.equal(readConfiguration({ [variable]: String(least) }).limits[limit], least)
    assert.equal(readConfiguration({ [variable]: '17' }).limits[limit], 17)
    if (least > 0) {
      const message = `${variable} must be ${least} or more.`
      assert.throws(() => readConfiguration({ [variable]: String(least - 1) }), { message })
    }
    for (const wrong of ['-1', '1.5', 'ten', '1e3', '1000000001']) {
      const message = `${variable} must be a whole number from 0 to 1000000000; it is "${wrong}".`
      assert.throws(() => readConfiguration({ [variable]: wrong }), { message })
    }
  })
}

test('2.10.2 DEMO_DATA in production needs a password of its own', () => {
  const production = { NODE_ENV: 'production', BASE_URL: 'https://api.example.com' }
  assert.equal(readConfiguration(production).demoData, false)
  const needsPassword = { message: /^DEMO_DATA=on needs a DEMO_PASSWORD of your own in production: / }
  for (const password of [{}, { DEMO_PASSWORD: '' }, { DEMO_PASSWORD: demoPassword }])
    assert.throws(() => readConfiguration({ ...production, DEMO_DATA: 'on', ...password }), needsPassword)
  const own = { DEMO_PASSWORD: 'of my own' }
  assert.equal(readConfiguration({ ...production, ...own, DEMO_DATA: 'on' }).demoPassword, 'of my own')
  assert.equal(readConfiguration({}).demoPassword, demoPassword)
  assert.equal(readConfiguration({ DEMO_DATA: 'on', ...own }).demoPassword, 'of my own')
  const message = 'DEMO_PASSWORD must have 8 characters or more.'
  assert.throws(() => readConfiguration({ DEMO_PASSWORD: '1234567' }), { message })
})

test('METRICS_PORT is never the port of the API (contract 0.1.1)', () => {
  const refused = (port: string) => ({
    message: `METRICS_PORT must not be ${port}: that is PORT, where the public API listens.`,
  })
  assert.throws(() => readConfiguration({ METRICS_PORT: '3000' }), refused('3000'))
  assert.throws(() => readConfiguration({ PORT: '80', METRICS_PORT: '80', METRICS_HOST: '10.0.0.1' }), refused('80'))
  assert.equal(readConfiguration({ PORT: '0', METRICS_PORT: '0' }).metricsPort, 0)
})

for (const [url, sentence] of [
  ['postgres://h/d?connect_timeout=3', 'the parameter connect_timeout, which has no effect: remove it'],
  [
    'postgres://h/d?sslmode=require&target_session_attrs=read-write',
    'the parameter target_session_attrs, which has no effect: remove it',
  ],
  [
    'postgres://h,i/d?target_session_attrs=standby',
    'target_session_attrs=standby, and a service writes: it can be read-write or primary',
  ],
  ['postgres://h/d?statement_timeout=0', 'the parameter statement_timeout, which has no effect: remove it'],
  ['postgres://h/d?dbname=e', 'the parameter dbname, which has no effect: name the database in the path'],
  [
    'postgres://h/d?sslmode=disable&sslmode=require',
    'the parameter sslmode twice, and one has an effect: remove the other',
  ],
  ['postgres://u:a#b@h/d', 'a part behind #, which has no effect: write %23 if it belongs to the password'],
  ['sqlite:./app.db?mode=ro', '?mode=ro, and a SQLite file takes no parameters: remove it'],
] as const) {
  test(`0.1.10 ${url} is refused`, () => {
    assert.throws(() => readConfiguration({ DATABASE_URL: url }), { message: `DATABASE_URL has ${sentence}.` })
  })
}
for (const [environment, sentence] of [
  [{ INSTANCES: '0', DATABASE_URL: 'postgres://h/d' }, /^INSTANCES must be a whole number from 1 to 99, or auto/],
  [{ INSTANCES: 'auto', DATABASE_URL: 'sqlite:a' }, /^INSTANCES needs PostgreSQL/],
  [
    { DATABASE_LISTEN_URL: 'postgres://h/d' },
    /^DATABASE_LISTEN_URL must be .* next to a DATABASE_URL of PostgreSQL\.$/,
  ],
  [{ DATABASE_URL: 'postgres://h/d', DATABASE_LISTEN_URL: 'sqlite:a' }, /^DATABASE_LISTEN_URL must be postgres:/],
  [
    { DATABASE_URL: 'postgres://h/d', DATABASE_LISTEN_URL: 'postgres://h/d?a=1' },
    /^DATABASE_LISTEN_URL has the parameter a/,
  ],
] as const)
  test(`0.1.13, 0.1.14 ${JSON.stringify(environment)} is refused`, () => {
    assert.throws(() => readConfiguration(environment), { message: sentence })
  })
for (const url of [
  'sqlite::memory:',
  'postgres://h/d?host=/run/sock&sslmode=verify-full&application_name=a',
  'postgres://h/d?options=-c%20a=b',
  'postgres://u:p@h:1,i:2/d?target_session_attrs=read-write&sslmode=require',
  'postgres://h,i/d?target_session_attrs=primary',
]) {
  test(`0.1.10 ${url} is accepted`, () => {
    assert.equal(readConfiguration({ DATABASE_URL: url }).databaseUrl, url)
  })
}
