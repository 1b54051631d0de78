// Shows the OpenAPI document of a version, and sends what is tried out as whoever is signed in.

import { basePath, noteRefusal, watchSignIn } from './sign-in.js'

const page = document.getElementById('page')
const versions = page.dataset.versions.split(' ')
const requestedVersion = new URLSearchParams(location.search).get('version')
const version = versions.includes(requestedVersion) ? requestedVersion : versions.at(-1)

const nav = document.querySelector('nav')
for (const each of versions) {
  const link = document.createElement('a')
  link.href = `${basePath}/docs/rest?version=${each}`
  link.textContent = each
  link.className = 'version'
  if (each === version) link.setAttribute('aria-current', 'true')
  nav.append(link)
}

function codeOf(text) {
  try {
    return JSON.parse(text).error.code
  } catch {
    // Something between here and the service answered.
    return null
  }
}
const address = `${location.origin}${basePath}/api/${version}/openapi.json`
/** What is tried goes to the origin of this page, whatever name of the service the document has. */
const withOwnServer = (text) => JSON.stringify({ ...JSON.parse(text), servers: [{ url: basePath || '/' }] })
const viewer = globalThis.SwaggerUIBundle({
  domNode: page,
  url: address,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // Nobody outside is asked what they think of the document.
  validatorUrl: null,
  // What is tried at /auth says nothing about whoever is signed in here.
  responseInterceptor: (response) => {
    if (response.url === address && response.ok) return { ...response, text: withOwnServer(response.text) }
    if (response.status === 401 && response.url.startsWith(`${location.origin}${basePath}/api/v`))
      noteRefusal(codeOf(response.text))
    return response
  },
})
watchSignIn((token) => {
  const schema = { type: 'http', scheme: 'bearer' }
  if (token === null) viewer.authActions.logout(['bearer'])
  else viewer.authActions.authorize({ bearer: { name: 'bearer', schema, value: token } })
})
