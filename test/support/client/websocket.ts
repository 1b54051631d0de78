// One WebSocket for tests: frames are awaited in order, and so is the close.

import { once } from 'node:events'
import { WebSocket } from 'ws'

export interface Frame {
  readonly type: string
  readonly id?: string
  readonly payload?: unknown
}

export class TestSocket {
  readonly #socket: WebSocket
  readonly #frames: Frame[] = []
  readonly #waiting: ((frame: Frame) => void)[] = []
  /** The code with which the connection ended. */
  readonly closed: Promise<number>

  private constructor(socket: WebSocket) {
    this.#socket = socket
    this.closed = once(socket, 'close').then(([code]) => code as number)
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as Frame
      // The service's own pings come whenever they are due.
      if (frame.type === 'ping') return
      const waiting = this.#waiting.shift()
      if (waiting === undefined) this.#frames.push(frame)
      else waiting(frame)
    })
    socket.on('error', () => {})
  }

  /** Opens a connection; resolves when the upgrade is done, rejects with its status when it is refused. */
  static async open(
    url: string,
    options: { protocols?: readonly string[]; headers?: Readonly<Record<string, string>> } = {},
  ): Promise<TestSocket> {
    const { protocols = ['graphql-transport-ws'], headers = {} } = options
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, [...protocols], { headers })
    const refused = once(socket, 'unexpected-response').then(([, response]) => {
      response.resume()
      throw new Error(`refused with ${response.statusCode}`)
    })
    const opened = new TestSocket(socket)
    refused.catch(() => {})
    await Promise.race([once(socket, 'open'), refused])
    return opened
  }

  /** Opens a connection that is acknowledged; it shows a token, or this payload. */
  static async ready(url: string, shown: string | object | null = null): Promise<TestSocket> {
    const socket = await TestSocket.open(url)
    const payload = typeof shown === 'string' ? { Authorization: `Bearer ${shown}` } : (shown ?? {})
    socket.send({ type: 'connection_init', payload })
    const refused = socket.closed.then((code) => {
      throw new Error(`refused with ${code}`)
    })
    await Promise.race([socket.next(), refused])
    return socket
  }

  send(frame: unknown): void {
    this.#socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
  }
  sendBytes(bytes: Uint8Array): void {
    this.#socket.send(bytes, { binary: true })
  }
  subscribe(id: string, query: string, more: object = {}): void {
    this.send({ type: 'subscribe', id, payload: { query, ...more } })
  }
  /** Resolves when everything sent so far was read: frames are answered in order. */
  async settled(): Promise<void> {
    this.send({ type: 'ping' })
    const frame = await this.next()
    if (frame.type !== 'pong') throw new Error(`expected nothing, got ${JSON.stringify(frame)}`)
  }
  /** The id that a pong tells once everything is told; fails where something else comes. */
  async reached(): Promise<string> {
    for (;;) {
      this.send({ type: 'ping' })
      const { type, payload } = await this.next()
      if (type !== 'pong') throw new Error(`expected nothing, got ${type}`)
      if (payload !== undefined) return (payload as { eventId: string }).eventId
    }
  }
  next(): Promise<Frame> {
    const frame = this.#frames.shift()
    return frame === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(frame)
  }
  /** Reads nothing more, so that what is sent piles up at the sender, until `resume`. */
  pause(): void {
    this.#socket.pause()
  }
  resume(): void {
    this.#socket.resume()
  }
  /** Ends the connection without a word, as a lost network does. */
  async drop(): Promise<void> {
    this.#socket.terminate()
    await this.closed
  }
  async close(): Promise<void> {
    this.#socket.close()
    await this.closed
  }
}
