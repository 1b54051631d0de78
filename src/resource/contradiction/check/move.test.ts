// States that nothing reaches, and moves that cannot start. (contract 5.4.3)

import { absent, anyone, atLeast, boolean, may, nobody, oneOf, present, state } from 'duet-api'
import {
  create,
  field,
  move,
  note,
  post,
  postWith,
  refuses,
  title,
} from '../../../../test/support/domain/valid-service.ts'

refuses('states and moves', [
  [
    move({ from: 'gone' }),
    'Post.publish: it starts from gone, which is no state of Post; write draft or published instead.',
    'Post: no move reaches published, starting from draft; add a move or strike the state.',
  ],
  [
    move({ from: ['draft', 'publishd'] }),
    'Post.publish: it starts from publishd, which is no state of Post; write published instead.',
  ],
  [
    move({ from: [] }),
    'Post.publish: its from lists no state; name the states that it starts from.',
    'Post: no move reaches published, starting from draft; add a move or strike the state.',
  ],
  [move({ from: { at: 5 } }), 'Post.publish: its from compares at with 5; name a value that at can have.'],
  [
    move({ from: { rank: oneOf(1, 12) } }),
    'Post.publish: its from compares rank with 12; name a value that rank can have.',
  ],
  [move({ from: { rank: oneOf() } }), 'Post.publish: its list of values of rank is empty; name some.'],
  [move({ from: { rank: atLeast(1) } }), 'Post.publish: its from tests rank with atLeast; use oneOf, or a rule.'],
  [
    field('status', state(['draft', 'published'], { begins: ['gone' as 'draft'] })),
    "Post.status: it begins with 'gone', which is none of its states; name one of them.",
  ],
  [
    field('status', state(['draft', 'published'], { begins: [] })),
    'Post.status: its begins lists no state; list states, or strike it.',
  ],
  [
    postWith({
      fields: { status: state(['draft', 'published', 'open'], { begins: ['draft', 'open'] }) },
      actions: { create: { ...post.actions.create, mayFollow: ['publish'] } },
    }),
    'Post.create: it may be followed by publish, and its effect may choose where it begins; strike mayFollow or begins.',
  ],
  [
    move({ from: { titel: absent } }),
    'Post.publish: its from names titel, which is no readable field; write title instead.',
  ],
  [
    move({ from: { rank: present } }),
    'Post.publish: its from tests for a rank, and there always is one; make rank optional or compare with a value.',
  ],
  [
    move({ to: 'gone' }),
    'Post.publish: it moves to gone, which is no state of Post; write draft or published instead.',
    'Post: no move reaches published, starting from draft; add a move or strike the state.',
  ],
  [move({ from: undefined }), 'Post.publish: it moves to published from wherever it is; add from.'],
  [
    note({ title }, { actions: { read: { allow: anyone }, go: { allow: nobody, from: 'here', accept: ['title'] } } }),
    'Note.go: it starts from here, which is no state of Note; strike it.',
  ],
  [
    field('status', state('draft', 'published', 'archived')),
    'Post: no move reaches archived, starting from draft; add a move or strike the state.',
  ],
  [
    postWith({
      fields: { status: state('draft', 'published', 'lost', 'found') },
      actions: { find: { allow: may('find'), from: 'lost', to: 'found' } },
    }),
    'Post: no move reaches lost, starting from draft; add a move or strike the state.',
    'Post: no move reaches found, starting from draft; add a move or strike the state.',
  ],
  [
    create({ mayFollow: ['publich'] }),
    'Post.create: it may be followed by publich, which is no move; write publish instead.',
  ],
  [
    create({ mayFollow: ['update'] }),
    'Post.create: it may be followed by update, which is no move; write publish instead.',
  ],
  [
    create(
      { mayFollow: ['publish'] },
      {
        fields: { publish: boolean({ default: false }) },
        actions: { create: { ...post.actions.create, mayFollow: ['publish'], accept: ['title', 'publish'] } },
      },
    ),
    'Post.create: its input has publish twice, as a field and as a move; give the field another name.',
  ],
  [
    create({ mayFollow: ['publish'] }, { actions: { publish: { ...post.actions.publish, accept: ['title'] } } }),
    'Post.create: it may be followed by publish, which takes input of its own; leave it to a request of its own.',
  ],
  [
    create(
      { mayFollow: ['retract'] },
      { actions: { retract: { allow: may('retract'), from: 'published', to: 'draft' } } },
    ),
    'Post.create: it may be followed by retract, which does not start from where create ends; strike retract from mayFollow.',
  ],
  [
    create(
      { mayFollow: ['date'] },
      { actions: { date: { allow: may('date'), from: { at: present }, set: { at: null } } } },
    ),
    'Post.create: it may be followed by date, which does not start from where create ends; strike date from mayFollow.',
  ],
  [
    create(
      { mayFollow: ['date'] },
      { actions: { date: { allow: may('date'), from: { rank: 1 }, set: { at: null } } } },
    ),
    'Post.create: it may be followed by date, which does not start from where create ends; strike date from mayFollow.',
  ],
])
