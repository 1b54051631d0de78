import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkTypes } from '../../../test/support/process/built-package.ts'
import { assertRefused, runCommand } from '../../../test/support/process/command.ts'
import { typesCommand } from './types.ts'

const run = (...args: readonly string[]) => runCommand(typesCommand, ['--service', 'reference/service.ts', ...args])

/** Holds where the types are as they should be; each `@ts-expect-error` would be an error where they are not. */
const use = `
import type { CreateComment as OldCreateComment, Comment as OldComment } from './v1.ts'
import type { Comment, CreateComment, Order, Requests, User } from './v2.ts'

declare const comment: Comment
declare const old: OldComment
declare const user: User
declare const order: Order
export const texts: string[] = [comment.content, old.text, comment.id]
// @ts-expect-error: v2 calls it content
comment.text
// @ts-expect-error: records are only read
comment.content = 'x'
export const bio: string | null = user.bio
// @ts-expect-error: not everybody may see it
export const email: string = user.email
export const status: 'pending' | 'paid' | 'cancelled' = order.status
export const price: number = order.items[0]!.unit_price
export const input: CreateComment = { post_id: 'post_1', content: 'x' }
// @ts-expect-error: a required field is missing
export const incomplete: CreateComment = { post_id: 'post_1' }
export const oldInput: OldCreateComment = { post_id: 'post_1', text: 'x' }
export const list: Requests['GET /api/v2/posts']['query'] = { limit: 3, sort: ['-created_at'], tag: 'x' }
// @ts-expect-error: there is no such parameter
export const wrong: Requests['GET /api/v2/posts']['query'] = { colour: 'red' }
export const body: Requests['POST /api/v2/comments']['body'] = input
declare const answer: Requests['GET /api/v2/posts/{id}']['answer']
export const title: string | undefined = answer.data.title
export const gone: Requests['DELETE /api/v2/posts/{id}']['answer'] = null
`

test('duet types prints types of records, inputs and requests that need nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
  for (const version of ['v1', 'v2']) await writeFile(join(folder, `${version}.ts`), await run('--version', version))
  await writeFile(join(folder, 'use.ts'), use)
  const options = { strict: true, noEmit: true, allowImportingTsExtensions: true, module: 'nodenext', types: [] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }))
  assert.equal(await checkTypes(folder), '')
  assert.equal(await run(), await run('--version', 'v2'))
  await assertRefused(run('--version', 'v9'), /^There is no version "v9"; the service has v1, v2\.$/, 2)
  await rm(folder, { recursive: true })
})
