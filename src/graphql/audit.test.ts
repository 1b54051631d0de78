// All audits of graphql-http, the reference of the GraphQL-over-HTTP specification, against the running service.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { serverAudits } from 'graphql-http'
import { startTestService, type TestService } from '../../test/support/server/service.ts'

describe('GraphQL over HTTP, audited in development mode (contract 7.3)', () => {
  let service: TestService
  before(async () => {
    service = await startTestService('sqlite')
  })
  after(() => service.stop())

  const audits = serverAudits({ url: async () => `${service.url}/graphql`, fetchFn: fetch })
  test('there are as many as were promised', () => assert.equal(audits.length, 61))
  for (const audit of audits) {
    test(audit.name, async () => {
      const result = await audit.fn()
      assert.equal(result.status, 'ok', 'reason' in result ? result.reason : '')
    })
  }
})
