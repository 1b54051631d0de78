// graphql-codegen, as it comes from npm: types of operations, made from what `duet schema` prints. (contract 4.8)

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { schemaCommand } from '../../src/command/verb/schema.ts'
import { repository, runCommand } from '../support/process/command.ts'
import { runProcess } from '../support/process/run-process.ts'

const operations = `
  fragment Card on Post { id title publishedAt author { name role } }
  query Page($first: Int!, $after: String, $sort: [PostSort!]) {
    posts(first: $first, after: $after, sort: $sort) { nodes { ...Card tags } pageInfo { endCursor } }
  }
  query Person($id: ID!) {
    userResult(id: $id) { __typename ... on User { name } ... on UserNotFoundError { message } }
  }
  mutation Write($input: CreatePostInput!) { createPost(input: $input) { id } }
  subscription Heard { postCreated { ...Card } }
`
/** What a client's build does. */
const build = `
import { readFileSync, writeFileSync } from 'node:fs'
import { codegen } from '@graphql-codegen/core'
import * as operations from '@graphql-codegen/typescript-operations'
import { buildSchema, parse } from 'graphql'
const [sdl, document] = ['schema.graphql', 'app.graphql'].map((path) => readFileSync(path, 'utf8'))
const types = await codegen({
  filename: 'types.ts',
  schema: parse(sdl),
  schemaAst: buildSchema(sdl),
  documents: [{ location: 'app.graphql', document: parse(document) }],
  plugins: [{ operations: {} }],
  pluginMap: { operations },
  config: {},
})
writeFileSync('types.ts', types)
`
const settings = {
  compilerOptions: { strict: true, noEmit: true, target: 'ES2024', module: 'NodeNext', types: [] },
  files: ['app.ts', 'types.ts'],
}

describe('graphql-codegen', () => {
  let folder = ''
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'duet-codegen-'))
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
    write('schema.graphql', await runCommand(schemaCommand, ['--service', 'reference/service.ts']))
    write('app.graphql', operations)
    write('build.mjs', build)
    write('package.json', JSON.stringify({ type: 'module' }))
    write('tsconfig.json', JSON.stringify(settings))
    symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
    const { code, printed } = await runProcess(process.execPath, ['build.mjs'], folder)
    assert.equal(code, 0, printed)
  })
  after(() => rmSync(folder, { recursive: true }))

  async function check(program: string): Promise<readonly string[]> {
    writeFileSync(join(folder, 'app.ts'), `import type * as made from './types.js'\n${program}`)
    const tsc = join(repository, 'node_modules', '.bin', 'tsc')
    const { printed } = await runProcess(tsc, ['-p', '.', '--pretty', 'false'], folder)
    return printed.split('\n').filter((line) => line !== '')
  }

  test('gives operations, their variables and their answers the types of the schema', async () => {
    const problems = await check(`
      declare const page: made.PageQuery, person: made.PersonQuery, heard: made.HeardSubscription
      const [first] = page.posts.nodes
      const title: string = first!.title
      const tags: readonly string[] = first!.tags
      const at: string | null = first!.publishedAt
      const role: 'ADMIN' | 'EDITOR' | 'VIEWER' = heard.postCreated.author.role
      const cursor: string | null = page.posts.pageInfo.endCursor
      const message = person.userResult.__typename === 'UserNotFoundError' ? person.userResult.message : ''
      const variables: made.PageQueryVariables = { first: 10, after: cursor, sort: ['CREATED_AT_DESC'] }
      const written: made.WriteMutationVariables = { input: { title, content: 'C', tags: ['one'], publish: true } }
      export { title, tags, at, role, message, variables, written }
    `)
    assert.deepEqual(problems, [])
  })

  test('finds what does not fit', async () => {
    const problems = await check(`
      declare const page: made.PageQuery
      export const at: string = page.posts.nodes[0]!.publishedAt
      export const colour = page.posts.nodes[0]!.colour
      export const variables: made.PageQueryVariables = { first: 10, sort: ['SIDEWAYS'] }
      export const written: made.WriteMutationVariables = { input: { title: 'T' } }
    `)
    const codes = problems.flatMap((line) => /^app\.ts\(\d+,\d+\): error (TS\d+)/.exec(line)?.[1] ?? [])
    assert.deepEqual(codes, ['TS2322', 'TS2339', 'TS2322', 'TS2741'])
  })
})
