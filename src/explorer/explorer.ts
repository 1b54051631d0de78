// Developer pages: an overview at /docs, REST documents below it, GraphiQL at /graphql for browsers. Never in production. (contract
// 4.15.2)

import { Failure } from '../failure/failure.ts'
import type { Exchange, Reply } from '../http/message/exchange.ts'
import { negotiateMediaType } from '../http/message/negotiate.ts'
import type { Pages, PagesOptions } from './pages.ts'

export interface Explorer {
  /** Null for paths of others. */
  answer(exchange: Exchange): Promise<Reply> | null
  /** The pages whose packages are installed. */
  available(): Promise<readonly string[]>
}

export function createExplorer(options: PagesOptions): Explorer {
  let loading: Promise<Pages> | null = null
  // Loaded on the first request, to keep the start fast.
  const pages = () => {
    loading ??= import('./pages.ts').then(({ createPages }) => createPages(options))
    return loading
  }

  return {
    available: async () => (await pages()).available(),
    answer(exchange) {
      const { path, method, headers } = exchange
      if (path === '/graphql')
        return isRead(method) && isBrowser(headers.accept) ? pages().then((all) => all.page(path)) : null
      const handle = handlerOf(path)
      if (handle === null) return null
      if (method === 'OPTIONS') return Promise.resolve({ status: 204, headers: { Allow: allow }, body: null })
      if (isRead(method)) return pages().then((all) => handle(all, exchange))
      return Promise.reject(new Failure('METHOD_NOT_ALLOWED', { headers: { Allow: allow } }))
    },
  }
}

/** Null for paths of others. */
function handlerOf(path: string): ((pages: Pages, exchange: Exchange) => Promise<Reply>) | null {
  if (path === '/docs' || path === '/docs/rest') return (pages) => pages.page(path)
  if (path === '/docs/why') return (pages, exchange) => pages.why(exchange)
  return path.startsWith('/docs/assets/') ? (pages, exchange) => pages.asset(exchange) : null
}

const allow = 'GET, HEAD, OPTIONS'
const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'

/** Clients that prefer JSON are programs. (contract 7.3.6) */
const isBrowser = (accept: string | undefined): boolean => negotiateMediaType(accept, [...json, html]) === html
const json = ['application/json', 'application/graphql-response+json'] as const
const html = 'text/html'
