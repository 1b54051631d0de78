// What lists are asked beside filters: conditions about values that are there, hidden or gone, words, and what records come to by
// groups; and the writes of all records for which a condition holds. (contract 12.1, 12.2, 13.7)

import { summaryNames } from '../../../src/action/summary-names.ts'
import { getOrInsert } from '../../../src/cache/get-or-insert.ts'
import { writeValue } from '../../../src/resource/field/registry.ts'
import type { Model, ResourceModel } from '../../../src/resource/model/model.ts'
import { restVocabulary } from '../../../src/resource/model/vocabulary.ts'
import type { ResourceEndpoint } from '../../../src/rest/routes.ts'
import type { Random } from '../oracle/random.ts'
import { type Asked, AskedMaker, type Json, textOf, treeOf } from '../oracle/where.ts'
import { anyId, type Material } from './requests.ts'
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
    return textOf(this.#asked(resource, this.#canSayMe))
  }

  /** A condition on records of such a type, `TicketWhere`, as GraphQL takes it; null for any other type. */
  ofType(type: string): Json | null {
    const resource = this.#model.resources.find(({ name }) => type === `${name}Where`)
    if (resource === undefined) return null
    // Only a text can say `now` and `me`.
    for (;;) {
      const tree = treeOf(this.#asked(resource, false))
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

  #asked(resource: ResourceModel, canSayMe: boolean): Asked {
    const texts = this.#model.accounts.resource.columns.filter(({ secret, spec }) => !secret && spec.kind === 'text')
    const maker = getOrInsert(this.#makers, resource, () => {
      return new AskedMaker(
        this.#random,
        resource,
        this.#records,
        texts.map(({ field }) => field),
      )
    })
    return maker.make(canSayMe)
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

/** Whether more can be asked of an endpoint than filters, or many records can be written by it. */
export const asks = ({ kind, resource }: ResourceEndpoint): boolean =>
  kind === 'summary' ||
  kind === 'updateMany' ||
  kind === 'deleteMany' ||
  (kind === 'list' && (resource.where !== null || resource.search !== null))

/** A condition, a search, both or none. */
export function narrowingQuery({ resource }: ResourceEndpoint, { random, questions }: Material): URLSearchParams {
  const parts = new URLSearchParams()
  if (resource.where !== null && random.chance(0.4)) parts.set('where', questions.where(resource))
  if (resource.search !== null && random.chance(0.3)) parts.set('q', questions.words())
  return parts
}

/** Groups, their order, and which records. */
export function summaryQuery(
  { resource, version }: ResourceEndpoint,
  { random, questions }: Material,
): URLSearchParams {
  const { groups, measures } = summaryNames(resource, version.vocabulary)
  const parts = new URLSearchParams()
  const chosen = random.chance(0.15) ? [] : random.some([...groups], 2)
  const texts = chosen.map(([name, { units }]) =>
    units.length > 0 && random.chance(0.7) ? `${name}:${random.one(units)}` : name,
  )
  if (texts.length > 0) parts.set('group_by', texts.join(','))
  const orders = [...chosen.map(([name]) => name), 'count', ...[...measures.keys()].map((name) => `sum_${name}`)]
  if (random.chance(0.4)) parts.set('sort', `${random.chance(0.5) ? '-' : ''}${random.one(orders)}`)
  if (resource.where !== null && random.chance(0.5)) parts.set('where', questions.where(resource))
  if (random.chance(0.3)) parts.set('time_zone', random.one(['Europe/Berlin', 'America/New_York', 'UTC']))
  if (random.chance(0.6)) parts.set('limit', `${1 + random.below(3)}`)
  return parts
}

/** Which records are written: those of a condition, which more often than not names some, or those with these ids. */
export function bulkQuery({ kind, resource }: ResourceEndpoint, material: Material): URLSearchParams {
  const { random, questions } = material
  const parts = new URLSearchParams()
  const ids = Array.from({ length: 1 + random.below(3) }, () => anyId(material, resource))
  if (resource.where !== null && random.chance(0.7)) {
    const among = `id IN (${ids.map((id) => JSON.stringify(id)).join(', ')})`
    const canName = resource.where.values.has('id') && random.chance(0.7)
    const asked = canName && random.chance(0.5) ? null : questions.where(resource)
    parts.set(
      'where',
      [...(asked === null ? [] : [canName ? `(${asked})` : asked]), ...(canName ? [among] : [])].join(' AND '),
    )
  } else if (kind === 'deleteMany') parts.set('ids', ids.join(','))
  // Otherwise little would be left to be asked of.
  if (random.chance(kind === 'deleteMany' ? 0.7 : 0.4)) parts.set('dry_run', 'true')
  return parts
}
