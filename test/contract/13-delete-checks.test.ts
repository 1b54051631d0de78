// The check of a delete, wherever it begins. (contract 13.4.9)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boolean, is, many, one, resource, service, signedIn, text } from 'duet-api'
import { faceNames, speak } from '../support/client/both-faces.ts'
import { accounts, User } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

const Shelf = resource('Shelf', {
  prefix: 'shf',
  plural: 'shelves',
  fields: { name: text({ max: 40 }), books: many('Book', 'shelf') },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['name'] },
    update: { allow: signedIn, accept: ['name', 'books'] },
    delete: { allow: signedIn },
  },
})
const Book = resource('Book', {
  prefix: 'bok',
  fields: { shelf: one('Shelf', { cascade: 'regardless' }), isLent: boolean({ default: false }) },
  where: ['shelf'],
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['shelf', 'isLent'] },
    delete: { allow: signedIn, check: ({ record }) => !record.isLent || 'It is lent.' },
  },
})
/** The last one of a name stays. */
const Key = resource('Key', {
  prefix: 'dky',
  fields: { door: text({ max: 60 }) },
  filter: { door: is },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['door'] },
    delete: {
      allow: signedIn,
      check: async ({ record, records }) =>
        (await records.here.count({ filter: { door: record.door } })) > 1 || 'It is the last one.',
    },
  },
})
const Sweep = resource('Sweep', {
  prefix: 'swp',
  fields: { book: text({ max: 60 }) },
  actions: {
    read: { allow: signedIn },
    create: {
      allow: signedIn,
      accept: ['book'],
      effect: async ({ input, records }) => records.remove(Book, input.book as never),
    },
  },
})

withService(
  '13.4.9 checks of deletes',
  (running) => {
    const begin = async () => {
      const fixtures = running().fixtures({
        ann: { User: {} },
        shelf: { Shelf: { name: 'S' } },
        book: { Book: { shelf: '{shelf}' } },
        lent: { Book: { shelf: '{shelf}', isLent: true } },
      })
      const ids = {
        book: await fixtures.idOf('book'),
        lent: await fixtures.idOf('lent'),
        shelf: await fixtures.idOf('shelf'),
      }
      return { fixtures, ids }
    }
    const refused = { code: 'BUSINESS_RULE_VIOLATION', message: 'It is lent.' }

    test('13.4.9 its sentence is 422, and nothing is deleted', async () => {
      for (const face of faceNames) {
        const { fixtures, ids } = await begin()
        const ann = speak(face, running(), { as: '{ann}', fixtures })
        assert.deepEqual(await ann.remove('Book', ids.lent), refused)
        assert.equal((await ann.read('Book', ids.lent)).code, null)
        assert.equal((await ann.remove('Book', ids.book)).code, null)
        assert.equal((await ann.create('Sweep', { book: ids.lent })).message, 'It is lent.')
        assert.equal((await ann.remove('Shelf', ids.shelf)).code, null, 'what is deleted with another is not checked')
      }
    })

    test('13.4.9 it decides for all of a condition, and for children that a list leaves out', async () => {
      const { fixtures, ids } = await begin()
      const send = (line: string, body?: unknown) =>
        running().send(line, { as: '{ann}', fixtures, ...(body === undefined ? {} : { body }) })
      const where = encodeURIComponent(`shelf = "${ids.shelf}"`)
      for (const dry of ['&dry_run=true', '']) {
        const many = await send(`DELETE /api/v1/books?where=${where}${dry}`)
        assert.deepEqual([many.status, many.body.error.message], [422, 'It is lent.'])
      }
      const left = await send(`PATCH /api/v1/shelves/${ids.shelf}`, { books: [{ id: ids.book }] })
      assert.equal(left.status, 422, left.text)
      assert.match(left.text, /It is lent\./)
      const kept = await send(`PATCH /api/v1/shelves/${ids.shelf}`, { books: [{ id: ids.lent }] })
      assert.equal(kept.status, 200, kept.text)
    })

    test('13.4.3, 13.4.9 of several deletes at once, the last one is refused', async () => {
      const { fixtures } = await begin()
      const door = await fixtures.idOf('shelf')
      const ann = speak('REST', running(), { as: '{ann}', fixtures })
      const ids = []
      for (let at = 0; at < 20; at++) ids.push((await ann.create('Key', { door })).data.id)
      const results = await Promise.all(
        ids.map((id, at) => speak(faceNames[at % 2]!, running(), { as: '{ann}', fixtures }).remove('Key', id)),
      )
      const messages = results.flatMap(({ code, message }) => (code === null ? [] : [message]))
      assert.deepEqual(messages, ['It is the last one.'])
    })
  },
  { definition: service({ resources: { User, Shelf, Book, Key, Sweep }, accounts, roles: { ANY: {} } }) },
)
