// Who may read and do what. (5.4, 10.1, 10.4, 2.7, 4.11.5, 4.11.7)

import type { Define } from '../../kit/clause.ts'
import { camel } from '../../kit/kit.ts'
import { missingId } from '../../kit/values.ts'

export function defineAccess(define: Define): void {
  define('5.4.1', ['hiddenField', 'graphql', 'other'], async ({ kit, subject }) => {
    const field = subject.profile.hiddenField!
    const { id, target, record, answer } = await subject.make()
    answer.require(record[field] !== undefined, `${field} for its creator`, 'nothing')
    for (const as of [subject.profile.other!, null]) {
      const rest = (await kit.send(`GET ${target}`, { as })).is(200)
      rest.has(field, Object.hasOwn(rest.data, field), false)
      const query = `{ x: ${subject.one}(id: "${id}") { id ${camel(field)} } }`
      const graphql = await kit.graphql(query, undefined, { as })
      graphql.require(!graphql.text.includes(record[field]), `no ${field}`, graphql.text)
    }
  })

  define('2.7.8', ['hiddenField', 'other'], async ({ kit, subject }) => {
    const { target, record } = await subject.make()
    const others = (await kit.send(`GET ${target}`, { as: subject.profile.other! })).is(200)
    const expected = Object.keys(record).filter((name) => Object.hasOwn(others.data, name))
    others.has('the fields', Object.keys(others.data), expected)
    others.has(subject.profile.hiddenField!, others.data[subject.profile.hiddenField!], undefined)
  })

  define('2.7.9', ['hiddenField', 'graphql', 'other'], async ({ kit, subject }) => {
    const { id } = await subject.make()
    const name = camel(subject.profile.hiddenField!)
    const query = `{ x: ${subject.one}(id: "${id}") { id ${name} } }`
    const answer = (await kit.graphql(query, undefined, { as: subject.profile.other! })).hasError('FORBIDDEN')
    answer.has('errors', answer.json.errors.length, 1).has('path', answer.json.errors[0].path, ['x', name])
  })

  define('5.4.3', ['hidden', 'narrow', 'graphql'], async ({ kit, subject }) => {
    const { id, target } = await subject.make()
    const list = `${subject.path}?${await subject.narrowed()}&per_page=100`
    for (const as of [subject.creator, subject.profile.other!, null]) {
      const isReadable = (await kit.send(`GET ${target}`, { as })).status === 200
      const page = await kit.send(`GET ${list}`, { as })
      if (as === null && page.status === 401) continue
      page.is(200)
      page.has('the record in the list', page.text.includes(id), isReadable)
      const one = await kit.graphql(`{ x: ${subject.one}(id: "${id}") { id } }`, undefined, { as })
      one.has('the record in GraphQL', one.data?.x?.id === id, isReadable)
    }
  })

  define('10.4.1', ['hidden', 'change', 'graphql'], async ({ kit, subject }) => {
    const { id } = await subject.make()
    const missing = missingId(subject)
    const as = subject.profile.other!
    const comparable = (text: string) => text.replaceAll(id, '').replaceAll(missing, '')
    const body = await kit.fill(subject.profile.change!)
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const send = (each: string) =>
        kit.send(`${method} ${subject.path}/${each}`, { as, ...(method === 'PATCH' ? { body } : {}) })
      const [hidden, none] = await Promise.all([send(id), send(missing)])
      hidden.is(none.status).has('body', comparable(hidden.text), comparable(none.text))
      hidden.has('headers', Object.keys(hidden.headers).toSorted(), Object.keys(none.headers).toSorted())
    }
    const read = (each: string) => kit.graphql(`{ x: ${subject.one}(id: "${each}") { id } }`, undefined, { as })
    const [hidden, none] = await Promise.all([read(id), read(missing)])
    hidden.has('body', comparable(hidden.text), comparable(none.text))
  })

  define('10.1.8', ['can', 'graphql'], async ({ kit, subject }) => {
    const { id, target } = await subject.make()
    const actions = subject.profile.can!
    const rest = (await kit.send(`GET ${target}?fields=id,can`, { as: subject.creator })).is(200)
    for (const action of actions) rest.has(`can.${action}`, typeof rest.data.can[action], 'boolean')
    const plain = (await kit.send(`GET ${target}`, { as: subject.creator })).is(200)
    plain.has('can', plain.data.can, undefined)
    const selection = actions.map(camel).join(' ')
    const query = `{ x: ${subject.one}(id: "${id}") { can { ${selection} } } }`
    const graphql = (await kit.graphql(query, undefined, { as: subject.creator })).succeeds()
    for (const action of actions) graphql.has(`can.${action}`, graphql.data.x.can[camel(action)], rest.data.can[action])
  })

  define('10.1.9', ['can', 'moves', 'delete'], async ({ kit, subject }) => {
    const { target } = await subject.make()
    const can = async () => (await kit.send(`GET ${target}?fields=can`, { as: subject.creator })).is(200).data.can
    for (const [move, { first }] of Object.entries(subject.profile.moves!)) {
      if (first !== true || !subject.profile.can!.includes(move)) continue
      const before = await kit.send(`GET ${target}?fields=can`, { as: subject.creator })
      before.has(`can.${move}`, before.data.can[move], true)
      ;(await kit.send(`POST ${target}/${move}`, { as: subject.creator })).is(200)
      before.has(`can.${move} afterwards`, (await can())[move], false)
    }
  })

  define('10.1.10', ['can'], async ({ kit, subject }) => {
    const { target } = await subject.make()
    const answer = (await kit.send(`GET ${target}?fields=id,can`, { as: subject.creator })).is(200)
    answer.has('Cache-Control', answer.headers['cache-control'], 'private, no-cache')
    answer.matches('ETag', answer.headers.etag, /^"\d+\.[\w-]{43}"$/)
  })

  define('4.11.5', ['me', 'other'], async ({ kit, subject }) => {
    const target = `/api/${kit.version}/${kit.profile.me}`
    const read = (as: string) => kit.send(`GET ${target}`, { as })
    const [one, two] = await Promise.all([read(subject.creator), read(subject.profile.other!)])
    one.is(200).matches('ETag', one.headers.etag, new RegExp(one.data.id))
    two.is(200).require(two.headers.etag !== one.headers.etag, 'an ETag of its own', one.headers.etag ?? 'nothing')
  })

  define('4.11.7', ['graphql'], async ({ kit, subject }) => {
    const query = encodeURIComponent(`{ ${subject.list}(limit: 1) { id } }`)
    const mine = (await kit.send(`GET /graphql?query=${query}`, { as: subject.creator })).is(200)
    mine.matches('Cache-Control', mine.headers['cache-control'], /no-cache|max-age/)
    mine.matches('Vary', mine.headers.vary, /accept/i)
    const failed = encodeURIComponent(`{ ${subject.one}(id: "${missingId(subject)}") { id } }`)
    const answer = (await kit.send(`GET /graphql?query=${failed}`)).hasError()
    answer.has('Cache-Control', answer.headers['cache-control'], 'no-store')
  })

  define('4.8.10', ['resultUnion', 'graphql'], async ({ kit, subject }) => {
    const { id } = await subject.make()
    const { type } = subject.profile
    const query = (each: string) =>
      `{ x: ${subject.one}Result(id: "${each}") { __typename ... on ${type}NotFoundError { code message } } }`
    const found = (await kit.graphql(query(id), undefined, { as: subject.creator })).succeeds()
    found.has('type', found.data.x.__typename, type)
    const missing = (await kit.graphql(query(missingId(subject)), undefined, { as: subject.creator })).succeeds()
    missing.has('type', missing.data.x.__typename, `${type}NotFoundError`)
    missing.matches('code', missing.data.x.code, /_?NOT_FOUND$/)
  })

  define('7.1.2', ['notFound'], async ({ kit, subject }) => {
    const missing = `${subject.path}/${missingId(subject)}`
    ;(await kit.send(`GET ${missing}`, { as: subject.creator })).fails(404, subject.profile.notFound!)
  })
}
