// Shows the OpenAPI document of a version, and sends what is tried out as whoever is signed in.

import { watchSignIn } from './sign-in.js'

const page = document.getElementById('page')
const versions = page.dataset.versions.split(' ')
const asked = new URLSearchParams(location.search).get('version')
const version = versions.includes(asked) ? asked : versions.at(-1)

const nav = document.querySelector('nav')
for (const each of versions) {
  const link = document.createElement('a')
  link.href = `/docs?version=${each}`
  link.textContent = each
  link.className = 'version'
  if (each === version) link.setAttribute('aria-current', 'true')
  nav.append(link)
}

const viewer = globalThis.SwaggerUIBundle({
  domNode: page,
  url: `/api/${version}/openapi.json`,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // Nobody outside is asked what they think of the document.
  validatorUrl: null,
})
watchSignIn((token) => {
  const schema = { type: 'http', scheme: 'bearer' }
  if (token === null) viewer.authActions.logout(['bearer'])
  else viewer.authActions.authorize({ bearer: { name: 'bearer', schema, value: token } })
})
