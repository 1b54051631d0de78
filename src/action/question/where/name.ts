// The client's names in conditions.

import { memoizePair } from '../../../cache/memoize.ts'
import type { WhereBranch, WhereStep, WhereTreePath, WhereValue } from '../../../resource/model/model.ts'
import type { Vocabulary } from '../../../resource/model/vocabulary.ts'

export interface WhereNames {
  readonly values: ReadonlyMap<string, WhereValue>
  readonly steps: ReadonlyMap<string, WhereStep>
  /** The ids of relations by the relations' names, which text may use. */
  readonly relations: ReadonlyMap<string, WhereValue>
  /** By the names of their relations. */
  readonly trees: ReadonlyMap<string, WhereTreePath>
}

export const whereNames = memoizePair(
  ({ resource, named: values, steps }: WhereBranch, vocabulary: Vocabulary): WhereNames => {
    // Later entries replace equal older names.
    const all = [...(vocabulary.older ?? []), vocabulary]
    const ids = [...values].filter(([, { column, either }]) => column.spec.kind === 'one' && either?.part !== 'type')
    const trees = [...values].flatMap(([name, { tree }]) =>
      tree === undefined ? [] : [[name, tree] as [string, WhereTreePath]],
    )
    const named = <T>(parts: Iterable<[string, T]>, nameOf: (names: Vocabulary, field: string) => string) =>
      new Map(all.flatMap((names) => [...parts].map(([field, part]) => [nameOf(names, field), part] as const)))
    return {
      values: named(values, (names, field) => whereName(names, field, values.get(field)!)),
      relations: named(ids, ({ relation }, field) => relation(resource, field)),
      steps: named(steps, ({ relation }, field) => relation(resource, field)),
      trees: named(trees, ({ relation }, field) => relation(resource, field)),
    }
  },
)
/** Without the path to it. */
export const whereName = (names: Vocabulary, field: string, { resource, either }: WhereValue): string =>
  either === undefined ? names.name(resource, field) : names.either(resource, either.field)[either.part]

/** Whether values of an object have this path, such as `address` of `address.city`. */
export const hasParts = (values: WhereNames['values'], path: string): boolean =>
  [...values.keys()].some((name) => name.startsWith(`${path}.`))
