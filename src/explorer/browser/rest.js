// Shows the OpenAPI document of a version, and sends what is tried out as the signed-in user.

import { whenDrawn } from './accessible.js'
import { authorization, basePath, nameSomebody, sendWith, watchSignIn } from './sign-in.js'

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

/**
 * The value with references to components in their place, except to one that it is a part of. The package's own way takes seconds
 * for each operation, as it copies the whole document. (swagger-api/swagger-ui#10748)
 */
function resolved(value, document, within = []) {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each) => resolved(each, document, within))
  const { $ref, ...beside } = value
  if (typeof $ref !== 'string')
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolved(each, document, within)]))
  const target = within.includes($ref) ? undefined : at(document, $ref.split('/').slice(1))
  return target === undefined ? value : { ...resolved(target, document, [...within, $ref]), ...beside, $$ref: $ref }
}
const at = (document, path) => path.reduce((parent, key) => parent?.[key], document)
const resolveSubtree = async (document, path) => ({ spec: resolved(at(document, path), document), errors: [] })

const address = `${location.origin}${basePath}/api/${version}/openapi.json`
/** What is tried goes to the origin of this page, whatever name of the service the document has. */
const withOwnServer = (text) => JSON.stringify({ ...JSON.parse(text), servers: [{ url: basePath || '/' }] })
const api = `${location.origin}${basePath}/api/v`
globalThis.SwaggerUIBundle({
  domNode: page,
  url: address,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  plugins: [
    // A link within the button that opens an operation would be two things in one place.
    ({ React }) => ({ components: { DeepLink: ({ text }) => React.createElement('span', null, text) } }),
    () => ({ fn: { resolveSubtree } }),
  ],
  // The document is sent to no validator outside.
  validatorUrl: null,
  // What is authorized there by hand, such as an API key, takes precedence over the signed-in user.
  requestInterceptor: async (request) => {
    const { url, headers } = request
    if (url === address || !new URL(url, location.origin).href.startsWith(api)) return request
    const credential = nameSomebody(headers) ? {} : await authorization()
    // The command of curl beside the answer shows these headers.
    const userFetch = (...sent) => sendWith(credential, ...sent)
    return { ...request, headers: { ...headers, ...credential }, userFetch }
  },
  responseInterceptor: (response) =>
    response.url === address && response.ok ? { ...response, text: withOwnServer(response.text) } : response,
})
watchSignIn()

const dark = matchMedia('(prefers-color-scheme: dark)')
const showMode = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', showMode)
showMode()

/** The parameter that it is for, or what else it holds. */
const labelOf = (control) =>
  control.closest('tr[data-param-name]')?.dataset.paramName ??
  (control.closest('.opblock-section-request-body') === null ? 'Media type' : 'Request body')
whenDrawn(page, () => {
  for (const control of page.querySelectorAll(':is(select, textarea, input):not([aria-label], [id])'))
    control.setAttribute('aria-label', labelOf(control))
  // Users of the keyboard scroll what has the focus.
  for (const example of page.querySelectorAll('.microlight:not([tabindex])')) example.tabIndex = 0
})
