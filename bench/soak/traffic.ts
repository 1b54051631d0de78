// What the traffic of a soak has in common: a client that counts every answer, and raw connections that end.

import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** One kind of client, which does the same again and again. `round` is different every time. */
export type Visit = (site: Site, round: number) => Promise<void>

export interface Site {
  readonly port: number
  readonly tally: Tally
  /** Of a user who may write posts. */
  token: string
  /** Some posts that are there. */
  readonly posts: string[]
  send(
    line: string,
    given?: { readonly token?: string; readonly headers?: object; readonly body?: unknown },
  ): Promise<Answered>
  /** Sends these bytes, reads what comes for a while, and goes. */
  raw(bytes: string | Uint8Array, options?: { readonly reads?: boolean; readonly waitMs?: number }): Promise<void>
}
export interface Answered {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: whatever there is
  readonly body: any
}

/** How often each status was answered, and what should never have been. */
export class Tally {
  readonly byStatus = new Map<number, number>()
  readonly wrong: string[] = []
  /** How long answers took, in milliseconds. */
  readonly waits: number[] = []

  count(status: number, what: string, hasRetryAfter: boolean): void {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1)
    if (status >= 500 && !(status === 503 && hasRetryAfter)) this.complain(`${status} to ${what}`)
  }
  complain(sentence: string): void {
    if (this.wrong.length < 100) this.wrong.push(sentence)
  }
}

/** `isMeasured`: whether the tally notes how long its answers take. */
export function openSite(url: string, tally: Tally, isMeasured: boolean): Site {
  const port = Number(new URL(url).port)
  const agent = new Agent({ keepAlive: true, maxSockets: 100 })
  return {
    port,
    tally,
    token: '',
    posts: [],
    send(line, { token, headers = {}, body } = {}) {
      const [method, path] = line.split(' ') as [string, string]
      const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
      const ownHeaders = {
        ...(body === undefined
          ? {}
          : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      }
      const begunMs = performance.now()
      return new Promise((resolve, reject) => {
        const sent = request({ agent, port, method, path, headers: { ...ownHeaders, ...headers } }, (answer) => {
          let read = ''
          answer.setEncoding('utf8').on('data', (chunk) => {
            read += chunk
          })
          answer.on('end', () => {
            if (isMeasured) tally.waits.push(performance.now() - begunMs)
            tally.count(answer.statusCode!, line.slice(0, 80), answer.headers['retry-after'] !== undefined)
            resolve({ status: answer.statusCode!, body: read === '' ? null : JSON.parse(read) })
          })
          answer.on('error', reject)
        })
        sent.on('error', reject)
        sent.end(text)
      })
    },
    async raw(bytes, { reads = true, waitMs = 50 } = {}) {
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      let start = ''
      if (reads) {
        socket.on('data', (chunk: Buffer) => {
          start ||= chunk.toString('latin1').slice(0, 12)
        })
      }
      socket.write(bytes)
      await pause(waitMs)
      socket.destroy()
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(start)?.[1] ?? 0)
      if (status >= 500 && status !== 503) tally.complain(`${status} to raw bytes`)
    },
  }
}
