// Alerts, the dashboard, the units and the runbook against a running service: what they name is there.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parser } from '@prometheus-io/lezer-promql'
import { parse, parseAllDocuments } from 'yaml'
import { api } from '../../reference/service.ts'
import { verbs } from '../../src/command/verbs.ts'
import { silentLog } from '../../src/observation/log.ts'
import { readConfiguration } from '../../src/service/configuration/configuration.ts'
import { variables } from '../../src/service/configuration/variables.ts'
import { type RunningService, startService } from '../../src/service/service.ts'
import { readMetrics, type Told } from '../support/oracle/prometheus.ts'
import { repository } from '../support/process/command.ts'

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook: string }
}
interface Panel {
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number }
  readonly targets?: readonly { readonly expr: string }[]
}

const read = (path: string) => readFileSync(join(repository, path), 'utf8')
const rules = (parse(read('deploy/prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
)
const panels = (JSON.parse(read('deploy/grafana/duet.json')) as { panels: Panel[] }).panels
const questions = [
  ...rules.map(({ alert, expr }) => ({ name: alert, expr })),
  // What Grafana puts in before it asks.
  ...panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({
      name: title,
      expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.+'),
    })),
  ),
]
const runbook = read('docs/runbook.md')
const anchors = new Set(
  Array.from(runbook.matchAll(/^## (.+)$/gm), ([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-'),
  ),
)

/** The metrics that a query names, each with its labels; fails where it is no PromQL. */
function namesIn(expr: string): readonly { readonly metric: string; readonly labels: readonly string[] }[] {
  const found: { metric: string; labels: string[] }[] = []
  parser.parse(expr).iterate({
    enter({ type, from, to }) {
      assert.ok(!type.isError, `${expr} is no PromQL at ${from}`)
      const text = expr.slice(from, to)
      if (type.name === 'VectorSelector') found.push({ metric: '', labels: [] })
      if (type.name === 'Identifier' && found.at(-1)?.metric === '') found.at(-1)!.metric = text
      if (type.name === 'LabelName' && found.length > 0) found.at(-1)!.labels.push(text)
    },
  })
  return found
}

describe('queries to Prometheus', () => {
  let service: RunningService
  let scraped: Told
  before(async () => {
    const environment = { PORT: '0', METRICS_PORT: '0', DATABASE_URL: 'sqlite::memory:', DEMO_DATA: 'off' }
    const configuration = readConfiguration(environment)
    service = await startService(api, { configuration, log: silentLog, clock: () => new Date() })
    await fetch(`${service.url}/api/v2/posts/none`)
    scraped = readMetrics(await (await fetch(service.metricsUrl!)).text())
  })
  after(() => service.stop())

  test('is PromQL about metrics that a service has', () => {
    // Those of services that have Redis, reactions or the clock are held to the sources by the table of operating.md.
    const documented = new Set(
      Array.from(read('docs/operating.md').matchAll(/`((?:duet|process|nodejs)_[a-z_0-9]+)`/g), ([, name]) => name!),
    )
    assert.ok(questions.length > 50)
    for (const { name, expr } of questions) {
      const selectors = namesIn(expr)
      assert.ok(selectors.length > 0 && selectors.every(({ metric }) => metric !== ''), `${name}: ${expr}`)
      for (const { metric, labels } of selectors) {
        if (metric === 'up') continue
        const family = metric.replace(/_(bucket|sum|count)$/, '')
        assert.ok(documented.has(metric) || documented.has(family), `${name} asks for ${metric}`)
        const sample = scraped.samples.get(metric)?.[0]
        if (/^duet_(clock|redis|reactions)_/.test(metric)) continue
        assert.ok(
          scraped.families.some((each) => each.name === metric || each.name === family),
          metric,
        )
        // A counter by label has no sample before the first.
        const has = new Set([...Object.keys(sample?.labels ?? {}), 'instance', 'job'])
        if (sample !== undefined)
          for (const label of labels) assert.ok(has.has(label), `${name}: ${metric} by ${label}`)
      }
    }
  })

  test('shows every metric of the service on the dashboard', () => {
    const shown = new Set(
      panels.flatMap(({ targets = [] }) =>
        targets.flatMap(({ expr }) =>
          namesIn(expr.replaceAll('$__rate_interval', '1m')).map(({ metric }) =>
            metric.replace(/_(bucket|sum|count)$/, ''),
          ),
        ),
      ),
    )
    assert.deepEqual(
      scraped.families.map(({ name }) => name).filter((name) => name.startsWith('duet_') && !shown.has(name)),
      [],
    )
  })
})

test('no two panels of the dashboard lie on each other', () => {
  for (const [index, one] of panels.entries())
    for (const { title, gridPos: b } of panels.slice(index + 1)) {
      const a = one.gridPos
      const apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y
      assert.ok(apart, `${one.title} and ${title}`)
      assert.ok(b.x + b.w <= 24, title)
    }
})

test('each alert has a severity, a row in operating.md and a section in the runbook', () => {
  const guide = read('docs/operating.md')
  for (const { alert, expr, for: duration, labels, annotations } of rules) {
    const time = duration === '0m' ? '' : ` for ${duration}`
    assert.ok(guide.includes(`| \`${alert}\` | ${labels.severity} | \`${expr}\`${time} | `), alert)
    assert.match(labels.severity, /^(critical|warning)$/)
    const [file, anchor] = annotations.runbook.split('#')
    assert.equal(file, 'docs/runbook.md')
    assert.ok(anchors.has(anchor!), `${alert} leads to #${anchor}`)
  }
  assert.equal(guide.match(/^\| `Duet\w+` \| /gm)!.length, rules.length)
})

const promtool = spawnSync('promtool', ['--version']).error === undefined
test('promtool accepts the rules and what they say of samples', {
  skip: promtool ? false : 'promtool is not here',
}, () => {
  for (const args of [
    ['check', 'config', 'prometheus.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ]) {
    const { status, stdout, stderr } = spawnSync('promtool', args, {
      cwd: join(repository, 'deploy/prometheus'),
      encoding: 'utf8',
    })
    assert.equal(status, 0, stdout + stderr)
  }
})

test('Prometheus scrapes the instances that compose starts, where they answer', () => {
  const { scrape_configs } = parse(read('deploy/prometheus/prometheus.yml'))
  const compose = parse(read('deploy/compose.yaml'), { merge: true })
  const port = compose['x-instance'].environment.METRICS_PORT
  const instances = Object.keys(compose.services).filter((name) => name.startsWith('app-'))
  assert.deepEqual(
    scrape_configs.map(({ job_name, static_configs }: { job_name: string; static_configs: unknown }) => [
      job_name,
      static_configs,
    ]),
    [['duet', [{ targets: instances.map((name) => `${name}:${port}`) }]]],
  )
})

test('the runbook speaks of commands, metrics and variables that there are', () => {
  const guide = read('docs/operating.md')
  for (const [, verb] of runbook.matchAll(/\bduet ([a-z]+)/g)) assert.ok(Object.hasOwn(verbs, verb!), `duet ${verb}`)
  for (const [name] of runbook.matchAll(/\b(?:duet|nodejs|process)_[a-z_0-9]+/g)) assert.ok(guide.includes(name), name)
  for (const [, name] of runbook.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g))
    if (!['SERVICE_UNAVAILABLE', 'EVENTS_GONE'].includes(name!)) assert.ok(Object.hasOwn(variables, name!), name)
  for (const [, anchor] of runbook.matchAll(/\]\(#([a-z-]+)\)/g)) assert.ok(anchors.has(anchor!), anchor)
})

test('Kubernetes is given variables that are read, and probes of what the service answers', () => {
  const [config, deployment] = parseAllDocuments(read('deploy/kubernetes.yaml')).map((each) => {
    assert.deepEqual(each.errors, [])
    return each.toJS()
  })
  const environment = config.data as Record<string, string>
  const { drainSeconds, metricsPort, limits } = readConfiguration({
    ...environment,
    DATABASE_URL: 'postgres://duet@db/duet',
    DATA_KEY: Buffer.alloc(32, 1).toString('base64'),
  }) as ReturnType<typeof readConfiguration> & { drainSeconds?: number }
  const { terminationGracePeriodSeconds, containers } = deployment.spec.template.spec
  const [{ ports, startupProbe, livenessProbe, readinessProbe }] = containers
  assert.ok(
    terminationGracePeriodSeconds * 1000 >
      (drainSeconds ?? Number(environment['DRAIN_SECONDS'])) * 1000 + limits.stopMs,
  )
  assert.deepEqual(
    ports.map(({ containerPort }: { containerPort: number }) => containerPort),
    [3000, metricsPort],
  )
  assert.deepEqual(
    [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path),
    ['/health', '/health', '/health/ready'],
  )
})

test('systemd accepts the unit, and waits for the service to end', (t) => {
  const unit = read('deploy/duet.service')
  const grace = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)![1])
  const { limits } = readConfiguration({})
  assert.ok(grace * 1000 > limits.stopMs)
  for (const [, name] of unit.matchAll(/^Environment=(.+)$/gm))
    for (const pair of name!.split(' ')) assert.ok(Object.hasOwn(variables, pair.split('=')[0]!), pair)
  const checked = spawnSync('systemd-analyze', ['verify', join(repository, 'deploy/duet.service')], {
    encoding: 'utf8',
  })
  if (checked.error !== undefined) return t.diagnostic('systemd-analyze is not here')
  assert.doesNotMatch(checked.stderr, /Unknown|Failed to parse|ignoring/, checked.stderr)
})
