// Runs a verb of `duet` inside the test, and keeps what it prints.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type Command, type CommandEnvironment, CommandError } from '../../../src/command/service/command.ts'

/** The folder that commands run in unless a test says otherwise: this repository. */
export const repository = join(import.meta.dirname, '..', '..', '..')

/** For commands that start no other process. */
export const startsNothing: Pick<CommandEnvironment, 'startNode' | 'onEnd' | 'process'> = {
  startNode: () => assert.fail('This command starts no Node.'),
  onEnd: () => {},
  process: { name: 'test', isGone: () => false },
}

/** What the command prints. */
export async function runCommand(
  command: Command,
  args: readonly string[],
  given: Partial<CommandEnvironment> = {},
): Promise<string> {
  const printed: string[] = []
  const environment: CommandEnvironment = {
    folder: repository,
    variables: {},
    now: () => new Date(),
    write: (text) => void printed.push(text),
    note: () => {},
    ...startsNothing,
    ...given,
  }
  assert.equal(await command(args, environment), 0)
  return printed.join('')
}

/** Fails unless the command fails with this sentence. */
export async function assertRefused(running: Promise<unknown>, message: RegExp, exitCode: 1 | 2 = 1): Promise<void> {
  await assert.rejects(running, (error) => {
    assert.ok(error instanceof CommandError, String(error))
    assert.match(error.message, message)
    assert.equal(error.exitCode, exitCode)
    return true
  })
}
