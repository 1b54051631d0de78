// One sign-in for all pages and all tabs: the session of `duet-api/client`, which renews itself, and the form that tells of it.

import { createSend } from './client/send/send.js'
import { Session } from './client/send/session.js'
import { memoryStorage, queue } from './client/send/storage.js'
import { realSurroundings } from './client/send/surroundings.js'
import { tabChannel, tabStorage } from './client/send/tab-storage.js'

const { base, refresh } = document.getElementById('page').dataset
/** The path of a host below which the service is; empty where that is its root. */
export const basePath = base

const isInCookie = refresh === 'cookie'
const name = `duet-explorer${basePath}`
/** Who signed in at these pages: { email, subject } or null. */
const account = jsonAt(localStorage, `${name} account`)

const session = new Session({
  // A user would rather read of a failure than wait for half a minute of attempts.
  send: createSend({
    ...{ baseUrl: basePath, surroundings: realSurroundings, headers: {} },
    ...{ timeoutMs: 10_000, tryTimeoutMs: 5_000, triesMax: 2, pauseMs: 500, pauseMaxMs: 500 },
  }),
  storage: isInCookie ? cookieStorage() : bodyStorage(),
  isInCookie,
  now: realSurroundings.now,
})

/** An origin has one such cookie: an application there that signs in with our client and these pages renew it in turn. */
function cookieStorage() {
  return navigator.locks === undefined ? memoryStorage() : tabChannel()
}

/** Without https there are no locks between tabs: then each tab has a session of its own, which ends with it. */
function bodyStorage() {
  if (navigator.locks !== undefined) return tabStorage(name)
  const tokens = jsonAt(sessionStorage, name)
  return { ...tokens, exclusively: queue() }
}

function jsonAt(storage, key) {
  return {
    key,
    read() {
      try {
        return JSON.parse(storage.getItem(key))
      } catch {
        // Another program's.
        return null
      }
    },
    write: (value) => storage.setItem(key, JSON.stringify(value)),
  }
}

/** The header with the access token, renewed if it is due; nothing if no user is signed in. */
export async function authorization() {
  try {
    return await session.headers()
  } catch (error) {
    if (error.code !== 'SIGNED_OUT') throw error
    return {}
  }
}

/** After this credential was refused: whether there is another. What ends the session is told beside the form. */
export async function renew(credential) {
  try {
    return await session.renew(credential)
  } catch {
    // The refusal that it began with is answered.
    return false
  }
}

/** Whether these headers contain a credential. */
export const nameSomebody = (headers = {}) =>
  Object.keys(headers).some((header) => /^(authorization|x-api-key)$/i.test(header))

/** Fetches as the signed-in user, unless `options` contain a credential. */
export const send = async (url, options = {}) =>
  sendWith(nameSomebody(options.headers) ? {} : await authorization(), url, options)

/** Fetches with this credential, and once more where a renewal helps. */
export async function sendWith(credential, url, options) {
  const attempt = (headers) => fetch(url, { ...options, headers: { ...options.headers, ...headers } })
  const response = await attempt(credential)
  return (await isRefused(response)) && (await renew(credential)) ? attempt(await authorization()) : response
}

/** GraphQL refuses with 200 as well. */
async function isRefused(response) {
  if (!/^application\/[\w.+-]*json/.test(response.headers.get('Content-Type') ?? '')) return false
  const answer = await response
    .clone()
    .json()
    .catch(() => null)
  const code = response.status === 401 ? answer?.error?.code : undefined
  return ['TOKEN_EXPIRED', 'INVALID_TOKEN'].includes(code ?? answer?.errors?.[0]?.extensions?.code)
}

const sentences = {
  SIGNED_OUT: 'Signed out in another tab.',
  TOKEN_REUSED:
    'The session has ended, and every other one of this account: its refresh token was used twice. Sign in again.',
}
const over = 'The session has ended: sign in again.'
const noAnswer = 'The service does not answer.'

/** Lets the form sign in and out, and calls `changed` whenever another user is signed in, or none any more. */
export function watchSignIn(changed = () => {}) {
  const form = document.getElementById('sign-in')
  const [button, output] = [form.querySelector('button'), form.querySelector('output')]
  let subject = null
  let isLeaving = false

  function show(next, sentence) {
    form.classList.toggle('signed-in', next !== null)
    button.textContent = next === null ? 'Sign in' : 'Sign out'
    output.textContent = sentence
    if (next === subject) return
    subject = next
    changed()
  }

  /** Shows who is signed in, and whether they still are. */
  async function look() {
    // Where only a cookie knows, the service is asked on behalf of those alone who signed in here.
    if (isInCookie && account.read() === null) return
    try {
      const { Authorization: header } = (await session.restore()) ? await session.headers() : {}
      if (header === undefined) return subject === null ? undefined : show(null, over)
      const next = subjectOf(header)
      const { email, subject: saved } = account.read() ?? {}
      show(next, `Signed in as ${saved === next ? email : next}`)
    } catch (error) {
      if (error.code !== 'SIGNED_OUT') output.textContent = noAnswer
    }
  }

  session.onSignedOut(({ reason }) => {
    account.write(null)
    show(null, isLeaving ? '' : (sentences[reason] ?? over))
  })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    button.disabled = true
    try {
      if (subject === null) await signIn(Object.fromEntries(new FormData(form)))
      else await signOut()
    } finally {
      button.disabled = false
    }
  })

  async function signIn(login) {
    try {
      await session.signIn(login)
      account.write({ email: login.email, subject: subjectOf((await session.headers()).Authorization) })
      await look()
    } catch (error) {
      show(null, error.status === 0 ? noAnswer : error.message)
    }
  }

  async function signOut() {
    isLeaving = true
    try {
      await session.signOut()
    } catch {
      output.textContent = 'Signed out here; the service could not be reached.'
    } finally {
      isLeaving = false
    }
  }

  // A user signed in in another tab, or returns to this one.
  addEventListener('storage', ({ key, newValue }) => {
    if (key === account.key && newValue !== 'null') void look()
  })
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void look()
  })
  void look()
}

/** Whose token it is. (contract 5.1.1) */
const subjectOf = (header) => JSON.parse(atob(header.split('.')[1].replaceAll('-', '+').replaceAll('_', '/'))).sub
