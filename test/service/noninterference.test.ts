// Somebody asks two services whose databases differ only in what he may not see, and cannot tell them apart. This is a
// sample; `npm run noninterference -- 100000` asks for longer, and `--mutants` shows that it would notice. (contract 10.4)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '../../reference/service.ts'
import { compileService } from '../../src/service/start/compile-service.ts'
import { samples } from '../support/check/samples.ts'
import { marks } from '../support/domain/marks.ts'
import { remarks } from '../support/domain/remarks.ts'
import { differ } from '../support/noninterference/differ.ts'
import { comparedAt, makeRows } from '../support/noninterference/make-rows.ts'
import { mutants } from '../support/noninterference/mutants.ts'
import { mutatedText } from '../support/noninterference/mutate.ts'
import { comparePair } from '../support/noninterference/pair.ts'
import { visibilityOf } from '../support/noninterference/visibility.ts'
import { createRandom } from '../support/oracle/random.ts'
import { forEachEngine } from '../support/server/databases.ts'

const seeds = samples(1)

forEachEngine((engine) => {
  const requests = engine === 'sqlite' ? 200 : 100
  let successes = 0
  for (let seed = 1; seed <= seeds; seed++)
    test(`10.4.1 ${requests} random requests are answered alike whatever is hidden, seed ${seed}`, async () => {
      const result = await comparePair({ definition: api, engine, seed, requests, count: 20 })
      assert.equal(result.difference, null)
      assert.ok(result.changes > 0, 'the databases differ')
      successes += result.successes
    })
  test('10.4.1 a hidden record of one of several types is as none, whichever type it has', async () => {
    let asked = 0
    for (const seed of [4, 5, 6]) {
      const result = await comparePair({ definition: remarks, engine, seed, requests: requests / 2, count: 20 })
      assert.equal(result.difference, null)
      asked += result.successes
    }
    assert.ok(asked > 20, `only ${asked} were answered with success`)
  })
  test('10.4.1 events and messages to webhooks show nothing of what is hidden in a record', async () => {
    let frames = 0
    for (const seed of [3, 4, 8, 9, 10]) {
      const result = await comparePair({ definition: marks, engine, seed, requests: requests / 2, count: 12 })
      assert.equal(result.difference, null)
      frames += result.frames
    }
    assert.ok(frames > 100, `only ${frames} were sent`)
  })
  // A pair ends early where the person's own write shows him what was hidden before.
  test('many of them are answered with success', () =>
    assert.ok(successes > (seeds * requests) / 4, `only ${successes} were answered with success`))
})

test('databases that are made to differ do so for another user', () => {
  const model = compileService(api)
  const rows = makeRows(model, createRandom(1), { count: 20, name: 'user' })
  const other = differ(model, rows, { watched: { person: null, codes: [] }, random: createRandom(2), attempts: 200 })
  const [admin] = [...rows.records.values()].filter((row) => row.of === model.accounts.resource)
  const visibilities = [null, { id: admin!.id, role: 'ADMIN' }].map((person) =>
    [rows, other.rows].map((each) => [...visibilityOf(model, each, { person, codes: [] }, comparedAt)].sort()),
  )
  assert.deepEqual(visibilities[0]![0], visibilities[0]![1])
  assert.notDeepEqual(visibilities[1]![0], visibilities[1]![1])
})

test('each condition that is taken out for the mutants stands in the sources once', () => {
  assert.ok(mutants.length >= 40)
  for (const mutant of mutants) assert.notEqual(mutatedText(mutant), '')
})
