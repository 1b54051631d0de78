// A plain HTTP client for tests: every header as it came, every body as text and parsed, connections kept.

import { Agent, type IncomingHttpHeaders, request } from 'node:http'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** What the text parses to; null where there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever is there
  readonly body: any
}
export interface Sending {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Text and bytes go as they are, anything else as JSON. */
  readonly body?: unknown
}
export interface Client {
  /** Sends `GET /api/v2/posts`. */
  send(line: string, sending?: Sending): Promise<Answer>
  close(): void
}

export interface ClientOptions {
  /** The address of this machine that it calls from. */
  readonly localAddress?: string
  /** Sent with each request. */
  readonly headers?: () => Readonly<Record<string, string>>
}

export function createClient(url: string, { localAddress, headers: ownHeaders }: ClientOptions = {}): Client {
  const from = localAddress === undefined ? {} : { localAddress }
  // Idle connections are closed long before the service does, so that no request is sent on one that ends.
  const agent = new Agent({ keepAlive: true, maxSockets: 64, timeout: 30_000, ...from })
  const { hostname, port } = new URL(url)

  function send(line: string, { headers = {}, body }: Sending = {}): Promise<Answer> {
    const [method, path] = splitLine(line)
    const bytes = body === undefined ? null : bytesOf(body)
    const typed = bytes === null ? {} : { 'Content-Type': 'application/json', 'Content-Length': `${bytes.length}` }
    return new Promise((resolve, reject) => {
      const sent = request(
        { agent, hostname, port, method, path, headers: merged({ ...typed, ...ownHeaders?.() }, headers) },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString()
            resolve({ status: response.statusCode!, headers: response.headers, text, body: parsed(text) })
          })
        },
      )
      sent.on('error', reject)
      sent.end(bytes)
    })
  }
  return { send, close: () => agent.destroy() }
}

export function splitLine(line: string): readonly [method: string, path: string] {
  const space = line.indexOf(' ')
  return [line.slice(0, space), line.slice(space + 1)]
}

const bytesOf = (body: unknown): Buffer =>
  body instanceof Uint8Array ? Buffer.from(body) : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))

/** A row's own `content-type` takes the place of ours, however it is spelt. */
function merged(ours: Readonly<Record<string, string>>, theirs: NonNullable<Sending['headers']>) {
  const ownNames = new Set(Object.keys(theirs).map((name) => name.toLowerCase()))
  const otherHeaders = Object.entries(ours).filter(([name]) => !ownNames.has(name.toLowerCase()))
  return Object.fromEntries([
    ...otherHeaders,
    ...Object.entries(theirs).map(([name, value]) => [name, arrayOrText(value)]),
  ])
}
const arrayOrText = (value: string | readonly string[]) => (typeof value === 'string' ? value : [...value])

function parsed(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    // What is no JSON is told by whoever expected some.
    return undefined
  }
}
