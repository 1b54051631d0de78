// What can be searched, and what a search does to changes, deletes, cursors and caches.

import { letter, note, people, ships } from '../support/domain/letters.ts'
import { mailroom } from '../support/domain/mailroom.ts'
import { clauses } from '../support/rows/clauses.ts'

clauses(
  '12.2 Search: where and when',
  [
    {
      clause: '12.2.10',
      it: 'a list of what cannot be searched',
      as: 'viewer',
      send: 'GET /api/v2/boxes?q=a',
      also: { query: '{ boxes(search: "a") { nodes { id } } }', answer: { code: 'GRAPHQL_VALIDATION_FAILED' } },
      answer: { status: 400, code: 'VALIDATION_ERROR', field: 'q' },
    },
    {
      clause: '12.2.10',
      it: 'a query of the definition, in its own order for what is alike',
      as: 'viewer',
      given: { ...people, b: letter('B {word}'), a: letter('A {word}'), shut: letter('C {word}', { isOpen: false }) },
      send: 'GET /api/v2/letters/open?q={word}&fields=id',
      also: '{ openLetters(search: "{word}") { nodes { id } } }',
      answer: { status: 200, data: [{ id: '{a}' }, { id: '{b}' }] },
    },
    {
      clause: '12.2.10',
      it: 'a list below a record',
      as: 'viewer',
      given: { ...people, ...ships, pat: { User: { name: 'Pat' } }, his: letter('His ship', { owner: '{pat}' }) },
      send: 'GET /api/v2/users/{pat}/letters?q=ship&fields=id',
      answer: { status: 200, data: [{ id: '{his}' }] },
      also: {
        query: '{ user(id: "{pat}") { letters(search: "ship") { id } } }',
        answer: { data: { letters: [{ id: '{his}' }] } },
      },
    },
    {
      clause: '12.2.11',
      it: 'a change is found at once, and what it was no more',
      as: 'editor',
      given: { ...people, one: letter('Old {unique}') },
      send: 'PATCH /api/v2/letters/{one}',
      body: { subject: 'New wine {word}' },
      answer: { status: 200 },
      then: [
        {
          as: 'editor',
          send: 'GET /api/v2/letters?q=wine%20{word}&fields=id',
          answer: { status: 200, data: [{ id: '{one}' }] },
        },
        { as: 'editor', send: 'GET /api/v2/letters?q=old%20{word}', answer: { status: 200, data: [] } },
      ],
    },
    {
      clause: '12.2.14',
      it: 'a deleted record is not found, nor by a note that went with it',
      as: 'admin',
      given: { ...people, one: letter('Gone {word}'), note: note('one', 'Gone {word}') },
      send: 'DELETE /api/v2/letters/{one}',
      answer: { status: 204 },
      then: [
        { as: 'admin', send: 'GET /api/v2/letters?q=gone%20{word}', answer: { status: 200, data: [] } },
        { as: 'admin', send: 'GET /api/v2/notes?q=gone%20{word}', answer: { status: 200, data: [] } },
      ],
    },
    {
      clause: '12.2.14',
      it: 'a deleted note no longer makes its letter an answer',
      as: 'admin',
      given: { ...people, one: letter('Kept'), note: note('one', 'Gone {word}') },
      send: 'DELETE /api/v2/notes/{note}',
      answer: { status: 204 },
      then: [{ as: 'admin', send: 'GET /api/v2/letters?q=gone%20{word}', answer: { status: 200, data: [] } }],
    },
    {
      clause: '12.2.17',
      it: 'the cursor of another question is refused',
      as: 'viewer',
      given: { ...people, ...ships },
      first: [
        {
          as: 'viewer',
          send: 'GET /api/v2/letters?round={word}&q=ship&limit=1',
          keep: { cursor: 'body.meta.next_cursor' },
        },
      ],
      send: 'GET /api/v2/letters?round={word}&q=ships&limit=1&cursor={cursor}',
      answer: { status: 400, code: 'VALIDATION_ERROR', field: 'cursor' },
      then: [
        {
          as: 'viewer',
          send: 'GET /api/v2/letters?round={word}&q=SHIP&limit=1&fields=id&cursor={cursor}',
          answer: { status: 200, data: [{ id: '{three}' }] },
        },
      ],
    },
    {
      clause: '12.2.18',
      it: 'an answer that any cache may keep is private once it is searched',
      send: 'GET /api/v2/notices?q=a',
      answer: { status: 200, headers: { 'Cache-Control': 'private, no-cache' } },
      then: [
        { send: 'GET /api/v2/notices', answer: { status: 200, headers: { 'Cache-Control': 'public, max-age=60' } } },
        {
          send: `GET /graphql?query=${encodeURIComponent('{ notices(search: "a") { nodes { title } } }')}`,
          answer: { status: 200, headers: { 'Cache-Control': 'private, no-cache' } },
        },
      ],
    },
    {
      clause: '12.2.10',
      it: 'what the code of a query has found can be searched in turn',
      given: { one: { Notice: { title: 'Gone fishing' } }, two: { Notice: { title: 'Back soon' } } },
      send: 'GET /api/v2/notices/pinned?left_id={one}&right_id={two}&q=fish',
      also: '{ pinnedNotices(leftId: "{one}", rightId: "{two}", search: "fish") { nodes { id title } } }',
      answer: { status: 200, data: [{ id: '{one}', title: 'Gone fishing' }] },
    },
  ],
  { definition: mailroom },
)
