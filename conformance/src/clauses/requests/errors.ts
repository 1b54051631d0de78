// Errors of REST. (7.1, 7.2)

import type { Define } from '../../kit/clause.ts'
import { missingId, unreadableTexts } from '../../kit/values.ts'

export function defineErrors(define: Define): void {
  define('7.1.1', ['resource'], async ({ kit }) => {
    ;(await kit.send(`GET /api/${kit.version}/no-such-resources`)).fails(404, 'NOT_FOUND')
  })

  define('7.2.4', ['text'], async ({ kit, subject }) => {
    const { field, max } = subject.profile.text!
    const input = await subject.input()
    const two = await kit.send(`POST ${subject.path}`, {
      as: subject.creator,
      body: { ...input, [field]: 'x'.repeat(max + 1), no_such_field: 1 },
    })
    two.fails(400, 'VALIDATION_ERROR').names(field).names('no_such_field')
    const one = await kit.send(`POST ${subject.path}`, {
      as: subject.creator,
      body: { ...input, [field]: 'x'.repeat(max + 1) },
    })
    one.fails(400).matches('message', one.json.error.message, new RegExp(`^${field}: `))
  })

  define('7.2.5', ['text'], async ({ kit, subject }) => {
    const { field, max } = subject.profile.text!
    const input = await subject.input()
    const as = subject.creator
    const send = (text: string) => kit.send(`POST ${subject.path}`, { as, text })
    for (const wrong of [7, true, [], {}, null, 'x'.repeat(max + 1)])
      (await send(JSON.stringify({ ...input, [field]: wrong }))).fails(400, 'VALIDATION_ERROR').names(field)
    const { [field]: _, ...without } = input
    ;(await send(JSON.stringify(without))).fails(400, 'VALIDATION_ERROR').names(field)
    for (const [what, text] of Object.entries(unreadableTexts)) {
      const whole = JSON.stringify({ ...without, [field]: 'TEXT' }).replace('"TEXT"', text)
      const answer = await send(whole)
      answer.require(answer.status === 400, `400 for ${what}`, String(answer.status))
    }
    for (const text of [
      '',
      '{',
      '{"a":1,"a":2}',
      '\ufeff{}',
      `${'['.repeat(40)}${']'.repeat(40)}`,
      '"text"',
      '[]',
      'null',
    ])
      (await send(text)).fails(400, 'VALIDATION_ERROR')
  })

  define('7.2.8', ['text', 'graphql'], async ({ kit, subject }) => {
    const { field, max } = subject.profile.text!
    const body = { ...(await subject.input()), [field]: 'x'.repeat(max + 1) }
    const rest = (await kit.send(`POST ${subject.path}`, { as: subject.creator, body })).fails(400)
    const graphql = (await subject.mutate(body)).hasError('VALIDATION_ERROR')
    graphql.has('message', graphql.json.errors[0].message, rest.json.error.message.replace(field, subject.field(field)))
  })

  define('7.2.9', ['json'], async ({ kit, subject }) => {
    const input = await subject.input()
    for (const digits of ['9007199254740993', '0.1234567890123456789', '1e-400']) {
      const text = JSON.stringify({ ...input, [subject.profile.json!]: { n: 'N' } }).replace('"N"', digits)
      ;(await kit.send(`POST ${subject.path}`, { as: subject.creator, text })).fails(400, 'VALIDATION_ERROR')
    }
  })

  define('7.2.10', ['resource'], async ({ kit }) => {
    const target = `/api/${kit.version}/no-such-resources`
    const type = 'application/problem+json'
    const envelope = (await kit.send(`GET ${target}`, { headers: { Accept: `${type}, */*` } })).fails(404)
    const answer = await kit.send(`GET ${target}`, { headers: { Accept: `${type}, application/json;q=0.5` } })
    const { code, message } = envelope.json.error
    answer.is(404).has('Content-Type', answer.headers['content-type'], type)
    answer.has('body', answer.json, { type: 'about:blank', title: 'Not Found', status: 404, detail: message, code })
  })

  define('7.2.6', ['relations'], async ({ kit, subject }) => {
    const [[field, target]] = Object.entries(subject.profile.relations!) as [[string, string]]
    const body = { ...(await subject.input()), [field]: missingId(kit.subject(target)) }
    const answer = await kit.send(`POST ${subject.path}`, { as: subject.creator, body })
    answer.fails(422, 'BUSINESS_RULE_VIOLATION')
  })
}
