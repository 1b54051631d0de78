// What the code of a service names wrongly, in routes, as the service, in checks and in effects: a bug, and no client's problem.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyone,
  choice,
  email,
  integer,
  is,
  optional,
  password,
  resource,
  route,
  service,
  signedIn,
  state,
  text,
} from 'duet-api'
import { withService } from '../support/server/service.ts'

// biome-ignore lint/suspicious/noExplicitAny: what does not compile is what is tested.
type Loose = any
type Work = (records: Loose) => Promise<unknown>
let work: Work = async () => null

const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    password: password({ min: 8, max: 200 }),
    role: choice(['VIEWER', 'EDITOR', 'ADMIN'], { default: 'VIEWER' }),
    status: state('ACTIVE'),
  },
  actions: { read: { allow: anyone } },
})
const Thing = resource('Thing', {
  prefix: 'thi',
  fields: { title: text({ max: 20 }), size: optional(integer({ min: 0, max: 9 })), note: optional(text({ max: 9 })) },
  filter: { title: is, size: is },
  sort: ['title'],
  where: ['title', 'size'],
  search: ['title'],
  actions: {
    read: { allow: anyone },
    create: { allow: signedIn, accept: ['title', 'size'] },
    update: { allow: signedIn, accept: ['title'] },
  },
})
const Probe = resource('Probe', {
  prefix: 'pro',
  fields: { title: text({ max: 20 }), step: choice(['check', 'effect']) },
  actions: {
    read: { allow: anyone },
    create: {
      allow: signedIn,
      accept: ['title', 'step'],
      check: async ({ input, records }) => {
        if (input.step === 'check') await work(records)
        return true as const
      },
      effect: async ({ input, records }) => {
        if (input.step === 'effect') await work(records)
      },
    },
  },
})
const definition = service({
  resources: { User, Thing, Probe },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: { VIEWER: {}, EDITOR: {}, ADMIN: 'everything' },
})
const probe = (path: `/api/v1/${string}`, handle: (moment: Loose) => Promise<unknown>) =>
  route('POST', path, { access: signedIn, summary: 'Runs what a test says.', handle: handle as never })
const routes = [
  probe('/api/v1/asked', async ({ records }) => void (await work(records))),
  probe('/api/v1/served', async ({ asService }) => void (await work(asService.records))),
]

const readMistakes: Readonly<Record<string, Work>> = {
  'an order': (records) => records.list(Thing, { sort: ['nothing'] }),
  'an order twice': (records) => records.list(Thing, { sort: ['title', '-title'] }),
  'a filter': (records) => records.list(Thing, { filter: { nothing: 1 } }),
  'a filter of a count': (records) => records.count(Thing, { filter: { nothing: 1 } }),
  'a name in a condition': (records) => records.list(Thing, { where: { nothing: { eq: 1 } } }),
  'an operator': (records) => records.count(Thing, { where: { title: { nothing: 1 } } }),
  'an empty condition': (records) => records.list(Thing, { where: {} }),
  'a condition of another form': (records) => records.list(Thing, { where: { or: 'x' } }),
  'a field that is summed': (records) => records.sum(Thing, 'title'),
  'a field that has a greatest value': (records) => records.max(Thing, 'title'),
  'a resource': (records) => records.list({ name: 'Nothing' }),
  'a page of nothing': (records) => records.list(Thing, { limit: 0 }),
  'a page of too many': (records) => records.list(Thing, { limit: 101 }),
  'half a page': (records) => records.list(Thing, { limit: 1.5 }),
  'a page before the first': (records) => records.list(Thing, { page: 0 }),
}
const routeMistakes: Readonly<Record<string, Work>> = {
  ...readMistakes,
  'a field of a create': (records) => records.create(Thing, { title: 'a', note: 'n' }),
  'a field of an update': (records) => records.update(Thing, 'thi_1', { size: 1 }),
  'a move': (records) => records.run(Thing, 'thi_1', 'nothing'),
}
const values: readonly (readonly [it: string, work: Work, field: string])[] = [
  ['a filter', (records) => records.list(Thing, { filter: { size: 10 } }), 'size'],
  ['a condition', (records) => records.list(Thing, { where: { title: { startsWith: '' } } }), 'where.title.startsWith'],
  ['a text of a condition', (records) => records.list(Thing, { where: 'nothing = 1' }), 'where'],
  ['a search', (records) => records.list(Thing, { search: '-a' }), 'search'],
  ['a page far away', (records) => records.list(Thing, { page: 1_000_000 }), 'page'],
  ['an input', (records) => records.create(Thing, { title: '' }), 'title'],
]

withService(
  '13.3 Mistakes of code',
  (running) => {
    const send = async (line: string, body?: object) => {
      const { status, body: sent } = await running().send(line, {
        as: 'viewer',
        ...(body === undefined ? {} : { body }),
      })
      return { status, details: sent?.error?.details as { field: string }[] | undefined }
    }
    const bugs = () =>
      running()
        .log()
        .filter((line) => line.includes('"level":"error"')).length
    const assertBug = async (it: string, line: string, body?: object) => {
      const before = bugs()
      assert.deepEqual(await send(line, body), { status: 500, details: undefined }, it)
      assert.ok(bugs() > before, it)
    }
    for (const path of ['asked', 'served'])
      test(`13.3.11 are a bug where a route has them: ${path}`, async () => {
        for (const [it, each] of Object.entries(routeMistakes)) {
          work = each
          await assertBug(it, `POST /api/v1/${path}`)
        }
      })
    for (const where of ['check', 'effect'])
      test(`13.3.11 are a bug in the ${where} of an action, of which nothing is stored`, async () => {
        for (const [it, each] of Object.entries(readMistakes)) {
          work = each
          await assertBug(it, 'POST /api/v1/probes', { title: 'never', step: where })
        }
        const { status, body } = await running().send('GET /api/v1/probes')
        assert.deepEqual([status, body.data], [200, []])
      })
    test('13.3.11 a value that a client may have sent is 400, as in its own request', async () => {
      for (const [it, each, field] of values) {
        work = each
        const { status, details } = await send('POST /api/v1/asked')
        assert.deepEqual([status, details?.map((detail) => detail.field)], [400, [field]], it)
      }
    })
  },
  { definition, routes },
)
