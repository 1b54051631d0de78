// Decides which records a write locks first: holders whose kept numbers depend on the written record, or whose lists rules of
// writes read. (contract 5.4.5, 13.2)

import { getOrInsert } from '../../../cache/get-or-insert.ts'
import { memoize, memoizePair } from '../../../cache/memoize.ts'
import type { KeptNumber, Link, LinkRelation, ManyRelation, OneRelation, ResourceModel } from '../model.ts'
import { contributingFields, numbersOfLink, sumsOver } from './kept-number.ts'

/** The fields of the record that holders depend on, the relation included. */
export interface Holding {
  readonly relation: OneRelation
  readonly fields: ReadonlySet<string>
}

export const holdingsOf = memoize(({ contributions, guards }: ResourceModel): readonly Holding[] => {
  const byRelation = new Map<OneRelation, Set<string>>()
  const note = ({ by }: ManyRelation, names: Iterable<string>) => {
    const fields = getOrInsert(byRelation, by, () => new Set([by.field]))
    for (const name of names) fields.add(name)
  }
  for (const number of contributions)
    if (number.relation.kind === 'many') note(number.relation, contributingFields(number))
  for (const { relation, fields } of guards) if (relation.kind === 'many') note(relation, fields)
  return [...byRelation].map(([relation, fields]) => ({ relation, fields }))
})

/** Null stands for all fields. */
export const holdingsOfChange = (resource: ResourceModel, fields: ReadonlySet<string> | null): readonly Holding[] =>
  fields === null
    ? holdingsOf(resource)
    : holdingsOf(resource).filter((each) => [...each.fields].some((field) => fields.has(field)))

export const ruledHoldings = (resource: ResourceModel, fields: ReadonlySet<string> | null): readonly Holding[] => {
  const { contributions, guards } = resource
  const relations = new Set([
    ...contributions.filter(isRuled).map(({ relation }) => relation),
    ...guards.map(({ relation }) => relation),
  ])
  return holdingsOfChange(resource, fields).filter(({ relation }) =>
    [...relations].some((each) => each.kind === 'many' && each.by === relation),
  )
}

/** Whether a rule uses a sum over numbers that its records change: whose it is, only the holders of these know. */
export const changesRuledSum = memoize(({ contributions, relations }: ResourceModel): boolean => {
  const links = [...relations.values()].filter((each) => each.kind === 'manyToMany')
  return sumsOver([...contributions, ...links.flatMap(({ link }) => numbersOfLink(link))]).some(isRuled)
})

export const isRuledLink = (link: Link): boolean => isGuarded(link) || numbersOfLink(link).some(isRuled)

const isRuled = (number: KeptNumber): boolean => number.holder.ruledNumbers.has(number)

export const isHeldChange = (resource: ResourceModel, fields: ReadonlySet<string> | null): boolean =>
  holdingsOfChange(resource, fields).length + guardedLinks(resource, fields).length > 0

/** Whether a number or a rule of either end depends on this link. */
export const isHeldLink = (link: Link): boolean => numbersOfLink(link).length > 0 || isGuarded(link)

const isGuarded = (link: Link): boolean =>
  [link.source, link.target].some(({ guards }) =>
    guards.some(({ relation }) => relation.kind === 'manyToMany' && relation.link === link),
  )

/** The resource's links by which rules of others read these fields; null stands for all fields. Seen from this resource's side. */
export const guardedLinks = (resource: ResourceModel, fields: ReadonlySet<string> | null): readonly LinkRelation[] =>
  resource.guards.flatMap(({ holder, relation, fields: asked }): readonly LinkRelation[] =>
    relation.kind === 'manyToMany' && (fields === null || [...asked].some((field) => fields.has(field)))
      ? [{ ...relation, field: '', target: holder, side: relation.side === 'source' ? 'target' : 'source' }]
      : [],
  )

export const isHeldBy = memoizePair(
  (resource: ResourceModel, holder: ResourceModel) =>
    holdingsOf(resource).some(({ relation }) => relation.target === holder) ||
    sumsOver(resource.contributions).some((each) => each.holder === holder) ||
    [...resource.relations.values()].some(
      (each) => each.kind === 'manyToMany' && each.target === holder && isHeldLink(each.link),
    ),
)
