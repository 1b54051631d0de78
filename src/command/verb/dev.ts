// `duet dev`: runs the service and restarts it when a file changes.

import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type SourceWatch, watchSources } from '../dev/watch.ts'
import {
  type Command,
  type CommandEnvironment,
  CommandError,
  type NodeProcess,
  readArguments,
} from '../service/command.ts'

const stopMs = 2_000

/** Runs `main.ts` of the current folder, or the file of `--main`, until it is signalled. */
export const devCommand: Command = async (args, environment) => {
  const { folder } = environment
  const { values } = readArguments(args, ['main', 'watch'])
  const file = values.main ?? ['main.ts', 'main.js'].find((name) => existsSync(join(folder, name)))
  if (file === undefined)
    throw new CommandError('There is no main.ts here: name the file that starts the service with --main.')
  if (!existsSync(resolve(folder, file))) throw new CommandError(`There is no file ${file}.`)
  const folders = (values.watch ?? ['.']).map((name) => {
    const path = resolve(folder, name)
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path
    throw new CommandError(`There is no folder ${name}.`)
  })
  // Before the service starts, which might write a watched file.
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
    // Such as the limit on watches, or an unreadable folder.
    throw new CommandError(`The files cannot be watched: ${(cause as Error).message}.`, { cause })
  }
}

async function restart(
  file: string,
  sources: SourceWatch,
  { startNode, onEnd, note }: CommandEnvironment,
): Promise<number> {
  const end = Promise.withResolvers<'interrupted'>()
  let isOver = false
  let service: NodeProcess
  onEnd((signal) => {
    isOver = true
    if (signal !== null) service.kill(signal)
    end.resolve('interrupted')
  })
  let changed = sources.next()
  for (;;) {
    service = startNode([file])
    const ended = service.ended.then((code) => ({ code }))
    const first = await Promise.race([end.promise, changed, ended])
    if (first === 'interrupted') return await service.ended
    if ('code' in first) {
      note(`The service has ended with ${first.code}; it starts again when a file changes.\n`)
      if ((await Promise.race([end.promise, changed])) === 'interrupted') return first.code
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
