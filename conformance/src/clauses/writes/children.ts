// Children in the input of their parent. (13.1)

import { type Answer, Untestable } from '../../kit/answer.ts'
import type { Define, Scene } from '../../kit/clause.ts'
import { missingId } from '../../kit/values.ts'

/** Creates a record with so many children. */
async function withChildren({ kit, subject }: Scene, count: number, change = (child: object, _at: number) => child) {
  const { field, child } = subject.profile.children!
  const children = []
  for (let at = 0; at < count; at++) children.push(change(await kit.fill(child), at))
  return { ...(await subject.input()), [field]: children }
}

const listOf = async ({ kit, subject }: Scene, id: string): Promise<Answer> => {
  const { field } = subject.profile.children!
  return (await kit.send(`GET ${subject.path}/${id}/${field}?limit=100`, { as: subject.creator })).is(200)
}

export function defineChildren(define: Define): void {
  defineCreatedChildren(define)
  defineReplacedChildren(define)
}

function defineCreatedChildren(define: Define): void {
  define('13.1.1', ['children'], async (scene) => {
    const { subject } = scene
    const answer = (await subject.post(await withChildren(scene, 3))).is(201)
    answer.has(subject.profile.children!.field, answer.data[subject.profile.children!.field], undefined)
    const list = await listOf(scene, answer.data.id)
    list.has('children', list.data.length, 3)
  })

  define('13.1.2', ['children'], async (scene) => {
    const { kit, subject } = scene
    const { field, wrong } = subject.profile.children!
    const body = await withChildren(scene, 3, (child, at) =>
      at === 2 ? { ...child, [wrong.field]: wrong.value } : child,
    )
    const answer = await kit.send(`POST ${subject.path}`, { as: subject.creator, body })
    answer.fails(400, 'VALIDATION_ERROR').names(`${field}[2].${wrong.field}`)
  })

  define('13.1.3', ['children'], async (scene) => {
    const { kit, subject } = scene
    const [child] = (await withChildren(scene, 1))[subject.profile.children!.field] as [object]
    const body = {
      ...(await subject.input()),
      [subject.profile.children!.field]: Array.from({ length: 101 }, () => child),
    }
    const answer = await kit.send(`POST ${subject.path}`, { as: subject.creator, body })
    answer.fails(400, 'VALIDATION_ERROR').names(subject.profile.children!.field)
  })

  define('13.1.10', ['children', 'childList'], async (scene) => {
    const { kit, subject } = scene
    const { id } = (await subject.post(await withChildren(scene, 1))).is(201).data
    const [child] = (await listOf(scene, id)).data
    const alone = (await kit.send(`GET ${childPath(scene)}/${child.id}`, { as: subject.creator })).is(200)
    alone.has('the child', alone.data, child)
    const { field, child: input } = subject.profile.children!
    const body = { ...(await subject.input()), [field]: [{ ...(await kit.fill(input)), id: child.id }] }
    ;(await kit.send(`POST ${subject.path}`, { as: subject.creator, body })).fails(400).names(`${field}[0].id`)
  })

  define('13.1.4', ['children', 'text'], async (scene) => {
    const { kit, subject } = scene
    const { field, missing } = subject.profile.children!
    if (missing === undefined) throw new Untestable('no child of the profile names another record')
    const body = await withChildren(scene, 1, (child) => ({ ...child, [missing]: missingId(subject) }))
    ;(await kit.send(`POST ${subject.path}`, { as: subject.creator, body })).fails(422).names(`${field}[0].${missing}`)
    const text = subject.profile.text!
    const both = { ...body, [text.field]: 'x'.repeat(text.max + 1) }
    ;(await kit.send(`POST ${subject.path}`, { as: subject.creator, body: both })).fails(400).names(text.field)
  })
}

/** The address of the resource of children. */
const childPath = ({ kit, subject }: Scene): string =>
  kit.subject(subject.profile.lists![subject.profile.children!.field]!).path

/** A record with so many children, and what changes their list. */
async function parentWith(scene: Scene, count: number) {
  const { kit, subject } = scene
  const { field } = subject.profile.children!
  const made = (await subject.post(await withChildren(scene, count))).is(201)
  const children = (await listOf(scene, made.data.id)).data as readonly { readonly id: string }[]
  const replace = (list: readonly object[], more = {}) =>
    kit.send(`PATCH ${subject.path}/${made.data.id}`, { as: subject.creator, body: { ...more, [field]: list } })
  return { made, children, replace, list: () => listOf(scene, made.data.id) }
}

function defineReplacedChildren(define: Define): void {
  define('13.1.15', ['children', 'replacedChildren'], async (scene) => {
    const { change } = scene.subject.profile.children!
    if (change === undefined) throw new Untestable('no field of a child is changed')
    const { children, replace, list } = await parentWith(scene, 2)
    const [first, second] = children as [{ id: string }, { id: string }]
    ;(await replace([{ id: first.id }, { id: second.id, [change.field]: change.value }])).is(200)
    const after = await list()
    const one = after.data.find(({ id }: { id: string }) => id === first.id)
    after.has('the child that is only named', one, first)
    const other = after.data.find(({ id }: { id: string }) => id === second.id)
    after.has(change.field, other[change.field], change.value)
  })

  define('13.1.18', ['children', 'replacedChildren'], async (scene) => {
    const { made, children, replace } = await parentWith(scene, 2)
    const changed = (await replace([{ id: children[0]!.id }])).is(200)
    const [before, after] = [made, changed].map(({ headers }) => Number(/^"(\d+)/.exec(headers.etag ?? '')?.[1]))
    changed.require(after! > before!, `a version greater than ${before}`, String(after))
  })

  define('13.1.19', ['children', 'replacedChildren', 'childList'], async (scene) => {
    const { kit, subject } = scene
    const { child } = subject.profile.children!
    const { children, replace, list } = await parentWith(scene, 1)
    ;(await replace([await kit.fill(child)])).is(200)
    const after = await list()
    after.has('children', after.data.length, 1)
    after.require(after.data[0].id !== children[0]!.id, 'a new child', children[0]!.id)
    ;(await kit.send(`GET ${childPath(scene)}/${children[0]!.id}`, { as: subject.creator })).fails(404)
  })

  define('13.1.21', ['children', 'replacedChildren', 'updateMany'], async (scene) => {
    const { kit, subject } = scene
    const { made } = await parentWith(scene, 1)
    const { field } = subject.profile.children!
    const ids = [made.data.id, (await subject.make()).id]
    const body = { ids, [field]: [] }
    ;(await kit.send(`PATCH ${subject.path}`, { as: subject.creator, body })).fails(400, 'VALIDATION_ERROR')
  })

  define('13.1.8', ['children', 'replacedChildren'], async (scene) => {
    const { kit, subject } = scene
    const { field, child, change } = subject.profile.children!
    if (change === undefined) throw new Untestable('no field of a child is changed')
    const { id } = (await subject.post(await withChildren(scene, 3))).is(201).data
    const [first, second] = (await listOf(scene, id)).data.map((each: { id: string }) => each.id)
    const list = [{ id: first }, { id: second, [change.field]: change.value }, await kit.fill(child)]
    const answer = await kit.send(`PATCH ${subject.path}/${id}`, { as: subject.creator, body: { [field]: list } })
    answer.is(200)
    const after = await listOf(scene, id)
    const ids = after.data.map((each: { id: string }) => each.id)
    after.has('children', ids.length, 3).has(
      'those that stay',
      [first, second].every((each) => ids.includes(each)),
      true,
    )
    const changed = after.data.find((each: { id: string }) => each.id === second)
    after.has(change.field, changed[change.field], change.value)
  })

  define('13.1.16', ['children', 'replacedChildren'], async (scene) => {
    const { kit, subject } = scene
    const { field } = subject.profile.children!
    const [one, other] = [await withChildren(scene, 1), await withChildren(scene, 1)]
    const { id } = (await subject.post(one)).is(201).data
    const foreign = (await listOf(scene, (await subject.post(other)).is(201).data.id)).data[0].id
    const body = { [field]: [{ id: foreign }] }
    const answer = await kit.send(`PATCH ${subject.path}/${id}`, { as: subject.creator, body })
    answer.fails(422).names(`${field}[0].id`)
  })
}
