import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packageManager } from './package-manager.ts'

test('a project is written for the package manager that runs the command', () => {
  const rows = [
    [undefined, 'npm', '.npmrc', /^ignore-scripts=true$/m],
    ['npm/10.9.3 node/v22.18.0 linux x64 workspaces/false', 'npm', '.npmrc', /^ignore-scripts=true$/m],
    ['pnpm/12.21.0 npm/? node/v24.0.0 linux x64', 'pnpm', '.npmrc', /^ignore-scripts=true$/m],
    ['yarn/1.22.22 npm/? node/v22.18.0 linux x64', 'yarn', '.yarnrc', /^ignore-scripts true$/m],
    ['yarn/4.18.1 npm/? node/v26.10.0 linux x64', 'yarn', '.yarnrc.yml', /^nodeLinker: node-modules$/m],
  ] as const
  for (const [userAgent, name, file, settings] of rows) {
    const manager = packageManager(userAgent)
    assert.deepEqual([manager.name, manager.file], [name, file])
    assert.match(manager.settings, settings)
  }
})
