// Children in the input of their parent. (13.1)

import type { Answer } from '../kit/answer.ts'
import type { Define, Scene } from '../kit/clause.ts'

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

  define('13.1.8', ['children'], async (scene) => {
    const { kit, subject } = scene
    const { field, child, replaced, change } = subject.profile.children!
    if (replaced !== true || change === undefined) return
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

  define('13.1.16', ['children'], async (scene) => {
    const { kit, subject } = scene
    const { field, replaced } = subject.profile.children!
    if (replaced !== true) return
    const [one, other] = [await withChildren(scene, 1), await withChildren(scene, 1)]
    const { id } = (await subject.post(one)).is(201).data
    const foreign = (await listOf(scene, (await subject.post(other)).is(201).data.id)).data[0].id
    const body = { [field]: [{ id: foreign }] }
    const answer = await kit.send(`PATCH ${subject.path}/${id}`, { as: subject.creator, body })
    answer.fails(422).names(`${field}[0].id`)
  })
}
