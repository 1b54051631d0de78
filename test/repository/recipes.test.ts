// Runs docs/recipes.md: writes its files, checks their types, starts them, sends its requests and runs its tests.

import assert from 'node:assert/strict'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { stepsOf } from '../support/check/guide.ts'
import { createGuideCaller } from '../support/check/guide-caller.ts'
import { buildPackage, checkTypes, installPackage } from '../support/process/built-package.ts'
import { repository } from '../support/process/command.ts'
import { runProcess } from '../support/process/run-process.ts'
import { type ServiceProcess, startProcess } from '../support/process/service-process.ts'

const steps = stepsOf(await readFile(join(repository, 'docs/recipes.md'), 'utf8'))
const environment = { PORT: '0', DATABASE_URL: 'sqlite::memory:', LIMIT_LOGIN_PER_MINUTE: '0' }

describe('docs/recipes.md', () => {
  let folder: string
  let project: string
  let service: ServiceProcess | undefined
  let url: string
  const caller = createGuideCaller(async () => url)
  before(
    async () => {
      folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
      project = join(folder, 'recipes')
      await buildPackage(join(folder, 'duet'))
      await installPackage(join(folder, 'duet'), project)
      await copyFile(join(repository, 'template/tsconfig.json'), join(project, 'tsconfig.json'))
      await writeFile(join(project, 'package.json'), '{ "type": "module" }')
      for (const step of steps) if (step.is === 'file') await writeFile(join(project, step.name), step.text)
      assert.equal(await checkTypes(project), '')
      service = startProcess(['main.ts'], { folder: project, environment })
      url = await service.listening()
    },
    { timeout: 300_000 },
  )
  after(async () => {
    await service?.end('SIGTERM')
    await rm(folder, { recursive: true, force: true })
  })

  for (const step of steps) {
    if (step.is === 'request') test(`line ${step.line}: ${step.method} ${step.path}`, () => caller.ask(step))
    else if (step.is === 'query') test(`line ${step.line}: GraphQL`, () => caller.ask(step))
    else if (step.is === 'command') {
      test(`line ${step.line}: ${step.words.join(' ')}`, async () => {
        assert.deepEqual(step.words, ['node', '--test', '"*.test.ts"'])
        const { printed, code } = await runProcess(process.execPath, ['--test', '*.test.ts'], project)
        assert.match(printed, /\btests 1\b/)
        assert.equal(code, 0, printed)
      })
    } else assert.equal(step.is, 'file', `line ${step.line}`)
  }
})
