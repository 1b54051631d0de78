// The HTML of the service's own pages. (contract 5.17)

import type { FailureChallenge } from '../../failure/failure.ts'
import type { Reply } from '../../http/message/exchange.ts'
import { escaped } from '../../http/message/html.ts'
import type { PlainKey } from '../../resource/language/sign-in-texts.ts'
import type { Flow } from '../flow/flow-store.ts'
import { pageReply } from '../flow/html.ts'
import type { Parts } from '../parts.ts'
import type { Texts } from '../text/texts.ts'

/** What one page is made for. */
export interface Shown {
  readonly texts: Texts
  readonly status?: number
  /** Above the form. */
  readonly problem?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

export interface Views {
  signIn(flow: Flow, shown: Shown): Reply
  secondFactor(flow: Flow, challenge: Pick<FailureChallenge, 'token' | 'methods'>, shown: Shown): Reply
  /** Sends the token of a link that was opened. */
  openLink(flow: Flow, token: string, shown: Shown): Reply
  forgotPassword(shown: Shown): Reply
  resetPassword(token: string, shown: Shown): Reply
  verify(token: string, shown: Shown): Reply
  /** One sentence. */
  notice(title: PlainKey, sentence: PlainKey, shown: Shown): Reply
}

export function createViews({ basePath, model }: Pick<Parts, 'basePath' | 'model'>): Views {
  const methods = model.accounts.methods!
  const pages = `${basePath}/auth/pages`
  const script = methods.passkeys ? `${pages}/passkeys.js` : null
  const { form, passkeyForm } = createForms(pages)
  const passkey = (more: string, texts: Texts) => passkeyForm(more, `${basePath}/auth/passkeys/options`, texts)
  function issuerLinks({ returnTo, challenge }: Flow, { text }: Texts): readonly string[] {
    const query = new URLSearchParams({ return_to: returnTo, code_challenge: challenge })
    const links = Object.keys(methods.issuers).map((name) => {
      const label = text('with_issuer', { name: `${name[0]!.toUpperCase()}${name.slice(1)}` })
      return `<li><a class="button plain" href="${escaped(`${basePath}/auth/issuers/${name}?${query}`)}">${escaped(label)}</a></li>`
    })
    return links.length === 0 ? [] : [`<ul>${links.join('')}</ul>`]
  }
  return {
    signIn: (flow, shown) =>
      page(
        'sign_in',
        [
          form('sign-in', emailField(shown.texts) + passwordField(shown.texts), shown.texts, 'sign_in'),
          `<p><a href="${pages}/forgot-password">${escaped(shown.texts.text('forgot_password'))}</a></p>`,
          ...(methods.magicLink ? [form('mail-link', emailField(shown.texts), shown.texts, 'mail_link')] : []),
          ...(methods.passkeys ? [passkey('', shown.texts)] : []),
          ...issuerLinks(flow, shown.texts),
        ],
        shown,
        { flow, script },
      ),
    secondFactor(flow, { token, methods: owed }, shown) {
      const challenge = hidden('challenge', token) + hidden('methods', owed.join(' '))
      const label = owed.includes('totp') ? 'code' : 'recovery_code'
      const codeField = field(shown.texts, label, 'name="code" autocomplete="one-time-code"')
      const hasPasskey = owed.includes('passkey')
      return page(
        'second_factor',
        [
          ...(hasPasskey ? [passkey(challenge, shown.texts)] : []),
          ...(owed.some((each) => each !== 'passkey')
            ? [form('second-factor', challenge + codeField, shown.texts, 'continue')]
            : []),
        ],
        shown,
        { flow, script: hasPasskey ? script : null },
      )
    },
    openLink: (flow, token, shown) =>
      page('sign_in', [form('link', hidden('token', token), shown.texts, 'continue')], shown, { flow }),
    forgotPassword: (shown) =>
      page('forgot_password', [form('forgot-password', emailField(shown.texts), shown.texts, 'continue')], shown),
    resetPassword: (token, shown) =>
      page(
        'choose_password',
        [form('reset-password', hidden('token', token) + passwordField(shown.texts, true), shown.texts, 'continue')],
        shown,
      ),
    verify: (token, shown) =>
      page(
        'confirm_address',
        [
          `<p>${escaped(shown.texts.text('confirm_with_password'))}</p>`,
          form('verify', hidden('token', token) + passwordField(shown.texts), shown.texts, 'continue'),
        ],
        shown,
      ),
    notice: (title, sentence, shown) =>
      page(title, [`<p role="status">${escaped(shown.texts.text(sentence))}</p>`], shown),
  }
}

/** Forms that lead to pages below this address. */
const createForms = (pages: string) => ({
  form: (to: string, fields: string, { text }: Texts, button: PlainKey) =>
    `<form method="post" action="${pages}/${to}">${fields}<button>${escaped(text(button))}</button></form>`,
  passkeyForm: (more: string, options: string, { text }: Texts) =>
    `<form method="post" action="${pages}/passkey" id="passkey" data-options="${options}" hidden>` +
    `${more}${hidden('passkey')}<p role="alert" hidden>${escaped(text('wrong_credentials'))}</p>` +
    `<button class="plain">${escaped(text('with_passkey'))}</button></form>`,
})

const hidden = (name: string, value = '') => `<input type="hidden" name="${name}" value="${escaped(value)}">`
const field = ({ text }: Texts, key: PlainKey, attributes: string) =>
  `<label>${escaped(text(key))} <input ${attributes} required></label>`
const emailField = (texts: Texts) => field(texts, 'email', 'name="email" type="email" autocomplete="username"')
const passwordField = (texts: Texts, isNew = false) =>
  field(
    texts,
    isNew ? 'new_password' : 'password',
    `name="password" type="password" autocomplete="${isNew ? 'new' : 'current'}-password"`,
  )

function page(
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
