// `duet check`: lists queries without an index, and their cost. (contract 12.3)

import { dialectOf } from '../../store/sql/text/dialect.ts'
import type { Engine } from '../../store/store.ts'
import { readAccepted } from '../check/accepted.ts'
import { findingsOf } from '../check/findings.ts'
import { indexReport } from '../check/index-report.ts'
import { observe } from '../check/observe.ts'
import { printFindings, printIndexes } from '../check/print.ts'
import { questionsOf } from '../check/questions.ts'
import { type Command, readArguments } from '../service/command.ts'
import { readDatabase } from '../service/open-database.ts'
import { loadServed } from '../service/served.ts'

/** Reads the database if DATABASE_URL is set. With `--fail`, returns 1 if there are findings that were not accepted. */
export const checkCommand: Command = async (args, environment) => {
  const { folder, variables, write } = environment
  const { values } = readArguments(args, ['service', 'accepted', 'fail', 'indexes', 'json'])
  const { model, configuration } = await loadServed(values.service, folder, variables)
  const accepted = await readAccepted(values.accepted, folder)
  const engine: Engine = /^postgres(ql)?:/.test(configuration.databaseUrl) ? 'postgres' : 'sqlite'
  const dialect = dialectOf(engine)
  const observation =
    (variables['DATABASE_URL'] ?? '') === ''
      ? null
      : await readDatabase(environment, (store) => observe(store, model, questionsOf(model, dialect)))
  const all = findingsOf(model, dialect, observation).map((each) => ({
    ...each,
    // Reading all matching records is reported for information only.
    isAccepted: each.code !== 'matches' && accepted.has(each.id),
  }))
  const report = { engine, findings: all, unused: accepted.unused }
  const indexes = values.indexes === true ? indexReport(model, dialect) : null
  if (values.json) write(`${JSON.stringify({ ...report, ...(indexes === null ? {} : { indexes }) }, null, 2)}\n`)
  else write(`${indexes === null ? '' : printIndexes(indexes)}${printFindings(report)}`)
  const isClean = report.unused.length === 0 && all.every((each) => each.code === 'matches' || each.isAccepted)
  return values.fail === true && !isClean ? 1 : 0
}
