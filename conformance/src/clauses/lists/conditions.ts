// Conditions. (12.1)

import type { Define } from '../../kit/clause.ts'
import { idsOf, pageOf } from '../../kit/page.ts'

export function defineConditions(define: Define): void {
  define('12.1.1', ['where'], async ({ kit, subject }) => {
    const where = (text: string) =>
      kit.send(`GET ${subject.path}?where=${encodeURIComponent(text)}`, { as: subject.creator })
    ;(await where('no_such_field = "x"')).fails(400, 'VALIDATION_ERROR').names('where')
    ;(await where(`${subject.profile.text!.field} != "x"`)).is(200)
  })

  define('12.1.2', ['where', 'text'], async (scene) => {
    const { made, list } = await pageOf(scene, 3)
    const { field } = scene.subject.profile.text!
    const [first, second, third] = made.map(({ id }) => id)
    const value = made[1]!.record[field] as string
    const find = async (text: string, expected: readonly (string | undefined)[]) => {
      const { kit, subject } = scene
      const whole = `startsWith(${field}, "${value.split(' ')[0]}") AND ${text}`
      const target = `${subject.path}?sort=created_at&where=${encodeURIComponent(whole)}`
      const answer = (await kit.send(`GET ${target}`, { as: subject.creator })).is(200)
      answer.has('ids', idsOf(answer), expected)
    }
    await find(`${field} = "${value}"`, [second])
    await find(`${field} != "${value}"`, [first, third])
    await find(`${field} < "${value}"`, [first])
    await find(`${field} <= "${value}"`, [first, second])
    await find(`${field} > "${value}"`, [third])
    await find(`${field} >= "${value}"`, [second, third])
    await find(`${field} IN ("${value}", "x")`, [second])
    await find(`NOT ${field} = "${value}"`, [first, third])
    ;(await list('')).is(200)
  })

  define('12.1.16', ['where', 'text'], async ({ kit, subject }) => {
    const { field } = subject.profile.text!
    for (const text of [
      `${field} = "a" AND ${field} = "b" OR ${field} = "c"`,
      'word',
      `${field} = "a" ${field} = "b"`,
      `-${field} = "a"`,
      `${field} = "a*`,
      '',
    ]) {
      const target = `${subject.path}?where=${encodeURIComponent(text)}`
      ;(await kit.send(`GET ${target}`, { as: subject.creator })).fails(400, 'VALIDATION_ERROR').names('where')
    }
  })

  define('12.1.7', ['where', 'text'], async ({ kit, subject }) => {
    const { field } = subject.profile.text!
    const mark = kit.unique()
    await subject.make({ [field]: mark })
    for (const [comparison, count] of [
      ['created_at > now - 1d', 1],
      ['created_at < now - 1d', 0],
      ['created_at > now - 1w', 1],
      ['created_at < now - 86400s', 0],
    ] as const) {
      const path = `${subject.path}?where=${encodeURIComponent(`${field} = "${mark}" AND ${comparison}`)}`
      const answer = await kit.send(`GET ${path}`, { as: subject.creator })
      answer.is(200).has(`what ${comparison} finds`, answer.data.length, count)
    }
  })

  define('12.1.9', ['where', 'text'], async ({ kit, subject }) => {
    const { field } = subject.profile.text!
    const find = (text: string) =>
      kit.send(`GET ${subject.path}?where=${encodeURIComponent(text)}`, { as: subject.creator })
    const comparisons = (count: number) => Array.from({ length: count }, (_, at) => `${field} != "${at}"`).join(' AND ')
    ;(await find(comparisons(20))).is(200)
    ;(await find(comparisons(21))).fails(400)
    const values = (count: number) => Array.from({ length: count }, (_, at) => `"${at}"`).join(', ')
    ;(await find(`${field} IN (${values(100)})`)).is(200)
    ;(await find(`${field} IN (${values(101)})`)).fails(400)
  })

  define('12.1.11', ['where', 'text'], async ({ kit, subject }) => {
    const { field } = subject.profile.text!
    const mark = kit.unique()
    await subject.makeMany(2, (at) => ({ [field]: `${mark} ${at}` }))
    const find = (text: string, more: string) =>
      kit.send(`GET ${subject.path}?where=${encodeURIComponent(text)}&limit=1${more}`, { as: subject.creator })
    const first = (await find(`startsWith(${field}, "${mark}")`, '')).is(200)
    const cursor = `&cursor=${encodeURIComponent(first.json.meta.next_cursor)}`
    ;(await find(`  startsWith( ${field} , '${mark}' )`, cursor)).is(200)
    ;(await find(`startsWith(${field}, "${mark} ")`, cursor)).fails(400, 'VALIDATION_ERROR')
  })

  define('12.1.12', ['where', 'text', 'maxAge'], async ({ kit, subject }) => {
    const where = encodeURIComponent(`${subject.profile.text!.field} != "x"`)
    const answer = (await kit.send(`GET ${subject.path}?where=${where}`)).is(200)
    answer.has('Cache-Control', answer.headers['cache-control'], 'private, no-cache')
  })

  define('12.1.15', ['where', 'text'], async ({ kit, subject }) => {
    const { field, max } = subject.profile.text!
    const text = `${field} = "${'x'.repeat(Math.min(max + 1, 4_000))}"`
    const answer = (
      await kit.send(`GET ${subject.path}?where=${encodeURIComponent(text)}`, { as: subject.creator })
    ).is(200)
    answer.has('data', answer.data, [])
  })

  define('12.1.5', ['where', 'text', 'graphql'], async ({ kit, subject }) => {
    const name = subject.field(subject.profile.text!.field)
    const mark = kit.unique()
    const made = await subject.makeMany(2, (at) => ({ [subject.profile.text!.field]: `${mark} ${at}` }))
    const ids = made.map(({ id }) => ({ id })).toReversed()
    const find = (where: string) =>
      kit.graphql(`{ x: ${subject.list}(where: ${where}) { id } }`, undefined, { as: subject.creator })
    for (const [where, expected] of [
      [`{ ${name}: { startsWith: "${mark}" } }`, ids],
      [`{ ${name}: { startsWith: "${mark}", ne: "${mark} 0" } }`, [ids[0]]],
      [`{ or: [{ ${name}: { eq: "${mark} 0" } }, { ${name}: { in: ["${mark} 1"] } }] }`, ids],
      [`{ ${name}: { startsWith: "${mark}" }, not: { ${name}: { eq: "${mark} 1" } } }`, [ids[1]]],
    ] as const) {
      const answer = (await find(where)).succeeds()
      answer.has(`what ${where} finds`, answer.data.x, expected)
    }
    for (const empty of ['{}', 'null', '{ or: [] }', `{ ${name}: {} }`, `{ ${name}: null }`])
      (await find(empty)).hasError('VALIDATION_ERROR', 'GRAPHQL_VALIDATION_FAILED')
  })

  define('12.1.6', ['where', 'text'], async ({ kit, subject }) => {
    const { field } = subject.profile.text!
    const mark = kit.unique()
    const { id } = await subject.make({ [field]: `${mark} it's "quoted"` })
    for (const text of [
      `${field} = "${mark} it's \\"quoted\\""`,
      `${field} = '${mark} it\\'s "quoted"'`,
      `(startsWith(${field}, "${mark}"))`,
      `startsWith(${field}, "${mark}") AND (${field} = "x" OR NOT ${field} = "x")`,
    ]) {
      const target = `${subject.path}?where=${encodeURIComponent(text)}`
      const answer = (await kit.send(`GET ${target}`, { as: subject.creator })).is(200)
      answer.has(`what ${text} finds`, idsOf(answer), [id])
    }
  })

  define('12.1.10', ['where', 'text', 'graphql'], async ({ kit, subject }) => {
    const { field } = subject.profile.text!
    const mark = kit.unique()
    const { id } = await subject.make({ [field]: mark })
    const text = `${field} = '${mark}'`
    const find = (argument: string) =>
      kit.graphql(`{ x: ${subject.list}(${argument}) { id } }`, undefined, { as: subject.creator })
    const answer = (await find(`whereText: "${text}"`)).succeeds()
    answer.has('records', answer.data.x, [{ id }])
    ;(await find(`whereText: "${text}", where: { ${subject.field(field)}: { eq: "x" } }`)).hasError('VALIDATION_ERROR')
  })

  define('12.1.3', ['where', 'text'], async ({ kit, subject }) => {
    const { field } = subject.profile.text!
    const { record, id } = await subject.make({ [field]: kit.unique() })
    const find = (text: string) =>
      kit.send(`GET ${subject.path}?where=${encodeURIComponent(text)}`, { as: subject.creator })
    const value = `${field} = "${record[field]}"`
    const both = (await find(`${value} AND NOT ${field} != "${record[field]}"`)).is(200)
    both.has('ids', idsOf(both), [id])
    const neither = (await find(`${value} AND NOT ${value}`)).is(200)
    neither.has('ids', idsOf(neither), [])
  })

  define('12.1.20', ['where', 'text'], async ({ kit, subject }) => {
    const { field } = subject.profile.text!
    const mark = kit.unique()
    await subject.make({ [field]: mark })
    const find = (comparison: string) => {
      const text = `${field} = "${mark}" AND ${comparison}`
      return kit.send(`GET ${subject.path}?where=${encodeURIComponent(text)}`, { as: subject.creator })
    }
    for (const [comparison, count] of [
      ['created_at >= startOf("day") - 1d', 1],
      ['created_at >= startOf("day", "Europe/Vienna") + 2d', 0],
      ['created_at > startOf("year") - 1d', 1],
    ] as const) {
      const answer = (await find(comparison)).is(200)
      answer.has(`what ${comparison} finds`, answer.data.length, count)
    }
    ;(await find('created_at > startOf("fortnight")')).fails(400)
  })

  define('12.1.21', ['where', 'text', 'compared'], async ({ kit, subject }) => {
    const { before, after, create } = subject.profile.compared!
    const { field } = subject.profile.text!
    const mark = kit.unique()
    const { id } = await subject.make({ [field]: mark, ...(await kit.fill(create)) })
    for (const [comparison, expected] of [
      [`${before} < ${after}`, [id]],
      [`${before} > ${after}`, []],
      [`${before} = ${after}`, []],
    ] as const) {
      const target = `GET ${subject.path}?where=${encodeURIComponent(`${field} = "${mark}" AND ${comparison}`)}`
      const answer = (await kit.send(target, { as: subject.creator })).is(200)
      answer.has(`what ${comparison} finds`, idsOf(answer), expected)
    }
  })
}
