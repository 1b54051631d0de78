// Races of 20 imports whose batches name several of the same keys, each in an order of its own: none is refused, and each key has
// one record.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { one, resource, type Service, service, signedIn, text } from 'duet-api'
import { query, rowsOf } from '../../src/store/store.ts'
import { samples } from '../support/check/samples.ts'
import { accounts, User } from '../support/domain/account.ts'
import { createRandom } from '../support/oracle/random.ts'
import { areaTenants, openInstances, organizationOf } from '../support/race/area.ts'
import { deadlocksOf } from '../support/race/race.ts'
import { forEachEngine } from '../support/server/databases.ts'

const writers = 20

/** In no tenant, or in a record within a tenant. */
function importService(isInTenant: boolean): Service<unknown> {
  const define = resource as unknown as (name: string, definition: object) => never
  const place = isInTenant
    ? { fields: { organization: one('Organization') }, within: { within: 'organization' } }
    : { fields: {}, within: {} }
  const accept = [...Object.keys(place.fields), 'code', 'note']
  const Ware = define('Ware', {
    prefix: 'war',
    ...place.within,
    fields: { ...place.fields, code: text({ max: 40 }), note: text({ max: 40 }) },
    keys: [['code']],
    actions: {
      read: { allow: signedIn },
      create: { allow: signedIn, accept },
      update: { allow: signedIn, accept: ['note'] },
    },
  })
  return (service as unknown as (definition: object) => Service<unknown>)({
    resources: { User, Ware, ...(isInTenant ? areaTenants() : {}) },
    accounts,
    roles: { ANY: {} },
  })
}

forEachEngine((engine) => {
  for (const isInTenant of [false, true])
    for (const instances of engine === 'postgres' ? [1, 2] : [1])
      describe(`${isInTenant ? 'in a tenant' : 'in no tenant'}, ${instances} instances`, () => {
        test('11.2.26 each import is done, whatever the others create', { timeout: 600_000 }, async (t) => {
          const definition = importService(isInTenant)
          const limits = { writeWaitMs: 60_000 }
          const { main, send } = await openInstances(t, engine, instances, { definition, limits })
          const place = isInTenant ? { organization_id: await organizationOf(main) } : {}
          const named = new Set<string>()
          for (let seed = 1; seed <= samples(1); seed++) {
            const random = createRandom(seed)
            const codes = Array.from({ length: 60 }, (_, at) => `${seed}-${at}`)
            const imports = Array.from({ length: writers }, () => random.some(codes, 20))
            for (const code of imports.flat()) named.add(code)
            const answers = await Promise.all(
              imports.map((each, at) =>
                send('POST wares/batch?by=code', { wares: each.map((code) => ({ ...place, code, note: `${at}` })) }),
              ),
            )
            assert.deepEqual(
              answers.filter(({ status }) => status >= 300).map(({ text }) => `seed ${seed}: ${text}`),
              [],
            )
          }
          const codes = await main.store.read(rowsOf(query('select code from wares')))
          assert.deepEqual(codes.flat().sort(), [...named].sort())
          main.assertLog()
          assert.equal(await deadlocksOf(engine, main.databaseUrl), 0)
        })
      })
})
