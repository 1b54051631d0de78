// The service's own pages for forgotten passwords and proofs of addresses. (contract 5.17.5)

import { type BrowserEndpoints, originOf } from '../endpoint.ts'
import type { Verification } from '../method/verification.ts'
import type { Parts } from '../parts.ts'
import type { PasswordReset } from '../session/password-reset.ts'
import { readTexts, requireField } from '../session/read-texts.ts'
import { again, type PageKit } from './page-kit.ts'
import type { Views } from './views.ts'

export interface AccountPagesOptions extends Pick<Parts, 'model' | 'wakeMails'> {
  readonly passwordReset: Pick<PasswordReset, 'request' | 'redeem'>
  /** Null if no field records which addresses are proved. */
  readonly verification: Verification | null
}

export function createAccountPages(
  { model, wakeMails, passwordReset, verification }: AccountPagesOptions,
  views: Views,
  { textsOf, get, post, tokenPage }: PageKit,
): BrowserEndpoints {
  const forgot = post(async ({ exchange, form, counting, texts }) => {
    const { email } = readTexts(form, ['email'])
    await counting.takeMail(email)
    await passwordReset.request(email, exchange.now)
    wakeMails()
    return views.notice('mail_sent', 'reset_sent', { texts })
  })
  const reset = post(async ({ exchange, form, texts }) => {
    const { token, password: chosen } = readTexts(form, ['token', 'password'])
    try {
      requireField('password', chosen, model.accounts.password.spec)
      await passwordReset.redeem(token, chosen, originOf(exchange), exchange.now)
    } catch (error) {
      return again(error, texts, (shown) => views.resetPassword(token, shown))
    }
    return views.notice('choose_password', 'password_chosen', { texts })
  })
  const verify = ({ verify: prove }: Verification) =>
    post(async ({ exchange, form, texts }) => {
      const sent = { ...readTexts(form, ['token', 'password']), startsOver: false }
      try {
        await prove(sent, null, originOf(exchange), exchange.now)
      } catch (error) {
        return again(error, texts, (shown) => views.verify(sent.token, shown))
      }
      wakeMails()
      return views.notice('confirm_address', 'address_confirmed', { texts })
    })
  return {
    GET: {
      'pages/forgot-password': get(async (exchange) => views.forgotPassword({ texts: textsOf(exchange) })),
      'pages/reset-password': tokenPage(views.resetPassword),
      ...(verification === null ? {} : { 'pages/verify': tokenPage(views.verify) }),
    },
    POST: {
      'pages/forgot-password': forgot,
      'pages/reset-password': reset,
      ...(verification === null ? {} : { 'pages/verify': verify(verification) }),
    },
  }
}
