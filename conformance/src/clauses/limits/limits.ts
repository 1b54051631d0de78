// Limits of requests and of GraphQL operations. (8.2, 8.4)

import { Untestable } from '../../kit/answer.ts'
import type { Define } from '../../kit/clause.ts'

export function defineLimits(define: Define): void {
  define('8.2.2', ['graphql', 'lists'], async ({ kit, subject }) => {
    const nested = (depth: number): string => (depth === 0 ? '__typename' : `ofType { ${nested(depth - 1)} }`)
    const deep = await kit.graphql(`{ __schema { types { ${nested(16)} } } }`)
    deep.hasError('QUERY_TOO_DEEP', 'GRAPHQL_VALIDATION_FAILED')
    const five = `{ c: ${subject.connection}(first: 1) { edges { node { id } } } }`
    ;(await kit.graphql(five, undefined, { as: subject.creator })).succeeds()
  })

  define('8.2.4', ['graphql', 'lists'], async ({ kit, subject }) => {
    const [list] = Object.keys(subject.profile.lists!)
    const query = (size: number) => `{ ${subject.list}(limit: 100) { ${subject.field(list!)}(limit: ${size}) { id } } }`
    ;(await kit.graphql(query(99), undefined, { as: subject.creator })).succeeds()
    const answer = (await kit.graphql(query(100), undefined, { as: subject.creator })).hasError('QUERY_TOO_COMPLEX')
    answer.matches('message', answer.json.errors[0].message, /^Query nodes 10100 exceed the maximum of 10000\.$/)
  })

  define('8.4.1', ['signIn', 'resource'], async ({ kit, subject }) => {
    const text = JSON.stringify({ title: 'x'.repeat(1_048_576) })
    ;(await kit.send(`POST ${subject.path}`, { as: subject.creator, text })).fails(413, 'PAYLOAD_TOO_LARGE')
    const login = JSON.stringify({ email: 'x'.repeat(16_384), password: 'x' })
    ;(await kit.send('POST /auth/login', { text: login })).fails(413, 'PAYLOAD_TOO_LARGE')
  })

  define('8.4.2', ['resource'], async ({ kit, subject }) => {
    ;(await kit.send(`GET ${subject.path}?x=${'x'.repeat(8_192)}`)).fails(414, 'URI_TOO_LONG')
    const headers = { 'X-Long': 'x'.repeat(17_000) }
    ;(await kit.send(`GET ${subject.path}`, { headers })).fails(431, 'HEADERS_TOO_LARGE')
  })

  define('8.4.8', ['graphql'], async ({ kit }) => {
    const fields = Array.from({ length: 600 }, (_, at) => `f${at}: __typename`).join(' ')
    ;(await kit.graphql(`{ ${fields} }`)).succeeds()
  })

  define('8.1.1', ['text'], async ({ kit, subject }) => {
    const { field, max } = subject.profile.text!
    ;(await subject.post({ ...(await subject.input()), [field]: 'x'.repeat(max) })).is(201)
    const body = { ...(await subject.input()), [field]: 'x'.repeat(max + 1) }
    ;(await kit.send(`POST ${subject.path}`, { as: subject.creator, body })).fails(400, 'VALIDATION_ERROR').names(field)
  })

  define('8.2.6', ['graphql'], async ({ kit }) => {
    const production = kit.profile.production === true
    if (production) throw new Untestable('introspection is off')
    const types = (depth: number): string => (depth === 0 ? 'name' : `ofType { ${types(depth - 1)} }`)
    const ask = (depth: number) => kit.graphql(`{ __schema { types { fields { type { ${types(depth)} } } } } }`)
    ;(await ask(9)).succeeds()
    ;(await ask(16)).hasError()
  })
}
