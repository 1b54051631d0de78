// The clients of sockets.ts and instances.ts: opens as many sockets as it is told, each with one subscription, in turn to the
// services that it is given, and says when each of them has heard of an event.

import { once } from 'node:events'
import { WebSocket } from 'ws'

const urls = process.argv.slice(2).map((url) => `${url.replace('http', 'ws')}/graphql`)
const atOnce = 50
let sockets: WebSocket[] = []
/** When each of them heard of the event that is being told. */
let heard: number[] = []
let opened = 0

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
  const socket = new WebSocket(urls[opened++ % urls.length]!, ['graphql-transport-ws'], { perMessageDeflate: false })
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
  heard.push(performance.timeOrigin + performance.now())
  if (heard.length < sockets.length) return
  process.send!({ at: heard.at(-1), all: heard })
  heard = []
}
