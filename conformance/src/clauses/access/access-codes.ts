// Access codes: tokens of records, which open them to callers who show them. (10.1.14 to 10.1.22, 10.1.25, 10.1.26)

import { type Answer, Untestable } from '../../kit/answer.ts'
import type { Define, Scene } from '../../kit/clause.ts'
import type { Made } from '../../kit/kit.ts'

const show = (code: unknown) => ({ 'X-Access-Code': String(code) })

/** A record whose code opens it, and its code. */
async function opened({ kit, subject }: Scene): Promise<{ readonly made: Made; readonly code: string }> {
  const { within } = subject.profile
  // The caller who uses the code may become a member: each record has a tenant of its own.
  const made = await subject.make(
    within === undefined ? {} : { [within.field]: (await kit.subject(within.resource).make()).id },
  )
  return { made, code: made.record[subject.profile.accessCode!.field] }
}

const use = ({ kit, subject }: Scene, { target }: Made, as: string, code: string, more = {}): Promise<Answer> =>
  kit.send(`POST ${target}/${subject.profile.accessCode!.action}`, { as, headers: { ...show(code), ...more } })

export function defineAccessCodes(define: Define): void {
  defineReads(define)
  defineSeveral(define)
  defineUses(define)
}

function defineReads(define: Define): void {
  define('10.1.14', ['accessCode', 'other', 'graphql'], async (scene) => {
    const { kit, subject } = scene
    const { made, code } = await opened(scene)
    for (const as of [subject.profile.other!, null]) {
      ;(await kit.send(`GET ${made.target}`, { as })).isHidden()
      ;(await kit.send(`GET ${made.target}`, { as, headers: show(code) })).is(200)
      const query = `{ x: ${subject.one}(id: "${made.id}") { id } }`
      const read = (await kit.graphql(query, undefined, { as, headers: show(code) })).succeeds()
      read.has('id', read.data.x.id, made.id)
    }
    const other = await opened(scene)
    ;(await kit.send(`GET ${made.target}`, { headers: show(other.code) })).isHidden()
  })

  define('10.1.20', ['accessCode'], async (scene) => {
    const { kit, subject } = scene
    const { made, code } = await opened(scene)
    const unknown = `${code.slice(0, -6)}000000`
    for (const each of [unknown, 'x'])
      (await kit.send(`GET ${made.target}`, { as: subject.creator, headers: show(each) })).is(200)
    ;(await kit.send(`GET ${made.target}`, { headers: show(unknown) })).isHidden()
  })

  define('10.1.16', ['accessCode'], async (scene) => {
    const { kit, subject } = scene
    const { made, code } = await opened(scene)
    for (const [target, as] of [
      [made.target, null],
      [made.target, subject.creator],
      [subject.path, subject.creator],
    ] as const) {
      const answer = await kit.send(`GET ${target}`, { as, headers: show(code) })
      answer.has('Cache-Control', answer.headers['cache-control'], 'private, no-store')
      answer.matches('Vary', answer.headers.vary, /\bX-Access-Code\b/i)
    }
  })

  define('10.1.19', ['accessCode', 'graphql'], async (scene) => {
    const { kit, subject } = scene
    const { made, code } = await opened(scene)
    const { field } = subject.profile.accessCode!
    made.answer.matches(field, code, /./)
    const list = await kit.send(`GET ${subject.path}?limit=100`, { as: subject.creator })
    const one = (await kit.send(`GET ${made.target}`, { as: subject.creator })).is(200)
    for (const answer of [list, one]) answer.require(!answer.text.includes(code), 'no code in a read', code)
    one.has(field, one.data[field], undefined)
  })

  define('10.1.17', ['accessCode', 'change'], async (scene) => {
    const { kit, subject } = scene
    const { until } = subject.profile.accessCode!
    if (until === undefined) throw new Untestable('no field of the profile ends a code')
    const { made, code } = await opened(scene)
    const end = async (moment: string) =>
      (await kit.send(`PATCH ${made.target}`, { as: subject.creator, body: { [until]: moment } })).is(200)
    await end('2020-01-01T00:00:00.000Z')
    ;(await kit.send(`GET ${made.target}`, { headers: show(code) })).isHidden()
    await end('2999-01-01T00:00:00.000Z')
    ;(await kit.send(`GET ${made.target}`, { headers: show(code) })).is(200)
  })
}

function defineSeveral(define: Define): void {
  define('10.1.25', ['accessCode'], async (scene) => {
    const { kit } = scene
    const made = [await opened(scene), await opened(scene)] as const
    const [{ code: first }, { code: second }] = made
    const read = (target: string, ...codes: readonly string[]) =>
      kit.send(`GET ${target}`, { headers: show(codes.join(', ')) })
    for (const { made: each, code } of made) {
      ;(await read(each.target, first, second)).is(200)
      ;(await read(each.target, code === first ? second : first)).isHidden()
      ;(await read(each.target, 'x', ...Array.from({ length: 8 }, () => code), code)).is(200)
      ;(await read(each.target, ...Array.from({ length: 11 }, () => code))).fails(400)
      ;(await read(each.target, code, '')).fails(400)
    }
  })

  define('10.1.26', ['accessCode', 'other'], async (scene) => {
    const { kit, subject } = scene
    if (subject.profile.accessCode!.uses !== 1) throw new Untestable('no code of the profile is used once')
    const [first, second] = [await opened(scene), await opened(scene)]
    const codes = `${second.code}, ${first.code}`
    ;(await use(scene, first.made, subject.profile.other!, codes)).is(200)
    ;(await kit.send(`GET ${second.made.target}`, { headers: show(codes) })).is(200)
    ;(await kit.send(`GET ${first.made.target}`, { headers: show(codes) })).isHidden()
  })
}

function defineUses(define: Define): void {
  define('10.1.18', ['accessCode', 'other'], async (scene) => {
    const { kit, subject } = scene
    const { uses } = subject.profile.accessCode!
    if (uses !== 1) throw new Untestable('no code of the profile is used once')
    const { made, code } = await opened(scene)
    const as = subject.profile.other!
    ;(await kit.send(`GET ${made.target}`, { as, headers: show(code) })).is(200)
    ;(await use(scene, made, as, code)).is(200)
    ;(await kit.send(`GET ${made.target}`, { as, headers: show(code) })).fails(404)
  })

  define('10.1.21', ['accessCode', 'other'], async (scene) => {
    const { kit, subject } = scene
    if (subject.profile.accessCode!.uses !== 1) throw new Untestable('no code of the profile is used once')
    const others = Object.keys(kit.profile.accounts).filter((name) => name !== subject.creator)
    const { made, code } = await opened(scene)
    const answers = await Promise.all(others.map((as) => use(scene, made, as, code)))
    answers[0]!.has('uses', answers.filter(({ status }) => status === 200).length, 1)
    for (const answer of answers) answer.is(200, 404, 409)
  })

  define('10.1.22', ['accessCode', 'other'], async (scene) => {
    const { kit, subject } = scene
    const key = { 'X-Idempotency-Key': kit.unique() }
    const { made, code } = await opened(scene)
    const first = (await use(scene, made, subject.profile.other!, code, key)).is(200)
    const again = (await use(scene, made, subject.profile.other!, code, key)).is(200)
    again.has('data', again.data, first.data)
    again.has('Idempotent-Replayed', again.headers['idempotent-replayed'], 'true')
  })

  define('10.1.15', ['accessCode', 'other'], async (scene) => {
    const { kit, subject } = scene
    const headers = { 'X-Idempotency-Key': kit.unique() }
    const [first, second] = [await opened(scene), await opened(scene)]
    const input = await subject.input()
    const post = (code: string) => subject.post(input, { headers: { ...headers, ...show(code) } })
    ;(await post(first.code)).is(201)
    ;(await post(second.code)).is(201)
    ;(await post(first.code)).is(200)
  })
}
