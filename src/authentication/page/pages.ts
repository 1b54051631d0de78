// The service's own pages: they sign in within a flow, reset passwords and confirm addresses. (contract 5.17)

import { type AuthEndpoint, type BrowserEndpoints, noStore } from '../endpoint.ts'
import type { Flows, OpenFlow } from '../flow/flows.ts'
import { hashOpaqueToken } from '../opaque-token.ts'
import type { Parts } from '../parts.ts'
import { readTexts } from '../session/read-texts.ts'
import { type AccountPagesOptions, createAccountPages } from './account-pages.ts'
import { createPageFlow, type PageFlow, type PageFlowDependencies } from './page-flow.ts'
import { createPageKit, jsonIn, type PageKit, type Sent, tokenIn } from './page-kit.ts'
import { passkeyScript } from './passkey-script.ts'
import { createViews, type Shown, type Views } from './views.ts'

type PagesOptions = Parts & AccountPagesOptions & PageFlowDependencies
interface PageParts {
  readonly views: Views
  readonly kit: PageKit
  readonly flow: PageFlow
}

export function createPages(options: PagesOptions): BrowserEndpoints {
  const { methods } = options.model.accounts
  const views = createViews(options)
  const kit = createPageKit(options)
  const parts: PageParts = { views, kit, flow: createPageFlow(options, views) }
  const groups: readonly BrowserEndpoints[] = [
    signInPages(options.flows, parts),
    ...(methods!.magicLink ? [linkPages(options, parts)] : []),
    ...(methods!.passkeys ? [passkeyPages(parts)] : []),
    createAccountPages(options, views, kit),
  ]
  const all = (method: 'GET' | 'POST'): Readonly<Record<string, AuthEndpoint>> =>
    Object.assign({}, ...groups.map((each) => each[method]))
  return { GET: all('GET'), POST: all('POST') }
}

const signInAgain =
  ({ signIn }: Views) =>
  ({ flow }: OpenFlow, shown: Shown) =>
    signIn(flow, shown)
const factorAgain =
  ({ secondFactor }: Views, { challenge = '', methods = '' }: Sent['form']) =>
  ({ flow }: OpenFlow, shown: Shown) =>
    secondFactor(flow, { token: challenge, methods: methods.split(' ') }, shown)

const signInPages = (flows: Flows, { views, kit, flow: current }: PageParts): BrowserEndpoints => ({
  GET: {
    'pages/sign-in': kit.get(async (exchange) => {
      const { flow, cookie } = await flows.begin(exchange.query, null, exchange.now)
      return views.signIn(flow, { texts: kit.textsOf(exchange), headers: { 'Set-Cookie': cookie } })
    }),
  },
  POST: {
    'pages/sign-in': kit.post((sent) => current.prove(sent.form, sent, signInAgain(views))),
    'pages/second-factor': kit.post((sent) => {
      const { challenge, code } = sent.form
      return current.prove({ challenge, code: code?.trim() }, sent, factorAgain(views, sent.form))
    }),
  },
})

const linkPages = (options: PagesOptions, { views, kit, flow: current }: PageParts): BrowserEndpoints => ({
  GET: {
    'pages/link': kit.get(async (exchange) => {
      const texts = kit.textsOf(exchange)
      const open = await options.flows.find(exchange.headers, exchange.now)
      if (open === null || open.flow.issuer !== null)
        return views.notice('sign_in', 'open_here', { texts, status: 400 })
      return views.openLink(open.flow, tokenIn(exchange), { texts })
    }),
  },
  POST: {
    'pages/mail-link': kit.post(async ({ exchange, form, counting, texts }) => {
      const { secrets } = await current.require(exchange)
      const { email } = readTexts(form, ['email'])
      await counting.takeMail(email)
      const [address, detail] = [email.toLowerCase(), hashOpaqueToken(secrets.verifier)]
      const { store, mails } = options
      await store.write(() => mails.add({ kind: 'page_magic', address, userId: null, detail }, exchange.now))
      options.wakeMails()
      return views.notice('mail_sent', 'link_sent', { texts })
    }),
    'pages/link': kit.post(async (sent) => {
      const { secrets } = await current.require(sent.exchange)
      const body = { token: sent.form['token'], code_verifier: secrets.verifier }
      return current.prove(body, sent, signInAgain(views))
    }),
  },
})

const passkeyPages = ({ views, kit, flow: current }: PageParts): BrowserEndpoints => ({
  GET: {
    'pages/passkeys.js': () => ({
      status: 200,
      headers: { ...noStore, 'Content-Type': 'text/javascript; charset=utf-8' },
      body: passkeyScript,
    }),
  },
  POST: {
    'pages/passkey': kit.post((sent) => {
      const { challenge, passkey } = sent.form
      const body = { ...(challenge === undefined ? {} : { challenge }), passkey: jsonIn(passkey) }
      return current.prove(body, sent, challenge === undefined ? signInAgain(views) : factorAgain(views, sent.form))
    }),
  },
})
