// A connection on which a test writes bytes of its own.

import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect as connectSecurely } from 'node:tls'

/** The longest time that the contract gives half a request, and as much again. */
const patienceMs = 30_000

export class Line {
  readonly #socket: Socket
  readonly #received: Promise<string>

  constructor(url: string) {
    const { hostname, port, protocol } = new URL(url)
    const host = hostname.replace(/^\[|\]$/g, '')
    this.#socket =
      protocol === 'https:'
        ? connectSecurely({ host, port: Number(port || 443), servername: host })
        : connect({ host, port: Number(port || 80) })
    this.#socket.setTimeout(patienceMs, () => this.#socket.destroy())
    this.#received = text(this.#socket).catch(() => '')
  }

  write(bytes: string): void {
    this.#socket.write(bytes)
  }

  /** Everything that was received until the service closed the connection. */
  async end(): Promise<string> {
    const received = await this.#received
    this.#socket.destroy()
    return received
  }
}
