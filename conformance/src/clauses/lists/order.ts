// Order by values of other records, null, filters that need a permission, conditions about what is hidden. (12.1, 12.2, 4.3, 4.4)

import { Untestable } from '../../kit/answer.ts'
import type { Define } from '../../kit/clause.ts'
import { camel } from '../../kit/kit.ts'
import { idsOf, pageOf } from '../../kit/page.ts'

export function defineOrder(define: Define): void {
  define('4.3.6', ['guardedFilter', 'other'], async ({ kit, subject }) => {
    const { name, value } = subject.profile.guardedFilter!
    const list = `GET ${subject.path}?${name}=${encodeURIComponent(value)}`
    ;(await kit.send(list, { as: subject.profile.other! })).fails(403, 'FORBIDDEN')
    ;(await kit.send(list, { as: subject.creator })).is(200)
  })

  define('4.4.12', ['optional', 'sort', 'narrow', 'change'], async ({ kit, subject }) => {
    const { field, value } = subject.profile.optional!
    if (!subject.profile.sort!.includes(field)) throw new Untestable(`lists are not sorted by ${field}`)
    const [one] = await subject.makeMany(2)
    const as = subject.creator
    ;(await kit.send(`PATCH ${one!.target}`, { as, body: { [field]: value } })).is(200)
    for (const [sort, isLast] of [
      [field, true],
      [`-${field}`, false],
    ] as const) {
      const list = `GET ${subject.path}?${await subject.narrowed()}&limit=100&sort=${sort}`
      const answer = (await kit.send(list, { as })).is(200)
      const nulls: readonly boolean[] = answer.data.map((each: Record<string, unknown>) => each[field] === null)
      const sorted = nulls.toSorted((a, b) => (isLast ? Number(a) - Number(b) : Number(b) - Number(a)))
      answer.has('null in the order', nulls, sorted)
    }
  })

  define('12.1.4', ['where', 'text', 'hidden'], async ({ kit, subject }) => {
    const { field } = subject.profile.text!
    const mark = kit.unique()
    const { id } = await subject.make({ [field]: mark })
    for (const as of [subject.creator, subject.profile.other!, null])
      for (const condition of [`${field} = "${mark}"`, `startsWith(${field}, "${mark}")`]) {
        const list = `GET ${subject.path}?where=${encodeURIComponent(condition)}`
        const answer = await kit.send(list, { as })
        if (as === null && answer.status === 401) continue
        answer.is(200).has('ids', idsOf(answer), as === subject.creator ? [id] : [])
      }
  })

  define('12.1.8', ['where', 'text', 'whereList'], async ({ kit, subject }) => {
    const { path, value } = subject.profile.whereList!
    const { field } = subject.profile.text!
    const mark = kit.unique()
    const { id } = await subject.make({ [field]: mark })
    const find = async (condition: string, expected: readonly string[]) => {
      const text = `${field} = "${mark}" AND ${condition}`
      const list = `GET ${subject.path}?where=${encodeURIComponent(text)}`
      const answer = (await kit.send(list, { as: subject.creator })).is(200)
      answer.has(`what ${condition} finds`, idsOf(answer), expected)
    }
    const filled = await kit.fill(value)
    await find(`${path} : "${filled}"`, [id])
    await find(`NOT ${path} : "${filled}"`, [])
    await find(`${path} : "${kit.unique()}"`, [])
  })

  define('12.2.1', ['sortPath', 'graphql'], async ({ kit, subject }) => {
    const path = subject.profile.sortPath!
    await subject.make()
    const as = subject.creator
    for (const sort of [path, `-${path}`]) {
      const answer = (await kit.send(`GET ${subject.path}?limit=2&sort=${sort}`, { as })).is(200)
      if (answer.json.meta.next_cursor === null) continue
      const next = `limit=2&sort=${sort}&cursor=${encodeURIComponent(answer.json.meta.next_cursor)}`
      const after = (await kit.send(`GET ${subject.path}?${next}`, { as })).is(200)
      after.has(
        'records of both pages',
        idsOf(after).filter((id) => idsOf(answer).includes(id)),
        [],
      )
    }
    const name = `${path.replaceAll('.', '_').toUpperCase()}_ASC`
    const rest = await kit.send(`GET ${subject.path}?limit=5&sort=${path}`, { as })
    const query = `{ x: ${subject.list}(limit: 5, sort: [${name}]) { id } }`
    const graphql = (await kit.graphql(query, undefined, { as })).succeeds()
    graphql.has(
      'ids',
      graphql.data.x.map(({ id }: { id: string }) => id),
      idsOf(rest),
    )
  })

  define('12.2.2', ['where', 'text'], async (scene) => {
    const { made, list } = await pageOf(scene, 3)
    const answer = (await list('sort=created_at')).is(200)
    answer.has(
      'ids',
      idsOf(answer),
      made.map(({ id }) => id),
    )
    const { kit, subject } = scene
    const document = await kit.send(`GET /api/${kit.version}/openapi.json`)
    const parameters = (document.json?.paths?.[subject.path]?.get?.parameters ?? []) as readonly { name: string }[]
    const sort = parameters.find(({ name }) => name === 'sort')
    if (JSON.stringify(sort ?? {}).includes('"updated_at"')) (await list('sort=updated_at')).is(200)
  })

  define('4.8.3', ['lists', 'graphql'], async ({ kit, subject }) => {
    const { id } = await subject.make()
    const [list] = Object.keys(subject.profile.lists!)
    const ask = (parameters: string) =>
      kit.graphql(`{ x: ${subject.one}(id: "${id}") { y: ${camel(list!)}(${parameters}) { id } } }`, undefined, {
        as: subject.creator,
      })
    const answer = (await ask('limit: 100, offset: 0')).succeeds()
    answer.require(Array.isArray(answer.data.x.y), 'a list', answer.text)
    for (const wrong of ['limit: 101', 'limit: -1', 'offset: -1']) (await ask(wrong)).hasError('VALIDATION_ERROR')
  })
}
