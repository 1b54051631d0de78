// Questions that take long: they end, and nobody else waits for them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultLimits } from '../../src/limits.ts'
import { assertOthersAnswered } from '../support/check/others.ts'
import { desk } from '../support/domain/desk.ts'
import { mailroom } from '../support/domain/mailroom.ts'
import { copyRecord, whileLocked } from '../support/rows/long-question.ts'
import { type TestService, withService } from '../support/server/service.ts'

const given = {
  ann: { User: { name: 'Ann' } },
  one: { Ticket: { title: 'One', status: 'open', owner: '{ann}' } },
  three: { Ticket: { title: 'Three', status: 'closed', owner: '{ann}' } },
} as const

/** Of 4,000 tickets each has a list of all of them, and of none is it true. */
const endless = 'some(owner.owned, NOT startsWith(title, "O") AND NOT startsWith(title, "T"))'
const many = 4_000

async function fill(service: TestService): Promise<void> {
  const fixtures = service.fixtures(given)
  const [, one] = await Promise.all(['three', 'one'].map((name) => fixtures.idOf(name as 'one')))
  if (service.engine === 'sqlite') await copyRecord(service, 'Ticket', one!, many)
}

const listOf = (service: TestService, where: string): ReturnType<TestService['send']> =>
  service.send(`GET /api/v2/tickets?where=${encodeURIComponent(where)}`, { as: 'viewer' })

/** The answer to what is cheap: a busy machine may need longer than the limit for any one attempt, but not for all. */
async function answerWithin(ask: () => ReturnType<TestService['send']>): ReturnType<TestService['send']> {
  let answer = await ask()
  for (let attempt = 1; attempt < 50 && answer.status === 504; attempt++) answer = await ask()
  assert.equal(answer.status, 200, answer.text)
  return answer
}

withService(
  '12.1 Conditions that take too long',
  (running) => {
    test('12.1.13 such a condition is 504, and the service goes on', async () => {
      const service = running()
      await fill(service)
      const ask = async () => {
        const slow = await listOf(service, endless)
        assert.equal(slow.status, 504, slow.text)
        assert.equal(slow.body.error.code, 'UPSTREAM_TIMEOUT')
        const document = 'query ($where: String) { ticketList(whereText: $where) { id } }'
        const { body } = await service.graphql(document, { as: 'viewer', variables: { where: endless } })
        assert.equal(body.errors[0].extensions.code, 'UPSTREAM_TIMEOUT')
        assert.deepEqual(body.errors[0].path, ['ticketList'])
      }
      await (service.engine === 'sqlite' ? ask() : whileLocked(service, 'tickets', ask))
      const { body } = await answerWithin(() => listOf(service, 'title = "Three"'))
      assert.equal(body.data.length, 1)
    })
  },
  { definition: desk, limits: { whereTimeoutMs: 100 } },
)

withService(
  '12.1 Questions beside others',
  (running) => {
    test('12.1.14 others are answered while a condition walks over a table', async () => {
      const service = running()
      await fill(service)
      const id = await service.fixtures(given).idOf('three')
      let hasEnded = false
      const ask = async () => {
        const slow = listOf(service, endless).finally(() => {
          hasEnded = true
        })
        let answered = 0
        // PostgreSQL has locked the tickets.
        const path = service.engine === 'sqlite' ? `/api/v2/tickets/${id}` : '/health'
        while (!hasEnded) {
          const { status } = await service.send(`GET ${path}`, { as: 'viewer' })
          assert.equal(status, 200)
          if (!hasEnded) answered++
        }
        assert.equal((await slow).status, 504)
        // If it had been held up, the second at the latest would have come after the condition.
        assert(answered > 1, `${answered} answers`)
      }
      await (service.engine === 'sqlite' ? ask() : whileLocked(service, 'tickets', ask))
    })

    test('12.1.14, 12.1.17 where too many wait, the rest is 503', async () => {
      const service = running()
      if (service.engine !== 'sqlite') return
      const answers = await Promise.all([endless, endless, endless, endless].map((each) => listOf(service, each)))
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [503, 503, 504, 504])
      assert.equal(answers.find(({ status }) => status === 503)!.headers['retry-after'], '1')
    })

    test('12.1.14, 12.1.17 what walks sees what was written before', async () => {
      const service = running()
      const fixtures = service.fixtures({ ...given, four: { Ticket: { title: 'Four', owner: '{ann}' } } })
      await fixtures.idOf('four')
      const others = 'NOT startsWith(title, "O") AND NOT startsWith(title, "T")'
      const { body } = await answerWithin(() => listOf(service, others))
      assert.deepEqual(
        body.data.map(({ title }: { title: string }) => title),
        ['Four'],
      )
    })
  },
  { definition: desk, limits: { whereTimeoutMs: 1_000, questionsWaiting: 1 } },
)

withService(
  '12.1 Many questions at once',
  (running) => {
    test('12.1.14, 12.1.18 others are answered, and the process is ready, while many conditions take long', async () => {
      const service = running()
      await fill(service)
      const ask = async () => {
        const headers = { Authorization: `Bearer ${await service.token(await service.fixtures().idOf('viewer'))}` }
        const slow = Array.from({ length: 12 }, (_, at) => listOf(service, `${endless} AND title != "${at}"`))
        // Where PostgreSQL has locked the table, these take long as well, although nothing tells of it beforehand.
        const locked = Array.from({ length: 12 }, (_, at) =>
          service.client.send(`GET /api/v2/tickets?per_page=${at + 1}`, { headers }),
        )
        const paths = ['/health/ready', '/api/v2/users/me']
        let at = 0
        const others = () => service.client.send(`GET ${paths[at++ % 2]}`, { headers })
        await assertOthersAnswered(Promise.all([...slow, ...locked]), others)
        assert(at > 5, `${at} answers`)
      }
      await (service.engine === 'sqlite' ? ask() : whileLocked(service, 'tickets', ask))
    })
  },
  {
    definition: desk,
    limits: {
      whereTimeoutMs: 4_000,
      statementTimeoutMs: 4_000,
      executionTimeoutMs: 4_000,
      effectTimeoutMs: 30_000,
      // What takes longer leaves the connections of short reads.
      readBlockingMs: defaultLimits.readBlockingMs,
    },
  },
)

withService(
  '12.2 Searches that take too long',
  (running) => {
    test('12.2.32 such a search is 504 on both faces, and the service goes on', async () => {
      const service = running()
      const letter = { Letter: { subject: 'Paper', round: 'first', owner: '{ann}' } }
      const fixtures = service.fixtures({ ann: { User: { name: 'Ann' } }, letter })
      const id = await fixtures.idOf('letter')
      if (service.engine === 'sqlite') await copyRecord(service, 'Letter', id, 20_000)
      const ask = async () => {
        const slow = await service.send('GET /api/v2/letters?q=paper', { as: 'editor' })
        assert.equal(slow.status, 504, slow.text)
        const { body } = await service.graphql('{ letterList(search: "paper") { id } }', { as: 'editor' })
        assert.equal(body.errors[0].extensions.code, 'UPSTREAM_TIMEOUT')
      }
      await (service.engine === 'sqlite' ? ask() : whileLocked(service, 'letters', ask))
      await answerWithin(() => service.send('GET /api/v2/letters?q=scissors', { as: 'editor' }))
    })
  },
  { definition: mailroom, limits: { whereTimeoutMs: 20 } },
)
