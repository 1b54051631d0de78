// Webhooks, as far as no receiver is needed: their address resolves to nothing. (15.2)

import type { Answer } from '../../kit/answer.ts'
import type { Define, Scene } from '../../kit/clause.ts'
import { withKey } from '../access/api-keys.ts'

/** A name that never has an address (RFC 6761 6.4). */
const url = 'https://webhooks.invalid/'
const targetOf = ({ kit }: Scene): string => `/api/${kit.version}/${kit.profile.webhooks!.path}`

/** The event that is named first in the document. */
async function eventNameOf({ kit }: Scene): Promise<string> {
  const answer = (await kit.send(`GET /api/${kit.version}/openapi.json`)).is(200)
  const [name] = Object.keys(answer.json.webhooks ?? {})
  answer.require(name !== undefined, 'an event in webhooks', 'none')
  return name!
}

/** Creates a webhook, and removes it afterwards. */
async function withWebhook(scene: Scene, use: (target: string, made: Answer) => Promise<unknown>): Promise<void> {
  const { kit } = scene
  const { as } = kit.profile.webhooks!
  const body = { url, events: [await eventNameOf(scene)] }
  const made = (await kit.send(`POST ${targetOf(scene)}`, { as, body })).is(201)
  const target = `${targetOf(scene)}/${made.data.id}`
  kit.journal.add({ target, as })
  try {
    await use(target, made)
  } finally {
    await kit.send(`DELETE ${target}`, { as })
  }
}

interface Delivery {
  readonly id: string
  readonly status: string
  readonly attempts: number
  readonly target: string
}

/** Creates a delivery of `ping`. */
const withPing = (scene: Scene, use: (delivery: Delivery, listed: Answer) => Promise<unknown>): Promise<void> =>
  withWebhook(scene, async (target, made) => {
    const { kit } = scene
    const { as, deliveries } = kit.profile.webhooks!
    const path = `/api/${kit.version}/${deliveries}`
    ;(await kit.send(`POST ${target}/ping`, { as })).is(200)
    const listed = (await kit.send(`GET ${path}?webhook_id=${made.data.id}`, { as })).is(200)
    // Events of other tests are delivered, too.
    const pings = listed.data.filter(({ event }: { event: string }) => event === 'ping')
    listed.has('pings', pings.length, 1)
    await use({ ...pings[0], target: `${path}/${pings[0].id}` }, listed)
  })

export function defineWebhooks(define: Define): void {
  define('15.2.1', ['webhooks'], async (scene) => {
    const { kit } = scene
    const { as } = kit.profile.webhooks!
    const right = { url, events: [await eventNameOf(scene)] }
    for (const wrong of [{ events: ['noSuchEvent'] }, { api_version: 'v999' }, { url: 'https://169.254.169.254/' }])
      (await kit.send(`POST ${targetOf(scene)}`, { as, body: { ...right, ...wrong } })).fails(422)
  })

  define('15.2.3', ['webhooks'], (scene) =>
    withWebhook(scene, async (target) => {
      const { kit } = scene
      for (const other of Object.keys(kit.profile.accounts).filter((name) => name !== kit.profile.webhooks!.as))
        (await kit.send(`GET ${target}`, { as: other })).fails(404)
    }))

  define('15.2.5', ['webhooks'], (scene) =>
    withWebhook(scene, async (target, made) => {
      const { kit } = scene
      const { as } = kit.profile.webhooks!
      const rotated = (await kit.send(`POST ${target}/rotate`, { as })).is(200)
      for (const each of [made, rotated]) each.matches('secret', each.data.secret, /^whsec_./)
      rotated.require(rotated.data.secret !== made.data.secret, 'another secret', rotated.data.secret)
      const read = (await kit.send(`GET ${target}`, { as })).is(200)
      read.require(!/whsec_/.test(read.text), 'no secret in the record', read.text)
    }))

  define('15.2.9', ['webhooks', 'apiKeys'], (scene) =>
    withKey(scene, ['*'], async (key) => {
      const body = { url, events: [await eventNameOf(scene)] }
      const headers = { 'X-API-Key': key }
      ;(await scene.kit.send(`GET ${targetOf(scene)}`, { headers })).fails(403)
      ;(await scene.kit.send(`POST ${targetOf(scene)}`, { headers, body })).fails(403)
    }))

  define('15.2.10', ['webhooks'], (scene) =>
    withPing(scene, async ({ id, status, attempts, target }, listed) => {
      const { as } = scene.kit.profile.webhooks!
      listed.matches('status', status, /^(waiting|delivered|failed|skipped)$/)
      listed.require(Number.isInteger(attempts), 'a number of attempts', String(attempts))
      const replayed = (await scene.kit.send(`POST ${target}/replay`, { as })).is(200)
      replayed.has('id', replayed.data.id, id)
    }))

  define('15.2.11', ['webhooks'], (scene) => withPing(scene, async () => undefined))

  define('15.2.12', ['webhooks'], eventNameOf)
}
