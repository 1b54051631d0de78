// Trees: records above and below each other. (10.3)

import type { Define, Scene } from '../../kit/clause.ts'
import { camel } from '../../kit/kit.ts'

/** Records, each below the one before it. */
async function chain({ subject }: Scene, count: number) {
  const records = [await subject.make()]
  while (records.length < count) records.push(await subject.make({ [subject.profile.tree!]: records.at(-1)!.id }))
  return records
}

const move = ({ kit, subject }: Scene, target: string, to: string | null) =>
  kit.send(`PATCH ${target}`, { as: subject.creator, body: { [subject.profile.tree!]: to } })

export function defineTrees(define: Define): void {
  define('10.3.1', ['tree', 'change'], async (scene) => {
    const field = scene.subject.profile.tree!
    const [top, middle, low] = await chain(scene, 3)
    top!.answer.has(field, top!.record[field], null)
    for (const below of [top, middle, low]) (await move(scene, top!.target, below!.id)).fails(422).names(field)
    // Of two moves that would make a ring together, one at most succeeds.
    const [one, other] = [await scene.subject.make(), await scene.subject.make()]
    const answers = await Promise.all([move(scene, one.target, other.id), move(scene, other.target, one.id)])
    answers[0]!.has('moves', answers.filter(({ status }) => status === 200).length, 1)
  })

  define('10.3.2', ['tree', 'change'], async (scene) => {
    const { kit, subject } = scene
    const [top, middle, low] = await chain(scene, 3)
    const before = (await kit.send(`GET ${low!.target}`, { as: subject.creator })).is(200)
    ;(await move(scene, middle!.target, null)).is(200)
    const after = (await kit.send(`GET ${low!.target}`, { as: subject.creator })).is(200)
    after.has('the record below', after.data, before.data).has('ETag', after.headers.etag, before.headers.etag)
    ;(await move(scene, top!.target, low!.id)).is(200)
  })

  define('10.3.3', ['tree'], async (scene) => {
    const { kit, subject } = scene
    const records = await chain(scene, 32)
    const body = { ...(await subject.input()), [subject.profile.tree!]: records.at(-1)!.id }
    ;(await kit.send(`POST ${subject.path}`, { as: subject.creator, body })).fails(422).names(subject.profile.tree!)
  })

  define('10.3.4', ['tree', 'delete'], async (scene) => {
    const { kit, subject } = scene
    const [top, , low] = await chain(scene, 3)
    const deleted = await kit.send(`DELETE ${top!.target}`, { as: subject.creator })
    deleted.is(204, 422)
    const read = await kit.send(`GET ${low!.target}`, { as: subject.creator })
    read.is(deleted.status === 204 ? 404 : 200)
  })

  define('10.3.6', ['tree', 'where', 'graphql'], async (scene) => {
    const { kit, subject } = scene
    const [top, middle, low] = await chain(scene, 3)
    const name = subject.profile.tree!.replace(/_id$/, '')
    const target = `GET ${subject.path}?where=${encodeURIComponent(`below(${name}, "${top!.id}")`)}`
    const answer = (await kit.send(target, { as: subject.creator })).is(200)
    const ids = (records: readonly { id: string }[]) => records.map(({ id }) => id).toSorted()
    answer.has('ids', ids(answer.data), [middle!.id, low!.id].toSorted())
    const query = `{ x: ${subject.list}(where: { ${camel(name)}: { below: "${top!.id}" } }) { id } }`
    const graphql = (await kit.graphql(query, undefined, { as: subject.creator })).succeeds()
    graphql.has('ids', ids(graphql.data.x), [middle!.id, low!.id].toSorted())
  })
}
