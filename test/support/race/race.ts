// Runs a race: many writers send one or two kinds of writes for the same records at once, to one or two instances.

import assert from 'node:assert/strict'
import pg from 'pg'
import type { LinkRelation } from '../../../src/resource/model/model.ts'
import { dialectOf, quote } from '../../../src/store/sql/text/dialect.ts'
import { type Engine, query, rowsOf } from '../../../src/store/store.ts'
import type { Answer, Client } from '../client/http-client.ts'
import { wrongStoredValues } from '../oracle/stored-values.ts'
import type { Recipes } from '../rows/fixtures.ts'
import { startInstance } from '../server/instance.ts'
import { startTestService, type TestService } from '../server/service.ts'
import { raceService } from './domain.ts'
import { quota } from './holders.ts'
import { type Kind, kinds, type Place } from './kinds.ts'
import { type Depth, placeAt } from './tenants.ts'

export interface Arena {
  readonly service: TestService
  /** Runs kinds at once, as many writers as there are in all; resolves to what was wrong. */
  race(names: readonly string[]): Promise<readonly string[]>
  /** How many deadlocks PostgreSQL has ended; its sessions end with it. */
  deadlocks(): Promise<number>
  stop(): Promise<void>
}

export interface ArenaPlace extends Place {
  /** On one database. */
  readonly instances: 1 | 2
}

const writers = 20
/** A busy machine makes none of them wait too long. */
const patient = { writeWaitMs: 60_000, effectTimeoutMs: 60_000 }

export async function openArena(engine: Engine, { depth, hook, instances }: ArenaPlace): Promise<Arena> {
  const definition = raceService(depth, hook)
  const service = await startTestService(engine, { definition, limits: patient })
  const other = instances === 2 ? await startInstance(service, { definition, limits: patient }) : null
  const clients: readonly Client[] = [service.client, ...(other === null ? [] : [other.client])]
  const adminId = await service.fixtures().idOf('admin')
  const authorization = { Authorization: `Bearer ${await service.token(adminId)}` }
  const place = await makePlace(service, depth)
  // What was wrong after an earlier race still is.
  const former = new Set<string>()
  let count = 0

  async function race(names: readonly string[]): Promise<readonly string[]> {
    const key = `k${++count}`
    const fixtures = service.fixtures(recipes(place, key))
    fixtures.keep('key', key)
    for (const [name, id] of place.names) fixtures.keep(name, id)
    const own = names.map((name) => kinds[name]!)
    for (const before of own.some(({ group }) => group === 'room') ? ['', 'other '] : []) {
      const made = await service.client.send('POST /api/v1/rooms', { body: place.sent, headers: authorization })
      assert.equal(made.status, 201, made.text)
      fixtures.keep(`${before}room`, made.body.data.id)
      fixtures.keep(`${before}code`, made.body.tokens?.code ?? made.body.data.code)
    }
    for (const { before } of own) {
      if (before === undefined) continue
      const { line, body } = await fixtures.fill(before)
      const [method, path] = line.split(' ')
      const answer = await service.client.send(`${method} /api/v1/${path}`, { body, headers: authorization })
      assert.equal(answer.status, 200, answer.text)
    }
    // What a race is about is there before it begins.
    for (const name of own.some(({ group }) => group === 'course') ? ['bond'] : []) await fixtures.idOf(name)
    const requests = []
    for (let writer = 0; writer < writers; writer++) {
      const kind = own[writer % own.length]!
      requests.push({ kind, ...(await fixtures.fill(kind.send(writer))) })
    }
    const since = performance.now()
    const answers = await Promise.all(
      requests.map(async ({ kind, line, body, headers }, writer) => {
        const [method, path] = line.split(' ') as [string, string]
        const sent = withPlace(line, body, place)
        const answer = await clients[Math.floor(writer / 2) % clients.length]!.send(`${method} /api/v1/${path}`, {
          headers: { ...authorization, ...headers },
          ...(sent === undefined ? {} : { body: sent }),
        })
        return { kind, answer }
      }),
    )
    const added = answers.filter(({ kind, answer }) => kind.adds === true && isSuccess(answer)).length
    const lost = own.some(({ adds }) => adds) ? await lostNumbers(service, await fixtures.idOf('plain'), added) : []
    const stored = [...(await wrongNumbers(service)), ...(await brokenRules(service))].filter(
      (each) => !former.has(each),
    )
    for (const each of stored) former.add(each)
    const problems = [...lost, ...wrongAnswers(answers, own), ...stored]
    const ms = Math.round(performance.now() - since)
    return problems.map((each) => `${names.join(' / ')}: ${each} (${ms} ms)`)
  }
  return {
    service,
    race,
    deadlocks: () => deadlocksOf(engine, service.databaseUrl),
    async stop() {
      await other?.stop()
      await service.stop()
    },
  }
}

/** Sessions report what they have counted when they end. */
/** How many PostgreSQL ended. */
export async function deadlocksOf(engine: Engine, url: string): Promise<number> {
  if (engine === 'sqlite') return 0
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(
      'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    const { rows } = await client.query('select deadlocks from pg_stat_database where datname = current_database()')
    return Number(rows[0].deadlocks)
  } finally {
    await client.end()
  }
}

/** Names the place in what is created directly in it. */
function withPlace(line: string, body: unknown, { sent }: Placed): unknown {
  const list = /^POST (tickets|boxes)\/batch/.exec(line)?.[1]
  if (list !== undefined)
    return { [list]: (body as Record<string, readonly object[]>)[list]!.map((each) => ({ ...sent, ...each })) }
  return ['POST boxes', 'POST tickets', 'POST permits'].includes(line) ? { ...sent, ...(body as object) } : body
}

const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300

/** What was added to the number of this record and is not in it. */
async function lostNumbers(service: TestService, id: string, added: number): Promise<readonly string[]> {
  const [[number]] = (await ask(service, `select number from plains where id = '${id}'`)) as unknown as [[number]]
  return number === added ? [] : [`${added - number} of ${added} additions are lost`]
}

/** Next to another kind, a record may be deleted before it is written. */
const refusalsOf = ({ group, refusals = [] }: Kind, kinds: number): readonly number[] =>
  group === 'box' && kinds > 1 ? [404, 422] : refusals

function wrongAnswers(answers: readonly { kind: Kind; answer: Answer }[], own: readonly Kind[]): readonly string[] {
  const wrong = answers.filter(
    ({ kind, answer }) => !isSuccess(answer) && !refusalsOf(kind, own.length).includes(answer.status),
  )
  const problems = [...Map.groupBy(wrong, ({ answer }) => answer.status)].map(
    ([status, some]) => `${some.length} are ${status}: ${some[0]!.answer.text.slice(0, 200)}`,
  )
  if (own.length > 1) return problems
  const expected = own[0]!.successes?.(answers.length)
  const successes = answers.filter(({ answer }) => isSuccess(answer)).length
  if (problems.length === 0 && expected !== undefined && expected !== successes)
    problems.push(`${successes} succeed, and not ${expected}`)
  return problems
}

/** Kept numbers that are not what there is. */
export async function wrongNumbers(service: TestService): Promise<readonly string[]> {
  const problems: string[] = []
  for (const { table, keptNumbers } of service.model.resources)
    for (const { column, relation, of, where } of keptNumbers) {
      const added = of === null ? 'count(*)' : `coalesce(sum(t.${quote(of.name)}), 0)`
      // The only condition there is.
      const counted = where === null ? '' : ` and t.status = 'open'`
      const actual =
        relation.kind === 'many'
          ? `(select ${added} from ${relation.target.table} t where t.${relation.by.column.name} = h.id and t.deleted_at is null${counted})`
          : `(select count(*) from ${relation.link.table} t where t.${relation.side}_id = h.id)`
      const kept = `h.${quote(column.name)}`
      const sql = `select h.id, ${kept}, ${actual} from ${table} h where h.deleted_at is null and ${kept} <> ${actual}`
      for (const [id, number, there] of await ask(service, sql))
        problems.push(`${table}.${column.name} of ${id} is ${number}, and there are ${there}`)
    }
  const stored = await service.store.read(wrongStoredValues(service.model, dialectOf(service.engine)))
  return [...problems, ...stored]
}

/** Rules that two writes have broken together. */
async function brokenRules(service: TestService): Promise<readonly string[]> {
  const problems: string[] = []
  const { link, side } = service.model.byName.get('Course')!.relations.get('marks') as LinkRelation
  const [course, mark] = side === 'source' ? ['source', 'target'] : ['target', 'source']
  const rules: readonly (readonly [string, string])[] = [
    [
      'more seats than there may be',
      `select c.id, count(*) from courses c join seats s on s.course_id = c.id where s.deleted_at is null group by c.id having count(*) > ${quota}`,
    ],
    [
      'more turns than there may be',
      `select c.id, count(*) from courses c join turns s on s.course_id = c.id where s.deleted_at is null group by c.id having count(*) > ${quota}`,
    ],
    [
      'started with seats',
      `select c.id, count(*) from courses c join seats s on s.course_id = c.id where s.deleted_at is null and c.status = 'started' group by c.id`,
    ],
    [
      'closed with loose places',
      `select c.id, count(*) from courses c join places s on s.course_id = c.id where s.deleted_at is null and s.loose and c.status = 'closed' group by c.id`,
    ],
    [
      'sealed with loose marks',
      `select c.id, count(*) from courses c join ${link.table} l on l.${course}_id = c.id join marks m on m.id = l.${mark}_id where m.loose and m.deleted_at is null and c.status = 'sealed' group by c.id`,
    ],
    ['pinned without a bond', `select id, last from courses where status = 'pinned' and last = '0 bonds'`],
  ]
  for (const [what, sql] of rules)
    for (const [id, number] of await ask(service, sql)) problems.push(`${id} is ${what}: ${number}`)
  return problems
}

const ask = (service: TestService, sql: string) => service.store.read(rowsOf(query(sql)))

interface Placed {
  /** What a record names that is in no other record. */
  readonly values: Readonly<Record<string, string>>
  readonly sent: Readonly<Record<string, string>>
  readonly names: readonly (readonly [string, string])[]
}
async function makePlace(service: TestService, depth: Depth): Promise<Placed> {
  const top = placeAt(depth)
  if (top === null) return { values: {}, sent: {}, names: [['tenant', '']] }
  const fixtures = service.fixtures({
    organization: { Organization: { name: 'O' } },
    membership: { Membership: { organization: '{organization}', user: '{admin}', role: 'OWNER' } },
    area: { Area: { organization: '{organization}' } },
    site: { Site: { area: '{area}' } },
  })
  const { field } = top
  const [organization, membership, id] = await Promise.all(['organization', 'membership', field].map(fixtures.idOf))
  return {
    values: { [field]: id! },
    sent: { [`${field}_id`]: id! },
    names: [
      ['tenant', `organizations/${organization}/`],
      ['organization', organization!],
      ['membership', membership!],
      ['place', id!],
    ],
  }
}

const recipes = ({ values: place }: Placed, key: string): Recipes => {
  const ofWriters = Array.from({ length: writers + 1 }, (_, writer) => ({
    [`desk ${writer}`]: { Desk: { ...place } },
    [`thing ${writer}`]: { Thing: { box: '{box}', shelf: '{shelf}', note: key } },
    [`spare ${writer}`]: { Thing: { box: '{box}', shelf: '{shelf}', note: key } },
    [`packed ${writer}`]: { Thing: { box: '{box}', shelf: '{shelf}', note: key } },
    [`place ${writer}`]: { Place: { course: '{course}' } },
    [`mark ${writer}`]: { Mark: { ...place } },
    [`loose mark ${writer}`]: { Mark: { ...place, loose: true } },
    [`notice ${writer}`]: { Notice: { plain: '{plain}' } },
    [`reminder ${writer}`]: { Reminder: { desk: '{desk}', plain: '{plain}' } },
    [`ticket ${writer}`]: { Ticket: { ...place } },
    [`spare ticket ${writer}`]: { Ticket: { ...place } },
    [`effect ticket ${writer}`]: { Ticket: { ...place } },
  }))
  return {
    plain: { Plain: { ...place } },
    desk: { Desk: { ...place } },
    sheet: { Sheet: { desk: '{desk}' } },
    box: { Box: { ...place, code: key } },
    'other box': { Box: { ...place, code: `${key}o` } },
    shelf: { Shelf: { ...place } },
    'other shelf': { Shelf: { ...place } },
    label: { Label: { ...place } },
    'other label': { Label: { ...place } },
    thing: { Thing: { box: '{box}', shelf: '{shelf}', note: key } },
    course: { Course: { ...place } },
    peg: { Peg: { ...place } },
    clip: { Clip: { ...place } },
    bond: { Bond: { course: '{course}', peg: '{peg}', clip: '{clip}' } },
    ...Object.assign({}, ...ofWriters),
  }
}
