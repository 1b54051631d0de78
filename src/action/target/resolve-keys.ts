// Resolves references by key before rules are checked; unknown keys are refused with other missing references. (contract 11.2.12)

import { tenantColumn } from '../../resource/model/key.ts'
import type { ActionModel } from '../../resource/model/model.ts'
import { executeTogether } from '../../store/combine.ts'
import type { Program } from '../../store/store.ts'
import { findBound } from '../input/key.ts'
import type { RowValues } from '../row/load.ts'
import { unknownId, type ValidInput } from '../valid-input.ts'
import type { WriteScope } from '../write-scope.ts'

/** Copies that can be filled in. */
export const withOpenKeys = (inputs: readonly ValidInput[]): readonly ValidInput[] =>
  inputs.map((input) => {
    if (input.keyed.length === 0) return input
    const ids = input.keyed.flatMap(({ field, at }) => (at === undefined ? [[field, unknownId] as const] : []))
    const links = input.lists.links.map((each) => ({ ...each, ids: [...each.ids] }))
    return {
      ...input,
      fields: { ...input.fields, ...Object.fromEntries(ids) },
      lists: { ...input.lists, links },
    }
  })

export const namesByKey = (inputs: readonly ValidInput[]): boolean => inputs.some(({ keyed }) => keyed.length > 0)

/**
 * Resolves global keys or, once the tenants of `records` are known, keys within tenants. Also fills in `also`. One statement per
 * key.
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
      const sent = tenant === null ? name.sent : [records![index]![tenant.field] ?? unknownId, ...name.sent]
      return findBound(target, { key: name.key, sent }, { statements, dialect })
    }),
  )
  for (const [place, { index, field, at }] of open.entries()) {
    const id = (found[place]![0]?.[0] ?? unknownId) as string
    const { fields, lists } = inputs[index]!
    if (at === undefined) {
      ;(fields as RowValues)[field] = id
      also(index, field, id)
    } else (lists.links.find(({ list }) => list.field === field)!.ids as string[])[at] = id
  }
}
