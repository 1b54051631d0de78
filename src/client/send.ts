// One call: the tries it takes, the waits between them, and when it is given up. A call is tried again only where that
// cannot do twice what was asked once. (contract 4 "Idempotency", 8)

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
  /** For fetch to finish though the page is left. */
  readonly keepalive?: boolean
}
/** What stands for the caller in a request. */
export interface Credential {
  /** Headers, perhaps after a renewal. Rejects with DuetError. */
  headers(): Promise<Readonly<Record<string, string>>>
  /** These were refused: whether there are others to try. Rejects with SIGNED_OUT where there will be none. */
  refused(headers: Readonly<Record<string, string>>): Promise<boolean>
}
export const anonymous: Credential = { headers: async () => ({}), refused: async () => false }

export interface SenderGiven extends RetryLimits {
  readonly baseUrl: string
  readonly surroundings: Surroundings
  /** On every request, such as `X-Client-Name`. */
  readonly headers: Readonly<Record<string, string>>
}
export interface RetryLimits {
  /** For a whole call, in milliseconds. */
  readonly timeoutMs: number
  /** For a single try of what can be tried again. */
  readonly tryTimeoutMs: number
  readonly triesMax: number
  /** The first pause; each one after it may be twice as long. */
  readonly pauseMs: number
  readonly pauseMaxMs: number
}
export const usualRetryLimits: RetryLimits = {
  timeoutMs: 30_000,
  tryTimeoutMs: 10_000,
  triesMax: 5,
  pauseMs: 200,
  pauseMaxMs: 5_000,
}
/** Sends it and answers a success. Rejects with DuetError, or with the reason of an aborted signal. */
export type Send = (sending: Sending, credential: Credential) => Promise<Answer>

export function createSend({ baseUrl, surroundings, headers: usualHeaders, ...limits }: SenderGiven): Send {
  const { now, random, sleep, expire } = surroundings

  return async (sending, credential) => {
    const { signal, timeoutMs = limits.timeoutMs } = sending
    const deadline = now() + timeoutMs
    const late = expire(timeoutMs)
    const ended = signal === undefined ? late : AbortSignal.any([signal, late])
    /** A 401 is answered before anything is done, so that another credential can always be tried; once. */
    let isRenewed = false
    /** Nobody knows what became of an earlier try. */
    let isLost = false
    for (let tries = 1; ; tries++) {
      const outcome = await attempt(sending, credential, ended)
      signal?.throwIfAborted()
      if ('answer' in outcome) return outcome.answer
      const { credentials } = outcome
      let { error, wasSent } = outcome
      if (credentials !== undefined && !isRenewed && isRefused(error)) {
        const renewal = await renew(credential, credentials, ended)
        signal?.throwIfAborted()
        isRenewed = renewal === true
        if (isRenewed) continue
        // Nothing was sent with a credential that holds.
        if (renewal instanceof DuetError) [error, wasSent] = [renewal, false]
      }
      if (isLost && sending.method === 'DELETE' && error.status === 404) return deleted
      isLost ||= wasSent && isPassing(error)
      if (late.aborted || tries >= limits.triesMax || !mayRepeat(error, wasSent, sending)) throw error
      const pause = pauseBefore(tries, error)
      if (now() + pause >= deadline) throw error
      await sleep(pause, ended).catch((reason) => {
        throw signal?.aborted ? reason : error
      })
    }
  }

  /** Chance keeps those who failed together from coming back together. */
  function pauseBefore(tries: number, { retryAfterSeconds }: DuetError): number {
    const pause = random() * Math.min(limits.pauseMaxMs, limits.pauseMs * 2 ** tries)
    return retryAfterSeconds === undefined ? pause : retryAfterSeconds * 1000 + pause
  }

  async function attempt(sending: Sending, credential: Credential, ended: AbortSignal): Promise<Outcome> {
    let credentials: Readonly<Record<string, string>> | undefined
    try {
      credentials = await until(credential.headers(), ended)
      const answer = await request(sending, credentials, ended)
      if (answer.status < 400) return { answer }
      return { error: errorOf(answer), wasSent: true, credentials }
    } catch (thrown) {
      return { error: asDuetError(thrown), wasSent: credentials !== undefined }
    }
  }

  async function request(
    { method, path, body, headers, isRepeatable, keepalive = false }: Sending,
    credentials: Readonly<Record<string, string>>,
    ended: AbortSignal,
  ): Promise<Answer> {
    const type: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' }
    const response = await surroundings.fetch(baseUrl + path, {
      method,
      headers: { Accept: 'application/json', ...usualHeaders, ...type, ...headers, ...credentials },
      signal: isRepeatable ? AbortSignal.any([ended, expire(limits.tryTimeoutMs)]) : ended,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(keepalive ? { keepalive } : {}),
    })
    return readAnswer(response)
  }
}

type Outcome =
  | { readonly answer: Answer }
  /** `credentials` where it was answered that they, or something else, will not do. */
  | { readonly error: DuetError; readonly wasSent: boolean; readonly credentials?: Readonly<Record<string, string>> }

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
const renew = (credential: Credential, refused: Readonly<Record<string, string>>, ended: AbortSignal) =>
  until(credential.refused(refused), ended).catch(asDuetError)

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
