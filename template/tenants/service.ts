import { service } from 'duet-api'
import { Invitation, Membership, Organization } from './organization.ts'
import { Project } from './project.ts'
import { Task } from './task.ts'
import { User } from './user.ts'

/** What this service consists of, who signs in to it, and what each role may do. */
export const api = service({
  resources: { User, Organization, Membership, Invitation, Project, Task },
  accounts: {
    login: 'email',
    password: 'password',
    role: 'role',
    activeState: 'ACTIVE',
    // A mail at sign-up proves the address.
    verified: 'emailVerified',
    methods: {},
  },
  roles: {
    USER: { organizations: ['create'] },
    // Everything that is in no organization.
    ADMIN: 'everything',
  },
  // What a role inside an organization may do there, and nowhere else.
  tenantRoles: {
    Organization: {
      OWNER: 'everything',
      MEMBER: { projects: ['create', 'edit'], tasks: ['create', 'edit'] },
      GUEST: {},
    },
  },
})
