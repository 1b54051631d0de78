// GraphiQL over our own endpoint, by HTTP and by WebSocket, as whoever is signed in.

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
// A connection belongs to whoever opened it.
watchSignIn(() => socket.terminate())
