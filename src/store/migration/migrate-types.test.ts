// What becomes of the values of a column when its field is of another kind, has another form, or leads elsewhere.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  boolean,
  choice,
  contains,
  date,
  decimal,
  integer,
  json,
  list,
  object,
  one,
  optional,
  text,
  timestamp,
} from 'duet-api'
import { forEachMigration, modelOf, refusalOf, title } from '../../../test/support/server/migration.ts'
import type { Value } from '../store.ts'

forEachMigration(({ dialect, engine, insert, moment, obey, run, start, store }) => {
  test('refuses another type, and says how to change it', async () => {
    await start(modelOf({ title, level: integer() }, { sort: ['level'] }))
    await insert('thing_1', { title: 'One', level: 12 })
    const next = modelOf({ title, level: text({ max: 9 }) }, { sort: ['level'] })
    const refusal = await refusalOf(start(next))
    assert.match(
      refusal.message,
      /Thing\.level is text.* by its definition, but the column "level" of "things" is integer/,
    )
    await obey(refusal)
    await start(next)
    assert.deepEqual(await run('select level from things'), [['12']])
  })

  const kinds = {
    integer: [integer(), 1],
    boolean: [boolean(), engine === 'sqlite' ? 1 : true],
    timestamp: [timestamp(), moment],
    text: [text({ max: 100 }), '1'],
    json: [json({ maxBytes: 100 }), '{}'],
  } as const
  for (const [from, [before, value]] of Object.entries(kinds)) {
    for (const [to, [next]] of Object.entries(kinds)) {
      test(`says what to run for ${from} that becomes ${to}, and that runs`, { skip: from === to }, async () => {
        await start(modelOf({ level: before }))
        // What no text and no value of JSON is read as is somebody's own affair; null is of every type.
        const isRead = !(from === 'json' || (from === 'text' && to === 'timestamp'))
        await start(modelOf({ level: optional(before as typeof title) }))
        await insert('thing_1', { level: isRead ? value : null })
        const model = modelOf({ level: optional(next as typeof title) })
        for (let tries = 0; ; tries++) {
          const refusal = await start(model).then(
            () => null,
            (error: Error) => error,
          )
          if (refusal === null) break
          assert(tries < 2 && /^Thing\.level (is|does not fit)/.test(refusal.message.split('\n')[1]!), refusal.message)
          await obey(refusal, sound[to as keyof typeof kinds])
        }
        const [[stored]] = (await run('select level from things')) as [[Value]]
        if (stored !== null) dialect.decode(stored, to as keyof typeof kinds)
      })
    }
  }
  const sound = {
    integer: '1',
    boolean: engine === 'sqlite' ? '1' : 'true',
    timestamp: `'${moment}'`,
    text: `'1'`,
    json: `'{}'`,
  }

  test('refuses a form that records do not have, with how many and what to do', async () => {
    const before = {
      kind: choice(['red', 'green', 'blue']),
      free: json({ maxBytes: 100 }),
      tags: list(text({ max: 9 }), { max: 9 }),
      parts: list(object({ size: integer(), name: optional(title) }), { max: 9 }),
    }
    await start(modelOf(before))
    const values = { tags: '["a"]', free: '{"a": [1]}', parts: '[{"size": 1, "name": null}]' }
    await insert('thing_1', { kind: 'red', ...values })
    await insert('thing_2', { kind: 'green', ...values })
    await insert('thing_3', { kind: 'green', ...values })
    await insert('thing_4', { kind: 'blue', ...values, deleted_at: moment })
    for (const [field, next, sentence, value] of [
      ['kind', choice(['red', 'blue']), /^Thing\.kind does not fit 2 records, which have green \(2\)\. Keep /, `'red'`],
      ['free', list(text({ max: 9 }), { max: 9 }), /^Thing\.free does not fit 3 records, whose values have /, `'[]'`],
      ['tags', list(choice(['b']), { max: 9 }), /^Thing\.tags does not fit 3 records/, `'["b"]'`],
      ['parts', list(object({ size: integer(), unit: title }), { max: 9 }), /^Thing\.parts does not fit 3 /, `'[]'`],
    ] as const) {
      const model = modelOf({ ...before, [field]: next })
      const refusal = await refusalOf(start(model))
      assert.match(refusal.message.split('\n')[1]!, sentence)
      // Nothing has changed: the former version starts.
      assert.deepEqual(await start(modelOf(before)), [])
      await obey(refusal, value)
      await start(model)
      Object.assign(before, { [field]: next })
    }
  })

  test('refuses another number of digits behind the point, and a day that is none', async () => {
    const priced = (precision: number, scale: number) => modelOf({ title, price: decimal({ precision, scale }) })
    await start(priced(6, 2))
    await insert('thing_1', { title: 'no day', price: 1250 })
    const refusal = await refusalOf(start(priced(8, 4)))
    const sentence =
      engine === 'sqlite'
        ? /^Thing\.price does not fit one record, which have it with another number of digits behind the point\./
        : /^Thing\.price is numeric\(8,4\) by its definition, but the column "price" of "things" is numeric\(6,2\)\./
    assert.match(refusal.message.split('\n')[1]!, sentence)
    assert.deepEqual(await start(priced(6, 2)), [], 'nothing has changed')
    const dated = modelOf({ title: date(), price: decimal({ precision: 6, scale: 2 }) })
    assert.match(
      (await refusalOf(start(dated))).message,
      /Thing\.title (does not fit one record|is date by its definition)/,
    )
  })

  test('takes a wider form without a look at the records, and one that they happen to have', async () => {
    const withKind = (...values: string[]) => modelOf({ title, kind: choice(values as [string]) })
    await start(withKind('red', 'green'))
    await insert('thing_1', { title: 'One', kind: 'red' })
    const looks = (statements: number, before: number) => statements - before
    const { statements } = store().counts
    await start(withKind('red', 'green', 'blue'))
    const wider = looks(store().counts.statements, statements)
    await start(withKind('red'))
    assert.equal(
      looks(store().counts.statements, statements) - wider,
      wider + (engine === 'sqlite' ? 1 : 2),
      'it counts once',
    )
    // A version that returns finds what a newer one has left, and the next one looks again.
    await start(withKind('red', 'green'))
    await run(`update things set kind = 'green'`)
    const refusal = await refusalOf(start(withKind('red', 'yellow')))
    assert.match(refusal.message, /Thing\.kind does not fit one record/)
  })

  test('keeps values of jsonb as json, with their default and their index', {
    skip: engine === 'sqlite' && 'it has no such type',
  }, async () => {
    const next = modelOf({ title, tags: list(title, { max: 9 }) }, { filter: { tag: contains('tags') } })
    await start(modelOf({ title }))
    await run(`alter table things add column tags jsonb not null default '[]'`)
    await run('create index things_tags_00000000_idx on things using gin (tags jsonb_path_ops)')
    await insert('thing_1', { title: 'One', tags: '["a"]' })
    await insert('thing_2', { title: 'Two' })
    await start(next)
    await insert('thing_3', { title: 'Three' })
    assert.deepEqual(await run(`select tags::text, pg_typeof(tags)::text from things order by id`), [
      ['["a"]', 'json'],
      ['[]', 'json'],
      ['[]', 'json'],
    ])
    const indexes = `select count(*) from pg_indexes where tablename = 'things' and indexdef like '%jsonb_path_ops%' and schemaname = current_schema()`
    assert.deepEqual(await run(indexes), [[1]])
  })

  test('refuses a relation that leads elsewhere than before', async () => {
    await start(modelOf({ title, other: optional(one('User')) }))
    const next = modelOf({ title, other: optional(one('Thing')) })
    const refusal = await refusalOf(start(next))
    assert.match(refusal.message, /Thing\.other is text.* that refers to "things" by its definition/)
    await obey(refusal)
    await start(next)
    await insert('thing_1', { title: 'One' })
    await insert('thing_2', { title: 'Two', other_id: 'thing_1' })
  })
})
