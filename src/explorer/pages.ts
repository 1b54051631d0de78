// What the pages for developers are made of, and what they are made with. Loaded when a browser asks for the first time.

import { Failure } from '../failure/failure.ts'
import type { Exchange, Reply } from '../http/exchange.ts'
import { createAssets } from './assets.ts'
import { assetsPath, type DemoAccounts, missingHtml, type Page, pageHtml, pagePolicy } from './page.ts'

export interface PagesGiven {
  /** Of the REST interface, oldest first; the last is shown unless another is asked for. */
  readonly versions: readonly string[]
  /** What GraphiQL begins with; empty for nothing. */
  readonly exampleQuery: string
  /** Whom the pages offer to sign in as; null for nobody. */
  readonly demo: () => Promise<DemoAccounts | null>
}
export interface Pages {
  docs(): Promise<Reply>
  graphiql(): Promise<Reply>
  /** A file that a page names. Fails with NOT_FOUND. */
  asset(exchange: Exchange): Promise<Reply>
}

export function createPages({ versions, exampleQuery, demo }: PagesGiven): Pages {
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

  return { docs, graphiql, asset }
}
