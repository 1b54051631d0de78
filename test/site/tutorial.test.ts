// Follows docs/tutorial.md from an empty folder to its end, with nothing but the packed package: runs its commands in a shell,
// writes its files, compares what is printed. `TUTORIAL_REGISTRY=1` lets npm install for real, from a registry.

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { assertLike } from '../support/check/guide.ts'
import { installArchive, packPackage } from '../support/process/archive.ts'
import { repository } from '../support/process/command.ts'
import { type ServiceProcess, startProcess } from '../support/process/service-process.ts'
import { openShell, type Shell } from '../support/process/shell.ts'

interface Block {
  readonly line: number
  /** Behind the fence: `sh background`. */
  readonly info: string
  readonly text: string
}

const usualUrl = 'http://127.0.0.1:3000'
const hasRegistry = process.env['TUTORIAL_REGISTRY'] === '1'
const page = await readFile(join(repository, 'docs/tutorial.md'), 'utf8')
const blocks: readonly Block[] = Array.from(
  page.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm),
  ({ index, 1: info, 2: text }) => ({
    line: page.slice(0, index).split('\n').length + 1,
    info: info!,
    text: text!,
  }),
)

describe('docs/tutorial.md', { timeout: 300_000 }, () => {
  let folder: string
  let archive: string
  let shell: Shell
  let service: ServiceProcess | null = null
  let url = usualUrl
  let printed = ''
  before(
    async () => {
      folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
      archive = await packPackage(join(folder, 'duet'))
      // The Node of the tests comes first; npm is that of the machine, whose settings it may warn of.
      const path = `${dirname(process.execPath)}:${process.env['PATH']}`
      shell = openShell(folder, { PATH: path, npm_config_loglevel: 'error' })
    },
    { timeout: 300_000 },
  )
  after(async () => {
    await service?.end('SIGTERM')
    await shell?.close()
    await rm(folder, { recursive: true, force: true })
  })

  const currentFolder = async () => (await shell.run('pwd')).trim()

  async function install(line: string): Promise<string> {
    const [, , ...names] = line.split(' ').filter((word) => !word.startsWith('--'))
    if (hasRegistry) return shell.run(line.replace(/\bduet-api\b/, archive))
    const others = names.filter((name) => name !== 'duet-api')
    if (others.length === names.length) return shell.run(links(others))
    await installArchive(archive, others, await currentFolder())
    return ''
  }

  async function runBlock({ info, text }: Block): Promise<void> {
    const own = text.replaceAll(usualUrl, url)
    switch (info) {
      case 'sh background': {
        assert.equal(text, 'npm start\n')
        service = startProcess(['main.ts'], { folder: await currentFolder(), environment: {} })
        url = await service.listening()
        return
      }
      case 'sh':
        if (!text.startsWith('npm install')) printed = await shell.run(own)
        else for (const line of text.trim().split('\n')) await install(line)
        return
      case 'text':
        return assertLike(printed.trimEnd(), text.trimEnd(), 'what is printed')
      default: {
        const [, name] = /^\/\/ (\S+)\n/.exec(text) ?? []
        if (name !== undefined) return writeFile(join(await currentFolder(), name), own)
        assert.equal(info, 'json')
        return assertLike(JSON.parse(printed), JSON.parse(text), printed)
      }
    }
  }

  for (const block of blocks) {
    const [first = ''] = block.text.split('\n')
    test(`line ${block.line}: ${block.info}: ${first}`, { timeout: 300_000 }, () => runBlock(block))
  }
})

/** Puts packages of this repository where npm would. */
const links = (names: readonly string[]): string =>
  names
    .map(
      (name) =>
        `mkdir -p node_modules/${dirname(name)} && ln -s ${join(repository, 'node_modules', name)} node_modules/${name}`,
    )
    .join('\n')
