import { many, may, member, one, resource, text } from 'duet-api'

/** What tasks belong to. All members of its organization read it; for all others it does not exist. */
export const Project = resource('Project', {
  prefix: 'prj',
  within: 'organization',

  fields: {
    organization: one('Organization'),
    name: text({ max: 100 }),
    tasks: many('Task', 'project'),
  },

  sort: ['name'],

  actions: {
    read: { allow: member('organization') },
    create: { allow: may('create'), accept: ['organization', 'name'] },
    update: { allow: may('edit'), accept: ['name'] },
    delete: { allow: may('delete') },
  },
})
