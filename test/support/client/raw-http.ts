// HTTP as bytes on a socket, for requests that no client library would send and answers that none would show.

import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'

export interface RawAnswer {
  readonly status: number
  /** By lower-case name; several lines of one name are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** One connection. Everything waited for comes within `waitLimitMs`, or the test fails. */
export class RawConnection {
  readonly socket: Socket
  #chunks: Buffer[] = []
  #isClosed = false
  #wake: (() => void) | null = null

  constructor(port: number, host = '127.0.0.1') {
    this.socket = connect({ port, host, allowHalfOpen: true })
    this.socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk)
      this.#wake?.()
    })
    const close = (): void => {
      this.#isClosed = true
      this.#wake?.()
    }
    this.socket.on('end', close).on('close', close).on('error', close)
  }

  /** Sends these bytes as they are; a string is latin1. */
  send(bytes: string | Uint8Array): this {
    if (typeof bytes === 'string') this.socket.write(bytes, 'latin1')
    else this.socket.write(bytes)
    return this
  }

  /** The next answer; `bodiless` where it answers HEAD. Fails where the server closes first. */
  async answer({ bodiless = false } = {}): Promise<RawAnswer> {
    for (let needed = 0; ; ) {
      // Large answers come in many chunks, which are joined once.
      if (this.#chunks.reduce((length, chunk) => length + chunk.length, 0) >= needed) {
        const received = this.#received()
        const taken = takeAnswer(received, bodiless)
        if (typeof taken !== 'number') {
          this.#chunks = [taken.rest]
          return taken.answer
        }
        needed = taken
      }
      assert(!this.#isClosed, `The server closed after ${JSON.stringify(this.#received().toString('latin1'))}.`)
      await this.#more()
    }
  }

  /** Resolves when the server has closed its side. Fails where it sends anything more before that. */
  async closed(): Promise<void> {
    while (!this.#isClosed) await this.#more()
    this.socket.destroy()
    assert.equal(this.#received().toString('latin1'), '', 'nothing follows the last answer')
  }

  /** Closes from this side, at once. */
  destroy(): void {
    this.socket.destroy()
  }

  #received(): Buffer {
    const received = Buffer.concat(this.#chunks)
    this.#chunks = [received]
    return received
  }

  #more(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.socket.destroy()
        reject(
          new Error(`Nothing came for ${waitLimitMs} ms after ${JSON.stringify(this.#received().toString('latin1'))}.`),
        )
      }, waitLimitMs)
      this.#wake = () => {
        clearTimeout(timer)
        this.#wake = null
        resolve()
      }
    })
  }
}

const waitLimitMs = 60_000

/** Sends bytes on a connection of its own and takes the first answer; the connection stays open. */
export async function sendRaw(port: number, bytes: string | Uint8Array): Promise<[RawAnswer, RawConnection]> {
  const connection = new RawConnection(port).send(bytes)
  return [await connection.answer(), connection]
}

/** The first answer; while it is incomplete, the number of bytes that are needed at least. */
function takeAnswer(received: Buffer, bodiless: boolean): { answer: RawAnswer; rest: Buffer } | number {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return received.length + 1
  const [statusLine, ...lines] = received.toString('latin1', 0, end).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine!)?.[1])
  assert(status >= 100, `no status line: ${statusLine}`)
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const [, name, value] = /^([!-9;-~]+): ?(.*)$/.exec(line) ?? assert.fail(`no header: ${line}`)
    const lowered = name!.toLowerCase()
    headers[lowered] = headers[lowered] === undefined ? value! : `${headers[lowered]}, ${value}`
  }
  const hasBody = !bodiless && status >= 200 && status !== 204 && status !== 304
  const start = end + 4
  const stop = start + (hasBody ? Number(headers['content-length'] ?? assert.fail('an answer without a length')) : 0)
  if (received.length < stop) return stop
  return { answer: { status, headers, body: received.subarray(start, stop) }, rest: received.subarray(stop) }
}

/** What every answer carries, whatever went wrong. (contract 4.10) */
export function assertHeaders({ status, headers, body }: RawAnswer): void {
  assert.match(headers['x-request-id'] ?? '', /^[A-Za-z0-9._-]{1,128}$/)
  assert.match(headers['strict-transport-security'] ?? '', /^max-age=\d{8}/)
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.equal(headers['x-frame-options'], 'DENY')
  assert.equal(headers['content-security-policy'], "default-src 'none'")
  assert.equal(headers['referrer-policy'], 'no-referrer')
  assert(headers['cache-control'] !== undefined, 'Cache-Control is there')
  assert(headers['date'] !== undefined, 'Date is there')
  if (body.length > 0) assert.equal(headers['content-type'], 'application/json; charset=utf-8')
  if (status === 204 || status === 304) assert.equal(headers['content-type'], undefined)
}

/** An error in the envelope of REST, with everything that every answer carries. Gives its message. (contract 7.2.1) */
export function assertFailure(answer: RawAnswer, status: number, code: string): string {
  const { error, ...rest } = JSON.parse(answer.body.toString()) as { error: { code: string; message: string } }
  assert.deepEqual([answer.status, error.code, rest], [status, code, {}])
  assertHeaders(answer)
  assert.equal(answer.headers['cache-control'], 'no-store')
  assert.match(error.message, /^(?:[^ ]+: )?[A-Z].*\.$/, 'a sentence')
  assert.doesNotMatch(error.message, /HPE_|[Pp]arse|llhttp|node|\bat \//, 'of our own')
  return error.message
}
