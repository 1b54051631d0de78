// Creates and changes accounts as the service, for persons of outside issuers and proofs of addresses.

import { randomBytes } from 'node:crypto'
import { accepting, serviceForm } from '../../action/code/service-form.ts'
import { writeInput } from '../../action/code/write-value.ts'
import type { RunnerContext } from '../../action/context.ts'
import { createRunner } from '../../action/write/run.ts'
import type { ChangeAccount } from '../../authentication/account/change-account.ts'
import type { CreateAccount } from '../../authentication/issuer/provisioning.ts'
import { invariant } from '../../failure/failure.ts'
import { theService } from '../../resource/actor.ts'
import type { Column } from '../../resource/model/column.ts'
import type { ActionModel } from '../../resource/model/model.ts'
import { asDefined } from '../../resource/model/vocabulary.ts'

export function createAccounts(context: RunnerContext, unusableHash: string): CreateAccount {
  const { resource, password } = context.model.accounts
  // Avoids a pointless expensive hash, which would delay concurrent first sign-ins.
  const secrets = { ...context.secrets, hashPassword: async () => unusableHash }
  return async (values, last) => {
    const create = resource.actions.get('create')
    invariant(create !== undefined, `${resource.name} has a create`)
    const action = accepting(serviceForm(create, resource), writtenIn(values, create))
    const { write } = createRunner({
      ...context,
      secrets,
      *changed(change, now) {
        yield* context.changed(change, now)
        yield* last(change.records[0]!.id, now)
      },
    })
    const members = writeInput(action, { ...values, [password.field]: unknownPassword(password) }, asDefined)
    const input = () => ({ targets: [{ input: members }] })
    const { ids } = await write({
      action,
      input,
      actor: theService,
      lists: [],
      vocabulary: asDefined,
      root: null,
      request: null,
    })
    return ids[0]!
  }
}

/** Writes fields of accounts as the service, whatever `update` accepts, without its check and effect. */
export function changeAccounts(context: RunnerContext): ChangeAccount {
  const { resource } = context.model.accounts
  return async (id, values, last) => {
    const update = resource.actions.get('update')
    invariant(update !== undefined, `${resource.name} has an update`)
    const form = accepting(serviceForm(update, resource), writtenIn(values, update))
    const action = { ...form, from: [], check: null, checkReads: false, set: [], effect: null }
    const { write } = createRunner({
      ...context,
      *changed(change, now) {
        yield* last(now)
        yield* context.changed(change, now)
      },
    })
    const members = writeInput(action, values, asDefined)
    const input = () => ({ targets: [{ id, input: members }] })
    await write({ action, input, actor: theService, lists: [], vocabulary: asDefined, root: null, request: null })
  }
}

const writtenIn = (values: Readonly<Record<string, unknown>>, { resource }: ActionModel): readonly Column[] =>
  resource.columns.filter(
    (column) =>
      column.field in values && !column.secret && column.spec.kind !== 'state' && !unwritten.has(column.field),
  )
const unwritten: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt'])

/** A valid password that is discarded: a reset by mail chooses another. */
const unknownPassword = ({ spec }: Column): string =>
  randomBytes(48)
    .toString('hex')
    .slice(0, (spec as typeof spec & { readonly max: number }).max)
