// Names that are misformed, taken, or the same once written for a face or a table. (contract 1.2.1)

import { anyone, event, integer, list, may, optional, own, timestamp, token } from 'duet-api'
import {
  action,
  changed,
  field,
  move,
  note,
  post,
  postWith,
  refuses,
  serviceWith,
  title,
  user,
  userWith,
} from '../../../../test/support/domain/valid-service.ts'

const twin = (name: string) => ({
  ...post,
  name,
  fields: { title },
  filter: {},
  prefix: name.toLowerCase(),
  notFound: 'TWIN_NOT_FOUND',
  actions: { read: post.actions.read },
})

refuses(
  'names',
  [
    [note({ title }, { name: 'Other' }), 'Note: this is the resource Other; list it as Other.'],
    [
      note({ title }, { prefix: 'Note' }),
      'Note: its prefix Note is not of the form post2; use up to 16 small letters and digits, first a letter.',
    ],
    [
      note({ title }, { prefix: 'a'.repeat(17) }),
      'Note: its prefix aaaaaaaaaaaaaaaaa is not of the form post2; use up to 16 small letters and digits, first a letter.',
    ],
    [
      note({ title }, { prefix: '1a' }),
      'Note: its prefix 1a is not of the form post2; use up to 16 small letters and digits, first a letter.',
    ],
    [
      note({ title }, { notFound: 'NOT_FOUND' }),
      'Note: its notFound NOT_FOUND is a failure that every service has; choose another code, or leave it out.',
    ],
    [
      note({ title }, { notFound: 'CONFLICT' }),
      'Note: its notFound CONFLICT is a failure that every service has; choose another code, or leave it out.',
    ],
    [
      serviceWith({ resources: { User: user, Post: post, Left: twin('Left'), Right: twin('Right') } }),
      'Right: its notFound TWIN_NOT_FOUND is that of Left; choose another code.',
    ],
    [note({ title }, { prefix: 'post' }), 'Note: its ids begin with post, as those of Post do; choose another prefix.'],
    [
      note({ title }, { plural: 'posts' }),
      'Note: its table posts is that of Post; choose another plural or another name of the relation.',
      "Note: GraphQL's query posts is that of Post; choose another name or plural.",
    ],
    [
      note({ title }, { plural: 'usersLiked' }),
      'Note: its table users_liked is that of User.liked; choose another plural or another name of the relation.',
    ],
    [
      note({ title }, { plural: 'all_notes' }),
      'Note: its plural all_notes is not of the form blogPosts; use letters and digits.',
    ],
    [
      note({ can: title }),
      'Note.can: can is the field of what the caller may do with the record; choose another name.',
    ],
    [
      serviceWith({ resources: { User: user, Post: post, PostCan: twin('PostCan') } }),
      "PostCan: GraphQL's type PostCan is that of Post; choose another name, or one for GraphQL: graphql: '…'.",
    ],
    [note({ title }, { plural: 'note' }), 'Note: its plural is its name; choose a plural that differs.'],
    [note({ title }, { plural: 'auth' }), 'Note: the path /api/auth belongs to the service; choose another plural.'],
    [note({ title }, { plural: 'v3' }), 'Note: the path /api/v3 belongs to the service; choose another plural.'],
    [
      note({ title }, { plural: 'duetNotes' }),
      'Note: its table duet_notes has a name that the store keeps for itself; choose another plural.',
    ],
    [
      note({ title }, { plural: 'eventStream' }),
      'Note: the path /api/event-stream belongs to the service; choose another plural.',
    ],
    [note({ title }, { plural: 'includes' }), 'Note: its plural is a word of roles; choose another plural.'],
    [
      serviceWith({
        resources: { note: { name: 'note', prefix: 'n', fields: { title }, actions: { read: { allow: anyone } } } },
      }),
      'note: its name is not of the form BlogPost; use letters and digits, first a capital.',
    ],
    [
      serviceWith({
        resources: { Me: { name: 'Me', prefix: 'me', fields: { title }, actions: { read: { allow: anyone } } } },
      }),
      "Me: GraphQL's query me is that of the service; choose another name or plural.",
    ],
    [
      serviceWith({
        resources: {
          PageInfo: { name: 'PageInfo', prefix: 'page', fields: { title }, actions: { read: { allow: anyone } } },
        },
      }),
      "PageInfo: GraphQL's type PageInfo is that of GraphQL itself; choose another name, or one for GraphQL: graphql: '…'.",
    ],
    [
      serviceWith({
        resources: {
          PostEdge: { name: 'PostEdge', prefix: 'edge', fields: { title }, actions: { read: { allow: anyone } } },
        },
      }),
      "PostEdge: GraphQL's type PostEdge is that of Post; choose another name, or one for GraphQL: graphql: '…'.",
    ],
    [
      serviceWith({
        resources: {
          UserRole: { name: 'UserRole', prefix: 'role', fields: { title }, actions: { read: { allow: anyone } } },
        },
      }),
      "UserRole: GraphQL's type UserRole is that of User.role; choose another name, or one for GraphQL: graphql: '…'.",
    ],
    [
      serviceWith({
        resources: {
          PostList: { name: 'PostList', prefix: 'list', fields: { title }, actions: { read: { allow: anyone } } },
        },
      }),
      "PostList: GraphQL's query postList is that of Post; choose another name or plural.",
    ],
    [
      serviceWith({
        resources: {
          UserNote: {
            name: 'UserNote',
            prefix: 'un',
            fields: { title },
            actions: { read: { allow: anyone }, create: { allow: may('create'), accept: ['title'] } },
          },
          Note: {
            name: 'Note',
            prefix: 'note',
            fields: { title },
            actions: { read: { allow: anyone }, createUser: { allow: may('createUser'), accept: ['title'] } },
          },
        },
      }),
      "Note.createUser: GraphQL's mutation createUserNote is that of UserNote.create; choose another name.",
    ],
    [
      serviceWith({
        resources: {
          PostStatus: { name: 'PostStatus', prefix: 'ps', fields: { title }, actions: { read: { allow: anyone } } },
        },
      }),
      "PostStatus: GraphQL's type PostStatus is that of Post.status; choose another name, or one for GraphQL: graphql: '…'.",
    ],
    [
      serviceWith({
        resources: {
          Posts: {
            name: 'Posts',
            prefix: 'ps',
            plural: 'bundles',
            fields: { title },
            actions: { read: { allow: anyone }, create: { allow: may('create'), accept: ['title'] } },
          },
        },
      }),
      "Posts: GraphQL's query posts is that of Post; choose another name or plural.",
      "Posts.create: GraphQL's mutation createPosts is that of Post.create; choose another name.",
    ],
    [field('id', optional(title)), 'Post.id: every record has it already; choose another name.'],
    [field('createdAt', optional(timestamp())), 'Post.createdAt: every record has it already; choose another name.'],
    [field('version', integer({ default: 0 })), 'Post.version: every record has it already; choose another name.'],
    [field('deletedAt', optional(timestamp())), 'Post.deletedAt: every record has it already; choose another name.'],
    [field('ids', list(title, { max: 9 })), 'Post.ids: every record has it already; choose another name.'],
    ...['rowid', 'oid', 'ctid', 'tableoid', 'xmin', 'xmax', 'cmin', 'cmax', 'true', 'false'].map(
      (name) =>
        [
          field(name, optional(title)),
          `Post.${name}: databases keep this name for themselves; choose another name.`,
        ] as const,
    ),
    [field('constructor', optional(title)), 'Post.constructor: every object has it already; choose another name.'],
    [
      field('sub_title', optional(title)),
      'Post.sub_title: its name is not of the form publishedAt; use letters and digits.',
    ],
    [
      field('SubTitle', optional(title)),
      'Post.SubTitle: its name is not of the form publishedAt; use letters and digits.',
    ],
    [field('authorId', optional(title)), 'Post.authorId: it is author_id as author is; choose another name.'],
    [
      userWith({ fields: { passwordHash: optional(title) } }),
      'User.passwordHash: it is password_hash as password is; choose another name.',
    ],
    [
      field('a'.repeat(59), optional(title)),
      'Post.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: its name is longer than 58 characters; choose a shorter one.',
    ],
    [
      action('edit', { allow: may('edit', own('author')), accept: ['title'] }),
      'Post.edit: the permission to update is called edit; call this action update.',
    ],
    [
      action('manage', { allow: may('manage'), accept: ['title'] }),
      'Post.manage: to manage is a permission of its own kind; choose another verb.',
    ],
    [
      action('send_back', { allow: may('send_back'), accept: ['title'] }),
      'Post.send_back: its name is not of the form sendBack; use letters and digits.',
    ],
    [
      action('likedBy', { allow: may('likedBy'), link: 'likedBy' }),
      'Post.likedBy: the list of its likedBy has the same path; name the action with another verb.',
    ],
    [
      postWith({
        fields: { key: token({ prefix: 'k_' }) },
        actions: {
          create: { ...post.actions.create, emit: event('made', { with: ['key'] }) },
          publish: { ...post.actions.publish, emit: event('made') },
        },
      }),
      'Post.publish: made hands on a token, and another action emits it too; choose another name for it.',
    ],
    [
      move({ emit: event('post-published') }),
      'Post.publish: its event post-published is not of the form postCreated; use letters and digits.',
    ],
    [
      serviceWith({
        resources: {
          Post: changed(post, { actions: { publish: { ...post.actions.publish, emit: event('made') } } }),
          User: changed(user, { actions: { leave: { ...user.actions.leave, emit: event('made') } } }),
        },
      }),
      'Post.publish: made is an event of User; choose another name for it.',
    ],
    [
      postWith({
        actions: {
          publish: { ...post.actions.publish, emit: event('made') },
          mark: { allow: may('mark'), accept: ['title'], emit: event('made', { by: 'author' }) },
        },
      }),
      'Post.mark: its event made is sent by another relation elsewhere; choose another name for it.',
    ],
  ],
  '1.2.1',
)
