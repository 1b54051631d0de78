// Writes of many records: all or none, moves of many, and their names in GraphQL. (13.7)

import { Untestable } from '../../kit/answer.ts'
import type { Define, Scene } from '../../kit/clause.ts'
import { camel } from '../../kit/kit.ts'
import { idsOf } from '../../kit/page.ts'

/** Records of this test, and a condition that holds for them alone. */
async function ownRecords({ kit, subject }: Scene, count: number) {
  const { field } = subject.profile.text!
  const mark = kit.unique()
  const made = await subject.makeMany(count, (at) => ({ [field]: `${mark} ${at}` }))
  const condition = `startsWith(${field}, "${mark}")`
  return { made, mark, condition, where: `where=${encodeURIComponent(condition)}` }
}

/** A move that a new record can make. */
function firstMove({ subject }: Scene): string {
  const [move] =
    Object.entries(subject.profile.moves!).find(([, { first, as }]) => first === true && as === undefined) ?? []
  if (move === undefined) throw new Untestable('no move of the profile is a first one of the creator')
  return move
}

export function defineWritesByCondition(define: Define): void {
  define('13.7.2', ['where', 'text', 'updateMany', 'other', 'readers'], async (scene) => {
    const { kit, subject } = scene
    const { field, max } = subject.profile.text!
    const { made, where } = await ownRecords(scene, 2)
    const body = { [field]: 'x'.repeat(max + 1) }
    ;(await kit.send(`PATCH ${subject.path}?${where}`, { as: subject.creator, body })).fails(400)
    for (const { target, record } of made) {
      const read = (await kit.send(`GET ${target}`, { as: subject.creator })).is(200)
      read.has(field, read.data[field], record[field])
    }
  })

  define('13.7.6', ['where', 'text', 'delete', 'updateMany', 'graphql'], async (scene) => {
    const { kit, subject } = scene
    const { field } = subject.profile.text!
    const { mark } = await ownRecords(scene, 2)
    const plural = subject.plural
    const as = subject.creator
    const run = async (mutation: string) =>
      (await kit.graphql(`mutation { x: ${mutation} { count } }`, undefined, { as })).succeeds()
    const where = `where: { ${subject.field(field)}: { startsWith: "${mark}" } }`
    const dry = await run(`delete${plural}(input: { ${where}, dryRun: true })`)
    dry.has('count', dry.data.x.count, 2)
    const set = `set: { ${subject.field(field)}: "${mark} changed" }`
    const changed = await run(`update${plural}Where(input: { ${where}, ${set} })`)
    changed.has('count', changed.data.x.count, 2)
    const deleted = await run(`delete${plural}(input: { ${where} })`)
    deleted.has('count', deleted.data.x.count, 2)
  })

  define('13.7.7', ['firstMove', 'where', 'text', 'updateMany'], async (scene) => {
    const { kit, subject } = scene
    const move = firstMove(scene)
    const { made, condition } = await ownRecords(scene, 2)
    const ids = made.map(({ id }) => id)
    const as = subject.creator
    const byIds = await kit.send(`POST ${subject.path}/${move}`, { as, body: { ids: [ids[0]] } })
    byIds.is(200).has('ids', idsOf(byIds), [ids[0]])
    const other = await ownRecords(scene, 2)
    const answer = await kit.send(`POST ${subject.path}/${move}`, { as, body: { where: other.condition } })
    answer.is(200).has('body', answer.json, { meta: { updated: 2 } })
    const again = await kit.send(`POST ${subject.path}/${move}`, { as, body: { where: condition, ids } })
    again.fails(400, 'VALIDATION_ERROR')
  })

  define('13.7.10', ['firstMove', 'where', 'text', 'updateMany'], async (scene) => {
    const { kit, subject } = scene
    const move = firstMove(scene)
    const { condition } = await ownRecords(scene, 2)
    const headers = { 'X-Idempotency-Key': kit.unique() }
    const body = { where: condition }
    for (const _ of [1, 2]) {
      const answer = await kit.send(`POST ${subject.path}/${move}`, { as: subject.creator, body, headers })
      answer.is(200).has('body', answer.json, { meta: { updated: 2 } })
    }
  })

  define('4.5.12', ['moment', 'graphql'], async ({ kit, subject }) => {
    const { move, field } = subject.profile.moment!
    const { target, id } = await subject.make()
    const moved = (await kit.send(`POST ${target}/${move}`, { as: subject.creator })).is(200)
    moved.has(field, moved.data[field], moved.data.updated_at)
    const query = `{ x: ${subject.one}(id: "${id}") { ${camel(field)} } }`
    const graphql = (await kit.graphql(query, undefined, { as: subject.creator })).succeeds()
    graphql.has(field, graphql.data.x[camel(field)], moved.data[field])
  })
}
