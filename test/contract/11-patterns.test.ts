// Texts with a pattern, wherever a client sends one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { argument, is, list, optional, resource, service, signedIn, text } from 'duet-api'
import { Comment } from '../../reference/comment.ts'
import { Post } from '../../reference/post.ts'
import { User } from '../../reference/user.ts'
import { clauses, type Row } from '../support/rows/clauses.ts'
import { withService } from '../support/server/service.ts'

const message = 'Use small letters, digits and dashes.'
const Site = resource('Site', {
  prefix: 'site',
  fields: {
    slug: text({ max: 20, pattern: /^[a-z0-9-]+$/, message }),
    country: optional(text({ max: 20, pattern: 'DE|AT|CH' })),
    colors: list(text({ max: 20, pattern: '#[0-9a-f]{6}' }), { max: 3 }),
    seal: argument(text({ max: 9, pattern: /x+/u })),
  },
  filter: { slug: is },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['slug', 'country', 'colors'] },
    seal: { allow: signedIn, accept: ['seal'], check: ({ input }) => input.seal !== '' || 'It is broken.' },
  },
})
const definition = service({
  resources: { User, Post, Comment, Site },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  versions: { v1: { deprecated: '2026-11-20', sunset: '2027-11-20' }, v2: 'current' },
  roles: { VIEWER: {}, EDITOR: { posts: ['create', 'publish'] }, ADMIN: 'everything' },
})

const create = (it: string, body: object, answer: Row['answer']): Row => ({
  clause: '11.3.1',
  it,
  as: 'viewer',
  send: 'POST /api/v2/sites',
  body: { slug: 'a', colors: [], ...body },
  also: {
    query: 'mutation ($input: CreateSiteInput!) { createSite(input: $input) { slug country colors } }',
    variables: { input: { slug: 'a', colors: [], ...body } },
  },
  answer,
})
const refused = (field: string) => ({ status: 400, code: 'VALIDATION_ERROR', field }) as const
const given = { site: { Site: { slug: 'here', colors: [] } } }

clauses(
  '11.3 Patterns',
  [
    create('takes what matches', { slug: 'a-1', country: 'AT' }, { status: 201, data: { slug: 'a-1', country: 'AT' } }),
    create('refuses what does not', { slug: 'A' }, refused('slug')),
    create('nor a line that follows', { slug: 'a\n' }, refused('slug')),
    create('refuses what is none of some words', { country: 'FR' }, refused('country')),
    create('the whole text, not any part of it', { country: 'DEAT' }, refused('country')),
    create('nothing is asked of what is not there', { country: null }, { status: 201 }),
    create('inside of a list', { colors: ['#00ff00', '#0'] }, refused('colors[1]')),
    {
      clause: '11.3.1',
      it: 'checks it for an argument',
      as: 'viewer',
      given,
      send: 'POST /api/v2/sites/{site}/seal',
      body: { seal: 'y' },
      also: 'mutation { sealSite(id: "{site}", input: { seal: "y" }) { id } }',
      answer: refused('seal'),
    },
    {
      clause: '11.3.1',
      it: 'checks it for a filter',
      as: 'viewer',
      send: 'GET /api/v2/sites?slug=A',
      also: '{ sites(filter: { slug: "A" }) { nodes { id } } }',
      answer: { status: 400, code: 'VALIDATION_ERROR' },
    },
  ],
  { definition },
)

withService(
  '11.3 Patterns, in documents and sentences',
  (service) => {
    test('11.3.1 a value that does not match is refused with the sentence of the definition, or with the pattern', async () => {
      const input = { slug: 'A', country: 'FR', colors: [] }
      const sentences = [message, 'Must match ^(?:DE|AT|CH)$.']
      const rest = await service().send('POST /api/v2/sites', { as: 'viewer', body: input })
      assert.deepEqual(
        rest.body.error.details.map((each: { message: string }) => each.message),
        sentences,
      )
      const query = 'mutation ($input: CreateSiteInput!) { createSite(input: $input) { id } }'
      const body = { query, variables: { input } }
      const graphql = await service().send('POST /graphql', { as: 'viewer', body })
      const [{ extensions }] = graphql.body.errors
      assert.deepEqual(
        extensions.details.map((each: { message: string }) => each.message),
        sentences,
      )
    })

    test('11.3.1 OpenAPI has them with anchors, and without what JSON Schema has no word for', async () => {
      const { body } = await service().client.send('GET /api/v2/openapi.json')
      const { slug, country, colors } = body.components.schemas.CreateSite.properties
      assert.deepEqual([slug.pattern, country.pattern], ['^[a-z0-9-]+$', '^(?:DE|AT|CH)$'])
      assert.equal(colors.items.pattern, '^(?:#[0-9a-f]{6})$')
    })
  },
  { definition },
)
