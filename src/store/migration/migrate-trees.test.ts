// Records that are there when their relation becomes a tree are in it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, one, optional, resource, service, text } from 'duet-api'
import { forEachMigration } from '../../../test/support/server/migration.ts'
import { compileModel } from '../../resource/model/compile/compile-model.ts'
import type { Model } from '../../resource/model/model.ts'

function folders(options: object): Model {
  const actions = { read: { allow: anyone } }
  const User = resource('User', { prefix: 'usr', fields: {}, actions } as never)
  const fields = { name: text({ max: 9, default: '-' }), parent: optional(one('Folder', options)) }
  const Folder = resource('Folder', { prefix: 'fld', fields, actions } as never)
  return compileModel(service({ resources: { User, Folder }, accounts: {}, roles: {} } as never) as never)
}

forEachMigration(({ moment, run, start }) => {
  test('10.3.5 existing records are listed below those above them', async () => {
    await start(folders({}))
    const insert = (id: string, parent: string | null) =>
      run(
        `insert into folders (id, name, parent_id, created_at, updated_at) values ('${id}', '-', ${parent === null ? 'null' : `'${parent}'`}, '${moment}', '${moment}')`,
      )
    await insert('a', null)
    await insert('b', 'a')
    await insert('c', 'b')
    await start(folders({ tree: true }))
    const rows = await run('select source_id, target_id from folders_above_parent order by 1, 2')
    assert.deepEqual(rows, [
      ['a', 'a'],
      ['b', 'a'],
      ['b', 'b'],
      ['c', 'a'],
      ['c', 'b'],
      ['c', 'c'],
    ])
    assert.deepEqual(await start(folders({ tree: true })), [])
  })
})
