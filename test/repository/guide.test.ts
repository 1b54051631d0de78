// Runs docs/resources.md from top to bottom: writes and changes its files, starts them, sends its requests, compares its answers.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { applyChangeBlock } from '../support/check/change-block.ts'
import { assertLike, type Step, stepsOf } from '../support/check/guide.ts'
import { createGuideCaller } from '../support/check/guide-caller.ts'
import { buildPackage, checkTypes, installPackage } from '../support/process/built-package.ts'
import { repository } from '../support/process/command.ts'
import { runProcess } from '../support/process/run-process.ts'
import { type ServiceProcess, startProcess } from '../support/process/service-process.ts'

const guide = await readFile(join(repository, 'docs/resources.md'), 'utf8')
const steps = stepsOf(guide)
/** What `main.ts` does, at the time at which the answers were written. */
const runner = `
import { existsSync } from 'node:fs'
import { start } from 'duet-api'
const { api } = await import('./service.ts')
const demo = existsSync('demo.ts') ? { demo: (await import('./demo.ts')).fillDemo } : {}
const environment = { PORT: '0', DATABASE_URL: 'sqlite:./data/duet.db', LIMIT_LOGIN_PER_MINUTE: '0' }
const service = await start(api, { environment, clock: () => new Date('2026-11-20T09:30:00.000Z'), ...demo })
console.log('Duet is listening on ' + service.url)
process.on('SIGTERM', () => service.stop())
`

describe('docs/resources.md', () => {
  let folder: string
  let project: string
  let service: { readonly process: ServiceProcess; readonly url: string } | null = null
  const caller = createGuideCaller(running)

  before(
    async () => {
      folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
      await buildPackage(join(folder, 'duet'))
      project = join(folder, 'school')
      await installPackage(join(folder, 'duet'), project)
      await copyFile(join(repository, 'template/tsconfig.json'), join(project, 'tsconfig.json'))
      await writeFile(join(project, 'package.json'), '{ "type": "module" }')
      await writeFile(join(project, 'run-guide.js'), runner)
    },
    { timeout: 300_000 },
  )
  after(async () => {
    await stop()
    await rm(folder, { recursive: true, force: true })
  })

  async function stop(): Promise<void> {
    await service?.process.end('SIGTERM')
    service = null
    caller.forgetTokens()
  }

  /** The service as the files say it now. */
  async function running(): Promise<string> {
    if (service !== null) return service.url
    assert.equal(await checkTypes(project), '')
    const started = startProcess(['run-guide.js'], { folder: project, environment: {} })
    service = { process: started, url: await started.listening() }
    return service.url
  }

  async function run(step: Step): Promise<void> {
    switch (step.is) {
      case 'file':
        await stop()
        return writeFile(join(project, step.name), step.text)
      case 'change':
        await stop()
        return changeFile(join(project, step.name), step.text, `line ${step.line}, ${step.name}`)
      case 'command':
        return runCommand(step.words, step.answer)
      case 'request':
      case 'query':
        return caller.ask(step)
    }
  }

  async function changeFile(path: string, block: string, where: string): Promise<void> {
    await writeFile(path, applyChangeBlock(await readFile(path, 'utf8'), block, where))
  }

  async function runCommand(words: readonly string[], answer: string | null): Promise<void> {
    const command = words.join(' ')
    if (command === 'rm -r data') {
      await stop()
      await rm(join(project, 'data'), { recursive: true })
      caller.forgetPasswords()
      return
    }
    if (command === 'node --test "*.test.ts"') {
      const { printed, code } = await runProcess(process.execPath, ['--test', '*.test.ts'], project)
      assert.match(printed, /\btests 1\b/)
      return assert.equal(code, 0, printed)
    }
    assert.deepEqual(words.slice(0, 2), ['npx', 'duet'], `${command} is a command that this test knows`)
    const duet = join(folder, 'duet/dist/command/duet.js')
    const { printed } = await runProcess(process.execPath, [duet, ...(await caller.fill(words.slice(2)))], project)
    assert.ok(answer !== null, `${command} is followed by what it prints`)
    // Which database it comes from is said beside the answer, and is another one on every machine.
    assertLike(printed.replace(/^Database: .*\n/m, ''), answer, command)
  }

  const titles = {
    file: (step: Step & { is: 'file' }) => step.name,
    change: (step: Step & { is: 'change' }) => `changes ${step.name}`,
    command: (step: Step & { is: 'command' }) => step.words.join(' '),
    request: (step: Step & { is: 'request' }) => `${step.method} ${step.path}`,
    query: (step: Step & { is: 'query' }) => step.text.replaceAll(/\s+/g, ' ').trim(),
  }
  for (const step of steps) {
    const title = (titles[step.is] as (step: Step) => string)(step)
    test(`line ${step.line}: ${title}`, () => run(step))
  }

  test('what the guide has built starts by its own main.ts', async () => {
    await stop()
    assert.ok(existsSync(join(project, 'main.ts')))
    const started = startProcess(['main.ts'], { folder: project, environment: {} })
    try {
      assert.equal((await fetch(`${await started.listening()}/api/v2/courses`)).status, 200)
    } finally {
      assert.equal(await started.end('SIGTERM'), 0)
    }
  })
})
