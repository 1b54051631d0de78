// Text that clients and authors read is plain: descriptions, failures, contradictions, the output of the command.

import assert from 'node:assert/strict'
import { globSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openapiCommand } from '../../src/command/verb/openapi.ts'
import { routesCommand } from '../../src/command/verb/routes.ts'
import { printed, schemaCommand } from '../../src/command/verb/schema.ts'
import { makeSchema } from '../../src/graphql/schema/schema.ts'
import { defaultLimits } from '../../src/limits.ts'
import { graphqlVocabulary } from '../../src/resource/model/vocabulary.ts'
import { compileService } from '../../src/service/start/compile-service.ts'
import { awkwardWord, sentencesOf } from '../support/check/plain-words.ts'
import { postWith } from '../support/domain/valid-service.ts'
import { repository, runCommand } from '../support/process/command.ts'
import { copyExample } from '../support/process/example.ts'

const awkwardLines = (printed: string): readonly string[] =>
  printed.split('\n').filter((line) => awkwardWord(line) !== null)

test('no sentence of the sources has an awkward word', () => {
  const paths = globSync('{src,reference,template,examples}/**/*.{ts,js}', {
    cwd: repository,
    exclude: (path) => path.includes('node_modules') || path.includes('resource/code') || path.endsWith('.test.ts'),
  })
  assert.ok(paths.length > 700, `${paths.length} files`)
  const awkward = paths.flatMap((path) =>
    sentencesOf(readFileSync(join(repository, path), 'utf8'))
      .filter(({ text }) => awkwardWord(text) !== null)
      .map(({ line, text }) => `${path}:${line}: ${text}`),
  )
  assert.deepEqual(awkward, [])
})

describe('what a service prints has no awkward word', () => {
  for (const path of ['reference/service.ts', 'template/service.ts', 'template/tenants/service.ts'])
    for (const [name, command] of Object.entries({ openapiCommand, schemaCommand, routesCommand }))
      test(`${path}: ${name}`, async () => {
        assert.deepEqual(awkwardLines(await runCommand(command, ['--service', path])), [])
      })

  for (const name of ['social', 'helpdesk', 'shop', 'billing'])
    test(`examples/${name}`, async (t) => {
      const folder = copyExample(name)
      t.after(() => rmSync(folder, { recursive: true }))
      for (const command of [openapiCommand, schemaCommand])
        assert.deepEqual(awkwardLines(await runCommand(command, [], { folder })), [])
    })
})

describe('an awkward word is found', () => {
  test('in a description', () => {
    const model = compileService(postWith({ about: 'What somebody writes.' }))
    const schema = makeSchema(model, graphqlVocabulary(), defaultLimits)
    assert.match(awkwardLines(printed(schema)).join('\n'), /^ *"""What somebody writes\. .*"""$/)
  })

  const found = (code: string) => sentencesOf(code).filter(({ text }) => awkwardWord(text) !== null).length
  test('in a sentence of code', () => {
    assert.equal(found("fail('Whoever calls it is refused.')"), 1)
    assert.equal(found(`fail(\`There is no \${name}: say which.\`)`), 1)
    assert.equal(found(`fail(\`\${name} asks for more.\`)`), 1)
    assert.equal(found("// Whoever calls it is refused.\nconst rule = 'nobody'"), 0)
  })
})
