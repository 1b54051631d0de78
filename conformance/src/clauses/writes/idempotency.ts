// Requests that are repeated. (4.7)

import type { Define } from '../../kit/clause.ts'

export function defineIdempotency(define: Define): void {
  define('4.7.1', ['resource'], async ({ kit, subject }) => {
    const input = await subject.input()
    for (const header of ['X-Idempotency-Key', 'Idempotency-Key']) {
      const headers = { [header]: kit.unique() }
      const first = (await subject.post(input, { headers })).is(201, 409)
      if (first.status === 409) return
      const second = (await subject.post(input, { headers })).is(200)
      second.has('Idempotent-Replayed', second.headers['idempotent-replayed'], 'true')
      second.has('id', second.data.id, first.data.id)
      if (subject.profile.unique !== undefined) return
    }
  })

  define('4.7.2', ['resource'], async ({ kit, subject }) => {
    const send = async (headers: Record<string, string>) => subject.post(await subject.input(), { headers })
    ;(await send({ 'X-Idempotency-Key': 'a', 'Idempotency-Key': 'b' })).fails(400)
    for (const key of ['', 'x'.repeat(256), 'with space', 'é'])
      (await send({ 'X-Idempotency-Key': key })).fails(400, 'VALIDATION_ERROR')
    ;(await send({ 'X-Idempotency-Key': `${kit.unique()}!~` })).is(201)
  })

  define('4.7.12', ['text'], async ({ kit, subject }) => {
    const key = kit.unique()
    const input = await subject.input()
    const first = (await subject.post(input, { headers: { 'Idempotency-Key': key } })).is(201)
    const quoted = (await subject.post(input, { headers: { 'Idempotency-Key': `"${key}"` } })).is(200)
    quoted.has('id', quoted.data.id, first.data.id)
    for (const malformed of ['"', `"${key}`, `"${key}"x`, '""'])
      (await subject.post(input, { headers: { 'Idempotency-Key': malformed } })).fails(400, 'VALIDATION_ERROR')
  })

  define('4.7.3', ['firstMove'], async ({ kit, subject }) => {
    const headers = { 'X-Idempotency-Key': kit.unique() }
    const [move, { as = subject.creator }] = Object.entries(subject.profile.moves!).find(
      ([, { first }]) => first === true,
    )!
    const made = (await subject.post(await subject.input(), { headers })).is(201)
    const moved = (await kit.send(`POST ${subject.path}/${made.data.id}/${move}`, { as, headers })).is(200)
    moved.has('Idempotent-Replayed', moved.headers['idempotent-replayed'], undefined)
  })

  define('4.7.4', ['text'], async ({ kit, subject }) => {
    const headers = { 'X-Idempotency-Key': kit.unique() }
    const input = await subject.input()
    ;(await subject.post(input, { headers })).is(201)
    const reordered = Object.fromEntries(Object.entries(input).toReversed())
    ;(await subject.post(reordered, { headers })).is(200)
    const other = { ...input, [subject.profile.text!.field]: kit.unique() }
    ;(await subject.post(other, { headers })).fails(422, 'IDEMPOTENCY_KEY_REUSED')
  })

  define('4.7.5', ['text'], async ({ kit, subject }) => {
    const headers = { 'X-Idempotency-Key': kit.unique() }
    const input = await subject.input()
    ;(await subject.post({ ...input, [subject.profile.text!.field]: 7 }, { headers })).fails(400)
    ;(await subject.post(input, { headers })).is(201)
  })

  define('4.7.6', ['delete'], async ({ kit, subject }) => {
    const headers = { 'X-Idempotency-Key': kit.unique() }
    const input = await subject.input()
    const first = (await subject.post(input, { headers })).is(201)
    ;(await kit.send(`DELETE ${subject.path}/${first.data.id}`, { as: subject.creator })).is(204)
    ;(await subject.post(input, { headers })).fails(404)
  })

  define('4.7.7', ['batch'], async ({ kit, subject }) => {
    const headers = { 'X-Idempotency-Key': kit.unique() }
    const inputs = [await subject.input()]
    const first = (await subject.postMany(inputs, { headers })).is(201)
    const second = (await subject.postMany(inputs, { headers })).is(200)
    second.has('id', second.data[0].id, first.data[0].id)
  })

  define('4.7.8', ['change'], async ({ kit, subject }) => {
    const { target } = await subject.make()
    const headers = { 'X-Idempotency-Key': kit.unique() }
    for (const _ of [1, 2]) {
      const body = await kit.fill(subject.profile.change!)
      const answer = (await kit.send(`PATCH ${target}`, { as: subject.creator, body, headers })).is(200)
      answer.has('Idempotent-Replayed', answer.headers['idempotent-replayed'], undefined)
    }
  })

  define('4.7.9', ['resource'], async ({ kit, subject }) => {
    const headers = { 'X-Idempotency-Key': kit.unique() }
    const input = await subject.input()
    const answers = await Promise.all(Array.from({ length: 8 }, () => subject.post(input, { headers })))
    answers[0]!.has('creations', answers.filter(({ status }) => status === 201).length, 1)
    for (const answer of answers) {
      answer.is(200, 201, 409)
      if (answer.status === 409) answer.matches('Retry-After', answer.headers['retry-after'], /^\d+$/)
    }
  })
}
