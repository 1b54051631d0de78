// What no two records have together, references by key, and keys of many records. (11.2)

import { Untestable } from '../../kit/answer.ts'
import type { Define, Scene } from '../../kit/clause.ts'
import { camelCased, type Subject } from '../../kit/kit.ts'

export function defineUnique(define: Define): void {
  defineTogether(define)
  defineReferences(define)
  defineUpserts(define)
}

function defineTogether(define: Define): void {
  define('11.2.1', ['together', 'delete'], async ({ kit, subject }) => {
    const { fields } = subject.profile.together!
    const input = await subject.input()
    const first = (await subject.post(input)).is(201)
    const second = (await subject.post(input)).fails(409, 'CONFLICT')
    second.has('details', second.detailFields().toSorted(), fields.toSorted())
    ;(await kit.send(`DELETE ${subject.path}/${first.data.id}`, { as: subject.creator })).is(204)
    ;(await subject.post(input)).is(201)
  })

  define('11.2.2', ['together'], async ({ kit, subject }) => {
    const { nullable } = subject.profile.together!
    if (nullable === undefined) throw new Untestable('none of these fields may be null')
    const input = { ...(await kit.fill(subject.profile.create)), [nullable]: null }
    for (const _ of [1, 2]) (await subject.post(input)).is(201)
  })

  define('11.2.4', ['together', 'hidden'], async ({ kit, subject }) => {
    const input = await subject.input()
    const first = (await subject.post(input)).is(201)
    const as = subject.profile.other!
    ;(await kit.send(`GET ${subject.path}/${first.data.id}`, { as })).fails(404)
    ;(await kit.send(`POST ${subject.path}`, { as, body: input })).fails(409, 'CONFLICT')
  })

  define('11.2.5', ['folded'], async ({ kit, subject }) => {
    const field = subject.profile.folded!
    const mark = kit.unique()
    const { answer } = await subject.make({ [field]: `${mark} Straße` })
    answer.has(field, answer.data[field], `${mark} Straße`)
    const body = { ...(await subject.input()), [field]: `${mark.toUpperCase()} STRASSE` }
    ;(await kit.send(`POST ${subject.path}`, { as: subject.creator, body })).fails(409, 'CONFLICT').names(field)
  })
}

/** A relation to records that have a key: its field, its name, and the resource. */
function keyRelation({ kit, subject }: Scene): {
  readonly field: string
  readonly name: string
  readonly target: Subject
} {
  for (const [field, resource] of Object.entries(subject.profile.relations!)) {
    const target = kit.subject(resource)
    if (target.profile.key !== undefined) return { field, name: field.replace(/_id$/, ''), target }
  }
  throw new Untestable('no relation of the profile leads to records with a key')
}

function defineReferences(define: Define): void {
  define('11.2.12', ['relations', 'keyReference'], async (scene) => {
    const { kit, subject } = scene
    const { field, name, target } = keyRelation(scene)
    const key = target.profile.key!
    const named = await target.make()
    const { [field]: _, ...input } = await subject.input()
    const reference = { [key]: named.record[key] }
    const made = (await subject.post({ ...input, [name]: reference })).is(201)
    made.has(field, made.data[field], named.id)
    const send = (body: object) => kit.send(`POST ${subject.path}`, { as: subject.creator, body })
    ;(await send({ ...input, [field]: named.id, [name]: reference })).fails(400, 'VALIDATION_ERROR')
    ;(await send({ ...input, [name]: { no_such_field: 'x' } })).fails(400, 'VALIDATION_ERROR')
    const missing = (await send({ ...input, [name]: { [key]: kit.unique() } })).fails(422)
    missing.require(
      missing.detailFields().some((each) => each === name || each === field),
      name,
      missing.text,
    )
  })
}

function defineUpserts(define: Define): void {
  const upsert = async ({ kit, subject }: Scene, bodies: readonly object[], headers = {}) => {
    const body = { [subject.profile.path.replaceAll('-', '_')]: bodies }
    kit.journal.begin(subject.path, bodies)
    return kit.send(`POST ${subject.path}/batch?by=${subject.profile.key}`, { as: subject.creator, body, headers })
  }

  define('11.2.26', ['key', 'batch', 'graphql'], async (scene) => {
    const { kit, subject } = scene
    const { id, record } = await subject.make()
    const key = subject.profile.key!
    const existing = { ...(await subject.input()), [key]: record[key] }
    const bodies = [await subject.input(), existing]
    const headers = { 'X-Idempotency-Key': kit.unique() }
    const answer = (await upsert(scene, bodies, headers)).is(200)
    answer.has('meta', answer.json.meta, { created: 1, updated: 1 }).has('the second', answer.data[1].id, id)
    subject.enter(answer.data[0].id)
    const again = (await upsert(scene, bodies, headers)).is(200)
    again.has('meta', again.json.meta, { created: 1, updated: 1 })
    const { [key]: _, ...input } = existing
    const list = subject.field(subject.profile.path)
    const query = `mutation ($input: Upsert${subject.plural}Input!) { x: upsert${subject.plural}(input: $input) { id } }`
    const variables = {
      input: { [list]: [{ by: { [subject.field(key)]: record[key] }, input: camelCased(input) }] },
    }
    const graphql = await kit.graphql(query, variables, { as: subject.creator })
    graphql.require(JSON.stringify(graphql.data ?? {}).includes(id), `the id ${id}`, graphql.text)
  })

  define('11.2.27', ['key', 'batch'], async (scene) => {
    const { subject } = scene
    const input = await subject.input()
    ;(await upsert(scene, [input, input])).fails(400, 'VALIDATION_ERROR')
    const { [subject.profile.key!]: _, ...without } = await subject.input()
    ;(await upsert(scene, [without])).fails(400, 'VALIDATION_ERROR')
  })

  define('11.2.19', ['key'], async ({ kit, subject }) => {
    const { [subject.profile.key!]: _, ...body } = await subject.input()
    const target = `${subject.path}/by/${subject.profile.key}/${kit.unique()}`
    const put = () => kit.send(`PUT ${target}`, { as: subject.creator, body })
    const created = (await put()).is(201)
    subject.enter(created.data.id)
    const read = await kit.send(`GET ${subject.path}/${created.data.id}`, { as: subject.creator })
    read.is(200).has('ETag', read.headers.etag, created.headers.etag)
    const replaced = (await put()).is(200)
    const [before, after] = [created, replaced].map(({ headers }) => Number(/^"(\d+)/.exec(headers.etag ?? '')?.[1]))
    replaced.require(after! > before!, `a version greater than ${before}`, String(after))
  })

  define('11.2.28', ['key', 'lists'], async ({ kit, subject }) => {
    const { id, record, target } = await subject.make()
    const [[list, name]] = Object.entries(subject.profile.lists!) as [[string, string]]
    const child = kit.subject(name)
    const [relation] = Object.entries(child.profile.relations ?? {}).find(([, each]) => each === subject.name) ?? []
    if (relation === undefined) throw new Untestable('no relation leads back to the list')
    const made = await child.make({ [relation]: id })
    const key = encodeURIComponent(record[subject.profile.key!])
    const byKey = await kit.send(`GET ${subject.path}/by/${subject.profile.key}/${key}/${list}`, {
      as: subject.creator,
    })
    byKey.is(200).has(
      'ids',
      byKey.data.map((each: { id: string }) => each.id),
      [made.id],
    )
    const byId = (await kit.send(`GET ${target}/${list}`, { as: subject.creator })).is(200)
    byKey.has('the list', byKey.data, byId.data)
  })
}
