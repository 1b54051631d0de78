// A write of many is the same writes one by one: of two groups of equal records, one is written at once and the other record by
// record, by random people, through both faces and on both databases. What one of them may not, none of them is. (contract 13.7.2)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bind, type Program, query, type StoredRow } from '../../src/store/store.ts'
import { backlog } from '../support/domain/backlog.ts'
import { questionsOf } from '../support/oracle/questions.ts'
import { createRandom, type Random } from '../support/oracle/random.ts'
import type { Recipe } from '../support/rows/fixtures.ts'
import { type Caller, type TestService, withService } from '../support/server/service.ts'

const { questions, seed } = questionsOf(60)
const callers: readonly Caller[] = ['anonymous', '{ann}', '{ann}', '{bob}', 'editor', 'editor']
const actions = ['update', 'delete', 'start', 'finish', 'discuss'] as const
type Members = Readonly<Record<string, unknown>>
/** What is written, and how it is said. */
interface Write {
  readonly as: Caller
  readonly action: (typeof actions)[number]
  /** As REST has it; GraphQL has the same names but for case. */
  readonly input: Members
  readonly face: 'rest' | 'graphql'
  /** A condition beside the group's own, or the places of records in it. */
  readonly which: string | readonly number[]
}
interface Outcome {
  /** How many were written; or the status that stands for its failure. */
  readonly count: number | null
  readonly status: number
  /** The ids that a failure tells of. */
  readonly failed: readonly string[]
}
interface Group {
  readonly project: string
  readonly tasks: readonly string[]
}

withService(
  '13.7.2 a write of many is the same writes one by one',
  (running) => {
    test(`13.7.2 for ${questions} random writes`, async () => {
      const service = running()
      const random = createRandom(seed)
      const people = service.fixtures({
        ann: { User: {} },
        bob: { User: {} },
        red: { Tag: { name: 'red' } },
        blue: { Tag: { name: 'blue' } },
      })
      const ids = Object.fromEntries(
        await Promise.all(['ann', 'bob', 'red', 'blue'].map(async (name) => [name, await people.idOf(name)] as const)),
      ) as Readonly<Record<string, string>>
      const tally = { written: 0, refused: 0 }
      for (let number = 0; number < questions; number++) {
        const values = makeTasks(random)
        const [atOnce, oneByOne] = [await insert(service, values, ids), await insert(service, values, ids)]
        const write = makeWrite(random, ids)
        const place = `${JSON.stringify(write)}, question ${number} of seed ${seed}`
        const scene = new Scene(service, people, atOnce, oneByOne)
        await scene.compare(write, place, tally)
      }
      assert(tally.written > questions / 5 && tally.refused > questions / 20, JSON.stringify(tally))
      service.assertLog()
    })
  },
  { definition: backlog },
)

class Scene {
  readonly #service: TestService
  readonly #people: ReturnType<TestService['fixtures']>
  readonly #atOnce: Group
  readonly #oneByOne: Group

  constructor(service: TestService, people: ReturnType<TestService['fixtures']>, atOnce: Group, oneByOne: Group) {
    this.#service = service
    this.#people = people
    this.#atOnce = atOnce
    this.#oneByOne = oneByOne
  }

  async compare(write: Write, place: string, tally: { written: number; refused: number }): Promise<void> {
    const before = await this.#rows(this.#atOnce)
    assert.deepEqual(await this.#rows(this.#oneByOne), before, 'the groups are equal')
    const dry = await this.#writeAll(write, true)
    assert.deepEqual(await this.#rows(this.#atOnce), before, `a dry run stores nothing: ${place}`)
    const expected = await this.#writeEach(write)
    assert.deepEqual(dry, expected, `the dry run of ${place}`)
    assert.deepEqual(await this.#writeAll(write, false), expected, place)
    const isWritten = expected.count !== null
    const after = isWritten ? await this.#rows(this.#oneByOne) : before
    assert.deepEqual(await this.#rows(this.#atOnce), after, place)
    tally.written += expected.count ?? 0
    tally.refused += isWritten ? 0 : 1
  }

  /** What comes of writing one record after the other, told as of one write: what wins first, wins for all. (contract 4.1) */
  async #writeEach(write: Write): Promise<Outcome> {
    const { as, which } = write
    if (as === 'anonymous') return { count: null, status: 401, failed: [] }
    const places = typeof which === 'string' ? await this.#placesOf(which, as) : which
    const failures: [status: number, place: number][] = []
    for (const place of places) {
      const status = await this.#writeOne(write, this.#oneByOne.tasks[place]!)
      if (status >= 300) failures.push([status, place])
    }
    if (failures.length === 0) return { count: places.length, status: 200, failed: [] }
    const first = Math.min(...failures.map(([status]) => (status === 404 ? 0 : status)))
    const status = first === 0 ? 404 : first
    const failed = failures.filter(([each]) => each === status).map(([, place]) => this.#atOnce.tasks[place]!)
    return { count: null, status, failed: failed.toSorted() }
  }

  async #placesOf(condition: string, as: Caller): Promise<readonly number[]> {
    const where = encodeURIComponent(`project = "${this.#oneByOne.project}" AND (${condition})`)
    const { body, text } = await this.#service.send(`GET /api/v2/tasks?limit=100&where=${where}`, {
      as,
      fixtures: this.#people,
    })
    assert(body.data !== undefined, text)
    return body.data.map(({ id }: { id: string }) => this.#oneByOne.tasks.indexOf(id))
  }

  async #writeOne({ as, action, input }: Write, id: string): Promise<number> {
    const line =
      action === 'update'
        ? `PATCH /api/v2/tasks/${id}`
        : action === 'delete'
          ? `DELETE /api/v2/tasks/${id}`
          : `POST /api/v2/tasks/${id}/${action}`
    const { status } = await this.#service.send(line, {
      as,
      fixtures: this.#people,
      body: action === 'delete' ? undefined : input,
    })
    return status
  }

  async #writeAll(write: Write, dryRun: boolean): Promise<Outcome> {
    const { which } = write
    const names =
      typeof which === 'string'
        ? { where: `project = "${this.#atOnce.project}" AND (${which})` }
        : { ids: which.map((place) => this.#atOnce.tasks[place]!) }
    return write.face === 'rest' ? this.#rest(write, names, dryRun) : this.#graphql(write, names, dryRun)
  }

  async #rest(
    { as, action, input }: Write,
    names: { where: string } | { ids: readonly string[] },
    dryRun: boolean,
  ): Promise<Outcome> {
    const isInQuery = action === 'delete' || (action === 'update' && 'where' in names)
    const parameters = new URLSearchParams({
      ...(isInQuery ? mapped(names) : {}),
      ...(dryRun ? { dry_run: 'true' } : {}),
    })
    const method = action === 'update' ? 'PATCH' : action === 'delete' ? 'DELETE' : 'POST'
    const path = `/api/v2/tasks${method === 'POST' ? `/${action}` : ''}?${parameters}`
    const sent =
      method === 'POST'
        ? { ...names, ...(action === 'start' ? {} : { input }) }
        : isInQuery
          ? input
          : { ...input, ...names }
    const { status, body } = await this.#service.send(`${method} ${path}`, {
      as,
      fixtures: this.#people,
      body: method === 'DELETE' ? undefined : sent,
    })
    if (status === 200) return { count: Object.values(body.meta)[0] as number, status, failed: [] }
    return { count: null, status, failed: failedOf(body.error.details, names) }
  }

  async #graphql(
    { as, action, input }: Write,
    names: { where: string } | { ids: readonly string[] },
    dryRun: boolean,
  ): Promise<Outcome> {
    const field = action === 'update' ? 'updateTasksWhere' : `${action}Tasks`
    const { tag_ids: tagIds, project_id: projectId, ...same } = input
    const set = {
      ...same,
      ...(tagIds === undefined ? {} : { tagIds }),
      ...(projectId === undefined ? {} : { projectId }),
    }
    const which = 'where' in names ? { whereText: names.where } : names
    const variables = {
      input: {
        ...which,
        dryRun,
        ...(action === 'update' || (action !== 'delete' && action !== 'start') ? { set } : {}),
      },
    }
    const type = `${field[0]!.toUpperCase()}${field.slice(1)}Input`
    const { body } = await this.#service.graphql(
      `mutation ($input: ${type}!) { done: ${field}(input: $input) { count } }`,
      {
        as,
        fixtures: this.#people,
        variables,
      },
    )
    if (body.data?.done != null) return { count: body.data.done.count, status: 200, failed: [] }
    const { code, details } = body.errors[0].extensions
    return { count: null, status: statusOf[code as keyof typeof statusOf] ?? 0, failed: failedOf(details, names) }
  }

  /** All that is stored of a group, and all that was told of it, with places for ids. */
  async #rows({ project, tasks }: Group): Promise<readonly string[]> {
    const { model, store, engine } = this.#service
    const all = [project, ...tasks]
    const list = all.map((_, at) => (engine === 'sqlite' ? `?${at + 1}` : `$${at + 1}`)).join(', ')
    const tags = model.byName.get('Task')!.relations.get('tags')!
    assert(tags.kind === 'manyToMany')
    const projectColumns = model.byName.get('Project')!.columns.map(({ name }) => name)
    const statements = [
      `select * from tasks where id in (${list})`,
      // How often its numbers changed is less: they are written once.
      `select ${['version', ...projectColumns].join(', ')} from projects where id in (${list})`,
      `select * from comments where task_id in (${list})`,
      `select name, record_id from duet_event where record_id in (${list})`,
      `select * from ${tags.link.table} where source_id in (${list}) or target_id in (${list})`,
    ]
    const rows: StoredRow[] = []
    for (const each of statements) rows.push(...(await store.read(rowsOf(each, all))))
    const plain = rows.map((row) =>
      JSON.stringify(row, (_, value) => {
        if (typeof value === 'bigint') return String(value)
        if (typeof value !== 'string') return value
        const place = all.indexOf(value)
        return place >= 0
          ? place
          : /^cmt_/.test(value)
            ? 'comment'
            : /^20\d\d-\d\d-\d\d[T ]/.test(value)
              ? 'moment'
              : value
      }),
    )
    return plain.toSorted()
  }
}

function* rowsOf(sql: string, values: readonly string[]): Program<readonly StoredRow[]> {
  return yield bind(query(sql), ...values)
}

const mapped = (names: object): Record<string, string> =>
  Object.fromEntries(Object.entries(names).map(([name, value]) => [name, String(value)]))

/** What a condition found is told by its id, what an id names by its place. */
function failedOf(
  details: readonly { readonly field: string }[] | undefined,
  names: { where: string } | { ids: readonly string[] },
): readonly string[] {
  const fields = (details ?? []).map(({ field }) => field)
  const ids =
    'where' in names
      ? fields.map((field) => field.split('.')[0]!)
      : fields.map((field) => names.ids[Number(/\d+/.exec(field)?.[0])]!)
  return [...new Set(ids)].toSorted()
}

const statusOf = { UNAUTHENTICATED: 401, FORBIDDEN: 403, NOT_FOUND: 404, CONFLICT: 409, BUSINESS_RULE_VIOLATION: 422 }
const titles = ['a', 'b', 'fixed']

function makeTasks(random: Random): readonly Members[] {
  return Array.from({ length: 2 + random.below(5) }, () => ({
    title: random.chance(0.1) ? 'fixed' : random.one(['a', 'b']),
    owner: random.chance(0.6) ? 'ann' : 'bob',
    status: random.one(['open', 'open', 'doing', 'doing', 'done']),
    points: random.below(5),
    result: random.chance(0.5) ? null : random.one(['x', 'y']),
    comments: random.below(3),
  }))
}

async function insert(
  service: TestService,
  tasks: readonly Members[],
  ids: Readonly<Record<string, string>>,
): Promise<Group> {
  const recipes: Record<string, Recipe> = { project: { Project: { name: 'P' } } }
  for (const [place, { comments, owner, ...values }] of tasks.entries()) {
    recipes[`task ${place}`] = { Task: { ...values, owner: ids[owner as string], project: '{project}' } }
    for (let number = 0; number < (comments as number); number++)
      recipes[`comment ${place} ${number}`] = {
        Comment: { task: `{task ${place}}`, author: ids['bob'], body: number === 0 ? 'x' : 'y' },
      }
  }
  const fixtures = service.fixtures(recipes)
  for (const name of Object.keys(recipes)) await fixtures.idOf(name)
  return {
    project: await fixtures.idOf('project'),
    tasks: await Promise.all(tasks.map((_, place) => fixtures.idOf(`task ${place}`))),
  }
}

function makeWrite(random: Random, ids: Readonly<Record<string, string>>): Write {
  const action = random.one(actions)
  const which = random.chance(0.7) ? makeCondition(random, ids, 2) : random.some([0, 1], 2)
  // By ids, updates of GraphQL answer records instead of their number.
  const face = random.chance(0.5) && !(action === 'update' && typeof which !== 'string') ? 'graphql' : 'rest'
  return { as: random.one(callers), action, input: makeInput(random, action, ids), face, which }
}

function makeInput(random: Random, action: Write['action'], { red, blue }: Readonly<Record<string, string>>): Members {
  if (action === 'finish' || action === 'discuss')
    return random.chance(0.7) ? { result: random.one(['x', 'done']) } : {}
  if (action !== 'update') return {}
  const all = {
    title: random.one(['a', 'fixed']),
    points: random.below(5),
    project_id: null,
    price: '1.50',
    tag_ids: random.some([red, blue], 2),
  }
  return Object.fromEntries(random.some(Object.entries(all), 3))
}

function makeCondition(random: Random, ids: Readonly<Record<string, string>>, depth: number): string {
  if (depth > 0 && random.chance(0.5)) {
    const [left, right] = [makeCondition(random, ids, depth - 1), makeCondition(random, ids, depth - 1)]
    return random.one([`(${left}) AND (${right})`, `(${left}) OR (${right})`, `NOT (${left})`])
  }
  return random.one([
    `points ${random.one(['<', '>=', '!='])} ${random.below(5)}`,
    `status = "${random.one(['open', 'doing', 'done'])}"`,
    `status IN ("open", "doing")`,
    `title = "${random.one(titles)}"`,
    `owner = "${ids[random.one(['ann', 'bob'])]}"`,
    'result = null',
    `some(comments, body = "${random.one(['x', 'y'])}")`,
  ])
}
