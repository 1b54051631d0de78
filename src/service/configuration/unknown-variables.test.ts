import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfiguration } from './configuration.ts'

const refused: readonly [name: string, sentence: RegExp][] = [
  ['LIMIT_PAGE_SZE', /^LIMIT_PAGE_SZE is no limit of Duet: write LIMIT_PAGE_SIZE instead\.$/],
  ['LIMIT_QUERY_DEEP', /^LIMIT_QUERY_DEEP is no limit of Duet: write LIMIT_QUERY_DEPTH instead\.$/],
  ['LIMIT_COLOURS', /^LIMIT_COLOURS is no limit of Duet: write LIMIT_IP_PER_MINUTE, .+ or LIMIT_\w+ instead\.$/],
]
for (const [name, message] of refused) {
  test(`0.1.6 ${name} stops the start`, () => assert.throws(() => readConfiguration({ [name]: '7' }), { message }))
}

const warnings: readonly [environment: Record<string, string>, meant: string | null][] = [
  [{ DATABASE_URI: 'x' }, 'DATABASE_URL'],
  [{ JWT_ALGORITHMS: 'HS256' }, 'JWT_ALGORITHM'],
  [{ METRICS_PROT: '9090' }, 'METRICS_PORT'],
  [{ DATABASE_URI: 'x', DATABASE_URL: 'sqlite::memory:' }, null],
  [{ HOME: '/home/ada', PATH: '/bin', SORT: 'x' }, null],
  [{ DATABASE_MIGRATIONS_FOLDER: 'x', LOG_FORMAT: 'json', JWT_ISSUER: 'x', SMTP_PASSWORD: 'x' }, null],
]
for (const [environment, meant] of warnings) {
  const [name] = Object.keys(environment)
  test(`${Object.keys(environment)} ${meant === null ? 'is nothing of ours' : `is warned of: ${meant}`}`, () => {
    const sentences = meant === null ? [] : [`${name} is set and not read by Duet: was ${meant} meant?`]
    assert.deepEqual(readConfiguration(environment).warnings, sentences)
  })
}
