// Finds the records that inputs name by keys, before anything is asked of them: what is not found is refused where every other
// missing record is. (contract 11.2.12)

import { tenantColumn } from '../resource/model/key.ts'
import type { ActionModel } from '../resource/model/model.ts'
import { executeTogether } from '../store/combine.ts'
import type { Program } from '../store/store.ts'
import { findBound } from './key.ts'
import type { RowValues } from './load.ts'
import type { ValidInput } from './valid-input.ts'
import type { WriteScope } from './write-scope.ts'

/** Inputs in which the ids of named records can be filled in; the same where there are none. */
export const withOpenKeys = (inputs: readonly ValidInput[]): readonly ValidInput[] =>
  namesByKey(inputs)
    ? inputs.map((input) =>
        input.keyed.length === 0 ? input : { ...input, fields: { ...input.fields, ...missingIds(input) } },
      )
    : inputs

/** Whether any of them names a record by a key. */
export const namesByKey = (inputs: readonly ValidInput[]): boolean => inputs.some(({ keyed }) => keyed.length > 0)

/** An id that no record has. */
const missingIds = ({ keyed }: ValidInput): RowValues => Object.fromEntries(keyed.map(({ field }) => [field, '']))

/**
 * Fills in the ids of the records that are named by keys: those that count everywhere; or, once it is known in which tenants the
 * `records` are that the inputs are written to, the others. `also` is told them too. One statement for each key, whatever their number.
 */
export function* resolveKeys(
  { resource }: ActionModel,
  inputs: readonly ValidInput[],
  records: readonly Readonly<RowValues>[] | null,
  { statements, dialect }: Pick<WriteScope, 'statements' | 'dialect'>,
  also: (index: number, field: string, id: string) => void = () => {},
): Program<void> {
  const open = inputs.flatMap(({ keyed }, index) =>
    keyed.filter(({ name }) => (name.key.tenant === null) === (records === null)).map((each) => ({ ...each, index })),
  )
  if (open.length === 0) return
  const found = yield* executeTogether(
    open.map(({ target, field, name, index }) => {
      const tenant = tenantColumn(resource, field, name.key)
      const sent = tenant === null ? name.sent : [records![index]![tenant.field] ?? '', ...name.sent]
      return findBound(target, { key: name.key, sent }, { statements, dialect })
    }),
  )
  for (const [at, { index, field }] of open.entries()) {
    const id = (found[at]![0]?.[0] ?? '') as string
    ;(inputs[index]!.fields as RowValues)[field] = id
    also(index, field, id)
  }
}
