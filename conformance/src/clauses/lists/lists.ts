// Lists, paging, default order. (4.3, 4.4, 2.3)

import { Untestable } from '../../kit/answer.ts'
import type { Define } from '../../kit/clause.ts'
import { idsOf, pageOf } from '../../kit/page.ts'

export function defineLists(define: Define): void {
  defineParameters(define)
  definePaging(define)
}

function defineParameters(define: Define): void {
  define('4.3.1', ['sort', 'where', 'text'], async ({ kit, subject }) => {
    const { field } = subject.profile.text!
    const mark = kit.unique()
    const made = await subject.makeMany(3, (at) => ({ [field]: `${mark} ${['a', 'b', 'a'][at]}` }))
    const [first, second, third] = made.map(({ id }) => id)
    const where = `where=${encodeURIComponent(`startsWith(${field}, "${mark}")`)}`
    for (const [sort, expected] of [
      [`${field},created_at`, [first, third, second]],
      [`${field},-created_at`, [third, first, second]],
      [`-${field},created_at`, [second, first, third]],
    ] as const) {
      const answer = (await kit.send(`GET ${subject.path}?${where}&sort=${sort}`, { as: subject.creator })).is(200)
      answer.has('ids', idsOf(answer), expected)
    }
  })

  define('4.3.2', ['text'], async ({ kit, subject }) => {
    const { target } = await subject.make()
    const { field } = subject.profile.text!
    const answer = (await kit.send(`GET ${target}?fields=id,${field}`, { as: subject.creator })).is(200)
    answer.has('the fields', Object.keys(answer.data).toSorted(), ['id', field].toSorted())
    const list = (await kit.send(`GET ${subject.path}?fields=id&limit=1`, { as: subject.creator })).is(200)
    list.has('the fields', Object.keys(list.data[0]), ['id'])
  })

  define('4.3.3', ['resource'], async ({ kit, subject }) => {
    const as = subject.creator
    for (const [parameters, named] of [
      ['no_such_parameter=1', 'no_such_parameter'],
      ['fields=no_such_field', 'fields'],
      ['sort=no_such_field', 'sort'],
      ['limit=1&limit=2', 'limit'],
    ] as const)
      (await kit.send(`GET ${subject.path}?${parameters}`, { as })).fails(400, 'VALIDATION_ERROR').names(named)
  })

  define('4.3.10', ['sort', 'where', 'text'], async ({ kit, subject }) => {
    const as = subject.creator
    const options = await kit.send(`OPTIONS ${subject.path}`, { as })
    if (options.headers['accept-query'] === undefined) throw new Untestable('Its lists do not offer QUERY.')
    const { field } = subject.profile.text!
    const mark = kit.unique()
    await subject.makeMany(2, (at) => ({ [field]: `${mark} ${at}` }))
    const where = `startsWith(${field}, "${mark}")`
    const target = `${subject.path}?where=${encodeURIComponent(where)}&sort=-${field},created_at&limit=5`
    const got = (await kit.send(`GET ${target}`, { as })).is(200)
    const body = { where, sort: [`-${field}`, 'created_at'], limit: 5 }
    const queried = (await kit.send(`QUERY ${subject.path}`, { as, body })).is(200)
    queried
      .has('the ids', idsOf(queried), idsOf(got))
      .has('Cache-Control', queried.headers['cache-control'], 'private, no-cache')
    const headers = { 'If-None-Match': queried.headers['etag'] ?? 'none' }
    ;(await kit.send(`QUERY ${subject.path}`, { as, body, headers })).is(304)
    ;(await kit.send(`QUERY ${subject.path}`, { as, body: { no_such_parameter: 1 } }))
      .fails(400, 'VALIDATION_ERROR')
      .names('no_such_parameter')
  })

  define('4.3.11', ['resource'], async ({ kit, subject }) => {
    const as = subject.creator
    const options = await kit.send(`OPTIONS ${subject.path}`, { as })
    if (options.headers['accept-query'] === undefined) throw new Untestable('Its lists do not offer QUERY.')
    ;(await kit.send(`QUERY ${subject.path}?limit=1`, { as, body: {} })).fails(400, 'VALIDATION_ERROR')
    ;(await kit.send(`QUERY ${subject.path}`, { as })).fails(400, 'VALIDATION_ERROR')
    const headers = { 'Content-Type': 'text/plain' }
    const other = (await kit.send(`QUERY ${subject.path}`, { as, body: '{}', headers })).fails(415)
    for (const each of [options, other, (await kit.send(`GET ${subject.path}`, { as })).is(200)])
      each.has('Accept-Query', each.headers['accept-query'], 'application/json')
  })

  define('4.3.4', ['narrow'], async ({ kit, subject }) => {
    const [name] = Object.keys(subject.profile.narrow!)
    for (const value of ['%ff', '%00'])
      (await kit.send(`GET ${subject.path}?${name}=${value}`, { as: subject.creator })).fails(400).names(name!)
  })

  define('4.3.5', ['narrow'], async ({ kit, subject }) => {
    const { target } = await subject.make()
    const [name] = Object.keys(subject.profile.narrow!)
    ;(await kit.send(`GET ${target}?${name}=x`, { as: subject.creator })).fails(400).names(name!)
  })

  define('4.3.7', ['text'], async ({ kit, subject }) => {
    const { field, max } = subject.profile.text!
    ;(await subject.post({ ...(await subject.input()), [field]: '😀'.repeat(max) })).is(201)
    const body = { ...(await subject.input()), [field]: '😀'.repeat(max + 1) }
    ;(await kit.send(`POST ${subject.path}`, { as: subject.creator, body })).fails(400).names(field)
  })

  define('4.3.8', ['resource'], async ({ kit, subject }) => {
    for (const id of ['x', '1', '%F0%9F%98%80', "'%20or%201=1", 'a_b'])
      (await kit.send(`GET ${subject.path}/${id}`, { as: subject.creator })).fails(404)
  })

  define('4.3.9', ['text'], async ({ kit, subject }) => {
    const { field } = subject.profile.text!
    const { target } = await subject.make()
    const answer = (await kit.send(`GET ${target}?fields=id&fields=${field}`, { as: subject.creator })).is(200)
    answer.has('the fields', Object.keys(answer.data).toSorted(), ['id', field].toSorted())
  })
}

function definePaging(define: Define): void {
  define('4.4.1', ['where', 'text'], async (scene) => {
    const { list } = await pageOf(scene, 5)
    for (const size of ['per_page', 'limit']) {
      const answer = (await list(`page=2&${size}=2`)).is(200)
      const expected = { page: 2, per_page: 2, total: 5, total_pages: 3, has_next: true, has_prev: true }
      answer.has('meta', answer.json.meta, expected).has('records', answer.data.length, 2)
    }
    const last = (await list('page=3&per_page=2')).is(200)
    last.has('has_next', last.json.meta.has_next, false).has('records', last.data.length, 1)
  })

  define('4.4.2', ['where', 'text'], async (scene) => {
    const { list } = await pageOf(scene, 3)
    const first = (await list('limit=2')).is(200)
    const members = Object.keys(first.json.meta).toSorted()
    first.has('the members of meta', members, ['has_next', 'next_cursor', 'prev_cursor'])
    for (const size of ['', '&limit=2', '&per_page=2']) {
      const next = (await list(`cursor=${encodeURIComponent(first.json.meta.next_cursor)}${size}`)).is(200)
      next.has('has_next', next.json.meta.has_next, false)
    }
  })

  define('4.4.3', ['where', 'text'], async (scene) => {
    const { list } = await pageOf(scene, 2)
    for (const parameters of ['', 'per_page=1']) {
      const answer = (await list(parameters)).is(200)
      answer.has('page', answer.json.meta.page, 1)
    }
  })

  define('4.4.4', ['resource'], async ({ kit, subject }) => {
    for (const parameters of ['page=1&cursor=x', 'limit=1&per_page=1'])
      (await kit.send(`GET ${subject.path}?${parameters}`, { as: subject.creator })).fails(400, 'VALIDATION_ERROR')
  })

  define('4.4.5', ['resource'], async ({ kit, subject }) => {
    const as = subject.creator
    for (const parameters of [
      'page=0',
      'limit=0',
      'per_page=101',
      'limit=101',
      'limit=-1',
      'limit=1.5',
      'limit=x',
      'page=',
    ])
      (await kit.send(`GET ${subject.path}?${parameters}`, { as })).fails(400, 'VALIDATION_ERROR')
    ;(await kit.send(`GET ${subject.path}?limit=100`, { as })).is(200)
    const unbound = (await kit.send(`GET ${subject.path}`, { as })).is(200)
    unbound.has('per_page', unbound.json.meta.per_page, 20)
  })

  define('4.4.6', ['resource'], async ({ kit, subject }) => {
    const as = subject.creator
    ;(await kit.send(`GET ${subject.path}?page=101&per_page=100`, { as })).is(200)
    const answer = (await kit.send(`GET ${subject.path}?page=102&per_page=100`, { as })).fails(400)
    answer.matches('message', answer.json.error.message, /\b101\b/)
  })

  define('4.4.7', ['where', 'text'], async (scene) => {
    const { list } = await pageOf(scene, 1)
    const answer = (await list('page=9')).is(200)
    answer.has('data', answer.data, []).has('has_next', answer.json.meta.has_next, false)
  })

  define('4.4.8', ['where', 'text'], async (scene) => {
    const { made, list } = await pageOf(scene, 5)
    const newest = made.map(({ id }) => id).toReversed()
    const pages: string[][] = []
    let answer = (await list('limit=2')).is(200)
    answer.has('prev_cursor', answer.json.meta.prev_cursor, null)
    for (;;) {
      pages.push([...idsOf(answer)])
      const { next_cursor, has_next } = answer.json.meta
      answer.has('has_next', has_next, next_cursor !== null)
      if (next_cursor === null || pages.length > 5) break
      answer = (await list(`limit=2&cursor=${encodeURIComponent(next_cursor)}`)).is(200)
    }
    answer.has('all pages', pages.flat(), newest)
    const back = (await list(`limit=2&cursor=${encodeURIComponent(answer.json.meta.prev_cursor)}`)).is(200)
    back.has('the page before', idsOf(back), newest.slice(2, 4))
  })

  define('4.4.9', ['where', 'text', 'delete'], async (scene) => {
    const { kit, subject } = scene
    const { made, list } = await pageOf(scene, 4)
    const first = (await list('limit=2')).is(200)
    ;(await kit.send(`DELETE ${made[2]!.target}`, { as: subject.creator })).is(204)
    const next = (await list(`limit=2&cursor=${encodeURIComponent(first.json.meta.next_cursor)}`)).is(200)
    next.has('ids', idsOf(next), [made[1]!.id, made[0]!.id])
  })

  define('4.4.10', ['where', 'text', 'sort'], async (scene) => {
    const { list } = await pageOf(scene, 3)
    const first = (await list('limit=1')).is(200)
    const cursor = encodeURIComponent(first.json.meta.next_cursor)
    ;(await list(`limit=2&cursor=${cursor}`)).is(200)
    ;(await list(`sort=${scene.subject.profile.text!.field}&cursor=${cursor}`)).fails(400, 'VALIDATION_ERROR')
    const { kit, subject } = scene
    ;(await kit.send(`GET ${subject.path}?cursor=${cursor}`, { as: subject.creator })).fails(400, 'VALIDATION_ERROR')
    for (const garbage of ['x', '%20', 'AAAA', `${cursor}x`, `${cursor}=`])
      (await list(`cursor=${garbage}`)).fails(400, 'VALIDATION_ERROR')
  })

  define('4.4.11', ['where', 'text', 'sort', 'narrow'], async ({ kit, subject }) => {
    const { field } = subject.profile.text!
    const value = `${kit.unique()} same`
    const made = await subject.makeMany(3, () => ({ [field]: value }))
    const ids = made.map(({ id }) => id).toSorted()
    const where = `where=${encodeURIComponent(`${field} = "${value}"`)}`
    for (const [sort, expected] of [
      [field, ids],
      [`-${field}`, ids.toReversed()],
    ] as const) {
      const answer = (await kit.send(`GET ${subject.path}?${where}&sort=${sort}`, { as: subject.creator })).is(200)
      answer.has('ids', idsOf(answer), expected)
    }
  })

  define('4.4.13', ['where', 'text', 'sort'], async ({ kit, subject }) => {
    const { field } = subject.profile.text!
    const mark = kit.unique()
    const texts = ['Z', 'a', 'Ä', 'z', 'é', 'ﬁ', '😀'].map((each) => `${mark}${each}`)
    for (const text of texts.toReversed()) await subject.make({ [field]: text })
    const where = `where=${encodeURIComponent(`startsWith(${field}, "${mark}")`)}`
    const answer = (await kit.send(`GET ${subject.path}?${where}&sort=${field}`, { as: subject.creator })).is(200)
    const sorted = answer.data.map((record: Record<string, string>) => record[field])
    const byCodePoint = texts.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    answer.has('texts', sorted, byCodePoint)
  })

  define('4.4.14', ['hidden', 'narrow'], async ({ kit, subject }) => {
    await subject.make()
    const target = `${subject.path}?${await subject.narrowed()}`
    const mine = (await kit.send(`GET ${target}`, { as: subject.creator })).is(200)
    mine.require(mine.json.meta.total > 0, 'a total above 0', String(mine.json.meta.total))
    for (const as of [null, subject.profile.other!]) {
      const answer = await kit.send(`GET ${target}&per_page=100`, { as })
      if (as === null && answer.status === 401) continue
      if (answer.json?.meta?.has_next === true) throw new Untestable('more than 100 records are left by the filters')
      answer.is(200).has('total', answer.json.meta.total, answer.data.length)
    }
  })

  define('2.3.4', ['where', 'text'], async (scene) => {
    const { made, list } = await pageOf(scene, 3)
    const answer = (await list('')).is(200)
    const newest = made.map(({ id }) => id).toReversed()
    answer.has('ids', idsOf(answer), newest)
  })
}
