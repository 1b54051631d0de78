// What clients call the things that they may ask of a list.

import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { WhereBranch, WhereStep, WhereValue } from '../../resource/model/model.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'

export interface WhereNames {
  readonly values: ReadonlyMap<string, WhereValue>
  readonly steps: ReadonlyMap<string, WhereStep>
  /** The ids of records that relations name, by the names of the relations: texts may say either. */
  readonly relations: ReadonlyMap<string, WhereValue>
}

/** The names of a branch in this vocabulary: a relation is called by its name, and its id as everywhere. */
export function whereNames(branch: WhereBranch, vocabulary: Vocabulary): WhereNames {
  const ofVocabulary = getOrInsert(names, vocabulary, () => new WeakMap<WhereBranch, WhereNames>())
  return getOrInsert(ofVocabulary, branch, ({ resource, values, steps }) => ({
    values: new Map([...values].map(([field, value]) => [vocabulary.name(resource, field), value])),
    relations: new Map(
      [...values].flatMap(([field, value]) =>
        value.column.spec.kind === 'one' ? [[vocabulary.relation(resource, field), value]] : [],
      ),
    ),
    steps: new Map([...steps].map(([field, step]) => [vocabulary.relation(resource, field), step])),
  }))
}
const names = new WeakMap<Vocabulary, WeakMap<WhereBranch, WhereNames>>()
