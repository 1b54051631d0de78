// The first minutes of somebody who tries Duet: a project out of the packed archive, installed from the registry, tested. Nothing
// runs at its installation. npm does it here, on older Nodes with the project and the lock file of the pinned one, where the command
// makes another project; INSTALL=all does all of it with every package manager and every Node.

import assert from 'node:assert/strict'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
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
const isOwn = (path: string): boolean => !path.endsWith('node_modules')
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
        const shop = join(place, 'shop')
        const { begin, repeat, withoutScripts } = managers[name]
        const isFirst = all || version === pinned
        if (isFirst) for (const args of begin(archive)) await run(args)
        else await cp(join(folder, `${name} ${pinned}`, 'shop'), shop, { recursive: true, filter: isOwn })
        const { dependencies } = JSON.parse(await readFile(join(shop, 'package.json'), 'utf8'))
        assert.match(dependencies['duet-api'], /^file:\.\.\/.*duet-api-.*\.tgz$/)
        // Yarn 4 takes a folder below a project for a part of it, unless it has a lock file.
        if (name === 'yarn 4') await writeFile(join(shop, 'yarn.lock'), '')
        for (const args of [isFirst ? ['install'] : repeat, ...(all ? [repeat, [...repeat, withoutScripts]] : [])]) {
          await rm(join(shop, 'node_modules'), { recursive: true, force: true })
          await run(args, shop)
          assert.ok(
            !(await readdir(join(shop, 'node_modules/better-sqlite3'))).includes('build'),
            'nothing is compiled',
          )
        }
        if (!isFirst) await run(['exec', '--', 'duet-api', 'new', 'other'], shop)
        assert.match(await run(['test'], shop), /\bpass 4$/m)
      })
    }
  }
})
