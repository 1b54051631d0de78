// Asks one instance or another, as a load balancer would, and judges what any answer must keep to whatever is broken.

import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type Answer, type Client, createClient } from '../support/client/http-client.ts'

export interface Asking {
  readonly token?: string
  readonly key?: string
  readonly body?: unknown
  /** Of the client, as a proxy tells it; one that nobody else has, unless said. */
  readonly address?: string
  /** The place of the instance that is asked; any, unless said. */
  readonly at?: number
}
export interface Known {
  readonly answer: Answer
  /** Times that it was asked before without learning what became of it. */
  readonly doubts: number
}
export interface Caller {
  /** Sentences about what must never happen. */
  readonly faults: string[]
  readonly statuses: Map<number, number>
  /** Null where no answer came, or 503: nobody knows what became of it. */
  ask(line: string, asking?: Asking): Promise<Answer | null>
  /** Asks again until it is known. */
  askUntilKnown(line: string, asking?: Asking): Promise<Known>
  /** The answer, if it has one of these statuses; a fault and null otherwise. */
  require(known: Known, line: string, ...statuses: readonly number[]): Answer | null
  login(email: string, password: string): Promise<Tokens>
  close(): void
}
export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

/** No request may take longer, whatever is broken: a statement, a connection and a drain all end sooner. */
const answerMs = 40_000
const pauseMs = 150

export function createCaller(urls: readonly string[]): Caller {
  const clients = urls.map((url) => createClient(url))
  const faults: string[] = []
  const statuses = new Map<number, number>()

  async function ask(line: string, asking: Asking = {}): Promise<Answer | null> {
    const { token, key, body, address = anyAddress(), at = randomInt(clients.length) } = asking
    const headers = {
      'X-Forwarded-For': address,
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    }
    const answer = await inTime(send(clients[at]!, line, { headers, body }))
    if (answer === 'late') faults.push(`${line} had no answer within ${answerMs} ms`)
    if (answer === null || answer === 'late') return null
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    if (answer.status < 500) return answer
    const code = answer.body?.error?.code ?? answer.body?.errors?.[0]?.extensions?.code
    const isForeseen =
      answer.status === 503 && code === 'SERVICE_UNAVAILABLE' && answer.headers['retry-after'] !== undefined
    if (!isForeseen) faults.push(`${line} was answered ${answer.status}: ${answer.text.slice(0, 300)}`)
    return null
  }

  async function askUntilKnown(line: string, asking: Asking = {}): Promise<Known> {
    for (let doubts = 0; ; doubts++) {
      const answer = await ask(line, asking)
      // The same key is in use: an attempt of before may still be running.
      if (answer !== null && !(answer.status === 409 && asking.key !== undefined)) return { answer, doubts }
      await wait(pauseMs)
    }
  }

  return {
    faults,
    statuses,
    ask,
    askUntilKnown,
    require({ answer }, line, ...allowed) {
      if (allowed.includes(answer.status)) return answer
      faults.push(`${line} was answered ${answer.status}, not ${allowed.join(' or ')}: ${answer.text.slice(0, 300)}`)
      return null
    },
    async login(email, password) {
      const { answer } = await askUntilKnown('POST /auth/login', { body: { email, password } })
      if (answer.status !== 200) throw new Error(`${email} cannot sign in: ${answer.text}`)
      return answer.body as Tokens
    },
    close() {
      for (const client of clients) client.close()
    },
  }
}

const anyAddress = () => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`

/** Null where the connection failed: the instance is gone, or went. */
const send = (client: Client, line: string, sending: Parameters<Client['send']>[1]): Promise<Answer | null> =>
  client.send(line, sending).catch(() => null)

async function inTime<T>(promise: Promise<T>): Promise<T | 'late'> {
  const ended = new AbortController()
  try {
    return await Promise.race([promise, wait(answerMs, 'late' as const, { signal: ended.signal })])
  } finally {
    ended.abort()
  }
}
