// The package as npm would publish it: built, packed, unpacked into a project of its own, imported, type-checked, run.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { linkPackages, packPackage, unpack } from '../support/process/archive.ts'

const root = join(import.meta.dirname, '../..')
const manifest: Manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
const modules = Object.keys(manifest.exports).filter((path) => path !== './package.json')
const names = modules.map((path) => manifest.name + path.slice(1))

interface Manifest {
  readonly name: string
  readonly bin: Readonly<Record<string, string>>
  readonly engines: { readonly node: string }
  readonly exports: Readonly<Record<string, unknown>>
  readonly dependencies: Readonly<Record<string, string>>
}

const olderNode = findOlderNode()

describe('the packed package', () => {
  let folder: string
  let project: string
  let packed: readonly string[]
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
    project = join(folder, 'project')
    const archive = await packPackage(join(folder, 'source'))
    packed = (await run(folder, 'tar', ['-tzf', archive])).out.trim().split('\n')
    await install(archive, project)
  })
  after(() => rm(folder, { recursive: true, force: true }))

  test('holds the build, the template, the documents and the licence, and nothing else', () => {
    const foreign =
      /^package\/(?!dist\/|template\/|deploy\/(?!\.env)|docs\/.*\.md$|(?:README|CHANGELOG|SECURITY)\.md$|package\.json$|LICENSE$)|^package\/dist\/.*\.test\./
    assert.deepEqual(
      packed.filter((path) => foreign.test(path)),
      [],
    )
    const files = [
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      'SECURITY.md',
      'docs/resources.md',
      'dist/explorer/browser/overview.js',
    ]
    for (const file of files) assert.ok(packed.includes(`package/${file}`), file)
  })

  for (const name of names) {
    test(`${name} imports without a warning and exports something`, async () => {
      await writeFile(join(project, 'import.js'), `console.log(Object.keys(await import('${name}')).length)\n`)
      const { out, problems, code } = await run(project, process.execPath, ['import.js'])
      assert.deepEqual({ problems, code }, { problems: '', code: 0 })
      assert.ok(Number(out) > 0, out)
    })
  }

  test('its types hold in a project that checks libraries too', async () => {
    const lines = names.map((name, index) => `export * as part${index} from '${name}'\n`)
    await writeFile(join(project, 'types.ts'), lines.join(''))
    const options = [
      '--strict',
      '--noEmit',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--types',
      'node',
      'types.ts',
    ]
    const { out, code } = await run(project, join(root, 'node_modules', '.bin', 'tsc'), options)
    assert.ok(code === 0, out)
  })

  test('a service that lacks an optional package reports which, and starts without the others', async () => {
    await writeFile(join(project, 'service.js'), smallestService)
    const start = (environment: Readonly<Record<string, string>>) =>
      run(project, process.execPath, ['service.js'], { PORT: '0', DATABASE_URL: 'sqlite::memory:', ...environment })
    const without = async (name: string, need: string, environment: Readonly<Record<string, string>> = {}) => {
      const { problems, code } = await start(environment)
      assert.deepEqual([problems, code], [`${need}, and the package ${name} is missing: npm install ${name}.\n`, 1])
    }
    await without('pg', 'DATABASE_URL names PostgreSQL', { DATABASE_URL: 'postgres://127.0.0.1:1/none' })
    await without('better-sqlite3', 'DATABASE_URL names SQLite')
    await linkPackages(join(project, 'node_modules'), ['better-sqlite3'])
    await without('@node-rs/argon2', 'Accounts have passwords')
    await linkPackages(join(project, 'node_modules'), ['@node-rs/argon2'])
    await without('nodemailer', 'SMTP_URL is set', { SMTP_URL: 'smtp://127.0.0.1:1' })
    await without('prom-client', 'METRICS_PORT is set', { METRICS_PORT: '0' })
    await without('iovalkey', 'REDIS_URL is set', { REDIS_URL: 'redis://127.0.0.1:1' })
    assert.deepEqual(await start({}), { out: 'started\n', problems: '', code: 0 })
  })

  test('holds all that duet new writes', async () => {
    const template = await readdir(join(root, 'template'), { recursive: true, withFileTypes: true })
    const files = template
      .filter((each) => each.isFile())
      .map((each) => relative(root, join(each.parentPath, each.name)))
    assert.ok(files.includes('template/.github/workflows/test.yml'))
    assert.deepEqual(
      files.filter((path) => !packed.includes(`package/${path}`)),
      [],
    )
  })

  for (const [command, file] of Object.entries(manifest.bin)) {
    const source = file.replace('dist', 'src').replace(/js$/, 'ts')
    test(`${command} prints its usage`, {
      skip: !existsSync(join(root, source)) && `${source} is to come`,
    }, async () => {
      const path = join(project, 'node_modules', manifest.name, file)
      assert.match(await readFile(path, 'utf8'), /^#!\/usr\/bin\/env node\n/)
      const { out, problems, code } = await run(project, process.execPath, [path, '--help'])
      assert.deepEqual({ problems, code }, { problems: '', code: 0 })
      assert.match(out, /^ {2}duet routes /m)
    })

    test(`${command} says which Node it needs to one that is too old`, {
      skip: !olderNode && 'PATH has no older Node',
    }, async () => {
      const path = join(project, 'node_modules', manifest.name, file)
      const { out, problems, code } = await run(project, olderNode!, [path, '--help'])
      assert.deepEqual({ out, code }, { out: '', code: 1 })
      assert.match(problems, /^Duet needs Node 22\.18, or 24 and newer, and this is v\d+\.\d+\.\d+\.\n$/)
      assert.equal(manifest.engines.node, '^22.18.0 || >=24.0.0')
    })
  }
})

/** A Node that is older than ours, where this machine has one besides. */
function findOlderNode(): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((each) => join(each, 'node'))
    .filter((each) => existsSync(each))
    .find((each) => {
      const { stdout } = spawnSync(each, ['--version'], { encoding: 'utf8' })
      return Number.parseInt(stdout.slice(1), 10) < 22
    })
}

/** What `npm install` would do, without a download: only `dependencies` are there, as links to our own, and no optional peer. */
async function install(archive: string, project: string): Promise<void> {
  await unpack(archive, join(project, 'node_modules', manifest.name))
  await writeFile(join(project, 'package.json'), '{ "type": "module" }')
  await linkPackages(join(project, 'node_modules'), [...Object.keys(manifest.dependencies), '@types/node'])
}

const smallestService = `
import { anyone, choice, email, main, password, resource, service, start, state } from 'duet-api'
const fields = { email: email({ unique: true }), password: password({ min: 8, max: 9 }), role: choice(['A']), status: state('ON') }
const User = resource('User', { prefix: 'usr', fields, actions: { read: { allow: anyone } } })
const accounts = { login: 'email', password: 'password', role: 'role', activeState: 'ON' }
const api = service({ resources: { User }, accounts, roles: { A: {} } })
try {
  const { stop } = await start(api, { environment: process.env })
  await stop()
  console.log('started')
} catch {
  // Says why, as it would at any other start.
  await main(api)
}
`

async function run(cwd: string, command: string, options: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const { NODE_OPTIONS: _, ...env } = process.env
  const child = spawn(command, options, { cwd, env: { ...env, ...environment } })
  const [out, problems, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.on('close', resolve)),
  ])
  return { out, problems, code }
}
