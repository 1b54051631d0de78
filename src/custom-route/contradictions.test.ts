import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyone,
  choice,
  integer,
  list,
  may,
  nobody,
  object,
  one,
  readOnly,
  self,
  standardWebhooks,
  start,
  text,
} from 'duet-api'
import { api } from '../../reference/service.ts'
import { reportRoutes } from '../../test/support/domain/custom-routes.ts'
import { defaultLimits } from '../limits.ts'
import { ServiceDefinitionError } from '../resource/contradiction/contradiction.ts'
import { compileModel } from '../resource/model/compile/compile-model.ts'
import { requireSoundRoutes } from '../service/start/read-definition.ts'
import { routeContradictions } from './contradictions.ts'
import type { AuthorRoute } from './route.ts'

const model = compileModel(api)
const name = text({ max: 9 })
/** What the types keep from being written. */
const odd = (changes: object): AuthorRoute =>
  ({ method: 'GET', path: '/api/v2/things', summary: 'S', access: anyone, handle: async () => {}, ...changes }) as never
const where = 'GET /api/v2/things'

const refused: readonly (readonly [what: string, route: AuthorRoute, ...sentences: string[]])[] = [
  ['no rule', odd({ access: undefined }), `${where}: it has no access; write who may use it.`],
  [
    'nobody',
    odd({ access: nobody }),
    `${where}: its rule nobody is about a record, and there is none; use anyone, signedIn or may.`,
  ],
  [
    'self',
    odd({ access: self }),
    `${where}: its rule self is about a record, and there is none; use anyone, signedIn or may.`,
  ],
  [
    'a may about a record',
    odd({ access: may('posts:edit', self) }),
    `${where}: its may has a rule about a record, and a route has none; keep only the permission.`,
  ],
  ['no summary', odd({ summary: '' }), `${where}: it has no summary; write what it does.`],
  ['no handle', odd({ handle: undefined }), `${where}: it has no handle; write the function that answers.`],
  [
    'no such version',
    odd({ path: '/api/v9/things' }),
    'GET /api/v9/things: it is in no version; begin it with /api/v2/.',
  ],
  [
    'a resource',
    odd({ path: '/api/v2/posts/top' }),
    'GET /api/v2/posts/top: posts are a resource; give that an action, or begin the path with another word.',
  ],
  [
    'an empty part',
    odd({ path: '/api/v2/things/' }),
    'GET /api/v2/things/: its part "" is no word; use small letters, digits and hyphens, or {a name}.',
  ],
  [
    'the document',
    odd({ path: '/api/v2/openapi.json' }),
    'GET /api/v2/openapi.json: its part "openapi.json" is no word; use small letters, digits and hyphens, or {a name}.',
  ],
  [
    'a name first',
    odd({ path: '/api/v2/{name}', params: { name } }),
    'GET /api/v2/{name}: it begins with a name that fits everything; begin it with a word.',
  ],
  [
    'a name of nothing',
    odd({ path: '/api/v2/things/{name}' }),
    'GET /api/v2/things/{name}: {name} is not described; add it to params.',
  ],
  ['nothing of a name', odd({ params: { name } }), `${where}: its path has no {name}; strike it from params.`],
  [
    'a list in a query',
    odd({ query: { names: list(name, { max: 9 }) } }),
    `${where}: its names is a list, which no address can hold; send it in a body.`,
  ],
  [
    'a header of ours',
    odd({ headers: { authorization: name } }),
    `${where}: its headers name Authorization, which the service reads itself; strike it.`,
  ],
  [
    'a list in a header',
    odd({ headers: { names: list(name, { max: 9 }) } }),
    `${where}: its names is a list, which no address can hold; send it in a body.`,
  ],
  ['a raw body of GET', odd({ raw: { maxBytes: 1 } }), `${where}: a GET has no body; strike it.`],
  [
    'two bodies',
    odd({ method: 'POST', raw: { maxBytes: 1 }, body: { name } }),
    'POST /api/v2/things: it has both a raw body and a described one; remove raw, or body.',
  ],
  ...[0, 1.5, 16 * 1_048_576 + 1].map(
    (maxBytes) =>
      [
        `a raw body of ${maxBytes} bytes`,
        odd({ method: 'PUT', raw: { maxBytes } }),
        'PUT /api/v2/things: the maxBytes of its raw body is not between 1 and 16777216; choose another.',
      ] as const,
  ),
  [
    'odd media types',
    odd({ method: 'POST', raw: { maxBytes: 1, mediaTypes: ['image/*', 'Text/Plain'] } }),
    'POST /api/v2/things: "image/*" is no media type; write it like application/json, in small letters.',
    'POST /api/v2/things: "Text/Plain" is no media type; write it like application/json, in small letters.',
  ],
  [
    'a signature of nothing',
    odd({ method: 'POST', signed: { headers: ['x-signature'], verify: () => true } }),
    'POST /api/v2/things: it is signed and has no body; give it a raw one, or a body.',
  ],
  [
    'half a signature',
    odd({ method: 'POST', raw: { maxBytes: 1 }, signed: { headers: ['Cookie'] } }),
    'POST /api/v2/things: its signed has no verify; write the function that checks a message.',
    'POST /api/v2/things: its signed reads Cookie, which the service reads itself; strike it.',
  ],
  [
    'a signature without a secret',
    odd({ method: 'POST', raw: { maxBytes: 1 }, signed: standardWebhooks() }),
    'POST /api/v2/things: its standardWebhooks has no secret; give it one such as whsec_….',
  ],
  ...['v1,whsec_', 'whsec_=', 'whsec_ ', 'whsec-', 'v1,'].map(
    (begin) =>
      [
        `a secret that begins with ${begin}`,
        odd({ method: 'POST', raw: { maxBytes: 1 }, signed: standardWebhooks(`${begin}${'A'.repeat(43)}=`) }),
        'POST /api/v2/things: a secret of its standardWebhooks is not 24 to 64 bytes in Base64; give it one such as whsec_….',
      ] as const,
  ),
  ...['AAAA', 'A'.repeat(41), `${'A'.repeat(42)}B=`, 'A'.repeat(88)].map(
    (secret) =>
      [
        `the secret ${secret}`,
        odd({ method: 'POST', raw: { maxBytes: 1 }, signed: standardWebhooks(`whsec_${'A'.repeat(44)}`, secret) }),
        'POST /api/v2/things: a secret of its standardWebhooks is not 24 to 64 bytes in Base64; give it one such as whsec_….',
      ] as const,
  ),
  [
    'a dot in the word that names its scope',
    odd({ path: '/api/v2/sales.csv' }),
    'GET /api/v2/sales.csv: its part "sales.csv" is no word; use small letters, digits and hyphens, or {a name}.',
  ],
  [
    'a hidden file',
    odd({ path: '/api/v2/things/.env' }),
    'GET /api/v2/things/.env: its part ".env" is no word; use small letters, digits and hyphens, or {a name}.',
  ],
  [
    'an address of ours',
    odd({ path: '/.well-known/jwks.json' }),
    'GET /.well-known/jwks.json: the service answers there itself; choose another path.',
  ],
  [
    'any well-known address',
    odd({ path: '/.well-known/{name}', params: { name } }),
    'GET /.well-known/{name}: it begins with a name that fits everything; begin it with a word.',
  ],
  [
    'a path outside of versions',
    odd({ path: '/robots.txt' }),
    'GET /robots.txt: it is in no version; begin it with /api/v2/.',
  ],
  [
    'an odd media type',
    odd({ answer: 'csv' }),
    `${where}: its answer "csv" is no media type; write it like text/csv, in small letters.`,
  ],
  [
    'JSON of any form',
    odd({ answer: 'application/json' }),
    `${where}: it answers JSON without a description; name the parts of its answer.`,
  ],
  ['a body of GET', odd({ body: { name } }), `${where}: a GET has no body; strike it.`],
  ['a status of nothing', odd({ status: 202 }), `${where}: it has a status and no answer; strike one.`],
  ['no field', odd({ answer: { name: 'text' } }), `${where}: its name is no field; describe it with text, integer ….`],
  [
    'a contradiction',
    odd({ answer: { count: integer({ min: 2, max: 1 }) } }),
    `${where}: of its count, its min 2 is more than its max 1; lower one or raise the other.`,
  ],
  [
    'readOnly inside',
    odd({ answer: { parts: list(object({ name: readOnly(name) }), { max: 9 }) } }),
    `${where}: its parts[].name is readOnly, an option of stored fields only; remove it.`,
  ],
  [
    'a field with headers',
    odd({ field: 'things', headers: { agent: name } }),
    `${where}: it has headers, which a field of GraphQL cannot have; strike that, or field.`,
  ],
  [
    'a field with a raw body',
    odd({ method: 'POST', field: 'things', raw: { maxBytes: 1 } }),
    'POST /api/v2/things: it has raw, which a field of GraphQL cannot have; strike that, or field.',
  ],
  [
    'a field with a signature',
    odd({ method: 'POST', field: 'things', body: { name }, signed: standardWebhooks(`whsec_${'A'.repeat(44)}`) }),
    'POST /api/v2/things: it has signed, which a field of GraphQL cannot have; strike that, or field.',
  ],
  [
    'a field that is no JSON',
    odd({ field: 'things', answer: 'text/csv' }),
    `${where}: it has answer: 'text/csv', which a field of GraphQL cannot have; strike that, or field.`,
  ],
  [
    'an odd field',
    odd({ field: 'Free-Times' }),
    `${where}: its field Free-Times is not of the form freeTimes; use letters and digits.`,
  ],
  ...[0, 1.5, 1001].map(
    (cost) =>
      [
        `a field that costs ${cost}`,
        odd({ field: { name: 'things', cost } }),
        `${where}: the cost of its field is not between 1 and 1000; choose another.`,
      ] as const,
  ),
  [
    'two arguments of one name',
    odd({
      method: 'POST',
      path: '/api/v2/things/{post}',
      field: 'things',
      params: { post: one('Post') },
      query: { postId: name, input: name },
      body: { name },
    }),
    'POST /api/v2/things/{post}: its field has two arguments postId; rename one.',
    'POST /api/v2/things/{post}: its field has two arguments input; rename one.',
  ],
]
for (const [what, route, ...sentences] of refused) {
  test(`5.4.3, 5.4.6 a route is refused for ${what}`, () =>
    assert.deepEqual(routeContradictions([route], model, defaultLimits), sentences))
}

test('a permission that no role can hold is refused', () => {
  const [sentence = ''] = routeContradictions([odd({ access: may('posts:burn') })], model, defaultLimits)
  assert.match(
    sentence,
    /no resource knows the permission posts:burn, so no role can hold it; use one of .*posts:create/,
  )
})

test('routes may not stand in each other’s way', () => {
  const path = '/api/v2/things/{name}'
  const other = odd({ method: 'PUT', path: '/api/v2/things/{thing}', params: { thing: name } })
  const again = odd({ path: '/api/v2/things/{thing}', params: { thing: name } })
  const first = odd({ path, params: { name } })
  assert.deepEqual(routeContradictions([first, again], model, defaultLimits), [
    'GET /api/v2/things/{thing}: there is another route like it; strike one.',
  ])
  assert.deepEqual(routeContradictions([first, other], model, defaultLimits), [
    'PUT /api/v2/things/{thing}: its names differ from those of /api/v2/things/{name}; write them alike.',
  ])
})

test('a sound one is not refused, and a service does not start with any other', async () => {
  assert.deepEqual(routeContradictions(reportRoutes, model, defaultLimits), [])
  const environment = { PORT: '0', DATABASE_URL: 'sqlite::memory:' }
  const limit = { name: 'x', limit: 1, windowSeconds: 0, by: 'user' }
  for (const routes of [[odd({ access: undefined })], [odd({ limit })]]) {
    await assert.rejects(start({ ...api, routes } as typeof api, { environment }), ServiceDefinitionError)
  }
})

test('1.2.1 a field of GraphQL has a name, types and parts that nothing else has', () => {
  const begin = (...fields: object[]) =>
    requireSoundRoutes(
      fields.map((each, index) => odd({ path: `/api/v2/things-${index}`, ...each })),
      model,
      defaultLimits,
    )
  const refuses = (sentence: RegExp, ...fields: object[]) =>
    assert.throws(
      () => begin(...fields),
      (error) => error instanceof ServiceDefinitionError && sentence.test(error.message),
    )
  const kind = choice(['a', 'b'])
  begin({ field: 'things', query: { kind }, answer: { kind } }, { field: 'others', answer: { kind: choice(['c']) } })
  begin({ field: 'createPost' })
  const taken =
    /GraphQL cannot have the fields of routes \(posts\): Two fields of GraphQL's root would be called posts\./
  refuses(taken, { field: 'posts' })
  refuses(/Two fields of GraphQL's root would be called createPost\./, { method: 'POST', field: 'createPost' })
  refuses(/would be called things\./, { field: 'things' }, { field: 'things' })
  refuses(/multiple types named "PostConnection"/, { field: 'postConnection', answer: { name } })
  refuses(
    /multiple types named "UserStatus"/,
    { field: 'user2', answer: { name } },
    { field: 'userStatus', answer: { name } },
  )
  refuses(/Two types of GraphQL would be called ThingsKind\./, {
    field: 'things',
    query: { kind },
    answer: { kind: choice(['a', 'c']) },
  })
  refuses(/ThingsPart/, {
    field: 'things',
    answer: { part: object({ name }), parts: list(object({ kind }), { max: 9 }) },
  })
  refuses(/Type Things must define one or more fields/, { field: 'things', answer: {} })
})
