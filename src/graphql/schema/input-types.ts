// The GraphQL types of what clients send: inputs of actions, filters and orders of lists.

import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfigArgumentMap,
  GraphQLID,
  type GraphQLInputFieldConfig,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql'
import { keyedField } from '../../action/keyed-reference.ts'
import { conditionMax } from '../../action/write-selection.ts'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { Limits } from '../../limits.ts'
import { type SortKey, sortKey } from '../../read-plan/selection.ts'
import {
  aboutAction,
  aboutArgument,
  aboutElement,
  aboutElementId,
  aboutField,
  aboutFilter,
  aboutList,
  aboutSearch,
  pathWords,
} from '../../resource/about.ts'
import { writeValue } from '../../resource/field/registry.ts'
import type { Column, KeyModel } from '../../resource/model/column.ts'
import { ownColumns } from '../../resource/model/key.ts'
import type { Accepted, ActionModel, QueryModel, ResourceModel, SortModel } from '../../resource/model/model.ts'
import {
  type AcceptedChildren,
  childCreate,
  childUpdate,
  isChildren,
  replacesChildren,
} from '../../resource/model/nested.ts'
import { referenceSentence } from '../../resource/model/reference-sentence.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import { capitalised, constant, uncapitalised, words } from '../../resource/naming/casing.ts'
import { a } from '../../resource/naming/indefinite-article.ts'
import { leaving } from './deprecation.ts'
import { meaning } from './meaning.ts'
import { described } from './rule-description.ts'
import { needed, partType, type ValueTypes } from './value-types.ts'
import { WhereTypes } from './where-types.ts'

/** What a value of a sort enum stands for. */
export interface SortChoice extends SortKey {
  readonly name: string
  readonly sort: SortModel
}

/** How many records one write takes. */
export type InputLimits = Pick<Limits, 'batch' | 'recordsPerWrite'>

export class InputTypes {
  /** What writes of many answer. */
  readonly bulkResult: GraphQLObjectType = makeBulkResult()
  readonly #limits: InputLimits
  readonly #values: ValueTypes
  readonly #vocabulary: Vocabulary
  readonly #actions = new Map<ActionModel, GraphQLInputObjectType>()
  /** Children in inputs, by the names of their types: a new one is alike in a new record and in one that is there. */
  readonly #children = new Map<string, GraphQLInputObjectType>()
  readonly #references = new Map<ResourceModel, GraphQLInputObjectType>()
  readonly #conditions: WhereTypes
  readonly #whereArguments = new Map<ResourceModel, GraphQLFieldConfigArgumentMap>()
  readonly #narrowing = new Map<ResourceModel, GraphQLFieldConfigArgumentMap>()

  constructor(values: ValueTypes, vocabulary: Vocabulary, limits: InputLimits) {
    this.#limits = limits
    this.#values = values
    this.#vocabulary = vocabulary
    this.#conditions = new WhereTypes(values, vocabulary)
  }

  /** `CreatePostInput`, `UpdatePostInput`, `RejectArticleInput`; null where the action takes none. */
  ofAction(action: ActionModel): GraphQLInputObjectType | null {
    if (action.accept.length + action.lists.length + action.mayFollow.length === 0) return null
    return getOrInsert(this.#actions, action, () => this.#ofAction(action))
  }

  /** `CreatePostsInput`: `{ posts: [CreatePostInput!]! }`. */
  createMany(action: ActionModel): GraphQLInputObjectType {
    const { plural } = action.resource
    const each = new GraphQLNonNull(this.ofAction(action)!)
    const type = new GraphQLNonNull(new GraphQLList(each))
    return new GraphQLInputObjectType({
      name: `Create${capitalised(plural)}Input`,
      description: aboutInput(action, true),
      fields: { [plural]: { type, description: `The new ${words(plural)}.` } },
    })
  }

  /** `UpdatePostsInput`: `{ ids: [ID!]!, set: UpdatePostInput! }`. */
  updateMany(action: ActionModel): GraphQLInputObjectType {
    return new GraphQLInputObjectType({
      name: `Update${capitalised(action.resource.plural)}Input`,
      description: aboutInput(action, true),
      fields: {
        ids: {
          type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLID))),
          description: `The ids of the ${words(action.resource.plural)}.`,
        },
        set: { type: new GraphQLNonNull(this.ofAction(action)!), description: 'What changes, alike in each.' },
      },
    })
  }

  /** `DeletePostsInput`: `{ ids | where | whereText, dryRun }`, with `set` where the action takes something. */
  bulk(action: ActionModel, name: string): GraphQLInputObjectType {
    const { resource, kind } = action
    const all = words(resource.plural)
    const ids = {
      type: new GraphQLList(new GraphQLNonNull(GraphQLID)),
      description: `Their ids, in place of where; ${this.#limits.batch} at most.`,
    }
    const input = this.ofAction(action)
    const isNeeded = kind === 'update' || action.accept.some(({ initial }) => initial === undefined)
    const description = kind === 'update' ? 'What changes, alike in each.' : 'What it takes, alike for each.'
    const set = input === null ? {} : { set: { type: needed(input, isNeeded), description } }
    return new GraphQLInputObjectType({
      name,
      description: `Which ${all} are meant: by ${kind === 'update' ? '' : 'ids or '}a condition, which asks about those that you may read and may hold for ${conditionMax([action], this.#limits)} at most.`,
      fields: {
        ...(kind === 'update' ? {} : { ids }),
        ...this.#where(resource),
        ...set,
        dryRun: { type: GraphQLBoolean, description: 'True: everything is checked, and nothing is stored.' },
      },
    })
  }

  /** The values of a key, by the names of its fields. */
  keyArguments(resource: ResourceModel, { columns }: KeyModel): GraphQLFieldConfigArgumentMap {
    return Object.fromEntries(
      columns.map((column) => [this.#vocabulary.name(resource, column.field), this.#named(column, resource, true)]),
    )
  }

  /** `CustomerKey`, one key of a record, and `UpsertCustomerInput`: what create or update take of the rest. */
  ofUpsert(resource: ResourceModel): { readonly by: GraphQLInputObjectType; readonly input: GraphQLInputObjectType } {
    const { name, keys } = resource
    const columns = new Set(keys.flatMap((key) => key.columns))
    const byKey = [...columns].map((column) => [
      this.#vocabulary.name(resource, column.field),
      this.#named(column, resource, keys.length === 1),
    ])
    const by = new GraphQLInputObjectType({
      name: `${name}Key`,
      description: `What names ${a(words(name))}${keys.length === 1 ? '' : ': the fields of one key'}.`,
      fields: Object.fromEntries(byKey),
    })
    return { by, input: this.#ofUpsert(resource, columns) }
  }

  /** `CustomerReference`: one key of a record that another one names; its tenant is that of the other. */
  #reference(resource: ResourceModel): GraphQLInputObjectType {
    return getOrInsert(this.#references, resource, () => {
      const { name, keys } = resource
      const columns = new Set(keys.flatMap(ownColumns))
      const fields = [...columns].map((column) => [
        this.#vocabulary.name(resource, column.field),
        this.#named(column, resource, keys.length === 1),
      ])
      const description = `${capitalised(a(words(name)))} that is named by a key.`
      return new GraphQLInputObjectType({ name: `${name}Reference`, description, fields: Object.fromEntries(fields) })
    })
  }

  #named({ field, spec }: Column, resource: ResourceModel, isNeeded: boolean) {
    const type = needed(this.#values.input(spec, partType(resource.name, field)), isNeeded)
    return { type, description: aboutField(field, spec, resource) }
  }

  #ofUpsert(resource: ResourceModel, named: ReadonlySet<Column>): GraphQLInputObjectType {
    const [create, update] = ['create', 'update'].map((name) => resource.actions.get(name)!) as [
      ActionModel,
      ActionModel,
    ]
    const accepted = new Map([...update.accept, ...create.accept].map((each) => [each.field, each]))
    const isNeeded = ({ field, column, initial }: Accepted) =>
      initial === undefined && !named.has(column!) && update.accept.some((each) => each.field === field)
    const fields = (): GraphQLInputFieldConfigMap =>
      Object.fromEntries([
        ...[...accepted.values()].flatMap((each) =>
          this.#accepted(create, { ...each, initial: isNeeded(each) ? undefined : () => null }),
        ),
        ...this.#listsOfBoth(create, update, resource.name),
      ])
    const description = `Input of: create or replace ${a(words(resource.name))}.`
    return new GraphQLInputObjectType({ name: `Upsert${resource.name}Input`, description, fields })
  }

  /** The arguments `filter`, `where`, `search` and `sort` of every list of this resource. */
  narrowing(resource: ResourceModel): GraphQLFieldConfigArgumentMap {
    return getOrInsert(this.#narrowing, resource, () => {
      const type = new GraphQLList(new GraphQLNonNull(makeSort(resource, this.#vocabulary)))
      const sort = { sort: { type, description: 'The order; of what is alike by the first, by the next.' } }
      const filter =
        resource.filters.size === 0
          ? {}
          : { filter: { type: this.#filter(resource), description: 'Which of them; all conditions hold.' } }
      return { ...filter, ...this.#where(resource), ...this.#search(resource), ...sort }
    })
  }

  /** The same without `sort`. */
  filtering(resource: ResourceModel): GraphQLFieldConfigArgumentMap {
    const { sort, ...others } = this.narrowing(resource)
    return others
  }

  /** The arguments of a query, beside those of every list. */
  ofQuery(query: QueryModel | undefined): GraphQLFieldConfigArgumentMap {
    const args = query?.args.map((argument) => {
      const { name, spec, initial } = argument
      const description = aboutArgument(query, argument)
      const type = this.#values.input(spec, partType(`${query.resource.name}${capitalised(query.name)}`, name))
      const usual = initial === undefined || initial === null ? {} : { default: { value: writeValue(spec, initial) } }
      return [
        this.#vocabulary.part(name, spec),
        { type: needed(type, initial === undefined), description, ...usual },
      ] as const
    })
    return args === undefined ? {} : Object.fromEntries(args)
  }

  /** The lists that an action accepts. Children have an input type of their own, for what their parent says is not sent. */
  #lists(action: ActionModel, title: string, lists = action.lists): [string, GraphQLInputFieldConfig][] {
    return lists.map((list) => {
      const name = this.#vocabulary.list(action.resource, list.relation)
      const description = aboutList(list, action)
      if (!isChildren(list)) return [name, { type: new GraphQLList(new GraphQLNonNull(GraphQLID)), description }]
      const child = childCreate(action, list)
      const childTitle = `${child.resource.name}In${title}`
      const type = replacesChildren(action)
        ? getOrInsert(this.#children, `Upsert${childTitle}`, () => this.#ofElement(action, list, childTitle))
        : getOrInsert(this.#children, `Create${childTitle}`, () => this.#ofAction(child, childTitle))
      return [name, { type: new GraphQLList(new GraphQLNonNull(type)), description }]
    })
  }

  /** Those of a record that is created, or updated, whichever: of a list that both accept what update takes is more. */
  #listsOfBoth(create: ActionModel, update: ActionModel, title: string): [string, GraphQLInputFieldConfig][] {
    const onlyCreated = create.lists.filter(({ field }) => update.lists.every((each) => each.field !== field))
    return [...this.#lists(create, title, onlyCreated), ...this.#lists(update, title)]
  }

  /** A child in the input of an update: with its id one that is there, without a new one. */
  #ofElement(parent: ActionModel, list: AcceptedChildren, title: string): GraphQLInputObjectType {
    const create = childCreate(parent, list)
    const update = childUpdate(parent, list)
    const accepted = new Map([...(update?.accept ?? []), ...create.accept].map((each) => [each.field, each]))
    const description = aboutElementId(create.resource.name)
    const fields = (): GraphQLInputFieldConfigMap => ({
      id: { type: GraphQLID, description },
      ...Object.fromEntries(
        [...accepted.values()].flatMap((each) => this.#accepted(create, { ...each, initial: () => null })),
      ),
      ...Object.fromEntries(update === null ? this.#lists(create, title) : this.#listsOfBoth(create, update, title)),
    })
    return new GraphQLInputObjectType({
      name: `Upsert${title}Input`,
      description: aboutElement(create.resource.name, parent.resource.name),
      fields,
    })
  }

  #ofAction(action: ActionModel, title: string = action.resource.name): GraphQLInputObjectType {
    const fields = (): GraphQLInputFieldConfigMap => ({
      ...Object.fromEntries(action.accept.flatMap((each) => this.#accepted(action, each))),
      ...Object.fromEntries(this.#lists(action, title)),
      ...Object.fromEntries(
        action.mayFollow.map((move) => [
          this.#vocabulary.part(move.name, { kind: 'boolean' }),
          { type: GraphQLBoolean, description: `True: ${words(move.name)} it at once.` },
        ]),
      ),
    })
    const name = `${capitalised(action.name)}${title}Input`
    return new GraphQLInputObjectType({ name, description: aboutInput(action), fields })
  }

  // No defaults here: what a client did not mention must stay unmentioned, for rules about single fields.
  #accepted(action: ActionModel, accepted: Accepted): [string, GraphQLInputFieldConfig][] {
    const { resource } = action
    const name = this.#vocabulary.name(resource, accepted.field)
    const keyed = keyedField(action, accepted, this.#vocabulary)
    if (keyed === null) return [[name, this.#ofValue(action, accepted)]]
    const { spec } = accepted
    const description = `The same by a key. Not together with ${name}${accepted.initial === undefined && action.kind !== 'update' ? '; one of them is needed' : ''}.`
    return [
      [name, this.#ofValue(action, { ...accepted, initial: () => null })],
      [keyed.name, leaving({ type: this.#reference(keyed.target), description }, spec.deprecated)],
    ]
  }

  #ofValue({ kind, resource }: ActionModel, { spec, field, initial }: Accepted): GraphQLInputFieldConfig {
    const type = this.#values.input(spec, partType(resource.name, field))
    const rule = resource.protect.get(field)?.write
    const sentence = referenceSentence(resource, field, (_, each) => each)
    const about = described(aboutField(field, spec, resource), rule, resource)
    const description = sentence === '' ? about : `${about} ${sentence}`
    return leaving({ type: needed(type, initial === undefined && kind !== 'update'), description }, spec.deprecated)
  }

  #search(resource: ResourceModel): GraphQLFieldConfigArgumentMap {
    if (resource.search === null) return {}
    const description = aboutSearch(resource, (of, field) => this.#vocabulary.name(of, field))
    return { search: { type: GraphQLString, description } }
  }

  #where(resource: ResourceModel): GraphQLFieldConfigArgumentMap {
    return getOrInsert(this.#whereArguments, resource, () => this.#makeWhere(resource))
  }

  #makeWhere({ name, where }: ResourceModel): GraphQLFieldConfigArgumentMap {
    if (where === null) return {}
    const text =
      'The same as text, such as a stored view: `status = "open" AND created_at > now - 7d`. Names are those of the current REST version. Not together with where.'
    return {
      where: { type: this.#conditions.ofBranch(where, `${name}Where`), description: 'Which of them, by conditions.' },
      whereText: { type: GraphQLString, description: text },
    }
  }

  #filter(resource: ResourceModel): GraphQLInputObjectType {
    const fields = () =>
      Object.fromEntries(
        [...resource.filters.values()].map((filter) => {
          const { name, column, value, deprecated } = filter
          const rule = resource.protect.get(column.field)?.filter
          const description = described(aboutFilter(filter, column.field), rule, resource)
          const type = this.#values.input(value, partType(resource.name, column.field))
          return [this.#vocabulary.filter(resource, name), leaving({ type, description }, deprecated)]
        }),
      )
    const description = `Which ${words(resource.plural)}.`
    return new GraphQLInputObjectType({ name: `${resource.name}Filter`, description, fields })
  }
}

const makeBulkResult = (): GraphQLObjectType =>
  new GraphQLObjectType({
    name: 'BulkResult',
    description: 'What came of a write of many records.',
    fields: {
      count: {
        type: new GraphQLNonNull(GraphQLInt),
        description: 'How many were written; in a dry run, how many would have been.',
        ...meaning({ is: 'count' }),
      },
    },
  })

/** What this action takes. */
const aboutInput = (action: ActionModel, many?: boolean): string =>
  `Input of: ${uncapitalised(aboutAction({ ...action, about: undefined }, many))}`

function makeSort(resource: ResourceModel, vocabulary: Vocabulary): GraphQLEnumType {
  const values = [...resource.sorts.values()].flatMap((sort) =>
    [false, true].map((descending) => {
      const names = vocabulary.path(resource, sort).split('.')
      const name = `${names.map(constant).join('_')}_${descending ? 'DESC' : 'ASC'}`
      const value: SortChoice = { ...sortKey(sort, descending), name, sort }
      const description = `By ${pathWords(sort)}, ${descending ? 'descending' : 'ascending'}.`
      return [name, leaving({ value, description }, value.column.spec.deprecated)] as const
    }),
  )
  const description = `What ${words(resource.plural)} can be sorted by.`
  return new GraphQLEnumType({ name: `${resource.name}Sort`, description, values: Object.fromEntries(values) })
}
