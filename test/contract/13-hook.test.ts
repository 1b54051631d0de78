// The hook of a service for all of its writes, through both faces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ApiKey,
  actor,
  anyone,
  choice,
  integer,
  is,
  nobody,
  one,
  optional,
  own,
  resource,
  route,
  type Service,
  service,
  signedIn,
  state,
  text,
  type WriteMoment,
} from 'duet-api'
import { type FaceName, faceNames, speak } from '../support/client/both-faces.ts'
import { accountFields, accounts } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

const User = resource('User', {
  prefix: 'usr',
  fields: { ...accountFields, role: choice(['ANY'], { default: 'ANY' }) },
  actions: { read: { allow: anyone } },
})
const Note = resource('Note', {
  prefix: 'note',
  fields: {
    owner: one('User', { cascade: 'regardless', default: actor }),
    title: text({ max: 40 }),
    size: integer({ default: 0, max: 1000 }),
    of: optional(one('Note')),
    status: state('open', 'shut'),
  },
  filter: { title: is },
  actions: {
    read: { allow: anyone },
    create: { allow: signedIn, accept: ['title'] },
    update: { allow: own('owner'), accept: ['title'] },
    delete: { allow: own('owner') },
    shut: { allow: own('owner'), from: 'open', to: 'shut' },
    copy: {
      allow: own('owner'),
      effect: async ({ record, records }) => {
        const { id } = await records.here.create({
          owner: record.owner,
          title: `copy of ${record.title}`,
          of: record.id,
        })
        await records.here.change(id, { size: 7 })
        await records.here.run(id, 'shut')
      },
    },
    discard: { allow: own('owner'), effect: ({ record, records }) => records.here.remove(record.of ?? record.id) },
  },
})
const Audit = resource('Audit', {
  prefix: 'aud',
  fields: {
    of: text({ max: 90 }),
    note: optional(one('Note')),
    action: text({ max: 40 }),
    by: optional(text({ max: 40 })),
    fields: text({ max: 200, min: 0 }),
    was: optional(text({ max: 40 })),
  },
  filter: { of: is },
  actions: {
    read: { allow: anyone },
    create: { allow: nobody, accept: ['of', 'note', 'action', 'by', 'fields', 'was'] },
  },
})

const requests = new Map<string, WriteMoment['request']>()

async function onWrite({
  resource: name,
  action,
  id,
  change,
  actor: by,
  record,
  before,
  records,
  request,
}: WriteMoment) {
  requests.set(id, request)
  if (name === 'Note' && change !== null) {
    if (record['title'] === 'forbidden') return 'That word is not written here.'
    if (typeof change['title'] === 'string') change['title'] = change['title'].toUpperCase()
    if (record['title'] === 'huge') change['size'] = 5_000
    if (record['title'] === 'wrong') change['status'] = 'shut'
    if (action === 'update') change['size'] = 1
  }
  const living = name === 'Note' && action !== 'delete'
  await records.create(Audit, {
    of: id,
    note: living ? (id as never) : null,
    action: action ?? 'change',
    by: by?.id ?? null,
    fields: Object.keys(change ?? {})
      .sort()
      .join(' '),
    was: (before?.['title'] as string | undefined) ?? null,
  })
  return undefined
}

const definition: Service<unknown> = service({
  resources: { User, Note, Audit, ApiKey },
  accounts,
  roles: { ANY: {} },
  onWrite,
})

const rename = route('POST', '/api/v1/renamed', {
  summary: 'Rename a note',
  access: signedIn,
  body: { note: text({ max: 64 }) },
  handle: async ({ asService, input }) => {
    await asService.records.update(Note, input.note as never, { title: 'own' })
  },
})

withService(
  '13.5 a hook for all writes',
  (running) => {
    async function begin() {
      const fixtures = running().fixtures({ ann: { User: {} } })
      const ann = await fixtures.idOf('ann')
      const as = (face: FaceName) => speak(face, running(), { as: '{ann}', fixtures })
      const audits = async (id: string) => {
        const { data } = await as('REST').list('Audit', { of: id })
        return (
          (data as { action: string; by: string | null; fields: string; was: string | null }[])
            .map(({ action, by, fields, was }) => [action, by === ann, fields, was])
            // Those of one transaction have one time.
            .sort(([one], [other]) => String(one).localeCompare(String(other)))
        )
      }
      return { as, audits, fixtures }
    }

    test('13.5.1 it is called for every write in its transaction, and may change what is written', async () => {
      const { as, audits } = await begin()
      for (const face of faceNames) {
        const { data } = await as(face).create('Note', { title: 'first' })
        assert.equal(data.title, 'FIRST')
        const changed = await as(face).change('Note', data.id, { title: 'second' })
        assert.equal(changed.data.title, 'SECOND')
        await as(face).move('shut', 'Note', data.id)
        await as(face).remove('Note', data.id)
        assert.deepEqual(await audits(data.id), [
          ['create', true, 'of owner size status title', null],
          ['delete', true, '', 'SECOND'],
          ['shut', true, 'status', 'SECOND'],
          ['update', true, 'size title', 'FIRST'],
        ])
      }
    })

    test('13.5.4 it is given the request, its client and its API key', async () => {
      const { fixtures } = await begin()
      const send = (key: string, more: object = {}) =>
        running().send('POST /api/v1/notes', {
          as: '{ann}',
          fixtures,
          body: { title: 'first' },
          headers: { 'User-Agent': 'import/1', 'X-Request-ID': key },
          ...more,
        })
      const made = await send('rest-1')
      assert.equal(made.status, 201, made.text)
      assert.deepEqual(requests.get(made.body.data.id), {
        id: 'rest-1',
        address: '127.0.0.1',
        agent: 'import/1',
        keyId: null,
      })
      const { body } = await running().graphql('mutation { createNote(input: { title: "second" }) { id } }', {
        as: '{ann}',
        fixtures,
        headers: { 'User-Agent': 'import/2', 'X-Request-ID': 'graphql-1' },
      })
      assert.deepEqual(requests.get(body.data.createNote.id), {
        id: 'graphql-1',
        address: '127.0.0.1',
        agent: 'import/2',
        keyId: null,
      })
      const key = await running().send('POST /api/v1/api-keys', {
        as: '{ann}',
        fixtures,
        body: { name: 'import', scopes: ['*'] },
      })
      assert.equal(key.status, 201, key.text)
      const byKey = await running().client.send('POST /api/v1/notes', {
        body: { title: 'third' },
        headers: { 'X-API-Key': key.body.data.key },
      })
      assert.equal(byKey.status, 201, byKey.text)
      assert.equal(requests.get(byKey.body.data.id)?.keyId, key.body.data.id)
      // The same request, in which a route acts as the service.
      const route = await running().send('POST /api/v1/renamed', {
        as: '{ann}',
        fixtures,
        body: { note: made.body.data.id },
      })
      assert.equal(route.status, 204, route.text)
      assert.equal(requests.get(made.body.data.id), null)
    })

    test('13.5.1 of what effects write as well', async () => {
      const { as, audits } = await begin()
      const { data } = await as('GraphQL').create('Note', { title: 'whole' })
      await as('GraphQL').move('copy', 'Note', data.id)
      const { data: copies } = await as('REST').list('Note', { title: 'COPY OF WHOLE' })
      assert.equal(copies[0].size, 7)
      assert.deepEqual(await audits(copies[0].id), [
        ['change', true, 'size', 'COPY OF WHOLE'],
        ['create', true, 'of owner size status title', null],
        ['shut', true, 'status', 'COPY OF WHOLE'],
      ])
      assert.equal((await as('REST').move('discard', 'Note', copies[0].id)).code, null)
      assert.deepEqual((await audits(data.id)).at(-1), ['delete', true, '', 'WHOLE'])
    })

    test('13.5.2 its sentence is 422, and nothing is stored', async () => {
      const { as } = await begin()
      const before = (await running().tables('notes', 'audits')).length
      for (const face of faceNames) {
        const { code, message } = await as(face).create('Note', { title: 'forbidden' })
        assert.deepEqual([code, message], ['BUSINESS_RULE_VIOLATION', 'That word is not written here.'])
      }
      assert.equal((await running().tables('notes', 'audits')).length, before)
    })

    test('13.5.3 what it gives is held to its field, and states are for moves', async () => {
      const { as, fixtures } = await begin()
      const huge = await as('REST').create('Note', { title: 'huge' })
      assert.deepEqual([huge.code, huge.message], ['BUSINESS_RULE_VIOLATION', 'The result is larger than 1000.'])
      const { status } = await running().send('POST /api/v1/notes', { as: '{ann}', fixtures, body: { title: 'wrong' } })
      assert.equal(status, 500)
      assert.match(running().log().join(''), /onWrite changes Note\.status, which only moves change\./)
      running().forgetLog()
    })

    test('13.5.1 of each record of a request', async () => {
      const { fixtures, audits } = await begin()
      const body = { notes: [{ title: 'a' }, { title: 'b' }] }
      const made = await running().send('POST /api/v1/notes/batch', { as: '{ann}', fixtures, body })
      assert.equal(made.status, 201, made.text)
      for (const { id, title } of made.body.data) {
        assert.match(title, /^[AB]$/)
        assert.equal((await audits(id)).length, 1)
      }
    })
  },
  { definition, routes: [rename] },
)
