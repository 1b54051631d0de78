import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bodyETag, encodedETag, matchesNone, ownETag, recordETag, versionsMatched } from './conditional.ts'

describe('If-None-Match compares weakly (contract 4.11.3; RFC 9110 13.1.2)', () => {
  const rows: [header: string, etag: string, matches: boolean][] = [
    ['"3.1"', '"3.1"', true],
    ['W/"3.1"', '"3.1"', true],
    ['"3.1"', 'W/"3.1"', true],
    ['*', '"3.1"', true],
    [' * ', '"3.1"', true],
    ['"a", "3.1"', '"3.1"', true],
    ['"a","b" , W/"3.1"', '"3.1"', true],
    [',, "3.1" ,', '"3.1"', true],
    ['"a,b", "3.1"', '"3.1"', true],
    ['', '"3.1"', false],
    ['"3.2"', '"3.1"', false],
    ['"4.1"', '"3.1"', false],
    ['3.1', '"3.1"', false],
    ['w/"3.1"', '"3.1"', false],
    ['"3.1', '"3.1"', false],
    ['"x"3.1"', '"3.1"', false],
    ['"x" "3.1"', '"3.1"', false],
    ['garbage, "3.1"', '"3.1"', false],
    ['*, "x"', '"3.1"', false],
  ]
  for (const [header, etag, matches] of rows) {
    test(`${header} and ${etag}: ${matches}`, () => assert.equal(matchesNone(header, etag), matches))
  }

  test('takes no time to speak of on a header made to cost', () => {
    const start = process.cpuUsage()
    matchesNone(`${' ,'.repeat(8_000)}x`, '"3.1"')
    matchesNone(`"a"${' '.repeat(16_000)}x`, '"3.1"')
    matchesNone('"'.repeat(16_000), '"3.1"')
    assert(process.cpuUsage(start).user < 100_000)
  })
})

describe('If-Match yields versions (contract 4.5.8)', () => {
  const rows: [header: string, versions: readonly (number | string)[] | 'any'][] = [
    ['"3.1"', [3]],
    ['"3.1+gzip"', [3]],
    ['"3.1.2+br"', [3]],
    ['"3.1+"', []],
    ['"3.0"', [3]],
    ['W/"3.1"', [3]],
    ['"3.1", "12.255"', [3, 12]],
    ['*', 'any'],
    ['"3"', []],
    ['"3.1.2"', [3]],
    ['"3.1.2.usr_1"', ['3 of usr_1']],
    ['"3.1.usr_1+gzip"', ['3 of usr_1']],
    ['"3.1.2.2"', []],
    ['"03.1"', []],
    ['"-3.1"', []],
    ['" 3.1"', []],
    ['"3e1.0"', []],
    ['"99999999999999999999.1"', []],
    ['3.1', []],
    ['', []],
    ['"garbage"', []],
    ['"garbage", "3.1"', [3]],
  ]
  for (const [header, versions] of rows) {
    test(`${header}: ${versions}`, () => {
      const matched = versionsMatched(header)
      const named =
        matched === 'any' ? matched : matched.map(({ version, id }) => (id === null ? version : `${version} of ${id}`))
      assert.deepEqual(named, versions)
    })
  }

  test('the ETag of a record comes back as its version', () => {
    const etag = recordETag(7, '{}')
    assert.match(etag, /^"7\.[\w-]{43}"$/)
    assert.notEqual(recordETag(7, '{"a":1}'), etag)
    assert.match(ownETag(7, '{}', 'usr_1'), /^"7\.[\w-]{43}\.usr_1"$/)
    assert.deepEqual(versionsMatched(etag), [{ version: 7, id: null }])
    assert.deepEqual(versionsMatched(encodedETag(etag, 'gzip')), [{ version: 7, id: null }])
    assert.deepEqual(versionsMatched(ownETag(7, '{}', 'usr_1')), [{ version: 7, id: 'usr_1' }])
  })
})

test('4.11.6 the ETag of a body is one entity tag, equal for equal bytes only', () => {
  assert.match(bodyETag('{"data":[]}'), /^"[A-Za-z0-9_-]{43}"$/)
  assert.equal(bodyETag('é'), bodyETag(Buffer.from('é')))
  assert.notEqual(bodyETag('a'), bodyETag('b'))
  assert(matchesNone(bodyETag('a'), bodyETag('a')))
})
