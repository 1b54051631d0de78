// Current names and, deprecated, those of older versions. (contract 9.2.3)

import { dayOf } from '../../resource/deprecation.ts'
import type { Model } from '../../resource/model/model.ts'
import { graphqlVocabulary, type Vocabulary } from '../../resource/model/vocabulary.ts'
import { deprecated } from './deprecation.ts'

interface OlderNames {
  readonly vocabulary: Vocabulary
  /** Date of deprecation: `2026-11-20`. */
  readonly since: string
}
type Extended = { readonly extensions?: Readonly<Record<string, unknown>> | null | undefined }

export class SchemaNames {
  readonly current: Vocabulary
  readonly #older: readonly OlderNames[]

  constructor(current: Vocabulary, { resources, versions }: Model) {
    this.current = current
    this.#older = versions
      .filter(({ name }) => resources.some(({ olderNames }) => olderNames.has(name)))
      .map((version) => ({ vocabulary: graphqlVocabulary(version), since: dayOf(version.deprecated ?? new Date(0)) }))
  }

  isRenamed(nameIn: (names: Vocabulary) => string): boolean {
    return this.#older.some(({ vocabulary }) => nameIn(vocabulary) !== nameIn(this.current))
  }

  /** A schema part for each of `all`, then deprecated ones for older names. A current name wins over an older one. */
  parts<T, C extends object>(
    all: Iterable<T>,
    nameOf: (each: T, names: Vocabulary) => string,
    partOf: (each: T, names: Vocabulary) => C,
  ): Record<string, C> {
    const each = [...all]
    return this.described(
      (names) => each.map((one) => ({ name: nameOf(one, names), part: () => partOf(one, names) })),
      ({ part }) => part(),
    )
  }

  /** The same for descriptions that each vocabulary lists in the same order. */
  described<D extends { readonly name: string }, C extends object>(
    list: (names: Vocabulary) => readonly D[],
    partOf: (each: D) => C,
  ): Record<string, C> {
    const current = list(this.current)
    const parts = new Map(current.map((each) => [each.name, partOf(each)]))
    for (const { vocabulary, since } of this.#older)
      for (const [index, each] of list(vocabulary).entries())
        if (!parts.has(each.name)) parts.set(each.name, older(partOf(each), since, current[index]!.name))
    return Object.fromEntries(parts)
  }
}

const older = <C extends object>(part: C, since: string, use: string): C =>
  deprecated(nowCalled(part, use), { since, sunset: null, use })

/** Marks an input's older name. */
export const nowCalled = <C extends object>(part: C, currentName: string): C => ({
  ...part,
  extensions: { ...(part as Extended).extensions, currentName },
})

/** Undefined unless the input has an older name. */
export const currentNameOf = ({ extensions }: Extended): string | undefined =>
  extensions?.['currentName'] as string | undefined

/** For inputs with older names, one of which is required. */
export const neededByAnyName = { extensions: { isNeeded: true } }
export const isNeededByAnyName = ({ extensions }: Extended): boolean => extensions?.['isNeeded'] === true
