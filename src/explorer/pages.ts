// The developer pages. Loaded on a browser's first request.

import { MissingPackage } from '../dependency/optional-package.ts'
import { type Detail, Failure } from '../failure/failure.ts'
import type { Exchange, Reply } from '../http/message/exchange.ts'
import { readQuery } from '../http/message/query.ts'
import { createAssets } from './assets.ts'
import { type Graph, loadDiagrams } from './overview/diagram.ts'
import type { Overview } from './overview/overview.ts'
import { overviewHtml } from './overview/overview-html.ts'
import { assetsPath, type DemoAccounts, type HtmlPage, missingHtml, pageHtml, pagePolicy } from './page.ts'

export interface PagesOptions {
  /** The host path of the service. */
  readonly basePath: string
  /** How refresh tokens travel. (contract 4.14) */
  readonly refreshTokenIn: 'body' | 'cookie'
  /** REST versions, oldest first; the last is the default. */
  readonly versions: readonly string[]
  /** GraphiQL's initial query; may be empty. */
  readonly exampleQuery: string
  /** Evaluated when first opened. */
  readonly overview: () => Promise<Overview>
  /** Explains the answer to a REST request by this exchange's caller. */
  readonly explain: (
    request: { readonly method: string; readonly path: string; readonly query?: string },
    exchange: Exchange,
  ) => Promise<string>
  /** Demo accounts offered for signing in; null for none. */
  readonly demo: () => Promise<DemoAccounts | null>
}
export interface Pages {
  page(path: PagePath): Promise<Reply>
  /** Explains the request in the query string. Fails with VALIDATION_ERROR. */
  why(exchange: Exchange): Promise<Reply>
  /** The pages whose packages are installed. */
  available(): Promise<readonly string[]>
  /** Fails with NOT_FOUND. */
  asset(exchange: Exchange): Promise<Reply>
}

export function createPages(options: PagesOptions): Pages {
  const { basePath, refreshTokenIn, versions, exampleQuery, overview, explain, demo } = options
  const assets = createAssets()
  const all = { '/docs': overviewParts, '/docs/rest': restParts(versions), '/graphql': graphiqlParts(exampleQuery) }
  const missing = (path: PagePath) => assets.missing([...all[path].styles, ...all[path].scripts, all[path].module])
  const available = async () => {
    const paths = Object.keys(all) as PagePath[]
    const lacks = await Promise.all(paths.map(missing))
    return paths.filter((_, index) => lacks[index]!.length === 0)
  }

  let content: Promise<string> | null = null
  const frontContent = () => {
    content ??= overview()
      .then(async (shown) => overviewHtml(shown, { draw: await drawing(), explorer: `${basePath}/graphql` }))
      .catch((error: unknown) => {
        content = null
        throw error
      })
    return content
  }

  async function page(path: PagePath): Promise<Reply> {
    const lacks = await missing(path)
    const isWhole = lacks.length === 0
    const links = (await available()).map((to) => ({ to: basePath + to, text: texts[to], isHere: to === path }))
    return {
      status: isWhole ? 200 : 404,
      headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': pagePolicy },
      body: isWhole
        ? pageHtml({
            ...all[path],
            basePath,
            refreshTokenIn,
            links,
            demo: await demo(),
            ...(path === '/docs' ? { content: await frontContent() } : {}),
          })
        : missingHtml(all[path].title, basePath, lacks),
    }
  }

  async function asset({ path }: Exchange): Promise<Reply> {
    const reply = await assets.reply(path.slice(assetsPath.length))
    if (reply === null) throw new Failure('NOT_FOUND')
    return reply
  }

  async function why(exchange: Exchange): Promise<Reply> {
    const problems: Detail[] = []
    const parameters = readQuery(exchange.query, problems)
    const method = parameters.get('method') ?? ''
    const path = parameters.get('path') ?? ''
    if (!/^[A-Z]+$/.test(method)) problems.push({ field: 'method', message: 'Must be a method, such as POST.' })
    if (!path.startsWith('/api/'))
      problems.push({ field: 'path', message: 'Must be a path of REST, such as /api/v1/posts.' })
    if (problems.length > 0) throw new Failure('VALIDATION_ERROR', { details: problems })
    const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }
    const [route = '', query = ''] = path.split('?')
    return {
      status: 200,
      headers,
      body: `${hiddenShown}\n\n${await explain({ method, path: route, query }, exchange)}`,
    }
  }

  return { page, why, asset, available }
}

/** Null without the drawing library. */
const drawing = (): Promise<((graph: Graph) => string) | null> =>
  loadDiagrams().catch((error: unknown) => {
    if (error instanceof MissingPackage) return null
    throw error
  })

export type PagePath = '/docs' | '/docs/rest' | '/graphql'
const texts: Readonly<Record<PagePath, string>> = { '/docs': 'Overview', '/docs/rest': 'REST', '/graphql': 'GraphQL' }
type Parts = Omit<HtmlPage, 'basePath' | 'refreshTokenIn' | 'links' | 'demo'>

const overviewParts: Parts = {
  title: 'Overview',
  styles: ['explorer.css', 'overview.css'],
  scripts: [],
  module: 'overview.js',
  dataset: {},
}

const restParts = (versions: readonly string[]): Parts => ({
  title: 'REST documentation',
  styles: ['swagger-ui.css', 'explorer.css', 'rest.css'],
  scripts: ['swagger-ui-bundle.js'],
  module: 'rest.js',
  dataset: { versions: versions.join(' ') },
})

const graphiqlParts = (query: string): Parts => ({
  title: 'GraphiQL',
  styles: ['graphiql.min.css', 'explorer.css', 'graphiql.css'],
  scripts: ['react.min.js', 'react-dom.min.js', 'graphiql.min.js', 'graphql-ws.min.js'],
  module: 'graphiql.js',
  dataset: { query },
})

/** (contract 4.15.3) */
const hiddenShown = 'Only in development: this shows values of the record that its reader may not see.'
