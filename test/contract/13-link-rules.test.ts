// Rules about the records that an input links. (contract 13.1.26)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actor, choice, many, manyToMany, may, member, one, own, resource, service, signedIn, text } from 'duet-api'
import { accounts, User } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

const Team = resource('Team', {
  prefix: 'tea',
  fields: { members: many('Seat', 'team') },
  members: { list: 'members', account: 'user', role: 'role' },
  actions: { read: { allow: member() } },
})
const Seat = resource('Seat', {
  prefix: 'sea',
  within: 'team',
  fields: { team: one('Team'), user: one('User', { cascade: 'regardless' }), role: choice(['LEAD', 'GUEST']) },
  actions: { read: { allow: member('team') } },
})
const Post = resource('Post', {
  prefix: 'pos',
  fields: { title: text({ max: 40 }), tags: manyToMany('Tag', 'posts') },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['title', { list: 'tags', into: own('owner') }] },
    update: { allow: signedIn, accept: ['title', { list: 'tags', min: 1, into: own('owner') }] },
  },
})
const Tag = resource('Tag', {
  prefix: 'tag',
  fields: {
    name: text({ max: 40, unique: true }),
    owner: one('User', { default: actor, cascade: 'regardless' }),
    posts: manyToMany('Post', 'tags'),
  },
  keys: [['name']],
  actions: { read: { allow: signedIn } },
})
/** What its leads may put on boards. */
const Sign = resource('Sign', {
  prefix: 'sig',
  within: 'team',
  fields: { team: one('Team'), boards: manyToMany('Board', 'signs') },
  actions: {
    read: { allow: member('team') },
    update: { allow: may('edit'), accept: ['boards'] },
  },
})
const Board = resource('Board', {
  prefix: 'boa',
  within: 'team',
  fields: { team: one('Team'), signs: manyToMany('Sign', 'boards') },
  actions: {
    read: { allow: member('team') },
    create: { allow: member('team'), accept: ['team', { list: 'signs', into: may('edit') }] },
  },
})

withService(
  '13.1.26 rules about links',
  (running) => {
    const begin = (mark: string) =>
      running().fixtures({
        ann: { User: {} },
        bob: { User: {} },
        mine: { Tag: { name: `${mark} mine`, owner: '{ann}' } },
        theirs: { Tag: { name: `${mark} theirs`, owner: '{bob}' } },
        post: { Post: { title: 'P' } },
      })
    const cases = [
      ['of its own', { tag_ids: ['{mine}'] }, null],
      ['of another', { tag_ids: ['{mine}', '{theirs}'] }, 'tag_ids[1]'],
      ['by key', { tags: [{ name: 'by key mine' }] }, null],
      ['of another by key', { tags: [{ name: 'of another by key theirs' }] }, 'tags[0]'],
      ['that is missing', { tag_ids: ['tag_01M7W4N5E7QBS96WSWBYZ17K0S'] }, 'tag_ids[0]'],
    ] as const
    for (const [title, sent, field] of cases)
      test(`13.1.26 a record ${title}`, async () => {
        const fixtures = begin(title)
        for (const name of ['mine', 'theirs']) await fixtures.idOf(name)
        const id = await fixtures.idOf('post')
        for (const line of ['POST /api/v1/posts', `PATCH /api/v1/posts/${id}`, `PUT /api/v1/posts/${id}`]) {
          const { status, body } = await running().send(line, { as: '{ann}', fixtures, body: { title: 'B', ...sent } })
          assert.equal(status, field !== null ? 422 : line.startsWith('POST') ? 201 : 200, JSON.stringify(body))
          assert.equal(body.error?.details[0].field, field ?? undefined)
        }
      })

    test('13.1.26 in GraphQL, and for a record that is linked already', async () => {
      const fixtures = begin('GraphQL')
      const [mine, theirs] = [await fixtures.idOf('mine'), await fixtures.idOf('theirs')]
      const create = 'mutation ($tagIds: [ID!]) { createPost(input: { title: "B", tagIds: $tagIds }) { id } }'
      const run = async (as: '{ann}' | '{bob}', query: string, variables: object) =>
        (await running().graphql(query, { as, fixtures, variables: variables as never })).body
      const refused = await run('{ann}', create, { tagIds: [theirs] })
      assert.equal(refused.errors[0].extensions.details[0].field, 'tagIds[0]')
      const { id } = (await run('{bob}', create, { tagIds: [theirs] })).data.createPost
      const update = 'mutation ($id: ID!, $tagIds: [ID!]) { updatePost(id: $id, input: { tagIds: $tagIds }) { id } }'
      const kept = await run('{ann}', update, { id, tagIds: [theirs, mine] })
      assert.equal(kept.errors[0].extensions.details[0].field, 'tagIds[0]')
      assert.equal((await run('{ann}', update, { id, tagIds: [mine] })).errors, undefined)
    })

    test('13.1.26 documents name the rule', async () => {
      const document = await (await fetch(`${running().url}/api/v1/openapi.json`)).text()
      assert.ok(document.includes('The ids of the tags linked with the post. May be named by its owner_id.'))
    })

    test('13.1.26 a permission in the rule is that of the tenant', async () => {
      const fixtures = running().fixtures({
        ann: { User: {} },
        bob: { User: {} },
        team: { Team: {} },
        lead: { Seat: { team: '{team}', user: '{ann}', role: 'LEAD' } },
        guest: { Seat: { team: '{team}', user: '{bob}', role: 'GUEST' } },
        sign: { Sign: { team: '{team}' } },
      })
      for (const name of ['lead', 'guest']) await fixtures.idOf(name)
      const body = { team_id: '{team}', sign_ids: ['{sign}'] }
      const asGuest = await running().send('POST /api/v1/boards', { as: '{bob}', fixtures, body })
      assert.deepEqual([asGuest.status, asGuest.body.error?.details[0].field], [422, 'sign_ids[0]'])
      assert.equal((await running().send('POST /api/v1/boards', { as: '{ann}', fixtures, body })).status, 201)
    })
  },
  {
    definition: service({
      resources: { User, Post, Tag, Team, Seat, Sign, Board },
      accounts,
      roles: { ANY: {} },
      tenantRoles: { Team: { LEAD: { signs: ['edit'] }, GUEST: {} } },
    }),
  },
)
