// What rules of tenants say to people: in words of tenants, and not of the rules that stand for them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { helpdesk } from '../../../../test/support/domain/helpdesk.ts'
import { compileService } from '../../../service/start/compile-service.ts'
import { ruleSentence } from './rule-sentence.ts'

const model = compileService(helpdesk)
const says = (type: string, action: string): readonly string[] => {
  const resource = model.byName.get(type)!
  const { allow } = resource.actions.get(action)!
  return ruleSentence(allow, resource, (_, field) => field).split('; ')
}

test('10.2.3 members, and which roles inside are granted what', () => {
  assert.deepEqual(says('Organization', 'read'), ['anyone with the role SUPPORT', 'members of the organization'])
  assert.equal(
    says('Ticket', 'update').at(-1),
    'members of the organization whose role there grants tickets:edit (OWNER, AGENT)',
  )
  assert.deepEqual(says('Project', 'update').slice(-2), [
    'members of the project whose role there grants projects:edit (LEAD)',
    'members of the organization whose role there grants projects:edit (OWNER)',
  ])
  assert.match(says('Note', 'create').join(), /members of the project\), and only members of the project who are LEAD/)
})

test('10.2.11 keys', () => {
  assert.ok(
    says('ApiKey', 'read').includes(
      'members of the organization whose role there grants api-keys:read (OWNER), while organization is set and role is set',
    ),
  )
})
