// One of two services that are compared, on a database of its own, with a clock and ids that the comparison sets.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { publicJwk } from '../../../src/authentication/key/jwk.ts'
import { generateSigningKey } from '../../../src/authentication/key/signing-key.ts'
import { createLog } from '../../../src/observation/log.ts'
import type { ServiceDefinition } from '../../../src/resource/language/definition.ts'
import type { Service } from '../../../src/resource/language/service.ts'
import { readConfiguration } from '../../../src/service/configuration/configuration.ts'
import { type RunningService, startService } from '../../../src/service/service.ts'
import type { Engine } from '../../../src/store/store.ts'
import { until } from '../check/until.ts'
import { forgeToken } from '../client/forged-token.ts'
import { type Answer, type Client, createClient } from '../client/http-client.ts'
import { type Frame, TestSocket } from '../client/websocket.ts'
import { dataKey } from '../server/data-key.ts'
import { createDatabase } from '../server/databases.ts'
import { insertRows } from './insert-rows.ts'
import { comparedAt } from './make-rows.ts'
import type { Request } from './material.ts'
import { type Outside, openOutside, takeMessages } from './outside.ts'
import { readRows } from './read-rows.ts'
import type { Rows } from './rows.ts'
import type { Person } from './visibility.ts'

/** What would depend on when it happens: that a busy process refuses, and that a subscription ends which its person made unreadable. */
const untimed = { lateMs: 1e9, veryLateMs: 1e9, holderWatchMs: 2 ** 31 - 1 }

export const clockBegins = comparedAt.getTime()
const issuer = 'https://id.example.com/'

export interface Side {
  /** Sends it when the clock says `at`. New records are numbered by the number of the request, so that both services give one number to one. */
  ask(request: Request, at: number, number: number): Promise<Answer>
  /** Subscribes to all of these, on one connection, with what its first message shows. */
  listen(payload: Readonly<Record<string, string>>, subscriptions: readonly string[]): Promise<void>
  /**
   * The same on a new connection. Each subscription goes on after one of the events that it has told, at this part of them:
   * 0 is the first.
   */
  comeBack(payload: object, part: number): Promise<void>
  /**
   * What each subscription has told since, by its number, without the ids of events, which are encrypted. Null where the
   * connection is ended or refused, since the account may not sign in any more: how soon that is seen is a matter of time.
   */
  drain(): Promise<readonly string[] | null>
  rows(): Promise<Rows>
  close(): Promise<void>
}

export interface SideOptions {
  readonly definition: Service<unknown>
  readonly engine: Engine
  readonly rows: Rows
  readonly jwksUrl: string
}

export async function openSide({ definition, engine, rows, jwksUrl }: SideOptions): Promise<Side> {
  const database = await createDatabase(engine)
  let now = clockBegins
  let current = { number: 0, records: 0 }
  const lines: string[] = []
  const messages: string[] = []
  let outside: Outside | null = null
  const configuration = readConfiguration({ ...environment, DATABASE_URL: database.url })
  let service: RunningService | null = null
  let client: Client | null = null
  let socket: TestSocket | null = null
  let subscriptions: readonly Subscription[] = []
  let frames: string[] = []
  const close = async () => {
    await socket?.close()
    client?.close()
    await service?.stop()
    await database.drop()
  }
  try {
    service = await startService(withoutLaterWork(definition), {
      configuration: { ...configuration, limits: { ...configuration.limits, ...untimed } },
      log: createLog({ json: true, write: (line) => void lines.push(line) }),
      clock: () => new Date(now),
      newId: (prefix) =>
        `${prefix}_1${String(current.number).padStart(15, '0')}${String(current.records++).padStart(10, '0')}`,
      issuers: [trustedIssuer(jwksUrl)],
      outbound: takeMessages(messages),
    })
    await insertRows(rows, service.store)
    client = createClient(service.url)
  } catch (error) {
    await close()
    throw error
  }
  const { send } = client
  const { url, store, model, settled } = service
  const [running, ownClient] = [service, client]
  /** Reads on until every subscription has begun and has told all of what happened; false where the connection ended. */
  const catchUp = async (): Promise<boolean> => {
    if (socket === null) return false
    const { closed } = socket
    const next = () => Promise.race([socket!.next(), closed.then(() => null)])
    let frame: Frame | null = null
    // Only where all has been told does a pong name how far that is.
    await until(async () => {
      socket!.send({ type: 'ping' })
      for (frame = await next(); frame !== null && frame.type !== 'pong'; frame = await next()) {
        const eventId = eventIdIn(frame)
        if (eventId !== null) subscriptions[Number(frame.id)]!.eventIds.push(eventId)
        frames.push(JSON.stringify(frame).replace(eventId ?? /$/, ''))
      }
      return frame?.payload !== undefined || frame === null
    })
    return frame !== null
  }
  return {
    async ask({ line, headers, body }, at, number) {
      now = at
      current = { number, records: 0 }
      const answer = await send(line, { headers, ...(body === undefined ? {} : { body }) })
      if (answer.status === 500 || answer.text.includes('INTERNAL_ERROR'))
        throw new Error(`${line} ${JSON.stringify(body)} is a bug:\n${lines.at(-1)}`)
      if (!/^(GET|HEAD)/.test(line)) await outside?.settle()
      return answer
    },
    async listen(payload, texts) {
      subscriptions = texts.map((text) => ({ text, eventIds: [] }))
      socket = await TestSocket.ready(url, payload)
      for (const [index, text] of texts.entries()) socket.subscribe(`${index}`, text)
      await catchUp()
      outside = await openOutside(running, ownClient, payload, messages)
    },
    async comeBack(payload, part) {
      await socket?.close()
      socket = await TestSocket.ready(url, payload).catch(() => null)
      if (socket === null) return
      for (const [index, { text, eventIds }] of subscriptions.entries()) {
        const place = Math.floor(part * eventIds.length)
        const [resumeAfter] = eventIds.splice(place + (eventIds.length > 0 ? 0 : 1))
        socket.subscribe(`${index}`, text, resumeAfter === undefined ? {} : { extensions: { resumeAfter } })
        if (resumeAfter !== undefined) eventIds.push(resumeAfter)
      }
      await catchUp()
    },
    async drain() {
      await settled()
      const isOpen = await catchUp()
      const all = frames
      frames = []
      if (!isOpen) return null
      // What one subscription is told has an order; two of them have none between them.
      all.sort((one, other) => Number(JSON.parse(one).id) - Number(JSON.parse(other).id))
      return [...all, ...(await outside!.drain())]
    },
    // Deliveries are made later than requests are answered, under random ids; what they send is compared in their place.
    rows: () =>
      readRows(
        model.resources.filter(({ name }) => name !== 'WebhookDelivery'),
        model,
        store,
      ),
    close,
  }
}

interface Subscription {
  readonly text: string
  /** Of all that it has told. */
  readonly eventIds: string[]
}
const eventIdIn = ({ payload }: Frame): string | null =>
  (payload as { extensions?: { eventId?: string } } | undefined)?.extensions?.eventId ?? null

const environment = {
  PORT: '0',
  NODE_ENV: 'test',
  DATA_KEY: dataKey,
  LIMIT_IP_PER_MINUTE: '0',
  LIMIT_USER_PER_HOUR: '0',
  LIMIT_LOGIN_PER_MINUTE: '0',
  LIMIT_FORGOT_PASSWORD_PER_MINUTE: '0',
}

const trustedIssuer = (jwksUrl: string) => ({
  issuer,
  jwksUrl,
  audience: 'duet',
  algorithms: ['ES256' as const],
  lifetimeSeconds: 3_600,
  actorFrom: ({ account, role }: Readonly<Record<string, unknown>>) => ({
    id: account as string,
    role: role as string,
  }),
})

/** An issuer whose tokens both services believe, so that neither keeps sessions of its own. */
export async function openIssuer() {
  const key = await generateSigningKey('ES256')
  const server = createServer((_, response) => void response.end(JSON.stringify({ keys: [publicJwk(key)] })))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    token({ id, role }: Person, at: number) {
      const iat = Math.floor(at / 1000)
      const claims = { iss: issuer, aud: 'duet', sub: id, account: id, role, iat, exp: iat + 3_600 }
      return forgeToken(key, { alg: 'ES256', typ: 'at+jwt', kid: key.kid }, claims)
    },
    close: () => server.close().closeAllConnections(),
  }
}

/** What runs later than a request, such as a reaction, has no place in the order of the requests. */
function withoutLaterWork(definition: Service<unknown>): Service<unknown> {
  const resources = Object.entries((definition as unknown as ServiceDefinition).resources).map(([name, each]) => {
    const actions = Object.entries(each.actions)
    const kept = actions.filter(([, action]) => (action as { readonly at?: unknown }).at === undefined)
    return [name, kept.length === actions.length ? each : { ...each, actions: Object.fromEntries(kept) }]
  })
  const changed = { ...definition, reactions: [], schedules: [], resources: Object.fromEntries(resources) }
  return changed as unknown as Service<unknown>
}
