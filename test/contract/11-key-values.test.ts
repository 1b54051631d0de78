// Values of keys that no path can hold.

import { ledger } from '../support/domain/ledger.ts'
import { clauses, type Row } from '../support/rows/clauses.ts'

const at = '/api/v2/customers/by/external_id'
const fresh = { code: 'n {word}', name: 'New' }

const refusedKey = (value: string, inPath: string): readonly Row[] => {
  const refused = { status: 400, code: 'VALIDATION_ERROR', field: 'external_id' } as const
  const ofKey =
    'mutation ($by: CustomerKey!, $input: UpsertCustomerInput!) { upsertCustomer(by: $by, input: $input) { id } }'
  const it = `refuses ${JSON.stringify(value)}`
  const clause = '11.2.13'
  const input = { externalId: value, region: 'eu', ...fresh }
  return [
    {
      clause,
      it: `${it} when it is read`,
      as: 'viewer',
      send: `GET ${at}/${inPath}`,
      also: {
        query: 'query ($key: String!) { customerByExternalId(externalId: $key) { id } }',
        variables: { key: value },
      },
      answer: refused,
    },
    {
      clause,
      it: `${it} when it is changed`,
      as: 'viewer',
      send: `PATCH ${at}/${inPath}`,
      body: { name: 'N' },
      answer: refused,
    },
    { clause, it: `${it} when it is deleted`, as: 'viewer', send: `DELETE ${at}/${inPath}`, answer: refused },
    {
      clause,
      it: `${it} when it is upserted`,
      as: 'viewer',
      send: `PUT ${at}/${inPath}`,
      body: fresh,
      also: { query: ofKey, variables: { by: { externalId: value }, input: fresh } },
      answer: refused,
    },
    {
      clause,
      it: `${it} in a body`,
      as: 'viewer',
      send: 'POST /api/v2/customers',
      body: { external_id: value, region: 'eu', ...fresh },
      also: {
        query: 'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }',
        variables: { input },
      },
      answer: refused,
    },
  ]
}

clauses(
  '11.2 Values of keys',
  [...refusedKey('..', '%2E%2E'), ...refusedKey('.', '%2e'), ...refusedKey('a\u0085b', 'a%C2%85b')],
  { definition: ledger },
)
