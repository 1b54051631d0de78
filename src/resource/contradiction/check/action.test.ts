// Actions with keys, fields or relations that cannot be theirs. (contract 5.4.3)

import {
  actor,
  anyOf,
  anyone,
  arg,
  collection,
  counter,
  event,
  list,
  many,
  may,
  now,
  one,
  optional,
  own,
  signedIn,
  text,
  token,
} from 'duet-api'
import {
  action,
  create,
  field,
  move,
  note,
  post,
  postWith,
  refuses,
  serviceWith,
  title,
  userWith,
} from '../../../../test/support/domain/valid-service.ts'

const sweep = (said: object) =>
  action('sweep', { on: collection, allow: may('sweep'), effect: async () => {}, ...said })
const noRecord = 'which cannot stand here; an action on the collection has no record: use effect.'

/** Posts whose author is whoever creates them. */
const owned = (create: object, fields: object = {}) =>
  postWith({
    fields: { author: one('User', { default: actor }), ...fields },
    actions: { create: { allow: may('create'), accept: ['title'], ...create } },
  })

refuses(
  'a move of many whose path is taken',
  [
    [
      postWith({ where: ['title'], actions: { batch: { allow: may('batch'), from: 'draft', to: 'published' } } }),
      'Post.batch: the path …/batch is something else; choose another verb.',
    ],
  ],
  '13.7.11',
)

refuses('actions on a collection', [
  [sweep({ on: 'all' }), 'Post.sweep: its on is something else than it must be; make it collection, or leave it out.'],
  [
    sweep({ effect: undefined, accept: ['title'] }),
    'Post.sweep: it is on the collection and has no effect; give it an effect.',
  ],
  [
    sweep({ allow: own('author') }),
    'Post.sweep: its allow has own, a rule about a record, and there is none; use only rules about the actor.',
  ],
  [
    sweep({ from: 'draft', to: 'published' }),
    `Post.sweep: it has from, ${noRecord}`,
    `Post.sweep: it has to, ${noRecord}`,
  ],
  [sweep({ set: { rank: 1 } }), `Post.sweep: it has set, ${noRecord}`],
  [
    action('batch', { on: collection, allow: may('batch'), effect: async () => {} }),
    'Post.batch: the path …/batch is something else; choose another verb.',
  ],
  [
    create(
      { mayFollow: ['sweep'] },
      { actions: { sweep: { on: collection, allow: may('sweep'), effect: async () => {} } } },
    ),
    'Post.create: it may be followed by sweep, which is no move; write publish instead.',
  ],
])

refuses('actions', [
  [action('read', undefined), 'Post: it has no rule for reading; add actions.read with an allow.'],
  [
    action('read', { allow: anyone, accept: ['title'] }),
    'Post.read: it has accept, which cannot stand here; reading changes nothing: strike it.',
  ],
  [
    action('read', { allow: anyone, check: () => true }),
    'Post.read: it has check, which cannot stand here; reading changes nothing: strike it.',
  ],
  [
    action('read', { allow: anyone, emit: event('seen') }),
    'Post.read: it has emit, which cannot stand here; reading changes nothing: strike it.',
  ],
  [
    action('read', { allow: signedIn, maxAgeSeconds: 60 }),
    'Post.read: shared caches would keep what not everyone may read; strike maxAgeSeconds or let anyone read.',
  ],
  [
    move({ maxAgeSeconds: 60, allow: anyone }),
    'Post.publish: it has maxAgeSeconds, which cannot stand here; strike it.',
  ],
  [
    action('delete', { allow: may('delete'), set: { title: 'x' } }),
    'Post.delete: it has set, which cannot stand here; deleting takes no input and leaves no record: use check and effect.',
  ],
  [
    create({ from: 'draft' }),
    'Post.create: it has from, which cannot stand here; there is no record before it is created: strike it.',
  ],
  [
    action('update', { ...post.actions.update, to: 'published' }),
    'Post.update: it has to, which cannot stand here; move it to a move.',
  ],
  [
    action('update', { ...post.actions.update, mayFollow: ['publish'] }),
    'Post.update: it has mayFollow, which cannot stand here; move it to a move.',
  ],
  [
    action('update', { allow: may('edit', own('author')) }),
    'Post.update: it accepts nothing, and so changes nothing; list what may be changed.',
  ],
  [
    action('wait', { allow: may('wait'), from: 'draft', check: () => true }),
    'Post.wait: it does nothing; give it to, set, link or effect.',
  ],
  [move({ accept: ['titel'] }), 'Post.publish: it accepts titel, which is no field of Post; write title instead.'],
  [move({ accept: ['status'] }), 'Post.publish: it accepts status, which is a state; move it by from and to.'],
  [
    move({ accept: ['id'] }),
    'Post.publish: it accepts id, which is no field of Post; write title, rank, tags, parts, at or author instead.',
  ],
  [move({ accept: ['likedBy'] }), 'Post.publish: it accepts likedBy, which is a list; accept it in create or update.'],
  [move({ accept: ['title', 'title'] }), 'Post.publish: it accepts title twice; strike one.'],
  [
    postWith({
      fields: { key: token({ prefix: 'k_' }) },
      actions: { publish: { ...post.actions.publish, accept: ['key'] } },
    }),
    'Post.publish: it accepts key, which cannot be sent; strike it.',
  ],
  [move({ set: { titel: 'x' } }), 'Post.publish: it sets titel, which is no field of Post; write title instead.'],
  [move({ set: { status: 'published' } }), 'Post.publish: it sets status, which is a state; move it by from and to.'],
  [move({ set: { likedBy: [] } }), 'Post.publish: it sets likedBy, which has no value that it could set; strike it.'],
  [
    move({ set: { createdAt: () => new Date(0) } }),
    'Post.publish: it sets createdAt, which is no field of Post; write title, rank, tags, parts, at or author instead.',
  ],
  [move({ set: { rank: 10 } }), 'Post.publish: it sets rank to 10; set a value that rank can have.'],
  [move({ set: { title: null } }), 'Post.publish: it sets title to null; set a value that title can have.'],
  [
    move({ set: { title: 'x' }, accept: ['title'] }),
    'Post.publish: it sets title whatever it accepts; strike title from accept or from set.',
  ],
  [move({ link: 'author' }), 'Post.publish: it links author, which is no many-to-many relation; name such a relation.'],
  [move({ unlink: 'tags' }), 'Post.publish: it links tags, which is no many-to-many relation; name such a relation.'],
  [
    userWith({ actions: { like: { allow: may('manage'), link: 'liked' } } }),
    'User.like: it would put the actor among liked, which are no accounts; name a relation to User.',
  ],
  [
    move({ link: 'likedBy', allow: anyone }),
    'Post.publish: callers may be anonymous, and cannot be put into likedBy; let allow require signedIn.',
  ],
  [move({ link: 'likedBy', unlink: 'likedBy' }), 'Post.publish: it links and unlinks likedBy; strike one.'],
  [
    postWith({
      fields: { key: token({ prefix: 'k_' }) },
      actions: { publish: { ...post.actions.publish, emit: event('published', { with: ['key'] }) } },
    }),
    'Post.publish: its event hands on key, which only create knows; strike with.',
  ],
  [
    move({ set: { title: now } }),
    'Post.publish: it sets title to a value that only rules and queries have; set a timestamp to now, or to now.plus({ … }), or a date to startOf(…).',
  ],
  [
    move({ set: { at: now.plus({ days: arg('days') }) } }),
    'Post.publish: it sets at to a value that only rules and queries have; set a timestamp to now, or to now.plus({ … }), or a date to startOf(…).',
  ],
  [
    create({ emit: event('made', { with: ['title'] }) }),
    'Post.create: its event hands on title, which is no token; strike it.',
  ],
  [
    move({ emit: event('published', { changed: ['titel'] }) }),
    'Post.publish: its changed names titel, which is no field of Post; write title instead.',
  ],
  [
    move({ emit: event('published', { changed: ['title', 'title'] }) }),
    'Post.publish: its event names title twice; strike one.',
  ],
  [
    move({ emit: event('published', { changed: ['likedBy'] }) }),
    'Post.publish: its changed names likedBy, which is no single value that a reader may see; strike it.',
  ],
  [
    move({ emit: event('published', { changed: [] }) }),
    'Post.publish: its changed is empty; name a field in changed, or strike it.',
  ],
  [
    create({ emit: event('made', { changed: ['title'] }) }),
    'Post.create: its event has changed, and there is no record before and after it; strike changed.',
  ],
  [
    move({ emit: event('published', { by: 'title' }) }),
    'Post.publish: its event is sent by title, which is no relation to one record; name such a relation.',
  ],
  [
    create({ set: {} }),
    'Post.author: nothing sets it when a record is created; let create accept or set it, or make it optional.',
  ],
  [
    postWith({ fields: { author: one('User', { default: actor }) } }),
    'Post.create: it sets author, whose default is the actor; strike one of them.',
  ],
  [
    owned({ allow: anyOf(anyone, may('create')) }),
    'Post.create: callers may be anonymous, and cannot be the author; let allow require signedIn, or make author optional.',
  ],
  [
    owned({}, { parent: optional(one('Post', { default: actor as never })) }),
    'Post.parent: its default is the actor, who is a User, and it names a Post; strike default.',
  ],
  [
    owned({}, { boss: optional(one('User', { default: 'usr_1' as never })) }),
    'Post.boss: its default is one record for all; write default: actor, or none.',
  ],
  [
    note({ by: list(one('User', { default: actor }), { max: 9 }) }),
    'Note.by[]: default: actor is an option of fields with a column of their own; strike default: actor.',
  ],
  [
    create({ accept: ['tags'] }),
    'Post.title: nothing sets it when a record is created; let create accept or set it, or make it optional.',
  ],
  [
    field('body', text({ max: 9 })),
    'Post.body: nothing sets it when a record is created; let create accept or set it, or make it optional.',
  ],
  [
    userWith({ actions: { create: { allow: anyone, accept: ['email'] } } }),
    'User.password: nothing sets it when a record is created; let create accept or set it, or make it optional.',
  ],
  [
    postWith({
      fields: { tags: list(title, { min: 1, max: 9 }) },
      actions: { create: { ...post.actions.create, accept: ['title'] } },
    }),
    'Post.tags: nothing sets it when a record is created; let create accept or set it, or make it optional.',
  ],
])

refuses('counters', [
  [
    field('serial', counter({ on: 'publsh' })),
    'Post.serial: it is given on publsh, which is no move; write publish instead.',
  ],
  [
    field('serial', counter({ on: 'update' })),
    'Post.serial: it is given on update, which is no move; write publish instead.',
  ],
  [
    field('serial', counter({ within: 'title' })),
    'Post.serial: it counts within title, which is no required relation to one record; write author instead.',
  ],
  [field('serial', optional(counter())), 'Post.serial: every record has a number; strike optional.'],
  [
    postWith({
      fields: { serial: counter({ within: 'author' }) },
      actions: { give: { allow: may('give'), accept: ['author'] } },
    }),
    'Post.give: it changes author, within which serial is counted; strike author.',
  ],
  [
    create({ accept: ['title', 'serial'] }, { fields: { serial: counter() } }),
    'Post.create: it accepts serial, which cannot be sent; strike it.',
  ],
  [
    postWith({ fields: { serial: counter() }, actions: { give: { allow: may('give'), set: { serial: 1 } } } }),
    'Post.give: it sets serial, which has no value that it could set; strike it.',
  ],
  [field('serial', counter({ within: 7 as never })), 'Post.serial: its within 7 is no name; make it a text.'],
  [
    field('parts', list(counter() as never, { max: 9 })),
    'Post.parts[]: a counter cannot stand inside a list; make it a field of the resource.',
  ],
])

/** Shelves that are created with their books, which are created with what is said. */
const shelved = (accept: readonly string[], more: Readonly<Record<string, object>> = {}) => {
  const resourceOf = (name: string, fields: object, create: object | undefined) => ({
    name,
    prefix: name.toLowerCase(),
    filter: {},
    fields,
    actions: { read: { allow: anyone }, ...(create === undefined ? {} : { create: { allow: signedIn, ...create } }) },
  })
  return serviceWith({
    resources: {
      Shelf: resourceOf('Shelf', { books: many('Book', 'shelf') }, { accept: ['books'] }),
      Book: resourceOf(
        'Book',
        { shelf: one('Shelf'), title: optional(title), pages: many('Page', 'book') },
        accept.length === 0 ? undefined : { accept },
      ),
      Page: resourceOf('Page', { book: one('Book'), title: optional(title) }, { accept: ['book', 'title'] }),
      ...more,
    },
  })
}
refuses('children of which nothing can be sent', [
  [shelved(['shelf', 'title'])],
  [shelved(['shelf', 'pages'])],
  [
    shelved([]),
    'Shelf.create: it accepts books, and no action creates a Book; let the records of the list have a create.',
  ],
  [
    shelved(['shelf']),
    'Shelf.create: it accepts books, and a new Book takes nothing beside its Shelf, so that GraphQL has no input for it; ' +
      'let create of Book accept a field, or strike it here.',
  ],
])

refuses('reading in part, and the least lengths of lists', [
  [
    postWith({ actions: { read: { allow: may('edit'), partly: { allow: anyone, fields: ['titel'] } } } }),
    "Post.protect.tags: lists filtered by it would reveal what read hides; give it a filter, such as protect: { tags: { filter: may('manage') } }.",
    "Post.protect.author: lists filtered by it would reveal what read hides; give it a filter, such as protect: { author: { filter: may('manage') } }.",
    'Post.read: it opens titel, which is no field that readers see; write title instead.',
  ],
  [
    postWith({
      actions: {
        publish: { allow: anyone, from: 'draft', to: 'published', partly: { allow: anyone, fields: ['title'] } },
      },
    }),
    'Post.publish: it has partly, which cannot stand here; only read has it: strike it.',
  ],
  [
    postWith({ actions: { read: { allow: anyone, partly: { allow: anyone } } } }),
    "Post.read: its partly is something else than it must be; make it { allow: …, fields: ['name'] }.",
  ],
  [
    postWith({ actions: { create: { allow: may('create'), accept: ['title', 'tags', { list: 'tags', min: 1 }] } } }),
    'Post.create: it accepts tags twice; strike one.',
    "Post.create: it accepts tags with a min, which is no list of records; write 'tags'.",
    'Post.author: nothing sets it when a record is created; let create accept or set it, or make it optional.',
  ],
  [
    postWith({
      actions: {
        update: { allow: may('edit', own('author')), accept: ['title', { list: 'likedBy', into: own('author') }] },
      },
    }),
    "Post.update: into User: own('author') names no account; name a relation to User.",
  ],
  [
    postWith({
      actions: { update: { allow: may('edit', own('author')), accept: [{ list: 'title', into: anyone }] } },
    }),
    "Post.update: it accepts title with an into, which is no list of records; write 'title'.",
  ],
  [
    postWith({
      actions: { update: { allow: may('edit', own('author')), accept: ['title', { list: 'likedBy', min: 0 }] } },
    }),
    'Post.update: its min of likedBy is no length; write a whole number from 1 to 100.',
  ],
])
