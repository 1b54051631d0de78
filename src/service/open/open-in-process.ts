// Reads and writes of the program that runs the service: as the service itself, or as one of its accounts. (contract 13.3.13)

import { tenantOf } from '../../action/row/tenant-role.ts'
import { withAccessCodes } from '../../authentication/access-code.ts'
import { clientGone, type Deadline, outOfTime, within } from '../../budget/deadline.ts'
import { Failure } from '../../failure/failure.ts'
import { type Actor, type Caller, noCredential, theService } from '../../resource/actor.ts'
import { asDefined } from '../../resource/model/vocabulary.ts'
import { noCaller } from '../../store/sql/text/sql-text.ts'
import { createWriteStatements } from '../../store/sql/write/write-statements.ts'
import type { Program } from '../../store/store.ts'
import type { InProcess, InProcessOptions } from '../start/in-process.ts'
import type { OpenContext } from './open-context.ts'
import type { Database } from './open-database.ts'
import type { OpenRunner } from './open-runner.ts'

export function openInProcess(
  context: OpenContext,
  { store, dialect }: Database,
  { recordsFor }: OpenRunner,
): InProcess {
  const { model, clock, limits, drain, shutdown } = context
  const { resource, role, status, activeState } = model.accounts
  const statements = createWriteStatements(dialect)
  const running = new Set<Promise<unknown>>()
  shutdown.beforeClose(async () => void (await Promise.allSettled(running)))

  function* account(id: string): Program<Actor> {
    const load = { resource, conditions: [], columns: [role, status], lock: null } as const
    const [row] = yield statements.load(load, noCaller, [id])
    if (row === undefined || row[3] !== activeState) throw new Failure('UNAUTHENTICATED')
    const name = row[2] as string
    return { id, role: name, permissions: model.roles.get(name)!, scopes: null, credential: noCredential }
  }

  function recordsAs(
    methodNames: readonly string[],
    callerOf: () => Caller | Promise<Caller>,
    { signal }: InProcessOptions = {},
  ): Methods {
    const untimed: Deadline = { ended: () => (signal?.aborted === true ? clientGone : null), expired: () => null }
    const open = async (deadline: Deadline): Promise<Methods> => {
      if (drain.isBegun) throw new Failure('SERVICE_UNAVAILABLE', { message: 'The service is stopping.' })
      const caller = { vocabulary: asDefined, request: null, deadline }
      // Typed by who calls, which is known to its caller only.
      return recordsFor({ ...caller, actor: (await callerOf()) as Actor }) as unknown as Methods
    }
    const method =
      (name: string) =>
      async (...rest: readonly unknown[]): Promise<unknown> => {
        const call = open(within(limits.requestTimeoutMs, outOfTime, untimed)).then((records) =>
          records[name]!(...rest),
        )
        running.add(call)
        return await call.finally(() => running.delete(call))
      }
    async function* each(...rest: readonly unknown[]): AsyncGenerator<unknown> {
      yield* (await open(untimed))['each']!(...rest) as AsyncIterable<unknown>
    }
    return { ...Object.fromEntries(methodNames.map((name) => [name, method(name)])), each }
  }

  const inTenant = (tenant: string) => {
    const inside = { id: tenant, resource: tenantOf(tenant, model).name }
    return recordsAs(shared, () => ({ inside }))
  }
  const own = { ...recordsAs([...shared, 'once', 'upsert', 'sql'], () => theService), within: inTenant }
  return {
    asService: { records: own as never },
    as(id, options = {}) {
      const identify = withAccessCodes(() => (id === null ? null : store.read(account(id))), model)
      const callerOf = () => identify({ 'x-access-code': options.accessCode }, clock(), noOrigin)
      return { records: recordsAs(shared, callerOf, options) as never }
    },
  }
}

type Methods = Readonly<Record<string, (...rest: readonly unknown[]) => unknown>>
const shared = ['get', 'list', 'count', 'sum', 'max', 'distinct', 'create', 'update', 'delete', 'run']
const noOrigin = { address: '', requestId: '' }
