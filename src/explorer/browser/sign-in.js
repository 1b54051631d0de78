// Signs in with the form at the top of a page. The access token is kept for this tab, so that the other pages and a reload have it,
// until it ends; the refresh token is not: two tabs that used it would end the session.

/** The path of a host below which the service is; empty where that is its root. */
export const basePath = document.getElementById('page').dataset.base

const key = `duet-explorer${basePath}`

/** { email, token, endsAt } or null. */
let session = null
let show = () => {}

/** The header that says who asks; nothing where nobody is signed in. */
export const authorization = () => (session === null ? {} : { Authorization: `Bearer ${session.token}` })

/** Ends what is shown as soon as the service says that it has ended, whatever the clock says: `code` is that of a refusal. */
export function noteRefusal(code) {
  if (session !== null && (code === 'TOKEN_EXPIRED' || code === 'INVALID_TOKEN')) show(null, over)
}

const over = 'The session has ended: sign in again.'

/** Calls `changed` with the token, or with null, whenever somebody signs in or out, and for whoever is signed in already. */
export function watchSignIn(changed) {
  const form = document.getElementById('sign-in')
  const [button, output] = [form.querySelector('button'), form.querySelector('output')]
  let timer
  show = (next, sentence) => {
    session = next
    if (next === null) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, JSON.stringify(next))
    clearTimeout(timer)
    if (next !== null) timer = setTimeout(() => show(null, over), next.endsAt - Date.now())
    form.classList.toggle('signed-in', next !== null)
    button.textContent = next === null ? 'Sign in' : 'Sign out'
    output.textContent = sentence
    changed(next?.token ?? null)
  }
  // A timer sleeps with its machine.
  document.addEventListener('visibilitychange', () => {
    if (session !== null && session.endsAt <= Date.now()) show(null, over)
  })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (session !== null) return show(null, '')
    button.disabled = true
    const { email, password } = Object.fromEntries(new FormData(form))
    try {
      const body = JSON.stringify({ email, password })
      const headers = { 'Content-Type': 'application/json' }
      const response = await fetch(`${basePath}/auth/login`, { method: 'POST', headers, body })
      const answer = await response.json()
      if (response.ok) showSession({ email, token: answer.access_token, endsAt: Date.now() + answer.expires_in * 1000 })
      else show(null, answer.error.message)
    } catch {
      // Where there is no answer at all, there is nobody else to tell.
      show(null, 'The service does not answer.')
    } finally {
      button.disabled = false
    }
  })
  const savedSession = JSON.parse(sessionStorage.getItem(key))
  if (savedSession === null) return
  if (savedSession.endsAt > Date.now()) showSession(savedSession)
  else show(null, over)
}

const showSession = (next) => show(next, `Signed in as ${next.email}`)
