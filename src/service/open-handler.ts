// Opens a service without a server: an embedding program passes requests to one of three listeners.

import { SharedRoom } from '../budget/answer-room.ts'
import { Failure } from '../failure/failure.ts'
import { type ClientAddress, FetchListener } from '../http/host/fetch-listener.ts'
import type { Handler } from '../http/host/handler.ts'
import { HostListener } from '../http/host/host-listener.ts'
import type { Service } from '../resource/language/service.ts'
import { ConfigurationError } from './configuration/configuration.ts'
import { startMaintenance } from './maintenance.ts'
import { type OpenContext, openService } from './open/open-context.ts'
import { type InnerService, innerService, openParts, type Parts } from './open/open-parts.ts'
import { connectionsOptions } from './open/open-pipeline.ts'
import { openMetrics } from './open-server.ts'
import type { StartServiceOptions } from './start/options.ts'

export interface OpenHandlerOptions extends StartServiceOptions {
  readonly clientAddress?: ClientAddress | undefined
}
export interface OpenHandler {
  readonly handler: Handler
  readonly inner: InnerService
}

export const openHandler = (definition: Service<unknown>, options: OpenHandlerOptions): Promise<OpenHandler> =>
  openService(definition, options, async (context) => {
    const parts = await openParts(context)
    const listeners = openListeners(context, parts, options.clientAddress)
    await openMetrics(context, parts, listeners.listener)
    context.shutdown.defer(startMaintenance(context, parts))
    return { handler: handlerOf(context, listeners, options), inner: innerService(context, parts) }
  })

interface Listeners {
  readonly listener: HostListener
  readonly fetch: FetchListener
}

function openListeners(context: OpenContext, parts: Parts, clientAddress: ClientAddress | undefined): Listeners {
  const { basePath, limits, shutdown, workers } = context
  const { upgrade, ...options } = {
    ...connectionsOptions(context, parts),
    basePath,
    bodies: new SharedRoom(limits.bodiesBytes),
  }
  const listener = new HostListener({ ...options, upgrade: workers ? upgrade! : refuseSubscriptions })
  const fetch = new FetchListener({ ...options, clientAddress })
  shutdown.beforeClose(() => listener.close())
  shutdown.beforeClose(() => fetch.close())
  return { listener, fetch }
}

const refuseSubscriptions = (): Promise<never> =>
  Promise.reject(new Failure('NOT_FOUND', { message: 'Subscriptions are served by other processes than this one.' }))

function handlerOf(
  { drain, shutdown }: OpenContext,
  { listener, fetch }: Listeners,
  options: OpenHandlerOptions,
): Handler {
  const answer: Handler['fetch'] = (request, host) => fetch.fetch(request, host)
  let closing: Promise<void> | null = null
  const end = async () => {
    listener.drain()
    await drain.begin()
    await shutdown.close()
  }
  return {
    listener: (request, response, next) => listener.receive(request, response, next),
    upgrade: (request, socket, head) => listener.upgrade(request, socket, head),
    get fetch() {
      requireAddress(options)
      return answer
    },
    close() {
      closing ??= end()
      return closing
    },
  }
}

/** Fails with ConfigurationError in production if all clients would share the limits of one address. */
function requireAddress({ configuration: { production, limits }, clientAddress }: OpenHandlerOptions): void {
  const { ipPerMinute, loginPerMinute } = limits
  if (production && clientAddress === undefined && (ipPerMinute > 0 || loginPerMinute > 0)) {
    throw new ConfigurationError(
      'fetch needs the option clientAddress of createHandler in production, or LIMIT_IP_PER_MINUTE=0 and ' +
        'LIMIT_LOGIN_PER_MINUTE=0: without an address all clients share these limits.',
    )
  }
}
