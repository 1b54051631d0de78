// Folders that their owners share by a link: whoever has its code reads, renames and adds. For rules that ask for an access code.

import {
  actor,
  allOf,
  anyOf,
  boolean,
  event,
  hasToken,
  is,
  many,
  not,
  one,
  own,
  resource,
  self,
  service,
  signedIn,
  text,
  through,
  token,
  when,
} from 'duet-api'
import { accountFields, accounts } from './account.ts'

const User = resource('User', {
  prefix: 'usr',
  fields: accountFields,
  actions: { read: { allow: self } },
})
const Folder = resource('Folder', {
  prefix: 'fol',
  fields: {
    name: text({ max: 60 }),
    code: token({ prefix: 'share' }),
    owner: one('User', { cascade: 'regardless', default: actor }),
    files: many('File', 'folder'),
  },
  filter: { name: is },
  actions: {
    read: { allow: anyOf(own('owner'), hasToken('code')) },
    create: { allow: signedIn, accept: ['name'] },
    update: { allow: anyOf(own('owner'), hasToken('code')), accept: ['name'], emit: event('renamed') },
    delete: { allow: allOf(signedIn, hasToken('code')) },
  },
})
const File = resource('File', {
  prefix: 'file',
  fields: {
    folder: one('Folder', { cascade: 'regardless' }),
    title: text({ max: 60 }),
    isDraft: boolean({ default: false }),
  },
  filter: { folder: is },
  actions: {
    read: {
      allow: anyOf(
        through('folder', own('owner')),
        allOf(through('folder', hasToken('code')), not(when({ isDraft: true }))),
      ),
    },
    create: { allow: through('folder', anyOf(own('owner'), hasToken('code'))), accept: ['folder', 'title', 'isDraft'] },
  },
})

export const share = service({
  resources: { User, Folder, File },
  accounts,
  roles: { ANY: {} },
})
