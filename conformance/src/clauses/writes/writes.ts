// Writes, deletes, moves, writes of many records. (4.5, 2.5, 3.1, 4.6, 13.7)

import { Untestable } from '../../kit/answer.ts'
import type { Define } from '../../kit/clause.ts'
import { camel } from '../../kit/kit.ts'
import { missingId } from '../../kit/values.ts'

export function defineWrites(define: Define): void {
  defineSingle(define)
  defineMoves(define)
  defineMany(define)
}

function defineSingle(define: Define): void {
  define('4.5.1', ['resource'], async ({ kit, subject }) => {
    const { id, answer } = await subject.make()
    answer.has('Location', answer.headers.location, `/api/${kit.version}/${subject.profile.path}/${id}`)
  })

  define('4.5.2', ['replace', 'optional', 'text'], async ({ kit, subject }) => {
    const { field, value } = subject.profile.optional!
    const { target } = await subject.make()
    ;(await kit.send(`PATCH ${target}`, { as: subject.creator, body: { [field]: value } })).is(200)
    const body = await kit.fill(subject.profile.replace!)
    const replaced = (await kit.send(`PUT ${target}`, { as: subject.creator, body })).is(200)
    replaced.has(field, replaced.data[field], null)
    for (const [name, sent] of Object.entries(body)) replaced.has(name, replaced.data[name], sent)
    ;(await kit.send(`PUT ${target}`, { as: subject.creator, body: {} })).fails(400, 'VALIDATION_ERROR')
  })

  define('4.5.3', ['replace'], async ({ kit, subject }) => {
    const body = await kit.fill(subject.profile.replace!)
    ;(await kit.send(`PUT ${subject.path}/${missingId(subject)}`, { as: subject.creator, body })).fails(404)
  })

  define('4.5.4', ['change'], async ({ kit, subject }) => {
    const made = await subject.make()
    const change = await kit.fill(subject.profile.change!)
    const answer = (await kit.send(`PATCH ${made.target}`, { as: subject.creator, body: change })).is(200)
    for (const [name, before] of Object.entries(made.record)) {
      if (name === 'updated_at') continue
      answer.has(name, answer.data[name], Object.hasOwn(change, name) ? change[name] : before)
    }
  })

  define('4.5.5', ['optional', 'text', 'change'], async ({ kit, subject }) => {
    const { field, value } = subject.profile.optional!
    const { target } = await subject.make()
    const as = subject.creator
    ;(await kit.send(`PATCH ${target}`, { as, body: { [field]: value } })).is(200)
    const cleared = (await kit.send(`PATCH ${target}`, { as, body: { [field]: null } })).is(200)
    cleared.has(field, cleared.data[field], null)
    const required = subject.profile.text!.field
    ;(await kit.send(`PATCH ${target}`, { as, body: { [required]: null } }))
      .fails(400, 'VALIDATION_ERROR')
      .names(required)
  })

  define('4.5.6', ['json', 'change'], async ({ kit, subject }) => {
    const field = subject.profile.json!
    const value = { z: 1, a: { y: [], b: null }, 10: 'ten', 2: 'two' }
    const { target } = await subject.make({ [field]: value })
    const body = { [field]: { b: 1, a: 2 } }
    const answer = (await kit.send(`PATCH ${target}`, { as: subject.creator, body })).is(200)
    answer.has('the members', Object.keys(answer.data[field]), ['b', 'a'])
  })

  define('4.5.7', ['change'], async ({ kit, subject }) => {
    const { target } = await subject.make()
    ;(await kit.send(`PATCH ${target}`, { as: subject.creator, body: {} })).fails(400, 'VALIDATION_ERROR')
  })

  define('4.5.8', ['change', 'delete'], async ({ kit, subject }) => {
    const made = await subject.make()
    const as = subject.creator
    const first = made.answer.headers.etag!
    const change = () => kit.fill(subject.profile.change!)
    ;(await kit.send(`PATCH ${made.target}`, { as, body: await change(), headers: { 'If-Match': first } })).is(200)
    const stale = { 'If-Match': first }
    ;(await kit.send(`PATCH ${made.target}`, { as, body: await change(), headers: stale })).fails(409, 'CONFLICT')
    ;(await kit.send(`DELETE ${made.target}`, { as, headers: stale })).fails(409, 'CONFLICT')
    ;(await kit.send(`PATCH ${made.target}`, { as, body: await change(), headers: { 'If-Match': '*' } })).is(200)
  })

  define('4.5.9', ['delete'], async ({ kit, subject }) => {
    const { target } = await subject.make()
    const first = (await kit.send(`DELETE ${target}`, { as: subject.creator })).is(204)
    first.has('body', first.text, '')
    ;(await kit.send(`DELETE ${target}`, { as: subject.creator })).fails(404)
  })

  define('4.5.10', ['change'], async ({ kit, subject }) => {
    const { target } = await subject.make()
    const extra = { no_such_field: 1 }
    const post = await kit.send(`POST ${subject.path}`, {
      as: subject.creator,
      body: { ...(await subject.input()), ...extra },
    })
    post.fails(400, 'VALIDATION_ERROR').names('no_such_field')
    const body = { ...(await kit.fill(subject.profile.change!)), ...extra }
    ;(await kit.send(`PATCH ${target}`, { as: subject.creator, body })).fails(400).names('no_such_field')
  })

  define('4.5.11', ['relations'], async ({ kit, subject }) => {
    const [[field, target]] = Object.entries(subject.profile.relations!) as [[string, string]]
    const input = { ...(await subject.input()), [field]: missingId(kit.subject(target)) }
    const answer = await kit.send(`POST ${subject.path}`, { as: subject.creator, body: input })
    answer.fails(422).names(field)
  })

  define('4.5.13', ['change'], async ({ kit, subject }) => {
    const made = await subject.make()
    const as = subject.creator
    const body = await kit.fill(subject.profile.change!)
    for (const tag of ['*', made.answer.headers.etag!])
      (await kit.send(`PATCH ${made.target}`, { as, body, headers: { 'If-None-Match': tag } })).fails(409, 'CONFLICT')
    for (const header of ['If-Match', 'If-None-Match'])
      (await kit.send(`POST ${subject.path}`, { as, body: await subject.input(), headers: { [header]: '*' } })).fails(
        400,
      )
    const headers = { 'If-Unmodified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' }
    ;(await kit.send(`PATCH ${made.target}`, { as, body, headers })).is(200)
  })

  define('2.5.1', ['delete', 'change'], async ({ kit, subject }) => {
    const { target, id } = await subject.make()
    const as = subject.creator
    ;(await kit.send(`DELETE ${target}`, { as })).is(204)
    ;(await kit.send(`GET ${target}`, { as })).fails(404)
    ;(await kit.send(`PATCH ${target}`, { as, body: await kit.fill(subject.profile.change!) })).fails(404)
    const list = (await kit.send(`GET ${subject.path}?limit=100`, { as })).is(200)
    list.require(!list.text.includes(id), 'a list without the record', id)
    if (kit.profile.graphql !== true) return
    const read = await kit.graphql(`{ ${subject.one}(id: "${id}") { id } }`, undefined, { as })
    read.has('data', read.data?.[subject.one], null)
  })

  define('2.5.2', ['delete', 'narrow'], async ({ kit, subject }) => {
    const { target } = await subject.make()
    const as = subject.creator
    const list = `${subject.path}?${await subject.narrowed()}`
    const before = (await kit.send(`GET ${list}`, { as })).is(200)
    before.require(before.json.meta.total > 0, 'a total', 'none')
    ;(await kit.send(`DELETE ${target}`, { as })).is(204)
    const after = (await kit.send(`GET ${list}&per_page=100`, { as })).is(200)
    after.require(!after.text.includes(target.split('/').at(-1)!), 'a list without the record', target)
  })

  define('2.5.3', ['lists', 'delete'], async ({ kit, subject }) => {
    const [[list, name]] = Object.entries(subject.profile.lists!) as [[string, string]]
    const child = kit.subject(name)
    const [relation] = Object.entries(child.profile.relations ?? {}).find(([, target]) => target === subject.name) ?? []
    if (relation === undefined) throw new Untestable('no relation leads back to the list')
    const parent = await subject.make()
    const made = await child.make({ [relation]: parent.id })
    const below = (await kit.send(`GET ${parent.target}/${list}`, { as: subject.creator })).is(200)
    below.has('the list below', below.data.length, 1)
    ;(await kit.send(`DELETE ${parent.target}`, { as: subject.creator })).is(204)
    ;(await kit.send(`GET ${made.target}`, { as: child.creator })).fails(404)
  })
}

function defineMoves(define: Define): void {
  define('3.1.1', ['firstMove', 'graphql'], async ({ kit, subject }) => {
    for (const [move, { first, as = subject.creator }] of Object.entries(subject.profile.moves!)) {
      if (first !== true) continue
      const rest = await subject.make()
      const answer = (await kit.send(`POST ${rest.target}/${move}`, { as })).is(200)
      answer.has('id', answer.data.id, rest.id)
      const { id } = await subject.make()
      const field = `${camel(move)}${subject.profile.type}`
      const moved = await kit.graphql(`mutation { ${field}(id: "${id}") { id } }`, undefined, { as })
      moved.succeeds().has('id', moved.data[field].id, id)
    }
  })

  define('3.1.2', ['moves'], async ({ kit, subject }) => {
    for (const [move, { first, as = subject.creator }] of Object.entries(subject.profile.moves!)) {
      const { target } = await subject.make()
      if (first === true) (await kit.send(`POST ${target}/${move}`, { as })).is(200)
      ;(await kit.send(`POST ${target}/${move}`, { as })).fails(409, 'CONFLICT')
    }
    const { target } = await subject.make()
    ;(await kit.send(`POST ${target}/no-such-move`, { as: subject.creator })).fails(404)
  })
}

function defineMany(define: Define): void {
  define('4.6.1', ['batch'], async ({ subject }) => {
    const inputs = [await subject.input(), await subject.input(), await subject.input()]
    const answer = (await subject.postMany(inputs)).is(201)
    answer.has('records', answer.data.length, 3).has('meta', answer.json.meta, { created: 3 })
    ;(await subject.postMany([])).fails(400, 'VALIDATION_ERROR')
    ;(await subject.postMany(Array.from({ length: 101 }, () => inputs[0]))).fails(400, 'VALIDATION_ERROR')
  })

  define('4.6.2', ['updateMany', 'change'], async ({ kit, subject }) => {
    const made = await subject.makeMany(2)
    const ids = made.map(({ id }) => id)
    const change = await kit.fill(subject.profile.change!)
    const as = subject.creator
    const answer = (await kit.send(`PATCH ${subject.path}`, { as, body: { ids, ...change } })).is(200)
    answer
      .has(
        'ids',
        answer.data.map(({ id }: { id: string }) => id),
        ids,
      )
      .has('meta', answer.json.meta, { updated: 2 })
    const twice = await kit.send(`PATCH ${subject.path}`, { as, body: { ids: [ids[0], ids[0]], ...change } })
    twice.fails(400, 'VALIDATION_ERROR')
  })

  define('4.6.3', ['batch', 'text'], async ({ kit, subject }) => {
    const { field, max } = subject.profile.text!
    const mark = kit.unique()
    const inputs = [
      { ...(await subject.input()), [field]: mark },
      { ...(await subject.input()), [field]: 'x'.repeat(max + 1) },
    ]
    const answer = (await subject.postMany(inputs)).fails(400, 'VALIDATION_ERROR')
    answer.names(`${subject.profile.path.replaceAll('-', '_')}[1].${field}`)
    const list = (await kit.send(`GET ${subject.path}?limit=100`, { as: subject.creator })).is(200)
    list.require(!list.text.includes(mark), 'no record of the batch', mark)
  })

  define('4.6.4', ['updateMany', 'change'], async ({ kit, subject }) => {
    const { id, record } = await subject.make()
    const change = await kit.fill(subject.profile.change!)
    const body = { ids: [id, missingId(subject)], ...change }
    ;(await kit.send(`PATCH ${subject.path}`, { as: subject.creator, body })).fails(404).names('ids[1]')
    const read = (await kit.send(`GET ${subject.path}/${id}`, { as: subject.creator })).is(200)
    read.has('the record', read.data, record)
  })

  define('13.7.1', ['where', 'text', 'delete', 'updateMany'], async ({ kit, subject }) => {
    const { field } = subject.profile.text!
    const mark = kit.unique()
    await subject.makeMany(3, (at) => ({ [field]: `${mark} ${at}` }))
    const where = `where=${encodeURIComponent(`startsWith(${field}, "${mark}")`)}`
    const as = subject.creator
    const body = { [field]: `${mark} changed` }
    const changed = (await kit.send(`PATCH ${subject.path}?${where}`, { as, body })).is(200)
    changed.has('body', changed.json, { meta: { updated: 3 } })
    const deleted = (await kit.send(`DELETE ${subject.path}?${where}`, { as })).is(200)
    deleted.has('body', deleted.json, { meta: { deleted: 3 } })
    const again = (await kit.send(`DELETE ${subject.path}?${where}`, { as })).is(200)
    again.has('body', again.json, { meta: { deleted: 0 } })
  })

  define('13.7.3', ['where', 'text', 'delete', 'updateMany'], async ({ kit, subject }) => {
    const { field } = subject.profile.text!
    const mark = kit.unique()
    const { target } = await subject.make({ [field]: mark })
    const where = `where=${encodeURIComponent(`${field} = "${mark}"`)}`
    const as = subject.creator
    const dry = (await kit.send(`DELETE ${subject.path}?${where}&dry_run=true`, { as })).is(200)
    dry.has('body', dry.json, { meta: { matched: 1 } })
    ;(await kit.send(`GET ${target}`, { as })).is(200)
  })

  define('13.7.4', ['where', 'delete', 'updateMany'], async ({ kit, subject }) => {
    for (const parameters of ['', '?where=', `?where=${encodeURIComponent('id = "x"')}&ids=x`])
      (await kit.send(`DELETE ${subject.path}${parameters}`, { as: subject.creator })).fails(400, 'VALIDATION_ERROR')
  })
}
