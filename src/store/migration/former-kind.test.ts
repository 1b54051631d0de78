// A field of another kind in two columns: what either version writes, the other reads. (contract 18.4)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choice, decimal, integer, json, optional, text } from 'duet-api'
import { forEachMigration, modelOf, refusalOf, title } from '../../../test/support/server/migration.ts'
import { desiredSchema } from '../sql/schema/schema.ts'
import { introspect } from './introspect.ts'
import { applyMigration, readAll } from './live/apply.ts'
import { describePlan } from './live/describe-plan.ts'
import { readStatus } from './live/status.ts'
import { planMigration } from './migrate.ts'
import { migrationTables } from './notes.ts'

forEachMigration(({ dialect, engine, insert, run, start, store }) => {
  const schemaOf = (fields: object, more: object = {}) =>
    desiredSchema(modelOf(fields, more), dialect, [migrationTables])
  const apply = async (fields: object, accepted: readonly string[] = []) => {
    const options = {
      holder: { name: 'test', isGone: () => false },
      finish: accepted.length > 0,
      report: () => undefined,
    }
    const left = await applyMigration(store(), schemaOf(fields), { ...options, accepted: new Set(accepted) })
    return left.map(({ step, why }) => `${step.loss ?? step.change}: ${why}`)
  }
  const values = async () =>
    Object.fromEntries(
      (await run('select id, level, level_text from things order by id')).map(([id, ...all]) => [id, all]),
    )

  const number = { title, level: integer() }
  const word = { title, level: text({ max: 20, column: 'level_text', was: { column: 'level' } }) }

  test('18.4.1, 18.4.2 both versions read what the other writes, and no write recurs', async () => {
    await start(modelOf(number), [migrationTables])
    for (let at = 0; at < 60; at++) await insert(`thing_${at}`, { title: 'T', level: at })
    await run(`update things set deleted_at = updated_at where id = 'thing_7'`)
    const planned = await readAll(store(), function* () {
      return yield* describePlan(yield* planMigration(schemaOf(word)))
    })
    assert.deepEqual(
      planned.changes.map(({ change, needsAlone, loss }) => [change, needsAlone, loss]),
      [['former kind', false, null]],
    )
    assert.match(planned.changes[0]!.older, /: null where that is not possible$/)
    assert.deepEqual(await apply(word), ['things.level: finish'])
    assert.deepEqual((await values())['thing_7'], [7, '7'])
    assert.deepEqual(await start(modelOf(word), [migrationTables]), [])
    await insert('thing_a', { title: 'T', level: 100 })
    await insert('thing_b', { title: 'T', level_text: '200' })
    await run(`update things set level = 300 where id = 'thing_1'`)
    await run(`update things set level_text = '400' where id = 'thing_2'`)
    await run(`update things set level_text = '+43 1', title = 'N' where id = 'thing_3'`)
    await run(`update things set title = 'N' where id = 'thing_4'`)
    await run(`update things set level = level + 1 where id in ('thing_5', 'thing_3')`)
    const { thing_a, thing_b, thing_1, thing_2, thing_3, thing_4, thing_5 } = await values()
    assert.deepEqual(
      [thing_a, thing_b, thing_1, thing_2, thing_3, thing_4, thing_5],
      [
        [100, '100'],
        [200, '200'],
        [300, '300'],
        [400, '400'],
        [null, '+43 1'],
        [4, '4'],
        [6, '6'],
      ],
    )
    const status = await store().read(
      (function* () {
        return yield* readStatus(schemaOf(word), yield* introspect(engine))
      })(),
    )
    assert.deepEqual(status.pairs, [{ name: 'things.level_text', former: 'level', unconverted: ['thing_3'] }])
    // The version before starts again at once, and the next one after it.
    await start(modelOf(number), [migrationTables])
    await insert('thing_c', { title: 'T', level: 500 })
    await start(modelOf(word), [migrationTables])
    assert.deepEqual((await values())['thing_c'], [500, '500'])
    assert.deepEqual(await apply(word, ['things.other']), ['things.level: consent'])
    assert.deepEqual(await apply(word, ['things.level']), [])
    await insert('thing_d', { title: 'T', level_text: 'x' })
    await assert.rejects(insert('thing_e', { title: 'T' }))
    assert.deepEqual(
      await run(`select duet_removed_level from things where id in ('thing_1', 'thing_d') order by id`),
      [[300], [null]],
    )
    const { was: _, ...later } = { level: text({ max: 20, column: 'level_text' }), was: 1 }
    assert.deepEqual(await apply({ title, ...later }), [])
  })

  test('18.4.3 conversions of the author, also where they fail', async () => {
    await start(modelOf({ title, level: text({ max: 20 }) }), [migrationTables])
    await insert('thing_1', { title: 'T', level: 'small' })
    await insert('thing_2', { title: 'T', level: 'wide' })
    const to = `case value when 'small' then 'S' when 'large' then 'L' end`
    const sizes = (more: string[], otherwise = '') => ({
      title,
      level: choice(['S', 'L', ...more] as ['S', 'L'], {
        column: 'level_text',
        was: {
          column: 'level',
          to: to.replace(' end', `${otherwise} end`),
          back: `case value when 'S' then 'small' when 'L' then 'large' end`,
        },
      }),
    })
    const problem = /Thing\.level is required, but one value does not convert\./
    await assert.rejects(apply(sizes([])), problem)
    // The version before goes on, with what was changed.
    await insert('thing_3', { title: 'T', level: 'tall' })
    await assert.rejects(apply(sizes([])), /2 values do not convert/)
    await run(`update things set level = 'large' where id = 'thing_3'`)
    await apply(sizes(['M'], ` else 'M'`))
    await start(modelOf(sizes(['M'], ` else 'M'`)), [migrationTables])
    await run(`update things set level_text = 'M' where id = 'thing_1'`)
    await run(`update things set level_text = 'S' where id = 'thing_2'`)
    assert.deepEqual(await values(), { thing_1: [null, 'M'], thing_2: ['small', 'S'], thing_3: ['large', 'L'] })
  })

  test('18.4.1 exact conversions refuse values that they would change', async () => {
    await start(modelOf({ title, level: text({ max: 20 }) }), [migrationTables])
    await insert('thing_1', { title: 'T', level: '007' })
    const exact = { title, level: optional(integer({ column: 'level_text', was: { column: 'level' } })) }
    await assert.rejects(
      apply(exact),
      /Thing\.level is of another kind than the column "level" of "things", and 1 of its values do not convert/,
    )
    await run(`update things set level = '8'`)
    await apply(exact)
    await insert('thing_2', { title: 'T', level: '009' })
    assert.deepEqual(await values(), { thing_1: ['8', 8], thing_2: ['009', null] })
  })

  test('18.4.2 values without an operator, of a default, and with another scale', async () => {
    await start(
      modelOf({
        title,
        level: decimal({ precision: 6, scale: 2, default: '1.00' }),
        note: optional(json({ maxBytes: 50 })),
      }),
      [migrationTables],
    )
    const cents = (value: string) => (engine === 'sqlite' ? value.replace('.', '') : value)
    await insert('thing_1', { title: 'T', level: cents('1.25'), note: '{"a": 1}' })
    const next = {
      title,
      level: decimal({ precision: 9, scale: 4, default: '2.0000', column: 'level_text', was: { column: 'level' } }),
      note: optional(text({ max: 50, column: 'note_text', was: { column: 'note', to: 'null', back: 'null' } })),
    }
    await apply(next)
    await start(modelOf(next), [migrationTables])
    await insert('thing_2', { title: 'T', level_text: cents('3.5000') })
    const found = await run('select cast(level as text), cast(level_text as text), note_text from things order by id')
    assert.deepEqual(found, [
      [cents('1.25'), cents('1.2500'), null],
      [cents('3.50'), cents('3.5000'), null],
    ])
    await run(`update things set note = '{"a": 2}' where id = 'thing_1'`)
  })

  test('a start in development makes both columns, and a database without the former one needs none', async () => {
    await start(modelOf(number), [migrationTables])
    await insert('thing_1', { title: 'T', level: 1 })
    await start(modelOf(word), [migrationTables])
    assert.deepEqual(await values(), { thing_1: [1, '1'] })
    await start(modelOf({ ...word, more: optional(integer()) }), [migrationTables])
    await refusalOf(start(modelOf({ title }), [migrationTables]))
    await run('drop table things')
    for (const table of ['migration', 'schema', 'schema_former']) await run(`delete from duet_${table}`)
    await start(modelOf(word), [migrationTables])
    await assert.rejects(run('select level from things'))
  })
})
