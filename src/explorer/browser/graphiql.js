// GraphiQL over our own endpoint, by HTTP and by WebSocket, as the signed-in user.

import { whenDrawn } from './accessible.js'
import { authorization, basePath, renew, send, watchSignIn } from './sign-in.js'

const { React, ReactDOM, GraphiQL, graphqlWs } = globalThis
const page = document.getElementById('page')
const parameters = new URLSearchParams(location.search)

/** What the connection was opened with. */
let credential = {}
const socket = graphqlWs.createClient({
  url: `${location.protocol.replace('http', 'ws')}//${location.host}${basePath}/graphql`,
  connectionParams: async () => {
    credential = await authorization()
    return credential
  },
  // It comes back of itself, with whatever is renewed by then. (contract 6.2.3)
  on: { closed: ({ code }) => code === 4403 && void renew(credential) },
})
const fetcher = GraphiQL.createFetcher({ url: `${basePath}/graphql`, wsClient: socket, fetch: send })
const query = parameters.get('query') ?? undefined
const variables = parameters.get('variables') ?? undefined
const properties = { fetcher, query, variables, defaultQuery: page.dataset.query, shouldPersistHeaders: false }
ReactDOM.createRoot(page).render(React.createElement(GraphiQL, properties))
// A connection belongs to the user who opened it.
watchSignIn(() => socket.terminate())

const editors = { 'graphiql-query-editor': 'Operation', 'result-window': 'Answer' }
whenDrawn(page, () => {
  for (const element of page.querySelectorAll('.CodeMirror')) {
    const editor = element.CodeMirror
    const field = editor.getInputField()
    if (field.hasAttribute('aria-label')) continue
    const [, name] = Object.entries(editors).find(([place]) => element.closest(`.${place}`) !== null) ?? [null, null]
    field.setAttribute(
      'aria-label',
      name ?? element.closest('section')?.getAttribute('aria-label') ?? 'Variables or headers',
    )
    // Users of the keyboard can leave the editor.
    editor.addKeyMap({ Tab: false, 'Shift-Tab': false })
  }
})
