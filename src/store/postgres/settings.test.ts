// What an operator has set for a database changes neither values nor guarantees.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { createDatabase, postgresMissing } from '../../../test/support/server/databases.ts'
import { defaultLimits } from '../../limits.ts'
import { openStore } from '../../service/open/open-store.ts'
import { bind, type Program, query, type Store, type StoredRow } from '../store.ts'
import { sessionSettings } from './connection.ts'

/** For each another value than ours. */
const odd: Readonly<Record<string, string>> = {
  TimeZone: 'Asia/Tokyo',
  timezone_abbreviations: 'Australia',
  DateStyle: 'German',
  IntervalStyle: 'iso_8601',
  extra_float_digits: '-15',
  bytea_output: 'escape',
  standard_conforming_strings: 'off',
  array_nulls: 'off',
  transform_null_equals: 'on',
  quote_all_identifiers: 'on',
  gin_fuzzy_search_limit: '1',
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  lock_timeout: '1ms',
  idle_session_timeout: '1ms',
  exit_on_error: 'on',
  jit: 'on',
  client_connection_check_interval: '0',
}
/** The driver sets the first three for each session. The others change no value that Duet reads. */
const others = {
  statement_timeout: '1ms',
  idle_in_transaction_session_timeout: '1ms',
  client_encoding: 'LATIN1',
  lc_numeric: 'C',
  lc_monetary: 'C',
  lc_time: 'C',
  lc_messages: 'C',
  default_text_search_config: 'pg_catalog.german',
  xmloption: 'document',
  xmlbinary: 'hex',
  backslash_quote: 'off',
  synchronize_seqscans: 'off',
  row_security: 'off',
  constraint_exclusion: 'off',
  plan_cache_mode: 'force_generic_plan',
  client_min_messages: 'error',
  check_function_bodies: 'off',
}

function* rowOf(sql: string): Program<StoredRow> {
  const [row] = yield bind(query(sql))
  return row!
}
const values = `select timestamptz '2026-11-20 09:30:00.5+01', 0.1::float8 + 0.2::float8, interval '1 day', '\\x00ff'::bytea::text, 'a\\b',
  '{NULL}'::text[] is not distinct from array[null::text], 'é', null = null, current_setting('transaction_isolation'), pg_sleep(0.01)::text,
  to_char(timestamptz '2026-11-20 09:30:00.5Z' at time zone 'EST', 'YYYY-MM-DD"T"HH24:MI:SS.MS'), array_to_tsvector('{houses}')::text`

test('0.1.11 a session has its own settings, whatever a database and a role have', {
  skip: postgresMissing,
}, async (t) => {
  assert.deepEqual(Object.keys(odd), Object.keys(sessionSettings))
  const database = await createDatabase('postgres')
  const name = new URL(database.url).pathname.slice(1)
  const client = new pg.Client(database.url)
  await client.connect()
  for (const [setting, value] of Object.entries({ ...odd, ...others }))
    for (const whose of [`database "${name}"`, `role current_user in database "${name}"`])
      await client.query(`alter ${whose} set ${setting} = '${value}'`)
  await client.end()
  let store: Store | null = null
  t.after(async () => {
    await store?.close()
    await database.drop()
  })
  store = await openStore(database.url, { limits: defaultLimits, log: { warn: assert.fail, error: assert.fail } })
  const expected = [
    '2026-11-20 08:30:00.5+00',
    0.30000000000000004,
    '1 day',
    '\\x00ff',
    'a\\b',
    true,
    'é',
    null,
    'read committed',
    '',
    '2026-11-20T04:30:00.500',
    "'houses'",
  ]
  for (let time = 0; time < 3; time++) assert.deepEqual(await store.read(rowOf(values)), expected)
  assert.deepEqual(await store.write(() => rowOf(values)), expected)
})
