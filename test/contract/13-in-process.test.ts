// Records in the process of a running service: `asService` and `as`, of `start` and `createHandler`. (contract 13.3.13, 13.3.14)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyOf,
  boolean,
  choice,
  createHandler,
  hasToken,
  integer,
  is,
  may,
  nobody,
  one,
  optional,
  own,
  resource,
  self,
  service,
  signedIn,
  start,
  state,
  text,
  token,
} from 'duet-api'
import { accountFields, accounts } from '../support/domain/account.ts'
import { createDatabase, forEachEngine } from '../support/server/databases.ts'

const User = resource('User', {
  prefix: 'usr',
  fields: { ...accountFields, status: state('ACTIVE', 'GONE'), role: choice(['ANY', 'EDITOR'], { default: 'ANY' }) },
  protect: { role: { write: may('manage') } },
  actions: {
    read: { allow: signedIn },
    create: { allow: nobody, accept: ['email', 'password', 'role'] },
    leave: { allow: self, from: 'ACTIVE', to: 'GONE' },
    promote: { allow: may('manage'), accept: ['role'] },
  },
})
let madeCode = ''
let release: () => void = () => {}
let reached: () => void = () => {}
const Note = resource('Note', {
  prefix: 'note',
  fields: {
    owner: one('User'),
    text: text({ max: 40 }),
    size: integer({ default: 1 }),
    isSlow: optional(boolean()),
    code: token({ prefix: 'note' }),
  },
  filter: { owner: is },
  protect: { size: { read: nobody } },
  actions: {
    read: { allow: anyOf(own('owner'), may('read_any'), hasToken('code')) },
    create: {
      allow: own('owner'),
      accept: ['owner', 'text', 'isSlow'],
      effect: async ({ input, tokens }) => {
        madeCode = tokens.code
        if (input.isSlow !== true) return
        await new Promise<void>((resolve) => {
          release = resolve
          reached()
        })
      },
    },
    update: { allow: own('owner'), accept: ['text'] },
    delete: { allow: own('owner') },
  },
})
const definition = service({
  resources: { User, Note },
  accounts,
  roles: { ANY: {}, EDITOR: { notes: ['read_any'], users: ['manage'] } },
})
const password = 'a long password'
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    ({ code }: { code?: string }) => code ?? 'bug',
  )

forEachEngine((engine) => {
  for (const [name, open] of Object.entries({
    start: async (environment: Record<string, string>) => {
      const running = await start(definition, { environment })
      return { ...running, close: running.stop }
    },
    createHandler: (environment: Record<string, string>) => createHandler(definition, { environment }),
  })) {
    const withRunning = async (work: (running: Awaited<ReturnType<typeof open>>) => Promise<void>) => {
      const database = await createDatabase(engine)
      const environment = { PORT: '0', NODE_ENV: 'test', DATABASE_URL: database.url, LIMIT_IP_PER_MINUTE: '1' }
      const running = await open(environment)
      try {
        await work(running)
      } finally {
        await running.close()
        await database.drop()
      }
    }
    const people = async ({ asService: { records } }: Awaited<ReturnType<typeof open>>) => {
      const make = (email: string, role: 'ANY' | 'EDITOR') => records.create(User, { email, password, role } as never)
      return { ann: await make('ann@example.com', 'ANY'), ben: await make('ben@example.com', 'EDITOR') }
    }

    test(`13.3.13 ${name}: the service reads and writes everything, an account what it may`, () =>
      withRunning(async (running) => {
        const { ann, ben } = await people(running)
        const { asService, as } = running
        const [byAnn, byBen] = [as(ann.id).records, as(ben.id).records]
        const note = await byAnn.create(Note, { owner: ann.id, text: 'mine' })
        assert.equal('size' in note, false)
        const other = await asService.records.create(Note, { owner: ben.id, text: 'theirs' })
        assert.equal(other.size, 1)
        assert.deepEqual(
          [await byAnn.count(Note), await byBen.count(Note), await asService.records.sum(Note, 'size')],
          [1, 2, 2],
        )
        const all: string[] = []
        for await (const each of byBen.each(Note, { sort: ['createdAt'] })) all.push(each.text)
        assert.deepEqual(all, ['mine', 'theirs'])
        assert.equal(await codeOf(byAnn.get(Note, other.id)), 'NOT_FOUND')
        assert.equal(await codeOf(byBen.update(Note, note.id, { text: 'x' })), 'FORBIDDEN')
        assert.equal(await codeOf(byAnn.update(Note, note.id, { text: '' })), 'VALIDATION_ERROR')
        assert.equal((await byAnn.update(Note, note.id, { text: 'changed' })).text, 'changed')
        assert.deepEqual(
          (await byAnn.list(Note)).records.map((each) => each.text),
          ['changed'],
        )
        await byAnn.delete(Note, note.id)
        assert.equal(await asService.records.count(Note), 1)
        const once = () =>
          asService.records.once('key', async (records) => records.change(Note, other.id, { text: 'once' }))
        assert.deepEqual([await once(), await once()], [true, false])
        const rows = await asService.records
          .sql`select ${Note.fields.text} as text from ${Note} where deleted_at is null`
        assert.deepEqual(rows, [{ text: 'once' }])
      }))

    test(`13.3.13 ${name}: each call loads the account`, () =>
      withRunning(async (running) => {
        const { ann, ben } = await people(running)
        const { asService, as } = running
        await asService.records.create(Note, { owner: ben.id, text: 'theirs' })
        const byAnn = as(ann.id).records
        assert.equal(await byAnn.count(Note), 0)
        await asService.records.run(User, ann.id, 'promote', { role: 'EDITOR' })
        assert.equal(await byAnn.count(Note), 1)
        await byAnn.run(User, ann.id, 'leave')
        assert.equal(await codeOf(byAnn.count(Note)), 'UNAUTHENTICATED')
        assert.equal(await codeOf(as('usr_01J00000000000000000000000').records.count(Note)), 'UNAUTHENTICATED')
        assert.equal(await codeOf(as(null).records.count(Note)), 'UNAUTHENTICATED')
      }))

    test(`13.3.13 ${name}: an access code opens what it opens to clients`, () =>
      withRunning(async (running) => {
        const { ben } = await people(running)
        const { as } = running
        const { id } = await as(ben.id).records.create(Note, { owner: ben.id, text: 'coded' })
        const withCode = (accessCode: string) => as(null, { accessCode }).records
        assert.equal((await withCode(madeCode).get(Note, id)).text, 'coded')
        assert.equal(await codeOf(withCode('no code').get(Note, id)), 'UNAUTHENTICATED')
        assert.equal(
          await codeOf(as(ben.id, { signal: AbortSignal.abort() }).records.count(Note)),
          'SERVICE_UNAVAILABLE',
        )
      }))

    test(`13.3.14 ${name}: after the service began to stop, calls are refused, and one that runs ends first`, () =>
      withRunning(async (running) => {
        const { ann } = await people(running)
        const { asService, as } = running
        const isReached = new Promise<void>((resolve) => {
          reached = resolve
        })
        const made = as(ann.id).records.create(Note, { owner: ann.id, text: 'slow', isSlow: true })
        await isReached
        const closed = running.close()
        assert.equal(await codeOf(asService.records.count(Note)), 'SERVICE_UNAVAILABLE')
        assert.equal(await codeOf(as(ann.id).records.count(Note)), 'SERVICE_UNAVAILABLE')
        release()
        assert.equal((await made).text, 'slow')
        await closed
      }))
  }
})
