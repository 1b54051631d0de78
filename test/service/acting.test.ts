// `asService.records`: what routes and reactions do as the service itself, beside what their caller may.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  actor,
  anyone,
  choice,
  event,
  Failure,
  integer,
  nobody,
  on,
  one,
  optional,
  own,
  resource,
  route,
  self,
  service,
  signedIn,
  state,
  text,
} from 'duet-api'
import { accountFields, accounts } from '../support/domain/account.ts'
import { forEachEngine } from '../support/server/databases.ts'
import { startTestService, type TestService } from '../support/server/service.ts'

const User = resource('User', {
  prefix: 'usr',
  fields: {
    ...accountFields,
    role: choice(['ANY', 'ROOT'], { default: 'ANY' }),
    hookSecret: optional(text({ max: 40 })),
  },
  protect: { email: { read: self }, hookSecret: { read: nobody, write: nobody } },
  actions: { read: { allow: anyone }, update: { allow: self, accept: ['hookSecret'] } },
})
const Invoice = resource('Invoice', {
  prefix: 'inv',
  fields: {
    customer: one('User', { cascade: 'regardless', default: actor }),
    clerk: optional(one('User')),
    number: text({ max: 9, unique: true }),
    total: integer({ min: 1, max: 1000 }),
    reference: optional(text({ max: 9 })),
    status: state('open', 'paid', 'void'),
  },
  actions: {
    read: { allow: own('customer') },
    create: { allow: signedIn, accept: ['number', 'total'] },
    update: { allow: own('customer'), accept: ['total'], set: { clerk: ({ actor }) => actor.id } },
    pay: {
      allow: nobody,
      accept: ['reference'],
      from: 'open',
      to: 'paid',
      check: ({ record }) => record.total !== 13 || 'Thirteen is paid by nobody.',
      effect: async ({ record, records }) => {
        const [receipt] = await records.lockReadable(Ledger, [ledgerOf.get(record.number) ?? ''].filter(Boolean))
        if (receipt !== undefined) await records.change(Ledger, receipt.id, { sum: receipt.sum + record.total })
      },
      emit: event('invoicePaid'),
    },
    check: { allow: nobody, from: 'open', set: { clerk: ({ actor }) => actor.id } },
    void: { allow: own('customer'), from: 'open', to: 'void' },
  },
})
/** Readable by nobody at all. */
const Ledger = resource('Ledger', {
  prefix: 'led',
  fields: { sum: integer({ min: 0 }) },
  actions: { read: { allow: nobody } },
})
/** Which ledger an invoice's payment goes to. */
const ledgerOf = new Map<string, string>()

const definition = service({
  resources: { User, Invoice, Ledger },
  accounts,
  roles: { ANY: {}, ROOT: 'everything' },
})

const body = {
  invoice: one('Invoice'),
  as: choice(['caller', 'service'], { default: 'service' }),
  reference: optional(text({ max: 99 })),
}
const hook = route('POST', '/api/v1/hooks/payments', {
  summary: 'Hear of a payment',
  access: anyone,
  body,
  answer: { status: text({ max: 9 }), reference: optional(text({ max: 9 })) },
  async handle({ actor, input, records, asService }) {
    const { invoice, as, reference } = input
    const paid = await (as === 'caller' ? records : asService.records).run(Invoice, invoice, 'pay', { reference })
    assert.equal(actor === null, actor?.id === undefined)
    return { status: paid.status, reference: paid.reference }
  },
})

type Probe = (moment: {
  asService: import('duet-api').AsService
  records: import('duet-api').RouteRecords
}) => Promise<unknown>
let probe: Probe = async () => null
/** Runs whatever a test wants to know inside of a route. */
const probing = route('POST', '/api/v1/hooks/probes', {
  summary: 'Probe',
  access: anyone,
  async handle(moment) {
    await probe(moment)
  },
})

const people = { ann: { User: { hookSecret: 'sec_ann' } }, ben: { User: {} }, root: { User: { role: 'ROOT' } } }
const invoice = (number: string, more: object = {}) => ({
  Invoice: { customer: '{ann}', number, total: 5, status: 'open', ...more },
})

forEachEngine((engine) => {
  async function withService(
    work: (service: TestService) => Promise<void>,
    options: Parameters<typeof startTestService>[1] = {},
  ): Promise<void> {
    ledgerOf.clear()
    const service = await startTestService(engine, {
      definition,
      routes: [hook, probing],
      logsRequests: true,
      ...options,
    })
    try {
      await work(service)
    } finally {
      await service.stop()
    }
  }
  async function probed<T>(service: TestService, work: (moment: Parameters<Probe>[0]) => Promise<T>): Promise<T> {
    let result: T | undefined
    probe = async (moment) => {
      result = await work(moment)
    }
    const { status, text } = await service.send('POST /api/v1/hooks/probes')
    assert.equal(status, 204, text)
    return result as T
  }

  test('a webhook with an anonymous caller marks as paid what no user may pay', async () => {
    await withService(async (service) => {
      const fixtures = service.fixtures({ ...people, bill: invoice('1'), other: invoice('2') })
      const paid = await service.send('POST /api/v1/hooks/payments', {
        fixtures,
        body: { invoice_id: '{bill}', reference: 'R1' },
      })
      assert.deepEqual([paid.status, paid.body.data], [200, { status: 'paid', reference: 'R1' }], paid.text)
      const again = await service.send('POST /api/v1/hooks/payments', { fixtures, body: { invoice_id: '{bill}' } })
      assert.deepEqual([again.status, again.body.error.message], [409, 'To pay it, status must be open; it is paid.'])
      for (const [as, status] of [
        ['anonymous', 401],
        ['{ann}', 403],
        ['{root}', 403],
      ] as const) {
        const body = { invoice_id: '{other}', as: 'caller' }
        const answer = await service.send('POST /api/v1/hooks/payments', { fixtures, as, body })
        assert.equal(answer.status, status, `as ${as}`)
      }
      const [line] = service.logged().filter(({ route, status }) => route === hook.path && status === 200)
      assert.deepEqual([line?.['asService'], line?.['userId']], [true, undefined])
      const refused = service.logged().filter(({ route, status }) => route === hook.path && status === 403)
      assert.deepEqual(
        refused.map(({ asService }) => asService),
        [undefined, undefined],
      )
      service.assertLog()
    })
  })

  test('5.5.5 an action that no caller may begin has no address and no field', async () => {
    await withService(async (service) => {
      const fixtures = service.fixtures({ ...people, bill: invoice('1') })
      const rest = await service.send('POST /api/v1/invoices/{bill}/pay', { as: '{ann}', fixtures })
      assert.equal(rest.status, 404, rest.text)
      const { body } = await service.graphql('mutation { payInvoice(id: "{bill}") { id } }', { as: '{ann}', fixtures })
      assert.match(body.errors[0].message, /Cannot query field "payInvoice"/)
      const field = await service.graphql('{ invoice(id: "{bill}") { id } }', { as: '{ann}', fixtures })
      assert.equal(field.body.data.invoice.id, await fixtures.idOf('bill'))
    })
  })

  test('everything can be read but what is kept as a hash, and a caller sees no more for it', async () => {
    await withService(async (service) => {
      const fixtures = service.fixtures({ ...people, bill: invoice('1'), paid: invoice('2', { status: 'paid' }) })
      const [ann, bill] = [await fixtures.idOf('ann'), await fixtures.idOf('bill')]
      await fixtures.idOf('paid')
      await probed(service, async ({ records, asService }) => {
        const seen = await records.get(User, ann)
        assert.deepEqual(['email' in seen, 'hookSecret' in seen], [false, false])
        const whole = await asService.records.get(User, ann)
        assert.equal(whole.hookSecret, 'sec_ann')
        assert.match(whole.email, /@/)
        assert(!('password' in whole))
        assert.deepEqual(Object.keys(await records.get(User, ann)), Object.keys(seen))
        const listed = await asService.records.list(Invoice, { sort: ['createdAt'] })
        assert.deepEqual(listed.records.map(({ number }) => number).sort(), ['1', '2'])
        assert.deepEqual((await asService.records.get(Invoice, bill)).customer, ann)
        await assert.rejects(records.list(Invoice), codeOf('UNAUTHENTICATED'))
        await assert.rejects(asService.records.get(Invoice, 'inv_1'), codeOf('NOT_FOUND'))
        // Orders and filters may name what nobody may read.
        assert.deepEqual((await asService.records.list(Ledger)).records, [])
      })
      service.assertLog()
    })
  })

  test('writes ask no rule, and everything else of the action', async () => {
    await withService(async (service) => {
      const fixtures = service.fixtures({
        ...people,
        bill: invoice('1'),
        odd: invoice('2', { total: 13 }),
        led: { Ledger: { sum: 1 } },
      })
      const [ann, ben, bill, odd, led] = await Promise.all(
        ['ann', 'ben', 'bill', 'odd', 'led'].map((name) => fixtures.idOf(name)),
      )
      await probed(service, async ({ asService: { records } }) => {
        const made = await records.create(Invoice, { customer: ann!, number: '3', total: 7 })
        assert.deepEqual([made.customer, made.status, made.total], [ann, 'open', 7])
        await assert.rejects(records.create(Invoice, { customer: ann!, number: '3', total: 7 }), codeOf('CONFLICT'))
        await assert.rejects(
          records.create(Invoice, { customer: 'usr_1', number: '4', total: 7 }),
          codeOf('BUSINESS_RULE_VIOLATION'),
        )
        await assert.rejects(records.create(Invoice, { customer: ann!, number: '4', total: 0 }), (error: Failure) => {
          assert.deepEqual([error.code, error.details?.map(({ field }) => field)], ['VALIDATION_ERROR', ['total']])
          return true
        })
        const slip = { customer: ann!, number: '4', total: 7, reference: 'R' } as {
          customer: string
          number: string
          total: number
        }
        await assert.rejects(records.create(Invoice, slip), {
          message: "The service's own code gives Invoice.create reference, which it does not take.",
        })
        await assert.rejects(records.create(Invoice, { number: '4', total: 7 } as never), {
          message: "The service's own code creates Invoice without customer, and the caller is anonymous.",
        })
        await assert.rejects(records.run(Invoice, odd!, 'pay'), { message: 'Thirteen is paid by nobody.' })
        await assert.rejects(records.run(Invoice, bill!, 'check'), {
          message:
            "The service's own code runs Invoice.check without clerk, whose set needs an actor, and the caller is anonymous.",
        })
        assert.equal((await records.run(Invoice, bill!, 'check', { clerk: ben! })).clerk, ben)
        const changed = await records.update(Invoice, bill!, { total: 9, clerk: ann! })
        assert.deepEqual([changed.total, changed.clerk], [9, ann])
        // The effect of what the service runs sees what the service sees.
        ledgerOf.set('1', led!)
        await records.run(Invoice, bill!, 'pay', { reference: 'R' })
        assert.equal((await records.get(Ledger, led!)).sum, 10)
        await assert.rejects(records.run(Invoice, bill!, 'void'), codeOf('CONFLICT'))
        assert.equal((await records.update(User, ann!, { hookSecret: 'new' })).hookSecret, 'new')
      })
      service.assertLog()
    })
  })

  test('a reaction has no caller, and mails private values as the service', async () => {
    const mails: string[] = []
    const heard = Promise.withResolvers<void>()
    const mailing = on(Invoice, 'invoicePaid', async ({ record, records, asService, finish }) => {
      await assert.rejects(records.get(Invoice, record!.id), codeOf('UNAUTHENTICATED'))
      assert.equal('email' in (await records.get(User, record!.customer)), false)
      const { email } = await asService.records.get(User, record!.customer)
      const { records: theirs } = await asService.records.list(Invoice, { sort: ['createdAt'] })
      mails.push(`${email}: ${record!.number} of ${theirs.length}`)
      const made = await asService.records.create(Invoice, { customer: record!.customer, number: '9', total: 1 })
      await asService.records.run(Invoice, made.id, 'void')
      await finish((changes) => changes.change(Invoice, made.id, { reference: 'seen' }))
      heard.resolve()
    })
    await withService(
      async (service) => {
        const fixtures = service.fixtures({ ...people, bill: invoice('1'), other: invoice('2') })
        const [ann] = [await fixtures.idOf('ann'), await fixtures.idOf('other')]
        const { email } = await probed(service, ({ asService }) => asService.records.get(User, ann))
        await service.send('POST /api/v1/hooks/payments', { fixtures, body: { invoice_id: '{bill}' } })
        await heard.promise
        assert.deepEqual(mails, [`${email}: 1 of 2`])
        const { records } = await probed(service, ({ asService }) => asService.records.list(Invoice))
        const made = records.find(({ number }) => number === '9')
        assert.deepEqual([made?.status, made?.reference], ['void', 'seen'])
        service.assertLog()
      },
      { reactions: [mailing], limits: { eventPollMs: 10 } },
    )
  })
})

const codeOf = (code: string) => (error: unknown) => {
  assert(error instanceof Failure, String(error))
  assert.equal(error.code, code)
  return true
}
