// Trees: what is below what, however it is written, who may by a record above, and conditions about it. Through both faces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requireWholeTree } from '../support/check/tree.ts'
import { folders } from '../support/domain/folders.ts'
import { clauses, type Row } from '../support/rows/clauses.ts'
import { ids } from '../support/rows/list.ts'
import { encoded } from '../support/rows/where.ts'
import { type Caller, type TestService, withService } from '../support/server/service.ts'

const folder = (name: string, parent?: string, owner = '{ann}') => ({
  Folder: { name, owner, ...(parent === undefined ? {} : { parent: `{${parent}}` }) },
})
const topic = (name: string, parent?: string, isHidden = false) => ({
  Topic: { name, owner: '{ann}', isHidden, ...(parent === undefined ? {} : { parent: `{${parent}}` }) },
})
const given = {
  ann: { User: { email: 'ann.{word}@example.com' } },
  bob: { User: { email: 'bob.{word}@example.com' } },
  a: folder('A'),
  b: folder('B', 'a'),
  c: folder('C', 'b'),
  d: folder('D', 'c'),
  other: folder('Other'),
  toBob: { Grant: { folder: '{b}', user: '{bob}' } },
  plan: { Document: { title: 'Plan', folder: '{d}' } },
  top: topic('Top'),
  between: topic('Between', 'top', true),
  under: topic('Under', 'between'),
  deep: topic('Deep', 'under'),
  near: topic('Near', 'top'),
}

const lists = (
  it: string,
  [plural, text, tree]: readonly [plural: string, text: string, tree: string],
  found: readonly string[],
  as: Caller = '{ann}',
): Row => ({
  clause: '10.3.6',
  it,
  as,
  given,
  send: `GET /api/v1/${plural}?sort=name&where=${encoded(text)}`,
  also: `{ ${plural}(sort: [NAME_ASC], where: ${tree}) { nodes { id } } }`,
  answer: { status: 200, data: ids(...found) },
})
const below = (name: string) => [`below(parent, "{${name}}")`, `{ parent: { below: "{${name}}" } }`] as const

const rows: readonly Row[] = [
  {
    clause: '10.3.1',
    it: 'a record is not moved below itself',
    as: '{ann}',
    given,
    send: 'PATCH /api/v1/folders/{b}',
    body: { parent_id: '{d}' },
    also: 'mutation { updateFolder(id: "{b}", input: { parentId: "{d}" }) { id } }',
    answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', field: 'parent_id', message: /itself, or is below it/ },
  },
  {
    clause: '10.3.1',
    it: 'nor below the record that it is',
    as: '{ann}',
    given,
    send: 'PATCH /api/v1/folders/{a}',
    body: { parent_id: '{a}' },
    also: 'mutation { updateFolder(id: "{a}", input: { parentId: "{a}" }) { id } }',
    answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', field: 'parent_id' },
  },
  {
    clause: '10.3.5',
    it: 'a grant reaches what is below',
    as: '{bob}',
    given,
    send: 'GET /api/v1/folders?sort=name',
    also: '{ folders(sort: [NAME_ASC]) { nodes { id } } }',
    answer: { status: 200, data: ids('b', 'c', 'd') },
  },
  {
    clause: '10.3.5',
    it: 'and what refers to that',
    as: '{bob}',
    given,
    send: 'GET /api/v1/documents/{plan}',
    also: '{ document(id: "{plan}") { id folder { name parent { name parent { name parent { name } } } } } }',
    answer: { status: 200, data: { id: '{plan}' } },
  },
  {
    clause: '10.3.5',
    it: 'but not what is above or beside',
    as: '{bob}',
    given,
    send: 'GET /api/v1/folders/{a}',
    also: '{ folder(id: "{a}") { id } }',
    answer: { status: 404, code: 'NOT_FOUND' },
  },
  {
    clause: '10.3.5',
    it: 'who owns a folder above creates below it',
    as: '{ann}',
    given,
    send: 'POST /api/v1/folders',
    body: { name: 'New', parent_id: '{d}' },
    also: 'mutation { createFolder(input: { name: "New", parentId: "{d}" }) { name } }',
    answer: { status: 201, data: { name: 'New' } },
  },
  {
    clause: '10.3.5',
    it: 'who reads a folder does not',
    as: '{bob}',
    given,
    send: 'POST /api/v1/folders',
    body: { name: 'New', parent_id: '{d}' },
    also: 'mutation { createFolder(input: { name: "New", parentId: "{d}" }) { name } }',
    answer: { status: 403, code: 'FORBIDDEN' },
  },
  lists('all below', ['folders', ...below('a')], ['b', 'c', 'd']),
  lists('less below', ['folders', ...below('c')], ['d']),
  lists('nothing below the lowest', ['folders', ...below('d')], []),
  lists(
    'nothing below what does not exist',
    ['folders', 'below(parent, "fld_x")', '{ parent: { below: "fld_x" } }'],
    [],
  ),
  lists('below what is granted', ['folders', ...below('b')], ['c', 'd'], '{bob}'),
  lists('nothing below what is hidden', ['folders', ...below('a')], [], '{bob}'),
  lists('the owner of hidden records', ['topics', ...below('top')], ['between', 'deep', 'near', 'under']),
  lists('nothing below hidden ones between', ['topics', ...below('top')], ['near'], '{bob}'),
  lists('what is below a visible one, wherever that is', ['topics', ...below('under')], ['deep'], '{bob}'),
  lists('what is below hidden ones has a hidden parent', ['topics', ...below('between')], [], '{bob}'),
  lists(
    'its negation',
    [
      'topics',
      'NOT below(parent, "{top}") AND id IN ("{top}", "{near}", "{under}")',
      '{ not: { parent: { below: "{top}" } }, id: { in: ["{top}", "{near}", "{under}"] } }',
    ],
    ['top', 'under'],
    '{bob}',
  ),
  lists(
    'next to conditions on the record above',
    ['topics', 'below(parent, "{top}") AND parent.name = "Top"', '{ parent: { below: "{top}", name: { eq: "Top" } } }'],
    ['near'],
    '{bob}',
  ),
  {
    clause: '10.3.6',
    it: 'through another relation',
    as: '{ann}',
    given,
    send: `GET /api/v1/documents?sort=title&where=${encoded('below(folder.parent, "{a}")')}`,
    also: '{ documents(sort: [TITLE_ASC], where: { folder: { parent: { below: "{a}" } } }) { nodes { id } } }',
    answer: { status: 200, data: ids('plan') },
  },
  {
    clause: '10.3.6',
    it: 'what is no tree has nothing below',
    as: '{ann}',
    given,
    send: `GET /api/v1/topics?where=${encoded('below(id, "x")')}`,
    answer: { status: 400, code: 'VALIDATION_ERROR', message: /no tree/ },
  },
  {
    clause: '10.3.4',
    it: 'a record that others are below can be kept',
    as: '{ann}',
    given,
    send: 'DELETE /api/v1/topics/{top}',
    also: 'mutation { deleteTopic(id: "{top}") }',
    answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION' },
  },
]
clauses('10.3 Trees', rows, { definition: folders })

withService(
  '10.3 Trees, written',
  (service) => {
    test('10.3.1 moves of one request follow each other', async () => {
      const { send, make, below } = await open(service())
      const [one, two, three] = [await make('One'), await make('Two'), await make('Three')]
      const move = (ids: readonly string[], parent_id: string) => send('PATCH /api/v1/folders', { ids, parent_id })
      assert.equal((await move([one, two], one)).status, 422)
      assert.equal((await move([two], one)).status, 200)
      assert.equal((await move([three, one], two)).status, 422)
      assert.equal((await move([one, two], three)).status, 200)
      assert.deepEqual(await below(three), [one, two].sort())
      await requireWholeTree(service(), 'folders')
    })

    test('10.3.2 a move moves all that is below, and changes the version of one record', async () => {
      const { send, make, below } = await open(service())
      const [from, to] = [await make('From'), await make('To')]
      const moved = await make('Moved', from)
      const inner = await make('Inner', moved)
      const innermost = await make('Innermost', inner)
      const tag = (await send(`GET /api/v1/folders/${inner}`)).headers['etag']
      assert.equal((await send(`PATCH /api/v1/folders/${moved}`, { parent_id: to })).status, 200)
      assert.deepEqual(await below(from), [])
      assert.deepEqual(await below(to), [inner, innermost, moved].sort())
      assert.equal((await send(`GET /api/v1/folders/${inner}`)).headers['etag'], tag)
      await requireWholeTree(service(), 'folders')
    })

    test('10.3.2 moves of definitions and effects do so, too', async () => {
      const { send, make, below } = await open(service())
      const top = await make('Top')
      const moved = await make('Moved', top)
      const inner = await make('Inner', moved)
      assert.equal((await send(`POST /api/v1/folders/${inner}/fill`)).status, 200)
      assert.equal((await below(top)).length, 4)
      assert.equal((await send(`POST /api/v1/folders/${moved}/lift`)).status, 200)
      assert.deepEqual(await below(top), [])
      assert.equal((await below(moved)).length, 3)
      await requireWholeTree(service(), 'folders')
    })

    test('10.3.3, 5.7.3 there are 32 levels at most, by create and by move', async () => {
      const { send, make, chain } = await open(service())
      const long = await chain(32)
      const tooDeep = await send('POST /api/v1/folders', { name: 'Deep', parent_id: long.at(-1) })
      assert.deepEqual([tooDeep.status, tooDeep.body.error.details[0].field], [422, 'parent_id'])
      const pair = await make('Pair')
      await make('Below', pair)
      for (const [level, status] of [
        [29, 200],
        [30, 422],
        [28, 200],
      ] as const)
        assert.equal((await send(`PATCH /api/v1/folders/${pair}`, { parent_id: long[level] })).status, status)
      await requireWholeTree(service(), 'folders')
    })

    test('10.3.4 what is below is deleted with a record', async () => {
      const { send, make, chain } = await open(service())
      const [top, second, third] = await chain(3)
      const document = await send('POST /api/v1/documents', { title: 'T', folder_id: third })
      const kept = await make('Kept', top)
      assert.equal((await send(`DELETE /api/v1/folders/${second}`)).status, 204)
      for (const path of [`folders/${second}`, `folders/${third}`, `documents/${document.body.data.id}`])
        assert.equal((await send(`GET /api/v1/${path}`)).status, 404)
      assert.equal((await send(`GET /api/v1/folders/${kept}`)).status, 200)
      await requireWholeTree(service(), 'folders')
    })

    test('10.3.5 a move ends rights and gives others', async () => {
      const { send, make, as } = await open(service())
      const shared = await make('Shared')
      const inner = await make('Inner')
      const bob = await service().fixtures().idOf('other viewer')
      const grant = service().fixtures({ grant: { Grant: { folder: shared, user: bob } } })
      await grant.idOf('grant')
      const seen = async () => (await as('other viewer', `GET /api/v1/folders/${inner}`)).status
      assert.equal(await seen(), 404)
      await send(`PATCH /api/v1/folders/${inner}`, { parent_id: shared })
      assert.equal(await seen(), 200)
      await send(`PATCH /api/v1/folders/${inner}`, { parent_id: null })
      assert.equal(await seen(), 404)
    })
  },
  { definition: folders },
)

async function open(service: TestService) {
  const as = (who: Caller, line: string, body?: object) =>
    service.send(line, { as: who, ...(body === undefined ? {} : { body }) })
  const send = (line: string, body?: object) => as('viewer', line, body)
  const make = async (name: string, parent?: string): Promise<string> => {
    const { status, text, body } = await send('POST /api/v1/folders', {
      name,
      ...(parent === undefined ? {} : { parent_id: parent }),
    })
    assert.equal(status, 201, text)
    return body.data.id
  }
  const chain = async (levels: number): Promise<readonly string[]> => {
    const made = [await make('Level 1')]
    while (made.length < levels) made.push(await make(`Level ${made.length + 1}`, made.at(-1)))
    return made
  }
  const below = async (id: string): Promise<readonly string[]> => {
    const { body } = await send(
      `GET /api/v1/folders?per_page=100&where=${encodeURIComponent(`below(parent, "${id}")`)}`,
    )
    return body.data.map((each: { id: string }) => each.id).sort()
  }
  return { as, send, make, chain, below }
}
