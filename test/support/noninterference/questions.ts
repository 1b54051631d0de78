// What lists are asked beside filters: conditions about values that are there, hidden or gone, and words. (contract 12.1, 12.2)

import { getOrInsert } from '../../../src/cache/get-or-insert.ts'
import { writeValue } from '../../../src/resource/field/registry.ts'
import type { Model, ResourceModel } from '../../../src/resource/model/model.ts'
import { restVocabulary } from '../../../src/resource/model/vocabulary.ts'
import type { Random } from '../oracle/random.ts'
import { type Asked, AskedMaker, type Json, textOf, treeOf } from '../oracle/where.ts'
import type { Row, Rows } from './rows.ts'

/** Makes questions about the records of both databases, so that much is asked of what is hidden. */
export class Questions {
  readonly #model: Model
  readonly #random: Random
  readonly #records: ReadonlyMap<string, readonly Json[]>
  readonly #canSayMe: boolean
  readonly #makers = new Map<ResourceModel, AskedMaker>()

  constructor(model: Model, both: readonly Rows[], canSayMe: boolean, random: Random) {
    this.#model = model
    this.#random = random
    this.#canSayMe = canSayMe
    const all = both.flatMap(({ records }) => [...records.values()])
    this.#records = new Map(model.resources.map((of) => [of.name, all.filter((row) => row.of === of).map(jsonOf)]))
  }

  /** A condition as REST takes it; expects a resource that takes some. */
  where(resource: ResourceModel): string {
    return textOf(this.#makeCondition(resource, this.#canSayMe))
  }

  /** A condition on records of such a type, `TicketWhere`, as GraphQL takes it; null for any other type. */
  ofType(type: string): Json | null {
    const resource = this.#model.resources.find(({ name }) => type === `${name}Where`)
    if (resource === undefined) return null
    // Only a text can say `now` and `me`.
    for (;;) {
      const tree = treeOf(this.#makeCondition(resource, false))
      if (tree !== null) return tree
    }
  }

  /** What is searched: mostly words that there are. */
  words(): string {
    const random = this.#random
    const words = ['alpha', 'bet', 'gamma', 'under', 'zeta', '日本', '日', 'alp', 'fresh', 'amm', '"alpha"', 'beta']
    const excluded = random.chance(0.2) ? [random.one(['-alpha', '-zeta', '-"beta"'])] : []
    return [...excluded, ...random.some(words, random.chance(0.7) ? 1 : 3)].join(' ')
  }

  #makeCondition(resource: ResourceModel, canSayMe: boolean): Asked {
    const texts = this.#model.accounts.resource.columns.filter(({ secret, spec }) => !secret && spec.kind === 'text')
    const maker = getOrInsert(this.#makers, resource, () => {
      return new AskedMaker(
        this.#random,
        resource,
        this.#records,
        texts.map(({ field }) => field),
      )
    })
    // What one comparison would tell, others hide.
    return maker.make(canSayMe, this.#random.chance(0.7) ? 1 : 8)
  }
}

const names = restVocabulary({ name: 'v2', deprecated: null, sunset: null })
const jsonOf = ({ of, values, id }: Row): Json =>
  Object.fromEntries(
    of.columns
      .filter(({ secret }) => !secret)
      .map(({ field, spec }) => [
        names.name(of, field),
        field === 'id' ? id : values[field] == null ? null : writeValue(spec, values[field]),
      ]),
  )
