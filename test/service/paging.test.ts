// Random walks over the pages of a list that is being written to: what was there all along comes exactly once, in every
// order, forward and backward, through both faces. (contract 4.4)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Fixtures } from '../support/rows/fixtures.ts'
import { type TestService, withService } from '../support/server/service.ts'

const sorts = ['title', '-title', 'created_at', '-created_at', 'published_at', '-published_at'] as const
const titles = ['a', 'a', 'B', 'é', '😀', '\uff5e'] as const
/** Nothing, the same moment often, another now and then. */
const moments = [null, null, new Date(0), new Date(0), new Date(1)] as const

/** What happens between two pages. */
type Write = { readonly kind: 'create' | 'retitle' | 'publish' | 'delete' | 'edit'; readonly which: number }
const walk = fc.record({
  sort: fc.uniqueArray(fc.constantFrom(...sorts), {
    minLength: 1,
    maxLength: 2,
    selector: (sort) => sort.replace('-', ''),
  }),
  size: fc.integer({ min: 1, max: 5 }),
  backward: fc.boolean(),
  face: fc.constantFrom('rest', 'graphql'),
  stays: fc.array(fc.record({ title: fc.nat({ max: 5 }), publishedAt: fc.nat({ max: 4 }) }), {
    minLength: 1,
    maxLength: 10,
  }),
  goes: fc.array(fc.record({ title: fc.nat({ max: 5 }), publishedAt: fc.nat({ max: 4 }) }), { maxLength: 5 }),
  writes: fc.array(
    fc.record({ kind: fc.constantFrom('create', 'retitle', 'publish', 'delete', 'edit'), which: fc.nat({ max: 9 }) }),
    { minLength: 1, maxLength: 12 },
  ),
})
type Walk = typeof walk extends fc.Arbitrary<infer W> ? W : never

withService('Walking through pages', (service) => {
  test('neither repeats nor loses a record that was there all along', async () => {
    await fc.assert(
      fc.asyncProperty(walk, async (given) => {
        const world = await makeWorld(service(), given)
        const seen =
          given.face === 'rest' ? await walkRest(service(), world, given) : await walkGraphql(service(), world, given)
        const constant = seen.filter((id) => world.stays.includes(id))
        assert.deepEqual([...constant].sort(), [...world.stays].sort())
        // The order of those that nothing happened to is the order of one page with all of them.
        const { body } = await service().send(`GET /api/v2/posts?${queryOf(world, given)}&limit=100`, { as: 'admin' })
        const whole = (body.data as { id: string }[]).map((each) => each.id).filter((id) => world.stays.includes(id))
        assert.deepEqual(given.backward && given.face === 'graphql' ? constant.toReversed() : constant, whole)
      }),
      { numRuns: 25 },
    )
    service().assertLog()
  })
})

interface World {
  readonly author: string
  readonly fixtures: Fixtures
  readonly stays: readonly string[]
  /** Ids of what the writes are about. */
  readonly goes: string[]
  readonly writes: Write[]
}

async function makeWorld(service: TestService, given: Walk): Promise<World> {
  const post = ({ title, publishedAt }: Walk['stays'][number]) => ({
    Post: { title: titles[title], content: 'C', author: '{writer}', publishedAt: moments[publishedAt] },
  })
  // What stays and what goes is made in turns, so that either stands between the other.
  const named = [
    ...given.stays.map((each, index) => [index, `stays ${index}`, post(each)] as const),
    ...given.goes.map((each, index) => [index + 0.5, `goes ${index}`, post(each)] as const),
  ].sort(([one], [other]) => one - other)
  const fixtures = service.fixtures(Object.fromEntries(named.map(([, name, recipe]) => [name, recipe])))
  const ids = new Map<string, string>()
  for (const [, name] of named) ids.set(name, await fixtures.idOf(name))
  const of = (kind: string) => [...ids].filter(([name]) => name.startsWith(kind)).map(([, id]) => id)
  return {
    author: await fixtures.idOf('writer'),
    fixtures,
    stays: of('stays'),
    goes: of('goes'),
    writes: [...given.writes],
  }
}

const queryOf = ({ author }: World, { sort }: Walk): string => `author_id=${author}&sort=${sort.join()}`

/** Does the next of the writes. Whatever changes the place of a record happens to those that go. */
async function write(service: TestService, { fixtures, stays, goes, writes }: World): Promise<void> {
  const next = writes.shift()
  if (next === undefined) return
  const { kind, which } = next
  const send = async (line: string, body?: unknown) => {
    const answer = await service.send(line, { as: '{writer}', fixtures, ...(body === undefined ? {} : { body }) })
    assert(answer.status < 300 || answer.status === 409, answer.text)
    return answer
  }
  if (kind === 'create' || goes.length === 0) {
    const { body } = await send('POST /api/v2/posts', {
      title: titles[which % 6],
      content: 'C',
      publish: which % 2 === 0,
    })
    goes.push(body.data.id)
    return
  }
  const id = goes[which % goes.length]!
  if (kind === 'retitle') await send(`PATCH /api/v2/posts/${id}`, { title: titles[which % 6] })
  if (kind === 'publish') await send(`POST /api/v2/posts/${id}/publish`)
  if (kind === 'edit') await send(`PATCH /api/v2/posts/${stays[which % stays.length]}`, { content: 'Edited' })
  if (kind === 'delete') {
    goes.splice(goes.indexOf(id), 1)
    await send(`DELETE /api/v2/posts/${id}`)
  }
}

/** All ids in the order of the list: forward, or first to the end and then back from there. */
async function walkRest(service: TestService, world: World, given: Walk): Promise<readonly string[]> {
  const read = async (cursor: string | null) => {
    const from = cursor === null ? '' : `&cursor=${cursor}`
    const { status, body, text } = await service.send(
      `GET /api/v2/posts?${queryOf(world, given)}&limit=${given.size}${from}`,
      { as: '{writer}', fixtures: world.fixtures },
    )
    assert.equal(status, 200, text)
    return { ids: (body.data as { id: string }[]).map((each) => each.id), meta: body.meta }
  }
  const pages: string[][] = []
  let page = await read(null)
  for (;;) {
    pages.push(page.ids)
    if (page.meta.next_cursor === null) break
    await write(service, world)
    page = await read(page.meta.next_cursor)
  }
  if (!given.backward) return pages.flat()
  const back = [page.ids]
  while (page.meta.prev_cursor !== null) {
    await write(service, world)
    page = await read(page.meta.prev_cursor)
    back.unshift(page.ids)
  }
  return back.flat()
}

/** All ids in the order in which they came: forward by `first` and `after`, backward by `last` and `before`. */
async function walkGraphql(service: TestService, world: World, given: Walk): Promise<readonly string[]> {
  const sort = given.sort.map((each) =>
    each.startsWith('-') ? `${each.slice(1).toUpperCase()}_DESC` : `${each.toUpperCase()}_ASC`,
  )
  const [size, from] = given.backward ? ['last', 'before'] : ['first', 'after']
  const document = `query ($from: String) { posts(filter: { authorId: "${world.author}" }, sort: [${sort}], ${size}: ${given.size}, ${from}: $from) { nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`
  const seen: string[] = []
  let cursor: string | null = null
  for (;;) {
    const variables: { from: string | null } = { from: cursor }
    const { body, text } = await service.graphql(document, { as: '{writer}', fixtures: world.fixtures, variables })
    assert.equal(body.errors, undefined, text)
    const { nodes, pageInfo } = body.data.posts as {
      nodes: { id: string }[]
      pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }
    }
    const ids = nodes.map((each) => each.id)
    seen.push(...(given.backward ? ids.toReversed() : ids))
    if (!(given.backward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage)) return seen
    cursor = given.backward ? pageInfo.startCursor : pageInfo.endCursor
    await write(service, world)
  }
}
