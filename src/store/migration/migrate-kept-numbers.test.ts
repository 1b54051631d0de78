// What becomes of the numbers that records keep of others when they come, change and go.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, decimal, many, manyToMany, one, optional, resource, service, state, text, when } from 'duet-api'
import { forEachMigration, refusalOf } from '../../../test/support/server/migration.ts'
import { compileModel } from '../../resource/model/compile/compile-model.ts'
import type { Model } from '../../resource/model/model.ts'

function boxes(numbers: object, ofShelves: object = {}): Model {
  const actions = { read: { allow: anyone } }
  const User = resource('User', { prefix: 'usr', fields: { boxes: manyToMany('Box', 'users') }, actions } as never)
  const shelf = { boxes: many('Box', 'shelf') }
  const Shelf = resource('Shelf', { prefix: 'shl', plural: 'shelves', fields: shelf, ...ofShelves, actions } as never)
  const fields = { shelf: optional(one('Shelf')), things: many('Thing', 'box'), users: manyToMany('User', 'boxes') }
  const Box = resource('Box', { prefix: 'box', plural: 'boxes', fields, ...numbers, actions } as never)
  const Thing = resource('Thing', {
    prefix: 'thing',
    fields: {
      name: text({ max: 9, default: '-' }),
      box: one('Box'),
      price: decimal({ precision: 18, scale: 2 }),
      status: state('new', 'old'),
    },
    actions,
  } as never)
  return compileModel(service({ resources: { User, Shelf, Box, Thing }, accounts: {}, roles: {} } as never) as never)
}

forEachMigration(({ engine, insert, moment, run, start, store }) => {
  const scale = engine === 'sqlite' ? 100 : 1
  /** 2,500 boxes, so that they are worked out in several batches; the first has 2 living things, the last has 1. */
  async function fill(): Promise<void> {
    const values = `'${moment}', '${moment}'`
    const all = Array.from({ length: 2_500 }, (_, at) => `('box_${String(at).padStart(5, '0')}', ${values})`)
    await run(`insert into boxes (id, created_at, updated_at) values ${all.join(', ')}`)
    const thing = (id: string, box: string, price: number, status: string) =>
      insert(id, { box_id: box, name: '-', price: price * scale, status })
    await thing('thing_1', 'box_00000', 1.25, 'new')
    await thing('thing_2', 'box_00000', 2.5, 'old')
    await thing('thing_3', 'box_00000', 4, 'old')
    await run(`update things set deleted_at = '${moment}' where id = 'thing_3'`)
    await thing('thing_4', 'box_02499', -0.01, 'old')
    await run(`insert into users (id, created_at, updated_at) values ('usr_1', ${values})`)
    const link = 'insert into users_boxes (source_id, target_id, source_created_at, target_created_at)'
    await run(`${link} values ('usr_1', 'box_02499', ${values})`)
  }
  /** Of the first, the second and the last box. */
  async function numbers(model: Model, ...fields: readonly string[]): Promise<readonly (readonly unknown[])[]> {
    const { column } = model.byName.get('Box')!
    const names = fields.map((field) => `cast("${column.get(field)!.name}" as text)`).join(', ')
    return run(`select ${names} from boxes where id in ('box_00000', 'box_00001', 'box_02499') order by id`)
  }
  const counts = { things: 'things', users: 'users' }

  test('13.2.9 works out a number that comes, in batches, and drops one that goes', async () => {
    await start(boxes({}))
    await fill()
    const next = boxes({ counts, sums: { total: 'things.price' } })
    const before = store().counts.statements
    await start(next)
    assert.ok(store().counts.statements - before > 9, 'no statement writes all of them')
    const total = engine === 'sqlite' ? ['375', '0', '-1'] : ['3.75', '0.00', '-0.01']
    assert.deepEqual(
      await numbers(next, 'thingsCount', 'usersCount', 'total'),
      [
        ['2', '0'],
        ['0', '0'],
        ['1', '1'],
      ].map((each, at) => [...each, total[at]]),
    )
    assert.deepEqual(await start(next), [])
    const last = boxes({ counts: { things: 'things' } })
    await start(last)
    assert.deepEqual(await numbers(last, 'thingsCount'), [['2'], ['0'], ['1']])
    const dropped = await start(boxes({}))
    assert.equal(dropped.filter((each) => /drop column "(things_count|tally)_/.test(each)).length, 2)
  })

  test('13.2.9 works out a sum of sums after what it adds, and anew if that changes', async () => {
    await start(boxes({}))
    await fill()
    await run(`insert into shelves (id, created_at, updated_at) values ('shl_1', '${moment}', '${moment}')`)
    await run(`update boxes set shelf_id = 'shl_1' where id <> 'box_00001'`)
    const totalOf = async (model: Model) => {
      const name = model.byName.get('Shelf')!.column.get('total')!.name
      return [name, (await run(`select cast("${name}" as text) from shelves`))[0]![0]]
    }
    const sums = { total: 'boxes.total' }
    const all = boxes({ sums: { total: 'things.price' } }, { sums })
    await start(all)
    const [name, total] = await totalOf(all)
    assert.equal(total, engine === 'sqlite' ? '374' : '3.74')
    const fewer = boxes({ sums: { total: { of: 'things.price', where: when({ status: 'old' }) } } }, { sums })
    await start(fewer)
    const [otherName, otherTotal] = await totalOf(fewer)
    assert.notEqual(otherName, name)
    assert.equal(otherTotal, engine === 'sqlite' ? '249' : '2.49')
  })

  test('13.2.9 works out anew what a number whose definition changes is', async () => {
    const old = (status: string) =>
      boxes({ counts: { things: { of: 'things', where: when({ status }) } }, sort: ['thingsCount'] })
    await start(old('new'))
    await run(
      `insert into boxes (id, created_at, updated_at, ${old('new').byName.get('Box')!.column.get('thingsCount')!.name}) values ('box_00000', '${moment}', '${moment}', 0)`,
    )
    await insert('thing_1', { box_id: 'box_00000', name: '-', price: 1, status: 'old' })
    await start(old('old'))
    assert.deepEqual(await numbers(old('old'), 'thingsCount'), [['1']])
  })

  test('13.2.9 counts anew what an older version wrote when it had returned', async () => {
    const [first, next] = [boxes({}), boxes({ counts })]
    await start(first)
    await fill()
    await start(next)
    await start(first)
    await insert('thing_5', { box_id: 'box_00001', name: '-', price: 0, status: 'new' })
    await start(next)
    assert.deepEqual(await numbers(next, 'thingsCount'), [['2'], ['1'], ['1']])
  })

  test('13.2.9 refuses a sum that would be too large, and changes nothing', async () => {
    await start(boxes({}))
    await run(`insert into boxes (id, created_at, updated_at) values ('box_1', '${moment}', '${moment}')`)
    for (const id of [1, 2])
      await insert(`thing_${id}`, {
        box_id: 'box_1',
        name: '-',
        price: engine === 'sqlite' ? 999999999999999999n : '9999999999999999.99',
        status: 'new',
      })
    const refusal = await refusalOf(start(boxes({ sums: { total: 'things.price' } })))
    assert.match(refusal.message, /Box\.total cannot be worked out of what there is/)
    assert.deepEqual(await start(boxes({})), [])
  })
})
