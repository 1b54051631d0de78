// `duet …`: finds and runs the verb. The only command file that uses `process`.

import { spawn } from 'node:child_process'
import { hostname } from 'node:os'
import { MissingPackage } from '../dependency/optional-package.ts'
import { ServiceDefinitionError } from '../resource/contradiction/contradiction.ts'
import { ConfigurationError } from '../service/configuration/configuration.ts'
import { duetVersion } from '../service/configuration/start-line.ts'
import { type CommandEnvironment, CommandError, type NodeProcess } from './service/command.ts'
import { describeOption, optionsIn, verbs } from './verbs.ts'

function usage(): string {
  const lines = Object.entries(verbs).map(([name, { takes, does }]) => `  duet ${name} ${takes}\n      ${does}`)
  const closing = 'A service is looked for in service.ts of the current folder.'
  return ['Usage:', '', ...lines, '  duet --help | --version', '', closing, ''].join('\n')
}

const environment: CommandEnvironment = {
  folder: process.cwd(),
  variables: process.env,
  write: (text) => void process.stdout.write(text),
  note: (text) => void process.stderr.write(text),
  now: () => new Date(),
  startNode,
  process: { name: `${hostname()}:${process.pid}`, isGone },
  onEnd,
}

async function run([name, ...args]: readonly string[]): Promise<number> {
  if (name === '--version' || name === '-v') environment.write(`${duetVersion()}\n`)
  else if (name === '--help' || name === '-h') environment.write(usage())
  else if (name === undefined) throw new CommandError(`Name a command.\n\n${usage().trimEnd()}`, { exitCode: 2 })
  else return await runVerb(name, args)
  return 0
}

async function runVerb(name: string, args: readonly string[]): Promise<number> {
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined
  if (verb === undefined) {
    throw new CommandError(`There is no command "${name}"; duet --help lists them.`, { exitCode: 2 })
  }
  if (args.includes('--help') || args.includes('-h')) {
    const options = optionsIn(verb).map((each) => describeOption(each))
    const lines = options.map(({ option, does }) => `\n  ${option}\n      ${does.replaceAll('`', '')}`)
    environment.write(
      [`Usage: duet ${name} ${verb.takes}\n\n${verb.does}\n`, ...lines, lines.length > 0 ? '\n' : ''].join(''),
    )
    return 0
  }
  const command = await verb.load()
  return command(args, environment)
}

/** Of this machine, and no process any more. */
function isGone(name: string): boolean {
  const [host, pid] = name.split(':')
  if (host !== hostname()) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch {
    return true
  }
}

function startNode(args: readonly string[]): NodeProcess {
  const child = spawn(process.execPath, [...process.execArgv, ...args], { stdio: 'inherit' })
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 0))
  })
  return { ended, kill: (signal) => void child.kill(signal) }
}

function onEnd(listener: (signal: NodeJS.Signals | null) => void): void {
  process.on('SIGTERM', () => listener('SIGTERM'))
  // A terminal signals the service too; a second signal would end it without finishing requests.
  process.on('SIGINT', () => listener(process.stdin.isTTY ? null : 'SIGINT'))
}

// The reader closed early, as in `duet routes | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  // Expected errors print their message only; others print the stack.
  const isForeseen = [CommandError, ConfigurationError, ServiceDefinitionError, MissingPackage].some(
    (kind) => error instanceof kind,
  )
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  process.stderr.write(`${isForeseen ? message : (stack ?? message)}\n`)
  process.exitCode = error instanceof CommandError ? error.exitCode : 1
}
