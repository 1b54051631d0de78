import { actor, many, one, own, resource, signedIn, text } from 'duet-api'

/** What tasks belong to. It is its owner's alone: for all others it does not exist. */
export const Project = resource('Project', {
  prefix: 'prj',

  fields: {
    name: text({ max: 100 }),
    owner: one('User', { cascade: 'regardless', default: actor }),
    tasks: many('Task', 'project'),
  },

  sort: ['name'],

  actions: {
    read: { allow: own('owner') },
    create: { allow: signedIn, accept: ['name'] },
    update: { allow: own('owner'), accept: ['name'] },
    delete: { allow: own('owner') },
  },
})
