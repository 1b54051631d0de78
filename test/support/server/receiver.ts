// A receiver of webhooks that keeps what it is sent, and answers as a test says.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Webhook as StandardWebhook } from 'standardwebhooks'

export interface ReceivedMessage {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read what was sent
  readonly body: any
}
type Answering = (message: ReceivedMessage, response: ServerResponse) => void

export interface Receiver {
  readonly url: string
  readonly messages: readonly ReceivedMessage[]
  /** How it answers from now on; with 204 at first. */
  answer(how: number | Answering): void
  /** Resolves when this many have come in all. */
  arrived(count: number): Promise<void>
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const messages: ReceivedMessage[] = []
  const waiting = new Set<{ readonly count: number; readonly resolve: () => void }>()
  const sockets = new Set<Socket>()
  let answering: Answering = (_, response) => response.writeHead(204).end()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const message = { path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) }
      messages.push(message)
      for (const each of waiting)
        if (messages.length >= each.count) {
          waiting.delete(each)
          each.resolve()
        }
      answering(message, response)
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    messages,
    answer(how) {
      answering = typeof how === 'number' ? (_, response) => response.writeHead(how).end(`status ${how}`) : how
    },
    arrived: (count) =>
      messages.length >= count ? Promise.resolve() : new Promise((resolve) => void waiting.add({ count, resolve })),
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Which of these secrets signed the message, by an independent implementation. */
export const signers = ({ headers, text }: ReceivedMessage, secrets: readonly string[]): readonly string[] => {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    String(headers[name]),
  )
  const at = new Date(Number(timestamp) * 1000)
  const own = (secret: string) => new StandardWebhook(secret).sign(id!, at, text)
  return secrets.filter((secret) => signatures!.split(' ').includes(own(secret)))
}
