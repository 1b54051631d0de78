import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertRefused, runCommand } from '../../test/support/command.ts'
import { withService } from '../../test/support/service.ts'
import { openapiCommand } from './openapi.ts'

const variables = { LIMIT_PAGE_SIZE: '7' }
const run = (...args: readonly string[]) =>
  runCommand(openapiCommand, ['--service', 'reference/service.ts', ...args], { variables })

withService(
  'duet openapi',
  (service) => {
    test('prints what the service serves, of the current version', async () => {
      const { body } = await service().client.send('GET /api/v2/openapi.json')
      assert.deepEqual(JSON.parse(await run()), body)
    })
    test('prints another version', async () => {
      const { body } = await service().client.send('GET /api/v1/openapi.json')
      assert.deepEqual(JSON.parse(await run('--version', 'v1')), body)
    })
  },
  { environment: variables },
)

describe('duet openapi', () => {
  test('names the versions there are', () =>
    assertRefused(run('--version', 'v3'), /^There is no version "v3"; the service has v1, v2\.$/, 2))
})
