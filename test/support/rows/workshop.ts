// The records of a workshop, made at random, and what each of its readers may see of them: worked out here in memory, by the
// rules as a person would apply them.

import { priorities } from '../domain/workshop.ts'
import { createRandom, type Random } from '../oracle/random.ts'
import type { TestService } from '../server/service.ts'
import type { Fixtures, Recipes } from './fixtures.ts'

export type Values = Readonly<Record<string, unknown>>
/** A record as it was made: its id, and the names of what it refers to. */
export interface Made extends Values {
  readonly id: string
}
/** Who reads: nobody, somebody by the name of a fixture, or a role that may do more. */
export interface Reader {
  readonly as: 'anonymous' | 'admin' | 'editor' | `{${string}}`
  readonly id: string | null
  readonly role: 'ADMIN' | 'EDITOR' | 'VIEWER' | null
}

export interface Workshop {
  readonly fixtures: Fixtures
  readonly readers: readonly Reader[]
  readonly round: string
  readonly tasks: readonly Made[]
  readonly users: ReadonlyMap<string, Made>
  readonly teams: ReadonlyMap<string, Made>
  /** Those that tasks are linked with, or that their marks name. */
  readonly labels: ReadonlyMap<string, Made>
  /** By task. */
  readonly linked: ReadonlyMap<string, readonly string[]>
  readonly marks: ReadonlyMap<string, readonly string[]>
}

const words = ['', 'a', 'A', 'b', 'ba', 'é', 'z', '\ufb00', '\u{1f600}', '"quoted"', "o'clock"]
/** Around the ends of years, months and weeks, and where clocks change. */
const moments = [
  '2024-12-29T22:59:59.999Z',
  '2024-12-29T23:00:00.000Z',
  '2025-12-31T22:59:59.999Z',
  '2025-12-31T23:00:00.000Z',
  '2026-01-01T00:00:00.000Z',
  '2026-03-08T06:59:59.999Z',
  '2026-03-08T07:00:00.000Z',
  '2026-03-29T00:59:59.999Z',
  '2026-03-29T01:00:00.000Z',
  '2026-03-31T21:59:59.999Z',
  '2026-03-31T22:00:00.000Z',
  '2026-10-25T00:30:00.000Z',
  '2026-10-25T01:30:00.000Z',
  '2026-10-31T22:30:00.000Z',
  '2026-10-31T23:00:00.000Z',
  '2026-11-01T05:30:00.000Z',
  '2026-11-01T06:30:00.000Z',
  '2027-01-03T18:29:59.999Z',
  '2027-01-03T18:30:00.000Z',
]
const days = [
  '2024-12-29',
  '2024-12-30',
  '2026-01-01',
  '2026-02-28',
  '2026-03-01',
  '2026-12-31',
  '2027-01-03',
  '2027-01-04',
]
const maybe = <T>(random: Random, value: () => T): T | null => (random.chance(0.25) ? null : value())
const amount = (random: Random, digits: number, scale: number): string => {
  const size = random.chance(0.2) ? 10 ** digits - 1 : random.below(10 ** Math.min(digits, 9))
  const text = String(size).padStart(scale + 1, '0')
  const sign = random.chance(0.3) && size !== 0 ? '-' : ''
  return `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`
}

interface Counts {
  readonly users: number
  readonly tasks: number
  /** Marks of tasks; with none, there are no labels either. */
  readonly marks?: number
}

function recipesOf(random: Random, counts: Counts): Recipes {
  const { marks = 0 } = counts
  const labels = Array.from({ length: marks === 0 ? 0 : 4 }, (_, at) => `label${at}`)
  const teams = Array.from({ length: 4 }, (_, at) => `team${at}`)
  const users = Array.from({ length: counts.users }, (_, at) => `user${at}`)
  return {
    ...Object.fromEntries(
      teams.map((name) => [
        name,
        {
          Team: {
            name: random.one(words),
            isOpen: random.chance(0.7),
            budget: maybe(random, () => amount(random, 12, 4)),
          },
        },
      ]),
    ),
    ...Object.fromEntries(
      users.map((name) => [
        name,
        {
          User: {
            name: random.one(words),
            isShown: random.chance(0.7),
            rating: maybe(random, () => random.below(5) - 2),
            team: maybe(random, () => `{${random.one(teams)}}`),
          },
        },
      ]),
    ),
    ...Object.fromEntries(
      Array.from({ length: counts.tasks }, (_, at) => [
        `task${at}`,
        {
          Task: {
            title: `Task ${at}`,
            round: '{word}',
            owner: `{${random.one(users)}}`,
            reviewer: maybe(random, () => `{${random.one(users)}}`),
            priority: random.one(priorities),
            status: random.one(['open', 'done']),
            isOpen: random.chance(0.6),
            dueAt: maybe(random, () => new Date(random.one(moments))),
            dueOn: maybe(random, () => random.one(days)),
            hours: maybe(random, () => random.below(6) - 1),
            units: maybe(random, () => BigInt(amount(random, 18, 1).replace('.', ''))),
            cost: maybe(random, () => amount(random, 6, 2)),
            note: maybe(random, () => random.one(words)),
          },
        },
      ]),
    ),
    ...Object.fromEntries(
      labels.map((name) => [name, { Label: { name: random.one(words.slice(1)), isOpen: random.chance(0.6) } }]),
    ),
    ...Object.fromEntries(
      Array.from({ length: marks }, (_, at) => [
        `mark${at}`,
        { Tagging: { task: `{task${random.below(counts.tasks)}}`, label: `{${random.one(labels)}}` } },
      ]),
    ),
  }
}

/** Labels that are linked with tasks, of which some are hidden. */
async function linkLabels(service: TestService, fixtures: Fixtures, tasks: readonly Made[], random: Random) {
  const labels = new Map<string, Made>()
  const linked = new Map<string, string[]>(tasks.map(({ id }) => [id, []]))
  for (let at = 0; at < 5; at++) {
    const own = random.some(tasks, Math.ceil(tasks.length / 2)).map(({ id }) => id)
    const isOpen = random.chance(0.6)
    const [name, madeAt] = [random.one(words.slice(1)), random.one([null, ...moments])]
    const body = { name, is_open: isOpen, made_at: madeAt, task_ids: own }
    const answer = await service.send('POST /api/v2/labels', { as: 'admin', fixtures, body })
    if (answer.status !== 201) throw new Error(answer.text)
    const id = answer.body.data.id as string
    labels.set(id, { name, isOpen, madeAt: madeAt === null ? null : new Date(madeAt), id })
    for (const task of own) linked.get(task)!.push(id)
  }
  return { labels, linked }
}

export async function makeWorkshop(service: TestService, seed: number, counts: Counts): Promise<Workshop> {
  const random = createRandom(seed)
  const recipes = recipesOf(random, counts)
  const fixtures = service.fixtures(recipes)
  const made = new Map<string, Made>()
  for (const [name, recipe] of Object.entries(recipes)) {
    const [values] = Object.values(recipe)
    const id = await fixtures.idOf(name)
    made.set(id, { ...(await fixtures.fill(values!)), id })
  }
  const of = (prefix: string) => [...made.values()].filter(({ id }) => id.startsWith(`${prefix}_`))
  const byId = (all: readonly Made[]) => new Map(all.map((each) => [each.id, each]))
  const users = of('usr')
  const readers: Reader[] = [
    { as: 'anonymous', id: null, role: null },
    { as: 'admin', id: await fixtures.fill('{admin}'), role: 'ADMIN' },
    { as: 'editor', id: await fixtures.fill('{editor}'), role: 'EDITOR' },
    ...users.slice(0, 3).map(({ id }, at) => ({ as: `{user${at}}`, id, role: 'VIEWER' }) as const),
  ]
  const round = await fixtures.fill('{word}')
  const tasks = of('task')
  const none = { labels: new Map<string, Made>(), linked: new Map<string, string[]>() }
  const { labels, linked } = counts.marks === undefined ? none : await linkLabels(service, fixtures, tasks, random)
  const marks = new Map<string, string[]>()
  for (const mark of of('tag')) {
    const task = mark['task'] as string
    marks.set(task, [...(marks.get(task) ?? []), mark['label'] as string])
  }
  const lists = { labels: new Map([...labels, ...byId(of('lbl'))]), linked, marks }
  return { fixtures, readers, round, tasks, users: byId(users), teams: byId(of('team')), ...lists }
}

const isStaff = ({ role }: Reader): boolean => role === 'ADMIN' || role === 'EDITOR'

export const mayReadTask = (task: Made, reader: Reader): boolean =>
  task['isOpen'] === true || task['owner'] === reader.id || isStaff(reader)
const mayReadUser = (user: Made, reader: Reader): boolean =>
  user['isShown'] === true || user.id === reader.id || isStaff(reader)
const mayReadTeam = (team: Made, { role }: Reader): boolean => team['isOpen'] === true || role === 'ADMIN'

/** What this reader sees at the end of a path from a task that goes through a list; null where there is nothing. */
export function seenOfList(path: string, task: Made, reader: Reader, workshop: Workshop): readonly unknown[] {
  const [list, ...rest] = path.split('.') as [string, ...string[]]
  const mayRead = (label: Made) => label['isOpen'] === true || reader.role === 'ADMIN'
  const ids = (list === 'labels' ? workshop.linked : workshop.marks).get(task.id) ?? []
  const labels = ids.map((id) => workshop.labels.get(id)!)
  const field = rest.at(-1)!
  const values =
    list === 'labels'
      ? labels.filter(mayRead).map((label) => label[field] ?? null)
      : labels.map((label) => (mayRead(label) ? (field === 'label' ? label.id : label[field]) : null))
  return values.length === 0 ? [null] : values
}

/** What this reader sees at the end of a path from a task. */
export function seen(path: string, task: Made, reader: Reader, workshop: Workshop): unknown {
  const [first, ...rest] = path.split('.') as [string, ...string[]]
  if (first === 'cost' && task['owner'] !== reader.id && !isStaff(reader)) return null
  if (first === 'note' && task['owner'] !== reader.id) return null
  const value = task[first] ?? null
  if (first !== 'reviewer' && first !== 'owner') return value
  const user = workshop.users.get(value as string)
  if (user === undefined || !mayReadUser(user, reader)) return null
  return rest.length === 0 ? user.id : seenOfUser(rest, user, reader, workshop)
}

function seenOfUser([first, ...rest]: readonly string[], user: Made, reader: Reader, { teams }: Workshop): unknown {
  if (first === 'rating' && user.id !== reader.id && reader.role !== 'ADMIN') return null
  const value = user[first!] ?? null
  if (first !== 'team') return value
  const team = teams.get(value as string)
  if (team === undefined || !mayReadTeam(team, reader)) return null
  if (rest[0] === 'budget' && reader.role !== 'ADMIN') return null
  return rest.length === 0 ? team.id : (team[rest[0]!] ?? null)
}
