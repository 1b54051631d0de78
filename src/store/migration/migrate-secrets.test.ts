// What becomes of values of a field that is to be kept encrypted, or no longer. (contract 11.4.1)

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { choice, optional, secret, text } from 'duet-api'
import { forEachMigration, modelOf, refusalOf, title } from '../../../test/support/server/migration.ts'
import { createDataCipher } from '../../encryption/data-cipher.ts'

const cipher = createDataCipher([randomBytes(32)])

forEachMigration(({ insert, moment, run, start }) => {
  const plain = modelOf({ title, key: optional(text({ max: 1_000 })) })
  const encrypted = modelOf({ title, key: optional(secret()) })

  test('11.4.2 a field becomes a secret only where no record has it in clear', async () => {
    await start(plain)
    await insert('thing_1', { title: 'One', key: 'Geheim.nis' })
    await insert('thing_2', { title: 'Two', key: 'abcdef01.short' })
    await insert('thing_3', { title: 'Three', key: `abcdef01.${'x'.repeat(50)} `, deleted_at: moment })
    await insert('thing_4', { title: 'Four' })
    const { message } = await refusalOf(start(encrypted))
    assert.equal(
      message.split('\n')[1],
      'Thing.key does not fit 3 records, which have it in clear, deleted ones among them. Give the field the form that it had, or another name.',
    )
    assert.deepEqual(await start(plain), [], 'nothing has changed')
    await run(`update things set key = null where id <> 'thing_1'`)
    assert.match(
      (await refusalOf(start(encrypted))).message,
      /Thing\.key does not fit one record, which have it in clear/,
    )
    await run('update things set key = null')
    await start(encrypted)
  })

  test('11.4.2 an encrypted value is not answered as a text', async () => {
    await start(encrypted)
    await insert('thing_1', { title: 'One', key: cipher.encrypt('a', 'key of thing_1') })
    await insert('thing_2', { title: 'Two', key: cipher.encrypt('ä'.repeat(900), 'key of thing_2') })
    for (const next of [plain, modelOf({ title, key: optional(choice(['a'])) })]) {
      const { message } = await refusalOf(start(next))
      assert.match(
        message,
        /Thing\.key does not fit 2 records, which have it encrypted\. Give the field the form that it had/,
      )
      assert.doesNotMatch(message, /update/)
    }
    await start(modelOf({ title, key: optional(secret({ max: 2_000 })) }))
    await start(modelOf({ title, code: optional(secret({ was: 'key' })) }))
    const renamed = modelOf({ title, note: optional(text({ max: 9, was: 'code' })) })
    assert.match(
      (await refusalOf(start(renamed))).message,
      /Thing\.note does not fit 2 records, which have it encrypted/,
    )
    await run('update things set code = null')
    await start(renamed)
  })
})
