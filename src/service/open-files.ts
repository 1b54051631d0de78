// Warns where this process may not have as many open files as its limit of connections needs.

import { readFileSync } from 'node:fs'
import { farewells } from '../http/server/node-server.ts'
import type { Limits } from '../limits.ts'

/** The database's files, the log, the libraries, what listens, Redis and mail, and a margin. */
const reserve = 200

/** Files that this process may have open, as `ulimit -n` says; null where the system does not say. */
export function openFilesMax(): number | null {
  // Only Linux has it. Node raises the soft limit to the hard one when it starts.
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
    return soft === undefined ? null : Number(soft)
  } catch {
    return null
  }
}

/** What an operator should know about this number of files; null where it is enough. */
export function tooFewFiles(filesMax: number | null, limits: Pick<Limits, 'connections' | 'poolSize'>): string | null {
  const { connections, poolSize } = limits
  // One connection to PostgreSQL listens.
  const needed = connections + farewells + poolSize + 1 + reserve
  if (filesMax === null || filesMax >= needed) return null
  return (
    `This process may have ${filesMax} files open (ulimit -n), and needs ${needed} for the ${connections} connections` +
    ' that it takes: beyond its files, clients are hung up on without an answer.'
  )
}
