// Links to other records in the input of a record. (13.1.6 to 13.1.14)

import type { Define, Scene } from '../../kit/clause.ts'
import { camel } from '../../kit/kit.ts'
import { missingId } from '../../kit/values.ts'

/** A record, and records that it can be linked with. */
async function linkable({ kit, subject }: Scene, count: number) {
  const { field, resource } = subject.profile.links!
  const made = await subject.make()
  const ids = (await kit.subject(resource).makeMany(count)).map(({ id }) => id)
  const link = (to: readonly unknown[]) =>
    kit.send(`PATCH ${made.target}`, { as: subject.creator, body: { [field]: to } })
  const read = () => kit.send(`GET ${made.target}`, { as: subject.creator })
  return { made, ids, link, read, field }
}

export function defineLinks(define: Define): void {
  define('13.1.6', ['links', 'change'], async (scene) => {
    const { kit, subject } = scene
    const { made, ids, link, field } = await linkable(scene, 3)
    const [first, second, third] = ids
    ;(await link([first, second])).is(200)
    const replaced = (await link([second, third])).is(200)
    replaced.has(field, replaced.data[field].toSorted(), [second, third].toSorted())
    const body = await kit.fill(subject.profile.change!)
    const kept = (await kit.send(`PATCH ${made.target}`, { as: subject.creator, body })).is(200)
    kept.has(field, kept.data[field].toSorted(), [second, third].toSorted())
    ;(await link([first, first])).fails(400, 'VALIDATION_ERROR')
    const none = (await link([])).is(200)
    none.has(field, none.data[field], [])
  })

  define('13.1.7', ['links', 'graphql'], async (scene) => {
    const { kit, subject } = scene
    const { made, ids, link, field, read } = await linkable(scene, 1)
    ;(await link(ids)).is(200)
    const whole = (await read()).is(200)
    whole.has(field, whole.data[field], ids)
    const chosen = (await kit.send(`GET ${made.target}?fields=id,${field}`, { as: subject.creator })).is(200)
    chosen.has('the fields', Object.keys(chosen.data).toSorted(), ['id', field].toSorted())
    const list = camel(subject.profile.links!.resource)
    const query = `{ x: ${subject.one}(id: "${made.id}") { ${list}(limit: 10) { id } } }`
    const graphql = (await kit.graphql(query, undefined, { as: subject.creator })).succeeds()
    graphql.has(list, graphql.data.x[list], [{ id: ids[0] }])
  })

  define('13.1.11', ['links'], async (scene) => {
    const { kit, subject } = scene
    const { ids, link, field } = await linkable(scene, 1)
    const missing = missingId(kit.subject(subject.profile.links!.resource))
    ;(await link([ids[0], missing])).fails(422).names(`${field}[1]`)
  })

  define('13.1.12', ['links'], async (scene) => {
    const { made, ids, link } = await linkable(scene, 1)
    const changed = (await link(ids)).is(200)
    const [before, after] = [made.answer, changed].map(({ headers }) => Number(/^"(\d+)/.exec(headers.etag ?? '')?.[1]))
    changed.require(after! > before!, `a version greater than ${before}`, String(after))
  })

  define('13.1.13', ['links'], async (scene) => {
    const { ids, link, field, read } = await linkable(scene, 3)
    ;(await link(ids)).is(200)
    const answer = (await read()).is(200)
    answer.has(field, answer.data[field], ids.toReversed())
  })

  define('13.1.14', ['links', 'change'], async (scene) => {
    const { ids, link, read } = await linkable(scene, 1)
    ;(await link([])).is(200)
    const before = (await read()).is(200)
    ;(await link(ids)).is(200)
    const after = (await read()).is(200)
    after.matches('ETag', after.headers.etag, /^"\d+\.[\w-]{8,}/)
    after.require(after.headers.etag !== before.headers.etag, 'another ETag', after.headers.etag!)
  })
}
