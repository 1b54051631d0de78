// The HTML of developer pages, without external scripts, styles or addresses. (contract 4.10.2)

import { escaped } from '../http/message/html.ts'

/** Demo accounts offered for signing in. */
export interface DemoAccounts {
  readonly logins: readonly string[]
  readonly password: string
}
export interface HtmlPage {
  /** The host path of the service. */
  readonly basePath: string
  /** How refresh tokens travel. (contract 4.14) */
  readonly refreshTokenIn: 'body' | 'cookie'
  readonly title: string
  readonly styles: readonly string[]
  /** In order; our own are modules, which run last. */
  readonly scripts: readonly string[]
  readonly module: string
  /** Attributes of the page's root element. */
  readonly dataset: Readonly<Record<string, string>>
  readonly links: readonly { readonly to: string; readonly text: string; readonly isHere: boolean }[]
  readonly demo: DemoAccounts | null
  /** Shown before scripts run. */
  readonly content?: string
}

/** Only own content; everything unlisted is forbidden. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const assetsPath = '/docs/assets/'
const assetFor =
  (basePath: string) =>
  (name: string): string =>
    `${basePath}${assetsPath}${name}`

export function pageHtml(page: HtmlPage): string {
  const { basePath, refreshTokenIn, title, styles, scripts, module, dataset, links, demo, content = '' } = page
  const asset = assetFor(basePath)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
${styles.map((name) => `<link rel="stylesheet" href="${asset(name)}">`).join('\n')}
${scripts.map((name) => `<script src="${asset(name)}" defer></script>`).join('\n')}
<script type="module" src="${asset(module)}"></script>
</head>
<body>
<header class="bar">
<nav>${links.map(linkHtml).join(' ')}</nav>
${signInHtml(demo)}
</header>
<main id="page"${attributes({ ...dataset, base: basePath, refresh: refreshTokenIn })}>${content}</main>
</body>
</html>
`
}

/** Shown if packages of a page are not installed. */
export const missingHtml = (title: string, basePath: string, packages: readonly string[]): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escaped(title)}</title><link rel="stylesheet" href="${assetFor(basePath)('explorer.css')}"></head>
<body><main class="missing"><h1>${escaped(title)}</h1>
<p>This page needs ${packages.map((name) => `<code>${escaped(name)}</code>`).join(' and ')} in development:</p>
<pre>npm install --save-dev ${escaped(packages.join(' '))}</pre></main></body>
</html>
`

const linkHtml = ({ to, text, isHere }: HtmlPage['links'][number]): string =>
  `<a href="${escaped(to)}"${isHere ? ' aria-current="page"' : ''}>${escaped(text)}</a>`

function signInHtml(demo: DemoAccounts | null): string {
  const { logins, password } = demo ?? { logins: [], password: '' }
  const options = logins.map((login) => `<option value="${escaped(login)}">`).join('')
  return `<form id="sign-in">
<label>E-mail <input name="email" type="email" list="logins" autocomplete="username" required value="${escaped(logins[0] ?? '')}"></label>
<datalist id="logins">${options}</datalist>
<label>Password <input name="password" type="password" autocomplete="current-password" required value="${escaped(logins.length === 0 ? '' : password)}"></label>
<button>Sign in</button>
<output></output>
</form>`
}

const attributes = (dataset: Readonly<Record<string, string>>): string =>
  Object.entries(dataset)
    .map(([name, value]) => ` data-${name}="${escaped(value)}"`)
    .join('')
