// What thirty questions over many posts cost, and which of them `duet check` names: each takes at most 250 ms of one core or is named.
// `node --conditions=duet-source bench/questions.ts [sqlite|postgres] [records]`

import { api } from '../reference/service.ts'
import { insertRecord, newRecord } from '../src/action/row/record.ts'
import { questionsOf } from '../src/command/check/questions.ts'
import { defaultLimits } from '../src/limits.ts'
import { silentLog } from '../src/observation/log.ts'
import { makeId } from '../src/resource/model/id.ts'
import type { Model } from '../src/resource/model/model.ts'
import { readConfiguration } from '../src/service/configuration/configuration.ts'
import { openStore } from '../src/service/open/open-store.ts'
import { startService } from '../src/service/service.ts'
import { compileService } from '../src/service/start/compile-service.ts'
import { migrate } from '../src/store/migration/migrate.ts'
import { desiredSchema } from '../src/store/sql/schema/schema.ts'
import { dialectOf } from '../src/store/sql/text/dialect.ts'
import { createWriteStatements } from '../src/store/sql/write/write-statements.ts'
import { bind, command, type Engine, type Program, type Store } from '../src/store/store.ts'
import { dataKey } from '../test/support/server/data-key.ts'
import { createDatabase } from '../test/support/server/databases.ts'
import { createPostgresDatabase } from './platforms/databases.ts'
import { sized } from './scale.ts'

const [engine = 'sqlite', count = sized(1_000_000, 1_000)] = process.argv.slice(2) as [Engine?, string?]
const records = Number(count)
const users = sized(1_000, 20)
const batch = 50_000
const repetitions = sized(5, 1)
/** What a question may take of one core, unless it is named. */
const mostMs = 250
const begin = Date.UTC(2026, 0, 1)
const dialect = dialectOf(engine)

async function measure(): Promise<void> {
  const database = engine === 'postgres' ? await createPostgresDatabase() : await createDatabase(engine)
  const databaseCpuMs = 'cpuMs' in database ? () => database.cpuMs() : async () => 0
  try {
    const model = compileService(api)
    const limits = { ...defaultLimits, statementTimeoutMs: 120_000 }
    const store = await openStore(database.url, { limits, log: silentLog })
    await migrate(store, desiredSchema(model, dialect))
    const authors = await fill(store, model)
    await store.close()
    await ask(database.url, model, authors, databaseCpuMs)
  } finally {
    await database.drop()
  }
}

/** Answers the ids of the users. */
async function fill(store: Store, model: Model): Promise<readonly string[]> {
  const scope = { statements: createWriteStatements(dialect), dialect, now: new Date() } as never
  const program = (name: string, id: string, values: Record<string, unknown>, now: Date) => {
    const resource = model.byName.get(name)!
    return insertRecord(resource, { record: newRecord(resource, id, values, now), hashes }, scope)
  }
  const hashes = new Map([['password', 'x']])
  const ids = Array.from({ length: users }, () => makeId('user', new Date(begin)))
  await store.write(function* (): Program<void> {
    for (const [at, id] of ids.entries())
      yield* program('User', id, { email: `u${at}@example.com`, name: `User ${at}` }, new Date(begin))
  })
  const start = performance.now()
  for (let at = 0; at < records; at += batch) {
    await store.write(function* (): Program<void> {
      yield bind(posts, at, Math.min(at + batch, records), JSON.stringify(ids))
    })
  }
  await store.write(function* () {
    yield bind(command('analyze'))
  })
  console.log(`${engine}: ${records} posts, ${((performance.now() - start) / 1_000).toFixed(0)} s`)
  return ids
}

/** The posts from one number to another, and the users' ids: by one statement, since a program for each takes ten times as long. */
const posts = command(
  engine === 'sqlite'
    ? `with recursive n(i) as (select cast(?1 as integer) union all select i + 1 from n where i + 1 < ?2),
        t as (select i, strftime('%Y-%m-%dT%H:%M:%fZ', ${begin / 1_000} + i, 'unixepoch') as at from n),
        u as materialized (select key, value from json_each(?3))
       insert into posts (id, title, content, tags, author_id, published_at, created_at, updated_at, version)
       select printf('post_%026d', i), printf('Post %d', i), 'Text.',
         case when i % 50000 = 0 then json_array('t' || i % 100, 'rare') else json_array('t' || i % 100) end,
         value, at, at, at, 1 from t cross join u on key = i % ${users}`
    : `insert into posts (id, title, content, tags, author_id, published_at, created_at, updated_at, version)
       select 'post_' || lpad(i::text, 26, '0'), 'Post ' || i, 'Text.',
         case when i % 50000 = 0 then json_build_array('t' || i % 100, 'rare') else json_build_array('t' || i % 100) end,
         value, at, at, at, 1
       from generate_series($1::integer, $2::integer - 1) i, lateral (select to_timestamp(${begin / 1_000} + i) as at) t,
         json_array_elements_text($3) with ordinality u(value, place) where place = i % ${users} + 1`,
)

type Asked = readonly [query: string, id: string | null]

function thirty(author: string, other: string): readonly Asked[] {
  const where = (text: string, id: string | null, rest = ''): Asked => [
    `?where=${encodeURIComponent(text)}${rest}`,
    id && `Post.where.${id}`,
  ]
  const late = new Date(begin + (records - 100) * 1_000).toISOString()
  const early = new Date(begin + 100_000).toISOString()
  return [
    where('title = "Post 4242"', 'title.equality'),
    where('title IN ("Post 1", "Post 4242", "Post 7")', 'title.equality'),
    where('startsWith(title, "Post 4242")', 'title.beginning'),
    where('startsWith(title, "Post")', 'title.beginning'),
    where('title > "Post 9"', 'title.range'),
    where('title > "Q"', 'title.range'),
    where('title != "Post 4242"', 'title.negation'),
    where('tags:"t5"', 'tags.element'),
    where('tags:"rare"', 'tags.element'),
    where('tags:"none"', 'tags.element'),
    where(`published_at > "${late}"`, 'publishedAt.range'),
    where(`published_at < "${early}"`, 'publishedAt.range'),
    where(`created_at > "${late}"`, 'createdAt.range'),
    where(`created_at < "${early}"`, 'createdAt.range'),
    where(`author = "${author}"`, 'author.equality'),
    where(`author IN ("${author}", "${other}")`, 'author.equality'),
    where(`author != "${author}"`, 'author.negation'),
    where('author.name = "User 7"', 'author.name.equality'),
    where('author.name = "Nobody"', 'author.name.equality'),
    where('startsWith(author.name, "User 99")', 'author.name.beginning'),
    where(`some(comments, created_at > "${late}")`, 'comments.createdAt.range'),
    where(`author = "${author}" AND startsWith(title, "Post 4")`, 'title.beginning'),
    where(`author = "${author}" AND NOT tags:"t7"`, 'author.equality'),
    where('title = "Post 4" OR title = "Post 5"', 'title.equality'),
    where(`title = "Post 4" OR author = "${author}"`, 'alternatives'),
    where('title > "Post 9"', 'title.range', '&sort=title'),
    ['?sort=author.name', 'Post.sort.author.name'],
    ['?sort=-title', null],
    ['/summary?group_by=author_id', 'Post.summary'],
    ['/summary?group_by=created_at:month&time_zone=Europe/Berlin', 'Post.summary'],
  ]
}

type CpuMs = () => Promise<number>

async function ask(url: string, model: Model, [author, other]: readonly string[], databaseCpuMs: CpuMs): Promise<void> {
  const named = new Set(questionsOf(model, dialect).flatMap(({ id, scanSize }) => (scanSize === 'page' ? [] : [id])))
  const unlimited = { LIMIT_IP_PER_MINUTE: '0', LIMIT_USER_PER_HOUR: '0', DATA_KEY: dataKey }
  const configuration = readConfiguration({ ...process.env, ...unlimited, PORT: '0', DATABASE_URL: url })
  const service = await startService(api, { configuration, log: silentLog, clock: () => new Date() })
  console.log('| question | status | ms | ms of CPU | |\n| --- | --- | --- | --- | --- |')
  try {
    for (const [query, id] of thirty(author!, other!)) {
      const { status, ms, cpuMs } = await time(`${service.url}/api/v2/posts${query}`, databaseCpuMs)
      const judgement = id !== null && named.has(id) ? `named: ${id}` : cpuMs > mostMs ? 'TOO SLOW' : ''
      const what = decodeURIComponent(query).replaceAll('|', '\\|')
      console.log(`| \`${what}\` | ${status} | ${ms.toFixed(1)} | ${cpuMs.toFixed(1)} | ${judgement} |`)
    }
  } finally {
    await service.stop()
  }
}

/** The median, and what this process, which is the service and its client, and its database have taken of processors each time. */
async function time(url: string, databaseCpuMs: CpuMs) {
  const first = await fetch(url)
  await first.text()
  const times: number[] = []
  const [cpu, ofDatabase] = [process.cpuUsage(), await databaseCpuMs()]
  for (let run = 0; run < repetitions; run++) {
    const start = performance.now()
    await (await fetch(url)).text()
    times.push(performance.now() - start)
  }
  const { user, system } = process.cpuUsage(cpu)
  const spentMs = (user + system) / 1_000 + (await databaseCpuMs()) - ofDatabase
  const ms = times.toSorted((one, another) => one - another)[repetitions >> 1]!
  return { status: first.status, ms, cpuMs: spentMs / repetitions }
}

await measure()
