// Signs in with the form at the top of a page, and keeps the access token in memory: a reload forgets it.

let token = null

/** The header that says who asks; nothing where nobody is signed in. */
export const authorization = () => (token === null ? {} : { Authorization: `Bearer ${token}` })

/** Calls `changed` with the token, or with null, whenever somebody signs in or out. */
export function watchSignIn(changed) {
  const form = document.getElementById('sign-in')
  const [button, output] = [form.querySelector('button'), form.querySelector('output')]
  const show = (next, sentence) => {
    token = next
    form.classList.toggle('signed-in', token !== null)
    button.textContent = token === null ? 'Sign in' : 'Sign out'
    output.textContent = sentence
    changed(token)
  }
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (token !== null) return show(null, '')
    button.disabled = true
    const { email, password } = Object.fromEntries(new FormData(form))
    try {
      const body = JSON.stringify({ email, password })
      const headers = { 'Content-Type': 'application/json' }
      const answer = await fetch('/auth/login', { method: 'POST', headers, body })
      const said = await answer.json()
      if (answer.ok) show(said.access_token, `Signed in as ${email}`)
      else show(null, said.error.message)
    } catch {
      // Where there is no answer at all, there is nobody else to tell.
      show(null, 'The service does not answer.')
    } finally {
      button.disabled = false
    }
  })
}
