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
  is,
  list,
  may,
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
import { usesOf } from '../support/check/uses.ts'
import type { Answer } from '../support/client/http-client.ts'
import { accountFields, accounts } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

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
