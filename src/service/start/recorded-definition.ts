// The rights of each definition that ran on a database, so that a plan can tell whose rights a new one changes.

import { hash } from 'node:crypto'
import { Failure } from '../../failure/failure.ts'
import type { RuleNode } from '../../resource/language/rule/rule.ts'
import type { Model, ResourceModel } from '../../resource/model/model.ts'
import { ruleSentence } from '../../resource/model/rule/rule-sentence.ts'
import { asDefined } from '../../resource/model/vocabulary.ts'
import { databaseNow } from '../../store/migration/notes.ts'
import type { TableDefinition } from '../../store/sql/schema/schema.ts'
import { dialectOf } from '../../store/sql/text/dialect.ts'
import { bind, command, type Program, query, rowsOf, type Store } from '../../store/store.ts'

export const definitionTable: TableDefinition = {
  create: {
    sqlite: [
      'create table if not exists duet_definition (number integer primary key, hash text not null, rights text not null, at text not null)',
    ],
    postgres: [
      'create table if not exists duet_definition (number integer generated always as identity primary key, hash text not null, rights text not null, at timestamptz(3) not null)',
    ],
  },
}

/** As JSON: a rule is data. */
export interface Rights {
  /** The permissions of each role. */
  readonly roles: Readonly<Record<string, readonly string[]>>
  /** By `Post.update`, or `Post.note (read)` for a field. */
  readonly rules: Readonly<Record<string, RecordedRule>>
}
export interface RecordedRule {
  readonly resource: string
  readonly rule: RuleNode
  readonly sentence: string
  /** Of an action that concerns no stored record. */
  readonly isOfNone: boolean
  readonly isOfField: boolean
}

const kept = 20

export function rightsOf(model: Model): Rights {
  const roles = [...model.roles].map(([role, permissions]) => [role, [...permissions].sort()] as const)
  return { roles: Object.fromEntries(roles), rules: Object.fromEntries(model.resources.flatMap(rulesOf)) }
}

function rulesOf(resource: ResourceModel): readonly (readonly [string, RecordedRule])[] {
  const recorded = (rule: RuleNode, of: Pick<RecordedRule, 'isOfNone' | 'isOfField'>): RecordedRule => ({
    resource: resource.name,
    rule,
    sentence: ruleSentence(rule, resource, asDefined.name),
    ...of,
  })
  const actions = [...resource.actions.values()].map(({ name, allow, kind }) => {
    const isOfNone = kind === 'create' || kind === 'collection'
    return [`${resource.name}.${name}`, recorded(allow, { isOfNone, isOfField: false })] as const
  })
  const fields = [...resource.protect].flatMap(([field, rules]) =>
    Object.entries(rules).map(
      ([what, rule]) =>
        [`${resource.name}.${field} (${what})`, recorded(rule, { isOfNone: false, isOfField: true })] as const,
    ),
  )
  return [...actions, ...fields]
}

/** Adds a row for a definition that is not known yet, and forgets old ones. */
export async function recordDefinition(store: Store, model: Model): Promise<void> {
  const rights = writeRights(rightsOf(model))
  const text = hash('sha256', rights)
  const { parameter: p } = dialectOf(store.engine)
  const select = query(`select 1 from duet_definition where hash = ${p(1)}`)
  if ((await store.read(rowsOf(select, text))).length > 0) return
  const insert = command(
    `insert into duet_definition (hash, rights, at) select ${p(1)}, ${p(2)}, ${databaseNow(store.engine)} ` +
      `where not exists (select 1 from duet_definition where hash = ${p(1)})`,
  )
  const forget = command(
    `delete from duet_definition where number <= (select max(number) - ${kept} from duet_definition)`,
  )
  try {
    await store.write(function* () {
      yield bind(insert, text, rights)
      yield bind(forget)
    })
  } catch (error) {
    // A database that takes no writes is served nevertheless.
    if (!(error instanceof Failure)) throw error
  }
}

const selectNewest = query('select rights from duet_definition order by number desc limit 1')

/** Of the newest definition that ran on it; null if none is known. */
export function* recordedRights(): Program<Rights | null> {
  const [row] = yield bind(selectNewest)
  return row === undefined ? null : readRights(String(row[0]))
}

/** Moments and large numbers have no JSON of their own; decimals are texts in rules, too. */
const writeRights = (rights: Rights): string =>
  JSON.stringify(rights, function (this: Record<string, unknown>, name, value) {
    const own = this[name]
    if (own instanceof Date) return { $moment: own.getTime() }
    return typeof own === 'bigint' ? { $bigint: String(own) } : value
  })

const readRights = (text: string): Rights =>
  JSON.parse(text, (_, value) => {
    if (typeof value?.$moment === 'number') return new Date(value.$moment)
    return typeof value?.$bigint === 'string' ? BigInt(value.$bigint) : value
  })
