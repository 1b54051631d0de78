// Parses HTTP responses into a body, or an error with its code. (contract 4.10, 7.2)

import { DuetError, type ErrorCode, type ErrorDetail, type GraphqlErrorEntry } from './error.ts'
import { camel } from './wire-form.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Undefined if it is not JSON. */
  readonly body: unknown
}
interface SentChallenge {
  readonly token: string
  readonly methods: readonly string[]
  readonly expires_in: number
}
interface Refused {
  readonly error: {
    readonly code: ErrorCode
    readonly message: string
    readonly details?: readonly ErrorDetail[]
    readonly challenge?: SentChallenge
  }
  readonly errors: readonly GraphqlErrorEntry[]
  readonly data: unknown
}

/** Other content than JSON, such as a proxy's page, gives no body. */
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

/** By the error envelope, or by the status if another server answered. */
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
  const { challenge: sent } = error
  const challenge =
    sent === undefined ? undefined : { token: sent.token, methods: sent.methods, expiresInSeconds: sent.expires_in }
  return new DuetError(error.code, error.message, { ...facts, details, challenge })
}

/** The date form is ignored, as the service never uses it. (RFC 9110 10.2.3) */
const secondsOf = (text: string | null): number | undefined =>
  text !== null && /^\d+$/.test(text) ? Number(text) : undefined
