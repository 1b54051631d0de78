// Identifiers, names, times, numbers, unique values. (2.1, 2.2)

import type { Define } from '../../kit/clause.ts'

export function defineValues(define: Define): void {
  define('2.1.1', ['resource'], async ({ subject }) => {
    const { id, answer } = await subject.make()
    answer.matches('id', id, /^[a-z]+_[0-9A-HJKMNP-TV-Z]{26}$/)
  })

  define('2.1.2', ['resource'], async ({ subject }) => {
    const { record, answer } = await subject.make()
    for (const field of ['id', 'created_at', 'updated_at']) answer.matches(field, record[field], /./)
  })

  define('2.1.3', ['graphql', 'text'], async ({ kit, subject }) => {
    const { id, record, answer } = await subject.make()
    for (const name of Object.keys(record)) answer.matches('a name', name, /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/)
    const read = await kit.graphql(`{ ${subject.one}(id: "${id}") { id createdAt updatedAt } }`, undefined, {
      as: subject.creator,
    })
    read.succeeds().has('createdAt', read.data[subject.one].createdAt, record.created_at)
  })

  define('2.1.5', ['change'], async ({ kit, subject }) => {
    const { target, record } = await subject.make()
    for (const field of ['id', 'created_at', 'updated_at']) {
      const body = { ...(await kit.fill(subject.profile.change!)), [field]: record[field] }
      ;(await kit.send(`PATCH ${target}`, { as: subject.creator, body })).fails(400, 'VALIDATION_ERROR').names(field)
    }
  })

  define('2.2.7', ['integer'], async ({ kit, subject }) => {
    const { field, min } = subject.profile.integer!
    ;(await subject.post({ ...(await subject.input()), [field]: 2_147_483_647 })).is(201)
    for (const wrong of [2_147_483_648, min - 1, 1.5, '1', true]) {
      const body = { ...(await subject.input()), [field]: wrong }
      ;(await kit.send(`POST ${subject.path}`, { as: subject.creator, body }))
        .fails(400, 'VALIDATION_ERROR')
        .names(field)
    }
  })

  define('2.2.8', ['unique', 'delete'], async ({ kit, subject }) => {
    const input = await subject.input()
    const first = (await subject.post(input)).is(201)
    ;(await subject.post(input)).fails(409, 'CONFLICT')
    ;(await kit.send(`DELETE ${subject.path}/${first.data.id}`, { as: subject.creator })).is(204)
    ;(await subject.post(input)).is(201)
  })

  define('11.2.6', ['unique'], async ({ subject }) => {
    const input = await subject.input()
    const answers = await Promise.all(Array.from({ length: 8 }, () => subject.post(input)))
    const created = answers.filter(({ status }) => status === 201)
    answers[0]!.has('records that were created', created.length, 1)
    for (const answer of answers) answer.is(201, 409)
  })

  define('5.7.1', ['unique'], async ({ subject }) => {
    const input = await subject.input()
    ;(await subject.post(input)).is(201)
    ;(await subject.post(input)).fails(409, 'CONFLICT').names(subject.profile.unique!)
  })

  define('11.1.5', ['decimal'], async ({ kit, subject }) => {
    const { field, scale } = subject.profile.decimal!
    const { answer } = await subject.make({ [field]: '12.5' })
    answer.has(field, answer.data[field], `12.5${'0'.repeat(scale - 1)}`)
    for (const wrong of [12.5, '+1', '1e3', '01', `0.${'1'.repeat(scale + 1)}`, 'x', '']) {
      const body = { ...(await subject.input()), [field]: wrong }
      ;(await kit.send(`POST ${subject.path}`, { as: subject.creator, body }))
        .fails(400, 'VALIDATION_ERROR')
        .names(field)
    }
  })

  define('11.1.1', ['date'], async ({ kit, subject }) => {
    const field = subject.profile.date!
    for (const day of ['2028-02-29', '0001-01-01', '9999-12-31']) {
      const { answer } = await subject.make({ [field]: day })
      answer.has(field, answer.data[field], day)
    }
    for (const wrong of ['2027-02-29', '2026-13-01', '2026-11-22T00:00:00Z', '10000-01-01', 20261122, '']) {
      const body = { ...(await subject.input()), [field]: wrong }
      ;(await kit.send(`POST ${subject.path}`, { as: subject.creator, body }))
        .fails(400, 'VALIDATION_ERROR')
        .names(field)
    }
  })
}
