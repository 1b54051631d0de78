// Uses of deprecated parts, in every place of a request.

import assert from 'node:assert/strict'
import { test } from 'node:test'
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
  object,
  one,
  optional,
  resource,
  service,
  text,
} from 'duet-api'
import { usesOf } from '../support/check/uses.ts'
import { accountFields, accounts } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

const leave = { since: '2026-11-01', sunset: '2027-11-01' } as const

const User = resource('User', {
  prefix: 'usr',
  fields: { ...accountFields, role: choice(['VIEWER', 'EDITOR', 'ADMIN'], { default: 'VIEWER' }) },
  actions: { read: { allow: anyone } },
})
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
  {
    definition: service({
      resources: { User, Shelf, Genre, Book, DeprecatedUse },
      accounts,
      roles: { VIEWER: {}, EDITOR: {}, ADMIN: 'everything' },
    }),
  },
)
