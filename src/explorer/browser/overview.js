// Sends what is tried on the front page as the signed-in user, and shows the answers.

import { basePath, send as sendAs, watchSignIn } from './sign-in.js'

watchSignIn()

for (const form of document.querySelectorAll('form.try')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void send(form)
  })
  form.querySelector('.why').addEventListener('click', () => void explain(form))
}

async function send(form) {
  const [button, output, answer] = [
    form.querySelector('button'),
    form.querySelector('output'),
    form.querySelector('.answer'),
  ]
  const { path, body } = Object.fromEntries(new FormData(form))
  const why = form.querySelector('.why')
  button.disabled = true
  why.hidden = true
  output.textContent = ''
  const begin = performance.now()
  try {
    const content = body === undefined ? {} : { body, headers: { 'Content-Type': 'application/json' } }
    const response = await sendAs(basePath + path, { method: form.dataset.method, ...content })
    const text = await response.text()
    const json = read(text)
    output.textContent = `${response.status} in ${Math.round(performance.now() - begin)} ms`
    answer.textContent = json === undefined ? text : JSON.stringify(json, null, 2)
    answer.hidden = text === ''
    why.hidden = response.ok
  } catch {
    output.textContent = 'The service does not answer.'
    answer.hidden = true
  } finally {
    button.disabled = false
  }
}

/** Which rule refused the request, in place of what was answered. */
async function explain(form) {
  const { path } = Object.fromEntries(new FormData(form))
  const question = new URLSearchParams({ method: form.dataset.method, path })
  const answer = form.querySelector('.answer')
  try {
    const response = await sendAs(`${basePath}/docs/why?${question}`)
    answer.textContent = await response.text()
  } catch {
    answer.textContent = 'The service does not answer.'
  }
  answer.hidden = false
}

function read(text) {
  try {
    return JSON.parse(text)
  } catch {
    // An answer may be of another media type, or empty.
    return undefined
  }
}

// A link to a call opens it; a printed page has everything open.
const openTarget = () => document.getElementById(location.hash.slice(1))?.closest('details')?.setAttribute('open', '')
addEventListener('hashchange', openTarget)
openTarget()
addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('details')) details.open = true
})
