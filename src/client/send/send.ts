// Sends calls with retries, pauses and time limits. A call is retried only if that cannot execute it twice. (contract 4.7, 8.3)

import type { CallOptions } from '../type/call.ts'
import { type Answer, errorOf, readAnswer } from './answer.ts'
import { DuetError } from './error.ts'
import type { Surroundings } from './surroundings.ts'

export interface Sending extends CallOptions {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Whether it may be sent again if the result of the first try is unknown. */
  readonly isRepeatable: boolean
  readonly isUnread?: boolean
  /** As in `fetch`: completes even if the page is left. */
  readonly keepalive?: boolean
}
export interface CredentialSource {
  /** May renew the credential. Rejects with DuetError. */
  headers(): Promise<Readonly<Record<string, string>>>
  /** Called when these headers were refused; true if others can be tried. Rejects with SIGNED_OUT. */
  renew(headers: Readonly<Record<string, string>>): Promise<boolean>
}
export const anonymous: CredentialSource = { headers: async () => ({}), renew: async () => false }

export interface SenderOptions extends RetryLimits {
  readonly baseUrl: string
  readonly surroundings: Surroundings
  readonly headers: Readonly<Record<string, string>>
}
/** Time limits and retries: reads and repeatable writes are retried after a lost connection, 429 and 503. */
export interface RetryLimits {
  /** For the whole call, in milliseconds. */
  readonly timeoutMs: number
  /** For one try of a repeatable call. */
  readonly tryTimeoutMs: number
  readonly triesMax: number
  /** The longest first pause; it grows fourfold each time, up to `pauseMaxMs`. */
  readonly pauseMs: number
  readonly pauseMaxMs: number
}
/** All pauses take at most 26 seconds, in which a service restarts. */
export const usualRetryLimits: RetryLimits = {
  timeoutMs: 30_000,
  tryTimeoutMs: 10_000,
  triesMax: 5,
  pauseMs: 500,
  pauseMaxMs: 16_000,
}
const pauseGrowth = 4
/** Resolves with a success. Rejects with DuetError, or with the reason of an aborted signal. */
export type Send = (sending: Sending, credential: CredentialSource) => Promise<Answer>

export function createSend(options: SenderOptions): Send {
  const sender = new Sender(options)
  return (sending, credential) => sender.send(sending, credential)
}

/** `fetch` resolves `..` and would request another address. (contract 11.2.13) */
function requireWholePath(path: string): void {
  const [, ...steps] = path.split('?', 1)[0]!.split('/')
  if (steps.some((step) => step === '' || step === '.' || step === '..'))
    throw new TypeError(`An id or a key must not be empty, "." or "..", as in ${path}.`)
}

interface Progress {
  readonly deadline: number
  readonly late: AbortSignal
  readonly ended: AbortSignal
  tries: number
  /** A 401 precedes any effect, so the call can be retried with another credential, once. */
  isRenewed: boolean
  isLost: boolean
}

class Sender {
  readonly #options: SenderOptions

  constructor(options: SenderOptions) {
    this.#options = options
  }

  async send(sending: Sending, credential: CredentialSource): Promise<Answer> {
    // The caller's error, not a network failure.
    const content = contentOf(sending.body)
    requireWholePath(sending.path)
    const progress = this.#begin(sending)
    for (; ; progress.tries++) {
      const outcome = await this.#attempt(sending, content, credential, progress.ended)
      sending.signal?.throwIfAborted()
      if ('answer' in outcome) return outcome.answer
      const failure = await renewed(outcome, sending, credential, progress)
      if (failure === null) continue
      const { error, wasSent } = failure
      if (progress.isLost && sending.method === 'DELETE' && error.status === 404) return deleted
      progress.isLost ||= wasSent && isPassing(error)
      if (!mayRepeat(error, wasSent, sending)) throw error
      await this.#pause(error, sending, progress)
    }
  }

  #begin({ signal, timeoutMs = this.#options.timeoutMs }: Sending): Progress {
    const { now, expire } = this.#options.surroundings
    const deadline = now() + timeoutMs
    const late = expire(timeoutMs)
    const ended = signal === undefined ? late : AbortSignal.any([signal, late])
    return { deadline, late, ended, tries: 1, isRenewed: false, isLost: false }
  }

  async #pause(error: DuetError, { signal }: Sending, { deadline, late, ended, tries }: Progress): Promise<void> {
    const { triesMax, surroundings } = this.#options
    if (late.aborted || tries >= triesMax) throw error
    const pause = this.#pauseAfter(tries, error)
    if (surroundings.now() + pause >= deadline) throw error
    await surroundings.sleep(pause, ended).catch((reason) => {
      throw signal?.aborted ? reason : error
    })
  }

  /** Random, so that clients do not retry together. */
  #pauseAfter(tries: number, { retryAfterSeconds }: DuetError): number {
    const { surroundings, pauseMs, pauseMaxMs } = this.#options
    const chance = surroundings.random()
    const pause = chance * Math.min(pauseMaxMs, pauseMs * pauseGrowth ** (tries - 1))
    return retryAfterSeconds === undefined ? pause : Math.max(pause, retryAfterSeconds * 1000 + chance * pauseMs)
  }

  async #attempt(
    sending: Sending,
    content: Content,
    credential: CredentialSource,
    ended: AbortSignal,
  ): Promise<Outcome> {
    let credentials: Readonly<Record<string, string>> | undefined
    try {
      credentials = await until(credential.headers(), ended)
      const answer = await this.#request(sending, content, credentials, ended)
      if (answer.status < 400) return { answer }
      return { error: errorOf(answer), wasSent: true, credentials }
    } catch (thrown) {
      return { error: asDuetError(thrown), wasSent: credentials !== undefined }
    }
  }

  async #request(
    { method, path, headers, isRepeatable, isUnread = false, signal, keepalive = false }: Sending,
    content: Content,
    credentials: Readonly<Record<string, string>>,
    ended: AbortSignal,
  ): Promise<Answer> {
    const { baseUrl, surroundings, headers: usualHeaders, tryTimeoutMs } = this.#options
    const limit = isRepeatable ? AbortSignal.any([ended, surroundings.expire(tryTimeoutMs)]) : ended
    const lease = isUnread ? leaseOf(limit, signal) : null
    const type: Record<string, string> = typeof content === 'string' ? { 'Content-Type': 'application/json' } : {}
    const response = await surroundings.fetch(baseUrl + path, {
      method,
      headers: { Accept: 'application/json', ...usualHeaders, ...type, ...headers, ...credentials },
      signal: lease?.signal ?? limit,
      ...(content === null ? {} : { body: content }),
      ...(keepalive ? { keepalive } : {}),
    })
    if (lease === null || !response.ok) return readAnswer(response)
    lease.extend()
    return { status: response.status, headers: response.headers, body: response }
  }
}

/** The failure, or that of a renewal; null if another credential can be tried now. */
async function renewed(
  failure: FailedTry,
  { signal }: Sending,
  credential: CredentialSource,
  progress: Progress,
): Promise<FailedTry | null> {
  const { credentials, error } = failure
  if (credentials === undefined || progress.isRenewed || !isRefused(error)) return failure
  const renewal = await renew(credential, credentials, progress.ended)
  signal?.throwIfAborted()
  progress.isRenewed = renewal === true
  if (progress.isRenewed) return null
  // The request was not sent with a valid credential.
  return renewal instanceof DuetError ? { error: renewal, wasSent: false } : failure
}

type Content = string | Uint8Array<ArrayBuffer> | null
const contentOf = (body: unknown): Content =>
  body === undefined ? null : body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body)

function leaseOf(limit: AbortSignal, signal: AbortSignal | undefined) {
  const lease = new AbortController()
  const end = (): void => lease.abort(limit.reason)
  if (limit.aborted) end()
  limit.addEventListener('abort', end)
  return {
    signal: lease.signal,
    extend() {
      limit.removeEventListener('abort', end)
      signal?.addEventListener('abort', () => lease.abort(signal.reason))
    },
  }
}

type Outcome = { readonly answer: Answer } | FailedTry
interface FailedTry {
  readonly error: DuetError
  readonly wasSent: boolean
  readonly credentials?: Readonly<Record<string, string>>
}

/** A repeated delete finds nothing because its first try succeeded. */
const deleted: Answer = { status: 204, headers: new Headers(), body: undefined }

const isPassing = ({ code, status }: DuetError): boolean =>
  code === 'NETWORK_ERROR' || code === 'TIMEOUT' || [408, 502, 503, 504].includes(status)
const isRefused = ({ status, code }: DuetError): boolean =>
  status === 401 && (code === 'TOKEN_EXPIRED' || code === 'INVALID_TOKEN')

/** Whether repeating is safe: the request was refused early, or can be executed twice. */
function mayRepeat(error: DuetError, wasSent: boolean, { isRepeatable }: Sending): boolean {
  const { status, retryAfterSeconds } = error
  if (status === 429) return true
  if (!wasSent) return isPassing(error)
  // Another request with the same idempotency key is running.
  const isRunning = status === 409 && retryAfterSeconds !== undefined
  return isRepeatable && (isPassing(error) || isRunning)
}

const renew = (credential: CredentialSource, refused: Readonly<Record<string, string>>, ended: AbortSignal) =>
  until(credential.renew(refused), ended).catch(asDuetError)

const asDuetError = (thrown: unknown): DuetError => (thrown instanceof DuetError ? thrown : networkError(thrown))

function networkError(cause: unknown): DuetError {
  const isLate = cause instanceof Error && cause.name === 'TimeoutError'
  return isLate
    ? new DuetError('TIMEOUT', 'There was no answer in time.', { cause })
    : new DuetError('NETWORK_ERROR', 'The service cannot be reached, or its answer was lost.', { cause })
}
function until<T>(promise: Promise<T>, ended: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const refuse = () => reject(ended.reason)
    if (ended.aborted) refuse()
    ended.addEventListener('abort', refuse, { once: true })
    promise.then(resolve, reject).finally(() => ended.removeEventListener('abort', refuse))
  })
}
