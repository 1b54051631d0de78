// Accounts that are suspended or lose their sessions, with accounts of this run. (3.4, 3.5, 4.7.11, 4.12.5, 5.8)

import type { Answer } from '../../kit/answer.ts'
import type { Define, Scene } from '../../kit/clause.ts'
import type { Made } from '../../kit/kit.ts'
import { within } from '../../kit/values.ts'

interface Account {
  readonly made: Made
  readonly email: string
  readonly password: string
  logIn(): Promise<Answer>
}

/** Creates an account that no other test uses. */
async function accountOf({ kit, subject }: Scene): Promise<Account> {
  const { login, password: field } = subject.profile.account!
  const email = `${kit.unique()}@${kit.run}.example`
  const password = `a password of ${kit.run}`
  const made = await subject.make({ [login]: email, [field]: password })
  return { made, email, password, logIn: () => kit.logIn(email, password) }
}

const bearer = (token: unknown) => ({ Authorization: `Bearer ${token}` })
const refresh = ({ kit }: Scene, token: unknown) =>
  kit.send(`POST ${kit.auth}/refresh`, { body: { refresh_token: token } })

export function defineUsers(define: Define): void {
  defineStates(define)
  defineReuse(define)
  defineGuests(define)
}

function defineStates(define: Define): void {
  define('3.4.1', ['signIn', 'account', 'moves'], async (scene) => {
    const { kit, subject } = scene
    const { made, logIn } = await accountOf(scene)
    const tokens = (await logIn()).is(200).json
    const move = `POST ${made.target}/${subject.profile.account!.suspend}`
    ;(await kit.send(move, { as: subject.creator })).is(200)
    ;(await logIn()).fails(401, 'INVALID_CREDENTIALS')
    ;(await refresh(scene, tokens.refresh_token)).fails(401, 'INVALID_TOKEN')
  })

  define('3.4.2', ['signIn', 'account', 'moves'], async (scene) => {
    const { kit, subject } = scene
    const { made, logIn } = await accountOf(scene)
    const headers = bearer((await logIn()).is(200).json.access_token)
    ;(await kit.send(`GET ${subject.path}?limit=1`, { headers })).is(200)
    const move = `POST ${made.target}/${subject.profile.account!.suspend}`
    ;(await kit.send(move, { as: subject.creator })).is(200)
    await within(1_000, async () => (await kit.send(`GET ${subject.path}`, { headers })).fails(401, 'INVALID_TOKEN'))
  })

  define('4.12.5', ['signIn', 'account', 'guest'], async ({ kit, subject }) => {
    const answer = (await subject.post(await subject.input(), { as: null })).is(201)
    answer.has('the password', answer.data[subject.profile.account!.password], undefined)
    const version = kit.version
    answer.has('Location', answer.headers.location, `/api/${version}/${subject.profile.path}/${answer.data.id}`)
  })
}

function defineReuse(define: Define): void {
  define('3.5.2', ['signIn', 'account'], async (scene) => {
    const { logIn } = await accountOf(scene)
    const [first, other] = [(await logIn()).is(200).json, (await logIn()).is(200).json]
    ;(await refresh(scene, first.refresh_token)).is(200)
    ;(await refresh(scene, first.refresh_token)).fails(401, 'TOKEN_REUSED')
    ;(await refresh(scene, other.refresh_token)).fails(401, 'INVALID_TOKEN')
    ;(await logIn()).is(200)
  })

  define('3.5.3', ['signIn', 'account'], async (scene) => {
    const { logIn } = await accountOf(scene)
    const { refresh_token } = (await logIn()).is(200).json
    ;(await refresh(scene, refresh_token)).is(200)
    ;(await refresh(scene, refresh_token)).fails(401, 'TOKEN_REUSED')
    const later = (await logIn()).is(200).json.refresh_token
    ;(await refresh(scene, refresh_token)).fails(401, 'INVALID_TOKEN')
    ;(await refresh(scene, later)).is(200)
  })

  define('3.5.7', ['signIn', 'account'], async (scene) => {
    const { logIn } = await accountOf(scene)
    const { refresh_token } = (await logIn()).is(200).json
    const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(scene, refresh_token)))
    answers[0]!.has('refreshes that succeed', answers.filter(({ status }) => status === 200).length, 1)
    for (const answer of answers) answer.is(200, 401)
    const codes = answers.map(({ json }) => json.error?.code)
    answers[0]!.require(codes.includes('TOKEN_REUSED'), 'a reuse among the others', codes.join(', '))
  })

  define('5.8.1', ['signIn', 'account', 'securityEvents'], async (scene) => {
    const { kit } = scene
    const { made, logIn } = await accountOf(scene)
    const { refresh_token } = (await logIn()).is(200).json
    ;(await refresh(scene, refresh_token)).is(200)
    const reuse = (await refresh(scene, refresh_token)).fails(401, 'TOKEN_REUSED')
    const { path, as } = kit.profile.securityEvents!
    await within(1_000, async () => {
      const events = (await kit.send(`GET /api/${kit.version}/${path}?limit=100`, { as })).is(200)
      const event = events.data.find((each: { user_id: string }) => each.user_id === made.id)
      events.require(event !== undefined, `an event of ${made.id}`, 'none')
      events.has('request_id', event.request_id, reuse.headers['x-request-id'])
      for (const name of ['type', 'ip', 'details']) events.require(Object.hasOwn(event, name), name, 'nothing')
    })
  })

  define('5.8.2', ['securityEvents'], async ({ kit }) => {
    const { path, as } = kit.profile.securityEvents!
    const target = `/api/${kit.version}/${path}`
    ;(await kit.send(`GET ${target}`, { as })).is(200)
    ;(await kit.send(`POST ${target}`, { as, body: { type: 'x' } })).is(404, 405)
    for (const other of Object.keys(kit.profile.accounts).filter((name) => name !== as)) {
      const answer = (await kit.send(`GET ${target}`, { as: other })).is(200, 403)
      if (answer.status === 200) answer.has('data', answer.data, [])
    }
  })
}

function defineGuests(define: Define): void {
  define('4.7.11', ['guest', 'delete'], async ({ kit, subject }) => {
    const headers = { 'X-Idempotency-Key': kit.unique() }
    const input = await subject.input()
    const first = (await subject.post(input, { as: null, headers })).is(201)
    const again = (await subject.post(input, { as: null, headers })).is(200)
    again.has('id', again.data.id, first.data.id)
    ;(await kit.send(`DELETE ${subject.path}/${first.data.id}`, { as: subject.creator })).is(204)
    const deleted = (await subject.post(input, { as: null, headers })).is(200)
    deleted.has('data', deleted.data, first.data)
  })
}
