// What searches cost: how long a question takes of many short records, and what their words add to a write.
// `node --conditions=duet-source bench/search.ts [sqlite|postgres] [records]`

import { insertRecord, newRecord } from '../src/action/row/record.ts'
import { defaultLimits } from '../src/limits.ts'
import { silentLog } from '../src/observation/log.ts'
import { compileModel } from '../src/resource/model/compile/compile-model.ts'
import { makeId } from '../src/resource/model/id.ts'
import type { Model } from '../src/resource/model/model.ts'
import { readConfiguration } from '../src/service/configuration/configuration.ts'
import { openStore } from '../src/service/open/open-store.ts'
import { startService } from '../src/service/service.ts'
import { migrate } from '../src/store/migration/migrate.ts'
import { desiredSchema } from '../src/store/sql/schema/schema.ts'
import { dialectOf } from '../src/store/sql/text/dialect.ts'
import { createWriteStatements } from '../src/store/sql/write/write-statements.ts'
import type { Engine, Program, Store } from '../src/store/store.ts'
import { mailroom } from '../test/support/domain/mailroom.ts'
import { createRandom, type Random } from '../test/support/oracle/random.ts'
import { createDatabase } from '../test/support/server/databases.ts'
import { sized } from './scale.ts'

const [engine = 'sqlite', count = sized(1_000_000, 1_000)] = process.argv.slice(2) as [Engine?, string?]
const records = Number(count)
const batch = 5_000
const repetitions = sized(20, 1)

/** A word of rank `n` is in one record of `n`, as in texts that people write. */
const vocabulary = Array.from({ length: 50_000 }, (_, at) => wordOf(at))
function wordOf(at: number): string {
  const syllables = ['ba', 'de', 'fi', 'go', 'ku', 'la', 'me', 'ni', 'po', 'ru', 'sa', 'te']
  let word = ''
  for (let rest = at + 150; rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length]
  return word
}
function subjectOf(random: Random): string {
  const common = () => vocabulary[Math.floor(vocabulary.length ** (random.below(1_000_000) / 1_000_000)) - 1]
  return Array.from({ length: 6 }, common).join(' ')
}

async function measure(): Promise<void> {
  const database = await createDatabase(engine)
  try {
    const model = compileModel(mailroom)
    const store = await openStore(database.url, { limits: defaultLimits, log: silentLog })
    await migrate(store, desiredSchema(model, dialectOf(engine)))
    await fill(store, model)
    await store.close()
    await ask(database.url)
  } finally {
    await database.drop()
  }
}

async function fill(store: Store, model: Model): Promise<void> {
  const random = createRandom(1)
  const dialect = dialectOf(engine)
  const scope = { statements: createWriteStatements(dialect), dialect, now: new Date() } as never
  const [letters, users] = [model.byName.get('Letter')!, model.byName.get('User')!]
  const insert = (resource: typeof letters, values: Record<string, unknown>, at: number) => {
    const now = new Date(Date.UTC(2026, 0, 1) + at)
    const id = makeId(resource.prefix, now)
    const hashes = new Map([['password', 'x']])
    return { id, program: insertRecord(resource, { record: newRecord(resource, id, values, now), hashes }, scope) }
  }
  const owner = insert(users, { email: 'a@example.com', name: 'A' }, 0)
  await store.write(() => owner.program)
  const start = process.cpuUsage()
  for (let at = 0; at < records; at += batch) {
    await store.write(function* (): Program<void> {
      for (let each = at; each < Math.min(at + batch, records); each++) {
        const values = { subject: subjectOf(random), code: `C-${each}`, round: 'r', owner: owner.id }
        yield* insert(letters, values, each).program
      }
    })
  }
  console.log(`${engine}: ${records} records, ${(µsSince(start) / records).toFixed(0)} µs of CPU each`)
}

async function ask(url: string): Promise<void> {
  const unlimited = { LIMIT_IP_PER_MINUTE: '0', LIMIT_USER_PER_HOUR: '0' }
  const configuration = readConfiguration({ ...process.env, ...unlimited, PORT: '0', DATABASE_URL: url })
  const service = await startService(mailroom, { configuration, log: silentLog, clock: () => new Date() })
  try {
    const rare = vocabulary[20_000]!
    const usual = vocabulary[Math.round((records * 6) / Math.log(vocabulary.length) / 9_000)]!
    const questions: readonly (readonly [what: string, query: string])[] = [
      ['a rare word', `q=${rare}`],
      ['a word of some 10,000 records', `q="${usual}"`],
      ['the same, newest first', `q="${usual}"&sort=-created_at`],
      ['two words', `q=${usual} ${vocabulary[1]}`],
      ['a beginning', `q=${rare.slice(0, 6)}`],
      ['a phrase', `q="${usual} ${vocabulary[0]}"`],
      ['a part of a code', 'q=4242'],
      ['the commonest word', `q="${vocabulary[0]}"`],
    ]
    for (const [what, query] of questions)
      await time(what, `${service.url}/api/v2/letters?${encodeURI(query)}&fields=id`)
  } finally {
    await service.stop()
  }
}

async function time(what: string, url: string): Promise<void> {
  const answer = await fetch(`${url}&page=1`)
  const { meta } = (await answer.json()) as { meta: { total?: number } }
  const times: number[] = []
  const cpu = process.cpuUsage()
  for (let run = 0; run < repetitions; run++) {
    const start = performance.now()
    await (await fetch(`${url}&limit=20`)).text()
    times.push(performance.now() - start)
  }
  const sorted = times.toSorted((one, other) => one - other)
  const [median, last] = [sorted[repetitions >> 1]!, sorted.at(-1)!]
  const cpuMs = µsSince(cpu) / repetitions / 1_000
  const found = meta?.total ?? 'more than 10,000'
  console.log(
    `${engine}: ${what} (${found}): ${median.toFixed(1)} ms, at most ${last.toFixed(1)} ms; ${cpuMs.toFixed(1)} ms of CPU`,
  )
}

/** Of this process, which is the service and its client. */
function µsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start)
  return user + system
}

await measure()
