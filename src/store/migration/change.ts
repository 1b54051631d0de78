// The kinds of change that a definition makes to a database: what each locks, what older instances notice, how it is undone.

import type { Engine } from '../store.ts'

export interface Kind {
  /** What waits meanwhile, per engine, if `apply` makes the change. */
  readonly locks: Readonly<Record<Engine, string>>
  readonly older: string
  /** The same for instances that run until `apply --finish`. */
  readonly meanwhile?: string
  readonly undo: string
  /** Definitions to deploy one after the other, so that each runs next to the one before. */
  readonly steps?: string
  /** A start makes it in production, too: additive, and as fast on large tables. */
  readonly isQuick: boolean
}

const instant = { sqlite: 'writes, for an instant', postgres: 'the table, for an instant' }
const nothing = { sqlite: 'nothing', postgres: 'nothing' }
const batches = { sqlite: 'writes, for a batch at a time', postgres: 'the rows of a batch at a time' }
const scan = { sqlite: 'writes, while the table is read', postgres: 'the table, for an instant; it is read before' }
const build = { sqlite: 'writes, while it is built', postgres: 'nothing; it is built concurrently' }
const start = 'Start the version before.'

export const changes = {
  bookkeeping: { locks: nothing, older: 'nothing', undo: 'Nothing to undo.', isQuick: true },
  'new resource': { locks: nothing, older: 'nothing', undo: `${start} The table stays.`, isQuick: true },
  'new field': {
    locks: instant,
    older: 'nothing; its records get the default',
    undo: `${start} The column stays, with its values.`,
    isQuick: true,
  },
  'optional field': {
    locks: instant,
    older: 'null where it knows a value',
    undo: 'Make it required again, once every record has a value.',
    isQuick: true,
  },
  'new index': { locks: build, older: 'nothing', undo: start, isQuick: true },
  'removed index': { locks: instant, older: 'slower lists', undo: start, isQuick: true },
  'unique values': { locks: build, older: 'a conflict where it writes a value twice', undo: start, isQuick: false },
  'no overlaps': { locks: build, older: 'records that it writes may overlap', undo: start, isQuick: false },
  'required field': {
    locks: scan,
    older: 'its writes without a value fail',
    steps: 'Deploy a version that always writes a value, change the records by a migration, then deploy this one.',
    undo: 'Make it optional again.',
    isQuick: false,
  },
  'other name': {
    locks: instant,
    older: 'the column is missing',
    undo: 'Give the field its former name, with was: and the new one.',
    isQuick: false,
  },
  'other type': {
    locks: { sqlite: 'writes, while every value is converted', postgres: 'the table, while every value is converted' },
    older: 'the column has another type',
    steps: "Give the field a column more, and was: { column: '…' } with the one that it has: both are kept.",
    undo: 'Give the field its former kind: values are converted back.',
    isQuick: false,
  },
  'former kind': {
    locks: batches,
    older: 'what either version writes is converted for the other: null where that is not possible',
    undo: `${start} What was written meanwhile is converted back.`,
    isQuick: false,
  },
  'narrower field': {
    locks: nothing,
    older: 'it writes values that this version does not know',
    steps: 'Deploy a version that knows them and writes none, change the records by a migration, then deploy this one.',
    undo: 'Give the field the form that it had.',
    isQuick: false,
  },
  'numbers to fill': {
    locks: batches,
    older: 'it does not maintain them',
    meanwhile: 'nothing; they leave out what it writes, until apply --finish',
    undo: 'Apply and start the version before. They are computed again the next time.',
    isQuick: false,
  },
  'numbers that go': {
    locks: { ...instant, sqlite: 'writes, while the table is written without the column' },
    older: 'the column is missing',
    meanwhile: 'its numbers and searches leave out what this version writes',
    undo: `${start} They are computed again.`,
    isQuick: false,
  },
  'removed field': {
    locks: instant,
    older: 'the column is missing',
    undo: 'Give the field back within seven days, and apply: its values are restored.',
    isQuick: false,
  },
  'removed resource': {
    locks: instant,
    older: 'the table is missing',
    undo: 'Give the resource back within seven days, and apply: its records are restored.',
    isQuick: false,
  },
  'restored values': { locks: instant, older: 'nothing', undo: 'Remove it again.', isQuick: false },
} as const satisfies Readonly<Record<string, Kind>>

export type Change = keyof typeof changes

export const stepsOf = (change: Change): string | null => (changes[change] as Kind).steps ?? null
