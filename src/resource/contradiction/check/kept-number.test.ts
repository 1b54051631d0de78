// Numbers of lists that there are not, that are not exact, or that would tell of what is hidden. (contract 13.2.3)

import {
  absent,
  anyone,
  atLeast,
  float,
  integer,
  many,
  may,
  now,
  one,
  optional,
  own,
  readable,
  self,
  state,
  text,
  when,
} from 'duet-api'
import {
  changed,
  refuses,
  reportsNextToAll,
  reportsTogether,
  sound,
  user,
} from '../../../../test/support/domain/valid-service.ts'

const note = {
  name: 'Note',
  prefix: 'note',
  fields: {
    owner: one('User'),
    other: optional(one('User')),
    size: integer({ default: 0 }),
    weight: float({ default: 0 }),
    what: text({ max: 9, default: '-' }),
    status: state('new', 'old'),
  },
  actions: {
    read: { allow: anyone },
    create: { allow: may('create'), accept: ['owner', 'other', 'size', 'weight', 'what'] },
    age: { allow: may('age'), from: 'new', to: 'old' },
  },
}
/** Users with these numbers of their notes, under these rules. */
function noteNumbers(numbers: object, { notes = anyone, users = anyone, more = {} }: Rules = {}): never {
  const fields = { ...user.fields, notes: many('Note', 'owner') }
  const read = (allow: unknown) => ({ read: { allow } })
  const User = changed({ ...user, fields }, { ...numbers, actions: { ...user.actions, ...read(users) } })
  const Note = changed(note, { ...more, actions: { ...note.actions, ...read(notes) } })
  return { ...sound, resources: { ...sound.resources, User, Note } } as never
}
interface Rules {
  readonly notes?: unknown
  readonly users?: unknown
  readonly more?: Readonly<Record<string, unknown>>
}
const counts = { counts: { notes: 'notes' } }
const tags = {
  fields: { ...note.fields, tags: many('Note', 'above'), above: optional(one('Note')) },
  counts: { tags: 'tags' },
}
const hidden = (field: string) =>
  `User.${field}: it would reveal each Note that is hidden from a reader of User, or it cannot be proven that none is; ` +
  "write shown: 'to all' if it may."

const together = [
  [noteNumbers(counts)],
  [
    noteNumbers({ counts: { all: 'note' } }),
    'User.counts.all: it names note, which is no list of records; write notes instead.',
  ],
  [
    noteNumbers({ counts: { all: 'email' } }),
    'User.counts.all: it names email, which is no list of records; write posts, liked or notes instead.',
  ],
  [
    noteNumbers({ sums: { emails: 'notes.size', email: 'notes.size' } }),
    'User.sums.email: User has a field email already; choose another name.',
  ],
  [
    noteNumbers({ sums: { total: { of: 'notes.size', as: 'decimal' } } }),
    "User.sums.total: it is declared as a decimal, and notes.size is an integer; write as: 'integer'.",
  ],
  [noteNumbers({ sums: { total: 'notes' } }), 'User.sums.total: it names no field of Note; write notes.size instead.'],
  [
    noteNumbers({ sums: { total: 'notes.sizes' } }),
    'User.sums.total: it names sizes, which is no field of Note; write notes.size instead.',
  ],
  [
    noteNumbers({ sums: { total: 'notes.weight' } }),
    'User.sums.total: it adds up weight of Note, which is a float, and not exact; write notes.size instead.',
  ],
  [noteNumbers({ sums: { total: { of: 'notes.tagsCount', as: 'integer' } } }, { more: tags })],
  [
    noteNumbers({ sums: { total: { of: 'notes.tagsCount', as: 'bigint' } } }, { more: tags }),
    "User.sums.total: it is declared as a bigint, and notes.tagsCount is an integer; write as: 'integer'.",
  ],
  [
    noteNumbers({ sums: { total: 'notes.tagCount' } }, { more: tags }),
    'User.sums.total: it names tagCount, which is no field of Note; write notes.tagsCount instead.',
  ],
  [
    noteNumbers(
      { sums: { total: 'notes.all' } },
      {
        more: {
          fields: { ...note.fields, notes: many('Note', 'above'), above: optional(one('Note')) },
          sums: { all: 'notes.all' },
        },
      },
    ),
    'Note.sums.all: notes.all adds up this sum itself; add up a field that does not depend on it.',
  ],
  [
    noteNumbers({ sums: { total: 'liked.rank' } }),
    'User.sums.total: liked is a many-to-many relation, whose records can only be counted, all of them; count all of it, or keep the number in a resource of its own.',
  ],
  [
    noteNumbers({
      counts: { notes: { of: 'notes', where: when({ size: atLeast(3), other: absent, status: 'old' }) } },
    }),
  ],
  [
    noteNumbers({ counts: { notes: { of: 'notes', where: own('owner') } } }),
    'User.counts.notes: its where has own, which is no value of the record; use when(…) of its own fields.',
  ],
  [
    noteNumbers({ counts: { notes: { of: 'notes', where: when({ createdAt: atLeast(now) }) } } }),
    'User.counts.notes: its where compares with now, and would change while the record does not; compare with a value, or with another field.',
  ],
  [
    noteNumbers({ ...counts, unique: [['notesCount']] }),
    'User.unique: it names notesCount, which changes with other records; strike it.',
  ],
  [noteNumbers({ ...counts, sort: ['notesCount'] })],
] as const

refuses('kept numbers', [
  ...together,
  [
    noteNumbers({ counts: { notes: 3 } }),
    "User: its counts is something else than it must be; make it an object such as { likes: 'likes' }, or { likes: { of: 'likes', where: … } }.",
  ],
])
reportsTogether('contradictions of kept numbers', together)

const revealing: Parameters<typeof refuses>[1] = [
  [noteNumbers(counts, { notes: own('owner') }), hidden('notesCount')],
  [noteNumbers(counts, { notes: own('owner'), users: self })],
  [noteNumbers(counts, { notes: readable('owner'), users: self })],
  [noteNumbers(counts, { notes: readable('owner') })],
  [noteNumbers(counts, { notes: readable('other') }), hidden('notesCount')],
  [noteNumbers(counts, { notes: when({ status: 'old' }) }), hidden('notesCount')],
  [
    noteNumbers(
      { counts: { notes: { of: 'notes', where: when({ status: 'old' }) } } },
      { notes: when({ status: 'old' }) },
    ),
  ],
  [noteNumbers({ counts: { notes: { of: 'notes', shown: 'to all' } } }, { notes: own('owner') })],
  [noteNumbers(counts, { notes: may('read'), users: anyone }), hidden('notesCount')],
  [noteNumbers({ ...counts, protect: { notesCount: { read: self } } }, { notes: own('owner') })],
  [
    noteNumbers({ sums: { total: 'notes.size' } }, { more: { protect: { size: { read: own('owner') } } } }),
    hidden('total'),
  ],
  [noteNumbers(counts, { more: { protect: { size: { read: own('owner') } } } })],
  [
    noteNumbers(
      { counts: { notes: { of: 'notes', where: when({ size: atLeast(3) }) } } },
      { more: { protect: { size: { read: own('owner') } } } },
    ),
    hidden('notesCount'),
  ],
]
refuses('13.2.10 numbers that would reveal what is hidden', revealing)
reportsNextToAll('numbers that reveal hidden values', revealing)
