// An answer of the service, with the request that it is for: a clause that is broken reports both.

import { isDeepStrictEqual } from 'node:util'

export interface SentRequest {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** The account whose token was sent, or null. */
  readonly as: string | null
}

/** A promise that does not hold. */
export class Broken extends Error {
  override readonly name = 'Broken'
}

/** A test that cannot show its clause at this service: it is skipped, with this reason. */
export class Untestable extends Error {
  override readonly name = 'Untestable'
}

export class Answer {
  readonly request: SentRequest
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** What the text holds, or undefined if it is no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a service may answer anything, and tests look at what is there.
  readonly json: any

  constructor(request: SentRequest, status: number, headers: Readonly<Record<string, string>>, text: string) {
    this.request = request
    this.status = status
    this.headers = headers
    this.text = text
    this.json = parsed(text)
  }

  /** `data` of an answer of REST or GraphQL. */
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  get data(): any {
    return this.json?.data
  }

  /** Requires a status. */
  is(...statuses: number[]): this {
    return this.require(statuses.includes(this.status), `status ${statuses.join(' or ')}`, `status ${this.status}`)
  }

  /** Requires a failure of REST. */
  fails(status: number, ...codes: string[]): this {
    this.is(status)
    const code = this.json?.error?.code
    return this.require(codes.length === 0 || codes.includes(code), `error.code ${codes.join(' or ')}`, show(code))
  }

  /** Requires that the record does not exist for this caller: 404, or 401 for an anonymous one who reads no such record. */
  isHidden(): this {
    return this.request.as === null ? this.is(401, 404) : this.fails(404)
  }

  /** Requires an error of GraphQL. */
  hasError(...codes: string[]): this {
    const found = (this.json?.errors ?? []).map((error: Json) => error?.extensions?.code)
    const holds = codes.length === 0 ? found.length > 0 : codes.some((code) => found.includes(code))
    return this.require(holds, `an error ${codes.join(' or ')}`, `errors ${show(found)}`)
  }

  /** Requires an answer of GraphQL without errors. */
  succeeds(): this {
    return this.is(200).require(this.json?.errors === undefined, 'no errors', show(this.json?.errors))
  }

  /** Requires that a value of the answer is this one. */
  has(what: string, actual: unknown, expected: unknown): this {
    return this.require(isDeepStrictEqual(actual, expected), `${what} ${show(expected)}`, `${what} ${show(actual)}`)
  }

  matches(what: string, actual: unknown, pattern: RegExp): this {
    const holds = typeof actual === 'string' && pattern.test(actual)
    return this.require(holds, `${what} like ${pattern.source}`, `${what} ${show(actual)}`)
  }

  /** Requires that a detail names this field. */
  names(field: string): this {
    const fields = this.detailFields()
    return this.require(fields.includes(field), `details of ${field}`, `details of ${show(fields)}`)
  }

  detailFields(): readonly string[] {
    const details = this.json?.error?.details ?? this.json?.errors?.[0]?.extensions?.details ?? []
    return Array.isArray(details) ? details.map((detail: Json) => String(detail?.field)) : []
  }

  require(holds: boolean, expected: string, received: string): this {
    if (!holds) throw new Broken(this.describe(`Expected ${expected}, received ${received}.`))
    return this
  }

  describe(sentence: string): string {
    const { method, target, body, as, headers } = this.request
    const sent = Object.entries(headers)
      .filter(([name]) => !/^(authorization|x-api-key|cookie)$/i.test(name))
      .map(([name, value]) => `    ${name}: ${value}`)
    return [
      sentence,
      `  Sent: ${method} ${target} (${as ?? 'anonymous'})`,
      ...sent,
      ...(body === null ? [] : [`    ${cut(body)}`]),
      `  Received: ${this.status}`,
      ...(this.text === '' ? [] : [`    ${cut(this.text)}`]),
    ].join('\n')
  }
}

type Json = Readonly<Record<string, Readonly<Record<string, unknown>>>>

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const show = (value: unknown): string => (value === undefined ? 'nothing' : cut(JSON.stringify(value)))

const cut = (text: string): string => (text.length > 800 ? `${text.slice(0, 800)} …` : text)
