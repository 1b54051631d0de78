// A service without a server of its own: whoever embeds it hands it requests by one of three doors.

import { Failure } from '../failure/failure.ts'
import { type ClientAddress, FetchDoor } from '../http/host/fetch-door.ts'
import type { Handler } from '../http/host/handler.ts'
import { HostListener } from '../http/host/host-listener.ts'
import { createByteBudget } from '../http/server/byte-budget.ts'
import type { Service } from '../resource/language/service.ts'
import { type Configuration, ConfigurationError } from './configuration.ts'
import { startMaintenance } from './maintenance.ts'
import { createOpenContext, type OpenContext } from './open-context.ts'
import { type InnerService, innerService, openParts, type Parts } from './open-parts.ts'
import { connectionsOptions } from './open-pipeline.ts'
import { openMetrics } from './open-server.ts'
import type { StartServiceOptions } from './options.ts'
import { closingOnFailure, type Shutdown } from './shutdown.ts'

export interface OpenHandlerOptions extends StartServiceOptions {
  readonly clientAddress?: ClientAddress | undefined
}
/** A handler with what it hands requests to. */
export interface OpenHandler {
  readonly handler: Handler
  readonly inner: InnerService
}

/** Opens a service that listens to nothing. Fails as `startService` does. */
export const openHandler = (definition: Service<unknown>, options: OpenHandlerOptions): Promise<OpenHandler> =>
  closingOnFailure(options, (shutdown) => open(definition, options, shutdown))

async function open(
  definition: Service<unknown>,
  options: OpenHandlerOptions,
  shutdown: Shutdown,
): Promise<OpenHandler> {
  const context = createOpenContext(definition, options, shutdown)
  const parts = await openParts(context)
  const doors = openDoors(context, parts, options.clientAddress)
  await openMetrics(context, parts, doors.listener)
  shutdown.defer(startMaintenance(context, parts))
  return { handler: new OpenedHandler(context, doors), inner: innerService(context, parts) }
}

interface Doors {
  readonly listener: HostListener
  readonly fetch: FetchDoor
  readonly clientAddress: ClientAddress | undefined
}

function openDoors(context: OpenContext, parts: Parts, clientAddress: ClientAddress | undefined): Doors {
  const { basePath, limits, shutdown, workers } = context
  const { upgrade, ...options } = {
    ...connectionsOptions(context, parts),
    basePath,
    bodies: createByteBudget(limits.bodiesBytes),
  }
  const listener = new HostListener({ ...options, upgrade: workers ? upgrade! : refuseSubscriptions })
  const fetch = new FetchDoor({ ...options, clientAddress })
  shutdown.beforeClose(() => listener.close())
  shutdown.beforeClose(() => fetch.close())
  return { listener, fetch, clientAddress }
}

const refuseSubscriptions = (): Promise<never> =>
  Promise.reject(new Failure('NOT_FOUND', { message: 'Subscriptions are served by other processes than this one.' }))

class OpenedHandler implements Handler {
  readonly listener: Handler['listener']
  readonly upgrade: Handler['upgrade']
  readonly close: Handler['close']
  readonly #fetch: Handler['fetch']
  readonly #configuration: Configuration
  readonly #clientAddress: ClientAddress | undefined
  #closing: Promise<void> | null = null

  constructor({ drain, shutdown, configuration }: OpenContext, { listener, fetch, clientAddress }: Doors) {
    this.#configuration = configuration
    this.#clientAddress = clientAddress
    this.listener = (request, response, next) => listener.receive(request, response, next)
    this.upgrade = (request, socket, head) => listener.upgrade(request, socket, head)
    this.#fetch = (request, host) => fetch.fetch(request, host)
    this.close = () => {
      this.#closing ??= (async () => {
        listener.drain()
        await drain.begin()
        await shutdown.close()
      })()
      return this.#closing
    }
  }

  /** Fails with ConfigurationError where in production everybody would share the limits of one address. */
  get fetch(): Handler['fetch'] {
    const { production, limits } = this.#configuration
    const { ipPerMinute, loginPerMinute } = limits
    if (production && this.#clientAddress === undefined && (ipPerMinute > 0 || loginPerMinute > 0)) {
      throw new ConfigurationError(
        'fetch needs the option clientAddress of createHandler in production, or LIMIT_IP_PER_MINUTE=0 and ' +
          'LIMIT_LOGIN_PER_MINUTE=0: without an address everybody shares these limits.',
      )
    }
    return this.#fetch
  }
}
