// What stands between a service and something that it depends on, and can lose it.

import { connect, createServer, type Socket } from 'node:net'

export interface FaultyProxy {
  readonly port: number
  /** `gone` ends every connection and takes none; `mute` takes them and lets nothing through; `well` is neither. */
  become(how: 'well' | 'gone' | 'mute'): void
  /** Resolves when the next request is swallowed, which happens while it is mute. */
  nextLoss(): Promise<void>
  close(): Promise<void>
}

export async function startProxy({
  host,
  port,
}: {
  readonly host: string
  readonly port: number
}): Promise<FaultyProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let state: 'well' | 'gone' | 'mute' = 'well'
  let loss = Promise.withResolvers<void>()
  const end = ([client, server]: readonly [Socket, Socket]): void => {
    client.destroy()
    server.destroy()
  }

  const listener = createServer((client) => {
    if (state === 'gone') {
      client.destroy()
      return
    }
    const server = connect(port, host)
    const pair = [client, server] as const
    pairs.add(pair)
    for (const [from, to] of [pair, [server, client]] as const) {
      from.on('data', (bytes) => {
        if (state === 'well') to.write(bytes)
        else if (from === client) loss.resolve()
      })
      from.on('error', () => {})
      from.on('close', () => {
        to.destroy()
        pairs.delete(pair)
      })
    }
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return {
    port: (listener.address() as { port: number }).port,
    become(how) {
      // A connection that has missed something is of no more use than in a network that has.
      if (how === 'gone' || state === 'mute') for (const pair of pairs) end(pair)
      state = how
    },
    nextLoss() {
      loss = Promise.withResolvers<void>()
      return loss.promise
    },
    async close() {
      for (const pair of pairs) end(pair)
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}
