// From an HTTP response to what it says: a body, or an error with its code. (contract 4.10, 7.2)

import { DuetError, type ErrorCode, type ErrorDetail, type GraphqlErrorEntry } from './error.ts'
import { camel } from './wire-form.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** What its JSON says; undefined where there is none. */
  readonly body: unknown
}
interface Refused {
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly details?: readonly ErrorDetail[] }
  /** As GraphQL answers. */
  readonly errors: readonly GraphqlErrorEntry[]
  readonly data: unknown
}

/** Reads a response to its end. What is no JSON, such as a proxy's page, has no body. */
export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  const { status, headers } = response
  if (!/^application\/([\w.-]+\+)?json\b/.test(headers.get('Content-Type') ?? ''))
    return { status, headers, body: undefined }
  try {
    return { status, headers, body: JSON.parse(text) }
  } catch {
    return { status, headers, body: undefined }
  }
}

/** The error that an answer is, by its envelope, or by its status where somebody else answered. */
export function errorOf({ status, headers, body }: Answer): DuetError {
  const facts = {
    status,
    requestId: headers.get('X-Request-ID') ?? undefined,
    retryAfterSeconds: secondsOf(headers.get('Retry-After')),
  }
  const { error, errors, data } = (body ?? {}) as Partial<Refused>
  const [first] = errors ?? []
  const code = first?.extensions?.code
  if (first !== undefined && code !== undefined) {
    const { details = [] } = first.extensions!
    return new DuetError(code, first.message, { ...facts, details, errors: errors!, data })
  }
  if (typeof error?.code !== 'string') {
    return new DuetError('UNEXPECTED_ANSWER', `The answer, with status ${status}, is not the service's.`, facts)
  }
  const details = (error.details ?? []).map(({ field, message }) => ({ field: camel(field), message }))
  return new DuetError(error.code, error.message, { ...facts, details })
}

/** `Retry-After` in seconds; it may also be a date, which our service never says. (RFC 9110 10.2.3) */
const secondsOf = (text: string | null): number | undefined =>
  text !== null && /^\d+$/.test(text) ? Number(text) : undefined
