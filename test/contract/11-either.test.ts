// References to a record of one of several resources: how they are read, written, hidden and deleted. Through both faces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codesOf, dataOf } from '../support/client/subscriber.ts'
import { TestSocket } from '../support/client/websocket.ts'
import { remarks } from '../support/domain/remarks.ts'
import { clauses, type Row } from '../support/rows/clauses.ts'
import { ids } from '../support/rows/list.ts'
import { encoded } from '../support/rows/where.ts'
import { withService } from '../support/server/service.ts'

const owned = (title: string, isHidden = false) => ({ organization: '{org}', title, owner: '{ann}', isHidden })
const given = {
  ann: { User: { email: 'ann.{word}@example.com' } },
  bob: { User: { email: 'bob.{word}@example.com' } },
  org: { Organization: { name: 'One' } },
  other: { Organization: { name: 'Other' } },
  annIn: { Membership: { organization: '{org}', user: '{ann}', role: 'STAFF' } },
  bobIn: { Membership: { organization: '{org}', user: '{bob}', role: 'STAFF' } },
  issue: { Issue: owned('Issue') },
  page: { Page: owned('Page') },
  hiddenPage: { Page: owned('Hidden', true) },
  foreign: { Issue: { organization: '{other}', title: 'Foreign', owner: '{bob}' } },
  onIssue: { Remark: { organization: '{org}', issue: '{issue}', text: 'A' } },
  onPage: { Remark: { organization: '{org}', page: '{page}', sourceIssue: '{issue}', text: 'B' } },
  onHidden: { Remark: { organization: '{org}', page: '{hiddenPage}', text: 'C' } },
}

const union = '__typename ... on Issue { id title remarksCount } ... on Page { name: title }'
const create = (input: object) => ({ query: mutation, variables: { input } })
const mutation = `mutation ($input: CreateRemarkInput!) { createRemark(input: $input) { text target { ${union} } } }`

const rows: readonly Row[] = [
  {
    clause: '11.6.1',
    it: 'a reference to an issue names it, with its type',
    as: '{ann}',
    given,
    send: 'GET /api/v1/remarks/{onIssue}',
    answer: {
      status: 200,
      data: { issue_id: '{issue}', page_id: null, target: { type: 'Issue', id: '{issue}' }, source: null },
    },
  },
  {
    clause: '11.6.1',
    it: 'and one to a page the page',
    as: '{ann}',
    given,
    send: 'GET /api/v1/remarks?sort=text&fields=target,source',
    answer: {
      status: 200,
      data: [
        { target: { type: 'Issue', id: '{issue}' }, source: null },
        { target: { type: 'Page', id: '{page}' }, source: { type: 'Issue', id: '{issue}' } },
        { target: { type: 'Page', id: '{hiddenPage}' }, source: null },
      ],
    },
  },
  {
    clause: '11.6.1',
    it: 'each type with its own fields',
    as: '{ann}',
    given,
    also: {
      query: `{ remarks(sort: [TEXT_ASC]) { nodes { target { ${union} } source { __typename } } } }`,
      answer: {
        body: {
          data: {
            remarks: {
              nodes: [
                { target: { __typename: 'Issue', id: '{issue}', title: 'Issue', remarksCount: 1 }, source: null },
                { target: { __typename: 'Page', name: 'Page' }, source: { __typename: 'Issue' } },
                { target: { __typename: 'Page', name: 'Hidden' }, source: null },
              ],
            },
          },
        },
      },
    },
    answer: { status: 200 },
  },
  {
    clause: '11.6.1',
    it: 'in lists of what it names',
    as: '{ann}',
    given,
    also: {
      query: `{ issue(id: "{issue}") { remarks { target { ${union} } page { id } } } page(id: "{page}") { remarks { target { ${union} } } } }`,
      answer: {
        body: {
          data: {
            issue: {
              remarks: [
                { target: { __typename: 'Issue', id: '{issue}', title: 'Issue', remarksCount: 1 }, page: null },
              ],
            },
            page: { remarks: [{ target: { __typename: 'Page', name: 'Page' } }] },
          },
        },
      },
    },
    answer: { status: 200 },
  },
  {
    clause: '11.6.7',
    it: 'lists are filtered by the id of what it names',
    as: '{bob}',
    given,
    send: 'GET /api/v1/remarks?target_id={page}',
    also: '{ remarks(filter: { targetId: "{page}" }) { nodes { id } } }',
    answer: { status: 200, data: ids('onPage') },
  },
  {
    clause: '11.6.7',
    it: 'whatever its type',
    as: '{bob}',
    given,
    send: 'GET /api/v1/remarks?target_id={issue}&source_type=Issue',
    also: '{ remarks(filter: { targetId: "{issue}", sourceType: Issue }) { nodes { id } } }',
    answer: { status: 200, data: [] },
  },
  {
    clause: '11.6.7',
    it: 'and by its type',
    as: '{ann}',
    given,
    send: 'GET /api/v1/remarks?target_type=Page&sort=text',
    also: '{ remarks(filter: { targetType: Page }, sort: [TEXT_ASC]) { nodes { id } } }',
    answer: { status: 200, data: ids('onPage', 'onHidden') },
  },
  {
    clause: '11.6.7',
    it: 'which must be one of its types',
    as: '{bob}',
    given,
    send: 'GET /api/v1/remarks?target_type=User',
    answer: { status: 400, code: 'VALIDATION_ERROR', fields: ['target_type'] },
  },
  {
    clause: '11.6.7',
    it: 'no record has an id of another type',
    as: '{bob}',
    given,
    send: 'GET /api/v1/remarks?target_id={bob}',
    also: '{ remarks(filter: { targetId: "{bob}" }) { nodes { id } } }',
    answer: { status: 200, data: [] },
  },
  ...['target_id={hiddenPage}', 'where={hidden}', 'where={ofType}'].map(
    (query): Row => ({
      clause: '11.6.7',
      it: `a filter by what is hidden finds nothing: ${query}`,
      as: '{bob}',
      given,
      send: `GET /api/v1/remarks?${query
        .replace('{hidden}', encoded('target_id = "{hiddenPage}"'))
        .replace('{ofType}', encoded('target_type = "Page" AND text = "C"'))}`,
      also:
        query === 'target_id={hiddenPage}'
          ? '{ remarks(filter: { targetId: "{hiddenPage}" }) { nodes { id } } }'
          : query === 'where={hidden}'
            ? '{ remarks(where: { targetId: { eq: "{hiddenPage}" } }) { nodes { id } } }'
            : '{ remarks(where: { targetType: { eq: Page }, text: { eq: "C" } }) { nodes { id } } }',
      answer: { status: 200, data: [] },
    }),
  ),
  {
    clause: '11.6.7',
    it: 'nor does one by the type of what is hidden',
    as: '{bob}',
    given,
    send: 'GET /api/v1/remarks?target_type=Page',
    also: '{ remarks(filter: { targetType: Page }) { nodes { id } } }',
    answer: { status: 200, data: ids('onPage') },
  },
  ...(
    [
      [
        'target_id IN ("{issue}", "{page}", "{bob}")',
        '{ targetId: { in: ["{issue}", "{page}", "{bob}"] } }',
        ['onIssue', 'onPage'],
      ],
      ['target = "{issue}"', '{ targetId: { eq: "{issue}" } }', ['onIssue']],
      ['target_type != "Page"', '{ targetType: { ne: Page } }', ['onIssue', 'onHidden']],
      ['target_type IN ("Page", "Issue")', '{ targetType: { in: [Page, Issue] } }', ['onIssue', 'onPage']],
      ['target_id = null', '{ targetId: { isNull: true } }', ['onHidden']],
      ['target_type != null', '{ targetType: { isNull: false } }', ['onIssue', 'onPage']],
      ['NOT target_id = "{bob}"', '{ not: { targetId: { eq: "{bob}" } } }', ['onIssue', 'onPage', 'onHidden']],
    ] as const
  ).map(
    ([text, tree, found]): Row => ({
      clause: '11.6.8',
      it: `conditions test both: ${text}`,
      as: '{bob}',
      given,
      send: `GET /api/v1/remarks?sort=text&where=${encoded(text)}`,
      also: `{ remarks(sort: [TEXT_ASC], where: ${tree}) { nodes { id } } }`,
      answer: { status: 200, data: ids(...found) },
    }),
  ),
  {
    clause: '11.6.8',
    it: 'but not with each other, nor with an order',
    as: '{bob}',
    given,
    send: `GET /api/v1/remarks?where=${encoded('target_id = source_id')}`,
    answer: { status: 400, code: 'VALIDATION_ERROR', fields: ['where'] },
  },
  {
    clause: '11.6.8',
    it: 'and the fields of what it leads to',
    as: '{bob}',
    given,
    send: `GET /api/v1/remarks?sort=text&where=${encoded('issue.title = "Issue" OR page.title IN ("Page", "Hidden")')}`,
    also: '{ remarks(sort: [TEXT_ASC], where: { or: [{ issue: { title: { eq: "Issue" } } }, { page: { title: { in: ["Page", "Hidden"] } } }] }) { nodes { id } } }',
    answer: { status: 200, data: ids('onIssue', 'onPage') },
  },
  {
    clause: '11.6.3',
    it: 'a hidden record is as none, and so is its type',
    as: '{bob}',
    given,
    send: 'GET /api/v1/remarks/{onHidden}',
    also: '{ remark(id: "{onHidden}") { text target { __typename } } }',
    answer: { status: 200, data: { text: 'C', target: null } },
  },
  ...(['Issue', 'Page'] as const).map((type): Row => {
    const id = type === 'Issue' ? '{issue}' : '{page}'
    return {
      clause: '11.6.6',
      it: `a record is created with a target of type ${type}`,
      as: '{bob}',
      given,
      send: 'POST /api/v1/remarks',
      body: { organization_id: '{org}', target: { type, id }, text: 'New' },
      also: create({ organizationId: '{org}', targetId: id, text: 'New' }),
      answer: { status: 201, data: { text: 'New' } },
    }
  }),
  {
    clause: '11.6.6',
    it: 'which is stored',
    as: '{bob}',
    given,
    send: 'POST /api/v1/remarks',
    body: {
      organization_id: '{org}',
      target: { type: 'Page', id: '{page}' },
      source: { type: 'Issue', id: '{issue}' },
      text: 'N',
    },
    answer: {
      status: 201,
      data: {
        target: { type: 'Page', id: '{page}' },
        page_id: '{page}',
        issue_id: null,
        source: { type: 'Issue', id: '{issue}' },
      },
    },
  },
  {
    clause: '11.6.6',
    it: 'a record needs one',
    as: '{bob}',
    given,
    send: 'POST /api/v1/remarks',
    body: { organization_id: '{org}', text: 'New' },
    answer: { status: 400, code: 'VALIDATION_ERROR', fields: ['target'] },
  },
  {
    clause: '11.6.6',
    it: 'and keeps one',
    as: '{bob}',
    given,
    send: 'PATCH /api/v1/remarks/{onIssue}',
    body: { target: null },
    also: 'mutation { updateRemark(id: "{onIssue}", input: { targetId: null }) { id } }',
    answer: { status: 400, code: 'VALIDATION_ERROR' },
  },
  ...(
    [
      ['{issue}', ['target']],
      [{ id: '{issue}' }, ['target']],
      [{ type: 'Issue', id: '{issue}', title: 'A' }, ['target']],
      [{ type: 'User', id: '{bob}' }, ['target.type']],
      [{ type: 'Issue', id: 7 }, ['target.id']],
    ] as const
  ).map(
    ([target, fields]): Row => ({
      clause: '11.6.6',
      it: `it has a type and an id: ${JSON.stringify(target)}`,
      as: '{bob}',
      given,
      send: 'POST /api/v1/remarks',
      body: { organization_id: '{org}', target, text: 'New' },
      answer: { status: 400, code: 'VALIDATION_ERROR', fields },
    }),
  ),
  {
    clause: '11.6.6',
    it: 'its relations are no input',
    as: '{bob}',
    given,
    send: 'POST /api/v1/remarks',
    body: { organization_id: '{org}', target: { type: 'Issue', id: '{issue}' }, page_id: '{page}', text: 'New' },
    answer: { status: 400, code: 'VALIDATION_ERROR', fields: ['page_id'] },
  },
  {
    clause: '11.6.6',
    it: 'a record of another type is missing',
    as: '{bob}',
    given,
    send: 'POST /api/v1/remarks',
    body: { organization_id: '{org}', target: { type: 'Issue', id: '{page}' }, text: 'New' },
    also: create({ organizationId: '{org}', targetId: '{bob}', text: 'New' }),
    answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION' },
  },
  {
    clause: '11.6.6',
    it: 'a change replaces one by the other',
    as: '{bob}',
    given,
    send: 'PATCH /api/v1/remarks/{onIssue}',
    body: { target: { type: 'Page', id: '{page}' } },
    also: `mutation { updateRemark(id: "{onIssue}", input: { targetId: "{page}" }) { target { ${union} } } }`,
    answer: { status: 200 },
    then: [
      {
        as: '{bob}',
        send: 'GET /api/v1/remarks/{onIssue}?fields=target,issue_id',
        answer: { status: 200, data: { target: { type: 'Page', id: '{page}' }, issue_id: null } },
      },
      { as: '{bob}', send: 'GET /api/v1/issues/{issue}', answer: { status: 200, data: { remarks_count: 0 } } },
    ],
  },
  {
    clause: '11.6.6',
    it: 'of many records too',
    as: '{bob}',
    given,
    send: 'PATCH /api/v1/remarks',
    body: { ids: ['{onPage}', '{onIssue}'], target: { type: 'Page', id: '{page}' } },
    answer: { status: 200 },
    then: [
      {
        as: '{bob}',
        send: 'GET /api/v1/remarks?target_id={page}&sort=text',
        answer: { status: 200, data: ids('onIssue', 'onPage') },
      },
    ],
  },
  {
    clause: '11.6.6',
    it: 'an optional one is cleared by null',
    as: '{bob}',
    given,
    send: 'POST /api/v1/remarks/{onPage}/refer',
    body: { source: null },
    also: 'mutation { referRemark(id: "{onPage}", input: { sourceId: null }) { source { __typename } } }',
    answer: { status: 200, data: { source: null } },
  },
  {
    clause: '11.6.2',
    it: 'code writes it as clients do, and need not read the record',
    as: '{bob}',
    given,
    send: 'POST /api/v1/pages/{page}/take',
    body: { remark_id: '{onIssue}' },
    also: 'mutation { takePage(id: "{page}", input: { remarkId: "{onIssue}" }) { id } }',
    answer: { status: 200 },
    then: [
      {
        as: '{bob}',
        send: 'GET /api/v1/remarks/{onIssue}?fields=target',
        answer: { status: 200, data: { target: { type: 'Page', id: '{page}' } } },
      },
    ],
  },
  {
    clause: '11.6.6',
    it: 'children have their parent',
    as: '{bob}',
    given,
    send: 'POST /api/v1/issues',
    body: { organization_id: '{org}', title: 'New', remarks: [{ text: 'First' }] },
    also: 'mutation { createIssue(input: { organizationId: "{org}", title: "New", remarks: [{ text: "First" }] }) { title } }',
    answer: { status: 201, data: { title: 'New' } },
  },
  {
    clause: '11.6.6',
    it: 'and no second one',
    as: '{bob}',
    given,
    send: 'POST /api/v1/issues',
    body: {
      organization_id: '{org}',
      title: 'New',
      remarks: [{ text: 'First', target: { type: 'Page', id: '{page}' } }],
    },
    answer: { status: 400, code: 'VALIDATION_ERROR', fields: ['remarks[0].target'] },
  },
  {
    clause: '11.6.6',
    it: 'a hidden record is not named, nor one of another tenant',
    as: '{bob}',
    given,
    send: 'POST /api/v1/remarks',
    body: { organization_id: '{org}', target: { type: 'Page', id: '{hiddenPage}' }, text: 'New' },
    also: create({ organizationId: '{org}', targetId: '{foreign}', text: 'New' }),
    answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', message: /./ },
  },
  {
    clause: '11.6.4',
    it: 'a delete does what each relation says: here it is refused',
    as: '{ann}',
    given,
    send: 'DELETE /api/v1/pages/{page}',
    also: 'mutation { deletePage(id: "{page}") }',
    answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION' },
  },
  {
    clause: '11.6.4',
    it: 'here it deletes what is about the record, and clears what may be without it',
    as: '{ann}',
    given,
    send: 'DELETE /api/v1/issues/{issue}',
    also: 'mutation { deleteIssue(id: "{issue}") }',
    answer: { status: 204 },
    then: [
      { as: '{ann}', send: 'GET /api/v1/remarks/{onIssue}', answer: { status: 404, code: 'NOT_FOUND' } },
      {
        as: '{ann}',
        send: 'GET /api/v1/remarks/{onPage}',
        answer: { status: 200, data: { target: { type: 'Page', id: '{page}' }, source: null } },
      },
    ],
  },
]
clauses('11.6 Either', rows, { definition: remarks })

withService(
  '11.6 Either, read by keys',
  (service) => {
    test('5.3.6 the union needs the scopes of all its types, the id none', async () => {
      const fixtures = service().fixtures(given)
      for (const name of Object.keys(given)) await fixtures.idOf(name)
      const keyWith = async (...scopes: readonly string[]) => {
        const body = { name: 'A key', scopes }
        const answer = await service().send('POST /api/v1/api-keys', { as: '{ann}', fixtures, body })
        assert.equal(answer.status, 201, answer.text)
        return { 'X-API-Key': answer.body.data.key as string }
      }
      const read = async (headers: Record<string, string>) =>
        service().graphql('{ remark(id: "{onPage}") { text target { __typename } } }', { headers, fixtures })
      const narrow = await keyWith('read:remarks', 'read:issues')
      const refused = (await read(narrow)).body
      assert.deepEqual(refused.data.remark, { text: 'B', target: null })
      assert.deepEqual(
        refused.errors.map((each: { extensions: object; path: object }) => [each.extensions, each.path]),
        [[{ code: 'INSUFFICIENT_SCOPE' }, ['remark', 'target']]],
      )
      const wide = await keyWith('read:remarks', 'read:issues', 'read:pages')
      assert.deepEqual((await read(wide)).body.data.remark, { text: 'B', target: { __typename: 'Page' } })
      const { body } = await service().send('GET /api/v1/remarks/{onPage}', { headers: narrow, fixtures })
      assert.equal(body.data.target.type, 'Page')
    })
  },
  { definition: remarks },
)

withService(
  '11.6 Either, subscribed by',
  (service) => {
    const listening = async (who: string, subscription: string, id: string) => {
      const socket = await TestSocket.ready(service().url, await service().token(id))
      socket.subscribe(who, `subscription { ${subscription} { text } }`)
      await socket.settled()
      return socket
    }
    async function begin() {
      const fixtures = service().fixtures(given)
      const ids = {} as Record<keyof typeof given, string>
      for (const name of Object.keys(given) as (keyof typeof given)[]) ids[name] = await fixtures.idOf(name)
      const send = async (line: string, body?: object) => {
        const answer = await service().send(line, { as: '{ann}', fixtures, ...(body === undefined ? {} : { body }) })
        assert.ok(answer.status < 300, answer.text)
      }
      return { ids, send }
    }

    test('11.6.5 an event goes to subscribers by the record that it is about, of each type', async () => {
      const { ids, send } = await begin()
      const socket = await listening('issue', `remarkCreated(targetId: "${ids.issue}")`, ids.bob)
      socket.subscribe('page', `subscription { remarkCreated(targetId: "${ids.page}") { text target { __typename } } }`)
      await socket.settled()
      const place = { organization_id: ids.org }
      await send('POST /api/v1/remarks', { ...place, target: { type: 'Page', id: ids.hiddenPage }, text: 'Other' })
      await send('POST /api/v1/remarks', { ...place, target: { type: 'Page', id: ids.page }, text: 'Page' })
      const first = await socket.next()
      assert.equal(first.id, 'page')
      assert.deepEqual(dataOf(first), { remarkCreated: { text: 'Page', target: { __typename: 'Page' } } })
      await send('POST /api/v1/remarks', { ...place, target: { type: 'Issue', id: ids.issue }, text: 'Issue' })
      const second = await socket.next()
      assert.deepEqual([second.id, dataOf(second)], ['issue', { remarkCreated: { text: 'Issue' } }])
      await socket.close()
    })

    test('11.6.5 an event of a delete as well, also if the record goes with what it is about', async () => {
      const { ids, send } = await begin()
      const socket = await listening('deleted', `remarkDeleted(targetId: "${ids.page}")`, ids.ann)
      await send('DELETE /api/v1/remarks/{onPage}')
      assert.deepEqual(dataOf(await socket.next()), { remarkDeleted: { text: 'B' } })
      socket.subscribe('issue', `subscription { remarkDeleted(targetId: "${ids.issue}") { text } }`)
      await socket.settled()
      await send('DELETE /api/v1/issues/{issue}')
      assert.deepEqual(dataOf(await socket.next()), { remarkDeleted: { text: 'A' } })
      await socket.close()
    })

    test('11.6.5 no subscriber by a record hears of one that names none', async () => {
      const { ids, send } = await begin()
      const socket = await listening('source', `remarkReferred(sourceId: "${ids.page}")`, ids.ann)
      await send('POST /api/v1/remarks/{onPage}/refer', { source: null })
      await send('POST /api/v1/remarks/{onIssue}/refer', { source: { type: 'Page', id: ids.page } })
      assert.deepEqual(dataOf(await socket.next()), { remarkReferred: { text: 'A' } })
      await socket.close()
    })

    test('6.1.3, 11.6.5 a hidden record, a missing one and one of no such type are not found', async () => {
      const { ids } = await begin()
      const missing = `pag_${ids.page.slice(4).replace(/.$/, (last) => (last === '0' ? '1' : '0'))}`
      for (const id of [ids.hiddenPage, missing, ids.bob, 'none']) {
        const socket = await TestSocket.ready(service().url, await service().token(ids.bob))
        socket.subscribe('1', `subscription { remarkCreated(targetId: "${id}") { text } }`)
        const frame = await socket.next()
        assert.equal(frame.type, 'error', id)
        assert.deepEqual(codesOf(frame), ['NOT_FOUND'], id)
        await socket.close()
      }
    })

    test('6.1.5, 11.6.5 a subscription ends once its record is hidden', async () => {
      const { ids, send } = await begin()
      const socket = await listening('1', `remarkCreated(targetId: "${ids.issue}")`, ids.ann)
      await send('DELETE /api/v1/issues/{issue}')
      const frame = await socket.next()
      assert.deepEqual([frame.type, codesOf(frame)], ['error', ['NOT_FOUND']])
      await socket.close()
    })
  },
  { definition: remarks },
)
