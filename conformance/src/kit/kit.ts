// What tests of clauses use: a service by its profile, signed-in accounts, and records of this run.

import { setTimeout as pause } from 'node:timers/promises'
import type { Body, Profile, ResourceProfile } from '../profile.ts'
import { type Answer, type SentRequest, Untestable } from './answer.ts'
import { Transport } from './http.ts'
import { Journal } from './journal.ts'

export interface Sending {
  /** An account of the profile; null or nothing is an anonymous caller. */
  readonly as?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is, in place of `body`. */
  readonly text?: string
}

/** A record that this run created. */
export interface Made {
  readonly id: string
  /** Its address. */
  readonly target: string
  // biome-ignore lint/suspicious/noExplicitAny: its fields are the service's.
  readonly record: any
  readonly answer: Answer
}

/** Longest wait for a rate limit, and for a service that sheds load. */
const patienceMs: Readonly<Record<number, number>> = { 429: 120_000, 503: 10_000 }

export class Kit {
  readonly profile: Profile
  /** The name of this run, which everything that it creates carries. */
  readonly run: string
  readonly journal: Journal
  readonly #transport: Transport
  readonly #tokens = new Map<string, Promise<string>>()
  readonly #shared = new Map<string, Promise<Made>>()
  readonly #observe: (answer: Answer) => void
  #unique = 0
  #sending = 0
  #isStopped = false

  constructor(profile: Profile, run: string, journalPath: string, observe: (answer: Answer) => void) {
    this.profile = profile
    this.run = run
    this.journal = new Journal(journalPath)
    this.#transport = new Transport(profile.url)
    this.#observe = observe
  }

  get version(): string {
    return this.profile.versions.current
  }

  /** `line` is a method and a target, such as `GET /health`. A refusal for a rate limit or for load is repeated when it has ended. */
  async send(line: string, sending: Sending = {}): Promise<Answer> {
    return this.#sendPatiently(await this.#request(line, sending))
  }

  /** Sends once, so that a refusal for a rate limit is an answer. */
  async sendOnce(line: string, sending: Sending = {}): Promise<Answer> {
    return this.#sendNow(await this.#request(line, sending))
  }

  async #request(line: string, { as = null, headers = {}, body, text }: Sending): Promise<SentRequest> {
    const [method, target] = divide(line)
    const content = text ?? (body === undefined ? null : JSON.stringify(body))
    return {
      method,
      target,
      as,
      body: content,
      headers: {
        ...(content === null ? {} : { 'Content-Type': 'application/json' }),
        ...(as === null || !this.#signsIn(as) ? {} : { Authorization: `Bearer ${await this.token(as)}` }),
        ...headers,
      },
    }
  }

  async #sendNow(sent: SentRequest): Promise<Answer> {
    if (this.#isStopped) throw new Untestable('the run was interrupted')
    this.#sending++
    try {
      const answer = await this.#transport.send(sent)
      this.#observe(answer)
      return answer
    } finally {
      this.#sending--
    }
  }

  async #sendPatiently(sent: SentRequest): Promise<Answer> {
    for (let waitedMs = 0; ; ) {
      const answer = await this.#sendNow(sent)
      const waitMs = 1_000 * (Number(answer.headers['retry-after']) || 1)
      if (waitedMs + waitMs > (patienceMs[answer.status] ?? -1)) return answer
      waitedMs += waitMs
      await pause(waitMs)
    }
  }

  graphql(query: string, variables?: Body, sending: Sending = {}): Promise<Answer> {
    return this.send('POST /graphql', {
      ...sending,
      body: { query, ...(variables === undefined ? {} : { variables }) },
    })
  }

  /** The access token of an account, which signs in once. */
  token(account: string): Promise<string> {
    const token = this.#tokens.get(account)
    if (token !== undefined) return token
    const made = this.signIn(account).then((answer) => answer.is(200).json.access_token as string)
    this.#tokens.set(account, made)
    return made
  }

  #signsIn(account: string): boolean {
    return this.profile.accounts[account]!.email !== undefined
  }

  /** Signs in every account that can, before the first test. */
  async signInAll(): Promise<void> {
    await Promise.all(
      Object.keys(this.profile.accounts)
        .filter((each) => this.#signsIn(each))
        .map((each) => this.token(each)),
    )
  }

  signIn(account: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const { email = '', password = '' } = this.profile.accounts[account]!
    return this.logIn(email, password, headers)
  }

  logIn(email: string, password: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send(`POST ${this.auth}/login`, { body: { email, password }, headers })
  }

  /** Where the endpoints of sign-in are that have refresh tokens in their bodies. */
  get auth(): string {
    return this.profile.cookie === true ? '/api/auth' : '/auth'
  }

  /** Sends nothing more, once what is being sent has been answered. */
  async stop(): Promise<void> {
    this.#isStopped = true
    while (this.#sending > 0) await pause(10)
    // What was just answered enters the journal first.
    await pause(10)
    this.#isStopped = false
  }

  /** A record that the tests of a run share, and that none of them changes. */
  shared(name: string): Promise<Made> {
    const shared = this.#shared.get(name) ?? this.subject(name).make()
    this.#shared.set(name, shared)
    return shared
  }

  subject(name: string): Subject {
    return new Subject(this, name, this.profile.resources[name]!)
  }

  unique(): string {
    return `u${(++this.#unique).toString(36)}${Date.now().toString(36)}`
  }

  /** Fills in the templates of a body, creating the records that it names. */
  async fill<T>(value: T): Promise<T> {
    if (typeof value === 'string') return (await this.#fillText(value)) as T
    if (Array.isArray(value)) return (await Promise.all(value.map((each) => this.fill(each)))) as T
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).map(async ([name, each]) => [name, await this.fill(each)] as const)
    return Object.fromEntries(await Promise.all(entries)) as T
  }

  async #fillText(text: string): Promise<string> {
    const filled = text.replaceAll('{{run}}', this.run).replaceAll('{{unique}}', () => this.unique())
    const [template, kind, name] = /\{\{(id|shared|me):(\w+)\}\}/.exec(filled) ?? []
    if (template === undefined) return filled
    return this.#fillText(filled.replace(template, await this.#idOf(kind!, name!)))
  }

  async #idOf(kind: string, name: string): Promise<string> {
    if (kind === 'me') return this.accountId(name)
    return (kind === 'shared' ? await this.shared(name) : await this.subject(name).make()).id
  }

  /** The id of the record of an account. */
  async accountId(account: string): Promise<string> {
    return (await this.send(`GET /api/${this.version}/${this.profile.me}`, { as: account })).is(200).data.id
  }

  /** Removes what this run created, and returns what is left. */
  async clean(entries = this.journal.entries()): Promise<readonly string[]> {
    const left: string[] = []
    for (const { target, as } of entries) {
      const { status } = await this.send(`DELETE ${target}`, { as })
      if (![200, 204, 404].includes(status)) left.push(target)
    }
    return left
  }

  close(): void {
    this.#transport.close()
  }
}

/** A resource of the profile. */
export class Subject {
  readonly kit: Kit
  readonly name: string
  readonly profile: ResourceProfile

  constructor(kit: Kit, name: string, profile: ResourceProfile) {
    this.kit = kit
    this.name = name
    this.profile = profile
  }

  /** Its address, such as `/api/v2/posts`. */
  get path(): string {
    return `/api/${this.kit.version}/${this.profile.path}`
  }

  get creator(): string {
    return this.profile.as
  }

  /** The names in GraphQL. */
  get one(): string {
    return this.profile.graphql?.one ?? lowerFirst(this.profile.type)
  }
  get connection(): string {
    return this.profile.graphql?.connection ?? camel(this.profile.path)
  }
  get list(): string {
    return this.profile.graphql?.list ?? `${this.one}List`
  }
  /** The name of the type in mutations of several records. */
  get plural(): string {
    return this.connection[0]!.toUpperCase() + this.connection.slice(1)
  }
  /** The name in GraphQL of a field of REST. */
  field(name: string): string {
    return camel(name)
  }

  /** A valid input of create, in the names of REST. */
  input(): Promise<Record<string, unknown>> {
    return this.kit.fill(this.profile.create as Record<string, unknown>)
  }

  /** Creates a record. */
  async make(fields: Body = {}): Promise<Made> {
    if (this.kit.profile.rest === false) throw new Untestable('the service has no REST')
    const body = { ...(await this.input()), ...fields }
    const answer = (await this.post(body)).is(201)
    const id = answer.data.id as string
    return { id, target: `${this.path}/${id}`, record: answer.data, answer }
  }

  /** `POST`, which enters what it creates in the journal. */
  async post(body: unknown, sending: Sending = {}): Promise<Answer> {
    const as = sending.as === undefined ? this.creator : sending.as
    this.kit.journal.begin(this.path, body)
    const answer = await this.kit.send(`POST ${this.path}`, { ...sending, as, body })
    if (answer.status === 201) this.enter(answer.data?.id)
    return answer
  }

  async postMany(bodies: readonly unknown[], sending: Sending = {}): Promise<Answer> {
    this.kit.journal.begin(this.path, bodies)
    const body = { [this.profile.path.replaceAll('-', '_')]: bodies }
    const answer = await this.kit.send(`POST ${this.path}/batch`, { as: this.creator, ...sending, body })
    if (answer.status === 201) for (const { id } of answer.data ?? []) this.enter(id)
    return answer
  }

  /** Creates by GraphQL; `selection` is what its answer has besides the id. */
  async mutate(input: Body, selection = ''): Promise<Answer> {
    const { type } = this.profile
    this.kit.journal.begin('/graphql', input)
    const answer = await this.kit.graphql(
      `mutation ($input: Create${type}Input!) { made: create${type}(input: $input) { id ${selection} } }`,
      { input: camelCased(input) },
      { as: this.creator },
    )
    if (answer.data?.made?.id !== undefined) this.enter(answer.data.made.id)
    return answer
  }

  /** Notes that this run created the record. */
  enter(id: unknown): void {
    if (this.profile.delete === true) this.kit.journal.add({ target: `${this.path}/${id}`, as: this.creator })
  }

  /** Several records, one after the other, no two in one millisecond: lists have them in this order. */
  async makeMany(count: number, fields: (at: number) => Body = () => ({})): Promise<readonly Made[]> {
    const made: Made[] = []
    for (let at = 0; at < count; at++) {
      if (at > 0) await pause(2)
      made.push(await this.make(fields(at)))
    }
    return made
  }

  /** The filters that leave this run's records, as a query string. */
  async narrowed(): Promise<string> {
    return new URLSearchParams(await this.kit.fill({ ...this.profile.narrow })).toString()
  }
}

/** The texts of a body, and of what is in it, with the names of GraphQL. */
export function camelCased(body: Body): Body {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [camel(name), value]))
}

export const camel = (name: string): string => name.replaceAll(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase())

const lowerFirst = (name: string): string => name[0]!.toLowerCase() + name.slice(1)

function divide(line: string): [string, string] {
  const space = line.indexOf(' ')
  return [line.slice(0, space), line.slice(space + 1)]
}
