// The profile of a service: everything that the kit knows about it. A clause whose part is not named is skipped.

import { readFile } from 'node:fs/promises'

/** A JSON object. Texts may contain `{{run}}`, `{{unique}}`, `{{id:posts}}`, `{{me:account}}` and `{{env:NAME}}`. */
export type Body = Readonly<Record<string, unknown>>

/** An account without an email sends no credential: for services without sign-in. */
export interface AccountProfile {
  readonly email?: string
  readonly password?: string
}

export interface MoveProfile {
  /** The account that makes it; without it the creator. */
  readonly as?: string
  /** A created record can be moved so at once. */
  readonly first?: boolean
  /** Everyone may read the record afterwards. */
  readonly opens?: boolean
}

export interface ResourceProfile {
  /** Name in addresses of REST, such as `posts`. */
  readonly path: string
  /** Name of the type in GraphQL, such as `Post`. */
  readonly type: string
  /** Names in GraphQL where they are not `post`, `posts` and `postList`. */
  readonly graphql?: { readonly one?: string; readonly connection?: string; readonly list?: string }
  /** The account that creates and changes records. */
  readonly as: string
  /** An account that may not change them. */
  readonly other?: string
  /** An account that may not create them. */
  readonly barred?: string
  /** A valid body of `POST`. */
  readonly create: Body
  /** A valid body of `PATCH`. */
  readonly change?: Body
  /** A valid body of `PUT`, with required fields only. */
  readonly replace?: Body
  /** A required text, and how long it may be. */
  readonly text?: { readonly field: string; readonly max: number }
  readonly integer?: { readonly field: string; readonly min: number }
  /** An optional field that `null` clears, with a valid value. */
  readonly optional?: { readonly field: string; readonly value: unknown }
  readonly json?: string
  /** A required decimal, with its digits after the point. */
  readonly decimal?: { readonly field: string; readonly scale: number }
  /** A required day. */
  readonly date?: string
  /** An id of another system (RFC 9562). */
  readonly uuid?: string
  readonly float?: string
  /** A whole number of 64 bits. */
  readonly bigint?: string
  readonly currency?: string
  /** A text with a pattern, and a value that does not match it. */
  readonly pattern?: { readonly field: string; readonly wrong: string }
  /** An ordered choice, with its values from the least on. */
  readonly choice?: { readonly field: string; readonly values: readonly string[] }
  /** A number that counts the records, of all or within the record that a field names. */
  readonly counter?: { readonly field: string; readonly within?: { readonly field: string; readonly resource: string } }
  /** A number that a move gives, and what a record needs for it besides `create`. */
  readonly movedCounter?: { readonly field: string; readonly move: string; readonly prepare?: Body }
  /** A move that a business rule refuses for records with these values, and a move to a state that refuses it, too. */
  readonly refusal?: { readonly move: string; readonly create: Body; readonly away: string }
  /** A text that no answer contains. */
  readonly secret?: string
  /** Fields that no two records have together, and one of them that may be null. */
  readonly together?: { readonly fields: readonly string[]; readonly nullable?: string }
  /** Days or moments of an interval, and texts: records with the same texts must not overlap. */
  readonly overlap?: { readonly start: string; readonly end: string; readonly fields: readonly string[] }
  /** A choice of `create` with a dash in a value. */
  readonly dashed?: { readonly field: string; readonly value: string }
  /** A relation to the record above, of the same resource. */
  readonly tree?: string
  /** A unique text of which case makes no difference. */
  readonly folded?: string
  /** Relations take keys: `"product": { "sku": "42" }`. */
  readonly keyReference?: boolean
  /** A number of the records of a resource whose relation names this record. */
  readonly kept?: { readonly field: string; readonly resource: string; readonly relation: string }
  /** A list of ids in the input of an update, and the resource of these records. */
  readonly links?: { readonly field: string; readonly resource: string }
  /** A move that sets a moment to now. */
  readonly moment?: { readonly move: string; readonly field: string }
  /** A field by which records are addressed: `PUT /products/by/sku/42`. */
  readonly key?: string
  /** Create accepts children in a list. */
  readonly children?: {
    readonly field: string
    /** A valid child. */
    readonly child: Body
    /** A field of a child, and a value of the wrong form. */
    readonly wrong: { readonly field: string; readonly value: unknown }
    /** A relation of a child, by which a missing record is refused. */
    readonly missing?: string
    /** A field that a child may change, with another valid value. */
    readonly change?: { readonly field: string; readonly value: unknown }
  }
  /** A field whose value no two records have. */
  readonly unique?: string
  /** Callers who may read a new record: everyone, or the creator and no other account. */
  readonly readers?: 'everyone' | 'creator'
  /** Filters that leave the records that were made from `create` in this run. */
  readonly narrow?: Readonly<Record<string, string>>
  readonly sort?: readonly string[]
  /** `where` takes `text.field`. */
  readonly where?: boolean
  /** `q` searches `text.field`. */
  readonly search?: boolean
  /** A list of values, or of values of records in a list, and one that a new record has. */
  readonly whereList?: { readonly path: string; readonly value: string }
  /** Two moments of a record, of which the first of a record with these values comes before the other. */
  readonly compared?: { readonly before: string; readonly after: string; readonly create: Body }
  /** A value of another record by which lists are sorted, such as `author.name`. */
  readonly sortPath?: string
  /** A filter that `other` may not use, and a value of it. */
  readonly guardedFilter?: { readonly name: string; readonly value: string }
  /** A text whose parts are found, too. */
  readonly anywhere?: string
  /** Searches look into the text of the records of a list, too. */
  readonly searchBelow?: { readonly resource: string; readonly relation: string; readonly field: string }
  /** A value by which summaries group and filter, such as `category`. */
  readonly summary?: string
  /** `create` accepts any text as the value of `summary`. */
  readonly summaryValue?: boolean
  /** Another value by which summaries group, and values of it in their order. */
  readonly summaryGroup?: { readonly field: string; readonly values: readonly unknown[] }
  /** A moment by which summaries group. */
  readonly groupMoment?: string
  /** A value of another record by which summaries group, such as `author_name`. */
  readonly groupPath?: string
  /** A value of the linked records by which summaries group, such as `tags_name`, and its field. */
  readonly groupList?: { readonly path: string; readonly field: string }
  readonly batch?: boolean
  readonly updateMany?: boolean
  readonly delete?: boolean
  readonly moves?: Readonly<Record<string, MoveProfile>>
  /** The resource of a relation, by the field that has its id: `{ "post_id": "posts" }`. */
  readonly relations?: Readonly<Record<string, string>>
  /** The resource of a list below a record, by the last part of its address. */
  readonly lists?: Readonly<Record<string, string>>
  /** The subscription to what is created, with its arguments: `ticketCreated(organizationId: "{{shared:organizations}}")`. */
  readonly created?: string
  /** The subscription to what is created below a record, and the field that has this record's id. */
  readonly below?: { readonly subscription: string; readonly by: string }
  /** The subscription to changes of a field, and what changes it: an action, or an update without one. */
  readonly changed?: {
    readonly subscription: string
    /** The field of the event that has the record, such as `ticket`. */
    readonly record: string
    readonly field: string
    readonly action?: string
    readonly input: Body
    /** The argument that names the record, if there is one. */
    readonly by?: string
  }
  /** The subscription to what is deleted. */
  readonly deleted?: { readonly subscription: string }
  /** A field that the creator reads and no other account. */
  readonly hiddenField?: string
  /** The code in place of `NOT_FOUND`. */
  readonly notFound?: string
  /** GraphQL has a query that answers a union, such as `userResult`. */
  readonly resultUnion?: boolean
  /** Records show what the caller may do with them: the actions of an owner. */
  readonly can?: readonly string[]
  /** Update accepts the list of `children`, too. */
  readonly replacedChildren?: boolean
  /** The list of `children` is in `lists`. */
  readonly childList?: boolean
  /** Records are accounts, with these fields and a move that suspends them. */
  readonly account?: { readonly login: string; readonly password: string; readonly suspend: string }
  /** An anonymous caller may create. */
  readonly guest?: boolean
  /** The name in GraphQL and in the deprecated version, and the current name of a field. */
  readonly formerly?: { readonly name: string; readonly now: string }
  /** A token of a record, the move that uses it, how often, and a field that ends it. */
  readonly accessCode?: {
    readonly field: string
    readonly action: string
    readonly uses?: number
    readonly until?: string
  }
  /** Records are tenants: a resource inside, and the field of its records that has the tenant's id. */
  readonly tenant?: { readonly records: string; readonly field: string }
  /** Records are inside a tenant. */
  readonly within?: { readonly field: string; readonly resource: string }
  /** `other` becomes a member, with a role that creates and does not change, by the access code of an invitation. */
  readonly join?: { readonly invitations: string; readonly memberships: string; readonly account: string }
  /** API keys belong to a tenant, with this role. */
  readonly tenantKeys?: { readonly role: string }
  /** Seconds for which anyone may keep an answer. */
  readonly maxAge?: number
}

export interface Profile {
  readonly edition: '2026.1'
  readonly url: string
  readonly versions: { readonly current: string; readonly deprecated?: readonly string[] }
  readonly accounts: Readonly<Record<string, AccountProfile>>
  readonly resources: Readonly<Record<string, ResourceProfile>>
  /** False for a service with GraphQL alone. */
  readonly rest?: boolean
  readonly graphql?: boolean
  readonly events?: boolean
  /** Events are streamed by HTTP, too. */
  readonly streams?: boolean
  /** The paths of webhooks and of their deliveries, and an account that owns some. */
  readonly webhooks?: { readonly path: string; readonly deliveries: string; readonly as: string }
  /** API keys are a resource: its path, and a scope that reads a resource. */
  readonly apiKeys?: { readonly path: string; readonly as: string }
  readonly sessions?: { readonly path: string }
  /** The caller's own account, below the version: `users/me`. */
  readonly me?: string
  /** Refresh tokens are in a cookie. */
  readonly cookie?: boolean
  /** The path of security events, and an account that reads them. */
  readonly securityEvents?: { readonly path: string; readonly as: string }
  /** The path of uses of deprecated parts, and an account that reads them. */
  readonly deprecationUsage?: { readonly path: string; readonly as: string }
  /** Introspection is off and errors make no suggestions. */
  readonly production?: boolean
}

export async function readProfile(path: string, url: string | undefined): Promise<Profile> {
  const text = await readFile(path, 'utf8')
  const filled = text.replaceAll(/\{\{env:(\w+)\}\}/g, (_, name: string) => {
    const value = process.env[name]
    if (value === undefined) throw new Error(`${path} names the environment variable ${name}, which is not set.`)
    return JSON.stringify(value).slice(1, -1)
  })
  const profile = { ...(JSON.parse(filled) as Profile), ...(url === undefined ? {} : { url }) }
  const problems = problemsOf(profile)
  if (problems.length > 0) throw new Error(`${path}:\n${problems.map((each) => `  ${each}`).join('\n')}`)
  return profile
}

/** What is wrong with it: names that lead nowhere. */
export function problemsOf(profile: Profile): readonly string[] {
  const problems: string[] = []
  const require = (holds: boolean, problem: string) => void (holds || problems.push(problem))
  const isAccount = (name: string | undefined) => name === undefined || Object.hasOwn(profile.accounts ?? {}, name)
  const isResource = (name: string) => Object.hasOwn(profile.resources ?? {}, name)
  require(profile.edition === '2026.1', 'edition: This kit tests the edition 2026.1.')
  require(URL.canParse(profile.url), 'url: It is not an absolute URL.')
  require(/^v\d+$/.test(profile.versions?.current ?? ''), 'versions.current: A version is named such as v2.')
  for (const [name, resource] of Object.entries(profile.resources ?? {})) {
    const at = `resources.${name}`
    for (const [key, account] of [
      ['as', resource.as],
      ['other', resource.other],
      ['barred', resource.barred],
    ] as const)
      require(isAccount(account), `${at}.${key}: No account is called ${account}.`)
    for (const key of ['path', 'type'] as const) require(typeof resource[key] === 'string', `${at}.${key} is missing.`)
    require(typeof resource.create === 'object', `${at}.create is missing.`)
    for (const [key, targets] of [
      ['relations', resource.relations],
      ['lists', resource.lists],
    ] as const)
      for (const [field, target] of Object.entries(targets ?? {}))
        require(isResource(target), `${at}.${key}.${field}: No resource is called ${target}.`)
    for (const [move, { as }] of Object.entries(resource.moves ?? {}))
      require(isAccount(as), `${at}.moves.${move}.as: No account is called ${as}.`)
  }
  return problems
}
