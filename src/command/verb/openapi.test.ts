import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { info } from '../../../reference/service.ts'
import { reportRoutes } from '../../../test/support/domain/custom-routes.ts'
import { assertRefused, repository, runCommand } from '../../../test/support/process/command.ts'
import { withService } from '../../../test/support/server/service.ts'
import { openapiCommand } from './openapi.ts'

const variables = { LIMIT_PAGE_SIZE: '7' }
let folder: string
let service: string
const run = (...args: readonly string[]) => runCommand(openapiCommand, ['--service', service, ...args], { variables })

// The reference service with addresses of its own, as an author's file exports them.
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
  service = join(folder, 'service.ts')
  const exported = [
    `import { api as reference } from '${repository}/reference/service.ts'`,
    `import { reportRoutes } from '${repository}/test/support/domain/custom-routes.ts'`,
    `export { info } from '${repository}/reference/service.ts'`,
    'export const api = { ...reference, routes: reportRoutes }',
  ]
  await writeFile(service, exported.join('\n'))
})
after(() => rm(folder, { recursive: true }))

withService(
  'duet openapi',
  (running) => {
    for (const version of ['v1', 'v2']) {
      test(`prints what ${version} serves, addresses of the author's own and introduction included`, async () => {
        const { body } = await running().client.send(`GET /api/${version}/openapi.json`)
        assert.deepEqual(JSON.parse(await run('--version', version)), body)
        assert.equal(body.info.title, 'Reference service')
        assert.ok(Object.keys(body.paths).some((path) => path.startsWith(`/api/${version}/reports/`)))
      })
    }
  },
  { environment: variables, info, routes: reportRoutes },
)

describe('duet openapi', () => {
  test('prints the current version unless another one is named', async () =>
    assert.equal(await run(), await run('--version', 'v2')))
  test('names the versions there are', () =>
    assertRefused(run('--version', 'v3'), /^There is no version "v3"; the service has v1, v2\.$/, 2))
})
