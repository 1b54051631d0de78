// orval and hey-api, as they come from npm: the clients that they make of the document compile as they are, and do a round of work
// against a running service, signing in included. Nothing of the document is changed for them. (contract 4.15.1, 4.15.4)

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import {
  anyone,
  bigint,
  boolean,
  choice,
  date,
  decimal,
  float,
  integer,
  resource,
  service as serviceOf,
  text,
} from 'duet-api'
import { build } from 'esbuild'
import { type FetchedTool, installTool, withoutTool } from '../support/client/fetched-tool.ts'
import { accounts, User } from '../support/domain/account.ts'
import { repository } from '../support/process/command.ts'
import { runProcess } from '../support/process/run-process.ts'
import { freePort } from '../support/server/free-port.ts'
import { password, startTestService, type TestService } from '../support/server/service.ts'

interface Generator {
  readonly tool: FetchedTool
  /** A program that makes the client of `openapi.json`. */
  readonly generate: string
  /** A program that works with it, and one that must not compile. */
  readonly round: string
  readonly wrong: string
}

const orval: Generator = {
  tool: 'orval',
  generate: `
import { generate } from 'orval'
const output = (client, target) => ({ mode: 'single', client, target, baseUrl: { getBaseUrlFromSpecification: true } })
await generate({ input: './openapi.json', output: output('fetch', './api.ts') })
await generate({ input: './openapi.json', output: output('zod', './zod.ts') })
`,
  round: `
import assert from 'node:assert/strict'
import { createComment, createPost, getPost, listPosts, publishPost, signIn, updatePost, type Post } from './api.ts'
import { CreatePostBody, ListPostsResponse } from './zod.ts'
const [password = ''] = process.argv.slice(2)

const signedIn = await signIn({ email: 'editor@example.com', password })
assert(signedIn.status === 200)
const asEditor = { headers: { Authorization: 'Bearer ' + signedIn.data.access_token } }
const created = await createPost(CreatePostBody.parse({ title: 'First', content: 'C', tags: ['round'] }), asEditor)
assert(created.status === 201)
const post: Post = created.data.data

const listed = await listPosts({ tag: 'round', sort: ['-created_at', 'title'] }, asEditor)
assert(listed.status === 200)
const titles: readonly string[] = listed.data.data.map((each) => each.title)
assert.deepEqual(titles, ['First'])
const { meta } = listed.data
assert('total' in meta)
const total: number = meta.total
assert.equal(total, 1)
assert.equal(ListPostsResponse.parse(listed.data).data[0]?.id, post.id)
const few = await listPosts({ limit: 1, tag: 'round' }, asEditor)
assert(few.status === 200 && 'next_cursor' in few.data.meta)
const cursor: string | null = few.data.meta.next_cursor
assert.equal(cursor, null)

const changed = await updatePost(post.id, { title: 'Changed' }, asEditor)
assert(changed.status === 200 && changed.data.data.title === 'Changed')
const published = await publishPost(post.id, {}, asEditor)
assert(published.status === 200)
const conflict = await publishPost(post.id, {}, asEditor)
assert(conflict.status === 409)
assert.equal(conflict.data.error.code, 'CONFLICT')
const refused = await createComment({ post_id: 'post_01KAG5T6XE5W9Q2Z8RM4C7BNHD', content: 'C' }, asEditor)
assert(refused.status === 422)
const fields: readonly string[] = refused.data.error.details?.map((each) => each.field) ?? []
assert.deepEqual([refused.data.error.code, fields], ['BUSINESS_RULE_VIOLATION', ['post_id']])
const gone = await getPost('post_01KAG5T6XE5W9Q2Z8RM4C7BNHD')
assert.equal(gone.status, 404)
console.log('done')
`,
  wrong: `
import { createPost, listPosts } from './api.ts'
await createPost({ title: 'T', content: 5 })
const listed = await listPosts()
export const title: number = listed.status === 200 ? listed.data.data[0]!.title : 0
`,
}

const heyApi: Generator = {
  tool: 'hey-api',
  generate: `
import { createClient } from '@hey-api/openapi-ts'
await createClient({
  input: './openapi.json',
  output: './api',
  logs: { level: 'silent' },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
})
`,
  round: `
import assert from 'node:assert/strict'
import { createComment, createPost, listPosts, publishPost, signIn, updatePost, type Post } from './api'
import { client } from './api/client.gen'
const [password = ''] = process.argv.slice(2)

const signedIn = await signIn({ body: { email: 'editor@example.com', password } })
assert(signedIn.data)
const token = signedIn.data.access_token
client.setConfig({ auth: ({ scheme }) => (scheme === 'bearer' ? token : undefined) })
const created = await createPost({ body: { title: 'First', content: 'C', tags: ['round'] } })
assert(created.data)
const post: Post = created.data.data
const path = { id: post.id }

const listed = await listPosts({ query: { tag: 'round', sort: ['-created_at', 'title'] } })
assert(listed.data)
const titles: readonly string[] = listed.data.data.map((each) => each.title)
assert.deepEqual(titles, ['First'])
assert('total' in listed.data.meta)
const total: number = listed.data.meta.total
assert.equal(total, 1)

const changed = await updatePost({ path, body: { title: 'Changed' } })
assert.equal(changed.data?.data.title, 'Changed')
assert((await publishPost({ path, body: {} })).data)
const conflict = await publishPost({ path, body: {} })
assert.deepEqual([conflict.response?.status, conflict.error?.error.code], [409, 'CONFLICT'])
const refused = await createComment({ body: { post_id: 'post_01KAG5T6XE5W9Q2Z8RM4C7BNHD', content: 'C' } })
assert.equal(refused.response?.status, 422)
assert.deepEqual(
  [refused.error?.error.code, refused.error?.error.details?.map((each) => each.field)],
  ['BUSINESS_RULE_VIOLATION', ['post_id']],
)
console.log('done')
`,
  wrong: `
import { createPost, listPosts } from './api'
await createPost({ body: { title: 'T', content: 5 } })
const listed = await listPosts()
export const title: number = listed.data ? listed.data.data[0]!.title : 0
`,
}

const settings = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'ES2024',
    lib: ['ES2024', 'DOM', 'DOM.Iterable'],
    module: 'ESNext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    // What is told is what is wrong with the generated code, not with the types of their packages.
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(repository, 'node_modules/@types')],
  },
  include: ['**/*.ts'],
}

/** A folder with the client that is made of this document. */
async function generateIn(folder: string, { tool, generate }: Generator, document: object): Promise<void> {
  await installTool(tool, folder)
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  await runProgram(folder, 'generate.mjs', generate)
}

async function runProgram(folder: string, file: string, program: string): Promise<string> {
  writeFileSync(join(folder, file), program)
  const { code, printed } = await runProcess(process.execPath, [file], folder)
  assert.equal(code, 0, printed)
  return printed
}

async function compile(folder: string, program: string): Promise<readonly string[]> {
  writeFileSync(join(folder, 'app.ts'), program)
  const tsc = join(repository, 'node_modules/.bin/tsc')
  const { printed } = await runProcess(tsc, ['-p', '.', '--pretty', 'false'], folder)
  return printed.split('\n').filter((line) => line !== '')
}

/** What it prints, bundled as clients are, for their files import each other without extensions. */
async function run(folder: string, args: readonly string[]): Promise<string> {
  const outfile = join(folder, 'app.mjs')
  await build({ entryPoints: [join(folder, 'app.ts')], bundle: true, platform: 'node', format: 'esm', outfile })
  const { printed } = await runProcess(process.execPath, [outfile, ...args], folder)
  return printed
}

for (const generator of [orval, heyApi]) {
  describe(generator.tool, { skip: withoutTool(generator.tool), timeout: 300_000 }, () => {
    let folder = ''
    let service: TestService
    before(async () => {
      const port = String(await freePort())
      service = await startTestService('sqlite', { environment: { PORT: port, BASE_URL: `http://127.0.0.1:${port}` } })
      folder = mkdtempSync(join(tmpdir(), 'duet-generated-'))
      await generateIn(folder, generator, (await service.client.send('GET /api/v2/openapi.json')).body)
    })
    after(async () => {
      await service?.stop()
      if (folder !== '') rmSync(folder, { recursive: true })
    })

    test('4.15.1, 4.15.4 a whole round of work compiles, and does what it says', async () => {
      assert.deepEqual(await compile(folder, generator.round), [])
      assert.equal(await run(folder, [password]), 'done\n')
    })

    test('what the document does not foresee does not compile', async () => {
      const problems = await compile(folder, generator.wrong)
      const codes = problems.flatMap((line) => /^app\.ts\(\d+,\d+\): error (TS\d+)/.exec(line)?.[1] ?? [])
      assert.deepEqual(codes, ['TS2322', 'TS2322'])
    })
  })
}

/** A query whose arguments have defaults of every kind that can have one. */
const Thing = resource('Thing', {
  prefix: 'thg',
  fields: { name: text({ max: 20 }), views: bigint(), price: decimal({ precision: 12, scale: 2 }), day: date() },
  queries: {
    usual: {
      allow: anyone,
      args: {
        count: integer({ min: 1, max: 9, default: 3 }),
        share: float({ min: 0, max: 1, default: 0.5 }),
        views: bigint({ min: 5n, default: 9_007_199_254_740_993n }),
        price: decimal({ precision: 12, scale: 2, default: '12.50' }),
        day: date({ default: '2026-11-22' }),
        all: boolean({ default: false }),
        mood: choice(['calm', 'wild'], { default: 'wild' }),
      },
      ids: async () => [],
    },
  },
  actions: { read: { allow: anyone } },
})

test('4.15.1 schemas of orval accept the defaults that they have', {
  skip: withoutTool('orval'),
  timeout: 300_000,
}, async () => {
  const definition = serviceOf({ resources: { User, Thing }, accounts, roles: { ANY: {} } })
  const service = await startTestService('sqlite', { definition })
  const folder = mkdtempSync(join(tmpdir(), 'duet-defaults-'))
  try {
    await generateIn(folder, orval, (await service.client.send('GET /api/v1/openapi.json')).body)
    const program = `
import { UsualThingsQueryParams } from './zod.ts'
const defaults = UsualThingsQueryParams.parse({})
console.log(JSON.stringify(UsualThingsQueryParams.parse(defaults)))
`
    assert.deepEqual(await compile(folder, program), [])
    const sent = JSON.parse(await run(folder, []))
    assert.deepEqual(sent, {
      count: 3,
      share: 0.5,
      views: '9007199254740993',
      price: '12.50',
      day: '2026-11-22',
      all: false,
      mood: 'wild',
    })
    const query = new URLSearchParams(
      Object.entries(sent).map(([name, value]): [string, string] => [name, String(value)]),
    )
    assert.equal((await service.client.send(`GET /api/v1/things/usual?${query}`)).status, 200)
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true })
  }
})
