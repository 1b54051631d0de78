// Parts of the service's own pages, as HTML. (contract 5.17)

import type { Reply } from '../../http/message/exchange.ts'
import { escaped } from '../../http/message/html.ts'
import type { PlainKey } from '../../resource/language/sign-in-texts.ts'
import type { Flow } from '../flow/flow-store.ts'
import { pageReply } from '../flow/html.ts'
import type { Texts } from '../text/texts.ts'

/** What one page is made for. */
export interface Shown {
  readonly texts: Texts
  readonly status?: number
  /** Above the form. */
  readonly problem?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** Forms that lead to pages below this address. */
export const createForms = (pages: string) => ({
  form: (to: string, fields: string, { text }: Texts, button: PlainKey) =>
    `<form method="post" action="${pages}/${to}">${fields}<button>${escaped(text(button))}</button></form>`,
  passkeyForm: (more: string, options: string, { text }: Texts) =>
    `<form method="post" action="${pages}/passkey" id="passkey" data-options="${options}" hidden>` +
    `${more}${hidden('passkey')}<p role="alert" hidden>${escaped(text('wrong_credentials'))}</p>` +
    `<button class="plain">${escaped(text('with_passkey'))}</button></form>`,
})

export const hidden = (name: string, value = '') => `<input type="hidden" name="${name}" value="${escaped(value)}">`
export const field = ({ text }: Texts, key: PlainKey, attributes: string) =>
  `<label>${escaped(text(key))} <input ${attributes} required></label>`
export const emailField = (texts: Texts) => field(texts, 'email', 'name="email" type="email" autocomplete="username"')
export const passwordField = (texts: Texts, isNew = false) =>
  field(
    texts,
    isNew ? 'new_password' : 'password',
    `name="password" type="password" autocomplete="${isNew ? 'new' : 'current'}-password"`,
  )

export function page(
  title: PlainKey,
  parts: readonly string[],
  { texts, status, problem, headers }: Shown,
  more: { readonly flow?: Flow; readonly script?: string | null } = {},
): Reply {
  const alert = problem === undefined ? [] : [`<p role="alert">${escaped(problem)}</p>`]
  return pageReply({
    ...(status === undefined ? {} : { status }),
    ...(headers === undefined ? {} : { headers }),
    ...(more.flow === undefined ? {} : { formTarget: targetOf(more.flow) }),
    script: more.script ?? null,
    language: texts.language,
    title: texts.text(title),
    body: [...alert, ...parts].join('\n'),
  })
}

/** A source of the policy: an origin, or a private scheme. */
function targetOf({ returnTo }: Flow): string {
  const { protocol, origin } = new URL(returnTo)
  return protocol === 'https:' || protocol === 'http:' ? origin : protocol
}
