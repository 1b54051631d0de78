// What becomes of stored values when they come, change and go, and of what is derived from them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, integer, many, one, optional, resource, service, text, when } from 'duet-api'
import { forEachMigration } from '../../../test/support/server/migration.ts'
import { compileModel } from '../../resource/model/compile/compile-model.ts'
import type { Model } from '../../resource/model/model.ts'

const counted = { counts: { things: 'things' } }
function boxes(more: object): Model {
  const actions = { read: { allow: anyone } }
  const User = resource('User', { prefix: 'usr', fields: {}, actions } as never)
  const fields = {
    name: text({ max: 20, default: '-' }),
    weight: integer({ default: 2 }),
    things: many('Thing', 'box'),
  }
  const Box = resource('Box', { prefix: 'box', plural: 'boxes', fields, ...more, actions } as never)
  const Thing = resource('Thing', {
    prefix: 'thing',
    fields: { box: one('Box'), name: text({ max: 9, default: '-' }) },
    actions,
  } as never)
  return compileModel(service({ resources: { User, Box, Thing }, accounts: {}, roles: {} } as never) as never)
}

type Made = { name: string; weight: number; thingsCount: number }
const labelled = (stored: unknown, make: (row: Made) => string | null, more: object = {}) => ({
  ...counted,
  computed: { label: { as: optional(text({ max: 60 })), from: ['name', 'weight', 'thingsCount'], stored, make } },
  ...more,
})
const label = ({ name, weight, thingsCount }: Made) => `${name} ${weight} ${thingsCount}`

forEachMigration(({ insert, moment, run, start, store }) => {
  async function fill(): Promise<void> {
    const values = `'${moment}', '${moment}'`
    const all = Array.from({ length: 1_100 }, (_, at) => `('box_${String(at).padStart(5, '0')}', 'n', 2, ${values})`)
    await run(`insert into boxes (id, name, weight, created_at, updated_at) values ${all.join(', ')}`)
    await insert('thing_1', { box_id: 'box_00000', name: 'a' })
    await insert('thing_2', { box_id: 'box_00000', name: 'b' })
    await insert('thing_3', { box_id: 'box_01099', name: 'a' })
  }
  async function labels(model: Model): Promise<readonly unknown[]> {
    const { name } = model.byName.get('Box')!.column.get('label')!
    const rows = await run(
      `select "${name}" from boxes where id in ('box_00000', 'box_00001', 'box_01099') order by id`,
    )
    return rows.map(([value]) => value)
  }

  test('13.2.16 one that comes is worked out before the start, in batches, with what is derived from it', async () => {
    await start(boxes({}))
    await fill()
    const next = boxes(labelled(true, label, { search: ['label'], sort: ['label'] }))
    const before = store().counts.statements
    await start(next)
    assert.ok(store().counts.statements - before < 200, 'many records by one statement')
    assert.deepEqual(await labels(next), ['n 2 2', 'n 2 0', 'n 2 1'])
    const [folded] = next.byName.get('Box')!.folded
    assert.deepEqual(
      await run(`select count(*) from boxes where "${folded!.name}" = ''`),
      [['0']].map(([n]) => [Number(n)]),
    )
    assert.deepEqual(await start(next), [], 'nothing is left to do')
  })

  test('13.2.16 a higher revision works it out anew, the same one keeps it, and one that goes is dropped', async () => {
    await start(boxes({}))
    await fill()
    const first = boxes(labelled(true, label))
    await start(first)
    await start(boxes(labelled({ revision: 1 }, () => 'unnoticed')))
    assert.deepEqual(await labels(first), ['n 2 2', 'n 2 0', 'n 2 1'], 'true is revision 1')
    const second = boxes(labelled({ revision: 2 }, ({ name }) => `${name}!`))
    const dropped = await start(second)
    assert.deepEqual(await labels(second), ['n!', 'n!', 'n!'])
    assert.equal(dropped.filter((each) => /drop column "label_/.test(each)).length, 1)
    assert.equal((await start(boxes({}))).filter((each) => /drop column "label_/.test(each)).length, 1)
  })

  test('13.2.16 a number that is counted otherwise, and another kind, work it out anew', async () => {
    await start(boxes({}))
    await fill()
    await start(boxes(labelled(true, label)))
    const less = boxes(labelled(true, label, { counts: { things: { of: 'things', where: when({ name: 'a' }) } } }))
    await start(less)
    assert.deepEqual(await labels(less), ['n 2 1', 'n 2 0', 'n 2 1'])
    const heavy = {
      computed: { label: { as: integer(), from: ['weight'], stored: true, make: ({ weight }: Made) => 10 * weight } },
    }
    const other = boxes(heavy)
    await start(other)
    assert.deepEqual((await labels(other)).map(Number), [20, 20, 20])
  })
})
