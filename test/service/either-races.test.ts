// Races of 20 writers of records that are about one of several others: whatever is created, changed and deleted at once, each record
// has exactly one of them, which exists, kept numbers match, and PostgreSQL ends no deadlock. `EITHER_RACES=50` runs that many.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { either, many, one, optional, resource, type Service, service, signedIn } from 'duet-api'
import { query, rowsOf } from '../../src/store/store.ts'
import { accounts, User } from '../support/domain/account.ts'
import { createRandom } from '../support/oracle/random.ts'
import { areaOf, areaTenants, openInstances, type Send } from '../support/race/area.ts'
import { deadlocksOf } from '../support/race/race.ts'
import { forEachEngine } from '../support/server/databases.ts'
import type { TestService } from '../support/server/service.ts'

const writers = 20
const rounds = Number(process.env['EITHER_RACES'] ?? 3)
const patient = { writeWaitMs: 60_000, effectTimeoutMs: 60_000 }

/** In no tenant, or in a record within a tenant. */
function remarkService(isInTenant: boolean): Service<unknown> {
  const define = resource as unknown as (name: string, definition: object) => never
  const place = isInTenant ? { fields: { area: one('Area') }, within: { within: 'area' } } : { fields: {}, within: {} }
  const placed = Object.keys(place.fields)
  const target = (name: string, prefix: string, by: string) =>
    define(name, {
      prefix,
      ...place.within,
      fields: { ...place.fields, remarks: many('Remark', by) },
      counts: { remarks: 'remarks' },
      actions: {
        read: { allow: signedIn },
        create: { allow: signedIn, accept: placed },
        delete: { allow: signedIn },
      },
    })
  const Issue = target('Issue', 'iss', 'issue')
  const Page = target('Page', 'pag', 'page')
  const Remark = define('Remark', {
    prefix: 'rem',
    ...place.within,
    fields: {
      ...place.fields,
      issue: optional(one('Issue', { cascade: 'regardless' })),
      page: optional(one('Page', { onDelete: 'restrict' })),
      target: either(['issue', 'page']),
    },
    actions: {
      read: { allow: signedIn },
      create: { allow: signedIn, accept: [...placed, 'target'] },
      update: { allow: signedIn, accept: ['target'] },
    },
  })
  return (service as unknown as (definition: object) => Service<unknown>)({
    resources: { User, Issue, Page, Remark, ...(isInTenant ? areaTenants() : {}) },
    accounts,
    roles: { ANY: {} },
  })
}

forEachEngine((engine) => {
  for (const isInTenant of [false, true])
    for (const instances of engine === 'postgres' ? [1, 2] : [1])
      describe(`${isInTenant ? 'two levels deep in a tenant' : 'in no tenant'}, ${instances} instances`, () => {
        test('11.6.2, 11.6.4 no race leaves a record without its only relation, or with two', {
          timeout: 600_000,
        }, async (t) => {
          const definition = remarkService(isInTenant)
          const { main, send } = await openInstances(t, engine, instances, { definition, limits: patient })
          const place = isInTenant ? { area_id: await areaOf(main) } : {}
          for (let seed = 1; seed <= rounds; seed++) await race(main, send, place, seed)
          main.assertLog()
          assert.equal(await deadlocksOf(engine, main.databaseUrl), 0)
        })
      })
})

type Target = Readonly<Record<'target', { readonly type: string; readonly id: string }>>

async function race(main: TestService, send: Send, place: object, seed: number): Promise<void> {
  const random = createRandom(seed)
  const targets: { readonly path: string; readonly target: Target }[] = []
  for (let at = 0; at < 6; at++) {
    const isIssue = at % 2 === 0
    const path = isIssue ? 'issues' : 'pages'
    const { id } = await send(`POST ${path}`, place)
    targets.push({ path: `${path}/${id}`, target: { target: { type: isIssue ? 'Issue' : 'Page', id: id as string } } })
  }
  const remarks: string[] = []
  for (const { target } of targets.slice(0, 4)) remarks.push((await send('POST remarks', { ...place, ...target })).id)
  const answers = await Promise.all(
    Array.from({ length: writers }, async () => {
      const { path, target } = random.one(targets)
      const kind = random.one(['create', 'create', 'change', 'delete'])
      if (kind === 'create') return { kind, ...(await send('POST remarks', { ...place, ...target })) }
      if (kind === 'delete') return { kind, ...(await send(`DELETE ${path}`)) }
      return { kind, ...(await send(`PATCH remarks/${random.one(remarks)}`, target)) }
    }),
  )
  // What another request deleted is missing; a page with remarks stays.
  const allowed = new Set([200, 201, 204, 404, 422])
  const wrong = answers.filter(({ status }) => !allowed.has(status))
  assert.deepEqual(
    wrong.map(({ kind, status, text }) => `seed ${seed}, ${kind}: ${status} ${text}`),
    [],
  )
  assert.ok(answers.some(({ kind, status }) => kind === 'delete' && status === 204))
  await requireWhole(main)
}

async function requireWhole({ store, model }: TestService): Promise<void> {
  const rows = (sql: string) => store.read(rowsOf(query(sql)))
  const broken = await rows(
    `select r.id from remarks r left join issues i on i.id = r.issue_id and i.deleted_at is null
     left join pages p on p.id = r.page_id and p.deleted_at is null
     where r.deleted_at is null and (i.id is null) = (p.id is null)`,
  )
  assert.deepEqual(broken, [])
  for (const [name, column] of [
    ['Issue', 'issue_id'],
    ['Page', 'page_id'],
  ]) {
    const { table, keptNumbers } = model.byName.get(name!)!
    const wrong = await rows(
      `select id from ${table} t where deleted_at is null and "${keptNumbers[0]!.column.name}" <>
       (select count(*) from remarks where ${column} = t.id and deleted_at is null)`,
    )
    assert.deepEqual(wrong, [])
  }
}
