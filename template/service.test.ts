// Starts the service on a database in memory and asks it what a client would.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { demoPassword, type StartedService, start } from 'duet-api'
import { type Client, createClient } from 'duet-api/client'
import { fillDemo } from './demo.ts'
import { api } from './service.ts'

let service: StartedService
/** Two members. */
let ada: Client<typeof api>
let ben: Client<typeof api>

before(async () => {
  const environment = { PORT: '0', DATABASE_URL: 'sqlite::memory:' }
  service = await start(api, { environment, demo: fillDemo })
  ada = createClient<typeof api>(service.url)
  await ada.signIn({ email: 'ada@example.com', password: demoPassword })
  ben = createClient<typeof api>(service.url)
  const account = { email: 'ben@example.com', password: 'a password of his own' }
  await ben.users.create({ name: 'Ben', ...account })
  await ben.signIn(account)
})
after(() => service.stop())

test('a task is added, finished and reopened', async () => {
  const project = await ada.projects.create({ name: 'Garden' })
  const task = await ada.tasks.create({ projectId: project.id, title: 'Water the roses' })
  assert.equal(task.status, 'open')

  const finished = await ada.tasks.finish(task.id)
  assert.equal(finished.status, 'done')
  assert.ok(finished.doneAt)
  await assert.rejects(ada.tasks.finish(task.id), { code: 'CONFLICT' })

  const reopened = await ada.tasks.reopen(task.id)
  assert.equal(reopened.doneAt, null)
})

test('what is wrong with a task is told field by field', async () => {
  const body = { title: '', colour: 'red' }
  await assert.rejects(ada.request('POST', '/api/v1/tasks', { body }), {
    status: 400,
    details: [
      { field: 'colour', message: 'There is no such field.' },
      { field: 'projectId', message: 'Is required.' },
      { field: 'title', message: 'Must not be empty.' },
    ],
  })
})

test('a project exists for its owner alone', async () => {
  const project = await ada.projects.create({ name: 'Secret' })
  assert.equal((await ada.projects.get(project.id)).name, 'Secret')
  await assert.rejects(ben.projects.get(project.id), { code: 'NOT_FOUND' })
  assert.deepEqual((await ben.projects.page()).data, [])
  const task = { projectId: project.id, title: 'Not his' }
  await assert.rejects(ben.tasks.create(task), { code: 'BUSINESS_RULE_VIOLATION' })
})

test('GraphQL answers from the same definitions', async () => {
  const query = '{ projects(first: 1) { nodes { name owner { email } tasks(filter: { status: open }) { title } } } }'
  interface Found {
    readonly projects: { readonly nodes: readonly { readonly owner: { readonly email: string } }[] }
  }
  const mine = await ada.graphql<Found>(query)
  assert.equal(mine.projects.nodes[0]?.owner.email, 'ada@example.com')
  const his = await ben.graphql<Found>(query)
  assert.deepEqual(his.projects.nodes, [])
})
