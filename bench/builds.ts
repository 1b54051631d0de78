// `npm run bench:builds -- <folder>`: the workloads on this build and on the one in that folder, a worktree of another commit
// for instance, in turn and in one run: what a change costs where it is not used. `--postgres` asks them on databases of PostgreSQL.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { messageOf, start as startProgram, stop } from './child.ts'
import { createPostgresDatabase, type PostgresDatabase } from './platforms/databases.ts'
import { type Contender, isChosen, print, takeTurns } from './turns.ts'
import { type Ids, type Workload, workloads } from './workloads.ts'

interface Build {
  readonly contender: Contender
  readonly workloads: readonly Workload[]
}

const [folder] = process.argv.splice(2, 1)
if (folder === undefined) throw new Error('Name the folder of the other build.')
const files = mkdtempSync(join(tmpdir(), 'duet-bench-'))
process.once('exit', () => rmSync(files, { recursive: true, force: true }))
const databases: PostgresDatabase[] = []

try {
  print(await compare(pathToFileURL(resolve(folder, 'bench/contenders/duet.ts')).href))
} finally {
  await Promise.all(databases.map((database) => database.drop()))
}

/** Asks both builds in turn, stops them, and returns the rows of the table. */
async function compare(other: string): Promise<readonly string[][]> {
  const builds: Build[] = []
  // Two processes of one build differ.
  for (const time of ['', ', again'])
    builds.push(await start(`this build${time}`, 'contenders/duet.ts'), await start(`the other build${time}`, other))
  const rows: string[][] = []
  for (const [index, workload] of builds[0]!.workloads.entries()) {
    if (!isChosen(workload)) continue
    const entrants = builds.map(({ contender, workloads: all }) => ({ contender, workload: all[index]! }))
    rows.push(...(await takeTurns(entrants, workload.about)))
  }
  for (const { contender } of builds) await stop(contender.process)
  return rows
}

/** Each build fills a database of its own first: another build may have another schema. */
async function start(name: string, program: string): Promise<Build> {
  const database = process.argv.includes('--postgres') ? await createPostgresDatabase() : null
  if (database !== null) databases.push(database)
  const environment = {
    BENCH_DATABASE_URL: database?.url ?? `sqlite:${join(files, `${name.replaceAll(' ', '-')}.db`)}`,
  }
  const filler = startProgram(program, [], environment)
  const ids = await messageOf<Ids>(filler)
  // An older build says where it is before it listens to signals, and would be killed before what was compiled is stored.
  filler.send({})
  await messageOf(filler)
  await stop(filler)
  await database?.run('vacuum analyze')
  const child = startProgram(program, [], environment)
  const answer = await messageOf<{ readonly url: string; readonly token: string }>(child)
  const spent = database === null ? {} : { databaseCpuMs: database.cpuMs }
  return { contender: { name, process: child, ...answer, ...spent }, workloads: workloads(ids) }
}
