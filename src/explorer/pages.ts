// What the pages for developers are made of, and what they are made with. Loaded when a browser asks for the first time.

import { Failure } from '../failure/failure.ts'
import type { Exchange, Reply } from '../http/message/exchange.ts'
import { createAssets } from './assets.ts'
import { assetsPath, type DemoAccounts, type HtmlPage, missingHtml, pageHtml, pagePolicy } from './page.ts'

export interface PagesOptions {
  /** The path of a host below which the service is. */
  readonly basePath: string
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
  /** The paths of the pages of which nothing is missing. */
  available(): Promise<readonly string[]>
  /** A file that a page names. Fails with NOT_FOUND. */
  asset(exchange: Exchange): Promise<Reply>
}

export function createPages({ basePath, versions, exampleQuery, demo }: PagesOptions): Pages {
  const assets = createAssets()
  const all = { '/docs': docsParts(versions), '/graphql': graphiqlParts(exampleQuery) }
  const missing = (path: Path) => assets.missing([...all[path].styles, ...all[path].scripts, all[path].module])
  const available = async () => {
    const paths = Object.keys(all) as Path[]
    const lacks = await Promise.all(paths.map(missing))
    return paths.filter((_, index) => lacks[index]!.length === 0)
  }

  async function page(path: Path): Promise<Reply> {
    const lacks = await missing(path)
    const isWhole = lacks.length === 0
    const links = (await available()).map((to) => ({ to: basePath + to, text: texts[to], isHere: to === path }))
    return {
      status: isWhole ? 200 : 404,
      headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': pagePolicy },
      body: isWhole
        ? pageHtml({ ...all[path], basePath, links, demo: await demo() })
        : missingHtml(all[path].title, basePath, lacks),
    }
  }

  async function asset({ path, headers }: Exchange): Promise<Reply> {
    const reply = await assets.reply(path.slice(assetsPath.length), headers['if-none-match'])
    if (reply === null) throw new Failure('NOT_FOUND')
    return reply
  }

  return { docs: () => page('/docs'), graphiql: () => page('/graphql'), asset, available }
}

type Path = '/docs' | '/graphql'
const texts: Readonly<Record<Path, string>> = { '/docs': 'REST', '/graphql': 'GraphQL' }
type Parts = Omit<HtmlPage, 'basePath' | 'links' | 'demo'>

const docsParts = (versions: readonly string[]): Parts => ({
  title: 'REST documentation',
  styles: ['swagger-ui.css', 'explorer.css'],
  scripts: ['swagger-ui-bundle.js'],
  module: 'docs.js',
  dataset: { versions: versions.join(' ') },
})

const graphiqlParts = (query: string): Parts => ({
  title: 'GraphiQL',
  styles: ['graphiql.min.css', 'explorer.css'],
  scripts: ['react.min.js', 'react-dom.min.js', 'graphiql.min.js', 'graphql-ws.min.js'],
  module: 'graphiql.js',
  dataset: { query },
})
