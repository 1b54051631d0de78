// The only script of the service's own pages: gets a passkey of the device, and sends it as a form. (contract 5.17.4)

export const passkeyScript = `const form = document.querySelector('#passkey')
const alert = form.querySelector('[role=alert]')
if (globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) form.hidden = false
form.addEventListener('submit', async (event) => {
  if (form.elements.passkey.value !== '') return
  event.preventDefault()
  try {
    const answer = await fetch(form.dataset.options, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"for":"sign-in"}',
    })
    if (!answer.ok) throw new Error(answer.status)
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await answer.json())
    const credential = await navigator.credentials.get({ publicKey })
    form.elements.passkey.value = JSON.stringify(credential.toJSON())
    form.submit()
  } catch {
    alert.hidden = false
  }
})
`
