// Subscribers that lose their connections, come back to any instance and pass the last event that they saw.

import { setTimeout as wait } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { createRandom, type Random } from '../support/oracle/random.ts'

export interface Listening {
  readonly event: 'postCreated' | 'postPublished' | 'commentAdded'
  /** The post whose comments are listened to. */
  readonly by: string | null
  readonly token: string | null
  /** Who it is, for the judgement: editors see drafts; the suspended one nothing after a while. */
  readonly who: 'editor' | 'viewer' | 'anonymous' | 'suspended'
}
export interface Subscriber extends Listening {
  /** Ids of events, each with how often it came and which record it brought. */
  readonly seen: ReadonlyMap<string, { times: number; readonly recordId: string; readonly at: number }>
  readonly connections: number
  /** The last code with which it was sent away for good: what it listens to is hidden, or it is suspended. */
  readonly goneWith: string | null
  stop(): Promise<void>
}

/** Connects and goes on until stopped. What must not happen is a sentence in `faults`. */
export function listen(
  listening: Listening,
  urls: readonly string[],
  seed: number,
  faults: string[],
): Subscriber & { readonly begun: Promise<void> } {
  return new ReturningSubscriber(listening, urls, createRandom(seed), faults)
}

class ReturningSubscriber implements Subscriber {
  readonly event: Listening['event']
  readonly by: string | null
  readonly token: string | null
  readonly who: Listening['who']
  readonly seen = new Map<string, { times: number; readonly recordId: string; readonly at: number }>()
  readonly begun: Promise<void>
  connections = 0
  goneWith: string | null = null
  readonly #urls: readonly string[]
  readonly #random: Random
  readonly #faults: string[]
  readonly #running: Promise<void>
  #lastId: string | null = null
  #socket: WebSocket | null = null
  #stopped = false
  #begin: () => void = () => {}

  constructor(listening: Listening, urls: readonly string[], random: Random, faults: string[]) {
    this.event = listening.event
    this.by = listening.by
    this.token = listening.token
    this.who = listening.who
    this.#urls = urls
    this.#random = random
    this.#faults = faults
    this.begun = new Promise((resolve) => {
      this.#begin = resolve
    })
    this.#running = this.#keepListening()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#socket?.terminate()
    await this.#running
  }

  async #keepListening(): Promise<void> {
    while (!this.#stopped && this.goneWith === null) {
      await this.#connectOnce(this.#random.one(this.#urls))
      await wait(50 + this.#random.below(200))
    }
  }

  /** Resolves when the connection has ended, in whatever way. */
  #connectOnce(url: string): Promise<void> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, ['graphql-transport-ws'], {
      headers: { 'X-Forwarded-For': `10.${this.#random.below(256)}.${this.#random.below(256)}.1` },
      perMessageDeflate: false,
      handshakeTimeout: 20_000,
    })
    this.#socket = socket
    // Now and then its own network fails.
    const weary = setTimeout(() => socket.terminate(), 2_000 + this.#random.below(40_000))
    socket.on('open', () => {
      const payload = this.token === null ? {} : { Authorization: `Bearer ${this.token}` }
      socket.send(JSON.stringify({ type: 'connection_init', payload }))
    })
    socket.on('message', (data) => this.#hear(socket, JSON.parse(String(data))))
    socket.on('error', () => {})
    return new Promise((resolve) => {
      socket.on('close', (code) => {
        clearTimeout(weary)
        if (code === 4403 && this.who === 'suspended') this.goneWith = '4403'
        else if (![1000, 1001, 1005, 1006].includes(code)) this.#faults.push(`a subscriber was sent away with ${code}`)
        resolve()
      })
    })
  }

  // biome-ignore lint/suspicious/noExplicitAny: it reads whatever is there
  #hear(socket: WebSocket, { type, payload }: { type: string; payload?: any }): void {
    switch (type) {
      case 'connection_ack':
        this.connections++
        socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: this.#request() }))
        // Its answer says that the subscription was read.
        socket.send('{"type":"ping"}')
        return
      case 'ping':
        socket.send('{"type":"pong"}')
        return
      case 'pong':
        this.#begin()
        return
      case 'next':
        this.#see(payload)
        return
      case 'error':
        this.#refused(payload[0].extensions.code)
        socket.terminate()
    }
  }

  #request(): object {
    const asks = this.by === null ? this.event : `${this.event}(postId: "${this.by}")`
    const query = `subscription { ${asks} { id } }`
    return this.#lastId === null ? { query } : { query, extensions: { resumeAfter: this.#lastId } }
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  #see(payload: any): void {
    const recordId: string | undefined = payload.data?.[this.event]?.id
    const eventId: string | undefined = payload.extensions?.eventId
    if (recordId === undefined || eventId === undefined) {
      this.#faults.push(`a subscriber was sent ${JSON.stringify(payload)}`)
      return
    }
    this.#lastId = eventId
    const before = this.seen.get(eventId)
    if (before === undefined) this.seen.set(eventId, { times: 1, recordId, at: Date.now() })
    else before.times++
  }

  #refused(code: string): void {
    if (code === 'NOT_FOUND' && this.by !== null) this.goneWith = code
    else if (code !== 'SERVICE_UNAVAILABLE') this.#faults.push(`a subscription was refused with ${code}`)
  }
}
