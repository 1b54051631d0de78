// All subscriptions of a client share one connection. When it ends it is made again, with a token that holds, until nobody
// listens any more or it can be of no use. (contract 6.3.3)

import type { Connection } from '../client.ts'
import { DuetError } from '../error.ts'
import type { Operation } from './operation.ts'
import { type OpenWebSocket, openSocket, type Socket } from './socket.ts'

export interface LinkLimits {
  /** The pause before a new connection: from nothing to this, twice as long after each that fails, up to `pauseMaxMs`. */
  readonly pauseMs: number
  readonly pauseMaxMs: number
  /** Connections in a row that may fail before subscriptions do. */
  readonly triesMax: number
}
export interface Link {
  start(operation: Operation): void
  stop(operation: Operation): void
}
/** Whatever is wrong, it is not mended by doing the same again. */
const finalCodes = new Set([1002, 1003, 1007, 1009, 4400, 4401, 4406, 4409, 4429])
const forbidden = 4403
/** So many credentials in a row are refused before it is not the credential. */
const refusalsMax = 3
/** Failures of a single subscription that pass. */
const passing = new Set(['RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE', 'INTERNAL_ERROR'])

interface Connected {
  /** Null where there was no connection. */
  readonly code: number | null
  readonly wasReady: boolean
  readonly credentials: Readonly<Record<string, string>>
  readonly error: DuetError
}

export function createLink(connection: Connection, WebSocket: OpenWebSocket, limits: LinkLimits): Link {
  const { credential, headers, surroundings } = connection
  const url = new URL(`${connection.baseUrl}/graphql`, (globalThis as { location?: { href: string } }).location?.href)
  url.protocol = url.protocol.replace('http', 'ws')
  const operations = new Set<Operation>()
  /** How often each was refused in a row. */
  const refusals = new Map<Operation, number>()
  let socket: Socket | null = null
  let isRunning = false
  /** Aborted when nobody listens any more. */
  let idle = new AbortController()

  function failAll(error: DuetError): void {
    for (const operation of [...operations]) operation.fail(error)
  }

  async function run(): Promise<void> {
    let failures = 0
    let refusedInRow = 0
    while (operations.size > 0) {
      const connected = await connect()
      if (operations.size === 0) return
      failures = connected.wasReady ? 1 : failures + 1
      refusedInRow = connected.code === forbidden ? (connected.wasReady ? 1 : refusedInRow + 1) : 0
      const error = (await hopeless(connected, refusedInRow)) ?? (failures > limits.triesMax ? connected.error : null)
      if (error !== null) failAll(error)
      else await pause(failures)
    }
  }

  /** One connection, from the first to the last of it. */
  async function connect(): Promise<Connected> {
    let credentials: Readonly<Record<string, string>> = {}
    try {
      // A token that is about to expire is renewed first.
      credentials = await credential.headers()
      const given = { url: url.href, WebSocket, headers: { ...headers, ...credentials } }
      socket = openSocket({ ...given, surroundings, operations: wanted(), refused })
      const { code, wasReady } = await socket.ended
      return { code, wasReady, credentials, error: closedWith(code) }
    } catch (error) {
      return { code: null, wasReady: false, credentials, error: asError(error) }
    } finally {
      socket = null
    }
  }

  /** Why another connection would be no better; null where it may be. */
  async function hopeless({ code, credentials, error }: Connected, refusedInRow: number): Promise<DuetError | null> {
    if (error.status === 401 || finalCodes.has(code ?? 0)) return error
    if (code !== forbidden) return null
    if (refusedInRow > refusalsMax) return refusedCredential()
    const renewal = await credential.refused(credentials).catch(asError)
    if (renewal === false) return refusedCredential()
    return renewal !== true && renewal.status === 401 ? renewal : null
  }
  function* wanted(): Generator<Operation> {
    for (const operation of operations) if (!operation.isFull) yield operation
  }

  async function refused(operation: Operation, error: DuetError): Promise<void> {
    const times = (refusals.get(operation) ?? 0) + 1
    refusals.set(operation, times)
    if (!passing.has(error.code) || times > limits.triesMax) return operation.fail(error)
    const current = socket
    await pause(times)
    if (operations.has(operation) && current === socket) socket?.start(operation)
  }

  /** Chance keeps all clients of a service that restarts from coming back at once. */
  const pause = (failures: number): Promise<void> =>
    surroundings
      .sleep(surroundings.random() * Math.min(limits.pauseMaxMs, limits.pauseMs * 2 ** (failures - 1)), idle.signal)
      .catch(() => {})

  function ensureRunning(): void {
    if (isRunning) return
    isRunning = true
    void run().finally(() => {
      isRunning = false
      if (operations.size > 0) ensureRunning()
    })
  }
  return {
    start(operation) {
      if (operations.size === 0) idle = new AbortController()
      operations.add(operation)
      socket?.start(operation)
      ensureRunning()
    },
    stop(operation) {
      if (!operations.delete(operation)) return
      refusals.delete(operation)
      socket?.stop(operation)
      if (operations.size > 0) return
      idle.abort()
      socket?.close()
    },
  }
}

const asError = (thrown: unknown): DuetError =>
  thrown instanceof DuetError
    ? thrown
    : new DuetError('NETWORK_ERROR', 'The service cannot be reached.', { cause: thrown })
const closedWith = (code: number): DuetError =>
  new DuetError('UNEXPECTED_ANSWER', `The service ended the connection with ${code}.`)
const refusedCredential = (): DuetError =>
  new DuetError('INVALID_CREDENTIALS', 'The credential is not accepted.', { status: 401 })
