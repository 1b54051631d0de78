// The clients of sockets.ts: opens as many sockets as it is told, each with one subscription, and says when each of them
// has heard of an event.

import { once } from 'node:events'
import { WebSocket } from 'ws'

const url = `${process.argv[2]!.replace('http', 'ws')}/graphql`
const atOnce = 50
let sockets: WebSocket[] = []
let heard = 0

process.on('message', async ({ open = 0, query = '' }: { open?: number; query?: string }) => {
  for (const socket of sockets) socket.terminate()
  sockets = []
  while (sockets.length < open) {
    const count = Math.min(atOnce, open - sockets.length)
    sockets.push(...(await Promise.all(Array.from({ length: count }, () => subscribe(query)))))
  }
  process.send!('ready')
})

/** A socket whose subscription has begun. */
async function subscribe(query: string): Promise<WebSocket> {
  const socket = new WebSocket(url, ['graphql-transport-ws'], { perMessageDeflate: false })
  const begun = Promise.withResolvers<void>()
  socket.on('message', (data) => {
    const { type } = JSON.parse(String(data)) as { type: string }
    if (type === 'next') hear()
    else if (type === 'error') begun.reject(new Error(String(data)))
    // The answer to a ping that follows the subscription says that the subscription was read.
    else if (type === 'pong') begun.resolve()
    else if (type === 'connection_ack') {
      socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query } }))
      socket.send('{"type":"ping"}')
    }
  })
  socket.on('close', (code) => begun.reject(new Error(`closed with ${code}`)))
  await once(socket, 'open')
  socket.send('{"type":"connection_init"}')
  await begun.promise
  return socket
}

function hear(): void {
  heard++
  if (heard < sockets.length) return
  heard = 0
  process.send!({ at: performance.timeOrigin + performance.now() })
}
