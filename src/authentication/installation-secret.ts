// A secret shared by all instances on a database, created at the first start.

import { randomBytes } from 'node:crypto'
import { dialectOf } from '../store/sql/text/dialect.ts'
import { bind, command, type Program, query, type Store } from '../store/store.ts'

const create = ['create table if not exists duet_secret (name text primary key, value text not null)']
export const secretTable = { create: { sqlite: create, postgres: create } }

/** 256 bits in base64url. If several instances create it at once, the first one's is kept. */
export async function installationSecret(name: string, store: Store): Promise<string> {
  const [first, second] = [1, 2].map((number) => dialectOf(store.engine).parameter(number))
  const select = query(`select value from duet_secret where name = ${first}`)
  const insert = command(`insert into duet_secret (name, value) values (${first}, ${second}) on conflict do nothing`)
  function* find(): Program<string | null> {
    const [row] = yield bind(select, name)
    return row === undefined ? null : String(row[0])
  }
  const existingSecret = await store.read(find())
  if (existingSecret !== null) return existingSecret
  return store.write(function* () {
    yield bind(insert, name, randomBytes(32).toString('base64url'))
    return (yield* find())!
  })
}
