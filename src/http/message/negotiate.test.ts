import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { negotiateEncoding, negotiateMediaType } from './negotiate.ts'

const json = 'application/json'
const graphql = 'application/graphql-response+json'

describe('Accept: the highest q, then the first listed (contract 7.3.6)', () => {
  const rows: [accept: string | undefined, chosen: string | null][] = [
    [undefined, null],
    ['', null],
    ['*/*', json],
    ['application/*', json],
    ['text/html', null],
    [json, json],
    [graphql, graphql],
    [`${graphql}, ${json}`, graphql],
    [`${json}, ${graphql}`, json],
    [`${json};q=0.5, ${graphql}`, graphql],
    [`${graphql};q=0.9, ${json};q=0.95`, json],
    [`${graphql}; charset=utf-8, ${json}; charset=utf-8`, graphql],
    [`${graphql};q=0.5, */*`, json],
    [`*/*;q=0.1, ${graphql};q=0.5`, graphql],
    [`text/html, ${graphql};q=0.9, */*;q=0.8`, graphql],
    [`${json};q=0, */*`, graphql],
    [`${graphql};q=0`, null],
    [`${json};q=0, ${graphql};q=0`, null],
    [`${graphql};q=nonsense, ${json};q=0.1`, json],
    [`${graphql};q=1.001, ${json};q=0.1`, json],
    ['APPLICATION/GraphQL-Response+JSON; Q=1', graphql],
    [`,, ${graphql} ,`, graphql],
  ]
  for (const [accept, chosen] of rows) {
    test(`${accept}: ${chosen}`, () => assert.equal(negotiateMediaType(accept, [json, graphql]), chosen))
  }
})

describe('Accept-Encoding', () => {
  const rows: [header: string | undefined, chosen: string | null][] = [
    [undefined, null],
    ['', null],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br;q=0.5, gzip', 'gzip'],
    ['gzip;q=0.5', 'gzip'],
    ['identity', null],
    ['identity, gzip;q=0.5', null],
    ['identity;q=0.5, gzip', 'gzip'],
    ['*', 'br'],
    ['*;q=0, gzip', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['br;q=0, gzip;q=0', null],
    ['zstd', null],
    ['GZIP', 'gzip'],
  ]
  for (const [header, chosen] of rows) {
    test(`${header}: ${chosen}`, () => assert.equal(negotiateEncoding(header), chosen))
  }
})
