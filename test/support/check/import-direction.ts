// Which part of Duet may import which: the table of ARCHITECTURE.md, as data, and the reader of import lines.

import { posix } from 'node:path'

interface Part {
  readonly may: readonly string[]
  /** What it may import as types only. */
  readonly types?: readonly string[]
}

const ground = ['failure', 'budget', 'json', 'limits.ts', 'cache', 'dependency']
const storage = ['store', 'store/sql', 'resource', 'resource/naming', 'concurrency', ...ground]
const faces = ['action', 'read-plan', 'resource', 'resource/naming', 'http/message', 'observation', ...ground]
/** What describes a face's addresses, below what serves them. */
const rest = ['rest/custom-route', 'rest/query', 'rest/route']
const adapter = ['store', 'store/sql', 'store/migration', 'concurrency', ...ground]
const parts = [
  ...new Set([
    ...faces,
    ...storage,
    'store/sqlite',
    'store/postgres',
    'store/migration',
    'http',
    'http/host',
    'http/server',
  ]),
  ...[
    'authentication',
    'event',
    'event/stream',
    'rest/event-stream',
    'mail',
    'rate-limit',
    'reaction',
    'time',
    'deprecation',
    'rest',
    ...rest,
    'custom-route',
    'openapi',
    'graphql',
    'explorer',
    'encryption',
    'outbound',
    'webhook',
  ],
]

/**
 * From the top of the hourglass to its foot: a folder of `src/`, or a file that lies loose there. Every part may import
 * itself. A folder without a row belongs to the folder that holds it.
 */
export const table: Readonly<Record<string, Part>> = {
  'index.ts': { may: [...parts, 'main.ts', 'service'] },
  command: { may: [...parts, 'main.ts', 'service', 'compatibility'] },
  'main.ts': { may: [...parts, 'service'] },
  service: { may: parts },
  client: { may: ['resource/naming'], types: ['failure', 'resource', 'service'] },
  compatibility: { may: ['failure', 'resource', 'resource/naming'] },
  deprecation: { may: ['observation', ...storage] },
  rest: { may: ['openapi', 'rest/event-stream', ...rest, 'custom-route', ...faces] },
  openapi: { may: [...rest, 'custom-route', 'action', 'resource', 'resource/naming', 'http/message', ...ground] },
  'rest/custom-route': { may: ['rest/query', 'rest/route', 'custom-route', ...faces] },
  'rest/event-stream': { may: ['event/stream', 'event', 'rest/route', ...faces] },
  'rest/query': { may: ['rest/route', ...faces] },
  'rest/route': { may: faces },
  graphql: { may: ['custom-route', ...faces, 'event/stream', 'event'] },
  'custom-route': { may: faces },
  explorer: { may: ['http/message', ...ground] },
  http: { may: ['http/message', ...ground] },
  'http/host': { may: ['http/server', 'http/message', 'concurrency', 'observation', ...ground] },
  'http/server': { may: ['http/message', 'observation', ...ground] },
  'http/message': { may: ground, types: ['observation'] },
  'rate-limit': { may: ['observation', ...ground], types: ['http/message'] },
  authentication: { may: ['encryption', 'mail', 'http/message', 'observation', ...storage] },
  time: { may: ['action', 'observation', 'reaction', ...storage] },
  reaction: { may: ['action', 'encryption', 'event', 'observation', ...storage] },
  webhook: { may: ['action', 'encryption', 'event', 'mail', 'outbound', 'observation', ...storage] },
  action: { may: ['encryption', 'read-plan', 'event', 'observation', ...storage] },
  'event/stream': { may: ['event', 'http/message', ...storage] },
  event: { may: ['read-plan', 'observation', ...storage] },
  'read-plan': { may: storage },
  mail: { may: ['concurrency', 'observation', ...ground] },
  outbound: { may: ground },
  'store/sqlite': { may: adapter },
  'store/postgres': { may: adapter },
  'store/migration': { may: ['store', 'store/sql', 'resource', 'resource/naming', ...ground] },
  'store/sql': { may: ['store', 'resource', 'resource/naming', ...ground] },
  store: { may: ['observation', ...ground] },
  concurrency: { may: ground, types: ['observation'] },
  cache: { may: [] },
  encryption: { may: [] },
  observation: { may: ground },
  resource: { may: ['resource/naming', ...ground] },
  'resource/naming': { may: [] },
  budget: { may: ['failure', 'limits.ts'] },
  json: { may: ['failure', 'limits.ts'] },
  failure: { may: [] },
  'limits.ts': { may: [] },
  dependency: { may: [] },
}

/**
 * Folders of a part, from top to bottom: each may import only itself and those after it. `.` are the files that lie loose
 * in the part, and in its folders without a place here.
 */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  action: ['write', 'code', 'target', 'row', 'question', 'question/where', 'input', '.'],
  client: ['subscription', '.', 'send', 'type'],
  command: ['.', 'verb', 'admin', 'check', 'dev', 'new', 'service'],
  'resource/contradiction': ['.', 'check', 'report'],
  'resource/model': ['compile', 'search', 'number', 'rule', 'tenant', 'tree', '.'],
  service: ['.', 'diagnosis', 'open', 'explain', 'overview', 'pipeline', 'start', 'configuration'],
  'store/sql': ['list', 'schema', 'write', 'condition', 'text'],
}

/** Where each dependency may be imported. One that is not listed may be imported nowhere. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  '@node-rs/argon2': ['authentication'],
  '@opentelemetry/api': ['observation'],
  '@simplewebauthn/server': ['authentication'],
  'better-sqlite3': ['store/sqlite'],
  'bignumber.js': ['resource'],
  graphql: ['graphql', 'command', 'compatibility'],
  iovalkey: ['rate-limit', 'graphql'],
  'ipaddr.js': ['http/server', 'rate-limit', 'outbound'],
  nodemailer: ['mail'],
  pg: ['store/postgres'],
  pino: ['observation'],
  'prom-client': ['observation', 'service'],
  'redos-detector': ['resource'],
  croner: ['time'],
  'openid-client': ['authentication'],
  otpauth: ['authentication'],
  '@dagrejs/dagre': ['explorer'],
  ws: ['graphql'],
}

interface Import {
  readonly from: string
  readonly isType: boolean
}

/** What is wrong with the imports of these files, by path from the root of the repository; nothing when empty. */
export function importProblems(files: ReadonlyMap<string, string>): readonly string[] {
  const problems: string[] = []
  const graph = new Map<string, readonly string[]>()
  for (const [path, text] of files) {
    if (path.endsWith('.test.ts')) continue
    const imports = importsOf(text)
    graph.set(
      path,
      imports.map(({ from }) => target(path, from)).filter((to) => files.has(to)),
    )
    for (const line of imports) {
      const problem = path.startsWith('src/') ? problemInSource(path, line) : problemOutside(path, line)
      if (problem !== undefined) problems.push(`${path} imports ${line.from}: ${problem}`)
    }
    if (path === 'src/index.ts' && withoutReexports(text) !== '') problems.push(`${path} does more than re-export.`)
  }
  return [...problems, ...cycles(graph)]
}

/** Relies on the formatter: an import or export begins its line, and its source stands in single quotes. */
export function importsOf(text: string): readonly Import[] {
  const lines = text.matchAll(/^(?:import|export)\s+(type\s+)?(?:([\w*\s{},$]+?)\s+from\s+)?'([^']+)'/gm)
  const calls = withoutComments(text).matchAll(/\bimport\(\s*'([^']+)'/g)
  return [
    ...Array.from(lines, ([, type, names = '', from = '']) => ({
      from,
      isType: type !== undefined || onlyTypes(names),
    })),
    ...Array.from(calls, ([, from = '']) => ({ from, isType: false })),
  ]
}

const onlyTypes = (names: string) => /^\{(\s*type\s+[\w\s$]+,?)+\s*\}$/.test(names)
const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
const withoutReexports = (text: string) =>
  withoutComments(text)
    .replace(/^export (type )?\{[^}]*\} from '[^']+'$/gm, '')
    .trim()

function problemInSource(path: string, { from, isType }: Import): string | undefined {
  if (from === 'node:http' && !isType) return 'dependency/node-http.ts has it without a WebSocket client.'
  if (from.startsWith('node:')) return undefined
  if (!from.startsWith('.')) return problemOfPackage(path, from)
  const to = target(path, from)
  if (to.endsWith('.test.ts') || !to.startsWith('src/')) return 'the product does not know its tests or its users.'
  const [here, there] = [partOf(path), partOf(to)]
  const part = table[here]
  if (here === there) return problemOfRoom(path, to)
  if (part === undefined || part.may.includes(there)) return undefined
  if (part.types?.includes(there)) return isType ? undefined : `${here} may know ${there} by its types only.`
  return `${here} may not know ${there}.`
}

function problemOfRoom(path: string, to: string): string | undefined {
  for (const [part, names] of Object.entries(rooms)) {
    if (![path, to].every((each) => each.startsWith(`src/${part}/`))) continue
    const [here, there] = [roomOf(path, part, names), roomOf(to, part, names)]
    if (names.indexOf(here) > names.indexOf(there)) return `${part}: ${here} may not know ${there}.`
  }
  return undefined
}

/** The innermost room that has a name. */
function roomOf(path: string, part: string, names: readonly string[]): string {
  const folder = posix.dirname(path.slice(`src/${part}/`.length))
  const holding = names.filter((name) => folder === name || folder.startsWith(`${name}/`))
  return holding.sort((one, other) => other.length - one.length)[0] ?? '.'
}

function problemOfPackage(path: string, from: string): string | undefined {
  const name = from.split('/', from.startsWith('@') ? 2 : 1).join('/')
  const folders = packages[name]
  if (folders === undefined) return 'it is not among the packages that the product may import.'
  const isInPlace = folders.some((folder) => path.startsWith(`src/${folder}/`))
  return isInPlace ? undefined : `${name} belongs to ${folders.join(', ')} alone.`
}

/** The reference service and the template use Duet as any author would; tests and benchmarks may look inside. */
function problemOutside(path: string, { from }: Import): string | undefined {
  const [folder] = /^(?:reference|template)\//.exec(path) ?? []
  if (folder === undefined || /^(duet-api(\/|$)|node:)/.test(from)) return undefined
  if (from.startsWith('.') && target(path, from).startsWith(folder)) return undefined
  return 'whoever uses Duet may import only duet-api and Node.'
}

/** The row of the innermost folder that has one. */
function partOf(path: string): string {
  for (let place = path.slice('src/'.length); place !== '.'; place = posix.dirname(place)) {
    if (Object.hasOwn(table, place)) return place
  }
  throw new Error(`${path} belongs to no part: give its folder a row in ${import.meta.filename}.`)
}

const target = (path: string, from: string) => posix.join(posix.dirname(path), from)

/** One sentence for each ring, types included: whoever reads one file of a ring has to read them all. */
function cycles(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const findings: string[] = []
  const done = new Set<string>()
  const visit = (path: string, trail: readonly string[]) => {
    const start = trail.indexOf(path)
    if (start >= 0) findings.push(`A ring: ${[...trail.slice(start), path].join(' → ')}.`)
    if (start >= 0 || done.has(path)) return
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
  return findings
}
