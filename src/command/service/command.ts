// The interface of verbs. They do not use `process`; main.ts passes what they need.

import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import type { Holder } from '../../store/migration/live/lease.ts'
import { type OptionName, optionTable } from './options.ts'

/** Returns the exit code. Fails with CommandError. */
export type Command = (args: readonly string[], environment: CommandEnvironment) => Promise<number>

export interface CommandEnvironment {
  readonly folder: string
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly write: (text: string) => void
  /** Prints a remark that programs reading the result do not see. */
  readonly note: (text: string) => void
  readonly now: () => Date
  readonly startNode: (args: readonly string[]) => NodeProcess
  /** This process, as the holder of a lease. */
  readonly process: Holder
  /** Called when this process is to end: with the signal, or null if the terminal has signalled its children too. */
  readonly onEnd: (listener: (signal: NodeJS.Signals | null) => void) => void
}

export interface NodeProcess {
  /** Resolves with the exit code; 0 after a signal. */
  readonly ended: Promise<number>
  kill(signal: NodeJS.Signals): void
}

/** A sentence for the user. Exit code 2 for a wrong command line. */
export class CommandError extends Error {
  readonly exitCode: 1 | 2
  constructor(message: string, { exitCode = 1, cause }: { exitCode?: 1 | 2; cause?: unknown } = {}) {
    super(message, { cause })
    this.exitCode = exitCode
  }
}

/** For what fails with errors of this kind, whose messages are sentences for the user. */
export const asCommandError =
  (kind: new (...rest: never) => Error) =>
  (cause: unknown): never => {
    throw cause instanceof kind ? new CommandError(cause.message, { cause }) : cause
  }

/** Fails with CommandError unless there are exactly the arguments `names`, and no other options. */
export function readArguments<const O extends OptionName, const N extends readonly string[] = readonly []>(
  args: readonly string[],
  options: readonly O[],
  names?: N,
) {
  const { values, positionals } = parsed(args, pick(options))
  const missing = names?.[positionals.length]
  if (missing !== undefined) throw new CommandError(`${missing} is missing.`, { exitCode: 2 })
  const extra = positionals[names?.length ?? 0]
  if (extra !== undefined) throw new CommandError(`Nothing is expected where "${extra}" stands.`, { exitCode: 2 })
  return { values, positionals: positionals as unknown as { readonly [I in keyof N]: string } }
}

const pick = <O extends OptionName>(names: readonly O[]): Pick<typeof optionTable, O> =>
  Object.fromEntries(names.map((name) => [name, optionTable[name]])) as Pick<typeof optionTable, O>

function parsed<const O extends ParseArgsOptionsConfig>(args: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (cause) {
    // Node's first sentence names the problem; the others advise.
    const [sentence] = (cause as Error).message.split(/\.?(?:$|\.\s|\n)/)
    throw new CommandError(`${sentence}.`, { exitCode: 2, cause })
  }
}
