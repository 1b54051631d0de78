// What becomes of the tables of a database when definitions change, and who changes them: each test starts one version of a
// service, then the next.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import {
  anyOf,
  contains,
  integer,
  is,
  list,
  manyToMany,
  object,
  one,
  optional,
  present,
  text,
  timestamp,
  when,
} from 'duet-api'
import { library } from '../../../test/support/domain/library.ts'
import { programArguments } from '../../../test/support/process/program.ts'
import { forEachMigration, modelOf, refusalOf, title } from '../../../test/support/server/migration.ts'
import { defaultLimits } from '../../limits.ts'
import { compileModel } from '../../resource/model/compile/compile-model.ts'
import { openStore } from '../../service/open/open-store.ts'
import { desiredSchema } from '../sql/schema/schema.ts'
import { migrate } from './migrate.ts'

forEachMigration(({ database, dialect, engine, insert, moment, run, start, store }) => {
  test('makes everything in an empty database, and does nothing the next time', async () => {
    const model = compileModel(library)
    assert.ok((await start(model)).length > 10)
    const before = { ...store().counts }
    assert.deepEqual(await start(model), [])
    const { statements, transactions } = store().counts
    assert.deepEqual([statements - before.statements, transactions - before.transactions], [2, 0])
    assert.deepEqual(await run('select count(*) from users'), [[0]])
  })

  test('lets one of several processes that start at once do it, and the others wait', async () => {
    const program = programArguments('test/support/process/migrating-process.ts')
    const started = Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, [...program, database().url]))
    const counts = (await Promise.all(started)).map(({ stdout }) => Number(stdout))
    assert.equal(counts.filter((each) => each > 0).length, 1, counts.join(' '))
    assert.deepEqual(await start(compileModel(library)), [])
  })

  test('reports why it cannot, where the server stands by', { skip: engine === 'sqlite' }, async () => {
    const url = new URL(database().url)
    url.searchParams.set('options', `${url.searchParams.get('options')} -c default_transaction_read_only=on`)
    const reader = await openStore(url.href, { limits: defaultLimits, log: { warn: () => {}, error: assert.fail } })
    try {
      const refusal = await refusalOf(migrate(reader, desiredSchema(modelOf({ title }), dialect)))
      assert.match(
        refusal.message,
        /^DATABASE_URL names a database that has .* in a read-only transaction\. Where its /,
      )
    } finally {
      await reader.close()
    }
  })

  test('makes the internal tables of other parts', async () => {
    const create = ['create table if not exists duet_extra (id text primary key)']
    const extra = [{ create: { sqlite: create, postgres: create } }]
    const model = modelOf({ title })
    await start(model)
    assert.deepEqual(await start(model, extra), [
      'create table if not exists duet_schema (fingerprint text not null, tables text not null)',
      ...create,
    ])
    await run(`insert into duet_extra values ('kept')`)
    await start(modelOf({ title, more: optional(text({ max: 5 })) }), extra)
    assert.deepEqual(await run('select id from duet_extra'), [['kept']])
  })

  test('adds to internal tables what those of before lack', async () => {
    const create = (columns: string) => [`create table if not exists duet_more (id text primary key${columns})`]
    const extra = (columns: string, added: readonly { table: string; name: string; type: string }[]) => [
      { create: { sqlite: create(columns), postgres: create(columns) }, added },
    ]
    const model = modelOf({ title })
    const note = { table: 'duet_more', name: 'note', type: 'text' }
    await start(model, extra('', []))
    await run(`insert into duet_more values ('kept')`)
    const statements = await start(model, extra(', note text', [note]))
    assert.equal(statements.at(-1), 'alter table duet_more add column note text')
    assert.deepEqual(await run('select id, note from duet_more'), [['kept', null]])
  })

  test('changes nothing when it refuses', async () => {
    await start(modelOf({ title, level: integer() }, { sort: ['title'] }))
    const next = modelOf({ level: integer(), added: optional(title) }, { sort: ['level'] })
    await refusalOf(start(next))
    await assert.rejects(run('select added from things'), /added/)
    assert.deepEqual(await start(modelOf({ title, level: integer() }, { sort: ['title'] })), [])
  })

  test('reports everything that it refuses at once', async () => {
    await start(modelOf({ title, level: integer() }))
    await insert('thing_1', { title: 'One', level: 1 })
    const refusal = await refusalOf(start(modelOf({ level: text({ max: 9 }), size: integer() })))
    const [, ...sentences] = refusal.message.split('\n')
    assert.deepEqual(
      sentences.map((each) => /^(The table "things" has a column "title"|Thing\.\w+)/.exec(each)?.[1]),
      ['Thing.size', 'Thing.level', 'The table "things" has a column "title"'],
    )
  })

  test('12.2.19 fills what is searched, fills more when fields join, and drops what is searched no more', async () => {
    const fields = { title, note: optional(text({ max: 50 })) }
    const found = async (column: string, word: string) => {
      const like = `select id from things where ${column} like '% ${word} %' order by id`
      return (await run(like)).flat()
    }
    const indexes = async () => {
      const sql =
        engine === 'sqlite'
          ? `select name from sqlite_schema where name like '%search'`
          : `select indexname from pg_indexes where indexdef like '%tsvector%' and schemaname = current_schema()`
      return (await run(sql)).length
    }
    await start(modelOf(fields))
    const ids = Array.from({ length: 1_100 }, (_, at) => `thing_${String(at).padStart(4, '0')}`)
    for (const id of ids) await insert(id, { title: `Ship ${id.slice(-2)}`, note: null })
    await start(modelOf(fields, { search: ['title'] }))
    assert.deepEqual(await found('title__words', 'ship'), ids)
    assert.equal(await indexes(), 1)
    assert.deepEqual(await start(modelOf(fields, { search: ['title'] })), [])
    await run(`update things set note = 'Größe' where id = 'thing_0007'`)
    await start(modelOf(fields, { search: ['title'], anywhere: ['note'] }))
    assert.deepEqual(await run(`select note__parts from things where id < 'thing_0009' and note__parts <> ''`), [
      [' grosse \ue000gro \ue000ros \ue000oss \ue000sse '],
    ])
    assert.equal(await indexes(), 1)
    if (engine === 'sqlite') {
      const [table] = (await run(`select name from sqlite_schema where name like '%search'`))[0]!
      assert.equal((await run(`select rowid from "${table}" where "${table}" match 'ship'`)).length, ids.length)
      await run(`update things set deleted_at = created_at where id = 'thing_0007'`)
      assert.equal((await run(`select rowid from "${table}" where "${table}" match 'ship'`)).length, ids.length - 1)
    }
    await start(modelOf(fields))
    assert.equal(await indexes(), 0)
    await assert.rejects(run('select title__words from things'))
    await insert('thing_last', { title: 'Last', note: null })
  })

  test('refuses to forget the records of a resource that is gone', async () => {
    await run('create table somebody_elses (id text)')
    await start(modelOf({ title }, { sort: ['title'] }))
    await insert('thing_1', { title: 'One' })
    const next = modelOf({ title }, { name: 'Item', sort: ['title'] })
    const refusal = await refusalOf(start(next))
    assert.match(refusal.message, /No resource keeps its records in the table "things" any more/)
    await run('alter table things rename to items')
    await start(next)
    assert.deepEqual(await run('select title from items'), [['One']])
    assert.deepEqual(await start(next), [])
  })

  test('makes join tables, and tables whose relations run in a ring', async () => {
    await start(
      modelOf({ next: one('Thing'), likes: manyToMany('Thing', 'likedBy'), likedBy: manyToMany('Thing', 'likes') }),
    )
    const link = `insert into things_likes values ('a', 'b', '${moment}', '${moment}')`
    await assert.rejects(run(link), /nowhere/)
    await run(
      `insert into things (id, next_id, created_at, updated_at) values
        ('a', 'b', '${moment}', '${moment}'), ('b', 'a', '${moment}', '${moment}')`,
    )
    await run(link)
    await assert.rejects(run(link), { index: 'things_likes_pkey' })
  })

  test('replaces what is derived when its definition changes, and leaves the indexes of others', async () => {
    const indexes = async (): Promise<string[]> => {
      const sql =
        engine === 'sqlite'
          ? `select name from sqlite_schema where type = 'index' and sql is not null and tbl_name = 'things'`
          : `select indexname from pg_indexes where tablename = 'things' and indexname <> 'things_pkey' and schemaname = current_schema()`
      return (await run(sql)).map(([name]) => String(name).replace(/_[0-9a-f]{8}_idx$/, '')).sort()
    }
    await start(modelOf({ title, level: integer() }, { filter: { title: is } }))
    await run('create index by_hand on things (title)')
    assert.deepEqual(await indexes(), ['by_hand', 'things_created_at_id', 'things_title_created_at_id'])
    await start(modelOf({ title, level: integer() }, { sort: ['level'] }))
    assert.deepEqual(await indexes(), ['by_hand', 'things_created_at_id', 'things_level_id'])
    const read = anyOf(when({ level: 1 } as never) as never)
    await start(modelOf({ title, level: integer() }, { sort: ['level'], read }))
    const also = 'things_level_created_at_id'
    assert.deepEqual(await indexes(), ['by_hand', 'things_created_at_id', also, 'things_level_id'])
  })

  test('finds the elements of lists as records come, change and go', async () => {
    const fields = {
      tags: list(title, { max: 9 }),
      parts: list(object({ product: title }), { max: 9 }),
      at: optional(timestamp()),
    }
    await start(modelOf(fields, { read: when({ at: present } as never) }))
    await insert('thing_1', { tags: '["a", "b", "a"]', parts: '[{"product": "p"}, {"product": "q"}]' })
    await start(modelOf(fields, { filter: { tag: contains('tags'), product: contains('parts.product') } }))
    await insert('thing_2', { tags: '["b", "c"]', parts: '[]' })
    const having = async (column: string, part: string | null, value: string): Promise<unknown> => {
      const test = dialect.listContains(`t."${column}"`, part, dialect.parameter(1), 'things')
      return (await run(`select id from things t where ${test} and deleted_at is null order by id`, value)).flat()
    }
    assert.deepEqual(await having('tags', null, 'a'), ['thing_1'])
    assert.deepEqual(await having('tags', null, 'b'), ['thing_1', 'thing_2'])
    assert.deepEqual(await having('parts', 'product', 'q'), ['thing_1'])
    await run(`update things set tags = '["c"]' where id = 'thing_1'`)
    assert.deepEqual(await having('tags', null, 'c'), ['thing_1', 'thing_2'])
    assert.deepEqual(await having('tags', null, 'a'), [])
    await run(`update things set deleted_at = '${moment}' where id = 'thing_2'`)
    assert.deepEqual(await having('tags', null, 'b'), [])
    await run(`delete from things where id = 'thing_1'`)
    assert.deepEqual(await having('tags', null, 'c'), [])
  })
})
