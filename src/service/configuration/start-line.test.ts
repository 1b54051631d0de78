import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseName } from './start-line.ts'

for (const [url, name] of [
  ['sqlite:./data/duet.db', 'sqlite:./data/duet.db'],
  ['sqlite::memory:', 'sqlite::memory:'],
  [
    'postgres://ada:hunter2@db.example.com:5433/shop?sslmode=require&password=hunter2',
    'postgres://db.example.com:5433/shop',
  ],
  ['postgresql://db/shop', 'postgresql://db/shop'],
  ['postgres://ada:hunter2@a:1,b:2/shop', 'postgres://a:1,b:2/shop'],
] as const) {
  test(`the log calls ${url} ${name}`, () => assert.equal(databaseName(url), name))
}
