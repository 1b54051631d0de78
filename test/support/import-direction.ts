// Which part of Duet may import which: the table of ARCHITECTURE.md, as data, and the reader of import lines.

import { posix } from 'node:path'

interface Part {
  /** Files of this part. The first part that matches a file owns it. */
  readonly files: RegExp
  readonly may: readonly string[]
  /** What it may import as types only. */
  readonly types?: readonly string[]
}

const ground = ['failure', 'limits']
const storage = ['sql', 'store', 'resource', 'casing', ...ground]
const faces = ['action', 'read-plan', 'resource', 'casing', 'wire', 'observation', ...ground]
const server = [
  ...new Set([
    ...faces,
    ...storage,
    'event',
    'adapter',
    'mail',
    'authentication',
    'http',
    'rate-limit',
    'reaction',
    'usage',
  ]),
]
const all = [...server, 'rest', 'graphql', 'explorer', 'contract', 'service', 'client', 'conformance']

/** From the top of the hourglass to its foot. Every part may import itself. */
export const parts: Readonly<Record<string, Part>> = {
  index: { files: /^src\/index\.ts$/, may: all },
  command: { files: /^src\/command\//, may: all },
  client: { files: /^src\/client\//, may: ['casing'], types: ['failure', 'resource', 'service'] },
  conformance: { files: /^src\/conformance\//, may: ['failure'], types: ['resource', 'service'] },
  contract: { files: /^src\/contract\//, may: ['failure', 'resource'] },
  rest: { files: /^src\/rest\//, may: faces },
  graphql: { files: /^src\/graphql\//, may: [...faces, 'event'] },
  explorer: { files: /^src\/explorer\//, may: ['wire', ...ground] },
  wire: {
    files:
      /^src\/http\/(exchange|endpoint-description|conditional|media-type|negotiate|query|read-json|json-problem)\.ts$/,
    may: ground,
    types: ['observation'],
  },
  http: { files: /^src\/http\//, may: ['wire', 'store', 'observation', ...ground] },
  'rate-limit': { files: /^src\/rate-limit\//, may: ['store', 'observation', ...ground], types: ['wire'] },
  authentication: {
    files: /^src\/authentication\//,
    may: ['event', 'mail', 'wire', 'observation', ...storage],
  },
  reaction: {
    files: /^src\/reaction\//,
    may: ['action', 'event', 'read-plan', 'observation', ...storage],
    types: ['rest'],
  },
  usage: { files: /^src\/usage\//, may: ['observation', ...storage] },
  action: { files: /^src\/action\//, may: ['read-plan', 'event', 'observation', ...storage] },
  event: { files: /^src\/event\//, may: ['read-plan', 'observation', ...storage] },
  'read-plan': { files: /^src\/read-plan\//, may: storage },
  mail: { files: /^src\/mail\//, may: ['observation', ...ground] },
  observation: { files: /^src\/observation\//, may: ground },
  store: { files: /^src\/store\/store\.ts$/, may: ground },
  sql: { files: /^src\/store\/sql\//, may: ['store', 'resource', 'casing', ...ground] },
  adapter: { files: /^src\/store\//, may: storage, types: ['observation'] },
  casing: { files: /^src\/resource\/casing\.ts$/, may: [] },
  resource: { files: /^src\/resource\//, may: ['casing', ...ground] },
  failure: { files: /^src\/failure\//, may: [] },
  limits: { files: /^src\/limits\.ts$/, may: [] },
  service: { files: /^src\/[^/]+\.ts$/, may: [...server, 'rest', 'graphql', 'explorer'] },
}

/** Where each dependency may be imported. One that is not listed may be imported nowhere. */
export const packages: Readonly<Record<string, RegExp>> = {
  '@node-rs/argon2': /^src\/authentication\//,
  '@opentelemetry/api': /^src\/observation\//,
  'better-sqlite3': /^src\/store\/sqlite/,
  graphql: /^src\/(graphql|command|contract)\//,
  iovalkey: /^src\/(rate-limit|event|graphql)\//,
  'ipaddr.js': /^src\/(http|rate-limit)\//,
  nodemailer: /^src\/mail\//,
  pg: /^src\/store\/postgres/,
  pino: /^src\/observation\//,
  ws: /^src\/graphql\//,
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
    if (parts['index']?.files.test(path) && withoutReexports(text) !== '')
      problems.push(`${path} does more than re-export.`)
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
  if (from.startsWith('node:')) return undefined
  if (!from.startsWith('.')) return problemOfPackage(path, from)
  const to = target(path, from)
  if (to.endsWith('.test.ts') || !to.startsWith('src/')) return 'the product does not know its tests or its users.'
  const [here, there] = [partOf(path), partOf(to)]
  const part = parts[here]
  if (part === undefined || here === there || part.may.includes(there)) return undefined
  if (part.types?.includes(there)) return isType ? undefined : `${here} may know ${there} by its types only.`
  return `${here} may not know ${there}.`
}

function problemOfPackage(path: string, from: string): string | undefined {
  const name = from.split('/', from.startsWith('@') ? 2 : 1).join('/')
  const where = packages[name]
  if (where === undefined) return 'it is not among the packages that the product may import.'
  return where.test(path) ? undefined : `${name} belongs to ${where.source.replaceAll(/[\\^]/g, '')} alone.`
}

/** The reference service and the template use Duet as any author would; tests and benchmarks may look inside. */
function problemOutside(path: string, { from }: Import): string | undefined {
  const [folder] = /^(?:reference|template)\//.exec(path) ?? []
  if (folder === undefined || /^(duet(\/|$)|node:)/.test(from)) return undefined
  if (from.startsWith('.') && target(path, from).startsWith(folder)) return undefined
  return 'whoever uses Duet may import only duet and Node.'
}

function partOf(path: string): string {
  const found = Object.entries(parts).find(([, { files }]) => files.test(path))
  if (found === undefined) throw new Error(`${path} belongs to no part: give it one in ${import.meta.filename}.`)
  return found[0]
}

const target = (path: string, from: string) => posix.join(posix.dirname(path), from)

/** One sentence for each ring, types included: whoever reads one file of a ring has to read them all. */
function cycles(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const found: string[] = []
  const done = new Set<string>()
  const visit = (path: string, trail: readonly string[]) => {
    const start = trail.indexOf(path)
    if (start >= 0) found.push(`A ring: ${[...trail.slice(start), path].join(' → ')}.`)
    if (start >= 0 || done.has(path)) return
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
  return found
}
