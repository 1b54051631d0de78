// `duet dev`: starts the service and starts it again whenever one of its files changes.

import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Command, type CommandEnvironment, CommandError, type NodeProcess, readArguments } from './command.ts'
import { type SourceWatch, watchSources } from './dev/watch.ts'
import { optionsOf } from './options.ts'

/** So long a service may take to finish what runs; whoever has changed a file waits for the new one. */
const stopMs = 2_000

/** Runs `main.ts` of the current folder, or the file that `--main` names, until it is told to end. */
export const devCommand: Command = async (args, environment) => {
  const { folder } = environment
  const options = optionsOf('main', 'watch')
  const { values } = readArguments(args, { options, names: [] })
  const file = values.main ?? ['main.ts', 'main.js'].find((name) => existsSync(join(folder, name)))
  if (file === undefined) throw new CommandError('There is no main.ts here: say what starts the service with --main.')
  if (!existsSync(resolve(folder, file))) throw new CommandError(`There is no file ${file}.`)
  const folders = (values.watch ?? ['.']).map((name) => {
    const path = resolve(folder, name)
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path
    throw new CommandError(`There is no folder ${name}.`)
  })
  // Before the service, which might write what a person then waits for.
  const sources = watched(folders)
  try {
    return await restart(file, sources, environment)
  } finally {
    sources.close()
  }
}

function watched(folders: readonly string[]): SourceWatch {
  try {
    return watchSources(folders)
  } catch (cause) {
    // Such as the system's limit on watches, or a folder that nobody may read.
    throw new CommandError(`The files cannot be watched: ${(cause as Error).message}.`, { cause })
  }
}

/** Answers the exit code of the service once this process has been told to end. */
async function restart(
  file: string,
  sources: SourceWatch,
  { startNode, onEnd, note }: CommandEnvironment,
): Promise<number> {
  const end = Promise.withResolvers<'told to end'>()
  let isOver = false
  let service: NodeProcess
  onEnd((signal) => {
    isOver = true
    if (signal !== null) service.kill(signal)
    end.resolve('told to end')
  })
  let changed = sources.next()
  for (;;) {
    service = startNode([file])
    const ended = service.ended.then((code) => ({ code }))
    const first = await Promise.race([end.promise, changed, ended])
    if (first === 'told to end') return await service.ended
    if ('code' in first) {
      note(`The service has ended with ${first.code}; it starts again when a file changes.\n`)
      if ((await Promise.race([end.promise, changed])) === 'told to end') return first.code
    }
    note(`${summary(await changed)} changed: starting again.\n`)
    changed = sources.next()
    const code = await stopped(service)
    if (isOver) return code
  }
}

async function stopped(service: NodeProcess): Promise<number> {
  service.kill('SIGTERM')
  const late = setTimeout(() => service.kill('SIGKILL'), stopMs)
  const code = await service.ended
  clearTimeout(late)
  return code
}

const summary = ([first, ...others]: readonly string[]): string =>
  others.length === 0 ? first! : `${first} and ${others.length} more`
