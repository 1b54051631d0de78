// How lists of a tree are found: by indexes, never by a walk over the tree's join table.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Bound, bind, command, type Engine, type Program, query, type StoredRow } from '../../src/store/store.ts'
import { cost, overhear, withQuietService } from '../support/check/statement-counter.ts'
import { folders } from '../support/domain/folders.ts'

withQuietService(
  'Plans of trees',
  (running) => {
    test('10.3.5, 10.3.6 rules and conditions about records above search an index', async () => {
      const fixtures = running().fixtures({
        top: { Folder: { name: 'Top', owner: '{viewer}' } },
        inner: { Folder: { name: 'Inner', owner: '{viewer}', parent: '{top}' } },
      })
      const [top, inner] = [await fixtures.idOf('top'), await fixtures.idOf('inner')]
      for (const path of [
        'folders',
        'folders?sort=name',
        `folders/${inner}`,
        `folders?where=${encodeURIComponent(`below(parent, "${top}")`)}`,
        `documents?where=${encodeURIComponent(`below(folder.parent, "${top}")`)}`,
      ]) {
        const { statements } = await overhear(running(), async () =>
          running().send(`GET /api/v1/${path}`, { as: 'viewer' }),
        )
        for (const each of statements) {
          const aliases = [...each.statement.sql.matchAll(/"folders_above_parent" (t\d+)/g)].map(([, alias]) => alias)
          const walks = (await planOf(each)).filter(
            (line) =>
              line.includes('Seq Scan on folders_above_parent') || aliases.includes(/^SCAN (t\d+)/.exec(line)?.[1]),
          )
          assert.deepEqual(walks, [], `${path}: ${each.statement.sql}`)
        }
        assert(
          statements.some(({ statement }) => statement.sql.includes('folders_above_parent')),
          path,
        )
      }
    })

    test('10.3.2 a move takes as many statements whatever it moves', async () => {
      const levels = Array.from({ length: 12 }, (_, level) => [
        `level ${level}`,
        { Folder: { name: `${level}`, owner: '{viewer}', ...(level === 0 ? {} : { parent: `{level ${level - 1}}` }) } },
      ])
      const fixtures = running().fixtures({
        alone: { Folder: { name: 'Alone', owner: '{viewer}' } },
        to: { Folder: { name: 'To', owner: '{viewer}' } },
        ...Object.fromEntries(levels),
      })
      await fixtures.idOf('level 11')
      const to = await fixtures.idOf('to')
      const costs = []
      for (const name of ['alone', 'level 0']) {
        const line = `PATCH /api/v1/folders/${await fixtures.idOf(name)}`
        costs.push(await cost(running(), async () => running().send(line, { as: 'viewer', body: { parent_id: to } })))
      }
      assert.equal(costs[0]!.statements, costs[1]!.statements)
    })

    const planOf = (asked: Bound): Promise<readonly string[]> =>
      running().store.write(() => explained(asked, running().engine))
  },
  { definition: folders },
)

/** In a transaction, so that PostgreSQL leaves out what it does for small tables. */
function* explained({ statement, values }: Bound, engine: Engine): Program<readonly string[]> {
  if (engine === 'postgres') yield bind(command('set local enable_seqscan = off'))
  const how = engine === 'sqlite' ? 'explain query plan' : 'explain'
  const rows: readonly StoredRow[] = yield bind(query(`${how} ${statement.sql}`), ...values)
  return rows.map((row) => String(row.at(-1)))
}
