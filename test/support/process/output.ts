// What a process prints while it runs, and a wait for more of it.

import type { ChildProcessWithoutNullStreams } from 'node:child_process'

export interface Output {
  /** All that it has printed so far, on either stream. */
  readonly text: () => string
  /** What `find` finds in that, as soon as it is no longer null. Rejects with all of it where the process ends before. */
  find<T>(find: (text: string) => T | null): Promise<T>
  /** Its exit code, or null where a signal ended it. */
  readonly end: Promise<number | null>
}

export function outputOf(child: ChildProcessWithoutNullStreams): Output {
  let text = ''
  let change = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (more: string) => {
      text += more
      change.resolve()
      change = Promise.withResolvers()
    })
  }
  let isOver = false
  const end = new Promise<number | null>((resolve) =>
    child.on('close', (code) => {
      isOver = true
      resolve(code)
    }),
  )
  return {
    text: () => text,
    end,
    async find(find) {
      for (;;) {
        const found = find(text)
        if (found !== null) return found
        if (isOver) throw new Error(`The process has ended:\n${text}`)
        await Promise.race([change.promise, end])
      }
    },
  }
}
