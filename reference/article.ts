import { actor, anyOf, is, may, one, own, resource, state, text, when } from 'duet-api'

/** Writing that passes a review before anyone reads it. (contract 2.2.4, 3.2.2) */
export const Article = resource('Article', {
  prefix: 'art',
  about: 'A text that is reviewed before it is published: its author submits it, an editor publishes or rejects it.',

  fields: {
    title: text({ max: 200 }),
    body: text({ max: 50_000 }),
    status: state('draft', 'in_review', 'published', 'archived'),
    author: one('User', { cascade: 'regardless', default: actor }),
  },

  filter: { status: is, author: is },
  sort: ['title'],

  actions: {
    read: { allow: anyOf(when({ status: 'published' }), own('author'), may('publish')) },
    update: { allow: may('edit', own('author')), accept: ['title', 'body'] },
    delete: { allow: may('delete', own('author')) },
    create: { allow: may('create'), accept: ['title', 'body'] },
    submit: { about: 'Submit an article for review.', allow: may('submit'), from: 'draft', to: 'in_review' },
    reject: { about: 'Send an article back to its author.', allow: may('reject'), from: 'in_review', to: 'draft' },
    publish: { allow: may('publish'), from: 'in_review', to: 'published' },
    archive: { allow: may('archive'), from: 'published', to: 'archived' },
  },
})
