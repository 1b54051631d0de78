import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { pbkdf2 } from 'node:crypto'
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { LogDestination } from './log-destination.ts'

const limits = { logBufferBytes: 200_000, logFlushMs: 5, logCloseMs: 200 }
const line = (number: number) => `${String(number).padStart(99, '0')}\n`

let folder = ''
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'duet-log-'))
})
after(() => rmSync(folder, { recursive: true }))

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(1)
}

describe('to a file', () => {
  test('lines wait a moment for others, and leave in order', async () => {
    const path = join(folder, 'waits')
    const destination = new LogDestination(openSync(path, 'a'), limits)
    for (let number = 0; number < 1_000; number++) destination.write(line(number), false)
    await until(() => readFileSync(path).length === 100_000)
    assert.equal(readFileSync(path, 'utf8'), Array.from({ length: 1_000 }, (_, number) => line(number)).join(''))
  })

  test('an urgent line takes all before it along at once', async () => {
    const path = join(folder, 'urgent')
    const destination = new LogDestination(openSync(path, 'a'), { ...limits, logFlushMs: 1_000_000 })
    destination.write(line(1), false)
    destination.write(line(2), true)
    await until(() => readFileSync(path, 'utf8') === line(1) + line(2))
  })

  test('0.3.4 what is written at the end does not overtake a write that has begun', async () => {
    const path = join(folder, 'order')
    const destination = new LogDestination(openSync(path, 'a'), {
      ...limits,
      logFlushMs: 1_000_000,
      logCloseMs: 60_000,
    })
    // Every thread that could write has something to do.
    const busy = Array.from({ length: 4 }, () => promisify(pbkdf2)('a', 'b', 300_000, 64, 'sha512'))
    destination.write(line(1), true)
    destination.write(line(2), false)
    await destination.settled()
    destination.close()
    assert.equal(readFileSync(path, 'utf8'), line(1) + line(2))
    await Promise.all(busy)
  })

  test('at the end of the process nothing is left behind', () => {
    const path = join(folder, 'end')
    const destination = new LogDestination(openSync(path, 'a'), { ...limits, logFlushMs: 1_000_000 })
    destination.write(line(1), false)
    destination.close()
    assert.equal(readFileSync(path, 'utf8'), line(1))
  })
})

describe('to a pipe', () => {
  function openPipe(name: string) {
    const path = join(folder, name)
    execFileSync('mkfifo', [path])
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    return { reader, writer: openSync(path, constants.O_WRONLY) }
  }

  test('without a reader no more is kept than the bound, and the next reader learns how much was lost', async () => {
    const { reader, writer } = openPipe('slow')
    const destination = new LogDestination(writer, limits)
    // Far more than a pipe and the bound hold together.
    for (let number = 0; number < 50_000; number++) destination.write(line(number), false)
    assert(destination.lost > 45_000 && destination.lost < 50_000, `${destination.lost} lines were lost`)
    const buffer = Buffer.alloc(65_536)
    let read = ''
    await until(() => {
      // Nothing to read at this moment is an error of a pipe that does not wait.
      try {
        read += buffer.toString('latin1', 0, readSync(reader, buffer))
      } catch {}
      return read.includes('Log lines were lost')
    })
    const entry = read.split('\n').find((each) => each.startsWith('{'))!
    const { level, lines } = JSON.parse(entry)
    assert.deepEqual([level, lines], ['warn', destination.lost])
    const whole = read.split('\n').filter((each) => each.length === 99)
    assert.equal(whole.length + destination.lost, 50_000, 'what was not lost arrived whole')
    closeSync(reader)
  })

  test('whose reader has gone the process goes on', async () => {
    const { reader, writer } = openPipe('gone')
    const destination = new LogDestination(writer, limits)
    closeSync(reader)
    for (let number = 0; number < 50_000; number++) {
      destination.write(line(number), true)
      if (number % 10_000 === 0) await pause(1)
    }
    destination.close()
  })
})
