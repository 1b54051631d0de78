// Input types of the schema: of actions, their children, keys and references.

import {
  GraphQLBoolean,
  type GraphQLFieldConfigArgumentMap,
  GraphQLID,
  type GraphQLInputFieldConfig,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableInputType,
  GraphQLObjectType,
} from 'graphql'
import { sentName } from '../../action/input/either-input.ts'
import { type KeyedField, keyedField, keyedList } from '../../action/input/keyed-reference.ts'
import { where } from '../../action/question/parameter/where.ts'
import { conditionMax } from '../../action/question/write-selection.ts'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { Limits } from '../../limits.ts'
import {
  aboutAction,
  aboutElement,
  aboutElementId,
  aboutField,
  aboutKeyedList,
  aboutList,
  aboutOwnTenant,
} from '../../resource/about.ts'
import type { Column, KeyModel } from '../../resource/model/column.ts'
import { ownColumns } from '../../resource/model/key.ts'
import type { Accepted, ActionModel, ResourceModel } from '../../resource/model/model.ts'
import {
  type AcceptedChildren,
  childCreate,
  childUpdate,
  isChildren,
  replacesChildren,
} from '../../resource/model/nested.ts'
import { linkSentence, referenceSentence } from '../../resource/model/rule/rule-sentence.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import { capitalised, uncapitalised, words } from '../../resource/naming/casing.ts'
import { a } from '../../resource/naming/indefinite-article.ts'
import type { ArgumentTypes } from './argument-types.ts'
import { leaving } from './deprecation.ts'
import { makeField } from './meaning.ts'
import { described } from './rule-description.ts'
import { neededByAnyName, nowCalled, type SchemaNames } from './schema-names.ts'
import { needed, partType, type ValueTypes } from './value-types.ts'

export type InputLimits = Pick<Limits, 'batch' | 'recordsPerWrite'>

export class InputTypes {
  readonly bulkResult: GraphQLObjectType = makeBulkResult()
  readonly #limits: InputLimits
  readonly #values: ValueTypes
  readonly #names: SchemaNames
  readonly #arguments: ArgumentTypes
  readonly #actions = new Map<ActionModel, GraphQLInputObjectType>()
  /** A new child has the same type in create and update. */
  readonly #children = new Map<string, GraphQLInputObjectType>()
  readonly #keys = new Map<ResourceModel, GraphQLInputObjectType>()
  readonly #references = new Map<ResourceModel, GraphQLInputObjectType>()

  constructor(values: ValueTypes, names: SchemaNames, args: ArgumentTypes, limits: InputLimits) {
    this.#limits = limits
    this.#values = values
    this.#names = names
    this.#arguments = args
  }

  /** `CreatePostInput`, `UpdatePostInput`, `RejectArticleInput`; null without input. */
  ofAction(action: ActionModel): GraphQLInputObjectType | null {
    if (action.sent.length + action.lists.length + action.mayFollow.length === 0) return null
    return getOrInsert(this.#actions, action, () => this.#ofAction(action))
  }

  /** `CreatePostsInput`: `{ posts: [CreatePostInput!]! }`. */
  createMany(action: ActionModel): GraphQLInputObjectType {
    const { plural } = action.resource.graphql
    const each = new GraphQLNonNull(this.ofAction(action)!)
    const type = new GraphQLNonNull(new GraphQLList(each))
    return new GraphQLInputObjectType({
      name: `Create${capitalised(plural)}Input`,
      description: aboutInput(action, true),
      fields: { [plural]: { type, description: `The new ${words(action.resource.plural)}.` } },
    })
  }

  /** `UpdatePostsInput`: `{ ids: [ID!]!, set: UpdatePostInput! }`. */
  updateMany(action: ActionModel): GraphQLInputObjectType {
    return new GraphQLInputObjectType({
      name: `Update${capitalised(action.resource.graphql.plural)}Input`,
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

  /** `DeletePostsInput`: `{ ids | where | whereText, dryRun }`, with `set` if the action has input. */
  bulk(action: ActionModel, name: string): GraphQLInputObjectType {
    const { resource, kind } = action
    const all = words(resource.plural)
    const ids = {
      type: new GraphQLList(new GraphQLNonNull(GraphQLID)),
      description: `Their ids, in place of where; ${this.#limits.batch} at most.`,
    }
    const input = this.ofAction(action)
    const isNeeded = kind === 'update' || action.sent.some(({ initial }) => initial === undefined)
    const description = kind === 'update' ? 'What changes, alike in each.' : 'What it takes, alike for each.'
    const set = input === null ? {} : { set: { type: needed(input, isNeeded), description } }
    return new GraphQLInputObjectType({
      name,
      description: `Selects ${all}: by ${kind === 'update' ? '' : 'ids or '}a condition, which covers those that you may read and may match ${conditionMax([action], this.#limits)} at most.`,
      fields: {
        ...(kind === 'update' ? {} : { ids }),
        ...this.#arguments.of([where], { resource }),
        ...set,
        dryRun: { type: GraphQLBoolean, description: 'True: everything is checked, and nothing is stored.' },
      },
    })
  }

  keyArguments(
    resource: ResourceModel,
    { columns }: KeyModel,
    names: Vocabulary | null,
  ): GraphQLFieldConfigArgumentMap {
    if (names === null) return this.#keyFields(columns, resource, true)
    const { current } = this.#names
    const parts = columns.map((column) => {
      const part = this.#named(column, resource, names, !isTenantOfKey(column, resource))
      return [names.name(resource, column.field), nowCalled(part, current.name(resource, column.field))]
    })
    return Object.fromEntries(parts)
  }

  /** `CustomerKey`, exactly one key, and `UpsertCustomerInput`: the other fields of create and update. */
  ofUpsert(resource: ResourceModel): { readonly by: GraphQLInputObjectType; readonly input: GraphQLInputObjectType } {
    const columns = new Set(resource.keys.flatMap((key) => key.columns))
    return { by: this.key(resource), input: this.#ofUpsert(resource, columns) }
  }

  /** `CustomerKey`, exactly one key. */
  key(resource: ResourceModel): GraphQLInputObjectType {
    const { name, keys, graphql } = resource
    return getOrInsert(
      this.#keys,
      resource,
      () =>
        new GraphQLInputObjectType({
          name: `${graphql.name}Key`,
          description: `What names ${a(words(name))}${keys.length === 1 ? '' : ': the fields of one key'}.`,
          fields: this.#keyFields(new Set(keys.flatMap((key) => key.columns)), resource, keys.length === 1),
        }),
    )
  }

  /** `UpsertCustomersInput`: `{ customers: [CustomerUpsert!]! }`, each with its key and input. */
  upsertMany(
    { name, plural, graphql }: ResourceModel,
    by: GraphQLInputObjectType,
    input: GraphQLInputObjectType,
  ): GraphQLInputObjectType {
    const each = new GraphQLInputObjectType({
      name: `${graphql.name}Upsert`,
      description: `${capitalised(a(words(name)))} to create or replace.`,
      fields: {
        by: { type: new GraphQLNonNull(by), description: 'The key of the record, the same for all.' },
        input: { type: new GraphQLNonNull(input), description: 'The input; the fields of the key can be left out.' },
      },
    })
    const type = new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(each)))
    return new GraphQLInputObjectType({
      name: `Upsert${capitalised(graphql.plural)}Input`,
      description: `Input to create or replace ${words(plural)}, all or none.`,
      fields: { [graphql.plural]: { type, description: `The ${words(plural)}, ${this.#limits.batch} at most.` } },
    })
  }

  /** `CustomerReference`: one key of a referenced record, in the tenant of the referring one. */
  #reference(resource: ResourceModel): GraphQLInputObjectType {
    return getOrInsert(this.#references, resource, () => {
      const { name, keys, graphql } = resource
      const fields = this.#keyFields(new Set(keys.flatMap(ownColumns)), resource, keys.length === 1)
      const description = `${capitalised(a(words(name)))} that is named by a key.`
      return new GraphQLInputObjectType({ name: `${graphql.name}Reference`, description, fields })
    })
  }

  #keyFields(columns: Iterable<Column>, resource: ResourceModel, isNeeded: boolean) {
    return this.#names.parts(
      columns,
      ({ field }, names) => names.name(resource, field),
      (column, names) => {
        const isRenamed = this.#names.isRenamed((each) => each.name(resource, column.field))
        const isTenant = isTenantOfKey(column, resource)
        const part = this.#named(column, resource, names, isNeeded && !isRenamed && !isTenant)
        return isNeeded && isRenamed && !isTenant && names === this.#names.current
          ? { ...part, ...neededByAnyName }
          : part
      },
    )
  }

  #named({ field, spec }: Column, resource: ResourceModel, names: Vocabulary, isNeeded: boolean) {
    const type = needed(
      this.#values.input(spec, partType(resource.graphql.name, names.relation(resource, field))),
      isNeeded,
    )
    const ofTenant = isTenantOfKey({ field }, resource) ? ` ${aboutOwnTenant}` : ''
    const part = { type, description: aboutField(field, spec, resource) + ofTenant }
    // GraphQL deprecates nothing that must be sent.
    return isNeeded ? part : leaving(part, spec.deprecated)
  }

  #ofUpsert(resource: ResourceModel, named: ReadonlySet<Column>): GraphQLInputObjectType {
    const [create, update] = ['create', 'update'].map((name) => resource.actions.get(name)!) as [
      ActionModel,
      ActionModel,
    ]
    const accepted = new Map([...update.sent, ...create.sent].map((each) => [each.field, each]))
    const isNeeded = ({ field, column, initial }: Accepted) =>
      initial === undefined && !named.has(column!) && update.sent.some((each) => each.field === field)
    const fields = (): GraphQLInputFieldConfigMap => ({
      ...this.#accepted(
        create,
        [...accepted.values()].map((each) => ({ ...each, initial: isNeeded(each) ? undefined : () => null })),
      ),
      ...Object.fromEntries(this.#listsOfBoth(create, update, resource.graphql.name)),
    })
    const description = `Input to create or replace ${a(words(resource.name))}.`
    return new GraphQLInputObjectType({ name: `Upsert${resource.graphql.name}Input`, description, fields })
  }

  /** Children have their own input type, without the fields that their parent determines. */
  #lists(action: ActionModel, title: string, lists = action.lists): [string, GraphQLInputFieldConfig][] {
    return lists.flatMap((list): [string, GraphQLInputFieldConfig][] => {
      const name = this.#names.current.list(action.resource, list.relation)
      const description = aboutList(list, action) + linkSentence(list, (_, each) => each)
      const byKey = keyedList(action, list, this.#names.current)
      const isNeeded = list.min > 0 && byKey === null && !replacesChildren(action)
      const of = (type: GraphQLNullableInputType) => needed(new GraphQLList(new GraphQLNonNull(type)), isNeeded)
      if (!isChildren(list)) {
        const ids: [string, GraphQLInputFieldConfig] = [name, { type: of(GraphQLID), description }]
        if (byKey === null) return [ids]
        return [ids, [byKey.name, { type: of(this.#reference(byKey.target)), description: aboutKeyedList(name) }]]
      }
      const child = childCreate(action, list)
      const childTitle = `${child.resource.graphql.name}In${title}`
      const type = replacesChildren(action)
        ? getOrInsert(this.#children, `Upsert${childTitle}`, () => this.#ofElement(action, list, childTitle))
        : getOrInsert(this.#children, `Create${childTitle}`, () => this.#ofAction(child, childTitle))
      return [[name, { type: of(type), description }]]
    })
  }

  /** The type of update includes that of create. */
  #listsOfBoth(create: ActionModel, update: ActionModel, title: string): [string, GraphQLInputFieldConfig][] {
    const onlyCreated = create.lists.filter(({ field }) => update.lists.every((each) => each.field !== field))
    return [...this.#lists(create, title, onlyCreated), ...this.#lists(update, title)]
  }

  /** Existing with `id`, otherwise new. */
  #ofElement(parent: ActionModel, list: AcceptedChildren, title: string): GraphQLInputObjectType {
    const create = childCreate(parent, list)
    const update = childUpdate(parent, list)
    const accepted = new Map([...(update?.sent ?? []), ...create.sent].map((each) => [each.field, each]))
    const description = aboutElementId(create.resource.name)
    const fields = (): GraphQLInputFieldConfigMap => ({
      id: { type: GraphQLID, description },
      ...this.#accepted(
        create,
        [...accepted.values()].map((each) => ({ ...each, initial: () => null })),
      ),
      ...Object.fromEntries(update === null ? this.#lists(create, title) : this.#listsOfBoth(create, update, title)),
    })
    return new GraphQLInputObjectType({
      name: `Upsert${title}Input`,
      description: aboutElement(create.resource.name, parent.resource.name),
      fields,
    })
  }

  #ofAction(action: ActionModel, title: string = action.resource.graphql.name): GraphQLInputObjectType {
    const fields = (): GraphQLInputFieldConfigMap => ({
      ...this.#accepted(action, action.sent),
      ...Object.fromEntries(this.#lists(action, title)),
      ...Object.fromEntries(
        action.mayFollow.map((move) => [
          this.#names.current.part(move.name, { kind: 'boolean' }),
          { type: GraphQLBoolean, description: `True: ${words(move.name)} it at once.` },
        ]),
      ),
    })
    const name = `${capitalised(action.name)}${title}Input`
    return new GraphQLInputObjectType({ name, description: aboutInput(action), fields })
  }

  // No defaults: rules about single fields must see what was sent.
  #accepted(action: ActionModel, all: readonly Accepted[]): GraphQLInputFieldConfigMap {
    const { resource } = action
    const keyed = new Map(
      all.flatMap((each) => {
        const field = keyedField(action, each, this.#names.current)
        return field === null ? [] : [[each, field] as const]
      }),
    )
    const ways = all.flatMap((accepted) => [
      { accepted, isKey: false },
      ...(keyed.has(accepted) ? [{ accepted, isKey: true }] : []),
    ])
    return this.#names.parts(
      ways,
      ({ accepted, isKey }, names) =>
        isKey ? names.record(resource, accepted.field) : sentName(resource, accepted, names),
      ({ accepted, isKey }, names): GraphQLInputFieldConfig => {
        if (isKey) return this.#byKey(action, keyed.get(accepted)!, names)
        const isRenamed = this.#names.isRenamed((each) => each.name(resource, accepted.field))
        const isOneOfSeveral = isRenamed || keyed.has(accepted)
        return this.#ofValue(action, isOneOfSeveral ? { ...accepted, initial: () => null } : accepted, names)
      },
    )
  }

  #byKey({ kind, resource }: ActionModel, { accepted, target, keys }: KeyedField, names: Vocabulary) {
    const { field, spec, initial } = accepted
    const isNeeded = initial === undefined && kind !== 'update'
    const description = `The same by a key. Not together with ${names.name(resource, field)}${isNeeded ? '; one of them is needed' : ''}.`
    const type = keys.some(({ named }) => named !== undefined) ? this.key(target) : this.#reference(target)
    return leaving({ type, description }, spec.deprecated)
  }

  #ofValue(
    { kind, resource }: ActionModel,
    { spec, field, initial }: Accepted,
    names: Vocabulary,
  ): GraphQLInputFieldConfig {
    const type = this.#values.input(spec, partType(resource.graphql.name, names.relation(resource, field)))
    const rule = resource.protect.get(field)?.write
    const sentence = referenceSentence(resource, field, (_, each) => each)
    const about = described(aboutField(field, spec, resource), rule, resource)
    const description = sentence === '' ? about : `${about} ${sentence}`
    return leaving({ type: needed(type, initial === undefined && kind !== 'update'), description }, spec.deprecated)
  }
}

const makeBulkResult = (): GraphQLObjectType =>
  new GraphQLObjectType({
    name: 'BulkResult',
    description: 'The result of a write of many records.',
    fields: {
      count: makeField(
        new GraphQLNonNull(GraphQLInt),
        'How many were written; in a dry run, how many would have been.',
        { is: 'count' },
      ),
    },
  })

const aboutInput = (action: ActionModel, many?: boolean): string =>
  `Input to ${uncapitalised(aboutAction({ ...action, about: undefined }, many))}`

/** What callers leave out who have no other tenant. (contract 11.2.32) */
const isTenantOfKey = ({ field }: Pick<Column, 'field'>, { keys }: ResourceModel): boolean =>
  keys.some(({ tenant }) => tenant?.field === field)
