// `records.all` of a record that is in a tenant within another: it reads what is in the outer one. (contract 13.4.8)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choice, many, member, one, resource, service, text } from 'duet-api'
import { accounts, User } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

const Company = resource('Company', {
  prefix: 'com',
  fields: { name: text({ max: 20 }), staff: many('Worker', 'company') },
  members: { list: 'staff', account: 'user', role: 'role' },
  actions: { read: { allow: member() } },
})
const Worker = resource('Worker', {
  prefix: 'wor',
  within: 'company',
  fields: { company: one('Company'), user: one('User', { cascade: 'regardless' }), role: choice(['CLERK']) },
  actions: { read: { allow: member('company') } },
})
const Project = resource('Project', {
  prefix: 'pro',
  within: 'company',
  fields: { company: one('Company'), crew: many('Mate', 'project') },
  members: { list: 'crew', account: 'user', role: 'role' },
  actions: { read: { allow: member() } },
})
const Mate = resource('Mate', {
  prefix: 'mat',
  within: 'project',
  fields: { project: one('Project'), user: one('User', { cascade: 'regardless' }), role: choice(['MATE']) },
  actions: { read: { allow: member('project') } },
})
const Task = resource('Task', {
  prefix: 'tsk',
  within: 'project',
  fields: { project: one('Project'), title: text({ max: 20 }) },
  actions: {
    read: { allow: member('project') },
    create: {
      allow: member('project'),
      accept: ['project', 'title'],
      check: async ({ records }) => (await records.all.here.count()) < 2 || 'The company has no room.',
    },
  },
})

withService(
  '13.4.8 tenants within tenants',
  (running) => {
    test('13.4.8 a check counts what is in the outer tenant, and nothing of others', async () => {
      const mate = (project: string) => ({ Mate: { project, user: '{ann}', role: 'MATE' } })
      const worker = (company: string) => ({ Worker: { company, user: '{ann}', role: 'CLERK' } })
      const fixtures = running().fixtures({
        ann: { User: {} },
        own: { Company: { name: 'Own' } },
        other: { Company: { name: 'Other' } },
        first: { Project: { company: '{own}' } },
        second: { Project: { company: '{own}' } },
        far: { Project: { company: '{other}' } },
        worksHere: worker('{own}'),
        worksThere: worker('{other}'),
        inFirst: mate('{first}'),
        inSecond: mate('{second}'),
        inFar: mate('{far}'),
      })
      for (const name of ['worksHere', 'worksThere', 'inFirst', 'inSecond', 'inFar']) await fixtures.idOf(name)
      const create = async (project: string) => {
        const body = { project_id: project, title: 'T' }
        const { status } = await running().send('POST /api/v1/tasks', { as: '{ann}', fixtures, body })
        return status
      }
      const projects = ['{far}', '{first}', '{second}', '{second}', '{first}', '{far}']
      const statuses = []
      for (const each of projects) statuses.push(await create(each))
      assert.deepEqual(statuses, [201, 201, 201, 422, 422, 201])
    })
  },
  {
    definition: service({
      resources: { User, Company, Worker, Project, Mate, Task },
      accounts,
      roles: { ANY: {} },
      tenantRoles: { Company: { CLERK: {} }, Project: { MATE: {} } },
    }),
  },
)
