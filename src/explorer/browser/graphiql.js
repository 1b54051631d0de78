// GraphiQL over our own endpoint, by HTTP and by WebSocket, as whoever is signed in.

import { authorization, basePath, noteRefusal, watchSignIn } from './sign-in.js'

const { React, ReactDOM, GraphiQL, graphqlWs } = globalThis
const page = document.getElementById('page')
const parameters = new URLSearchParams(location.search)

const socket = graphqlWs.createClient({
  url: `${location.protocol.replace('http', 'ws')}//${location.host}${basePath}/graphql`,
  connectionParams: authorization,
})
const fetcher = GraphiQL.createFetcher({
  url: `${basePath}/graphql`,
  wsClient: socket,
  fetch: async (url, options) => {
    const response = await fetch(url, { ...options, headers: { ...options.headers, ...authorization() } })
    response
      .clone()
      .json()
      .then(({ errors }) => noteRefusal(errors?.[0].extensions?.code))
      // What is no JSON is for GraphiQL to show.
      .catch(() => {})
    return response
  },
})
const query = parameters.get('query') ?? undefined
const variables = parameters.get('variables') ?? undefined
const properties = { fetcher, query, variables, defaultQuery: page.dataset.query, shouldPersistHeaders: false }
ReactDOM.createRoot(page).render(React.createElement(GraphiQL, properties))
// A connection belongs to whoever opened it.
watchSignIn(() => socket.terminate())
