// Numbers that a record keeps of the records in its list. (13.2)

import { type Answer, Untestable } from '../../kit/answer.ts'
import type { Define, Scene } from '../../kit/clause.ts'
import type { Subject } from '../../kit/kit.ts'
import { camel } from '../../kit/kit.ts'

const listed = ({ kit, subject }: Scene): Subject => kit.subject(subject.profile.kept!.resource)
const read = ({ kit, subject }: Scene, target: string, headers = {}): Promise<Answer> =>
  kit.send(`GET ${target}`, { as: subject.creator, headers })
const add = (scene: Scene, id: string) => listed(scene).make({ [scene.subject.profile.kept!.relation]: id })

export function defineKeptNumbers(define: Define): void {
  define('13.2.1', ['kept', 'change', 'graphql'], async (scene) => {
    const { kit, subject } = scene
    const { field } = subject.profile.kept!
    const { id, target, record, answer } = await subject.make()
    answer.has(field, record[field], 0)
    const query = `{ x: ${subject.one}(id: "${id}") { ${camel(field)} } }`
    const graphql = (await kit.graphql(query, undefined, { as: subject.creator })).succeeds()
    graphql.has(field, graphql.data.x[camel(field)], 0)
    const body = { ...(await kit.fill(subject.profile.change!)), [field]: 7 }
    ;(await kit.send(`PATCH ${target}`, { as: subject.creator, body })).fails(400).names(field)
  })

  define('13.2.2', ['kept'], async (scene) => {
    const { kit, subject } = scene
    const { field } = subject.profile.kept!
    const { id, target } = await subject.make()
    const [first] = [await add(scene, id), await add(scene, id)]
    const two = (await read(scene, target)).is(200)
    two.has(field, two.data[field], 2)
    ;(await kit.send(`DELETE ${first.target}`, { as: listed(scene).creator })).is(204)
    const one = (await read(scene, target)).is(200)
    one.has(field, one.data[field], 1)
  })

  define('13.2.3', ['kept', 'other', 'openable'], async (scene) => {
    const { kit, subject } = scene
    const { field } = subject.profile.kept!
    const { id, target } = await subject.make()
    await add(scene, id)
    for (const as of [subject.creator, subject.profile.other!]) {
      const answer = (await kit.send(`GET ${target}`, { as })).is(200)
      answer.has(field, answer.data[field], 1)
    }
  })

  define('13.2.4', ['kept'], async (scene) => {
    const { field } = scene.subject.profile.kept!
    const { id, target } = await scene.subject.make()
    await Promise.all(Array.from({ length: 20 }, () => add(scene, id)))
    const answer = (await read(scene, target)).is(200)
    answer.has(field, answer.data[field], 20)
  })

  define('13.2.6', ['kept', 'change'], async (scene) => {
    const { kit, subject } = scene
    const { id, target, record } = await subject.make()
    const before = (await read(scene, target)).is(200)
    await add(scene, id)
    const after = (await read(scene, target, { 'If-None-Match': before.headers.etag! })).is(200)
    after.has('updated_at', after.data.updated_at, record.updated_at)
    const version = ({ headers }: Answer) => /^"(\d+)/.exec(headers.etag ?? '')?.[1]
    after.has('the version', version(after), version(before))
    const body = await kit.fill(subject.profile.change!)
    const headers = { 'If-Match': before.headers.etag! }
    ;(await kit.send(`PATCH ${target}`, { as: subject.creator, body, headers })).is(200)
  })

  define('13.2.7', ['kept', 'sort', 'narrow'], async (scene) => {
    const { kit, subject } = scene
    const { field } = subject.profile.kept!
    if (!subject.profile.sort!.includes(field)) throw new Untestable(`lists are not sorted by ${field}`)
    const [one, two] = [await subject.make(), await subject.make()]
    await add(scene, two.id)
    const list = `GET ${subject.path}?${await subject.narrowed()}&limit=100&sort=${field}`
    const answer = (await kit.send(list, { as: subject.creator })).is(200)
    const counts = answer.data.map((each: Record<string, number>) => each[field])
    answer.has(
      'the order',
      counts,
      counts.toSorted((a: number, b: number) => a - b),
    )
    const ids = answer.data.map(({ id }: { id: string }) => id)
    if (ids.includes(one.id) && ids.includes(two.id))
      answer.require(ids.indexOf(one.id) < ids.indexOf(two.id), 'fewer before more', ids.join(', '))
  })
}
