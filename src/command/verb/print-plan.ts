// Prints plans of migrations, and how far they are, for people; and the statements of a plan as files.

import { type RightsChange, rightsSentence } from '../../service/diagnosis/compare-rights.ts'
import type { DescribedPlan, PlannedChange } from '../../store/migration/live/describe-plan.ts'
import type { MigrationStatus } from '../../store/migration/live/status.ts'

export function printedPlan({ changes, problems, others }: DescribedPlan, migrations: string): string {
  if (changes.length === 0 && problems.length === 0 && migrations !== '') return migrations
  if (changes.length === 0 && problems.length === 0) return 'The database fits the definition: nothing to do.\n'
  const running =
    others === 0 ? [] : [`${others} ${others === 1 ? 'instance' : 'instances'} of another version running.`]
  return [...running, ...changes.map(printedChange), ...problems.map((each) => `PROBLEM  ${each}`), migrations].join(
    '\n',
  )
}

function printedChange(each: PlannedChange): string {
  const time =
    each.seconds === 0 ? 'at once' : `about ${each.seconds} s${each.isMeasured ? '' : ' (not measured here)'}`
  const rows = each.rows === null ? '' : `${each.rows.toLocaleString('en')} rows; `
  return [
    `${each.about}: ${each.change}`,
    ...each.statements.map((statement) => `    ${asLine(statement)}`),
    `  locks   ${rows}${each.locks}; ${time}`,
    `  older   ${each.older}${each.needsAlone ? ': older instances have to end first' : ''}`,
    ...(each.steps === null ? [] : [`  steps   ${each.steps}`]),
    `  undo    ${each.undo}`,
    ...(each.loss === null ? [] : [`  LOSS    ${each.loss}: duet migrate apply --finish --accept-loss ${each.loss}`]),
    '',
  ].join('\n')
}

/** By name: a file for each change that has statements, in the order in which they are made. */
export function sqlFiles({ changes }: DescribedPlan): ReadonlyMap<string, string> {
  const withStatements = changes.filter(({ statements }) => statements.length > 0)
  return new Map(
    withStatements.map((each, index) => {
      const words = `${each.about} ${each.change}`.toLowerCase().match(/[a-z0-9_]+/g)!
      const remarks = [
        `${each.about}: ${each.change}`,
        `locks: ${each.locks}`,
        `older: ${each.older}`,
        `undo: ${each.undo}`,
      ]
      const loss = each.loss === null ? [] : [`LOSS: ${each.loss}`]
      const lines = [...[...remarks, ...loss].map((remark) => `-- ${remark}`), ...each.statements.map(asLine), '']
      return [`${String(index + 1).padStart(2, '0')}-${words.join('-')}.sql`, lines.join('\n')]
    }),
  )
}

const asLine = (statement: string): string => (statement.startsWith('--') ? statement : `${statement};`)

export function printedRights(rights: readonly RightsChange[] | null): string {
  if (rights === null) return 'Rights cannot be compared: no start has recorded the definition before.\n'
  const lines = rights.flatMap((each) => [
    `RIGHTS  ${rightsSentence(each)}`,
    `  before  ${each.before ?? 'no rule'}`,
    `  now     ${each.now ?? 'no rule'}`,
  ])
  return [...lines, ...(rights.length === 0 ? [] : ['Rules are compared; code of checks and effects is not.'])]
    .map((line) => `${line}\n`)
    .join('')
}

export function printedStatus(status: MigrationStatus, migrations: readonly string[]): string {
  const { engine, instances, isApplying, fills, indexes, pairs, stale, removed } = status
  const lines = [
    ...(engine === 'sqlite'
      ? []
      : [`${instances.own} instances of this version run, and ${instances.others} of others.`]),
    ...(isApplying ? ['APPLY    runs'] : []),
    ...fills.map(({ name, done, rows }) => `FILL     ${name}: ${inWords(done)} of ${inWords(rows)} rows`),
    ...indexes.map(({ name, progress }) => `INDEX    ${name}: ${progress === null ? 'not built' : `${progress} %`}`),
    ...pairs.map(
      ({ name, former, unconverted: ids }) =>
        `BOTH     ${name} and ${former}${ids.length === 0 ? '' : `: not converted in ${ids.join(', ')}`}`,
    ),
    ...stale.map((name) => `STALE    ${name}: duet migrate apply --finish computes it again`),
    ...removed.map(({ loss, isDue }) => `REMOVED  ${loss}: ${isDue ? 'can be purged' : 'stays seven days'}`),
    ...migrations.map((name) => `CODE     migration ${name}: to be made`),
  ]
  return `${[...lines, ...(lines.length === (engine === 'sqlite' ? 0 : 1) ? ['Nothing is under way.'] : [])].join('\n')}\n`
}

const inWords = (count: number): string => count.toLocaleString('en')
