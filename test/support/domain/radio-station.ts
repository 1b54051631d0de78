// Somebody's radio station, whose lists have names: what people ask it for is more than filters can say.

import {
  absent,
  allOf,
  anyOf,
  anyone,
  arg,
  argument,
  atLeast,
  atMost,
  choice,
  collection,
  contains,
  event,
  integer,
  is,
  list,
  many,
  may,
  now,
  object,
  one,
  optional,
  own,
  present,
  resource,
  self,
  service,
  signedIn,
  state,
  text,
  timestamp,
  when,
} from 'duet-api'
import { accountFields, accounts } from './account.ts'

const User = resource('User', {
  prefix: 'usr',
  fields: {
    name: text({ max: 100 }),
    ...accountFields,
    role: choice(['LISTENER', 'EDITOR'], { default: 'LISTENER' }),
    status: state('ACTIVE', 'GONE'),
    tracks: many('Track', 'artist'),
  },
  actions: {
    read: { allow: anyone },
    leave: { allow: self, from: 'ACTIVE', to: 'GONE' },
  },
})

/** What the search engine of the station would answer: the test says it. */
export const engine: { answer: (words: string) => Promise<readonly string[]> } = { answer: async () => [] }

/** What the archive of the station would answer. */
const forgettable = async (artist: string): Promise<readonly string[]> => engine.answer(artist)

const Track = resource('Track', {
  prefix: 'trk',
  fields: {
    title: text({ max: 100 }),
    mood: choice(['calm', 'wild']),
    tags: list(text({ max: 30 }), { max: 5 }),
    plays: integer({ min: 0, default: 0 }),
    airedAt: optional(timestamp()),
    artist: one('User', { cascade: 'regardless' }),
    status: state('draft', 'released'),
    rows: argument(list(object({ title: text({ max: 100 }), mood: choice(['calm', 'wild']) }), { max: 200 })),
    before: argument(timestamp()),
  },
  filter: { artist: is, mood: is },
  sort: ['title', 'plays'],
  queries: {
    trending: {
      allow: anyone,
      args: {
        days: integer({ min: 1, max: 30, default: 7 }),
        minPlays: integer({ min: 0, default: 10 }),
        tag: optional(text({ max: 30 })),
        by: optional(one('User')),
        feel: optional(choice(['calm', 'wild'])),
      },
      where: when({
        airedAt: atLeast(now.minus({ days: arg('days') })),
        plays: atLeast(arg('minPlays')),
        tags: contains(arg('tag')),
        artist: arg('by'),
        mood: arg('feel'),
      }),
      sort: ['-plays', 'title'],
    },
    between: {
      allow: anyone,
      args: { from: timestamp(), until: timestamp() },
      where: allOf(when({ airedAt: atLeast(arg('from')) }), when({ airedAt: atMost(arg('until')) })),
      sort: ['airedAt'],
    },
    unaired: { allow: may('unaired'), where: when({ airedAt: absent }) },
    mine: {
      allow: signedIn,
      where: anyOf(allOf(own('artist'), when({ airedAt: present })), allOf(own('artist'), when({ mood: 'wild' }))),
    },
    search: {
      allow: anyone,
      args: { words: text({ max: 100 }) },
      ids: ({ args }) => engine.answer(args.words),
    },
  },
  actions: {
    read: { allow: anyOf(when({ status: 'released' }), own('artist')) },
    release: { allow: own('artist'), from: 'draft', to: 'released' },
    import: {
      on: collection,
      allow: may('import'),
      accept: ['rows'],
      check: ({ input }) => input.rows.length > 0 || 'There is nothing to import.',
      effect: async ({ actor, input, records }) => {
        for (const { title, mood } of input.rows) {
          if (title === 'Noise') return 'Noise is no music.'
          const track = await records.here.create({ title, mood, tags: [], artist: actor.id })
          if (title === 'Single') await records.here.run(track.id, 'release')
        }
      },
      emit: event('imported', { by: 'artist' }),
    },
    /** Changes what its caller may not read, too. */
    forget: {
      on: collection,
      allow: signedIn,
      accept: ['artist', 'before'],
      effect: async ({ input, records }) => {
        const ids = await forgettable(input.artist)
        for (const { id, airedAt } of await records.here.lockExisting(ids))
          if (airedAt === null || airedAt < input.before) await records.here.change(id, { plays: 0 })
      },
    },
  },
})

/** What anybody may read is kept by caches, unless who asks makes a difference. */
const Show = resource('Show', {
  prefix: 'shw',
  fields: {
    title: text({ max: 100 }),
    beginsAt: timestamp(),
    host: one('User', { cascade: 'regardless' }),
    opening: optional(one('Track')),
  },
  queries: {
    upcoming: { allow: anyone, where: when({ beginsAt: atLeast(now) }), sort: ['beginsAt'] },
    hosted: { allow: anyone, where: own('host') },
  },
  actions: {
    read: { allow: anyone, maxAgeSeconds: 60 },
    begin: {
      allow: signedIn,
      from: { opening: present },
      effect: async ({ record, records }) => {
        const [track] = await records.lockReadable(Track, [record.opening!])
        await records.change(Track, track!.id, { plays: track!.plays + 1 })
      },
    },
  },
})

export const radio = service({
  resources: { User, Track, Show },
  accounts,
  roles: { LISTENER: {}, EDITOR: { tracks: ['unaired', 'import'] } },
})
