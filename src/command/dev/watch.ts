// Watches folders of sources, as editors and git replace files, and a watch on the old file would never fire again.

import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs'
import { join, relative, sep } from 'node:path'

const sources = /\.(?:[cm]?[jt]sx?|json|graphql|gql)$/
const foreign = new Set(['data', 'node_modules'])
/** Changes within this time count as one. */
const quietMs = 100
/** Each needs a watch, which systems limit. */
const foldersMax = 2_000

export interface SourceWatch {
  /** Paths relative to the watched folder, once changes pause. */
  next(): Promise<readonly string[]>
  close(): void
}

/** Watches folders recursively, including new ones. Fails if one cannot be read. */
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
    // The parent folder reports the removal.
    watcher.on('error', () => forget(folder))
    watchers.set(folder, watcher)
    // Listed after the watch starts, so that no change is missed.
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (isForeign(entry.name)) continue
      if (entry.isDirectory()) add(root, path, isNew)
      else if (isNew && sources.test(entry.name)) note(root, path)
    }
  }

  function look(root: string, folder: string, name: string, event: string): void {
    const path = join(folder, name)
    // The folder's own watch reports its content.
    if (isForeign(name) || (event === 'change' && watchers.has(path))) return
    const wasFolder = forget(path)
    if (isFolder(path)) {
      // It may be gone again.
      try {
        add(root, path, true)
      } catch {
        forget(path)
      }
    } else if (wasFolder || sources.test(path)) note(root, path)
  }

  /** Returns whether it was watched. A new one may have the same name. */
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

/** Dot files belong to tools: `.git`, and editors' temporary files. */
const isForeign = (name: string): boolean => name.startsWith('.') || foreign.has(name)

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
