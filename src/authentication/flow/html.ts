// The HTML of pages for browsers: no script, no address elsewhere, a strict policy. (contract 4.10.2)

import { createHash } from 'node:crypto'
import type { Failure } from '../../failure/failure.ts'
import type { Reply } from '../../http/message/exchange.ts'
import { escaped } from '../../http/message/html.ts'
import { noStore } from '../endpoint.ts'
import type { Texts } from '../text/texts.ts'

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; accent-color: #2454d6 }
body { margin: 0; min-height: 100vh; display: grid; place-items: center }
main { width: min(24rem, 100% - 2rem); padding-block: 2rem }
h1 { font-size: 1.5rem; line-height: 1.2 }
form { margin-block: 1.5rem; display: grid; gap: 1rem }
label { display: grid; gap: .25rem }
input, button, .button { font: inherit; padding: .6rem .75rem; border: 1px solid #767676; border-radius: .4rem; box-sizing: border-box; width: 100% }
button, .button { background: #2454d6; border-color: #2454d6; color: #fff; cursor: pointer; text-align: center; text-decoration: none; display: block }
.plain { background: none; color: inherit; border-color: #767676 }
[role=alert] { border-inline-start: 4px solid #c4261d; padding: .5rem .75rem }
code { overflow-wrap: anywhere; font-size: 1.05em }
ul { padding: 0; list-style: none; display: grid; gap: .5rem }
`
const styleHash = createHash('sha256').update(style).digest('base64')

interface PageOptions {
  readonly status?: number
  readonly language: string
  readonly title: string
  /** HTML. */
  readonly body: string
  /** Where its forms may lead besides here: the origin of `return_to`, since Chromium applies the policy to redirects. */
  readonly formTarget?: string
  /** The address of its only script, of passkeys. */
  readonly script?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

export function pageReply({
  status = 200,
  language,
  title,
  body,
  formTarget,
  script = null,
  headers,
}: PageOptions): Reply {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    `form-action 'self'${formTarget === undefined ? '' : ` ${formTarget}`}`,
    ...(script === null ? [] : ["script-src 'self'", "connect-src 'self'"]),
  ]
  const html = `<!doctype html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="same-origin">
<title>${escaped(title)}</title>
<style>${style}</style>
${script === null ? '' : `<script type="module" src="${escaped(script)}"></script>\n`}</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${body}
</main>
</body>
</html>
`
  const type = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy.join('; ') }
  return { status, headers: { ...noStore, ...type, ...headers }, body: html }
}

/**
 * Where a sign-in cannot go on, and no client is known to return to. 400 for a token that is not valid: the request has none of
 * the caller's credentials. (contract 5.16.2)
 */
export function problemReply(
  { code, status, message, details = [], retryAfterSeconds }: Failure,
  { language, text }: Texts,
): Reply {
  const isOver = code === 'INVALID_TOKEN'
  const problems = details.map(({ field, message }) => `<li><code>${escaped(field)}</code>: ${escaped(message)}</li>`)
  const sentence = isOver ? text('start_again') : message
  return pageReply({
    status: isOver ? 400 : status,
    language,
    title: isOver ? text('cannot_go_on') : text('sign_in'),
    body: `<p role="alert">${escaped(sentence)}</p>${problems.length === 0 ? '' : `<ul>${problems.join('')}</ul>`}`,
    ...(retryAfterSeconds === undefined ? {} : { headers: { 'Retry-After': String(retryAfterSeconds) } }),
  })
}
