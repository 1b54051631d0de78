// Fifty refreshes of one token at once, many times: one is granted, and its child is dead. (contract 3.5.7)
// `ROTATIONS=200 npm test -- test/contract/3-rotation.test.ts` does it more often than `test:all`.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type Client, createClient } from '../support/client/http-client.ts'
import { startInstanceProcess } from '../support/process/instance-process.ts'
import { createTestAccounts, type TestAccount } from '../support/server/accounts.ts'
import { postgresMissing } from '../support/server/databases.ts'
import { password, startTestService, type TestService, withService } from '../support/server/service.ts'

const rounds = Number(process.env['ROTATIONS'] ?? 12)
const atOnce = 50
/** So many rounds run beside each other, each with a user of its own. */
const lanes = 4

withService('3.5 Refresh tokens, all at once', (service) => {
  test(`3.5.7 of ${atOnce} refreshes at once one is granted, ${rounds} times`, async () => {
    const accounts = await createTestAccounts(service(), lanes)
    await everyLane(accounts, async (account) => {
      for (let round = 0; round < rounds / lanes; round += 1) await raceOnce(account, [service().client])
    })
    service().assertLog()
  })

  test('3.5.7 two tokens of one user at once never outlive a reuse of one of them', async () => {
    const [account] = await createTestAccounts(service(), 1)
    for (let round = 0; round < rounds; round += 1) {
      const [used, other] = [await signIn(service().client, account!), await signIn(service().client, account!)]
      const successor = await refresh(service().client, used)
      // While the used one is shown again, the others are being renewed.
      const answers = await Promise.all(
        [other, used, successor.body.refresh_token].map((token) => refresh(service().client, token)),
      )
      for (const { status, body } of answers)
        if (status === 200) assert.equal((await refresh(service().client, body.refresh_token)).status, 401)
      assert.equal((await refresh(service().client, other)).status, 401)
    }
  })

  test('3.5.7 a logout beside a refresh leaves nothing alive once it is answered last', async () => {
    const [account] = await createTestAccounts(service(), 1)
    for (let round = 0; round < rounds; round += 1) {
      const token = await signIn(service().client, account!)
      const [renewed, out] = await Promise.all([
        refresh(service().client, token),
        service().client.send('POST /auth/logout', { body: { refresh_token: token } }),
      ])
      assert.equal(out.status, 200)
      if (renewed.status === 200)
        assert.equal((await refresh(service().client, renewed.body.refresh_token)).status, 401)
    }
  })

  test('3.5.7 a storm of many users gives everybody their own', async () => {
    const accounts = await createTestAccounts(service(), 40)
    await Promise.all(
      accounts.map(async (account) => {
        const answers = await Promise.all(
          Array.from({ length: 5 }, async () => {
            const { status, body } = await refresh(service().client, await signIn(service().client, account))
            assert.equal(status, 200)
            return body.access_token
          }),
        )
        for (const token of answers) {
          const { body } = await service().client.send('GET /api/v2/users/me', {
            headers: { Authorization: `Bearer ${token}` },
          })
          assert.equal(body.data.id, account.id)
        }
      }),
    )
    service().assertLog()
  })
})

describe('3.5 Refresh tokens, in several processes', { skip: postgresMissing }, () => {
  let service: TestService | undefined
  after(() => service?.stop())

  test('3.5.7 of fifty refreshes at once one is granted, whichever process answers', async (t) => {
    service ??= await startTestService('postgres')
    const { client } = service
    const other = await startInstanceProcess(service)
    const otherClient = createClient(other.url)
    t.after(async () => {
      otherClient.close()
      await other.stop()
    })
    const accounts = await createTestAccounts(service, lanes)
    await everyLane(accounts, async (account) => {
      for (let round = 0; round < rounds / lanes; round += 1) await raceOnce(account, [client, otherClient])
    })
  })

  test('3.5.1 a token that was used before its process was killed is a reuse in the next', async () => {
    service ??= await startTestService('postgres')
    const [account] = await createTestAccounts(service, 1)
    const doomed = await startInstanceProcess(service)
    const client = createClient(doomed.url)
    const token = await signIn(client, account!)
    const { body } = await refresh(client, token)
    await doomed.kill()
    client.close()
    const answer = await refresh(service.client, token)
    assert.deepEqual([answer.status, answer.body.error.code], [401, 'TOKEN_REUSED'])
    assert.equal((await refresh(service.client, body.refresh_token)).status, 401)
  })
})

async function raceOnce(account: TestAccount, clients: readonly Client[]): Promise<void> {
  const token = await signIn(clients[0]!, account)
  const answers = await Promise.all(
    Array.from({ length: atOnce }, (_, index) => refresh(clients[index % clients.length]!, token)),
  )
  const granted = answers.filter(({ status }) => status === 200)
  assert.equal(granted.length, 1, `granted: ${granted.length}`)
  const codes = answers
    .filter(({ status }) => status !== 200)
    .map(({ status, body }) => `${status} ${body.error?.code}`)
  assert.deepEqual([...new Set(codes)].sort(), ['401 INVALID_TOKEN', '401 TOKEN_REUSED'])
  assert.equal(codes.filter((code) => code.endsWith('TOKEN_REUSED')).length, 1, 'one of them found out')
  const child = await refresh(clients.at(-1)!, granted[0]!.body.refresh_token)
  assert.deepEqual([child.status, child.body.error?.code], [401, 'INVALID_TOKEN'])
}

async function signIn(client: Client, { email }: TestAccount): Promise<string> {
  const { status, body, text } = await client.send('POST /auth/login', { body: { email, password } })
  assert.equal(status, 200, text)
  return body.refresh_token
}
const refresh = (client: Client, token: string) => client.send('POST /auth/refresh', { body: { refresh_token: token } })
const everyLane = (accounts: readonly TestAccount[], run: (account: TestAccount) => Promise<void>) =>
  Promise.all(accounts.map(run))
