// Descriptions for the documents of both faces: the author's, otherwise generated. Their wording may change. (contract 4.15.1)

import { orderOf } from './field/choice.ts'
import type { SpecBase } from './field/field.ts'
import { aboutOf } from './field/registry.ts'
import { dueUnitSeconds } from './language/due.ts'
import type { RuleNode } from './language/rule/rule.ts'
import type { ExclusionModel } from './model/column.ts'
import type {
  AcceptedList,
  ActionModel,
  EventModel,
  FilterModel,
  LinkRelation,
  Model,
  OneRelation,
  QueryModel,
  ResourceModel,
  TimedMove,
  ValuePath,
} from './model/model.ts'
import { type NameOf, ruleSentence } from './model/rule/rule-sentence.ts'
import type { QueryArgument } from './model/scope.ts'
import { capitalised, words } from './naming/casing.ts'
import { a } from './naming/indefinite-article.ts'

/** Of the tenant in a key. (contract 11.2.32, 11.2.33) */
export const aboutOwnTenant = 'An API key of this tenant may leave it out.'

export const aboutSearch = (
  { search }: ResourceModel,
  name: (holder: ResourceModel, field: string) => string,
): string => {
  const fields = search!.documents.flatMap(({ relation, resource, words, parts }) =>
    [...words, ...parts].map(({ column, place }) => {
      const field = name(resource, column.field)
      return { place, path: relation === null ? field : `${relation.field}.${field}` }
    }),
  )
  const paths = fields.toSorted((one, other) => one.place - other.place).map(({ path }) => path)
  const usage = 'All words must occur in one record, the last as a beginning; "…" is a phrase, - excludes.'
  return `Looks for words in ${[...new Set(paths)].join(', ')}. ${usage}`
}

/** `A post.` */
export const aboutResource = ({ name, about }: ResourceModel): string =>
  about === undefined ? `${capitalised(a(words(name)))}.` : sentence(about)

export function aboutField(field: string, spec: SpecBase, resource: ResourceModel): string {
  const order = orderOf(spec)
  const about = aboutValueOf(field, spec, resource)
  return order === null ? about : `${about} In this order: ${order.join(', ')}.`
}

function aboutValueOf(field: string, spec: SpecBase, { name }: ResourceModel): string {
  if (spec.about !== undefined) return sentence(spec.about)
  const holder = words(name)
  return aboutOf(spec, field, holder) ?? `The ${words(field)} of the ${holder}.`
}

export const aboutPart = (part: string, { about }: SpecBase): string =>
  about === undefined ? `The ${words(part)}.` : sentence(about)

/** `Create a post.`; `many` for several records or no particular one. */
export function aboutAction({ name, kind, resource, about }: ActionModel, many = kind === 'collection'): string {
  if (about !== undefined) return sentence(about)
  const verb = kind === 'update' ? 'Change' : capitalised(words(name))
  return `${verb} ${many ? words(resource.plural) : a(words(resource.name))}.`
}

/** `createdAt plus 1 day`: when the clock makes the move. */
function dueText({ on, relation, shifts }: TimedMove): string {
  const spans = shifts.map(({ unitSeconds, count }) => {
    const [unit] = Object.entries(dueUnitSeconds).find(([, seconds]) => seconds === Math.abs(unitSeconds))!
    const isMinus = unitSeconds * (typeof count === 'number' ? count : 1) < 0
    const amount = typeof count === 'number' ? Math.abs(count) : count.field
    return ` ${isMinus ? 'minus' : 'plus'} ${amount} ${amount === 1 ? unit.slice(0, -1) : unit}`
  })
  return `${relation === null ? '' : `${relation.field}.`}${on.field}${spans.join('')}`
}

/** `at createdAt plus 1 day, from status pending, to cancelled`. */
export function moveText(move: TimedMove): string {
  const { from, to } = move.action
  const tests = from.map(({ column, values, present }) =>
    values === null
      ? `, if ${column.field} is ${present ? 'set' : 'not set'}`
      : `, from ${column.field} ${values.join(' or ')}`,
  )
  return `at ${dueText(move)}${tests.join('')}${to === null ? '' : `, to ${to}`}`
}

/** ` The clock makes it at createdAt plus 1 day.`, if it does. */
export function aboutTiming(action: ActionModel): string {
  const move = action.resource.timedMoves.find((each) => each.action === action)
  return move === undefined ? '' : ` The clock makes it at ${dueText(move)}.`
}

/** A sentence per exclusion that the action can violate, each after a space. (contract 11.5.2) */
export function aboutExclusions({ kind, accept, to, set, resource }: ActionModel, nameOf: NameOf): string {
  const name = (field: string) => nameOf(resource, field)
  if (kind === 'read' || kind === 'delete') return ''
  const written = [...accept.map(({ field }) => field), ...set.map(({ column }) => column.field)]
  if (to !== null) written.push(resource.state!.field)
  const isJudged = ({ fields }: ExclusionModel) => kind === 'create' || written.some((field) => fields.has(field))
  const sentences = resource.exclusions.filter(isJudged).map(({ columns, start, end, where }) => {
    const same = columns.map(({ field }) => name(field)).join(' and ')
    return ` Two with the same ${same} must not overlap from ${name(start.field)} to ${name(end.field)}${whileSentence(where, resource, nameOf)}.`
  })
  return [...new Set(sentences)].join('')
}

/** `, while status is accepted`. */
const whileSentence = (where: RuleNode | null, resource: ResourceModel, nameOf: NameOf): string =>
  where === null
    ? ''
    : ruleSentence(where, resource, nameOf)
        .replaceAll('; anyone, ', '; or ')
        .replace(/^anyone/, '')

/** Links, which end in any case, are left out. (contract 2.5.7) */
export function deletionSentences({ referrers }: ResourceModel): readonly string[] {
  const published = referrers.filter(({ holder }) => holder.isListed)
  return deletionEnds.flatMap(([end, isMeant]) => {
    const names = published.flatMap(({ holder, relation }) => (isMeant(relation) ? [words(holder.plural)] : []))
    return names.length === 0 ? [] : [`${end}: ${[...new Set(names)].sort().join(', ')}.`]
  })
}
const deletionEnds: readonly (readonly [end: string, isMeant: (relation: OneRelation) => boolean])[] = [
  ['Deletes with it', ({ onDelete, isRuled }) => onDelete === 'cascade' && !isRuled],
  ['Deletes with it, if you may delete them (otherwise 422)', ({ isRuled }) => isRuled],
  ['422 while it has', ({ onDelete }) => onDelete === 'restrict'],
  ['Clears the reference of', ({ onDelete }) => onDelete === 'clear'],
]

export const aboutDeletion = ({ kind, resource }: ActionModel): string =>
  kind === 'delete'
    ? deletionSentences(resource)
        .map((each) => ` ${each}`)
        .join('')
    : ''

export const aboutElement = (child: string, parent: string): string =>
  `${capitalised(a(words(child)))} of the ${words(parent)}. With \`id\`: keeps or changes that ${words(child)}. Without: creates one.`
export const aboutElementId = (child: string): string => `The id of the ${words(child)} to keep or change.`

export const aboutList = (list: AcceptedList, action: ActionModel): string =>
  `${aboutElements(list, action)}${list.min > 0 ? ` At least ${list.min}.` : ''}`

/** Of links that are named by keys, in place of these ids. */
export const aboutKeyedList = (ids: string): string => `The same as ${ids}, by keys. Not together with it.`

function aboutElements({ field, relation: { kind, target } }: AcceptedList, { name, resource }: ActionModel): string {
  const about = resource.fields.get(field)?.spec.about
  const own = about === undefined ? '' : `${sentence(about)} `
  if (kind === 'many' && name === 'update') {
    const stay = 'With an id: kept, and changed if more is sent. Without: created.'
    return `${own}The ${words(target.plural)} of the ${words(resource.name)}. ${stay} Others that you may read are removed. Omit the list to keep all.`
  }
  if (kind === 'many') return `${own}The ${words(target.plural)} to create with the ${words(resource.name)}.`
  const others = name === 'create' ? '' : ' Others that you may read are unlinked. Omit the list to keep all.'
  return `${own}The ids of the ${words(target.plural)} linked with the ${words(resource.name)}.${others}`
}

export function aboutLinks({ field, target }: LinkRelation, resource: ResourceModel): string {
  const about = resource.fields.get(field)?.spec.about
  const own = about === undefined ? '' : `${sentence(about)} `
  return `${own}The ids of the ${words(target.plural)} linked with it that you may read, in order; missing if there are too many.`
}

export const aboutCan = ({ name }: ResourceModel): string => `What you may do with this ${words(name)} now.`

export const aboutMayBegin = ({ name, resource }: ActionModel): string =>
  `Whether you may ${words(name)} this ${words(resource.name)} now, by permission, credential and state. Input is not considered.`

export const aboutQuery = ({ about }: QueryModel, scope: string): string =>
  about === undefined ? `Only where ${scope}.` : sentence(about)

export const aboutArgument = ({ name }: QueryModel, { spec, initial }: QueryArgument): string =>
  spec.about === undefined
    ? `An argument of ${name}${initial === null ? '; without it, its condition is omitted' : ''}.`
    : sentence(spec.about)

/** `Posts, each when it is created.`: derived from the actions that emit it. */
export function aboutEvent({ name, resource, about, changed }: EventModel, { resources }: Model): string {
  if (about !== undefined) return sentence(about)
  const actions = resources.flatMap((each) => [...each.actions.values()])
  const emitters = actions.filter(({ emit }) => emit?.name === name).map((each) => words(each.name))
  const where = changed.length === 0 ? '' : ` that changes ${changed.map(({ field }) => words(field)).join(' or ')}`
  return `${capitalised(a(words(resource.name)))} at each ${emitters.join(' or ')}${where}, to subscribers who may read it.`
}

export const aboutFilter = ({ test }: FilterModel, field: string): string =>
  ({
    is: `Records whose ${field} is this.`,
    contains: `Records whose ${field} contain this.`,
    isPresent: `Records whose ${field} is set (true) or not (false).`,
    atLeast: `Records whose ${field} is at least this.`,
    atMost: `Records whose ${field} is at most this.`,
  })[test]

/** `assignee's name`. */
export const pathWords = ({ list, relations, column }: ValuePath): string => {
  const members = list === null ? [] : [`${words(list.field)}'`]
  return [...members, ...relations.map(({ field }) => `${words(field)}'s`), words(column.field)].join(' ')
}

/** `In review.`: a value of a choice or state. */
export const aboutValue = (value: string): string => `${capitalised(value.toLowerCase().replaceAll('_', ' '))}.`

const sentence = (about: string): string => (/[.!?]$/.test(about.trim()) ? about.trim() : `${about.trim()}.`)
