// A connection for subscriptions: `graphql-transport-ws`, message by message.

import { WebSocket } from 'ws'
import type { Body } from '../profile.ts'
import { Broken } from './answer.ts'

export interface Message {
  readonly type: string
  readonly id?: string
  // biome-ignore lint/suspicious/noExplicitAny: payloads are the service's.
  readonly payload?: any
}

/** A service that sends nothing for so long sends nothing more. */
const messageMs = 10_000

export class Socket {
  readonly #socket: WebSocket
  readonly #messages: Message[] = []
  #wake: () => void = () => undefined
  #wasPinged = false
  #closed: { readonly code: number; readonly reason: string } | null = null

  constructor(url: string, protocol: string) {
    const address = new URL('graphql', url.endsWith('/') ? url : `${url}/`)
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:'
    this.#socket = new WebSocket(address, protocol)
    this.#socket.on('message', (data) => {
      this.#messages.push(JSON.parse(String(data)) as Message)
      this.#wake()
    })
    this.#socket.on('close', (code, reason) => {
      this.#closed = { code, reason: String(reason) }
      this.#wake()
    })
    this.#socket.on('ping', () => {
      this.#wasPinged = true
      this.#wake()
    })
    this.#socket.on('error', () => undefined)
  }

  /** The subprotocol that the service chose. */
  async opened(): Promise<string> {
    await new Promise<void>((resolve) => {
      if (this.#socket.readyState !== WebSocket.CONNECTING) return resolve()
      this.#socket.once('open', resolve).once('close', () => resolve())
    })
    return this.#socket.protocol
  }

  async send(message: Message | string): Promise<void> {
    await this.opened()
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  /** The next message that is no ping; answers pings. */
  async next(waitMs = messageMs): Promise<Message> {
    const end = AbortSignal.timeout(waitMs)
    for (;;) {
      const message = this.#messages.shift()
      if (message?.type === 'ping') await this.#answerPing()
      else if (message !== undefined) return message
      else if (this.#closed !== null)
        throw new Broken(`Expected a message, received the end ${this.#closed.code} ${this.#closed.reason}.`)
      else await this.#woken(end, 'a message')
    }
  }

  /** Requires the type of the next message. */
  async expect(type: string, waitMs = messageMs): Promise<Message> {
    const message = await this.next(waitMs)
    if (message.type !== type) throw new Broken(`Expected a message ${type}, received ${JSON.stringify(message)}.`)
    return message
  }

  /** Requires that the service ends the connection with this code. */
  async ends(code: number): Promise<void> {
    const end = AbortSignal.timeout(messageMs)
    while (this.#closed === null) await this.#woken(end, `the end ${code}`)
    if (this.#closed.code !== code) throw new Broken(`Expected the end ${code}, received ${this.#closed.code}.`)
  }

  /** Opens the connection for this payload. */
  async begin(payload: Body = {}): Promise<this> {
    await this.send({ type: 'connection_init', payload })
    await this.expect('connection_ack')
    return this
  }

  /** Requires a ping, as a message or as a frame of WebSockets. */
  async pinged(waitMs: number): Promise<void> {
    const end = AbortSignal.timeout(waitMs)
    while (!this.#wasPinged && !this.#messages.some(({ type }) => type === 'ping')) await this.#woken(end, 'a ping')
  }

  async #answerPing(): Promise<void> {
    this.#wasPinged = true
    await this.send({ type: 'pong' })
  }

  close(): void {
    this.#socket.terminate()
  }

  #woken(end: AbortSignal, expected: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#wake = resolve
      end.addEventListener('abort', () => reject(new Broken(`Expected ${expected}, received nothing in time.`)))
    })
  }
}
