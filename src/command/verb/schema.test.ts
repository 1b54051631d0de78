import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { buildClientSchema, buildSchema, getIntrospectionQuery, lexicographicSortSchema, printSchema } from 'graphql'
import { assertRefused, runCommand } from '../../../test/support/process/command.ts'
import { withService } from '../../../test/support/server/service.ts'
import { schemaCommand } from './schema.ts'

const variables = { LIMIT_PAGE_SIZE: '7', LIMIT_OFFSET: '70' }
const run = (...args: readonly string[]) => runCommand(schemaCommand, args, { variables })

withService(
  'duet schema',
  (service) => {
    test('prints what the service answers to introspection, in the order of the alphabet', async () => {
      const { body } = await service().graphql(
        getIntrospectionQuery({ specifiedByUrl: true, inputValueDeprecation: true }),
      )
      const served = lexicographicSortSchema(buildClientSchema(body.data))
      assert.equal(await run('--service', 'reference/service.ts'), `${printSchema(served)}\n`)
    })
  },
  { environment: variables },
)

describe('duet schema', () => {
  for (const path of ['reference/service.ts', 'test/support/domain/library.ts']) {
    test(`prints a schema of ${path} that can be read`, async () => {
      const schema = buildSchema(await run('--service', path))
      assert.ok(schema.getQueryType()?.getFields()['node'])
    })
  }
  test('refuses unknown options', () => assertRefused(run('--json'), /^Unknown option '--json'\.$/, 2))
})
