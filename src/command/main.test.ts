import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { repository } from '../../test/support/process/command.ts'

async function duet(...args: readonly string[]) {
  const main = join(import.meta.dirname, 'main.ts')
  const child = spawn(process.execPath, ['--conditions=duet-source', main, ...args], { cwd: repository })
  const exit = new Promise((resolve) => child.on('close', resolve))
  const [out, problems, code] = await Promise.all([text(child.stdout), text(child.stderr), exit])
  return { out, problems, code }
}

describe('duet', () => {
  test('lists its commands', async () => {
    const { out, problems, code } = await duet('--help')
    assert.deepEqual({ problems, code }, { problems: '', code: 0 })
    assert.match(out, /^ {2}duet routes /m)
  })

  test('reports how one command is used', async () => {
    const { out, code } = await duet('routes', '--help')
    assert.match(out, /^Usage: duet routes \[--service <file>\] \[--json\]\n/)
    assert.equal(code, 0)
  })

  test('reports its version', async () => {
    const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
    assert.deepEqual(await duet('--version'), { out: `${version}\n`, problems: '', code: 0 })
  })

  test('runs a command', async () => {
    const { out, problems, code } = await duet('routes', '--service', 'reference/service.ts')
    assert.deepEqual({ problems, code }, { problems: '', code: 0 })
    assert.match(out, /^REST v1\n/)
  })

  test('answers what it cannot do with one sentence and a code', async () => {
    const refused = (problems: string, code: number) => ({ out: '', problems: `${problems}\n`, code })
    assert.deepEqual(await duet('rutes'), refused('There is no command "rutes"; duet --help lists them.', 2))
    assert.deepEqual(await duet('routes', '--colour'), refused("Unknown option '--colour'.", 2))
    assert.deepEqual(await duet('routes', '--service', 'a.ts'), refused('There is no file a.ts.', 1))
    const { out, problems, code } = await duet()
    assert.match(problems, /^Name a command\.\n\nUsage:\n/)
    assert.deepEqual({ out, code }, { out: '', code: 2 })
  })
})
