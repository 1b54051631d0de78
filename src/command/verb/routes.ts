// `duet routes`: lists the endpoints of a service, and who may use them.

import { defaultLimits } from '../../limits.ts'
import { readDefinition } from '../../service/start/read-definition.ts'
import {
  asRecord,
  deletions,
  type FieldAccess,
  fieldAccess,
  hideableFields,
  routeAccess,
  timedWork,
} from '../service/access.ts'
import { type Command, readArguments } from '../service/command.ts'
import { loadService } from '../service/load-service.ts'

export const routesCommand: Command = async (args, { folder, write }) => {
  const { values } = readArguments(args, ['service', 'json'])
  const { model, routes: own, schedules } = readDefinition(await loadService(values.service, folder), defaultLimits)
  const lists = {
    rest: routeAccess(model, own),
    graphql: fieldAccess(model, own),
    hideable: hideableFields(model),
    deletes: deletions(model),
    timed: timedWork(model, schedules),
  }
  const { rest, graphql, hideable, deletes, timed } = lists
  const versions = Map.groupBy(rest, ({ version }) => version)
  const types = Map.groupBy(graphql, ({ type }) => type)
  const sections: readonly Section[] = [
    ...[...versions].map(
      ([name, routes]): Section => [
        `REST ${name}`,
        routes.map(({ method, path, access }) => [`${method.padEnd(6)} ${path}`, access]),
      ],
    ),
    ...[...types].map(([name, fields]): Section => [`GraphQL ${name}`, fieldLines(fields)]),
    [
      'Null where what they refer to is hidden',
      hideable.map(({ field, target }) => [field, `if the caller may not read the ${target}`]),
    ],
    ['What a delete does to other records', deletes.map(({ resource, effects }) => [resource, effects.join(' ')])],
    ['What the service does by itself', timed.map(({ name, when }) => [name, when])],
  ]
  write(`${values.json ? JSON.stringify(lists, null, 2) : printed(sections)}\n`)
  return 0
}

type Section = readonly [title: string, lines: readonly Line[]]
type Line = readonly [what: string, who: string]

/** Fields without a rule of their own share a line. */
function fieldLines(fields: readonly FieldAccess[]): readonly Line[] {
  const isOwn = ({ type, access }: FieldAccess) => access !== asRecord || type === 'Query'
  const others = fields.filter((each) => !isOwn(each)).map(({ field }) => field)
  const own = fields.filter(isOwn).map(({ field, access }): Line => [field, access])
  return others.length === 0 ? own : [[others.join(', '), asRecord], ...own]
}

const printed = (sections: readonly Section[]): string =>
  [
    ...sections.filter(([, lines]) => lines.length > 0).map(section),
    'Besides these, anyone may use /graphql itself, /auth, /health and /.well-known/jwks.json.',
  ].join('\n\n')

function section([title, lines]: Section): string {
  const width = Math.max(...lines.map(([what]) => what.length).filter((length) => length <= widest))
  return [title, ...lines.map(([what, who]) => `  ${what.padEnd(width)}  ${who}`)].join('\n')
}
// Longer entries do not widen the first column.
const widest = 60
