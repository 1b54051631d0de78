// The reference service as a client meets it: instances that come and go behind one address, a clock that is moved by hand,
// and everything that can happen to a client, to be asked for by name, also from inside a browser.

import type { Engine } from '../../../src/store/store.ts'
import { createTestAccounts } from './accounts.ts'
import { type Instance, startInstance } from './instance.ts'
import { password, startTestService, type TestService } from './service.ts'
import { type Front, startFront } from './tcp-proxy.ts'

/** What a story may ask for. Arguments and answers are JSON, for the story may be told in a browser. */
export interface Director {
  /** Moves the clock of the service. */
  advance(milliseconds: number): Promise<void>
  /** A new account, to sign in with. */
  account(role?: 'EDITOR'): Promise<Login>
  /** How many requests have passed, such as `POST /auth/refresh`. */
  count(line: string): Promise<number>
  /** The next such request is carried out, and its answer lost. */
  loseAnswer(line: string): Promise<void>
  /** Suspends this account; answers when the service refuses its tokens. */
  revoke(email: string): Promise<void>
  /** An instance with these settings takes the place of the one that runs. */
  restart(environment?: Readonly<Record<string, string>>): Promise<void>
  /** Stops the instance: nobody answers. */
  goAway(): Promise<void>
  /** Whether no WebSocket can be opened from now on. */
  refuseSockets(isRefused: boolean): Promise<void>
  /** Ends every connection, without a word. */
  cut(): Promise<void>
  /** Somebody publishes so many posts, through another instance; answers their ids. */
  publish(count: number): Promise<readonly string[]>
  /** Security events that have been written, such as of a token that was used twice. */
  securityEvents(): Promise<number>
}
export interface Login {
  readonly email: string
  readonly password: string
}
export interface Stage {
  readonly url: string
  readonly director: Director
  readonly service: TestService
  stop(): Promise<void>
}

export async function openStage(engine: Engine, pages: Parameters<typeof startFront>[0] = {}): Promise<Stage> {
  const service = await startTestService(engine)
  const front = await startFront(pages)
  let instance: Instance | null = null
  const ids = new Map<string, string>()

  async function restart(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    await goAway()
    instance = await startInstance(service, { environment })
    front.lead(instance.url)
  }
  async function goAway(): Promise<void> {
    front.lead(null)
    await instance?.stop()
    instance = null
  }
  await restart()
  return {
    url: front.url,
    service,
    director: directorOf(service, front, ids, { restart, goAway }),
    async stop() {
      await goAway()
      await front.stop()
      await service.stop()
    },
  }
}

function directorOf(
  service: TestService,
  front: Front,
  ids: Map<string, string>,
  moves: Pick<Director, 'restart' | 'goAway'>,
): Director {
  return {
    ...moves,
    async advance(milliseconds) {
      service.advance(milliseconds)
      service.forgetTokens()
    },
    async account(role) {
      const [made] = await createTestAccounts(service, 1)
      ids.set(made!.email, made!.id)
      if (role !== undefined) await service.send(`PATCH /api/v2/users/${made!.id}`, { as: 'admin', body: { role } })
      return { email: made!.email, password }
    },
    count: async (line) => front.count(line),
    loseAnswer: async (line) => front.loseAnswer(line),
    refuseSockets: async (isRefused) => front.refuseUpgrades(isRefused),
    cut: async () => front.cut(),
    async revoke(email) {
      const { body } = await service.client.send('POST /auth/login', { body: { email, password } })
      const headers = { Authorization: `Bearer ${(body as { access_token: string }).access_token}` }
      await service.send(`POST /api/v2/users/${ids.get(email)}/suspend`, { as: 'admin' })
      // Within a second, every instance has heard of it.
      while ((await fetch(`${front.url}/api/v2/users/me`, { headers })).status !== 401);
    },
    async publish(count) {
      const made: string[] = []
      for (let index = 0; index < count; index++) {
        const body = { title: `Post ${index}`, content: 'C', publish: true }
        const answer = await service.send('POST /api/v2/posts', { as: 'editor', body })
        made.push((answer.body as { data: { id: string } }).data.id)
      }
      return made
    },
    securityEvents: async () => (await service.tables('security_events')).length,
  }
}
