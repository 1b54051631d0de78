// Makes random documents that are valid for a schema: fragments, aliases, directives, variables, merging, paging.

import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'
import type { Random } from './random.ts'

export interface MadeQuery {
  readonly text: string
  readonly variables: Readonly<Record<string, unknown>>
}
/** What random arguments are taken from. */
export interface Choices {
  ids(type: string): readonly string[]
  living(type: string): readonly string[]
  /** The ids of the comments of a post. */
  comments(post: string): readonly string[]
  /** A cursor of this list, or null where it is empty. */
  cursor(plural: string, narrowing: string): Promise<string | null>
}

export async function makeQuery(schema: GraphQLSchema, random: Random, choices: Choices): Promise<MadeQuery> {
  return new QueryMaker(schema, random, choices).make()
}

/** One to four mutations in a row, of those that the oracle knows, each with a selection of what it answers. */
export async function makeMutation(schema: GraphQLSchema, random: Random, choices: Choices): Promise<MadeQuery> {
  return new QueryMaker(schema, random, choices).makeMutation()
}

const knownMutation =
  /^(?:(?:create|update|delete)(Post|Comment|Article)|(?:create|update)(Post|Article)s|(?:publish|unpublish)(Post)|(?:delete|publish|unpublish)(Post)s|update(Post)sWhere|(?:submit|reject|publish|archive)(Article)|(?:follow|unfollow|update)(User))$/
const texts = ['alpha', 'Ünder', '日本', '😀 joy', 'a"b\\c']

/** Arguments with oracles of their own: test/service/where-agreement.test.ts, test/contract/12-search-agreement.test.ts. */
const elsewhere = ['where', 'whereText', 'search']
/** Whether it is an order by a value of the record itself; 12-sort.test.ts has an oracle for the others. */
const isOwnOrder = ({ name, value }: { readonly name: string; readonly value?: unknown }): boolean => {
  const { sort } = (value ?? {}) as { readonly sort?: { readonly relations?: readonly unknown[] } }
  return (sort?.relations ?? []).length === 0 && !name.startsWith('RELEVANCE_')
}

class QueryMaker {
  readonly #schema: GraphQLSchema
  readonly #random: Random
  readonly #choices: Choices
  readonly #declared: string[] = []
  readonly #variables: Record<string, unknown> = {}
  readonly #fragments: string[] = []
  #names = 0
  /** The record that the mutation is about. */
  #target = ''

  constructor(schema: GraphQLSchema, random: Random, choices: Choices) {
    this.#schema = schema
    this.#random = random
    this.#choices = choices
  }

  async make(): Promise<MadeQuery> {
    const body = await this.#object(this.#schema.getQueryType()!, 4)
    const declared = this.#declared.length === 0 ? '' : `(${this.#declared.join(', ')})`
    return { text: [`query Q${declared} ${body}`, ...this.#fragments].join('\n'), variables: this.#variables }
  }

  async makeMutation(): Promise<MadeQuery> {
    const type = this.#schema.getMutationType()!
    const all = Object.values(type.getFields()).filter(({ name }) => knownMutation.test(name))
    // What takes lists can do most, so it is asked more often.
    const fields = [...all, ...all.filter(({ name }) => /^(updatePost|updateUser|createPosts?)$/.test(name))]
    const parts: string[] = []
    for (let count = this.#random.one([1, 1, 2, 2, 3, 4]); count > 0; count--) {
      for (const part of await this.#field(type, this.#random.one(fields), 3, true))
        parts.push(this.#wrapped(part, type))
    }
    const declared = this.#declared.length === 0 ? '' : `(${this.#declared.join(', ')})`
    const text = [`mutation M${declared} { ${parts.join(' ')} }`, ...this.#fragments].join('\n')
    return { text, variables: this.#variables }
  }

  #name(prefix: string): string {
    return `${prefix}${this.#names++}`
  }

  async #below(type: GraphQLNamedType, depth: number): Promise<string> {
    if (!isCompositeType(type)) return ''
    if (!isAbstractType(type)) return ` ${await this.#object(type as GraphQLObjectType, depth)}`
    const parts = this.#random.chance(0.7) ? ['__typename'] : []
    if (type.name === 'Node' && this.#random.chance(0.7)) parts.push('id')
    for (const possible of this.#random.some(this.#schema.getPossibleTypes(type), 3))
      parts.push(`... on ${possible.name} ${await this.#object(possible, depth, true)}`)
    return ` { ${parts.join(' ')} }`
  }

  /** `named`: beside other types, whose fields of the same name may have another type. */
  async #object(type: GraphQLObjectType, depth: number, named = false): Promise<string> {
    const fields = Object.values(type.getFields()).filter(
      (field) =>
        !field.name.startsWith('__') &&
        !/Summary$/.test(field.name) &&
        (depth > 0 || !isCompositeType(getNamedType(field.type))),
    )
    const parts: string[] = []
    for (const field of this.#random.some(fields, type.name === 'Query' ? 3 : 4)) {
      parts.push(...(await this.#field(type, field, depth, named)))
    }
    if (this.#random.chance(0.15)) parts.push('__typename')
    return `{ ${parts.map((part) => this.#wrapped(part, type)).join(' ')} }`
  }

  /** One field, sometimes twice with different selections, which are merged. */
  async #field(
    type: GraphQLObjectType,
    field: GraphQLField<unknown, unknown>,
    depth: number,
    named: boolean,
  ): Promise<string[]> {
    const bare = field.args.every((each) => !isNonNullType(each.type)) && this.#random.chance(0.3)
    const args = bare ? '' : await this.#arguments(type, field)
    const isAliased = named || args !== '' || (!bare && field.args.length > 0) || this.#random.chance(0.2)
    const alias = isAliased ? `${this.#name('a')}: ` : ''
    const directive = this.#directive()
    const once = async () =>
      `${alias}${field.name}${args}${directive}${await this.#below(getNamedType(field.type), depth - 1)}`
    return this.#random.chance(0.15) ? [await once(), await once()] : [await once()]
  }

  #wrapped(part: string, type: GraphQLObjectType): string {
    if (this.#random.chance(0.1))
      return `... ${this.#random.chance(0.5) ? `on ${type.name} ` : ''}${this.#directive()} { ${part} }`
    if (!this.#random.chance(0.1)) return part
    const name = this.#name('F')
    this.#fragments.push(`fragment ${name} on ${type.name} { ${part} }`)
    return this.#random.chance(0.3) ? `...${name} ...${name}${this.#directive()}` : `...${name}${this.#directive()}`
  }

  #directive(): string {
    if (!this.#random.chance(0.12)) return ''
    const kind = this.#random.one(['skip', 'include'])
    const yes = this.#random.chance(0.5)
    return ` @${kind}(if: ${this.#random.chance(0.5) ? this.#variable('Boolean!', String(yes), yes) : yes})`
  }

  async #arguments(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>): Promise<string> {
    const args: string[] = []
    const isConnection = field.args.some((each) => each.name === 'first')
    for (const arg of field.args) {
      if (['first', 'last', 'after', 'before', ...elsewhere].includes(arg.name)) continue
      if (!isNonNullType(arg.type) && this.#random.chance(arg.name === 'filter' ? 0.6 : 0.4)) continue
      args.push(`${arg.name}: ${this.#argument(type, field, arg)}`)
    }
    if (isConnection) args.push(...(await this.#page(field, args)))
    return args.length === 0 ? '' : `(${args.join(', ')})`
  }

  async #page(field: GraphQLField<unknown, unknown>, narrowing: readonly string[]): Promise<string[]> {
    const sized = this.#random.one([null, 'first', 'last'])
    const args = sized === null ? [] : [`${sized}: ${this.#value('Int', 1 + this.#random.below(6))}`]
    if (!this.#random.chance(0.4)) return args
    const constant = narrowing.every((each) => !each.includes('$'))
    const cursor = constant ? await this.#choices.cursor(field.name, narrowing.join(', ')) : null
    if (cursor === null) return args
    const which =
      args.length === 0 || this.#random.chance(0.2)
        ? this.#random.one(['after', 'before'])
        : args[0]!.startsWith('first')
          ? 'after'
          : 'before'
    return [...args, `${which}: ${this.#value('String', cursor)}`]
  }

  #argument(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>, arg: GraphQLArgument): string {
    const of =
      type.name === 'Mutation'
        ? knownMutation
            .exec(field.name)!
            .slice(1)
            .find((each) => each !== undefined)!
        : ''
    if (of !== '') {
      if (arg.name === 'id') {
        this.#target = this.#random.one(this.#choices.ids(of))
        return this.#value('ID!', this.#target)
      }
      return this.#value(String(arg.type), this.#written(field.name, of), arg.type)
    }
    switch (arg.name) {
      case 'id': {
        const named = getNamedType(field.type).name
        const of =
          named === 'Node'
            ? this.#random.one(['User', 'Post', 'Comment', 'Order', 'Session', 'SecurityEvent'])
            : named.replace(/Result$/, '')
        return this.#value('ID!', this.#random.one(this.#choices.ids(of)))
      }
      case 'limit':
        return this.#random.chance(0.1) ? 'null' : this.#value('Int', 1 + this.#random.below(5))
      case 'offset':
        return this.#value('Int', this.#random.below(4))
      default:
        return this.#value(String(arg.type), this.#input(arg.type, `${type.name}.${arg.name}`), arg.type)
    }
  }

  /** The input of a mutation: mostly well formed. */
  #written(name: string, of: string): unknown {
    const isNew = name.startsWith('create')
    const some = (count: number) =>
      Array.from({ length: count }, () => ({ ...this.#fieldsOf(of, isNew), ...this.#listsOf(of, isNew) }))
    if (!/s(Where)?$/.test(name)) return { ...this.#fieldsOf(of, isNew), ...this.#listsOf(of, isNew) }
    const count = this.#random.below(4)
    if (/^(delete|publish|unpublish)|Where$/.test(name)) return this.#bulk(name, of)
    if (isNew) return { [`${of.toLowerCase()}s`]: some(count) }
    const ids = Array.from({ length: Math.max(1, count) }, () => this.#random.one(this.#choices.ids(of)))
    return { ids, set: this.#fieldsOf(of, false) }
  }

  /** Which records a mutation of many means, by a condition or by ids. */
  #bulk(name: string, of: string): unknown {
    const isWhere = name.endsWith('Where') || this.#random.chance(0.6)
    const ids = this.#random.some(this.#choices.ids(of), 3)
    const set = name.startsWith('update') ? { set: this.#fieldsOf(of, false) } : {}
    const dryRun = this.#random.chance(0.2) ? { dryRun: this.#random.chance(0.7) } : {}
    return { ...(isWhere ? { where: this.#where() } : { ids }), ...set, ...dryRun }
  }

  #where(): unknown {
    const tests = [
      { title: { eq: this.#random.one(texts) } },
      { tags: { has: this.#random.one(['one', 'two', 'three']) } },
      { authorId: { eq: this.#random.one(this.#choices.ids('User')) } },
    ]
    return Object.assign({}, ...this.#random.some(tests, 2))
  }

  /** The children and links that a record shall have: mostly some of those that it has, and new ones. */
  #listsOf(of: string, isNew: boolean): Readonly<Record<string, unknown>> {
    if (this.#random.chance(0.3)) return {}
    if (of === 'User' && !isNew) {
      const ids = [...new Set(this.#random.chance(0.8) ? this.#choices.living('User') : this.#choices.ids('User'))]
      return { followingIds: this.#random.chance(0.1) ? [] : this.#random.some(ids, 4) }
    }
    if (of !== 'Post') return {}
    const made = Array.from({ length: this.#random.below(3) }, () => this.#fieldsOf('Comment', true)).map(
      ({ content }) => ({ content }),
    )
    if (isNew) return { comments: made }
    const own = this.#choices.comments(this.#target).filter(() => this.#random.chance(0.6))
    const foreign = this.#random.chance(0.1) ? [this.#random.one(this.#choices.ids('Comment'))] : []
    const named = [...new Set([...own, ...foreign])].map((id) => ({
      id,
      ...(this.#random.chance(0.5) ? this.#fieldsOf('Comment', false) : {}),
    }))
    return { comments: this.#random.chance(0.5) ? [...named, ...made] : [...made, ...named] }
  }

  #fieldsOf(of: string, isNew: boolean): Readonly<Record<string, unknown>> {
    const text = () => (this.#random.chance(0.03) ? this.#random.one(['', 'x'.repeat(201)]) : this.#random.one(texts))
    const names = { User: ['name'], Post: ['title', 'content'], Comment: ['content'], Article: ['title', 'body'] }[of]!
    const sent = isNew ? names : this.#random.some(names, names.length)
    const optional = (value: unknown, name: string) => (this.#random.chance(0.4) ? { [name]: value } : {})
    return {
      ...Object.fromEntries(sent.map((name) => [name, !isNew && this.#random.chance(0.05) ? null : text()])),
      ...(of === 'Post' ? optional(this.#random.some(['one', 'two', 'three'], 3), 'tags') : {}),
      ...(of === 'Post' && isNew ? optional(this.#random.chance(0.7), 'publish') : {}),
      ...(of === 'Comment' && isNew ? { postId: this.#random.one(this.#choices.ids('Post')) } : {}),
    }
  }

  /** A value of an input type, as a variable would have it. */
  #input(type: GraphQLInputType, name: string): unknown {
    if (isNonNullType(type)) return this.#input(type.ofType, name)
    if (isListType(type)) return this.#distinctSort(type.ofType)
    if (isEnumType(type)) return this.#random.one(type.getValues()).name
    if (!isInputObjectType(type)) return this.#scalar(String(type), name)
    const fields = this.#random.some(Object.values(type.getFields()), 2)
    return Object.fromEntries(
      fields.map((each) => [each.name, this.#random.chance(0.1) ? null : this.#input(each.type, each.name)]),
    )
  }

  /** Each field at most once. */
  #distinctSort(type: GraphQLInputType): readonly string[] {
    const named = getNamedType(type)
    const names = isEnumType(named)
      ? named
          .getValues()
          .filter(isOwnOrder)
          .map((each) => each.name)
      : []
    const fields = [...new Set(names.map((each) => each.replace(/_(ASC|DESC)$/, '')))]
    return this.#random.some(fields, 2).map((each) => `${each}_${this.#random.one(['ASC', 'DESC'])}`)
  }

  #scalar(type: string, name: string): unknown {
    if (type === 'Boolean') return this.#random.chance(0.5)
    if (type === 'Int') return this.#random.below(5) * 100
    if (type === 'ID')
      return this.#random.one(
        this.#choices.ids(
          { authorId: 'User', userId: 'User', postId: 'Post', productId: 'Product', webhookId: 'Webhook' }[name] ??
            'User',
        ),
      )
    if (name === 'from' || name === 'until') return `2026-11-01T0${this.#random.below(6)}:00:00.000Z`
    return this.#random.one(['one', 'two', 'garden', 'kitchen', 'none'])
  }

  /** As a literal or as a variable. */
  #value(type: string, value: unknown, of?: GraphQLInputType): string {
    const text = literal(value, of)
    return this.#random.chance(0.35) ? this.#variable(type, text, value) : text
  }

  #variable(type: string, text: string, value: unknown): string {
    const name = this.#name('v')
    if (this.#random.chance(0.3)) this.#declared.push(`$${name}: ${type} = ${text}`)
    else {
      this.#declared.push(`$${name}: ${type}`)
      this.#variables[name] = value
    }
    return `$${name}`
  }
}

function literal(value: unknown, type?: GraphQLInputType): string {
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, type)).join(', ')}]`
  const named = type === undefined ? undefined : getNamedType(type)
  if (typeof value === 'object' && value !== null) {
    const fields = isInputObjectType(named) ? named.getFields() : {}
    return `{ ${Object.entries(value)
      .map(([name, each]) => `${name}: ${literal(each, fields[name]?.type)}`)
      .join(', ')} }`
  }
  return typeof value === 'string' && isEnumType(named) ? value : JSON.stringify(value)
}
