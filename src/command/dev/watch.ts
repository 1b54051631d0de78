// Watches the source files of a project. It watches folders: editors and git save a file by putting a new one in its place,
// and whoever watches the file itself goes on with the old one, which never changes again.

import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** What a service may be made of. A database, a log or an upload is none of it. */
const sources = /\.(?:[cm]?[jt]sx?|json|graphql|gql)$/
/** The folder where a service keeps its database unless said, and what others have written. */
const foreign = new Set(['data', 'node_modules'])
/** What git or an editor writes at once is one change. */
const quietMs = 100
/** Each costs the system a watch, of which it has few. */
const foldersMax = 2_000

export interface SourceWatch {
  /** The files that have changed, relative to the folder watched, once no other has for a moment. */
  next(): Promise<readonly string[]>
  close(): void
}

/** Watches these folders, with all that are in them now or later. Fails where one of them cannot be read. */
export function watchSources(folders: readonly string[]): SourceWatch {
  const watchers = new Map<string, FSWatcher>()
  const changed = new Set<string>()
  let quiet: NodeJS.Timeout | undefined
  let change = Promise.withResolvers<void>()

  function note(root: string, path: string): void {
    changed.add(relative(root, path))
    clearTimeout(quiet)
    quiet = setTimeout(() => change.resolve(), quietMs)
  }

  function add(root: string, folder: string, isNew: boolean): void {
    if (watchers.size >= foldersMax || watchers.has(folder)) return
    const watcher = watch(folder, (event, name) => look(root, folder, String(name), event))
    // A folder that is gone is told by the one that it was in.
    watcher.on('error', () => forget(folder))
    watchers.set(folder, watcher)
    // Listed after it is watched, so that nothing comes in between.
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (isForeign(entry.name)) continue
      if (entry.isDirectory()) add(root, path, isNew)
      else if (isNew && sources.test(entry.name)) note(root, path)
    }
  }

  function look(root: string, folder: string, name: string, event: string): void {
    const path = join(folder, name)
    // Some systems say of a folder that it has changed when something in it has, which is told by the folder itself.
    if (isForeign(name) || (event === 'change' && watchers.has(path))) return
    const wasFolder = forget(path)
    if (isFolder(path)) {
      // It may be gone again by now.
      try {
        add(root, path, true)
      } catch {
        forget(path)
      }
    } else if (wasFolder || sources.test(path)) note(root, path)
  }

  /** Stops watching a folder and all that are in it; answers whether it was watched. Another may have its name by now. */
  function forget(folder: string): boolean {
    const isWatched = watchers.has(folder)
    if (!isWatched) return false
    for (const [path, watcher] of watchers) {
      if (path !== folder && !path.startsWith(folder + sep)) continue
      watcher.close()
      watchers.delete(path)
    }
    return true
  }

  for (const folder of folders) add(folder, folder, false)
  return {
    async next() {
      await change.promise
      change = Promise.withResolvers()
      const paths = [...changed]
      changed.clear()
      return paths
    },
    close() {
      clearTimeout(quiet)
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}

/** Names with a dot before them are those of tools: `.git`, and what editors keep beside a file. */
const isForeign = (name: string): boolean => name.startsWith('.') || foreign.has(name)

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
