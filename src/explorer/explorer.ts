// Pages for developers: the OpenAPI documents at /docs, GraphiQL at /graphql for browsers. Never in production. (contract 0)

import { Failure } from '../failure/failure.ts'
import type { Exchange, Reply } from '../http/exchange.ts'
import { negotiateMediaType } from '../http/negotiate.ts'
import { createAssets } from './assets.ts'
import { assetsPath, type DemoAccounts, missingHtml, type Page, pageHtml, pagePolicy } from './page.ts'

export interface ExplorerGiven {
  /** Of the REST interface, oldest first; the last is shown unless another is asked for. */
  readonly versions: readonly string[]
  /** What GraphiQL begins with; empty for nothing. */
  readonly exampleQuery: string
  /** Whom the pages offer to sign in as; null for nobody. */
  readonly demo: () => Promise<DemoAccounts | null>
}
export interface Explorer {
  /** The answer to a request for a page or for what it is made of; null where it is for somebody else. */
  answer(exchange: Exchange): Promise<Reply> | null
}

export function createExplorer({ versions, exampleQuery, demo }: ExplorerGiven): Explorer {
  const assets = createAssets()
  const links = (here: string) => [
    { to: '/docs', text: 'REST', isHere: here === '/docs' },
    { to: '/graphql', text: 'GraphQL', isHere: here === '/graphql' },
  ]

  async function page(given: Omit<Page, 'links' | 'demo'>, here: string): Promise<Reply> {
    const missing = await assets.missing([...given.styles, ...given.scripts, given.module])
    const isWhole = missing.length === 0
    return {
      status: isWhole ? 200 : 404,
      headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': pagePolicy },
      body: isWhole
        ? pageHtml({ ...given, links: links(here), demo: await demo() })
        : missingHtml(given.title, missing),
    }
  }

  const docs = () =>
    page(
      {
        title: 'REST documentation',
        styles: ['swagger-ui.css', 'explorer.css'],
        scripts: ['swagger-ui-bundle.js'],
        module: 'docs.js',
        given: { versions: versions.join(' ') },
      },
      '/docs',
    )
  const graphiql = () =>
    page(
      {
        title: 'GraphiQL',
        styles: ['graphiql.min.css', 'explorer.css'],
        scripts: ['react.min.js', 'react-dom.min.js', 'graphiql.min.js', 'graphql-ws.min.js'],
        module: 'graphiql.js',
        given: { query: exampleQuery },
      },
      '/graphql',
    )

  async function asset({ path, headers }: Exchange): Promise<Reply> {
    const reply = await assets.reply(path.slice(assetsPath.length), headers['if-none-match'])
    if (reply === null) throw new Failure('NOT_FOUND')
    return reply
  }

  return {
    answer(exchange) {
      const { path, method, headers } = exchange
      if (path === '/graphql') return isRead(method) && isBrowser(headers.accept) ? graphiql() : null
      const found = path === '/docs' ? docs : path.startsWith(assetsPath) ? asset : null
      if (found === null) return null
      if (method === 'OPTIONS') return Promise.resolve({ status: 204, headers: { Allow: allow }, body: null })
      if (isRead(method)) return found(exchange)
      return Promise.reject(new Failure('METHOD_NOT_ALLOWED', { headers: { Allow: allow } }))
    },
  }
}

const allow = 'GET, HEAD, OPTIONS'
const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'

/** Whoever takes JSON as gladly is a program. (contract 7) */
const isBrowser = (accept: string | undefined): boolean => negotiateMediaType(accept, [...json, html]) === html
const json = ['application/json', 'application/graphql-response+json'] as const
const html = 'text/html'
