// Runs the commands of docs/changing.md, each on the definition that the page has written by then.

import assert from 'node:assert/strict'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { start } from 'duet-api'
import { migrateCommand } from '../../src/command/verb/migrate.ts'
import { assertLike, stepsOf } from '../support/check/guide.ts'
import { repository, startsNothing } from '../support/process/command.ts'

/** The page leaves them out. */
const files = {
  'package.json': '{ "type": "module" }',
  'user.ts': `
import { anyone, choice, email, password, resource, state } from 'duet-api'
export const User = resource('User', {
  prefix: 'usr',
  fields: { email: email({ unique: true }), password: password({ min: 8, max: 200 }), role: choice(['MEMBER'], { default: 'MEMBER' }), status: state('ACTIVE') },
  actions: { read: { allow: anyone } },
})
`,
  'service.ts': `
import { service } from 'duet-api'
import { Task } from './task.ts'
import { User } from './user.ts'
export const api = service({
  resources: { User, Task },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: { MEMBER: 'everything' },
})
`,
}

test('docs/changing.md: plans and applies what it shows', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
  t.after(() => rm(folder, { recursive: true }))
  const project = join(folder, 'project')
  await mkdir(project)
  for (const [name, text] of Object.entries(files)) await writeFile(join(project, name), text)
  const variables = { DATABASE_URL: `sqlite:${join(folder, 'duet.db')}` }
  let versions = 0
  /** A module is read once, so each version has a folder of its own. */
  async function version(): Promise<string> {
    const copy = join(folder, `version-${versions++}`)
    await cp(project, copy, { recursive: true })
    await mkdir(join(copy, 'node_modules'))
    await symlink(repository, join(copy, 'node_modules/duet-api'))
    return copy
  }
  let isStarted = false
  for (const step of stepsOf(await readFile(join(repository, 'docs/changing.md'), 'utf8'))) {
    if (step.is === 'file') {
      await writeFile(join(project, step.name), step.text)
      if (isStarted) continue
      isStarted = true
      const { api } = await import(join(await version(), 'service.ts'))
      await (await start(api, { environment: { ...variables, PORT: '0' } })).stop()
      continue
    }
    assert(step.is === 'command')
    const [npx, duet, verb, ...args] = step.words
    assert.deepEqual([npx, duet, verb], ['npx', 'duet', 'migrate'])
    const printed: string[] = []
    const write = (text: string) => void printed.push(text)
    const environment = {
      folder: await version(),
      variables,
      now: () => new Date(),
      write,
      note: () => {},
      ...startsNothing,
    }
    await migrateCommand(args, environment)
    assertLike(printed.join(''), step.answer!, `line ${step.line}`)
  }
})
