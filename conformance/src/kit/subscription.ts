// Subscriptions of a test: a connection, its credentials, and the moment from which events come.

import { Broken } from './answer.ts'
import type { Kit } from './kit.ts'
import { Socket } from './socket.ts'

export const protocol = 'graphql-transport-ws'

/** A connection, which is closed afterwards. */
export async function withSocket(
  kit: Kit,
  use: (socket: Socket) => Promise<unknown>,
  offered = protocol,
): Promise<void> {
  const socket = new Socket(kit.profile.url, offered)
  try {
    await use(socket)
  } finally {
    socket.close()
  }
}

export const credentials = async (kit: Kit, account: string) => ({
  Authorization: `Bearer ${await kit.token(account)}`,
})

/** Subscribes, as `made`. It has begun once an operation after it is answered; other tests' events may come before. */
export async function subscribeTo(socket: Socket, field: string, selection = '{ id }', extensions = {}): Promise<void> {
  const query = `subscription { made: ${field} ${selection} }`
  await socket.send({ type: 'subscribe', id: 'events', payload: { query, extensions } })
  await socket.send({ type: 'subscribe', id: 'after', payload: { query: '{ __typename }' } })
  for (;;) {
    const { id, type, payload } = await socket.next()
    if (id === 'events' && type === 'error') throw new Broken(`A subscription is refused: ${JSON.stringify(payload)}`)
    if (id === 'after' && type === 'complete') return
  }
}
