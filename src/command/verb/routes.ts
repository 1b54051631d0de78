// `duet routes`: lists the endpoints of a service, and who may use them.

import { defaultLimits } from '../../limits.ts'
import { readDefinition } from '../../service/start/read-definition.ts'
import {
  asRecord,
  type Deletion,
  deletions,
  type FieldAccess,
  fieldAccess,
  type HideableField,
  hideableFields,
  type RouteAccess,
  routeAccess,
  type TimedWork,
  timedWork,
} from '../service/access.ts'
import { type Command, readArguments } from '../service/command.ts'
import { loadService } from '../service/load-service.ts'
import { optionsOf } from '../service/options.ts'

export const routesCommand: Command = async (args, { folder, write }) => {
  const options = optionsOf('service', 'json')
  const { values } = readArguments(args, { options, names: [] })
  const { model, routes: own, schedules } = readDefinition(await loadService(values.service, folder), defaultLimits)
  const lists = {
    rest: routeAccess(model, own),
    graphql: fieldAccess(model, own),
    hideable: hideableFields(model),
    deletes: deletions(model),
    timed: timedWork(model, schedules),
  }
  const text = values.json ? JSON.stringify(lists, null, 2) : printed(lists)
  write(`${text}\n`)
  return 0
}

interface Lists {
  readonly rest: readonly RouteAccess[]
  readonly graphql: readonly FieldAccess[]
  readonly hideable: readonly HideableField[]
  readonly deletes: readonly Deletion[]
  readonly timed: readonly TimedWork[]
}

function printed({ rest, graphql, hideable, deletes, timed }: Lists): string {
  const versions = Map.groupBy(rest, ({ version }) => version)
  const types = Map.groupBy(graphql, ({ type }) => type)
  return [
    ...[...versions].map(([name, routes]) =>
      section(
        `REST ${name}`,
        routes.map(({ method, path, access }) => [`${method.padEnd(6)} ${path}`, access]),
      ),
    ),
    ...[...types].map(([name, fields]) => section(`GraphQL ${name}`, fieldLines(fields))),
    ...(hideable.length === 0
      ? []
      : [
          section(
            'Null where what they refer to is hidden',
            hideable.map(({ field, target }) => [field, `if the caller may not read the ${target}`]),
          ),
        ]),
    ...(deletes.length === 0
      ? []
      : [
          section(
            'What a delete does to other records',
            deletes.map(({ resource, effects }) => [resource, effects.join(' ')]),
          ),
        ]),
    ...(timed.length === 0
      ? []
      : [
          section(
            'What the service does by itself',
            timed.map(({ name, when }) => [name, when]),
          ),
        ]),
    'Besides these, anyone may use /graphql itself, /auth, /health and /.well-known/jwks.json.',
  ].join('\n\n')
}

type Line = readonly [what: string, who: string]

/** Fields without a rule of their own share a line. */
function fieldLines(fields: readonly FieldAccess[]): readonly Line[] {
  const isOwn = ({ type, access }: FieldAccess) => access !== asRecord || type === 'Query'
  const others = fields.filter((each) => !isOwn(each)).map(({ field }) => field)
  const own = fields.filter(isOwn).map(({ field, access }): Line => [field, access])
  return others.length === 0 ? own : [[others.join(', '), asRecord], ...own]
}

function section(title: string, lines: readonly Line[]): string {
  const width = Math.max(...lines.map(([what]) => what.length).filter((length) => length <= widest))
  return [title, ...lines.map(([what, who]) => `  ${what.padEnd(width)}  ${who}`)].join('\n')
}
// Longer entries do not widen the first column.
const widest = 60
