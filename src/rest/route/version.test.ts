import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeVersions } from './version.ts'

const day = (text: string) => new Date(`${text}T00:00:00.000Z`)
const [v1, v2, v3] = makeVersions([
  { name: 'v1', deprecated: day('2025-01-01'), sunset: day('2026-01-01') },
  { name: 'v2', deprecated: day('2026-11-20'), sunset: day('2027-11-20') },
  { name: 'v3', deprecated: null, sunset: null },
])

test('a deprecated version names its dates, and the version after it (contract 9.1.1; RFC 9745, RFC 8594)', () => {
  assert.deepEqual(v2!.headers('/api/v2/posts/x'), {
    Deprecation: '@1795132800',
    Sunset: 'Sat, 20 Nov 2027 00:00:00 GMT',
    Link: '</api/v3/posts/x>; rel="successor-version"',
  })
  assert.equal(v1!.headers('/api/v1')['Link'], '</api/v2>; rel="successor-version"')
  assert.deepEqual(v3!.headers('/api/v3/posts'), {})
})

test('no path ends the link', () => {
  const link = (path: string) => v2!.headers(`/api/v2${path}`)['Link']!.slice('</api/v3'.length, -26)
  assert.equal(link('/a>b<c"d'), '/a%3Eb%3Cc%22d')
  assert.equal(link('/a%20b;c=d,e'), '/a%20b;c=d,e')
})
