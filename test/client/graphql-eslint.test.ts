// The recommended rules of graphql-eslint and those for Relay, as they come from npm, read the schema that `duet schema` prints. (contract 4.15.1)

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { schemaCommand } from '../../src/command/verb/schema.ts'
import { installTool, withoutTool } from '../support/client/fetched-tool.ts'
import { runCommand } from '../support/process/command.ts'
import { runProcess } from '../support/process/run-process.ts'

/** What is told and stays as it is. */
const exceptions: readonly { readonly problem: RegExp; readonly reason: string }[] = [
  {
    problem: /^naming-convention: Enum value "[a-z_]+" should be in UPPER_CASE format$/,
    reason: 'States and choices have the words of their author, the same in REST, in the database and here.',
  },
  {
    problem:
      /^strict-id-in-types: type "(\w+(Can|Connection|Edge|Summary|Sums|Extremes|Differences|Error|Item)|PageInfo|BulkResult)" /,
    reason:
      'Pages, sums, refusals, lines inside a record, what one may do with it and how many a write of many meant are no records: nothing has their id.',
  },
  {
    problem: /^relay-edge-types: A list type should only wrap an edge type\.$/,
    reason: 'Tags, lines and `nodes`, the short way to the records of a page, are lists as well.',
  },
  {
    problem: /^relay-edge-types: Edge type's field `node` must implement `Node` interface\.$/,
    reason: 'A group of a summary has no id.',
  },
]

const lint = `
import { ESLint } from 'eslint'
import plugin from '@graphql-eslint/eslint-plugin'
const eslint = new ESLint({
  overrideConfigFile: true,
  overrideConfig: {
    files: ['*.graphql'],
    plugins: { '@graphql-eslint': plugin },
    languageOptions: { parser: plugin.parser, parserOptions: { graphQLConfig: { schema: './*.graphql' } } },
    rules: { ...plugin.configs['flat/schema-recommended'].rules, ...plugin.configs['flat/schema-relay'].rules },
  },
})
const [{ messages }] = await eslint.lintFiles(['schema.graphql'])
console.log(JSON.stringify(messages.map(({ ruleId, message }) => \`\${ruleId?.split('/')[1]}: \${message.split('\\n')[0]}\`)))
`

describe('graphql-eslint', { skip: withoutTool('graphql-eslint'), timeout: 300_000 }, () => {
  let folder = ''
  let schema = ''
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'duet-graphql-eslint-'))
    await installTool('graphql-eslint', folder)
    writeFileSync(join(folder, 'lint.mjs'), lint)
    schema = await runCommand(schemaCommand, ['--service', 'reference/service.ts'])
  })
  after(() => {
    if (folder !== '') rmSync(folder, { recursive: true })
  })

  async function problems(text: string): Promise<readonly string[]> {
    writeFileSync(join(folder, 'schema.graphql'), text)
    const { code, printed } = await runProcess(process.execPath, ['lint.mjs'], folder)
    assert.equal(code, 0, printed)
    return JSON.parse(printed)
  }

  test('4.15.1 has nothing against the schema but what is excepted with a reason, and each exception is needed', async () => {
    const found = await problems(schema)
    assert.deepEqual(
      found.filter((each) => !exceptions.some(({ problem }) => problem.test(each))),
      [],
    )
    for (const { problem, reason } of exceptions)
      assert.ok(
        found.some((each) => problem.test(each)),
        reason,
      )
  })

  test('finds what is wrong', async () => {
    const broken = schema.replace('type Post implements', 'type post_ {\n  Title: String\n}\n\ntype Post implements')
    const found = await problems(broken)
    for (const rule of ['naming-convention', 'strict-id-in-types', 'require-description'])
      assert.ok(
        found.some((each) => each.startsWith(`${rule}: `) && /post_|Title|type/.test(each)),
        rule,
      )
  })
})
