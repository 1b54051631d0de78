// `node --conditions=duet-source bench/platforms.ts`: the workloads on Duet, Platformatic DB and PostGraphile, which serve the
// same tables of PostgreSQL, and on Duet and Platformatic DB with SQLite. It needs a PostgreSQL, where it makes databases of
// its own and drops them. `W1 W4` runs only these, `--quick` runs each once and briefly.

import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { fill, messageOf, startAgain, startDuet, stop } from './child.ts'
import { createPostgresDatabase, forPlatforms, letPlatformaticMakeKeys, newPost } from './platforms/databases.ts'
import { type Asked, askPlatformatic, askPostGraphile, records } from './platforms/workloads.ts'
import { ask, type Contender, isChosen, print, takeTurns } from './turns.ts'
import { type Ids, isCreate, workloads } from './workloads.ts'

interface Rival {
  readonly contender: Contender
  readonly asked: Asked
}

/** GraphQL answers 200 with errors too. */
const noErrors = /^(?!.*"errors":)/s

const installed = existsSync(new URL('platforms/node_modules', import.meta.url))
if (!installed) {
  process.stdout.write(
    'Platformatic DB and PostGraphile are left out: `npm ci --ignore-scripts --prefix bench/platforms` installs them.\n',
  )
}
process.stdout.write('On PostgreSQL. ')
print(await onPostgres())
process.stdout.write('\nOn SQLite. ')
print(await onSqlite())

async function onPostgres(): Promise<readonly string[][]> {
  const own = await createPostgresDatabase()
  const databases = [own]
  try {
    const ids = await fill(own.url)
    await own.run('vacuum analyze users, posts')
    const copyOfOwn = async () => {
      const copy = await own.copy()
      databases.push(copy)
      await copy.run(forPlatforms)
      await copy.run('vacuum analyze users, posts')
      return copy
    }
    const startOn = async (program: string, name: string) => {
      const copy = await copyOfOwn()
      return { ...(await startPlatform(program, copy.url, name)), databaseCpuMs: copy.cpuMs }
    }
    const rivals: Rival[] = installed
      ? [
          {
            contender: await startOn('platformatic', 'Platformatic DB'),
            asked: askPlatformatic(ids, ['bench']),
          },
          { contender: await startOn('postgraphile', 'PostGraphile'), asked: askPostGraphile(ids) },
        ]
      : []
    // What the platforms would do with it can be tried without them.
    if (!installed) await (await copyOfOwn()).run(newPost)
    const duet = { ...(await serve(own.url, 'Duet')), databaseCpuMs: own.cpuMs }
    return await compare(duet, rivals, ids)
  } finally {
    await Promise.all(databases.map((database) => database.drop()))
  }
}

async function onSqlite(): Promise<readonly string[][]> {
  const folder = mkdtempSync(join(tmpdir(), 'duet-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const [own, copy] = [join(folder, 'duet.db'), join(folder, 'platformatic.db')]
  const ids = await fill(`sqlite:${own}`)
  copyFileSync(own, copy)
  letPlatformaticMakeKeys(copy)
  const rivals: Rival[] = installed
    ? [
        {
          contender: await startPlatform('platformatic', `sqlite://${copy}`, 'Platformatic DB'),
          asked: askPlatformatic(ids, '["bench"]'),
        },
      ]
    : []
  return compare(await serve(`sqlite:${own}`, 'Duet'), rivals, ids)
}

/** Asks all the same, stops them, and returns the rows of the table. */
async function compare(duet: Contender, rivals: readonly Rival[], ids: Ids): Promise<readonly string[][]> {
  const rows: string[][] = []
  // A verified token is not compared: that is what each puts in front of its API, not what it makes of the tables.
  for (const workload of workloads(ids).filter((each) => isChosen(each) && each.name !== 'W1J')) {
    const { body } = await ask({ contender: duet, workload })
    const entrants = rivals.flatMap(({ contender, asked }) => {
      const words = asked[workload.name]
      return words === undefined ? [] : [{ contender, workload: { ...workload, ...words, expects: noErrors } }]
    })
    const isNew = isCreate(workload)
    for (const entrant of entrants) {
      const answer = await ask(entrant)
      if (!isDeepStrictEqual(records(JSON.parse(answer.body), isNew), records(JSON.parse(body), isNew))) {
        throw new Error(`${workload.name}: ${entrant.contender.name} does not answer what Duet answers: ${answer.body}`)
      }
    }
    rows.push(
      ...(await takeTurns([{ contender: duet, workload }, ...entrants], `${workload.about}, ${body.length} bytes`)),
    )
  }
  await Promise.all([duet, ...rivals.map(({ contender }) => contender)].map(({ process }) => stop(process)))
  return rows
}

async function serve(database: string, name: string): Promise<Contender> {
  const child = startDuet(database)
  return { name, process: child, ...(await messageOf<{ url: string; token: string }>(child)) }
}

async function startPlatform(program: string, database: string, name: string): Promise<Contender> {
  const environment = { NODE_ENV: 'production', GRAPHILE_ENV: 'production' }
  const { child, said } = await startAgain<{ url: string }>(`platforms/${program}.ts`, [database], environment)
  return { name, process: child, token: '', ...said }
}
