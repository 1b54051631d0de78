// What code gives for a reference to one of several resources: its type and its id, which are what it reads. (contract 11.6.2)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { either, one, optional, resource, type Service, service, signedIn } from 'duet-api'
import { accounts, User } from '../../../test/support/domain/account.ts'
import { withService } from '../../../test/support/server/service.ts'

const define = resource as unknown as (name: string, definition: object) => never
const Issue = define('Issue', { prefix: 'iss', fields: {}, actions: { read: { allow: signedIn } } })
const Page = define('Page', { prefix: 'pag', fields: {}, actions: { read: { allow: signedIn } } })

interface Transaction {
  readonly input: object
  readonly assign: (change: object) => void
  readonly records: {
    create(of: unknown, values: object): Promise<{ readonly id: string }>
    change(of: unknown, id: string, values: object): Promise<void>
    run(of: unknown, id: string, move: string, input: object): Promise<void>
  }
}
/** What effects do in the test that runs: of a deed, and of a new remark. */
type Effect = (transaction: Transaction) => Promise<unknown>
const code: { do: Effect; begin: Effect } = { do: async () => {}, begin: async () => {} }

const Remark = define('Remark', {
  prefix: 'rem',
  fields: {
    issue: optional(one('Issue')),
    page: optional(one('Page')),
    target: optional(either(['issue', 'page'])),
    firstPage: optional(one('Page')),
    firstIssue: optional(one('Issue')),
    first: either(['firstPage', 'firstIssue']),
  },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['target'], effect: (transaction: Transaction) => code.begin(transaction) },
    turn: { allow: signedIn, accept: ['target', 'first'] },
  },
})
const Deed = define('Deed', {
  prefix: 'deed',
  fields: {},
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, effect: (transaction: Transaction) => code.do(transaction) },
  },
})
const definition = (service as unknown as (definition: object) => Service<unknown>)({
  resources: { User, Issue, Page, Remark, Deed },
  accounts,
  roles: { ANY: {} },
})

withService(
  'what code gives for a reference to one of several resources',
  (running) => {
    async function begin() {
      const fixtures = running().fixtures({
        ann: { User: { email: 'ann.{word}@example.com' } },
        issue: { Issue: {} },
        page: { Page: {} },
        remark: { Remark: { issue: '{issue}', firstPage: '{page}' } },
      })
      const send = (line: string, body?: object) =>
        running().send(line, { as: '{ann}', fixtures, ...(body === undefined ? {} : { body }) })
      const [issue, page, remark, ann] = [
        await fixtures.idOf('issue'),
        await fixtures.idOf('page'),
        await fixtures.idOf('remark'),
        await fixtures.idOf('ann'),
      ]
      return { send, issue, page, remark, ann }
    }

    test('it reads and writes the type and the id', async () => {
      const { send, issue, page } = await begin()
      const [anIssue, aPage] = [
        { type: 'Issue', id: issue },
        { type: 'Page', id: page },
      ]
      let seen: unknown
      code.begin = async ({ input, assign }) => {
        seen = (input as { target: unknown }).target
        assign({ first: aPage })
      }
      const made = await send('POST /api/v1/remarks', { target: anIssue })
      assert.equal(made.status, 201, made.text)
      assert.deepEqual([seen, made.body.data.target, made.body.data.first], [anIssue, anIssue, aPage])
      let other = ''
      const read = async () => (await send(`GET /api/v1/remarks/${other}`)).body.data
      code.do = async ({ records }) => {
        other = (await records.create(Remark, { first: anIssue })).id
        await records.change(Remark, other, { target: aPage })
      }
      assert.equal((await send('POST /api/v1/deeds')).status, 201)
      assert.deepEqual([seen, (await read()).target, (await read()).issue_id], [null, aPage, null])
      code.do = ({ records }) => records.run(Remark, other, 'turn', { target: null, first: anIssue })
      assert.equal((await send('POST /api/v1/deeds')).status, 201)
      assert.deepEqual([(await read()).target, (await read()).page_id, (await read()).first], [null, null, anIssue])
    })

    type Ids = Awaited<ReturnType<typeof begin>>
    const wrong: readonly [name: string, values: (ids: Ids) => object, message: RegExp][] = [
      ['one of its relations', ({ issue }) => ({ issue }), /gives Remark\.issue, which is part of target: give target/],
      ['an id alone', ({ issue }) => ({ target: issue }), /Remark\.target .* Must be an object with type and id/],
      [
        'another type',
        ({ ann }) => ({ first: { type: 'User', id: ann } }),
        /Remark\.first\.type .* one of Page, Issue/,
      ],
      ['none although it is required', () => ({ first: null }), /Remark\.first /],
    ]
    for (const [name, values, message] of wrong)
      test(`it cannot give ${name}`, async () => {
        const ids = await begin()
        code.do = ({ records }) => records.change(Remark, ids.remark, values(ids))
        running().forgetLog()
        assert.equal((await ids.send('POST /api/v1/deeds')).status, 500)
        assert.match(running().log().join(''), message)
      })

    test('it cannot leave a new record without a required one', async () => {
      const { send } = await begin()
      code.begin = async () => {}
      running().forgetLog()
      assert.equal((await send('POST /api/v1/remarks', {})).status, 500)
      assert.match(running().log().join(''), /Remark\.first .* Exactly one of firstPage, firstIssue must be set/)
    })
  },
  { definition },
)
