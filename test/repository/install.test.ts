// The first minutes of somebody who tries Duet: a project out of the packed archive, installed from the registry, tested. Nothing
// runs at its installation. npm does it here, on older Nodes by the lock file that it wrote on the pinned one; INSTALL=all does
// all of it with every package manager and every Node.

import assert from 'node:assert/strict'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { packPackage } from '../support/process/archive.ts'
import { repository } from '../support/process/command.ts'
import { fetchNode, olderNodes, withoutNode } from '../support/process/node-version.ts'
import { fetchManagers, type ManagerName, managers, runManager } from '../support/process/package-manager.ts'
import { runProcess } from '../support/process/run-process.ts'

const all = process.env['INSTALL'] === 'all'
const names: readonly ManagerName[] = all ? ['npm', 'pnpm', 'yarn 1', 'yarn 4'] : ['npm']
const pinned = process.version
const lockFile = 'package-lock.json'
const withoutRegistry =
  process.env['CI'] !== 'true' && (await runProcess('npm', ['ping'], repository)).code !== 0 && 'no registry answers'

describe('a project out of the packed archive', { skip: withoutRegistry, timeout: 900_000 }, () => {
  let folder: string
  let archive: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'duet-install-'))
    archive = await packPackage(join(folder, 'source'))
    if (all) await fetchManagers()
  })
  after(() => rm(folder, { recursive: true, force: true }))

  for (const name of names) {
    for (const version of [pinned, ...olderNodes]) {
      const skip = version !== pinned && (all ? false : withoutNode(version))
      test(`is installed by ${name} on ${version}, and passes its tests`, { skip, timeout: 300_000 }, async () => {
        const node = version === pinned ? dirname(process.execPath) : await fetchNode(version)
        const place = join(folder, `${name} ${version}`)
        await mkdir(place)
        await writeFile(join(place, 'package.json'), '{ "name": "place", "private": true }')
        const run = (args: readonly string[], where = place) => runManager(name, node, args, where)
        for (const args of managers[name].begin(archive)) await run(args)
        const shop = join(place, 'shop')
        const { dependencies } = JSON.parse(await readFile(join(shop, 'package.json'), 'utf8'))
        assert.match(dependencies['duet-api'], /^file:\.\.\/.*duet-api-.*\.tgz$/)
        // Yarn 4 takes a folder below a project for a part of it, unless it has a lock file.
        if (name === 'yarn 4') await writeFile(join(shop, 'yarn.lock'), '')
        const { repeat, withoutScripts } = managers[name]
        const isFirst = all || version === pinned
        if (!isFirst) await copyFile(join(folder, `${name} ${pinned}`, 'shop', lockFile), join(shop, lockFile))
        for (const args of [...(isFirst ? [['install']] : []), repeat, ...(all ? [[...repeat, withoutScripts]] : [])]) {
          await rm(join(shop, 'node_modules'), { recursive: true, force: true })
          await run(args, shop)
          assert.ok(
            !(await readdir(join(shop, 'node_modules/better-sqlite3'))).includes('build'),
            'nothing is compiled',
          )
        }
        assert.match(await run(['test'], shop), /\bpass 4$/m)
      })
    }
  }
})
