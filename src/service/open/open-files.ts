// Warns if the process may open too few files for its limit of connections.

import { readFileSync } from 'node:fs'
import { farewells } from '../../http/server/node-server.ts'
import type { Limits } from '../../limits.ts'

/** For database, log, libraries, listeners, Redis, mail, and a margin. */
const reserve = 200

/** As `ulimit -n`; null if the system does not report it. */
export function openFilesMax(): number | null {
  // Linux only. Node raises the soft limit to the hard one at the start.
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
    return soft === undefined ? null : Number(soft)
  } catch {
    return null
  }
}

/** Null if there are enough. */
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
