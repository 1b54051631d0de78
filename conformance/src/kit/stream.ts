// A stream of server-sent events, block by block.

import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { Answer, Broken } from './answer.ts'
import type { Kit, Sending } from './kit.ts'

export interface Block {
  readonly event?: string
  readonly id?: string
  readonly data?: string
  readonly retry?: string
}

/** A service that sends nothing for so long sends nothing more. */
const blockMs = 10_000

export class EventStream {
  /** What was answered instead of a stream, or the head of the stream. */
  readonly answer: Answer
  readonly #response: IncomingMessage
  readonly #blocks: Block[] = []
  #wake: () => void = () => undefined
  #isEnded = false

  constructor(answer: Answer, response: IncomingMessage) {
    this.answer = answer
    this.#response = response
    let pending = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      const parts = (pending + chunk).split('\n\n')
      pending = parts.pop()!
      this.#blocks.push(...parts.map(blockOf))
      this.#wake()
    })
    response.on('error', () => undefined)
    response.on('close', () => {
      this.#isEnded = true
      this.#wake()
    })
  }

  /** The next block that has an event. */
  async next(waitMs = blockMs): Promise<Block> {
    const end = performance.now() + waitMs
    for (;;) {
      const block = this.#blocks.shift()
      if (block?.event !== undefined) return block
      if (block === undefined) await this.#woken(end, 'an event')
    }
  }

  /** The next block, whatever it has. */
  async block(waitMs = blockMs): Promise<Block> {
    const end = performance.now() + waitMs
    while (this.#blocks.length === 0) await this.#woken(end, 'a block')
    return this.#blocks.shift()!
  }

  close(): void {
    this.#response.destroy()
  }

  #woken(end: number, expected: string): Promise<void> {
    if (this.#isEnded) throw new Broken(`Expected ${expected}, received the end of the stream.`)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Broken(`Expected ${expected}, received nothing in time.`)),
        Math.max(0, end - performance.now()),
      )
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

function blockOf(text: string): Block {
  const lines = text.split('\n').flatMap((line) => {
    const [, name, value] = /^([a-z]+): ?(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(lines) as Block
}

/** Opens a stream, which is closed afterwards; what is refused is an answer without blocks. */
export async function withStream(
  kit: Kit,
  line: string,
  sending: Sending,
  use: (stream: EventStream) => Promise<unknown>,
): Promise<void> {
  const stream = await open(kit, line, sending)
  try {
    await use(stream)
  } finally {
    stream.close()
  }
}

async function open(kit: Kit, line: string, { as = null, headers = {}, body }: Sending): Promise<EventStream> {
  const [method, target] = line.split(' ') as [string, string]
  const content = body === undefined ? null : JSON.stringify(body)
  const all = {
    Accept: 'text/event-stream',
    ...(content === null ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(content) }),
    ...(as === null ? {} : { Authorization: `Bearer ${await kit.token(as)}` }),
    ...headers,
  }
  const url = new URL(target, kit.profile.url)
  const send = url.protocol === 'https:' ? secureRequest : plainRequest
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = send(url, { method, headers: all, agent: false })
    request.on('response', resolve).on('error', reject)
    request.end(content ?? undefined)
  })
  const received = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)]))
  const isStream = (received['content-type'] ?? '').startsWith('text/event-stream')
  const sent = { method, target, as, headers, body: content }
  const answer = new Answer(sent, response.statusCode!, received, isStream ? '' : await text(response))
  return new EventStream(answer, response)
}
