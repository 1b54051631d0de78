// Makes an account as the service itself, for a person whom nobody here has signed up.

import { randomBytes } from 'node:crypto'
import type { RunnerContext } from '../action/context.ts'
import { createRunner } from '../action/run.ts'
import { accepting, serviceForm } from '../action/service-form.ts'
import type { CreateAccount } from '../authentication/issuer/provisioning.ts'
import { invariant } from '../failure/failure.ts'
import { writeInput } from '../program/write-value.ts'
import { theService } from '../resource/actor.ts'
import type { Column } from '../resource/model/column.ts'
import type { ActionModel } from '../resource/model/model.ts'
import { asDefined } from '../resource/model/vocabulary.ts'

/** Runs `create` of the accounts through the runner, with its events. */
export function createAccounts(context: RunnerContext): CreateAccount {
  const { resource, password } = context.model.accounts
  return async (values, requestId, last) => {
    const create = resource.actions.get('create')
    invariant(create !== undefined, `${resource.name} has a create`)
    const action = accepting(serviceForm(create, resource), writtenIn(values, create))
    const { write } = createRunner({
      ...context,
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
      requestId,
    })
    return ids[0]!
  }
}

/** The columns of a record that code may write beside what create accepts. */
const writtenIn = (values: Readonly<Record<string, unknown>>, { resource }: ActionModel): readonly Column[] =>
  resource.columns.filter(
    (column) =>
      column.field in values && !column.secret && column.spec.kind !== 'state' && !unwritten.has(column.field),
  )
const unwritten: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt'])

/** Nobody knows it, and nobody will: a reset by mail replaces it. */
const unknownPassword = ({ spec }: Column): string =>
  randomBytes(48)
    .toString('hex')
    .slice(0, (spec as typeof spec & { readonly max: number }).max)
