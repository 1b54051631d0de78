// Two copies of the package in one process: what one makes, the other one does not start.

import assert from 'node:assert/strict'
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ApiKey, anyone, choice, email, password, resource, service, state, text } from 'duet-api'
import { compileService } from '../../service/start/compile-service.ts'

type Duet = typeof import('../../index.ts')

let folder: string
let other: Duet
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'duet-copy-'))
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  await cp(join(root, 'src'), join(folder, 'src'), { recursive: true })
  await cp(join(root, 'package.json'), join(folder, 'package.json'))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  other = await import(pathToFileURL(join(folder, 'src', 'index.ts')).href)
})
after(() => rm(folder, { recursive: true }))

const userOf = (duet: Pick<Duet, 'resource'>) =>
  duet.resource('User', {
    prefix: 'usr',
    fields: {
      name: text({ max: 100 }),
      email: email({ unique: true }),
      password: password({ min: 8, max: 200 }),
      role: choice(['VIEWER'], { default: 'VIEWER' }),
      status: state('ACTIVE'),
    },
    actions: { read: { allow: anyone } },
  })
const serviceOf = (resources: object) =>
  service({
    resources: resources as { User: ReturnType<typeof userOf> },
    accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
    roles: { VIEWER: {} },
  })

test('a resource of another copy is reported as that, with how to find the copy', () => {
  const User = userOf({ resource })
  assert.equal(compileService(serviceOf({ User, ApiKey })).resources.length, 2)
  for (const [resources, names] of [
    [{ User, ApiKey: other.ApiKey }, 'ApiKey'],
    [{ User: userOf(other), ApiKey: other.ApiKey }, 'User, ApiKey'],
  ] as const) {
    assert.throws(
      () => compileService(serviceOf(resources)),
      (error: Error) => {
        const [, sentence, ...more] = error.message.split('\n')
        assert.deepEqual(more, [], 'and nothing that follows from it')
        const here = new URL('../../..', import.meta.url).href
        const there = pathToFileURL(`${folder}/`).href
        assert.equal(
          sentence,
          `- The service: two copies of duet-api are loaded: ${names} from ${there}, and what starts it from ${here}; ` +
            'keep one of them, `npm ls duet-api` lists who depends on which.',
        )
        return true
      },
    )
  }
})

test('a service of another copy is reported as that', () => {
  const made = other.service({
    resources: { User: userOf({ resource }) },
    accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
    roles: { VIEWER: {} },
  })
  assert.throws(() => compileService(made as never), /two copies of duet-api are loaded: the service from file:/)
})
