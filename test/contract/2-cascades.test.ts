// What a delete takes along, and whether the caller may delete that too. (contract 2.5.7)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  actor,
  allOf,
  anyOf,
  boolean,
  nobody,
  one,
  own,
  resource,
  service,
  signedIn,
  text,
  through,
  when,
} from 'duet-api'
import { query, rowsOf, type Store } from '../../src/store/store.ts'
import { faceNames, speak } from '../support/client/both-faces.ts'
import { accounts, User } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

let held = async (): Promise<void> => {}
const Album = resource('Album', {
  prefix: 'alb',
  fields: { name: text({ max: 40 }), owner: one('User', { default: actor }) },
  where: ['name'],
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['name'] },
    delete: { allow: own('owner') },
  },
})
/** Only those who made it can read it. The owner of the album can delete it until it is kept. */
const Picture = resource('Picture', {
  prefix: 'pic',
  fields: {
    album: one('Album', { onDelete: 'cascade' }),
    isKept: boolean({ default: false }),
    by: one('User', { default: actor }),
  },
  actions: {
    read: { allow: own('by') },
    create: { allow: signedIn, accept: ['album', 'isKept'] },
    update: { allow: own('by'), accept: ['isKept'] },
    // Lasts until the test lets it end.
    hold: { allow: own('by'), from: { isKept: false }, set: { isKept: true }, effect: () => held() },
    delete: { allow: anyOf(own('by'), allOf(through('album', own('owner')), when({ isKept: false }))) },
  },
})
const Frame = resource('Frame', {
  prefix: 'frm',
  fields: { picture: one('Picture', { cascade: 'regardless' }) },
  actions: { read: { allow: signedIn }, create: { allow: signedIn, accept: ['picture'] }, delete: { allow: nobody } },
})
const Label = resource('Label', {
  prefix: 'lbl',
  fields: { frame: one('Frame', { onDelete: 'cascade' }), isFixed: boolean() },
  actions: {
    read: { allow: nobody },
    create: { allow: signedIn, accept: ['frame', 'isFixed'] },
    delete: { allow: allOf(signedIn, when({ isFixed: false })) },
  },
})
const Sweep = resource('Sweep', {
  prefix: 'swp',
  fields: { album: text({ max: 60 }) },
  actions: {
    read: { allow: signedIn },
    create: {
      allow: signedIn,
      accept: ['album'],
      effect: async ({ input, records }) => records.remove(Album, input.album as never),
    },
  },
})

/** Until a session of PostgreSQL waits for a lock. */
async function waiting(store: Store): Promise<void> {
  const text = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  while ((await store.read(rowsOf(query(text)))).length === 0);
}

withService(
  '2.5.7 what a delete takes along',
  (running) => {
    const album = { ann: { User: {} }, ben: { User: {} }, album: { Album: { name: 'A', owner: '{ann}' } } }
    const refusal = (kind: string) => ({
      code: 'BUSINESS_RULE_VIOLATION',
      message: `You may not delete some of its ${kind}, which would be deleted with it.`,
    })
    const pictures = {
      'that the caller may delete': [{ by: '{ann}', isKept: true }, null],
      'that a rule through what is deleted allows': [{ by: '{ben}' }, null],
      'that the caller may neither delete nor read': [{ by: '{ben}', isKept: true }, refusal('pictures')],
    } as const
    for (const [which, [values, expected]] of Object.entries(pictures))
      for (const face of faceNames)
        test(`2.5.7, 5.7.4 ${face}: a record ${which}`, async () => {
          const fixtures = running().fixtures({ ...album, picture: { Picture: { album: '{album}', ...values } } })
          const { album: id, picture } = {
            album: await fixtures.idOf('album'),
            picture: await fixtures.idOf('picture'),
          }
          const voice = speak(face, running(), { as: '{ann}', fixtures })
          const { code, message } = await voice.remove('Album', id)
          if (expected === null) assert.equal(code, null)
          else assert.deepEqual({ code, message }, expected)
          const reader = speak(face, running(), { as: `{${values.by.slice(1, -1)}}`, fixtures })
          assert.equal((await reader.read('Picture', picture)).code, expected === null ? 'NOT_FOUND' : null)
        })

    test('2.5.7 rules hold at every depth, also below what is deleted regardless', async () => {
      for (const isFixed of [true, false]) {
        const fixtures = running().fixtures({
          ...album,
          picture: { Picture: { album: '{album}', by: '{ann}' } },
          frame: { Frame: { picture: '{picture}' } },
          label: { Label: { frame: '{frame}', isFixed } },
        })
        const ann = speak('REST', running(), { as: '{ann}', fixtures })
        await fixtures.idOf('label')
        const { code, message } = await ann.remove('Album', await fixtures.idOf('album'))
        if (isFixed) assert.deepEqual({ code, message }, refusal('labels'))
        else assert.equal(code, null)
      }
    })

    test('2.5.7 it decides for all of a condition; code deletes without it', async () => {
      const fixtures = running().fixtures({
        ann: { User: {} },
        ben: { User: {} },
        album: { Album: { name: 'Condition', owner: '{ann}' } },
        picture: { Picture: { album: '{album}', by: '{ben}', isKept: true } },
      })
      const id = await fixtures.idOf('album')
      await fixtures.idOf('picture')
      const send = (line: string, body?: unknown) =>
        running().send(line, { as: '{ann}', fixtures, ...(body === undefined ? {} : { body }) })
      const many = await send(`DELETE /api/v1/albums?where=${encodeURIComponent('name = "Condition"')}`)
      assert.equal(many.status, 422, many.text)
      assert.equal((await send('POST /api/v1/sweeps', { album: id })).status, 201)
      assert.equal((await send(`GET /api/v1/albums/${id}`)).status, 404)
    })

    test('2.5.7 a delete waits for a change of what it takes along, and judges that', async () => {
      const fixtures = running().fixtures({ ...album, picture: { Picture: { album: '{album}', by: '{ben}' } } })
      const [id, picture] = [await fixtures.idOf('album'), await fixtures.idOf('picture')]
      const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      held = async () => {
        begun.resolve()
        await end.promise
      }
      const holding = speak('REST', running(), { as: '{ben}', fixtures }).move('hold', 'Picture', picture)
      await begun.promise
      const removing = speak('REST', running(), { as: '{ann}', fixtures }).remove('Album', id)
      if (running().engine === 'postgres') await waiting(running().store)
      end.resolve()
      assert.equal((await holding).code, null)
      assert.equal((await removing).code, 'BUSINESS_RULE_VIOLATION')
    })

    test('2.5.7 of a delete and of a change that forbids it, one succeeds', async () => {
      const rounds = Array.from({ length: 20 }, async () => {
        const fixtures = running().fixtures({ ...album, picture: { Picture: { album: '{album}', by: '{ben}' } } })
        const [id, picture] = [await fixtures.idOf('album'), await fixtures.idOf('picture')]
        return { id, picture, fixtures }
      })
      const results = await Promise.all(
        (await Promise.all(rounds)).map(async ({ id, picture, fixtures }, at) => {
          const face = faceNames[at % 2]!
          const [ann, ben] = (['{ann}', '{ben}'] as const).map((as) => speak(face, running(), { as, fixtures }))
          const both = await Promise.all([ann!.remove('Album', id), ben!.change('Picture', picture, { isKept: true })])
          return both.map(({ code }) => code)
        }),
      )
      for (const codes of results)
        assert.ok(codes.join() === ',NOT_FOUND' || codes.join() === 'BUSINESS_RULE_VIOLATION,', codes.join())
    })
  },
  {
    definition: service({ resources: { User, Album, Picture, Frame, Label, Sweep }, accounts, roles: { ANY: {} } }),
  },
)
