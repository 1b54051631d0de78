// Search and summaries. (12.2)

import type { Define } from '../kit/clause.ts'
import { idsOf } from '../kit/page.ts'

export function defineSearches(define: Define): void {
  define('12.2.12', ['search', 'text'], async ({ kit, subject }) => {
    const mark = kit.unique()
    const { id } = await subject.make({ [subject.profile.text!.field]: `${mark} Straße Über` })
    for (const words of [`${mark} strasse`, `${mark} STRASSE uber`, `${mark.toUpperCase()} über`]) {
      const answer = (await kit.send(`GET ${subject.path}?q=${encodeURIComponent(words)}`, { as: subject.creator })).is(
        200,
      )
      answer.has('ids', idsOf(answer), [id])
    }
  })

  define('12.2.13', ['search', 'text'], async ({ kit, subject }) => {
    const mark = kit.unique()
    const { field } = subject.profile.text!
    const [one, two] = await Promise.all([
      subject.make({ [field]: `${mark} blue printer` }),
      subject.make({ [field]: `${mark} printer blue friendly` }),
    ])
    const find = async (words: string, expected: readonly string[]) => {
      const answer = (await kit.send(`GET ${subject.path}?q=${encodeURIComponent(words)}`, { as: subject.creator })).is(
        200,
      )
      answer.has(`what ${words} finds`, idsOf(answer).toSorted(), expected.toSorted())
    }
    await find(`${mark} blue`, [one.id, two.id])
    await find(`${mark} -friendly`, [one.id])
    await find(`"blue printer" ${mark}`, [one.id])
    await find(`${mark} frien`, [two.id])
    await find(`frien ${mark}`, [])
  })

  define('12.2.33', ['search'], async ({ kit, subject }) => {
    const words = Array.from({ length: 11 }, (_, at) => `w${at}`).join(' ')
    for (const q of ['x'.repeat(201), words, '"open', '-only', ''])
      (await kit.send(`GET ${subject.path}?q=${encodeURIComponent(q)}`, { as: subject.creator })).fails(400).names('q')
  })

  define('12.2.14', ['search', 'text', 'delete'], async ({ kit, subject }) => {
    const mark = kit.unique()
    const { target } = await subject.make({ [subject.profile.text!.field]: `${mark} word` })
    ;(await kit.send(`DELETE ${target}`, { as: subject.creator })).is(204)
    const answer = (await kit.send(`GET ${subject.path}?q=${mark}`, { as: subject.creator })).is(200)
    answer.has('data', answer.data, [])
  })

  define('12.2.36', ['search'], async ({ kit, subject }) => {
    ;(await kit.send(`GET ${subject.path}?sort=-relevance`, { as: subject.creator })).fails(400).names('sort')
  })

  define('12.2.17', ['search', 'text'], async ({ kit, subject }) => {
    const mark = kit.unique()
    await subject.makeMany(2, (at) => ({ [subject.profile.text!.field]: `${mark} ship ${at}` }))
    const find = (parameters: string) => kit.send(`GET ${subject.path}?limit=1&${parameters}`, { as: subject.creator })
    const first = (await find(`q=${mark}%20Ship`)).is(200)
    const cursor = encodeURIComponent(first.json.meta.next_cursor)
    ;(await find(`q=${mark}%20ship&cursor=${cursor}`)).is(200)
    ;(await find(`q=${mark}%20boat&cursor=${cursor}`)).fails(400)
  })

  define('12.2.18', ['search', 'maxAge'], async ({ kit, subject }) => {
    const answer = (await kit.send(`GET ${subject.path}?q=word`)).is(200)
    answer.has('Cache-Control', answer.headers['cache-control'], 'private, no-cache')
  })
}

export function defineSummaries(define: Define): void {
  define('12.2.20', ['summary', 'integer'], async ({ kit, subject }) => {
    const value = kit.unique()
    const { field } = subject.profile.integer!
    await subject.makeMany(2, (at) => ({ [subject.profile.summary!]: value, [field]: 10 + at }))
    const target = `${subject.path}/summary?${subject.profile.summary}=${value}`
    const answer = (await kit.send(`GET ${target}`, { as: subject.creator })).is(200)
    answer.has('count', answer.data[0].count, 2).has(`the sum of ${field}`, answer.data[0].sum[field], '21')
  })

  define('12.2.23', ['summary', 'narrow'], async ({ kit, subject }) => {
    const value = kit.unique()
    const by = subject.profile.summary!
    await subject.makeMany(2, () => ({ [by]: value }))
    const target = `${subject.path}/summary?group_by=${by}&${by}=${value}`
    const answer = (await kit.send(`GET ${target}`, { as: subject.creator })).is(200)
    answer.has('groups', answer.data.length, 1).has('count', answer.data[0].count, 2).has(by, answer.data[0][by], value)
    const none = (await kit.send(`GET ${target}x`, { as: subject.creator })).is(200)
    none.has('groups', none.data, [])
    const whole = (await kit.send(`GET ${subject.path}/summary?${by}=${value}x`, { as: subject.creator })).is(200)
    whole.has('the count of nothing', whole.data[0].count, 0)
  })

  define('12.2.21', ['summary'], async ({ kit, subject }) => {
    for (const groups of [
      'no_such_field',
      `${subject.profile.summary},${subject.profile.summary}`,
      `${subject.profile.summary}:month`,
    ])
      (await kit.send(`GET ${subject.path}/summary?group_by=${groups}`, { as: subject.creator }))
        .fails(400)
        .names('group_by')
  })
}
