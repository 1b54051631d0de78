import assert from 'node:assert/strict'
import { test } from 'node:test'
import { float, json } from 'duet-api'
import type { Detail } from '../../failure/failure.ts'
import { readHeaders, readParameters, readPath } from './input.ts'

const fields = { anything: json({ maxBytes: 100 }) } as never
function problemsOf(text: string): readonly string[] {
  const problems: Detail[] = []
  readParameters(new URLSearchParams({ anything: text }).toString(), fields, (name) => name, problems)
  const inQuery = problems.splice(0).map(({ field }) => field)
  readHeaders({ anything: text }, fields, problems)
  assert.deepEqual(
    problems.map(({ field }) => field.toLowerCase()),
    inQuery,
  )
  return inQuery
}

test('7.2.9 a segment whose digits would be lost is none', () => {
  const fields = { share: float() } as never
  const share = (text: string) => readPath(new Map([['share', text]]), fields, (name) => name)
  assert.deepEqual(share('9007199254740992'), { share: 2 ** 53 })
  assert.equal(share('9007199254740993'), null)
})

test('7.2.9 JSON in queries and headers of routes is read as strictly as in bodies', () => {
  assert.deepEqual(problemsOf('{"a":9007199254740992}'), [])
  assert.deepEqual(problemsOf('{"a":9007199254740993}'), ['anything.a'])
  assert.deepEqual(problemsOf('{"a":{"b":[1,9007199254740993]}}'), ['anything.a.b[1]'])
  assert.deepEqual(problemsOf('{"a":1,"a":2}'), ['anything.a'])
})
