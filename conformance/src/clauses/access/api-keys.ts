// API keys: what they hold, and what they open. (5.3)

import { Untestable } from '../../kit/answer.ts'
import type { Define, Scene } from '../../kit/clause.ts'

/** Creates a key, and removes it afterwards. */
export async function withKey(
  { kit }: Scene,
  scopes: readonly string[],
  use: (key: string, id: string) => Promise<unknown>,
  fields = {},
): Promise<void> {
  const { path, as } = kit.profile.apiKeys!
  const target = `/api/${kit.version}/${path}`
  const made = await kit.send(`POST ${target}`, { as, body: { name: kit.run, scopes, ...fields } })
  made.is(201)
  kit.journal.add({ target: `${target}/${made.data.id}`, as })
  try {
    await use(made.data.key, made.data.id)
  } finally {
    await kit.send(`DELETE ${target}/${made.data.id}`, { as })
  }
}

export function defineApiKeys(define: Define): void {
  define('5.3.1', ['apiKeys'], (scene) =>
    withKey(scene, ['read:*'], async (key, id) => {
      const { kit } = scene
      const { path, as } = kit.profile.apiKeys!
      const read = (await kit.send(`GET /api/${kit.version}/${path}/${id}`, { as })).is(200)
      read.require(!read.text.includes(key), 'no key in the record', key).has('key', read.data.key, undefined)
      for (const other of Object.keys(kit.profile.accounts).filter((name) => name !== as))
        (await kit.send(`GET /api/${kit.version}/${path}/${id}`, { as: other })).fails(404)
    }))

  define('5.3.2', ['apiKeys'], async ({ kit }) => {
    const { path, as } = kit.profile.apiKeys!
    for (const scopes of [[], ['everything'], ['read'], Array.from({ length: 51 }, () => '*')])
      (await kit.send(`POST /api/${kit.version}/${path}`, { as, body: { name: kit.run, scopes } })).fails(400)
  })

  define('5.3.3', ['apiKeys'], async ({ kit }) => {
    const { path, as } = kit.profile.apiKeys!
    const body = { name: kit.run, scopes: ['*'], expires_at: '2020-01-01T00:00:00.000Z' }
    ;(await kit.send(`POST /api/${kit.version}/${path}`, { as, body })).fails(422)
  })

  define('5.3.4', ['apiKeys'], async (scene) => {
    const { kit, subject } = scene
    let ended = ''
    await withKey(scene, ['*'], async (key) => {
      ended = key
      ;(await kit.send(`GET ${subject.path}`, { headers: { 'X-API-Key': key } })).is(200)
    })
    for (const key of [ended, 'unknown'])
      (await kit.send(`GET ${subject.path}`, { headers: { 'X-API-Key': key } })).fails(401, 'INVALID_CREDENTIALS')
  })

  define('5.3.5', ['apiKeys'], (scene) =>
    withKey(scene, ['*'], async (key) => {
      const { kit, subject } = scene
      ;(await kit.send(`GET ${subject.path}`, { as: subject.creator, headers: { 'X-API-Key': key } })).fails(400)
    }))

  define('5.3.6', ['apiKeys', 'hidden'], (scene) => {
    const { kit, subject } = scene
    return withKey(scene, [`read:${subject.profile.path}`], async (key) => {
      const headers = { 'X-API-Key': key }
      ;(await kit.send(`GET ${subject.path}`, { headers })).is(200)
      const body = await subject.input()
      const write = (await kit.send(`POST ${subject.path}`, { headers, body })).fails(403, 'INSUFFICIENT_SCOPE')
      write.matches('WWW-Authenticate', write.headers['www-authenticate'], /error="insufficient_scope"/)
    })
  })

  define('5.3.7', ['apiKeys', 'sessions'], (scene) =>
    withKey(scene, ['*'], async (key) => {
      const { kit } = scene
      for (const path of [kit.profile.apiKeys!.path, kit.profile.sessions!.path])
        (await kit.send(`GET /api/${kit.version}/${path}`, { headers: { 'X-API-Key': key } })).fails(403)
    }))

  define('5.3.8', ['apiKeys', 'barred'], async (scene) => {
    const { kit, subject } = scene
    const { path } = kit.profile.apiKeys!
    const as = subject.profile.barred!
    const body = await subject.input()
    ;(await kit.send(`POST ${subject.path}`, { as, body })).fails(403)
    const target = `/api/${kit.version}/${path}`
    const made = await kit.send(`POST ${target}`, { as, body: { name: kit.run, scopes: ['*'] } })
    if (made.status === 403) return
    made.is(201)
    kit.journal.add({ target: `${target}/${made.data.id}`, as })
    const headers = { 'X-API-Key': made.data.key }
    ;(await kit.send(`POST ${subject.path}`, { headers, body })).fails(403)
    ;(await kit.send(`DELETE ${target}/${made.data.id}`, { as })).is(204)
  })

  define('5.3.12', ['apiKeys'], (scene) =>
    withKey(
      scene,
      ['*'],
      async (key) => {
        const read = () => scene.kit.sendOnce(`GET ${scene.subject.path}`, { headers: { 'X-API-Key': key } })
        for (let at = 0; at < 2; at++) (await read()).is(200)
        ;(await read()).fails(429, 'RATE_LIMIT_EXCEEDED')
      },
      { requests_per_hour: 2 },
    ))

  define('5.3.11', ['apiKeys', 'links', 'change'], async (scene) => {
    const { kit, subject } = scene
    const { path } = subject.profile
    const { field } = subject.profile.links!
    const { target } = await subject.make()
    if (subject.creator !== kit.profile.apiKeys!.as) throw new Untestable('keys are of another account')
    await withKey(scene, [`edit:${path}`, `read:${path}`, `update:${path}`], async (key) => {
      const headers = { 'X-API-Key': key }
      ;(await kit.send(`PATCH ${target}`, { headers, body: { [field]: [], no_such_field: 1 } })).fails(
        403,
        'INSUFFICIENT_SCOPE',
      )
    })
  })
}
