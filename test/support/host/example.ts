// A host's example, started as its readers start it.

import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { copyExample } from '../process/example.ts'
import { type ServiceProcess, startProcess } from '../process/service-process.ts'
import { freePort } from '../server/free-port.ts'

interface Program {
  readonly program: string
  readonly args: readonly string[]
}

/** Starts it as a package of its own; answers its address once it listens. */
export async function startExample(
  t: TestContext,
  host: string,
  { program, args }: Program,
  databaseUrl = 'sqlite::memory:',
): Promise<string> {
  const folder = copyExample(`embedding/${host}`)
  const port = await freePort()
  const environment = { PORT: String(port), DATABASE_URL: databaseUrl }
  const running = startProcess([...args, 'main.ts'], { program, folder, environment })
  t.after(async () => {
    await running.end('SIGTERM')
    rmSync(folder, { recursive: true })
  })
  const url = `http://127.0.0.1:${port}`
  await listens(url, running)
  return url
}

/** Rejects where the process ends before. */
async function listens(url: string, { printing }: ServiceProcess): Promise<void> {
  const untilUp = async () => {
    while (!(await fetch(url).then(Boolean, () => false))) await wait(50)
  }
  await Promise.race([untilUp(), printing('nothing that any example prints')])
}

/** Asks both faces below the base path, and the route of the host beside them. */
export async function useExample(url: string, host: string): Promise<void> {
  const asJson = (body: unknown) => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  const about = (await (await fetch(`${url}/about`)).json()) as { readonly about: string }
  assert.match(about.about, new RegExp(`^a route of ${host}`, 'i'))

  const made = await fetch(`${url}/backend/api/v1/notes`, asJson({ title: 'Hello' }))
  assert.equal(made.status, 201, await made.clone().text())
  const location = made.headers.get('Location')!
  assert.match(location, /^\/backend\/api\/v1\/notes\/note_/)
  assert.equal((await fetch(url + location)).status, 200)

  const answer = await fetch(`${url}/backend/graphql`, asJson({ query: '{ notes(first: 1) { nodes { title } } }' }))
  assert.deepEqual(await answer.json(), { data: { notes: { nodes: [{ title: 'Hello' }] } } })

  assert.equal((await fetch(`${url}/backend/api/v1/notes`, { method: 'HEAD' })).headers.get('X-Frame-Options'), 'DENY')
  assert.equal((await fetch(`${url}/api/v1/notes`)).status, 404)
}
