// Records that others have a name for: read, created, replaced, changed and deleted at the address of a key.

import { ledger } from '../support/domain/ledger.ts'
import { clauses, type Row, type Step } from '../support/rows/clauses.ts'

const sample = { externalId: 'a/b {word}', region: 'eu', name: 'Known', note: 'N', owner: '{viewer}' }
const customer = (more: object = {}) => ({ Customer: { ...sample, code: 'c {word}', ...more } })
const at = '/api/v2/customers/by/external_id'
const upsert = (
  it: string,
  key: string,
  body: Readonly<Record<string, unknown>>,
  answer: Step['answer'],
  more: Partial<Row> = {},
): Row => ({
  clause: '11.2.9',
  it,
  as: 'viewer',
  send: `PUT ${at}/${encodeURIComponent(key).replaceAll('%7B', '{').replaceAll('%7D', '}')}`,
  body,
  also: {
    query:
      'mutation ($by: CustomerKey!, $input: UpsertCustomerInput!) { upsertCustomer(by: $by, input: $input) { id name code note } }',
    variables: { by: { externalId: key }, input: body },
  },
  answer,
  ...more,
})
const restOnly = { also: undefined } as unknown as Partial<Row>
const fresh = { code: 'n {word}', name: 'New' }

clauses(
  '11.2 Keys',
  [
    {
      clause: '11.2.8',
      it: 'a record is read by its key',
      as: 'viewer',
      given: { known: customer() },
      send: `GET ${at}/a%2Fb%20{word}?fields=name`,
      also: '{ customerByExternalId(externalId: "a/b {word}") { name } }',
      answer: { status: 200, data: { name: 'Known' } },
    },
    {
      clause: '11.2.17',
      it: 'by several fields',
      as: 'viewer',
      given: { known: customer({ level: 7, region: 'us' }) },
      send: 'GET /api/v2/customers/by/region/us/code/c%20{word}/level/7',
      answer: { status: 200, data: { name: 'Known' } },
      then: [
        {
          as: 'viewer',
          send: 'GET /api/v2/customers/by/level/7/code/c%20{word}/region/us',
          answer: { status: 200, data: { name: 'Known' } },
        },
        { as: 'viewer', send: 'GET /api/v2/customers/by/region/us', answer: { status: 404 } },
        { as: 'viewer', send: 'GET /api/v2/customers/by/region/us/code/c%20{word}/level/x', answer: { status: 404 } },
        {
          as: 'viewer',
          also: '{ customerByRegionAndCodeAndLevel(region: us, code: "c {word}", level: 7) { name } }',
          answer: { status: 200, data: { name: 'Known' } },
        },
      ],
    },
    {
      clause: '11.2.16',
      it: 'by the name that the field has in a version',
      as: 'viewer',
      given: { known: customer() },
      send: 'GET /api/v1/customers/by/foreign_id/a%2Fb%20{word}',
      answer: { status: 200, data: { name: 'Known', foreign_id: 'a/b {word}' } },
    },
    ...['GET', 'PATCH', 'DELETE'].flatMap((method): Row[] => [
      {
        clause: '11.2.8',
        it: `${method} of a key that no record has`,
        as: 'viewer',
        send: `${method} ${at}/nobody`,
        ...(method === 'PATCH' ? { body: { name: 'X' } } : {}),
        answer: { status: 404, code: 'NOT_FOUND' },
      },
      {
        clause: '11.2.8',
        it: `${method} of a key that no record can have`,
        as: 'viewer',
        send: `${method} ${at}/${'x'.repeat(61)}`,
        ...(method === 'PATCH' ? { body: { name: 'X' } } : {}),
        answer: { status: 404, code: 'NOT_FOUND' },
      },
      {
        clause: '11.2.8',
        it: `${method} of a hidden record`,
        as: 'other viewer',
        given: { known: customer({ isHidden: true }) },
        send: `${method} ${at}/a%2Fb%20{word}`,
        ...(method === 'PATCH' ? { body: { name: 'X' } } : {}),
        answer: { status: 404, code: 'NOT_FOUND' },
      },
    ]),
    {
      clause: '11.2.16',
      it: 'a record is changed by its key',
      as: 'viewer',
      given: { known: customer() },
      send: `PATCH ${at}/a%2Fb%20{word}`,
      headers: { 'If-Match': '"1.0"' },
      body: { name: 'Changed', external_id: 'a/b {word}' },
      answer: { status: 200, data: { name: 'Changed', note: 'N' } },
      then: [
        {
          as: 'viewer',
          send: `PATCH ${at}/a%2Fb%20{word}`,
          headers: { 'If-Match': '"1.0"' },
          body: { name: 'X' },
          answer: { status: 409 },
        },
        {
          as: 'viewer',
          send: `PATCH ${at}/a%2Fb%20{word}`,
          body: { name: 'X', external_id: 'other' },
          answer: { status: 400, field: 'external_id' },
        },
        { as: 'other viewer', send: `PATCH ${at}/a%2Fb%20{word}`, body: { name: 'X' }, answer: { status: 403 } },
        { send: `PATCH ${at}/a%2Fb%20{word}`, body: { name: 'X' }, answer: { status: 401 } },
        { as: 'viewer', send: `DELETE ${at}/a%2Fb%20{word}`, answer: { status: 204 } },
        { as: 'viewer', send: `GET ${at}/a%2Fb%20{word}`, answer: { status: 404 } },
      ],
    },
    upsert('creates where there is none', 'k {word}', fresh, {
      status: 201,
      data: { name: 'New', note: null },
    }),
    upsert(
      'tells where',
      'k {word}',
      fresh,
      { status: 201, headers: { location: /^\/api\/v2\/customers\/cus_/, etag: /^"1\./ } },
      {
        ...restOnly,
        clause: '11.2.19',
        then: [
          {
            as: 'viewer',
            send: `GET ${at}/k%20{word}`,
            answer: { status: 200, data: { external_id: 'k {word}', region: 'eu' } },
          },
        ],
      },
    ),
    upsert(
      'replaces where there is one: what is left out has its default',
      'a/b {word}',
      fresh,
      {
        status: 200,
        data: { name: 'New', note: null },
      },
      { given: { known: customer() } },
    ),
    upsert('the key may be said again', 'k {word}', { ...fresh, external_id: 'k {word}' }, { status: 201 }, restOnly),
    upsert(
      'but not another',
      'k {word}',
      { ...fresh, external_id: 'other' },
      { status: 400, field: 'external_id' },
      restOnly,
    ),
    upsert(
      'nor where there is one',
      'a/b {word}',
      { ...fresh, external_id: 'other' },
      { status: 400, field: 'external_id' },
      {
        ...restOnly,
        given: { known: customer() },
      },
    ),
    upsert(
      'what has not the form of the key',
      'x'.repeat(61),
      fresh,
      { status: 400, code: 'VALIDATION_ERROR' },
      restOnly,
    ),
    upsert(
      'create’s form, with all that is wrong',
      'k {word}',
      { level: 0, colour: 1, code: 'x' },
      { status: 400, fields: ['level', 'colour', 'name'] },
      restOnly,
    ),
    upsert(
      'update’s, where there is one',
      'a/b {word}',
      { ...fresh, is_hidden: true },
      { status: 422, code: 'BUSINESS_RULE_VIOLATION', field: 'is_hidden' },
      {
        ...restOnly,
        given: { known: customer() },
      },
    ),
    upsert(
      'create’s check',
      'k {word}',
      { code: 'x', name: 'Nobody' },
      { status: 422, code: 'BUSINESS_RULE_VIOLATION', message: 'Nobody is no customer.' },
    ),
    upsert(
      'update’s rule',
      'a/b {word}',
      fresh,
      { status: 403, code: 'FORBIDDEN' },
      {
        as: 'other viewer',
        given: { known: customer() },
      },
    ),
    upsert(
      'whoever may do neither',
      'k {word}',
      { x: 1 },
      { status: 401, code: 'UNAUTHENTICATED' },
      { as: 'anonymous', ...restOnly },
    ),
    upsert(
      'a hidden record is as for create',
      'a/b {word}',
      fresh,
      { status: 409, code: 'CONFLICT', field: 'external_id' },
      {
        clause: '11.2.18',
        as: 'other viewer',
        given: { known: customer({ isHidden: true }) },
      },
    ),
    upsert(
      'a deleted one does not count',
      'a/b {word}',
      fresh,
      { status: 201 },
      {
        given: { known: customer() },
        first: [{ as: 'viewer', send: 'DELETE /api/v2/customers/{known}' }],
      },
    ),
    upsert(
      'If-Match demands that there is one',
      'k {word}',
      fresh,
      { status: 409, code: 'CONFLICT' },
      {
        ...restOnly,
        clause: '11.2.18',
        headers: { 'If-Match': '*' },
      },
    ),
    upsert(
      'and which',
      'a/b {word}',
      fresh,
      { status: 409, code: 'CONFLICT' },
      {
        ...restOnly,
        clause: '11.2.18',
        given: { known: customer() },
        headers: { 'If-Match': '"2.0"' },
      },
    ),
    upsert(
      'or that there is any',
      'a/b {word}',
      fresh,
      { status: 200 },
      {
        ...restOnly,
        given: { known: customer() },
        headers: { 'If-Match': '*' },
      },
    ),
    ...(
      [
        ['creates where there is none', 'n {word}', '*', { status: 201 }],
        ['replaces none', 'a/b {word}', '*', { status: 409, code: 'CONFLICT' }],
        ['replaces none of this version', 'a/b {word}', '"1.0"', { status: 409, code: 'CONFLICT' }],
        ['replaces one of another version', 'a/b {word}', '"2.0"', { status: 200 }],
      ] as const
    ).map(
      ([it, key, ifNoneMatch, answer]): Row => ({
        ...upsert(`If-None-Match ${it}`, key, fresh, answer, {
          ...restOnly,
          given: { known: customer() },
          headers: { 'If-None-Match': ifNoneMatch },
        }),
        clause: '4.5.13',
      }),
    ),
    {
      clause: '11.2.9',
      it: 'by another key of several fields',
      as: 'viewer',
      send: 'PUT /api/v2/customers/by/region/us/code/r%20{word}/level/2',
      body: { external_id: 'r {word}', name: 'R' },
      answer: { status: 201, data: { region: 'us', code: 'r {word}', level: 2, external_id: 'r {word}' } },
      then: [
        {
          as: 'viewer',
          also: 'mutation { upsertCustomer(by: { region: us, code: "r {word}", level: 2 }, input: { name: "S" }) { name } }',
          answer: { status: 200, data: { name: 'S' } },
        },
        {
          as: 'viewer',
          also: 'mutation { upsertCustomer(by: { region: us }, input: { name: "S", code: "s" }) { name } }',
          answer: { status: 200, code: 'VALIDATION_ERROR', field: 'by' },
        },
      ],
    },
    {
      clause: '11.2.9',
      it: 'another value that is taken is 409',
      as: 'viewer',
      given: { known: customer({ region: 'us' }) },
      send: `PUT ${at}/k%20{word}`,
      body: { name: 'N', code: 'c {word}', region: 'us' },
      answer: { status: 409, code: 'CONFLICT', fields: ['region', 'code', 'level'] },
    },
    {
      clause: '11.2.8',
      it: 'the address says what it takes',
      send: `PUT ${at}`,
      answer: { status: 404 },
      then: [
        {
          send: `POST ${at}/x`,
          body: {},
          answer: { status: 405, headers: { allow: 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS' } },
        },
      ],
    },
  ],
  { definition: ledger },
)
