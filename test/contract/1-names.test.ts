// Fields that are called as words of SQL and of statements are: none of them means anything but the field.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, choice, email, is, optional, password, resource, service, signedIn, state, text } from 'duet-api'
import { withService } from '../support/server/service.ts'

const words = (
  'all alias any caller by case check column current data date default distinct end excluded exists first from group ' +
  'holder index int into key last list match mask name new null old on or order over owner partition place position primary ' +
  'rank read ref references row rowId rows select set sum table text time timestamp total type union unique user value ' +
  'values view when where window with word words'
).split(' ')

/** Those that may lead a search, of which a record has eight. */
const searched = 'rank row words place key t text match'.split(' ').filter((name) => words.includes(name))
const grouped = words.filter((name) => !['distinct', 'sum'].includes(name))

const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    password: password({ min: 8, max: 200 }),
    role: choice(['VIEWER', 'EDITOR', 'ADMIN'], { default: 'VIEWER' }),
    status: state('ACTIVE'),
  },
  actions: { read: { allow: anyone } },
})
const Entry = resource('Entry', {
  prefix: 'ent',
  fields: Object.fromEntries(words.map((name) => [name, optional(text({ max: 20 }))])),
  filter: Object.fromEntries(words.filter((name) => name !== 'where').map((name) => [name, is])),
  sort: words,
  where: words.filter((name) => name !== 'or'),
  search: searched,
  summary: { by: grouped, distinct: ['name'] },
  actions: {
    read: { allow: anyone },
    create: { allow: signedIn, accept: words },
    update: { allow: signedIn, accept: words },
    delete: { allow: signedIn },
  },
} as never)
const definition = service({
  resources: { User, Entry },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: { VIEWER: {}, EDITOR: {}, ADMIN: 'everything' },
} as never)
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

withService(
  '1.2.1 words of SQL as names of fields',
  (service) => {
    const send = async (line: string, body?: object) => {
      const {
        status,
        text,
        body: sent,
      } = await service().send(line, { as: 'viewer', ...(body === undefined ? {} : { body }) })
      assert.ok(status < 300, `${line}: ${status} ${text}`)
      return sent
    }
    test('1.2.1 are stored, listed, sorted, filtered, searched and counted like any other', async () => {
      const values = Object.fromEntries(words.map((name, index) => [snake(name), `w${index}`]))
      const { data } = await send('POST /api/v1/entries', values)
      assert.partialDeepStrictEqual(data, values)
      await send(`PATCH /api/v1/entries/${data.id}`, values)
      for (const [index, name] of words.entries()) {
        const column = snake(name)
        const condition = name === 'or' ? '' : `&where=${encodeURIComponent(`${column} = "w${index}"`)}`
        const filter = name === 'where' ? '' : `&${column}=w${index}`
        const list = await send(
          `GET /api/v1/entries?sort=-${column}${searched.includes(name) ? `&q=w${index}` : ''}${condition}${filter}&limit=1`,
        )
        assert.deepEqual(
          list.data.map(({ id }: { id: string }) => id),
          [data.id],
          name,
        )
        if (!grouped.includes(name)) continue
        const summary = await send(`GET /api/v1/entries/summary?group_by=${column}`)
        assert.equal(summary.data[0][column], `w${index}`)
      }
      await send(`DELETE /api/v1/entries/${data.id}`)
      service().assertLog()
    })
  },
  { definition },
)
