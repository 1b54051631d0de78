// Random requests of several clients at once, held against the state table: whatever the service answers must be what some
// order of them answers in the model, and what it says afterwards must fit, too. On SQLite, on PostgreSQL, and over two
// processes. (contract 3.5)

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import { createOpaqueToken } from '../../src/authentication/opaque-token.ts'
import { bind, command } from '../../src/store/store.ts'
import { samples } from '../support/check/samples.ts'
import { type Answer, type Client, createClient } from '../support/client/http-client.ts'
import {
  type Asked,
  explain,
  firstState,
  type Outcome,
  type TokenState,
  withAccess,
} from '../support/oracle/token-model.ts'
import { startInstanceProcess } from '../support/process/instance-process.ts'
import { createTestAccounts, type TestAccount } from '../support/server/accounts.ts'
import { postgresMissing } from '../support/server/databases.ts'
import { password, startTestService, type TestService, withService } from '../support/server/service.ts'

/** What a client is about to do, as far as that can be said before anything happened. */
interface Plan {
  readonly is: Asked['is']
  /** Which of the tokens that are known by then, counted from the newest. */
  readonly nth: number
}
const plan = fc.record<Plan>({
  is: fc.oneof(
    { weight: 3, arbitrary: fc.constant('login' as const) },
    { weight: 8, arbitrary: fc.constant('refresh' as const) },
    { weight: 2, arbitrary: fc.constantFrom('logout' as const, 'suspend' as const, 'reset' as const) },
    { weight: 2, arbitrary: fc.constant('reactivate' as const) },
  ),
  nth: fc.nat({ max: 5 }),
})
/** Batches of requests that are made at once. */
const plans = fc.array(fc.array(plan, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 10 })
const numRuns = samples(10)

withService('3.5 Refresh tokens, as the model has them', (service) => {
  test('3.5.7 every interleaving has an order that the state table allows', async () => {
    await fc.assert(
      fc.asyncProperty(plans, (batches) => play(batches, service(), [service().client])),
      { numRuns },
    )
    service().assertLog()
  })
})

describe('3.5 Refresh tokens, as the model has them, over two processes', { skip: postgresMissing }, () => {
  let stop: (() => Promise<void>) | undefined
  after(() => stop?.())
  test('3.5.7 every interleaving has an order that the state table allows', async () => {
    const service = await startTestService('postgres')
    const other = await startInstanceProcess(service)
    const client = createClient(other.url)
    stop = async () => {
      client.close()
      await other.stop()
      await service.stop()
    }
    await fc.assert(
      fc.asyncProperty(plans, (batches) => play(batches, service, [service.client, client])),
      { numRuns },
    )
  })
})

/** Plays the batches for a user of their own, and holds every answer against the model. */
async function play(
  batches: readonly (readonly Plan[])[],
  service: TestService,
  clients: readonly Client[],
): Promise<void> {
  const [account] = await createTestAccounts(service, 1)
  const player = createPlayer(account!, service, clients)
  for (const batch of batches) {
    await player.ask(batch)
    if (clients.length === 1) await player.checkAccess()
  }
  // What every token is worth in the end; asked one after the other, that is a matter of the model as well.
  for (let nth = player.latest(); nth >= 0; nth -= 1) await player.ask([{ is: 'refresh', nth }])
}

function createPlayer(account: TestAccount, service: TestService, clients: readonly Client[]) {
  let states: readonly TokenState[] = [firstState(password)]
  const refreshTokens = new Map<string, string>()
  const accessTokens = new Map<string, string>()
  let count = 0

  async function prepare({ is, nth }: Plan): Promise<Asked> {
    const name = `t${count++}`
    const token = [...refreshTokens.keys()].at(-1 - nth) ?? 'none'
    switch (is) {
      case 'login':
        return { is, password: passwordIn(states), makes: name }
      case 'refresh':
        return { is, token, makes: name }
      case 'logout':
        return { is, token }
      case 'reset': {
        const { text } = await keepResetToken(account, service)
        states = states.map((state) => ({ ...state, resetTokens: [...state.resetTokens, text] }))
        return { is, resetToken: text, password: `${password} ${name}` }
      }
      default:
        return { is }
    }
  }

  async function send(input: Asked, client: Client): Promise<Outcome> {
    const answer = await request(input, client)
    if ('makes' in input && answer.status === 200) {
      refreshTokens.set(input.makes, answer.body.refresh_token)
      accessTokens.set(input.makes, answer.body.access_token)
    }
    return answer.status < 300 ? answer.status : answer.body.error.code
  }
  function request(input: Asked, client: Client): Promise<Answer> {
    switch (input.is) {
      case 'login':
        return client.send('POST /auth/login', { body: { email: account.email, password: input.password } })
      case 'refresh':
      case 'logout': {
        const refresh_token = refreshTokens.get(input.token) ?? createOpaqueToken('rt_').text
        return client.send(`POST /auth/${input.is}`, { body: { refresh_token } })
      }
      case 'reset':
        return client.send('POST /auth/reset-password', { body: { token: input.resetToken, password: input.password } })
      default:
        return moveBy(client, input.is)
    }
  }
  async function moveBy(client: Client, action: string): Promise<Answer> {
    const admin = await service.token(await service.fixtures().idOf('admin'))
    return client.send(`POST /api/v2/users/${account.id}/${action}`, { headers: { Authorization: `Bearer ${admin}` } })
  }

  return {
    latest: () => refreshTokens.size - 1,
    async ask(batch: readonly Plan[]): Promise<void> {
      const requests: Asked[] = []
      for (const each of batch) requests.push(await prepare(each))
      const outcomes = await Promise.all(requests.map((each, index) => send(each, clients[index % clients.length]!)))
      const explained = explain(states, requests, outcomes)
      assert(explained.length > 0, `no order explains ${JSON.stringify({ states, requests, outcomes }, null, 2)}`)
      states = explained
    },
    /** Each access token is valid exactly where the model says so. */
    async checkAccess(): Promise<void> {
      for (const [name, token] of accessTokens) {
        const { status } = await clients[0]!.send('GET /api/v2/users/me', {
          headers: { Authorization: `Bearer ${token}` },
        })
        states = withAccess(states, name, status === 200)
        assert(states.length > 0, `the access token ${name} is answered ${status}`)
      }
    },
  }
}

/** Where several passwords are possible, one of them. */
const passwordIn = (states: readonly TokenState[]): string => states[0]!.password

/** A token as a mail would have brought it. */
async function keepResetToken(
  { id }: TestAccount,
  { store, engine, now }: TestService,
): Promise<{ readonly text: string }> {
  const { text, hash } = createOpaqueToken('prt_')
  const [one, two, three] = engine === 'sqlite' ? ['?1', '?2', '?3'] : ['$1', '$2', '$3']
  const insert = command(
    `insert into duet_password_reset (hash, user_id, expires_at) values (${one}, ${two}, ${three})`,
  )
  await store.write(function* () {
    yield bind(insert, hash, id, new Date(now().getTime() + 60_000).toISOString())
  })
  return { text }
}
