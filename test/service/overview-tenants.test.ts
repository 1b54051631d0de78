// The table of rights on the front page, of a service with organizations and, inside of them, projects.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileModel } from '../../src/resource/model/compile/compile-model.ts'
import { callersOf, rightOf } from '../../src/service/overview/right.ts'
import { helpdesk } from '../support/domain/helpdesk.ts'

const model = compileModel(helpdesk)
const callers = callersOf(model)
const tenantCallers = callers.filter(({ member }) => member !== undefined)
const rightsTo = (action: string, path: string) => {
  const resource = model.resources.find((each) => each.path === path)!
  return tenantCallers.map((caller) => rightOf(resource.actions.get(action)!, caller)).join(' ')
}

test('4.15.3 each role in a tenant has a column', () => {
  assert.deepEqual(
    callers.map(({ name }) => name),
    [
      'an anonymous caller',
      ...model.roles.keys(),
      'OWNER in its Organization',
      'AGENT in its Organization',
      'CUSTOMER in its Organization',
      'LEAD in its Project',
      'GUEST in its Project',
    ],
  )
})

for (const [action, path, rights, why] of [
  ['update', 'tickets', 'inside inside none none none', 'tickets:edit is granted to agents'],
  ['read', 'tickets', 'inside inside own own own', 'customers and whoever is in a project read their own'],
  ['create', 'tickets', 'inside inside inside none none', 'customers write tickets; members of projects stay hidden'],
  ['read', 'organizations', 'inside inside inside inside inside', 'who is in a project is in its organization'],
  ['read', 'projects', 'inside none none inside inside', 'projects:read is granted to owners of the organization'],
  ['create', 'notes', 'inside none none inside none', 'who leads a project writes its notes'],
  ['delete', 'users', 'own own own own own', 'an account is its own'],
  ['create', 'organizations', 'none none none none none', 'that is granted by roles of the service'],
] as const)
  test(`4.15.3, 4.15.6 ${action} ${path}: ${why}`, () => assert.equal(rightsTo(action, path), rights))
