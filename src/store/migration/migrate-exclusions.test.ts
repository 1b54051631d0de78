// What becomes of records when a definition begins to exclude overlaps.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boolean, integer, optional, when } from 'duet-api'
import { forEachMigration, modelOf, refusalOf, title } from '../../../test/support/server/migration.ts'

forEachMigration(({ engine, insert, moment, run, start }) => {
  const fields = { title, first: integer(), after: optional(integer()), open: boolean() }
  const exclusion = { fields: ['title'], overlap: ['first', 'after'] }
  const foundBy = ({ message }: Error) => message.slice(message.indexOf('found by: ') + 'found by: '.length)
  const [yes, no] = engine === 'sqlite' ? [1, 0] : [true, false]

  test('11.5.7 begins only where no living records overlap, and names those that do', async () => {
    await start(modelOf(fields))
    const rows: readonly (readonly [string, string, number, number | null])[] = [
      ['1', 'a', 1, 5],
      ['2', 'a', 5, 6],
      ['3', 'a', 2, 3],
      ['4', 'a', 4, 5],
      ['5', 'b', 1, null],
      ['6', 'b', 9, 10],
      ['7', 'c', 3, 3],
      ['8', 'c', 4, null],
    ]
    for (const [id, name, from, until] of rows)
      await insert(`thing_${id}`, { title: name, first: from, after: until, open: yes })
    const next = modelOf(fields, { exclude: [exclusion] })
    const refusal = await refusalOf(start(next))
    assert.match(
      refusal.message,
      /Records with the same Thing\.title must not overlap from Thing\.first to Thing\.after/,
    )
    assert.match(refusal.message, /but 4 begin before an earlier one ends, or after their own end\./)
    const found = (await run(foundBy(refusal))).map(([id]) => id).toSorted()
    assert.deepEqual(found, ['thing_3', 'thing_4', 'thing_6', 'thing_7'])
    await run(`update things set deleted_at = '${moment}' where id in ('thing_3', 'thing_4', 'thing_6')`)
    assert.match((await refusalOf(start(next))).message, /but one begins before an earlier one ends, or after its own/)
    await run(`update things set open = ${no} where id = 'thing_7'`)
    await start(modelOf(fields, { exclude: [{ ...exclusion, where: when({ open: true }) }] }))
    await refusalOf(start(next))
    await run(`update things set after = 4 where id = 'thing_7'`)
    await start(next)
    await start(modelOf(fields))
  })
})
