// Relay's compiler, as it comes from npm, with what `duet schema` prints. (contract 4.8)

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { schemaCommand } from '../../src/command/verb/schema.ts'
import { repository, runCommand } from '../support/process/command.ts'
import { runProcess } from '../support/process/run-process.ts'

const compiler = join(repository, 'node_modules', '.bin', 'relay-compiler')

describe("Relay's compiler", () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'duet-relay-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  /** Compiles one source file that holds these documents. */
  async function compile(...documents: readonly string[]) {
    const sdl = await runCommand(schemaCommand, ['--service', 'reference/service.ts'])
    mkdirSync(join(folder, 'src'))
    writeFileSync(join(folder, 'schema.graphql'), sdl)
    writeFileSync(join(folder, 'src', 'app.ts'), documents.map((each) => `graphql\`${each}\`\n`).join(''))
    const settings = { src: './src', schema: './schema.graphql', language: 'typescript', eagerEsModules: true }
    writeFileSync(join(folder, 'relay.config.json'), JSON.stringify(settings))
    const { printed, code } = await runProcess(compiler, [], folder)
    const made = code === 0 ? readdirSync(join(folder, 'src', '__generated__')).sort() : []
    return { printed, code, made }
  }

  test('knows the schema as one of Relay: connections both ways, nodes that are fetched again, moves, events', async () => {
    const { printed, code, made } = await compile(
      'query appQuery { ...app_posts ...app_latest me { name } }',
      `fragment app_posts on Query
         @argumentDefinitions(count: { type: "Int", defaultValue: 10 }, cursor: { type: "String" })
         @refetchable(queryName: "appPostsQuery") {
           posts(first: $count, after: $cursor, sort: [CREATED_AT_DESC]) @connection(key: "app_posts") {
             edges { node { id ...app_post } }
           }
         }`,
      `fragment app_latest on Query
         @argumentDefinitions(count: { type: "Int", defaultValue: 10 }, cursor: { type: "String" })
         @refetchable(queryName: "appLatestQuery") {
           latest: posts(last: $count, before: $cursor) @connection(key: "app_latest", filters: []) {
             edges { node { title } }
           }
         }`,
      'fragment app_post on Post @refetchable(queryName: "appPostQuery") { title author { name } }',
      `mutation appWriteMutation($input: CreatePostInput!, $connections: [ID!]!) {
         createPost(input: $input) @prependNode(connections: $connections, edgeTypeName: "PostEdge") { ...app_post }
       }`,
      'mutation appPublishMutation($id: ID!) { publishPost(id: $id) { id publishedAt } }',
      'subscription appSubscription { postCreated { ...app_post } }',
    )
    assert.equal(code, 0, printed)
    assert.deepEqual(
      made,
      [
        'appLatestQuery',
        'appPostQuery',
        'appPostsQuery',
        'appPublishMutation',
        'appQuery',
        'appSubscription',
        'appWriteMutation',
        'app_latest',
        'app_post',
        'app_posts',
      ].map((name) => `${name}.graphql.ts`),
    )
  })

  test('refuses what is no connection and what is no field', async () => {
    const { printed, code } = await compile(
      'query appQuery { postList(limit: 1) @connection(key: "app_postList") { title } me { colour } }',
    )
    assert.notEqual(code, 0)
    assert.match(printed, /colour/)
    assert.match(printed, /@connection|connection/)
  })
})
