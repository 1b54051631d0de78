// Requests as they are: paths, headers and bodies are sent byte for byte, and nothing is added or followed.

import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { gunzipSync } from 'node:zlib'
import { Answer, type SentRequest } from './answer.ts'

/** A service that does not answer for so long has broken what is asked of it. */
const answerMs = 30_000

export class Transport {
  readonly #url: URL
  readonly #agent: PlainAgent | SecureAgent

  constructor(url: string) {
    this.#url = new URL(url)
    this.#agent =
      this.#url.protocol === 'https:' ? new SecureAgent({ keepAlive: true }) : new PlainAgent({ keepAlive: true })
  }

  send(sent: SentRequest): Promise<Answer> {
    const { hostname, port, protocol } = this.#url
    const isSecure = protocol === 'https:'
    const headers = { ...sent.headers }
    if (sent.body !== null) headers['Content-Length'] = String(Buffer.byteLength(sent.body))
    return new Promise((resolve, reject) => {
      const request = (isSecure ? secureRequest : plainRequest)({
        hostname: hostname.replace(/^\[|\]$/g, ''),
        port: port || (isSecure ? 443 : 80),
        method: sent.method,
        path: this.#url.pathname.replace(/\/$/, '') + sent.target,
        headers,
        agent: this.#agent,
        signal: AbortSignal.timeout(answerMs),
      })
      request.on('response', (response) =>
        read(response).then((text) => resolve(toAnswer(sent, response, text)), reject),
      )
      request.on('error', reject)
      request.end(sent.body ?? undefined)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

async function read(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  return (response.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString('utf8')
}

function toAnswer(sent: SentRequest, response: IncomingMessage, text: string): Answer {
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value!]),
  )
  return new Answer(sent, response.statusCode!, headers, text)
}
