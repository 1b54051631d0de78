// One deprecation, stated once: the documents, the schema, the counts and the contract check follow. (contract 9.2)

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  anyone,
  argument,
  choice,
  contains,
  DeprecatedUse,
  deprecated,
  integer,
  is,
  list,
  many,
  manyToMany,
  may,
  object,
  one,
  optional,
  resource,
  service,
  state,
  text,
} from 'duet-api'
import { type GraphQLSchema, isObjectType } from 'graphql'
import type { Change } from '../../src/compatibility/change.ts'
import { compareDocuments } from '../../src/compatibility/compare-document.ts'
import type { Document } from '../../src/compatibility/openapi-document.ts'
import { deprecationsIn } from '../../src/graphql/schema/deprecation.ts'
import { makeSchema } from '../../src/graphql/schema/schema.ts'
import { defaultLimits } from '../../src/limits.ts'
import { makeDocument } from '../../src/openapi/document.ts'
import { graphqlVocabulary } from '../../src/resource/model/vocabulary.ts'
import { compileRoutes } from '../../src/rest/route/routes.ts'
import { compileService } from '../../src/service/start/compile-service.ts'
import type { Answer } from '../support/client/http-client.ts'
import { accountFields, accounts } from '../support/domain/account.ts'
import { type TestService, withService } from '../support/server/service.ts'

const leave = { since: '2026-11-01', sunset: '2027-11-01' } as const

const User = resource('User', {
  prefix: 'usr',
  fields: {
    ...accountFields,
    name: text({ max: 100 }),
    emailVerified: deprecated(optional(text({ max: 5 })), leave),
    status: state('ACTIVE', 'OFF'),
    role: choice(['VIEWER', 'EDITOR', 'ADMIN'], { default: 'VIEWER' }),
  },
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['name', 'email', 'password'] },
    end: { allow: may('end'), from: 'ACTIVE', to: 'OFF' },
  },
})
const Page = resource('Page', {
  prefix: 'page',
  fields: {
    title: text({ max: 100 }),
    subtitle: deprecated(optional(text({ max: 100 })), { ...leave, use: 'title' }),
    kind: choice(['PLAIN', 'OLD'], { default: 'PLAIN', deprecatedValues: { OLD: { ...leave, use: 'PLAIN' } } }),
    tags: list(text({ max: 9 }), { max: 3 }),
    status: state('draft', 'out'),
    loudly: deprecated(argument(optional(text({ max: 9 }))), leave),
  },
  filter: { kind: is, tag: deprecated(contains('tags'), { ...leave, use: 'kind' }) },
  sort: ['title', 'subtitle'],
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['title', 'subtitle', 'kind', 'tags'] },
    publish: {
      allow: anyone,
      from: 'draft',
      to: 'out',
      accept: ['loudly'],
      check: ({ input }) => input.loudly !== 'no' || 'No.',
    },
    print: { allow: anyone, from: 'draft', to: 'out', deprecated: { ...leave, use: 'publish' } },
    hide: { allow: may('hide'), from: 'out', to: 'draft' },
  },
})
const described = {
  resources: { User, Page, DeprecatedUse },
  accounts,
  roles: { VIEWER: {}, EDITOR: {}, ADMIN: 'everything' },
} as const
const definition = service(described)
const model = compileService(definition)
const schema: GraphQLSchema = makeSchema(model, graphqlVocabulary(), defaultLimits)
const routes = compileRoutes(model)
const documentOf = () =>
  JSON.parse(
    JSON.stringify(
      makeDocument(routes.current, routes, model, {
        limits: defaultLimits,
        cursorForm: 'envelope',
        info: { title: 'x' },
      }),
    ),
  )

describe('9.2.1 a deprecation', () => {
  test('is in the schema, with its reason', () => {
    const found = [...deprecationsIn(schema)].map(([place, { use }]) => `${place} ${use}`)
    assert.deepEqual(found.sort(), [
      'CreatePageInput.subtitle title',
      'Mutation.printPage publish',
      'Page.subtitle title',
      'PageCan.print publish',
      'PageFilter.tag kind',
      'PageKind.OLD PLAIN',
      'PageSort.SUBTITLE_ASC title',
      'PageSort.SUBTITLE_DESC title',
      'PublishPageInput.loudly null',
      'User.emailVerified null',
    ])
    const page = schema.getType('Page')
    assert.ok(isObjectType(page))
    assert.equal(page.getFields()['subtitle']!.deprecationReason, 'Use title.')
    assert.equal(page.getFields()['title']!.deprecationReason, undefined)
  })

  test('is in the documents, with its dates', () => {
    const { paths, components } = documentOf()
    const dated = { deprecated: true, 'x-deprecated': '2026-11-01', 'x-sunset': '2027-11-01' }
    const has = (part: object) => assert.deepEqual({ ...part, ...dated }, part)
    for (const name of ['Page', 'CreatePage']) has(components.schemas[name].properties.subtitle)
    has(components.schemas.PublishPage.properties.loudly)
    has(paths['/api/v1/pages/{id}/print'].post)
    const parameter = (name: string) =>
      paths['/api/v1/pages'].get.parameters.find((each: { name?: string }) => each.name === name)
    has(parameter('tag'))
    const values = { subtitle: '2027-11-01' }
    assert.deepEqual(parameter('fields').schema.items['x-deprecated-values'], values)
    assert.deepEqual(parameter('sort').schema.items['x-deprecated-values'], { ...values, '-subtitle': '2027-11-01' })
    assert.deepEqual(components.schemas.Page.properties.kind['x-deprecated-values'], { OLD: '2027-11-01' })
    assert.equal(paths['/api/v1/pages'].get.deprecated, undefined)
    const headersOf = (path: string, method = 'get') => Object.keys(paths[path][method].responses[200].headers)
    const leaving = (names: readonly string[]) => names.filter((name) => /^(Deprecation|Sunset|Link)$/.test(name))
    assert.deepEqual(leaving(headersOf('/api/v1/pages/{id}/print', 'post')), ['Deprecation', 'Sunset'])
    assert.deepEqual(leaving(headersOf('/api/v1/pages/{id}/publish', 'post')), [])
    assert.deepEqual(leaving(headersOf('/api/v1/pages')), [])
    assert.deepEqual(leaving(Object.keys(components.headers)), ['Deprecation', 'Sunset', 'Link'])
    assert.deepEqual(leaving(Object.keys(components.responses.Conflict.headers)), ['Deprecation', 'Sunset'])
  })

  test('reports the contract check until when each part was promised', () => {
    const after = documentOf()
    for (const name of ['Page', 'CreatePage']) {
      delete after.components.schemas[name].properties.subtitle
      after.components.schemas[name].properties.kind.enum = ['PLAIN']
    }
    delete after.paths['/api/v1/pages/{id}/print']
    const { parameters } = after.paths['/api/v1/pages'].get
    after.paths['/api/v1/pages'].get.parameters = parameters.filter((each: { name?: string }) => each.name !== 'tag')
    const changes: Change[] = []
    compareDocuments('v1', documentOf() as Document, after as Document, (each) => changes.push(each))
    const broken = changes.filter(({ verdict }) => verdict === 'breaking')
    assert.ok(broken.length >= 5, JSON.stringify(changes))
    for (const change of broken) assert.equal(change.sunset, '2027-11-01', JSON.stringify(change))
  })
})

/** What is counted while something is asked. */
async function usesOf(service: TestService, ask: () => Promise<unknown>): Promise<readonly string[]> {
  await service.usage.flush()
  const before = await service.tables('deprecation_usage')
  await ask()
  await service.usage.flush()
  const rowsBefore = new Map(before.map((row) => [row[0], JSON.stringify(row)]))
  const rows = await service.tables('deprecation_usage')
  const changed = rows.filter((row) => rowsBefore.get(row[0]) !== JSON.stringify(row))
  return changed.map((row) => String(row[1])).sort()
}

withService(
  'uses of what is deprecated',
  (service) => {
    const named = { headers: { 'X-Client-Name': 'app' } }
    const uses = (ask: () => Promise<unknown>) => usesOf(service(), ask)
    const get = (path: string) => uses(() => service().send(`GET /api/v1/${path}`, named))
    const body = { title: 'T', tags: [] }
    const post = (more: object) =>
      uses(() => service().send('POST /api/v1/pages', { ...named, body: { ...body, ...more } }))

    test('are counted in queries, bodies and actions of REST, and nowhere else', async () => {
      assert.deepEqual(await get('pages'), [])
      assert.deepEqual(await get('pages?fields=id,title&kind=PLAIN&sort=title'), [])
      assert.deepEqual(await get('pages?fields=id,subtitle'), ['v1 Page.subtitle'])
      assert.deepEqual(await get('pages?sort=-subtitle'), ['v1 Page.subtitle'])
      assert.deepEqual(await get('pages?tag=x&kind=OLD'), ['v1 Page.kind=OLD', 'v1 pages?tag'])
      assert.deepEqual(await post({}), [])
      assert.deepEqual(await post({ subtitle: 'S', kind: 'OLD' }), ['v1 Page.kind=OLD', 'v1 Page.subtitle'])
      const { data } = (await service().send('POST /api/v1/pages', { body })).body
      assert.deepEqual(await uses(() => service().send(`POST /api/v1/pages/${data.id}/print`, named)), [
        'v1 pages/print',
      ])
    })

    test('are counted in literals and variables of GraphQL', async () => {
      const ask = (query: string, variables?: object) => uses(() => service().graphql(query, { ...named, variables }))
      assert.deepEqual(await ask('{ pages(filter: { kind: PLAIN }) { nodes { id } } }'), [])
      assert.deepEqual(await ask('{ pages(filter: { kind: OLD, tag: "x" }, sort: [SUBTITLE_ASC]) { nodes { id } } }'), [
        'PageFilter.tag',
        'PageKind.OLD',
        'PageSort.SUBTITLE_ASC',
      ])
      const filtered = 'query ($filter: PageFilter) { pages(filter: $filter) { nodes { title } } }'
      assert.deepEqual(await ask(filtered, { filter: { kind: 'PLAIN' } }), [])
      assert.deepEqual(await ask(filtered, { filter: { kind: 'OLD', tag: 'x' } }), ['PageFilter.tag', 'PageKind.OLD'])
      const write = 'mutation ($input: CreatePageInput!) { createPage(input: $input) { id } }'
      assert.deepEqual(await ask(write, { input: { ...body, subtitle: 'S' } }), ['CreatePageInput.subtitle'])
    })
  },
  { definition },
)

const Shelf = resource('Shelf', {
  prefix: 'shelf',
  plural: 'shelves',
  fields: {
    code: deprecated(text({ max: 9, default: 'none' }), leave),
    place: text({ max: 9 }),
    books: deprecated(many('Book', 'shelf'), leave),
  },
  keys: [['code']],
  actions: {
    read: { allow: anyone },
    create: { allow: anyone, accept: ['code', 'place', 'books'] },
    update: { allow: anyone, accept: ['place', 'books'] },
  },
})
const Genre = resource('Genre', {
  prefix: 'genre',
  fields: { name: text({ max: 9 }), books: manyToMany('Book', 'genres') },
  actions: { read: { allow: anyone }, create: { allow: anyone, accept: ['name'] } },
})
const Book = resource('Book', {
  prefix: 'book',
  fields: {
    title: text({ max: 9 }),
    heading: deprecated(optional(text({ max: 9 })), leave),
    pages: deprecated(integer({ default: 1 }), leave),
    size: choice(['A4', 'A5'], { default: 'A4', deprecatedValues: { A5: leave } }),
    shelf: deprecated(optional(one('Shelf')), leave),
    genres: deprecated(manyToMany('Genre', 'books'), leave),
    colours: list(choice(['RED', 'PINK'], { deprecatedValues: { PINK: leave } }), { max: 3 }),
    cover: optional(
      object({
        paper: choice(['THIN', 'WAX'], { default: 'THIN', deprecatedValues: { WAX: leave } }),
        weight: deprecated(optional(integer({ min: 0 })), leave),
        prints: list(object({ ink: choice(['BLACK', 'OLD'], { deprecatedValues: { OLD: leave } }) }), { max: 3 }),
      }),
    ),
    binding: argument(optional(choice(['GLUE', 'THREAD'], { deprecatedValues: { GLUE: leave } }))),
  },
  filter: { shelf: is, size: is, colour: contains('colours') },
  sort: ['title', 'shelf.place', 'shelf.code'],
  where: ['title', 'heading', 'size', 'shelf', 'shelf.code', 'shelf.books.title', 'shelf.books.size'],
  summary: { by: ['heading', 'shelf.code'], of: ['pages'] },
  actions: {
    read: { allow: anyone },
    create: {
      allow: anyone,
      accept: ['title', 'heading', 'shelf', 'genres', 'size', 'colours', 'cover', 'binding'],
      check: ({ input }) => input.binding !== 'GLUE' || 'No.',
    },
    update: { allow: anyone, accept: ['title', 'heading', 'size'] },
    delete: { allow: anyone },
  },
})

const [code, shelf, books, genres, heading, pages] = [
  'v1 Shelf.code',
  'v1 Book.shelf_id',
  'v1 Shelf.books',
  'v1 Book.genres',
  'v1 Book.heading',
  'v1 Book.pages',
]
const [oldSize, byShelf] = ['v1 Book.size=A5', 'v1 books?shelf_id']
const inside = ['colours=PINK', 'cover.paper=WAX', 'cover.weight', 'cover.prints.ink=OLD', 'binding=GLUE'] as const
const [pink, wax, weight, ink, glue] = inside.map((name) => `v1 Book.${name}`) as [
  string,
  string,
  string,
  string,
  string,
]
const cover = { paper: 'THIN', prints: [{ ink: 'BLACK' }] }
/** What a request of REST sends, and the names that it uses. */
const places: readonly (readonly [line: string, uses: readonly string[], body?: object])[] = [
  ['GET books?where=title = "a"', []],
  ['GET books?where=heading = "a"', [heading]],
  ['GET books?where=NOT (heading = "a" OR size IN ("A4", "A5"))', [oldSize, heading]],
  ['GET books?where=size = "A4" AND shelf = null', [shelf]],
  ['GET books?where=shelf.code = "a"', [shelf, code]],
  ['GET books?where=some(shelf.books, startsWith(title, "a") AND size = "A5")', [oldSize, shelf, books]],
  ['GET books?where=shelf.books.size:"A5"', [oldSize, shelf, books]],
  ['GET books?where=heading = "a" AND nothing', [heading]],
  ['GET books?sort=-title', []],
  ['GET books?sort=title,-shelf.place', [shelf]],
  ['GET books?sort=shelf.code', [shelf, code]],
  ['GET books?shelf_id=x&size=A5', [oldSize, byShelf]],
  ['GET books?fields=id,genre_ids,shelf_id', [genres, shelf]],
  ['GET books/summary?group_by=heading&sort=-heading&where=heading = "a"', [heading]],
  ['GET books/summary?group_by=shelf_code&sort=sum_pages', [pages, shelf, code]],
  ['GET shelves/shelf_x/books', [books]],
  ['GET shelves/by/code/x', [code]],
  ['POST books', [genres, heading, shelf, code], { title: 'a', heading: 'b', shelf: { code: 'x' }, genre_ids: [] }],
  ['GET books?colour=RED', []],
  ['GET books?colour=PINK', [pink]],
  ['POST books', [], { title: 'a', colours: ['RED'], cover, binding: 'THREAD' }],
  ['POST books', [pink, glue], { title: 'a', colours: ['RED', 'PINK'], binding: 'GLUE' }],
  ['POST books', [wax, weight], { title: 'a', cover: { ...cover, paper: 'WAX', weight: 1 } }],
  ['POST books', [ink], { title: 'a', cover: { paper: 'THIN', prints: [{ ink: 'BLACK' }, { ink: 'OLD' }] } }],
  ['POST books/batch', [pink], { books: [{ title: 'a' }, { title: 'b', colours: ['PINK'] }] }],
  ['POST books/batch', [oldSize, heading], { books: [{ title: 'a' }, { title: 'b', heading: 'c', size: 'A5' }] }],
  [
    'POST shelves',
    [oldSize, heading, books],
    { place: 'a', books: [{ title: 'a' }, { title: 'b', heading: 'c', size: 'A5' }] },
  ],
  ['PATCH books', [heading], { ids: ['x'], heading: 'c' }],
  ['PATCH books?where=heading = "a"&dry_run=true', [heading], { title: 'b' }],
  ['DELETE books?where=size = "A5"&dry_run=true', [oldSize]],
  ['PUT shelves/by/code/x', [code], { place: 'a' }],
]

withService(
  '9.4.1 uses in every place',
  (service) => {
    const headers = { 'X-Client-Name': 'app' }
    for (const [line, names, body] of places)
      test(`of REST: ${line}`, async () => {
        const [method, path] = line.split(/ (.*)/s) as [string, string]
        const send = () =>
          service().send(`${method} /api/v1/${encodeURI(path)}`, { headers, ...(body === undefined ? {} : { body }) })
        assert.deepEqual(await usesOf(service(), send), [...names].sort())
      })

    const ask = (query: string, variables?: object) =>
      usesOf(service(), () => service().graphql(query, { headers, variables }))
    test('of GraphQL: values and parts inside of lists and objects', async () => {
      const make = (input: string) => `mutation { createBook(input: { title: "a", ${input} }) { id } }`
      const names = ['BookColour.PINK', 'BookCoverInput.weight', 'BookCoverPaper.WAX', 'BookCoverPrintInk.OLD']
      assert.deepEqual(await ask(make('colours: [RED], cover: { paper: THIN, prints: [] }')), [])
      const uses = 'colours: [RED, PINK], cover: { paper: WAX, weight: 1, prints: [{ ink: OLD }] }'
      assert.deepEqual(await ask(make(uses)), names)
      assert.deepEqual(await ask('{ books(first: 1) { nodes { cover { weight } } } }'), ['BookCover.weight'])
    })
    test('of GraphQL: conditions as text', async () => {
      const count = (args: string) => `{ books(first: 1, ${args}) { nodes { id } } }`
      assert.deepEqual(await ask(count(`whereText: "title = 'a'"`)), [])
      const tree = 'where: { or: [{ heading: { eq: "a" } }, { shelf: { books: { some: { size: { eq: A5 } } } } }] }'
      const uses = await ask(count(tree))
      assert.deepEqual(uses, ['BookSize.A5', 'BookWhere.heading', 'BookWhere.shelf', 'BookWhereShelf.books'])
      const text = `heading = 'a' OR some(shelf.books, size = 'A5')`
      assert.deepEqual(await ask(count(`whereText: "${text}"`)), uses)
      const sent = 'query ($t: String) { books(first: 1, whereText: $t) { nodes { id } } }'
      assert.deepEqual(await ask(sent, { t: text }), uses)
      assert.deepEqual(await ask(sent.replace('String', `String = "${text}"`)), uses)
      const trees = 'query ($w: BookWhere = { heading: { eq: "a" } }) { books(first: 1, where: $w) { nodes { id } } }'
      assert.deepEqual(await ask(trees), ['BookWhere.heading'])
      const nested = '{ shelves(first: 1) { nodes { books(limit: 1) { heading } } } }'
      assert.deepEqual(await ask(nested), ['Book.heading', 'Shelf.books'])
      const summary = `{ bookSummary(whereText: "${text}", groupBy: [SHELF_CODE]) { nodes { count } } }`
      assert.deepEqual(await ask(summary), [...uses, 'BookGroup.SHELF_CODE'].sort())
      const sums = '{ bookSummary(groupBy: [HEADING], sort: [SUM_PAGES_DESC]) { nodes { heading sum { pages } } } }'
      assert.deepEqual(await ask(sums), [
        'BookGroup.HEADING',
        'BookSummary.heading',
        'BookSummarySort.SUM_PAGES_DESC',
        'BookSums.pages',
      ])
      const order = '{ books(first: 1, sort: [SHELF_PLACE_ASC], filter: { shelfId: "x" }) { nodes { id } } }'
      assert.deepEqual(await ask(order), ['BookFilter.shelfId', 'BookSort.SHELF_PLACE_ASC'])
      const write = (text: string) =>
        `mutation { deleteBooks(input: { whereText: "${text}", dryRun: true }) { count } }`
      assert.deepEqual(await ask(write(text)), uses)
      const inVariable = 'mutation ($i: DeleteBooksInput!) { deleteBooks(input: $i) { count } }'
      assert.deepEqual(await ask(inVariable, { i: { whereText: text, dryRun: true } }), uses)
    })
  },
  { definition: service({ resources: { User, Shelf, Genre, Book, DeprecatedUse }, accounts, roles: described.roles }) },
)

const print = 'pages/{page}/print'
const own = { page: { Page: { title: 'T', tags: [] } } }
const saidBy = ({ status, headers }: Answer) => [status, headers['deprecation'], headers['sunset'], headers['link']]

withService(
  'answers of what is deprecated',
  (service) => {
    const leaving = ['@1793491200', 'Mon, 01 Nov 2027 00:00:00 GMT', undefined]
    const nothing = [undefined, undefined, undefined]
    const ask = async (line: string, body?: object, fixtures = service().fixtures(own)) =>
      saidBy(await service().send(line, { fixtures, ...(body === undefined ? {} : { body }) }))

    test('say so of an action, whatever becomes of it', async () => {
      const fixtures = service().fixtures(own)
      assert.deepEqual(await ask(`POST /api/v1/${print}`, undefined, fixtures), [200, ...leaving])
      assert.deepEqual(await ask(`POST /api/v1/${print}`, undefined, fixtures), [409, ...leaving])
      assert.deepEqual(await ask(`POST /api/v1/${print}`, { more: 1 }, fixtures), [400, ...leaving])
      assert.deepEqual(await ask('POST /api/v1/pages/x/print'), [404, ...leaving])
    })

    test('say nothing of other actions, or of what requests and records hold', async () => {
      assert.deepEqual(await ask('POST /api/v1/pages/{page}/publish', { loudly: 'yes' }), [200, ...nothing])
      assert.deepEqual(await ask('GET /api/v1/pages/{page}?fields=subtitle'), [200, ...nothing])
      assert.deepEqual(await ask('GET /api/v1/pages?tag=x&kind=OLD&sort=subtitle'), [200, ...nothing])
      assert.deepEqual(await ask(`GET /api/v1/${print}`), [405, ...nothing])
    })
  },
  { definition },
)

withService(
  'answers of what is deprecated, under a deprecated version',
  (service) => {
    test('speak of the version', async () => {
      const fixtures = service().fixtures(own)
      const page = await fixtures.idOf('page')
      assert.deepEqual(saidBy(await service().send(`POST /api/v1/${print}`, { fixtures })), [
        200,
        '@1796083200',
        'Wed, 01 Dec 2027 00:00:00 GMT',
        `</api/v2/pages/${page}/print>; rel="successor-version"`,
      ])
      const { status, headers } = await service().send(`POST /api/v2/${print}`, { fixtures })
      assert.deepEqual([status, headers['deprecation'], headers['link']], [409, '@1793491200', undefined])
    })
  },
  {
    definition: service({
      ...described,
      versions: { v1: { deprecated: '2026-12-01', sunset: '2027-12-01' }, v2: 'current' },
    }),
  },
)
