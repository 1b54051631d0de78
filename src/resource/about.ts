// What clients are told that a thing is, the same on both faces: in the words of its author, otherwise in a sentence that is made
// of the definition. Nothing here is a promise. (contract 4.15.1)

import { orderOf } from './field/choice.ts'
import type { SpecBase } from './field/field.ts'
import { aboutOf } from './field/registry.ts'
import type {
  AcceptedList,
  ActionModel,
  EventModel,
  FilterModel,
  LinkRelation,
  Model,
  QueryModel,
  ResourceModel,
  ValuePath,
} from './model/model.ts'
import type { QueryArgument } from './model/scope.ts'
import { capitalised, words } from './naming/casing.ts'
import { a } from './naming/indefinite-article.ts'

/** What a search looks into, and how it is written. */
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

/** A field of a record, `id` and the like among them, or an argument that an action accepts. */
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

/** A part of an object inside a record. */
export const aboutPart = (part: string, { about }: SpecBase): string =>
  about === undefined ? `The ${words(part)}.` : sentence(about)

/** `Create a post.`; `many` where it is about several records or none in particular. */
export function aboutAction({ name, kind, resource, about }: ActionModel, many = kind === 'collection'): string {
  if (about !== undefined) return sentence(about)
  const verb = kind === 'update' ? 'Change' : capitalised(words(name))
  return `${verb} ${many ? words(resource.plural) : a(words(resource.name))}.`
}

/** A child in the input of an update: one that is there, or a new one. */
export const aboutElement = (child: string, parent: string): string =>
  `${capitalised(a(words(child)))} that the ${words(parent)} shall have: with its id one that is there, without a new one.`
export const aboutElementId = (child: string): string => `The id of the ${words(child)} that stays, or is changed.`

/** What an input takes for a list. */
export function aboutList(
  { field, relation: { kind, target } }: AcceptedList,
  { name, resource }: ActionModel,
): string {
  const about = resource.fields.get(field)?.spec.about
  const own = about === undefined ? '' : `${sentence(about)} `
  if (kind === 'many' && name === 'update') {
    const stay = 'Those with an id stay, and are changed where more is sent; others are made.'
    return `${own}The ${words(target.plural)} that the ${words(resource.name)} shall have. ${stay} No others that you may read stay; left out, all stay.`
  }
  if (kind === 'many') return `${own}The ${words(target.plural)} that are made with the ${words(resource.name)}.`
  const others = name === 'create' ? '' : ' No others that you may read stay; left out, all stay.'
  return `${own}The ids of the ${words(target.plural)} that the ${words(resource.name)} is linked with.${others}`
}

/** What the ids of links tell. */
export function aboutLinks({ field, target }: LinkRelation, resource: ResourceModel): string {
  const about = resource.fields.get(field)?.spec.about
  const own = about === undefined ? '' : `${sentence(about)} `
  return `${own}The ids of the ${words(target.plural)} that it is linked with and you may read, in their order; left out where they are too many.`
}

/** What `can` tells of a record. */
export const aboutCan = ({ name }: ResourceModel): string => `What whoever asks may do with the ${words(name)} now.`

/** Whether one action would begin. */
export const aboutMayBegin = ({ name, resource }: ActionModel): string =>
  `Whether whoever asks may ${words(name)} the ${words(resource.name)} now: by rule, credential and state, whatever they send.`

/** Which records a list holds that has a name of its own; `scope` is what its definition compares. */
export const aboutQuery = ({ about }: QueryModel, scope: string): string =>
  about === undefined ? `Only where ${scope}.` : sentence(about)

export const aboutArgument = ({ name }: QueryModel, { spec, initial }: QueryArgument): string =>
  spec.about === undefined
    ? `What ${name} is asked with${initial === null ? '; where it is left out, nothing is asked of it' : ''}.`
    : sentence(spec.about)

/** `Posts, each when it is created.`: by the actions that emit it. */
export function aboutEvent({ name, resource, about, changed }: EventModel, { resources }: Model): string {
  if (about !== undefined) return sentence(about)
  const actions = resources.flatMap((each) => [...each.actions.values()])
  const emitters = actions.filter(({ emit }) => emit?.name === name).map((each) => words(each.name))
  const where = changed.length === 0 ? '' : ` that changes ${changed.map(({ field }) => words(field)).join(' or ')}`
  return `${capitalised(a(words(resource.name)))} at each ${emitters.join(' or ')}${where}, to whoever may read it.`
}

/** Which records a filter leaves; `field` is what the face calls its field. */
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

/** `In review.`: one of the values of a choice or a state. */
export const aboutValue = (value: string): string => `${capitalised(value.toLowerCase().replaceAll('_', ' '))}.`

/** What stands before other sentences ends as they do. */
const sentence = (about: string): string => (/[.!?]$/.test(about.trim()) ? about.trim() : `${about.trim()}.`)
