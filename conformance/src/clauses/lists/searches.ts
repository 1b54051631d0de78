// Search. (12.2)

import type { Define } from '../../kit/clause.ts'
import { idsOf } from '../../kit/page.ts'

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

  define('12.2.11', ['search', 'text', 'change'], async ({ kit, subject }) => {
    const { field } = subject.profile.text!
    const [first, second] = [kit.unique(), kit.unique()]
    const { id, target } = await subject.make({ [field]: first })
    const find = async (word: string) => {
      const answer = (await kit.send(`GET ${subject.path}?q=${word}`, { as: subject.creator })).is(200)
      return [answer, idsOf(answer)] as const
    }
    const [before, ids] = await find(first)
    before.has('ids', ids, [id])
    ;(await kit.send(`PATCH ${target}`, { as: subject.creator, body: { [field]: second } })).is(200)
    const [old, none] = await find(first)
    old.has('ids', none, [])
    const [after, found] = await find(second)
    after.has('ids', found, [id])
  })

  define('12.2.15', ['search', 'text', 'graphql'], async ({ kit, subject }) => {
    const { field } = subject.profile.text!
    const mark = kit.unique()
    // The older one is the better match: its words are adjacent.
    const better = await subject.make({ [field]: `${mark} blue printer` })
    const worse = await subject.make({ [field]: `${mark} blue old printer` })
    const words = `${mark} blue printer`
    const as = subject.creator
    for (const sort of ['', '&sort=-relevance']) {
      const answer = await kit.send(`GET ${subject.path}?q=${encodeURIComponent(words)}${sort}`, { as })
      answer.is(200).has('ids', idsOf(answer), [better.id, worse.id])
    }
    const query = `{ x: ${subject.list}(search: "${words}", sort: [RELEVANCE_DESC]) { id } }`
    const graphql = (await kit.graphql(query, undefined, { as })).succeeds()
    graphql.has('ids', graphql.data.x, [{ id: better.id }, { id: worse.id }])
  })

  define('12.2.34', ['search', 'text'], async ({ kit, subject }) => {
    const text = `${kit.unique()} equal`
    const made = await subject.makeMany(3, () => ({ [subject.profile.text!.field]: text }))
    const answer = (await kit.send(`GET ${subject.path}?q=${encodeURIComponent(text)}`, { as: subject.creator })).is(
      200,
    )
    answer.has('ids', idsOf(answer), made.map(({ id }) => id).toReversed())
  })

  define('12.2.16', ['anywhere'], async ({ kit, subject }) => {
    const field = subject.profile.anywhere!
    const mark = kit.unique().toUpperCase()
    const { id } = await subject.make({ [field]: `AB-${mark}` })
    for (const part of [`b-${mark.slice(0, 12)}`, `b${mark}`, mark.slice(1), mark.toLowerCase().slice(2)]) {
      const answer = await kit.send(`GET ${subject.path}?q=${part}`, { as: subject.creator })
      answer.is(200).require(idsOf(answer).includes(id), `${id} for ${part}`, idsOf(answer).join(', '))
    }
  })

  define('12.2.10', ['searchBelow', 'graphql'], async ({ kit, subject }) => {
    const { resource, relation, field } = subject.profile.searchBelow!
    const { id } = await subject.make()
    const word = kit.unique()
    await kit.subject(resource).make({ [relation]: id, [field]: word })
    const answer = (await kit.send(`GET ${subject.path}?q=${word}`, { as: subject.creator })).is(200)
    answer.has('ids', idsOf(answer), [id])
    const query = `{ x: ${subject.list}(search: "${word}") { id } }`
    const graphql = (await kit.graphql(query, undefined, { as: subject.creator })).succeeds()
    graphql.has('ids', graphql.data.x, [{ id }])
  })
}
