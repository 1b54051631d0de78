// What becomes of records when their fields are to be unique, alone or together.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyOf, boolean, choice, integer, optional, text, when } from 'duet-api'
import { forEachMigration, modelOf, refusalOf, title } from '../../../test/support/server/migration.ts'

forEachMigration(({ engine, insert, moment, run, start }) => {
  test('makes a field unique only where its values are, among living records', async () => {
    await start(modelOf({ title }))
    await insert('thing_1', { title: 'Same' })
    await insert('thing_2', { title: 'Same' })
    const next = modelOf({ title: text({ max: 100, unique: true }) })
    const refusal = await refusalOf(start(next))
    assert.match(refusal.message, /Thing\.title is unique, but several records have the same value/)
    const duplicates = refusal.message.slice(refusal.message.indexOf('found by: ') + 'found by: '.length)
    assert.deepEqual(await run(duplicates), [['Same', 2]])
    await run(`update things set deleted_at = '${moment}' where id = 'thing_1'`)
    await start(next)
    await assert.rejects(insert('thing_3', { title: 'Same' }), { index: 'things_title_key' })
    await start(modelOf({ title }))
    await insert('thing_3', { title: 'Same' })
  })

  const level = integer()

  const duplicatesIn = (refusal: Error) =>
    refusal.message.slice(refusal.message.indexOf('found by: ') + 'found by: '.length)

  test('makes fields unique together only where they are, among living records', async () => {
    await start(modelOf({ title, level }))
    for (const [id, name] of [
      ['1', 'Same'],
      ['2', 'Same'],
      ['3', 'Other'],
    ] as const)
      await insert(`thing_${id}`, { title: name, level: 1 })
    const next = modelOf({ title, level }, { unique: [['title', 'level']] })
    const refusal = await refusalOf(start(next))
    assert.match(refusal.message, /Thing\.title, Thing\.level are unique together, .*: one value that stands in/)
    assert.deepEqual(await run(duplicatesIn(refusal)), [['Same', 1, 2]])
    await run(`update things set level = 2 where id = 'thing_1'`)
    await start(next)
    await assert.rejects(insert('thing_4', { title: 'Same', level: 2 }), /has this value already/)
    const renamed = { title, height: integer({ was: 'level' }) }
    await start(modelOf(renamed, { unique: [['title', 'height']] }))
    await assert.rejects(insert('thing_4', { title: 'Same', height: 2 }), /has this value already/)
    await start(modelOf(renamed))
    await insert('thing_4', { title: 'Same', height: 2 })
  })

  test('names the words that stand in several records', async () => {
    const size = choice(['small', 'large'])
    await start(modelOf({ size }))
    for (const id of ['thing_1', 'thing_2', 'thing_3']) await insert(id, { size: 'small' })
    const refusal = await refusalOf(start(modelOf({ size }, { unique: [['size']] })))
    assert.match(refusal.message, /stands in more than one: small \(3\)\. They are found by: select/)
  })

  test('makes them unique among the records of a condition, and anew when that changes', async () => {
    const size = choice(['small', "it's"])
    const open = boolean()
    const uniqueAmong = (where: unknown) => modelOf({ title, size, open }, { unique: [{ fields: ['title'], where }] })
    const no = engine === 'sqlite' ? 0 : false
    await start(uniqueAmong(when({ size: "it's", open: false })))
    await insert('thing_1', { title: 'Same', size: "it's", open: no })
    await insert('thing_2', { title: 'Same', size: 'small', open: no })
    await insert('thing_3', { title: 'Same', size: 'small', open: no })
    await assert.rejects(insert('thing_4', { title: 'Same', size: "it's", open: no }), /has this value already/)
    const refusal = await refusalOf(start(uniqueAmong(when({ open: false }))))
    assert.deepEqual(await run(duplicatesIn(refusal)), [['Same', 3]])
    await start(uniqueAmong(anyOf(when({ size: "it's" }), when({ open: true }))))
    await assert.rejects(insert('thing_4', { title: 'Same', size: "it's", open: no }), /has this value already/)
  })

  test('fills the folded forms of texts that are there, drops them with their definition, and fills them again', async () => {
    const note = optional(text({ max: 50 }))
    const caseless = modelOf({ title, note }, { unique: [{ fields: ['title', 'note'], caseless: true }] })
    await start(modelOf({ title, note }))
    await insert('thing_1', { title: 'Straße', note: 'A' })
    await insert('thing_2', { title: 'STRASSE', note: 'a' })
    await insert('thing_3', { title: 'Straße', note: null })
    await insert('thing_4', { title: 'Straße', note: null })
    const refusal = await refusalOf(start(caseless))
    assert.match(refusal.message, /Thing\.title, Thing\.note are unique together/)
    await run(`update things set note = 'b' where id = 'thing_2'`)
    await start(caseless)
    const folded = 'select title__folded, note__folded from things order by id'
    assert.deepEqual(await run(folded), [
      ['strasse', 'a'],
      ['strasse', 'b'],
      ['strasse', ''],
      ['strasse', ''],
    ])
    await assert.rejects(
      insert('thing_5', { title: 'x', title__folded: 'strasse', note: 'x', note__folded: 'b' }),
      /has this value already/,
    )
    await start(modelOf({ title, note }))
    await run(`update things set title = 'Gasse', note = 'C' where id = 'thing_1'`)
    await start(caseless)
    assert.deepEqual((await run(folded))[0], ['gasse', 'c'])
  })
})
