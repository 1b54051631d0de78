// The load of writes: posts, comments, orders and changes, repeated where nobody knows what became of them.

import { setTimeout as wait } from 'node:timers/promises'
import { createRandom, type Random } from '../support/oracle/random.ts'
import type { Caller } from './caller.ts'
import type { Scene } from './scene.ts'

export type Kind = 'posts' | 'comments' | 'orders'

export interface Writes {
  /** Idempotency keys, with the record that each was answered to have made. */
  readonly keyed: Map<string, { readonly kind: Kind; readonly id: string }>
  /** What was written without a key, by what marks it: its record where it was acknowledged. */
  readonly marked: Map<string, { readonly kind: 'posts' | 'comments'; readonly id: string | null }>
  /** Posts by what they are known to be. */
  readonly drafts: Set<string>
  readonly cancelled: Set<string>
  /** By post, the last content that was acknowledged, and those tried since. */
  readonly contents: Map<string, { acknowledged: string; readonly tried: Set<string> }>
}

/** Writes until `isOver`; then what is in doubt is asked until it is known. */
export async function write(scene: Scene, caller: Caller, isOver: () => boolean, seed: number): Promise<Writes> {
  const writes: Writes = {
    keyed: new Map(),
    marked: new Map(),
    drafts: new Set(),
    cancelled: new Set(),
    contents: new Map(),
  }
  const writers = [postWriter, postWriter, commentWriter, commentWriter, buyer, buyer, changer]
  await Promise.all(
    writers.map(async (writer, place) => {
      const step = writer({
        scene,
        caller,
        writes,
        random: createRandom(seed + place),
        name: `${writer.name}-${place}`,
      })
      while (!isOver()) {
        await step()
        await wait(150)
      }
    }),
  )
  return writes
}

interface Given {
  readonly scene: Scene
  readonly caller: Caller
  readonly writes: Writes
  readonly random: Random
  readonly name: string
}
type Step = () => Promise<void>

/** Creates a record with a key, or once without one; answers its id where that is known. */
async function create(
  { caller, writes, random }: Given,
  kind: Kind,
  token: string,
  mark: string,
  body: unknown,
): Promise<string | null> {
  const line = `POST /api/v2/${kind}`
  if (kind !== 'orders' && random.chance(0.3)) {
    const answer = await caller.ask(line, { token, body })
    if (answer !== null && caller.require({ answer, doubts: 0 }, line, 201) === null) return null
    const id = answer === null ? null : (answer.body.data.id as string)
    writes.marked.set(mark, { kind, id })
    return id
  }
  const outcome = await caller.askUntilKnown(line, { token, body, key: mark })
  // Sold out.
  if (kind === 'orders' && outcome.answer.status === 422) return null
  const answer = caller.require(outcome, line, 201, ...(outcome.doubts > 0 ? [200] : []))
  if (answer === null) return null
  writes.keyed.set(mark, { kind, id: answer.body.data.id })
  if (random.chance(0.2)) await repeat(caller, line, { token, body, key: mark }, answer.body.data.id)
  return answer.body.data.id
}

async function repeat(
  caller: Caller,
  line: string,
  asking: { readonly token: string; readonly body: unknown; readonly key: string },
  id: string,
): Promise<void> {
  const again = caller.require(await caller.askUntilKnown(line, asking), `${line}, again,`, 200)
  if (again !== null && again.body.data.id !== id)
    caller.faults.push(`${asking.key} made ${id} and was replayed as ${again.body.data.id}`)
}

function postWriter(given: Given): Step {
  const { scene, random, writes, caller, name } = given
  let count = 0
  return async () => {
    const token = random.one(scene.editorTokens)
    const publish = random.chance(0.6)
    const title = `${name}-${count++}`
    const id = await create(given, 'posts', token, title, { title, content: 'Words.', publish })
    if (id === null || publish) return
    if (random.chance(0.5)) {
      writes.drafts.add(id)
      return
    }
    const line = `POST /api/v2/posts/${id}/publish`
    const outcome = await caller.askUntilKnown(line, { token })
    // It was published already, by an attempt of which no answer came.
    caller.require(outcome, line, 200, ...(outcome.doubts > 0 ? [409] : []))
  }
}

function commentWriter(given: Given): Step {
  const { scene, random, name } = given
  let count = 0
  return async () => {
    const content = `${name}-${count++}`
    await create(given, 'comments', random.one(scene.editorTokens), content, {
      post_id: random.one(scene.arena),
      content,
    })
  }
}

function buyer(given: Given): Step {
  const { scene, random, writes, caller, name } = given
  let count = 0
  return async () => {
    const token = random.one(scene.viewerTokens)
    const chosen = random.some([...scene.products.keys()], 3)
    const items = chosen.map((id) => ({ product_id: id, quantity: 1 + random.below(3) }))
    const id = await create(given, 'orders', token, `${name}-${count++}`, { items })
    if (id === null || random.chance(0.6)) return
    const line = `POST /api/v2/orders/${id}/cancel`
    const outcome = await caller.askUntilKnown(line, { token })
    if (caller.require(outcome, line, 200, ...(outcome.doubts > 0 ? [409] : [])) !== null) writes.cancelled.add(id)
  }
}

/** Changes one post again and again. */
function changer({ scene, caller, writes }: Given): Step {
  const [id] = scene.arena as [string]
  const state = { acknowledged: 'Words.', tried: new Set<string>() }
  writes.contents.set(id, state)
  let count = 0
  return async () => {
    const content = `Words, for the ${count++}th time.`
    state.tried.add(content)
    const line = `PATCH /api/v2/posts/${id}`
    const answer = await caller.ask(line, { token: scene.editorTokens[0]!, body: { content } })
    if (answer === null || caller.require({ answer, doubts: 0 }, line, 200) === null) return
    state.acknowledged = content
    state.tried.clear()
  }
}
