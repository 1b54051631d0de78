// gql.tada, as it comes from npm: types of documents, made from what `duet schema` prints. (contract 4.8)

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { minifyIntrospection, outputIntrospectionFile } from 'gql.tada/internal'
import { buildSchema, introspectionFromSchema } from 'graphql'
import { schemaCommand } from '../../src/command/verb/schema.ts'
import { repository, runCommand } from '../support/process/command.ts'
import { runProcess } from '../support/process/run-process.ts'

const opening = `
import { initGraphQLTada, type ResultOf, type VariablesOf } from 'gql.tada'
import type { introspection } from './schema.js'
const graphql = initGraphQLTada<{ introspection: introspection }>()
`
const page = `
const page = graphql(\`query Page($first: Int!, $after: String, $sort: [PostSort!]) {
  posts(first: $first, after: $after, sort: $sort) {
    nodes { id title tags publishedAt author { name role } }
    pageInfo { hasNextPage endCursor }
  }
}\`)
type Page = ResultOf<typeof page>
declare const { posts }: Page
`
const settings = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'ES2024',
    module: 'NodeNext',
    skipLibCheck: true,
    types: [],
  },
  files: ['app.ts', 'schema.d.ts'],
}

describe('gql.tada', () => {
  let folder = ''
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'duet-tada-'))
    const sdl = await runCommand(schemaCommand, ['--service', 'reference/service.ts'])
    const introspection = introspectionFromSchema(buildSchema(sdl))
    const types = outputIntrospectionFile(minifyIntrospection(introspection), {
      fileType: '.d.ts',
      shouldPreprocess: true,
    })
    writeFileSync(join(folder, 'schema.d.ts'), types)
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
    symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  })
  after(() => rmSync(folder, { recursive: true }))

  async function check(program: string): Promise<readonly string[]> {
    writeFileSync(join(folder, 'app.ts'), opening + program)
    const { printed } = await runProcess(
      join(folder, 'node_modules', '.bin', 'tsc'),
      ['-p', '.', '--pretty', 'false'],
      folder,
    )
    return printed.split('\n').filter((line) => line !== '')
  }

  test('gives documents, their variables and their answers the types of the schema', async () => {
    const problems = await check(`${page}
      const first: Page['posts']['nodes'][number] = posts.nodes[0]!
      const title: string = first.title
      const tags: readonly string[] = first.tags
      const at: string | null = first.publishedAt
      const role: 'ADMIN' | 'EDITOR' | 'VIEWER' = first.author.role
      const cursor: string | null = posts.pageInfo.endCursor
      const variables: VariablesOf<typeof page> = { first: 10, after: cursor, sort: ['CREATED_AT_DESC'] }
      export { title, tags, at, role, variables }
    `)
    assert.deepEqual(problems, [])
  })

  test('finds what does not fit', async () => {
    const problems = await check(`${page}
      export const at: string = posts.nodes[0]!.publishedAt
      export const colour = posts.nodes[0]!.colour
      export const variables: VariablesOf<typeof page> = { first: 10, sort: ['SIDEWAYS'] }
    `)
    const codes = problems.flatMap((line) => /^app\.ts\(\d+,\d+\): error (TS\d+)/.exec(line)?.[1] ?? [])
    assert.deepEqual(codes, ['TS2322', 'TS2339', 'TS2322'])
  })
})
