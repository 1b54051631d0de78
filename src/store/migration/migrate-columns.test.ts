// What becomes of the columns of a table when its resource has fields more, fewer or by other names.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bigint, boolean, contains, date, decimal, integer, is, list, one, optional, text } from 'duet-api'
import { forEachMigration, modelOf, refusalOf, title } from '../../../test/support/server/migration.ts'

forEachMigration(({ engine, insert, moment, obey, run, start }) => {
  test('adds columns, with their default to records that are there', async () => {
    await start(modelOf({ title }))
    await insert('thing_1', { title: 'One' })
    const more = {
      title,
      note: optional(text({ max: 100 })),
      level: integer({ default: 7 }),
      open: boolean({ default: true }),
      kind: text({ max: 20, default: "it's" }),
      tags: list(text({ max: 10 }), { max: 3 }),
      user: optional(one('User')),
    }
    await start(modelOf(more))
    const [row] = await run('select title, note, level, open, kind, tags, user_id, version, deleted_at from things')
    const yes = engine === 'sqlite' ? 1 : true
    assert.deepEqual(row, ['One', null, 7, yes, "it's", '[]', null, 1, null])
    await assert.rejects(insert('thing_2', { title: 'Two', user_id: 'missing' }), { name: 'Error', message: /nowhere/ })
  })

  test('adds a required column without a default only while there are no records', async () => {
    await start(modelOf({ title }))
    await start(modelOf({ title, level: integer(), user: one('User') }))
    await run(`insert into users (id, name, created_at, updated_at) values ('usr_1', 'A', '${moment}', '${moment}')`)
    await insert('thing_1', { title: 'One', level: 1, user_id: 'usr_1' })
    const next = modelOf({ title, level: integer(), user: one('User'), size: integer() })
    const refusal = await refusalOf(start(next))
    assert.match(refusal.message, /Thing\.size is required and has no default/)
    assert.deepEqual(await start(modelOf({ title, level: integer(), user: one('User') })), [])
    await obey(refusal, '3')
    await start(next)
    assert.deepEqual(await run('select size from things'), [[3]])
  })

  test('fills a new column of numbers with the default, exactly', async () => {
    await start(modelOf({ title }))
    await insert('thing_1', { title: 'One' })
    const price = decimal({ precision: 18, scale: 2, default: '9999999999999999.99' })
    await start(
      modelOf({
        title,
        price,
        views: bigint({ default: 9_007_199_254_740_993n }),
        day: date({ default: '2028-02-29' }),
      }),
    )
    const [row] = await run(`select cast(price as text), cast(views as text), cast(day as text) from things`)
    const stored = engine === 'sqlite' ? '999999999999999999' : '9999999999999999.99'
    assert.deepEqual(row, [stored, '9007199254740993', '2028-02-29'])
  })

  test('renames a column that had another name, with its values', async () => {
    const indexed = { filter: { title: is }, sort: ['title'] }
    await start(
      modelOf(
        { title, user: optional(one('User')), tags: list(title, { max: 9 }) },
        { ...indexed, filter: { title: is, tag: contains('tags') } },
      ),
    )
    await insert('thing_1', { title: 'One', tags: '["a"]' })
    const next = modelOf(
      {
        heading: text({ max: 100, was: 'title' }),
        owner: optional(one('User', { was: 'user' })),
        labels: list(title, { max: 9, was: 'tags' }),
      },
      { filter: { heading: is, label: contains('labels') }, sort: ['heading'] },
    )
    await start(next)
    assert.deepEqual(await run('select heading, owner_id, labels from things'), [['One', null, '["a"]']])
    assert.deepEqual(await start(next), [])
    await insert('thing_2', { heading: 'Two', labels: '["b"]' })
    // The next version may forget the old name.
    const forgetful = { heading: title, owner: optional(one('User')), labels: list(title, { max: 9 }) }
    await start(modelOf(forgetful, { filter: { heading: is, label: contains('labels') }, sort: ['heading'] }))
  })

  test('renames a column whose field had another name in an older version', async () => {
    await start(modelOf({ title, user: optional(one('User')) }))
    await insert('thing_1', { title: 'One' })
    const formerly = { v1: { heading: 'name', owner: 'user' }, v2: { heading: 'title' } }
    await start(modelOf({ heading: title, owner: optional(one('User')) }, { formerly }))
    assert.deepEqual(await run('select heading, owner_id from things'), [['One', null]])
    // What the field says of its column wins: clients may have known it by a name that the column never had.
    const called = { formerly: { v1: { topic: 'subject' } } }
    await start(modelOf({ topic: text({ max: 100, was: 'heading' }), owner: optional(one('User')) }, called))
    assert.deepEqual(await run('select topic from things'), [['One']])
  })

  test('refuses to start with a column that no field has, and reports how to go on', async () => {
    const lists = { filter: { title: is, tag: contains('tags') }, sort: ['title'] }
    await start(modelOf({ title, tags: list(title, { max: 9 }), user: optional(one('User')), level: integer() }, lists))
    await insert('thing_1', { title: 'One', tags: '["a"]', level: 4 })
    for (const [column, fields] of [
      ['title', { tags: list(title, { max: 9 }), user: optional(one('User')), level: integer() }],
      ['tags', { user: optional(one('User')), level: integer() }],
      ['user_id', { level: integer() }],
    ] as const) {
      const next = modelOf(fields)
      const refusal = await refusalOf(start(next))
      assert.match(refusal.message, new RegExp(`"things" has a column "${column}", but Thing has no field`))
      await obey(refusal)
      await start(next)
    }
    assert.deepEqual(await run('select level from things'), [[4]])
  })

  test('makes a field optional, and required again once every record has it', async () => {
    const required = modelOf({ title })
    const relaxed = modelOf({ title: optional(title) })
    await start(required)
    await assert.rejects(insert('thing_1', {}))
    await start(relaxed)
    await insert('thing_1', {})
    const refusal = await refusalOf(start(required))
    assert.match(refusal.message, /Thing\.title is required, but there are records without it/)
    await obey(refusal, `'None'`)
    await start(required)
    await assert.rejects(insert('thing_2', {}))
    assert.deepEqual(await run('select title from things'), [['None']])
  })
})
