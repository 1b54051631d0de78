// Links whose records are named by keys. Through both faces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cards } from '../support/domain/cards.ts'
import { clauses, type Row } from '../support/rows/clauses.ts'
import { withService } from '../support/server/service.ts'

const given = {
  org: { Organization: {} },
  other: { Organization: {} },
  membership: { Membership: { organization: '{org}', user: '{viewer}', role: 'STAFF' } },
  otherMembership: { Membership: { organization: '{other}', user: '{viewer}', role: 'STAFF' } },
  red: { Tag: { organization: '{org}', name: 'red' } },
  blue: { Tag: { organization: '{org}', name: 'blue' } },
  foreign: { Tag: { organization: '{other}', name: 'green' } },
  card: { Card: { organization: '{org}', title: 'Card' } },
  label: { Label: { code: 'l {word}', alias: 'a {word}', owner: '{viewer}' } },
  second: { Label: { code: 'm {word}', owner: '{viewer}' } },
  hidden: { Label: { code: 'h {word}', isHidden: true, owner: '{editor}' } },
}
const row = (it: string, more: Omit<Row, 'clause' | 'it'>): Row => ({
  clause: '13.1.25',
  it,
  as: 'viewer',
  given,
  ...more,
})
const linked = (card: string, ...tags: readonly string[]) =>
  ({
    as: 'viewer',
    send: `GET /api/v1/cards/${card}?fields=tag_ids`,
    answer: { status: 200, data: { tag_ids: tags } },
  }) as const

clauses(
  '13.1 Links by key',
  [
    row('a new record is linked with the records of its tenant that have these keys', {
      send: 'POST /api/v1/cards',
      body: { organization_id: '{org}', title: 'New', tags: [{ name: 'red' }] },
      also: {
        query: 'mutation ($input: CreateCardInput!) { createCard(input: $input) { title tagged tags { name } } }',
        variables: { input: { organizationId: '{org}', title: 'New', tags: [{ name: 'red' }] } },
      },
      answer: { status: 201, data: { title: 'New', tagged: 1 } },
    }),
    row('an update replaces the links', {
      first: [{ as: 'viewer', send: 'PATCH /api/v1/cards/{card}', body: { tag_ids: ['{red}'] } }],
      send: 'PATCH /api/v1/cards/{card}',
      body: { tags: [{ name: 'blue' }] },
      also: 'mutation { updateCard(id: "{card}", input: { tags: [{ name: "blue" }] }) { tags { name } } }',
      answer: { status: 200 },
      then: [
        linked('{card}', '{blue}'),
        { as: 'viewer', send: 'GET /api/v1/tags/{red}', answer: { status: 200, data: { cards_count: 0 } } },
        { as: 'viewer', send: 'GET /api/v1/tags/{blue}', answer: { status: 200, data: { cards_count: 1 } } },
      ],
    }),
    row('an empty list removes all', {
      first: [{ as: 'viewer', send: 'PATCH /api/v1/cards/{card}', body: { tag_ids: ['{red}'] } }],
      send: 'PATCH /api/v1/cards/{card}',
      body: { tags: [] },
      answer: { status: 200, data: { tag_ids: [] } },
    }),
    row('so do the records of a batch', {
      send: 'POST /api/v1/cards/batch',
      body: {
        cards: [
          { organization_id: '{org}', title: 'A', tags: [{ name: 'red' }, { name: 'blue' }] },
          { organization_id: '{other}', title: 'B', tags: [{ name: 'green' }] },
        ],
      },
      answer: { status: 201, data: [{ tagged: 2 }, { tagged: 1 }] },
    }),
    row('and children, by keys of the whole service', {
      send: 'POST /api/v1/cards',
      body: {
        organization_id: '{org}',
        title: 'New',
        notes: [{ text: 'Note', labels: [{ code: 'l {word}' }, { code: 'm {word}' }] }],
      },
      also: {
        query: 'mutation ($input: CreateCardInput!) { createCard(input: $input) { notes { labels { code } } } }',
        variables: {
          input: { organizationId: '{org}', title: 'New', notes: [{ text: 'Note', labels: [{ alias: 'a {word}' }] }] },
        },
      },
      answer: { status: 201 },
    }),
    row('two keys of one record link it once', {
      send: 'POST /api/v1/notes',
      body: { card_id: '{card}', text: 'Note', labels: [{ code: 'l {word}' }, { alias: 'a {word}' }] },
      answer: { status: 201, data: { label_ids: ['{label}'] } },
    }),
    row('a key that no record of the tenant has is refused by its place', {
      send: 'PATCH /api/v1/cards/{card}',
      body: { tags: [{ name: 'red' }, { name: 'green' }] },
      also: 'mutation { updateCard(id: "{card}", input: { tags: [{ name: "red" }, { name: "green" }] }) { id } }',
      answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', fields: ['tags[1]'] },
    }),
    row('and so is that of a hidden one', {
      send: 'POST /api/v1/notes',
      body: { card_id: '{card}', text: 'Note', labels: [{ code: 'h {word}' }] },
      also: 'mutation { createNote(input: { cardId: "{card}", text: "Note", labels: [{ code: "h {word}" }] }) { id } }',
      answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', fields: ['labels[0]'] },
    }),
    row('ids and keys together are refused', {
      send: 'PATCH /api/v1/cards/{card}',
      body: { tags: [{ name: 'red' }], tag_ids: ['{blue}'] },
      also: 'mutation { updateCard(id: "{card}", input: { tags: [{ name: "red" }], tagIds: ["{blue}"] }) { id } }',
      answer: { status: 400, code: 'VALIDATION_ERROR', fields: ['tags'] },
    }),
    row('and so is what is no key, a key that comes twice, and a name that is none', {
      send: 'PATCH /api/v1/cards/{card}',
      body: { tags: [{ name: 'red' }, { name: 'red' }, { title: 'red' }, 'red', { name: 7 }] },
      answer: {
        status: 400,
        code: 'VALIDATION_ERROR',
        fields: ['tags[1]', 'tags[2]', 'tags[3]', 'tags[4].name'],
      },
    }),
    row('a list that needs elements needs ids or keys', {
      send: 'POST /api/v1/notes',
      body: { card_id: '{card}', text: 'Note' },
      also: 'mutation { createNote(input: { cardId: "{card}", text: "Note" }) { id } }',
      answer: { status: 400, code: 'VALIDATION_ERROR', fields: ['label_ids'] },
    }),
    row('neither is empty', {
      send: 'POST /api/v1/notes',
      body: { card_id: '{card}', text: 'Note', labels: [] },
      answer: { status: 400, code: 'VALIDATION_ERROR', fields: ['labels'] },
    }),
  ],
  { definition: cards },
)

withService(
  '13.1 Links by key, by keys with narrow scopes',
  (service) => {
    test('5.3.11, 13.1.25 a list by keys needs the read scope of its records, as one by ids', async () => {
      const fixtures = service().fixtures(given)
      for (const name of Object.keys(given)) await fixtures.idOf(name)
      const statusOf = async (scopes: readonly string[], body: object) => {
        const made = await service().send('POST /api/v1/api-keys', { as: 'viewer', body: { name: 'A key', scopes } })
        const headers = { 'X-API-Key': made.body.data.key as string }
        const answer = await service().send('PATCH /api/v1/cards/{card}', { headers, fixtures, body })
        return [answer.status, answer.body.error?.code]
      }
      const narrow = ['read:cards', 'update:cards']
      for (const body of [{ tags: [{ name: 'red' }] }, { tags: [] }, { tag_ids: [] }])
        assert.deepEqual(await statusOf(narrow, body), [403, 'INSUFFICIENT_SCOPE'])
      assert.deepEqual(await statusOf([...narrow, 'read:tags'], { tags: [{ name: 'red' }] }), [200, undefined])
    })
  },
  { definition: cards },
)
