// What definitions cost the type checker, so that a service of a hundred resources still checks in a blink.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const repository = join(import.meta.dirname, '../..')
const names = ['user', 'post', 'comment', 'article', 'product', 'order']
const resources = 100

interface Cost {
  readonly instantiations: number
  readonly checkSeconds: number
}

test(`definitions cost less than 2,950 instantiations a resource`, async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'duet-type-cost-'))
  context.after(() => rm(folder, { recursive: true }))
  const empty = await cost(join(folder, 'empty'), { 'a.ts': "import 'duet-api'\n" })
  const defined = await cost(join(folder, 'defined'), await definitions())
  const each = Math.round((defined.instantiations - empty.instantiations) / resources)
  const seconds = (defined.checkSeconds - empty.checkSeconds).toFixed(2)
  context.diagnostic(`${resources} resources: ${each} instantiations each, ${seconds} s to check them all`)
  assert.ok(each > 500, `${each} instantiations each: the copies are not what is measured`)
  assert.ok(each < 2_950, `${each} instantiations each`)
})

test('a client that lists and reads each of them costs less than 3,150 more', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'duet-type-client-'))
  context.after(() => rm(folder, { recursive: true }))
  const sources = renamed(await definitions())
  const empty = await cost(join(folder, 'defined'), { ...sources, 'a.ts': "import 'duet-api/client'\n" })
  const used = await cost(join(folder, 'used'), { ...sources, 'a.ts': clientOf(Object.keys(sources)) })
  const each = Math.round((used.instantiations - empty.instantiations) / resources)
  const seconds = (used.checkSeconds - empty.checkSeconds).toFixed(2)
  context.diagnostic(`a client of ${resources} resources: ${each} instantiations each, ${seconds} s to check it`)
  assert.ok(each > 50, `${each} instantiations each: the client is not what is measured`)
  assert.ok(each < 3_150, `${each} instantiations each`)
})

test('accounts may be another resource than User, where that is declared', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'duet-type-accounts-'))
  context.after(() => rm(folder, { recursive: true }))
  const source = `import { anyone, choice, email, one, own, password, resource, service, state } from 'duet-api'
    declare module 'duet-api' { interface Accounts { resource: 'Member' } }
    const read = { allow: anyone }
    const fields = { email: email({ unique: true }), word: password({ min: 8, max: 9 }), role: choice(['A']), status: state('ON') }
    const Member = resource('Member', { prefix: 'm', fields, actions: { read } })
    const Note = resource('Note', { prefix: 'n', fields: { by: one('Member') }, actions: { read: { allow: own('by') } } })
    const accounts = { login: 'email', password: 'word', role: 'role', activeState: 'ON' } as const
    export const first = service({ resources: { Member, Note }, accounts: { ...accounts, resource: 'Member' }, roles: { A: {} } })
    // @ts-expect-error the machine must know it too
    export const second = service({ resources: { Member, Note }, accounts, roles: { A: {} } })
    // @ts-expect-error and a user is no member
    resource('Note', { prefix: 'n', fields: { by: one('User') }, actions: { read: { allow: own('by') } } })`
  await cost(join(folder, 'members'), { 'a.ts': source })
})

/** The reference resources, copied until there are enough; an order speaks of the product beside it. */
async function definitions(): Promise<Readonly<Record<string, string>>> {
  const sources = await Promise.all(names.map((name) => readFile(join(repository, 'reference', `${name}.ts`), 'utf8')))
  return Object.fromEntries(
    Array.from({ length: resources }, (_, index) => {
      const copy = Math.floor(index / names.length)
      const source = sources[index % names.length]!.replace("'./product.ts'", `'./product-${copy}.ts'`)
      return [`${names[index % names.length]}-${copy}.ts`, source]
    }),
  )
}

/** The same, as resources of one service: all but the first copies have names of their own, and accounts are no others. */
const renamed = (sources: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(sources).map(([file, source]) => [
      file,
      file.endsWith('-0.ts') ? source : named(source, copyOf(file)),
    ]),
  )
const named = (source: string, copy: string): string =>
  source
    .replace(/(resource\('\w+)'|(one\('Product)'|(Id<'Product)'/g, (found) => `${found.slice(0, -1)}${copy}'`)
    .replaceAll('actor.id !==', 'String(actor.id) !==')
const copyOf = (file: string): string => /\d+/.exec(file)![0]
const nameOf = (file: string): string => file.charAt(0).toUpperCase() + file.slice(1, file.indexOf('-'))

/** A program that lists and reads the records of every resource. */
function clientOf(files: readonly string[]): string {
  const all = files.map((file) => ({
    file,
    type: nameOf(file),
    name: nameOf(file) + (copyOf(file) === '0' ? '' : copyOf(file)),
  }))
  const imports = all.map(({ file, type, name }) => `import type { ${type} as ${name} } from './${file}'`)
  const members = all.map(({ name }) => `${name}: typeof ${name}`)
  const uses = all.map(({ name }) => {
    const records = `client.${name.charAt(0).toLowerCase()}${name.slice(1)}s`
    return `void ${records}.list({ fields: ['id'] }); void ${records}.get('x').then(({ createdAt }) => createdAt)`
  })
  const lines = [
    "import type { Service } from 'duet-api'",
    "import { createClient } from 'duet-api/client'",
    ...imports,
  ]
  const api = `type Api = Service<{ ${members.join('; ')} }, never>`
  return [...lines, api, "const client = createClient<Api>('', { json: { preferences: true } })", ...uses].join('\n')
}

/** What `duet` exports of the language, without the server: that costs the same however many resources there are. */
async function language(): Promise<string> {
  const index = await readFile(join(repository, 'src', 'index.ts'), 'utf8')
  const lines = index.match(/^export (?:type )?\{[^}]*\} from '\.\/resource\/[^']+'$/gm) ?? []
  return lines.join('\n').replaceAll("'./resource/", `'${repository}/src/resource/`)
}

/** Checks files as a user's project would: strictly, against the library's own sources. Rejects where they are wrong. */
async function cost(folder: string, files: Readonly<Record<string, string>>): Promise<Cost> {
  await mkdir(folder)
  await writeFile(join(folder, 'duet.ts'), await language())
  const options = {
    paths: { 'duet-api': [join(folder, 'duet.ts')], 'duet-api/client': [join(repository, 'src/client/index.ts')] },
    typeRoots: [join(repository, 'node_modules', '@types')],
  }
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: join(repository, 'tsconfig.json'), compilerOptions: options, include: ['*.ts'] }),
  )
  for (const [name, source] of Object.entries(files)) await writeFile(join(folder, name), source)
  const tsc = join(repository, 'node_modules', '.bin', 'tsc')
  const { stdout } = await promisify(execFile)(tsc, ['-p', folder, '--extendedDiagnostics'])
  const figure = (name: string) => Number(new RegExp(`^${name}:\\s+([\\d.]+)`, 'm').exec(stdout)?.[1])
  return { instantiations: figure('Instantiations'), checkSeconds: figure('Check time') }
}
