// Keys: addresses, writes, references. (11.2)

import type { Define } from '../../kit/clause.ts'
import type { Kit, Subject } from '../../kit/kit.ts'
import { camelCased } from '../../kit/kit.ts'

const by = (subject: Subject, key: string): string =>
  `${subject.path}/by/${subject.profile.key}/${encodeURIComponent(key)}`

/** A body of `PUT` by key: a create without the key. */
async function bodyOf(subject: Subject): Promise<Record<string, unknown>> {
  const { [subject.profile.key!]: _, ...rest } = await subject.input()
  return rest
}

const put = async (kit: Kit, subject: Subject, key: string, headers = {}) =>
  kit.send(`PUT ${by(subject, key)}`, { as: subject.creator, body: await bodyOf(subject), headers })

export function defineKeys(define: Define): void {
  define('11.2.8', ['key', 'change'], async ({ kit, subject }) => {
    const { id, record } = await subject.make()
    const key = record[subject.profile.key!]
    const read = (await kit.send(`GET ${by(subject, key)}`, { as: subject.creator })).is(200)
    read.has('id', read.data.id, id)
    const body = await kit.fill(subject.profile.change!)
    const changed = (await kit.send(`PATCH ${by(subject, key)}`, { as: subject.creator, body })).is(200)
    changed.has('id', changed.data.id, id)
    ;(await kit.send(`GET ${by(subject, kit.unique())}`, { as: subject.creator })).fails(404)
  })

  define('11.2.16', ['key'], async ({ kit, subject }) => {
    const name = subject.profile.key!
    const key = `${kit.unique()} /?%ä`
    const { id } = await subject.make({ [name]: key })
    const read = (await kit.send(`GET ${by(subject, key)}`, { as: subject.creator })).is(200)
    read.has('id', read.data.id, id)
    const body = { ...(await bodyOf(subject)), [name]: 'another' }
    const wrong = await kit.send(`PUT ${by(subject, key)}`, { as: subject.creator, body })
    wrong.fails(400, 'VALIDATION_ERROR').names(name)
  })

  define('11.2.17', ['key', 'graphql'], async ({ kit, subject }) => {
    const name = subject.field(subject.profile.key!)
    const { id, record } = await subject.make()
    const field = `${subject.one}By${name[0]!.toUpperCase()}${name.slice(1)}`
    const query = `query ($key: String!) { x: ${field}(${name}: $key) { id } }`
    const answer = await kit.graphql(query, { key: record[subject.profile.key!] }, { as: subject.creator })
    answer.succeeds().has('id', answer.data.x.id, id)
  })

  define('11.2.9', ['key', 'graphql'], async ({ kit, subject }) => {
    const key = kit.unique()
    const first = (await put(kit, subject, key)).is(201)
    first.has('Location', first.headers.location, `${subject.path}/${first.data.id}`)
    const second = (await put(kit, subject, key)).is(200)
    second.has('id', second.data.id, first.data.id)
    const { type } = subject.profile
    const query = `mutation ($key: String!, $input: Upsert${type}Input!) { x: upsert${type}(by: { ${subject.field(subject.profile.key!)}: $key }, input: $input) { id } }`
    const variables = { key, input: camelCased(await bodyOf(subject)) }
    const third = (await kit.graphql(query, variables, { as: subject.creator })).succeeds()
    third.has('id', third.data.x.id, first.data.id)
  })

  define('11.2.18', ['key'], async ({ kit, subject }) => {
    const anonymous = { body: { no_such_field: 1 } }
    ;(await kit.send(`PUT ${by(subject, kit.unique())}`, anonymous)).fails(401)
    ;(await put(kit, subject, kit.unique(), { 'If-Match': '*' })).fails(409, 'CONFLICT')
  })

  define('11.2.10', ['key'], async ({ kit, subject }) => {
    const key = kit.unique()
    const answers = await Promise.all(Array.from({ length: 8 }, () => put(kit, subject, key)))
    answers[0]!.has('creations', answers.filter(({ status }) => status === 201).length, 1)
    for (const answer of answers) answer.is(200, 201).has('id', answer.data.id, answers[0]!.data.id)
  })

  define('11.2.13', ['key'], async ({ kit, subject }) => {
    const name = subject.profile.key!
    for (const key of ['.', '..', 'a\u0001b']) {
      const body = { ...(await subject.input()), [name]: key }
      ;(await kit.send(`POST ${subject.path}`, { as: subject.creator, body }))
        .fails(400, 'VALIDATION_ERROR')
        .names(name)
    }
    ;(await put(kit, subject, 'a\u0001b')).fails(400, 'VALIDATION_ERROR')
  })

  define('11.2.14', ['key'], async ({ kit, subject }) => {
    const key = kit.unique()
    const body = await bodyOf(subject)
    const send = () => kit.send(`PUT ${by(subject, key)}`, { as: subject.creator, body })
    ;(await send()).is(201)
    ;(await send()).is(200)
  })

  define('4.5.13', ['key'], async ({ kit, subject }) => {
    const key = kit.unique()
    const headers = { 'If-None-Match': '*' }
    ;(await put(kit, subject, key, headers)).is(201)
    ;(await put(kit, subject, key, headers)).fails(409, 'CONFLICT')
  })
}
