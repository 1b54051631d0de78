// Kinds of values: ids of other systems, exact numbers, patterns, ordered choices, counters, secrets. (11.1, 11.3, 11.4)

import { Untestable } from '../../kit/answer.ts'
import type { Define, Scene } from '../../kit/clause.ts'
import { camel, type Kit, type Subject } from '../../kit/kit.ts'
import { idsOf } from '../../kit/page.ts'

/** Requires that each value is answered in this form, and that the wrong ones are refused. */
async function requireForms(
  { kit, subject }: Scene,
  field: string,
  forms: readonly (readonly [sent: unknown, answer: unknown])[],
  wrong: readonly unknown[],
): Promise<void> {
  for (const [sent, expected] of forms) {
    const { answer, target } = await subject.make({ [field]: sent })
    answer.has(field, answer.data[field], expected)
    const read = (await kit.send(`GET ${target}`, { as: subject.creator })).is(200)
    read.has(field, read.data[field], expected)
  }
  for (const value of wrong) {
    const body = { ...(await subject.input()), [field]: value }
    ;(await kit.send(`POST ${subject.path}`, { as: subject.creator, body })).fails(400, 'VALIDATION_ERROR').names(field)
  }
}

export function defineKinds(define: Define): void {
  defineNumbers(define)
  definePatternsAndChoices(define)
  defineCounters(define)
  defineSecrets(define)
}

function defineNumbers(define: Define): void {
  define('11.1.2', ['uuid'], (scene) => {
    const uuid = '0197a3c2-5b1e-7d40-9f3a-6c2e8b7d1f05'
    const forms = [
      [uuid, uuid],
      [uuid.toUpperCase(), uuid],
    ] as const
    return requireForms(scene, scene.subject.profile.uuid!, forms, [uuid.replaceAll('-', ''), `{${uuid}}`, 'x', 7])
  })

  define('11.1.3', ['float'], (scene) => {
    const forms = [0.1, 1e-7, 1.7976931348623157e308, 5e-324, -2.5].map((value) => [value, value] as const)
    return requireForms(scene, scene.subject.profile.float!, [...forms, [-0, 0]], ['1', true])
  })

  define('11.1.4', ['bigint'], (scene) => {
    const forms = ['9223372036854775807', '-9223372036854775808', '0'].map((value) => [value, value] as const)
    const wrong = ['9223372036854775808', '+1', '01', '1.0', '', 1]
    return requireForms(scene, scene.subject.profile.bigint!, [...forms, ['-0', '0']], wrong)
  })

  define('11.1.8', ['currency'], (scene) => {
    const forms = ['EUR', 'XAU', 'XDR', 'XTS', 'XXX'].map((value) => [value, value] as const)
    return requireForms(scene, scene.subject.profile.currency!, forms, ['eur', 'EURO', 'AAA', ''])
  })

  define('11.1.6', ['bigint', 'sort', 'narrow'], async ({ kit, subject }) => {
    const field = subject.profile.bigint!
    if (!subject.profile.sort!.includes(field)) throw new Untestable(`lists are not sorted by ${field}`)
    await subject.makeMany(3, (at) => ({ [field]: ['-5', '10', '9'][at] }))
    const list = `GET ${subject.path}?${await subject.narrowed()}&limit=100&sort=${field}`
    const answer = (await kit.send(list, { as: subject.creator })).is(200)
    const values = answer.data
      .map((each: Record<string, string | null>) => each[field]!)
      .filter((value: string | null) => value !== null)
      .map(BigInt)
    const isSorted = values.every((value: bigint, at: number) => at === 0 || values[at - 1] <= value)
    answer.require(isSorted, 'the order of numbers', values.join(', '))
  })

  define('11.1.9', ['decimal'], async ({ kit, subject }) => {
    const answer = (await kit.send(`GET /api/${kit.version}/openapi.json`)).is(200)
    const { field } = subject.profile.decimal!
    const property = answer.json.components.schemas[subject.profile.type]?.properties?.[field]
    for (const name of ['x-minimum', 'x-maximum']) answer.matches(`${name} of ${field}`, find(property, name), /^-?\d/)
  })
}

/** The first value with this name, wherever it stands. */
function find(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  if (Object.hasOwn(value, name)) return (value as Record<string, unknown>)[name]
  for (const each of Object.values(value)) {
    const inner = find(each, name)
    if (inner !== undefined) return inner
  }
  return undefined
}

function definePatternsAndChoices(define: Define): void {
  define('11.3.1', ['pattern'], async ({ kit, subject }) => {
    const { field, wrong } = subject.profile.pattern!
    const body = { ...(await subject.input()), [field]: wrong }
    ;(await kit.send(`POST ${subject.path}`, { as: subject.creator, body })).fails(400, 'VALIDATION_ERROR').names(field)
    const document = (await kit.send(`GET /api/${kit.version}/openapi.json`)).is(200)
    const property = document.json.components.schemas[subject.profile.type].properties[field]
    document.matches(`pattern of ${field}`, find(property, 'pattern'), /^\^.*\$$/)
  })

  define('4.8.16', ['dashed', 'graphql'], async ({ kit, subject }) => {
    const { field, value } = subject.profile.dashed!
    const { id } = await subject.make({ [field]: value })
    const name = value.replaceAll(/[-.]/g, '_')
    const query = `{ x: ${subject.one}(id: "${id}") { ${camel(field)} } }`
    const read = (await kit.graphql(query, undefined, { as: subject.creator })).succeeds()
    read.has(field, read.data.x[camel(field)], name)
    const made = (await subject.mutate({ ...(await subject.input()), [field]: name }, camel(field))).succeeds()
    made.has(field, made.data.made[camel(field)], name)
    const rest = (await kit.send(`GET ${subject.path}/${made.data.made.id}`, { as: subject.creator })).is(200)
    rest.has(field, rest.data[field], value)
  })

  define('11.3.3', ['choice', 'sort', 'narrow'], async ({ kit, subject }) => {
    const { field, values } = subject.profile.choice!
    for (const value of values.toReversed()) await subject.make({ [field]: value })
    const list = `GET ${subject.path}?${await subject.narrowed()}&limit=100&sort=${field}`
    const answer = (await kit.send(list, { as: subject.creator })).is(200)
    const positions = answer.data.map((each: Record<string, string>) => values.indexOf(each[field]!))
    answer.has(
      'the order',
      positions,
      positions.toSorted((a: number, b: number) => a - b),
    )
    const found = new Set(positions)
    answer.require(found.size > 1, 'several values', String(found.size))
  })

  define('11.3.4', ['choice', 'sort', 'narrow'], async ({ kit, subject }) => {
    const { field, values } = subject.profile.choice!
    for (const value of values) await subject.make({ [field]: value })
    const list = `GET ${subject.path}?${await subject.narrowed()}&sort=${field}`
    const first = (await kit.send(`${list}&limit=2`, { as: subject.creator })).is(200)
    const cursor = `cursor=${encodeURIComponent(first.json.meta.next_cursor)}`
    const second = (await kit.send(`${list}&limit=2&${cursor}`, { as: subject.creator })).is(200)
    const positions = [...first.data, ...second.data].map((each: Record<string, string>) =>
      values.indexOf(each[field]!),
    )
    second.has(
      'the order',
      positions,
      positions.toSorted((a: number, b: number) => a - b),
    )
    second.has('ids twice', new Set([...idsOf(first), ...idsOf(second)]).size, positions.length)
  })
}

const numbersOf = (answer: { readonly data: readonly Record<string, number>[] }, field: string) =>
  answer.data.map((each) => each[field]!)

async function parentOf(kit: Kit, subject: Subject): Promise<Record<string, string>> {
  const { within } = subject.profile.counter!
  return within === undefined ? {} : { [within.field]: (await kit.subject(within.resource).make()).id }
}

function defineCounters(define: Define): void {
  define('11.3.5', ['counter', 'batch', 'change'], async ({ kit, subject }) => {
    const { field } = subject.profile.counter!
    const parent = await parentOf(kit, subject)
    const inputs = [await subject.input(), await subject.input(), await subject.input()].map((input) => ({
      ...input,
      ...parent,
    }))
    const answer = (await subject.postMany(inputs)).is(201)
    const [first] = numbersOf(answer, field) as [number]
    answer.has(field, numbersOf(answer, field), [first, first + 1, first + 2])
    const body = { ...(await kit.fill(subject.profile.change!)), [field]: 7 }
    const target = `${subject.path}/${answer.data[0].id}`
    ;(await kit.send(`PATCH ${target}`, { as: subject.creator, body })).fails(400).names(field)
  })

  define('11.3.8', ['counter'], async ({ kit, subject }) => {
    const { field, within } = subject.profile.counter!
    if (within === undefined) throw new Untestable('no counter of the profile counts within a record')
    for (const parent of [await parentOf(kit, subject), await parentOf(kit, subject)])
      for (const expected of [1, 2]) {
        const { answer } = await subject.make(parent)
        answer.has(field, answer.data[field], expected)
      }
  })

  define('11.3.7', ['counter', 'text'], async ({ kit, subject }) => {
    const { field, within } = subject.profile.counter!
    if (within === undefined) throw new Untestable('other callers take numbers of this counter')
    const parent = await parentOf(kit, subject)
    const first = await subject.make(parent)
    const { field: name, max } = subject.profile.text!
    const body = { ...(await subject.input()), ...parent, [name]: 'x'.repeat(max + 1) }
    ;(await kit.send(`POST ${subject.path}`, { as: subject.creator, body })).fails(400)
    const second = await subject.make(parent)
    second.answer.has(field, second.record[field], first.record[field] + 1)
    if (subject.profile.delete !== true) return
    ;(await kit.send(`DELETE ${second.target}`, { as: subject.creator })).is(204)
    const third = await subject.make(parent)
    third.answer.has(field, third.record[field], second.record[field] + 1)
  })

  define('11.3.6', ['movedCounter', 'graphql'], async ({ kit, subject }) => {
    const { field, move, prepare } = subject.profile.movedCounter!
    const { id, target, record, answer } = await subject.make(await kit.fill(prepare ?? {}))
    answer.has(field, record[field], null)
    const query = `{ x: ${subject.one}(id: "${id}") { ${camel(field)} } }`
    const graphql = (await kit.graphql(query, undefined, { as: subject.creator })).succeeds()
    graphql.has(field, graphql.data.x[camel(field)], null)
    const moved = (await kit.send(`POST ${target}/${move}`, { as: subject.creator })).is(200)
    moved.require(Number.isInteger(moved.data[field]), `a number in ${field}`, String(moved.data[field]))
  })
}

function defineSecrets(define: Define): void {
  define('11.4.1', ['secret', 'graphql'], async ({ kit, subject }) => {
    const field = subject.profile.secret!
    const value = `secret-${kit.unique()}`
    const { id, target, answer } = await subject.make({ [field]: value })
    const query = `{ x: ${subject.one}(id: "${id}") { ${camel(field)} } }`
    const as = subject.creator
    const list = await kit.send(`GET ${subject.path}?limit=100`, { as })
    for (const each of [answer, await kit.send(`GET ${target}`, { as }), list])
      each.require(!each.text.includes(value), 'no secret', value)
    ;(await kit.graphql(query, undefined, { as })).hasError('GRAPHQL_VALIDATION_FAILED')
    const tooLong = { ...(await subject.input()), [field]: 'x'.repeat(10_000) }
    const refused = (await kit.send(`POST ${subject.path}`, { as, body: tooLong })).fails(400).names(field)
    refused.require(!refused.text.includes('xxxx'), 'no secret in a failure', refused.text)
  })

  define('11.4.4', ['secret', 'change'], async ({ kit, subject }) => {
    const field = subject.profile.secret!
    const { target, answer } = await subject.make()
    const body = { [field]: kit.unique() }
    const changed = (await kit.send(`PATCH ${target}`, { as: subject.creator, body })).is(200)
    const [before, after] = [answer, changed].map(({ headers }) => Number(/^"(\d+)/.exec(headers.etag ?? '')?.[1]))
    changed.require(after! > before!, `a version greater than ${before}`, String(after))
    changed.require(!changed.text.includes(body[field]!), 'no secret', changed.text)
  })
}
