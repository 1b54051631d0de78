// Starts the service on a database in memory and asks it what a client would.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { demoPassword, type StartedService, start } from 'duet'
import { fillDemo } from './demo.ts'
import { api } from './service.ts'

let service: StartedService
/** Access tokens of two members. */
let ada: string
let ben: string

before(async () => {
  const environment = { PORT: '0', DATABASE_URL: 'sqlite::memory:' }
  service = await start(api, { environment, demo: fillDemo })
  ada = await signIn('ada@example.com', demoPassword)
  const account = { name: 'Ben', email: 'ben@example.com', password: 'a password of his own' }
  assert.equal((await ask('POST /api/v1/users', { body: account })).status, 201)
  ben = await signIn(account.email, account.password)
})
after(() => service.stop())

test('a task is added, finished and reopened', async () => {
  const project = await make('projects', { name: 'Garden' })
  const task = await make('tasks', { project_id: project.id, title: 'Water the roses' })
  assert.equal(task.status, 'open')

  const finished = await ask(`POST /api/v1/tasks/${task.id}/finish`, { as: ada })
  assert.equal(finished.body.data.status, 'done')
  assert.ok(finished.body.data.done_at)
  const again = await ask(`POST /api/v1/tasks/${task.id}/finish`, { as: ada })
  assert.equal(again.body.error.code, 'CONFLICT')

  const reopened = await ask(`POST /api/v1/tasks/${task.id}/reopen`, { as: ada })
  assert.equal(reopened.body.data.done_at, null)
})

test('what is wrong with a task is told field by field', async () => {
  const { status, body } = await ask('POST /api/v1/tasks', { as: ada, body: { title: '', colour: 'red' } })
  assert.equal(status, 400)
  const fields = body.error.details.map((detail: { field: string }) => detail.field)
  assert.deepEqual(fields.sort(), ['colour', 'project_id', 'title'])
})

test('a project does not exist for anybody but its owner', async () => {
  const project = await make('projects', { name: 'Secret' })
  assert.equal((await ask(`GET /api/v1/projects/${project.id}`, { as: ada })).status, 200)
  assert.equal((await ask(`GET /api/v1/projects/${project.id}`, { as: ben })).status, 404)
  assert.deepEqual((await ask('GET /api/v1/projects', { as: ben })).body.data, [])
  const task = { project_id: project.id, title: 'Not his' }
  assert.equal((await ask('POST /api/v1/tasks', { as: ben, body: task })).status, 422)
})

test('GraphQL answers from the same definitions', async () => {
  const query = '{ projects(first: 1) { nodes { name owner { email } tasks(filter: { status: open }) { title } } } }'
  const mine = await ask('POST /graphql', { as: ada, body: { query } })
  assert.equal(mine.body.data.projects.nodes[0].owner.email, 'ada@example.com')
  const his = await ask('POST /graphql', { as: ben, body: { query } })
  assert.deepEqual(his.body.data.projects.nodes, [])
})

interface Asking {
  readonly as?: string
  readonly body?: unknown
}

async function ask(line: string, { as, body }: Asking = {}) {
  const [method = 'GET', path = '/'] = line.split(' ')
  const headers: Record<string, string> = {}
  if (as !== undefined) headers['Authorization'] = `Bearer ${as}`
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(service.url + path, { method, headers, ...sent })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

async function make(path: string, record: object) {
  const { status, body } = await ask(`POST /api/v1/${path}`, { as: ada, body: record })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}

async function signIn(email: string, password: string): Promise<string> {
  const { status, body } = await ask('POST /auth/login', { body: { email, password } })
  assert.equal(status, 200, JSON.stringify(body))
  return body.access_token
}
