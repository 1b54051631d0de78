// The folder deploy/ against what it speaks of: no container runs here, so whatever can be compared is.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { demoPassword, type StartedService, start } from 'duet-api'
import { parse, parseAllDocuments } from 'yaml'
import { fillDemo } from '../../reference/demo.ts'
import { api } from '../../reference/service.ts'
import { catalogue } from '../../src/failure/failure.ts'
import { defaultLimits } from '../../src/limits.ts'
import { readConfiguration } from '../../src/service/configuration/configuration.ts'
import { variables } from '../../src/service/configuration/variables.ts'
import { type Client, createClient } from '../support/client/http-client.ts'
import { TestSocket } from '../support/client/websocket.ts'
import { repository } from '../support/process/command.ts'
import { type Nginx, nginxPort, startNginx, withoutNginx } from '../support/server/nginx.ts'

const read = (path: string) => readFileSync(join(repository, path), 'utf8')
const dockerfile = read('deploy/Dockerfile')
const compose = read('deploy/compose.yaml')
const nginxConf = read('deploy/nginx.conf')
const example = read('deploy/env.example')
const manifest = JSON.parse(read('package.json'))
const all = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, found]) => found!)
const variableNames = new Set(Object.keys(variables))

test('the image has the Node that is tested, and nothing of it floats', () => {
  for (const image of all(dockerfile, /^FROM (\S+)/gm))
    assert.equal(image, `node:${manifest.devDependencies.node}-slim`)
  const images = all(compose, /^ +image: (\S+)/gm).filter((each) => each !== 'duet')
  assert.equal(images.length, 5)
  for (const image of images) assert.match(image, /^[\w/-]+:v?\d[\w.-]*$/)
})

test('the image has the optional packages that a service may need, in the versions that are tested', () => {
  const [, list = ''] = /--save-prod \\\n +(.+)\n/.exec(dockerfile) ?? []
  const spared = new Set(['@dagrejs/dagre', '@opentelemetry/api', 'graphiql', 'graphql-ws', 'swagger-ui-dist'])
  const optional = Object.keys(manifest.peerDependencies).filter((name) => !spared.has(name))
  assert.deepEqual(
    list.split(' '),
    optional.map((name) => `${name}@${manifest.devDependencies[name]}`),
  )
})

test('the image is made of files that are there and let in, and runs what npm start runs', () => {
  const [, ...let_in] = all(read('deploy/Dockerfile.dockerignore'), /^([*!].*)$/gm)
  const copied = all(dockerfile, /^COPY (?!--from)(.+)$/gm).flatMap((line) => line.split(' ').slice(0, -1))
  assert.ok(copied.length > 5)
  for (const path of copied) {
    assert.ok(existsSync(join(repository, path)), path)
    assert.ok(let_in.includes(`!${path}`), `${path} is let in`)
  }
  assert.match(manifest.scripts.start, /reference\/main\.ts$/)
  assert.match(
    dockerfile,
    /WORKDIR \/app\/reference\n[\s\S]*\nCMD \["node", "--max-semi-space-size=8", "main\.ts"\]\n$/,
  )
  // What a definition imports is the package itself.
  assert.match(manifest.exports['.'].default, /^\.\/dist\//)
  assert.equal(manifest.bin.duet, './dist/command/duet.js')
})

test('the image runs as a user without rights, who writes to one folder', () => {
  assert.match(dockerfile, /^USER 1000:1000$/m)
  assert.match(dockerfile, /^VOLUME \/data$/m)
  const environment = /^ENV (.+)$/m
    .exec(dockerfile)![1]!
    .split(' ')
    .map((each) => each.split('='))
  const { databaseUrl, port, host } = readConfiguration({ ...Object.fromEntries(environment), BASE_URL: 'http://a' })
  assert.deepEqual([databaseUrl, host], ['sqlite:/data/duet.db', '0.0.0.0'])
  assert.match(dockerfile, new RegExp(`^EXPOSE ${port}$`, 'm'))
  for (const address of all(nginxConf, /^ *server (\d\S+)/gm)) assert.ok(address.endsWith(`:${port}`))
})

test('compose and its example set variables that are read, and hold no secret', () => {
  const own = new Set(['POSTGRES_PASSWORD', 'PUBLIC_PORT', 'GRAFANA_PASSWORD', 'GRAFANA_PORT'])
  const named = all(example, /^([A-Z_]+)=/gm)
  assert.deepEqual(
    named.filter((each) => !variableNames.has(each) && !own.has(each)),
    [],
  )
  const set = all(/environment: &environment\n((?: {4}.*\n)+)/.exec(compose)![1]!, /^ {4}([A-Z_]+):/gm)
  assert.deepEqual(set, ['DATABASE_URL', 'REDIS_URL', 'TRUST_PROXY', 'METRICS_PORT', 'METRICS_HOST'])
  for (const name of all(compose, /\$\{(\w+)/g)) assert.ok(named.includes(name), name)
  for (const secret of ['POSTGRES_PASSWORD', 'SMTP_URL']) assert.match(example, new RegExp(`^${secret}=$`, 'm'))
  assert.equal(spawnSync('git', ['check-ignore', '-q', 'deploy/.env'], { cwd: repository }).status, 0)
})

test('no container of compose has more rights than another', () => {
  const { services } = parse(compose, { merge: true }) as { services: Readonly<Record<string, Container>> }
  assert.ok(Object.keys(services).length >= 8)
  for (const [name, { cap_drop, cap_add, security_opt, read_only, user, privileged }] of Object.entries(services)) {
    assert.deepEqual([cap_drop, cap_add, privileged], [['ALL'], undefined, undefined], name)
    assert.deepEqual(security_opt, ['no-new-privileges:true'], name)
    // Grafana unpacks what it comes with.
    if (name !== 'grafana') assert.equal(read_only, true, name)
    if (name === 'postgres' || name === 'redis') assert.match(user!, /^[1-9]\d*:[1-9]\d*$/, name)
  }
})
interface Container {
  readonly cap_drop?: readonly string[]
  readonly cap_add?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly read_only?: boolean
  readonly user?: string
  readonly privileged?: boolean
}

test('Kubernetes lets in the ingress controller, and believes few addresses', () => {
  const documents = parseAllDocuments(read('deploy/kubernetes.yaml')).map((each) => each.toJS())
  const range = documents.find(({ kind }) => kind === 'ConfigMap').data.TRUST_PROXY as string
  for (const each of range.split(',')) assert.ok(Number(each.split('/')[1] ?? 32) >= 24, `${each} is a few addresses`)
  const { spec } = documents.find(({ kind }) => kind === 'NetworkPolicy')
  const pods = documents.find(({ kind }) => kind === 'Deployment').spec.template.metadata.labels
  assert.deepEqual([spec.podSelector.matchLabels, spec.policyTypes], [pods, ['Ingress']])
  for (const { from, ports } of spec.ingress) assert.deepEqual([from.length, ports.length], [1, 1])
})

test('a new project has an image of the same kind, whose files the package has', () => {
  const own = read('template/Dockerfile')
  const images = (text: string) => all(text, /^FROM (\S+)/gm)
  assert.deepEqual(images(own), images(dockerfile))
  for (const line of [/^USER .+$/m, /^VOLUME .+$/m, /^EXPOSE .+$/m, /^CMD .+$/m, /^RUN install [^\\\n]+/m])
    assert.equal(line.exec(own)![0].trim(), line.exec(dockerfile)![0].trim())
  assert.match(own, /"node_modules\/duet-api\/deploy\/healthcheck\.js"/)
  assert.ok(manifest.files.includes('deploy') && manifest.files.includes('template'))
  const left = read('template/.dockerignore').split('\n')
  for (const each of ['node_modules', 'data', '.env*']) assert.ok(left.includes(each), each)
})

test('nginx knows the instances that compose starts, and compose believes this nginx alone', () => {
  const given = (service: string) =>
    new RegExp(`^ {2}${service}:\\n(?: {4}.*\\n)*? {4}networks: .*ipv4_address: ([\\d.]+)`, 'm').exec(compose)![1]
  const instances = all(compose, /^ {2}(app-\d+):/gm)
  assert.deepEqual(all(nginxConf, /^ *server ([\d.]+):/gm), instances.map(given))
  assert.match(compose, new RegExp(`TRUST_PROXY: ${given('nginx')}/32\n`))
})

test('times and sizes of nginx and compose fit those of the service', () => {
  const seconds = (name: string) => Math.min(...all(nginxConf, new RegExp(`^ *${name} (\\d+)s;`, 'gm')).map(Number))
  assert.ok(seconds('proxy_read_timeout') * 1000 > defaultLimits.requestTimeoutMs)
  assert.ok(seconds('proxy_read_timeout') * 1000 > defaultLimits.socketPingMs)
  assert.ok(seconds('keepalive_timeout') * 1000 < defaultLimits.keepAliveMs)
  assert.ok(Number(/client_max_body_size (\d+)m;/.exec(nginxConf)![1]) * 1_048_576 > defaultLimits.restBodyBytes)
  assert.ok(Number(/client_header_buffers \d (\d+)k;/.exec(nginxConf)![1]) * 1024 > defaultLimits.headerBytes)
  assert.ok(Number(/stop_grace_period: (\d+)s\n {2}mem/.exec(compose)![1]) * 1000 > defaultLimits.stopMs)
})

test('README.md of deploy/ names every file there, and only variables that are read', () => {
  const readme = read('deploy/README.md')
  for (const file of globSync('deploy/*', { cwd: repository })) {
    const name = file.slice('deploy/'.length)
    if (name !== 'README.md') assert.ok(readme.includes(name), `${name} is explained`)
  }
})

describe('the health check', () => {
  test('ends with 0 while the service is up, and with 1 afterwards', async () => {
    const service = await start(api, {
      environment: { PORT: '0', LOG_LEVEL: 'error', DATABASE_URL: 'sqlite::memory:' },
    })
    const { port } = new URL(service.url)
    assert.equal(await check(port), 0)
    await service.stop()
    assert.equal(await check(port), 1)
  })
  function check(port: string): Promise<number | null> {
    const file = join(repository, 'deploy/healthcheck.js')
    const child = spawn(process.execPath, [file], { env: { PORT: port }, stdio: 'ignore' })
    return new Promise((resolve) => child.once('exit', resolve))
  }
})

describe('nginx as it is deployed', { skip: withoutNginx() }, () => {
  let service: StartedService
  let nginx: Nginx
  let client: Client
  before(async () => {
    const port = await nginxPort()
    const environment = {
      PORT: '0',
      LOG_LEVEL: 'error',
      DATABASE_URL: 'sqlite::memory:',
      BASE_URL: `http://127.0.0.1:${port}`,
      TRUST_PROXY: '127.0.0.1',
      LIMIT_IP_PER_MINUTE: '5',
    }
    service = await start(api, { environment, demo: fillDemo })
    nginx = await startNginx(port, [service.url])
    client = createClient(nginx.url, { localAddress: '127.0.2.1' })
  })
  after(async () => {
    client?.close()
    await nginx?.stop()
    await service?.stop()
  })

  test('reports to the service who calls, whatever they claim', async () => {
    const body = { email: 'admin@example.com', password: demoPassword }
    const statuses = []
    for (let index = 0; index < 6; index++) {
      const headers = { 'X-Forwarded-For': `203.0.113.${index}` }
      statuses.push((await client.send('POST /auth/login', { headers, body })).status)
    }
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429])
  })

  test('lets WebSockets through', async () => {
    const socket = await TestSocket.open(nginx.url)
    await socket.settled()
    await socket.close()
  })

  test('lets the service say what is too large, and says it in its words where that is too large to pass', async () => {
    const sender = createClient(nginx.url, { localAddress: '127.0.2.2' })
    const large = Buffer.alloc(1_500_000, ' ')
    const huge = Buffer.alloc(3_000_000, ' ')
    for (const bytes of [large, huge]) {
      const { status, body } = await sender.send('POST /api/v2/users', { body: bytes })
      assert.deepEqual([status, body.error.code], [413, 'PAYLOAD_TOO_LARGE'])
      assert.equal(body.error.message, catalogue.PAYLOAD_TOO_LARGE.message)
    }
    const { body } = await sender.send('POST /graphql', { body: huge })
    assert.equal(body.errors[0].extensions.code, 'PAYLOAD_TOO_LARGE')
    sender.close()
  })

  test('reports an unreachable service as the service itself would', async () => {
    const nobody = await startNginx(await nginxPort(), ['http://127.0.0.1:1'])
    const sender = createClient(nobody.url)
    try {
      const { status, headers, body } = await sender.send('GET /api/v2/posts')
      const { message } = catalogue.SERVICE_UNAVAILABLE
      const error = { code: 'SERVICE_UNAVAILABLE', message }
      assert.deepEqual([status, headers['retry-after'], body], [503, '1', { error }])
      const { body: told } = await sender.send('POST /graphql', { body: { query: '{ __typename }' } })
      assert.deepEqual(told, { errors: [{ message, extensions: { code: 'SERVICE_UNAVAILABLE' } }] })
    } finally {
      sender.close()
      await nobody.stop()
    }
  })
})
