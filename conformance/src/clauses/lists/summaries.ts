// Summaries: groups, their order and pages, time zones, exact sums. (12.2)

import { Untestable } from '../../kit/answer.ts'
import type { Define, Scene } from '../../kit/clause.ts'

/** Asks for the summary of records with this value, which no other test has. */
const summaryOf =
  ({ kit, subject }: Scene, value: string) =>
  (parameters: string, as: string | null = subject.creator) =>
    kit.send(`GET ${subject.path}/summary?${subject.profile.summary}=${value}&${parameters}`, { as })

export function defineSummaries(define: Define): void {
  defineGroups(define)
  defineNumbers(define)
  defineMoments(define)
}

function defineGroups(define: Define): void {
  define('12.2.23', ['summary', 'summaryValue'], async (scene) => {
    const { kit, subject } = scene
    const value = kit.unique()
    const by = subject.profile.summary!
    await subject.makeMany(2, () => ({ [by]: value }))
    const answer = (await summaryOf(scene, value)(`group_by=${by}`)).is(200)
    answer.has('groups', answer.data.length, 1).has('count', answer.data[0].count, 2).has(by, answer.data[0][by], value)
    const none = (await summaryOf(scene, `${value}x`)(`group_by=${by}`)).is(200)
    none.has('groups', none.data, [])
    const whole = (await summaryOf(scene, `${value}x`)('')).is(200)
    whole.has('the count of nothing', whole.data[0].count, 0)
  })

  define('12.2.21', ['summary'], async ({ kit, subject }) => {
    const by = subject.profile.summary
    for (const groups of ['no_such_field', `${by},${by}`, `${by}:month`])
      (await kit.send(`GET ${subject.path}/summary?group_by=${groups}`, { as: subject.creator }))
        .fails(400)
        .names('group_by')
  })

  define('12.2.22', ['summary', 'hidden', 'narrow'], async ({ kit, subject }) => {
    const narrowed = await subject.narrowed()
    await subject.make()
    const count = async (as: string | null) => {
      const answer = (await kit.send(`GET ${subject.path}/summary?${narrowed}`, { as })).is(200)
      const list = (await kit.send(`GET ${subject.path}?${narrowed}&page=1`, { as })).is(200)
      return { answer, total: list.json.meta.total as number, count: answer.data[0].count as number }
    }
    // Other tests create and delete records of this run: hidden records are never counted for other accounts.
    const mine = await count(subject.creator)
    mine.answer.require(mine.count > 0, 'a count', '0')
    const before = await count(subject.profile.other!)
    await subject.makeMany(3)
    const after = await count(subject.profile.other!)
    after.answer.require(after.count < before.count + 3, 'no hidden record in the count', String(after.count))
  })

  define('12.2.27', ['summary', 'summaryGroup', 'summaryValue'], async (scene) => {
    const { kit, subject } = scene
    const value = kit.unique()
    const { field, values } = subject.profile.summaryGroup!
    await subject.makeMany(values.length, (at) => ({
      [subject.profile.summary!]: value,
      [field]: values.toReversed()[at],
    }))
    const ask = summaryOf(scene, value)
    const groups = async (sort: string) => {
      const answer = (await ask(`group_by=${field}${sort}`)).is(200)
      return [answer, answer.data.map((each: Record<string, unknown>) => each[field])] as const
    }
    for (const [sort, expected] of [
      ['', values],
      [`&sort=-${field}`, values.toReversed()],
      [`&sort=count,${field}`, values],
    ] as const) {
      const [answer, names] = await groups(sort)
      answer.has('groups', names, expected)
    }
    ;(await ask(`group_by=${field}&sort=no_such_field`)).fails(400).names('sort')
  })

  define('12.2.28', ['summary', 'summaryGroup', 'summaryValue'], async (scene) => {
    const { kit, subject } = scene
    const value = kit.unique()
    const { field, values } = subject.profile.summaryGroup!
    await subject.makeMany(2, (at) => ({ [subject.profile.summary!]: value, [field]: values[at] }))
    const ask = summaryOf(scene, value)
    const first = (await ask(`group_by=${field}&limit=1`)).is(200)
    first.has('groups', first.data.length, 1)
    const cursor = `cursor=${encodeURIComponent(first.json.meta.next_cursor)}`
    const second = (await ask(`group_by=${field}&limit=1&${cursor}`)).is(200)
    second.has(field, second.data[0][field], values[1]).has('next_cursor', second.json.meta.next_cursor, null)
    ;(await ask(`group_by=${field}&sort=-${field}&limit=1&${cursor}`)).fails(400, 'VALIDATION_ERROR')
  })

  define('12.2.29', ['summary', 'where', 'text', 'summaryValue'], async (scene) => {
    const { kit, subject } = scene
    const { field } = subject.profile.text!
    const mark = kit.unique()
    const value = kit.unique()
    await subject.makeMany(3, (at) => ({ [subject.profile.summary!]: value, [field]: `${mark} ${at}` }))
    const ask = summaryOf(scene, value)
    const where = (text: string) => ask(`where=${encodeURIComponent(text)}`)
    const two = (await where(`startsWith(${field}, "${mark}") AND ${field} != "${mark} 0"`)).is(200)
    two.has('count', two.data[0].count, 2)
    ;(await where('no_such_field = 1')).fails(400).names('where')
    if (subject.profile.search !== true) return
    const found = (await ask(`q=${mark}`)).is(200)
    found.has('count', found.data[0].count, 3)
  })

  define('12.2.37', ['groupPath', 'graphql'], async ({ kit, subject }) => {
    const path = subject.profile.groupPath!
    await subject.make()
    const answer = (await kit.send(`GET ${subject.path}/summary?group_by=${path}`, { as: subject.creator })).is(200)
    answer.require(Object.hasOwn(answer.data[0], path), path, Object.keys(answer.data[0]).join(', '))
    const query = `{ x: ${subject.one}Summary(groupBy: [${path.toUpperCase()}]) { nodes { count ${subject.field(path)} } } }`
    const graphql = (await kit.graphql(query, undefined, { as: subject.creator })).succeeds()
    const name = subject.field(path)
    const isNamed = graphql.data.x.nodes.every((each: object) => Object.hasOwn(each, name))
    graphql.require(isNamed && graphql.data.x.nodes.length > 0, `groups with ${name}`, graphql.text)
  })

  define('12.2.31', ['summary', 'maxAge', 'readers'], async ({ kit, subject }) => {
    const target = `GET ${subject.path}/summary?group_by=${subject.profile.summary}&limit=1`
    const answer = (await kit.send(target)).is(200)
    answer.has('Cache-Control', answer.headers['cache-control'], `public, max-age=${subject.profile.maxAge}`)
  })
}

function defineNumbers(define: Define): void {
  define('12.2.20', ['summary', 'integer', 'summaryValue'], async (scene) => {
    const { kit, subject } = scene
    const value = kit.unique()
    const { field } = subject.profile.integer!
    await subject.makeMany(2, (at) => ({ [subject.profile.summary!]: value, [field]: 10 + at }))
    const answer = (await summaryOf(scene, value)('')).is(200)
    answer.has('count', answer.data[0].count, 2).has(`the sum of ${field}`, answer.data[0].sum[field], '21')
  })

  define('12.2.25', ['summary', 'integer', 'summaryValue'], async (scene) => {
    const { kit, subject } = scene
    const value = kit.unique()
    const { field } = subject.profile.integer!
    await subject.makeMany(3, () => ({ [subject.profile.summary!]: value, [field]: 2_147_483_647 }))
    const answer = (await summaryOf(scene, value)('')).is(200)
    answer.has(`the sum of ${field}`, answer.data[0].sum[field], '6442450941')
    const none = (await summaryOf(scene, `${value}x`)('')).is(200)
    none.has('the sum of nothing', none.data[0].sum[field], null)
  })

  define('12.2.26', ['summary', 'integer', 'summaryValue'], async (scene) => {
    const { kit, subject } = scene
    const value = kit.unique()
    const { field } = subject.profile.integer!
    await subject.makeMany(3, (at) => ({ [subject.profile.summary!]: value, [field]: [1, 1, 3][at] }))
    const [group] = (await summaryOf(scene, value)('')).is(200).data
    const answer = await summaryOf(scene, value)('')
    answer.has(`the average of ${field}`, group.avg[field], '1.666667')
    answer.has(`the minimum of ${field}`, group.min[field], 1).has(`the maximum of ${field}`, group.max[field], 3)
  })
}

function defineMoments(define: Define): void {
  define('12.2.24', ['groupMoment', 'narrow'], async ({ kit, subject }) => {
    const field = subject.profile.groupMoment!
    const { record } = await subject.make()
    const moment = record[field] as string
    for (const [unit, form] of [
      ['year', /^\d{4}$/],
      ['quarter', /^\d{4}-Q[1-4]$/],
      ['month', /^\d{4}-\d\d$/],
      ['week', /^\d{4}-W\d\d$/],
      ['day', /^\d{4}-\d\d-\d\d$/],
      ['hour', /^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/],
    ] as const) {
      const target = `GET ${subject.path}/summary?${await subject.narrowed()}&group_by=${field}:${unit}`
      const answer = (await kit.send(target, { as: subject.creator })).is(200)
      const names = answer.data.map((each: Record<string, string>) => each[field])
      for (const name of names) answer.matches(`a ${unit}`, name, form)
      if (unit === 'day') answer.require(names.includes(moment.slice(0, 10)), moment.slice(0, 10), names.join(', '))
    }
    const plain = `GET ${subject.path}/summary?${await subject.narrowed()}&group_by=${field}`
    const byDay = (await kit.send(plain, { as: subject.creator })).is(200)
    for (const each of byDay.data) byDay.matches('a group without a unit', each[field], /^\d{4}-\d\d-\d\d$/)
  })

  define('12.2.39', ['groupMoment', 'narrow'], async ({ kit, subject }) => {
    const field = subject.profile.groupMoment!
    const { record } = await subject.make()
    const ask = async (zone: string) => {
      const target = `GET ${subject.path}/summary?${await subject.narrowed()}&group_by=${field}:day&time_zone=${zone}`
      return kit.send(target, { as: subject.creator })
    }
    for (const zone of ['Pacific/Kiritimati', 'pacific/kiritimati', 'UTC', 'America/New_York']) {
      const answer = (await ask(encodeURIComponent(zone))).is(200)
      const day = new Date(record[field]).toLocaleDateString('sv-SE', { timeZone: zone })
      const names = answer.data.map((each: Record<string, string>) => each[field])
      answer.require(names.includes(day), day, names.join(', '))
    }
    for (const wrong of ['IST', 'Europe/Nowhere', '']) (await ask(wrong)).fails(400).names('time_zone')
  })

  define('12.2.38', ['groupList', 'links'], async ({ kit, subject }) => {
    const { path, field } = subject.profile.groupList!
    const { field: links, resource } = subject.profile.links!
    const others = await kit.subject(resource).makeMany(2)
    const { target } = await subject.make()
    if (subject.profile.narrow === undefined) throw new Untestable('no filter leaves the records of this run')
    const body = { [links]: others.map(({ id }) => id) }
    ;(await kit.send(`PATCH ${target}`, { as: subject.creator, body })).is(200)
    const summary = `GET ${subject.path}/summary?${await subject.narrowed()}&group_by=${path}&limit=100`
    const answer = (await kit.send(summary, { as: subject.creator })).is(200)
    for (const { record } of others) {
      const group = answer.data.find((each: Record<string, unknown>) => each[path] === record[field])
      answer.has(`the count of ${record[field]}`, group?.count, 1)
    }
  })
}
