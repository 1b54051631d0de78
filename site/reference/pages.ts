// The pages of the reference, each made from the part of the code that decides.

import { describeOption, optionsIn, verbs } from '../../src/command/verbs.ts'
import { catalogue } from '../../src/failure/failure.ts'
import { requestHeaders, responseHeaders } from '../../src/http/message/headers.ts'
import { defaultLimits } from '../../src/limits.ts'
import { loadPrometheus } from '../../src/observation/metrics/prometheus.ts'
import { type Variable, variables } from '../../src/service/configuration/variables.ts'
import { createServiceMetrics, type MeasuredParts } from '../../src/service/pipeline/metrics.ts'
import { readComments } from './documented-object.ts'
import type { EntryPoint, Export } from './exports.ts'
import { code, prose, table } from './markdown.ts'

/** Every page by its path below `docs/reference/`. */
export function makePages(entries: readonly EntryPoint[]): ReadonlyMap<string, string> {
  const exports = entries.map((entry) => [`${fileNameOf(entry)}.md`, exportsPage(entry)] as const)
  return new Map([
    ...exports,
    ['commands.md', commandsPage()],
    ['errors.md', errorsPage()],
    ['headers.md', headersPage()],
    ['limits.md', limitsPage()],
    ['metrics.md', metricsPage()],
  ])
}

const page = (title: string, ...parts: readonly string[]): string => `${[`# ${title}`, ...parts].join('\n\n')}\n`

const fileNameOf = ({ name }: EntryPoint): string => name.replaceAll('/', '-')

const exportsPage = ({ name, exports }: EntryPoint): string =>
  page(
    `Exports of ${name}`,
    `What \`import … from '${name}'\` offers, made from the declarations of the package.`,
    ...exports.map(exportSection),
  )

const exportSection = ({ name, signature, about }: Export): string =>
  `## ${name}\n\n${prose(about)}\n\n\`\`\`ts\n${signature}\n\`\`\``

const commandsPage = (): string =>
  page(
    'Commands',
    'What `duet` does, made from the command itself: `duet --help` says the same. A service is looked for in `service.ts` of the current folder.',
    ...Object.entries(verbs).map(([name, verb]) => {
      const options = optionsIn(verb).map(describeOption)
      const rows = options.map(({ option, does }) => [code(option), prose(does)])
      const usage = `## duet ${name}\n\n\`\`\`sh\nduet ${name} ${verb.takes}\n\`\`\`\n\n${prose(verb.does)}`
      return rows.length === 0 ? usage : `${usage}\n\n${table(['Option', 'Does'], rows)}`
    }),
  )

function errorsPage(): string {
  const comments = readComments('failure/failure.ts', 'catalogue')
  const rows = Object.entries(catalogue).map(([name, { status, message }]) => [
    code(name),
    String(status),
    prose(comments.get(name)!),
    message,
  ])
  return page(
    'Error codes',
    'Every code of `error.code` in REST and of `extensions.code` in GraphQL, made from the catalogue. Programs decide by the code; the sentence is for people and may change. What a resource says in place of `NOT_FOUND`, such as `USER_NOT_FOUND`, is 404 too ([contract 7.1](../contract.md#7.1)).',
    table(['Code', 'Status', 'When', 'Sentence unless another fits better'], rows),
  )
}

const headersPage = (): string =>
  page(
    'Headers',
    'Every header that Duet reads or answers, made from its table; what it promises of them is [contract 4.10](../contract.md#4.10).',
    '## Requests',
    table(['Header', 'Meaning'], headerRows(requestHeaders)),
    '## Answers',
    table(['Header', 'Meaning'], headerRows(responseHeaders)),
  )
const headerRows = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, meaning]) => [code(name), prose(meaning)])

function limitsPage(): string {
  const comments = readComments('limits.ts', 'defaultLimits')
  const byLimit = new Map(
    Object.entries<Variable>(variables).flatMap(([name, row]) =>
      'from' in row && row.limit !== undefined ? [[row.limit as string, name] as const] : [],
    ),
  )
  const rows = Object.entries(defaultLimits).map(([name, value]) => {
    const variable = byLimit.get(name)
    return [
      code(name),
      value.toLocaleString('en'),
      prose(comments.get(name)!),
      variable === undefined ? '' : code(variable),
    ]
  })
  return page(
    'Limits',
    'Every bound of a service, made from `src/limits.ts`. Names end in their unit where they have one: `Ms` are milliseconds, `Seconds` seconds, `Bytes` bytes. Where a variable is named, it sets the limit.',
    table(['Limit', 'Default', 'Meaning', 'Variable'], rows),
  )
}

/** As the client keeps it. */
interface Metric {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly labelNames: readonly string[]
}

/** Nothing of it is read: only what would be measured is listed. */
const partsOfEveryKind = {
  authentication: { counts: {} },
  reactions: {},
  clock: { dueRecords: {}, tasks: {} },
  redis: {},
} as unknown as MeasuredParts

const prometheus = await loadPrometheus()

function metricsPage(): string {
  const metrics = createServiceMetrics(prometheus, () => new Date()).register(partsOfEveryKind)
  const rows = (metrics.getMetricsAsArray() as unknown as readonly Metric[]).map(({ name, type, labelNames, help }) => [
    code(name),
    type,
    labelNames.map(code).join(', '),
    prose(help),
  ])
  return page(
    'Metrics',
    'What `GET /metrics` answers if `METRICS_PORT` is set, made from the service. `duet_reactions_*` exist if a service has reactions, `duet_clock_*` if it has timed moves or schedules, `duet_webhook_*` if it lists `Webhook`, `duet_redis_up` if `REDIS_URL` is set. Those of the process are the default metrics of [prom-client](https://github.com/siimon/prom-client). What to watch is in [operating.md](../operating.md#metrics).',
    table(['Metric', 'Type', 'Labels', 'Meaning'], rows),
  )
}

/** docs/configuration.md, which is committed: README.md leads there. */
export function configurationPage(): string {
  const rows = Object.entries<Variable>(variables).map(([name, row]) => [
    code(name),
    valuesOf(row),
    defaultText(row),
    prose(row.meaning),
  ])
  return page(
    'Configuration',
    'The environment variables that configure a service, made from the code that reads them (`npm run api`). None is needed in development. An empty variable is one that is not set. A value that cannot be stops the start with one sentence that names it, and so does an unknown `LIMIT_…` ([contract 0.1](contract.md#0.1)); for another name that is close to one of these there is a warning.',
    'How they are used together: [authentication.md](authentication.md), [operating.md](operating.md) for logs, metrics and deploying, [graphql.md](graphql.md#cost-limits) for the limits of queries, [scaling.md](scaling.md#behind-a-load-balancer) for proxies and Redis.',
    table(['Variable', 'Values', 'Default', 'Meaning'], rows),
  )
}

function valuesOf(row: Variable): string {
  if ('oneOf' in row) return row.oneOf.map(code).join(', ')
  return 'from' in row ? `${row.from.toLocaleString('en')} to ${row.to.toLocaleString('en')}` : row.form
}

function defaultText({ default: usual }: Variable): string {
  if (usual === null) return 'none'
  if (typeof usual !== 'object') return code(usual)
  return `${code(usual.development)}; ${code(usual.production)} in production`
}
