// Tenants that require a second factor of their members: who is one, what sign-in demands, and switching it on amid requests.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { TestSocket } from '../support/client/websocket.ts'
import { workspaces } from '../support/domain/workspaces.ts'
import { startReceiver } from '../support/server/receiver.ts'
import { bearer, begin, claimsOf, codeAt, dataKey, refusalOf, setUpIn } from '../support/server/second-factor.ts'
import { withService } from '../support/server/service.ts'
import { startMailServer } from '../support/server/smtp.ts'

const smtp = await startMailServer()
after(() => smtp.close())

type Sending = ReturnType<typeof bearer>
interface Ids {
  readonly company: string
  readonly seat: string
  readonly project: string
  readonly note: string
}

withService(
  '10.2 Tenants that require a second factor',
  (service) => {
    const send = (line: string, as: object, body?: object) =>
      service().send(line, { ...as, ...(body === undefined ? {} : { body }) })

    /** A company whose project has a note. Both owners are signed in, the first with a second factor. */
    async function open({ company = {}, project = {}, seat = {} } = {}) {
      const [owner, other] = [await begin(service()), await begin(service())]
      const { refresh_token, access_token } = await owner.signIn()
      await setUpIn(service(), access_token)
      const { body: proven } = await send('POST /auth/refresh', {}, { refresh_token })
      const tokens = await other.signIn()
      const fixtures = service().fixtures({
        company: { Company: { name: 'One', ...company } },
        owns: { Seat: { company: '{company}', user: owner.id, role: 'OWNER' } },
        seat: { Seat: { company: '{company}', user: other.id, role: 'OWNER', ...seat } },
        project: { Project: { company: '{company}', name: 'Inner', ...project } },
        leads: { Place: { project: '{project}', user: owner.id, role: 'OWNER' } },
        place: { Place: { project: '{project}', user: other.id, role: 'OWNER' } },
        note: { Note: { project: '{project}', text: 'secret' } },
      })
      await fixtures.idOf('place')
      await fixtures.idOf('leads')
      await fixtures.idOf('owns')
      const idOf = (name: keyof Ids) => fixtures.idOf(name)
      const ids: Ids = {
        company: await idOf('company'),
        seat: await idOf('seat'),
        project: await idOf('project'),
        note: await idOf('note'),
      }
      return { owner, other, tokens, proven: bearer(proven.access_token), plain: bearer(tokens.access_token), ids }
    }
    const require = (ids: Ids, as: Sending, isStrict = true) =>
      send(`PATCH /api/v1/companies/${ids.company}`, as, { is_strict: isStrict })

    /** Which of them the caller sees: one by one, in lists, and through both faces, which must agree. */
    async function seen(ids: Ids, as: object): Promise<readonly string[]> {
      const found: string[] = []
      for (const [name, path] of [
        ['company', 'companies'],
        ['project', 'projects'],
        ['note', 'notes'],
      ] as const) {
        const { status } = await send(`GET /api/v1/${path}/${ids[name]}`, as)
        assert.ok([200, 404].includes(status), `${name} is ${status}`)
        const { body: list } = await send(`GET /api/v1/${path}`, as)
        const query = `{ ${name}(id: "${ids[name]}") { id } ${path}(first: 9) { nodes { id } } }`
        const { data } = (await service().graphql(query, as)).body
        const has = (records: readonly { readonly id: string }[]) => records.some(({ id }) => id === ids[name])
        const answers = [has(list.data), data[name] !== null, has(data[path].nodes)]
        assert.deepEqual(answers, [status === 200, status === 200, status === 200], `${name}: ${status}`)
        if (status === 200) found.push(name)
      }
      return found
    }
    const all = ['company', 'project', 'note']

    test('10.2.23 a session without a second factor is a member until one is required, and in no tenant inside', async () => {
      const { plain, proven, ids } = await open()
      assert.deepEqual([await seen(ids, plain), await seen(ids, proven)], [all, all])
      assert.equal((await require(ids, proven)).status, 200)
      assert.deepEqual([await seen(ids, plain), await seen(ids, proven)], [[], all])
      assert.equal((await require(ids, proven, false)).status, 200)
      assert.deepEqual(await seen(ids, plain), all)
    })

    test('10.2.23 an inner tenant requires it of its own members alone', async () => {
      const { plain, proven, ids } = await open({ project: { isSecret: true } })
      assert.deepEqual([await seen(ids, plain), await seen(ids, proven)], [['company'], all])
    })

    test('10.2.23 writes are answered as to someone who is no member', async () => {
      const { plain, ids } = await open({ company: { isStrict: true } })
      const create = await send('POST /api/v1/notes', plain, { project_id: ids.project, text: 'x' })
      assert.deepEqual(refusalOf(create), [422, 'BUSINESS_RULE_VIOLATION'])
      const change = await send(`PATCH /api/v1/notes/${ids.note}`, plain, { text: 'x' })
      assert.deepEqual(refusalOf(change), [404, 'NOT_FOUND'])
      assert.deepEqual(refusalOf(await require(ids, plain, false)), [404, 'NOT_FOUND'])
      const mutation = `mutation { updateNote(id: "${ids.note}", input: { text: "x" }) { id } }`
      const { body } = await service().graphql(mutation, plain)
      assert.equal(body.errors[0].extensions.code, 'NOT_FOUND')
    })

    test('10.2.23 who requires it without a second factor is no member afterwards', async () => {
      const { plain, proven, ids } = await open()
      assert.deepEqual(refusalOf(await require(ids, plain)), [200, undefined])
      assert.deepEqual([await seen(ids, plain), await seen(ids, proven)], [[], all])
    })

    test('10.2.23 a key of an account is no member, one of the tenant is', async () => {
      const { proven, ids } = await open()
      const keyOf = async (more: object) => {
        const { status, body, text } = await send('POST /api/v1/api-keys', proven, {
          name: 'k',
          scopes: ['*'],
          ...more,
        })
        assert.equal(status, 201, text)
        return { headers: { 'X-API-Key': body.data.key } }
      }
      const own = await keyOf({})
      const narrowed = await keyOf({ company_id: ids.company })
      const inside = await keyOf({ company_id: ids.company, role: 'OWNER' })
      assert.deepEqual([await seen(ids, own), await seen(ids, narrowed)], [all, all])
      assert.equal((await require(ids, proven)).status, 200)
      assert.deepEqual([await seen(ids, own), await seen(ids, narrowed)], [[], []])
      assert.equal((await send(`GET /api/v1/companies/${ids.company}`, inside)).status, 200)
    })

    test('10.2.23 open subscriptions end with the membership', async () => {
      const { tokens, proven, ids } = await open()
      const write = (text: string) => send('POST /api/v1/notes', proven, { project_id: ids.project, text })
      const socket = await TestSocket.ready(service().url, tokens.access_token)
      socket.subscribe('1', 'subscription { noteWritten { text } }')
      await socket.settled()
      const heard = async () =>
        ((await socket.next()).payload as { data: { noteWritten: { text: string } } }).data.noteWritten.text
      await write('one')
      assert.equal(await heard(), 'one')
      await require(ids, proven)
      await write('two')
      await service().settled()
      await require(ids, proven, false)
      await write('three')
      assert.equal(await heard(), 'three')
      await socket.close()
    })

    test('10.2.23 a webhook of an account receives nothing from there', async (t) => {
      const receiver = await startReceiver()
      t.after(() => receiver.close())
      const { proven, ids } = await open()
      const hook = await send('POST /api/v1/webhooks', proven, { url: receiver.url, events: ['noteWritten'] })
      assert.equal(hook.status, 201, hook.text)
      const write = (text: string) => send('POST /api/v1/notes', proven, { project_id: ids.project, text })
      const settle = async () => {
        await service().settled()
        await service().webhooks!.settled()
      }
      await write('one')
      await settle()
      await require(ids, proven)
      await write('two')
      await settle()
      await require(ids, proven, false)
      await write('three')
      await settle()
      assert.deepEqual(receiver.messages.map(({ body }) => body.data.text).sort(), ['one', 'three'])
    })

    test('5.13.13 sign-in demands the setup, whose session is then a member', async () => {
      const { other, tokens, ids } = await open({ company: { isStrict: true } })
      const owed = await other.login()
      assert.deepEqual(refusalOf(owed), [401, 'SECOND_FACTOR_REQUIRED'])
      const { token: challenge, methods } = owed.body.error.challenge
      assert.deepEqual(methods, ['setup'])
      const { secret } = (await send('POST /auth/totp', {}, { challenge })).body
      const code = codeAt(secret, service().now().getTime())
      const { body, status } = await send('POST /auth/totp', {}, { challenge, code })
      assert.equal(status, 200)
      assert.deepEqual(claimsOf(body.access_token).amr, ['pwd', 'otp', 'mfa'])
      assert.deepEqual(await seen(ids, bearer(body.access_token)), all)
      const former = await send('POST /auth/refresh', {}, { refresh_token: tokens.refresh_token })
      assert.deepEqual(refusalOf(former), [401, 'INVALID_TOKEN'], 'the setup ends other sessions')
    })

    test('5.13.13 a session without a second factor is refreshed, and is a member with one', async () => {
      const { tokens, ids } = await open({ company: { isStrict: true } })
      const refresh = async (refresh_token: string) => {
        const { status, body, text } = await send('POST /auth/refresh', {}, { refresh_token })
        assert.equal(status, 200, text)
        return body
      }
      const renewed = await refresh(tokens.refresh_token)
      assert.deepEqual(await seen(ids, bearer(renewed.access_token)), [])
      await setUpIn(service(), renewed.access_token)
      assert.deepEqual(await seen(ids, bearer((await refresh(renewed.refresh_token)).access_token)), all)
    })

    for (const [what, given] of [
      ['a membership that is switched off', { company: { isStrict: true }, seat: { status: 'OFF' } }],
      ['an inner membership without the outer one', { project: { isSecret: true }, seat: { status: 'OFF' } }],
      ['a tenant that requires none', {}],
    ] as const)
      test(`5.13.13 ${what} demands nothing`, async () => {
        const { other } = await open(given)
        assert.equal((await other.login()).status, 200)
      })

    test('5.13.13 an inner tenant demands it of its members', async () => {
      const { other } = await open({ project: { isSecret: true } })
      assert.deepEqual((await other.login()).body.error.challenge.methods, ['setup'])
    })

    test('5.13.13 a deleted membership, and a requirement that is lifted, end the challenge', async () => {
      const { other, proven, ids } = await open({ company: { isStrict: true } })
      const { token: challenge } = (await other.login()).body.error.challenge
      assert.equal((await require(ids, proven, false)).status, 200)
      assert.deepEqual(refusalOf(await send('POST /auth/totp', {}, { challenge })), [401, 'INVALID_TOKEN'])
      assert.equal((await other.login()).status, 200)
    })

    test('10.2.23 of twenty writes at once with the requirement, none follows it', async () => {
      const { plain, proven, ids } = await open()
      const write = () => send('POST /api/v1/notes', plain, { project_id: ids.project, text: 'x' })
      const change = () => send(`PATCH /api/v1/notes/${ids.note}`, plain, { text: 'y' })
      const [required, ...answers] = await Promise.all([
        require(ids, proven),
        ...Array.from({ length: 10 }, write),
        ...Array.from({ length: 10 }, change),
      ])
      assert.equal(required!.status, 200)
      assert.ok(answers.every(({ status }) => [200, 201, 404, 422].includes(status)))
      const created = answers.filter(({ status }) => status === 201)
      const { body } = await send(`GET /api/v1/notes?project_id=${ids.project}&limit=50`, proven)
      assert.equal(body.data.length, created.length + 1)
      const later = await Promise.all([...Array.from({ length: 10 }, write), ...Array.from({ length: 10 }, change)])
      assert.ok(later.every(({ status }) => [404, 422].includes(status)))
    })

    test('5.13.13 of twenty logins at once with the requirement, none that follows it is without a second factor', async () => {
      const { other, proven, ids } = await open()
      const [required, ...answers] = await Promise.all([
        require(ids, proven),
        ...Array.from({ length: 20 }, () => other.login()),
      ])
      assert.equal(required!.status, 200)
      assert.ok(answers.every(({ status }) => [200, 401].includes(status)))
      const later = await Promise.all(Array.from({ length: 20 }, () => other.login()))
      assert.ok(later.every((each) => each.body.error?.challenge.methods[0] === 'setup'))
      for (const { body } of answers.filter(({ status }) => status === 200))
        assert.deepEqual(await seen(ids, bearer(body.access_token)), [])
    })
  },
  {
    definition: workspaces,
    environment: {
      SMTP_URL: smtp.url,
      DATA_KEY: dataKey,
      BASE_URL: 'https://api.example.com',
      OUTBOUND: 'any',
    },
  },
)
