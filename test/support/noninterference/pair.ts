// Two services on two databases that one person must not be able to tell apart, asked the same at the same moments. Meanwhile
// others write what is hidden from him, in one of them only. (contract 10.4)

import { getOrInsert } from '../../../src/cache/get-or-insert.ts'
import { makeSchema } from '../../../src/graphql/schema/schema.ts'
import type { Service } from '../../../src/resource/language/service.ts'
import type { Model } from '../../../src/resource/model/model.ts'
import { tenantRelations } from '../../../src/resource/model/tenant/tenant-key.ts'
import { graphqlVocabulary } from '../../../src/resource/model/vocabulary.ts'
import { readConfiguration } from '../../../src/service/configuration/configuration.ts'
import { compileService } from '../../../src/service/start/compile-service.ts'
import type { Engine } from '../../../src/store/store.ts'
import type { Answer } from '../client/http-client.ts'
import { createRandom, type Random } from '../oracle/random.ts'
import { codeOf, codesOf, recordsOfCodes } from './code.ts'
import { differ } from './differ.ts'
import { graphqlRequests, subscriptionsOf } from './graphql-requests.ts'
import { comparedAt, makeRows } from './make-rows.ts'
import { noRoom } from './make-service.ts'
import { learn, type Material, type Request } from './material.ts'
import { Questions } from './questions.ts'
import { type MakeRequest, restRequests } from './requests.ts'
import type { Rows } from './rows.ts'
import { clockBegins, openIssuer, openSide, type Side } from './side.ts'
import { inScopeOf, type Person, readTenants, visibilityOf, type Watched } from './visibility.ts'

export interface Difference {
  readonly seed: number
  readonly person: Person | null
  /** Null where the difference is in what subscriptions told. */
  readonly request: Request | null
  readonly answers: readonly [string, string]
}
export interface PairOptions {
  readonly definition: Service<unknown>
  readonly engine: Engine
  readonly seed: number
  /** How many requests. */
  readonly requests: number
  /** How many records of each resource. */
  readonly count: number
}
export interface PairResult {
  /** Fewer than wanted where something differs, or where others made a difference that may be seen. */
  readonly requests: number
  /** In how many places the databases differed at first, and how many writes of others only one of them has. */
  readonly changes: number
  readonly hiddenWrites: number
  /** How many answers were a success, and what was told of events, so that it is seen whether much was asked. */
  readonly successes: number
  readonly frames: number
  readonly difference: Difference | null
}

/** Asks until something differs. */
export async function comparePair(options: PairOptions): Promise<PairResult> {
  const { definition, engine, seed, count } = options
  const random = createRandom(seed)
  const model = compileService(definition)
  readTenants(model, definition)
  const rows = makeRows(model, random, { count, name: 'user' })
  const accounts = activePeople(model, rows)
  // An account without a key has a webhook.
  const people = random.chance(0.5) ? accounts : [...keys(model, rows, accounts), ...accounts]
  // The less somebody may do, the more is hidden from him.
  const place = Math.min(random.below(people.length + 1), random.below(people.length + 1))
  const person = people[place - 1] ?? null
  const single = random.chance(0.6) ? random.some(codesOf(model, rows.records.values()), 2) : []
  // Together, they may open more than each alone.
  const codes = single.length > 1 ? [...single, single.join(',')] : single
  const watched = { person, codes }
  const other = differ(model, rows, { watched, random, attempts: 8 * count })
  const issuer = await openIssuer()
  const sides: Side[] = []
  try {
    for (const each of [rows, other.rows])
      sides.push(await openSide({ definition, engine, rows: each, jwksUrl: issuer.url }))
    const comparison = new Comparison(model, sides as [Side, Side], {
      watched,
      // An account and its keys are one principal for idempotency keys. (contract 4.7.3)
      others: accounts.filter(({ id }) => id !== person?.id),
      material: materialOf(model, [rows, other.rows], { codes, person }, seed + 1),
      tokenOf: issuer.token,
    })
    return { changes: other.changes, ...(await comparison.run(seed, options.requests)) }
  } finally {
    for (const side of sides) await side.close()
    issuer.close()
  }
}

interface Comparing {
  readonly watched: Watched
  readonly others: readonly Person[]
  readonly material: Material
  readonly tokenOf: (person: Person, at: number) => string
}

class Comparison {
  readonly #model: Model
  readonly #sides: readonly [Side, Side]
  readonly #comparing: Comparing
  readonly #makers: readonly MakeRequest[]
  /** Of the requests that both services are sent, or one of them. */
  #number = 1
  readonly #counts = { requests: 0, successes: 0, frames: 0, hiddenWrites: 0 }

  constructor(model: Model, sides: readonly [Side, Side], comparing: Comparing) {
    this.#model = model
    this.#sides = sides
    this.#comparing = comparing
    this.#makers = [restRequests(model), graphqlRequests(schemaOf(model))]
  }

  async run(seed: number, requests: number): Promise<Omit<PairResult, 'changes'>> {
    return this.#run(seed, requests).catch((error) => {
      if (error instanceof Unlike) return { ...this.#counts, difference: null }
      throw error
    })
  }

  async #run(seed: number, requests: number): Promise<Omit<PairResult, 'changes'>> {
    const { watched, material, tokenOf } = this.#comparing
    const { person, codes } = watched
    const payload = {
      ...credentialOf(this.#model, person, clockBegins, tokenOf),
      ...(codes.length === 0 ? {} : { accessCode: codes.at(-1)! }),
    }
    const subscriptions = subscriptionsOf(schemaOf(this.#model), material)
    for (const side of this.#sides) await side.listen(payload, subscriptions)
    const result = (difference: Omit<Difference, 'seed' | 'person'> | null) => ({
      ...this.#counts,
      difference: difference && { seed, person, ...difference },
    })
    while (this.#counts.requests < requests) {
      const [difference, isWrite] = await this.#compareAnswers()
      if (difference !== null) return result(difference)
      // His own write may show him what was hidden before, and events of it.
      if (isWrite && !(await this.#lookAlike())) return result(null)
      if (material.random.chance(0.1)) {
        const [difference, isAlike] = await this.#compareBesideOthers()
        if (difference !== null || !isAlike) return result(difference)
      }
      if (this.#counts.requests % 50 === 0) {
        const difference = await this.#compareEvents()
        if (difference !== null) return result(difference)
        const part = material.random.below(100) / 100
        for (const side of this.#sides) await side.comeBack(payload, part)
      }
    }
    return result(await this.#compareEvents())
  }

  /**
   * Lets others write; answers the difference, and whether the services are still alike to him. Where they are not, what is
   * told of that write may differ, so that what was told before is compared first.
   */
  async #compareBesideOthers(): Promise<readonly [Omit<Difference, 'seed' | 'person'> | null, boolean]> {
    const early = await this.#compareEvents()
    if (early !== null) return [early, false]
    const { isAlike, request } = await this.#letOthersWrite()
    if (!isAlike || request?.headers['Idempotency-Key'] === undefined) return [null, isAlike]
    // What somebody else wrote with a key of idempotency is sent again by the one who must not know of it.
    const [difference, hasWritten] = await this.#compareAnswers(request)
    return [difference, difference === null && (!hasWritten || (await this.#lookAlike()))]
  }

  /** None about deliveries of webhooks, which are made later than a request is answered. */
  #makeRequest(): Request {
    const { material } = this.#comparing
    for (;;) {
      const request = material.random.one(this.#makers)(material)
      if (!/webhook-?deliver/i.test(`${request.line} ${JSON.stringify(request.body)}`)) return request
    }
  }

  /** The same request to both; answers the difference, and whether something was written. */
  async #compareAnswers(again?: Request): Promise<readonly [Omit<Difference, 'seed' | 'person'> | null, boolean]> {
    const { watched, material } = this.#comparing
    const request = again ?? this.#makeRequest()
    const number = this.#number++
    const answers = await Promise.all(this.#sides.map((side) => this.#ask(side, request, watched.person, number)))
    this.#counts.requests += 1
    if (answers.some(isOverloaded)) throw new Unlike()
    const [first, second] = answers.map(textOf) as [string, string]
    if (first !== second) {
      if (answers.some(({ text }) => onPurpose.test(text))) throw new Unlike()
      // What his own write let him see is answered with it.
      if (isWrite(request) && answers.every(({ status }) => status < 300) && !(await this.#lookAlike()))
        throw new Unlike()
      return [{ request, answers: [first, second] }, false]
    }
    if (answers[0]!.status < 300) this.#counts.successes += 1
    learn(material, request, { body: answers[0]!.body, etag: answers[0]!.headers.etag })
    return [null, isWrite(request) && answers[0]!.status < 300]
  }

  async #compareEvents(): Promise<Omit<Difference, 'seed' | 'person'> | null> {
    const [first, second] = await Promise.all(this.#sides.map((side) => side.drain()))
    if (first == null || second == null) return null
    this.#counts.frames += first.length
    const texts = [first.join('\n'), second.join('\n')] as const
    return texts[0] === texts[1] ? null : { request: null, answers: texts }
  }

  /**
   * Somebody else writes in the second service. What can be seen of that must happen in the first one as well; false where it
   * still differs then, for somebody else's request may depend on what is hidden.
   */
  async #letOthersWrite(): Promise<{ readonly isAlike: boolean; readonly request: Request | null }> {
    const { others, material } = this.#comparing
    const [first, second] = this.#sides
    // Most of what is made up is refused.
    for (let tries = 0; tries < 12 && others.length > 0; tries++) {
      const someone = material.random.one(others)
      const request = this.#makeRequest()
      if (!isWrite(request)) continue
      const number = this.#number++
      const { status } = await this.#ask(second, request, someone, number)
      if (await this.#lookAlike()) {
        if (status >= 300 || request.line === 'POST /graphql') continue
        this.#counts.hiddenWrites += 1
        return { isAlike: true, request }
      }
      await this.#ask(first, request, someone, number)
      return { isAlike: await this.#lookAlike(), request: null }
    }
    return { isAlike: true, request: null }
  }

  async #lookAlike(): Promise<boolean> {
    const { watched } = this.#comparing
    const [first, second] = await Promise.all(
      this.#sides.map(async (side) =>
        [...visibilityOf(this.#model, await side.rows(), watched, comparedAt)].sort().join('\n'),
      ),
    )
    return first === second
  }

  #ask(side: Side, request: Request, caller: Person | null, number: number): Promise<Answer> {
    const { tokenOf } = this.#comparing
    const at = clockBegins + this.#counts.requests
    const authorization = credentialOf(this.#model, caller, at, tokenOf)
    const headers = { ...authorization, 'X-Request-Id': `request-${this.#counts.requests}`, ...request.headers }
    return side.ask({ ...request, headers }, at, number)
  }
}

const schemaOf = (model: Model) => makeSchema(model, graphqlVocabulary(), readConfiguration({}).limits)

function credentialOf(
  model: Model,
  person: Person | null,
  at: number,
  tokenOf: Comparing['tokenOf'],
): Readonly<Record<string, string>> {
  if (person === null) return {}
  if (person.key === undefined) return { Authorization: `Bearer ${tokenOf(person, at)}` }
  return { 'X-API-Key': codeOf(model.byName.get('ApiKey')!.column.get('key')!, person.key.id) }
}

/** Keys of tenants and of those who may sign in; the narrowest first. */
function keys(model: Model, rows: Rows, accounts: readonly Person[]): readonly Person[] {
  const resource = model.resources.find(({ name }) => name === 'ApiKey')
  if (resource === undefined) return []
  const relations = tenantRelations(resource)
  return [...rows.records.values()]
    .filter(({ of, isDeleted, values }) => of === resource && !isDeleted && values['expiresAt'] === null)
    .flatMap(({ id, values }): readonly Person[] => {
      const named = relations.filter(({ field }) => values[field] !== null)
      const role = (values['role'] ?? null) as string | null
      const key = { id, scopes: values['scopes'] as readonly string[] }
      const account = accounts.find((each) => each.id === values['user'])
      if (account !== undefined && role === null && named.length === 0) return [{ ...account, key }]
      if (role === null || values['user'] !== null || named.length !== 1) return []
      const tenant = { id: values[named[0]!.field] as string, resource: named[0]!.target.name, role }
      return [{ id, role: '', tenant, key }]
    })
    .sort((one, other) => widthOf(one) - widthOf(other))
    .slice(0, 5)
}

const widthOf = ({ key }: Person): number => ['read:*', '*'].findIndex((scope) => key!.scopes.includes(scope))

/** Those who may sign in, those who may do most last. */
function activePeople(model: Model, rows: Rows): readonly Person[] {
  const { resource, role, status, activeState } = model.accounts
  return [...rows.records.values()]
    .filter((row) => row.of === resource && !row.isDeleted && row.values[status.field] === activeState)
    .slice(0, 5)
    .map(({ id, values }) => ({ id, role: values[role.field] as string }))
    .sort((one, other) => model.roles.get(one.role)!.size - model.roles.get(other.role)!.size)
}

function materialOf(
  model: Model,
  both: readonly [Rows, Rows],
  { codes, person }: { readonly codes: readonly string[]; readonly person: Person | null },
  seed: number,
): Material {
  const ids = new Map<string, string[]>()
  const referring = new Map<string, string[]>()
  for (const { records } of both)
    for (const { of, id, values } of records.values()) {
      for (const { kind, field } of of.relations.values()) {
        if (kind !== 'one') continue
        const own = getOrInsert(referring, `${values[field]} ${of.name}.${field}`, (): string[] => [])
        if (!own.includes(id)) own.push(id)
      }
      const existing = ids.get(of.name) ?? []
      if (!existing.includes(id)) existing.push(id)
      ids.set(of.name, existing)
    }
  const random: Random = createRandom(seed)
  const questions = new Questions(model, both, person !== null, random)
  const hidden = hiddenIds(both)
  const isInScope = inScopeOf(person)
  const outOfScope = new Set(model.resources.filter((each) => !isInScope(each)).map(({ name }) => name))
  const coded = recordsOfCodes(both[0].records.values(), codes)
  return {
    random,
    ids,
    hidden,
    referring,
    codes,
    coded,
    outOfScope,
    questions,
    memory: new Map(),
    pages: [],
    etags: [],
    reads: [],
    keyed: [],
    fresh: 0,
  }
}

/** What the same relation of the same record names in one database and not in the other. */
function hiddenIds([one, other]: readonly [Rows, Rows]): Map<string, string[]> {
  const hidden = new Map<string, string[]>()
  for (const { id, of, values } of one.records.values())
    for (const relation of of.relations.values()) {
      if (relation.kind !== 'one') continue
      const named = [values[relation.field], other.records.get(id)?.values[relation.field]]
      if (named[0] === named[1]) continue
      const ids = getOrInsert(hidden, relation.target.name, (): string[] => [])
      ids.push(...named.filter((each) => typeof each === 'string'))
    }
  return hidden
}

/**
 * What one of the services tells may differ from here on: his own write showed him what was hidden, or one of them refused it for
 * its load.
 */
class Unlike extends Error {}

/** By a check of all records, and by trees. (contract 5.7.2, 5.7.3) */
const onPurpose = new RegExp(`${noRoom}|, or is below it|At most \\d+ levels of`)

const isOverloaded = ({ status, text }: Answer): boolean =>
  status === 503 || status === 504 || /"code":"(SERVICE_UNAVAILABLE|[A-Z_]*TIMEOUT)"/.test(text)

const isWrite = ({ line, body }: Request): boolean =>
  !/^(GET|HEAD)/.test(line) && !(body as { query?: string } | undefined)?.query?.startsWith('query')

/** All of an answer that a client sees, but for the moment, how much it may still ask and tokens that were made. (contract 10.4) */
function textOf({ status, headers, text }: Answer): string {
  const parts = Object.entries(headers).filter(([name]) => name !== 'date' && !name.startsWith('x-ratelimit'))
  const headings = parts.map(([name, value]) => `${name}: ${value}`).join('\n')
  return `${status}\n${headings}\n\n${text.replace(madeCode, '$1')}`
}
const madeCode = /\b(code_[a-z]+_|whsec_)[\w+/=-]{43,44}/g
