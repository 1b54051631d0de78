import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { buildPackage, checkTypes, installPackage } from '../../../test/support/process/built-package.ts'
import { assertRefused, repository, runCommand } from '../../../test/support/process/command.ts'
import { runProcess } from '../../../test/support/process/run-process.ts'
import { startProcess } from '../../../test/support/process/service-process.ts'
import { demoPassword } from '../../index.ts'
import { devCommand } from './dev.ts'
import { newCommand } from './new.ts'

describe('a new project', () => {
  let folder: string
  let project: string
  /** The command, as it is built. */
  let duet: string
  let output: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
    project = join(folder, 'To Do')
    await buildPackage(join(folder, 'duet'))
    duet = join(folder, 'duet/dist/command/duet.js')
    output = (await runProcess(process.execPath, [duet, 'new', 'To Do'], folder)).printed
    await installPackage(join(folder, 'duet'), project)
  })
  after(() => rm(folder, { recursive: true, force: true }))

  test('has what a project needs, under its own name', async () => {
    assert.match(output, /^Your service is in To Do\. Next:\n\n {2}cd To Do\n {2}npm install\n/)
    const files = (await readdir(project, { recursive: true })).filter((path) => !path.startsWith('node_modules'))
    const needed = ['package.json', 'tsconfig.json', '.gitignore', '.github/workflows/test.yml', 'README.md', 'main.ts']
    for (const file of [...needed, 'service.ts', 'service.test.ts', 'user.ts', 'project.ts', 'task.ts']) {
      assert.ok(files.includes(file), file)
    }
    const own = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'))
    const manifest = JSON.parse(await readFile(join(project, 'package.json'), 'utf8'))
    assert.equal(manifest.name, 'to-do')
    assert.deepEqual(manifest.dependencies, {
      '@node-rs/argon2': own.peerDependencies['@node-rs/argon2'],
      'better-sqlite3': own.peerDependencies['better-sqlite3'],
      [own.name]: `^${own.version}`,
    })
    assert.equal(manifest.devDependencies.typescript, `^${own.devDependencies.typescript}`)
    assert.match(await readFile(join(project, 'README.md'), 'utf8'), /^# to-do\n/)
    assert.match(await readFile(join(project, '.gitignore'), 'utf8'), /^node_modules\/\ndata\/\n$/)
  })

  test('passes its own tests, types first', async () => {
    assert.equal(await checkTypes(project), '')
    const tests = await runProcess(process.execPath, ['--run', 'test'], project)
    assert.match(tests.printed, /\bpass 4$/m)
    assert.equal(tests.code, 0, tests.printed)
  })

  test('starts, and reports who may sign in', async () => {
    const service = startProcess(['main.ts'], { folder: project, environment: inMemory })
    try {
      const url = await service.listening()
      assert.equal((await fetch(`${url}/health/ready`)).status, 200)
      // The other pages are made of packages that are not installed here.
      assert.match(service.printed(), /^ {2}Pages {5}\S+\/docs$/m)
      assert.match(service.printed(), /^Demo accounts: admin@example\.com, ada@example\.com; password: /m)
    } finally {
      assert.equal(await service.end('SIGTERM'), 0)
    }
  })

  test('starts again for every change, however it is saved, and not for what it writes itself', {
    timeout: 240_000,
  }, async () => {
    const environment = { DATABASE_URL: 'sqlite:./app.db' }
    const service = startProcess([duet, 'dev'], { folder: project, environment })
    try {
      let url = await service.listening()
      const path = join(project, 'project.ts')
      const definition = await readFile(path, 'utf8')
      for (const [index, save] of [saveAsEditors, saveAsEditors, writeFile, saveAsEditors].entries()) {
        // What the database writes for this restarts nothing: the address stays the one that answers.
        const body = JSON.stringify({ email: 'ada@example.com', password: demoPassword })
        const headers = { 'Content-Type': 'application/json' }
        assert.equal((await fetch(`${url}/auth/login`, { method: 'POST', headers, body })).status, 200)
        const max = 123 + index
        assert.ok(!(await contract(url)).includes(`"maxLength":${max}`))
        await save(path, definition.replace('max: 100', `max: ${max}`))
        url = await service.listening()
        assert.ok((await contract(url)).includes(`"maxLength":${max}`))
      }
      await saveAsEditors(path, 'export nothing')
      await service.printing('The service has ended with 1; it starts again when a file changes.\n')
      await saveAsEditors(path, definition)
      url = await service.listening()
      assert.equal((await fetch(`${url}/health`)).status, 200)
      const printed = service.printed()
      assert.equal(printed.match(/^Duet is listening/gm)?.length, 6, printed)
      assert.equal(printed.match(/^project\.ts changed: starting again\.$/gm)?.length, 6, printed)
    } finally {
      assert.equal(await service.end('SIGTERM'), 0)
    }
  })

  test('for tenants passes its own tests, types first, and starts', async () => {
    const { printed, code } = await runProcess(process.execPath, [duet, 'new', 'desk', '--tenants'], folder)
    assert.equal(code, 0, printed)
    const desk = join(folder, 'desk')
    await installPackage(join(folder, 'duet'), desk)
    const written = await readdir(desk)
    assert.ok(written.includes('organization.ts') && written.includes('.github'), String(written))
    assert.ok(![...written, ...(await readdir(project))].includes('tenants'))
    assert.match(await readFile(join(desk, 'README.md'), 'utf8'), /^# desk\n.*^\| `organization\.ts`/ms)
    assert.equal(await checkTypes(desk), '')
    const tests = await runProcess(process.execPath, ['--run', 'test'], desk)
    assert.match(tests.printed, /\bpass 5$/m)
    assert.equal(tests.code, 0, tests.printed)
    const service = startProcess(['main.ts'], { folder: desk, environment: inMemory })
    try {
      assert.equal((await fetch(`${await service.listening()}/health/ready`)).status, 200)
      assert.match(service.printed(), /^Demo accounts: admin@example\.com, ada@example\.com, /m)
    } finally {
      assert.equal(await service.end('SIGTERM'), 0)
    }
  })

  test('is written into an empty folder only', async () => {
    const before = await readdir(project)
    await assertRefused(runCommand(newCommand, ['To Do'], { folder }), /^The folder To Do is not empty\.$/)
    assert.deepEqual(await readdir(project), before)
    await writeFile(join(folder, 'file'), '')
    await assertRefused(runCommand(newCommand, ['file'], { folder }), /^The folder file cannot be made: /)
    await assertRefused(runCommand(newCommand, [], { folder }), /^The folder is missing\.$/, 2)
    await mkdir(join(folder, 'empty'))
    await runCommand(newCommand, ['empty'], { folder })
    assert.ok((await readdir(join(folder, 'empty'))).includes('service.ts'))
  })
})

test('duet dev says where it finds nothing to start', async () => {
  await assertRefused(
    runCommand(devCommand, []),
    /^There is no main\.ts here: name the file that starts the service with --main\.$/,
  )
  await assertRefused(runCommand(devCommand, ['--main', 'nowhere.ts']), /^There is no file nowhere\.ts\.$/)
  await assertRefused(
    runCommand(devCommand, ['--main', 'reference/main.ts', '--watch', 'no']),
    /^There is no folder no\.$/,
  )
})

const inMemory = { DATABASE_URL: 'sqlite::memory:' }
const contract = async (url: string) => (await fetch(`${url}/api/v1/openapi.json`)).text()

/** As most editors and git do: another file takes the place of the one that was there. */
async function saveAsEditors(path: string, text: string): Promise<void> {
  await writeFile(`${path}~`, text)
  await rename(`${path}~`, path)
}
