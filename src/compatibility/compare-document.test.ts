import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Loose } from '../../test/support/check/loose.ts'
import type { Change, Verdict } from './change.ts'
import { compareDocuments } from './compare-document.ts'
import type { Document } from './openapi-document.ts'

const text = (more: object = {}) => ({ type: 'string', maxLength: 200, ...more })
const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const ref = (to: string) => ({ $ref: `#/components/${to}` })
const made = (): Loose => ({
  info: { title: 'x', version: 'v1', 'x-sunset': '2027-01-01' },
  paths: {
    '/posts': {
      get: {
        operationId: 'listPosts',
        description: 'List posts. Allowed: anyone.',
        parameters: [
          { name: 'q', in: 'query', schema: text({ maxLength: 10 }) },
          { name: 'kind', in: 'query', schema: { type: 'string', enum: ['a', 'b'] } },
          { name: 'size', in: 'query', schema: { type: 'integer', maximum: 100, default: 20 } },
          { name: 'where', in: 'query', schema: text(), 'x-where': { title: ['=', '!='], rank: ['<'] } },
          ref('parameters/id'),
          { name: 'sort', in: 'query', description: 'The order. By `rank` only with `of_id`.', schema: text() },
        ],
        responses: {
          200: {
            description: 'ok',
            headers: { ETag: ref('headers/ETag') },
            ...json({ type: 'array', maxItems: 100, items: ref('schemas/Post') }),
          },
          404: ref('responses/NotFound'),
        },
        security: [{}],
      },
      post: {
        operationId: 'createPost',
        'x-records-max': 1_000,
        requestBody: { required: true, ...json(ref('schemas/CreatePost')) },
        responses: { 201: { description: 'ok', ...json(ref('schemas/Post')) } },
        security: [{ bearer: [] }, { apiKey: ['create:posts'] }],
      },
    },
  },
  components: {
    headers: { ETag: { schema: text() } },
    parameters: { id: { name: 'id', in: 'header', schema: text() } },
    responses: { NotFound: { description: 'no', ...json(ref('schemas/Error')) } },
    schemas: {
      Error: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
      Post: record({
        id: text(),
        title: text(),
        bio: { type: ['string', 'null'] },
        kind: { type: 'string', enum: ['a', 'b'] },
      }),
      CreatePost: record({
        title: text(),
        bio: { type: ['string', 'null'] },
        kind: { type: 'string', enum: ['a', 'b'] },
      }),
    },
  },
})
function record(properties: object) {
  return { type: 'object', additionalProperties: false, properties, required: ['title'] }
}

/** What a change is found to be: the verdict, the place and a part of the sentence. */
type Found = readonly [verdict: Verdict, where: string, what: RegExp]
const changes = (change: (document: Loose) => void): readonly Change[] => {
  const after = made()
  change(after)
  const changesFound: Change[] = []
  compareDocuments('v1', made() as Document, after as Document, (each) => changesFound.push(each))
  return changesFound
}
const finds = (name: string, change: (document: Loose) => void, ...expected: readonly Found[]) =>
  test(name, () => {
    const changesFound = changes(change)
    const report = JSON.stringify(changesFound, null, 1)
    assert.equal(changesFound.length, expected.length, report)
    for (const [index, [verdict, where, what]] of expected.entries()) {
      assert.equal(changesFound[index]!.verdict, verdict, report)
      assert.equal(changesFound[index]!.where, where)
      assert.match(changesFound[index]!.what, what)
      if (verdict === 'breaking')
        assert.ok(changesFound[index]!.why !== '' && changesFound[index]!.remedy !== '', report)
    }
  })

const answered = (document: Loose) => document.components.schemas.Post
const taken = (document: Loose) => document.components.schemas.CreatePost
const list = (document: Loose) => document.paths['/posts'].get
const create = (document: Loose) => document.paths['/posts'].post

describe('what is answered', () => {
  const at = (field: string) => `v1 answers Post${field}`
  finds('a field less breaks', (d) => delete answered(d).properties.kind, ['breaking', at('.kind'), /removed/])
  finds('a field more adds', (d) => (answered(d).properties.more = text()), ['additive', at('.more'), /added/])
  finds('a field that may be missing breaks', (d) => (answered(d).required = []), [
    'breaking',
    at('.title'),
    /no longer/,
  ])
  finds('a field that is always there adds', (d) => answered(d).required.push('bio'), [
    'additive',
    at('.bio'),
    /required/,
  ])
  finds('null where there was none breaks', (d) => (answered(d).properties.title.type = ['string', 'null']), [
    'breaking',
    at('.title'),
    /from string to string or null/,
  ])
  finds('null no more adds', (d) => (answered(d).properties.bio.type = 'string'), ['additive', at('.bio'), /type/])
  finds(
    'another type breaks',
    (d) => (answered(d).properties.title = { type: 'integer' }),
    ['breaking', at('.title'), /type/],
    ['dangerous', at('.title'), /longest/],
  )
  finds(
    'whole numbers of numbers add',
    (d) => (answered(d).properties.kind = { type: ['string', 'null'], enum: ['a', 'b', null] }),
    ['breaking', at('.kind'), /type/],
  )
  finds('a value more surprises', (d) => answered(d).properties.kind.enum.push('c'), [
    'dangerous',
    at('.kind'),
    /c was added/,
  ])
  finds('a value less surprises', (d) => answered(d).properties.kind.enum.pop(), [
    'dangerous',
    at('.kind'),
    /b was removed/,
  ])
  finds('words in the place of texts surprise', (d) => (answered(d).properties.title = text({ enum: ['a'] })), [
    'dangerous',
    at('.title'),
    /Only a are left/,
  ])
  finds('longer texts surprise', (d) => (answered(d).properties.title.maxLength = 300), [
    'dangerous',
    at('.title'),
    /200 to 300/,
  ])
  finds('shorter texts add', (d) => (answered(d).properties.title.maxLength = 100), [
    'additive',
    at('.title'),
    /200 to 100/,
  ])
  finds('another format breaks', (d) => (answered(d).properties.title.format = 'uri'), [
    'additive',
    at('.title'),
    /uri/,
  ])
  finds('longer pages surprise', (d) => (list(d).responses[200].content['application/json'].schema.maxItems = 200), [
    'dangerous',
    'v1 GET /posts 200',
    /100 to 200/,
  ])
  finds('a deprecation warns', (d) => (answered(d).properties.kind.deprecated = true), [
    'additive',
    at('.kind'),
    /deprecated now/,
  ])
})

describe('what is taken', () => {
  const at = (field: string) => `v1 takes CreatePost${field}`
  finds('a field less breaks', (d) => delete taken(d).properties.kind, ['breaking', at('.kind'), /removed/])
  finds('an optional field more adds', (d) => (taken(d).properties.more = text()), ['additive', at('.more'), /added/])
  finds(
    'a required field more breaks',
    (d) => {
      taken(d).properties.more = text()
      taken(d).required.push('more')
    },
    ['breaking', at('.more'), /required field was added/],
  )
  finds('a field that becomes required breaks', (d) => taken(d).required.push('bio'), [
    'breaking',
    at('.bio'),
    /required now/,
  ])
  finds('a field that becomes optional adds', (d) => (taken(d).required = []), ['additive', at('.title'), /no longer/])
  finds('null as well adds', (d) => (taken(d).properties.title.type = ['string', 'null']), [
    'additive',
    at('.title'),
    /type/,
  ])
  finds('null no more breaks', (d) => (taken(d).properties.bio.type = 'string'), ['breaking', at('.bio'), /type/])
  finds('a value more adds', (d) => taken(d).properties.kind.enum.push('c'), ['additive', at('.kind'), /c was added/])
  finds('a value less breaks', (d) => taken(d).properties.kind.enum.pop(), ['breaking', at('.kind'), /b was removed/])
  finds('longer texts add', (d) => (taken(d).properties.title.maxLength = 300), [
    'additive',
    at('.title'),
    /200 to 300/,
  ])
  finds('shorter texts break', (d) => (taken(d).properties.title.maxLength = 100), [
    'breaking',
    at('.title'),
    /200 to 100/,
  ])
  finds('a shortest text breaks', (d) => (taken(d).properties.title.minLength = 1), [
    'breaking',
    at('.title'),
    /none to 1/,
  ])
  finds('a pattern breaks', (d) => (taken(d).properties.title.pattern = '^a'), [
    'breaking',
    at('.title'),
    /pattern is \^a/,
  ])
  finds('other fields too adds', (d) => (taken(d).additionalProperties = true), [
    'additive',
    at(''),
    /Other fields can/,
  ])
  finds('a body that may be missing adds', (d) => (create(d).requestBody.required = false), [
    'additive',
    'v1 POST /posts body',
    /no longer/,
  ])
  finds('no body any more breaks', (d) => delete create(d).requestBody, ['breaking', 'v1 POST /posts body', /no body/])
  finds(
    'another media type breaks',
    (d) => {
      const { content } = create(d).requestBody
      content['text/plain'] = content['application/json']
      delete content['application/json']
    },
    ['breaking', 'v1 POST /posts body', /json was removed/],
    ['additive', 'v1 POST /posts body', /plain was added/],
  )
})

describe('a snapshot with a server for the version, and another at single paths', () => {
  const root = { servers: [{ url: '/' }] }
  const before = { ...made(), servers: [{ url: '/api/v1' }] }
  before.paths['/auth/login'] = { ...root, ...before.paths['/posts'] }
  const after = { ...made(), ...root }
  after.paths = { '/api/v1/posts': after.paths['/posts'], '/auth/login': after.paths['/posts'] }
  const compare = (to: Loose) => {
    const changes: Change[] = []
    compareDocuments('v1', before as Document, to as Document, (change) => void changes.push(change))
    return changes.map(({ verdict, where }) => `${verdict} ${where}`)
  }
  test('reports the same as one with whole paths', () => assert.deepEqual(compare(after), []))
  test('still reports what is gone', () => {
    const { get: _, ...less } = after.paths['/auth/login']
    const changed = { ...after, paths: { ...after.paths, '/auth/login': less } }
    assert.deepEqual(compare(changed), ['breaking v1 GET /auth/login'])
  })
})

describe('operations', () => {
  const at = 'v1 GET /posts'
  finds(
    'a path less breaks',
    (d) => delete d.paths['/posts'],
    ['breaking', at, /removed/],
    ['breaking', 'v1 POST /posts', /removed/],
  )
  finds('a path more adds', (d) => (d.paths['/more'] = { get: list(d) }), ['additive', 'v1 GET /more', /added/])
  finds('a method less breaks', (d) => delete d.paths['/posts'].post, ['breaking', 'v1 POST /posts', /removed/])
  finds('a parameter less breaks', (d) => list(d).parameters.shift(), ['breaking', `${at} ?q`, /removed/])
  finds('a parameter more adds', (d) => list(d).parameters.push({ name: 'z', in: 'query', schema: text() }), [
    'additive',
    `${at} ?z`,
    /added/,
  ])
  finds(
    'a required parameter more breaks',
    (d) => list(d).parameters.push({ name: 'z', in: 'query', required: true, schema: text() }),
    ['breaking', `${at} ?z`, /required/],
  )
  finds('a parameter that becomes required breaks', (d) => (list(d).parameters[0].required = true), [
    'breaking',
    `${at} ?q`,
    /required now/,
  ])
  finds('a value of a parameter less breaks', (d) => list(d).parameters[1].schema.enum.pop(), [
    'breaking',
    `${at} ?kind`,
    /b was removed/,
  ])
  const order = (description: string) => (d: Loose) => Object.assign(list(d).parameters[5], { description })
  finds(
    'an order inside a reference only breaks',
    order('The order. By `rank` only with `of_id`. By `at` only with `of_id`.'),
    ['breaking', `${at} ?sort`, /sorts less now: By `at` only with `of_id`\./],
  )
  finds('an order of all lists adds', order('The order.'), [
    'additive',
    `${at} ?sort`,
    /sorts more now, without this: By `rank`/,
  ])
  const conditions = (d: Loose) => list(d).parameters[3]['x-where']
  finds('what conditions ask for less breaks', (d) => delete conditions(d).rank, [
    'breaking',
    `${at} ?where`,
    /no longer compares rank/,
  ])
  finds('an operator less breaks', (d) => conditions(d).title.pop(), ['breaking', `${at} ?where`, /title by !=/])
  finds(
    'what conditions ask for more adds',
    (d) => Object.assign(conditions(d), { status: ['='], rank: ['<', '>'] }),
    ['additive', `${at} ?where`, /status now/],
    ['additive', `${at} ?where`, /rank by > now/],
  )
  finds('fewer records at once break', (d) => (create(d)['x-records-max'] = 100), [
    'breaking',
    'v1 POST /posts',
    /100 records at once, before 1000/,
  ])
  finds('more records at once add', (d) => (create(d)['x-records-max'] = 2_000), [
    'additive',
    'v1 POST /posts',
    /2000 records at once, before 1000/,
  ])
  finds('a shared parameter is told where it is used', (d) => (d.components.parameters.id.schema.maxLength = 5), [
    'breaking',
    `${at} header id`,
    /200 to 5/,
  ])
  finds('smaller pages break', (d) => (list(d).parameters[2].schema.maximum = 50), [
    'breaking',
    `${at} ?size`,
    /100 to 50/,
  ])
  finds('another default surprises', (d) => (list(d).parameters[2].schema.default = 10), [
    'dangerous',
    `${at} ?size`,
    /from 20 to 10/,
  ])
  finds('a header less breaks', (d) => delete list(d).responses[200].headers.ETag, [
    'breaking',
    `${at} 200 ETag`,
    /removed/,
  ])
  finds(
    'a success less breaks',
    (d) => {
      const { responses } = create(d)
      responses[200] = responses[201]
      delete responses[201]
    },
    ['breaking', 'v1 POST /posts 201', /removed/],
    ['dangerous', 'v1 POST /posts 200', /added/],
  )
  finds('a failure less surprises', (d) => delete list(d).responses[404], ['dangerous', `${at} 404`, /removed/])
  finds('a failure more adds', (d) => (list(d).responses[410] = ref('responses/NotFound')), [
    'additive',
    `${at} 410`,
    /added/,
  ])
  finds('a scope more breaks', (d) => create(d).security[1].apiKey.push('x:y'), [
    'breaking',
    'v1 POST /posts',
    /apiKey \(create:posts\)/,
  ])
  finds('a credential less to show adds', (d) => create(d).security.push({}), [
    'additive',
    'v1 POST /posts',
    /no credential now/,
  ])
  finds('signing in where nobody had to breaks', (d) => (list(d).security = [{ bearer: [] }]), [
    'breaking',
    at,
    /no credential\./,
  ])
  finds('another rule surprises', (d) => (list(d).description = 'List posts. Allowed: anyone who is signed in.'), [
    'dangerous',
    at,
    /from "Allowed: anyone\." to "Allowed: anyone who/,
  ])
  finds('another name for generated code surprises', (d) => (list(d).operationId = 'posts'), [
    'dangerous',
    at,
    /operationId/,
  ])
  finds('an earlier sunset breaks', (d) => (d.info['x-sunset'] = '2026-12-01'), ['breaking', 'v1', /moved/])
  finds('a later sunset adds', (d) => (d.info['x-sunset'] = '2027-12-01'), ['additive', 'v1', /moved/])
  finds('what is said differently is the same', (d) => {
    d.info.title = 'y'
    list(d).parameters.reverse()
    list(d).responses[200].description = 'fine'
  })
})
