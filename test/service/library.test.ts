// A stranger's domain, told as stories: whatever a library may ask of Duet, it says in its definitions. Nothing was added
// to Duet for it. Each story runs through both faces, on both databases.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { faceNames, speak, type Told, type Voice } from '../support/client/both-faces.ts'
import { library } from '../support/domain/library.ts'
import { type TestService, withService } from '../support/server/service.ts'

const day = 86_400_000
const people = {
  lena: { User: { name: 'Lena', role: 'LIBRARIAN' } },
  ada: { User: { name: 'Ada', role: 'MEMBER' } },
  ben: { User: { name: 'Ben', role: 'MEMBER' } },
}
/** Everyone who has a part in the stories. */
type Cast = Readonly<Record<keyof typeof people | 'nobody', Voice>> & { readonly service: TestService }

test('the library is defined in fewer than 120 lines', () => {
  const text = readFileSync(join(import.meta.dirname, '../support/domain/library.ts'), 'utf8')
  const lines = text.slice(text.indexOf("} from 'duet-api'")).split('\n').slice(1)
  const counted = lines.filter((line) => !/^\s*($|\/\/|\/\*\*)/.test(line)).length
  assert.ok(counted > 80 && counted < 120, `${counted} lines`)
})

withService(
  'a library',
  (service) => {
    for (const [title, story] of Object.entries(stories())) {
      for (const face of faceNames) {
        test(`${title} (${face})`, async () => {
          const fixtures = service().fixtures(people)
          const voice = (as: '{lena}' | '{ada}' | '{ben}' | 'anonymous') => speak(face, service(), { as, fixtures })
          const cast = { lena: voice('{lena}'), ada: voice('{ada}'), ben: voice('{ben}'), nobody: voice('anonymous') }
          await story({ ...cast, service: service() })
          service().assertLog()
        })
      }
    }

    test('of twenty members who reach for the last copy, one gets it', async () => {
      const fixtures = service().fixtures(people)
      const lena = speak('REST', service(), { as: '{lena}', fixtures })
      const { copy } = await shelve(lena)
      const reaching = Array.from({ length: 20 }, (_, index) =>
        speak(index % 2 === 0 ? 'REST' : 'GraphQL', service(), {
          as: index % 3 === 0 ? '{ada}' : '{ben}',
          fixtures,
        }).create('Loan', { copyId: copy.id, days: 7 }),
      )
      const codes = (await Promise.all(reaching)).map(({ code }) => code)
      assert.equal(codes.filter((code) => code === null).length, 1)
      assert.equal(codes.filter((code) => code === 'CONFLICT').length, 19)
      assert.equal(done(await lena.below('Copy', copy.id, 'loans')).length, 1)
    })

    test('a move that only effects make has no address and no field', async () => {
      const fixtures = service().fixtures(people)
      const { copy } = await shelve(speak('REST', service(), { as: '{lena}', fixtures }))
      for (const move of ['lend', 'shelve']) {
        const { status } = await service().send(`POST /api/v1/copies/${copy.id}/${move}`, { as: '{lena}', fixtures })
        assert.equal(status, 404)
        const { body } = await service().graphql(`mutation { ${move}Copy(id: "${copy.id}") { id } }`, {
          as: '{lena}',
          fixtures,
        })
        assert.equal(body.errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED')
      }
    })
  },
  { definition: library },
)

function stories(): Readonly<Record<string, (cast: Cast) => Promise<void>>> {
  return {
    'a loan takes its copy from the shelf, and is due when it says': async ({ lena, ada, ben, nobody, service }) => {
      const { copy } = await shelve(lena)
      const loan = done(await ada.create('Loan', { copyId: copy.id, days: 14 }))
      assert.equal(loan.dueAt, new Date(service.now().getTime() + 14 * day).toISOString())
      assert.deepEqual([loan.copyId, loan.returnedAt, loan.renewals], [copy.id, null, 0])
      assert.equal(done(await nobody.read('Copy', copy.id)).status, 'lent')
      assert.match(refused(await ben.create('Loan', { copyId: copy.id, days: 14 }), 'CONFLICT'), /it is lent\.$/)
      assert.equal(done(await lena.below('Copy', copy.id, 'loans')).length, 1)
    },

    'a loan is for 1 to 28 days, of a copy that exists, by somebody': async ({ lena, ada, nobody }) => {
      const { copy } = await shelve(lena)
      refused(await nobody.create('Loan', { copyId: copy.id, days: 14 }), 'UNAUTHENTICATED')
      for (const days of [0, 29]) refused(await ada.create('Loan', { copyId: copy.id, days }), 'VALIDATION_ERROR')
      const missing = 'copy_00000000000000000000000000'
      refused(await ada.create('Loan', { copyId: missing, days: 14 }), 'BUSINESS_RULE_VIOLATION')
      assert.equal(done(await ada.read('Copy', copy.id)).status, 'on_shelf')
      for (const days of [1, 28]) {
        const { id } = done(await ada.create('Loan', { copyId: copy.id, days }))
        done(await lena.move('return', 'Loan', id))
      }
    },

    'readers see their own loans, whichever way they look': async ({ lena, ada, ben, nobody }) => {
      const { copy } = await shelve(lena)
      const { id, memberId } = done(await ada.create('Loan', { copyId: copy.id, days: 14 }))
      for (const reader of [ada, lena]) {
        assert.equal(done(await reader.read('Loan', id)).id, id)
        assert.deepEqual(ids(await reader.list('Loan', { memberId })), [id])
        assert.deepEqual(ids(await reader.below('Copy', copy.id, 'loans')), [id])
        assert.deepEqual(ids(await reader.below('User', memberId, 'loans')), [id])
      }
      refused(await ben.read('Loan', id), 'NOT_FOUND')
      assert.deepEqual(ids(await ben.list('Loan')), [])
      assert.deepEqual(ids(await ben.below('Copy', copy.id, 'loans')), [])
      refused(await ben.below('User', memberId, 'loans'), 'NOT_FOUND')
      refused(await ben.move('renew', 'Loan', id), 'NOT_FOUND')
      refused(await nobody.read('Loan', id), 'UNAUTHENTICATED')
    },

    'a loan is renewed by its reader, three times, until it is overdue': async ({ lena, ada, service }) => {
      const { copy } = await shelve(lena)
      const { id, dueAt } = done(await ada.create('Loan', { copyId: copy.id, days: 1 }))
      for (const times of [1, 2, 3]) {
        const renewed = done(await ada.move('renew', 'Loan', id))
        assert.equal(renewed.renewals, times)
        assert.equal(Date.parse(renewed.dueAt), Date.parse(dueAt) + times * 14 * day)
      }
      refused(await ada.move('renew', 'Loan', id), 'BUSINESS_RULE_VIOLATION')
      done(await lena.move('return', 'Loan', id))
      refused(await ada.move('renew', 'Loan', id), 'CONFLICT')

      const late = done(await ada.create('Loan', { copyId: copy.id, days: 1 }))
      later(service, day)
      const sentence = refused(await ada.move('renew', 'Loan', late.id), 'BUSINESS_RULE_VIOLATION')
      assert.equal(sentence, 'Overdue, or renewed thrice already.')
    },

    'a return puts the copy back, and costs nothing in time': async ({ lena, ada, service }) => {
      const { copy } = await shelve(lena)
      const { id } = done(await ada.create('Loan', { copyId: copy.id, days: 14 }))
      refused(await ada.move('return', 'Loan', id), 'FORBIDDEN')
      later(service, 13 * day)
      assert.equal(done(await lena.move('return', 'Loan', id)).returnedAt, service.now().toISOString())
      assert.equal(done(await ada.read('Copy', copy.id)).status, 'on_shelf')
      assert.deepEqual(ids(await ada.below('Loan', id, 'fines')), [])
      refused(await lena.move('return', 'Loan', id), 'CONFLICT')
    },

    'a late return is fined for each day begun, and the fine is its reader’s': async ({ lena, ada, ben, service }) => {
      const { copy } = await shelve(lena)
      const { id } = done(await ada.create('Loan', { copyId: copy.id, days: 14 }))
      later(service, 14 * day + 2.5 * day)
      done(await lena.move('return', 'Loan', id))
      const [fine] = done(await ada.below('Loan', id, 'fines'))
      assert.deepEqual([fine.cents, fine.status, fine.loanId], [60, 'owed', id])
      refused(await ben.read('Fine', fine.id), 'NOT_FOUND')
      refused(await ben.move('pay', 'Fine', fine.id), 'NOT_FOUND')
      refused(await ada.move('waive', 'Fine', fine.id, { reason: 'Please.' }), 'FORBIDDEN')
      assert.equal(done(await ada.move('pay', 'Fine', fine.id)).status, 'paid')
      refused(await lena.move('waive', 'Fine', fine.id, { reason: 'Too late.' }), 'CONFLICT')
    },

    'a librarian waives a fine, and says why': async ({ lena, ada, service }) => {
      const { copy } = await shelve(lena)
      const { id } = done(await ada.create('Loan', { copyId: copy.id, days: 1 }))
      later(service, day + 1)
      done(await lena.move('return', 'Loan', id))
      const [fine] = done(await lena.below('Loan', id, 'fines'))
      const waived = done(await lena.move('waive', 'Fine', fine.id, { reason: 'We were closed.' }))
      assert.deepEqual([waived.status, waived.reason, waived.cents], ['waived', 'We were closed.', 20])
      refused(await ada.move('pay', 'Fine', fine.id), 'CONFLICT')
    },

    'loans are found by whether they are back and when they are due': async ({ lena, ada }) => {
      const [first, second] = [await shelve(lena), await shelve(lena)]
      const short = done(await ada.create('Loan', { copyId: first.copy.id, days: 7 }))
      const long = done(await ada.create('Loan', { copyId: second.copy.id, days: 21 }))
      assert.deepEqual(ids(await ada.list('Loan', { dueBefore: short.dueAt })), [short.id])
      assert.deepEqual(ids(await ada.list('Loan', { dueBefore: long.dueAt })), [long.id, short.id])
      done(await lena.move('return', 'Loan', short.id))
      assert.deepEqual(ids(await ada.list('Loan', { returned: true })), [short.id])
      assert.deepEqual(ids(await ada.list('Loan', { returned: false })), [long.id])
    },

    'members wish for books, and only librarians bring them': async ({ lena, ada, ben, nobody }) => {
      const { book } = await shelve(lena)
      refused(await ada.create('Book', { title: 'Mine', isbn: '9780000000001' }), 'FORBIDDEN')
      for (const reader of [ada, ada, ben]) done(await reader.move('wish', 'Book', book.id))
      // Who may not read members sees only oneself among those who wish.
      assert.equal(done(await lena.below('Book', book.id, 'wishedBy')).length, 2)
      assert.equal(done(await ada.below('Book', book.id, 'wishedBy')).length, 1)
      assert.deepEqual((await nobody.below('Book', book.id, 'wishedBy')).data ?? [], [])
      done(await ada.move('unwish', 'Book', book.id))
      assert.equal(done(await lena.below('Book', book.id, 'wishedBy')).length, 1)
    },

    'what is lent cannot be lost twice, and what is needed cannot be deleted': async ({ lena, ada }) => {
      const { book, copy } = await shelve(lena)
      refused(await lena.remove('Book', book.id), 'BUSINESS_RULE_VIOLATION')
      refused(await lena.create('Book', { title: 'Again', isbn: book.isbn }), 'CONFLICT')
      const { id } = done(await ada.create('Loan', { copyId: copy.id, days: 14 }))
      refused(await ada.move('lose', 'Copy', copy.id), 'FORBIDDEN')
      assert.equal(done(await lena.move('lose', 'Copy', copy.id)).status, 'lost')
      refused(await lena.move('lose', 'Copy', copy.id), 'CONFLICT')
      // It turns up again with its return.
      done(await lena.move('return', 'Loan', id))
      assert.equal(done(await ada.read('Copy', copy.id)).status, 'on_shelf')
    },

    'members read and change themselves; roles are a librarian’s to give': async ({ lena, ada, ben, service }) => {
      const { copy } = await shelve(lena)
      const { memberId } = done(await ada.create('Loan', { copyId: copy.id, days: 14 }))
      assert.equal(done(await ada.change('User', memberId, { name: 'Ada L.' })).name, 'Ada L.')
      refused(await ada.change('User', memberId, { role: 'LIBRARIAN' }), 'FORBIDDEN')
      refused(await ben.change('User', memberId, { name: 'Eve' }), 'NOT_FOUND')
      assert.equal(done(await lena.change('User', memberId, { role: 'LIBRARIAN' })).role, 'LIBRARIAN')
      done(await lena.move('bar', 'User', memberId))
      service.advance(1_000)
      refused(await ada.read('User', memberId), 'INVALID_TOKEN')
    },
  }
}

let count = 0
/** A new book with one copy on the shelf. */
async function shelve(lena: Voice) {
  const isbn = String(9_780_000_000_000 + ++count)
  const book = done(await lena.create('Book', { title: `Book ${count}`, isbn, subjects: ['fiction'] }))
  return { book, copy: done(await lena.create('Copy', { bookId: book.id, shelf: 'A1' })) }
}

function later(service: TestService, milliseconds: number): void {
  service.advance(milliseconds)
  service.forgetTokens()
}

function done({ code, message, data }: Told) {
  assert.equal(code, null, `${code}: ${message}`)
  return data
}

/** The sentence that came with the refusal. */
function refused({ code, message, data }: Told, expected: Told['code']): string {
  assert.equal(code, expected, `${code}: ${message ?? JSON.stringify(data)}`)
  return message!
}

const ids = (told: Told): string[] => done(told).map(({ id }: { id: string }) => id)
