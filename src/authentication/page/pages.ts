// The service's own pages: they sign in within a flow, reset passwords and confirm addresses. (contract 5.17)

import type { IncomingHttpHeaders } from 'node:http'
import { Failure, type FailureChallenge } from '../../failure/failure.ts'
import type { Exchange, Reply } from '../../http/message/exchange.ts'
import type { Limits } from '../../limits.ts'
import type { SpecBase } from '../../resource/field/field.ts'
import type { AccountsModel } from '../../resource/model/model.ts'
import type { Store } from '../../store/store.ts'
import type { Account, AccountStore } from '../account/account-store.ts'
import type { AuthEndpoint, BrowserEndpoints, EndpointLimits } from '../endpoint.ts'
import { noStore, originOf } from '../endpoint.ts'
import type { Flows, OpenFlow } from '../flow/flows.ts'
import { problemReply } from '../flow/problem-page.ts'
import type { MailStore } from '../mail/mail-store.ts'
import type { CompleteLogin } from '../method/login/complete-login.ts'
import { type Attempt, formOf, type LoginForm, type Proof } from '../method/login/proof.ts'
import { magicLinkSeconds } from '../method/magic-link.ts'
import type { Verification } from '../method/verification.ts'
import { hashOpaqueToken } from '../opaque-token.ts'
import type { PasswordReset } from '../session/password-reset.ts'
import { readTexts, requireField } from '../session/read-texts.ts'
import { requireSameOrigin } from '../session/refresh-cookie.ts'
import { pageTexts, type Texts } from '../text/texts.ts'
import { passkeyScript } from './passkey-script.ts'
import { jsonIn, readForm } from './read-form.ts'
import { createViews, type Shown } from './views.ts'

export interface PagesOptions {
  readonly model: { readonly accounts: AccountsModel }
  readonly store: Store
  readonly accounts: AccountStore
  readonly flows: Flows
  readonly forms: readonly LoginForm[]
  readonly completeLogin: Pick<CompleteLogin, 'settle'>
  readonly mails: MailStore
  readonly wakeMails: () => void
  readonly passwordReset: Pick<PasswordReset, 'request' | 'redeem'>
  /** Null if no field records which addresses are proved. */
  readonly verification: Verification | null
  readonly isSameOrigin: (headers: IncomingHttpHeaders) => boolean
  readonly basePath: string
  readonly limits: Pick<Limits, 'authBodyBytes'>
}

type Form = Readonly<Record<string, string>>
interface Sent {
  readonly exchange: Exchange
  readonly form: Form
  readonly counting: EndpointLimits
  readonly texts: Texts
}

export function createPages(options: PagesOptions): BrowserEndpoints {
  const { model, store, accounts, flows, forms, completeLogin, passwordReset, verification, limits } = options
  const { methods, password, texts: ownTexts } = model.accounts
  const views = createViews({ basePath: options.basePath, methods: methods! })
  const textsOf = ({ headers }: Exchange) => pageTexts(headers['accept-language'], ownTexts)
  const attemptOf = (exchange: Exchange): Attempt => ({ origin: originOf(exchange), now: exchange.now, session: null })

  const withProblems =
    (work: (exchange: Exchange, counting: EndpointLimits) => Promise<Reply>): AuthEndpoint =>
    (exchange, counting) =>
      work(exchange, counting).catch((error: unknown) => {
        if (error instanceof Failure) return problemReply(error, textsOf(exchange))
        throw error
      })
  const post = (work: (sent: Sent) => Promise<Reply>): AuthEndpoint =>
    withProblems(async (exchange, counting) => {
      requireSameOrigin(exchange.headers, options.isSameOrigin)
      const form = await readForm(exchange, limits)
      return work({ exchange, form, counting, texts: textsOf(exchange) })
    })
  const tokenPage = (show: (token: string, shown: Shown) => Reply): AuthEndpoint =>
    withProblems(async (exchange) => {
      const token = new URLSearchParams(exchange.query).get('token') ?? ''
      return show(token, { texts: textsOf(exchange) })
    })
  async function requireFlow({ headers, now }: Exchange): Promise<OpenFlow> {
    const open = await flows.find(headers, now)
    if (open === null || open.flow.issuer !== null) throw new Failure('INVALID_TOKEN')
    return open
  }

  /** Ends the flow with a code, or shows what is owed. */
  async function finish(proof: Proof, open: OpenFlow, { exchange, texts }: Sent): Promise<Reply> {
    const attempt = attemptOf(exchange)
    const codeOf = (isComplete: boolean) =>
      function* ({ id: userId }: Pick<Account, 'id'>) {
        if (!(yield* flows.end(open))) throw new Failure('INVALID_TOKEN')
        const { access: epoch } = yield* accounts.epochs(userId)
        const proved = { purpose: 'sign-in', userId, methods: proof.methods, isComplete, epoch } as const
        return yield* flows.addCode(open.flow, proved, attempt.now)
      }
    try {
      const code = await completeLogin.settle(proof, attempt, codeOf(true))
      if (proof.event !== undefined) options.wakeMails()
      return flows.leave(open.flow, { code })
    } catch (error) {
      const challenge = challengeOf(error)
      if (challenge === null) throw error
      if (!challenge.methods.includes('setup')) return views.secondFactor(open.flow, challenge, { texts })
      // The client gets the challenge, and sets it up.
      return flows.leave(open.flow, { code: await store.write(() => codeOf(false)(proof.account)) })
    }
  }
  /** `body` as login takes it. `again` shows the form with what was wrong. */
  async function prove(body: object, sent: Sent, again: (open: OpenFlow, shown: Shown) => Reply): Promise<Reply> {
    const open = await requireFlow(sent.exchange)
    try {
      const form = formOf(body as never, forms)
      await sent.counting.takeStep(form.step)
      return await finish(await form.prove(body as never, attemptOf(sent.exchange)), open, sent)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return again(open, shownFor(error, sent.texts))
    }
  }
  const signInAgain = ({ flow }: OpenFlow, shown: Shown) => views.signIn(flow, shown)
  const factorAgain =
    ({ challenge = '', methods: owed = '' }: Form) =>
    ({ flow }: OpenFlow, shown: Shown) =>
      views.secondFactor(flow, { token: challenge, methods: owed.split(' ') }, shown)

  const GET: Record<string, AuthEndpoint> = {
    'pages/sign-in': withProblems(async (exchange) => {
      const { flow, cookie } = await flows.begin(exchange.query, null, exchange.now)
      return views.signIn(flow, { texts: textsOf(exchange), headers: { 'Set-Cookie': cookie } })
    }),
    'pages/forgot-password': withProblems(async (exchange) => views.forgotPassword({ texts: textsOf(exchange) })),
    'pages/reset-password': tokenPage(views.resetPassword),
  }
  const POST: Record<string, AuthEndpoint> = {
    'pages/sign-in': post((sent) => prove(sent.form, sent, signInAgain)),
    'pages/second-factor': post((sent) => {
      const { challenge, code } = sent.form
      return prove({ challenge, code: code?.trim() }, sent, factorAgain(sent.form))
    }),
    'pages/forgot-password': post(async ({ exchange, form, counting, texts }) => {
      const { email } = readTexts(form, ['email'])
      await counting.takeMail(email)
      await passwordReset.request(email, exchange.now)
      options.wakeMails()
      return views.notice('mail_sent', 'reset_sent', { texts })
    }),
    'pages/reset-password': post(async ({ exchange, form, texts }) => {
      const { token, password: chosen } = readTexts(form, ['token', 'password'])
      try {
        requireField('password', chosen, password.spec as SpecBase)
        await passwordReset.redeem(token, chosen, originOf(exchange), exchange.now)
      } catch (error) {
        if (error instanceof Failure) return views.resetPassword(token, shownFor(error, texts))
        throw error
      }
      return views.notice('choose_password', 'password_chosen', { texts })
    }),
  }
  if (methods!.magicLink) {
    GET['pages/link'] = withProblems(async (exchange) => {
      const texts = textsOf(exchange)
      const open = await flows.find(exchange.headers, exchange.now)
      if (open === null || open.flow.issuer !== null)
        return views.notice('sign_in', 'open_here', { texts, status: 400 })
      return views.openLink(open.flow, new URLSearchParams(exchange.query).get('token') ?? '', { texts })
    })
    POST['pages/mail-link'] = post(async ({ exchange, form, counting, texts }) => {
      const { secrets } = await requireFlow(exchange)
      const { email } = readTexts(form, ['email'])
      await counting.takeMail(email)
      const mail = { kind: 'page_magic', address: email.toLowerCase(), userId: null } as const
      const detail = hashOpaqueToken(secrets.verifier)
      await store.write(() => options.mails.add({ ...mail, detail, lifetimeSeconds: magicLinkSeconds }, exchange.now))
      options.wakeMails()
      return views.notice('mail_sent', 'link_sent', { texts })
    })
    POST['pages/link'] = post(async (sent) => {
      const { secrets } = await requireFlow(sent.exchange)
      const body = { token: sent.form['token'], code_verifier: secrets.verifier }
      return prove(body, sent, signInAgain)
    })
  }
  if (methods!.passkeys) {
    GET['pages/passkeys.js'] = () => ({
      status: 200,
      headers: { ...noStore, 'Content-Type': 'text/javascript; charset=utf-8' },
      body: passkeyScript,
    })
    POST['pages/passkey'] = post((sent) => {
      const { challenge, passkey } = sent.form
      const body = { ...(challenge === undefined ? {} : { challenge }), passkey: jsonIn(passkey) }
      return prove(body, sent, challenge === undefined ? signInAgain : factorAgain(sent.form))
    })
  }
  if (verification !== null) {
    GET['pages/verify'] = tokenPage(views.verify)
    POST['pages/verify'] = post(async ({ exchange, form, texts }) => {
      const sent = { ...readTexts(form, ['token', 'password']), startsOver: false }
      try {
        await verification.verify(sent, null, originOf(exchange), exchange.now)
      } catch (error) {
        if (error instanceof Failure) return views.verify(sent.token, shownFor(error, texts))
        throw error
      }
      options.wakeMails()
      return views.notice('confirm_address', 'address_confirmed', { texts })
    })
  }
  return { GET, POST }
}

const challengeOf = (error: unknown): FailureChallenge | null =>
  (error instanceof Failure ? error.challenge : undefined) ?? null

/** A form again, with what was wrong. 400: the request has none of the caller's credentials. */
function shownFor({ code, status, message, details = [], retryAfterSeconds }: Failure, texts: Texts): Shown {
  const sentences: Partial<Record<Failure['code'], string>> = {
    INVALID_CREDENTIALS: texts.text('wrong_credentials'),
    VERIFICATION_REQUIRED: texts.text('not_verified'),
    RATE_LIMIT_EXCEEDED: texts.text('too_many_tries'),
    INVALID_TOKEN: texts.text('ended'),
    TOKEN_EXPIRED: texts.text('ended'),
    CONFLICT: texts.text('taken'),
  }
  const problem = sentences[code] ?? [message, ...details.map((each) => each.message)].join(' ')
  return {
    texts,
    problem,
    status: status === 401 ? 400 : status,
    ...(retryAfterSeconds === undefined ? {} : { headers: { 'Retry-After': String(retryAfterSeconds) } }),
  }
}
