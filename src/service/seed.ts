// Fills a new, empty database: demo data, or whatever a service wants to begin with.

import { hash } from 'node:crypto'
import { linkRecords } from '../action/commit.ts'
import { count, uncountedBy } from '../action/count.ts'
import type { Cipher } from '../action/encrypted-value.ts'
import type { Authored } from '../action/fit.ts'
import { writeNumbers } from '../action/kept-number.ts'
import type { RowValues } from '../action/load.ts'
import { insertRecord, newRecord } from '../action/record.ts'
import { invariant } from '../failure/failure.ts'
import type { Fields, Id } from '../resource/field/field.ts'
import type { AnyResource } from '../resource/language/resource.ts'
import type { Change, Named, StateOf } from '../resource/language/row.ts'
import type { LinkRelation, Model, ResourceModel } from '../resource/model/model.ts'
import { dialectOf, quote } from '../store/sql/dialect.ts'
import { createWriteStatements } from '../store/sql/write-statements.ts'
import { type Program, query, type Store, UniqueViolation } from '../store/store.ts'

/** A record to begin with: what create needs, and besides it the state it is in and when it was made. */
export type Seeded<F extends Fields> = Change<F> & { readonly createdAt: Date } & {
  readonly [N in Named<F, 'state'>]?: StateOf<F>
} & { readonly [N in Named<F, 'password'>]: string }

/** Fills a new database with records to begin with. No rule is asked, no event is emitted. */
export interface Seed {
  /** Adds a record and answers its id, which is the same every time. A password is given as its hash. */
  create<R extends AnyResource>(resource: R, record: Seeded<R['fields']>): Id<R['name']>
  /** Puts `other` into this many-to-many relation of the record. */
  link<R extends AnyResource>(
    resource: R,
    id: Id<R['name']>,
    relation: Named<R['fields'], 'manyToMany'>,
    other: string,
  ): void
}

/** What fills a new, empty database; every account gets the password, as its hash. */
export interface Demo {
  readonly password: string
  readonly fill: (seed: Seed, passwordHash: string) => void
}

/** Writes demo data where there is no account yet; answers whether it did. */
export async function seedDemo(
  { password, fill }: Demo,
  into: SeededDatabase,
  hash: (password: string) => Promise<string>,
): Promise<boolean> {
  // Hashing takes longer than looking, so the hash is made only for a database that needs it.
  if (!(await into.store.read(hasNoAccount(into.model)))) return false
  const passwordHash = await hash(password)
  return seedWhenEmpty(into, (seed) => fill(seed, passwordHash))
}

/** What is filled; the cipher is for its secrets. */
export interface SeededDatabase {
  readonly model: Model
  readonly store: Store
  readonly cipher: Cipher
}

/** Whether there is no account yet, not even a deleted one. */
export function* hasNoAccount(model: Model): Program<boolean> {
  const anyAccount = query(`select 1 from ${quote(model.accounts.resource.table)} limit 1`)
  return (yield { statement: anyAccount, values: [] }).length === 0
}

/** Writes all of it in one transaction, unless there is any account already; answers whether it did. */
export async function seedWhenEmpty(
  { model, store, cipher }: SeededDatabase,
  fill: (seed: Seed) => void,
): Promise<boolean> {
  const { records, links, seed } = collect(model)
  fill(seed)
  const dialect = dialectOf(store.engine)
  const statements = createWriteStatements(dialect)
  const write = store.write(function* () {
    if (!(yield* hasNoAccount(model))) return false
    const scope = { statements, dialect, cipher, numbers: new Map() }
    for (const { resource, record, hashes, authored } of records)
      yield* insertRecord(resource, { record, hashes, authored }, scope)
    const uncounted = records.flatMap(({ resource, record }) =>
      uncountedBy(resource, [], { id: record['id'] as string, before: null, after: record }),
    )
    yield* count(uncounted, scope)
    for (const { relation, id, other } of links) yield* linkRecords(relation, id, other, scope)
    yield* writeNumbers(scope)
    return true
  })
  return write.catch(async (error: unknown) => {
    // Another instance, which started at the same moment, was faster.
    if (error instanceof UniqueViolation && !(await store.read(hasNoAccount(model)))) return false
    throw error
  })
}

/** The records that this demo makes, in their order; their ids are the same in every database. */
export function demoRecords({ fill }: Demo, model: Model): readonly Row[] {
  const { records, seed } = collect(model)
  fill(seed, '')
  return records
}

export interface Row {
  readonly resource: ResourceModel
  readonly record: RowValues
  readonly hashes: ReadonlyMap<string, string>
  readonly authored: Authored
}

function collect(model: Model) {
  const records: Row[] = []
  const links: { relation: LinkRelation; id: string; other: string }[] = []
  const resourceOf = (name: string): ResourceModel => {
    const resource = model.byName.get(name)
    invariant(resource !== undefined, `${name} is in this service`)
    return resource
  }
  const seed: Seed = {
    create({ name }, source) {
      const resource = resourceOf(name)
      const values = source as unknown as RowValues & { createdAt: Date }
      const id = seededId(resource.prefix, records.length)
      const plain = withoutSecrets(resource, values)
      const record = { ...newRecord(resource, id, values, values.createdAt), ...plain }
      const secrets = resource.columns.filter((each) => each.secret && values[each.field] !== undefined)
      const hashes = new Map(secrets.map((each) => [each.field, values[each.field] as string]))
      records.push({ resource, record, hashes, authored: { fields: Object.keys(plain), isSeed: true } })
      return id
    },
    link({ name }, id, relation, other) {
      links.push({ relation: resourceOf(name).relations.get(relation) as LinkRelation, id, other })
    },
  }
  return { records, links, seed }
}

const withoutSecrets = (resource: ResourceModel, values: RowValues): RowValues =>
  Object.fromEntries(Object.entries(values).filter(([field]) => !resource.column.get(field)?.secret))

/** An id like any other, but the same in every database. */
function seededId(prefix: string, number: number): string {
  const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
  const bytes = Buffer.from(hash('sha256', `${prefix} ${number}`, 'hex'), 'hex').subarray(0, 16)
  return `${prefix}_01K000000E${[...bytes].map((byte) => digits[byte & 31]).join('')}`
}
