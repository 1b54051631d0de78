// openapi-typescript and openapi-fetch, as they come from npm: a client that the compiler holds to the document does a
// round of work. (contract 4.15)

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { typesOf } from '../support/oracle/openapi-types.ts'
import { repository } from '../support/process/command.ts'
import { runProcess } from '../support/process/run-process.ts'
import { password, startTestService, type TestService } from '../support/server/service.ts'

const opening = `
import assert from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { components, paths } from './api.d.ts'
const [url = '', password = ''] = process.argv.slice(2)
const api = createClient<paths>({ baseUrl: url })
`
const round = `
const signedIn = await api.POST('/auth/login', { body: { email: 'editor@example.com', password } })
assert.ok(signedIn.data, 'signs in')
const token: string = signedIn.data.access_token
api.use({ onRequest: ({ request }) => void request.headers.set('Authorization', 'Bearer ' + token) })

const drafts: components['schemas']['Post'][] = []
for (const title of ['First', 'Second', 'Third']) {
  const { data, response } = await api.POST('/api/v2/posts', { body: { title, content: 'C', tags: ['round'] } })
  assert.ok(data, title)
  assert.equal(response.headers.get('Location'), '/api/v2/posts/' + data.data.id)
  drafts.push(data.data)
}
const [post] = drafts
assert.ok(post)
const at = { params: { path: { id: post.id } } }
const published = await api.POST('/api/v2/posts/{id}/publish', { ...at, body: {} })
assert.ok(published.data?.data.published_at)
const unset: null | undefined = drafts[1]?.published_at as null
assert.equal(unset, null)
const conflict = await api.POST('/api/v2/posts/{id}/publish', { ...at, body: {} })
assert.equal(conflict.error?.error.message, 'To publish it, published_at must not be set; it is.')

const titles: string[] = []
let cursor: string | null | undefined
let pages = 0
do {
  const query = { limit: 2, tag: 'round', sort: ['title' as const], ...(cursor ? { cursor } : {}) }
  const { data } = await api.GET('/api/v2/posts', { params: { query } })
  assert.ok(data && 'next_cursor' in data.meta)
  titles.push(...data.data.map((each) => each.title))
  cursor = data.meta.next_cursor
  pages += 1
} while (cursor)
assert.deepEqual([titles, pages], [['First', 'Second', 'Third'], 2])

const all = await api.GET('/api/v2/posts', { params: { query: { tag: 'round' } } })
assert.ok(all.data && 'total' in all.data.meta)
const total: number = all.data.meta.total
assert.equal(total, 3)

const comment = await api.POST('/api/v2/comments', { body: { post_id: post.id, content: 'Well said.' } })
assert.equal(comment.data?.data.post_id, post.id)

const read = await api.GET('/api/v2/posts/{id}', at)
const etag = read.response.headers.get('ETag') ?? ''
const withTag = { params: { ...at.params, header: { 'If-Match': etag } } }
const changed = await api.PATCH('/api/v2/posts/{id}', { ...withTag, body: { title: 'Changed' } })
assert.equal(changed.data?.data.title, 'Changed')
const stale = await api.PATCH('/api/v2/posts/{id}', { ...withTag, body: { title: 'Changed again' } })
assert.deepEqual([stale.response.status, stale.error?.error.code], [409, 'CONFLICT'])

const deleted = await api.DELETE('/api/v2/posts/{id}', at)
assert.deepEqual([deleted.response.status, deleted.error], [204, undefined])
const gone = await api.GET('/api/v2/posts/{id}', at)
assert.deepEqual([gone.response.status, gone.error?.error.code], [404, 'NOT_FOUND'])
console.log('done')
`
const wrong = `
await api.GET('/api/v2/postings')
await api.POST('/api/v2/posts', { body: { title: 'T', content: 5 } })
const { data } = await api.GET('/api/v2/products/{id}', { params: { path: { id: 'prd_1' } } })
export const price: string = (data?.data as components['schemas']['Product']).price
`
const settings = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'ES2024',
    module: 'NodeNext',
    allowImportingTsExtensions: true,
    types: ['node'],
  },
  include: ['*.ts'],
}

describe('openapi-typescript and openapi-fetch', () => {
  let folder = ''
  let server = ''
  let service: TestService
  before(async () => {
    service = await startTestService('sqlite')
    folder = mkdtempSync(join(tmpdir(), 'duet-openapi-'))
    const { body } = await service.client.send('GET /api/v2/openapi.json')
    // The one address that generated clients join to every path, sign-in's too.
    server = new URL(body.servers[0].url, service.url).href
    writeFileSync(join(folder, 'api.d.ts'), await typesOf(body))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
    symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  })
  after(async () => {
    await service.stop()
    rmSync(folder, { recursive: true })
  })

  async function check(program: string): Promise<readonly string[]> {
    writeFileSync(join(folder, 'app.ts'), opening + program)
    const tsc = join(folder, 'node_modules', '.bin', 'tsc')
    const { printed } = await runProcess(tsc, ['-p', '.', '--pretty', 'false'], folder)
    return printed.split('\n').filter((line) => line !== '')
  }

  test('a whole round of work compiles, and does what it says', async () => {
    assert.deepEqual(await check(round), [])
    const { printed } = await runProcess(process.execPath, ['app.ts', server, password], folder)
    assert.equal(printed, 'done\n')
  })

  test('what the document does not foresee does not compile', async () => {
    const problems = await check(wrong)
    const codes = problems.flatMap((line) => /^app\.ts\(\d+,\d+\): error (TS\d+)/.exec(line)?.[1] ?? [])
    assert.deepEqual(codes, ['TS2554', 'TS2322', 'TS2322'])
  })
})
