// Summaries: the same groups, numbers and pages as adding up what each reader sees, on both faces; calendar units in time zones
// whose clocks change.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BigNumber } from 'bignumber.js'
import { constant } from '../../src/resource/naming/casing.ts'
import { priorities, workshop } from '../support/domain/workshop.ts'
import { type Unit, unitName, zones } from '../support/oracle/calendar.ts'
import { questionsOf } from '../support/oracle/questions.ts'
import { createRandom, type Random } from '../support/oracle/random.ts'
import {
  type Made,
  makeWorkshop,
  mayReadTask,
  type Reader,
  seen,
  seenOfList,
  type Workshop,
} from '../support/rows/workshop.ts'
import { type TestService, withService } from '../support/server/service.ts'

interface Grouping {
  readonly path: string
  readonly unit: Unit | null
}
interface Order {
  readonly by: string
  readonly down: boolean
}
interface Question {
  readonly groups: readonly Grouping[]
  readonly orders: readonly Order[]
  readonly zone: keyof typeof zones
}
type Group = Readonly<Record<string, unknown>>

const measures = ['hours', 'units', 'cost', 'reviewer.rating', 'reviewer.team.budget']
const scales: Readonly<Record<string, number>> = { cost: 2, 'reviewer.team.budget': 4 }
const distinct = ['reviewer', 'priority', 'cost']
const relations = ['reviewer', 'owner']
const plainGroups = [
  'status',
  'priority',
  'isOpen',
  'hours',
  'cost',
  'note',
  'owner',
  'reviewer',
  'reviewer.name',
  'reviewer.team.name',
]
const listGroups = ['labels.name', 'labels.isOpen', 'labels.madeAt', 'marks.label', 'marks.label.name']
const units = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const

const snake = (path: string) => path.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll('.', '_')
const wire = (path: string) => (relations.includes(path) || path === 'marks.label' ? `${snake(path)}_id` : snake(path))
const camel = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

function ask(random: Random): Question {
  const groups = random.chance(0.1)
    ? []
    : random
        .some([...plainGroups, 'dueAt', 'dueOn', ...(random.chance(0.7) ? [random.one(listGroups)] : [])], 3)
        .map((path) => {
          if (path !== 'dueAt' && path !== 'dueOn' && path !== 'labels.madeAt') return { path, unit: null }
          return { path, unit: random.one(path === 'dueOn' ? units.slice(1) : units) }
        })
  const sorts = [...groups.map(({ path }) => path), 'count', 'sum cost', 'sum units']
  const orders = random.chance(0.4) ? [] : random.some(sorts, 2).map((by) => ({ by, down: random.chance(0.5) }))
  return {
    groups,
    orders: orders.filter(({ by }) => by === 'count' || by.startsWith('sum') || groups.some(({ path }) => path === by)),
    zone: random.one(Object.keys(zones) as (keyof typeof zones)[]),
  }
}

/** Added up by hand, in the order that is asked for; its members as REST names them. */
function expected({ groups, orders, zone }: Question, reader: Reader, all: Workshop): readonly Group[] {
  const byKey = new Map<string, { readonly keys: readonly unknown[]; readonly tasks: Made[] }>()
  for (const task of all.tasks.filter((each) => mayReadTask(each, reader))) {
    const named = (unit: Unit | null, value: unknown) =>
      unit === null || value === null ? value : unitName(unit, value as Date | string, zone)
    // In each group of its list a task counts once.
    const each = groups.map(({ path, unit }) => {
      const values = listGroups.includes(path) ? seenOfList(path, task, reader, all) : [seen(path, task, reader, all)]
      return [...new Set(values.map((value) => named(unit, value)))]
    })
    const combined = each.reduce<unknown[][]>(
      (before, own) => before.flatMap((keys) => own.map((value) => [...keys, value])),
      [[]],
    )
    for (const keys of combined) {
      const key = JSON.stringify(keys)
      const group = byKey.get(key) ?? { keys, tasks: [] }
      group.tasks.push(task)
      byKey.set(key, group)
    }
  }
  if (groups.length === 0 && byKey.size === 0) byKey.set('', { keys: [], tasks: [] })
  const found = [...byKey.values()].map(({ keys, tasks }) => ({
    ...Object.fromEntries(groups.map(({ path }, index) => [wire(path), keys[index]])),
    count: tasks.length,
    ...numbersOf(tasks, reader, all),
  }))
  const last = orders.at(-1)?.down ?? false
  const keys = [...orders, ...groups.map(({ path }) => ({ by: path, down: last }))]
  return groups.length === 0 ? found : found.toSorted((one, other) => compareGroups(one, other, keys))
}

function numbersOf(tasks: readonly Made[], reader: Reader, all: Workshop): Group {
  const of = (make: (path: string, values: readonly BigNumber[]) => unknown) =>
    Object.fromEntries(
      measures.map((path) => {
        const values = tasks.map((task) => seen(path, task, reader, all)).filter((value) => value !== null)
        const numbers = values.map((value) => new BigNumber(String(value)))
        return [wire(path), numbers.length === 0 ? null : make(path, numbers)]
      }),
    )
  const add = (values: readonly BigNumber[]) => values.reduce((sum, value) => sum.plus(value))
  const own = (path: string, value: BigNumber) => {
    if (path === 'hours' || path === 'reviewer.rating') return value.toNumber()
    return value.toFixed(scales[path] ?? 0)
  }
  return {
    sum: of((path, values) => add(values).toFixed(scales[path] ?? 0)),
    avg: of((path, values) => {
      const digits = (scales[path] ?? 0) + 6
      const Rounded = BigNumber.clone({ DECIMAL_PLACES: digits, ROUNDING_MODE: BigNumber.ROUND_HALF_EVEN })
      return new Rounded(add(values)).div(values.length).toFixed(digits)
    }),
    min: of((path, values) => own(path, BigNumber.min(...values))),
    max: of((path, values) => own(path, BigNumber.max(...values))),
    distinct: Object.fromEntries(
      distinct.map((path) => {
        const values = tasks.map((task) => seen(path, task, reader, all)).filter((value) => value !== null)
        return [wire(path), new Set(values.map(String)).size]
      }),
    ),
  }
}

function compareGroups(one: Group, other: Group, keys: readonly Order[]): number {
  for (const { by, down } of keys) {
    const order = compareValues(by, answeredBy(one, by), answeredBy(other, by))
    if (order !== 0) return down ? -order : order
  }
  return 0
}

const answeredBy = (group: Group, by: string): unknown =>
  by.startsWith('sum ') ? (group['sum'] as Group)[wire(by.slice(4))] : group[wire(by)]

function compareValues(by: string, one: unknown, other: unknown): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  if (by === 'priority') return priorities.indexOf(one as 'LOW') - priorities.indexOf(other as 'LOW')
  if (by === 'cost' || by.startsWith('sum ')) return new BigNumber(one as string).comparedTo(other as string)!
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(other as string))
  return Number(one) - Number(other)
}

const sortName = ({ by, down }: Order) =>
  `${down ? '-' : ''}${by.startsWith('sum ') ? `sum_${wire(by.slice(4))}` : by === 'count' ? by : wire(by)}`

async function restWalk(question: Question, reader: Reader, all: Workshop, service: TestService) {
  const { groups, orders, zone } = question
  const grouped = groups.map(({ path, unit }) => (unit === null ? wire(path) : `${wire(path)}:${unit}`))
  const parameters = new URLSearchParams({ round: all.round, time_zone: zone, limit: '3' })
  if (groups.length > 0) parameters.set('group_by', grouped.join())
  if (orders.length > 0) parameters.set('sort', orders.map(sortName).join())
  const page = async (cursor: string | null) => {
    const line = `GET /api/v2/tasks/summary?${parameters}${cursor === null ? '' : `&cursor=${cursor}`}`
    const { status, body, text } = await service.send(line, { as: reader.as, fixtures: all.fixtures })
    assert.equal(status, 200, text)
    return { data: body.data as Group[], meta: body.meta }
  }
  const forward: Group[] = []
  let at = await page(null)
  forward.push(...at.data)
  while (at.meta.has_next) {
    at = await page(at.meta.next_cursor)
    forward.push(...at.data)
  }
  const backward = [at.data]
  while (at.meta.prev_cursor !== null) {
    at = await page(at.meta.prev_cursor)
    backward.unshift(at.data)
  }
  return [forward, backward.flat()]
}

async function graphqlWalk(question: Question, reader: Reader, all: Workshop, service: TestService) {
  const { groups, orders, zone } = question
  const grouped = groups.map(
    ({ path, unit }) => constant(camel(wire(path))) + (unit === null ? '' : `_${unit.toUpperCase()}`),
  )
  const sort = orders.map((order) => `${constant(sortName({ ...order, down: false }))}_${order.down ? 'DESC' : 'ASC'}`)
  const numbers = measures.map((path) => camel(wire(path))).join(' ')
  const differences = distinct.map((path) => camel(wire(path))).join(' ')
  const keys = groups.map(({ path }) => camel(wire(path))).join(' ')
  const parts = `${keys} count sum { ${numbers} } avg { ${numbers} } min { ${numbers} } max { ${numbers} } distinct { ${differences} }`
  const page = async (place: string) => {
    const args = `groupBy: [${grouped.join(' ')}], sort: [${sort.join(' ')}], timeZone: "${zone}", filter: { round: "${all.round}" }, ${place}`
    const query = `{ taskSummary(${args}) { edges { cursor node { ${parts} } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`
    const { body, text } = await service.graphql(query, { as: reader.as, fixtures: all.fixtures })
    assert.equal(body.errors, undefined, text)
    const { edges, pageInfo } = body.data.taskSummary
    return { groups: edges.map(({ node }: { node: Group }) => snaked(node)) as Group[], ...pageInfo }
  }
  const forward: Group[] = []
  let at = await page('first: 4')
  forward.push(...at.groups)
  while (at.hasNextPage) {
    at = await page(`first: 4, after: "${at.endCursor}"`)
    forward.push(...at.groups)
  }
  if (groups.length === 0) return [forward]
  const backward: Group[][] = []
  at = await page('last: 2')
  backward.unshift(at.groups)
  while (at.hasPreviousPage) {
    at = await page(`last: 2, before: "${at.startCursor}"`)
    backward.unshift(at.groups)
  }
  return [forward, backward.flat()]
}

const snaked = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [snake(name), snaked(each)]))
    : value

const { questions, seed } = questionsOf(30)
withService(
  '12.2 Summaries',
  (service) => {
    test('12.2.22 groups, numbers and pages are what adding up what is seen would give', async () => {
      const random = createRandom(seed)
      const all = await makeWorkshop(service(), seed, { users: 8, tasks: 30, marks: 40 })
      for (let number = 0; number < questions; number += all.readers.length) {
        const question = ask(random)
        for (const reader of all.readers) {
          const wanted = expected(question, reader, all)
          const what = `seed ${seed}: ${JSON.stringify(question)} for ${reader.as}`
          for (const groups of await restWalk(question, reader, all, service())) assert.deepEqual(groups, wanted, what)
          for (const groups of await graphqlWalk(question, reader, all, service()))
            assert.deepEqual(groups, wanted, what)
        }
      }
      service().assertLog()
    })
  },
  { definition: workshop },
)
