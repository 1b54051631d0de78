// One call: the tries it takes, the waits between them, and when it is given up. A call is tried again only where that
// cannot do twice what was asked once. (contract 4.7, 8.3)

import { type Answer, errorOf, readAnswer } from './answer.ts'
import type { CallOptions } from './call.ts'
import { DuetError } from './error.ts'
import type { Surroundings } from './surroundings.ts'

export interface Sending extends CallOptions {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Whether it may be sent again when nobody knows what became of it. */
  readonly isRepeatable: boolean
  /** Answers the Response itself, where it is a success. */
  readonly isUnread?: boolean
  /** For fetch to finish though the page is left. */
  readonly keepalive?: boolean
}
/** What stands for the caller in a request. */
export interface CredentialSource {
  /** Headers, perhaps after a renewal. Rejects with DuetError. */
  headers(): Promise<Readonly<Record<string, string>>>
  /** These were refused: whether there are others to try. Rejects with SIGNED_OUT where there will be none. */
  renew(headers: Readonly<Record<string, string>>): Promise<boolean>
}
export const anonymous: CredentialSource = { headers: async () => ({}), renew: async () => false }

export interface SenderOptions extends RetryLimits {
  readonly baseUrl: string
  readonly surroundings: Surroundings
  /** On every request, such as `X-Client-Name`. */
  readonly headers: Readonly<Record<string, string>>
}
/** How long a call may take, and how often it is tried: reads and repeatable writes after a lost connection, 429 and 503. */
export interface RetryLimits {
  /** For a whole call, in milliseconds. */
  readonly timeoutMs: number
  /** For a single try of what can be tried again. */
  readonly tryTimeoutMs: number
  readonly triesMax: number
  /** The first pause is up to this long; each one after it up to four times as long, and never longer than `pauseMaxMs`. */
  readonly pauseMs: number
  readonly pauseMaxMs: number
}
/** The pauses are 13 seconds together on average and 26 at most: a service that restarts is back by then. */
export const usualRetryLimits: RetryLimits = {
  timeoutMs: 30_000,
  tryTimeoutMs: 10_000,
  triesMax: 5,
  pauseMs: 500,
  pauseMaxMs: 16_000,
}
const pauseGrowth = 4
/** Sends it and answers a success. Rejects with DuetError, or with the reason of an aborted signal. */
export type Send = (sending: Sending, credential: CredentialSource) => Promise<Answer>

export function createSend(options: SenderOptions): Send {
  const sender = new Sender(options)
  return (sending, credential) => sender.send(sending, credential)
}

/** What one call has come to. */
interface Progress {
  readonly deadline: number
  readonly late: AbortSignal
  /** Late, or aborted by the caller. */
  readonly ended: AbortSignal
  tries: number
  /** A 401 is answered before anything is done, so that another credential can always be tried; once. */
  isRenewed: boolean
  /** Nobody knows what became of an earlier try. */
  isLost: boolean
}

class Sender {
  readonly #options: SenderOptions

  constructor(options: SenderOptions) {
    this.#options = options
  }

  async send(sending: Sending, credential: CredentialSource): Promise<Answer> {
    // Here, since what JSON cannot say is the caller's error and no failure of the network.
    const content = contentOf(sending.body)
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

  /** Waits before the next try; rejects with the error where there is none. */
  async #pause(error: DuetError, { signal }: Sending, { deadline, late, ended, tries }: Progress): Promise<void> {
    const { triesMax, surroundings } = this.#options
    if (late.aborted || tries >= triesMax) throw error
    const pause = this.#pauseAfter(tries, error)
    if (surroundings.now() + pause >= deadline) throw error
    await surroundings.sleep(pause, ended).catch((reason) => {
      throw signal?.aborted ? reason : error
    })
  }

  /** Anything from nothing to the longest: those who failed together do not come back together. */
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

/** The same failure, or that of a renewal; null where there is another credential to try at once. */
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
  // Nothing was sent with a credential that holds.
  return renewal instanceof DuetError ? { error: renewal, wasSent: false } : failure
}

type Content = string | Uint8Array<ArrayBuffer> | null
const contentOf = (body: unknown): Content =>
  body === undefined ? null : body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body)

/** Ends with this limit until it is extended: from then on with the caller's signal alone. */
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
  /** Where it was answered that they, or something else, will not do. */
  readonly credentials?: Readonly<Record<string, string>>
}

/** What a delete did whose answer was lost is told by the next one, which finds nothing. */
const deleted: Answer = { status: 204, headers: new Headers(), body: undefined }

const isPassing = ({ code, status }: DuetError): boolean =>
  code === 'NETWORK_ERROR' || code === 'TIMEOUT' || [408, 502, 503, 504].includes(status)
const isRefused = ({ status, code }: DuetError): boolean =>
  status === 401 && (code === 'TOKEN_EXPIRED' || code === 'INVALID_TOKEN')

/** Refused before it was looked at, or nothing that could be done twice. */
function mayRepeat(error: DuetError, wasSent: boolean, { isRepeatable }: Sending): boolean {
  const { status, retryAfterSeconds } = error
  if (status === 429) return true
  if (!wasSent) return isPassing(error)
  // What has the same idempotency key still runs.
  const isRunning = status === 409 && retryAfterSeconds !== undefined
  return isRepeatable && (isPassing(error) || isRunning)
}

/** Whether there is another credential to try, or why that is not known. */
const renew = (credential: CredentialSource, refused: Readonly<Record<string, string>>, ended: AbortSignal) =>
  until(credential.renew(refused), ended).catch(asDuetError)

const asDuetError = (thrown: unknown): DuetError => (thrown instanceof DuetError ? thrown : networkError(thrown))

function networkError(cause: unknown): DuetError {
  const isLate = cause instanceof Error && cause.name === 'TimeoutError'
  return isLate
    ? new DuetError('TIMEOUT', 'There was no answer in time.', { cause })
    : new DuetError('NETWORK_ERROR', 'The service cannot be reached, or its answer was lost.', { cause })
}
/** The promise, or the rejection of whoever does not want to wait for it any longer. */
function until<T>(promise: Promise<T>, ended: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const refuse = () => reject(ended.reason)
    if (ended.aborted) refuse()
    ended.addEventListener('abort', refuse, { once: true })
    promise.then(resolve, reject).finally(() => ended.removeEventListener('abort', refuse))
  })
}
