// What a verb of `duet` is given, and what it may fail with. Verbs do not touch `process`: main.ts hands them what they
// need of it.

import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** Does what one verb promises, and answers the exit code. Fails with CommandError. */
export type Command = (args: readonly string[], environment: CommandEnvironment) => Promise<number>

export interface CommandEnvironment {
  /** The current folder, as an absolute path. */
  readonly folder: string
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Prints an answer, for a person or for a program that reads it. */
  readonly write: (text: string) => void
  /** Says something beside the answer, such as which database it comes from: what a program reads stays free of it. */
  readonly note: (text: string) => void
  readonly now: () => Date
  /** Starts Node with these arguments, in this terminal. */
  readonly startNode: (args: readonly string[]) => NodeProcess
  /** Calls back when this process is told to end: with the signal, or null where the terminal has told its children too. */
  readonly onEnd: (listener: (signal: NodeJS.Signals | null) => void) => void
}

export interface NodeProcess {
  /** Resolves to its exit code; 0 where a signal ended it. */
  readonly ended: Promise<number>
  kill(signal: NodeJS.Signals): void
}

/** What a command cannot do, in one sentence for the person who asked. Exit code 2 where the command line was wrong. */
export class CommandError extends Error {
  readonly exitCode: 1 | 2
  constructor(message: string, { exitCode = 1, cause }: { exitCode?: 1 | 2; cause?: unknown } = {}) {
    super(message, { cause })
    this.exitCode = exitCode
  }
}

/** Reads the arguments of a verb. Fails with CommandError where they are not as many as `names`, or an option is unknown. */
export function readArguments<const O extends ParseArgsOptionsConfig, const N extends readonly string[]>(
  args: readonly string[],
  { options, names }: { readonly options: O; readonly names: N },
) {
  const { values, positionals } = parsed(args, options)
  const missing = names[positionals.length]
  if (missing !== undefined) throw new CommandError(`${missing} is missing.`, { exitCode: 2 })
  const extra = positionals[names.length]
  if (extra !== undefined) throw new CommandError(`Nothing is expected where "${extra}" stands.`, { exitCode: 2 })
  return { values, positionals: positionals as unknown as { readonly [I in keyof N]: string } }
}

function parsed<const O extends ParseArgsOptionsConfig>(args: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (cause) {
    // Node's first sentence says what is wrong; the others advise.
    const [sentence] = (cause as Error).message.split(/\.?(?:$|\.\s|\n)/)
    throw new CommandError(`${sentence}.`, { exitCode: 2, cause })
  }
}
