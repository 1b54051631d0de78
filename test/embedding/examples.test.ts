// Each example as its readers start it: both faces below the base path, the host's own route beside them, subscriptions.

import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { TestSocket } from '../support/client/websocket.ts'
import { runtime as bun } from '../support/door/bun.ts'
import { runtime as deno } from '../support/door/deno.ts'
import { programOf, type Runtime } from '../support/door/elsewhere.ts'
import { repository } from '../support/process/command.ts'
import { type ServiceProcess, startProcess } from '../support/process/service-process.ts'
import { createDatabase, postgresMissing } from '../support/server/databases.ts'
import { freePort } from '../support/server/free-port.ts'

const examples = join(repository, 'examples/embedding')

test('all examples serve the same service', () => {
  const [first, ...others] = ['express', 'fastify', 'hono', 'next', 'bun', 'deno'].map((host) =>
    readFileSync(join(examples, host, 'service.ts'), 'utf8'),
  )
  for (const other of others) assert.equal(other, first)
})

for (const host of ['express', 'fastify', 'hono'])
  test(`examples/embedding/${host} serves both faces, subscriptions and its own route`, async (t) => {
    const url = await startExample(t, host, { program: process.execPath, args: ['--conditions=duet-source'] })
    const socket = await TestSocket.ready(`${url}/backend`)
    socket.send({ type: 'subscribe', id: '1', payload: { query: 'subscription { noteCreated { title } }' } })
    socket.send({ type: 'ping' })
    await socket.next()
    await useExample(url, host)
    const { data } = (await socket.next()).payload as { readonly data: unknown }
    assert.deepEqual(data, { noteCreated: { title: 'Hello' } })
  })

for (const [host, runtime] of Object.entries({ bun, deno }))
  test(`examples/embedding/${host} serves both faces and its own route`, {
    skip: missing(host, runtime),
  }, async (t) => {
    const database = await createDatabase('postgres')
    const { args } = runtime
    const url = await startExample(t, host, { program: programOf(runtime)!, args }, database.url)
    // The process has ended before.
    t.after(() => database.drop())
    await useExample(url, host)
  })

interface Program {
  readonly program: string
  readonly args: readonly string[]
}

/** Starts it as a package of its own; answers its address once it listens. */
async function startExample(
  t: TestContext,
  host: string,
  { program, args }: Program,
  databaseUrl = 'sqlite::memory:',
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'duet-example-'))
  cpSync(join(examples, host), folder, { recursive: true, filter: (path) => !path.includes('node_modules') })
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    const target = join(folder, 'node_modules', name)
    mkdirSync(dirname(target), { recursive: true })
    symlinkSync(name === 'duet-api' ? repository : join(repository, 'node_modules', name), target)
  }
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
  const asked = async () => {
    while (!(await fetch(url).then(Boolean, () => false))) await wait(50)
  }
  await Promise.race([asked(), printing('nothing that any example prints')])
}

async function useExample(url: string, host: string): Promise<void> {
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

  const asked = await fetch(`${url}/backend/graphql`, asJson({ query: '{ notes(first: 1) { nodes { title } } }' }))
  assert.deepEqual(await asked.json(), { data: { notes: { nodes: [{ title: 'Hello' }] } } })

  assert.equal((await fetch(`${url}/backend/api/v1/notes`, { method: 'HEAD' })).headers.get('X-Frame-Options'), 'DENY')
  assert.equal((await fetch(`${url}/api/v1/notes`)).status, 404)
}

function missing(host: string, runtime: Runtime): false | string {
  if (programOf(runtime) === null) return `\`npm ci --prefix examples/embedding/${host}\` installs it.`
  return postgresMissing
}
