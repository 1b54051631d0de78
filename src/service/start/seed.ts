// Fills an empty database with demo or initial data.

import { hash } from 'node:crypto'
import type { Cipher } from '../../action/encrypted-value.ts'
import { count, uncountedBy } from '../../action/row/count.ts'
import { firstOverlap, type Overlap } from '../../action/row/exclusion.ts'
import type { Authored } from '../../action/row/fit.ts'
import { writeNumbers } from '../../action/row/kept-number.ts'
import type { RowValues } from '../../action/row/load.ts'
import { insertRecord, newRecord } from '../../action/row/record.ts'
import { linkRecords } from '../../action/target/commit.ts'
import { invariant } from '../../failure/failure.ts'
import type { Fields, Id } from '../../resource/field/field.ts'
import type { OneSpec } from '../../resource/field/relation.ts'
import type { AnyResource } from '../../resource/language/resource.ts'
import type { Named, StateOf, Whole } from '../../resource/language/row/row.ts'
import type { LinkRelation, Model, ResourceModel } from '../../resource/model/model.ts'
import { isViolated } from '../../store/sql/schema/constraint-index.ts'
import { type Dialect, dialectOf, quote } from '../../store/sql/text/dialect.ts'
import { createWriteStatements } from '../../store/sql/write/write-statements.ts'
import { type Program, query, type Store, UniqueViolation } from '../../store/store.ts'

/** An initial record: what create needs, its state and creation time. */
export type Seeded<F extends Fields> = Whole<F> & { readonly createdAt: Date } & {
  readonly [N in Named<F, 'state'>]?: StateOf<F>
} & { readonly [N in Named<F, 'password'>]: string }

/** No rules are tested and no events emitted. */
export interface Seed {
  /** Returns the id, which is the same in every database. Passwords are given as hashes. */
  create<R extends AnyResource>(resource: R, record: Seeded<R['fields']>): Id<R['name']>
  /** Adds `other` to this many-to-many relation. */
  link<R extends AnyResource>(
    resource: R,
    id: Id<R['name']>,
    relation: Named<R['fields'], 'manyToMany'>,
    other: string,
  ): void
}

/** Fills an empty database; every account has the password, given as a hash. */
export interface Demo {
  readonly password: string
  readonly fill: (seed: Seed, passwordHash: string) => void
}

/** Returns whether it did. */
export async function seedDemo(
  { password, fill }: Demo,
  into: SeededDatabase,
  hash: (password: string) => Promise<string>,
): Promise<boolean> {
  // Hashing is slow, so the database is checked first.
  if (!(await into.store.read(hasNoAccount(into.model)))) return false
  const passwordHash = await hash(password)
  return seedWhenEmpty(into, (seed) => fill(seed, passwordHash))
}

export interface SeededDatabase {
  readonly model: Model
  readonly store: Store
  readonly cipher: Cipher
}

/** Deleted accounts count. */
export function* hasNoAccount(model: Model): Program<boolean> {
  const anyAccount = query(`select 1 from ${quote(model.accounts.resource.table)} limit 1`)
  return (yield { statement: anyAccount, values: [] }).length === 0
}

/** In one transaction if there is no account; returns whether it did. */
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
    const scope = { statements, dialect, cipher, numbers: new Map(), exclusions: new Map() }
    for (const { resource, record, hashes, authored } of records)
      yield* insertRecord(resource, { record, hashes, authored }, scope)
    const uncounted = records.flatMap(({ resource, record }) =>
      uncountedBy(resource, [], { id: record['id'] as string, before: null, after: record }),
    )
    yield* count(uncounted, scope)
    for (const { relation, id, other } of links) yield* linkRecords(relation, id, other, scope)
    yield* writeNumbers(scope)
    const overlap = yield* firstOverlap(scope)
    if (overlap !== null) throw new Error(`The service's own code seeds ${overlapping(overlap)}.`)
    return true
  })
  return write.catch(async (error: unknown) => {
    // Another instance has filled it at the same time.
    if (!(error instanceof UniqueViolation)) throw error
    if (!(await store.read(hasNoAccount(model)))) return false
    throw new Error(`The service's own code seeds ${sameValues(error, model, dialect)}.`, { cause: error })
  })
}

const overlapping = ({ resource, exclusion, isEmpty }: Overlap): string =>
  isEmpty
    ? `a record of ${resource.name} whose ${exclusion.start.field} is not before its ${exclusion.end.field}`
    : `two records of ${resource.name} that overlap`

function sameValues({ index }: UniqueViolation, { resources }: Model, dialect: Dialect): string {
  for (const resource of resources) {
    const unique = resource.uniques.find((each) => isViolated(index, resource, each, dialect))
    if (unique !== undefined)
      return `two records of ${resource.name} with the same ${unique.columns.map(({ field }) => field).join(' and ')}`
  }
  return 'a record twice'
}

/** The demo records in order; their ids are the same in every database. */
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
      // Tenants of another record are inherited by the write.
      const missing = resource.columns.find(
        ({ secret, field, spec }) => !secret && record[field] === undefined && (spec as OneSpec).from === undefined,
      )
      if (missing !== undefined)
        throw new Error(`The service's own code seeds ${name} without ${missing.field}, which every ${name} has.`)
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

function seededId(prefix: string, number: number): string {
  const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
  const bytes = Buffer.from(hash('sha256', `${prefix} ${number}`, 'hex'), 'hex').subarray(0, 16)
  return `${prefix}_01K000000E${[...bytes].map((byte) => digits[byte & 31]).join('')}`
}
