// Makes a race that chance would seldom make: something else happens between two transactions of a request.

import type { Program, Step, Store } from '../../../src/store/store.ts'

/**
 * Runs `request`. Once a transaction has sent a statement that begins so, `other` happens before the request continues. Fails if no such
 * statement was sent.
 */
export async function meanwhile<T>(
  store: Store,
  { after, other }: { readonly after: string; readonly other: () => Promise<unknown> },
  request: () => Promise<T>,
): Promise<T> {
  const { write } = store
  let happened = false
  store.write = async (run, ...more) => {
    let isSent = false
    const result = await write.call(store, () => listen(run(), after, () => (isSent = true)), ...(more as []))
    if (isSent && !happened) {
      happened = true
      await other()
    }
    return result as never
  }
  try {
    const answer = await request()
    if (!happened) throw new Error(`No statement begins with: ${after}`)
    return answer
  } finally {
    Object.assign(store, { write })
  }
}

function* listen<T>(program: Program<T>, after: string, hear: () => void): Program<T> {
  let next: IteratorResult<Step, T> = program.next([])
  while (next.done !== true) {
    if ('statement' in next.value && next.value.statement.sql.startsWith(after)) hear()
    next = program.next(yield next.value)
  }
  return next.value
}
