import { hash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { assertAnswer, get, post } from '../../../test/support/rows/graphql.ts'
import { startTestService, type TestService } from '../../../test/support/server/service.ts'

const sha = (text: string) => hash('sha256', text, 'hex')
const persisted = (sha256Hash: unknown, version: unknown = 1) => ({ persistedQuery: { version, sha256Hash } })

let service: TestService
before(async () => {
  service = await startTestService('sqlite')
})
after(() => service.stop())

describe('4.9.2 persisted queries', () => {
  const send = (query: string | null, extensions: unknown, line = post) =>
    service.send(line, { body: { ...(query === null ? {} : { query }), extensions } })
  const answered = { status: 200, data: { __typename: 'Query' } }

  test('are found once they were registered by POST', async () => {
    const text = '{ __typename } # posted'
    assertAnswer(await send(null, persisted(sha(text))), { status: 200, code: 'PERSISTED_QUERY_NOT_FOUND' })
    assertAnswer(await send(text, persisted(sha(text))), answered)
    assertAnswer(await send(null, persisted(sha(text))), answered)
    assertAnswer(await service.send(get({ extensions: JSON.stringify(persisted(sha(text))) })), answered)
  })
  test('are found once they were registered by GET', async () => {
    const text = '{ __typename } # got'
    assertAnswer(await service.send(get({ query: text, extensions: JSON.stringify(persisted(sha(text))) })), answered)
    assertAnswer(await service.send(get({ extensions: JSON.stringify(persisted(sha(text))) })), answered)
  })
  test('are not stored under a wrong hash', async () => {
    assertAnswer(await send('{ __typename }', persisted(sha('other'))), {
      status: 200,
      code: 'VALIDATION_ERROR',
      data: undefined,
    })
    assertAnswer(await send(null, persisted(sha('other'))), { status: 200, code: 'PERSISTED_QUERY_NOT_FOUND' })
  })
  test('are not stored unless they can be run', async () => {
    assertAnswer(await send('{ x }', persisted(sha('{ x }'))), { status: 200, code: 'GRAPHQL_VALIDATION_FAILED' })
    assertAnswer(await send(null, persisted(sha('{ x }'))), { status: 200, code: 'PERSISTED_QUERY_NOT_FOUND' })
  })
  for (const [it, hashed] of [
    ['upper case', sha('x').toUpperCase()],
    ['too short', sha('x').slice(1)],
    ['a number', 5],
    ['nothing', undefined],
  ] as const)
    test(`a hash in the wrong form is 400: ${it}`, async () =>
      assertAnswer(await send(null, persisted(hashed)), { status: 400, code: 'VALIDATION_ERROR' }))
  test('another version is 400', async () =>
    assertAnswer(await send(null, persisted(sha('x'), 2)), { status: 400, code: 'VALIDATION_ERROR' }))
  test('4.9.1 a mutation that was registered is 405 by GET', async () => {
    const text = 'mutation { deletePost(id: 1) }'
    assertAnswer(await send(text, persisted(sha(text))), { status: 200, code: 'UNAUTHENTICATED', data: null })
    assertAnswer(await service.send(get({ extensions: JSON.stringify(persisted(sha(text))) })), {
      status: 405,
      code: 'METHOD_NOT_ALLOWED',
      headers: { allow: 'POST' },
    })
  })
})
